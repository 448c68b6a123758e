#define _POSIX_C_SOURCE 200809L

#include "bake_input.h"

#include "bake_main.h"
#include "blob_patch.h"
#include "whole_file.h"

#include <kiln/type_table.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[64], schema_file[96], text_file[96], output_file[96], header_file[96];
static char second_file[96], prefab_file[96], object_file[96];
static FILE *nowhere;
static kiln_types *builtin;

static void require(bool condition, const char *what)
{
    if (condition)
        return;
    fprintf(stderr, "%s\n", what);
    abort();
}

static void remove_folder(void)
{
    remove(schema_file);
    remove(text_file);
    remove(second_file);
    remove(object_file);
    remove(prefab_file);
    remove(output_file);
    remove(header_file);
    rmdir(folder);
    kiln_types_destroy(builtin);
    fclose(nowhere);
}

static void prepare(void)
{
    if (nowhere)
        return;
    const char *base = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%.40s/kiln-fuzz-XXXXXX", base ? base : "/tmp");
    require(mkdtemp(folder) != NULL, "no folder for temporary files");
    snprintf(schema_file, sizeof schema_file, "%s/s.yaml", folder);
    snprintf(text_file, sizeof text_file, "%s/t.yaml", folder);
    snprintf(object_file, sizeof object_file, "%s/t.unity", folder);
    snprintf(second_file, sizeof second_file, "%s/u.yaml", folder);
    snprintf(prefab_file, sizeof prefab_file, "%s/p.prefabs.yaml", folder);
    snprintf(output_file, sizeof output_file, "%s/o.kiln", folder);
    snprintf(header_file, sizeof header_file, "%s/h.h", folder);
    nowhere = fopen("/dev/null", "w");
    require(nowhere && !kiln_types_create_builtin(NULL, &builtin, NULL), "cannot begin");
    atexit(remove_folder);
}

static void write_file(const char *path, const void *data, size_t size)
{
    FILE *file = fopen(path, "wb");
    require(file && fwrite(data, 1, size, file) == size && fclose(file) == 0,
            "cannot write a temporary file");
}

/* The baker's output is a file like any other. */
static void read_back(void)
{
    FILE *file = fopen(output_file, "rb");
    require(file != NULL, "no output after exit code 0");
    require(fseek(file, 0, SEEK_END) == 0, "cannot seek");
    size_t size = (size_t)ftell(file);
    rewind(file);
    unsigned char *data = malloc(size);
    require(data && fread(data, 1, size, file) == size, "cannot read the output");
    fclose(file);
    patched exact = patched_copy(data, size);
    kiln_error error = {KILN_OK, 0, ""};
    (void)whole_file_check(builtin, exact.data, exact.size, &error);
    require(error.status == KILN_OK, kiln_status_text(error.status));
    patched_fini(&exact);
    free(data);
}

static int run(int count, const char *const *words)
{
    /* What is in a schema by chance is never run. */
    char *arguments[16] = {strdup(words[0]), strdup("--no-importers")};
    for (int i = 1; i < count; i++)
        arguments[i + 1] = strdup(words[i]);
    int code = bake_main(count + 1, arguments, nowhere, nowhere);
    for (int i = 0; i <= count; i++)
        free(arguments[i]);
    require(code >= 0 && code <= 2, "exit code 3");
    return code;
}

void bake_input(const char *schema_path, const void *text, size_t size)
{
    prepare();
    /* Streams that declare a tag are called as objects are. */
    bool has_objects = size > 5 && memcmp(text, "%TAG ", 5) == 0;
    const char *input = has_objects ? object_file : text_file;
    write_file(input, text, size);
    const char *words[] = {"kiln-bake", "-s", schema_path, "-o", output_file, input};
    if (run(6, words) == 0)
        read_back();
}

void bake_input_with_schema(const void *schema, size_t schema_size, const void *text, size_t size)
{
    prepare();
    write_file(schema_file, schema, schema_size);
    bake_input(schema_file, text, size);
    const char *words[] = {"kiln-bake", "header", "-s", schema_file, "-o", header_file};
    run(6, words);
}

void bake_input_scenes(const char *schema_path, const void *text, size_t size)
{
    const char *files[] = {text_file, second_file, prefab_file};
    const char *from = text, *end = from + size;
    prepare();
    for (int i = 0; i < 3; i++) {
        const char *next = i < 2 && from < end ? memchr(from, 0x1c, (size_t)(end - from)) : NULL;
        write_file(files[i], from, (size_t)((next ? next : end) - from));
        from = next ? next + 1 : end;
    }
    const char *words[] = {"kiln-bake", "-s",      schema_path, "-o",
                           output_file, text_file, second_file, prefab_file};
    if (run(8, words) == 0)
        read_back();
}
