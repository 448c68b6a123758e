/* kiln_pool_trim: which memory it returns, and that no handle is alive again afterwards. */
#include "counting_allocator.h"
#include "counting_pages.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "pool_state.h"
#include <kiln/pool.h>
#include <stdlib.h>

enum { STRIDE = 24, FEW = 60 };

/* A pool whose slabs are all from pages: of 4, 8, 16, 32, ... slots of STRIDE bytes. */
typedef struct trim_case {
    counting_allocator counter;
    counting_pages pages;
    kiln_pool *pool;
    kiln_pool_handle handles[FEW];
} trim_case;

static void begin(trim_case *c, bool keeps_bytes)
{
    c->counter = (counting_allocator){0};
    c->pages = (counting_pages){.keeps_bytes = keeps_bytes};
    kiln_allocator allocator = counting_allocator_of(&c->counter);
    kiln_page_source source = counting_pages_of(&c->pages);
    kiln_pool_def def = kiln_pool_def_default();
    def.size = 20;
    def.align = 4;
    def.first = 4;
    def.allocator = &allocator;
    def.pages = &source;
    assert_int_equal(KILN_OK, kiln_pool_create(&def, &c->pool));
    pool_state_of(c->pool)->paged_min = 1;
}

static void fill(trim_case *c)
{
    assert_int_equal(KILN_OK, kiln_pool_objects_create(c->pool, FEW, c->handles));
}

static void end(trim_case *c)
{
    assert_true(kiln_pool_is_valid(c->pool));
    kiln_pool_destroy(c->pool);
    assert_int_equal(c->counter.live_bytes, 0);
    assert_int_equal(c->pages.mapped_bytes, 0);
    assert_false(c->counter.wrong_free);
    assert_false(c->pages.wrong_call);
}

static kiln_pool_handle create(kiln_pool *pool)
{
    kiln_pool_handle handle = {NULL, 0, 0};
    assert_int_equal(KILN_OK, kiln_pool_object_create(pool, &handle));
    return handle;
}

static void check_stale(kiln_pool *pool, const kiln_pool_handle *handles, uint32_t count)
{
    uint32_t mistakes = 0;
    for (uint32_t i = 0; i < count; i++) {
        mistakes += kiln_pool_get(pool, handles[i]) != NULL;
        mistakes += kiln_pool_check(pool, handles[i]) != KILN_POOL_STALE;
        mistakes += kiln_pool_object_destroy(pool, handles[i]) != KILN_DEAD;
    }
    assert_int_equal(mistakes, 0);
}

/* Trims, and checks that the result is the difference of kiln_pool_counts. */
static size_t trim(kiln_pool *pool)
{
    kiln_pool_counts before = kiln_pool_count(pool);
    size_t bytes = kiln_pool_trim(pool);
    kiln_pool_counts after = kiln_pool_count(pool);
    assert_int_equal(before.bytes - after.bytes, bytes);
    assert_int_equal(after.live, before.live);
    assert_int_equal(after.retired, before.retired);
    assert_true(kiln_pool_is_valid(pool));
    return bytes;
}

static void slabs_without_objects_return_their_memory(void **state)
{
    static const struct {
        int live; /* slot that stays alive, or -1 */
        size_t slots;
        uint32_t slabs;
        size_t ring; /* length afterwards; 64 before */
    } rows[] = {
        {-1, 60, 0, 0},  {0, 56, 1, 4},   {3, 56, 1, 4},   {4, 52, 1, 8},   {11, 52, 1, 8},
        {12, 44, 1, 16}, {27, 44, 1, 16}, {28, 28, 1, 32}, {59, 28, 1, 32},
    };
    (void)state;
    for (size_t i = 0; i < 2 * sizeof rows / sizeof *rows; i++) {
        size_t row = i / 2;
        trim_case c;
        begin(&c, i % 2);
        fill(&c);
        for (int slot = 0; slot < FEW; slot++) {
            if (slot != rows[row].live)
                assert_int_equal(KILN_OK, kiln_pool_object_destroy(c.pool, c.handles[slot]));
        }
        size_t ring = (64 - rows[row].ring) * sizeof(uint32_t);
        assert_int_equal(rows[row].slots * STRIDE + ring, trim(c.pool));
        assert_int_equal(rows[row].slots * STRIDE, c.pages.discarded_bytes);
        assert_int_equal(rows[row].slabs, kiln_pool_count(c.pool).slabs);
        assert_int_equal(0, trim(c.pool));
        for (int slot = 0; slot < FEW; slot++) {
            if (slot == rows[row].live)
                assert_ptr_equal(c.handles[slot].object, kiln_pool_get(c.pool, c.handles[slot]));
            else
                check_stale(c.pool, c.handles + slot, 1);
        }
        /* New objects use the free slots first, then the first trimmed slab. */
        uint32_t last = rows[row].live < 0 ? 0 : kiln_pool_count(c.pool).free;
        for (uint32_t k = 0; k < last; k++)
            create(c.pool);
        uint32_t next = rows[row].live >= 0 && rows[row].live < 4 ? 4 : 0;
        assert_int_equal(next, create(c.pool).slot);
        end(&c);
    }
}

static void a_million_destroyed_objects_leave_little_memory(void **state)
{
    enum { COUNT = 1000000 };
    (void)state;
    for (int keeps = 0; keeps < 2; keeps++) {
        trim_case c;
        begin(&c, keeps);
        kiln_page_source source = counting_pages_of(&c.pages);
        kiln_allocator allocator = counting_allocator_of(&c.counter);
        kiln_pool_def def = kiln_pool_def_default();
        def.size = 36;
        def.align = 4;
        def.allocator = &allocator;
        def.pages = &source;
        kiln_pool *pool = NULL;
        kiln_pool_handle *old = malloc(COUNT * sizeof *old), *new = malloc(COUNT * sizeof *new);
        assert_true(old && new);
        assert_int_equal(KILN_OK, kiln_pool_create(&def, &pool));
        assert_int_equal(KILN_OK, kiln_pool_objects_create(pool, COUNT, old));
        size_t resident = counting_pages_resident(&c.pages);
        assert_int_equal(COUNT, kiln_pool_objects_destroy(pool, old, COUNT));
        size_t before = kiln_pool_count(pool).bytes, returned = trim(pool);
        print_message("%zu bytes, %zu after trimming; resident pages %zu, then %zu\n", before,
                      before - returned, resident, counting_pages_resident(&c.pages));
        assert_true(before > 46000000 && before - returned < 1500000);
        assert_true(resident > 38000000);
        assert_int_equal(c.pages.huge_maps, 3);
        assert_true(keeps || counting_pages_resident(&c.pages) == 0);
        check_stale(pool, old, COUNT);
        /* The slots are used again with new versions. */
        assert_int_equal(KILN_OK, kiln_pool_objects_create(pool, COUNT, new));
        check_stale(pool, old, COUNT);
        for (uint32_t i = 0; i < COUNT; i++) {
            if (kiln_pool_get(pool, new[i]) != new[i].object || new[i].version != 3)
                fail_msg("slot %u", (unsigned)new[i].slot);
        }
        assert_int_equal(kiln_pool_count(pool).bytes, before);
        assert_int_equal(COUNT, kiln_pool_objects_destroy(pool, new, COUNT));
        assert_int_equal(returned, trim(pool));
        check_stale(pool, old, COUNT);
        check_stale(pool, new, COUNT);
        kiln_pool_destroy(pool);
        free(old);
        free(new);
        end(&c);
    }
}

static void slabs_of_a_mebibyte_are_from_pages_by_default(void **state)
{
    static const struct {
        size_t stride;
        uint32_t first, count;
        size_t returned; /* slots */
    } rows[] = {
        {1 << 20, 1, 3, 3}, {1 << 19, 1, 3, 2}, {1 << 14, 32, 33, 64}, {1 << 14, 16, 33, 0}};
    (void)state;
    for (size_t row = 0; row < sizeof rows / sizeof *rows; row++) {
        kiln_pool_def def = kiln_pool_def_default();
        def.size = rows[row].stride - def.align;
        def.first = rows[row].first;
        def.zeroed = false;
        kiln_pool *pool = NULL;
        kiln_pool_handle handles[33];
        assert_int_equal(KILN_OK, kiln_pool_create(&def, &pool));
        assert_int_equal(KILN_OK, kiln_pool_objects_create(pool, rows[row].count, handles));
        kiln_pool_objects_destroy_all(pool);
        assert_int_equal(trim(pool) / rows[row].stride, rows[row].returned);
        check_stale(pool, handles, rows[row].count);
        kiln_pool_destroy(pool);
    }
}

static void memory_from_an_allocator_stays(void **state)
{
    (void)state;
    counting_allocator counter = {0};
    kiln_allocator allocator = counting_allocator_of(&counter);
    kiln_pool_def def = kiln_pool_def_default();
    def.size = 1 << 20;
    def.zeroed = false;
    def.allocator = &allocator;
    kiln_pool *pool = NULL;
    kiln_pool_handle handles[4];
    assert_int_equal(KILN_OK, kiln_pool_create(&def, &pool));
    assert_int_equal(0, trim(pool));
    assert_int_equal(KILN_OK, kiln_pool_objects_create(pool, 4, handles));
    kiln_pool_objects_destroy_all(pool);
    size_t bytes = counter.live_bytes;
    assert_int_equal(0, trim(pool));
    assert_int_equal(counter.live_bytes, bytes);
    assert_int_equal(kiln_pool_count(pool).bytes, bytes);
    check_stale(pool, handles, 4);
    assert_int_equal(create(pool).slot, 0);
    kiln_pool_destroy(pool);
    assert_int_equal(counter.live_bytes, 0);
}

static void reserved_slabs_are_returned_too(void **state)
{
    (void)state;
    trim_case c;
    begin(&c, false);
    assert_int_equal(0, trim(c.pool));
    assert_int_equal(KILN_OK, kiln_pool_reserve(c.pool, 20));
    size_t bytes = kiln_pool_count(c.pool).bytes;
    assert_int_equal(28 * STRIDE + 32 * sizeof(uint32_t), trim(c.pool));
    assert_int_equal(0, kiln_pool_count(c.pool).free);
    /* The addresses are used again. */
    size_t calls = c.pages.calls;
    assert_int_equal(KILN_OK, kiln_pool_reserve(c.pool, 20));
    assert_int_equal(calls, c.pages.calls);
    assert_int_equal(28, kiln_pool_count(c.pool).free);
    assert_int_equal(bytes, kiln_pool_count(c.pool).bytes);
    kiln_pool_handle handle = create(c.pool);
    assert_int_equal(handle.slot, 0);
    assert_int_equal(handle.version, 1);
    end(&c);
}

static void versions_continue_above_the_highest_of_the_slab(void **state)
{
    (void)state;
    for (int keeps = 0; keeps < 2; keeps++) {
        trim_case c;
        begin(&c, keeps);
        fill(&c);
        /* Slot 7, in the second slab, has five objects; slot 30, in the last one, two. */
        for (int i = 0; i < 4; i++) {
            assert_int_equal(KILN_OK, kiln_pool_object_destroy(c.pool, c.handles[7]));
            c.handles[7] = create(c.pool);
        }
        assert_int_equal(KILN_OK, kiln_pool_object_destroy(c.pool, c.handles[30]));
        c.handles[30] = create(c.pool);
        kiln_pool_objects_destroy_all(c.pool);
        assert_true(trim(c.pool) > FEW * STRIDE);
        kiln_pool_handle forged = c.handles[5];
        for (uint32_t version = 0; version < 20; version++) {
            forged.version = version;
            assert_null(kiln_pool_get(c.pool, forged));
            assert_int_equal(version % 2 && version < 10 ? KILN_POOL_STALE : KILN_POOL_FOREIGN,
                             kiln_pool_check(c.pool, forged));
        }
        check_stale(c.pool, c.handles, FEW);
        for (uint32_t slot = 0; slot < FEW; slot++) {
            kiln_pool_handle handle = create(c.pool);
            assert_int_equal(handle.slot, slot);
            assert_ptr_equal(handle.object, c.handles[slot].object);
            assert_int_equal(handle.version, slot < 4 || (slot >= 12 && slot < 28) ? 3
                                             : slot < 12                           ? 11
                                                                                   : 5);
            assert_ptr_equal(handle.object, kiln_pool_get(c.pool, handle));
        }
        check_stale(c.pool, c.handles, FEW);
        end(&c);
    }
}

/* Sets the version of a living object so that its slot retires after `before` more objects. */
static void age(kiln_pool *pool, kiln_pool_handle *handle, uint32_t before)
{
    handle->version = POOL_VERSION_RETIRED - 1 - 2 * before;
    *pool_version(pool_state_of(pool), handle->object) = handle->version;
}

static void slab_with_a_retired_slot_stays(void **state)
{
    (void)state;
    trim_case c;
    begin(&c, false);
    fill(&c);
    age(c.pool, &c.handles[20], 0);
    kiln_pool_objects_destroy_all(c.pool);
    size_t ring = (64 - 16) * sizeof(uint32_t);
    assert_int_equal((FEW - 16) * STRIDE + ring, trim(c.pool));
    for (int i = 0; i < FEW; i++)
        assert_int_equal(kiln_pool_check(c.pool, c.handles[i]),
                         i == 20 ? KILN_POOL_RETIRED : KILN_POOL_STALE);
    for (uint32_t i = 0; i < FEW - 1; i++)
        assert_int_not_equal(create(c.pool).slot, 20);
    assert_int_equal(create(c.pool).slot, FEW);
    end(&c);
}

static void last_version_of_a_trimmed_slab_retires_its_slots(void **state)
{
    (void)state;
    for (int keeps = 0; keeps < 2; keeps++) {
        trim_case c;
        begin(&c, keeps);
        fill(&c);
        age(c.pool, &c.handles[2], 1);
        kiln_pool_objects_destroy_all(c.pool);
        assert_true(trim(c.pool) > FEW * STRIDE);
        for (uint32_t slot = 0; slot < 4; slot++) {
            kiln_pool_handle handle = create(c.pool);
            assert_int_equal(handle.slot, slot);
            assert_int_equal(handle.version, POOL_VERSION_RETIRED - 1);
            check_stale(c.pool, c.handles, FEW);
            assert_int_equal(KILN_OK, kiln_pool_object_destroy(c.pool, handle));
            assert_int_equal(KILN_POOL_RETIRED, kiln_pool_check(c.pool, handle));
            assert_int_equal(KILN_POOL_RETIRED, kiln_pool_check(c.pool, c.handles[slot]));
            c.handles[slot] = c.handles[FEW - 1];
        }
        assert_int_equal(kiln_pool_count(c.pool).retired, 4);
        assert_int_equal(0, trim(c.pool));
        assert_int_equal(create(c.pool).slot, 4);
        end(&c);
    }
}

static void each_failing_mapping_leaves_the_pool_unchanged(void **state)
{
    (void)state;
    for (size_t at = 1; at <= 5; at++) {
        trim_case c;
        begin(&c, false);
        c.pages.fail_from = at;
        uint32_t failures = 0;
        for (uint32_t i = 0; i < FEW + 1; i++) {
            kiln_pool_handle handle = {NULL, 9, 9};
            kiln_status status = kiln_pool_object_create(c.pool, &handle);
            if (status) {
                assert_int_equal(KILN_NO_MEMORY, status);
                assert_int_equal(handle.version, 9);
                assert_int_equal(kiln_pool_count(c.pool).bytes,
                                 c.counter.live_bytes + c.pages.mapped_bytes);
                assert_true(kiln_pool_is_valid(c.pool));
                failures++;
                c.pages.fail_from = 0;
                handle = create(c.pool);
            }
            assert_int_equal(handle.slot, i);
        }
        assert_int_equal(failures, 1);
        end(&c);
    }
}

static void queue_without_memory_delays_only_creations(void **state)
{
    (void)state;
    trim_case c;
    begin(&c, false);
    fill(&c);
    kiln_pool_objects_destroy_all(c.pool);
    for (int i = 0; i < 30; i++)
        c.handles[i] = create(c.pool);
    /* Slots 28 and 29 are in the last slab. The shorter queue cannot be allocated, so the queue
     * stays. */
    kiln_pool_handle kept = c.handles[0];
    for (int i = 1; i < 30; i++)
        assert_int_equal(KILN_OK, kiln_pool_object_destroy(c.pool, c.handles[i]));
    c.counter.fail_from = c.counter.calls + 1;
    assert_int_equal((FEW - 4) * STRIDE, trim(c.pool));
    for (int i = 0; i < 59; i++)
        create(c.pool);
    assert_int_equal(kiln_pool_count(c.pool).live, 60);
    assert_ptr_equal(kept.object, kiln_pool_get(c.pool, kept));
    /* Now the queue is shortened, and waking a slab fails. */
    c.counter.fail_from = 0;
    kiln_pool_objects_destroy_all(c.pool);
    assert_int_equal(FEW * STRIDE + 64 * sizeof(uint32_t), trim(c.pool));
    c.counter.fail_from = c.counter.calls + 1;
    kiln_pool_handle handle = {NULL, 9, 9};
    assert_int_equal(KILN_NO_MEMORY, kiln_pool_object_create(c.pool, &handle));
    assert_int_equal(KILN_NO_MEMORY, kiln_pool_reserve(c.pool, 1));
    assert_int_equal(handle.version, 9);
    assert_true(kiln_pool_is_valid(c.pool));
    c.counter.fail_from = 0;
    assert_int_equal(create(c.pool).slot, 0);
    end(&c);
}

static void find_and_iteration_skip_trimmed_slabs(void **state)
{
    (void)state;
    for (int keeps = 0; keeps < 2; keeps++) {
        trim_case c;
        begin(&c, keeps);
        fill(&c);
        kiln_pool_cursor cursor = {0};
        kiln_pool_handle handle;
        assert_true(kiln_pool_next(c.pool, &cursor, &handle));
        for (int i = 0; i < FEW; i++) {
            if (i != 5 && i != 40)
                assert_int_equal(KILN_OK, kiln_pool_object_destroy(c.pool, c.handles[i]));
        }
        assert_true(trim(c.pool) > 0);
        for (int i = 0; i < FEW; i++)
            assert_ptr_equal(kiln_pool_find(c.pool, c.handles[i].object).object,
                             i == 5 || i == 40 ? c.handles[i].object : NULL);
        assert_true(kiln_pool_next(c.pool, &cursor, &handle));
        assert_int_equal(handle.slot, 5);
        assert_true(kiln_pool_next(c.pool, &cursor, &handle));
        assert_int_equal(handle.slot, 40);
        assert_false(kiln_pool_next(c.pool, &cursor, &handle));
        kiln_pool_objects_destroy_all(c.pool);
        assert_int_equal(kiln_pool_count(c.pool).live, 0);
        end(&c);
    }
}

/* A pool that was large and is small now stays small, however many objects come and go. */
static void returned_memory_is_not_used_while_other_slots_are_free(void **state)
{
    (void)state;
    trim_case c;
    begin(&c, false);
    fill(&c);
    for (int i = 0; i < FEW; i++) {
        if (i != 2)
            assert_int_equal(KILN_OK, kiln_pool_object_destroy(c.pool, c.handles[i]));
    }
    assert_true(trim(c.pool) > 0);
    size_t bytes = kiln_pool_count(c.pool).bytes;
    for (int i = 0; i < 1000; i++) {
        kiln_pool_handle handle = create(c.pool);
        assert_true(handle.slot < 4);
        assert_int_equal(KILN_OK, kiln_pool_object_destroy(c.pool, handle));
    }
    assert_int_equal(bytes, kiln_pool_count(c.pool).bytes);
    end(&c);
}

static void validity_checks_trimmed_slabs(void **state)
{
    (void)state;
    trim_case c;
    begin(&c, false);
    fill(&c);
    for (int i = 4; i < FEW; i++)
        assert_int_equal(KILN_OK, kiln_pool_object_destroy(c.pool, c.handles[i]));
    assert_true(trim(c.pool) > 0);
    pool_state *inside = pool_state_of(c.pool);
    inside->used[2] = 1;
    assert_false(kiln_pool_is_valid(c.pool));
    inside->used[2] = 0;
    inside->asleep[2] = false;
    assert_false(kiln_pool_is_valid(c.pool));
    inside->asleep[2] = true;
    inside->base[0] = 2;
    assert_false(kiln_pool_is_valid(c.pool));
    inside->base[0] = 0;
    end(&c);
}

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(SANITIZED)
#include <sanitizer/asan_interface.h>

static void sanitizer_sees_uses_of_trimmed_objects(void **state)
{
    (void)state;
    trim_case c;
    begin(&c, false);
    fill(&c);
    kiln_pool_objects_destroy_all(c.pool);
    assert_true(trim(c.pool) > 0);
    for (int i = 0; i < FEW; i++) {
        const unsigned char *object = c.handles[i].object;
        for (int k = 0; k < 20; k++)
            assert_true(__asan_address_is_poisoned(object + k));
        assert_false(
            __asan_address_is_poisoned(pool_version(pool_state_of(c.pool), c.handles[i].object)));
    }
    kiln_pool_handle handle = create(c.pool);
    assert_null(__asan_region_is_poisoned(handle.object, 20));
    assert_true(__asan_address_is_poisoned(c.handles[1].object));
    end(&c);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slabs_without_objects_return_their_memory),
        cmocka_unit_test(a_million_destroyed_objects_leave_little_memory),
        cmocka_unit_test(slabs_of_a_mebibyte_are_from_pages_by_default),
        cmocka_unit_test(memory_from_an_allocator_stays),
        cmocka_unit_test(reserved_slabs_are_returned_too),
        cmocka_unit_test(versions_continue_above_the_highest_of_the_slab),
        cmocka_unit_test(slab_with_a_retired_slot_stays),
        cmocka_unit_test(last_version_of_a_trimmed_slab_retires_its_slots),
        cmocka_unit_test(each_failing_mapping_leaves_the_pool_unchanged),
        cmocka_unit_test(queue_without_memory_delays_only_creations),
        cmocka_unit_test(find_and_iteration_skip_trimmed_slabs),
        cmocka_unit_test(returned_memory_is_not_used_while_other_slots_are_free),
        cmocka_unit_test(validity_checks_trimmed_slabs),
#if defined(__SANITIZE_ADDRESS__) || defined(SANITIZED)
        cmocka_unit_test(sanitizer_sees_uses_of_trimmed_objects),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
