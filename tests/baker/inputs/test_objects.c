/* Objects: one per document, with the class in the tag and the number in the anchor, and references
 * by these numbers. */
#include "failing_bake.h"
#include "same_bake.h"

#include "asset_guids.h"

static const char types[] =
    "  Guid: {wrap: {type: 'u8[4]', hex: true}}\n"
    "  Object: {wrap: {type: ref?, local: fileID}}\n"
    "  Pointer:\n"
    "    struct:\n"
    "      fileID: i64\n"
    "      guid: Guid?\n"
    "      object: {type: ref?, local_by: fileID}\n"
    "  Node:\n"
    "    struct:\n"
    "      x: {type: u8, default: 1}\n"
    "      to: {type: ref<Node>?, local: fileID}\n"
    "      must: {type: ref, local: fileID, default: Node/a.unity#1}\n"
    "      all: Object[]\n"
    "      mesh: {type: Pointer, default: {fileID: 0}}\n"
    "      key: {type: 'u8[2]?', hex: true}\n"
    "      loose: Loose?\n"
    "    asset: true\n"
    "  Loose: {struct: {to: Object, rest: {type: 'map<string, u8>', rest: true}}}\n"
    "  Bare: {struct: {x: {type: u8, default: 1}, at: Object}, asset: true, kind: Node.stripped}\n"
    "  Script: {struct: {id: string, on: {type: bool, default: false}}, asset: true}\n"
    "  Door: {struct: {id: string, opens: u8}, asset: true, kind: Script.d00r}\n"
    "  Info: {struct: {guid: Guid, to: Object}, asset: true}\n";

#define HEAD "%YAML 1.1\n%TAG !u! tag:u,1:\n"
#define RULES(more)                                                                                \
    "files:\n"                                                                                     \
    "  - {match: '*.meta', shape: one, type: Info, id: file}\n"                                    \
    "  - {match: '*.unity', shape: objects, tag: 'tag:u,1:'" more "}\n"

/* The default targets of references. */
#define FIRST "--- !u!4 &1\nNode: {}\n"
#define FIRST_PLAIN "a.unity#1: {}"

static void objects_are_named_by_file_and_number(void **state)
{
    (void)state;
    static const same_row rows[] = {
        {RULES(""),
         {{"in/a.unity", HEAD FIRST "--- !u!4 &2\nNode: {x: 2}\n--- !u!8 &-3\nScript: {id: s}\n"},
          {"in/b.c.unity", HEAD "--- !u!4 &2\nNode: {x: 3}\n"},
          {"in/empty.unity", "\n"}},
         "Node: {" FIRST_PLAIN ", a.unity#2: {x: 2}, b.c.unity#2: {x: 3}}\n"
         "Script: {a.unity#-3: {id: s}}\n"},
        {RULES(", id: path"),
         {{"in/a.unity", HEAD "--- !u!4 &x\nNode: {must: Node/a#x}\n"}},
         "Node: {a#x: {must: Node/a#x}}\n"},
        {RULES(", id: '=one'"),
         {{"in/a.unity", HEAD "--- !u!4 &x\nNode: {must: {fileID: 7}}\n--- !u!4 &7\n"
                              "Node: {must: {fileID: 7}}\n"}},
         "Node: {one#x: {must: Node/one#7}, one#7: {must: Node/one#7}}\n"},
    };
    same_check(types, rows, COUNT(rows));
}

static void the_kind_is_chosen_by_the_word_stripped_and_by_value(void **state)
{
    (void)state;
    static const same_row rows[] = {
        {RULES(""),
         {{"in/a.unity", HEAD FIRST "--- !u!4 &2 stripped\nNode: {at: {fileID: 1}}\n"
                                    "--- !u!8 &3 stripped\nScript: {id: d00r}\n"}},
         "Node: {" FIRST_PLAIN "}\nNode.stripped: {a.unity#2: {at: Node/a.unity#1}}\n"
         "Script: {a.unity#3: {id: d00r}}\n"},
        {RULES(", by: id"),
         {{"in/a.unity", HEAD "--- !u!8 &3\nScript: {id: d00r, opens: 2}\n--- !u!8 &4\n"
                              "Script: {id: other}\n--- !u!8 &5 stripped\nScript: {id: d00r}\n"}},
         "Script.d00r: {a.unity#3: {id: d00r, opens: 2}}\n"
         "Script: {a.unity#4: {id: other}, a.unity#5: {id: d00r}}\n"},
        {RULES(", by: mesh.guid"),
         {{"in/a.unity", HEAD FIRST "--- !u!4 &2\nNode: {mesh: {fileID: 1, guid: 00000000}}\n"}},
         "Node: {" FIRST_PLAIN ", a.unity#2: {mesh: {fileID: 1, guid: [0, 0, 0, 0]}}}\n"},
    };
    same_check(types, rows, COUNT(rows));
}

static void numbers_refer_to_objects_of_the_same_file(void **state)
{
    (void)state;
    static const same_row rows[] = {
        {RULES(""),
         {{"in/a.unity", HEAD FIRST "--- !u!4 &2\nNode:\n  to: {fileID: 3}\n  must: {fileID: 4}\n"
                                    "--- !u!4 &3\nNode: {to: {fileID: 0}, must: {fileID: 2}}\n"
                                    "--- !u!4 &4 stripped\nNode: {at: {fileID: -5}}\n"
                                    "--- !u!8 &-5\nScript: {id: s}\n"}},
         "Node: {" FIRST_PLAIN ", a.unity#2: {to: a.unity#3, must: Node.stripped/a.unity#4},\n"
         "  a.unity#3: {to: ~, must: Node/a.unity#2}}\n"
         "Node.stripped: {a.unity#4: {at: Script/a.unity#-5}}\nScript: {a.unity#-5: {id: s}}\n"},
        {RULES(""),
         {{"in/a.unity", HEAD FIRST
           "--- !u!4 &2\nNode:\n  all: [{fileID: 2}, {fileID: 0}, ~, Node/a.unity#1]\n"}},
         "Node: {" FIRST_PLAIN ", a.unity#2: {all: [Node/a.unity#2, ~, ~, Node/a.unity#1]}}\n"},
        /* The field `to` may be written between keys that are not fields. */
        {RULES(""),
         {{"in/a.unity",
           HEAD FIRST "--- !u!4 &2\nNode: {loose: {a: 1, to: {fileID: 1}, b: 2, c: 3}}\n"}},
         "Node: {" FIRST_PLAIN ", a.unity#2: {loose: {to: Node/a.unity#1, a: 1, b: 2, c: 3}}}\n"},
        /* The same number in another file is a different object. */
        {RULES(""),
         {{"in/a.unity", HEAD FIRST},
          {"in/b.unity", HEAD "--- !u!8 &1\nScript: {id: s}\n"
                              "--- !u!4 &2\nNode: {must: {fileID: 1}}\n"}},
         "Node: {" FIRST_PLAIN ", b.unity#2: {must: Script/b.unity#1}}\n"
         "Script: {b.unity#1: {id: s}}\n"},
        {RULES(""),
         {{"in/a.unity", HEAD FIRST "--- !u!4 &2\nNode: {mesh: {fileID: 1}}\n"
                                    "--- !u!4 &3\nNode: {mesh: {fileID: 7, guid: 0aF09900}}\n"
                                    "--- !u!4 &4\nNode: {mesh: {fileID: 0}}\n"}},
         "Node: {" FIRST_PLAIN ",\n"
         "  a.unity#2: {mesh: {fileID: 1, guid: ~, object: Node/a.unity#1}},\n"
         "  a.unity#3: {mesh: {fileID: 7, guid: [10, 0xf0, 0x99, 0], object: ~}},\n"
         "  a.unity#4: {mesh: {fileID: 0, guid: ~, object: ~}}}\n"},
        /* In a file without objects, a reference can only contain the number 0. */
        {RULES(""),
         {{"in/a.unity", HEAD FIRST}, {"in/b.meta", "guid: 00112233\nto: {fileID: 0}\n"}},
         "Node: {" FIRST_PLAIN "}\nInfo: {b.meta: {guid: [0, 0x11, 0x22, 0x33], to: ~}}\n"},
    };
    same_check(types, rows, COUNT(rows));
}

static const char guid_types[] =
    "  Pointer: {struct: {id: i64, guid: string?, type: u8?, to: {type: ref?, local_by: id, "
    "file_by: "
    "guid}}}\n"
    "  Any: {wrap: {type: ref?, local: id, file_by: guid, beside: type}}\n"
    "  Node:\n"
    "    struct:\n"
    "      p: {type: Pointer, default: {id: 0}}\n"
    "      any: Any\n"
    "      all: Any[]\n"
    "      node: {type: ref<Node>?, local: id, file_by: guid, beside: [type, more]}\n"
    "      must: {type: ref, local: id, file_by: guid, default: Single/one}\n"
    "    asset: true\n"
    "  Leaf: {struct: {x: {type: u8, default: 1}}, asset: true}\n"
    "  Single: {struct: {x: {type: u8, default: 1}}, asset: true}\n"
    "  Note: {struct: {guid: string, x: {type: u8, default: 1}}, asset: true}\n";

#define GUID_RULES(more)                                                                           \
    "files:\n"                                                                                     \
    "  - {match: '*.meta', shape: guids, key: guid" more "}\n"                                     \
    "  - {match: '*.unity', shape: objects, tag: 'tag:u,1:', whole: 100}\n"                        \
    "  - {match: '*.one', shape: one, type: Single}\n"
#define ONE                                                                                        \
    {                                                                                              \
        "in/one.one", "{}\n"                                                                       \
    }
#define ONE_PLAIN "Single: {one: {}}\n"

static void guids_refer_to_objects_of_other_files(void **state)
{
    (void)state;
    static const same_row rows[] = {
        {GUID_RULES(""),
         {ONE,
          {"in/a.unity", HEAD "--- !u!1 &1\nNode:\n  p: {id: 2, guid: b, type: 3}\n"
                              "  any: {id: 3, guid: b, type: 3}\n"
                              "  all: [{id: 2, guid: b}, {id: 0, guid: zero, type: 0}, {id: 1}, "
                              "{id: 1, guid: a}, {id: 0}, ~]\n"
                              "  node: {more: [x], id: 2, guid: b}\n  must: {id: 3, guid: b}\n"},
          {"in/a.unity.meta", "guid: a\nother: [1]\n"},
          {"in/x/b.unity", HEAD "--- !u!1 &2\nNode: {}\n--- !u!2 &3\nLeaf: {}\n"},
          {"in/x/b.unity.meta", "guid: b\n"}},
         ONE_PLAIN "Node:\n  a.unity#1: {p: {id: 2, guid: b, type: 3, to: Node/x/b.unity#2},\n"
                   "    any: Leaf/x/b.unity#3, all: [Node/x/b.unity#2, ~, Node/a.unity#1,\n"
                   "    Node/a.unity#1, ~, ~], node: x/b.unity#2, must: Leaf/x/b.unity#3}\n"
                   "  x/b.unity#2: {}\nLeaf: {x/b.unity#3: {}}\n"},
        /* A guid may look like a number. Null is not a guid. */
        {GUID_RULES(""),
         {ONE,
          {"in/a.unity",
           HEAD "--- !u!1 &1\nNode:\n  p: {id: 1, guid: ~}\n  any: {id: 7, guid: 007}\n"
                "  node: {id: 1, guid: }\n"},
          {"in/b.unity", HEAD "--- !u!2 &7\nLeaf: {}\n"},
          {"in/b.unity.meta", "guid: 007\n"}},
         ONE_PLAIN "Node: {a.unity#1: {p: {id: 1, to: Node/a.unity#1}, any: Leaf/b.unity#7,\n"
                   "  node: a.unity#1}}\nLeaf: {b.unity#7: {}}\n"},
        /* The rule of an object's own file determines its id. */
        {"files:\n"
         "  - {match: '*.meta', shape: guids, key: guid, suffix: .meta}\n"
         "  - {match: 'b.unity', shape: objects, tag: 'tag:u,1:', id: stem}\n"
         "  - {match: '*.unity', shape: objects, tag: 'tag:u,1:', id: '=x'}\n",
         {{"in/a.unity", HEAD "--- !u!1 &1\nNode: {must: {id: 7, guid: b}, any: {id: 1}}\n"},
          {"in/b.unity", HEAD "--- !u!2 &7\nLeaf: {}\n"},
          {"in/b.unity.meta", "guid: b\n"}},
         "Node: {x#1: {must: Leaf/b#7, any: Node/x#1}}\nLeaf: {b#7: {}}\n"},
    };
    same_check(guid_types, rows, COUNT(rows));
}

static void guids_refer_to_files(void **state)
{
    (void)state;
    static const char accepted[] =
        "accepted: {File: [gone, x/s.cs, a.unity], Node: [x/s.cs, gone]}\n"
        "files:\n  - {match: '*.none', shape: guids, key: guid}\n";
    static const same_row rows[] = {
        /* References by guid: to a file with one asset, to a file without assets, to a file of
         * objects, and to a file outside the run. */
        {"accepted: {File: [gone], Node: [gone]}\n" GUID_RULES(""),
         {ONE,
          {"in/one.one.meta", "guid: 1\n"},
          {"in/x/s.cs.meta", "guid: s\n"},
          {"in/a.unity", HEAD "--- !u!1 &1\nNode:\n"
                              "  all: [{id: 5, guid: 1}, {id: 6, guid: s}, {id: 100, guid: a},\n"
                              "    {id: 3, guid: gone}, {id: 4, guid: gone}]\n"
                              "  node: {id: 1, guid: s}\n"
                              "--- !u!1 &2\nNode: {node: {id: 1, guid: gone}}\n"},
          {"in/a.unity.meta", "guid: a\n"}},
         ONE_PLAIN "Node: {a.unity#1: {all: [Single/one, File/x/s.cs, File/a.unity, File/gone,\n"
                   "  File/gone], node: x/s.cs}, a.unity#2: {node: gone}}\n"},
        /* A file that defines the guid of another file may be an asset, too. */
        {GUID_RULES(", type: Note, id: file"),
         {ONE,
          {"in/x/s.cs.meta", "{guid: s, x: 3}\n"},
          {"in/a.unity", HEAD "--- !u!1 &1\nNode: {any: {id: 6, guid: s}, must: File/x/s.cs}\n"}},
         ONE_PLAIN "Node: {a.unity#1: {any: File/x/s.cs, must: File/x/s.cs}}\n"
                   "Note: {x/s.cs.meta: {guid: s, x: 3}}\n"},
    };
    static const char of_paths[] =
        "accepted: {Path: [b.unity]}\n"
        "files:\n  - {match: '*.none', shape: guids, key: guid, kind: Path}\n";
    static const same_row path_rows[] = {
        {GUID_RULES(", kind: Path"),
         {ONE,
          {"in/a.unity", HEAD "--- !u!1 &1\nNode: {any: {id: 6, guid: l}}\n"},
          {"in/b.unity.meta", "guid: l\n"}},
         ONE_PLAIN "Node: {a.unity#1: {any: Path/b.unity}}\n"},
    };
    same_check_under(guid_types, accepted, rows, COUNT(rows));
    same_check_under(guid_types, of_paths, path_rows, COUNT(path_rows));
}

static void wrong_targets_of_guids_are_reported(void **state)
{
    static const struct {
        const char *text, *expected;
    } rows[] = {
        {"Node: {node: {id: 1, guid: 1}}\n",
         "expected a reference to game.Node, found \"Single/one\""},
        /* The first reference names the file `lost`, but does not define its guid. */
        {"Node: {must: File/lost}\n--- !u!1 &2\nNode: {any: {id: 1, guid: lost}}\n",
         "unknown guid \"lost\""},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++) {
        same_row row = {GUID_RULES(""), {ONE, {"in/one.one.meta", "guid: 1\n"}}, NULL};
        char text[200], *out, *err;
        snprintf(text, sizeof text, "%s--- !u!1 &1\n%s", HEAD, rows[i].text);
        row.files[2] = (same_file){"in/a.unity", text};
        same_write(guid_types, &row);
        assert_int_equal(bake_call("-q -s s.yaml -C in -o own.kiln .", &out, &err), 1);
        assert_non_null(strstr(err, rows[i].expected));
        assert_non_null(strstr(err, "1 error"));
        free(out);
        free(err);
    }
}

static void hex_digits_are_bytes(void **state)
{
    (void)state;
    static const same_row rows[] = {
        {RULES(""),
         {{"in/a.unity",
           HEAD FIRST "--- !u!4 &2\nNode: {key: 1e02}\n--- !u!4 &3\nNode: {key: 'ABcd'}\n"
                      "--- !u!4 &4\nNode: {key: ~}\n--- !u!4 &5\nNode: {key: [1, 2]}\n"}},
         "Node: {" FIRST_PLAIN ", a.unity#2: {key: [30, 2]}, a.unity#3: {key: [0xab, 0xcd]},\n"
         "  a.unity#4: {key: ~}, a.unity#5: {key: [1, 2]}}\n"},
    };
    same_check(types, rows, COUNT(rows));
}

static void folders_are_searched_for_the_extensions_in_rules(void **state)
{
    (void)state;
    static const same_row rows[] = {
        /* Files that match no rule are skipped, and so are files whose rule names no extension. */
        {"files:\n  - {match: 'in/*.txt', shape: kinds}\n"
         "  - {match: '*.unity', shape: objects, tag: 'tag:u,1:'}\n"
         "  - {match: 'x/**', shape: kinds}\n",
         {{"in/a.unity", HEAD FIRST}, {"in/b.txt", "["}, {"in/c.yml", "Script: {s: {id: t}}\n"}},
         "Node: {" FIRST_PLAIN "}\nScript: {s: {id: t}}\n"},
        {"files:\n  - {match: 'tags.asset', shape: kinds}\n  - {match: '**', shape: kinds}\n",
         {{"in/tags.asset", "Script: {s: {id: t}}\n"},
          {"in/mytags.asset", "["},
          {"in/.c.yml", "["}},
         "Script: {s: {id: t}}\n"},
    };
    same_check(types, rows, COUNT(rows));
}

static void check_failing_allocations(const char *its_types, const same_row *row, int expected)
{
    same_write(its_types, row);
    failing_bake("-q -s s.yaml -C in -o x.kiln .", expected);
}

static void no_failing_allocation_is_fatal(void **state)
{
    (void)state;
    static const same_row local = {
        RULES(", by: id"),
        {{"in/a.unity",
          HEAD FIRST "--- !u!4 &2\nNode: {to: {fileID: 1}, all: [{fileID: 3}], mesh: {fileID: 2},\n"
                     "  key: 0a0b}\n--- !u!8 &3\nScript: {id: d00r, opens: 1}\n"}},
        NULL};
    static const same_row wrong = {
        RULES(", by: id"),
        {{"in/a.unity", HEAD "--- !u!4 &2\nNode: {to: {fileID: 1}, all: [{fileID: 7}], must: "
                             "{fileID: 2}, key: x}\n"
                             "--- !u!8 &2\nScript: {id: d00r, opens: 1}\n--- x\n"}},
        NULL};
    static const same_row guids = {
        "accepted: {File: [gone]}\n" GUID_RULES(", type: Note, id: file"),
        {ONE,
         {"in/a.unity",
          HEAD "--- !u!1 &1\nNode: {p: {id: 1, guid: a}, all: [{id: 1, guid: s}, {id: "
               "3, guid: gone}], node: {id: 1, guid: s}}\n"},
         {"in/a.unity.meta", "guid: a\n"},
         {"in/s.cs.meta", "guid: s\n"}},
        NULL};
    static const same_row wrong_guids = {
        GUID_RULES(""),
        {{"in/a.unity", HEAD "--- !u!1 &1\nNode: {p: {id: 2, guid: a}, any: {id: 1, guid: b}}\n"},
         {"in/a.unity.meta", "guid: a\n---\nguid: a\n---\n{}\n"}},
        NULL};
    check_failing_allocations(types, &local, 0);
    check_failing_allocations(types, &wrong, 1);
    check_failing_allocations(guid_types, &guids, 0);
    check_failing_allocations(guid_types, &wrong_guids, 1);
}

static void many_files_are_found_by_their_guids(void **state)
{
    enum { FILES = 1000 };
    char guid[16], path[16];
    const bake_guid *other;
    bake_guids *guids = bake_guids_create();
    (void)state;
    assert_non_null(guids);
    assert_null(bake_guids_find(NULL, "0", 1));
    assert_null(bake_guids_find(guids, "0", 1));
    for (int i = 0; i < FILES; i++) {
        bake_guid added = {.guid = guid, .path = path};
        added.length = (size_t)snprintf(guid, sizeof guid, "%d", i);
        added.path_length = (size_t)snprintf(path, sizeof path, "%d.png", i);
        assert_true(bake_guids_add(guids, &added, &other));
        assert_null(other);
    }
    assert_int_equal(FILES, guids->count);
    for (int i = 0; i < FILES; i++) {
        size_t length = (size_t)snprintf(guid, sizeof guid, "%d", i);
        const bake_guid *found = bake_guids_find(guids, guid, length);
        snprintf(path, sizeof path, "%d.png", i);
        assert_non_null(found);
        assert_string_equal(path, found->path);
    }
    assert_null(bake_guids_find(guids, "1000", 4));
    bake_guid again = {.guid = "7", .length = 1, .path = "other.png", .path_length = 9};
    assert_true(bake_guids_add(guids, &again, &other));
    assert_non_null(other);
    assert_string_equal("7.png", other->path);
    assert_int_equal(FILES, guids->count);
    bake_guids_destroy(guids);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_files_are_found_by_their_guids),
        cmocka_unit_test_setup_teardown(objects_are_named_by_file_and_number, fixture_enter,
                                        fixture_leave),
        cmocka_unit_test_setup_teardown(the_kind_is_chosen_by_the_word_stripped_and_by_value,
                                        fixture_enter, fixture_leave),
        cmocka_unit_test_setup_teardown(numbers_refer_to_objects_of_the_same_file, fixture_enter,
                                        fixture_leave),
        cmocka_unit_test_setup_teardown(guids_refer_to_objects_of_other_files, fixture_enter,
                                        fixture_leave),
        cmocka_unit_test_setup_teardown(guids_refer_to_files, fixture_enter, fixture_leave),
        cmocka_unit_test_setup_teardown(wrong_targets_of_guids_are_reported, fixture_enter,
                                        fixture_leave),
        cmocka_unit_test_setup_teardown(hex_digits_are_bytes, fixture_enter, fixture_leave),
        cmocka_unit_test_setup_teardown(no_failing_allocation_is_fatal, fixture_enter,
                                        fixture_leave),
        cmocka_unit_test_setup_teardown(folders_are_searched_for_the_extensions_in_rules,
                                        fixture_enter, fixture_leave),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
