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

static const char tuples[] =
    "  Color: {enum: [red, green]}\n"
    "  Half: {wrap: {type: f32, range: [0, 0.5]}}\n"
    "  Item: {struct: {a: u8}, asset: true}\n"
    "  Vec2: {struct: {x: f32, y: f32}, tuple: true}\n"
    "  Row:\n"
    "    struct: {n: u16, on: {type: bool, default: true}, of: {type: Color, default: green},\n"
    "             name: {type: string, default: none}, half: {type: Half, default: 0.25}, last: "
    "u8?}\n"
    "    tuple: true\n"
    "  Line: {struct: {from: Vec2, to: Vec2, tags: \"string[]\"}, tuple: true}\n"
    "  One: {struct: {n: u8}, tuple: true}\n"
    "  Ref: {struct: {to: ref<Item>, n: {type: u8, range: [0, 9]}}, tuple: true}\n";

static void a_tuple_is_a_list_of_its_fields_or_one_text(void **state)
{
    static const row rows[] = {
        {"Vec2", "\"1,2\"", "{x:1 y:2}"},
        {"Vec2", "1,2", "{x:1 y:2}"},
        {"Vec2", "-1.5 ,  2e1", "{x:-1.5 y:20}"},
        {"Vec2", "!!str 1,2", "{x:1 y:2}"},
        {"Vec2", "[1, 2]", "{x:1 y:2}"},
        {"Vec2", "!!seq [1, 2]", "{x:1 y:2}"},
        {"Vec2", "{x: 1, y: 2}", "{x:1 y:2}"},
        {"Vec2?", "1,2", "{x:1 y:2}"},
        {"Vec2?", "~", "~"},
        {"Vec2[]", "[\"1,2\", [3, 4], {x: 5, y: 6}]", "[{x:1 y:2} {x:3 y:4} {x:5 y:6}]"},
        {"Vec2[2]", "[\"1,2\", [3, 4]]", "[{x:1 y:2} {x:3 y:4}]"},
        {"map<u8, Vec2>", "{1: \"1,2\"}", "{1:{x:1 y:2}}"},
        {"{type: Vec2, default: \"3, 4\"}", "-", "{x:3 y:4}"},
        {"{type: Vec2, default: [3, 4]}", "-", "{x:3 y:4}"},
        {"Row", "7", "{n:7 on:1 of:green name:'none' half:{value:0.25} last:~}"},
        {"Row", "7, false,red", "{n:7 on:0 of:red name:'none' half:{value:0.25} last:~}"},
        {"Row", "\"7,true,red, a b ,0.5, 3\"",
         "{n:7 on:1 of:red name:'a b' half:{value:0.5} last:3}"},
        {"Row", "\"7,true,red,,0.5,\"", "{n:7 on:1 of:red name:'' half:{value:0.5} last:~}"},
        {"Row", "[7, false]", "{n:7 on:0 of:green name:'none' half:{value:0.25} last:~}"},
        {"Row", "[7, true, red, \"a,b\", 0, ~]",
         "{n:7 on:1 of:red name:'a,b' half:{value:0} last:~}"},
        {"Line", "[\"1,2\", [3, 4]]", "{from:{x:1 y:2} to:{x:3 y:4} tags:[]}"},
        {"Line", "[[1, 2], {x: 3, y: 4}, [a]]", "{from:{x:1 y:2} to:{x:3 y:4} tags:['a']}"},
        {"One", "3", "{n:3}"},
        {"One", "[3]", "{n:3}"},
        {"f32[2]", "1,2", "[1 2]"},
        {"f32[2]", "\" 1 , 2 \"", "[1 2]"},
        {"string[2]", "a, b c", "['a' 'b c']"},
        {"Color[2]", "red,green", "[red green]"},
        {"u8[1]", "7", "[7]"},
        {"{type: \"u8[2]\", default: \"7,8\"}", "-", "[7 8]"},
        {"map<u8[2], u8[2]>", "{\"1,2\": \"3,4\"}", "{[1 2]:[3 4]}"},
        {"{type: \"One[]\", default: [1, [2]]}", "-", "[{n:1} {n:2}]"},
    };
    (void)state;
    check_rows(tuples, rows, COUNT(rows), true);
}

static void a_tuple_that_does_not_fit_is_refused(void **state)
{
    static const row rows[] = {
        {"Vec2", "1", "expected Vec2 (a mapping, a list of 2, or a text \"x, y\"), found \"1\""},
        {"Vec2", "1,2,3", "or a text \"x, y\"), found \"1,2,3\" [type]"},
        {"Vec2", "\"\"", "found \"\" [type]"},
        {"Vec2", "~", "or a text \"x, y\"), found null [type]"},
        {"Vec2", "1,b", "Root/x.v.y: expected f32, found \"b\""},
        {"Vec2", "[1]", "Root/x.v: missing field \"y\""},
        {"Vec2", "[1, b]", "Root/x.v.y: expected f32, found \"b\""},
        {"Vec2", "[1, 2, 3]", "Root/x.v: a list of 3 elements, Vec2 has 2 fields [type]"},
        {"Vec2", "!x [1, 2]", "unknown tag !x, on Vec2"},
        {"Vec2", "!x 1,2", "unknown tag !x, on Vec2"},
        {"Vec2", "!!int 1,2", "the tag !!int does not agree with Vec2"},
        {"Row", "7,true,blue", "Root/x.v.of: \"blue\" is no Color"},
        {"Row", "7,true,red,a,0.6", "Root/x.v.half: 0.6 exceeds 0.5 [range]"},
        {"Line", "1,2", "expected Line (a mapping or a list of 3), found \"1,2\""},
        {"Ref", "a,10", "Root/x.v.n: 10 exceeds 9 [range]"},
        {"Ref", "\",1\"", "is not an asset's id"},
        {"f32[2]", "1", "expected f32[2], found \"1\""},
        {"f32[2]", "1,2,3", "expected f32[2], found \"1,2,3\""},
        {"f32[2]", "1,b", "expected f32, found \"b\""},
        {"Vec2[1]", "1,2", "expected Vec2[1], found \"1,2\""},
        {"u8[]", "1,2", "expected u8[], found \"1,2\""},
    };
    (void)state;
    check_rows(tuples, rows, COUNT(rows), false);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, fixture_enter, fixture_leave)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(the_tag_of_a_node_names_the_alternative),
        IN_FOLDER(a_key_names_the_alternative),
        IN_FOLDER(what_names_no_alternative_is_refused),
        IN_FOLDER(a_tuple_is_a_list_of_its_fields_or_one_text),
        IN_FOLDER(a_tuple_that_does_not_fit_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
