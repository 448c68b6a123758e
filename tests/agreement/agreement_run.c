#include "agreement_run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct agreement {
    const agreement_schema *schema;
    kiln_file *file;
    kiln_types *types;
    kiln_builder *builder;
    char *bytes; /* content of the file */
    size_t size;
    char *expected;
    const char *at; /* position in `expected` */
} agreement;

static char *read_all(const char *folder, const char *name, const char *extension, size_t *ret_size)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s.%s", folder, name, extension);
    FILE *file = fopen(path, "rb");
    if (!file)
        return NULL;
    fseek(file, 0, SEEK_END);
    size_t size = (size_t)ftell(file);
    rewind(file);
    char *data = malloc(size + 1);
    if (!data || fread(data, 1, size, file) != size)
        abort();
    data[size] = '\0';
    fclose(file);
    if (ret_size)
        *ret_size = size;
    return data;
}

/* Returns whether the traces are equal. If not, prints the first line that differs. */
static bool is_told(const char *who, const char *asset, const char *told, const char *expected,
                    size_t size)
{
    size_t line = 0, i = 0;
    for (; i < size && told && told[i] && told[i] == expected[i]; i++)
        if (expected[i] == '\n')
            line = i + 1;
    if (i == size && (!told || !told[i]))
        return true;
    fprintf(stderr, "%s: %s reads\n  %.*s\ninstead of\n  %.*s\n", asset, who,
            (int)strcspn(told ? told + line : "", "\n"), told ? told + line : "",
            (int)strcspn(expected + line, "\n"), expected + line);
    return false;
}

static bool check_walker(agreement *a, const char *asset, const kiln_index_member *member,
                         const char *type, size_t size)
{
    value_trace trace = {0};
    kiln_value root;
    kiln_blob_header header;
    kiln_error error;
    const char *blob = a->bytes + member->place;
    bool agrees = !kiln_header_read(blob, (size_t)member->size, &header, &error);
    size_t before = agrees ? (size_t)(member->size - header.payload_size) : 0;
    agrees = agrees && !kiln_value_root(a->types, kiln_types_find(a->types, type), blob + before,
                                        (size_t)header.payload_size, &root);
    if (agrees) {
        trace_value(&trace, &root);
        agrees = is_told("kiln_value", asset, trace.text, a->at, size);
    }
    trace_fini(&trace);
    return agrees;
}

static bool check_accessors(agreement *a, const char *asset, const char *type, size_t size)
{
    value_trace trace = {0};
    bool agrees = a->schema->walk(a->file, asset, type, &trace);
    if (!agrees)
        fprintf(stderr, "%s: the accessors do not find the asset\n", asset);
    else
        agrees = is_told("accessors", asset, trace.text, a->at, size);
    trace_fini(&trace);
    return agrees;
}

static bool check_builder(agreement *a, const char *asset, const kiln_index_member *member,
                          const char *type)
{
    kiln_buffer blob = {0};
    kiln_error error = {0};
    kiln_builder_reset(a->builder);
    kiln_status status =
        a->schema->build(a->file, asset, type, a->builder, a->types, &blob, &error);
    bool agrees = !status && blob.size == member->size &&
                  memcmp(blob.data, a->bytes + member->place, blob.size) == 0;
    if (!agrees)
        fprintf(stderr, "%s: rebuilding gives different bytes (%s, %s)\n", asset,
                kiln_status_text(status), error.path);
    kiln_buffer_fini(&blob);
    return agrees;
}

/* Checks the asset at `at`: a line with its name, then the lines of its value, up to an empty line.
 */
static bool check_asset(agreement *a)
{
    char name[256];
    size_t length = strcspn(a->at, "\n");
    const char *end = strstr(a->at, "\n\n");
    if (length >= sizeof name || !end)
        return false;
    memcpy(name, a->at, length);
    name[length] = '\0';
    a->at += length + 1;
    size_t size = end >= a->at ? (size_t)(end + 1 - a->at) : 0;
    kiln_asset asset = kiln_file_find(a->file, name);
    const char *type = kiln_file_asset_type(a->file, asset);
    if (!type) {
        fprintf(stderr, "%s: not in the file\n", name);
        return false;
    }
    const kiln_index *index = kiln_file_index(a->file, NULL);
    if (!index)
        return false;
    const kiln_index_member *member =
        kiln_index_member_at(index, kiln_index_asset_at(index, asset.number - 1)->member);
    bool agrees = check_accessors(a, name, type, size);
    agrees = check_walker(a, name, member, type, size) && agrees;
    agrees = check_builder(a, name, member, type) && agrees;
    a->at = end + 2;
    return agrees;
}

static bool begin(agreement *a, const char *folder)
{
    kiln_error error = {0};
    kiln_file_def def = kiln_file_def_default();
    kiln_builder_def builder_def = kiln_builder_def_default();
    a->bytes = read_all(folder, a->schema->name, "kiln", &a->size);
    a->expected = read_all(folder, a->schema->name, "expected", NULL);
    if (!a->bytes || !a->expected)
        return false;
    a->at = a->expected;
    def.data = a->bytes;
    def.size = a->size;
    def.source = KILN_SOURCE_COPY;
    def.types = a->schema->types(&def.types_size);
    kiln_status status = kiln_file_open(&def, &a->file, &error);
    if (!status)
        status = kiln_file_verify(a->file, KILN_VERIFY_DEEP, &error);
    if (!status)
        status = a->schema->types_create(NULL, &a->types, &error);
    builder_def.types = a->types;
    if (!status)
        status = kiln_builder_create(&builder_def, &a->builder);
    if (status)
        fprintf(stderr, "%s: %s, %s\n", a->schema->name, kiln_status_text(status), error.path);
    return !status;
}

long agreement_check(const agreement_schema *schema, const char *folder)
{
    agreement a = {.schema = schema};
    long count = 0;
    bool agrees = begin(&a, folder);
    for (; agrees && *a.at; count++)
        agrees = check_asset(&a);
    if (agrees && (uint64_t)count != kiln_file_asset_count(a.file)) {
        fprintf(stderr, "%s: values are expected for %ld of %u assets\n", schema->name, count,
                (unsigned)kiln_file_asset_count(a.file));
        agrees = false;
    }
    kiln_builder_destroy(a.builder);
    kiln_types_destroy(a.types);
    kiln_file_close(a.file);
    free(a.bytes);
    free(a.expected);
    return agrees ? count : -1;
}
