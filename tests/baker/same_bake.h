/* Compares files in a special form with the same assets in the plain form, which is of shape
 * `kinds` and has nothing to resolve. Both must bake to the same bytes. */
#ifndef SAME_BAKE_H
#define SAME_BAKE_H

#include "bake_call.h"

#define COUNT(table) (sizeof(table) / sizeof *(table))

enum { SAME_FILES_MAX = 8 };

typedef struct same_file {
    const char *path, *text;
} same_file;

typedef struct same_row {
    const char *rules; /* further keys of the schema, after its types */
    same_file files[SAME_FILES_MAX];
    const char *plain;
} same_row;

/* Writes the schema, and the files of a row below `in`, which contains a folder `x`. */
static inline void same_write(const char *types, const same_row *row)
{
    char schema[8192];
    snprintf(schema, sizeof schema, "kiln: 1\nnamespace: game\ntypes:\n%s%s", types,
             row->rules ? row->rules : "");
    assert_int_equal(system("rm -rf in && mkdir -p in/x"), 0);
    fixture_write("s.yaml", schema);
    for (size_t f = 0; f < SAME_FILES_MAX && row->files[f].path; f++)
        fixture_write(row->files[f].path, row->files[f].text);
}

/* Bakes, expecting no messages, and returns the bytes of the file. The caller frees them. */
static inline char *same_bytes(const char *arguments, const char *output, size_t *ret_size)
{
    bake_well(arguments);
    char *bytes = fixture_read(output, ret_size);
    assert_non_null(bytes);
    return bytes;
}

/* `plain_rules` are further keys of the schema for the plain form. */
static inline void same_check_under(const char *types, const char *plain_rules,
                                    const same_row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        size_t size = 0, plain_size = 0;
        same_write(types, &rows[i]);
        char *bytes = same_bytes("-q -s s.yaml -C in -o own.kiln .", "own.kiln", &size);
        same_row alone = {plain_rules, {{NULL, NULL}}, NULL};
        same_write(types, &alone);
        fixture_write("plain.yaml", rows[i].plain);
        char *plain =
            same_bytes("-q -s s.yaml -o plain.kiln plain.yaml", "plain.kiln", &plain_size);
        if (size != plain_size || memcmp(bytes, plain, size) != 0)
            fail_msg("row %zu differs from\n%s", i, rows[i].plain);
        free(bytes);
        free(plain);
    }
}

static inline void same_check(const char *types, const same_row *rows, size_t count)
{
    same_check_under(types, NULL, rows, count);
}

#endif
