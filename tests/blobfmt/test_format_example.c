/* The hex digits of FORMAT.md section 12 are a valid file: it reads, verifies, and the writer
 * produces the same bytes.
 *
 * With `--print` the program prints the lines of the section, for use when the format changes. */
#include "blob_patch.h"
#include "format_example.h"
#include "verdict.h"

#include <kiln/canonical.h>
#include <kiln/index.h>
#include <kiln/path.h>
#include <kiln/type_table.h>
#include <kiln/verify.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DOCUMENT_MAX = 1 << 18, EXAMPLE_MAX = 1 << 14 };

static char document[DOCUMENT_MAX], printed[DOCUMENT_MAX];
static const char *lines; /* the example's lines in the document */
static patched example;   /* their bytes */
static kiln_types *types, *builtin;

static int set_up(void **state)
{
    (void)state;
    const char *path = getenv("KILN_FORMAT_MD");
    FILE *file = path ? fopen(path, "rb") : NULL;
    if (!file)
        return 1;
    document[fread(document, 1, sizeof document - 1, file)] = '\0';
    fclose(file);
    static const char fence[] = "```kiln-file\n";
    char *begin = strstr(document, fence),
         *end = begin ? strstr(begin + sizeof fence - 1, "```") : NULL;
    if (!end)
        return 1;
    lines = begin + sizeof fence - 1;
    *end = '\0';
    unsigned char bytes[EXAMPLE_MAX];
    size_t count = 0;
    for (const char *line = lines; *line; line = strchr(line, '\n') + 1) {
        unsigned offset, byte;
        if (sscanf(line, "%8x", &offset) != 1 || offset != count)
            return 1;
        for (const char *at = line + 10; sscanf(at, "%2x", &byte) == 1 && count < sizeof bytes;
             at += 3) {
            bytes[count++] = (unsigned char)byte;
            if (at[2] != ' ' || at[3] == ' ')
                break;
        }
    }
    example = patched_copy(bytes, count);
    types = format_example_types();
    return !types || kiln_types_create_builtin(NULL, &builtin, NULL) != KILN_OK;
}

static int tear_down(void **state)
{
    (void)state;
    patched_fini(&example);
    kiln_types_destroy(types);
    kiln_types_destroy(builtin);
    return 0;
}

static void hex_of_the_document_is_a_valid_file(void **state)
{
    (void)state;
    const kiln_index *index = NULL;
    kiln_error error = {KILN_OK, 0, 0, ""};
    kiln_index_check(builtin, NULL, &(kiln_file_head){example.data, example.size, example.size},
                     &index, &error);
    assert_error(&error, KILN_OK, 0, "");
    assert_int_equal(kiln_index_check_gaps(index, example.data, &error), KILN_OK);
    assert_int_equal(kiln_index_check_member(index, 0, example.data, true, &error), KILN_OK);
    assert_int_equal(kiln_index_check_types(index, types, &error), KILN_OK);
    const kiln_index_member *member = kiln_index_member_at(index, 0);
    kiln_verify_def def = kiln_verify_def_default();
    def.types = types;
    def.type = format_example_root;
    kiln_verify(&def, example.data + member->place, member->size, &error);
    assert_error(&error, KILN_OK, 0, "");
    /* The index is in canonical form, too. */
    kiln_blob_header header;
    assert_int_equal(kiln_header_read(example.data, example.size, &header, NULL), KILN_OK);
    kiln_canonical_check(
        &(kiln_canonical_args){.types = builtin,
                               .type = kiln_types_find(builtin, "kiln.Index"),
                               .blob = {example.data, kiln_header_blob_size(&header)},
                               .allocator = NULL},
        &error);
    assert_error(&error, KILN_OK, 0, "");
}

static void values_of_the_document_are_read(void **state)
{
    (void)state;
    static const struct {
        const char *path;
        uint64_t number;
        const char *text;
    } rows[] = {{"name", 0, "Sword"},          {"price", 120, NULL},
                {"tags[0]", 0, "iron"},        {"tags[1]", 0, "sharp"},
                {"stock[\"east\"]", 12, NULL}, {"stock[\"north\"]", 3, NULL},
                {"effect.damage", 7, NULL}};
    const kiln_index *index = NULL;
    assert_int_equal(kiln_index_check(builtin, NULL,
                                      &(kiln_file_head){example.data, example.size, example.size},
                                      &index, NULL),
                     KILN_OK);
    uint32_t number = kiln_index_find(index, kiln_asset_id("Item/sword", 10));
    assert_int_equal(number, 0);
    const kiln_index_member *member =
        kiln_index_member_at(index, kiln_index_asset_at(index, number)->member);
    kiln_value root, value;
    assert_int_equal(kiln_value_root(types, format_example_root, example.data + member->place + 32,
                                     member->size - 32, &root),
                     KILN_OK);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *text;
        uint32_t length;
        assert_int_equal(kiln_path_follow(&root, rows[i].path, &value, NULL), KILN_OK);
        if (!rows[i].text) {
            assert_int_equal(kiln_value_uint(&value), rows[i].number);
            continue;
        }
        assert_int_equal(kiln_value_text(&value, &text, &length), KILN_OK);
        assert_int_equal(length, strlen(rows[i].text));
        assert_string_equal(text, rows[i].text);
    }
}

static void same_value_is_written_as_the_same_bytes(void **state)
{
    (void)state;
    kiln_buffer file = format_example_file(types);
    assert_int_equal(file.size, example.size);
    assert_memory_equal(file.data, example.data, file.size);
    kiln_buffer_fini(&file);
}

static void explanations_are_the_printed_ones(void **state)
{
    (void)state;
    kiln_buffer file = format_example_file(types);
    assert_true(format_example_print(types, &file, printed, sizeof printed));
    assert_string_equal(lines, printed);
    kiln_buffer_fini(&file);
}

static int print(void)
{
    kiln_types *own = format_example_types();
    kiln_buffer file = format_example_file(own);
    bool ok = file.data && format_example_print(own, &file, printed, sizeof printed);
    fputs(printed, stdout);
    kiln_buffer_fini(&file);
    kiln_types_destroy(own);
    return ok ? 0 : 1;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hex_of_the_document_is_a_valid_file),
        cmocka_unit_test(values_of_the_document_are_read),
        cmocka_unit_test(same_value_is_written_as_the_same_bytes),
        cmocka_unit_test(explanations_are_the_printed_ones),
    };
    if (argc > 1 && strcmp(argv[1], "--print") == 0)
        return print();
    return cmocka_run_group_tests_name("the document's example", tests, set_up, tear_down);
}
