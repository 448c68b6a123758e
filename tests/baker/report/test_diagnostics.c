#define _POSIX_C_SOURCE 200809L

#include "bake_memory.h"
#include "diagnostics.h"
#include "excerpt.h"
#include "similar.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static char *printed(bake_diagnostics *diagnostics, bool color)
{
    /* Static, because gcc would treat the result as a pointer into this frame. */
    static char *text;
    static size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    bake_diagnostics_print(diagnostics, out, color);
    fclose(out);
    return text;
}

static void check_printed(bake_diagnostics *diagnostics, const char *expected)
{
    char *text = printed(diagnostics, false);
    assert_string_equal(text, expected);
    free(text);
}

static bake_diagnostics *create(void)
{
    bake_diagnostics *diagnostics = bake_diagnostics_create();
    assert_non_null(diagnostics);
    return diagnostics;
}

/* Diagnostics for one source of exactly `size` bytes. */
static bake_diagnostics *create_with(const char *name, const char *text, size_t size)
{
    bake_diagnostics *diagnostics = create();
    assert_int_equal(bake_diagnostics_add_source(diagnostics, name, text, size), 0);
    return diagnostics;
}

static bake_mark at(uint32_t source, uint32_t line, uint32_t column, uint32_t length)
{
    bake_mark mark = {source, line, column, length};
    return mark;
}

static void nothing_reported_prints_nothing(void **state)
{
    (void)state;
    bake_diagnostics *diagnostics = create();
    check_printed(diagnostics, "");
    assert_int_equal(bake_diagnostics_errors(diagnostics), 0);
    assert_int_equal(bake_diagnostics_warnings(diagnostics), 0);
    assert_false(bake_diagnostics_no_memory(diagnostics));
    bake_diagnostics_destroy(diagnostics);
    bake_diagnostics_destroy(NULL);
}

static void a_report_shows_line_caret_and_hints(void **state)
{
    (void)state;
    static const char text[] = "sword:\n    price: 300\n";
    bake_diagnostics *diagnostics = create_with("items.yaml", text, sizeof text - 1);
    assert_string_equal(bake_diagnostics_source_name(diagnostics, 0), "items.yaml");
    assert_string_equal(bake_diagnostics_source_name(diagnostics, 1), "");
    assert_false(bake_report(diagnostics, BAKE_ERROR, at(0, 2, 12, 3), "range", "Item/sword.price",
                             "%d exceeds %d", 300, 255));
    bake_hint(diagnostics, "the type is %s", "u8");
    static const char *const names[] = {"cost", "prize"};
    bake_hint_similar(diagnostics, "price", 5, names, 2);
    bake_hint_similar(diagnostics, "weight", 6, names, 2);
    check_printed(diagnostics, "items.yaml:2:12: error: Item/sword.price: 300 exceeds 255 [range]\n"
                               "  2 |     price: 300\n"
                               "    |            ^~~\n"
                               "  hint: the type is u8\n"
                               "  hint: did you mean \"prize\"?\n"
                               "1 error\n");
    bake_diagnostics_destroy(diagnostics);
}

static void diagnostics_are_sorted_by_position_then_arrival(void **state)
{
    (void)state;
    bake_diagnostics *diagnostics = create();
    bake_diagnostics_add_source(diagnostics, "b", NULL, 0);
    bake_diagnostics_add_source(diagnostics, "a", NULL, 0);
    bake_report(diagnostics, BAKE_ERROR, at(1, 1, 1, 1), "r", NULL, "sixth");
    bake_report(diagnostics, BAKE_ERROR, at(0, 2, 1, 1), "r", NULL, "fifth");
    bake_report(diagnostics, BAKE_WARNING, at(0, 1, 5, 1), "r", NULL, "third");
    bake_report(diagnostics, BAKE_ERROR, at(0, 1, 5, 1), "r", "", "fourth");
    bake_report(diagnostics, BAKE_WARNING, at(0, 1, 2, 1), "r", NULL, "second");
    bake_report(diagnostics, BAKE_ERROR, at(0, 0, 0, 0), "r", NULL, "first");
    bake_report(diagnostics, BAKE_ERROR, at(77, 0, 0, 0), "r", NULL, "seventh");
    check_printed(diagnostics, "b: error: first [r]\n"
                               "b:1:2: warning: second [r]\n"
                               "b:1:5: warning: third [r]\n"
                               "b:1:5: error: fourth [r]\n"
                               "b:2:1: error: fifth [r]\n"
                               "a:1:1: error: sixth [r]\n"
                               "error: seventh [r]\n"
                               "5 errors, 2 warnings\n");
    bake_diagnostics_destroy(diagnostics);
}

static const struct {
    const char *text;
    uint32_t line;
    uint32_t column;
    uint32_t length;
    const char *printed;
} excerpts[] = {
    {"a\tb: c", 1, 3, 1, "  1 | a b: c\n    |   ^\n"},
    {"\xef\xbb\xbfkey", 1, 1, 3, "  1 | key\n    | ^~~\n"},
    {"gr\xc3\xbc\xc3\x9f: 1", 1, 7, 1, "  1 | gr\xc3\xbc\xc3\x9f: 1\n    |       ^\n"},
    {"a\x1b[31mb", 1, 3, 2, "  1 | a\\x1b[31mb\n    |      ^~\n"},
    {"a\x7f"
     "b",
     1, 2, 1, "  1 | a\\x7fb\n    |  ^~~~\n"},
    {"a\xff\xc3(", 1, 3, 2, "  1 | a\\xff\\xc3(\n    |      ^~~~~\n"},
    {"\xed\xa0\x80", 1, 1, 1, "  1 | \\xed\\xa0\\x80\n    | ^~~~\n"},
    {"\xc0\x80x", 1, 3, 1, "  1 | \\xc0\\x80x\n    |         ^\n"},
    {"a\xe2\x80\xae"
     "b",
     1, 3, 1, "  1 | a\\u202eb\n    |        ^\n"},
    {"a\xc2\x9b"
     "b",
     1, 3, 1, "  1 | a\\u009bb\n    |        ^\n"},
    {"a\xd8\x9c"
     "b\xf3\xa0\x80\x81",
     1, 3, 1, "  1 | a\\u061cb\\U000e0001\n    |        ^\n"},
    {"one\r\ntwo\r\n", 2, 1, 3, "  2 | two\n    | ^~~\n"},
    {"one\rtwo", 2, 1, 3, "  2 | two\n    | ^~~\n"},
    {"one\xc2\x85two\xe2\x80\xa8three\xe2\x80\xa9"
     "four",
     4, 1, 1, "  4 | four\n    | ^\n"},
    {"short", 1, 4, 99, "  1 | short\n    |    ^~\n"},
    {"short", 1, 4, BAKE_MARK_TO_LINE_END, "  1 | short\n    |    ^~\n"},
    {"short", 1, 6, 1, "  1 | short\n    |      ^\n"},
    {"short", 1, 60, 1, "  1 | short\n    |      ^\n"},
    {"a\n\nb", 2, 1, 1, "  2 |\n    | ^\n"},
    {"", 1, 1, 1, "  1 |\n    | ^\n"},
    {"1\n2\n3\n4\n5\n6\n7\n8\n9\nten", 10, 1, 1, "  10 | ten\n     | ^\n"},
    {"only", 3, 1, 1, ""},
};

static void every_excerpt_is_aligned_and_harmless(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof excerpts / sizeof *excerpts; i++) {
        size_t size = strlen(excerpts[i].text);
        char *exact = malloc(size ? size : 1);
        assert_non_null(exact);
        memcpy(exact, excerpts[i].text, size);
        bake_diagnostics *diagnostics = create_with("t", exact, size);
        bake_report(diagnostics, BAKE_ERROR,
                    at(0, excerpts[i].line, excerpts[i].column, excerpts[i].length), "r", NULL,
                    "m");
        char *text = printed(diagnostics, false);
        const char *excerpt = strchr(text, '\n') + 1;
        size_t length = strlen(excerpts[i].printed);
        if (strncmp(excerpt, excerpts[i].printed, length) != 0 ||
            strcmp(excerpt + length, "1 error\n") != 0)
            fail_msg("row %zu gives\n%s", i, excerpt);
        free(text);
        free(exact);
        bake_diagnostics_destroy(diagnostics);
    }
}

static void long_lines_are_shown_around_the_caret(void **state)
{
    (void)state;
    char text[500];
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = (char)('a' + i % 26);
    static const struct {
        uint32_t column;
        size_t from;
        size_t to;
    } windows[] = {{1, 0, 160}, {101, 0, 160}, {102, 1, 161}, {300, 199, 359}, {500, 399, 500}};
    for (size_t i = 0; i < sizeof windows / sizeof *windows; i++) {
        bake_diagnostics *diagnostics = create_with("t", text, sizeof text);
        bake_report(diagnostics, BAKE_ERROR, at(0, 1, windows[i].column, 1), "r", NULL, "m");
        size_t from = windows[i].from;
        size_t to = windows[i].to;
        char expected[600];
        snprintf(expected, sizeof expected,
                 "t:1:%u: error: m [r]\n  1 | %s%.*s%s\n    | %*s^\n1 error\n",
                 (unsigned)windows[i].column, from ? "..." : "", (int)(to - from), text + from,
                 to < sizeof text ? "..." : "",
                 (int)(windows[i].column - 1 - from + (from ? 3 : 0)), "");
        check_printed(diagnostics, expected);
        bake_diagnostics_destroy(diagnostics);
    }
}

static void many_marks_on_a_long_line_each_show_their_part(void **state)
{
    (void)state;
    char text[2000], expected[64];
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = (char)('a' + i % 26);
    bake_diagnostics *diagnostics = create_with("t", text, sizeof text);
    for (uint32_t column = 1; column <= 2000; column += 27)
        bake_report(diagnostics, BAKE_ERROR, at(0, 1, column, 3), "r", NULL, "m");
    char *said = printed(diagnostics, false);
    const char *line = said;
    for (uint32_t column = 1; column <= 2000; column += 27) {
        snprintf(expected, sizeof expected, "t:1:%u: error: m [r]\n", (unsigned)column);
        assert_memory_equal(line, expected, strlen(expected));
        const char *shown = strchr(line, '\n') + 1, *below = strchr(shown, '\n') + 1;
        assert_int_equal(shown[strcspn(below, "^")], text[column - 1]);
        assert_int_equal(strspn(below + strcspn(below, "~"), "~"), column < 1999 ? 2 : 1);
        line = strchr(below, '\n') + 1;
    }
    free(said);
    bake_diagnostics_destroy(diagnostics);
}

static void long_messages_are_cut_in_their_middle(void **state)
{
    (void)state;
    static char name[4000];
    for (size_t length = 900; length < 1100; length++) {
        memset(name, 'x', sizeof name);
        name[length - 1] = '\0';
        bake_diagnostics *diagnostics = create_with("t", NULL, 0);
        bake_report(diagnostics, BAKE_ERROR, at(0, 1, 1, 1), "r", name, "a %s b", name);
        bake_hint(diagnostics, "c %s d", name);
        char *said = printed(diagnostics, false);
        const char *message = strstr(said, ": a x"), *hint = strstr(said, "  hint: c x");
        assert_non_null(message);
        assert_non_null(hint);
        size_t size = strcspn(message, "\n");
        assert_true(size <= 1000 + strlen(": ... [r]"));
        assert_memory_equal(message + size - 7, "x b [r]", 7);
        assert_int_equal(strstr(message, "x...x") != NULL, length - 1 + 4 > 1000);
        assert_true(strlen(hint) < 1000 + strlen("  hint: ...\n1 error\n") + 1);
        assert_non_null(strstr(hint, "x d\n"));
        free(said);
        bake_diagnostics_destroy(diagnostics);
    }
    /* Multibyte characters are not split. */
    for (size_t i = 0; i < 3900; i += 3)
        memcpy(name + i, "\xe2\x82\xac", 3);
    name[3900] = '\0';
    for (size_t skip = 0; skip < 4; skip++) {
        bake_diagnostics *diagnostics = create_with("t", NULL, 0);
        bake_report(diagnostics, BAKE_ERROR, at(0, 1, 1, 1), "r", NULL, "%s%s", &"zzz"[3 - skip],
                    name);
        char *said = printed(diagnostics, false);
        assert_null(strstr(said, "\\x"));
        free(said);
        bake_diagnostics_destroy(diagnostics);
    }
}

static void diagnostics_beyond_the_limit_are_only_counted(void **state)
{
    (void)state;
    bake_diagnostics *diagnostics = create_with("t", NULL, 0);
    bake_diagnostics_set_max_errors(diagnostics, 2);
    assert_false(bake_report_exceeds_limit(diagnostics, BAKE_ERROR, at(0, 9, 1, 1)));
    for (uint32_t i = 1; i <= 6; i++)
        bake_report(diagnostics, BAKE_ERROR, at(0, i, 1, 1), "r", NULL, "e");
    assert_true(bake_report_exceeds_limit(diagnostics, BAKE_ERROR, at(0, 3, 1, 1)));
    bake_hint(diagnostics, "of none");
    assert_false(bake_report_exceeds_limit(diagnostics, BAKE_ERROR, at(0, 1, 1, 1)));
    assert_false(bake_report_exceeds_limit(diagnostics, BAKE_WARNING, at(0, 3, 1, 1)));
    check_printed(diagnostics, "t:1:1: error: e [r]\n"
                               "t:2:1: error: e [r]\n"
                               "7 errors (5 not shown)\n");
    bake_diagnostics_destroy(diagnostics);
}

static void control_characters_never_reach_the_terminal(void **state)
{
    (void)state;
    bake_diagnostics *diagnostics = create_with("a\nb", NULL, 0);
    bake_report(diagnostics, BAKE_ERROR, at(0, 1, 1, 1), "r", "p\x1b", "%s", "x\ty\x07\xff");
    bake_hint(diagnostics, "h\r");
    check_printed(diagnostics, "a\\x0ab:1:1: error: p\\x1b: x\\x09y\\x07\\xff [r]\n"
                               "  hint: h\\x0d\n"
                               "1 error\n");
    bake_diagnostics_destroy(diagnostics);
}

static bool append(void *ctx, const void *data, size_t size)
{
    return fwrite(data, 1, size, ctx) == size;
}

/* A message is cut to 1,000 bytes, but several members together exceed the writer's buffer. */
static void json_escapes_invisible_characters(void **state)
{
    (void)state;
    static char *text;
    static size_t size;
    const bake_run_end end = {1, NULL};
    char path[900] = {0};
    memset(path, '~', sizeof path - 1);
    bake_diagnostics *diagnostics = create_with("a\nb", NULL, 0);
    bake_report(diagnostics, BAKE_ERROR, at(0, 1, 1, 1), "r", path, "%s",
                "\"\\\t\r\x07\xff\xd8\x9c\xc2\xad\xf0\x9f\x94\xa5");
    for (int i = 0; i < 5; i++)
        bake_hint(diagnostics, "%s", path);
    FILE *out = open_memstream(&text, &size);
    assert_non_null(out);
    assert_true(bake_diagnostics_write_json(diagnostics, &end, append, out));
    fclose(out);
    assert_non_null(strstr(text, "\"message\":\"\\\"\\\\\\t\\r\\u0007\\ufffd\\u061c\\u00ad"
                                 "\xf0\x9f\x94\xa5\",\"file\":\"a\\nb\","));
    assert_int_equal(strspn(strchr(text, '~'), "~"), sizeof path - 1);
    assert_true(size > 6 * sizeof path);
    free(text);
    bake_diagnostics_destroy(diagnostics);
}

static void color_changes_nothing_but_color(void **state)
{
    (void)state;
    bake_diagnostics *diagnostics = create_with("t", "abc", 3);
    bake_report(diagnostics, BAKE_ERROR, at(0, 1, 2, 2), "r", NULL, "m");
    bake_report(diagnostics, BAKE_WARNING, at(0, 1, 3, 1), "r", NULL, "w");
    char *plain = printed(diagnostics, false);
    char *colored = printed(diagnostics, true);
    assert_non_null(strchr(colored, '\033'));
    char *to = colored;
    for (const char *from = colored; *from; from++) {
        if (*from == '\033')
            from += strcspn(from, "m");
        else
            *to++ = *from;
    }
    *to = '\0';
    assert_string_equal(colored, plain);
    free(plain);
    free(colored);
    bake_diagnostics_destroy(diagnostics);
}

static void errors_beyond_the_limit_are_counted(void **state)
{
    (void)state;
    bake_diagnostics *diagnostics = create_with("t", NULL, 0);
    bake_diagnostics_set_max_errors(diagnostics, 2);
    for (uint32_t i = 1; i <= 5; i++) {
        bake_report(diagnostics, BAKE_ERROR, at(0, i, 1, 1), "r", NULL, "e");
        bake_hint(diagnostics, "h%u", (unsigned)i);
    }
    bake_report(diagnostics, BAKE_WARNING, at(0, 9, 1, 1), "r", NULL, "w");
    assert_int_equal(bake_diagnostics_errors(diagnostics), 5);
    assert_int_equal(bake_diagnostics_warnings(diagnostics), 1);
    check_printed(diagnostics, "t:1:1: error: e [r]\n  hint: h1\n"
                               "t:2:1: error: e [r]\n  hint: h2\n"
                               "t:9:1: warning: w [r]\n"
                               "5 errors, 1 warning (3 not shown)\n");
    bake_diagnostics_destroy(diagnostics);
}

static void the_first_by_position_are_shown_in_any_order_of_arrival(void **state)
{
    (void)state;
    bake_diagnostics *diagnostics = create_with("t", NULL, 0);
    bake_diagnostics_set_max_errors(diagnostics, 3);
    /* 7 is a primitive root modulo 101, so every line except 0 occurs once. */
    for (uint32_t i = 0, line = 7; i < 100; i++, line = line * 7 % 101) {
        bake_report(diagnostics, BAKE_ERROR, at(0, line, 1, 1), "r", NULL, "e");
        bake_hint(diagnostics, "h%u", (unsigned)line);
        bake_report(diagnostics, BAKE_WARNING, at(0, 101 - line, 2, 1), "r", NULL, "w");
    }
    check_printed(diagnostics, "t:1:1: error: e [r]\n  hint: h1\n"
                               "t:1:2: warning: w [r]\n"
                               "t:2:1: error: e [r]\n  hint: h2\n"
                               "t:2:2: warning: w [r]\n"
                               "t:3:1: error: e [r]\n  hint: h3\n"
                               "t:3:2: warning: w [r]\n"
                               "100 errors, 100 warnings (194 not shown)\n");
    bake_diagnostics_destroy(diagnostics);
}

static void marks_of_offsets_agree_with_lines(void **state)
{
    (void)state;
    static const char text[] = "\xef\xbb\xbf"
                               "a\r\n\xc3\xa4\xff"
                               "b\nc";
    static const struct {
        size_t offset;
        uint32_t line;
        uint32_t column;
    } marks[] = {{3, 1, 1}, {4, 1, 2}, {6, 2, 1}, {8, 2, 2}, {9, 2, 3}, {11, 3, 1}, {12, 3, 2}};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        bake_mark mark = bake_mark_at(0, text, sizeof text - 1, marks[i].offset);
        assert_int_equal(mark.line, marks[i].line);
        assert_int_equal(mark.column, marks[i].column);
    }
}

static const struct {
    const char *a;
    const char *b;
    size_t distance;
} distances[] = {
    {"", "", 0},
    {"a", "", 1},
    {"abc", "abc", 0},
    {"abc", "acb", 1},
    {"abc", "abd", 1},
    {"abc", "abcd", 1},
    {"abcd", "abc", 1},
    {"price", "prize", 1},
    {"abcdef", "badcfe", 3},
    {"Price", "PRICE", 1},
    {"kitten", "sitting", 3},
};

static void edit_distances_are_symmetric_and_limited(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof distances / sizeof *distances; i++) {
        const char *a = distances[i].a;
        const char *b = distances[i].b;
        assert_int_equal(bake_edit_distance(a, strlen(a), b, strlen(b), 9), distances[i].distance);
        assert_int_equal(bake_edit_distance(b, strlen(b), a, strlen(a), 9), distances[i].distance);
        for (size_t limit = 0; limit < 9; limit++) {
            size_t capped = bake_edit_distance(a, strlen(a), b, strlen(b), limit);
            size_t expected = distances[i].distance <= limit ? distances[i].distance : limit + 1;
            assert_int_equal(capped, expected);
        }
    }
}

static void the_first_of_the_closest_names_wins(void **state)
{
    (void)state;
    static const char *const names[] = {"health", "heath", "mana", "x", "maxHealth"};
    static const struct {
        const char *word;
        const char *found;
    } words[] = {
        {"healt", "health"},       {"heahl", NULL},   {"hearth", "health"}, {"heth", "heath"},
        {"HEALTH", "health"},      {"man", "mana"},   {"y", NULL},          {"xy", "x"},
        {"maxhelth", "maxHealth"}, {"stamina", NULL}, {"", NULL},
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const char *found = bake_most_similar(words[i].word, strlen(words[i].word), names, 5);
        if (!words[i].found)
            assert_null(found);
        else
            assert_string_equal(found, words[i].found);
    }
    char huge[200];
    memset(huge, 'a', sizeof huge);
    assert_null(bake_most_similar(huge, sizeof huge, names, 5));
}

static void every_failing_allocation_is_remembered(void **state)
{
    (void)state;
    bool failed = true;
    for (long n = 0; failed; n++) {
        bake_memory_fail_after(n);
        bake_diagnostics *diagnostics = bake_diagnostics_create();
        if (!diagnostics)
            continue;
        uint32_t source = bake_diagnostics_add_source(diagnostics, "t", "abc", 3);
        bake_report(diagnostics, BAKE_ERROR, at(source, 1, 1, 1), "r", "path", "m");
        bake_hint(diagnostics, "one");
        bake_hint(diagnostics, "two");
        bake_report(diagnostics, BAKE_WARNING, at(source, 1, 1, 1), "r", NULL, "m");
        failed = bake_memory_has_failed();
        bake_memory_fail_after(-1);
        assert_int_equal(bake_diagnostics_no_memory(diagnostics), failed);
        assert_int_equal(bake_diagnostics_errors(diagnostics), 1);
        char *text = printed(diagnostics, false);
        assert_int_equal(strstr(text, "\nkiln-bake: out of memory\n") != NULL, failed);
        free(text);
        bake_diagnostics_destroy(diagnostics);
    }
}

static void out_of_memory_alone_counts_as_an_error(void **state)
{
    (void)state;
    bake_diagnostics *diagnostics = create();
    assert_false(bake_report_no_memory(diagnostics));
    assert_int_equal(bake_diagnostics_errors(diagnostics), 1);
    check_printed(diagnostics, "kiln-bake: out of memory\n");
    bake_diagnostics_destroy(diagnostics);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_reported_prints_nothing),
        cmocka_unit_test(a_report_shows_line_caret_and_hints),
        cmocka_unit_test(diagnostics_are_sorted_by_position_then_arrival),
        cmocka_unit_test(every_excerpt_is_aligned_and_harmless),
        cmocka_unit_test(long_lines_are_shown_around_the_caret),
        cmocka_unit_test(many_marks_on_a_long_line_each_show_their_part),
        cmocka_unit_test(long_messages_are_cut_in_their_middle),
        cmocka_unit_test(diagnostics_beyond_the_limit_are_only_counted),
        cmocka_unit_test(control_characters_never_reach_the_terminal),
        cmocka_unit_test(json_escapes_invisible_characters),
        cmocka_unit_test(color_changes_nothing_but_color),
        cmocka_unit_test(errors_beyond_the_limit_are_counted),
        cmocka_unit_test(the_first_by_position_are_shown_in_any_order_of_arrival),
        cmocka_unit_test(marks_of_offsets_agree_with_lines),
        cmocka_unit_test(edit_distances_are_symmetric_and_limited),
        cmocka_unit_test(the_first_of_the_closest_names_wins),
        cmocka_unit_test(every_failing_allocation_is_remembered),
        cmocka_unit_test(out_of_memory_alone_counts_as_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
