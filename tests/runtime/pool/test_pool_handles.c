/* How a pool classifies handles: valid, stale, forged. */
#include "misuse.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "pool_state.h"
#include <kiln/pool.h>
#include <string.h>

enum { SLOTS = 40 };

/* A pool whose slots below SLOTS have had one object each, except slot 3, which has had three; and
 * a second pool made in the same way. */
typedef struct handle_case {
    kiln_pool *pool, *other;
    kiln_pool_handle handles[SLOTS], old, elsewhere;
} handle_case;

static kiln_pool_handle create(kiln_pool *pool)
{
    kiln_pool_handle handle = {NULL, 0, 0};
    assert_int_equal(KILN_OK, kiln_pool_object_create(pool, &handle));
    return handle;
}

static void begin(handle_case *c, uint32_t most)
{
    kiln_pool_def def = kiln_pool_def_default();
    def.size = 40;
    def.align = 8;
    def.first = 8;
    def.max_slots = most;
    assert_int_equal(KILN_OK, kiln_pool_create(&def, &c->pool));
    assert_int_equal(KILN_OK, kiln_pool_create(&def, &c->other));
    for (int i = 0; i < SLOTS; i++) {
        c->handles[i] = create(c->pool);
        c->elsewhere = create(c->other);
    }
    c->old = c->handles[3];
    for (int i = 0; i < 2; i++) {
        assert_int_equal(KILN_OK, kiln_pool_object_destroy(c->pool, c->handles[3]));
        c->handles[3] = create(c->pool);
        assert_ptr_equal(c->handles[3].object, c->old.object);
    }
}

static void end(handle_case *c)
{
    assert_true(kiln_pool_is_valid(c->pool));
    kiln_pool_destroy(c->pool);
    kiln_pool_destroy(c->other);
}

static void *moved(void *object, ptrdiff_t bytes)
{
    return (void *)((uintptr_t)object + (uintptr_t)bytes);
}

typedef struct destroy_call {
    kiln_pool *pool;
    kiln_pool_handle handle;
} destroy_call;

static kiln_status call_destroy(void *ctx)
{
    destroy_call *call = ctx;
    return kiln_pool_object_destroy(call->pool, call->handle);
}

/* A handle like that of slot 3, which is alive with version 5, with some fields replaced. */
typedef struct forgery {
    const char *what;
    ptrdiff_t bytes; /* added to the pointer */
    uint32_t version, slot;
    kiln_pool_verdict verdict;
} forgery;

static void each_kind_of_handle_is_classified(void **state)
{
    static const forgery rows[] = {
        {"as given", 0, 5, 3, KILN_POOL_ALIVE},
        {"its first object", 0, 1, 3, KILN_POOL_STALE},
        {"its second object", 0, 3, 3, KILN_POOL_STALE},
        {"a future version", 0, 7, 3, KILN_POOL_FOREIGN},
        {"the last odd number", 0, UINT32_MAX, 3, KILN_POOL_FOREIGN},
        {"the version of a retired slot", 0, POOL_VERSION_RETIRED, 3, KILN_POOL_FOREIGN},
        {"no version", 0, 0, 3, KILN_POOL_FOREIGN},
        {"a version between two objects", 0, 4, 3, KILN_POOL_FOREIGN},
        {"the version after this one", 0, 6, 3, KILN_POOL_FOREIGN},
        {"a byte into the object", 1, 5, 3, KILN_POOL_FOREIGN},
        {"the byte before the object", -1, 5, 3, KILN_POOL_FOREIGN},
        {"the address of the slot's version", -4, 5, 3, KILN_POOL_FOREIGN},
        {"the end of the object", 40, 5, 3, KILN_POOL_FOREIGN},
        {"only the pointer of the next object", 48, 5, 3, KILN_POOL_FOREIGN},
        {"only the number of the next object", 0, 5, 4, KILN_POOL_FOREIGN},
        {"the next object, which never had the version", 48, 5, 4, KILN_POOL_FOREIGN},
        {"the next object with its first version", 48, 1, 4, KILN_POOL_ALIVE},
        {"another slab's slot", 0, 5, 20, KILN_POOL_FOREIGN},
        {"an unused slot", 0, 5, SLOTS, KILN_POOL_FOREIGN},
        {"a slot after the last slab", 0, 5, 56, KILN_POOL_FOREIGN},
        {"the largest number", 0, 5, UINT32_MAX, KILN_POOL_FOREIGN},
        {"far away", PTRDIFF_MAX / 2, 5, 3, KILN_POOL_FOREIGN},
    };
    (void)state;
    handle_case c;
    begin(&c, 100);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const forgery *row = rows + i;
        destroy_call call = {c.pool, c.handles[3]};
        call.handle.object = moved(c.handles[3].object, row->bytes);
        call.handle.version = row->version;
        call.handle.slot = row->slot;
        if (kiln_pool_check(c.pool, call.handle) != row->verdict)
            fail_msg("%s: %d", row->what, kiln_pool_check(c.pool, call.handle));
        if (row->verdict == KILN_POOL_FOREIGN &&
            misuse_status(call_destroy, &call) != KILN_BAD_ARGUMENT)
            fail_msg("%s was destroyed", row->what);
        if (row->verdict == KILN_POOL_STALE)
            assert_int_equal(KILN_DEAD, kiln_pool_object_destroy(c.pool, call.handle));
        /* The pointer comes from the pool, so the inline check detects every handle that is not
         * alive. */
        if (row->bytes == 0 && row->slot == 3)
            assert_ptr_equal(kiln_pool_get(c.pool, call.handle),
                             row->verdict == KILN_POOL_ALIVE ? call.handle.object : NULL);
    }
    assert_int_equal(kiln_pool_count(c.pool).live, SLOTS);
    end(&c);
}

static void foreign_address_is_never_followed(void **state)
{
    (void)state;
    handle_case c;
    begin(&c, 100);
    kiln_pool_handle not_used = c.handles[SLOTS - 1];
    uintptr_t stride = (uintptr_t)not_used.object - (uintptr_t)c.handles[SLOTS - 2].object;
    not_used.object = moved(not_used.object, (ptrdiff_t)stride);
    not_used.slot++;
    uint64_t local[8] = {1, 1, 1, 1, 1, 1, 1, 1};
    const kiln_pool_handle rows[] = {
        not_used,
        c.elsewhere,
        {local, 1, 0},
        {local, 0, 0},
        {NULL, 1, 0},
        {NULL, 0, 1},
        {(void *)(uintptr_t)1, 1, 0},
        {(void *)(uintptr_t)8, 1, 3},
        {(void *)UINTPTR_MAX, 1, 0},
        {(void *)(UINTPTR_MAX / 2 + 1), 1, 0}, /* not a valid address on some processors */
        {c.pool, 1, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        destroy_call call = {c.pool, rows[i]};
        assert_int_equal(KILN_POOL_FOREIGN, kiln_pool_check(c.pool, rows[i]));
        assert_int_equal(KILN_BAD_ARGUMENT, misuse_status(call_destroy, &call));
    }
    assert_int_equal(kiln_pool_count(c.pool).live, SLOTS);
    end(&c);
}

static void null_handle_is_neither_an_object_nor_a_mistake(void **state)
{
    (void)state;
    handle_case c;
    kiln_pool *empty = NULL;
    kiln_pool_def def = kiln_pool_def_default();
    def.size = 1;
    assert_int_equal(KILN_OK, kiln_pool_create(&def, &empty));
    begin(&c, 100);
    kiln_pool *const pools[] = {c.pool, empty};
    for (int i = 0; i < 2; i++) {
        kiln_pool_handle null = {NULL, 0, 0};
        assert_int_equal(KILN_POOL_NULL, kiln_pool_check(pools[i], null));
        assert_null(kiln_pool_get(pools[i], null));
        assert_int_equal(KILN_DEAD, kiln_pool_object_destroy(pools[i], null));
    }
    assert_int_equal(KILN_POOL_FOREIGN, kiln_pool_check(empty, c.handles[0]));
    assert_null(kiln_pool_find(empty, c.handles[0].object).object);
    kiln_pool_destroy(empty);
    end(&c);
}

static void no_flipped_bit_leaves_a_handle_alive(void **state)
{
    (void)state;
    handle_case c;
    begin(&c, 100);
    for (int i = 0; i < SLOTS; i++) {
        assert_int_equal(KILN_POOL_ALIVE, kiln_pool_check(c.pool, c.handles[i]));
        for (unsigned bit = 0; bit < 8 * sizeof(uintptr_t) + 64; bit++) {
            kiln_pool_handle handle = c.handles[i];
            if (bit < 32)
                handle.version ^= UINT32_C(1) << bit;
            else if (bit < 64)
                handle.slot ^= UINT32_C(1) << (bit - 32);
            else
                handle.object = (void *)((uintptr_t)handle.object ^ (uintptr_t)1 << (bit - 64));
            kiln_pool_verdict verdict = kiln_pool_check(c.pool, handle);
            bool older = i == 3 && handle.version == 1 && handle.slot == 3;
            assert_int_equal(verdict, older ? KILN_POOL_STALE : KILN_POOL_FOREIGN);
        }
    }
    end(&c);
}

/* Sets the version of a living object so that its slot retires after `before` more objects. */
static kiln_pool_handle age(kiln_pool *pool, kiln_pool_handle handle, uint32_t before)
{
    pool_state *inside = pool_state_of(pool);
    handle.version = POOL_VERSION_RETIRED - 1 - 2 * before;
    *pool_version(inside, pool_object(inside, handle.slot)) = handle.version;
    assert_int_equal(KILN_POOL_ALIVE, kiln_pool_check(pool, handle));
    return handle;
}

static void slot_retires_with_its_last_version(void **state)
{
    (void)state;
    handle_case c;
    begin(&c, SLOTS);
    kiln_pool_handle first = c.handles[7], handle = age(c.pool, first, 2);
    for (uint32_t version = 0xfffffff9; version <= 0xfffffffd; version += 2) {
        assert_int_equal(handle.version, version);
        assert_ptr_equal(kiln_pool_get(c.pool, handle), first.object);
        assert_int_equal(kiln_pool_count(c.pool).retired, 0);
        assert_int_equal(KILN_OK, kiln_pool_object_destroy(c.pool, handle));
        assert_null(kiln_pool_get(c.pool, handle));
        assert_int_equal(KILN_DEAD, kiln_pool_object_destroy(c.pool, handle));
        if (version < 0xfffffffd) {
            handle = create(c.pool);
            assert_ptr_equal(handle.object, first.object);
        }
    }
    kiln_pool_counts counts = kiln_pool_count(c.pool);
    assert_int_equal(counts.live, SLOTS - 1);
    assert_int_equal(counts.retired, 1);
    assert_int_equal(counts.free, 0);
    assert_int_equal(KILN_POOL_RETIRED, kiln_pool_check(c.pool, first));
    assert_int_equal(KILN_POOL_RETIRED, kiln_pool_check(c.pool, handle));
    kiln_pool_handle never = handle;
    for (uint32_t version = 0xfffffffe; version != 0; version++) {
        never.version = version;
        assert_int_equal(KILN_POOL_FOREIGN, kiln_pool_check(c.pool, never));
        assert_null(kiln_pool_get(c.pool, never));
    }
    assert_null(kiln_pool_find(c.pool, first.object).object);
    /* Its slot is retired, but still counts towards the maximum. */
    assert_int_equal(KILN_LIMIT, kiln_pool_object_create(c.pool, &never));
    assert_int_equal(KILN_OK, kiln_pool_object_destroy(c.pool, c.handles[8]));
    assert_ptr_equal(create(c.pool).object, c.handles[8].object);
    end(&c);
}

static void destroying_all_retires_slots_too(void **state)
{
    (void)state;
    handle_case c;
    begin(&c, 100);
    for (int i = 0; i < SLOTS; i += 2)
        age(c.pool, c.handles[i], 0);
    kiln_pool_objects_destroy_all(c.pool);
    assert_true(kiln_pool_is_valid(c.pool));
    kiln_pool_counts counts = kiln_pool_count(c.pool);
    assert_int_equal(counts.live, 0);
    assert_int_equal(counts.retired, SLOTS / 2);
    for (uint32_t i = 0; i < SLOTS / 2; i++)
        assert_int_equal(create(c.pool).slot, 2 * i + 1);
    assert_int_equal(create(c.pool).slot, SLOTS);
    kiln_pool_cursor cursor = {0};
    kiln_pool_handle handle;
    while (kiln_pool_next(c.pool, &cursor, &handle))
        assert_true(handle.slot % 2 == 1 || handle.slot == SLOTS);
    end(&c);
}

#ifndef NDEBUG
static kiln_status follow(void *ctx)
{
    destroy_call *call = ctx;
    return kiln_pool_at(call->pool, call->handle) ? KILN_OK : KILN_DEAD;
}
#endif

static void unchecked_access_is_checked_with_asserts(void **state)
{
    (void)state;
    handle_case c;
    begin(&c, 100);
    assert_ptr_equal(kiln_pool_at(c.pool, c.handles[3]), c.handles[3].object);
#ifndef NDEBUG
    const kiln_pool_handle rows[] = {c.old, {NULL, 0, 0}, c.elsewhere};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        destroy_call call = {c.pool, rows[i]};
        assert_int_equal(KILN_BAD_ARGUMENT, misuse_status(follow, &call));
    }
#endif
    end(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_kind_of_handle_is_classified),
        cmocka_unit_test(foreign_address_is_never_followed),
        cmocka_unit_test(null_handle_is_neither_an_object_nor_a_mistake),
        cmocka_unit_test(no_flipped_bit_leaves_a_handle_alive),
        cmocka_unit_test(slot_retires_with_its_last_version),
        cmocka_unit_test(destroying_all_retires_slots_too),
        cmocka_unit_test(unchecked_access_is_checked_with_asserts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
