/* Finds and reads the files of a run. The result depends only on paths and contents, not on the
 * order of arguments or folder entries, so the same inputs always give the same bytes. */
#include "bake_inputs.h"

#include "asset_bases.h"
#include "asset_guids.h"
#include "asset_links.h"
#include "bake_memory.h"
#include "gateway.h"
#include "gateway_users.h"
#include "importer.h"
#include "read_ahead.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bake_documents.h"
#include "path_match.h"
#include "unmatched_files.h"

/* Removes `.` and empty components, and `..` together with the component before it. Leading `..`
 * remain, because the folders above are unknown; `floor` points after them. Works in place, because
 * the result is never longer. */
static void normalize(char *path)
{
    char *out = path, *floor = path;
    const char *in = path;
    while (*in == '/')
        in++;
    while (*in) {
        const char *part = in;
        size_t length = strcspn(part, "/");
        bool up = length == 2 && part[0] == '.' && part[1] == '.';
        in += length;
        while (*in == '/')
            in++;
        if (up && out > floor) {
            out--;
            while (out > floor && out[-1] != '/')
                out--;
        } else if (length > 0 && !(length == 1 && part[0] == '.')) {
            memmove(out, part, length);
            out += length;
            /* Add a slash only if another component follows. `in` has then passed a slash, so `out`
             * does not overtake it. */
            if (*in)
                *out++ = '/';
            if (up)
                floor = out;
        }
    }
    if (out > path && out[-1] == '/')
        out--;
    *out = '\0';
}

/* The length of the base without trailing slashes; 0 for the current folder. */
static size_t base_length(const char *base)
{
    size_t length = base && strcmp(base, ".") != 0 ? strlen(base) : 0;
    while (length > 1 && base[length - 1] == '/')
        length--;
    return length;
}

/* Resolves a relative path against `base`. Returns NULL if memory runs out. */
static const char *from_base(bake_inputs *inputs, const char *base, const char *path)
{
    size_t length = base_length(base);
    if (length == 0 || path[0] == '/' || strcmp(path, "-") == 0)
        return path;
    const char *folder = bake_store_text(&inputs->store, base, length);
    if (!folder || strcmp(path, ".") == 0)
        return folder;
    return bake_store_join(&inputs->store, folder, '/', path);
}

/* Sets the path relative to the base. Rules match this path, and ids are made from it. Links are
 * not resolved, so an absolute path is below the base only if it begins with the base. */
static bool set_relative(bake_inputs *inputs, bake_input *input, const char *base)
{
    const char *path = input->path;
    size_t length = base_length(base);
    bool absolute = path[0] == '/';
    bool below = length > 0 && strncmp(path, base, length) == 0 &&
                 (path[length] == '/' || strcmp(base, "/") == 0);
    if (below)
        path += length;
    char *relative = bake_store_text(&inputs->store, path, strlen(path));
    if (!relative)
        return false;
    normalize(relative);
    input->relative = relative;
    input->has_relative = (!absolute || below) && strncmp(relative, "../", 3) != 0;
    return true;
}

static bool add_input(bake_inputs *inputs, const char *path, bool is_listed)
{
    bake_input *list =
        path ? bake_grow(inputs->inputs, &inputs->capacity, inputs->count + 1, sizeof *list) : NULL;
    if (!list)
        return false;
    inputs->inputs = list;
    bake_input *input = &inputs->inputs[inputs->count++];
    memset(input, 0, sizeof *input);
    input->path = path;
    input->is_listed = is_listed;
    return true;
}

/* The file extensions of the YAML files that Unity writes. */
static const char *const engine_extensions[] = {".unity", ".prefab", ".asset",
                                                ".mat",   ".anim",   ".controller"};
enum { ENGINE_EXTENSIONS = sizeof engine_extensions / sizeof *engine_extensions };

/* Whether a rule selects files by their first bytes: a rule for engine objects whose pattern has no
 * file extension. */
static bool is_by_content(const bake_file_rule *rule)
{
    return rule->shape == BAKE_SHAPE_OBJECTS && !*bake_path_suffix(rule->match);
}

/* The suffixes of files that are read from folders in addition to YAML files. They come from the
 * rules, and from engine_extensions if there is no schema or a rule selects files by content. */
static const char *const *wanted_suffixes(bake_inputs *inputs, const bake_schema *schema)
{
    size_t rule_count = schema ? schema->rule_count : 0, count = 0;
    bool by_content = !schema;
    const char **suffixes =
        bake_store_alloc(&inputs->store, rule_count + ENGINE_EXTENSIONS + 1, sizeof *suffixes);
    for (size_t i = 0; suffixes && i < rule_count; i++) {
        const bake_file_rule *rule = &schema->rules[i];
        const char *suffix = bake_path_suffix(rule->match);
        by_content = by_content || is_by_content(rule);
        /* A rule that has an importer but no suffix reads every file that it matches. */
        if ((*suffix && !bake_is_yaml_name(suffix)) || (!*suffix && rule->importer))
            suffixes[count++] = suffix;
    }
    for (size_t i = 0; suffixes && by_content && i < ENGINE_EXTENSIONS; i++)
        suffixes[count++] = engine_extensions[i];
    return suffixes;
}

/* Whether a listed file is selected by content, but is probably not YAML because it does not begin
 * with `%YAML`. Other formats use the same extensions: for example, an `.asset` file may be
 * binary. */
static bool is_not_yaml(const bake_input *input, const bake_schema *schema, const char *text,
                        size_t size)
{
    static const char mark[] = "%YAML";
    if (!input->is_listed || bake_is_yaml_name(input->path))
        return false;
    return (!schema || (input->rule && is_by_content(input->rule))) &&
           (size < sizeof mark - 1 || memcmp(text, mark, sizeof mark - 1) != 0);
}

/* Whether a file was listed only for the suffix of a rule that does not apply to it. The rule that
 * applies, if any, then reads only files with YAML extensions. */
static bool is_stray(const bake_input *input)
{
    const bake_file_rule *rule = input->rule;
    if (!input->is_listed || bake_is_yaml_name(input->path))
        return false;
    return !rule || (!rule->importer && !*bake_path_suffix(rule->match) && !is_by_content(rule));
}

static bake_result list_paths(bake_inputs *inputs, const bake_inputs_def *def,
                              bake_failure *failure)
{
    const char *const *suffixes = wanted_suffixes(inputs, def->schema);
    if (!suffixes)
        return bake_fail_memory(failure);
    for (size_t i = 0; i < def->path_count; i++) {
        const char *path =
            def->are_located ? def->paths[i] : from_base(inputs, def->base, def->paths[i]);
        if (!path)
            return bake_fail_memory(failure);
        if (def->rest) {
            if (!add_input(inputs, path, def->rest->is_listed[i]))
                return bake_fail_memory(failure);
            continue;
        }
        bool is_stdin = strcmp(path, "-") == 0;
        bake_path_kind kind =
            is_stdin ? BAKE_PATH_OTHER : bake_gateway_path_kind(def->gateway, path);
        if (kind == BAKE_PATH_UNKNOWN)
            return bake_fail_errno(failure, "read", path);
        if (kind != BAKE_PATH_FOLDER) {
            if (!add_input(inputs, path, false))
                return bake_fail_memory(failure);
            continue;
        }
        size_t count;
        const char *failed;
        const char *const *files = bake_gateway_list(def->gateway, path, suffixes, &count, &failed);
        if (!files)
            return bake_fail_errno(failure, "list", failed);
        for (size_t f = 0; f < count; f++)
            if (!add_input(inputs, files[f], true))
                return bake_fail_memory(failure);
    }
    return BAKE_OK;
}

static int compare_relative(const void *a, const void *b)
{
    const bake_input *left = a, *right = b;
    int order = strcmp(left->relative, right->relative);
    return order ? order : strcmp(left->path, right->path);
}

/* Sorts inputs by path and removes duplicates, so that neither the order of arguments nor files
 * given twice change the output. */
static void sort_inputs(bake_inputs *inputs, const bake_schema *schema)
{
    size_t kept = 0;
    if (inputs->count > 1)
        qsort(inputs->inputs, inputs->count, sizeof *inputs->inputs, compare_relative);
    for (size_t i = 0; i < inputs->count; i++) {
        bake_input *input = &inputs->inputs[i];
        const bake_input *before = kept ? &inputs->inputs[kept - 1] : NULL;
        bool same = before && strcmp(before->relative, input->relative) == 0 &&
                    (before->path[0] == '/') == (input->path[0] == '/');
        if (same)
            continue;
        input->rule = schema ? bake_schema_rule(schema, input->relative) : NULL;
        if (!schema || !is_stray(input))
            inputs->inputs[kept++] = *input;
    }
    inputs->count = kept;
}

/* Reads the YAML that an importer makes from an input. After a failure, the input is empty and the
 * inputs are flagged as incomplete, so that references to its assets are not reported, too. */
static bake_result import_input(bake_inputs *inputs, const bake_inputs_def *def, bake_input *input,
                                const bake_importer *importer, bake_failure *failure)
{
    static const bake_program_end none = {.kind = BAKE_PROGRAM_NOT_STARTED};
    bool is_stdin = strcmp(input->path, "-") == 0;
    const bake_program_end *end =
        is_stdin ? &none : bake_importer_run(def->gateway, importer, def->base, input->path);
    if (!end)
        return bake_fail_read(failure, def->gateway, input->path);
    char text[BAKE_IMPORTER_REASON_SIZE];
    input->size = end->size;
    input->source = bake_diagnostics_add_source(
        def->diagnostics, is_stdin ? "<stdin>" : input->path, end->output, end->size);
    if (end->output) {
        snprintf(text, sizeof text, "line numbers refer to the output of the importer \"%.100s\"",
                 importer->name);
        bake_diagnostics_set_note(def->diagnostics, input->source, text);
    } else {
        bake_mark whole = {input->source, 0, 0, 1};
        bake_report(def->diagnostics, BAKE_ERROR, whole, "import", NULL, "%s",
                    is_stdin ? "an importer needs a file and cannot read standard input"
                             : bake_importer_reason(importer, end, text));
        if (!is_stdin)
            bake_importer_hint(def->diagnostics, end);
        inputs->incomplete = true;
    }
    input->tree =
        bake_tree_read(def->diagnostics, input->source, end->output ? end->output : "", end->size);
    return input->tree ? BAKE_OK : bake_fail_memory(failure);
}

/* Adds an input that was read ahead. Returns false if the input must be read now. */
static bool adopt_input(const bake_inputs_def *def, bake_input *input, bake_early_input *early)
{
    const char *text = bake_early_text_get(early->text);
    if (!bake_gateway_adopt(def->gateway, input->path, early->text)) {
        bake_early_input_fini(early);
        return false;
    }
    input->source = bake_diagnostics_add_source(def->diagnostics, input->path, text, early->size);
    input->size = early->size;
    input->tree = early->tree;
    bake_tree_set_source(input->tree, input->source);
    return true;
}

static bake_result read_input(bake_inputs *inputs, const bake_inputs_def *def, bake_input *input,
                              bake_failure *failure)
{
    if (input->rule && input->rule->importer)
        return import_input(inputs, def, input, input->rule->importer, failure);
    size_t size;
    const char *text = input->is_listed ? bake_gateway_read_listed(def->gateway, input->path, &size)
                                        : bake_gateway_read(def->gateway, input->path, &size);
    if (!text)
        return bake_fail_read(failure, def->gateway, input->path);
    const char *name = strcmp(input->path, "-") == 0 ? "<stdin>" : input->path;
    if (is_not_yaml(input, def->schema, text, size))
        size = 0;
    input->source = bake_diagnostics_add_source(def->diagnostics, name, text, size);
    input->size = size;
    input->tree = bake_tree_read(def->diagnostics, input->source, text, size);
    return input->tree ? BAKE_OK : bake_fail_memory(failure);
}

/* Releases the tree of a file that only defines a guid, because large projects have one such file
 * for each asset. */
static void drop_guids(bake_input *input)
{
    if (input->asset_count == 0 && input->rule && input->rule->shape == BAKE_SHAPE_GUIDS)
        bake_input_drop(input);
}

/* Reads an input and adds its assets. `early` is the result of reading it ahead; NULL: none. */
static bake_result read_documents(bake_inputs *inputs, const bake_inputs_def *def, size_t number,
                                  bake_early_input *early, bake_failure *failure)
{
    bake_input *input = &inputs->inputs[number];
    bake_timings *timings = bake_gateway_timings(def->gateway);
    uint64_t begin = bake_timing_begin(timings);
    bake_gateway_set_user(def->gateway, BAKE_USER_INPUT,
                          def->users ? def->users[number] : (uint32_t)number);
    bool is_adopted = early && adopt_input(def, input, early);
    bake_result result = is_adopted ? BAKE_OK : read_input(inputs, def, input, failure);
    if (!result && !is_adopted)
        bake_tree_spool(input->tree, bake_gateway_spool(def->gateway));
    if (!result)
        bake_tree_touch(input->tree);
    if (!result && !bake_tree_is_complete(input->tree))
        inputs->incomplete = true;
    else if (!result && def->schema && !bake_documents_read(inputs, (uint32_t)number, def))
        result = bake_fail_memory(failure);
    else if (!result && inputs->guids)
        drop_guids(input);
    bake_gateway_set_user(def->gateway, BAKE_USER_RUN, 0);
    const char *name = strcmp(input->path, "-") == 0 ? "<stdin>" : input->path;
    bake_timing_end(timings, BAKE_TIMING_FILE, name, strlen(name), begin);
    return result;
}

/* Reads all inputs and finds their assets. */
static bake_result read_all(bake_inputs *inputs, const bake_inputs_def *def, bake_failure *failure)
{
    bake_read_ahead_def ahead_def = {inputs, def->gateway, def->schema, is_not_yaml, def->jobs};
    bake_read_ahead *ahead = bake_read_ahead_begin(&ahead_def);
    bake_result result = BAKE_OK;
    for (size_t i = 0; i < inputs->count && !result; i++) {
        bake_early_input early;
        bool is_early = ahead && bake_read_ahead_take(ahead, i, &early);
        result = read_documents(inputs, def, i, is_early ? &early : NULL, failure);
        bake_read_ahead_open_spool(ahead, bake_gateway_spool(def->gateway));
    }
    bake_read_ahead_end(ahead);
    return result;
}

/* Adds the guids of other inputs, whose files are not read. */
static bool add_rest(bake_inputs *inputs, const bake_inputs_def *def)
{
    const bake_inputs_rest *rest = def->rest;
    if (inputs->guids)
        bake_guids_resolve(inputs->guids, inputs);
    if (!rest || rest->guid_count == 0)
        return true;
    if (!inputs->guids)
        inputs->guids = bake_guids_create();
    if (!inputs->guids)
        return false;
    inputs->guids->links = inputs->links;
    for (size_t i = 0; i < rest->guid_count; i++)
        if (!bake_guids_add_rest(inputs->guids, def->schema, &rest->guids[i]))
            return false;
    return true;
}

bake_result bake_inputs_locate(bake_inputs *inputs, const bake_inputs_def *def,
                               bake_failure *failure)
{
    bake_result result = list_paths(inputs, def, failure);
    for (size_t i = 0; i < inputs->count && !result; i++)
        if (!set_relative(inputs, &inputs->inputs[i], def->base))
            result = bake_fail_memory(failure);
    if (!result)
        sort_inputs(inputs, def->schema);
    return result;
}

bool bake_inputs_resolve(bake_inputs *inputs, const bake_inputs_def *def)
{
    uint64_t work = def->rest ? def->rest->scene_work : def->scene_work;
    if (def->schema && !bake_bases_resolve(inputs, def->schema, def->diagnostics))
        return false;
    if (!inputs->scenes)
        return true;
    bake_scenes_prepare(inputs->scenes, work, def->keeps_uses);
    return bake_scenes_add_prototypes(inputs->scenes, inputs) &&
           bake_scenes_resolve(inputs->scenes, inputs->incomplete);
}

bake_result bake_inputs_read(bake_inputs *inputs, const bake_inputs_def *def, bake_failure *failure)
{
    size_t errors = bake_diagnostics_errors(def->diagnostics);
    bake_result result = bake_inputs_locate(inputs, def, failure);
    if (result)
        return result;
    bool has_links = def->schema && def->schema->has_links;
    inputs->links = has_links ? bake_links_create(def->schema) : NULL;
    if (has_links && !inputs->links)
        return bake_fail_memory(failure);
    result = read_all(inputs, def, failure);
    if (result)
        return result;
    if (!bake_unmatched_report(inputs, def))
        return bake_fail_memory(failure);
    if (inputs->links)
        bake_links_resolve(inputs->links, inputs, def->diagnostics);
    if (!add_rest(inputs, def))
        return bake_fail_memory(failure);
    if (!def->skips_bases && !bake_inputs_resolve(inputs, def))
        return bake_fail_memory(failure);
    return bake_diagnostics_errors(def->diagnostics) == errors ? BAKE_OK : BAKE_BAD_INPUT;
}

void bake_inputs_fini(bake_inputs *inputs)
{
    for (size_t i = 0; i < inputs->count; i++)
        bake_tree_destroy(inputs->inputs[i].tree);
    bake_free(inputs->inputs);
    bake_free(inputs->assets);
    bake_free(inputs->patches);
    bake_free(inputs->unmatched);
    bake_bases_destroy(inputs->bases);
    bake_links_destroy(inputs->links);
    bake_guids_destroy(inputs->guids);
    bake_scenes_destroy(inputs->scenes);
    bake_store_fini(&inputs->store);
    memset(inputs, 0, sizeof *inputs);
}
