/* `on_end`, which a pool calls for each object that is destroyed. */
#include "counting_pages.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "pool_state.h"
#include <kiln/pool.h>
#include <string.h>

enum { COUNT = 30 };

typedef struct node {
    uint32_t number;
    kiln_pool_handle own, next;
} node;

typedef struct end_case {
    kiln_pool *pool;
    kiln_pool_handle handles[COUNT];
    uint32_t order[4 * COUNT], ended; /* numbers of ended objects */
    void (*also)(struct end_case *c, node *object);
    uint32_t created;
    size_t trimmed;
} end_case;

static void note_end(void *ctx, void *object)
{
    end_case *c = ctx;
    node *ending = object;
    assert_null(kiln_pool_get(c->pool, ending->own));
    assert_null(kiln_pool_find(c->pool, object).object);
    assert_int_equal(KILN_DEAD, kiln_pool_object_destroy(c->pool, ending->own));
    assert_true(c->ended < 4 * COUNT);
    c->order[c->ended++] = ending->number;
    if (c->also)
        c->also(c, ending);
}

static kiln_pool_handle create(end_case *c)
{
    kiln_pool_handle handle = {NULL, 0, 0};
    assert_int_equal(KILN_OK, kiln_pool_object_create(c->pool, &handle));
    node *object = kiln_pool_at(c->pool, handle);
    object->number = c->created++;
    object->own = handle;
    return handle;
}

static void begin(end_case *c, const kiln_page_source *pages)
{
    memset(c, 0, sizeof *c);
    kiln_pool_def def = kiln_pool_def_default();
    assert_null(def.on_end);
    def.size = sizeof(node);
    def.first = 4;
    def.on_end = note_end;
    def.on_end_ctx = c;
    def.pages = pages;
    assert_int_equal(KILN_OK, kiln_pool_create(&def, &c->pool));
    if (pages)
        pool_state_of(c->pool)->paged_min = 1;
    for (int i = 0; i < COUNT; i++)
        c->handles[i] = create(c);
}

static void end_singly(end_case *c)
{
    for (int i = 0; i < COUNT; i++)
        assert_int_equal(KILN_OK, kiln_pool_object_destroy(c->pool, c->handles[i]));
}

static void end_batch(end_case *c)
{
    kiln_pool_handle twice[2 * COUNT];
    memcpy(twice, c->handles, sizeof c->handles);
    memcpy(twice + COUNT, c->handles, sizeof c->handles);
    assert_int_equal(COUNT, kiln_pool_objects_destroy(c->pool, twice, 2 * COUNT));
}

static void end_all(end_case *c)
{
    kiln_pool_objects_destroy_all(c->pool);
}

static void end_nothing(end_case *c)
{
    (void)c;
}

static void on_end_is_called_once_for_each_object(void **state)
{
    static void (*const ways[])(end_case *) = {end_singly, end_batch, end_all, end_nothing};
    (void)state;
    for (size_t way = 0; way < sizeof ways / sizeof *ways; way++) {
        end_case c;
        begin(&c, NULL);
        ways[way](&c);
        assert_int_equal(c.ended, way == 3 ? 0 : COUNT);
        assert_true(kiln_pool_is_valid(c.pool));
        kiln_pool_objects_destroy_all(c.pool);
        kiln_pool_destroy(c.pool);
        assert_int_equal(c.ended, COUNT);
        for (uint32_t i = 0; i < COUNT; i++)
            assert_int_equal(c.order[i], i);
    }
}

static void destroying_a_pool_calls_on_end_for_living_objects(void **state)
{
    (void)state;
    end_case c;
    begin(&c, NULL);
    for (int i = 0; i < COUNT; i += 2)
        assert_int_equal(KILN_OK, kiln_pool_object_destroy(c.pool, c.handles[i]));
    assert_int_equal(c.ended, COUNT / 2);
    kiln_pool_destroy(c.pool);
    assert_int_equal(c.ended, COUNT);
    for (uint32_t i = 0; i < COUNT; i++)
        assert_int_equal(c.order[i], i < COUNT / 2 ? 2 * i : 2 * (i - COUNT / 2) + 1);
}

static void destroy_next(end_case *c, node *object)
{
    assert_int_equal(kiln_pool_count(c->pool).live, COUNT);
    kiln_pool_object_destroy(c->pool, object->next);
}

/* Objects in a ring: the first one ends the second, and so on; the last one finds the first one
 * stale. All are live until their calls return. */
static void on_end_may_destroy_objects(void **state)
{
    (void)state;
    end_case c;
    begin(&c, NULL);
    c.also = destroy_next;
    for (int i = 0; i < COUNT; i++)
        ((node *)kiln_pool_at(c.pool, c.handles[i]))->next = c.handles[(i + 1) % COUNT];
    assert_int_equal(KILN_OK, kiln_pool_object_destroy(c.pool, c.handles[3]));
    assert_int_equal(c.ended, COUNT);
    for (uint32_t i = 0; i < COUNT; i++)
        assert_int_equal(c.order[i], (i + 3) % COUNT);
    assert_int_equal(kiln_pool_count(c.pool).live, 0);
    assert_true(kiln_pool_is_valid(c.pool));
    /* The innermost call returned first. */
    assert_int_equal(create(&c).slot, 2);
    c.also = NULL;
    kiln_pool_destroy(c.pool);
}

static void create_another(end_case *c, node *object)
{
    uint32_t number = object->number;
    kiln_pool_handle handle = create(c);
    assert_ptr_not_equal(handle.object, object);
    assert_int_equal(object->number, number);
}

static void on_end_may_create_objects(void **state)
{
    (void)state;
    end_case c;
    begin(&c, NULL);
    c.also = create_another;
    end_singly(&c);
    assert_int_equal(c.ended, COUNT);
    assert_int_equal(kiln_pool_count(c.pool).live, COUNT);
    assert_true(kiln_pool_is_valid(c.pool));
    /* The call returns although each destroyed object creates another one. */
    kiln_pool_objects_destroy_all(c.pool);
    assert_true(c.ended >= 2 * COUNT);
    assert_true(kiln_pool_is_valid(c.pool));
    c.also = NULL;
    uint32_t live = kiln_pool_count(c.pool).live, ended = c.ended;
    kiln_pool_destroy(c.pool);
    assert_int_equal(c.ended, ended + live);
    assert_int_equal(c.ended, c.created);
}

static void trim_inside(end_case *c, node *object)
{
    uint32_t number = object->number;
    c->trimmed += kiln_pool_trim(c->pool);
    assert_int_equal(object->number, number);
    assert_ptr_equal(object, object->own.object);
}

static void trimming_in_on_end_keeps_the_object(void **state)
{
    (void)state;
    for (int way = 0; way < 2; way++) {
        end_case c;
        counting_pages counter = {0};
        kiln_page_source pages = counting_pages_of(&counter);
        begin(&c, &pages);
        c.also = trim_inside;
        if (way == 0)
            end_singly(&c);
        else
            end_all(&c);
        assert_int_equal(c.ended, COUNT);
        /* The slab of the last object stays until the next call. */
        assert_true(c.trimmed > 0);
        assert_int_equal(kiln_pool_count(c.pool).slabs, 1);
        assert_true(kiln_pool_trim(c.pool) > 0);
        assert_int_equal(kiln_pool_count(c.pool).slabs, 0);
        for (int i = 0; i < COUNT; i++)
            assert_int_equal(KILN_POOL_STALE, kiln_pool_check(c.pool, c.handles[i]));
        assert_true(kiln_pool_is_valid(c.pool));
        kiln_pool_destroy(c.pool);
        assert_int_equal(counter.mapped_bytes, 0);
        assert_false(counter.wrong_call);
    }
}

static void on_end_is_called_for_the_last_object_of_a_slot(void **state)
{
    (void)state;
    end_case c;
    begin(&c, NULL);
    node *object = kiln_pool_at(c.pool, c.handles[5]);
    c.handles[5].version = object->own.version = POOL_VERSION_RETIRED - 1;
    *pool_version(pool_state_of(c.pool), c.handles[5].object) = POOL_VERSION_RETIRED - 1;
    assert_int_equal(KILN_OK, kiln_pool_object_destroy(c.pool, c.handles[5]));
    assert_int_equal(c.ended, 1);
    assert_int_equal(kiln_pool_count(c.pool).retired, 1);
    assert_int_equal(KILN_POOL_RETIRED, kiln_pool_check(c.pool, c.handles[5]));
    assert_true(kiln_pool_is_valid(c.pool));
    kiln_pool_destroy(c.pool);
    assert_int_equal(c.ended, COUNT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(on_end_is_called_once_for_each_object),
        cmocka_unit_test(destroying_a_pool_calls_on_end_for_living_objects),
        cmocka_unit_test(on_end_may_destroy_objects),
        cmocka_unit_test(on_end_may_create_objects),
        cmocka_unit_test(trimming_in_on_end_keeps_the_object),
        cmocka_unit_test(on_end_is_called_for_the_last_object_of_a_slot),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
