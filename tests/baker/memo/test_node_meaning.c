/* The meaning of a node: what changes it, and what does not. */

/* For open_memstream. */
#define _POSIX_C_SOURCE 200809L

#include "tree_reading.h"

#include "node_meaning.h"

static kiln_hash128 meaning_of(const char *text)
{
    reading r = read_text(text);
    assert_int_equal(bake_diagnostics_errors(r.diagnostics), 0);
    assert_true(bake_tree_document_count(r.tree) > 0);
    kiln_hash128 meaning = bake_node_meaning(r.tree, bake_tree_document(r.tree, 0));
    reading_fini(&r);
    return meaning;
}

static bool is_equal(const char *a, const char *b)
{
    kiln_hash128 left = meaning_of(a), right = meaning_of(b);
    return left.low == right.low && left.high == right.high;
}

static void formatting_and_order_of_keys_have_no_effect(void **state)
{
    static const char *const rows[][2] = {
        {"a: 1\nb: 2\n", "b: 2\na: 1\n"},
        {"a: 1\n", "# comment\n\n---\na:   1 # more\n"},
        {"{a: [1, {b: c, d: e}]}", "a:\n  - 1\n  - d: e\n    b: c\n"},
        {"a: 'x'", "a: \"x\""},
        {"a: 'it''s'", "a: \"it's\""},
        {"a: \"\\u0041\"", "a: \"A\""},
        {"a: !t x", "a: !t    x"},
        {"x: &n {k: v}\ny: *n\n", "x: {k: v}\ny: {k: v}\n"},
        {"x: &n {k: v}\ny: {<<: *n, m: w}\n", "x: {k: v}\ny: {m: w, k: v}\n"},
        {"a: |\n  x\n", "a: \"x\\n\""},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (!is_equal(rows[i][0], rows[i][1]))
            fail_msg("\"%s\" differs from \"%s\"", rows[i][0], rows[i][1]);
}

static void everything_else_has_an_effect(void **state)
{
    static const char *const rows[][2] = {
        {"a: 1", "a: 2"},
        {"a: 1", "b: 1"},
        {"a: 1", "a: 1\nb: 1"},
        {"a: 1\nb: 2", "a: 2\nb: 1"},
        {"[1, 2]", "[2, 1]"},
        {"[1]", "1"},
        {"[]", "{}"},
        {"[]", "[[]]"},
        {"[[1], 2]", "[1, [2]]"},
        {"[a, a]", "[a]"},
        {"{a: {}}", "{a: []}"},
        {"a: null", "a: 'null'"},
        {"a: ", "a: ''"},
        {"a: 1", "a: '1'"},
        {"a: x", "a: !t x"},
        {"a: !t x", "a: !u x"},
        {"a: [x]", "a: !t [x]"},
        {"a: {k: x}", "a: !t {k: x}"},
        {"a: x y", "a: 'x  y'"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (is_equal(rows[i][0], rows[i][1]))
            fail_msg("\"%s\" equals \"%s\"", rows[i][0], rows[i][1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formatting_and_order_of_keys_have_no_effect),
        cmocka_unit_test(everything_else_has_an_effect),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
