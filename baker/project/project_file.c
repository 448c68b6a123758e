#include "project_file.h"

#include "ascii.h"
#include "bake_text.h"
#include "similar.h"

#include <string.h>

static const char *const project_keys[] = {"kiln",    "schemas",  "include",  "bundles",
                                           "headers", "budgets",  "profiles", "default_profile",
                                           "cache",   "importers"};
enum {
    KEY_KILN,
    KEY_SCHEMAS,
    KEY_INCLUDE,
    KEY_BUNDLES,
    KEY_HEADERS,
    KEY_BUDGETS,
    KEY_PROFILES,
    KEY_DEFAULT_PROFILE,
    KEY_CACHE,
    KEY_IMPORTERS,
    KEY_COUNT
};

/* The state of reading a project file. */
typedef struct reading {
    bake_project_reader reader;
    bake_project *project;
} reading;

/* Finds the values of a fixed set of keys; BAKE_NODE_NONE for those that are absent. */
static void find_keys(bake_project_reader *reader, bake_node_id node, const char *path,
                      const char *const *names, size_t count, bake_node_id *ret_values)
{
    for (size_t i = 0; i < count; i++)
        ret_values[i] = BAKE_NODE_NONE;
    for (bake_iterator it = bake_iterator_begin(reader->tree, node); bake_iterator_next(&it);) {
        size_t length, n = 0;
        const char *text = bake_node_text(reader->tree, it.key, &length);
        while (n < count && !bake_text_is(text, length, names[n]))
            n++;
        if (n < count)
            ret_values[n] = it.value;
        else
            bake_project_unknown_key(reader, it.key, path, names, count);
    }
}

/* Reads the key of a bundle or profile. Such names are words of the command line and parts of file
 * names, so few characters are allowed. Returns NULL after a report. */
static const char *read_name(reading *r, bake_node_id key, const char *path)
{
    const char *text = bake_project_text(&r->reader, key, path, "a name");
    bool ok = text && *text != '-' && *text != '.' && strlen(text) <= 100;
    for (const char *at = text; ok && *at; at++)
        ok = bake_is_word(*at) || *at == '-' || *at == '.';
    if (text && !ok) {
        bake_project_report(&r->reader, key, path, "\"%.200s\" is not a valid name", text);
        bake_hint(r->reader.diagnostics,
                  "use at most 100 letters, digits, `_`, `-` and `.`, and do not begin with `-` "
                  "or `.`");
    }
    return ok ? text : NULL;
}

/* Returns room for the entries of a mapping; NULL after a report or if memory runs out. */
static void *begin_mapping(reading *r, bake_node_id node, const char *path, size_t size)
{
    if (!bake_project_is_mapping(&r->reader, node, path))
        return NULL;
    size_t count = bake_node_count(r->reader.tree, node);
    if (count > BAKE_PROJECT_ENTRIES_MAX) {
        bake_project_report(&r->reader, node, path, "more than %d entries",
                            BAKE_PROJECT_ENTRIES_MAX);
        return NULL;
    }
    void *rows = bake_store_alloc(r->reader.store, count + 1, size);
    r->reader.no_memory = r->reader.no_memory || !rows;
    return rows;
}

static void check_bundle(reading *r, const bake_bundle *bundle, bake_node_id key, const char *path)
{
    static const char *const names[] = {"sources", "output"};
    const char *const given[] = {bundle->settings.sources.items ? "" : NULL,
                                 bundle->settings.output.text};
    for (size_t i = 0; i < 2; i++)
        if (!given[i])
            bake_project_report(&r->reader, key, path, "missing `%s`", names[i]);
    bool includes = bundle->settings.sources.count == 0;
    for (size_t i = 0; i < bundle->settings.sources.count; i++)
        includes = includes || bundle->settings.sources.items[i].text[0] != '!';
    if (!includes || (given[0] && bundle->settings.sources.count == 0))
        bake_project_report(&r->reader, key, path, "`sources` selects no files");
}

static void read_bundles(reading *r, bake_node_id node)
{
    bake_project *project = r->project;
    project->bundles = begin_mapping(r, node, "bundles", sizeof *project->bundles);
    if (!project->bundles)
        return;
    for (bake_iterator it = bake_iterator_begin(project->tree, node); bake_iterator_next(&it);) {
        bake_bundle *bundle = &project->bundles[project->bundle_count];
        const char *path = bake_project_join(&r->reader, "bundles", it.key);
        size_t errors = bake_diagnostics_errors(r->reader.diagnostics);
        bundle->name = read_name(r, it.key, "bundles");
        bundle->mark = bake_node_mark(project->tree, it.key);
        bake_settings_read(&r->reader, it.value, path, BAKE_SETTINGS_BUNDLE, &bundle->settings);
        if (errors == bake_diagnostics_errors(r->reader.diagnostics))
            check_bundle(r, bundle, it.key, path);
        project->bundle_count += bundle->name != NULL;
    }
}

static void read_headers(reading *r, bake_node_id node)
{
    static const char *const keys[] = {"prefix", "no_types"};
    bake_project *project = r->project;
    project->headers = begin_mapping(r, node, "headers", sizeof *project->headers);
    if (!project->headers)
        return;
    for (bake_iterator it = bake_iterator_begin(project->tree, node); bake_iterator_next(&it);) {
        bake_project_header *header = &project->headers[project->header_count];
        bake_node_id values[] = {BAKE_NODE_NONE, BAKE_NODE_NONE};
        const char *path = bake_project_join(&r->reader, "headers", it.key);
        bool ok =
            bake_project_path_read(&r->reader, it.key, "headers", BAKE_PATH_OUTPUT, &header->path);
        if (!bake_node_is_null(project->tree, it.value) &&
            bake_project_is_mapping(&r->reader, it.value, path))
            find_keys(&r->reader, it.value, path, keys, 2, values);
        if (values[0] != BAKE_NODE_NONE)
            header->prefix = bake_project_text(&r->reader, values[0], path, "a C identifier");
        if (header->prefix && !bake_is_name(header->prefix, strlen(header->prefix), 0))
            bake_project_report(&r->reader, values[0], path, "\"%.200s\" is not a C identifier",
                                header->prefix);
        if (values[1] != BAKE_NODE_NONE)
            bake_project_bool(&r->reader, values[1], path, &header->no_types);
        project->header_count += ok;
    }
}

size_t bake_project_find(const bake_project *project, const char *name)
{
    size_t i = 0;
    while (i < project->bundle_count && strcmp(project->bundles[i].name, name) != 0)
        i++;
    return i;
}

/* Returns the names of bundles or profiles, for suggestions; NULL if memory runs out. */
static const char **names_of(bake_project *project, bool profiles)
{
    size_t count = profiles ? project->profile_count : project->bundle_count;
    const char **names = bake_store_alloc(&project->store, count + 1, sizeof *names);
    for (size_t i = 0; names && i < count; i++)
        names[i] = profiles ? project->profiles[i].name : project->bundles[i].name;
    return names;
}

static void unknown_bundle(reading *r, bake_node_id key, const char *path)
{
    size_t length;
    const char *text = bake_node_text(r->reader.tree, key, &length);
    const char **names = names_of(r->project, false);
    bake_project_report(&r->reader, key, path, "there is no bundle \"%.*s\"",
                        (int)(length < 200 ? length : 200), text);
    if (names)
        bake_hint_similar(r->reader.diagnostics, text, length, names, r->project->bundle_count);
}

static void read_overrides(reading *r, bake_node_id node, const char *path, bake_profile *profile)
{
    bake_project *project = r->project;
    profile->overrides = begin_mapping(r, node, path, sizeof *profile->overrides);
    if (!profile->overrides)
        return;
    for (bake_iterator it = bake_iterator_begin(project->tree, node); bake_iterator_next(&it);) {
        bake_override *override = &profile->overrides[profile->override_count];
        const char *inner = bake_project_join(&r->reader, path, it.key);
        const char *name = bake_project_text(&r->reader, it.key, path, "the name of a bundle");
        override->bundle = name ? bake_project_find(project, name) : project->bundle_count;
        bake_settings_read(&r->reader, it.value, inner, BAKE_SETTINGS_OVERRIDE,
                           &override->settings);
        if (name && override->bundle == project->bundle_count)
            unknown_bundle(r, it.key, path);
        else if (name)
            profile->override_count++;
    }
}

static void read_profiles(reading *r, bake_node_id node)
{
    bake_project *project = r->project;
    project->profiles = begin_mapping(r, node, "profiles", sizeof *project->profiles);
    if (!project->profiles)
        return;
    for (bake_iterator it = bake_iterator_begin(project->tree, node); bake_iterator_next(&it);) {
        bake_profile *profile = &project->profiles[project->profile_count];
        const char *path = bake_project_join(&r->reader, "profiles", it.key);
        profile->name = read_name(r, it.key, "profiles");
        bake_settings_read(&r->reader, it.value, path, BAKE_SETTINGS_PROFILE, &profile->settings);
        bake_node_id bundles = bake_node_find(project->tree, it.value, "bundles", 7);
        const char *inner = bake_store_join(&project->store, path, '.', "bundles");
        if (bundles != BAKE_NODE_NONE && inner)
            read_overrides(r, bundles, inner, profile);
        bake_node_id importers = bake_node_find(project->tree, it.value, "importers", 9);
        if (importers != BAKE_NODE_NONE)
            bake_project_importers_read(&r->reader, importers, project->path, &profile->importers);
        project->profile_count += profile->name != NULL;
    }
}

static const bake_profile *find_profile(const bake_project *project, const char *name)
{
    for (size_t i = 0; i < project->profile_count; i++)
        if (strcmp(project->profiles[i].name, name) == 0)
            return &project->profiles[i];
    return NULL;
}

static void read_default_profile(reading *r, bake_node_id node)
{
    bake_project *project = r->project;
    const char *name =
        bake_project_text(&r->reader, node, "default_profile", "the name of a profile");
    const char **names = names_of(project, true);
    project->default_profile = name;
    if (!name || find_profile(project, name))
        return;
    bake_project_report(&r->reader, node, "default_profile", "there is no profile \"%.200s\"",
                        name);
    if (names)
        bake_hint_similar(r->reader.diagnostics, name, strlen(name), names, project->profile_count);
}

/* A later version of the file can change the meaning of existing keys, so nothing else is read. */
static bool check_version(reading *r, bake_node_id root, bake_node_id node)
{
    if (node == BAKE_NODE_NONE)
        return bake_project_report(&r->reader, root, NULL,
                                   "missing `kiln: 1`, the version of the project file");
    const char *text = bake_project_text(&r->reader, node, "kiln", "a version");
    if (text && strcmp(text, "1") != 0)
        return bake_project_report(
            &r->reader, node, "kiln",
            "this kiln-bake supports only version 1 of the project file, not %.100s", text);
    return text != NULL;
}

/* A schema also begins with `kiln: 1`, so this mistake is likely. */
static bool is_schema(const bake_project *project, bake_node_id root)
{
    return bake_node_find(project->tree, root, "types", 5) != BAKE_NODE_NONE &&
           bake_node_find(project->tree, root, "bundles", 7) == BAKE_NODE_NONE;
}

static void read_root(reading *r, bake_node_id root)
{
    bake_project *project = r->project;
    bake_node_id values[KEY_COUNT];
    if (!bake_project_is_mapping(&r->reader, root, NULL))
        return;
    if (is_schema(project, root)) {
        bake_project_report(&r->reader, root, NULL, "this file is a schema, not a project file");
        return;
    }
    if (!check_version(r, root, bake_node_find(project->tree, root, "kiln", 4)))
        return;
    find_keys(&r->reader, root, NULL, project_keys, KEY_COUNT, values);
    bake_node_id schemas = values[KEY_SCHEMAS];
    if (schemas != BAKE_NODE_NONE &&
        bake_project_paths_read(&r->reader, schemas, "schemas", BAKE_PATH_PATTERN,
                                &project->schemas) &&
        project->schemas.count == 0)
        bake_project_report(&r->reader, schemas, "schemas", "expected at least one schema");
    if (schemas == BAKE_NODE_NONE)
        bake_project_report(&r->reader, root, NULL, "missing `schemas`, a list of schema files");
    if (values[KEY_INCLUDE] != BAKE_NODE_NONE)
        bake_project_paths_read(&r->reader, values[KEY_INCLUDE], "include", BAKE_PATH_PLAIN,
                                &project->include);
    if (values[KEY_BUNDLES] != BAKE_NODE_NONE)
        read_bundles(r, values[KEY_BUNDLES]);
    if (values[KEY_HEADERS] != BAKE_NODE_NONE)
        read_headers(r, values[KEY_HEADERS]);
    if (values[KEY_BUDGETS] != BAKE_NODE_NONE)
        project->budgets =
            bake_project_budgets_read(&r->reader, values[KEY_BUDGETS], "budgets", false);
    if (values[KEY_PROFILES] != BAKE_NODE_NONE)
        read_profiles(r, values[KEY_PROFILES]);
    if (values[KEY_DEFAULT_PROFILE] != BAKE_NODE_NONE)
        read_default_profile(r, values[KEY_DEFAULT_PROFILE]);
    if (values[KEY_IMPORTERS] != BAKE_NODE_NONE)
        bake_project_importers_read(&r->reader, values[KEY_IMPORTERS], project->path,
                                    &project->importers);
    if (values[KEY_CACHE] != BAKE_NODE_NONE)
        bake_project_cache_read(&r->reader, values[KEY_CACHE], &project->cache);
    if (values[KEY_BUNDLES] == BAKE_NODE_NONE && values[KEY_HEADERS] == BAKE_NODE_NONE)
        bake_project_report(&r->reader, root, NULL, "missing `bundles`: there is nothing to bake");
}

static bool set_paths(bake_project *project, const char *path)
{
    const char *slash = strrchr(path, '/');
    size_t length = slash == path ? 1 : slash ? (size_t)(slash - path) : 0;
    project->path = bake_store_text(&project->store, path, strlen(path));
    if (slash)
        project->folder = bake_store_text(&project->store, path, length);
    return project->path && (!slash || project->folder);
}

bake_result bake_project_read(bake_project *project, const char *path, bake_gateway *gateway,
                              bake_diagnostics *diagnostics, bake_failure *failure)
{
    size_t size, errors = bake_diagnostics_errors(diagnostics);
    if (!set_paths(project, path))
        return bake_fail_memory(failure);
    const char *text = bake_gateway_read(gateway, project->path, &size);
    if (!text)
        return bake_fail_read(failure, gateway, path);
    project->text = text;
    project->text_size = size;
    project->source = bake_diagnostics_add_source(diagnostics, project->path, text, size);
    project->tree = bake_tree_read(diagnostics, project->source, text, size);
    if (!project->tree)
        return bake_fail_memory(failure);
    reading r = {{diagnostics, project->tree, &project->store, false}, project};
    uint32_t documents = bake_tree_document_count(project->tree);
    bake_mark whole = {project->source, 0, 0, 1};
    if (errors != bake_diagnostics_errors(diagnostics))
        return BAKE_BAD_INPUT;
    if (documents != 1 || bake_tree_document(project->tree, 0) == BAKE_NODE_NONE)
        bake_report(diagnostics, BAKE_ERROR, whole, "project", NULL,
                    documents > 1 ? "a project file must have one document"
                                  : "the project file is empty");
    else
        read_root(&r, bake_tree_document(project->tree, 0));
    if (r.reader.no_memory || project->store.failed)
        return bake_fail_memory(failure);
    return errors == bake_diagnostics_errors(diagnostics) ? BAKE_OK : BAKE_BAD_INPUT;
}

void bake_project_fini(bake_project *project)
{
    bake_tree_destroy(project->tree);
    bake_store_fini(&project->store);
    memset(project, 0, sizeof *project);
}

bake_result bake_project_choose(bake_project *project, const char *name, bake_failure *failure)
{
    const char *wanted = name ? name : project->default_profile;
    if (!wanted)
        return BAKE_OK;
    const bake_profile *profile = find_profile(project, wanted);
    if (!profile) {
        const char **names = names_of(project, true);
        const char *close =
            names ? bake_most_similar(wanted, strlen(wanted), names, project->profile_count) : NULL;
        return bake_fail(failure, BAKE_FAILED, "%s has no profile '%.100s'%s%s%s", project->path,
                         wanted, close ? "; did you mean " : "", close ? close : "",
                         close ? "?" : "");
    }
    for (size_t i = 0; i < project->bundle_count; i++)
        bake_settings_apply(&project->bundles[i].settings, &profile->settings);
    for (size_t i = 0; i < profile->override_count; i++)
        bake_settings_apply(&project->bundles[profile->overrides[i].bundle].settings,
                            &profile->overrides[i].settings);
    if (!bake_project_importers_apply(&project->importers, &profile->importers, &project->store))
        return bake_fail_memory(failure);
    return BAKE_OK;
}

const char *bake_project_locate(bake_project *project, const char *path)
{
    const char *folder = project->folder;
    if (!folder || *path == '/')
        return path;
    if (strcmp(path, ".") == 0)
        return folder;
    return bake_store_join(&project->store, strcmp(folder, "/") == 0 ? "/." : folder, '/', path);
}
