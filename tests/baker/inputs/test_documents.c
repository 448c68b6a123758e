/* The assets in the documents of a file, with rules of every shape. */
#include "same_bake.h"

static const char types[] =
    "  Item: {struct: {price: {type: u8, default: 1}}, asset: true, kind: item}\n"
    "  Alarm:\n"
    "    struct: {sound: {type: string, default: none}, next: ref<Alarm>?}\n"
    "    asset: true\n"
    "    kind: alarm\n"
    "    id: alarmType\n"
    "  Named: {struct: {id: string, type: {type: u8, default: 0}}, asset: true, kind: '7'}\n"
    "  Rest: {struct: {rest: {type: 'map<string, u8>', rest: true}}, asset: true}\n"
    "  Wrapped: {wrap: Item, asset: true}\n"
    "  Many: {wrap: 'u8[]', asset: true}\n";

#define RULE(text) "files:\n  - {" text "}\n"

static void elements_of_lists_name_their_kind(void **state)
{
    (void)state;
    static const same_row rows[] = {
        {RULE("shape: list, by: type"),
         {{"in/a.yaml", "- {type: item, id: sword, price: 3}\n"
                        "- {id: axe, type: item}\n"
                        "- {type: alarm, alarmType: fire, sound: bell, next: flood}\n"},
          {"in/b.yaml", "- alarmType: flood\n  type: alarm\n---\n- {type: item, id: 1}\n"},
          {"in/c.yaml", ""}},
         "item: {sword: {price: 3}, axe: {}, 1: {}}\n"
         "alarm: {fire: {sound: bell, next: flood}, flood: {}}\n"},
        {RULE("shape: list, by: kind, id: name"),
         {{"in/a.yaml", "- {kind: item, name: sword}\n- {kind: alarm, alarmType: x}\n"}},
         "item: {sword: {}}\nalarm: {x: {}}\n"},
        /* A key that the rule reads is also a field if the type has a field of that name. */
        {RULE("shape: list, by: type"),
         {{"in/a.yaml", "- {type: 7, id: sword}\n"}},
         "'7': {sword: {id: sword, type: 7}}\n"},
        {RULE("shape: list, by: type"),
         {{"in/a.yaml", "- {type: Rest, id: a, x: 1, name: 2}\n"}},
         "Rest: {a: {x: 1, name: 2}}\n"},
        {RULE("shape: list, by: type"),
         {{"in/a.yaml", "- {type: Wrapped, id: a, price: 4}\n"}},
         "Wrapped: {a: {price: 4}}\n"},
        {RULE("shape: list, by: type"),
         {{"in/a.yaml", "- &a {type: item, id: a, price: 4}\n- {<<: *a, id: b}\n"}},
         "item: {a: {price: 4}, b: {price: 4}}\n"},
    };
    same_check(types, rows, COUNT(rows));
}

static void documents_of_a_file_are_numbered(void **state)
{
    (void)state;
    static const same_row rows[] = {
        {RULE("shape: one, type: Item"),
         {{"in/a.yaml", "price: 3\n---\nprice: 4\n---\n---\nprice: 5\n"}},
         "item: {a: {price: 3}, \"a#2\": {price: 4}, \"a#4\": {price: 5}}\n"},
        {RULE("shape: one, type: Item, id: =x"),
         {{"in/a.yaml", "---\nprice: 3\n---\nprice: 4\n"}},
         "item: {x: {price: 3}, \"x#2\": {price: 4}}\n"},
    };
    same_check(types, rows, COUNT(rows));
}

static void values_of_mappings_name_their_kind(void **state)
{
    (void)state;
    static const same_row rows[] = {
        {RULE("shape: map, by: type"),
         {{"in/a.yaml", "sword: {type: item, price: 3}\nfire: {type: alarm, sound: bell}\n"},
          {"in/b.yaml", "~\n"}},
         "item: {sword: {price: 3}}\nalarm: {fire: {sound: bell}}\n"},
        {RULE("shape: map, by: price"),
         {{"in/a.yaml", "sword: {price: Rest, a: 3}\n"}},
         "Rest: {sword: {a: 3}}\n"},
    };
    same_check(types, rows, COUNT(rows));
}

static void a_type_selects_the_key_of_its_ids(void **state)
{
    (void)state;
    static const same_row rows[] = {
        {RULE("shape: list, type: Alarm"),
         {{"in/a.yaml", "- {alarmType: fire, sound: bell}\n"}},
         "alarm: {fire: {sound: bell}}\n"},
        {RULE("shape: list, type: Alarm, id: alarmType"),
         {{"in/a.yaml", "- {alarmType: fire, sound: bell}\n"}},
         "alarm: {fire: {sound: bell}}\n"},
        {RULE("shape: list, type: Alarm, id: sound"),
         {{"in/a.yaml", "- {sound: bell}\n"}},
         "alarm: {bell: {sound: bell}}\n"},
    };
    same_check(types, rows, COUNT(rows));
}

static void heads_are_separate_assets(void **state)
{
    (void)state;
    static const same_row rows[] = {
        {RULE("shape: map, type: Item, head: {':config:': Alarm, meta: Rest}"),
         {{"in/tools.yaml", "':config:': {sound: bell}\nsword: {price: 3}\nmeta: {a: 1}\n"},
          {"in/none.yaml", "':config:': ~\naxe: {}\n"}},
         "item: {sword: {price: 3}, axe: {}}\nalarm: {tools: {sound: bell}}\nRest: {tools: {a: "
         "1}}\n"},
        {RULE("shape: map, by: kind, head: {meta: Rest}, head_id: file"),
         {{"in/x.yaml", "meta: {kind: 1}\na: {kind: item}\n"}},
         "item: {a: {}}\nRest: {x.yaml: {kind: 1}}\n"},
        {RULE("shape: kinds, head: {meta: Rest}, head_id: =all"),
         {{"in/x.yaml", "meta: {b: 1}\nitem: {meta: {}}\n"}},
         "item: {meta: {}}\nRest: {all: {b: 1}}\n"},
        {RULE("shape: one, type: Rest, head: {meta: Item}"),
         {{"in/x.yaml", "meta: {price: 2}\nb: 1\n"}},
         "item: {x: {price: 2}}\nRest: {x: {b: 1}}\n"},
    };
    same_check(types, rows, COUNT(rows));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(elements_of_lists_name_their_kind, fixture_enter,
                                        fixture_leave),
        cmocka_unit_test_setup_teardown(documents_of_a_file_are_numbered, fixture_enter,
                                        fixture_leave),
        cmocka_unit_test_setup_teardown(values_of_mappings_name_their_kind, fixture_enter,
                                        fixture_leave),
        cmocka_unit_test_setup_teardown(heads_are_separate_assets, fixture_enter, fixture_leave),
        cmocka_unit_test_setup_teardown(a_type_selects_the_key_of_its_ids, fixture_enter,
                                        fixture_leave),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
