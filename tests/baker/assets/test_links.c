/* References to ids without an asset: renamed ones, deleted ones, and those that may dangle. */
#include "failing_bake.h"
#include "same_bake.h"

static const char types[] = "  Item:\n"
                            "    struct:\n"
                            "      next: ref<Item>?\n"
                            "      all: {type: 'ref<Item>[]', inherit: merge}\n"
                            "      any: ref?\n"
                            "      by: 'map<ref<Item>, u8>'\n"
                            "    asset: true\n"
                            "    inherit: true\n"
                            "  Other: {struct: {item: ref<Item>}, asset: true}\n";

#define RENAMES                                                                                    \
    "files:\n  - {match: old.yaml, shape: renames, type: Item}\n  - {match: '*', shape: kinds}\n"

static void renamed_ids_refer_to_the_new_asset(void **state)
{
    (void)state;
    static const same_row rows[] = {
        {RENAMES,
         {{"in/old.yaml", "sword: blade\nblade: katana\n~: ~\ngone: ~\nlost: gone\n"},
          {"in/a.yaml", "Item:\n"
                        "  a: {next: sword, all: [blade, katana, Item/sword], any: Item/sword,\n"
                        "    by: {sword: 1}}\n"
                        "  katana: {next: gone}\n"
                        "  b: {next: lost, any: Item/gone}\n"
                        "Other: {o: {item: blade}}\n"}},
         "Item:\n"
         "  a: {next: katana, all: [katana, katana, katana], any: Item/katana, by: {katana: 1}}\n"
         "  katana: {}\n"
         "  b: {}\n"
         "Other: {o: {item: katana}}\n"
         "renames: {Item: {sword: katana, blade: katana, ~: ~, gone: ~, lost: ~}}\n"},
        {RENAMES,
         {{"in/old.yaml", "base: root\n---\nroot: top\n"},
          {"in/a.yaml", "Item: {top: {abstract: true, all: [x]}, x: {parent: base}}\n"}},
         "Item: {x: {all: [x]}}\nrenames: {Item: {root: top, base: top}}\n"},
    };
    same_check(types, rows, COUNT(rows));
}

/* References to accepted ids bake to the same bytes as references to assets of an extern file. */
static void accepted_ids_become_imports(void **state)
{
    (void)state;
    static const char text[] = "Item: {a: {next: far, all: [far, far, a], any: Item/far}}\n";
    static const char *const accepted[][3] = {
        {"accepted: {Item: [near, far], Other: []}\n", NULL, ""},
        {"files:\n  - {match: far.yaml, shape: accepted}\n  - {match: '*', shape: kinds}\n",
         "Item: [far]\nOther: ~\n", ""},
        {NULL, NULL, " --dangling=warn"},
    };
    same_row far = {NULL, {{"in/far.yaml", "Item: {far: {}}\n"}}, NULL};
    same_row beside = {NULL, {{"in/a.yaml", text}}, NULL};
    size_t size, own_size;
    same_write(types, &far);
    free(same_bytes("-q -s s.yaml -C in -o far.kiln .", "far.kiln", &size));
    same_write(types, &beside);
    char *bytes = same_bytes("-q -s s.yaml -C in -x far.kiln -o a.kiln .", "a.kiln", &size);
    for (size_t i = 0; i < COUNT(accepted); i++) {
        char arguments[100], *out, *err;
        same_row row = {
            accepted[i][0], {{"in/a.yaml", text}, {"in/far.yaml", accepted[i][1]}}, NULL};
        if (!accepted[i][1])
            row.files[1].path = NULL;
        same_write(types, &row);
        snprintf(arguments, sizeof arguments, "-q -s s.yaml -C in -o own.kiln .%s", accepted[i][2]);
        assert_int_equal(bake_call(arguments, &out, &err), 0);
        bool warns = accepted[i][2][0] != '\0';
        assert_true(warns ==
                    (strstr(err, "unknown asset \"Item/far\", here and in 3 more places") != NULL));
        free(out);
        free(err);
        char *own = fixture_read("own.kiln", &own_size);
        assert_int_equal(own_size, size);
        assert_memory_equal(own, bytes, size);
        free(own);
    }
    free(bytes);
}

static void errors_show_where_an_id_was_renamed(void **state)
{
    (void)state;
    static const char scene_types[] = "  Place: {struct: {x: f32}, component: row}\n"
                                      "  Part: {union: {Place: Place}, by: {key: type}}\n"
                                      "  Thing: {struct: {parts: 'Part[]'}, asset: true}\n"
                                      "  Box: {struct: {of: ref<Thing>}, asset: true}\n";
    static const char rules[] =
        "files:\n  - {match: old.yaml, shape: renames, type: Thing}\n"
        "  - {match: '*.map.yaml', shape: scene, keys: {components: parts, by: type}, prefabs: "
        "Thing.parts}\n"
        "  - {match: '*', shape: kinds}\n";
    static const struct {
        const char *file, *text, *says;
    } cases[] = {
        {"in/a.map.yaml", "entities: [{base: stick}]\n",
         "in/a.map.yaml:1:19: error: Scene/a[0]: the prefab \"stick\" was deleted at "
         "in/old.yaml:1:1 [base]\n"},
        {"in/a.map.yaml", "entities: [{base: [lamp, twig]}]\n",
         "in/a.map.yaml:1:26: error: Scene/a[0]: the prefab \"twig\" was deleted at "
         "in/old.yaml:2:1 [base]\n"},
        {"in/a.map.yaml", "entities: [{base: torch}]\n",
         "in/a.map.yaml:1:19: error: Scene/a[0]: the prefab \"torch\" was renamed at "
         "in/old.yaml:3:1 to \"Thing/lamps\", which does not exist [base]\n"},
        {"in/b.yaml", "Box: {b: {of: twig}}\n",
         "in/b.yaml:1:15: error: Box/b.of: \"Thing/twig\" was deleted at in/old.yaml:2:1, but this "
         "reference cannot be null [reference]\n"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char *out, *err;
        same_row row = {rules,
                        {{"in/old.yaml", "stick: ~\ntwig: stick\ntorch: lamps\n"},
                         {"in/a.yaml", "Thing: {lamp: {parts: []}}\n"},
                         {cases[i].file, cases[i].text}},
                        NULL};
        same_write(scene_types, &row);
        assert_int_equal(bake_call("-q -s s.yaml -C in -o own.kiln .", &out, &err), 1);
        if (strncmp(err, cases[i].says, strlen(cases[i].says)) != 0)
            fail_msg("case %zu: %s", i, err);
        free(out);
        free(err);
    }
}

/* A file dumped before an id was renamed still bakes, in any order of documents. */
static void renames_apply_to_accepted_ids(void **state)
{
    (void)state;
    static const char text[] = "Item: {a: {next: b}, c: {next: d}}\naccepted: {Item: [b, d, b]}\n";
    static const char *const orders[] = {"in/0.yaml", "in/z.yaml"};
    for (size_t i = 0; i < COUNT(orders); i++) {
        char rules[200];
        size_t size = 0, plain_size = 0;
        snprintf(rules, sizeof rules,
                 "files:\n  - {match: %s, shape: renames, type: Item}\n"
                 "  - {match: '*', shape: kinds}\n",
                 orders[i] + 3);
        same_row row = {rules, {{"in/k.yaml", text}, {orders[i], "b: a\n"}}, NULL};
        same_row plain = {NULL,
                          {{"in/k.yaml", "Item: {a: {next: a}, c: {next: d}}\n"
                                         "accepted: {Item: [d]}\nrenames: {Item: {b: a}}\n"}},
                          NULL};
        same_write(types, &row);
        char *bytes = same_bytes("-q -s s.yaml -C in -o x.kiln .", "x.kiln", &size);
        same_write(types, &plain);
        char *other = same_bytes("-q -s s.yaml -C in -o x.kiln .", "x.kiln", &plain_size);
        assert_int_equal(size, plain_size);
        assert_memory_equal(bytes, other, size);
        free(bytes);
        free(other);
    }
}

/* The work for cycles and chains is proportional to the input. */
static void each_link_of_a_long_chain_is_followed_once(void **state)
{
    (void)state;
    same_row row = {RENAMES, {{"in/a.yaml", "Item: {a: {next: k0}, k20000: {}}\n"}}, NULL};
    same_write(types, &row);
    FILE *file = fopen("in/old.yaml", "wb");
    assert_non_null(file);
    for (unsigned i = 0; i < 20000; i++)
        fprintf(file, "k%u: k%u\n", i, i + 1);
    assert_int_equal(fclose(file), 0);
    bake_well("-q -s s.yaml -C in -o own.kiln .");
}

static void no_failing_allocation_is_fatal(void **state)
{
    (void)state;
    same_row row = {
        "accepted: {Item: [far]}\n" RENAMES,
        {{"in/old.yaml", "sword: blade\nblade: katana\ngone: ~\n"},
         {"in/a.yaml", "Item: {a: {next: sword, all: [far, blde]}, katana: {next: gone}}\n"}},
        NULL};
    same_write(types, &row);
    failing_bake("-q -s s.yaml -C in -o x.kiln .", 1);
    same_row listed = {
        NULL, {{"in/a.yaml", "Item: {a: {next: far}}\naccepted: {Item: [far], Odd: [x]}\n"}}, NULL};
    same_write(types, &listed);
    failing_bake("-q -s s.yaml -C in -o x.kiln .", 0);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, fixture_enter, fixture_leave)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(renamed_ids_refer_to_the_new_asset),
        IN_FOLDER(accepted_ids_become_imports),
        IN_FOLDER(errors_show_where_an_id_was_renamed),
        IN_FOLDER(renames_apply_to_accepted_ids),
        IN_FOLDER(each_link_of_a_long_chain_is_followed_once),
        IN_FOLDER(no_failing_allocation_is_fatal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
