/* Fails each allocation in turn: the pool stays unchanged and continues when memory is available.
 * The bytes that it reports are the bytes that it uses. */
#include "counting_allocator.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <kiln/pool.h>
#include <string.h>

enum { OBJECTS = 200 };

static kiln_pool_def small_def(const kiln_allocator *allocator)
{
    kiln_pool_def def = kiln_pool_def_default();
    def.size = 20;
    def.align = 4;
    def.first = 4;
    def.allocator = allocator;
    return def;
}

static void check_bytes(const kiln_pool *pool, const counting_allocator *counter)
{
    assert_int_equal(kiln_pool_count(pool).bytes, counter->live_bytes);
    assert_true(kiln_pool_is_valid(pool));
}

/* Creates objects one at a time. After a failure, tries again with memory available. */
static uint32_t create_one_by_one(kiln_pool *pool, counting_allocator *counter,
                                  kiln_pool_handle *handles)
{
    uint32_t failures = 0;
    for (uint32_t i = 0; i < OBJECTS; i++) {
        static const kiln_pool_handle untouched = {NULL, 9, 9};
        handles[i] = untouched;
        kiln_status status = kiln_pool_object_create(pool, handles + i);
        if (status) {
            assert_int_equal(KILN_NO_MEMORY, status);
            assert_int_equal(handles[i].version, 9);
            assert_int_equal(kiln_pool_count(pool).live, i);
            check_bytes(pool, counter);
            counter->fail_from = 0;
            failures++;
            assert_int_equal(KILN_OK, kiln_pool_object_create(pool, handles + i));
        }
        assert_int_equal(handles[i].slot, i);
        if (i == OBJECTS / 2)
            assert_int_equal(KILN_OK, kiln_pool_object_destroy(pool, handles[i]));
        if (i == OBJECTS / 2)
            assert_int_equal(KILN_OK, kiln_pool_object_create(pool, handles + i));
    }
    return failures;
}

static uint32_t create_at_once(kiln_pool *pool, counting_allocator *counter,
                               kiln_pool_handle *handles)
{
    kiln_status status = kiln_pool_objects_create(pool, OBJECTS, handles);
    if (status == KILN_OK)
        return 0;
    assert_int_equal(KILN_NO_MEMORY, status);
    assert_int_equal(kiln_pool_count(pool).live, 0);
    check_bytes(pool, counter);
    counter->fail_from = 0;
    assert_int_equal(KILN_OK, kiln_pool_objects_create(pool, OBJECTS, handles));
    return 1;
}

static void each_failing_allocation_leaves_the_pool_unchanged(void **state)
{
    static uint32_t (*const ways[])(kiln_pool *, counting_allocator *,
                                    kiln_pool_handle *) = {create_one_by_one, create_at_once};
    (void)state;
    for (int way = 0; way < 2; way++) {
        uint32_t failures = 0;
        for (size_t at = 1;; at++) {
            counting_allocator counter = {.fail_from = at};
            kiln_allocator allocator = counting_allocator_of(&counter);
            kiln_pool_def def = small_def(&allocator);
            kiln_pool_handle handles[OBJECTS];
            kiln_pool *pool = NULL;
            if (kiln_pool_create(&def, &pool)) {
                assert_int_equal(at, 1);
                assert_null(pool);
                continue;
            }
            failures += ways[way](pool, &counter, handles);
            for (uint32_t i = 0; i < OBJECTS; i++)
                assert_ptr_equal(kiln_pool_get(pool, handles[i]), handles[i].object);
            check_bytes(pool, &counter);
            kiln_pool_destroy(pool);
            assert_int_equal(counter.live_bytes, 0);
            assert_int_equal(counter.live_blocks, 0);
            assert_false(counter.wrong_free);
            if (counter.fail_from)
                break;
        }
        /* Six slabs and their queues. */
        assert_int_equal(failures, 12);
    }
}

static void reserved_creations_need_no_memory(void **state)
{
    static const uint32_t rows[] = {1, 4, 5, 12, 13, 100, 1000};
    (void)state;
    for (size_t row = 0; row < sizeof rows / sizeof *rows; row++) {
        counting_allocator counter = {0};
        kiln_allocator allocator = counting_allocator_of(&counter);
        kiln_pool_def def = small_def(&allocator);
        kiln_pool *pool = NULL;
        kiln_pool_handle handle;
        assert_int_equal(KILN_OK, kiln_pool_create(&def, &pool));
        assert_int_equal(KILN_OK, kiln_pool_reserve(pool, rows[row]));
        check_bytes(pool, &counter);
        counter.fail_from = counter.calls + 1;
        uint32_t room = kiln_pool_count(pool).free;
        assert_true(room >= rows[row]);
        for (uint32_t i = 0; i < room; i++)
            assert_int_equal(KILN_OK, kiln_pool_object_create(pool, &handle));
        assert_int_equal(KILN_NO_MEMORY, kiln_pool_object_create(pool, &handle));
        /* Destroying objects and creating them again needs no memory. */
        kiln_pool_objects_destroy_all(pool);
        for (uint32_t i = 0; i < room; i++)
            assert_int_equal(KILN_OK, kiln_pool_object_create(pool, &handle));
        check_bytes(pool, &counter);
        kiln_pool_destroy(pool);
        assert_int_equal(counter.live_bytes, 0);
    }
}

static void memory_is_kept_until_the_pool_ends(void **state)
{
    (void)state;
    counting_allocator counter = {0};
    kiln_allocator allocator = counting_allocator_of(&counter);
    kiln_pool_def def = small_def(&allocator);
    kiln_pool_handle handles[OBJECTS];
    kiln_pool *pool = NULL;
    assert_int_equal(KILN_OK, kiln_pool_create(&def, &pool));
    assert_int_equal(0, kiln_pool_count(pool).slabs);
    check_bytes(pool, &counter);
    assert_int_equal(KILN_OK, kiln_pool_objects_create(pool, OBJECTS, handles));
    size_t bytes = counter.live_bytes;
    for (int i = 0; i < 50; i++) {
        assert_int_equal(OBJECTS, kiln_pool_objects_destroy(pool, handles, OBJECTS));
        assert_int_equal(counter.live_bytes, bytes);
        assert_int_equal(KILN_OK, kiln_pool_objects_create(pool, OBJECTS, handles));
        check_bytes(pool, &counter);
    }
    assert_int_equal(counter.live_bytes, bytes);
    kiln_pool_destroy(pool);
    assert_int_equal(counter.live_bytes, 0);
    assert_false(counter.wrong_free);
}

static void slab_larger_than_the_address_space_is_rejected(void **state)
{
    (void)state;
    counting_allocator counter = {.fail_from = 2}; /* nothing is requested from the system */
    kiln_allocator allocator = counting_allocator_of(&counter);
    kiln_pool_def def = small_def(&allocator);
    def.size = KILN_POOL_SIZE_MAX;
    def.first = KILN_POOL_OBJECTS_MAX;
    kiln_pool *pool = NULL;
    kiln_pool_handle handle;
    assert_int_equal(KILN_OK, kiln_pool_create(&def, &pool));
    assert_int_equal(KILN_NO_MEMORY, kiln_pool_object_create(pool, &handle));
    assert_int_equal(KILN_NO_MEMORY, kiln_pool_reserve(pool, KILN_POOL_OBJECTS_MAX));
    check_bytes(pool, &counter);
    kiln_pool_destroy(pool);
    assert_int_equal(counter.live_bytes, 0);
}

static void slabs_begin_at_64_kib(void **state)
{
    static const struct {
        size_t size;
        uint32_t slots;
    } rows[] = {{20, 2048}, {28, 2048}, {36, 1024}, {65532, 1}, {65536, 1}, {1 << 20, 1}};
    (void)state;
    for (size_t row = 0; row < sizeof rows / sizeof *rows; row++) {
        kiln_pool_def def = small_def(NULL);
        def.size = rows[row].size;
        def.first = 0;
        kiln_pool *pool = NULL;
        assert_int_equal(KILN_OK, kiln_pool_create(&def, &pool));
        assert_int_equal(KILN_OK, kiln_pool_reserve(pool, 1));
        assert_int_equal(kiln_pool_count(pool).free, rows[row].slots);
        kiln_pool_destroy(pool);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_failing_allocation_leaves_the_pool_unchanged),
        cmocka_unit_test(reserved_creations_need_no_memory),
        cmocka_unit_test(memory_is_kept_until_the_pool_ends),
        cmocka_unit_test(slab_larger_than_the_address_space_is_rejected),
        cmocka_unit_test(slabs_begin_at_64_kib),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
