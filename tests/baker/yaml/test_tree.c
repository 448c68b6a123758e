/* YAML texts and the resulting trees with their positions. */
#define _POSIX_C_SOURCE 200809L

#include "tree_reading.h"

static const struct {
    const char *yaml;
    const char *shown;
} readable[] = {
    /* Streams and documents. */
    {"", ""},
    {"# only a comment\n", ""},
    {"---\n", "none"},
    {"--- ~\n", "~"},
    {"--- !!str\n", "<tag:yaml.org,2002:str>"},
    {"--- ''\n", "''"},
    {"a\n---\nb\n...\n---\n", "a | b | none"},
    {"%YAML 1.1\n---\nx\n", "x"},
    {"%YAML 1.2\n---\nx\n", "x"},
    {"\xef\xbb\xbf"
     "a: 1\n",
     "{a:1}"},
    {"a: 1\r\nb:\r\n  - 2\r\n  - 3\r\n", "{a:1,b:[2,3]}"},
    {"a: 1\rb: 2\r", "{a:1,b:2}"},
    /* Scalars keep their text as written; no type is guessed. */
    {"[no, 1.10, 0x10, 010, ~, null, '', \"\", 2001-01-01]",
     "[no,1.10,0x10,010,~,null,'','',2001-01-01]"},
    {"a: plain over\n  two lines\n", "{a:plain over two lines}"},
    {"a: |\n  x\n   y\n", "{a:'x\n y\n'}"},
    {"a: >-\n  x\n  y\n", "{a:'x y'}"},
    {"a: |2+\n   x\n\n", "{a:' x\n\n'}"},
    {"'it''s'", "'it's'"},
    {"\"\\x41b\\u00e9b\"", "'Ab\xc3\xa9"
                           "b'"},
    {"\"\\x41\\u00e9\\U0001F600\\n\\t\\\"\"", "'A\xc3\xa9\xf0\x9f\x98\x80\n\t\"'"},
    {"a: \"x\\0y\\0\"", "{a:'x\\0y\\0'}"},
    {"{\"a\\0b\": 1, \"a\\0c\": 2, \"a\": 3}", "{'a\\0b':1,'a\\0c':2,'a':3}"},
    {"url: http://x.y/z#frag", "{url:http://x.y/z#frag}"},
    {"k\xc3\xa4se: gr\xc3\xbcn", "{k\xc3\xa4se:gr\xc3\xbcn}"},
    /* Collections. */
    {"{}", "{}"},
    {"[]", "[]"},
    {"a:\n- 1\n- 2\n", "{a:[1,2]}"},
    {"- - 1\n  - 2\n- a: 1\n  b:\n", "[[1,2],{a:1,b:}]"},
    {"[a: 1, {b, c: 2}]", "[{a:1},{b:,c:2}]"},
    {"? a\n: 1\n? b\n", "{a:1,b:}"},
    {"?\n: 1\n", "{:1}"},
    {"{a: 1, b: [x, {y: z,},],}", "{a:1,b:[x,{y:z}]}"},
    {"~: 1\n'': 2\n", "{~:1,'':2}"},
    /* Tags. */
    {"!!str 1", "<tag:yaml.org,2002:str>1"},
    {"!local {a: !x [1]}", "<!local>{a:<!x>[1]}"},
    {"!<tag:a.b,c:d> x", "<tag:a.b,c:d>x"},
    {"%TAG !u! tag:unity3d.com,2011:\n--- !u!4 &12\nT: {f: 1}\n",
     "<tag:unity3d.com,2011:4>{T:{f:1}}"},
    /* Tags declared once apply to later documents, with either reader. */
    {"%TAG !u! t:\n--- !u!4 a\n--- !u!5 b\n---\n- !u!6 c\n", "<t:4>a | <t:5>b | [<t:6>c]"},
    {"%TAG !u! t:\n--- !u!4 a\n  b\n--- !u!5 {? c : d}\n...\n--- !u!6 e\n",
     "<t:4>a b | <t:5>{c:d} | <t:6>e"},
    {"%TAG !u! t:\n--- !u!4 a\n...\n%TAG !v! w:\n--- !v!5 b\n--- !u!6 c\n",
     "<t:4>a | <w:5>b | <t:6>c"},
    {"%TAG !u! t:\n--- !u!4 &1\nT: {? a : b}\n--- !u!4 &2 stripped\nT: c\n",
     "<t:4>{T:{a:b}} | <t:4>{T:c}"},
    {"%TAG !u! t:\n---\n? a\n--- |+\n b\n\n--- \"c\"\n--- !u!4 &2 stripped\n--- &3 stripped\n d\n",
     "{a:} | 'b\n\n' | 'c' | <t:4>stripped | stripped d"},
    {"[!a 1, !b 2, !a 3]", "[<!a>1,<!b>2,<!a>3]"},
    /* Anchors and aliases. */
    {"[&a x, *a]", "[x,x]"},
    {"[&a [1, 2], *a, *a]", "[[1,2],[1,2],[1,2]]"},
    {"[&a 1, *a, &a 2, *a]", "[1,1,2,2]"},
    {"&a [&a x, *a]", "[x,x]"},
    {"[&a , *a]", "[,]"},
    {"{&a k: v, o: *a}", "{k:v,o:k}"},
    {"{&a k: 1, x: {*a : 2}}", "{k:1,x:{k:2}}"},
    {"&a x\n---\n&a y\n--- [&a z, *a]\n", "x | y | [z,z]"},
    /* Merge keys. */
    {"[&a {x: 1, y: 2}, {<<: *a, y: 3}]", "[{x:1,y:2},{y:3,x:1}]"},
    {"[&a {x: 1}, {y: 0, <<: *a, z: 9}]", "[{x:1},{y:0,z:9,x:1}]"},
    {"[&a {x: 1, y: 1}, &b {y: 2, z: 2}, {<<: [*a, *b]}]", "[{x:1,y:1},{y:2,z:2},{x:1,y:1,z:2}]"},
    {"[&a {x: 1, y: 1}, &b {y: 2, z: 2}, {<<: [*b, *a]}]", "[{x:1,y:1},{y:2,z:2},{y:2,z:2,x:1}]"},
    {"{<<: {x: 1}, y: 2}", "{y:2,x:1}"},
    {"{<<: [], y: 2}", "{y:2}"},
    {"{<<: {}}", "{}"},
    {"[&a {x: 1}, &b {<<: *a, y: 2}, {<<: *b, z: 3}]", "[{x:1},{y:2,x:1},{z:3,y:2,x:1}]"},
    {"[&l [{x: 1}, {y: 2}], {<<: *l}]", "[[{x:1},{y:2}],{x:1,y:2}]"},
    {"{'<<': {x: 1}}", "{'<<':{x:1}}"},
    {"{\"<<\": 1, <<: {x: 1}}", "{'<<':1,x:1}"},
    {"{!!str <<: 1}", "{<tag:yaml.org,2002:str><<:1}"},
    {"{!!merge <<: {x: 1}}", "{x:1}"},
    {"[<<, {a: <<}]", "[<<,{a:<<}]"},
};

static void every_readable_text_gives_its_tree(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof readable / sizeof *readable; i++) {
        reading r = read_text(readable[i].yaml);
        char *said = printed(&r);
        assert_string_equal(said, "");
        char *got = shown(r.tree);
        if (strcmp(got, readable[i].shown) != 0)
            print_error("row %zu: %s\n", i, readable[i].yaml);
        assert_string_equal(got, readable[i].shown);
        free(got);
        free(said);
        reading_fini(&r);
    }
}

static const struct {
    const char *yaml;
    const char *printed;
} broken[] = {
    {"a: 1\nb: 2\na: 3\n", "t.yaml:3:1: error: the key \"a\" is given twice [duplicate]\n"
                           "  3 | a: 3\n"
                           "    | ^\n"
                           "  hint: first given on line 1\n"
                           "1 error\n"},
    {"{a: 1, 'a': 2, \"a\": 3}", "t.yaml:1:8: error: the key \"a\" is given twice [duplicate]\n"
                                 "  1 | {a: 1, 'a': 2, \"a\": 3}\n"
                                 "    |        ^~~\n"
                                 "  hint: first given on this line, in column 2\n"
                                 "t.yaml:1:16: error: the key \"a\" is given twice [duplicate]\n"
                                 "  1 | {a: 1, 'a': 2, \"a\": 3}\n"
                                 "    |                ^~~\n"
                                 "  hint: first given on this line, in column 2\n"
                                 "2 errors\n"},
    {"- &sword 1\n- *swrod\n", "t.yaml:2:3: error: undefined alias *swrod [alias]\n"
                               "  2 | - *swrod\n"
                               "    |   ^~~~~~\n"
                               "  hint: did you mean \"sword\"?\n"
                               "1 error\n"},
    {"&a x\n---\n*a\n", "t.yaml:3:1: error: undefined alias *a [alias]\n"
                        "  3 | *a\n"
                        "    | ^~\n"
                        "1 error\n"},
    {"x: &a\n  y: [*a]\n", "t.yaml:2:7: error: the alias *a contains itself [alias]\n"
                           "  2 |   y: [*a]\n"
                           "    |       ^~\n"
                           "  hint: its anchor is on line 1\n"
                           "1 error\n"},
    {"&a {<<: *a}", "t.yaml:1:9: error: the alias *a contains itself [alias]\n"
                    "  1 | &a {<<: *a}\n"
                    "    |         ^~\n"
                    "  hint: its anchor is on line 1\n"
                    "1 error\n"},
    {"? [a]\n: 1\n",
     "t.yaml:1:3: error: a key must be a single value, not a list or mapping [key]\n"
     "  1 | ? [a]\n"
     "    |   ^\n"
     "1 error\n"},
    {"[&a {x: 1}, {*a : 2}]",
     "t.yaml:1:14: error: a key must be a single value, not a list or mapping [key]\n"
     "  1 | [&a {x: 1}, {*a : 2}]\n"
     "    |              ^~\n"
     "1 error\n"},
    {"{<<: 1}", "t.yaml:1:2: error: the value of a merge key << must be a mapping or a list of "
                "mappings [merge]\n"
                "  1 | {<<: 1}\n"
                "    |  ^~\n"
                "  hint: quote the key if it is not meant as a merge key\n"
                "1 error\n"},
    {"{<<: [{a: 1}, [b]]}", "t.yaml:1:2: error: the value of a merge key << must be a mapping or a "
                            "list of mappings [merge]\n"
                            "  1 | {<<: [{a: 1}, [b]]}\n"
                            "    |  ^~\n"
                            "  hint: quote the key if it is not meant as a merge key\n"
                            "1 error\n"},
    {"<<: {a: 1}\n<<: {b: 1}\n", "t.yaml:2:1: error: the merge key << is given twice [duplicate]\n"
                                 "  2 | <<: {b: 1}\n"
                                 "    | ^~\n"
                                 "  hint: first given on line 1; to merge several, list them: "
                                 "<<: [*a, *b]\n"
                                 "1 error\n"},
    {"a: \"x\n", "t.yaml:1:4: error: unterminated quoted string [yaml]\n"
                 "  1 | a: \"x\n"
                 "    |    ^\n"
                 "1 error\n"},
    {"a: [1, 2\nb: 3\n", "t.yaml:2:2: error: expected a comma, or ] to close the list [yaml]\n"
                         "  2 | b: 3\n"
                         "    |  ^\n"
                         "  hint: while parsing a flow sequence that begins on line 1\n"
                         "1 error\n"},
    {"a: b: c\n", "t.yaml:1:5: error: a second \": \" in one value, or a key indented differently "
                  "from its neighbours [yaml]\n"
                  "  1 | a: b: c\n"
                  "    |     ^\n"
                  "  hint: quote text that contains a colon and a space\n"
                  "1 error\n"},
    {"a:\n\tb: 1\n", "t.yaml:2:1: error: a tab in the indentation [yaml]\n"
                     "  2 |  b: 1\n"
                     "    | ^\n"
                     "  hint: indent YAML with spaces\n"
                     "1 error\n"},
    {"a: @b\n", "t.yaml:1:4: error: a value cannot begin with this character [yaml]\n"
                "  1 | a: @b\n"
                "    |    ^\n"
                "  hint: quote a value that begins with @, ` or %\n"
                "1 error\n"},
    {"a: 1\n---\n!u!4 x\n",
     "t.yaml:3:1: error: undeclared tag handle [yaml]\n"
     "  3 | !u!4 x\n"
     "    | ^\n"
     "  hint: declare it with a %TAG line before this document or before the first one\n"
     "1 error\n"},
    /* Positions are those in the input, regardless of lines inserted before documents. */
    {"%TAG !u! t:\n--- !u!4 &1 stripped\na: 1\n--- !u!5\nb: [!u!6 c, !v!7 d]\n",
     "t.yaml:5:13: error: undeclared tag handle [yaml]\n"
     "  5 | b: [!u!6 c, !v!7 d]\n"
     "    |             ^\n"
     "  hint: declare it with a %TAG line before this document or before the first one\n"
     "1 error\n"},
    {"%TAG !u! t:\n--- a\n--- !u!5\nb: [a\n--- c\n",
     "t.yaml:5:1: error: expected a comma, or ] to close the list [yaml]\n"
     "  5 | --- c\n"
     "    | ^\n"
     "  hint: while parsing a flow sequence that begins on line 4\n"
     "1 error\n"},
    {"%TAG !u! t:\n--- a\n--- {b: [c]",
     "t.yaml:3:12: error: expected a comma, or } to close the mapping [yaml]\n"
     "  3 | --- {b: [c]\n"
     "    |            ^\n"
     "1 error\n"},
    {"%TAG !u! t:\n# \xc3\xa4\n--- \xc3\xa4\n--- !u!5 b\n--- !u!5\nc: \"\xc3\xa4\xff\"\n",
     "t.yaml:6:6: error: the byte 0xff is not valid UTF-8 [encoding]\n"
     "  6 | c: \"\xc3\xa4\\xff\"\n"
     "    |      ^~~~\n"
     "  hint: save the file as UTF-8\n"
     "1 error\n"},
    {"a: \xff\n", "t.yaml:1:4: error: the byte 0xff is not valid UTF-8 [encoding]\n"
                  "  1 | a: \\xff\n"
                  "    |    ^~~~\n"
                  "  hint: save the file as UTF-8\n"
                  "1 error\n"},
    {"\xef\xbb\xbf\xc3\xa4: \x01\n",
     "t.yaml:1:4: error: the control character U+0001 is not allowed in YAML [encoding]\n"
     "  1 | \xc3\xa4: \\x01\n"
     "    |    ^~~~\n"
     "  hint: write it in double quotes as \"\\u0001\"\n"
     "1 error\n"},
    {"a: x\xe2\x82", "t.yaml:1:5: error: the byte 0xe2 is not valid UTF-8 [encoding]\n"
                     "  1 | a: x\\xe2\\x82\n"
                     "    |     ^~~~\n"
                     "  hint: save the file as UTF-8\n"
                     "1 error\n"},
    {"\xff\xfe"
     "a",
     "t.yaml: error: the file is encoded in UTF-16 [encoding]\n"
     "  hint: save the file as UTF-8\n"
     "1 error\n"},
    {"%YAML 3.0\n--- x\n",
     "t.yaml:1:1: error: unsupported YAML version; Kiln supports 1.1 and 1.2 [yaml]\n"
     "  1 | %YAML 3.0\n"
     "    | ^\n"
     "1 error\n"},
};

static void every_broken_text_is_reported_with_its_position(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        reading r = read_text(broken[i].yaml);
        assert_true(bake_diagnostics_errors(r.diagnostics) > 0);
        char *said = printed(&r);
        assert_string_equal(said, broken[i].printed);
        free(said);
        free(shown(r.tree));
        reading_fini(&r);
    }
}

static void check_mark(const bake_tree *tree, bake_node_id node, uint32_t line, uint32_t column,
                       uint32_t length)
{
    bake_mark mark = bake_node_mark(tree, node);
    assert_int_equal(mark.source, 0);
    assert_int_equal(mark.line, line);
    assert_int_equal(mark.column, column);
    assert_int_equal(mark.length, length);
}

/* The text has several checkpoints, a BOM and multibyte characters. A position must not depend on
 * the position looked up before. */
static void marks_do_not_depend_on_earlier_lookups(void **state)
{
    enum { LINES = 400 };
    char text[LINES * 16 + 8] = "\xef\xbb\xbf";
    bake_mark marks[LINES];
    size_t length = 3;
    (void)state;
    for (unsigned i = 0; i < LINES; i++)
        length += (size_t)snprintf(text + length, sizeof text - length, "- [\xc3\xa9, v%03u]\n", i);
    reading r = read_text(text);
    bake_node_id root = bake_tree_document(r.tree, 0);
    for (unsigned i = 0; i < LINES; i++) {
        /* Reads the text again, so that nothing is cached from an earlier lookup. */
        reading fresh = read_text(text);
        bake_node_id list = at(fresh.tree, bake_tree_document(fresh.tree, 0), i).value;
        marks[i] = bake_node_mark(fresh.tree, at(fresh.tree, list, 1).value);
        assert_int_equal(marks[i].line, i + 1);
        assert_int_equal(marks[i].column, 7);
        reading_fini(&fresh);
    }
    for (unsigned i = 0; i < LINES; i++) {
        for (unsigned step = 0; step < 3; step++) {
            unsigned n = step == 0 ? i : step == 1 ? LINES - 1 - i : i * 7 % LINES;
            bake_mark mark = bake_node_mark(r.tree, at(r.tree, at(r.tree, root, n).value, 1).value);
            assert_memory_equal(&mark, &marks[n], sizeof mark);
        }
    }
    reading_fini(&r);
}

static void marks_count_code_points_from_one(void **state)
{
    (void)state;
    reading r =
        read_text("\xef\xbb\xbf\xc3\xa4\xc3\xb6: \xf0\x9f\x98\x80x\nb:\n  - 'two\n    lines'\n"
                  "c:\nd: {e: [] }\n");
    bake_node_id root = bake_tree_document(r.tree, 0);
    check_mark(r.tree, root, 1, 1, 1);
    check_mark(r.tree, at(r.tree, root, 0).key, 1, 1, 2);
    check_mark(r.tree, at(r.tree, root, 0).value, 1, 5, 2);
    bake_node_id list = bake_node_find(r.tree, root, "b", 1);
    check_mark(r.tree, list, 3, 3, 1);
    check_mark(r.tree, at(r.tree, list, 0).value, 3, 5, BAKE_MARK_TO_LINE_END);
    check_mark(r.tree, bake_node_find(r.tree, root, "c", 1), 5, 3, 1);
    bake_node_id inner = bake_node_find(r.tree, root, "d", 1);
    check_mark(r.tree, inner, 6, 4, 1);
    check_mark(r.tree, bake_node_find(r.tree, inner, "e", 1), 6, 8, 1);
    reading_fini(&r);
}

/* Uses both readers: the second text has an explicit key, which the quick reader does not
 * accept. */
static void roots_have_their_anchors_and_marks(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "%TAG !u! t:\n--- !u!4 &12\nA: 1\n--- !u!1 &-34 stripped\nB: {c: 1}\n--- &x stripped\n---\n"
        "- &y d\n",
        "%TAG !u! t:\n--- !u!4 &12\nA: 1\n--- !u!1 &-34 stripped\nB: {? c : 1}\n--- &x stripped\n"
        "---\n- &y d\n",
    };
    for (size_t i = 0; i < 2; i++) {
        reading r = read_text(texts[i]);
        assert_int_equal(bake_tree_document_count(r.tree), 4);
        assert_string_equal(bake_tree_document_anchor(r.tree, 0), "12");
        assert_string_equal(bake_tree_document_anchor(r.tree, 1), "-34");
        assert_string_equal(bake_tree_document_anchor(r.tree, 2), "x");
        assert_null(bake_tree_document_anchor(r.tree, 3));
        for (uint32_t d = 0; d < 4; d++)
            assert_int_equal(bake_tree_document_is_stripped(r.tree, d), d == 1);
        check_mark(r.tree, bake_tree_document(r.tree, 1), 4, 5, 1);
        bake_node_id value = bake_node_find(r.tree, bake_tree_document(r.tree, 1), "B", 1);
        check_mark(r.tree, value, 5, 4, 1);
        reading_fini(&r);
    }
}

static void a_mark_covers_no_more_than_is_shown(void **state)
{
    (void)state;
    char *long_text = malloc(100000);
    assert_non_null(long_text);
    memset(long_text, 'x', 100000);
    reading r = read_bytes(long_text, 100000);
    check_mark(r.tree, bake_tree_document(r.tree, 0), 1, 1, 1024);
    free(long_text);
    reading_fini(&r);
}

static void only_plain_scalars_are_null(void **state)
{
    (void)state;
    reading r =
        read_text("{a: , b: ~, c: null, d: Null, e: NULL, f: '', g: '~', h: \"null\", i: nULL, "
                  "j: nul, k: [], l: 0, m: n}");
    bake_node_id root = bake_tree_document(r.tree, 0);
    for (uint32_t i = 0; i < bake_node_count(r.tree, root); i++)
        assert_int_equal(bake_node_is_null(r.tree, at(r.tree, root, i).value), i < 5);
    reading_fini(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_readable_text_gives_its_tree),
        cmocka_unit_test(every_broken_text_is_reported_with_its_position),
        cmocka_unit_test(marks_count_code_points_from_one),
        cmocka_unit_test(marks_do_not_depend_on_earlier_lookups),
        cmocka_unit_test(roots_have_their_anchors_and_marks),
        cmocka_unit_test(a_mark_covers_no_more_than_is_shown),
        cmocka_unit_test(only_plain_scalars_are_null),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
