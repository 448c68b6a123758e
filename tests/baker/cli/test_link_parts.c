/* Parts and `kiln-bake link`: which mistakes are reported, and what happens if memory runs out.
 * tests/cli/parts.py compares linked files with direct bakes. */
#include "failing_bake.h"
#include "test_share.h"

static int enter(void **state)
{
    if (fixture_enter(state))
        return -1;
    fixture_write("s.yaml", "kiln: 1\ntypes:\n"
                            "  Item:\n    asset: true\n    cluster: root\n    inherit: true\n"
                            "    struct: {n: {type: u8, default: 1}, to: {type: ref<Item>?, "
                            "default: null}, was: {type: u8, default: 0, deprecated: true}}\n"
                            "  Place: {struct: {x: f32}, component: true}\n"
                            "files:\n  - {match: \"*.item\", shape: map, type: Item}\n"
                            "  - {match: \"*.old\", shape: renames, type: Item}\n"
                            "  - {match: \"*.scene\", shape: scene}\n"
                            "  - {match: \"*.prefabs\", shape: prefabs}\n");
    fixture_write("a.item", "a: {n: 1, to: b, was: 2}\na2: {parent: c, to: before}\n");
    fixture_write("b.item", "b: {n: 2, to: a}\n");
    fixture_write("c.item", "c: {abstract: true, n: 7, was: 3}\nd: {n: 3}\n");
    fixture_write("n.old", "before: b\n");
    fixture_write("p.prefabs", "p: {components: {Place: {x: 1}}}\n");
    fixture_write("r.scene", "entities: [{base: p}]\n");
    return 0;
}

static void runs(const char *arguments)
{
    char *err;
    int code = bake_code(arguments, &err);
    if (code != 0)
        fail_msg("%s: code %d, %s", arguments, code, err);
    free(err);
}

#define ALL "a.item b.item c.item n.old p.prefabs r.scene"

static void make_parts(void)
{
    runs("-q -s s.yaml -o direct.kiln " ALL);
    runs("names -q -s s.yaml -o it.names " ALL);
    runs("build -q -s s.yaml --names it.names -o 1.part a.item");
    runs("build -q -s s.yaml --names it.names -o 2.part b.item n.old r.scene");
    runs("build -q -s s.yaml --names it.names -o 3.part c.item p.prefabs");
}

static void parts_are_linked_to_the_file_of_a_direct_bake(void **state)
{
    size_t size = 0, direct_size = 0;
    (void)state;
    make_parts();
    runs("link -q -s s.yaml --names it.names -o linked.kiln 3.part 1.part 2.part");
    char *linked = fixture_read("linked.kiln", &size);
    char *direct = fixture_read("direct.kiln", &direct_size);
    assert_int_equal(size, direct_size);
    assert_memory_equal(linked, direct, size);
    free(linked);
    free(direct);
}

/* A warning about an abstract asset and the same one about its heirs are one message, about the
 * abstract asset, although its name is the last of them. Its id has a dot, like the path of a
 * value. */
static void warnings_are_those_of_a_direct_bake(void **state)
{
    char *direct, *linked;
    (void)state;
    fixture_write("h.item", "a: {parent: z.9}\nz: {parent: z.9}\n");
    fixture_write("z.item", "z.9: {abstract: true, was: 3}\nz.9.1: {n: 1}\n");
    assert_int_equal(bake_code("-s s.yaml -o direct.kiln h.item z.item", &direct), 0);
    assert_non_null(strstr(direct, "Item/z.9: "));
    runs("names -q -s s.yaml -o it.names h.item z.item");
    runs("build -q -s s.yaml --names it.names -o 1.part h.item");
    runs("build -q -s s.yaml --names it.names -o 2.part z.item");
    assert_int_equal(
        bake_code("link -s s.yaml --names it.names -o direct.kiln 1.part 2.part", &linked), 0);
    assert_string_equal(linked, direct);
    free(direct);
    free(linked);
}

static void mistakes_are_reported(void **state)
{
    static const struct {
        const char *arguments;
        int code;
        const char *message;
    } rows[] = {
        {"link -s s.yaml -o x.kiln 1.part", 2, "no names file given; use --names FILE"},
        {"link -s s.yaml --names it.names -o x.kiln", 2, "no inputs given"},
        {"link -s s.yaml --names it.names 1.part", 2, "no output given"},
        {"link -s s.yaml --names gone.names -o x.kiln 1.part", 2, "cannot read gone.names"},
        {"link -s s.yaml --names s.yaml -o x.kiln 1.part", 2,
         "cannot read s.yaml: it was not written by `kiln-bake names` of this version"},
        {"link -s s.yaml --names it.names -o x.kiln 1.part 2.part", 2,
         "the asset Item/d is in none of the parts"},
        {"link -s s.yaml --names it.names -o x.kiln 2.part 3.part", 2,
         "the asset Item/a is in none of the parts"},
        {"link -s s.yaml --names it.names -o x.kiln 1.part 2.part 3.part 2.part", 1,
         "2.part: error: Item/b: this asset is also in 2.part [link]"},
        {"link -s s.yaml --names it.names -o x.kiln 1.part 2.part 3.part extra.part", 1,
         "extra.part: error: Item/more: this asset is not in the names file; bake the part "
         "again [link]"},
        {"link -s s.yaml --names it.names -o x.kiln a.item", 1, "not a valid kiln file"},
        {"link -s other.yaml --names it.names -o x.kiln 1.part 2.part 3.part", 1,
         "Item/a: this asset does not fit the schema"},
        {"link -s s.yaml --names it.names -o 1.part 1.part 2.part 3.part", 2,
         "cannot write 1.part: it is an input of this run"},
        {"-s s.yaml --names it.names -o x.part z.item", 2,
         "z.item is not an input in it.names; write that file again"},
        {"-s s.yaml --names it.names --each x a.item", 2, "--names and --each cannot be combined"},
        {"-s s.yaml --names it.names --source-map m -o x.part a.item", 2,
         "--names and --source-map cannot be combined"},
        {"-s s.yaml --names it.names --compress 3 -o x.part a.item", 2,
         "--names and --compress cannot be combined"},
        {"names -s s.yaml -o x.names -", 2, "names cannot read standard input"},
        {"names -s s.yaml -o x.names a.item", 1, "unknown Item \"c\""},
        {"names -s s.yaml a.item", 2, "no output given"},
        {"lnk -s s.yaml", 2, "did you mean link?"},
    };
    (void)state;
    make_parts();
    fixture_write("m.item", "more: {n: 9}\n");
    runs("names -q -s s.yaml -o more.names m.item " ALL);
    runs("build -q -s s.yaml --names more.names -o extra.part m.item");
    fixture_write("other.yaml", "kiln: 1\ntypes:\n  Item: {asset: true, struct: {n: u64}}\n");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *err;
        int code = bake_code(rows[i].arguments, &err);
        if (code != rows[i].code || !strstr(err, rows[i].message))
            fail_msg("%s: code %d, %s", rows[i].arguments, code, err);
        free(err);
        assert_int_not_equal(access("x.kiln", F_OK), 0);
    }
}

static void a_part_that_inherits_a_mistake_is_not_written(void **state)
{
    char *err;
    (void)state;
    make_parts();
    fixture_write("c.item", "c: {abstract: true, n: 700}\nd: {n: 3}\n");
    assert_int_equal(bake_code("-s s.yaml --names it.names -o 3.part c.item", &err), 1);
    assert_non_null(strstr(err, "c.item:1:24: error: Item/c.n: 700 exceeds 255 [range]"));
    free(err);
    assert_int_equal(bake_code("-s s.yaml --names it.names -o 1.part a.item", &err), 1);
    assert_non_null(strstr(err, "another part reports [part]"));
    free(err);
}

/* A truncated or changed part is rejected, whichever byte it is. */
static void damaged_parts_are_rejected(void **state)
{
    size_t size = 0;
    char *err;
    (void)state;
    make_parts();
    char *part = fixture_read("1.part", &size);
    for (size_t at = 0; at < size; at += 61) {
        if (!test_share_has(at))
            continue;
        FILE *file = fopen("1.part", "wb");
        assert_non_null(file);
        part[at] ^= 0x20;
        assert_int_equal(fwrite(part, 1, size, file), size);
        part[at] ^= 0x20;
        fclose(file);
        int code =
            bake_code("link -q -s s.yaml --names it.names -o x.kiln 1.part 2.part 3.part", &err);
        if (code != 1)
            fail_msg("byte %zu: code %d, %s", at, code, err);
        free(err);
        assert_int_equal(truncate("1.part", (off_t)at), 0);
        assert_int_equal(
            bake_code("link -q -s s.yaml --names it.names -o x.kiln 1.part 2.part 3.part", &err),
            1);
        free(err);
    }
    free(part);
}

static void failed_allocations_are_errors(void **state)
{
    (void)state;
    make_parts();
    failing_bake("names -j1 -q -s s.yaml -o it.names " ALL, 0);
    failing_bake("build -j1 -q -s s.yaml --names it.names -o 2.part b.item n.old r.scene", 0);
    failing_bake("build -j1 -q -s s.yaml --names it.names -o 1.part a.item", 0);
    failing_bake("link -q -s s.yaml --names it.names -o linked.kiln 1.part 2.part 3.part", 0);
}

/* A plan with a bundle in parts, one with a source map, and a header. */
static void failed_allocations_while_planning_are_errors(void **state)
{
    static const char *const formats[] = {"plan --format make -q -o it.mk --parts 2",
                                          "plan --format ninja -q -o it.ninja --parts 1 all"};
    (void)state;
    fixture_write("kiln.yaml", "kiln: 1\nschemas: [s.yaml]\nbundles:\n"
                               "  all: {sources: [\"*.item\", \"*.old\", \"*.scene\", "
                               "\"*.prefabs\"], output: all.kiln, budgets: {assets: "
                               "{\"Item/*\": {disk: 1 MiB}, a: {disk: 9}}}}\n"
                               "  one: {sources: [b.item, a.item, c.item, n.old], output: "
                               "one.kiln, source_map: one.map}\n"
                               "headers: {it.h: }\n");
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        failing_bake(formats[i], 0);
    runs("-q @it.mk.parts/1-all.1.args");
    runs("-q @it.mk.parts/1-all.2.args");
    failing_bake("@it.mk.parts/1-all.link.args", 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(parts_are_linked_to_the_file_of_a_direct_bake, enter,
                                        fixture_leave),
        cmocka_unit_test_setup_teardown(warnings_are_those_of_a_direct_bake, enter, fixture_leave),
        cmocka_unit_test_setup_teardown(mistakes_are_reported, enter, fixture_leave),
        cmocka_unit_test_setup_teardown(a_part_that_inherits_a_mistake_is_not_written, enter,
                                        fixture_leave),
        cmocka_unit_test_setup_teardown(damaged_parts_are_rejected, enter, fixture_leave),
        cmocka_unit_test_setup_teardown(failed_allocations_are_errors, enter, fixture_leave),
        cmocka_unit_test_setup_teardown(failed_allocations_while_planning_are_errors, enter,
                                        fixture_leave),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
