/* Guesses that need several passes. Each comes with similar data that does not support the guess.
 */
#include "failing_bake.h"
#include "infer_example.h"

#define COUNT(table) (sizeof(table) / sizeof *(table))

#define PARTS                                                                                      \
    {                                                                                              \
        "data/parts.yaml",                                                                         \
            "- {type: part, id: BrassCog, mass: 3}\n- {type: part, id: OakBeam, mass: 9}\n"        \
            "- {type: part, id: wheel, mass: 4}\n- {type: tool, id: wheel, grip: 1}\n"             \
            "- {type: tool, id: saw, grip: 2}\n- {type: tool, id: file, grip: 2}\n"                \
    }

static const example references[] = {
    {"one_distinctive_id_is_a_reference",
     {PARTS, {"data/m/mill.yaml", "axis: BrassCog\nspeed: 1\n"}},
     {"axis: ref<Part>  # 1 of 1 values are ids of Part"}},
    {"one_ordinary_word_is_not_a_reference",
     {PARTS, {"data/m/mill.yaml", "axis: saw\nspeed: 1\n"}},
     {"axis: string", "NOT ref<"}},
    {"a_capital_after_any_small_letter_begins_a_word",
     {{"data/parts.yaml",
       "- {type: part, id: TunaFish, mass: 3}\n- {type: part, id: wheel, mass: 4}\n"
       "- {type: tool, id: saw, grip: 1}\n- {type: tool, id: file, grip: 2}\n"},
      {"data/m/mill.yaml", "axis: TunaFish\nspeed: 1\n"}},
     {"axis: ref<Part>  # 1 of 1 values are ids of Part"}},
    {"one_word_is_a_reference_under_a_key_that_names_references",
     {PARTS, {"data/m/mill.yaml", "axisPrototype: saw\nspeed: 1\n"}},
     {"axisPrototype: ref<Tool>  # doubtful: 1 of 1"}},
    {"one_word_is_a_reference_if_others_under_its_key_are",
     {{"data/parts.yaml", "- {type: part, id: BrassCog, from: saw}\n- {type: part, id: beam, "
                          "from: plane}\n- {type: part, id: wheel, from: file}\n"
                          "- {type: tool, id: saw, grip: 2}\n- {type: tool, id: plane, grip: 2}\n"
                          "- {type: tool, id: file, grip: 2}\n"},
      {"data/m/mill.yaml", "made: {from: file, speed: 1}\n"}},
     {"from: ref<Tool>  # 1 of 1"}},
    {"of_two_kinds_the_one_with_other_references_is_chosen",
     {{"data/a.yaml", "- {type: tool, id: oak, grip: 1}\n- {type: tool, id: elm, grip: 2}\n"
                      "- {type: wood, id: oak, hard: 1}\n- {type: wood, id: elm, hard: 2}\n"
                      "- {type: wood, id: BlackPine, hard: 2}\n- {type: wood, id: RedBeech, hard: "
                      "2}\n- {type: wood, id: ash, hard: 2}\n"},
      {"data/m/mill.yaml", "saws: [oak, elm]\ndries: [oak, elm, ash, BlackPine, RedBeech]\n"}},
     {"saws: ref<Wood>[]", "dries: ref<Wood>[]", "NOT ref<Tool>"}},
    {"few_missing_ids_are_accepted_among_distinctive_ones",
     {PARTS, {"data/m/mill.yaml", "parts: [BrassCog, OakBeam, SteelRod]\nspeed: 1\n"}},
     {"part: [SteelRod]", "ref<Part>[]  # doubtful: always 3; each: 2 of 3"}},
    {"many_missing_ids_rule_out_references",
     {PARTS, {"data/m/mill.yaml", "axes: [BrassCog, SteelRod, IronRod, GoldRod]\nspeed: 1\n"}},
     {"axes: string[]", "NOT accepted"}},
    {"bases_with_other_references_are_assets",
     {{"data/a.yaml", "- {type: mob, id: BaseRat, abstract: true, hp: 5}\n"
                      "- {type: mob, id: rat, parent: BaseRat}\n"
                      "- {type: mob, id: cat, hp: 7, eats: BaseRat}\n"}},
     {"abstract: {type: bool, inherit: never, default: false}", "inherit: {parent: parent}",
      "eats: ref<Mob>?"}},
    {"references_to_bases_are_counted",
     {{"data/a.yaml", "- {type: mob, id: BaseRat, abstract: true, hp: 5}\n"
                      "- {type: mob, id: rat, parent: BaseRat}\n- {type: mob, id: cat, hp: 7}\n"},
      {"data/l/b.yaml", "[BaseRat, rat, cat]\n"}},
     {"without cycles; 1 other reference to abstract assets", "wrap: {type: \"ref<Mob>[]\"}"}},
    {"keys_that_are_ids_are_data_if_the_outer_key_suggests_it",
     {PARTS,
      {"data/m/mill.yaml",
       "a: {parts: {BrassCog: 1, OakBeam: 2}, n: 1}\nb: {parts: {BrassCog: 4, OakBeam: 1}, n: 1}\n"
       "c: {parts: {BrassCog: 3, OakBeam: 1}, n: 1}\n"}},
     {"parts: map<ref<Part>, i32>"}},
    {"keys_that_are_not_ids_are_fields",
     {PARTS,
      {"data/m/mill.yaml",
       "a: {parts: {Width: 1, Height: 2}, n: 1}\nb: {parts: {Width: 4, Height: 1}, n: 1}\n"
       "c: {parts: {Width: 3, Height: 1}, n: 1}\n"}},
     {"Width: i32", "NOT map<"}},
};

/* A mapping whose mode occurs in no other mapping. */
#define LAMP(n) "l" n ": {mode: m" n ", w" n ": 1}\n"
#define LAMPS(n) LAMP(n "a") LAMP(n "b") LAMP(n "c") LAMP(n "d") LAMP(n "e")

static const example enums[] = {
    {"one_string_that_is_not_a_name_rules_out_an_enum",
     {{"data/a.yaml", "- {id: a, mode: x.y}\n- {id: b, mode: x.y}\n- {id: c, mode: x.y}\n"
                      "- {id: d, mode: x.y}\n"}},
     {"mode: string", "NOT enum:"}},
    {"words_from_many_positions_may_be_unrelated",
     {{"data/a.yaml", LAMPS("a") LAMPS("b") LAMPS("c") LAMPS("d")}},
     {"mode: string  # 1 value"}},
    {"a_rare_word_is_a_name_if_it_is_one_elsewhere",
     {{"data/a.yaml",
       "lamp: {mode: dim, watts: 3}\nstove: {mode: dim, plates: [1, 2], gas: true}\n"
       "fan: {mode: fast, blades: 3, sound: x.ogg, mode2: 1}\n"
       "clock: {hands: 2, mode: [fast, dim], face: {n: 1}}\nsaw: {teeth: [5], mode: fast, k: "
       "{z: 1}}\nbell: {mode: dim, tone: {a: 5, h: {i: 7}}}\n"}},
     {"mode: Mode  # 1 name in 1 value", "enum: [dim, fast]"}},
    {"repeated_titles_and_paths_stay_strings",
     {{"data/a.yaml", "- {id: a, name: red, icon: x.png, at: 2021-05-01, v: 1.2.3}\n"
                      "- {id: b, name: red, icon: x.png, at: 2021-05-01, v: 1.2.3}\n"
                      "- {id: c, name: red, icon: x.png, at: 2021-05-01, v: 1.2.3}\n"
                      "- {id: d, name: red, icon: x.png, at: 2021-05-01, v: 1.2.3}\n"}},
     {"name: string", "icon: string", "at: string", "v: string", "NOT enum:"}},
    {"an_enum_of_one_repeated_word_is_doubtful",
     {{"data/a.yaml", "- {id: a, mode: dim}\n- {id: b, mode: dim}\n- {id: c, mode: dim}\n"}},
     {"mode: Mode  # doubtful: 1 name in 3 values"}},
    {"two_values_are_too_few_for_an_enum",
     {{"data/a.yaml", "- {id: a, mode: dim}\n- {id: b, mode: dim}\n- {id: c}\n"}},
     {"mode: string?", "NOT enum:"}},
    {"names_that_begin_with_their_enum_have_a_prefix",
     {{"data/a.yaml", "- {id: a, layer: enum.Layer.Base}\n- {id: b, layer: enum.Layer.Top}\n"}},
     {"enum: [Base, Top]", "prefix: enum.Layer.", "layer: Layer  # doubtful: 2 names in 2"}},
    {"names_of_several_enums_keep_their_prefixes",
     {{"data/a.yaml", "- {id: a, layer: enum.Layer.Base}\n- {id: b, layer: enum.Light.Base}\n"}},
     {"enum: [Layer.Base, Light.Base]", "prefix: enum.\n"}},
    {"some_names_may_lack_the_prefix",
     {{"data/a.yaml", "- Side.Left\n- Left\n- Side.Right\n- Side.Left\n- Right\n- Left\n- Left\n"
                      "- Side.Left\n- Left\n- Left\n- Side.Right\n- Right\n"}},
     {"enum: [Left, Right]", "prefix: Side."}},
    {"a_word_before_a_dot_is_a_prefix_only_if_it_looks_like_a_type",
     {{"data/a.yaml", "- a.Left\n- a.Right\n- a.Left\n- a.Right\n- a.Left\n- a.Right\n"}},
     {"enum: [a.Left, a.Right]", "NOT prefix"}},
};

static const example lists[] = {
    {"keys_that_are_titles_are_fields_if_the_first_value_differs_in_kind",
     {{"data/a.yaml", "n: {1a b: [q], 2c d: 1, 3e f: 2, 4g h: 3}\n"}},
     {"\"1a b\": string[]", "\"4g h\": i32", "NOT map<"}},
    {"keys_are_fields_if_one_is_in_all_mappings",
     {{"data/a.yaml", "k0: {zz: {p: 1, q: a}, m0: {p: 0, q: b}, m2: {p: 2, q: b}}\n"
                      "k1: {zz: {p: 1, q: a}, m1: {p: 1, q: b}, m3: {p: 3, q: b}}\n"
                      "k2: {zz: {p: 1, q: a}, m0: {p: 0, q: b}, m2: {p: 2, q: b}}\n"
                      "k3: {zz: {p: 1, q: a}, m1: {p: 1, q: b}, m3: {p: 3, q: b}}\n"}},
     {"zz: Zz", "m0: Zz?"}},
    {"a_value_that_is_null_once_may_be_a_string_or_a_record_elsewhere",
     {{"data/a.yaml", "a: {spec: {w: 1, h: 2, extra: ~}, q: 1}\n"
                      "b: [{spec: {w: 3, h: 4, extra: {n: 1}}}]\n"
                      "c: {in: {spec: {w: 3, h: 4, extra: text}}}\n"}},
     {"  Spec:  # 3 mappings"}},
    {"elements_get_the_type_that_a_plural_key_names",
     {{"data/a.yaml", "brushes: [{size: 1, hair: a}, {size: 2, hair: b}]\n"
                      "torches: [{wide: 1, lid: a}, {wide: 2, lid: b}]\n"
                      "boxes: [{deep: 1, key: a}, {deep: 2, key: b}]\n"}},
     {"brushes: Brush[]", "torches: Torch[]", "boxes: Box[]"}},
    {"kinds_are_a_union_if_one_has_no_id",
     {{"data/a.yaml",
       "- {type: item, id: a, price: 1, mass: 2}\n- {type: note, lines: [x, y], by: z}\n"
       "- {type: item, id: b, price: 3, mass: 2}\n- {type: tale, hero: x, end: 1.5}\n"}},
     {"shape: one", "      item: Item  # 2 times", "      note: Note  # 1 time",
      "by: {key: type}"}},
    {"records_with_most_keys_in_common_are_one_type",
     {{"data/a.yaml", "- {type: item, price: 1, mass: 2}\n- {type: tool, price: 1, "
                      "mass: 2, edge: 3}\n- {type: food, price: 1, mass: 2}\n"}},
     {"      type: ", "edge: {type: i32", "NOT union:"}},
    {"a_nested_list_next_to_a_scalar_does_not_contain_itself",
     {{"data/a.yaml",
       "- {type: a, id: a1, at: {S: {param: p, fall: q}, T: t1, U: [[t2, 3], t4]}, m: 1}\n"
       "- {type: a, id: a2, at: {S: t3, T: [t1, [t5, 4]], U: {param: p, fall: q}}, m: 1}\n"
       "- {type: b, id: b1, at: {S: [[{param: r, fall: s}, 2], t4], V: t1}, n: 1}\n"}},
     {"shape: list, by: type", "single: true"}},
};

static const example amounts[] = {
    {"words_that_mostly_begin_with_digits_are_not_names",
     {{"data/a.yaml", "- {id: a, roll: 2d6}\n- {id: b, roll: 1d4}\n- {id: c, roll: 2d6}\n"
                      "- {id: d, roll: 2d6}\n- {id: e, roll: 1d4}\n- {id: f, roll: 1d4}\n"}},
     {"roll: string", "NOT enum:"}},
    {"words_are_names_if_few_begin_with_digits",
     {{"data/a.yaml", "- {id: a, roll: 2d}\n- {id: b, roll: flat}\n- {id: c, roll: deep}\n"
                      "- {id: d, roll: 2d}\n- {id: e, roll: flat}\n- {id: f, roll: deep}\n"
                      "- {id: g, roll: 2d}\n- {id: h, roll: flat}\n- {id: i, roll: deep}\n"}},
     {"roll: Roll", "enum: ["}},
};

static const example folders[] = {
    {"folders_with_clearly_different_files_have_separate_types",
     {{"data/items/a.yaml", "name: a\nicon: i\nsort: s\nprice: 3\n"},
      {"data/items/b.yaml", "name: b\nicon: i\nsort: s\nprice: 4\n"},
      {"data/items/c.yaml", "name: c\nicon: i\nsort: s\nprice: 5\n"},
      {"data/spells/d.yaml", "name: d\nicon: i\nsort: s\nmana: 3\n"},
      {"data/spells/e.yaml", "name: e\nicon: i\nsort: s\nmana: 4\n"},
      {"data/spells/f.yaml", "name: f\nicon: i\nsort: s\nmana: 5\n"}},
     {"type: Item}", "type: Spell}", "price: i32", "mana: i32"}},
    {"files_are_distinguished_by_the_beginning_of_their_names",
     {{"data/m/car.1.yaml", "speed: 1\nname: a\nv: {a: 1}\n"},
      {"data/m/car.2.yaml", "speed: 2\nname: b\nv: {a: 1}\n"},
      {"data/m/car.3.yaml", "speed: 3\nname: c\nv: {a: 1}\n"},
      {"data/m/spell.1.yaml", "mana: 1\nicon: a\nw: {a: 1}\n"},
      {"data/m/spell.2.yaml", "mana: 2\nicon: b\nw: {a: 1}\n"},
      {"data/m/spell.3.yaml", "mana: 3\nicon: c\nw: {a: 1}\n"}},
     {"match: \"car.*.yaml\""}},
    {"folders_with_similar_files_share_a_type",
     {{"data/items/a.yaml", "name: a\nicon: i\nsort: s\nprice: 3\n"},
      {"data/items/b.yaml", "name: b\nicon: i\nsort: s\nprice: 4\nrare: true\n"},
      {"data/items/c.yaml", "name: c\nicon: i\nsort: s\nprice: 5\n"},
      {"data/spells/d.yaml", "name: d\nicon: i\nsort: s\nmana: 3\n"},
      {"data/spells/e.yaml", "name: e\nicon: i\nsort: s\nprice: 4\n"},
      {"data/spells/f.yaml", "name: f\nicon: i\nsort: s\nmana: 5\n"}},
     {"mana: ", "price: ", "NOT type: Spell}"}},
};

static const example root_files[] = {
    {"files_with_one_name_and_common_keys_are_one_kind",
     {{"data/x/set.yaml", "title: a\nsize: 3\nwide: 1\nhigh: 2\ndeep: 3\nheavy: true\n"},
      {"data/y/set.yaml", "title: b\nrules: [x]\n"}},
     {"match: set.yaml, shape: one, type: Set, id: path}", "rules: string[]  # in 1 of 2"}},
    {"files_with_one_name_and_no_common_key_are_two_kinds",
     {{"data/x/set.yaml", "title: a\nsize: 3\nwide: 1\nhigh: 2\ndeep: 3\nheavy: true\n"},
      {"data/y/set.yaml", "start: b\nrules: [x]\n"}},
     {"match: x/set.yaml", "match: set.yaml", "rules: string[]  # always 1"}},
    {"a_root_file_differs_from_one_with_its_name_in_a_folder",
     {{"data/x/a.yaml", "rules: [y]\ntitle: 5\nbest: false\n"},
      {"data/y/a.yaml", "rules: [x]\ntitle: 4\nbest: true\n"},
      {"data/y/b.yaml", "rules: [y]\ntitle: 5\nbest: false\n"},
      {"data/x/c.yaml", "name: b\nsize: 4\n"},
      {"data/a.yaml", "name: a\nsize: 3\n"}},
     {"match: \"/a.yaml\"", "size: i32", "best: bool"}},
    {"a_root_file_with_a_unique_name_is_matched_by_that_name",
     {{"data/x/c.yaml", "rules: [y]\ntitle: 5\nbest: false\n"},
      {"data/a.yaml", "name: a\nsize: 3\n"}},
     {"match: a.yaml", "match: c.yaml"}},
};

static const example objects[] = {
    {"numbers_may_refer_to_objects_of_their_file",
     {{"data/a.yaml", "%TAG !u! tag:engine,2011:\n--- !u!1 &10\nThing: {at: {fileID: 20}, by: "
                      "{fileID: 0}}\n--- !u!4 &20\nPlace: {of: {fileID: 10}, x: 1}\n"}},
     {"shape: objects", "object: {type: \"ref?\", local_by: fileID}"}},
    {"numbers_without_an_object_in_their_file_stay_numbers",
     {{"data/a.yaml", "%TAG !u! tag:engine,2011:\n--- !u!1 &10\nThing: {at: {fileID: 20}, by: "
                      "{fileID: 30}}\n--- !u!4 &20\nPlace: {of: {fileID: 10}, x: 1}\n"}},
     {"shape: objects", "NOT local_by"}},
};

static const example recursions[] = {
    {"a_record_with_a_list_of_similar_records_is_one_type",
     {{"data/a.yaml", "top:\n  name: a\n  children:\n  - name: b\n    children: [{name: c, "
                      "children: []}, {name: d, "
                      "children: [{name: e}]}]\n  - {name: f}\n"}},
     {"top: Top", "children: Top[]"}},
    {"a_record_that_contains_a_similar_one_uses_an_optional",
     {{"data/a.yaml",
       "root: {value: 3, left: {value: 1, left: {value: 0}, right: {value: 2}}, right: {value: 7, "
       "right: {value: 8, left: {value: 5}}}}\n"}},
     {"left: Root?", "right: Root?"}},
    {"a_list_that_contains_itself_without_a_record_has_a_name",
     {{"data/a.yaml",
       "a:\n  '1': {spec: [{spec: {}}]}\n  a: [{'1': x, a: x, spec: {'3': x}}]\n  spec:\n"
       "    '3': {'1': {spec: null}, '3': {}, a: {spec: []}, spec: {}, type: x}\n"
       "    a: {'1': x}\n    spec: {'1': [], a: []}\n    type: x\n"}},
     {"spec: "}},
    {"a_kind_merged_with_other_records_counts_only_its_own",
     {{"data/a.yaml",
       "description: x\nitems:\n  properties:\n    '1': {description: x, type: integer}\n"
       "    '3': {description: x, items: {description: x, type: integer}, type: array}\n"
       "    d: {description: x, type: integer}\n    f: {items: {type: x}, type: array}\n"}},
     {"description: string?", "properties: "}},
    {"a_kind_merged_with_records_among_strings_is_a_short_struct",
     {{"data/a.yaml", "type: object\n"},
      {"data/b.yaml", "{c: {c: {c: x}, name: m}, name: n, type: x}\n"}},
     {"by: {key: type}", "short: "}},
    {"a_kind_merged_with_a_list_is_a_struct",
     {{"data/a.yaml", "b: {'2': {'2': [], b: x, e: []}, b: x, e: {}, type: x}\n"},
      {"data/b.yaml", "b: {type: string}\n"}},
     {"types:"}},
    {"a_map_keeps_its_keys_when_its_values_are_merged",
     {{"data/a.yaml",
       "k0: {}\nk1: {children: {by: {k0: {by: {k0: {name: x}}}, k1: {kids: []}}}}\n"
       "k3: {child: x, name: x, children: {by: {k0: {kids: {}}, k1: {by: {k0: {by: {}}, k1: {}}, "
       "name: x}, k2: x}}}\nkids: {children: x, name: x}\n"}},
     {"shape: map"}},
    {"kinds_are_a_union_if_their_common_field_differs_in_keys",
     {{"data/a.yaml", "- {kind: Door, meta: {name: a}, spec: {width: 3, height: 4, wood: oak}}\n"
                      "- {kind: Door, meta: {name: b}, spec: {width: 3, height: 5, wood: elm}}\n"
                      "- {kind: Lamp, meta: {name: c}, spec: {watts: 3, colour: red}}\n"
                      "- {kind: Chest, meta: {name: d}, spec: {slots: 3, locked: true}}\n"}},
     {"by: {key: kind}", "      Door: Door", "      meta: Meta", "      width: i32  # 3\n"}},
    {"kinds_are_a_record_if_their_common_field_has_the_same_keys",
     {{"data/a.yaml", "- {kind: Door, meta: {name: a}, spec: {width: 3, height: 4, wood: oak}}\n"
                      "- {kind: Door, meta: {name: b}, spec: {width: 3, height: 5, wood: elm}}\n"
                      "- {kind: Lamp, meta: {name: c}, spec: {width: 3, height: 4}}\n"
                      "- {kind: Chest, meta: {name: d}, spec: {width: 3, wood: oak}}\n"}},
     {"kind: string", "spec: Spec", "NOT union:"}},
};

static const example texts[] = {
    {"floats_may_be_nan", {{"data/a.yaml", "a: [1.5, NaN, 2]\n"}}, {"a: f32[]"}},
    {"nan_without_other_numbers_is_a_string",
     {{"data/a.yaml", "a: [nan, Nan]\n"}},
     {"a: string[]"}},
    {"binary_tags_among_strings_make_a_union_with_bytes",
     {{"data/a.yaml", "a: [!!binary aGVsbG8=, hello you, !!str 12, text, binary, ~, '']\n"
                      "b: {x: !!binary aGVsbG8=, y: not that}\nc: {type: f, k: hello you}\n"
                      "d: {type: g, k: !!binary aGVsbG8=}\n"}},
     {"a: TextOrBytes[]", "union: {text: string, binary: bytes}",
      "by: {tag: \"!!\", untagged: text}"}},
    {"program_tags_that_begin_like_those_of_yaml_are_alternatives",
     {{"data/a.yaml", "a: !!python/name:icons.twemoji\nb: {x: !!python/name:icons.svg , y: 1}\n"
                      "c: [!!python/name:icons.svg , plain, !!str 12]\n"}},
     {"by: {tag: \"!!python/name:\"}", "      icons.svg: ", "      icons.twemoji:",
      "by: {tag: \"!!python/name:\", untagged: no_tag}"}},
    {"binary_tags_among_base64_mean_bytes",
     {{"data/a.yaml", "a: [!!binary aGVsbG8=, aGVsbG8=]\nb: [hello you, !!str 12]\n"}},
     {"a: bytes[]", "b: string[]", "NOT TextOrBytes"}},
    {"bytes_with_and_without_a_tag_are_bytes",
     {{"data/a.yaml", "a: [!!binary aGVsbG8=, aGVsbG8gd29ybGQ=]\n"}},
     {"a: bytes[]"}},
    {"comma_separated_numbers_are_a_vector_if_their_count_is_constant",
     {{"data/a.yaml", "- {id: a, at: '1,2,3', to: '1,2,3'}\n- {id: b, at: '4,5,6', to: '4,5'}\n"
                      "- {id: c, at: '4,5,8', to: '4,5,8'}\n"}},
     {"at: Vec3", "to: string", "NOT to: Vec"}},
    {"control_characters_of_two_bytes_are_escaped",
     {{"data/a.yaml", "a: {\"x\\u0085y\": 1, b: 2}\n"}},
     {"\"x\\x85y\": i32"}},
    {"values_with_and_without_tags_name_the_first_position",
     {{"data/a.yaml", "a: !x {b: 1}\nb: [!y {c: 1}, plain]\n"}},
     {"# with or without a tag, the first at a.yaml:2\n"}},
};

#define PICTURES                                                                                   \
    {"data/img/door.png", ""},                                                                     \
    {                                                                                              \
        "data/img/lamp.png", ""                                                                    \
    }

#define TOOLS                                                                                      \
    {                                                                                              \
        "data/tools.yaml", "- {type: item, id: axe, n: 1}\n- {type: tool, id: saw, n: 2}\n"        \
                           "- {type: tool, id: axe, n: 2}\n"                                       \
    }

static const example named[] = {
    {"strings_with_the_kind_before_the_id_are_references",
     {TOOLS, {"data/b.yaml", "needs: [tool/saw, tool/axe]\nany: [item/axe, tool/saw]\n"}},
     {"needs: ref<Tool>[]", "any: ref[]", "values have the form Kind/id"}},
    {"the_name_of_two_files_is_not_an_id_after_a_kind_either",
     {{"data/x/axe.yaml", "n: 1\nof: a/axe\n"}, {"data/y/axe.yaml", "n: 2\nof: b/axe\n"}},
     {"id: path", "of: string", "NOT ref"}},
    {"one_unknown_id_after_a_kind_rules_out_references",
     {TOOLS, {"data/b.yaml", "needs: [tool/saw, item/saw]\nany: [thing/axe, tool/saw, /axe]\n"}},
     {"needs: string[]", "any: string[]", "NOT ref"}},
};

static const example paths[] = {
    {"strings_that_name_existing_files_are_paths",
     {PICTURES, {"data/a.yaml", "- {id: a, icon: img/door.png}\n- {id: b, icon: img/lamp.png}\n"}},
     {"icon: FilePath  # 2 existing paths", "path: \".\""}},
    {"one_path_of_a_file_is_doubtful",
     {PICTURES, {"data/a.yaml", "- {id: a, icon: img/door.png}\n- {id: b, n: 1}\n"}},
     {"icon: FilePath?  # doubtful: "}},
    {"paths_may_start_in_a_sibling_folder",
     {PICTURES, {"data/a.yaml", "- {id: a, icon: door.png}\n- {id: b, icon: lamp.png}\n"}},
     {"icon: ImgPath", "path: img\n"}},
    {"paths_that_begin_with_a_slash_have_their_own_root",
     {PICTURES,
      {"data/a.yaml", "- {id: a, icon: /img/door.png, near: lamp.png}\n"
                      "- {id: b, icon: /img/lamp.png, near: /img/door.png}\n"}},
     {"path: {absolute: \".\"}", "path: {roots: img, absolute: \".\"}"}},
    {"folders_are_paths_too",
     {{"data/img/x.d/a", ""},
      {"data/img/y.d/a", ""},
      {"data/a.yaml", "- {id: a, icon: img/x.d}\n- {id: b, icon: img/y.d}\n"}},
     {"is: folder}"}},
    {"the_path_of_one_folder_is_a_string",
     {{"data/img/x.d/a", ""}, {"data/a.yaml", "- {id: a, icon: img/x.d}\n- {id: b, n: 1}\n"}},
     {"icon: string", "NOT path:"}},
    {"one_missing_file_rules_out_paths",
     {PICTURES, {"data/a.yaml", "- {id: a, icon: img/door.png}\n- {id: b, icon: img/box.png}\n"}},
     {"icon: string", "NOT path:"}},
    {"the_name_of_one_file_in_any_folder_is_a_string",
     {PICTURES, {"data/a.yaml", "- {id: a, icon: door.png}\n- {id: b, n: 1}\n"}},
     {"icon: string", "NOT path:"}},
    {"paths_with_different_roots_are_strings",
     {{"data/x/a.png", ""},
      {"data/y/b.png", ""},
      {"data/x/a.yaml", "icon: a.png\n"},
      {"data/y/b.yaml", "icon: b.png\n"}},
     {"icon: string", "NOT path:"}},
    {"words_are_not_paths_even_if_files_have_these_names",
     {{"data/img/door", ""},
      {"data/img/lamp", ""},
      {"data/a.yaml", "- {id: a, icon: door}\n- {id: b, icon: lamp}\n"}},
     {"NOT path:"}},
};

static const example sets[] = {
    {"comma_separated_names_are_a_flag_set",
     {{"data/a.yaml",
       "- {id: a, can: 'swim, fly'}\n- {id: b, can: swim}\n- {id: c, can: "
       "'fly,run'}\n- {id: d, can: fly | swim}\n- {id: e, can: run}\n- {id: g, can: fly}\n"
       "- {id: f, can: None}\n"}},
     {"flags: [fly, run, swim]", "none: None", "can: Can  # 3 names, comma-separated"}},
    {"sentences_with_commas_are_strings",
     {{"data/a.yaml", "- {id: a, says: 'yes, sir'}\n- {id: b, says: 'no, madam'}\n"
                      "- {id: c, says: 'well, then'}\n"}},
     {"says: string", "NOT flags:"}},
    {"one_string_with_commas_is_a_flag_set_if_its_key_suggests_one",
     {{"data/a.yaml", "- {id: a, hullSlots: 'gun, sail'}\n- {id: b}\n- {id: c}\n"}},
     {"hullSlots: {type: HullSlots, default: []}", "flags: [gun, sail]"}},
    {"lists_under_a_key_that_names_flag_sets_are_flag_sets",
     {{"data/a.yaml", "- {id: a, slots: [head, hand]}\n- {id: b, slots: [hand, Head]}\n"
                      "- {id: c, slots: [hand, head]}\n"}},
     {"flags: [hand, head]", "case: any", "slots: Slots  # 3 names, no duplicates in a list"}},
    {"a_list_with_a_duplicate_is_not_a_flag_set",
     {{"data/a.yaml", "- {id: a, slots: [head, head]}\n- {id: b, slots: [hand, head]}\n"
                      "- {id: c, slots: [hand]}\n"}},
     {"slots: string[]", "NOT flags:"}},
    {"lists_under_an_ordinary_key_are_lists",
     {{"data/a.yaml", "- {id: a, steps: [left, right]}\n- {id: b, steps: [right, left]}\n"
                      "- {id: c, steps: [left, right]}\n"}},
     {"steps: Step[]", "enum: [left, right]", "NOT flags:"}},
    {"keys_that_are_always_true_are_a_flag_set",
     {{"data/a.yaml", "- {id: a, jobs: {smith: true, cook: true}}\n- {id: b, jobs: {cook: true}}\n"
                      "- {id: c, jobs: {nurse: true}}\n- {id: d}\n"}},
     {"jobs: {type: Jobs, default: []}", "flags: [cook, nurse, smith]"}},
    {"bools_that_are_false_somewhere_are_fields",
     {{"data/a.yaml", "- {id: a, jobs: {smith: true, cook: true}}\n- {id: b, jobs: {cook: false}}\n"
                      "- {id: c, jobs: {nurse: true}}\n- {id: d}\n"}},
     {"jobs: Jobs?", "smith: {type: bool", "NOT flags:"}},
    {"a_list_of_references_is_not_a_flag_set",
     {PARTS,
      {"data/m/mill.yaml", "types: [BrassCog, OakBeam]\nmore: {types: [OakBeam, BrassCog]}\n"}},
     {"types: ref<Part>[]", "NOT flags:"}},
};

#define THINGS                                                                                     \
    {                                                                                              \
        "data/things.yaml",                                                                        \
            "- {type: thing, id: Lamp, parts: [{type: Light, watts: 5}, {type: Place, x: 0}]}\n"   \
            "- {type: thing, id: Chest, parts: [{type: Holder, size: 4}, {type: Place, x: 1}]}\n"  \
            "- {type: rule, id: dark, level: 3}\n"                                                 \
    }

/* A reference to a number that no entity has, nested in 62 mappings. */
#define IN_10(value) "{in: {in: {in: {in: {in: {in: {in: {in: {in: {in: " value "}}}}}}}}}}"
#define DEEP "{in: {in: " IN_10(IN_10(IN_10(IN_10(IN_10(IN_10("{target: 9}")))))) "}}"

static const example scenes[] = {
    {"maps_of_entities_are_scenes",
     {THINGS,
      {"data/maps/hall.yaml",
       "about: {title: Hall}\nall:\n"
       "- {uid: 1, kind: Lamp, parts: [{type: Place, x: 3, parent: 2}, {type: Light, watts: 7}]}\n"
       "- {uid: 2, kind: Chest, parts: [{type: Holder, ents: [1, 3]}, {type: Place, parent: 3}]}\n"
       "- {uid: 3, kind: Lamp, parts: [{type: Place, parent: nobody}, {type: Lit}]}\n"}},
     {"shape: scene, id: stem, keys: {entities: all, name: uid, base: kind, components: parts, by: "
      "type, none: nobody}, prefabs: Thing.parts, head: {about: About}}",
      "3 entities; 3 bases are ids of Thing", "      parent: entity  # 3 values", "      Lit: Lit",
      "    component: row", "ents: EntityNumber[]", "    wrap: u32\n    entity: true"}},
    {"groups_of_entities_are_scenes_too",
     {THINGS,
      {"data/maps/hall.yaml",
       "entities:\n- proto: Lamp\n  entities:\n"
       "  - {uid: 1, parts: [{type: Place, x: 3}, {type: Light, watts: 7}]}\n"
       "  - {uid: 2, parts: [{type: Place, x: 4}]}\n"
       "- proto: ''\n  entities:\n  - {uid: 3, parts: [{type: Place, x: 4}]}\n"}},
     {"keys: {name: uid, components: parts, by: type}, groups: {base: proto, entities: entities}"}},
    {"one_base_is_counted_in_the_singular",
     {THINGS,
      {"data/maps/hall.yaml",
       "all:\n- {uid: 1, kind: Lamp, parts: [{type: Place, x: 3}, {type: Light, watts: 7}]}\n"
       "- {uid: 2, parts: [{type: Place, x: 4}]}\n"}},
     {"2 entities; 1 base is an id of Thing"}},
    {"entities_with_unknown_keys_are_values",
     {THINGS,
      {"data/maps/hall.yaml", "all:\n- {uid: 1, kind: Lamp, paused: true, parts: [{type: Place, x: "
                              "3}, {type: Light, watts: "
                              "7}]}\n- {uid: 2, kind: Lamp, parts: [{type: Place, x: 4}]}\n"}},
     {"shape: one", "paused: ", "NOT shape: scene", "NOT component: row"}},
    {"entities_with_the_same_name_are_values",
     {THINGS,
      {"data/maps/hall.yaml",
       "all:\n- {uid: 1, kind: Lamp, parts: [{type: Place, x: 3}, {type: Light, watts: 7}]}\n"
       "- {uid: 1, kind: Lamp, parts: [{type: Place, x: 4}]}\n"}},
     {"shape: one", "NOT shape: scene", "NOT component: row"}},
    {"entities_with_a_component_twice_are_values",
     {THINGS,
      {"data/maps/hall.yaml",
       "all:\n- {uid: 1, kind: Lamp, parts: [{type: Place, x: 3}, {type: Light, watts: 7}]}\n"
       "- {uid: 2, kind: Lamp, parts: [{type: Place, x: 4}, {type: Place, x: 5}]}\n"}},
     {"shape: one", "NOT shape: scene", "NOT component: row"}},
    {"lists_of_entities_with_unknown_prefabs_are_values",
     {THINGS,
      {"data/maps/hall.yaml",
       "all:\n- {uid: 1, kind: Oak, parts: [{type: Place, x: 3}, {type: Light, watts: 7}]}\n"
       "- {uid: 2, kind: Elm, parts: [{type: Place, x: 4}]}\n"}},
     {"shape: one", "NOT shape: scene", "NOT component: row"}},
    {"a_number_that_no_entity_has_stays_a_number",
     {THINGS,
      {"data/maps/hall.yaml",
       "all:\n- {uid: 1, kind: Lamp, parts: [{type: Place, parent: 2}, {type: Light, watts: 7}]}\n"
       "- {uid: 2, kind: Lamp, parts: [{type: Place, parent: 9}]}\n"}},
     {"shape: scene", "parent: {type: i32", "NOT parent: entity"}},
    {"a_number_that_no_entity_has_counts_at_any_depth",
     {THINGS,
      {"data/maps/hall.yaml",
       "all:\n- {uid: 1, kind: Lamp, parts: [{type: Place, target: 2}, {type: Light, watts: 7}]}\n"
       "- {uid: 2, kind: Lamp, parts: [{type: Place, target: 3}, {type: Lit, deep: " DEEP "}]}\n"
       "- {uid: 3, kind: Lamp, parts: [{type: Place, target: 1}]}\n"}},
     {"shape: scene", "target: {type: i32, default: 1}", "NOT target: entity"}},
    {"a_value_other_than_a_word_cannot_mean_none",
     {THINGS,
      {"data/maps/hall.yaml",
       "all:\n- {uid: 1, kind: Lamp, parts: [{type: Place, parent: 2}, {type: Light, watts: 7}]}\n"
       "- {uid: 2, kind: Lamp, parts: [{type: Place, parent: no|one}]}\n"
       "- {uid: 3, kind: Lamp, parts: [{type: Place, parent: 1}]}\n"}},
     {"shape: scene", "NOT none:", "NOT parent: entity"}},
    {"scenes_may_have_no_entities",
     {THINGS,
      {"data/maps/hall.yaml",
       "about: {title: Hall}\nall:\n"
       "- {uid: 1, kind: Lamp, parts: [{type: Place, x: 3}, {type: Light, watts: 7}]}\n"
       "- {uid: 2, kind: Lamp, parts: [{type: Place, x: 4}]}\n"},
      {"data/maps/void.yaml", "about: {title: Void}\n"}},
     {"shape: scene"}},
};

static void references_are_guessed_from_all_evidence(void **state)
{
    assert_int_equal(check_examples(state, references, COUNT(references)), 0);
    assert_int_equal(check_examples(state, named, COUNT(named)), 0);
}

static void enums_are_guessed_from_all_evidence(void **state)
{
    assert_int_equal(check_examples(state, enums, COUNT(enums)), 0);
    assert_int_equal(check_examples(state, amounts, COUNT(amounts)), 0);
}

static void flag_sets_are_guessed_from_their_notation(void **state)
{
    assert_int_equal(check_examples(state, sets, COUNT(sets)), 0);
}

static void strings_are_paths_if_all_of_them_exist(void **state)
{
    assert_int_equal(check_examples(state, paths, COUNT(paths)), 0);
}

static void scalars_get_a_type_that_fits_all_of_them(void **state)
{
    assert_int_equal(check_examples(state, texts, COUNT(texts)), 0);
}

static void recursive_types_contain_themselves_by_offset(void **state)
{
    assert_int_equal(check_examples(state, recursions, COUNT(recursions)), 0);
}

static void scenes_are_guessed_if_a_schema_can_express_all_of_them(void **state)
{
    assert_int_equal(check_examples(state, scenes, COUNT(scenes)), 0);
}

static void no_failing_allocation_is_fatal(void **state)
{
    (void)state;
    fixture_write("things.yaml",
                  "- {type: thing, id: RedLamp, slots: 'a, b', parts: [{type: Light, at: "
                  "enum.At.Top}, {type: Place, x: 0}]}\n"
                  "- {type: thing, id: Chest, like: RedLamp, slots: c, parts: [{type: Holder, "
                  "size: 4}, {type: Place, x: 1}]}\n");
    fixture_write("hall.yaml",
                  "about: {title: Hall, of: [things.yaml, hall.yaml]}\nall:\n"
                  "- {uid: 1, kind: RedLamp, parts: [{type: Place, x: 3, parent: 2}]}\n"
                  "- {uid: 2, kind: Chest, parts: [{type: Holder, ents: [1, 2]}, {type: Place, "
                  "parent: 1}]}\n");
    failing_bake("schema infer -q things.yaml hall.yaml -o s.yaml", 0);
}

static void lists_are_guessed_from_their_elements(void **state)
{
    assert_int_equal(check_examples(state, lists, COUNT(lists)), 0);
}

static void rules_for_folders_are_guessed_from_their_files(void **state)
{
    assert_int_equal(check_examples(state, folders, COUNT(folders)), 0);
    assert_int_equal(check_examples(state, root_files, COUNT(root_files)), 0);
}

static void objects_are_guessed_from_their_numbers(void **state)
{
    assert_int_equal(check_examples(state, objects, COUNT(objects)), 0);
}

/* Far more strings are ids of wood than of tools, but not so many more that ids of both kinds are
 * treated as ids of wood. Each string counts once, even if a map replaces a list of maps. */
static void each_string_counts_once_for_its_kind(void **state)
{
    enum { WOOD = 1600, KEYS = 1510, SIZES = 400 };
    (void)state;
    assert_int_equal(mkdir("data", 0777), 0);
    FILE *ids = fopen("data/ids.yaml", "wb"), *mills = fopen("data/mills.yaml", "wb");
    assert_true(ids && mills);
    for (int i = 0; i < WOOD; i++)
        fprintf(ids, "- {type: wood, id: Wood%d, hard: %d}\n", i, i % 9);
    for (int i = 0; i < SIZES; i++)
        fprintf(ids, "- {type: tool, id: Tool%d, size: 1}\n", i);
    fprintf(ids, "- {type: wood, id: oak, hard: 3}\n- {type: wood, id: elm, hard: 3}\n"
                 "- {type: tool, id: oak, size: 3}\n- {type: tool, id: elm, size: 3}\n");
    fprintf(mills, "mills:\n- {stock: {");
    for (int i = 0; i < KEYS; i++)
        fprintf(mills, "Wood%d: 1, ", i);
    fprintf(mills, "}}\n- {stock: [{Wood1: 2}, {Wood2: 3}]}\n- {saws: [oak, elm], uses: [");
    for (int i = 0; i < SIZES; i++)
        fprintf(mills, "Tool%d, ", i);
    fprintf(mills, "]}\n");
    assert_int_equal(fclose(ids) | fclose(mills), 0);
    call("texts_count_once", "schema infer -q -C data . -o s.yaml");
    char *schema = fixture_read("s.yaml", NULL);
    assert_non_null(strstr(schema, "stock: {type: \"map<ref<Wood>, u8>[]\", single: true}"));
    assert_non_null(strstr(schema, "uses: ref<Tool>[]"));
    assert_non_null(strstr(schema, "saws: ref<Tool>[]"));
    free(schema);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(references_are_guessed_from_all_evidence),
        cmocka_unit_test(enums_are_guessed_from_all_evidence),
        cmocka_unit_test(strings_are_paths_if_all_of_them_exist),
        cmocka_unit_test(scalars_get_a_type_that_fits_all_of_them),
        cmocka_unit_test(scenes_are_guessed_if_a_schema_can_express_all_of_them),
        cmocka_unit_test(flag_sets_are_guessed_from_their_notation),
        cmocka_unit_test(rules_for_folders_are_guessed_from_their_files),
        cmocka_unit_test(objects_are_guessed_from_their_numbers),
        cmocka_unit_test(lists_are_guessed_from_their_elements),
        cmocka_unit_test(recursive_types_contain_themselves_by_offset),
        cmocka_unit_test_setup_teardown(each_string_counts_once_for_its_kind, fixture_enter,
                                        fixture_leave),
        cmocka_unit_test_setup_teardown(no_failing_allocation_is_fatal, fixture_enter,
                                        fixture_leave),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
