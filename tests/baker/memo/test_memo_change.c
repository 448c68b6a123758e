/* Memos after changes of source files: rows are copied, replaced, added and removed by name. */
#include "gateway_fixture.h"

#include "memo_change.h"
#include "memo_fixture.h"

enum { NEW = 100, FOUND_LINE = 77 };

/* a.yaml has T/a and T/c, b.yaml has T/b and the abstract T/base. All inherit from T/base, which
 * refers to 8 and 9. */
static bake_memo *make_memo(void)
{
    static const char texts[] = "a.yaml\0b.yaml\0T/a\0T/b\0T/c\0T/base";
    const memo_counts counts = {4, 3, 2, 3, 2, 1, sizeof texts, 4, 3, 0, 0, 0, 0, 0};
    const bake_memo_asset rows[] = {{{1, 1}, 5, 14, 3, 1, 0, 0, 0, 1, BAKE_MEMO_PLAIN, 0, 0},
                                    {{2, 2}, 6, 18, 3, 1, 1, 0, 1, 1, 0, 0, 0},
                                    {{3, 3}, 7, 22, 3, 1, 0, 0, 2, 1, BAKE_MEMO_PLAIN, 0, 0},
                                    {{4, 4}, 0, 26, 6, 1, 1, 0, 3, 0, 0, 0, 2}};
    bake_memo *memo = memo_fixture(&counts, texts, rows);
    memo->parents[0] = memo->parents[1] = memo->parents[2] = 3;
    memo->targets[0] = 8;
    memo->targets[1] = 9;
    for (uint32_t i = 0; i < 4; i++)
        memo->forms[i] = (bake_node_form){{i, 0}, i + 1, 0, 0, 0};
    memo->payloads[0] = (bake_memo_payload){{5, 6}, 0, 16, 0, 0};
    memo->payloads[1] = (bake_memo_payload){{5, 6}, 2, 0, 4096, 0};
    memo->payloads[2] = (bake_memo_payload){{7, 8}, 2, 0, 0, 0};
    return memo;
}

typedef struct change_row {
    const char *title;
    uint32_t kept[2];
    const char *found;    /* names of the assets of new file 0; abstract ones begin with `-` */
    const char *expected; /* NAME[file]<old row; then its parents and the number of its targets;
                             "" if there is no memo */
} change_row;

static const change_row rows[] = {
    {"nothing is found",
     {0, 1},
     "",
     "T/a[0]<0 T/base; T/b[1]<1 T/base; T/c[0]<2 T/base; T/base[1]<3 2; "},
    {"the same assets",
     {NEW, 1},
     "T/c T/a",
     "T/a[0]<0 T/base; T/b[1]<1 T/base; T/c[0]<2 T/base; T/base[1]<3 2; "},
    {"an asset is added",
     {NEW, 1},
     "T/c T/bb T/a",
     "T/a[0]<0 T/base; T/b[1]<1 T/base; T/bb[0]<100; T/c[0]<2 T/base; T/base[1]<3 2; "},
    {"an asset is removed", {NEW, 1}, "T/c", "T/b[1]<1 T/base; T/c[0]<2 T/base; T/base[1]<3 2; "},
    {"an asset is renamed",
     {NEW, 1},
     "T/c T/z",
     "T/b[1]<1 T/base; T/c[0]<2 T/base; T/z[0]<100; T/base[1]<3 2; "},
    {"a file is removed", {NEW, 1}, "", "T/b[1]<1 T/base; T/base[1]<3 2; "},
    {"all assets move to one file",
     {NEW, NEW},
     "T/b T/a -T/base T/c",
     "T/a[0]<0 T/base; T/b[0]<1 T/base; T/c[0]<2 T/base; T/base[0]<3 2; "},
    {"an asset becomes abstract",
     {NEW, 1},
     "-T/a T/c",
     "T/b[1]<1 T/base; T/c[0]<2 T/base; T/a[0]<0 T/base; T/base[1]<3 2; "},
    {"a parent becomes concrete",
     {0, NEW},
     "T/b T/base",
     "T/a[0]<0 T/base; T/b[0]<1 T/base; T/base[0]<3 2; T/c[0]<2 T/base; "},
    {"a parent disappears with its heirs", {NEW, NEW}, "T/b", "T/b[0]<1; "},
    {"a parent of an unchanged asset disappears", {0, NEW}, "T/b", ""},
    {"an asset is also in an unchanged file", {NEW, 1}, "T/a T/b", ""},
    {"an abstract asset is also in an unchanged file", {NEW, 1}, "T/a -T/b", ""},
    {"an asset is found twice", {NEW, 1}, "T/z T/z", ""},
    {"an asset is found twice and known", {NEW, 1}, "T/a T/a", ""},
    {"an asset is found twice, once as abstract", {NEW, 1}, "T/z -T/z", ""},
    {"everything is removed", {NEW, NEW}, "", ""},
};

/* Splits the names in `text`, which it changes. */
static uint32_t list_found(char *text, bake_memo_found *found)
{
    uint32_t count = 0;
    for (char *name = strtok(text, " "); name; name = strtok(NULL, " ")) {
        bool is_abstract = *name == '-';
        name += is_abstract;
        found[count++] = (bake_memo_found){.name = name,
                                           .name_length = strlen(name),
                                           .meaning = {50, 50},
                                           .form = {.line = FOUND_LINE},
                                           .type = 1,
                                           .section = is_abstract ? BAKE_SECTION_ABSTRACTS
                                                                  : BAKE_SECTION_ASSETS};
    }
    return count;
}

static void describe(const bake_memo *memo, const uint32_t *from, char *text, size_t size)
{
    size_t at = 0;
    for (uint32_t i = 0; i < memo->count; i++) {
        const bake_memo_asset *row = &memo->all[i];
        at += (size_t)snprintf(text + at, size - at, "%s[%u]<%u", bake_memo_name(memo, i),
                               row->file, from[i] == UINT32_MAX ? NEW : from[i]);
        for (uint32_t p = 0; p < row->parent_count; p++)
            at += (size_t)snprintf(text + at, size - at, " %s",
                                   bake_memo_name(memo, memo->parents[row->first_parent + p]));
        if (row->target_count)
            at += (size_t)snprintf(text + at, size - at, " %u", row->target_count);
        at += (size_t)snprintf(text + at, size - at, "; ");
    }
}

static bake_memo *apply(const bake_memo *before, const change_row *row, uint32_t *from)
{
    static const char *const paths[] = {"a.yaml", "b.yaml"};
    static const uint64_t sizes[] = {1, 2};
    char names[64];
    bake_memo_found found[8];
    uint32_t kept[2];
    snprintf(names, sizeof names, "%s", row->found);
    for (int i = 0; i < 2; i++)
        kept[i] = row->kept[i] == NEW ? UINT32_MAX : row->kept[i];
    const bake_memo_change change = {.before = before,
                                     .paths = paths,
                                     .sizes = sizes,
                                     .file_count = 2,
                                     .kept = kept,
                                     .found = found,
                                     .found_count = list_found(names, found)};
    return bake_memo_change_apply(&change, from);
}

static void rows_follow_the_files(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[512] = "";
        uint32_t from[16];
        bake_memo *before = make_memo();
        bake_memo *memo = apply(before, &rows[i], from);
        if (memo)
            describe(memo, from, text, sizeof text);
        if (strcmp(text, rows[i].expected) != 0)
            fail_msg("%s: %s", rows[i].title, text);
        assert_true(!memo ==
                    (!*rows[i].expected && strcmp(rows[i].title, "everything is removed")));
        bake_memo_destroy(memo);
        bake_memo_destroy(before);
    }
}

static void forms_follow_their_rows(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char names[256];
        uint32_t from[16], found = 0;
        bake_memo_found list[8];
        bake_memo *before = make_memo();
        bake_memo *memo = apply(before, &rows[i], from);
        for (uint32_t row = 0; memo && row < memo->count; row++) {
            uint32_t line = memo->forms[row].line;
            found += line == FOUND_LINE;
            if (line != FOUND_LINE && line != before->forms[from[row]].line)
                fail_msg("%s: row %u has line %u", rows[i].title, row, line);
        }
        snprintf(names, sizeof names, "%s", rows[i].found);
        if (memo)
            assert_int_equal(found, list_found(names, list));
        bake_memo_destroy(memo);
        bake_memo_destroy(before);
    }
}

static void payloads_follow_their_rows(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint32_t from[16], expected = 0, last = 0;
        bake_memo *before = make_memo();
        bake_memo *memo = apply(before, &rows[i], from);
        for (uint32_t row = 0; memo && row < memo->asset_count; row++)
            expected += from[row] == 0 ? 1 : from[row] == 2 ? 2 : 0;
        for (uint32_t p = 0; memo && p < memo->payload_count; p++) {
            const bake_memo_payload *payload = &memo->payloads[p];
            assert_true(payload->row >= last && payload->row < memo->asset_count);
            last = payload->row;
            assert_int_equal(from[last], payload->alignment == 16 ? 0 : 2);
        }
        if (memo && memo->payload_count != expected)
            fail_msg("%s: %u payloads", rows[i].title, memo->payload_count);
        bake_memo_destroy(memo);
        bake_memo_destroy(before);
    }
}

static void payloads_are_replaced_row_by_row(void **state)
{
    (void)state;
    static const unsigned char dropped[] = {1, 0, 0, 0};
    const bake_memo_payload added = {{1, 1}, 0, 32, 0, 0};
    bake_memo *memo = make_memo();
    bake_memo_drop_payloads(memo, dropped);
    assert_int_equal(memo->payload_count, 2);
    assert_int_equal(memo->payloads[0].row, 2);
    assert_true(bake_memo_add_payload(memo, &added));
    bake_memo_sort_payloads(memo);
    assert_int_equal(memo->payload_count, 3);
    assert_int_equal(memo->payloads[0].alignment, 32);
    bake_memory_fail_after(0);
    while (bake_memo_add_payload(memo, &added))
        assert_true(memo->payload_count < 100);
    bake_memory_fail_after(-1);
    bake_memo_destroy(memo);
}

static void found_rows_have_the_new_meaning_and_the_old_flags(void **state)
{
    (void)state;
    uint32_t from[16];
    bake_memo *before = make_memo();
    bake_memo *memo = apply(before, &rows[2], from);
    assert_non_null(memo);
    assert_int_equal(memo->all[0].meaning.low, 50);
    assert_int_equal(memo->all[0].flags, BAKE_MEMO_PLAIN);
    assert_int_equal(memo->all[0].weight, 5);
    assert_int_equal(memo->all[1].meaning.low, 2);
    assert_int_equal(memo->all[2].flags, 0);
    assert_int_equal(memo->files[1].size, 2);
    assert_string_equal(bake_memo_path(memo, 0), "a.yaml");
    bake_memo_destroy(memo);
    bake_memo_destroy(before);
}

/* a.yaml has the scene S/s, b.yaml the prefab T/p, which S/s uses, and the asset T/p. */
static bake_memo *make_scenes(void)
{
    static const char texts[] = "a.yaml\0b.yaml\0S/s\0T/p";
    const memo_counts counts = {3, 2, 2, 1, 0, 1, sizeof texts, 0, 0, 0, 0, 1, 0, 0};
    const bake_memo_asset list[] = {
        {{1, 1}, 5, 14, 3, KILN_TYPE_NONE, 0, BAKE_MEMO_NO_RULE, 0, 1, 0, 0, 0},
        {{2, 2}, 0, 18, 3, 1, 1, BAKE_MEMO_NO_RULE, 1, 0, 0, 0, 0},
        {{3, 3}, 7, 18, 3, KILN_TYPE_NONE, 1, BAKE_MEMO_NO_RULE, 1, 0, 0, 0, 0}};
    bake_memo *memo = memo_fixture(&counts, texts, list);
    memo->parents[0] = 2;
    memo->scenes.exist = 1;
    memo->scenes.cost = 9;
    return memo;
}

static void prefabs_are_apart_from_assets(void **state)
{
    (void)state;
    static const char *const paths[] = {"a.yaml", "b.yaml"};
    static const uint64_t sizes[] = {1, 2};
    static const struct {
        const char *title;
        uint32_t kept[2];
        bake_memo_found found[3];
        uint32_t found_count;
        const char *expected;
    } cases[] = {
        {"nothing changes", {0, 1}, {{0}}, 0, "S/s[0]<0 T/p; T/p[1]<1; T/p[1]<2; "},
        {"another prefab",
         {0, UINT32_MAX},
         {{.name = "T/p", .name_length = 3, .file = 1, .type = 1},
          {.name = "T/p",
           .name_length = 3,
           .file = 1,
           .section = BAKE_SECTION_PREFABS,
           .type = KILN_TYPE_NONE},
          {.name = "a",
           .name_length = 1,
           .file = 1,
           .section = BAKE_SECTION_PREFABS,
           .type = KILN_TYPE_NONE}},
         3,
         "S/s[0]<0 T/p; T/p[1]<1; T/p[1]<2; a[1]<100; "},
        {"the prefab of an unchanged scene disappears",
         {0, UINT32_MAX},
         {{.name = "T/p", .name_length = 3, .file = 1, .type = 1}},
         1,
         ""},
        {"the prefab of a changed scene disappears",
         {UINT32_MAX, UINT32_MAX},
         {{.name = "T/p", .name_length = 3, .file = 1, .type = 1},
          {.name = "S/s", .name_length = 3, .type = KILN_TYPE_NONE}},
         2,
         "S/s[0]<0; T/p[1]<1; "},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bake_memo_found found[3];
        char text[256] = "";
        uint32_t from[16];
        bake_memo *before = make_scenes();
        memcpy(found, cases[i].found, sizeof found);
        const bake_memo_change change = {.before = before,
                                         .paths = paths,
                                         .sizes = sizes,
                                         .file_count = 2,
                                         .kept = cases[i].kept,
                                         .found = found,
                                         .found_count = cases[i].found_count};
        bake_memo *memo = bake_memo_change_apply(&change, from);
        if (memo)
            describe(memo, from, text, sizeof text);
        if (strcmp(text, cases[i].expected) != 0)
            fail_msg("%s: %s", cases[i].title, text);
        if (memo) {
            assert_int_equal(bake_memo_find(memo, "T/p", 3), 1);
            assert_int_equal(memo->scenes.exist, 1);
            assert_int_equal(memo->scenes.cost, 9);
        }
        bake_memo_destroy(memo);
        bake_memo_destroy(before);
    }
}

static void another_schema_renumbers_types(void **state)
{
    (void)state;
    static const char *const paths[] = {"a.yaml", "b.yaml"};
    static const uint64_t sizes[] = {1, 2};
    static const uint32_t kept[] = {0, 1}, types[] = {9, 5};
    static const bake_memo_kind kinds[] = {{{1, 2}, {3, 4}, 5, 0}, {{5, 6}, {7, 8}, 6, 0}};
    uint32_t from[16];
    bake_memo *before = make_memo();
    const bake_memo_change change = {.before = before,
                                     .paths = paths,
                                     .sizes = sizes,
                                     .file_count = 2,
                                     .kept = kept,
                                     .kinds = kinds,
                                     .kind_count = 2,
                                     .schema_rest = {1, 1},
                                     .types = types};
    for (uint32_t i = 0; i < before->count; i++)
        before->all[i].type = i % 2;
    bake_memo *memo = bake_memo_change_apply(&change, from);
    assert_non_null(memo);
    assert_int_equal(memo->all[0].type, 9);
    assert_int_equal(memo->all[1].type, 5);
    assert_int_equal(memo->kind_count, 2);
    assert_memory_equal(memo->kinds, kinds, sizeof kinds);
    assert_int_equal(memo->schema_rest.low, 1);
    bake_memo_destroy(memo);
    bake_memo_destroy(before);
}

static void any_allocation_can_fail(void **state)
{
    (void)state;
    uint32_t from[16];
    bake_memo *before = make_memo(), *memo = NULL;
    for (long n = 0; !memo; n++) {
        assert_true(n < 100);
        bake_memory_fail_after(n);
        memo = apply(before, &rows[2], from);
        bake_memory_fail_after(-1);
    }
    bake_memo_destroy(memo);
    bake_memo_destroy(before);
}

/* Somebody who forges a memo can let rows share parents and targets. */
static void forged_lists_are_safe(void **state)
{
    (void)state;
    uint32_t from[16];
    for (int i = 0; i < 2; i++) {
        bake_memo *before = make_memo();
        for (uint32_t row = 0; row < before->count; row++) {
            before->all[row].first_parent = before->all[row].first_target = 0;
            before->all[row].parent_count = i ? 1 : 3;
            before->all[row].target_count = i ? 2 : 0;
        }
        bake_memo *memo = apply(before, &rows[2], from);
        assert_true(!memo == (i == 1));
        bake_memo_destroy(memo);
        bake_memo_destroy(before);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_follow_the_files),
        cmocka_unit_test(forms_follow_their_rows),
        cmocka_unit_test(payloads_follow_their_rows),
        cmocka_unit_test(payloads_are_replaced_row_by_row),
        cmocka_unit_test(found_rows_have_the_new_meaning_and_the_old_flags),
        cmocka_unit_test(prefabs_are_apart_from_assets),
        cmocka_unit_test(another_schema_renumbers_types),
        cmocka_unit_test(any_allocation_can_fail),
        cmocka_unit_test(forged_lists_are_safe),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
