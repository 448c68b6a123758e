/* Compares the verdict of `kiln-bake schema check` on a change with the actual effects. A file
 * baked with the older schema is loaded by a program with the newer one, and its YAML is baked
 * again. */
#include "../baker/failing_bake.h"

#include "schema_compare.h"

#include <kiln/assets.h>
#include <kiln/type_table.h>

typedef struct change_row {
    const char *what;
    const char *older, *newer; /* the types of both schemas */
    const char *item;          /* the value of the asset Item/a */
    schema_verdict verdict;    /* of the type Item */
    const char *word;          /* name of an expected change; NULL if there is none */
} change_row;

#define ITEM(fields) "Item: {struct: {" fields "}, asset: true}"
/* Separates the types of one schema. */
#define AND "\n  "

#define IDENTICAL SCHEMA_IDENTICAL
#define READABLE SCHEMA_READABLE
#define MUST_REBAKE SCHEMA_MUST_REBAKE
#define BREAKS SCHEMA_BREAKS

static const change_row rows[] = {
#include "schema_changes.inc"
};
enum { ROWS = sizeof rows / sizeof *rows };

/* a.yaml contains assets of the first type if that is an asset type other than Other. */
static void write_schema(const char *path, const char *types)
{
    char text[4096];
    int length = snprintf(text, sizeof text, "kiln: 1\nnamespace: game\ntypes:\n  %s\n", types);
    size_t line = strcspn(types, "\n");
    const char *asset = strstr(types, "asset: true");
    if (asset && asset < types + line && strncmp(types, "Other:", 6) != 0)
        snprintf(text + length, sizeof text - (size_t)length,
                 "files:\n  - {match: a.yaml, shape: map, type: %.*s}\n", (int)strcspn(types, ":"),
                 types);
    fixture_write(path, text);
}

/* The type of the newer schema that corresponds to Item, also after a rename. */
static const kiln_type *newer_item(const bake_schema *schema)
{
    uint32_t type = bake_schema_newer_type(schema->types, "game.Item");
    return type == KILN_TYPE_NONE ? NULL : kiln_types_get(schema->types, type);
}

/* Whether and how a program with the schema can load the asset from old.kiln. */
static bool loads(const bake_schema *schema, kiln_asset_memory *ret_memory)
{
    kiln_buffer table;
    kiln_error error;
    kiln_assets *assets = NULL;
    kiln_mount mount;
    kiln_ref ref;
    const kiln_type *type = newer_item(schema);
    if (!type || !(type->flags & KILN_TYPE_ASSET))
        return false;
    memset(&table, 0, sizeof table);
    assert_int_equal(kiln_type_table_write(NULL, schema->types, &table, &error), KILN_OK);
    kiln_assets_def def = kiln_assets_def_default();
    def.types = table.data;
    def.types_size = table.size;
    assert_int_equal(kiln_assets_create(&def, &assets, &error), KILN_OK);
    kiln_mount_def mount_def = kiln_mount_def_default();
    mount_def.file.path = "old.kiln";
    assert_int_equal(kiln_assets_mount(assets, &mount_def, &mount, &error), KILN_OK);
    const char *kind = schema->info[bake_schema_newer_type(schema->types, "game.Item")].kind;
    char name[100];
    snprintf(name, sizeof name, "%s/a", kind);
    kiln_root_type root = {type->name, type->layout};
    kiln_load_args load = {.name = name, .type = &root};
    bool ok = kiln_assets_load(assets, &load, &ref, &error) == KILN_OK;
    if (ok) {
        kiln_asset_info info;
        assert_int_equal(kiln_assets_get_info(assets, ref, &info), KILN_OK);
        *ret_memory = info.memory;
        kiln_assets_clear(assets, &ref);
    }
    kiln_assets_destroy(assets);
    kiln_buffer_fini(&table);
    return ok;
}

static const schema_finding *item_finding(const schema_comparison *c)
{
    for (uint32_t i = 0; i < c->count; i++)
        if (c->findings[i].from != KILN_TYPE_NONE &&
            strcmp(kiln_types_get(c->def.from, c->findings[i].from)->name, "game.Item") == 0)
            return &c->findings[i];
    fail_msg("the report has no type Item");
    return NULL;
}

static bool has_word(const schema_comparison *c, const char *word)
{
    for (uint32_t i = 0; i < c->count; i++)
        for (const schema_change *change = c->findings[i].changes; change; change = change->next)
            if (!word || strcmp(change->word, word) == 0)
                return true;
    return false;
}

/* Any verdict except identical must list its reasons. */
static void check_reasons(const schema_comparison *c)
{
    for (uint32_t i = 0; i < c->count; i++) {
        const schema_finding *finding = &c->findings[i];
        assert_true((finding->verdict == SCHEMA_IDENTICAL) == !finding->changes);
        assert_true(finding->reading != SCHEMA_READ_NONE || finding->to == KILN_TYPE_NONE ||
                    finding->status);
    }
}

static void check_schemas(const change_row *row, const fixture_schema *older,
                          const fixture_schema *newer, schema_yaml *ret_yaml,
                          schema_reading *ret_reading)
{
    bake_store store;
    bake_failure failure;
    schema_comparison c;
    memset(&store, 0, sizeof store);
    memset(&failure, 0, sizeof failure);
    schema_compare_def def = {older->schema->types, newer->schema->types, older->schema,
                              newer->schema, &store};
    assert_int_equal(bake_schema_compare(&def, &c, &failure), BAKE_OK);
    const schema_finding *item = item_finding(&c);
    if (item->verdict != row->verdict)
        fail_msg("%s: verdict %d instead of %d", row->what, item->verdict, row->verdict);
    if (has_word(&c, row->word) != (row->word != NULL))
        fail_msg("%s: %s %s", row->what, row->word ? "no change" : "an unexpected change",
                 row->word ? row->word : "");
    check_reasons(&c);
    *ret_yaml = item->yaml;
    *ret_reading = item->reading;
    bake_store_fini(&store);
}

static void check_row(const change_row *row)
{
    static const int codes[] = {0, 0, 1, 4};
    fixture_schema older, newer;
    schema_yaml yaml = SCHEMA_YAML_SAME;
    schema_reading reading = SCHEMA_READ_SAME;
    char *said, data[1024];
    write_schema("old.yaml", row->older);
    write_schema("new.yaml", row->newer);
    snprintf(data, sizeof data, "a: %s\n", row->item);
    fixture_write("a.yaml", data);
    if (bake_code("-q -s old.yaml -o old.kiln a.yaml", &said))
        fail_msg("%s: %s", row->what, said);
    free(said);
    fixture_schema_init(&older, "old.yaml");
    fixture_schema_init(&newer, "new.yaml");
    if (older.result || newer.result)
        fail_msg("%s: %s", row->what, fixture_said(&newer));
    check_schemas(row, &older, &newer, &yaml, &reading);
    /* Only a check of the file shows whether the file contains values that the newer types refuse.
     */
    int file_code = bake_code("schema check -q -o found.txt new.yaml old.kiln", NULL);
    int code = bake_code("schema check -q -o found.txt old.yaml new.yaml", NULL);
    kiln_asset_memory memory = KILN_ASSET_MAPPED;
    bool is_loaded = loads(newer.schema, &memory);
    if (is_loaded != (file_code == 0))
        fail_msg("%s: exit code %d, but the file is %s", row->what, file_code,
                 is_loaded ? "loaded" : "not loaded");
    if (row->verdict <= READABLE && !is_loaded)
        fail_msg("%s: reported as readable, but not loaded", row->what);
    if (is_loaded && (memory == KILN_ASSET_CONVERTED) !=
                         (reading == SCHEMA_READ_REBUILT || reading == SCHEMA_READ_SOME))
        fail_msg("%s: not loaded as reported", row->what);
    if (code < codes[row->verdict])
        fail_msg("%s: exit code %d for verdict %d", row->what, code, row->verdict);
    bool bakes = bake_code("-q -s new.yaml -o new.kiln a.yaml", &said) == 0;
    bool warns = strstr(said, "warning") != NULL;
    if ((yaml <= SCHEMA_YAML_WARNS && !bakes) || (yaml == SCHEMA_YAML_FAILS && bakes) ||
        (yaml == SCHEMA_YAML_SAME && warns))
        fail_msg("%s: the report predicts result %d for YAML, but the bake says: %s", row->what,
                 yaml, said);
    if (!is_loaded && file_code == 1 && !bakes)
        fail_msg("%s: reported as bakeable, but does not bake: %s", row->what, said);
    if (!is_loaded && file_code == 4 && bakes)
        fail_msg("%s: reported as broken, but bakes", row->what);
    free(said);
    fixture_schema_fini(&older);
    fixture_schema_fini(&newer);
}

static void verdicts_agree_with_the_effects(void **state)
{
    (void)state;
    for (int i = 0; i < ROWS; i++)
        check_row(&rows[i]);
    assert_true(ROWS >= 60);
}

static const char scene_schema[] = "kiln: 1\nnamespace: game\ntypes:\n"
                                   "  Place: {struct: {x: f32}}\n"
                                   "  Door: {struct: {label: string, width: u8}, component: true}\n"
                                   "files: [{match: \"*.scene.yaml\", shape: scene}]\n";

/* Replaces `line` in the schema, and returns the exit code of a check of the baked scene. */
static int check_scene(const char *line, const char *instead)
{
    char text[1024];
    const char *at = strstr(scene_schema, line);
    assert_non_null(at);
    snprintf(text, sizeof text, "%.*s%s%s", (int)(at - scene_schema), scene_schema, instead,
             at + strlen(line));
    fixture_write("new.yaml", text);
    return bake_code("schema check -q -o found.txt new.yaml old.kiln", NULL);
}

static void the_verdict_covers_components_of_scenes(void **state)
{
    static const char data[] = "entities:\n  - {name: a, components: {Place: {x: 1}, Door: {label: "
                               "oak, width: 2}}}\n";
    (void)state;
    fixture_write("old.yaml", scene_schema);
    fixture_write("cave.scene.yaml", data);
    for (int types = 1; types >= 0; types--) {
        assert_int_equal(bake_code(types ? "-q -s old.yaml -o old.kiln cave.scene.yaml"
                                         : "-q --no-types -s old.yaml -o old.kiln cave.scene.yaml",
                                   NULL),
                         0);
        assert_int_equal(check_scene("x: f32", "x: f32"), 0);
        assert_int_equal(check_scene("x: f32", "x: f64"), types ? 0 : 1);
        assert_int_equal(check_scene("width: u8", "width: {type: u16, was: size}"), types ? 0 : 1);
        assert_int_equal(check_scene("x: f32", "x: i32"), 1);
        assert_int_equal(check_scene("label: string", "label: \"u8[]\""), types ? 4 : 1);
        assert_int_equal(check_scene("  Place: {struct: {x: f32}}\n", ""), 4);
    }
}

static void the_report_lists_every_change(void **state)
{
    static const char older[] = ITEM("n: u8, e: E") AND "E: {enum: [a, b]}";
    static const char newer[] = ITEM("m: {type: u16, was: n}, e: E") AND "E: {enum: [b]}";
    static const char expected[] =
        "old.kiln: breaks\n"
        "  game.Item: breaks (files: rebuilt, some refused; YAML: may be refused)\n"
        "    game.Item.m: was called n [renamed]; YAML warns\n"
        "    game.Item.m: u8 became u16 [widened]\n"
        "    game.Item: it contains game.E, which changed [part]; YAML may be refused\n"
        "  game.E: breaks (files: rebuilt, some refused; YAML: may be refused)\n"
        "    game.E.b: 1 became 0 [renumbered]\n"
        "    game.E.a: the value was removed; data that uses it is rejected [removed]; YAML may be "
        "refused\n"
        "  Item/a: e: the newer type has no such value, flag or alternative\n";
    (void)state;
    write_schema("old.yaml", older);
    write_schema("new.yaml", newer);
    fixture_write("a.yaml", "a: {n: 1, e: a}\n");
    assert_int_equal(bake_code("-q -s old.yaml -o old.kiln a.yaml", NULL), 0);
    assert_int_equal(bake_code("schema check -o found.txt new.yaml old.kiln", NULL), 4);
    char *text = fixture_read("found.txt", NULL);
    assert_string_equal(text, expected);
    free(text);
    assert_int_equal(bake_code("schema check -f json -o found.json new.yaml old.kiln", NULL), 4);
    text = fixture_read("found.json", NULL);
    assert_non_null(strstr(text, "\"verdict\": \"breaks\""));
    assert_non_null(strstr(text, "\"asset\": \"Item/a\""));
    assert_non_null(strstr(text, "\"change\": \"renumbered\""));
    free(text);
}

static void input_that_cannot_be_checked_is_an_error(void **state)
{
    char *said;
    (void)state;
    write_schema("old.yaml", ITEM("n: u8"));
    fixture_write("torn.kiln", "KILN and no more");
    assert_int_equal(bake_code("schema check old.yaml", NULL), 2);
    assert_int_equal(bake_code("schema check old.yaml old.yaml old.yaml", NULL), 2);
    assert_int_equal(bake_code("schema check old.yaml nowhere.yaml", NULL), 2);
    assert_int_equal(bake_code("schema check old.yaml torn.kiln", &said), 1);
    assert_non_null(strstr(said, "not a valid kiln file"));
    free(said);
}

static void flipped_bits_are_detected(void **state)
{
    size_t size = 0;
    (void)state;
    write_schema("old.yaml", ITEM("n: u8, e: E, l: \"string[]\"") AND "E: {enum: [a, b]}");
    write_schema("new.yaml", ITEM("m: {type: u16, was: n}, e: E") AND "E: {enum: [b]}");
    fixture_write("a.yaml", "a: {n: 1, e: b, l: [x, y]}\n");
    assert_int_equal(bake_code("-q -s old.yaml -o old.kiln a.yaml", NULL), 0);
    assert_int_equal(bake_code("schema check -q new.yaml old.kiln", NULL), 0);
    char *text = fixture_read("old.kiln", &size);
    assert_true(size > 100);
    for (size_t at = 4; at < size; at += 5) {
        FILE *file = fopen("torn.kiln", "wb");
        assert_non_null(file);
        text[at] ^= (char)(1 << at % 8);
        assert_int_equal(fwrite(text, 1, size, file), size);
        assert_int_equal(fclose(file), 0);
        text[at] ^= (char)(1 << at % 8);
        if (bake_code("schema check -q new.yaml torn.kiln", NULL) != 1)
            fail_msg("byte %zu: the damage was not detected", at);
    }
    free(text);
}

static void failing_allocations_are_reported(void **state)
{
    (void)state;
    write_schema("old.yaml", ITEM("n: u8, e: E") AND "E: {enum: [a, b]}");
    write_schema("new.yaml", ITEM("m: {type: u16, was: n}, e: E") AND "E: {enum: [b]}");
    fixture_write("a.yaml", "a: {n: 1, e: b}\n");
    assert_int_equal(bake_code("-q -s old.yaml -o old.kiln a.yaml", NULL), 0);
    bool failed = true;
    for (long n = 0; failed; n++) {
        char *said;
        int code;
        failed = failing_call(n, "schema check -o found.txt new.yaml old.kiln", &code, &said);
        free(said);
        assert_int_equal(code, failed ? 2 : 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_verdict_covers_components_of_scenes, fixture_enter,
                                        fixture_leave),
        cmocka_unit_test_setup_teardown(the_report_lists_every_change, fixture_enter,
                                        fixture_leave),
        cmocka_unit_test_setup_teardown(input_that_cannot_be_checked_is_an_error, fixture_enter,
                                        fixture_leave),
        cmocka_unit_test_setup_teardown(flipped_bits_are_detected, fixture_enter, fixture_leave),
        cmocka_unit_test_setup_teardown(failing_allocations_are_reported, fixture_enter,
                                        fixture_leave),
        cmocka_unit_test_setup_teardown(verdicts_agree_with_the_effects, fixture_enter,
                                        fixture_leave),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
