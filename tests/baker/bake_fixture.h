/* Shared by the baker's tests: a scratch folder for each test, files in it, and schemas from
 * strings. */
#ifndef BAKE_FIXTURE_H
#define BAKE_FIXTURE_H

#define _XOPEN_SOURCE 700

#include "bake_memory.h"
#include "gateway.h"
#include "schema.h"
#include "schema_defaults.h"
#include "scratch_folder.h"
#include "value_bake.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static const char *fixture_folder;

static inline int fixture_enter(void **state)
{
    (void)state;
    fixture_folder = scratch_folder_enter("kiln-bake", SCRATCH_MEMORY);
    return fixture_folder ? 0 : -1;
}

static inline int fixture_leave(void **state)
{
    (void)state;
    bake_memory_fail_after(-1);
    return scratch_folder_leave() ? 0 : -1;
}

static inline void fixture_write(const char *path, const char *text)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
    assert_int_equal(fclose(file), 0);
}

/* Reads a whole file, NUL-terminated. The caller frees it; NULL if the file does not exist. */
static inline char *fixture_read(const char *path, size_t *ret_size)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return NULL;
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    rewind(file);
    char *text = malloc((size_t)size + 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, (size_t)size, file), (size_t)size);
    text[size] = '\0';
    fclose(file);
    if (ret_size)
        *ret_size = (size_t)size;
    return text;
}

/* A schema and the objects needed to read and use it. */
typedef struct fixture_schema {
    bake_gateway *gateway;
    bake_diagnostics *diagnostics;
    bake_schema *schema;
    bake_failure failure;
    bake_result result;
} fixture_schema;

static inline void fixture_schema_init(fixture_schema *f, const char *path)
{
    memset(f, 0, sizeof *f);
    f->gateway = bake_gateway_create(NULL);
    f->diagnostics = bake_diagnostics_create();
    assert_non_null(f->gateway);
    assert_non_null(f->diagnostics);
    bake_schema_def def = {f->gateway, f->diagnostics, &path, 1, NULL, 0, false, NULL, 0};
    f->result = bake_schema_load(&def, &f->schema, &f->failure);
}

static inline void fixture_schema_fini(fixture_schema *f)
{
    bake_schema_destroy(f->schema);
    bake_diagnostics_destroy(f->diagnostics);
    bake_gateway_destroy(f->gateway);
    memset(f, 0, sizeof *f);
}

/* Returns the diagnostics as printed. The caller frees the string. */
static inline char *fixture_said(fixture_schema *f)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    assert_non_null(stream);
    bake_diagnostics_print(f->diagnostics, stream, false);
    fclose(stream);
    return text;
}

#endif
