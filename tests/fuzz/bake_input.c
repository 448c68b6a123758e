#define _POSIX_C_SOURCE 200809L /* strdup */

#include "bake_input.h"

#include "bake_main.h"
#include "blob_patch.h"
#include "kept_schema.h"
#include "memory_gateway.h"
#include "null_stream.h"
#include "whole_file.h"

#include <kiln/type_table.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXTS_MAX = 3, WORDS_MAX = 16, FRESH_EVERY = 128 };

static const char schema_path[] = "s.yaml", output_path[] = "o.kiln";

/* The inputs of a run. */
typedef struct inputs {
    const char *paths[TEXTS_MAX];
    const void *texts[TEXTS_MAX];
    size_t sizes[TEXTS_MAX];
    int count;
    const void *schema; /* NULL for the cached one */
    size_t schema_size;
    const bake_program_end *program;
} inputs;

static kiln_types *builtin;
static char *schema_text;

static void require(bool condition, const char *what)
{
    if (condition)
        return;
    fprintf(stderr, "%s\n", what);
    abort();
}

static void end(void)
{
    kiln_types_destroy(builtin);
    free(schema_text);
}

static void prepare(void)
{
    if (builtin)
        return;
    require(!kiln_types_create_builtin(NULL, &builtin, NULL) && atexit(end) == 0, "cannot begin");
}

/* The schema of all executions, read from the file that the environment variable names. */
static void prepare_schema(const char *variable)
{
    enum { SIZE_MAX_OF_SCHEMA = 1 << 16 };
    if (schema_text)
        return;
    const char *path = getenv(variable);
    FILE *file = path ? fopen(path, "rb") : NULL;
    require(file != NULL, variable);
    schema_text = malloc(SIZE_MAX_OF_SCHEMA);
    require(schema_text != NULL, "no memory");
    size_t size = fread(schema_text, 1, SIZE_MAX_OF_SCHEMA - 1, file);
    schema_text[size] = '\0';
    fclose(file);
    kept_schema_set(schema_path, schema_text, size);
}

/* The baker's output must be a valid file. */
static void read_back(const unsigned char *data, size_t size)
{
    patched exact = patched_copy(data, size);
    kiln_error error = {KILN_OK, 0, 0, ""};
    (void)whole_file_check(builtin, exact.data, exact.size, &error);
    require(error.status == KILN_OK, kiln_status_text(error.status));
    patched_fini(&exact);
}

static int run_words(int count, const char *const *words)
{
    char *arguments[WORDS_MAX + 1];
    for (int i = 0; i < count; i++)
        arguments[i] = strdup(words[i]);
    int code = bake_main(count, arguments, null_stream(), null_stream());
    for (int i = 0; i < count; i++)
        free(arguments[i]);
    require(code >= 0 && code <= 2, "exit code 3");
    return code;
}

/* Bakes the inputs. `*ret_output` receives the file, or NULL. A program is only simulated, so a
 * command in a random schema is never executed. */
static int run(const inputs *in, const unsigned char **ret_output, size_t *ret_size)
{
    const char *words[WORDS_MAX] = {"kiln-bake", "-s", schema_path, "-o", output_path};
    int count = 5;
    memory_gateway_reset();
    if (in->schema)
        memory_gateway_put(schema_path, in->schema, in->schema_size);
    memory_gateway_put("data.bin", "sixteen bytes \1\xff", 16);
    memory_gateway_set_program(in->program);
    for (int i = 0; i < in->count; i++) {
        memory_gateway_put(in->paths[i], in->texts[i], in->sizes[i]);
        words[count++] = in->paths[i];
    }
    int code = run_words(count, words);
    *ret_output = code == 0 ? memory_gateway_output(output_path, ret_size) : NULL;
    require(code != 0 || *ret_output, "no output after exit code 0");
    return code;
}

/* Bakes again with a newly read schema. Neither caching nor earlier executions may change the
 * result. */
static void compare_fresh(const inputs *in, int code, const unsigned char *output, size_t size)
{
    patched before = patched_copy(output, size);
    size_t fresh_size = 0;
    kept_schema_use(false);
    int fresh_code = run(in, &output, &fresh_size);
    kept_schema_use(true);
    require(fresh_code == code && fresh_size == size &&
                (size == 0 || memcmp(output, before.data, size) == 0),
            "different result after reading the schema again");
    patched_fini(&before);
}

/* Whether to bake the input twice. The choice depends only on the input, so that an input always
 * covers the same code. */
static bool is_compared(const inputs *in)
{
    const unsigned char *text = in->texts[0];
    size_t size = in->sizes[0], sum = size;
    if (in->program)
        sum += in->program->size;
    if (size > 0)
        sum += text[size / 2] + (size_t)3 * text[size - 1];
    return sum % FRESH_EVERY == 0;
}

static void bake(const inputs *in)
{
    const unsigned char *output;
    size_t size = 0;
    int code = run(in, &output, &size);
    if (output)
        read_back(output, size);
    if (is_compared(in))
        compare_fresh(in, code, output, size);
}

static inputs one_input(const void *text, size_t size)
{
    /* Input that begins with a %TAG directive is read as an objects file. */
    bool has_objects = size > 5 && memcmp(text, "%TAG ", 5) == 0;
    inputs in = {{has_objects ? "t.unity" : "t.yaml"}, {text}, {size}, 1, NULL, 0, NULL};
    return in;
}

void bake_input(const char *variable, const void *text, size_t size)
{
    prepare();
    prepare_schema(variable);
    inputs in = one_input(text, size);
    bake(&in);
}

void bake_input_with_schema(const void *schema, size_t size, const void *text, size_t text_size)
{
    const char *words[] = {"kiln-bake", "header", "-s", schema_path, "-o", "h.h"};
    const unsigned char *output;
    size_t output_size = 0;
    inputs in = one_input(text, text_size);
    prepare();
    in.schema = schema;
    in.schema_size = size;
    run(&in, &output, &output_size);
    if (output)
        read_back(output, output_size);
    /* With an invalid schema, the header command would report the same errors again. */
    if (kept_schema_is_good())
        require(run_words(6, words) != 0 || memory_gateway_output("h.h", &output_size),
                "no header");
}

void bake_input_scenes(const char *variable, const void *text, size_t size)
{
    inputs in = {{"t.yaml", "u.yaml", "p.prefabs.yaml"}, {NULL}, {0}, 3, NULL, 0, NULL};
    const char *from = text, *last = from + size;
    for (int i = 0; i < 3; i++) {
        const char *next = i < 2 && from < last ? memchr(from, 0x1c, (size_t)(last - from)) : NULL;
        in.texts[i] = from;
        in.sizes[i] = (size_t)((next ? next : last) - from);
        from = next ? next + 1 : last;
    }
    prepare();
    prepare_schema(variable);
    bake(&in);
}

void bake_input_imported(const char *variable, const char *path, const bake_program_end *end)
{
    static const char values[] = "Picture:\n  a: {of: !import:bytes data.bin, n: 1}\n";
    inputs in = {{path, "v.yaml"}, {"any", values}, {3, sizeof values - 1}, 2, NULL, 0, end};
    prepare();
    prepare_schema(variable);
    bake(&in);
}
