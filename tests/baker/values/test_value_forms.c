/* Forms of values: each row has the YAML of a value, and the value in canonical form. */
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

static void unknown_alternatives_are_refused(void **state)
{
    static const row rows[] = {
        {"Tagged", "!type:brn {seconds: 2}", "did you mean \"burn\"?"},
        {"Tagged", "!typ:burn {seconds: 2}", "hint: write the tag as `!type:NAME`, with the"},
        {"Tagged", "!type:none {}",
         "Root/x.v.none: the alternative \"none\" takes no value [union]"},
        {"Tagged", "!type:none \"\"",
         "Root/x.v.none: the alternative \"none\" takes no value [union]"},
        {"Tagged", "!type:damage", "Root/x.v.damage: expected u32, found null"},
        {"Tagged", "!type:burn", "Root/x.v.burn: missing field \"seconds\""},
        {"Tagged", "!type:burn {seconds: !x 2}", "Root/x.v.burn.seconds: unknown tag !x"},
        {"Tagged", "!type:say [1]", "Root/x.v.say: expected string, found a list"},
        {"Tagged", "{burn: !type:burn {seconds: 3}}", "unknown tag !type:burn for Burn"},
        {"Tagged", "[1]",
         "hint: or write the value alone, with the alternative in its tag `!type:NAME`"},
        {"Burn", "!type:burn {seconds: 2}", "unknown tag !type:burn for Burn"},
        {"Bare", "!damag 3", "did you mean \"damage\"?"},
        {"Keyed", "{type: brn, seconds: 2}", "Root/x.v.type: Keyed has no alternative \"brn\""},
        {"Keyed", "{type: [burn]}", "expected the name of an alternative of Keyed"},
        {"Keyed", "{type: ~}", "expected the name of an alternative of Keyed"},
        {"Keyed", "{type: none, seconds: 2}",
         "Root/x.v.none: the alternative \"none\" takes no value"},
        {"Keyed", "{type: burn, second: 2}", "Burn has no field \"second\""},
        {"Keyed", "{type: burn, typ: 1, seconds: 2}", "Burn has no field \"typ\""},
        {"Keyed", "{burn: {seconds: 2, type: burn}}", "Burn has no field \"type\""},
        {"Keyed", "{type: list, of: [{of: [], tpye: list}]}", "whose key `type` names the"},
        {"Keyed", "{type: burn, seconds: x}", "Root/x.v.burn.seconds: expected f32"},
        {"Keyed", "!x {type: none}", "unknown tag !x for Keyed"},
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

static void a_tuple_is_a_list_of_its_fields_or_one_string(void **state)
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
        {"Vec2", "1", "expected Vec2 (a mapping, a list of 2, or a string \"x, y\"), found \"1\""},
        {"Vec2", "1,2,3", "or a string \"x, y\"), found \"1,2,3\" [type]"},
        {"Vec2", "\"\"", "found \"\" [type]"},
        {"Vec2", "~", "or a string \"x, y\"), found null [type]"},
        {"Vec2", "1,b", "Root/x.v.y: expected f32, found \"b\""},
        {"Vec2", "[1]", "Root/x.v: missing field \"y\""},
        {"Vec2", "[1, b]", "Root/x.v.y: expected f32, found \"b\""},
        {"Vec2", "[1, 2, 3]", "Root/x.v: the list has 3 elements, but Vec2 has 2 fields [type]"},
        {"Vec2", "!x [1, 2]", "unknown tag !x for Vec2"},
        {"Vec2", "!x 1,2", "unknown tag !x for Vec2"},
        {"Vec2", "!!int 1,2", "the tag !!int does not match Vec2"},
        {"Row", "7,true,blue", "Root/x.v.of: unknown value \"blue\" for enum Color"},
        {"Row", "7,true,red,a,0.6", "Root/x.v.half: 0.6 exceeds 0.5 [range]"},
        {"Line", "1,2", "expected Line (a mapping or a list of 3), found \"1,2\""},
        {"Ref", "a,10", "Root/x.v.n: 10 exceeds 9 [range]"},
        {"Ref", "\",1\"", "is not a valid asset id"},
        {"f32[2]", "1", "expected f32[2], found \"1\""},
        {"f32[2]", "1,2,3", "expected f32[2], found \"1,2,3\""},
        {"f32[2]", "1,b", "expected f32, found \"b\""},
        {"Vec2[1]", "1,2", "expected Vec2[1], found \"1,2\""},
        {"u8[]", "1,2", "expected u8[], found \"1,2\""},
    };
    (void)state;
    check_rows(tuples, rows, COUNT(rows), false);
}

static const char colours[] =
    "  Rgb: {struct: {r: u8, g: u8, b: u8}, colour: true}\n"
    "  Rgba: {struct: {r: u8, g: u8, b: u8, a: {type: u8, default: 7}}, colour: true}\n"
    "  Half: {wrap: {type: f64, range: [0, 0.5]}}\n"
    "  Floats: {struct: {r: f32, g: f32, b: f32, a: f64}, colour: true, tuple: true}\n"
    "  Dark: {struct: {r: Half, g: Half, b: Half}, colour: true}\n";

static void a_colour_has_digits_or_a_name(void **state)
{
    static const row rows[] = {
        {"Rgb", "\"#f80\"", "{r:255 g:136 b:0}"},
        {"Rgb", "'#12aBcD'", "{r:18 g:171 b:205}"},
        {"Rgb", "'#12aBcDff'", "{r:18 g:171 b:205}"},
        {"Rgb", "'#f80F'", "{r:255 g:136 b:0}"},
        {"Rgb", "{r: 1, g: 2, b: 3}", "{r:1 g:2 b:3}"},
        {"Rgb", "AliceBlue", "{r:240 g:248 b:255}"},
        {"Rgb", "YELLOWGREEN", "{r:154 g:205 b:50}"},
        {"Rgb", "!!str red", "{r:255 g:0 b:0}"},
        {"Rgba", "'#f80'", "{r:255 g:136 b:0 a:255}"},
        {"Rgba", "'#f803'", "{r:255 g:136 b:0 a:51}"},
        {"Rgba", "'#12aBcD40'", "{r:18 g:171 b:205 a:64}"},
        {"Rgba", "transparent", "{r:0 g:0 b:0 a:0}"},
        {"Rgba", "{r: 1, g: 2, b: 3}", "{r:1 g:2 b:3 a:7}"},
        {"Rgba?", "rebeccapurple", "{r:102 g:51 b:153 a:255}"},
        {"Rgba[]", "[red, '#000']", "[{r:255 g:0 b:0 a:255} {r:0 g:0 b:0 a:255}]"},
        {"{type: Rgba, default: tan}", "-", "{r:210 g:180 b:140 a:255}"},
        {"Floats", "'#f033'", "{r:1 g:0 b:0.2 a:0.2}"},
        {"Floats", "white", "{r:1 g:1 b:1 a:1}"},
        {"Floats", "'1, 0.5, 0, .inf'", "{r:1 g:0.5 b:0 a:inf}"},
        {"Floats", "[1, 0.5, 0, 1]", "{r:1 g:0.5 b:0 a:1}"},
        {"Dark", "'#333'", "{r:{value:0.2} g:{value:0.2} b:{value:0.2}}"},
    };
    (void)state;
    check_rows(colours, rows, COUNT(rows), true);
}

static void invalid_colours_are_refused(void **state)
{
    static const row rows[] = {
        {"Rgb", "'#12345'", "use 3, 4, 6 or 8 hexadecimal digits after the #"},
        {"Rgb", "'#12345g'", "use 3, 4, 6 or 8 hexadecimal digits after the #"},
        {"Rgb", "'#'", "expected Rgb (a mapping or a colour as #RRGGBB or by name), found \"#\""},
        {"Rgb", "#fff", "hint: to write a string that begins with #, put it in quotes"},
        {"Rgb", "'#f80e'", "\"#f80e\" is not opaque, but Rgb has no alpha field"},
        {"Rgb", "transparent", "\"transparent\" is not opaque, but Rgb has no alpha field"},
        {"Rgb", "alicblue", "hint: did you mean \"aliceblue\"?"},
        {"Rgb", "\"red\\0\"", "[type]"},
        {"Rgb", "\"red\\0\\0x\"", "[type]"},
        {"Rgb", "\"\"", "[type]"},
        {"Rgb", "[1, 2, 3]", "expected Rgb (a mapping or a colour as #RRGGBB or by name), found"},
        {"Floats", "1,2",
         "a list of 4, a string \"r, g, b, a\", or a colour as #RRGGBB or by name)"},
        {"Floats", "rde", "did you mean \"red\"?"},
        {"Dark", "'#3a3'", "Root/x.v.g: 0.66666666666666666666666666666666 exceeds 0.5 [range]"},
        {"Rgb", "!x red", "unknown tag !x for Rgb"},
    };
    (void)state;
    check_rows(colours, rows, COUNT(rows), false);
}

/* A u8 channel is the byte itself. A float channel is the byte / 255, correctly rounded. */
static void every_channel_is_exact(void **state)
{
    fixture_schema f;
    (void)state;
    fixture_write("s.yaml", "kiln: 1\ntypes:\n  Root: {struct: {r: f64, g: f32, b: u8},"
                            " asset: true, colour: true}\n");
    for (unsigned i = 0; i < 256; i++) {
        char yaml[32], expected[80];
        bool ok;
        fixture_schema_init(&f, "s.yaml");
        assert_int_equal(f.result, BAKE_OK);
        snprintf(yaml, sizeof yaml, "\"#%02x%02X%02x\"\n", i, i, i);
        snprintf(expected, sizeof expected, "{r:%g g:%g b:%u}", i / 255.0,
                 (double)(float)(i / 255.0), i);
        char *text = bake(&f, yaml, &ok);
        assert_true(ok);
        assert_string_equal(text, expected);
        free(text);
        fixture_schema_fini(&f);
    }
}

static const char shorts[] =
    "  Sound: {struct: {path: string, volume: {type: f32, default: 1}}, short: path}\n"
    "  Layers: {struct: {all: \"u8[]\", n: {type: u8, default: 2}}, short: all}\n"
    "  Maybe: {struct: {n: u8?, m: {type: u8, default: 2}}, short: n}\n"
    "  Both: {struct: {x: u8, y: {type: u8, default: 3}}, short: x, tuple: true}\n"
    "  Sum: {union: {flat: u8, dice: Both}, by: tag}\n"
    "  Hit: {struct: {sum: Sum, times: {type: u8, default: 1}}, short: sum}\n"
    "  Deep: {struct: {hit: Hit, rest: {type: \"map<string, u8>\", rest: true}}, short: hit}\n"
    "  Loop: {struct: {next: Loop?}, short: next}\n"
    "  Play: {union: {sound: Sound, stop: }, by: tag}\n"
    "  Lacks: {struct: {a: u8, b: u8}, short: a}\n";

static void a_struct_may_be_the_value_of_its_short_field(void **state)
{
    static const row rows[] = {
        {"Sound", "a.ogg", "{path:'a.ogg' volume:1}"},
        {"Sound", "3", "{path:'3' volume:1}"},
        {"Sound", "!!str null", "{path:'null' volume:1}"},
        {"Sound", "{path: a.ogg}", "{path:'a.ogg' volume:1}"},
        {"Sound[]", "[a, {path: b, volume: 2}]", "[{path:'a' volume:1} {path:'b' volume:2}]"},
        {"{type: \"Sound[]\", single: true}", "a", "[{path:'a' volume:1}]"},
        {"{type: Sound, default: b}", "-", "{path:'b' volume:1}"},
        {"Layers", "[1, 2]", "{all:[1 2] n:2}"},
        {"Layers", "{all: [1], n: 3}", "{all:[1] n:3}"},
        {"Layers", "~", "{all:[] n:2}"},
        {"Maybe", "~", "{n:~ m:2}"},
        {"Maybe", "3", "{n:3 m:2}"},
        {"Both", "4", "{x:4 y:3}"},
        {"Both", "[4, 5]", "{x:4 y:5}"},
        {"Hit", "!type:flat 3", "{sum:flat 3 times:1}"},
        {"Hit", "!type:dice {x: 1}", "{sum:dice {x:1 y:3} times:1}"},
        {"Hit", "!type:dice [1, 2]", "{sum:dice {x:1 y:2} times:1}"},
        {"Hit", "{sum: {flat: 3}, times: 2}", "{sum:flat 3 times:2}"},
        {"Deep", "!type:flat 3", "{hit:{sum:flat 3 times:1} rest:{}}"},
        {"Play", "!type:sound a.ogg", "sound {path:'a.ogg' volume:1}"},
        {"Play", "!type:sound {path: a.ogg}", "sound {path:'a.ogg' volume:1}"},
    };
    (void)state;
    check_rows(shorts, rows, COUNT(rows), true);
}

static void invalid_short_forms_are_refused(void **state)
{
    static const row rows[] = {
        {"Sound", "[a]", "Root/x.v.path: expected string, found a list"},
        {"Sound", "~", "expected Sound (a mapping or the value of path alone), found null"},
        {"Sound", "!x a", "Root/x.v.path: unknown tag !x for string"},
        {"Sound", "{volume: 2}", "missing field \"path\""},
        {"Layers", "3", "Root/x.v.all: expected u8[], found \"3\""},
        {"Both", "1,2", "Root/x.v.x: expected u8, found \"1,2\""},
        {"Lacks", "3", "Root/x.v: missing field \"b\""},
        {"Loop", "3", "values are nested more than 128 levels deep"},
        {"Hit", "!type:flt 3", "did you mean \"flat\"?"},
    };
    (void)state;
    check_rows(shorts, rows, COUNT(rows), false);
}

static const char words[] =
    "  Layer:\n"
    "    enum: {Base: 0, Top: {value: 1, was: [Roof, TOP, top]}, \"Layer.Base\": 2}\n"
    "    case: any\n"
    "    prefix: [enum.Layer., Layer.]\n"
    "  Exact: {enum: [Base, Top], prefix: \"E:\"}\n"
    "  Mask: {flags: [Fire, Ice, \"a,b\"], case: any, prefix: mask_}\n"
    "  Bits: {flags: {one: 1, two: {value: 2, was: zwei}, both: 3}}\n";

static void names_match_in_any_case_and_after_a_prefix(void **state)
{
    static const row rows[] = {
        {"Layer", "Base", "Base"},
        {"Layer", "bASE", "Base"},
        {"Layer", "enum.Layer.Base", "Base"},
        {"Layer", "ENUM.LAYER.base", "Base"},
        {"Layer", "Layer.Base", "Layer.Base"},
        {"Layer", "layer.base", "Layer.Base"},
        {"Layer", "enum.Layer.Layer.Base", "Layer.Base"},
        {"Layer", "Layer.Top", "Top"},
        {"Layer", "roof", "Top"},
        {"Layer", "tOp", "Top"},
        {"Layer", "!!str top", "Top"},
        {"map<Layer, u8>", "{layer.TOP: 1, base: 2}", "{Base:2 Top:1}"},
        {"{type: Layer, default: layer.top}", "-", "Top"},
        {"Layer[2]", "base, Layer.top", "[Base Top]"},
        {"Exact", "Base", "Base"},
        {"Exact", "\"E:Base\"", "Base"},
        {"Mask", "fire", "1"},
        {"Mask", "mask_Fire, ICE", "3"},
        {"Mask", "[mask_Fire, 'A,B']", "5"},
        {"Mask", "\"MASK_a,B\"", "4"},
        {"Mask", "{fire: true, MASK_ICE: false, \"A,b\": 1}", "5"},
        {"Bits", "{one: 1, two: 0}", "1"},
        {"Bits", "{}", "0"},
        {"Bits", "!!map {zwei: TRUE}", "2"},
        {"Bits", "{both: true, one: false}", "3"},
        {"Bits[]", "[{one: true}, [two], both]", "[1 2 3]"},
        {"bool", "1", "1"},
        {"bool", "\"0\"", "0"},
        {"map<bool, u8>", "{1: 1, 0: 2}", "{0:2 1:1}"},
    };
    (void)state;
    check_rows(words, rows, COUNT(rows), true);
}

static void null_means_the_default_of_types_without_an_empty_value(void **state)
{
    static const row rows[] = {
        {"{type: u8, default: 3}", "~", "3"},
        {"{type: string, default: x}", "", "'x'"},
        {"{type: string, default: x}", "!!null ~", "'x'"},
        {"{type: string, default: x}", "\"\"", "''"},
        {"{type: bool, default: true}", "null", "1"},
        {"{type: Bits, default: both}", "~", "3"},
        {"{type: bytes, default: aGk=}", "~", "<6869>"},
        {"{type: \"u8[2]\", default: \"1,2\"}", "~", "[1 2]"},
        {"{type: Exact, default: Top}", "~", "Top"},
        {"{type: \"u8[]\", default: [1]}", "~", "[]"},
        {"{type: u8?, default: 1}", "~", "~"},
    };
    (void)state;
    check_rows(words, rows, COUNT(rows), true);
}

static const char measures[] = "  Angle: {wrap: {type: f32, unit: deg}}\n"
                               "  Arc: {struct: {from: Angle, to: Angle}, tuple: true}\n";

static void numbers_may_have_a_unit(void **state)
{
    static const row rows[] = {
        {"{type: u32, unit: ms}", "250", "250"},
        {"{type: u32, unit: ms}", "250ms", "250"},
        {"{type: u32, unit: ms}", "1.5 s", "1500"},
        {"{type: u32, unit: ms}", "0x10", "16"},
        {"{type: i16, unit: mm}", "-1.5cm", "-15"},
        {"{type: u8, unit: s, default: 1min}", "-", "60"},
        {"{type: u8, unit: s, range: [0, 90]}", "1.5min", "90"},
        {"{type: u64, unit: B}", "16GiB", "17179869184"},
        {"{type: f64, unit: rad}", "180deg", "3.14159"},
        {"{type: f32, unit: rad}", "3.14 rad", "3.14"},
        {"{type: f32, unit: 1}", "50%", "0.5"},
        {"{type: f32, unit: 1}", "0.5", "0.5"},
        {"{type: f32, unit: K}", "20C", "293.15"},
        {"{type: f32?, unit: s}", "250ms", "0.25"},
        {"{type: f32?, unit: s}", "~", "~"},
        {"Angle", "0.5turn", "{value:180}"},
        {"Angle[]", "[90, 0.5turn]", "[{value:90} {value:180}]"},
        {"Arc", "\"90, 0.5turn\"", "{from:{value:90} to:{value:180}}"},
        {"map<string, Angle>", "{a: 100grad}", "{'a':{value:90}}"},
    };
    (void)state;
    check_rows(measures, rows, COUNT(rows), true);
}

static void other_units_are_refused(void **state)
{
    static const row rows[] = {
        {"{type: u32, unit: ms}", "1m",
         "hint: write a number of ms, or a number with a unit: ns, us, ms"},
        {"{type: u32, unit: ms}", "1us", "hint: \"1us\" is not a whole number of ms"},
        {"{type: u32, unit: ms}", "1.5", "hint: write a number of ms, or a number with a unit"},
        {"{type: u32, unit: deg}", "1rad", "hint: \"1rad\" is not a whole number of deg"},
        {"{type: u8, unit: s}", "5min", "5min exceeds 255 [range]"},
        {"{type: u8, unit: s}", "-5min", "-5min is below 0 [range]"},
        {"{type: u8, unit: s}", "1e50h", "1e50h exceeds 255 [range]"},
        {"{type: i8, unit: s}", "-1e50h", "-1e50h is below -128 [range]"},
        {"{type: f32, unit: s}", "1e50h", "1e50h exceeds the range of f32"},
        {"{type: f32, unit: s, range: [0, 60]}", "2min", "2min exceeds 60 [range]"},
        {"Angle", "1.5 degrees",
         "hint: write a number of deg, or a number with a unit: rad, deg, turn"},
        {"f32", "90deg", "expected f32, found \"90deg\""},
        {"{type: f32, unit: rad}", "deg", "expected f32, found \"deg\""},
    };
    (void)state;
    check_rows(measures, rows, COUNT(rows), false);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, fixture_enter, fixture_leave)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(the_tag_of_a_node_names_the_alternative),
        IN_FOLDER(a_key_names_the_alternative),
        IN_FOLDER(unknown_alternatives_are_refused),
        IN_FOLDER(a_tuple_is_a_list_of_its_fields_or_one_string),
        IN_FOLDER(a_tuple_that_does_not_fit_is_refused),
        IN_FOLDER(a_colour_has_digits_or_a_name),
        IN_FOLDER(invalid_colours_are_refused),
        IN_FOLDER(every_channel_is_exact),
        IN_FOLDER(a_struct_may_be_the_value_of_its_short_field),
        IN_FOLDER(invalid_short_forms_are_refused),
        IN_FOLDER(names_match_in_any_case_and_after_a_prefix),
        IN_FOLDER(null_means_the_default_of_types_without_an_empty_value),
        IN_FOLDER(numbers_may_have_a_unit),
        IN_FOLDER(other_units_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
