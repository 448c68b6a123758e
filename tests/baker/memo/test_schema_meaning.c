/* What changes the hashes of a schema, and what does not. */
#include "bake_fixture.h"

#include "schema_meaning.h"

#include <sys/stat.h>

/* The kinds are A, B and C: A has a B as a value, B has the type Size, and C refers to A. */
#define SCHEMA                                                                                     \
    "kiln: 1\n"                                                                                    \
    "types:\n"                                                                                     \
    "  Size: {struct: {x: u8, y: u16}}\n"                                                          \
    "  Rare: {struct: {x: u8}}\n"                                                                  \
    "  A: {struct: {b: B, n: {type: u32, default: 1}}, asset: true}\n"                             \
    "  B: {struct: {size: Size}, asset: true}\n"                                                   \
    "  C: {struct: {a: \"map<string, ref<A>>\", r: \"ref <A>?\"}, asset: true}\n"                  \
    "accepted: {B: [x]}\n"

typedef struct edit_row {
    const char *title, *from, *to;
    const char *changed; /* the kinds with another hash, and `*` for another rest */
} edit_row;

static const edit_row rows[] = {
    {"a comment", "accepted", "# x\naccepted", ""},
    {"another style", "{struct: {x: u8, y: u16}}", "\n    struct:\n      x: u8\n      y: u16", ""},
    {"an unused type", "  Rare: {struct: {x: u8}}", "  Rare: {struct: {x: u16}}", ""},
    {"a new type", "  Rare", "  New: {struct: {x: u8}}\n  Rare", ""},
    {"a removed type", "  Rare: {struct: {x: u8}}\n", "", ""},
    {"the order of types",
     "  Rare: {struct: {x: u8}}\n  A: {struct: {b: B, n: {type: u32, default: 1}}, asset: true}\n",
     "  A: {struct: {b: B, n: {type: u32, default: 1}}, asset: true}\n  Rare: {struct: {x: u8}}\n",
     ""},
    {"a default", "default: 1", "default: 2", "A"},
    {"a new field", "n: {type", "m: u8, n: {type", "A"},
    {"the order of fields", "{x: u8, y: u16}", "{y: u16, x: u8}", "AB"},
    {"a range", "type: u32,", "type: u32, range: [0, 9],", "A"},
    {"a field of an indirect type", "y: u16", "y: u32", "AB"},
    {"a field of a value and a target", "{b: B,", "{b: B, c: u8,", "A"},
    {"a value becomes a target", "b: B", "b: \"ref<B>\"", "A"},
    {"a target becomes a value", "\"ref <A>?\"", "\"A?\"", "C"},
    {"the kind of a target", "default: 1}}, asset", "default: 1}}, kind: AA, asset", "AC"},
    {"a word of a default", "default: 1}", "default: 1}, t: {type: string, default: a.Size}", "A"},
    {"the accepted names", "[x]", "[y]", "*"},
    {"a rule", "accepted", "files: [{match: \"*.x\", shape: kinds}]\naccepted", "*"},
    {"a namespace", "types:", "namespace: g\ntypes:", "ABC*"},
};

typedef struct hashes {
    bake_schema_meaning meaning;
    char kinds[8]; /* their first letters */
} hashes;

static hashes read_hashes(const char *text)
{
    hashes h = {0};
    fixture_schema f;
    fixture_write("s.yaml", text);
    fixture_schema_init(&f, "s.yaml");
    if (f.result != BAKE_OK)
        fail_msg("not a schema: %s", text);
    assert_true(bake_schema_meaning_init(&h.meaning, f.schema));
    for (size_t i = 0; i < f.schema->kind_count; i++)
        h.kinds[i] = f.schema->kinds[i].name[0];
    fixture_schema_fini(&f);
    return h;
}

static bool differ(kiln_hash128 a, kiln_hash128 b)
{
    return a.low != b.low || a.high != b.high;
}

static void hashes_change_with_what_matters(void **state)
{
    (void)state;
    hashes before = read_hashes(SCHEMA);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[1024], changed[8] = "";
        const char *at = strstr(SCHEMA, rows[i].from);
        assert_non_null(at);
        snprintf(text, sizeof text, "%.*s%s%s", (int)(at - SCHEMA), SCHEMA, rows[i].to,
                 at + strlen(rows[i].from));
        hashes after = read_hashes(text);
        assert_string_equal(after.kinds, "ABC");
        for (size_t k = 0; k < 3; k++)
            if (differ(before.meaning.kinds[k], after.meaning.kinds[k]))
                strncat(changed, &after.kinds[k], 1);
        if (differ(before.meaning.rest, after.meaning.rest))
            strcat(changed, "*");
        if (strcmp(changed, rows[i].changed) != 0)
            fail_msg("%s: \"%s\"", rows[i].title, changed);
        bake_schema_meaning_fini(&after.meaning);
    }
    bake_schema_meaning_fini(&before.meaning);
}

/* A default can be the content of a file whose path is relative to the schema file. */
static void the_folder_of_a_declaration_matters(void **state)
{
    (void)state;
    static const char b[] = "kiln: 1\ntypes: {B: {struct: {x: u8}, asset: true}}\n";
    static const char ab[] = "kiln: 1\ntypes: {A: {struct: {x: u8}, asset: true}, "
                             "B: {struct: {x: u8}, asset: true}}\n";
    assert_int_equal(mkdir("sub", 0777), 0);
    fixture_write("sub/b.yaml", b);
    hashes before = read_hashes("kiln: 1\ninclude: [sub/b.yaml]\n"
                                "types: {A: {struct: {x: u8}, asset: true}, C: {struct: {}}}\n");
    fixture_write("sub/b.yaml", ab);
    hashes after = read_hashes("kiln: 1\ninclude: [sub/b.yaml]\ntypes: {C: {struct: {}}}\n");
    assert_string_equal(before.kinds, "AB");
    assert_string_equal(after.kinds, "AB");
    assert_true(differ(before.meaning.kinds[0], after.meaning.kinds[0]));
    assert_false(differ(before.meaning.kinds[1], after.meaning.kinds[1]));
    assert_false(differ(before.meaning.rest, after.meaning.rest));
    bake_schema_meaning_fini(&before.meaning);
    bake_schema_meaning_fini(&after.meaning);
}

/* Programs of importers are relative to the schema file, too. */
static void the_folder_of_the_rest_matters(void **state)
{
    (void)state;
    static const char *const folders[] = {"sub/x.yaml", "sub/y.yaml", "other/x.yaml"};
    static const char text[] = "kiln: 1\ntypes: {A: {struct: {}, asset: true}}\n";
    hashes all[3];
    assert_int_equal(mkdir("sub", 0777), 0);
    assert_int_equal(mkdir("other", 0777), 0);
    for (size_t i = 0; i < 3; i++) {
        fixture_schema f;
        fixture_write(folders[i], text);
        fixture_schema_init(&f, folders[i]);
        assert_true(bake_schema_meaning_init(&all[i].meaning, f.schema));
        fixture_schema_fini(&f);
    }
    assert_false(differ(all[0].meaning.rest, all[1].meaning.rest));
    assert_true(differ(all[0].meaning.rest, all[2].meaning.rest));
    for (size_t i = 0; i < 3; i++)
        bake_schema_meaning_fini(&all[i].meaning);
}

static void any_allocation_can_fail(void **state)
{
    (void)state;
    fixture_schema f;
    fixture_write("s.yaml", SCHEMA);
    fixture_schema_init(&f, "s.yaml");
    bake_schema_meaning meaning;
    bool done = false;
    long n = 0;
    for (; !done; n++) {
        bake_memory_fail_after(n);
        done = bake_schema_meaning_init(&meaning, f.schema);
        bake_memory_fail_after(-1);
        assert_true(done || !meaning.kinds);
    }
    assert_true(n > 3 && n < 50);
    bake_schema_meaning_fini(&meaning);
    fixture_schema_fini(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(hashes_change_with_what_matters, fixture_enter,
                                        fixture_leave),
        cmocka_unit_test_setup_teardown(the_folder_of_a_declaration_matters, fixture_enter,
                                        fixture_leave),
        cmocka_unit_test_setup_teardown(the_folder_of_the_rest_matters, fixture_enter,
                                        fixture_leave),
        cmocka_unit_test_setup_teardown(any_allocation_can_fail, fixture_enter, fixture_leave),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
