/* When retired memory is freed, for every order of steps of a few readers and a writer. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "quiescence.h"

enum { READERS = 2, STEPS = 6, ITEMS = STEPS };

typedef struct item {
    kiln_retired retired;
    uint32_t
        holders; /* readers that existed before it was retired and have not been quiescent since */
    int frees;
} item;

typedef struct scene {
    kiln_quiescence quiescence;
    kiln_quiescence_reader readers[READERS];
    bool is_there[READERS];
    item items[ITEMS];
    uint32_t count, freed;
} scene;

static void on_free(void *ctx, kiln_retired *retired)
{
    scene *s = ctx;
    item *is = (item *)(void *)retired;
    assert_int_equal(0, is->holders);
    assert_int_equal(0, is->frees++);
    /* Oldest first. */
    assert_ptr_equal(&s->items[s->freed++], is);
}

static void let_go(scene *s, uint32_t reader)
{
    for (uint32_t i = 0; i < s->count; i++)
        s->items[i].holders &= ~(UINT32_C(1) << reader);
}

static void come_or_go(scene *s, uint32_t reader)
{
    if (s->is_there[reader]) {
        kiln_quiescence_remove(&s->quiescence, &s->readers[reader]);
        let_go(s, reader);
    } else {
        kiln_quiescence_add(&s->quiescence, &s->readers[reader]);
    }
    s->is_there[reader] = !s->is_there[reader];
}

static void retire(scene *s)
{
    item *is = &s->items[s->count++];
    for (uint32_t i = 0; i < READERS; i++)
        is->holders |= s->is_there[i] ? UINT32_C(1) << i : 0;
    kiln_quiescence_retire(&s->quiescence, &is->retired, 10, on_free);
}

/* Everything without holders, and not behind an older entry with holders, is freed at once. */
static void settle(scene *s)
{
    kiln_quiescence_settle(&s->quiescence, s, SIZE_MAX);
    uint32_t free = 0;
    while (free < s->count && s->items[free].holders == 0)
        free++;
    assert_int_equal(free, s->freed);
    assert_int_equal((s->count - free) * 10, s->quiescence.waiting);
}

static void step(scene *s, uint32_t which)
{
    if (which == 0)
        retire(s);
    else if (which == 1)
        settle(s);
    else if (which < 2 + READERS)
        come_or_go(s, which - 2);
    else if (s->is_there[which - 2 - READERS]) {
        kiln_quiescence_pass(&s->quiescence, &s->readers[which - 2 - READERS]);
        let_go(s, which - 2 - READERS);
    }
}

static void objects_are_freed_once_every_reader_was_quiescent(void **state)
{
    (void)state;
    enum { KINDS = 2 + 2 * READERS };
    uint32_t histories = 1;
    for (uint32_t i = 0; i < STEPS; i++)
        histories *= KINDS;
    for (uint32_t history = 0; history < histories; history++) {
        scene s;
        memset(&s, 0, sizeof s);
        kiln_quiescence_init(&s.quiescence);
        come_or_go(&s, 0);
        uint32_t rest = history;
        for (uint32_t i = 0; i < STEPS; i++, rest /= KINDS)
            step(&s, rest % KINDS);
        settle(&s);
        for (uint32_t i = 0; i < READERS; i++)
            if (s.is_there[i])
                come_or_go(&s, i);
        settle(&s);
        assert_int_equal(s.count, s.freed);
        assert_int_equal(0, s.quiescence.reader_count);
    }
}

static kiln_retired second;

static void free_second(void *ctx, kiln_retired *retired)
{
    (void)ctx;
    assert_ptr_equal(&second, retired);
    second.bytes = 0;
}

static void retire_second(void *ctx, kiln_retired *retired)
{
    (void)retired;
    kiln_quiescence_retire(ctx, &second, 5, free_second);
}

static void objects_retired_while_freeing_are_freed_by_the_next_call(void **state)
{
    (void)state;
    kiln_quiescence quiescence;
    kiln_retired first;
    kiln_quiescence_init(&quiescence);
    kiln_quiescence_retire(&quiescence, &first, 3, retire_second);
    kiln_quiescence_settle(&quiescence, &quiescence, SIZE_MAX);
    assert_int_equal(5, quiescence.waiting);
    assert_int_equal(5, second.bytes);
    kiln_quiescence_settle(&quiescence, &quiescence, SIZE_MAX);
    assert_int_equal(0, quiescence.waiting);
    assert_int_equal(0, second.bytes);
    kiln_quiescence_settle(&quiescence, &quiescence, SIZE_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(objects_are_freed_once_every_reader_was_quiescent),
        cmocka_unit_test(objects_retired_while_freeing_are_freed_by_the_next_call),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
