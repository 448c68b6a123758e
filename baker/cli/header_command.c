/* kiln-bake header: writes the C header of a schema. Only this command reports name clashes in C,
 * because they depend on how names are translated to C. */
#include "bake_commands.h"

#include "bake_memory.h"
#include "c_header.h"
#include "gateway.h"
#include "grouped_number.h"
#include "path_match.h"

#include <errno.h>
#include <kiln/type_table.h>
#include <string.h>

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* The file name of the header; on standard output, the schema's name with the extension .h. */
static const char *header_name(bake_run *run)
{
    const char *output = run->options->output;
    if (strcmp(output, "-") != 0)
        return last_part(output);
    size_t length;
    const char *stem = bake_path_stem(run->options->schemas.items[0], &length);
    char *name = bake_store_alloc(&run->store, length + sizeof ".h", 1);
    if (!name)
        return NULL;
    memcpy(name, stem, length);
    memcpy(name + length, ".h", sizeof ".h");
    return name;
}

/* An output that counts its bytes for the summary. */
typedef struct counted_output {
    bake_output *output;
    size_t size;
} counted_output;

static bool write_counted(void *ctx, const void *data, size_t size)
{
    counted_output *counted = ctx;
    counted->size += size;
    return bake_output_write(counted->output, data, size);
}

/* Reports why the header could not be written. Only a bad name is a mistake in the schema. The
 * writer has no source locations, so the report has a path but no line. */
static bake_result write_failed(bake_run *run, kiln_status status, const kiln_error *error)
{
    bake_mark whole = {0, 0, 1, 1};
    switch (status) {
    case KILN_NO_MEMORY:
        return bake_fail_memory(&run->failure);
    case KILN_IO:
        return bake_fail_errno(&run->failure, "write", run->options->output);
    case KILN_T_NAME:
        bake_report(run->diagnostics, BAKE_ERROR, whole, "name", error->path,
                    strstr(error->path, "(both ")
                        ? "two names would be the same in C"
                        : "names that begin with `kiln_` are reserved in C");
        return BAKE_BAD_INPUT;
    default:
        return bake_fail_bug(&run->failure, "the header", status, error);
    }
}

static bake_result write_header(bake_run *run, const kiln_buffer *table)
{
    counted_output counted = {NULL, 0};
    kiln_error error;
    kiln_allocator allocator = bake_memory_allocator();
    bake_c_header_options options;
    memset(&options, 0, sizeof options);
    memset(&error, 0, sizeof error);
    /* Use names without folders, so that the header is the same on every machine. */
    options.guard_name = header_name(run);
    options.source_name = last_part(run->options->schemas.items[0]);
    options.prefix = run->options->prefix;
    options.type_table = table->data;
    options.type_table_size = table->size;
    options.allocator = &allocator;
    if (!options.guard_name)
        return bake_fail_memory(&run->failure);
    counted.output = bake_run_begin(run, run->options->output);
    if (!counted.output)
        return run->failure.result;
    kiln_status status =
        bake_c_header_write(run->schema->types, &options, write_counted, &counted, &error);
    if (status)
        return write_failed(run, status, &error);
    bake_result result = bake_run_commit(run);
    char bytes[32];
    if (!result && !run->options->quiet)
        fprintf(run->err, "%s: %s bytes of C\n",
                strcmp(run->options->output, "-") == 0 ? "standard output" : run->options->output,
                bake_grouped(bytes, counted.size));
    return result;
}

bake_result bake_run_header(bake_run *run)
{
    bake_result result = bake_run_schema(run);
    if (result)
        return result;
    kiln_buffer table;
    kiln_error error;
    kiln_allocator allocator = bake_memory_allocator();
    memset(&table, 0, sizeof table);
    memset(&error, 0, sizeof error);
    run->outputs = bake_store_alloc(&run->store, 1, sizeof *run->outputs);
    kiln_status status = KILN_OK;
    /* The header includes the type table, so that a program can convert files baked with other
     * versions of the schema. */
    if (!run->options->no_types)
        status = kiln_type_table_write(&allocator, run->schema->types, &table, &error);
    if (status == KILN_NO_MEMORY || !run->outputs)
        result = bake_fail_memory(&run->failure);
    else if (status)
        result = bake_fail_bug(&run->failure, "the type table", status, &error);
    else
        result = write_header(run, &table);
    kiln_buffer_fini(&table);
    return result;
}
