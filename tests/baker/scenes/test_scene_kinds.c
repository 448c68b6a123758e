/* Scenes in documents of shape `kinds`, as in a dump, and features that only dumps need. */
#include "scene_text.h"

#define COUNT(table) (sizeof(table) / sizeof *(table))

static const char schema_text[] = "kiln: 1\n"
                                  "namespace: game\n"
                                  "types:\n"
                                  "  Number: {wrap: u32, entity: true}\n"
                                  "  Item: {struct: {price: {type: u8, default: 1}}, asset: true}\n"
                                  "  Place: {struct: {x: i32}}\n"
                                  "  Link: {struct: {to: entity}}\n"
                                  "  Row: {struct: {to: entity, item: ref<Item>?, all: "
                                  "\"Number[]\", name: string}, component: row}\n"
                                  "files:\n"
                                  "  - {match: \"*.prefabs.yaml\", shape: prefabs}\n"
                                  "  - match: \"*.zone.yaml\"\n"
                                  "    shape: scene\n"
                                  "    kind: Zone\n"
                                  "    keys: {name: uid, components: parts, by: type}\n"
                                  "  - {match: \"*.scene.yaml\", shape: scene, parent: Link.to}\n";

typedef struct good_case {
    const char *file, *text, *kind, *expected;
} good_case;

static void check_good(const good_case *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(system("rm -rf in && mkdir in"), 0);
        fixture_write("s.yaml", schema_text);
        fixture_write("in/p.prefabs.yaml", "stone: {components: {Place: {x: 7}}}\n");
        char path[64];
        snprintf(path, sizeof path, "in/%s", cases[i].file);
        fixture_write(path, cases[i].text);
        scene_check(cases[i].kind, "a", cases[i].expected);
    }
}

static void documents_by_kind_may_contain_scenes(void **state)
{
    static const good_case cases[] = {
        {"all.yaml", "Scene:\n  a: {entities: [{name: b, components: {Place: {x: 1}}}]}\n", "Scene",
         "b: Place{x:1}\n"},
        {"all.yaml",
         "Item: {i: {}}\n"
         "Zone: {a: {entities: [{name: b, components: {Place: {x: 1}}}, {base: stone}]}}\n"
         "Scene: {b: {entities: []}}\n",
         "Zone", "b: Place{x:1}\n#1: Place{x:7}\n"},
        {"all.yaml", "Scene: ~\nZone: {a: {scenes: [{scene: b, name: s}]}, b: {entities: [{}]}}\n",
         "Zone", "#0:\n"},
        /* A rule's key for parents applies only to its own documents. */
        {"all.yaml",
         "Scene: {a: {entities: [{name: b, components: {Link: {to: ~}}, children: [{name: "
         "c}]}]}}\n",
         "Scene", "b/c:\nb: Link{to:~}\n"},
    };
    (void)state;
    check_good(cases, COUNT(cases));
}

static void entities_are_found_by_path_and_index(void **state)
{
    static const good_case cases[] = {
        {"a.scene.yaml",
         "entities:\n"
         "- {path: b/c, components: {Link: {to: b/d}}}\n"
         "- {name: e, components: {Link: {to: b/c}}}\n"
         "- {path: b/d, components: {Link: {to: e}}}\n",
         "Scene", "b/c: Link{to:b/d}\ne: Link{to:b/c}\nb/d: Link{to:e}\n"},
        /* The whole path is looked up before its parts. */
        {"a.scene.yaml",
         "entities:\n"
         "- {name: b, children: [{name: d}]}\n"
         "- {path: b/c, components: {Link: {to: b/d}}}\n"
         "- {components: {Link: {to: b/c}}}\n",
         "Scene", "b:\nb/c: Link{to:b/d}\n#2: Link{to:b/c}\nb/d: Link{to:b}\n"},
        /* The part after the name of a nested scene is also looked up as a whole first. */
        {"all.yaml",
         "Scene:\n"
         "  a: {entities: [{components: {Link: {to: s/b/c}}}], scenes: [{scene: n, name: s,\n"
         "      overrides: {b/c: {components: {Place: {x: 2}}}}}]}\n"
         "  n: {entities: [{path: b/c}, {path: b/d, components: {Link: {to: \"#0\"}}}]}\n",
         "Scene", "#0: Link{to:s/b/c}\ns/b/d: Link{to:s/b/c}\ns/b/c: Place{x:2}\n"},
        {"a.scene.yaml",
         "entities: [{components: {Link: {to: \"#2\"}}}, {}, {components: {Link: {to: \"#0\"}}}]\n",
         "Scene", "#0:\n#1: Link{to:#2}\n#2: Link{to:#1}\n"},
    };
    (void)state;
    check_good(cases, COUNT(cases));
}

static void numbers_of_entities_are_those_of_the_file(void **state)
{
    static const good_case cases[] = {
        {"a.scene.yaml",
         "entities:\n"
         "- {name: r, components: {Row: {all: [r, p, \"#1\", q, s/t, ~], name: r}}}\n"
         "- {name: p, components: {Place: {x: 1}}}\n"
         "- {name: q, components: {Row: {name: q}}}\n"
         "- {name: s, children: [{name: t}]}\n",
         "Scene",
         "s:\ns/t: Link{to:s}\np: Place{x:1}\n"
         "r: Row_row{to:~ item:- all:[{value:4} {value:3} {value:3} {value:5} {value:2} "
         "{value:0}] name:'r'}\n"
         "q: Row_row{to:~ item:- all:- name:'q'}\n"},
        /* In a document of shape `kinds`, digits are an entity's number, and any other text is a
         * name. */
        {"all.yaml",
         "Scene: {a: {entities: [{name: \"1\", components: {game.Row_row: {all: [2, 1, 0, b], "
         "name: "
         "r}}},\n"
         "  {name: b, components: {Place: {x: 1}}}]}}\n",
         "Scene",
         "b: Place{x:1}\n"
         "1: Row_row{to:~ item:- all:[{value:2} {value:1} {value:0} {value:1}] name:'r'}\n"},
    };
    (void)state;
    check_good(cases, COUNT(cases));
}

typedef struct bad_case {
    const char *file, *text, *expected;
} bad_case;

static void invalid_paths_and_references_are_reported(void **state)
{
    static const bad_case cases[] = {
        {"a.scene.yaml", "entities: [{path: b/c, name: d}]\n",
         "an entity with a `path` cannot have a `name` or `children`"},
        {"a.scene.yaml", "entities: [{path: b/c, children: []}]\n",
         "an entity with a `path` cannot have a `name` or `children`"},
        {"a.scene.yaml", "entities: [{name: b, children: [{path: c/d}]}]\n",
         "only entities in the list of a scene may have a `path`"},
        {"p2.prefabs.yaml", "b: {path: c}\n", "a prefab cannot have a path: its key is its name"},
        {"a.scene.yaml", "entities: [{path: \"b#c\"}]\n",
         "invalid `path`: use at most 1024 bytes, without `#` or control characters"},
        {"a.scene.yaml", "entities: [{path: b/c}, {path: b/c}]\n",
         "the name \"b/c\" is already given at"},
        {"a.scene.yaml", "entities: [{path: b/c}, {name: b, children: [{name: c}]}]\n",
         "another entity has the path \"b/c\""},
        {"a.scene.yaml", "entities: [{components: {Link: {to: \"#1\"}}}]\n",
         "the scene has no entity \"#1\""},
        {"a.scene.yaml", "entities: [{components: {Link: {to: \"#0x0\"}}}]\n",
         "the scene has no entity \"#0x0\""},
        {"a.scene.yaml", "entities: [{components: {Link: {to: \"#99999999999\"}}}]\n",
         "the scene has no entity \"#99999999999\""},
        {"a.scene.yaml", "entities: [{components: {Row: {all: [\"#1\"], name: r}}}]\n",
         "unknown entity \"#1\""},
        {"all.yaml", "Scene: {a: {entities: [{components: {Row: {all: [2], name: r}}}]}}\n",
         "unknown entity \"2\""},
        {"all.yaml", "Scene: [a]\n", "expected a mapping of ids to scenes"},
        {"all.yaml", "Scene: {a: 3}\n", "expected a mapping for a scene"},
        {"all.yaml", "Zone: {a: {entities: [{uid: 3}]}}\n", "unknown key \"uid\""},
        {"a.zone.yaml", "entities: [{path: b/c}]\n", "unknown key \"path\""},
        {"all.yaml", "Room: {a: {}}\n", "no rule under `files` in the schema matches \"all.yaml\""},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        char path[64], *err;
        assert_int_equal(system("rm -rf in && mkdir in"), 0);
        fixture_write("s.yaml", schema_text);
        snprintf(path, sizeof path, "in/%s", cases[i].file);
        fixture_write(path, cases[i].text);
        char *out;
        int code = bake_call("-q -s s.yaml -o o.kiln -C in .", &out, &err);
        if (code != 1 || !strstr(err, cases[i].expected))
            fail_msg("case %zu: exit code %d: %s", i, code, err);
        free(out);
        free(err);
    }
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, fixture_enter, fixture_leave)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(documents_by_kind_may_contain_scenes),
        IN_FOLDER(entities_are_found_by_path_and_index),
        IN_FOLDER(numbers_of_entities_are_those_of_the_file),
        IN_FOLDER(invalid_paths_and_references_are_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
