/* kiln-bake init: writes a first project file. In a folder with YAML, `schema infer` writes the
 * schema, or the schemas that exist are used. Folders with a project file are left out. In an empty
 * folder, the project is a small example. */
#include "init_command.h"

#include "bake_memory.h"
#include "command_run.h"
#include "file_part.h"
#include "folder_tree.h"
#include "project_file.h"
#include "schema_command.h"
#include "utf8.h"

#include <errno.h>
#include <string.h>

static const char example_schema[] =
    "# The types of the data. baker/SCHEMA.md describes the language.\n"
    "kiln: 1\n"
    "namespace: game\n"
    "types:\n"
    "  Item:\n"
    "    struct:\n"
    "      name: string\n"
    "      price: {type: u32, default: 10, range: [0, 9999]}\n"
    "      made_of: \"ref<Item>?\"\n"
    "    asset: true\n";

static const char example_data[] = "# Assets, by their type and id.\n"
                                   "Item:\n"
                                   "  clay:\n"
                                   "    name: Clay\n"
                                   "  pot:\n"
                                   "    name: Pot\n"
                                   "    price: 25\n"
                                   "    made_of: clay\n";

static const char example_project[] =
    "# `kiln-bake` in this folder bakes what this file describes (baker/PROJECT.md).\n"
    "kiln: 1\n"
    "schemas: [schemas/game.schema.yaml]\n"
    "bundles:\n"
    "  game:\n"
    "    sources: [\"data/**/*.yaml\"]\n"
    "    output: out/game.kiln\n"
    "headers:\n"
    "  out/game.h:\n"
    "profiles:\n"
    "  dev: {}\n"
    "  ship: {compress: 19}\n"
    "default_profile: dev\n";

/* What a YAML file is for the new project. */
typedef enum file_role {
    ROLE_DATA,
    ROLE_SCHEMA,
    ROLE_PROJECT, /* the project file of a folder inside, which is a project of its own */
    ROLE_INSIDE   /* another file of such a folder */
} file_role;

/* The state of the command. */
typedef struct init {
    bake_run *run;
    const char *folder; /* "": the current folder */
    const char *const *files;
    file_role *roles; /* by file */
    size_t file_count;
    char *text; /* text of the project file, on the heap */
    size_t length, capacity;
    const char *written[3]; /* new files, to remove them after a failure */
    size_t written_count;
    bool has_guesses; /* the schema was inferred */
} init;

/* ---- writing files ---- */

static const char *path_in(init *in, const char *name)
{
    bool is_root = strcmp(in->folder, "/") == 0;
    return is_root ? bake_store_join(&in->run->store, "/.", '/', name)
                   : bake_store_join(&in->run->store, in->folder, '/', name);
}

static bake_result fail_write(init *in, const char *path)
{
    if (errno == EEXIST)
        return bake_fail(&in->run->failure, BAKE_FAILED,
                         "%s already exists; init does not replace files", path);
    return bake_fail_errno(&in->run->failure, "write", path);
}

static bake_result write_new(init *in, const char *name, const char *text, size_t size)
{
    const char *path = path_in(in, name);
    if (!path)
        return bake_fail_memory(&in->run->failure);
    if (!bake_make_folders(path) || !bake_write_new_file(path, text, size))
        return fail_write(in, path);
    in->written[in->written_count++] = path;
    return BAKE_OK;
}

/* Fails if the name exists, before anything is written. */
static bake_result check_new(init *in, const char *name)
{
    const char *path = path_in(in, name);
    if (!path)
        return bake_fail_memory(&in->run->failure);
    errno = EEXIST;
    return bake_name_exists(path) ? fail_write(in, path) : BAKE_OK;
}

/* ---- the text of the project file ---- */

static bool add_text(init *in, const char *text, size_t length)
{
    char *grown = bake_grow(in->text, &in->capacity, in->length + length + 1, 1);
    if (!grown)
        return false;
    in->text = grown;
    memcpy(in->text + in->length, text, length);
    in->length += length;
    return true;
}

static bool add(init *in, const char *text)
{
    return add_text(in, text, strlen(text));
}

/* Whether YAML or patterns treat the code point specially, or editors do not show it. */
static bool is_special(uint32_t code)
{
    return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x2028 || code == 0x2029 ||
           code == 0xfeff || code == 0xfffe || code == 0xffff ||
           (code < 0x80 && strchr("*?!\"\\", (int)code));
}

/* Adds a part of a path to a pattern in double quotes. Each byte of a special character becomes
 * `?`, which matches it. */
static bool add_pattern(init *in, const char *path, size_t length)
{
    bool ok = true;
    for (size_t i = 0; ok && i < length;) {
        uint32_t code = 0;
        size_t size = utf8_decode(path + i, length - i, &code);
        bool hides = size == 0 || is_special(code);
        size = size ? size : 1;
        for (size_t k = 0; ok && k < size; k++)
            ok = add_text(in, hides ? "?" : path + i + k, 1);
        i += size;
    }
    return ok;
}

static bool ends_with(const char *path, const char *suffix)
{
    size_t length = strlen(path), size = strlen(suffix);
    return length >= size && strcmp(path + length - size, suffix) == 0;
}

/* Adds a pattern for each top-level folder with files that end with `suffix`, and one for such
 * files outside of folders. The list is sorted, so the files of a folder are neighbours. */
static bool add_sources(init *in, const char *suffix)
{
    const char *last = NULL;
    size_t last_length = 0;
    bool ok = true, has_files = false;
    for (size_t i = 0; ok && i < in->file_count; i++) {
        const char *path = in->files[i], *slash = strchr(path, '/');
        size_t length = slash ? (size_t)(slash - path) : 0;
        if (in->roles[i] != ROLE_DATA || !ends_with(path, suffix))
            continue;
        bool is_known =
            slash ? last && length == last_length && memcmp(last, path, length) == 0 : has_files;
        if (is_known)
            continue;
        last = slash ? path : last;
        last_length = slash ? length : last_length;
        has_files = has_files || !slash;
        ok = add(in, "      - \"") && add_pattern(in, path, length) &&
             add(in, slash ? "/**/*" : "*") && add(in, suffix) && add(in, "\"\n");
    }
    return ok;
}

/* Whether the patterns of the sources reach the folder of another file. */
static bool is_reached(const init *in, const char *path)
{
    size_t length = strcspn(path, "/") + 1;
    for (size_t i = 0; i < in->file_count; i++)
        if (in->roles[i] == ROLE_DATA && strncmp(in->files[i], path, length) == 0)
            return true;
    return false;
}

/* Excludes folders inside that are projects. */
static bool add_exclusions(init *in)
{
    bool ok = true;
    for (size_t i = 0; ok && i < in->file_count; i++) {
        const char *path = in->files[i];
        if (in->roles[i] == ROLE_PROJECT && is_reached(in, path))
            ok = add(in, "      - \"!") &&
                 add_pattern(in, path, (size_t)(strrchr(path, '/') - path)) && add(in, "/**\"\n");
    }
    return ok;
}

/* Adds the existing schemas, or else the new one. */
static bool add_schemas(init *in, const char *schema)
{
    if (schema)
        return add(in, "schemas: [") && add(in, schema) && add(in, "]\n");
    bool ok = add(in, "schemas:\n");
    for (size_t i = 0; ok && i < in->file_count; i++)
        if (in->roles[i] == ROLE_SCHEMA)
            ok = add(in, "  - \"") && add_pattern(in, in->files[i], strlen(in->files[i])) &&
                 add(in, "\"\n");
    return ok;
}

static bool make_project(init *in, const char *schema)
{
    return add(in, "# `kiln-bake` in this folder bakes what this file describes "
                   "(baker/PROJECT.md).\nkiln: 1\n") &&
           add_schemas(in, schema) && add(in, "bundles:\n  data:\n    sources:\n") &&
           add_sources(in, ".yaml") && add_sources(in, ".yml") && add_exclusions(in) &&
           add(in, "    output: out/data.kiln\n");
}

/* ---- the schema ---- */

/* Infers a schema from all files into `file`, a scratch file with the path `path`. */
static bake_result infer(init *in, const char *path)
{
    bake_options options = *in->run->options;
    bake_failure *failure = &in->run->failure, unknown = {BAKE_OK, ""};
    options.command = BAKE_COMMAND_SCHEMA;
    options.schema_command = bake_schema_command_find("infer", &unknown);
    if (!options.schema_command)
        return bake_fail(failure, BAKE_FAILED,
                         "this kiln-bake cannot infer a schema; write one named *.schema.yaml");
    options.inputs.items =
        bake_store_alloc(&in->run->store, in->file_count, sizeof *options.inputs.items);
    if (!options.inputs.items)
        return bake_fail_memory(failure);
    options.inputs.count = 0;
    for (size_t i = 0; i < in->file_count; i++)
        if (in->roles[i] == ROLE_DATA)
            options.inputs.items[options.inputs.count++] = in->files[i];
    options.base = *in->folder ? in->folder : NULL;
    options.output = path;
    options.quiet = true;
    return bake_command_run(&options, in->run->err);
}

static bake_result write_inferred(init *in, const char *name)
{
    char path[32];
    size_t size;
    int file = bake_scratch_file(path);
    if (file < 0)
        return bake_fail_errno(&in->run->failure, "write", "a temporary file");
    bake_result result = infer(in, path);
    char *text = result ? NULL : bake_scratch_read(file, &size);
    if (text)
        result = write_new(in, name, text, size);
    else if (!result)
        result = bake_fail_errno(&in->run->failure, "read", "a temporary file");
    bake_free(text);
    bake_scratch_close(file);
    return result;
}

/* ---- roles ---- */

/* Whether a line of the text begins with `key`. */
static bool has_key(const char *text, size_t size, const char *key)
{
    size_t length = strlen(key);
    for (const char *at = text, *end = text + size; at && (size_t)(end - at) >= length;) {
        if (memcmp(at, key, length) == 0)
            return true;
        at = memchr(at, '\n', (size_t)(end - at));
        at = at ? at + 1 : NULL;
    }
    return false;
}

/* Whether the keys of a file are those of a schema. A file that cannot be read is not. */
static bool reads_as_schema(init *in, const char *path)
{
    enum { ROOM = 1 << 16 };
    const char *whole = path_in(in, path);
    uint64_t size = 0;
    int file = whole ? bake_file_open(whole, &size) : -1;
    size_t count = size < ROOM ? (size_t)size : ROOM;
    char *text = file < 0 ? NULL : bake_alloc(count + 1);
    bool is_schema = text && bake_file_read_part(file, 0, text, count) &&
                     has_key(text, count, "kiln:") &&
                     (has_key(text, count, "types:") || has_key(text, count, "include:"));
    bake_free(text);
    bake_file_close(file);
    return is_schema;
}

/* Gives the role ROLE_INSIDE to all files in the folder of the project file `number`. */
static void leave_project(init *in, size_t number)
{
    const char *path = in->files[number];
    size_t length = (size_t)(strrchr(path, '/') - path) + 1;
    for (size_t i = 0; i < in->file_count; i++)
        if (i != number && strncmp(in->files[i], path, length) == 0)
            in->roles[i] = ROLE_INSIDE;
}

static bake_result find_roles(init *in)
{
    in->roles = bake_store_alloc(&in->run->store, in->file_count + 1, sizeof *in->roles);
    if (!in->roles)
        return bake_fail_memory(&in->run->failure);
    for (size_t i = 0; i < in->file_count; i++) {
        if (in->roles[i] == ROLE_INSIDE || !ends_with(in->files[i], "/" BAKE_PROJECT_NAME))
            continue;
        in->roles[i] = ROLE_PROJECT;
        leave_project(in, i);
    }
    for (size_t i = 0; i < in->file_count; i++)
        if (in->roles[i] == ROLE_DATA &&
            (ends_with(in->files[i], ".schema.yaml") || ends_with(in->files[i], ".schema.yml") ||
             reads_as_schema(in, in->files[i])))
            in->roles[i] = ROLE_SCHEMA;
    return BAKE_OK;
}

/* ---- the command ---- */

/* Lists the YAML files, as paths relative to the folder. */
static bake_result list_files(init *in)
{
    bake_run *run = in->run;
    const char *folder = *in->folder ? in->folder : ".", *failed;
    bake_path_kind kind = bake_gateway_path_kind(run->gateway, folder);
    if (kind == BAKE_PATH_UNKNOWN)
        return bake_fail_errno(&run->failure, "list", folder);
    if (kind == BAKE_PATH_MISSING)
        return BAKE_OK;
    const char *const *paths =
        bake_gateway_list(run->gateway, folder, NULL, &in->file_count, &failed);
    const char **files =
        paths ? bake_store_alloc(&run->store, in->file_count + 1, sizeof *files) : NULL;
    if (!paths)
        return bake_fail_errno(&run->failure, "list", failed);
    if (!files)
        return bake_fail_memory(&run->failure);
    for (size_t i = 0; i < in->file_count; i++) {
        files[i] = paths[i] + strlen(in->folder);
        while (*in->folder && *files[i] == '/')
            files[i]++;
    }
    in->files = files;
    return BAKE_OK;
}

static bake_result write_example(init *in)
{
    static const char *const names[] = {"schemas/game.schema.yaml", "data/items.yaml",
                                        BAKE_PROJECT_NAME};
    static const char *const texts[] = {example_schema, example_data, example_project};
    bake_result result = BAKE_OK;
    for (size_t i = 0; i < 3 && !result; i++)
        result = check_new(in, names[i]);
    for (size_t i = 0; i < 3 && !result; i++)
        result = write_new(in, names[i], texts[i], strlen(texts[i]));
    return result;
}

/* Writes the project of a folder that has data. */
static bake_result write_project(init *in)
{
    static const char inferred[] = "schemas/data.schema.yaml";
    const char *folder = *in->folder ? in->folder : "the folder";
    size_t schemas = 0, data = 0;
    if (find_roles(in))
        return in->run->failure.result;
    for (size_t i = 0; i < in->file_count; i++) {
        schemas += in->roles[i] == ROLE_SCHEMA;
        data += in->roles[i] == ROLE_DATA;
    }
    if (!data)
        return bake_fail(&in->run->failure, BAKE_FAILED, "%s has %s, but no YAML files with data",
                         folder, schemas ? "schemas" : "projects");
    bake_result result = schemas ? BAKE_OK : check_new(in, inferred);
    if (!result && !make_project(in, schemas ? NULL : inferred))
        result = bake_fail_memory(&in->run->failure);
    if (!result && !schemas)
        result = write_inferred(in, inferred);
    in->has_guesses = !schemas;
    return result ? result : write_new(in, BAKE_PROJECT_NAME, in->text, in->length);
}

static bake_result work(init *in)
{
    bake_run *run = in->run;
    const bake_list *words = &run->options->inputs;
    if (words->count > 1)
        return bake_fail(&run->failure, BAKE_FAILED, "unexpected argument '%.100s'",
                         words->items[1]);
    size_t length = words->count ? strlen(words->items[0]) : 0;
    while (length > 1 && words->items[0][length - 1] == '/')
        length--;
    bool is_here = words->count == 0 || strcmp(words->items[0], ".") == 0;
    in->folder = is_here ? "" : bake_store_text(&run->store, words->items[0], length);
    if (!in->folder)
        return bake_fail_memory(&run->failure);
    bake_result result = check_new(in, BAKE_PROJECT_NAME);
    if (!result)
        result = list_files(in);
    if (!result)
        result = in->file_count ? write_project(in) : write_example(in);
    for (size_t i = 0; i < in->written_count; i++)
        if (result)
            bake_remove_file(in->written[i]);
        else if (!run->options->quiet)
            fprintf(run->err, "%s: written\n", in->written[i]);
    if (!result && !run->options->quiet && in->has_guesses)
        fprintf(run->err, "The schema is a guess: its comments state the evidence.\n");
    if (!result && !run->options->quiet)
        fprintf(run->err, "To bake, run `kiln-bake%s%s`.\n", *in->folder ? " -C " : "", in->folder);
    return result;
}

bake_result bake_init_run(const bake_options *options, FILE *err)
{
    bake_run run;
    bake_options own;
    init in = {.run = &run};
    bake_result result = bake_command_begin(&run, &own, options, err);
    if (!result)
        result = work(&in);
    bake_free(in.text);
    return bake_command_end(&run, result);
}
