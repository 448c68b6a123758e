#include "project_outputs.h"

#include "project_glob.h"

#include <stdlib.h>
#include <string.h>

static int compare_outputs(const void *a, const void *b)
{
    const bake_project_output *left = a, *right = b;
    int order = strcmp(left->path->text, right->path->text);
    return order ? order
                 : (left->path->mark.line > right->path->mark.line) -
                       (left->path->mark.line < right->path->mark.line);
}

static bool add(bake_project *project, bake_project_outputs *outputs, const bake_project_path *path,
                size_t bundle)
{
    if (!path->text)
        return true;
    bake_project_output *output = &outputs->items[outputs->count++];
    output->path = path;
    output->bundle = bundle;
    output->located = bake_project_locate(project, path->text);
    return output->located != NULL;
}

static bool collect(bake_project *project, bake_project_outputs *outputs)
{
    size_t most = 2 * project->bundle_count + project->header_count + 1;
    outputs->count = 0;
    outputs->items = bake_store_alloc(&project->store, most, sizeof *outputs->items);
    bool ok = outputs->items != NULL;
    for (size_t i = 0; ok && i < project->bundle_count; i++)
        ok = add(project, outputs, &project->bundles[i].settings.output, i) &&
             add(project, outputs, &project->bundles[i].settings.source_map, i);
    for (size_t i = 0; ok && i < project->header_count; i++)
        ok = add(project, outputs, &project->headers[i].path, project->bundle_count);
    if (ok && outputs->count > 1)
        qsort(outputs->items, outputs->count, sizeof *outputs->items, compare_outputs);
    return ok;
}

/* ---- conflicts ---- */

static void report(bake_diagnostics *diagnostics, const bake_project_output *output,
                   const char *why)
{
    bake_report(diagnostics, BAKE_ERROR, output->path->mark, "project", NULL,
                "\"%s\" cannot be an output: %s", output->path->text, why);
}

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static int compare_names(const void *a, const void *b)
{
    const bake_project_output *const *left = a, *const *right = b;
    int order = strcmp(last_part((*left)->path->text), last_part((*right)->path->text));
    /* Both are elements of one array. */
    return order ? order : (*left > *right) - (*left < *right);
}

/* Reports an output that is the same file as an earlier one with the same last component. Different
 * paths are the same file if a folder is a link. */
static void check_name(bake_diagnostics *diagnostics, const bake_project_output *const *first,
                       const bake_project_output *const *one)
{
    const bake_project_output *a = *one;
    for (; first < one; first++) {
        const bake_project_output *b = *first;
        if (strcmp(a->path->text, b->path->text) != 0 &&
            !bake_output_is_same(a->located, b->located))
            continue;
        bake_report(diagnostics, BAKE_ERROR, a->path->mark, "project", NULL,
                    "two outputs have the path \"%s\"", a->path->text);
        bake_hint(diagnostics, "the other output is on line %u", (unsigned)b->path->mark.line);
        bake_related(diagnostics, b->path->mark, "the other output");
        return;
    }
}

/* Only outputs with the same last component can be the same file. Returns false if memory runs
 * out. */
static bool check_twice(bake_project *project, bake_diagnostics *diagnostics,
                        const bake_project_outputs *outputs)
{
    const bake_project_output **sorted =
        bake_store_alloc(&project->store, outputs->count + 1, sizeof *sorted);
    for (size_t i = 0; sorted && i < outputs->count; i++)
        sorted[i] = &outputs->items[i];
    if (sorted && outputs->count > 1)
        qsort(sorted, outputs->count, sizeof *sorted, compare_names);
    for (size_t i = 0, first = 0; sorted && i < outputs->count; i++) {
        if (strcmp(last_part(sorted[first]->path->text), last_part(sorted[i]->path->text)) != 0)
            first = i;
        check_name(diagnostics, &sorted[first], &sorted[i]);
    }
    return sorted != NULL;
}

/* Returns the pattern of a list that matches the path and is not excluded; NULL if there is
 * none. */
static const char *pattern_of(const bake_project_paths *patterns, const char *path)
{
    if (!bake_glob_selects(patterns, path))
        return NULL;
    for (size_t i = 0; i < patterns->count; i++)
        if (patterns->items[i].text[0] != '!' &&
            bake_glob_matches(patterns->items[i].text, false, path))
            return patterns->items[i].text;
    return NULL;
}

static void check_inputs(const bake_project *project, bake_diagnostics *diagnostics,
                         const bake_project_output *output)
{
    static const char state[] = BAKE_PROJECT_STATE "/";
    const char *path = output->path->text, *pattern;
    if (strncmp(path, state, sizeof state - 1) == 0)
        report(diagnostics, output, "the folder " BAKE_PROJECT_STATE " is reserved for kiln-bake");
    if (strcmp(path, last_part(project->path)) == 0)
        report(diagnostics, output, "it is the project file");
    if (pattern_of(&project->schemas, path))
        report(diagnostics, output, "it is a schema");
    for (size_t i = 0; i < project->bundle_count; i++) {
        const bake_bundle *bundle = &project->bundles[i];
        pattern = pattern_of(&bundle->settings.sources, path);
        if (!pattern)
            continue;
        bake_report(diagnostics, BAKE_ERROR, output->path->mark, "project", NULL,
                    "\"%s\" cannot be an output: it matches \"%s\", a source of \"%s\"", path,
                    pattern, bundle->name);
        bake_hint(diagnostics, "write it to another folder, or exclude it: \"!%s\"", path);
    }
}

bake_result bake_outputs_list(bake_project *project, bake_diagnostics *diagnostics,
                              bake_project_outputs *ret_outputs, bake_failure *failure)
{
    size_t errors = bake_diagnostics_errors(diagnostics);
    if (!collect(project, ret_outputs) || !check_twice(project, diagnostics, ret_outputs))
        return bake_fail_memory(failure);
    for (size_t i = 0; i < ret_outputs->count; i++)
        check_inputs(project, diagnostics, &ret_outputs->items[i]);
    return errors == bake_diagnostics_errors(diagnostics) ? BAKE_OK : BAKE_BAD_INPUT;
}

bake_result bake_outputs_check_links(bake_project *project, bake_diagnostics *diagnostics,
                                     const bake_project_outputs *outputs, const bake_list *files,
                                     bake_failure *failure)
{
    size_t errors = bake_diagnostics_errors(diagnostics);
    for (size_t i = 0; i < outputs->count; i++) {
        const char *name = last_part(outputs->items[i].path->text);
        for (size_t k = 0; k < files->count; k++) {
            if (strcmp(last_part(files->items[k]), name) != 0 ||
                strcmp(files->items[k], outputs->items[i].path->text) == 0)
                continue;
            const char *located = bake_project_locate(project, files->items[k]);
            if (!located)
                return bake_fail_memory(failure);
            if (!bake_output_is_same(outputs->items[i].located, located))
                continue;
            bake_report(diagnostics, BAKE_ERROR, outputs->items[i].path->mark, "project", NULL,
                        "\"%s\" cannot be an output: it is the source \"%s\"",
                        outputs->items[i].path->text, files->items[k]);
        }
    }
    return errors == bake_diagnostics_errors(diagnostics) ? BAKE_OK : BAKE_BAD_INPUT;
}

size_t bake_outputs_find(const bake_project_outputs *outputs, const bake_project *project,
                         const char *path)
{
    for (size_t i = 0; i < outputs->count; i++)
        if (strcmp(outputs->items[i].path->text, path) == 0)
            return outputs->items[i].bundle;
    return project->bundle_count;
}
