/* The path in a builder's error, through every kind of type, and the cases in which two fields
 * cannot share an object. */
#include "type_macros.h"
#include "verdict.h"

#include <kiln/builder.h>
#include <stddef.h>
#include <string.h>

enum {
    U8,
    U32,
    F32,
    STRING,
    PAIR,    /* string[2] */
    NUMBERS, /* u32[] */
    SINGLES, /* f32[] */
    ALIGNED, /* u32[]@8 */
    ITEM,
    ITEMS,    /* Item[] */
    ROW,      /* Item[40] */
    STOCK,    /* map<string, Item> */
    OPTIONAL, /* Item? */
    CHOICE,
    WRAP,
    NODE,
    NODE_OPTIONAL,
    ROOT,
    TYPE_COUNT,
    LONG_ROW = 40
};

typedef struct item {
    uint32_t id;
    kiln_string names[2];
} item;

typedef struct entry {
    kiln_string key;
    item value;
} entry;

typedef struct node {
    kiln_ptr first, second;
} node;

typedef struct root {
    uint8_t flag;
    kiln_string names[2];
    item own;
    kiln_array items;
    item row[LONG_ROW];
    kiln_array stock;
    kiln_ptr optional;
    kiln_union choice;
    kiln_string wrap;
    kiln_array numbers, singles, aligned;
    kiln_ptr nodes;
} root;

static kiln_types *types;
static kiln_builder *b;
static root *r;

static int make_types(void **state)
{
    (void)state;
    static const kiln_member item_members[] = {FIELD("id", U32), FIELD("names", PAIR)};
    static const kiln_member choices[] = {{.name = "none", .value = 4, .type = KILN_TYPE_NONE},
                                          {.name = "item", .value = 9, .type = ITEM},
                                          {.name = "text", .value = 2, .type = STRING}};
    static const kiln_member wrapped[] = {FIELD("value", STRING)};
    static const kiln_member links[] = {FIELD("first", NODE_OPTIONAL),
                                        FIELD("second", NODE_OPTIONAL)};
    static const kiln_member members[] = {FIELD("flag", U8),
                                          FIELD("names", PAIR),
                                          FIELD("own", ITEM),
                                          FIELD("items", ITEMS),
                                          FIELD("row", ROW),
                                          FIELD("stock", STOCK),
                                          FIELD("maybe", OPTIONAL),
                                          FIELD("choice", CHOICE),
                                          FIELD("wrap", WRAP),
                                          FIELD("numbers", NUMBERS),
                                          FIELD("singles", SINGLES),
                                          FIELD("aligned", ALIGNED),
                                          FIELD("nodes", NODE_OPTIONAL)};
    static const kiln_type list[TYPE_COUNT] = {
        [U8] = {.kind = KILN_KIND_U8},
        [U32] = {.kind = KILN_KIND_U32},
        [F32] = {.kind = KILN_KIND_F32},
        [STRING] = {.kind = KILN_KIND_STRING},
        [PAIR] = {.kind = KILN_KIND_FIXED, .element = STRING, .count = 2},
        [NUMBERS] = {.kind = KILN_KIND_ARRAY, .element = U32},
        [SINGLES] = {.kind = KILN_KIND_ARRAY, .element = F32},
        [ALIGNED] = {.kind = KILN_KIND_ARRAY, .element = U32, .align_at = 8},
        [ITEM] = STRUCT("t.Item", item_members),
        [ITEMS] = {.kind = KILN_KIND_ARRAY, .element = ITEM},
        [ROW] = {.kind = KILN_KIND_FIXED, .element = ITEM, .count = LONG_ROW},
        [STOCK] = {.kind = KILN_KIND_MAP, .key = STRING, .element = ITEM},
        [OPTIONAL] = {.kind = KILN_KIND_OPTIONAL, .element = ITEM},
        [CHOICE] = {.name = "t.Choice",
                    .kind = KILN_KIND_UNION,
                    .members = choices,
                    .member_count = 3},
        [WRAP] = {.name = "t.Wrap",
                  .kind = KILN_KIND_STRUCT,
                  .flags = KILN_TYPE_TRANSPARENT,
                  .members = wrapped,
                  .member_count = 1},
        [NODE] = STRUCT("t.Node", links),
        [NODE_OPTIONAL] = {.kind = KILN_KIND_OPTIONAL, .element = NODE},
        [ROOT] = STRUCT("t.Root", members)};
    return kiln_types_create(NULL, list, TYPE_COUNT, &types, NULL) != KILN_OK ||
           kiln_types_get(types, ROOT)->size != sizeof(root);
}

static int end_types(void **state)
{
    (void)state;
    kiln_types_destroy(types);
    return 0;
}

static int set_up(void **state)
{
    (void)state;
    kiln_builder_def def = kiln_builder_def_default();
    def.types = types;
    if (kiln_builder_create(&def, &b))
        return 1;
    r = kiln_builder_root(b, sizeof *r, _Alignof(root));
    return !r;
}

static int tear_down(void **state)
{
    (void)state;
    kiln_builder_destroy(b);
    return 0;
}

static void fails(kiln_status status, const char *path)
{
    for (int canonical = 0; canonical <= 1; canonical++) {
        kiln_buffer blob = {0};
        kiln_error error = {KILN_OK, 0, 0, ""};
        kiln_builder_finish(b, ROOT, canonical ? KILN_FLAG_CANONICAL : 0, &blob, &error);
        assert_error(&error, status, 0, path);
        assert_null(blob.data);
    }
}

static void finishes(void)
{
    kiln_buffer blob = {0};
    kiln_error error = {KILN_OK, 0, 0, ""};
    kiln_builder_finish(b, ROOT, KILN_FLAG_CANONICAL, &blob, &error);
    assert_error(&error, KILN_OK, 0, "");
    kiln_buffer_fini(&blob);
}

/* Damages the string at `field` as a struct copy would, checks the path, and repairs it. */
static void fails_at(kiln_string *field, const char *path)
{
    kiln_string before = *field;
    field->offset = 1000000;
    field->length = 1;
    fails(KILN_COPIED_FIELD, path);
    *field = before;
    finishes();
}

static void path_locates_fields_inside_the_root(void **state)
{
    (void)state;
    finishes();
    fails_at(&r->names[0], "names[0]");
    fails_at(&r->names[1], "names[1]");
    fails_at(&r->own.names[1], "own.names[1]");
    fails_at(&r->row[0].names[0], "row[0].names[0]");
    fails_at(&r->row[LONG_ROW - 1].names[1], "row[39].names[1]");
    fails_at(&r->wrap, "wrap");
}

static void path_locates_fields_after_others(void **state)
{
    (void)state;
    item *items = kiln_builder_array(b, &r->items, 3, sizeof(item), 4);
    fails_at(&items[2].names[1], "items[2].names[1]");
    item *one = kiln_builder_pointer(b, &r->optional, sizeof(item), 4);
    fails_at(&one->names[0], "maybe.names[0]");
}

/* Entries are identified by index, because their key may be the invalid part. */
static void path_locates_parts_of_entries(void **state)
{
    (void)state;
    entry *entries = kiln_builder_array(b, &r->stock, 2, sizeof(entry), 4);
    kiln_builder_string(b, &entries[0].key, "a", 1);
    kiln_builder_string(b, &entries[1].key, "b", 1);
    fails_at(&entries[1].value.names[1], "stock[1].names[1]");
    fails_at(&entries[0].value.names[0], "stock[0].names[0]");
    fails_at(&entries[0].key, "stock[0]");
}

static void path_locates_choices_of_unions(void **state)
{
    (void)state;
    item *chosen = kiln_builder_choose(b, &r->choice, 9, sizeof(item), 4);
    fails_at(&chosen->names[1], "choice.item.names[1]");
    kiln_string *text = kiln_builder_choose(b, &r->choice, 2, sizeof(kiln_string), 4);
    fails_at(text, "choice.text");
    kiln_builder_choose(b, &r->choice, 9, 8, 4);
    fails(KILN_WRONG_SIZE, "choice.item");
}

static void one_object_has_one_type_and_alignment(void **state)
{
    (void)state;
    kiln_builder_array(b, &r->numbers, 3, 4, 4);
    finishes();
    kiln_builder_share(b, &r->singles, &r->numbers);
    fails(KILN_V_SHARE, "numbers");
    kiln_builder_share(b, &r->singles, &r->aligned);
    finishes();
    kiln_builder_share(b, &r->aligned, &r->numbers);
    fails(KILN_V_SHARE, "numbers");
}

/* A chain of objects nested `less` below the limit, including the root. */
static node *chain(kiln_ptr *field, int less)
{
    node *first = kiln_builder_pointer(b, field, sizeof(node), 4), *at = first;
    for (int depth = 3; depth <= KILN_DEPTH_MAX - less; depth++)
        at = kiln_builder_pointer(b, &at->second, sizeof(node), 4);
    return first;
}

/* The shared subtree has already been collected when an object refers to it at too great a depth.
 */
static void sharing_cannot_bypass_the_nesting_limit(void **state)
{
    (void)state;
    node *top = kiln_builder_pointer(b, &r->nodes, sizeof(node), 4);
    chain(&top->second, 1);
    node *other = kiln_builder_pointer(b, &top->first, sizeof(node), 4);
    finishes();
    kiln_builder_share(b, &other->first, &top->second);
    fails(KILN_V_DEPTH, "");
}

static void longest_path_is_shortened_in_the_middle(void **state)
{
    (void)state;
    node *at = kiln_builder_pointer(b, &r->nodes, sizeof(node), 4);
    for (int depth = 2; depth < KILN_DEPTH_MAX; depth++)
        at = kiln_builder_pointer(b, &at->first, sizeof(node), 4);
    finishes();
    kiln_builder_pointer(b, &at->second, sizeof(node), 4);
    kiln_buffer blob = {0};
    kiln_error error;
    assert_int_equal(kiln_builder_finish(b, ROOT, KILN_FLAG_CANONICAL, &blob, &error),
                     KILN_V_DEPTH);
    assert_memory_equal(error.path, "nodes.first.first.", 18);
    assert_non_null(strstr(error.path, "..."));
    assert_non_null(strstr(error.path, ".first.second"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(path_locates_fields_inside_the_root),
        TEST(path_locates_fields_after_others),
        TEST(path_locates_parts_of_entries),
        TEST(path_locates_choices_of_unions),
        TEST(one_object_has_one_type_and_alignment),
        TEST(sharing_cannot_bypass_the_nesting_limit),
        TEST(longest_path_is_shortened_in_the_middle),
    };
    return cmocka_run_group_tests_name("trails", tests, make_types, end_types);
}
