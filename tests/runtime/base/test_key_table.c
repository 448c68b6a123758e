/* Tests the table that maps keys to numbers, and that can be read during changes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "key_table.h"
#include "world_memory.h"

enum { RETIRED_MAX = 64 };

typedef struct fixture {
    world_memory memory;
    kiln_key_table table;
    kiln_key_cells *retired[RETIRED_MAX];
    size_t retired_count;
} fixture;

static void retire(void *ctx, kiln_key_cells *cells)
{
    fixture *f = ctx;
    assert_true(f->retired_count < RETIRED_MAX);
    f->retired[f->retired_count++] = cells;
}

static void begin(fixture *f)
{
    memset(f, 0, sizeof *f);
    world_memory_init(&f->memory);
    f->table.allocator = &f->memory.allocator;
    f->table.retire = retire;
    f->table.retire_ctx = f;
}

static void end(fixture *f)
{
    for (size_t i = 0; i < f->retired_count; i++)
        f->memory.allocator.free(&f->memory, f->retired[i], f->retired[i]->bytes);
    kiln_key_table_fini(&f->table);
    assert_int_equal(0, f->memory.heap_bytes);
}

static uint32_t put(fixture *f, uint64_t key, uint64_t value)
{
    assert_int_equal(KILN_OK, kiln_key_table_reserve(&f->table, 1));
    uint32_t cell = kiln_key_table_put(&f->table, key);
    assert_int_equal(key, kiln_key_table_key(&f->table, cell));
    kiln_key_table_set(&f->table, cell, value);
    return cell;
}

static void an_empty_table_has_nothing(void **state)
{
    (void)state;
    fixture f;
    begin(&f);
    assert_int_equal(0, kiln_key_table_get(&f.table, 0));
    assert_int_equal(0, kiln_key_table_get(&f.table, 1));
    assert_int_equal(KILN_KEY_NONE, kiln_key_table_find(&f.table, 1));
    assert_int_equal(0, kiln_key_table_limit(&f.table));
    assert_int_equal(0, f.memory.heap_bytes);
    put(&f, 1, 10);
    assert_int_equal(0, kiln_key_table_get(&f.table, 0));
    assert_int_equal(0, kiln_key_table_get(&f.table, 2));
    assert_int_equal(KILN_KEY_NONE, kiln_key_table_find(&f.table, 0));
    end(&f);
}

static void keys_keep_their_cells_until_the_table_grows(void **state)
{
    (void)state;
    fixture f;
    begin(&f);
    uint32_t cell = put(&f, 7, 70);
    assert_int_equal(0, kiln_key_table_note(&f.table, cell));
    kiln_key_table_set_note(&f.table, cell, 5);
    for (uint64_t key = 8; f.retired_count == 0; key++) {
        assert_int_equal(cell, kiln_key_table_find(&f.table, 7));
        put(&f, key, key * 10);
        assert_int_equal(70, kiln_key_table_get(&f.table, 7));
    }
    uint32_t moved = kiln_key_table_find(&f.table, 7);
    assert_int_equal(5, kiln_key_table_note(&f.table, moved));
    assert_int_equal(70, kiln_key_table_value(&f.table, moved));
    end(&f);
}

/* Compares random changes of a table with an array. The keys are `step`, 2 * `step`, and so on. */
static void run_history(uint64_t step, uint32_t keys, uint32_t steps)
{
    fixture f;
    begin(&f);
    uint64_t *values = calloc(keys + 1, sizeof *values);
    uint32_t *notes = calloc(keys + 1, sizeof *notes), live = 0;
    uint64_t random = step;
    for (uint32_t i = 0; i < steps; i++) {
        random = random * UINT64_C(6364136223846793005) + 1442695040888963407u;
        uint32_t key = 1 + (uint32_t)(random >> 33) % keys;
        uint64_t value = random >> 62 ? 0 : random | 1;
        uint32_t note = random >> 61 & 1;
        live += (value != 0) - (uint32_t)(values[key] != 0);
        uint32_t cell = put(&f, key * step, value);
        kiln_key_table_set_note(&f.table, cell, note);
        values[key] = value;
        notes[key] = note;
        assert_int_equal(live, f.table.live);
        uint32_t other = 1 + (uint32_t)(random >> 13) % keys;
        assert_int_equal(values[other], kiln_key_table_get(&f.table, other * step));
    }
    for (uint32_t key = 1; key <= keys; key++) {
        assert_int_equal(values[key], kiln_key_table_get(&f.table, key * step));
        uint32_t cell = kiln_key_table_find(&f.table, key * step);
        assert_int_equal(notes[key],
                         cell == KILN_KEY_NONE ? 0 : kiln_key_table_note(&f.table, cell));
    }
    uint32_t limit = kiln_key_table_limit(&f.table), found = 0;
    for (uint32_t cell = 0; cell < limit; cell++)
        found += kiln_key_table_value(&f.table, cell) != 0;
    assert_int_equal(live, found);
    free(values);
    free(notes);
    end(&f);
}

static void the_table_holds_what_an_array_holds(void **state)
{
    (void)state;
    run_history(1, 3, 1000);
    run_history(1, 1000, 50000);
    run_history(UINT64_C(1) << 32, 1000, 50000);
    run_history(UINT64_C(0x9e3779b97f4a7c15), 200, 20000);
}

static void unused_keys_do_not_make_the_table_grow(void **state)
{
    (void)state;
    fixture f;
    begin(&f);
    for (uint64_t key = 1; key <= 20000; key++) {
        kiln_key_table_set(&f.table, put(&f, key, 1), 0);
        assert_int_equal(0, kiln_key_table_get(&f.table, key));
        while (f.retired_count) {
            kiln_key_cells *cells = f.retired[--f.retired_count];
            f.memory.allocator.free(&f.memory, cells, cells->bytes);
        }
    }
    assert_true(kiln_key_table_limit(&f.table) < 1000);
    end(&f);
}

static void reserved_keys_need_no_memory(void **state)
{
    (void)state;
    fixture f;
    begin(&f);
    for (uint32_t more = 1; more < 3000; more = more * 3 + 1) {
        assert_int_equal(KILN_OK, kiln_key_table_reserve(&f.table, more));
        uint32_t limit = kiln_key_table_limit(&f.table);
        for (uint32_t i = 0; i < more; i++)
            kiln_key_table_set(&f.table,
                               kiln_key_table_put(&f.table, ((uint64_t)more << 32) + i + 1), i + 1);
        assert_int_equal(limit, kiln_key_table_limit(&f.table));
        /* A free cell ends every search. */
        assert_true(f.table.used < limit);
        for (uint32_t i = 0; i < more; i++)
            assert_int_equal(i + 1, kiln_key_table_get(&f.table, ((uint64_t)more << 32) + i + 1));
    }
    end(&f);
}

static void without_memory_the_table_is_unchanged(void **state)
{
    (void)state;
    fixture f;
    begin(&f);
    f.memory.fail_at = 1;
    f.memory.fail_rest = true;
    assert_int_equal(KILN_NO_MEMORY, kiln_key_table_reserve(&f.table, 1));
    f.memory.fail_at = 0;
    put(&f, 1, 10);
    f.memory.calls = 0;
    f.memory.fail_at = 1;
    assert_int_equal(KILN_NO_MEMORY, kiln_key_table_reserve(&f.table, 100000));
    assert_int_equal(KILN_NO_MEMORY, kiln_key_table_reserve(&f.table, UINT32_MAX));
    assert_int_equal(10, kiln_key_table_get(&f.table, 1));
    assert_int_equal(0, f.retired_count);
    end(&f);
}

static void readers_of_the_old_cells_find_the_old_values(void **state)
{
    (void)state;
    fixture f;
    begin(&f);
    put(&f, 1, 10);
    kiln_key_table old = f.table;
    for (uint64_t key = 2; f.retired_count == 0; key++)
        put(&f, key, key);
    put(&f, 1, 11);
    assert_int_equal(11, kiln_key_table_get(&f.table, 1));
    assert_int_equal(10, kiln_key_table_get(&old, 1));
    end(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_table_has_nothing),
        cmocka_unit_test(keys_keep_their_cells_until_the_table_grows),
        cmocka_unit_test(the_table_holds_what_an_array_holds),
        cmocka_unit_test(unused_keys_do_not_make_the_table_grow),
        cmocka_unit_test(reserved_keys_need_no_memory),
        cmocka_unit_test(without_memory_the_table_is_unchanged),
        cmocka_unit_test(readers_of_the_old_cells_find_the_old_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
