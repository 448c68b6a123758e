/* Any number of threads read a pool concurrently, for the thread sanitizer. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <kiln/pool.h>
#include <pthread.h>

enum { OBJECTS = 3000, THREADS = 4, ROUNDS = 10 };

typedef struct reading {
    const kiln_pool *pool;
    const kiln_pool_handle *handles;
    uint64_t sum;
    uint32_t mistakes;
} reading;

static void *read_all(void *ctx)
{
    reading *r = ctx;
    for (int round = 0; round < ROUNDS; round++) {
        for (uint32_t i = 0; i < OBJECTS; i++) {
            const uint64_t *object = kiln_pool_get(r->pool, r->handles[i]);
            bool alive = i % 3 != 0;
            r->mistakes += alive != (object != NULL);
            r->mistakes += alive != (kiln_pool_check(r->pool, r->handles[i]) == KILN_POOL_ALIVE);
            r->mistakes += alive != (kiln_pool_find(r->pool, r->handles[i].object).version == 1);
            r->sum += object ? *object : 0;
        }
        kiln_pool_cursor cursor = {0};
        kiln_pool_handle handle;
        while (kiln_pool_next(r->pool, &cursor, &handle))
            r->sum -= *(const uint64_t *)kiln_pool_at(r->pool, handle);
        r->mistakes += kiln_pool_count(r->pool).live != OBJECTS - OBJECTS / 3;
        r->mistakes += !kiln_pool_is_valid(r->pool);
    }
    return NULL;
}

static void threads_read_at_once(void **state)
{
    static kiln_pool_handle handles[OBJECTS];
    (void)state;
    kiln_pool_def def = kiln_pool_def_default();
    def.size = sizeof(uint64_t);
    def.first = 8;
    kiln_pool *pool = NULL;
    assert_int_equal(KILN_OK, kiln_pool_create(&def, &pool));
    assert_int_equal(KILN_OK, kiln_pool_objects_create(pool, OBJECTS, handles));
    for (uint32_t i = 0; i < OBJECTS; i++)
        *(uint64_t *)kiln_pool_at(pool, handles[i]) = i;
    for (uint32_t i = 0; i < OBJECTS; i += 3)
        assert_int_equal(KILN_OK, kiln_pool_object_destroy(pool, handles[i]));
    pthread_t threads[THREADS];
    reading readings[THREADS];
    for (int i = 0; i < THREADS; i++) {
        readings[i] = (reading){.pool = pool, .handles = handles};
        assert_int_equal(0, pthread_create(&threads[i], NULL, read_all, &readings[i]));
    }
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(0, pthread_join(threads[i], NULL));
        assert_int_equal(readings[i].mistakes, 0);
        assert_int_equal(readings[i].sum, 0);
    }
    kiln_pool_destroy(pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(threads_read_at_once)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
