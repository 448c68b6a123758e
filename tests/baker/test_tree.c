#define _POSIX_C_SOURCE 200809L

#include "bake_memory.h"
#include "diagnostics.h"
#include "tree.h"
#include "tree_store.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* A text that was read, and what came of it. The bytes lie in a block of exactly their size, so
 * that reading too far is found. */
typedef struct reading {
    bake_diagnostics *diagnostics;
    bake_tree *tree;
    char *text;
} reading;

static reading read_bytes(const char *text, size_t size)
{
    reading r;
    r.text = malloc(size ? size : 1);
    assert_non_null(r.text);
    if (size)
        memcpy(r.text, text, size);
    r.diagnostics = bake_diagnostics_create();
    assert_non_null(r.diagnostics);
    uint32_t source = bake_diagnostics_add_source(r.diagnostics, "t.yaml", r.text, size);
    r.tree = bake_tree_read(r.diagnostics, source, r.text, size);
    assert_non_null(r.tree);
    return r;
}

static reading read_text(const char *text)
{
    return read_bytes(text, strlen(text));
}

static void reading_fini(reading *r)
{
    bake_tree_destroy(r->tree);
    bake_diagnostics_destroy(r->diagnostics);
    free(r->text);
}

/* The walk over `node`, at entry or element `i`. */
static bake_walk at(const bake_tree *tree, bake_node_id node, uint32_t i)
{
    bake_walk walk = bake_walk_begin(tree, node);
    for (uint32_t steps = 0; steps <= i; steps++)
        assert_true(bake_walk_next(&walk));
    return walk;
}

static bool has_text(const bake_tree *tree, bake_node_id node, const char *expected)
{
    size_t length;
    const char *text = bake_node_text(tree, node, &length);
    return length == strlen(expected) && memcmp(text, expected, length) == 0;
}

static char *printed(const reading *r)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    bake_diagnostics_print(r->diagnostics, out, false);
    fclose(out);
    return text;
}

/* Writes a node in one line: plain scalars bare, others in quotes, NULs as \0, tags as <tag>. */
static void show_node(const bake_tree *tree, bake_node_id node, FILE *out)
{
    if (node == BAKE_NODE_NONE) {
        fputs("none", out);
        return;
    }
    if (bake_node_tag(tree, node))
        fprintf(out, "<%s>", bake_node_tag(tree, node));
    size_t length;
    const char *text = bake_node_text(tree, node, &length);
    bake_node_kind kind = bake_node_kind_of(tree, node);
    if (kind == BAKE_NODE_SCALAR) {
        bool plain = bake_node_is_plain(tree, node);
        fputs(plain ? "" : "'", out);
        for (size_t i = 0; i < length; i++)
            fputs(text[i] ? (char[]){text[i], '\0'} : "\\0", out);
        fputs(plain ? "" : "'", out);
        return;
    }
    fputc(kind == BAKE_NODE_SEQUENCE ? '[' : '{', out);
    bool first = true;
    for (bake_walk walk = bake_walk_begin(tree, node); bake_walk_next(&walk); first = false) {
        fputs(first ? "" : ",", out);
        if (kind == BAKE_NODE_MAPPING) {
            show_node(tree, walk.key, out);
            fputc(':', out);
        }
        show_node(tree, walk.value, out);
    }
    fputc(kind == BAKE_NODE_SEQUENCE ? ']' : '}', out);
}

static char *shown(const bake_tree *tree)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    for (uint32_t i = 0; i < bake_tree_document_count(tree); i++) {
        fputs(i ? " | " : "", out);
        show_node(tree, bake_tree_document(tree, i), out);
    }
    fclose(out);
    return text;
}

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
    /* Scalars: text stays as written, nothing is guessed. */
    {"[no, 1.10, 0x10, 010, ~, null, '', \"\", 2001-01-01]",
     "[no,1.10,0x10,010,~,null,'','',2001-01-01]"},
    {"a: plain over\n  two lines\n", "{a:plain over two lines}"},
    {"a: |\n  x\n   y\n", "{a:'x\n y\n'}"},
    {"a: >-\n  x\n  y\n", "{a:'x y'}"},
    {"a: |2+\n   x\n\n", "{a:' x\n\n'}"},
    {"'it''s'", "'it's'"},
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
    /* Tags that are declared once hold for later documents, whichever reader takes the text. */
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
                                 "  hint: first given on line 1\n"
                                 "t.yaml:1:16: error: the key \"a\" is given twice [duplicate]\n"
                                 "  1 | {a: 1, 'a': 2, \"a\": 3}\n"
                                 "    |                ^~~\n"
                                 "  hint: first given on line 1\n"
                                 "2 errors\n"},
    {"- &sword 1\n- *swrod\n",
     "t.yaml:2:3: error: no anchor &swrod stands before this alias [alias]\n"
     "  2 | - *swrod\n"
     "    |   ^~~~~~\n"
     "  hint: did you mean \"sword\"?\n"
     "1 error\n"},
    {"&a x\n---\n*a\n", "t.yaml:3:1: error: no anchor &a stands before this alias [alias]\n"
                        "  3 | *a\n"
                        "    | ^~\n"
                        "1 error\n"},
    {"x: &a\n  y: [*a]\n", "t.yaml:2:7: error: the alias *a contains itself [alias]\n"
                           "  2 |   y: [*a]\n"
                           "    |       ^~\n"
                           "  hint: its anchor stands on line 1\n"
                           "1 error\n"},
    {"&a {<<: *a}", "t.yaml:1:9: error: the alias *a contains itself [alias]\n"
                    "  1 | &a {<<: *a}\n"
                    "    |         ^~\n"
                    "  hint: its anchor stands on line 1\n"
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
    {"{<<: 1}", "t.yaml:1:2: error: a merge key << takes a mapping or a list of mappings [merge]\n"
                "  1 | {<<: 1}\n"
                "    |  ^~\n"
                "  hint: an ordinary key of that name is written in quotes\n"
                "1 error\n"},
    {"{<<: [{a: 1}, [b]]}",
     "t.yaml:1:2: error: a merge key << takes a mapping or a list of mappings [merge]\n"
     "  1 | {<<: [{a: 1}, [b]]}\n"
     "    |  ^~\n"
     "  hint: an ordinary key of that name is written in quotes\n"
     "1 error\n"},
    {"<<: {a: 1}\n<<: {b: 1}\n", "t.yaml:2:1: error: the merge key << is given twice [duplicate]\n"
                                 "  2 | <<: {b: 1}\n"
                                 "    | ^~\n"
                                 "  hint: first given on line 1; several fit in one list: "
                                 "<<: [*a, *b]\n"
                                 "1 error\n"},
    {"a: \"x\n", "t.yaml:1:4: error: this quoted text is never closed [yaml]\n"
                 "  1 | a: \"x\n"
                 "    |    ^\n"
                 "1 error\n"},
    {"a: [1, 2\nb: 3\n",
     "t.yaml:2:2: error: a comma, or the ] that closes the list, is expected here [yaml]\n"
     "  2 | b: 3\n"
     "    |  ^\n"
     "  hint: while parsing a flow sequence that begins on line 1\n"
     "1 error\n"},
    {"a: b: c\n", "t.yaml:1:5: error: a second \": \" in one value, or a key indented differently "
                  "from its neighbours [yaml]\n"
                  "  1 | a: b: c\n"
                  "    |     ^\n"
                  "  hint: text with a colon and a space in it goes in quotes\n"
                  "1 error\n"},
    {"a:\n\tb: 1\n", "t.yaml:2:1: error: a tab in the indentation [yaml]\n"
                     "  2 |  b: 1\n"
                     "    | ^\n"
                     "  hint: YAML is indented with spaces\n"
                     "1 error\n"},
    {"a: @b\n", "t.yaml:1:4: error: no value can begin with this [yaml]\n"
                "  1 | a: @b\n"
                "    |    ^\n"
                "  hint: a value that begins with @, ` or % goes in quotes\n"
                "1 error\n"},
    {"a: 1\n---\n!u!4 x\n",
     "t.yaml:3:1: error: the tag's handle is not declared [yaml]\n"
     "  3 | !u!4 x\n"
     "    | ^\n"
     "  hint: a %TAG line declares it: before the document, or before the first "
     "of the text\n"
     "1 error\n"},
    /* Places are those of the text, whatever is put before documents. */
    {"%TAG !u! t:\n--- !u!4 &1 stripped\na: 1\n--- !u!5\nb: [!u!6 c, !v!7 d]\n",
     "t.yaml:5:13: error: the tag's handle is not declared [yaml]\n"
     "  5 | b: [!u!6 c, !v!7 d]\n"
     "    |             ^\n"
     "  hint: a %TAG line declares it: before the document, or before the first of the text\n"
     "1 error\n"},
    {"%TAG !u! t:\n--- a\n--- !u!5\nb: [a\n--- c\n",
     "t.yaml:5:1: error: a comma, or the ] that closes the list, is expected here [yaml]\n"
     "  5 | --- c\n"
     "    | ^\n"
     "  hint: while parsing a flow sequence that begins on line 4\n"
     "1 error\n"},
    {"%TAG !u! t:\n# \xc3\xa4\n--- \xc3\xa4\n--- !u!5 b\n--- !u!5\nc: \"\xc3\xa4\xff\"\n",
     "t.yaml:6:6: error: the byte 0xff is not UTF-8 [encoding]\n"
     "  6 | c: \"\xc3\xa4\\xff\"\n"
     "    |      ^~~~\n"
     "  hint: save the file as UTF-8\n"
     "1 error\n"},
    {"a: \xff\n", "t.yaml:1:4: error: the byte 0xff is not UTF-8 [encoding]\n"
                  "  1 | a: \\xff\n"
                  "    |    ^~~~\n"
                  "  hint: save the file as UTF-8\n"
                  "1 error\n"},
    {"\xef\xbb\xbf\xc3\xa4: \x01\n",
     "t.yaml:1:4: error: the control character U+0001 may not stand in YAML [encoding]\n"
     "  1 | \xc3\xa4: \\x01\n"
     "    |    ^~~~\n"
     "  hint: in double quotes it is written \"\\u0001\"\n"
     "1 error\n"},
    {"a: x\xe2\x82", "t.yaml:1:5: error: the byte 0xe2 is not UTF-8 [encoding]\n"
                     "  1 | a: x\\xe2\\x82\n"
                     "    |     ^~~~\n"
                     "  hint: save the file as UTF-8\n"
                     "1 error\n"},
    {"\xff\xfe"
     "a",
     "t.yaml: error: the text is UTF-16 [encoding]\n"
     "  hint: save the file as UTF-8\n"
     "1 error\n"},
    {"%YAML 3.0\n--- x\n", "t.yaml:1:1: error: only YAML 1.1 and 1.2 are read [yaml]\n"
                           "  1 | %YAML 3.0\n"
                           "    | ^\n"
                           "1 error\n"},
};

static void every_broken_text_is_named_with_its_place(void **state)
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

/* Beyond one checkpoint, with a BOM and characters of several bytes: a mark is the same after any
 * other. */
static void marks_do_not_depend_on_what_was_asked_before(void **state)
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
        /* Each is asked for on its own, so that nothing is known from an earlier one. */
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

/* Both readers: an explicit key is for the slow one. */
static void roots_tell_their_anchors_and_marks(void **state)
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

/* Writes `count` entries "k0: 0", "k1: 1" ... and then `more`. */
static char *many_entries(unsigned count, const char *more)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    for (unsigned i = 0; i < count; i++)
        fprintf(out, "k%u: %u\n", i, i);
    fputs(more, out);
    fclose(out);
    return text;
}

static void check_lookups(const bake_tree *tree, unsigned count)
{
    bake_node_id root = bake_tree_document(tree, 0);
    assert_int_equal(bake_node_count(tree, root), count);
    bake_walk walk = bake_walk_begin(tree, root);
    for (unsigned i = 0; i < count; i++) {
        char key[16];
        int length = snprintf(key, sizeof key, "k%u", i);
        bake_node_id value = bake_node_find(tree, root, key, (size_t)length);
        assert_int_not_equal(value, BAKE_NODE_NONE);
        assert_true(has_text(tree, value, key + 1));
        assert_true(bake_walk_next(&walk));
        assert_true(has_text(tree, walk.key, key));
        assert_int_equal(walk.value, value);
    }
    assert_false(bake_walk_next(&walk));
    assert_int_equal(bake_node_find(tree, root, "k", 1), BAKE_NODE_NONE);
    assert_int_equal(bake_node_find(tree, root, "", 0), BAKE_NODE_NONE);
    assert_int_equal(bake_node_find(tree, root, "k1\0", 3), BAKE_NODE_NONE);
}

static const uint64_t hash_masks[] = {UINT64_MAX, 3, 0};
static const unsigned entry_counts[] = {0,  1,  2,  11, 12,  13,  14,  15,  16,  17,
                                        31, 32, 33, 63, 100, 127, 128, 129, 1000};

static void look_ups_find_every_key_however_the_hashes_fall(void **state)
{
    (void)state;
    for (size_t m = 0; m < 3; m++) {
        bake_tree_weaken_hash(hash_masks[m]);
        for (size_t i = 1; i < sizeof entry_counts / sizeof *entry_counts; i++) {
            char *text = many_entries(entry_counts[i], "");
            reading r = read_text(text);
            assert_int_equal(bake_diagnostics_errors(r.diagnostics), 0);
            check_lookups(r.tree, entry_counts[i]);
            reading_fini(&r);
            free(text);
        }
    }
    bake_tree_weaken_hash(UINT64_MAX);
}

static void duplicates_are_found_however_the_hashes_fall(void **state)
{
    (void)state;
    for (size_t m = 0; m < 3; m++) {
        bake_tree_weaken_hash(hash_masks[m]);
        for (size_t i = 1; i < sizeof entry_counts / sizeof *entry_counts; i++) {
            char *text = many_entries(entry_counts[i], "k0: again\nk0: and again\n");
            reading r = read_text(text);
            assert_int_equal(bake_diagnostics_errors(r.diagnostics), 2);
            check_lookups(r.tree, entry_counts[i]);
            char *said = printed(&r);
            assert_non_null(strstr(said, "hint: first given on line 1\n"));
            free(said);
            reading_fini(&r);
            free(text);
        }
    }
    bake_tree_weaken_hash(UINT64_MAX);
}

static void merging_many_keys_keeps_own_and_first_ones(void **state)
{
    (void)state;
    static const char yaml[] =
        "- &a {x0: a, x1: a, x2: a, x3: a, x4: a, x5: a, x6: a}\n"
        "- &b {x5: b, x6: b, x7: b, x8: b, x9: b, x10: b, x11: b, x12: b, x13: b}\n"
        "- {x13: own, <<: [*a, *b, *a], x0: own, y: own}\n";
    for (size_t m = 0; m < 3; m++) {
        bake_tree_weaken_hash(hash_masks[m]);
        reading r = read_text(yaml);
        assert_int_equal(bake_diagnostics_errors(r.diagnostics), 0);
        char *got = shown(r.tree);
        assert_non_null(strstr(got, "{x13:own,x0:own,y:own,x1:a,x2:a,x3:a,x4:a,x5:a,x6:a,"
                                    "x7:b,x8:b,x9:b,x10:b,x11:b,x12:b}]"));
        bake_node_id merged = at(r.tree, bake_tree_document(r.tree, 0), 2).value;
        bake_node_id value = bake_node_find(r.tree, merged, "x12", 3);
        assert_true(has_text(r.tree, value, "b"));
        free(got);
        reading_fini(&r);
    }
    bake_tree_weaken_hash(UINT64_MAX);
}

/* `before`, `count` times `item`, `after`. */
static char *repeated(const char *before, unsigned count, const char *item, const char *after)
{
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    fputs(before, out);
    for (unsigned i = 0; i < count; i++)
        fputs(item, out);
    fputs(after, out);
    fclose(out);
    return text;
}

static void check_rule(const char *text, const char *rule)
{
    reading r = read_text(text);
    char *said = printed(&r);
    if (!rule)
        assert_string_equal(said, "");
    else if (!strstr(said, rule))
        fail_msg("%s is missing in: %s", rule, said);
    free(said);
    reading_fini(&r);
}

static void nesting_is_limited_also_through_aliases(void **state)
{
    (void)state;
    char *text = repeated("", BAKE_TREE_DEPTH_MAX, "- ", "x");
    check_rule(text, NULL);
    free(text);
    text = repeated("", BAKE_TREE_DEPTH_MAX + 1, "- ", "x");
    check_rule(text, ":1:1025: error: nested deeper than 512 levels [depth]");
    free(text);
    text = repeated("", 200000, "[", "");
    check_rule(text, "[depth]");
    free(text);
    text = repeated("a: &a ", 256, "[", "");
    char *closed = repeated(text, 256, "]", "\nb: ");
    char *fits = repeated(closed, 255, "[", "*a");
    char *fits_closed = repeated(fits, 255, "]", "\n");
    check_rule(fits_closed, NULL);
    char *deep = repeated(closed, 256, "[", "*a");
    char *deep_closed = repeated(deep, 256, "]", "\n");
    check_rule(deep_closed, "with this alias, nested deeper than 512 levels [depth]");
    free(text);
    free(closed);
    free(fits);
    free(fits_closed);
    free(deep);
    free(deep_closed);
}

static void alias_bombs_are_refused(void **state)
{
    (void)state;
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    fputs("- &a0 [x,x,x,x,x,x,x,x,x,x]\n", out);
    for (unsigned i = 0; i < 30; i++)
        fprintf(out, "- &a%u [*a%u,*a%u,*a%u,*a%u,*a%u]\n", i + 1, i, i, i, i, i);
    fclose(out);
    check_rule(text, "[alias-bomb]");
    free(text);
    /* Merging copies links, which the same limit holds down. */
    text = repeated("- &a {a: 1, b: 2, c: 3, d: 4, e: 5, f: 6, g: 7, h: 8, "
                    "i: [1,2,3,4,5,6,7,8,9,0]}\n- &l [*a",
                    999, ",*a", "]\n");
    char *merged = repeated(text, 100, "- {<<: *l}\n", "");
    check_rule(merged, "[alias-bomb]");
    free(text);
    free(merged);
}

static void a_tag_of_excessive_length_is_refused(void **state)
{
    (void)state;
    char *text = repeated("!", 254, "a", " x");
    check_rule(text, NULL);
    free(text);
    text = repeated("!", 255, "a", " x");
    check_rule(text, "a tag of 256 bytes; at most 255 are read [tag]");
    free(text);
}

/* Made of every byte looked at, so that none is left out. */
static unsigned seen;

/* Looks at every node, as far as a stated number, so that a sanitizer sees every byte used. */
static void visit(const bake_tree *tree, bake_node_id node, unsigned *left)
{
    if (node == BAKE_NODE_NONE || *left == 0)
        return;
    --*left;
    bake_node_mark(tree, node);
    bake_node_is_null(tree, node);
    size_t length;
    const char *text = bake_node_text(tree, node, &length);
    for (size_t i = 0; i < length; i++)
        seen += (unsigned char)text[i];
    uint32_t count = 0;
    for (bake_walk walk = bake_walk_begin(tree, node); bake_walk_next(&walk); count++) {
        if (bake_node_kind_of(tree, node) == BAKE_NODE_MAPPING) {
            const char *key = bake_node_text(tree, walk.key, &length);
            assert_int_equal(bake_node_find(tree, node, key, length), walk.value);
        }
        visit(tree, walk.value, left);
    }
    assert_int_equal(count, bake_node_count(tree, node));
}

static uint32_t next_random(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*seed >> 33);
}

/* Pieces that YAML is made of, so that random texts get far into the reader. */
static const char *const pieces[] = {"a",     "b",        "<<",
                                     ": ",    ":\n",      "- ",
                                     "\n",    "\n  ",     "[",
                                     "]",     "{",        "}",
                                     ", ",    "&a",       "*a",
                                     " ",     "'",        "\"",
                                     "|",     ">",        "?",
                                     "!",     "!!x",      "---\n",
                                     "...\n", "#",        "\t",
                                     "\\0",   "~",        "%",
                                     "@",     "\r",       "é",
                                     "\xff",  "\x01",     "&b ",
                                     "*b",    "<<: *a\n", "\n--- !u!x &a stripped\nT: "};

static void random_texts_are_read_or_refused(void **state)
{
    (void)state;
    uint64_t seed = 20250611;
    for (unsigned round = 0; round < 20000; round++) {
        char text[256];
        size_t size = 0;
        uint32_t wanted = next_random(&seed) % 200;
        bool bytes = round % 8 == 0;
        if (round % 4 == 1)
            size = strlen(strcpy(text, "%TAG !u! t:\n---"));
        while (size < wanted) {
            if (bytes) {
                text[size++] = (char)next_random(&seed);
                continue;
            }
            const char *piece = pieces[next_random(&seed) % (sizeof pieces / sizeof *pieces)];
            memcpy(text + size, piece, strlen(piece));
            size += strlen(piece);
        }
        reading r = read_bytes(text, size);
        unsigned left = 10000;
        for (uint32_t i = 0; i < bake_tree_document_count(r.tree); i++)
            visit(r.tree, bake_tree_document(r.tree, i), &left);
        free(printed(&r));
        reading_fini(&r);
    }
}

static const char rich[] =
    "%TAG !e! tag:e,1:\n---\nanchors: [&a {x: 1, y: [1, 2, 3]}, &b {z: !e!t 2}, *a]\n"
    "merged: {<<: [*a, *b], own: \"te\\0xt\"}\nblock: |\n  text\n"
    "many: {k0: 0, k1: 1, k2: 2, k3: 3, k4: 4, k5: 5, k6: 6, k7: 7, k8: 8, k9: 9, ka: 1, kb: 2, "
    "kc: 3, kd: 4, ke: 5}\n--- !e!x &s stripped\nsecond: document\ntwice: 1\ntwice: 2\nalias: "
    "*nothing\n"
    "? [key]\n: 1\n";

static void every_failing_allocation_ends_cleanly(void **state)
{
    (void)state;
    /* Large enough that the arrays grow as well. */
    char *text = repeated("head: [", 300, "v, [[w]], ", "&z z]\n");
    char *padded = repeated(text, 1, rich + sizeof "%TAG !e! tag:e,1:\n---\n" - 1, "");
    static const char sound[] = "a: &b {c: 1}\nd: {<<: *b, e: !f g}\nh: |\n  i\nj: \"\\t\"\n";
    const char *const texts[] = {rich, padded, sound, "a: [1\n", "\xff"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        bool failed = true;
        for (long n = 0; failed; n++) {
            bake_memory_fail_after(n);
            bake_diagnostics *diagnostics = bake_diagnostics_create();
            bake_tree *tree = NULL;
            if (diagnostics) {
                size_t size = strlen(texts[i]);
                uint32_t source = bake_diagnostics_add_source(diagnostics, "t", texts[i], size);
                tree = bake_tree_read(diagnostics, source, texts[i], size);
            }
            failed = bake_memory_has_failed();
            bake_memory_fail_after(-1);
            if (diagnostics && failed) {
                assert_true(bake_diagnostics_no_memory(diagnostics));
                assert_true(bake_diagnostics_errors(diagnostics) > 0);
            }
            assert_true(failed || tree);
            bake_tree_destroy(tree);
            bake_diagnostics_destroy(diagnostics);
        }
    }
    free(text);
    free(padded);
}

static void a_text_above_one_gibibyte_is_refused_unread(void **state)
{
    (void)state;
    bake_diagnostics *diagnostics = bake_diagnostics_create();
    assert_non_null(diagnostics);
    bake_tree *tree = bake_tree_read(diagnostics, 0, "x", ((size_t)1 << 30) + 1);
    assert_non_null(tree);
    assert_int_equal(bake_tree_document_count(tree), 0);
    assert_int_equal(bake_diagnostics_errors(diagnostics), 1);
    bake_tree_destroy(tree);
    bake_diagnostics_destroy(diagnostics);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_readable_text_gives_its_tree),
        cmocka_unit_test(every_broken_text_is_named_with_its_place),
        cmocka_unit_test(marks_count_code_points_from_one),
        cmocka_unit_test(marks_do_not_depend_on_what_was_asked_before),
        cmocka_unit_test(roots_tell_their_anchors_and_marks),
        cmocka_unit_test(a_mark_covers_no_more_than_is_shown),
        cmocka_unit_test(only_plain_scalars_are_null),
        cmocka_unit_test(look_ups_find_every_key_however_the_hashes_fall),
        cmocka_unit_test(duplicates_are_found_however_the_hashes_fall),
        cmocka_unit_test(merging_many_keys_keeps_own_and_first_ones),
        cmocka_unit_test(nesting_is_limited_also_through_aliases),
        cmocka_unit_test(alias_bombs_are_refused),
        cmocka_unit_test(a_tag_of_excessive_length_is_refused),
        cmocka_unit_test(random_texts_are_read_or_refused),
        cmocka_unit_test(every_failing_allocation_ends_cleanly),
        cmocka_unit_test(a_text_above_one_gibibyte_is_refused_unread),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
