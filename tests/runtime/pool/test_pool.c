#include "counting_allocator.h"
#include "misuse.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "pool_state.h"
#include <kiln/pool.h>
#include <stdlib.h>
#include <string.h>

typedef struct thing {
    uint64_t stamp;
    uint32_t words[5];
} thing;

KILN_DEFINE_POOL_HANDLE(thing_handle, thing)

static kiln_pool *make_pool(const kiln_pool_def *def)
{
    kiln_pool *pool = NULL;
    assert_int_equal(KILN_OK, kiln_pool_create(def, &pool));
    return pool;
}

static void end_pool(kiln_pool *pool)
{
    assert_true(kiln_pool_is_valid(pool));
    kiln_pool_destroy(pool);
}

static kiln_pool_handle create(kiln_pool *pool)
{
    kiln_pool_handle handle = {NULL, 0, 0};
    assert_int_equal(KILN_OK, kiln_pool_object_create(pool, &handle));
    assert_non_null(handle.object);
    return handle;
}

static void destroy(kiln_pool *pool, kiln_pool_handle handle)
{
    assert_int_equal(KILN_OK, kiln_pool_object_destroy(pool, handle));
}

static kiln_status create_pool(void *ctx)
{
    kiln_pool *pool = NULL;
    kiln_status status = kiln_pool_create(ctx, &pool);
    assert_null(pool);
    return status;
}

static void definition_that_breaks_its_contract_is_refused(void **state)
{
    static const kiln_allocator no_free = {.alloc = NULL, .free = NULL};
    static const kiln_page_source no_map = {.map = NULL};
    static const kiln_pool_def bad[] = {
        {0},
        {.size = 0, .align = 8, .max_slots = 1},
        {.size = (size_t)KILN_POOL_SIZE_MAX + 1, .align = 8, .max_slots = 1},
        {.size = SIZE_MAX, .align = 8, .max_slots = 1},
        {.size = 8, .align = 0, .max_slots = 1},
        {.size = 8, .align = 24, .max_slots = 1},
        {.size = 8, .align = 8192, .max_slots = 1},
        {.size = 8, .align = 8, .max_slots = 0},
        {.size = 8, .align = 8, .max_slots = KILN_POOL_OBJECTS_MAX + 1u},
        {.size = 8, .align = 8, .max_slots = 1, .first = KILN_POOL_OBJECTS_MAX + 1u},
        {.size = 8, .align = 8, .max_slots = 1, .allocator = &no_free},
        {.size = 8, .align = 8, .max_slots = 1, .pages = &no_map},
    };
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        kiln_pool_def def = bad[i];
        def.cookie = kiln_pool_def_default().cookie;
        assert_int_equal(KILN_BAD_ARGUMENT, misuse_status(create_pool, &def));
    }
    assert_int_equal(KILN_BAD_ARGUMENT, misuse_status(create_pool, NULL));
    kiln_pool_def unset = kiln_pool_def_default();
    assert_int_equal(KILN_BAD_ARGUMENT, misuse_status(create_pool, &unset));
    kiln_pool_destroy(NULL);
}

static void slots_are_as_long_as_the_manual_says_and_never_overlap(void **state)
{
    static const struct {
        size_t size, align, stride;
    } rows[] = {
        {36, 4, 40},        {40, 8, 48},        {60, 64, 64}, {64, 64, 128},  {1, 1, 8},
        {4, 2, 8},          {5, 1, 12},         {12, 16, 16}, {16, 16, 32},   {48, 16, 64},
        {4092, 4096, 4096}, {4096, 4096, 8192}, {40, 64, 64}, {100, 32, 128}, {100000, 16, 100016},
    };
    enum { COUNT = 150 };
    (void)state;
    for (size_t row = 0; row < sizeof rows / sizeof *rows; row++) {
        kiln_pool_def def = kiln_pool_def_default();
        def.size = rows[row].size;
        def.align = rows[row].align;
        def.first = 4;
        kiln_pool *pool = make_pool(&def);
        kiln_pool_handle handles[COUNT];
        for (int i = 0; i < COUNT; i++) {
            handles[i] = create(pool);
            assert_int_equal(0, (uintptr_t)handles[i].object % def.align);
            memset(handles[i].object, i, def.size);
        }
        for (int i = 0; i < COUNT; i++) {
            const unsigned char *object = kiln_pool_get(pool, handles[i]);
            assert_ptr_equal(object, handles[i].object);
            for (size_t k = 0; k < def.size; k++)
                assert_int_equal(object[k], i);
        }
        size_t distance =
            (uintptr_t)handles[COUNT - 1].object - (uintptr_t)handles[COUNT - 2].object;
        assert_int_equal(distance, rows[row].stride);
        end_pool(pool);
    }
}

static void objects_are_zeroed_unless_disabled(void **state)
{
    (void)state;
    for (int zeroed = 0; zeroed <= 1; zeroed++) {
        counting_allocator counter = {0};
        kiln_allocator allocator = counting_allocator_of(&counter); /* returns bytes of 0xa5 */
        kiln_pool_def def = kiln_pool_def_default();
        assert_true(def.zeroed);
        def.size = 21;
        def.zeroed = zeroed;
        def.max_slots = 3;
        def.allocator = &allocator;
        kiln_pool *pool = make_pool(&def);
        for (int i = 0; i < 9; i++) {
            kiln_pool_handle handle = create(pool);
            unsigned char *bytes = kiln_pool_at(pool, handle);
            for (size_t k = 0; k < def.size && zeroed; k++)
                assert_int_equal(bytes[k], 0);
            if (!zeroed && i == 0)
                assert_int_equal(bytes[0], 0xa5);
            memset(bytes, 0xff, def.size);
            destroy(pool, handle);
        }
        end_pool(pool);
        assert_int_equal(counter.live_bytes, 0);
    }
}

static void slots_are_reused_first_in_first_out(void **state)
{
    static const int order[] = {3, 1, 4, 0, 2};
    (void)state;
    kiln_pool_def def = kiln_pool_def_default();
    def.size = 24;
    def.first = 2;
    kiln_pool *pool = make_pool(&def);
    kiln_pool_handle handles[6];
    for (int i = 0; i < 6; i++)
        handles[i] = create(pool);
    for (int i = 0; i < 5; i++)
        destroy(pool, handles[order[i]]);
    /* The queue keeps its order when the pool grows. */
    assert_int_equal(KILN_OK, kiln_pool_reserve(pool, 40));
    for (int i = 0; i < 5; i++) {
        kiln_pool_handle again = create(pool);
        assert_ptr_equal(again.object, handles[order[i]].object);
        assert_int_equal(again.slot, handles[order[i]].slot);
        assert_int_equal(again.version, handles[order[i]].version + 2);
    }
    assert_int_equal(create(pool).slot, 6);
    end_pool(pool);
}

/* However many slots were reused, the ring of free ones is not longer than the pool. */
static void slots_are_reused_indefinitely(void **state)
{
    enum { COUNT = 64, ROUNDS = 50000 };
    (void)state;
    kiln_pool_def def = thing_handle_pool_def();
    def.first = def.max_slots = COUNT;
    kiln_pool *pool = make_pool(&def);
    kiln_pool_handle handles[COUNT];
    assert_int_equal(KILN_OK, kiln_pool_objects_create(pool, COUNT, handles));
    for (uint32_t i = 0; i < ROUNDS; i++) {
        uint32_t first = handles[0].slot;
        assert_int_equal(COUNT, kiln_pool_objects_destroy(pool, handles, COUNT));
        assert_int_equal(KILN_OK, kiln_pool_objects_create(pool, COUNT, handles));
        assert_int_equal(first, handles[0].slot);
    }
    assert_true(kiln_pool_is_valid(pool));
    assert_int_equal(COUNT, kiln_pool_objects_destroy(pool, handles, COUNT));
    end_pool(pool);
}

static void objects_keep_their_addresses_while_the_pool_grows(void **state)
{
    enum { COUNT = 20000 };
    (void)state;
    kiln_pool_def def = thing_handle_pool_def();
    def.first = 1;
    kiln_pool *pool = make_pool(&def);
    thing_handle *handles = malloc(COUNT * sizeof *handles);
    assert_non_null(handles);
    for (uint32_t i = 0; i < COUNT; i++) {
        assert_int_equal(KILN_OK, thing_handle_create(pool, &handles[i]));
        assert_int_equal(handles[i].any.slot, i);
        thing_handle_at(pool, handles[i])->stamp = i;
    }
    for (uint32_t i = 0; i < COUNT; i++) {
        thing *object = thing_handle_get(pool, handles[i]);
        assert_ptr_equal(object, handles[i].any.object);
        assert_int_equal(object->stamp, i);
    }
    assert_int_equal(KILN_OK, thing_handle_destroy(pool, handles[7]));
    assert_null(thing_handle_get(pool, handles[7]));
    kiln_pool_counts counts = kiln_pool_count(pool);
    assert_int_equal(counts.live, COUNT - 1);
    assert_int_equal(counts.slabs, 15);
    assert_int_equal(counts.live + counts.free, (1 << 15) - 1);
    free(handles);
    end_pool(pool);
}

static void batch_creates_what_single_creations_would(void **state)
{
    enum { COUNT = 300 };
    (void)state;
    kiln_pool_def def = kiln_pool_def_default();
    def.size = 40;
    def.first = 16;
    kiln_pool *one = make_pool(&def), *many = make_pool(&def);
    kiln_pool_handle singles[COUNT], batch[COUNT];
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < COUNT; i++)
            singles[i] = create(one);
        assert_int_equal(KILN_OK, kiln_pool_objects_create(many, COUNT, batch));
        for (int i = 0; i < COUNT; i++) {
            assert_int_equal(batch[i].slot, singles[i].slot);
            assert_int_equal(batch[i].version, singles[i].version);
            assert_ptr_equal(kiln_pool_get(many, batch[i]), batch[i].object);
        }
        /* Destroys the last objects first. In the last round, some slots stay in use. */
        int kept = round < 2 ? 0 : 100;
        for (int i = COUNT; i-- > kept;)
            destroy(one, singles[i]);
        kiln_pool_handle turned[COUNT];
        for (int i = 0; i < COUNT - kept; i++)
            turned[i] = batch[COUNT - 1 - i];
        uint32_t count = (uint32_t)(COUNT - kept);
        assert_int_equal(count, kiln_pool_objects_destroy(many, turned, count));
        assert_int_equal(0, kiln_pool_objects_destroy(many, turned, count));
    }
    assert_int_equal(KILN_OK, kiln_pool_objects_create(many, 0, NULL));
    assert_int_equal(0, kiln_pool_objects_destroy(many, NULL, 0));
    end_pool(one);
    end_pool(many);
}

static void batch_destroys_an_object_listed_twice_once(void **state)
{
    (void)state;
    kiln_pool_def def = thing_handle_pool_def();
    kiln_pool *pool = make_pool(&def);
    kiln_pool_handle a = create(pool), b = create(pool), null = {NULL, 0, 0};
    kiln_pool_handle named[] = {a, null, a, b, a, b};
    assert_int_equal(2, kiln_pool_objects_destroy(pool, named, 6));
    assert_int_equal(kiln_pool_count(pool).live, 0);
    assert_int_equal(create(pool).slot, a.slot);
    assert_int_equal(create(pool).slot, b.slot);
    end_pool(pool);
}

static void pool_never_has_more_slots_than_its_maximum(void **state)
{
    static const struct {
        uint32_t max_slots, first;
    } rows[] = {{1, 0}, {1, 1}, {1, 64}, {7, 1}, {7, 2}, {8, 8}, {9, 8}, {100, 3}, {100, 128}};
    (void)state;
    for (size_t row = 0; row < sizeof rows / sizeof *rows; row++) {
        uint32_t most = rows[row].max_slots;
        kiln_pool_def def = thing_handle_pool_def();
        def.max_slots = most;
        def.first = rows[row].first;
        kiln_pool *pool = make_pool(&def);
        kiln_pool_handle handles[101], none = {NULL, 0, 0};
        assert_int_equal(KILN_LIMIT, kiln_pool_objects_create(pool, most + 1, handles));
        assert_int_equal(KILN_LIMIT, kiln_pool_reserve(pool, UINT32_MAX));
        assert_int_equal(0, kiln_pool_count(pool).slabs);
        for (uint32_t i = 0; i < most; i++)
            handles[i] = create(pool);
        assert_int_equal(KILN_LIMIT, kiln_pool_object_create(pool, &none));
        assert_null(none.object);
        assert_int_equal(KILN_LIMIT, kiln_pool_reserve(pool, 1));
        assert_int_equal(KILN_OK, kiln_pool_reserve(pool, 0));
        assert_int_equal(kiln_pool_count(pool).live, most);
        assert_int_equal(kiln_pool_count(pool).free, 0);
        destroy(pool, handles[0]);
        assert_int_equal(KILN_OK, kiln_pool_reserve(pool, 1));
        assert_ptr_equal(create(pool).object, handles[0].object);
        end_pool(pool);
    }
}

static void iteration_visits_objects_that_stay_alive_once(void **state)
{
    enum { COUNT = 500 };
    (void)state;
    kiln_pool_def def = thing_handle_pool_def();
    def.first = 4;
    kiln_pool *pool = make_pool(&def);
    kiln_pool_cursor cursor = {0};
    kiln_pool_handle handle = {&cursor, 77, 0}, handles[COUNT];
    unsigned met[COUNT] = {0};
    assert_false(kiln_pool_next(pool, &cursor, &handle));
    assert_int_equal(handle.version, 77);
    for (int i = 0; i < COUNT; i++)
        handles[i] = create(pool);
    for (int i = 0; i < COUNT; i += 5)
        destroy(pool, handles[i]);
    while (kiln_pool_next(pool, &cursor, &handle)) {
        assert_int_equal(KILN_POOL_ALIVE, kiln_pool_check(pool, handle));
        met[handle.slot]++;
        /* Destroys objects at and after the cursor, and creates one in the oldest free slot. */
        if (handle.slot % 5 == 1) {
            destroy(pool, handle);
            if (handle.slot + 2 < COUNT)
                destroy(pool, handles[handle.slot + 2]);
            create(pool);
        }
    }
    for (int i = 0; i < COUNT; i++) {
        if (i % 5 == 1 || i % 5 == 2 || i % 5 == 4)
            assert_int_equal(met[i], 1);
        else
            assert_true(met[i] <= 1);
    }
    end_pool(pool);
}

static void find_gives_the_handle_of_an_address(void **state)
{
    enum { COUNT = 100 };
    (void)state;
    kiln_pool_def def = kiln_pool_def_default();
    def.size = 24;
    def.align = 8;
    def.first = 4;
    kiln_pool *pool = make_pool(&def), *other = make_pool(&def);
    kiln_pool_handle handles[COUNT], elsewhere = create(other);
    for (int i = 0; i < COUNT; i++)
        handles[i] = create(pool);
    for (int i = 0; i < COUNT; i++) {
        const unsigned char *object = handles[i].object;
        kiln_pool_handle found = kiln_pool_find(pool, object);
        assert_ptr_equal(found.object, object);
        assert_int_equal(found.version, handles[i].version);
        assert_int_equal(found.slot, handles[i].slot);
        for (int inside = 1; inside < 24; inside++) {
            found = kiln_pool_find(pool, object + inside);
            assert_null(found.object);
            assert_int_equal(found.version, 0);
        }
    }
    destroy(pool, handles[50]);
    assert_null(kiln_pool_find(pool, handles[50].object).object);
    const uintptr_t stride = (uintptr_t)handles[99].object - (uintptr_t)handles[98].object;
    const void *const not_objects[] = {
        NULL,
        elsewhere.object,
        &pool,
        pool,
        (const void *)UINTPTR_MAX,
        (const void *)((uintptr_t)handles[99].object + stride), /* in the slab, not used yet */
        (const void *)((uintptr_t)handles[0].object - stride),  /* before the first slab */
    };
    for (size_t i = 0; i < sizeof not_objects / sizeof *not_objects; i++)
        assert_null(kiln_pool_find(pool, not_objects[i]).object);
    end_pool(pool);
    end_pool(other);
}

static void destroy_all_makes_every_handle_stale(void **state)
{
    enum { COUNT = 200 };
    (void)state;
    kiln_pool_def def = thing_handle_pool_def();
    def.first = 8;
    kiln_pool *pool = make_pool(&def);
    kiln_pool_objects_destroy_all(pool);
    kiln_pool_handle handles[COUNT];
    assert_int_equal(KILN_OK, kiln_pool_objects_create(pool, COUNT, handles));
    destroy(pool, handles[150]);
    kiln_pool_objects_destroy_all(pool);
    kiln_pool_counts counts = kiln_pool_count(pool);
    assert_int_equal(counts.live, 0);
    assert_int_equal(counts.free, 248);
    for (int i = 0; i < COUNT; i++) {
        assert_null(kiln_pool_get(pool, handles[i]));
        assert_int_equal(KILN_POOL_STALE, kiln_pool_check(pool, handles[i]));
        assert_int_equal(KILN_DEAD, kiln_pool_object_destroy(pool, handles[i]));
    }
    assert_true(kiln_pool_is_valid(pool));
    assert_int_equal(create(pool).slot, 150);
    for (uint32_t i = 0; i < COUNT; i++) {
        if (i != 150)
            assert_int_equal(create(pool).slot, i);
    }
    end_pool(pool);
}

static void validity_check_finds_an_overwritten_pool(void **state)
{
    (void)state;
    kiln_pool_def def = thing_handle_pool_def();
    def.first = 16;
    kiln_pool *pool = make_pool(&def);
    pool_state *inside = pool_state_of(pool);
    kiln_pool_handle handles[10];
    assert_int_equal(KILN_OK, kiln_pool_objects_create(pool, 10, handles));
    destroy(pool, handles[3]);
    destroy(pool, handles[4]);
    uint32_t *alive = pool_version(inside, handles[5].object);
    uint32_t *free_slot = pool_version(inside, handles[3].object);
    const struct {
        uint32_t *place, wrong;
    } rows[] = {
        {alive, 0},
        {alive, 2},
        {alive, 0xfffffffe},
        {alive, 0xffffffff},
        {free_slot, 0},
        {free_slot, 1},
        {&inside->live, 7},
        {&inside->live, 9},
        {&inside->retired, 1},
        {&inside->head, 1},
        {&inside->tail, 3},
        {&inside->ring[0], 4},
        {&inside->ring[1], 5},
        {&inside->ring[1], UINT32_MAX},
        {&inside->used[0], 9},
        {&inside->used[0], 17},
        {&inside->base[0], 1},
        {&inside->base[0], 2},
        {&inside->fresh_slots, 5},
        {&inside->fresh_slab, 1},
        {&inside->ready, 9},
        {&inside->slots, 9},
        {&inside->max_slots, 15},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint32_t right = *rows[i].place;
        assert_true(kiln_pool_is_valid(pool));
        *rows[i].place = rows[i].wrong;
        if (kiln_pool_is_valid(pool))
            fail_msg("row %zu", i);
        *rows[i].place = right;
    }
    end_pool(pool);
}

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(SANITIZED)
#include <sanitizer/asan_interface.h>

static _Alignas(64) unsigned char own_memory[8192];

/* The pool itself, its only slab and its queue. */
static void *own_alloc(void *ctx, size_t size, size_t align)
{
    size_t *used = ctx;
    unsigned char *given = own_memory + *used;
    (void)align;
    *used += (size + 63) / 64 * 64;
    return *used <= sizeof own_memory ? given : NULL;
}

static void own_free(void *ctx, void *ptr, size_t size)
{
    (void)ctx;
    memset(ptr, 0, size);
}

static void freed_memory_is_not_poisoned(void **state)
{
    (void)state;
    size_t used = 0;
    kiln_allocator allocator = {own_alloc, own_free, &used};
    kiln_pool_def def = thing_handle_pool_def();
    def.first = 16;
    def.allocator = &allocator;
    kiln_pool *pool = make_pool(&def);
    destroy(pool, create(pool));
    assert_non_null(__asan_region_is_poisoned(own_memory, used));
    end_pool(pool);
    assert_null(__asan_region_is_poisoned(own_memory, used));
}

static void sanitizer_sees_uses_of_a_destroyed_object(void **state)
{
    (void)state;
    kiln_pool_def def = thing_handle_pool_def();
    kiln_pool *pool = make_pool(&def);
    kiln_pool_handle a = create(pool), b = create(pool);
    const char *next = (const char *)b.object + ((uintptr_t)b.object - (uintptr_t)a.object);
    assert_true(__asan_address_is_poisoned(next));
    assert_null(__asan_region_is_poisoned(a.object, def.size));
    destroy(pool, a);
    assert_true(__asan_address_is_poisoned(a.object));
    assert_true(__asan_address_is_poisoned((char *)a.object + def.size - 1));
    assert_null(__asan_region_is_poisoned(b.object, def.size));
    assert_ptr_equal(create(pool).object, a.object);
    assert_null(__asan_region_is_poisoned(a.object, def.size));
    end_pool(pool);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(definition_that_breaks_its_contract_is_refused),
        cmocka_unit_test(slots_are_as_long_as_the_manual_says_and_never_overlap),
        cmocka_unit_test(objects_are_zeroed_unless_disabled),
        cmocka_unit_test(slots_are_reused_first_in_first_out),
        cmocka_unit_test(slots_are_reused_indefinitely),
        cmocka_unit_test(objects_keep_their_addresses_while_the_pool_grows),
        cmocka_unit_test(batch_creates_what_single_creations_would),
        cmocka_unit_test(batch_destroys_an_object_listed_twice_once),
        cmocka_unit_test(pool_never_has_more_slots_than_its_maximum),
        cmocka_unit_test(iteration_visits_objects_that_stay_alive_once),
        cmocka_unit_test(find_gives_the_handle_of_an_address),
        cmocka_unit_test(destroy_all_makes_every_handle_stale),
        cmocka_unit_test(validity_check_finds_an_overwritten_pool),
#if defined(__SANITIZE_ADDRESS__) || defined(SANITIZED)
        cmocka_unit_test(freed_memory_is_not_poisoned),
        cmocka_unit_test(sanitizer_sees_uses_of_a_destroyed_object),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
