/* Paths in errors: complete if they fit, otherwise cut in the middle, and never with a byte that
 * controls a terminal. */
#include "verdict.h"

#include <errno.h>
#include <kiln/path.h>
#include <kiln/value.h>
#include <stdio.h>
#include <string.h>

/* A NUL-terminated string of `count` letters, repeating a to z. */
static const char *letters(char *text, size_t count)
{
    for (size_t i = 0; i < count; i++)
        text[i] = (char)('a' + i % 26);
    text[count] = '\0';
    return text;
}

static void path_of_an_error_is_copied(void **state)
{
    (void)state;
    static const struct {
        const char *path, *shown;
    } rows[] = {
        {NULL, ""},
        {"", ""},
        {"items[3].name", "items[3].name"},
        {"K/\x1b[31m\x7f", "K/\\x1b[31m\\x7f"},
        {"\xc3\xa4\n", "\xc3\xa4\\x0a"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        kiln_error error;
        assert_int_equal(kiln_fail(&error, KILN_IO, 7, rows[i].path), KILN_IO);
        assert_int_equal(error.status, KILN_IO);
        assert_int_equal(error.offset, 7);
        assert_string_equal(error.path, rows[i].shown);
    }
    assert_int_equal(kiln_fail(NULL, KILN_IO, 7, "items"), KILN_IO);
}

static void path_may_be_that_of_the_same_error(void **state)
{
    (void)state;
    kiln_error error = {KILN_OK, 0, 0, "items[3].name"};
    kiln_fail(&error, KILN_IO, 1, error.path);
    assert_string_equal(error.path, "items[3].name");
    kiln_fail(&error, KILN_IO, 1, error.path + 6);
    assert_string_equal(error.path, "3].name");
}

static void the_longest_path_is_shown_completely(void **state)
{
    (void)state;
    char text[KILN_PATH_SIZE];
    kiln_error error;
    letters(text, KILN_PATH_SIZE - 1);
    kiln_fail(&error, KILN_IO, 0, text);
    assert_string_equal(error.path, text);
}

static void longer_path_keeps_both_ends(void **state)
{
    (void)state;
    for (size_t length = KILN_PATH_SIZE; length < 2 * KILN_PATH_SIZE; length++) {
        char text[2 * KILN_PATH_SIZE];
        kiln_error error;
        letters(text, length);
        kiln_fail(&error, KILN_IO, 0, text);
        assert_int_equal(strlen(error.path), KILN_PATH_SIZE - 1);
        const char *cut = strstr(error.path, "...");
        assert_non_null(cut);
        assert_memory_equal(error.path, text, (size_t)(cut - error.path));
        assert_string_equal(cut + 3, text + length - strlen(cut + 3));
    }
}

static void a_longer_path_splits_no_character(void **state)
{
    (void)state;
    for (size_t before = 0; before < 4; before++) {
        char text[2 * KILN_PATH_SIZE] = "";
        kiln_error error;
        memset(text, 'x', before);
        while (strlen(text) + 4 < sizeof text)
            strcat(text, "\xe2\x82\xac");
        kiln_fail(&error, KILN_IO, 0, text);
        const char *cut = strstr(error.path, "...");
        assert_non_null(cut);
        assert_int_equal((size_t)(cut - error.path - (ptrdiff_t)before) % 3, 0);
        assert_int_equal(strlen(cut + 3) % 3, 0);
        assert_int_equal((unsigned char)cut[3], 0xe2);
    }
}

static void name_of_any_length_is_complete_if_the_path_has_space(void **state)
{
    (void)state;
    for (size_t length = 1; length < KILN_PATH_SIZE; length++) {
        char name[KILN_PATH_SIZE];
        kiln_path path = {{0}, 0};
        kiln_path_add_name(&path, letters(name, length), length);
        assert_string_equal(path.text, name);
        assert_int_equal(path.length, length);
    }
}

static void path_too_long_for_its_buffer_keeps_both_ends(void **state)
{
    (void)state;
    kiln_path path = {{0}, 0};
    kiln_path_add_name(&path, "first", 5);
    for (uint64_t i = 0; i < 1000; i++)
        kiln_path_add_number(&path, i);
    kiln_path_add_name(&path, "\xc3\xa4", 2);
    assert_memory_equal(path.text, "first[0][1][2]", 14);
    assert_non_null(strstr(path.text, "..."));
    static const char end[] = "[998][999].\"\xc3\xa4\"";
    assert_string_equal(path.text + path.length - strlen(end), end);
    assert_true(path.length < KILN_PATH_SIZE);
}

static void a_long_path_without_a_value_is_reported_completely(void **state)
{
    (void)state;
    char name[201], text[256];
    kiln_member field = {.name = letters(name, 200), .type = 0};
    kiln_type rows[] = {
        {.kind = KILN_KIND_U8},
        {.kind = KILN_KIND_STRUCT, .name = "S", .members = &field, .member_count = 1}};
    kiln_types *types;
    kiln_value root, found;
    kiln_error error;
    assert_int_equal(kiln_types_create(NULL, rows, 2, &types, NULL), KILN_OK);
    assert_int_equal(kiln_value_root(types, 1, "", 1, &root), KILN_OK);
    snprintf(text, sizeof text, "%s.more", name);
    assert_int_equal(kiln_path_follow(&root, text, &found, &error), KILN_NOT_FOUND);
    assert_string_equal(error.path, name);
    kiln_types_destroy(types);
}

static void name_of_a_type_cannot_reach_the_terminal(void **state)
{
    (void)state;
    kiln_member field = {.name = "\x1b[2J", .type = 0};
    kiln_type rows[] = {
        {.kind = KILN_KIND_U8},
        {.kind = KILN_KIND_STRUCT, .name = "S", .members = &field, .member_count = 1}};
    kiln_types *types;
    kiln_error error;
    assert_int_equal(kiln_types_create(NULL, rows, 2, &types, &error), KILN_T_NAME);
    assert_string_equal(error.path, "S.\\x1b[2J");
    rows[1].name = "S\x1b[2J";
    assert_int_equal(kiln_types_create(NULL, rows, 2, &types, &error), KILN_T_NAME);
    assert_string_equal(error.path, "S\\x1b[2J");
}

static void a_name_longer_than_any_error_is_shortened(void **state)
{
    (void)state;
    static char name[4 * KILN_PATH_SIZE + 1];
    kiln_type row = {.kind = KILN_KIND_ENUM, .base = KILN_KIND_U8, .name = name};
    kiln_types *types;
    kiln_error error;
    letters(name, sizeof name - 1);
    assert_int_equal(kiln_types_create(NULL, &row, 1, &types, &error), KILN_T_NAME);
    assert_memory_equal(error.path, name, 100);
    assert_non_null(strstr(error.path, "..."));
}

static void error_is_formatted_as_a_sentence(void **state)
{
    (void)state;
    static const struct {
        kiln_error error;
        const char *text;
    } rows[] = {
        {{KILN_OK, 0, 0, ""}, "ok"},
        {{KILN_NO_MEMORY, 0, 0, ""}, "out of memory"},
        {{KILN_NOT_FOUND, 0, 0, "Spell/thaw"}, "Spell/thaw: no such asset, type or field"},
        {{KILN_IO, ENOENT, 0, "a.kiln"}, "a.kiln: No such file or directory"},
        {{KILN_IO, EACCES, 0, ""}, "Permission denied"},
        {{KILN_IO, 0, 0, "a.kiln"}, "a.kiln: the operating system reported a read or write error"},
        {{KILN_H_MAGIC, 0, 0, "a.kiln"}, "a.kiln: does not begin with KILN (rule H2)"},
        {{KILN_V_STRING_UTF8, 0, 96, "items[3].name"},
         "items[3].name: a string is not UTF-8 (rule V7, offset 96)"},
        {{KILN_UNREADABLE_KEYS, 0, UINT64_MAX, ""},
         "two keys of a map become equal (offset 18446744073709551615)"},
        {{(kiln_status)100000, 0, 0, ""}, "unknown status"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[KILN_ERROR_TEXT_SIZE];
        size_t length = kiln_error_format(&rows[i].error, text, sizeof text);
        assert_string_equal(text, rows[i].text);
        assert_int_equal(length, strlen(rows[i].text));
    }
}

static void a_formatted_error_is_truncated_to_its_buffer(void **state)
{
    (void)state;
    static const kiln_error error = {KILN_NOT_FOUND, 0, 0, "Spell/thaw"};
    static const char whole[] = "Spell/thaw: no such asset, type or field";
    assert_int_equal(kiln_error_format(&error, NULL, 0), sizeof whole - 1);
    for (size_t size = 1; size <= sizeof whole; size++) {
        char text[sizeof whole + 1];
        memset(text, 'x', sizeof text);
        assert_int_equal(kiln_error_format(&error, text, size), sizeof whole - 1);
        assert_int_equal(strlen(text), size - 1);
        assert_memory_equal(text, whole, size - 1);
        assert_int_equal(text[size], 'x');
    }
}

static void longest_error_fits_the_documented_size(void **state)
{
    (void)state;
    kiln_error error;
    memset(&error, 0, sizeof error);
    memset(error.path, 'p', KILN_PATH_SIZE - 1);
    error.offset = UINT64_MAX;
    for (int status = 0; status < KILN_STATUS_COUNT; status++) {
        error.status = (kiln_status)status;
        assert_true(kiln_error_format(&error, NULL, 0) < KILN_ERROR_TEXT_SIZE);
    }
    error.status = KILN_IO;
    for (error.system_error = -1; error.system_error < 200; error.system_error++)
        assert_true(kiln_error_format(&error, NULL, 0) < KILN_ERROR_TEXT_SIZE);
}

static void only_a_failed_system_call_sets_its_error(void **state)
{
    (void)state;
    kiln_error error;
    assert_int_equal(kiln_fail_system(&error, EACCES, "a.kiln"), KILN_IO);
    assert_int_equal(error.system_error, EACCES);
    assert_int_equal(error.offset, 0);
    assert_string_equal(error.path, "a.kiln");
    kiln_fail(&error, KILN_IO, 7, NULL);
    assert_int_equal(error.system_error, 0);
    assert_int_equal(kiln_fail_system(NULL, EACCES, NULL), KILN_IO);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(error_is_formatted_as_a_sentence),
        cmocka_unit_test(a_formatted_error_is_truncated_to_its_buffer),
        cmocka_unit_test(longest_error_fits_the_documented_size),
        cmocka_unit_test(only_a_failed_system_call_sets_its_error),
        cmocka_unit_test(path_of_an_error_is_copied),
        cmocka_unit_test(path_may_be_that_of_the_same_error),
        cmocka_unit_test(the_longest_path_is_shown_completely),
        cmocka_unit_test(longer_path_keeps_both_ends),
        cmocka_unit_test(a_longer_path_splits_no_character),
        cmocka_unit_test(name_of_any_length_is_complete_if_the_path_has_space),
        cmocka_unit_test(path_too_long_for_its_buffer_keeps_both_ends),
        cmocka_unit_test(a_long_path_without_a_value_is_reported_completely),
        cmocka_unit_test(name_of_a_type_cannot_reach_the_terminal),
        cmocka_unit_test(a_name_longer_than_any_error_is_shortened),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
