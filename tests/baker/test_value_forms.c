/* Forms of values: each row is the YAML of a value, and the value as it is in the canonical form.
 */
#include "value_fixture.h"

static const char unions[] =
    "  Burn: {struct: {seconds: f32, strength: {type: u8, default: 3}}}\n"
    "  Rest: {struct: {n: {type: u8, default: 1}, rest: {type: \"map<string, u8>\", rest: true}}}\n"
    "  Named: {struct: {type: string}}\n"
    "  Wrapped: {wrap: Burn}\n"
    "  Tagged:\n"
    "    union: {damage: u32, burn: Burn, none: , many: \"u8[]\", say: string, maybe: u8?,\n"
    "            wrapped: Wrapped, more: \"Tagged[]\", inner: Inner, old: {type: u8, was: older}}\n"
    "    by: tag\n"
    "  Inner: {wrap: Keyed}\n"
    "  Bare: {union: {damage: u32}, by: {tag: \"!\"}}\n"
    "  Keyed:\n"
    "    union: {burn: Burn, none: , wrapped: Wrapped, rest: Rest, named: Named,\n"
    "            list: {type: List, was: lst}}\n"
    "    by: {key: type}\n"
    "  List: {struct: {of: {type: \"Keyed[]\", default: [{type: none}]}}}\n";

static void the_tag_of_a_node_names_the_alternative(void **state)
{
    static const row rows[] = {
        {"Tagged", "!type:damage 3", "damage 3"},
        {"Tagged", "!type:burn {seconds: 2}", "burn {seconds:2 strength:3}"},
        {"Tagged", "{burn: {seconds: 2}}", "burn {seconds:2 strength:3}"},
        {"Tagged", "!!map {damage: 3}", "damage 3"},
        {"Tagged", "!type:none", "none ~"},
        {"Tagged", "!type:none ~", "none ~"},
        {"Tagged", "none", "none ~"},
        {"Tagged", "!type:many [1, 2]", "many [1 2]"},
        {"Tagged", "!type:many", "many []"},
        {"Tagged", "!type:say 3", "say '3'"},
        {"Tagged", "!type:say \"\"", "say ''"},
        {"Tagged", "!type:maybe", "maybe ~"},
        {"Tagged", "!type:maybe 3", "maybe 3"},
        {"Tagged", "!type:wrapped {seconds: 1}", "wrapped {value:{seconds:1 strength:3}}"},
        {"Tagged", "!type:more [!type:damage 1, {damage: 2}, !type:more [], ~]",
         "more [damage 1 damage 2 more [] ~]"},
        {"Tagged", "!type:inner {type: burn, seconds: 1}",
         "inner {value:burn {seconds:1 strength:3}}"},
        {"Tagged", "~", "~"},
        {"Tagged[]", "[&a !type:damage 1, *a]", "[damage 1 damage 1]"},
        {"{type: Tagged, default: !type:damage 4}", "-", "damage 4"},
        {"map<u8, Tagged>", "{1: !type:none , 2: !type:damage 2}", "{1:none ~ 2:damage 2}"},
        {"Bare", "!damage 3", "damage 3"},
    };
    (void)state;
    check_rows(unions, rows, COUNT(rows), true);
}

static void a_key_names_the_alternative(void **state)
{
    static const row rows[] = {
        {"Keyed", "{type: burn, seconds: 2}", "burn {seconds:2 strength:3}"},
        {"Keyed", "{seconds: 2, strength: 4, type: burn}", "burn {seconds:2 strength:4}"},
        {"Keyed", "{burn: {seconds: 2}}", "burn {seconds:2 strength:3}"},
        {"Keyed", "{type: none}", "none ~"},
        {"Keyed", "none", "none ~"},
        {"Keyed", "~", "~"},
        {"Keyed", "{type: rest, a: 4}", "rest {n:1 rest:{'a':4}}"},
        {"Keyed", "{type: wrapped, seconds: 2}", "wrapped {value:{seconds:2 strength:3}}"},
        {"Keyed", "{type: named}", "named {type:'named'}"},
        {"Keyed", "{named: {type: other}}", "named {type:'other'}"},
        {"Keyed", "{type: list}", "list {of:[none ~]}"},
        {"Keyed", "{type: list, of: [{type: list, of: []}, {none: }]}",
         "list {of:[list {of:[]} none ~]}"},
        {"Keyed", "{type: !!str \"none\"}", "none ~"},
        {"Keyed[]", "[&a {type: burn, seconds: 2}, {<<: *a, seconds: 3}]",
         "[burn {seconds:2 strength:3} burn {seconds:3 strength:3}]"},
    };
    (void)state;
    check_rows(unions, rows, COUNT(rows), true);
}

static void what_names_no_alternative_is_refused(void **state)
{
    static const row rows[] = {
        {"Tagged", "!type:brn {seconds: 2}", "did you mean \"burn\"?"},
        {"Tagged", "!typ:burn {seconds: 2}", "hint: the tag is `!type:` and the name of an alt"},
        {"Tagged", "!type:none {}", "Root/x.v.none: \"none\" has no value [union]"},
        {"Tagged", "!type:none \"\"", "Root/x.v.none: \"none\" has no value [union]"},
        {"Tagged", "!type:damage", "Root/x.v.damage: expected u32, found null"},
        {"Tagged", "!type:burn", "Root/x.v.burn: missing field \"seconds\""},
        {"Tagged", "!type:burn {seconds: !x 2}", "Root/x.v.burn.seconds: unknown tag !x"},
        {"Tagged", "!type:say [1]", "Root/x.v.say: expected string, found a list"},
        {"Tagged", "{burn: !type:burn {seconds: 3}}", "unknown tag !type:burn, on Burn"},
        {"Tagged", "[1]",
         "hint: or as the value alone with the alternative in its tag, `!type:NAME`"},
        {"Burn", "!type:burn {seconds: 2}", "unknown tag !type:burn, on Burn"},
        {"Bare", "!damag 3", "did you mean \"damage\"?"},
        {"Keyed", "{type: brn, seconds: 2}", "Root/x.v.type: Keyed has no alternative \"brn\""},
        {"Keyed", "{type: [burn]}", "expected the name of an alternative of Keyed"},
        {"Keyed", "{type: ~}", "expected the name of an alternative of Keyed"},
        {"Keyed", "{type: none, seconds: 2}", "Root/x.v.none: \"none\" has no value"},
        {"Keyed", "{type: burn, second: 2}", "Burn has no field \"second\""},
        {"Keyed", "{type: burn, typ: 1, seconds: 2}", "Burn has no field \"typ\""},
        {"Keyed", "{burn: {seconds: 2, type: burn}}", "Burn has no field \"type\""},
        {"Keyed", "{type: list, of: [{of: [], tpye: list}]}", "whose key `type` names the"},
        {"Keyed", "{type: burn, seconds: x}", "Root/x.v.burn.seconds: expected f32"},
        {"Keyed", "!x {type: none}", "unknown tag !x, on Keyed"},
    };
    (void)state;
    check_rows(unions, rows, COUNT(rows), false);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, fixture_enter, fixture_leave)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(the_tag_of_a_node_names_the_alternative),
        IN_FOLDER(a_key_names_the_alternative),
        IN_FOLDER(what_names_no_alternative_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
