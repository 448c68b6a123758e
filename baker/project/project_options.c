#include "project_options.h"

#include "project_glob.h"

#include <string.h>

/* Returns the paths from the current folder; `items` is NULL if memory runs out. */
static bake_list locate_all(bake_project *project, const bake_list *paths)
{
    bake_list located = {bake_store_alloc(&project->store, paths->count + 1, sizeof *located.items),
                         0};
    for (size_t i = 0; located.items && i < paths->count; i++) {
        located.items[located.count] = bake_project_locate(project, paths->items[i]);
        if (!located.items[located.count++])
            located.items = NULL;
    }
    return located;
}

bake_result bake_step_maker_init(bake_step_maker *maker, const bake_plan_def *def,
                                 const bake_project_outputs *outputs, bake_failure *failure)
{
    bake_project *project = def->project;
    const bake_project_paths *include = &project->include;
    bake_glob_def glob = {project, def->gateway, def->diagnostics, &project->schemas, "schemas",
                          NULL,    true};
    memset(maker, 0, sizeof *maker);
    maker->def = def;
    maker->outputs = outputs;
    maker->failure = failure;
    bake_result result = bake_glob_list(&glob, &maker->schemas, failure);
    if (result)
        return result;
    maker->located = locate_all(project, &maker->schemas);
    maker->include.items =
        bake_store_alloc(&project->store, include->count + 1, sizeof *maker->include.items);
    if (!maker->located.items || !maker->include.items)
        return bake_fail_memory(failure);
    for (size_t i = 0; i < include->count; i++) {
        maker->include.items[i] = bake_project_locate(project, include->items[i].text);
        if (!maker->include.items[i])
            return bake_fail_memory(failure);
        maker->include.count++;
    }
    if (!bake_project_importers_export(&project->importers, &project->store, &maker->importers))
        return bake_fail_memory(failure);
    return BAKE_OK;
}

/* The options that are the same for all steps. Options of the command line take precedence over
 * those of the project. */
static void begin_options(const bake_step_maker *maker, const bake_settings *settings,
                          bake_options *options)
{
    const bake_options *given = maker->def->options;
    const bake_list none = {NULL, 0};
    *options = *given;
    if (given->command == BAKE_COMMAND_BUDGET)
        options->command = BAKE_COMMAND_BUILD;
    options->inputs = none;
    options->first_input = options->base = options->project = options->profile = NULL;
    options->schemas = maker->located;
    options->include_folders = maker->include;
    options->importers = maker->importers;
    memset(&options->cache, 0, sizeof options->cache);
    if (!settings)
        return;
    bake_settings_export(settings, options);
    options->no_importers = options->no_importers || given->no_importers;
    options->durable = options->durable || given->durable;
    options->if_changed = options->if_changed || given->if_changed;
    options->warnings_are_errors = options->warnings_are_errors || given->warnings_are_errors;
    if (given->max_input != BAKE_INPUT_MAX)
        options->max_input = given->max_input;
}

static const char *key_of(bake_project *project, const bake_bundle *bundle, const char *key)
{
    const char *path = bake_store_join(&project->store, "bundles", '.', bundle->name);
    return path ? bake_store_join(&project->store, path, '.', key) : NULL;
}

/* Makes the sources relative to the base. They are listed relative to the folder of the project. */
static bake_result strip_base(bake_step_maker *maker, const bake_bundle *bundle, bake_list *files)
{
    const bake_project_path *base = &bundle->settings.base;
    size_t length = base->text && strcmp(base->text, ".") != 0 ? strlen(base->text) : 0;
    for (size_t i = 0; i < files->count; i++) {
        const char *path = files->items[i];
        bool below = strncmp(path, base->text ? base->text : "", length) == 0 &&
                     (length == 0 || path[length] == '/');
        if (!below) {
            bake_report(maker->def->diagnostics, BAKE_ERROR, base->mark, "project",
                        key_of(maker->def->project, bundle, "base"),
                        "the source \"%s\" is not in the folder \"%s\"", path, base->text);
            return BAKE_BAD_INPUT;
        }
        files->items[i] = length ? path + length + 1 : path;
        /* A file whose name is `-` is not standard input. */
        if (strcmp(files->items[i], "-") == 0)
            files->items[i] = "./-";
    }
    return BAKE_OK;
}

size_t bake_extern_bundle(const bake_step_maker *maker, const bake_project_path *item)
{
    const bake_project *project = maker->def->project;
    size_t bundle = bake_project_find(project, item->text);
    return bundle < project->bundle_count ? bundle
                                          : bake_outputs_find(maker->outputs, project, item->text);
}

/* Reports an extern that is neither a bundle nor a file. */
static bake_result unknown_extern(bake_step_maker *maker, const bake_bundle *bundle,
                                  const bake_project_path *item)
{
    bake_project *project = maker->def->project;
    const char **names =
        bake_store_alloc(&project->store, project->bundle_count + 1, sizeof *names);
    bake_report(maker->def->diagnostics, BAKE_ERROR, item->mark, "project",
                key_of(project, bundle, "externs"),
                "\"%s\" is neither a bundle of this project nor a file", item->text);
    for (size_t i = 0; names && i < project->bundle_count; i++)
        names[i] = project->bundles[i].name;
    if (names)
        bake_hint_similar(maker->def->diagnostics, item->text, strlen(item->text), names,
                          project->bundle_count);
    return BAKE_BAD_INPUT;
}

static bake_result add_externs(bake_step_maker *maker, const bake_bundle *bundle,
                               bake_options *options)
{
    bake_project *project = maker->def->project;
    const bake_project_paths *externs = &bundle->settings.externs;
    bake_result result = BAKE_OK;
    options->externs.count = 0;
    options->externs.items =
        bake_store_alloc(&project->store, externs->count + 1, sizeof *options->externs.items);
    if (!options->externs.items)
        return bake_fail_memory(maker->failure);
    for (size_t i = 0; i < externs->count; i++) {
        const bake_project_path *item = &externs->items[i];
        size_t needed = bake_extern_bundle(maker, item);
        bool is_bundle = needed < project->bundle_count;
        const char *path = bake_project_locate(
            project, is_bundle ? project->bundles[needed].settings.output.text : item->text);
        if (!path)
            return bake_fail_memory(maker->failure);
        if (!is_bundle && bake_gateway_path_kind(maker->def->gateway, path) == BAKE_PATH_MISSING)
            result = unknown_extern(maker, bundle, item);
        options->externs.items[options->externs.count++] = path;
    }
    return result;
}

/* Wildcards select neither the project file nor the schemas. */
static bake_result list_sources(bake_step_maker *maker, const bake_bundle *bundle,
                                bake_list *ret_files)
{
    bake_project *project = maker->def->project;
    const char *name = strrchr(project->path, '/');
    bake_list skip = {
        bake_store_alloc(&project->store, maker->schemas.count + 1, sizeof *skip.items),
        maker->schemas.count + 1};
    const char *key = key_of(project, bundle, "sources");
    if (!skip.items || !key)
        return bake_fail_memory(maker->failure);
    skip.items[0] = name ? name + 1 : project->path;
    if (maker->schemas.count)
        memcpy(skip.items + 1, maker->schemas.items, maker->schemas.count * sizeof *skip.items);
    bake_glob_def glob = {project,
                          maker->def->gateway,
                          maker->def->diagnostics,
                          &bundle->settings.sources,
                          key,
                          &skip,
                          false};
    bake_result result = bake_glob_list(&glob, ret_files, maker->failure);
    return result ? result
                  : bake_outputs_check_links(project, maker->def->diagnostics, maker->outputs,
                                             ret_files, maker->failure);
}

/* Joins the budgets of the project and of the bundle. The command `budget` also measures bundles
 * without budgets. */
static bake_result set_budgets(bake_step_maker *maker, const bake_bundle *bundle,
                               bake_options *options)
{
    bake_project *project = maker->def->project;
    const bake_setting_budgets *own = &bundle->settings.budgets;
    const bake_budget_layer *layers[BAKE_SETTING_LAYERS + 1] = {project->budgets};
    bake_budgets *budgets = bake_store_alloc(&project->store, 1, sizeof *budgets);
    for (size_t i = 0; i < own->count; i++)
        layers[i + 1] = own->layers[i];
    if (!budgets || !bake_budgets_merge(layers, own->count + 1, &project->store, budgets))
        return bake_fail_memory(maker->failure);
    budgets->bundle = bundle->name;
    budgets->path = project->path;
    budgets->text = project->text;
    budgets->size = project->text_size;
    if (budgets->count || maker->def->options->command == BAKE_COMMAND_BUDGET)
        options->budgets = budgets;
    return BAKE_OK;
}

bake_result bake_step_bundle(bake_step_maker *maker, const bake_bundle *bundle,
                             bake_options *ret_options)
{
    bake_project *project = maker->def->project;
    const bake_settings *settings = &bundle->settings;
    begin_options(maker, settings, ret_options);
    bake_result result = list_sources(maker, bundle, &ret_options->inputs);
    if (!result)
        result = strip_base(maker, bundle, &ret_options->inputs);
    bake_result externs = add_externs(maker, bundle, ret_options);
    ret_options->base =
        settings->base.text ? bake_project_locate(project, settings->base.text) : project->folder;
    if (settings->base.text && !ret_options->base)
        return bake_fail_memory(maker->failure);
    ret_options->output = bake_project_locate(project, settings->output.text);
    bool has_map = settings->source_map.text && ret_options->command == BAKE_COMMAND_BUILD;
    if (has_map)
        ret_options->source_map = bake_project_locate(project, settings->source_map.text);
    if (!ret_options->output || (has_map && !ret_options->source_map))
        return bake_fail_memory(maker->failure);
    if (set_budgets(maker, bundle, ret_options))
        return maker->failure->result;
    return result > externs ? result : externs;
}

bake_result bake_step_header(bake_step_maker *maker, const bake_project_header *header,
                             bake_options *ret_options)
{
    begin_options(maker, NULL, ret_options);
    ret_options->command = BAKE_COMMAND_HEADER;
    ret_options->prefix = header->prefix;
    ret_options->no_types = header->no_types;
    ret_options->output = bake_project_locate(maker->def->project, header->path.text);
    return ret_options->output ? BAKE_OK : bake_fail_memory(maker->failure);
}
