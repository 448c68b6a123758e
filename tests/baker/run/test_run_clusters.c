/* Cluster plans in baked files: which files have a plan, and its content. */
#include "bake_call.h"

#include <kiln/blob_header.h>
#include <kiln/cluster_plan.h>
#include <kiln/type_table.h>

#define SCHEMA(level, prop, sound)                                                                 \
    "kiln: 1\ntypes:\n"                                                                            \
    "  Level: {struct: {rooms: \"ref<Room>[]\", music: ref<Sound>?}, asset: true" level "}\n"      \
    "  Room: {struct: {props: \"ref<Prop>[]\", doors: \"ref<Room>[]\"}, asset: true}\n"            \
    "  Prop: {struct: {sound: ref<Sound>?}, asset: true" prop "}\n"                                \
    "  Sound: {struct: {next: ref<Sound>?}, asset: true" sound "}\n"                               \
    "  Place: {struct: {x: f32, prop: ref<Prop>}, component: true}\n"                              \
    "files:\n"                                                                                     \
    "  - {match: \"*.scene.yaml\", shape: scene}\n"                                                \
    "  - {match: \"*.yaml\", shape: kinds}\n"

static const char levels[] = "Level:\n"
                             "  mill: {rooms: [attic], music: wind}\n"
                             "  lake: {rooms: [boat]}\n";
static const char rooms[] = "Room:\n"
                            "  attic: {props: [wheel], doors: [cellar]}\n"
                            "  cellar: {props: [crate], doors: [attic]}\n"
                            "  boat: {props: [crate]}\n";
static const char props[] = "Prop: {wheel: {}, crate: {sound: creak}}\n"
                            "Sound: {wind: {}, creak: {}}\n";

static void write_inputs(const char *schema)
{
    fixture_write("s.yaml", schema);
    fixture_write("a.yaml", levels);
    fixture_write("b.yaml", rooms);
    fixture_write("c.yaml", props);
}

/* ---- a plan as text: `root: members | mutables | roots of referenced clusters`, sorted ---- */

typedef struct plan_text {
    char lines[8][256];
    uint32_t count;
} plan_text;

typedef struct read_plan {
    const kiln_index *index;
    const kiln_cluster_plan *plan; /* NULL: the file has none */
    unsigned char *file;
} read_plan;

/* The caller frees `file`. */
static read_plan read_file(const char *path)
{
    size_t size = 0;
    char *text = fixture_read(path, &size);
    read_plan read = {NULL, NULL, aligned_alloc(4096, (size + 4095) / 4096 * 4096)};
    kiln_types *builtin = NULL;
    assert_non_null(text);
    memcpy(read.file, text, size);
    free(text);
    kiln_file_head head = {read.file, size, size};
    assert_int_equal(kiln_types_create_builtin(NULL, &builtin, NULL), KILN_OK);
    assert_int_equal(kiln_index_check(builtin, NULL, &head, &read.index, NULL), KILN_OK);
    kiln_types_destroy(builtin);
    uint32_t number = kiln_cluster_plan_find(read.index);
    if (number == KILN_ASSET_NONE)
        return read;
    const kiln_index_member *member =
        kiln_index_member_at(read.index, kiln_index_asset_at(read.index, number)->member);
    kiln_span blob = {read.file + member->place, (size_t)member->size};
    assert_int_equal(kiln_cluster_plan_read(read.index, blob, NULL, &read.plan, NULL), KILN_OK);
    return read;
}

static const char *name_of(const kiln_index *index, uint32_t node)
{
    uint32_t count = kiln_index_asset_count(index);
    return node < count ? kiln_string_get(&kiln_index_asset_at(index, node)->name)
                        : kiln_string_get(&kiln_index_import_at(index, node - count)->name);
}

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Appends the names in sorted order. The plan orders them by id, which would look random in the
 * expected text. */
static void add_names(char *line, const read_plan *read, kiln_cluster_numbers numbers,
                      bool are_clusters)
{
    const char *names[16];
    assert_true(numbers.count <= 16);
    for (uint32_t i = 0; i < numbers.count; i++)
        names[i] = name_of(read->index, are_clusters
                                            ? kiln_cluster_plan_root(read->plan, numbers.numbers[i])
                                            : numbers.numbers[i]);
    if (numbers.count)
        qsort(names, numbers.count, sizeof *names, compare_texts);
    for (uint32_t i = 0; i < numbers.count; i++)
        strcat(strcat(line, " "), names[i]);
}

static int compare_lines(const void *a, const void *b)
{
    return strcmp(a, b);
}

static plan_text describe(const char *path)
{
    plan_text text;
    read_plan read = read_file(path);
    memset(&text, 0, sizeof text);
    for (uint32_t i = 0; read.plan && i < kiln_cluster_plan_count(read.plan); i++) {
        char *line = text.lines[text.count++];
        strcat(strcat(line, name_of(read.index, kiln_cluster_plan_root(read.plan, i))), ":");
        add_names(line, &read, kiln_cluster_plan_members(read.plan, i), false);
        strcat(line, " |");
        add_names(line, &read, kiln_cluster_plan_mutables(read.plan, i), false);
        strcat(line, " |");
        add_names(line, &read, kiln_cluster_plan_references(read.plan, i), true);
    }
    qsort(text.lines, text.count, sizeof *text.lines, compare_lines);
    free(read.file);
    return text;
}

static void check_plan(const char *path, const char *const *lines, uint32_t count)
{
    plan_text text = describe(path);
    for (uint32_t i = 0; i < count; i++)
        assert_string_equal(text.lines[i], lines[i]);
    assert_int_equal(text.count, count);
}

#define CHECK_PLAN(path, ...)                                                                      \
    check_plan(path, (const char *const[]){__VA_ARGS__},                                           \
               (uint32_t)(sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *)))

static void same_files(const char *one, const char *two)
{
    size_t sizes[2];
    char *texts[2] = {fixture_read(one, &sizes[0]), fixture_read(two, &sizes[1])};
    assert_int_equal(sizes[0], sizes[1]);
    assert_memory_equal(texts[0], texts[1], sizes[0]);
    free(texts[0]);
    free(texts[1]);
}

static void plan_follows_the_roles_of_types(void **state)
{
    (void)state;
    write_inputs(SCHEMA(", cluster: root", "", ""));
    bake_well("-q -s s.yaml -o it.kiln a.yaml b.yaml c.yaml");
    CHECK_PLAN("it.kiln", "Level/lake: Room/boat | | Prop/crate",
               "Level/mill: Prop/wheel Room/attic Room/cellar Sound/wind | | Prop/crate",
               "Prop/crate: Sound/creak | |");
    write_inputs(SCHEMA(", cluster: root", ", cluster: member", ", cluster: never"));
    bake_well("-q -s s.yaml -o it.kiln a.yaml b.yaml c.yaml");
    CHECK_PLAN("it.kiln", "Level/lake: Room/boat | Prop/crate |",
               "Level/mill: Prop/wheel Room/attic Room/cellar | Prop/crate Sound/wind |");
    /* Without roots, only shared assets are clusters. */
    write_inputs(SCHEMA("", "", ", cluster: member"));
    bake_well("-q -s s.yaml -o it.kiln a.yaml b.yaml c.yaml");
    CHECK_PLAN("it.kiln", "Prop/crate: Sound/creak | |");
}

static void file_without_roles_and_scenes_has_no_plan(void **state)
{
    (void)state;
    write_inputs(SCHEMA("", "", ""));
    bake_well("-q -s s.yaml -o it.kiln a.yaml b.yaml c.yaml");
    read_plan read = read_file("it.kiln");
    assert_null(read.plan);
    free(read.file);
    /* If the roles form no cluster, no plan is added, either. */
    write_inputs(SCHEMA(", cluster: root", "", ""));
    fixture_write("d.yaml", "Level: {alone: {rooms: []}}\n");
    bake_well("-q -s s.yaml -o it.kiln d.yaml");
    read = read_file("it.kiln");
    assert_null(read.plan);
    assert_int_equal(kiln_index_asset_count(read.index), 1);
    free(read.file);
}

static void scene_is_a_root_and_its_parts_are_members(void **state)
{
    (void)state;
    write_inputs(SCHEMA("", "", ""));
    fixture_write("yard.scene.yaml",
                  "entities:\n  - {name: a, components: {Place: {x: 1, prop: crate}}}\n");
    bake_well("-q -s s.yaml -o it.kiln yard.scene.yaml c.yaml");
    CHECK_PLAN("it.kiln", "Scene/yard: Prop/crate SceneChunks/yard Sound/creak | |");
    bake_well("-q -s s.yaml -o other.kiln c.yaml");
    bake_well("-q -s s.yaml -o it.kiln -x other.kiln yard.scene.yaml");
    CHECK_PLAN("it.kiln", "Scene/yard: SceneChunks/yard | Prop/crate |");
}

static void order_of_inputs_does_not_change_the_file(void **state)
{
    (void)state;
    static const char *const orders[] = {"a.yaml c.yaml b.yaml", "b.yaml a.yaml c.yaml",
                                         "c.yaml b.yaml a.yaml"};
    write_inputs(SCHEMA(", cluster: root", "", ", cluster: never"));
    bake_well("-q -s s.yaml -o it.kiln a.yaml b.yaml c.yaml");
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
        char arguments[200];
        snprintf(arguments, sizeof arguments, "-q -s s.yaml -o again.kiln %s", orders[i]);
        bake_well(arguments);
        same_files("it.kiln", "again.kiln");
    }
}

static void repacked_file_keeps_its_plan(void **state)
{
    (void)state;
    write_inputs(SCHEMA(", cluster: root", "", ""));
    bake_well("-q -s s.yaml -o it.kiln a.yaml b.yaml c.yaml");
    bake_well("-q -s s.yaml --compress 19 --dictionary all -o packed.kiln a.yaml b.yaml c.yaml");
    bake_well("repack -q --compress 19 --dictionary all it.kiln -o again.kiln");
    same_files("packed.kiln", "again.kiln");
    bake_well("repack -q packed.kiln -o back.kiln");
    same_files("it.kiln", "back.kiln");
    bake_well("repack -q --order references it.kiln -o ordered.kiln");
    plan_text before = describe("it.kiln"), after = describe("ordered.kiln");
    assert_memory_equal(&before, &after, sizeof before);
}

/* Two files with plans may be used together, and a patch has its own plan. */
static void patch_has_a_plan_of_its_own_assets(void **state)
{
    (void)state;
    write_inputs(SCHEMA(", cluster: root", "", ""));
    bake_well("-q -s s.yaml -o it.kiln a.yaml b.yaml c.yaml");
    fixture_write("d.yaml", "Level: {mill: {rooms: [shed]}}\nRoom: {shed: {props: [crate]}}\n");
    bake_well("-q -s s.yaml -x it.kiln --patch -o patch.kiln d.yaml");
    CHECK_PLAN("patch.kiln", "Level/mill: Room/shed | Prop/crate |");
    fixture_write("e.yaml", "Level: {far: {rooms: [shed, boat]}}\n");
    bake_well("-q -s s.yaml -x it.kiln -x patch.kiln -o far.kiln e.yaml");
}

static void schemas_that_differ_in_roles_are_identical(void **state)
{
    (void)state;
    size_t size;
    write_inputs(SCHEMA(", cluster: root", "", ""));
    fixture_write("t.yaml", SCHEMA("", ", cluster: never", ""));
    bake_well("-q -s s.yaml -o it.kiln a.yaml b.yaml c.yaml");
    bake_well("schema check -o schemas.txt s.yaml t.yaml");
    bake_well("schema check -o file.txt t.yaml it.kiln");
    char *schemas = fixture_read("schemas.txt", &size), *file = fixture_read("file.txt", &size);
    assert_string_equal(schemas, "5 types: 5 identical, 0 readable, 0 must rebake, 0 break\n");
    assert_string_equal(file, "it.kiln: identical\n");
    free(schemas);
    free(file);
}

/* An asset of such a type would break rule K1. */
static void schemas_cannot_define_the_type_of_plans(void **state)
{
    (void)state;
    char *err;
    static const char *const said[] = {
        "s.yaml:2:12: error: namespace: the namespace \"kiln\" is reserved"};
    fixture_write("s.yaml", "kiln: 1\nnamespace: kiln\ntypes:\n"
                            "  Clusters: {struct: {a: u8}, asset: true, cluster: root}\n"
                            "files:\n  - {match: \"*.yaml\", shape: kinds}\n");
    fixture_write("a.yaml", "Clusters: {one: {a: 1}}\n");
    assert_int_equal(bake_code("-q -s s.yaml -o it.kiln a.yaml", &err), 1);
    check_said(err, said, 1);
    free(err);
}

static void bake_fails_cleanly_when_memory_runs_out(void **state)
{
    (void)state;
    int code = 2, failures = 0;
    write_inputs(SCHEMA(", cluster: root", "", ""));
    for (long n = 0; code != 0; n += 7) {
        bake_memory_fail_at(n);
        code = bake_code("-q -s s.yaml -o it.kiln a.yaml b.yaml c.yaml", NULL);
        bool failed = bake_memory_has_failed();
        bake_memory_fail_at(-1);
        assert_true(code == (failed ? 2 : 0));
        failures += failed;
    }
    assert_true(failures > 20);
    CHECK_PLAN("it.kiln", "Level/lake: Room/boat | | Prop/crate",
               "Level/mill: Prop/wheel Room/attic Room/cellar Sound/wind | | Prop/crate",
               "Prop/crate: Sound/creak | |");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_enter, fixture_leave)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(plan_follows_the_roles_of_types),
        TEST(file_without_roles_and_scenes_has_no_plan),
        TEST(scene_is_a_root_and_its_parts_are_members),
        TEST(order_of_inputs_does_not_change_the_file),
        TEST(repacked_file_keeps_its_plan),
        TEST(patch_has_a_plan_of_its_own_assets),
        TEST(schemas_that_differ_in_roles_are_identical),
        TEST(schemas_cannot_define_the_type_of_plans),
        TEST(bake_fails_cleanly_when_memory_runs_out),
    };
    return cmocka_run_group_tests_name("clusters of a run", tests, NULL, NULL);
}
