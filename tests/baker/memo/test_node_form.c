/* The form of a node: everything that its places depend on, except for the line at which it
 * begins. */

/* For open_memstream. */
#define _POSIX_C_SOURCE 200809L

#include "tree_reading.h"

#include "hash_equal.h"
#include "node_form.h"

/* The form of the value of key `a`. */
static bake_node_form form_of(const char *text)
{
    reading r = read_text(text);
    assert_int_equal(bake_diagnostics_errors(r.diagnostics), 0);
    assert_true(bake_tree_document_count(r.tree) > 0);
    bake_node_id node = bake_node_find(r.tree, bake_tree_document(r.tree, 0), "a", 1);
    assert_int_not_equal(node, BAKE_NODE_NONE);
    bake_node_form form = bake_node_form_of(r.tree, node);
    reading_fini(&r);
    return form;
}

static void only_the_first_line_has_no_effect(void **state)
{
    static const struct {
        const char *before, *after;
        int moved; /* by how many lines; -1: the forms differ */
    } rows[] = {
        {"a: 1\n", "\n# comment\na: 1\n", 2},
        {"a: 1\n", "a: 1 # comment\n", 0},
        {"x: 2\na:\n  b: 1\n  c: [2]\n", "x: 2\nw: 3\ny: 4\na:\n  b: 1\n  c: [2]\n", 2},
        {"z: &n 1\na: {b: *n}\n", "\nz: &n 1\na: {b: *n}\n", 1},
        {"a: 1\n", "a:  1\n", -1},
        {"a: 1\n", "a: 2\n", -1},
        {"a: 1\n", "a: '1'\n", -1},
        {"a: {b: 1, c: 1}\n", "a: {c: 1, b: 1}\n", -1},
        {"a:\n  b: 1\n  c: 2\n", "a:\n  b: 1\n\n  c: 2\n", -1},
        {"a:\n  b: 1\n", "a:\n   b: 1\n", -1},
        {"a: {b: 1}\n", "a: {b:  1}\n", -1},
        {"z: &n 1\na: {b: *n}\n", "z: &n 1\n\na: {b: *n}\n", -1},
        {"z: &n 1\na: {b: *n}\n", "z:  &n 1\na: {b: *n}\n", -1},
        {"z: &n 1\na: {b: *n}\n", "z: &n 1\na: {b:  *n}\n", -1},
        {"z: &n {k: 1}\na: {<<: *n}\n", "z: &n {k:  1}\na: {<<: *n}\n", -1},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        bake_node_form before = form_of(rows[i].before), after = form_of(rows[i].after);
        bool is_same = rows[i].moved >= 0;
        if (bake_hash_equal(before.hash, after.hash) != is_same ||
            (is_same && (int)after.line - (int)before.line != rows[i].moved))
            fail_msg("row %zu: from line %u to %u", i, before.line, after.line);
    }
}

static void all_lines_are_known(void **state)
{
    static const struct {
        const char *text;
        uint32_t line, first, last;
    } rows[] = {
        {"a: 1\n", 1, 1, 1},
        {"\na: {b: 1,\n  c:\n   2}\n", 2, 2, 4},
        {"z: &n {k: 1}\n\na:\n  b: *n\n  c: [1]\n", 4, 1, 5},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        bake_node_form form = form_of(rows[i].text);
        if (form.line != rows[i].line || form.first != rows[i].first || form.last != rows[i].last)
            fail_msg("row %zu: line %u, from %u to %u", i, form.line, form.first, form.last);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_the_first_line_has_no_effect),
        cmocka_unit_test(all_lines_are_known),
    };
    return cmocka_run_group_tests_name("forms of nodes", tests, NULL, NULL);
}
