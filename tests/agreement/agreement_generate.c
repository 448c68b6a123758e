/* Generates the inputs of the agreement test:
 *
 *     agreement_generate FOLDER SEED COUNT
 *
 * For each of COUNT seeds from SEED on, writes a schema and its data, bakes them, generates the C
 * header, and writes the expected values. Also writes one C file for all seeds, agreement.inc,
 * which agreement_main.c includes. */
#include "agreement_code.h"
#include "bake_main.h"
#include "gateway.h"
#include "random_trace.h"
#include "schema.h"
#include "schema_defaults.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { NAMED_TYPES = 24, ASSETS_A_TYPE = 8 };

static FILE *open_file(const char *folder, const char *name, const char *extension)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s.%s", folder, name, extension);
    FILE *file = fopen(path, "wb");
    if (!file) {
        perror(path);
        exit(1);
    }
    return file;
}

static void write_data(random_schema *schema, const char *folder)
{
    FILE *data = open_file(folder, schema->space, "yaml");
    FILE *expected = open_file(folder, schema->space, "expected");
    random_document_begin(schema);
    for (uint32_t i = 0; i < schema->named_count; i++) {
        const random_type *type = schema->named[i];
        if (type->asset_count)
            fprintf(data, "%s:\n", type->name);
        for (uint32_t j = 0; j < type->asset_count; j++) {
            random_datum *datum = random_datum_make(schema, type, 0);
            value_trace trace = {0};
            fputs("  ", data);
            random_asset_id_write(schema, j, data);
            fputc(':', data);
            random_datum_write_block(schema, datum, NULL, 2, data);
            trace_datum(&trace, datum);
            fprintf(expected, "%s/%s\n%s\n", type->name, random_asset_id(j).text,
                    trace.text ? trace.text : "");
            trace_fini(&trace);
        }
    }
    fclose(data);
    fclose(expected);
}

static bool bake(const char *folder, const char *name, bool header)
{
    char schema[1024], data[1024], output[1024];
    snprintf(schema, sizeof schema, "%s/%s.schema.yaml", folder, name);
    snprintf(data, sizeof data, "%s/%s.yaml", folder, name);
    snprintf(output, sizeof output, "%s/%s.%s", folder, name, header ? "h" : "kiln");
    char *arguments[] = {(char *)"kiln-bake",
                         (char *)(header ? "header" : "build"),
                         (char *)"-q",
                         (char *)"-s",
                         schema,
                         (char *)"-o",
                         output,
                         header ? NULL : data,
                         NULL};
    return bake_main(header ? 7 : 8, arguments, stdout, stderr) == 0;
}

static bool write_code(const char *folder, const char *name, FILE *code)
{
    char path[1024];
    snprintf(path, sizeof path, "%s/%s.schema.yaml", folder, name);
    const char *paths[] = {path};
    bake_gateway *gateway = bake_gateway_create(NULL);
    bake_diagnostics *diagnostics = bake_diagnostics_create();
    bake_schema *schema = NULL;
    bake_failure failure = {0};
    bake_schema_def def = {gateway, diagnostics, paths, 1, NULL, 0, false, NULL, 0};
    bool done = bake_schema_load(&def, &schema, &failure) == BAKE_OK &&
                agreement_code_write(schema->types, name, code);
    bake_schema_destroy(schema);
    bake_diagnostics_destroy(diagnostics);
    bake_gateway_destroy(gateway);
    return done;
}

static bool make_one(const char *folder, uint64_t seed, FILE *code)
{
    random_schema *schema = random_schema_create(seed, NAMED_TYPES, ASSETS_A_TYPE);
    FILE *file = open_file(folder, schema->space, "schema.yaml");
    random_schema_write(schema, file);
    fclose(file);
    write_data(schema, folder);
    bool done = bake(folder, schema->space, false) && bake(folder, schema->space, true) &&
                write_code(folder, schema->space, code);
    random_schema_destroy(schema);
    return done;
}

int main(int argc, char **argv)
{
    if (argc != 4)
        return 2;
    uint64_t seed = strtoull(argv[2], NULL, 10), count = strtoull(argv[3], NULL, 10);
    FILE *code = open_file(argv[1], "agreement", "inc");
    bool done = true;
    for (uint64_t i = 0; i < count && done; i++) {
        done = make_one(argv[1], seed + i, code);
        if (!done)
            fprintf(stderr, "seed %" PRIu64 " failed; its files are in %s\n", seed + i, argv[1]);
    }
    fprintf(code, "static const agreement_schema *const schemas[] = {\n");
    for (uint64_t i = 0; i < count; i++)
        fprintf(code, "    &s%" PRIu64 "_schema,\n", seed + i);
    fprintf(code, "};\n");
    fclose(code);
    return done ? 0 : 1;
}
