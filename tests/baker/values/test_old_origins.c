/* Records of an earlier source map are copied with the file numbers of the new one; damaged maps
 * are refused. */
#include "bake_memory.h"
#include "value_origin.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define FIRST "kiln-source-map\t3\n"
#define ASSET_A "A\tT/a\nV\t\t0:1:2:3\town\n"
#define MAP                                                                                        \
    FIRST "F\t0\ta.yaml\n" ASSET_A "F\t1\tb.yaml\n"                                                \
          "A\tT/b\nV\t.x\t1:4:5:0\tinherited\tT/a\nK\t1:4:1:2\nL\t0:7:1:1\talias\n"                \
          "D\t.x\t.y[1]\nH\t0123456789abcdef\n"

typedef struct written {
    char text[1024];
    size_t size;
} written;

static bool add(void *ctx, const void *data, size_t size)
{
    written *w = ctx;
    assert_true(size < sizeof w->text - w->size);
    memcpy(w->text + w->size, data, size);
    w->size += size;
    w->text[w->size] = '\0';
    return true;
}

/* All places of file 0, and those of other files ten lines below. */
static bool move_others(void *ctx, uint32_t file, uint32_t *line)
{
    (void)ctx;
    *line += file ? 10 : 0;
    return true;
}

static bool only_first_file(void *ctx, uint32_t file, uint32_t *line)
{
    (void)ctx;
    (void)line;
    return file == 0;
}

/* Copies two assets of the map to a new one. Returns false if memory runs out. */
static bool copy(const char *first, const char *second, written *ret)
{
    bake_diagnostics *diagnostics = bake_diagnostics_create();
    bake_old_origins *old = bake_old_origins_open(MAP, sizeof MAP - 1);
    bake_origins *new = diagnostics ? bake_origins_create(diagnostics, add, ret) : NULL;
    bool done = old && new &&bake_origins_reuse(new, old);
    const char *const names[] = {first, second};
    for (size_t i = 0; i < 2 && done && names[i]; i++) {
        uint32_t number = bake_old_origins_find(old, names[i], strlen(names[i]));
        assert_int_not_equal(number, BAKE_OLD_ORIGINS_NONE);
        assert_true(bake_old_origins_can_copy(old, number, move_others, NULL));
        done = bake_origins_copy(new, number, move_others, NULL) == BAKE_ORIGINS_OK;
    }
    bake_origins_destroy(new);
    bake_old_origins_close(old);
    bake_diagnostics_destroy(diagnostics);
    return done;
}

static void files_get_numbers_in_the_order_of_their_use(void **state)
{
    (void)state;
    static const struct {
        const char *first, *second, *expected;
    } rows[] = {
        {"T/a", NULL, FIRST "F\t0\ta.yaml\n" ASSET_A},
        {"T/b", "T/a",
         FIRST "F\t0\tb.yaml\nF\t1\ta.yaml\n"
               "A\tT/b\nV\t.x\t0:14:5:0\tinherited\tT/a\nK\t0:14:1:2\nL\t1:7:1:1\talias\n"
               "D\t.x\t.y[1]\nA\tT/a\nV\t\t1:1:2:3\town\n"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        written text = {.size = 0};
        assert_true(copy(rows[i].first, rows[i].second, &text));
        assert_string_equal(text.text, rows[i].expected);
    }
}

static void files_and_assets_are_found_by_name(void **state)
{
    (void)state;
    bake_old_origins *old = bake_old_origins_open(MAP, sizeof MAP - 1);
    assert_non_null(old);
    assert_int_equal(bake_old_origins_file_count(old), 2);
    assert_string_equal(bake_old_origins_file(old, 1), "b.yaml");
    assert_int_equal(bake_old_origins_find_file(old, "b.yaml"), 1);
    assert_int_equal(bake_old_origins_find_file(old, "c.yaml"), BAKE_OLD_ORIGINS_NONE);
    assert_int_equal(bake_old_origins_find(old, "T/b", 3), 1);
    assert_int_equal(bake_old_origins_find(old, "T/c", 3), BAKE_OLD_ORIGINS_NONE);
    assert_true(bake_old_origins_can_copy(old, 0, only_first_file, NULL));
    assert_false(bake_old_origins_can_copy(old, 1, only_first_file, NULL));
    bake_old_origins_close(old);
}

/* The records of a scene contain those of its data and its chunks, whose names are not in order. */
static void parts_of_a_scene_belong_to_it(void **state)
{
    (void)state;
    static const char text[] = FIRST "F\t0\ta.yaml\nA\tScene/a\nV\t\t0:1:1:2\town\n"
                                     "A\tSceneData/a\nV\t.x\t0:2:1:2\town\n"
                                     "A\tSceneChunks/a\nV\t\t0:1:1:2\town\n"
                                     "A\tScene/b\nV\t\t0:3:1:2\town\n";
    static const char *const others[] = {
        FIRST "A\tScene/b\nA\tSceneChunks/b\nA\tScene/a\n",
        FIRST "A\tScene/a\nA\tSceneChunks/b\nA\tScene/c\n",
        FIRST "A\tScene/a\nA\tSceneChunk/a\nA\tScene/b\n",
        FIRST "A\tSceneChunks/a\nA\tScene/a\n",
        FIRST "A\tScene/a\nF\t0\ta.yaml\nA\tSceneChunks/a\nA\tScene/b\n",
    };
    bake_old_record record;
    bake_old_origins *old = bake_old_origins_open(text, sizeof text - 1);
    assert_non_null(old);
    assert_int_equal(bake_old_origins_find(old, "Scene/b", 7), 1);
    assert_int_equal(bake_old_origins_find(old, "SceneData/a", 11), BAKE_OLD_ORIGINS_NONE);
    assert_true(bake_old_origins_can_copy(old, 0, only_first_file, NULL));
    bake_old_cursor cursor = bake_old_origins_begin(old, 0);
    size_t count = 0;
    while (bake_old_origins_next(old, &cursor, &record))
        count++;
    assert_int_equal(count, 6);
    bake_old_origins_close(old);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (bake_old_origins_open(others[i], strlen(others[i])))
            fail_msg("row %zu is accepted", i);
}

static void damaged_maps_are_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",
        "kiln-source-map\t2\n",
        FIRST "V\t\t0:1:2:3\town\n",
        FIRST "\n",
        FIRST "A\tT/a",
        FIRST "A\n",
        FIRST "A\tT/b\nA\tT/a\n",
        FIRST "A\tT/a\nA\tT/a\n",
        FIRST "F\t1\ta.yaml\n",
        FIRST "F\t00\ta.yaml\n",
        FIRST "F\t0\n",
        FIRST "F\t0\ta.yaml\nF\t1\ta.yaml\n",
        FIRST "F\t0\ta.yaml\nV\t\t0:1:2:3\town\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (bake_old_origins_open(texts[i], strlen(texts[i])))
            fail_msg("row %zu is accepted", i);
}

static void damaged_records_are_not_copied(void **state)
{
    (void)state;
    static const char *const records[] = {
        "V",           "V\t",         "V\t\t",           "V\t\t2:1:2:3\town",
        "V\t\t0",      "V\t\t0:",     "V\t\t0:1",        "V\t\t0:4294967296:1:1\town",
        "K\t0;1:2:3",  "K\t0:01:2:3", "L\tx:1:2:3\town", "X\t0:1:2:3",
        "K\t-1:1:2:3", "K\t0: 1:2:3",
    };
    for (size_t i = 0; i < sizeof records / sizeof *records; i++) {
        char text[256];
        int size = snprintf(text, sizeof text, FIRST "F\t0\ta.yaml\nA\tT/a\n%s\n", records[i]);
        bake_old_origins *old = bake_old_origins_open(text, (size_t)size);
        if (!old || bake_old_origins_can_copy(old, 0, only_first_file, NULL))
            fail_msg("record %zu is copied", i);
        bake_old_origins_close(old);
    }
}

static void a_truncated_map_ends_with_a_whole_line(void **state)
{
    (void)state;
    for (size_t size = 0; size < sizeof MAP - 1; size++) {
        char *text = malloc(size + 1);
        assert_non_null(text);
        memcpy(text + 1, MAP, size);
        bake_old_origins *old = bake_old_origins_open(text + 1, size);
        bool is_whole = size >= sizeof FIRST - 1 && MAP[size - 1] == '\n';
        assert_int_equal(old != NULL, is_whole);
        bake_old_origins_close(old);
        free(text);
    }
}

static void any_allocation_can_fail(void **state)
{
    (void)state;
    bool done = false;
    long n = 0;
    for (; !done && n < 1000; n++) {
        written text = {.size = 0};
        bake_memory_fail_after(n);
        done = copy("T/a", "T/b", &text);
        bake_memory_fail_after(-1);
    }
    assert_true(done);
    assert_in_range(n, 5, 999);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_get_numbers_in_the_order_of_their_use),
        cmocka_unit_test(files_and_assets_are_found_by_name),
        cmocka_unit_test(parts_of_a_scene_belong_to_it),
        cmocka_unit_test(damaged_maps_are_refused),
        cmocka_unit_test(damaged_records_are_not_copied),
        cmocka_unit_test(a_truncated_map_ends_with_a_whole_line),
        cmocka_unit_test(any_allocation_can_fail),
    };
    return cmocka_run_group_tests_name("old source maps", tests, NULL, NULL);
}
