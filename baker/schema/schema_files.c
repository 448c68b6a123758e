/* Reads schema files and their includes, each file once.
 *
 * Two paths name the same file if the paths or the inodes are equal. So includes can form cycles,
 * and can name a file by different paths. If a file is missing or malformed, no types are read,
 * because errors about unknown types would hide the real problem. */
#include "gateway.h"
#include "schema_reader.h"

#include "ascii.h"
#include "bake_memory.h"

#include <errno.h>
#include <string.h>

/* A namespace of this length, a dot and a one-letter type name add up to KILN_NAME_MAX bytes. */
enum { NAMESPACE_MAX = 253 };

static const char *const file_attributes[] = {"kiln",  "namespace", "doc",      "include",
                                              "types", "files",     "accepted", "importers"};
enum {
    FILE_KILN,
    FILE_NAMESPACE,
    FILE_DOC,
    FILE_INCLUDE,
    FILE_TYPES,
    FILE_FILES,
    FILE_ACCEPTED,
    FILE_IMPORTERS,
    FILE_ATTRIBUTES
};

/* Bounds the recursion. */
enum { INCLUDE_DEPTH_MAX = 64 };

static bool read_file(schema_reader *reader, const char *path, const char *text, size_t size,
                      int depth);

static bool is_loaded(const schema_reader *reader, const char *path)
{
    for (size_t i = 0; i < reader->file_count; i++)
        if (strcmp(reader->files[i]->path, path) == 0)
            return true;
    return false;
}

const char *bake_schema_resolve_path(schema_reader *reader, const char *path, const char *name)
{
    const char *slash = strrchr(path, '/');
    if (name[0] == '/' || !slash)
        return bake_store_text(reader->store, name, strlen(name));
    const char *folder = bake_store_text(reader->store, path, (size_t)(slash - path));
    return folder ? bake_store_join(reader->store, *folder ? folder : "/", '/', name) : NULL;
}

/* Returns false only if the file does not exist, so that the caller tries the next folder. Any
 * other failure ends the search. */
static bool try_include(schema_reader *reader, const char *path, int depth, bool *ret_ok)
{
    if (!path || is_loaded(reader, path)) {
        *ret_ok = path != NULL;
        return true;
    }
    size_t size;
    const char *text = bake_gateway_read(reader->def->gateway, path, &size);
    if (text && is_loaded(reader, bake_gateway_first_name(reader->def->gateway, path))) {
        *ret_ok = true;
        return true;
    }
    if (text) {
        *ret_ok = read_file(reader, path, text, size, depth + 1);
        return true;
    }
    if (errno == ENOENT || errno == ENOTDIR)
        return false;
    bake_fail_read(reader->failure, reader->def->gateway, path);
    *ret_ok = false;
    return true;
}

static bool include(schema_reader *reader, const schema_file *file, bake_node_id node, int depth)
{
    const char *name = bake_schema_read_text(reader, file, node, "include", "a file name", NULL);
    bool ok;
    if (!name)
        return false;
    if (depth >= INCLUDE_DEPTH_MAX)
        return bake_report(reader->diagnostics, BAKE_ERROR, schema_mark(file, node), "include",
                           "include", "includes are nested more than %d levels deep",
                           INCLUDE_DEPTH_MAX);
    if (try_include(reader, bake_schema_resolve_path(reader, file->path, name), depth, &ok))
        return ok;
    for (size_t i = 0; name[0] != '/' && i < reader->def->include_count; i++)
        if (try_include(reader,
                        bake_store_join(reader->store, reader->def->include_folders[i], '/', name),
                        depth, &ok))
            return ok;
    bake_report(reader->diagnostics, BAKE_ERROR, schema_mark(file, node), "include", "include",
                "cannot find \"%s\" in the folder of this file or a -I folder", name);
    return false;
}

static bool read_includes(schema_reader *reader, const schema_file *file, bake_node_id node,
                          int depth)
{
    const bake_tree *tree = file->tree;
    if (bake_node_kind_of(tree, node) != BAKE_NODE_SEQUENCE) {
        bake_report(reader->diagnostics, BAKE_ERROR, schema_mark(file, node), "schema", "include",
                    "expected a list of file names");
        if (bake_node_kind_of(tree, node) == BAKE_NODE_SCALAR)
            bake_hint(reader->diagnostics, "write a single file as `[file]`");
        return false;
    }
    bool ok = true;
    for (bake_iterator it = bake_iterator_begin(tree, node); bake_iterator_next(&it);)
        ok = include(reader, file, it.value, depth) && ok;
    return ok;
}

/* A later version of the language can change the meaning of existing keys, so the whole file is
 * rejected. */
static bool check_version(schema_reader *reader, const schema_file *file, bake_node_id root,
                          bake_node_id node)
{
    if (node == BAKE_NODE_NONE) {
        bake_report(reader->diagnostics, BAKE_ERROR, schema_mark(file, root), "schema", NULL,
                    "missing `kiln: 1`, the version of the schema language");
        return false;
    }
    const char *text = bake_schema_read_text(reader, file, node, "kiln", "a version", NULL);
    if (text && strcmp(text, "1") != 0)
        return bake_report(
            reader->diagnostics, BAKE_ERROR, schema_mark(file, node), "schema", "kiln",
            "this kiln-bake supports only version 1 of the schema language, not %s", text);
    return text != NULL;
}

/* Rejects a mapping with no key of a schema, which is data, and a project file. */
static bool check_purpose(schema_reader *reader, const schema_file *file, bake_node_id root)
{
    static const char *const keys[] = {"kiln", "types", "include", "files", "namespace"};
    bool is_other = bake_node_kind_of(file->tree, root) == BAKE_NODE_MAPPING;
    if (bake_node_find(file->tree, root, "bundles", 7) != BAKE_NODE_NONE) {
        bake_report(reader->diagnostics, BAKE_ERROR, schema_mark(file, root), "schema", NULL,
                    "this file is a project file, not a schema");
        bake_hint(reader->diagnostics, "give project files to --project");
        return false;
    }
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (bake_node_find(file->tree, root, keys[i], strlen(keys[i])) != BAKE_NODE_NONE)
            is_other = false;
    if (!is_other)
        return true;
    bake_report(reader->diagnostics, BAKE_ERROR, schema_mark(file, root), "schema", NULL,
                "this file is not a schema: it has neither `kiln` nor `types`");
    bake_hint(reader->diagnostics, "give data without -s");
    return false;
}

static bool read_root(schema_reader *reader, schema_file *file, int depth)
{
    bake_node_id values[FILE_ATTRIBUTES];
    bake_node_id root = bake_tree_document(file->tree, 0);
    bool ok = true;
    if (!check_purpose(reader, file, root))
        return false;
    bake_schema_read_attributes(reader, file, root, NULL, file_attributes, FILE_ATTRIBUTES, values);
    if (bake_node_kind_of(file->tree, root) != BAKE_NODE_MAPPING)
        return false;
    ok = check_version(reader, file, root, values[FILE_KILN]) && ok;
    if (values[FILE_NAMESPACE] != BAKE_NODE_NONE) {
        const char *name = bake_schema_read_text(reader, file, values[FILE_NAMESPACE], "namespace",
                                                 "a C identifier", NULL);
        if (name && strlen(name) > NAMESPACE_MAX)
            ok = bake_report(reader->diagnostics, BAKE_ERROR,
                             schema_mark(file, values[FILE_NAMESPACE]), "name", "namespace",
                             "a namespace can have at most %d bytes, not %zu", NAMESPACE_MAX,
                             strlen(name));
        else if (name && !bake_is_name(name, strlen(name), 0))
            ok = bake_report(reader->diagnostics, BAKE_ERROR,
                             schema_mark(file, values[FILE_NAMESPACE]), "name", "namespace",
                             "\"%s\" is not a C identifier", name);
        /* Otherwise a file could contain assets of a type such as kiln.Clusters that break the
         * format's rules for this type. */
        else if (name && strcmp(name, "kiln") == 0)
            ok = bake_report(reader->diagnostics, BAKE_ERROR,
                             schema_mark(file, values[FILE_NAMESPACE]), "name", "namespace",
                             "the namespace \"kiln\" is reserved for types of the file format");
        file->name_space = name ? name : "";
    }
    const char *doc = bake_schema_read_doc(reader, file, values[FILE_DOC], "doc");
    if (reader->file_count == 1)
        reader->schema->doc = doc;
    file->types = values[FILE_TYPES];
    file->rules = values[FILE_FILES];
    file->accepted = values[FILE_ACCEPTED];
    file->importers = values[FILE_IMPORTERS];
    if (values[FILE_INCLUDE] != BAKE_NODE_NONE)
        ok = read_includes(reader, file, values[FILE_INCLUDE], depth) && ok;
    return ok;
}

static bool keep_tree(schema_reader *reader, const char *path, bake_tree *tree)
{
    bake_schema *schema = reader->schema;
    size_t count = schema->tree_count + 1;
    bake_tree **trees = bake_realloc(schema->trees, count * sizeof *schema->trees);
    if (trees)
        schema->trees = trees;
    const char **paths =
        trees ? bake_realloc(schema->tree_paths, count * sizeof *schema->tree_paths) : NULL;
    if (paths)
        schema->tree_paths = paths;
    const char *copy = paths ? bake_store_text(&schema->store, path, strlen(path)) : NULL;
    if (!copy) {
        bake_tree_destroy(tree);
        return false;
    }
    schema->trees[schema->tree_count] = tree;
    schema->tree_paths[schema->tree_count++] = copy;
    return true;
}

static bool read_file(schema_reader *reader, const char *path, const char *text, size_t size,
                      int depth)
{
    schema_file *file = bake_store_alloc(reader->store, 1, sizeof *file);
    schema_file **files =
        bake_grow(reader->files, &reader->file_capacity, reader->file_count + 1, sizeof *files);
    if (files)
        reader->files = files;
    if (!files || !file) {
        bake_fail_memory(reader->failure);
        return false;
    }
    reader->files[reader->file_count++] = file;
    file->path = path;
    file->name_space = "";
    file->types = file->rules = file->accepted = file->importers = BAKE_NODE_NONE;
    const char *name = strcmp(path, "-") == 0 ? "<stdin>" : path;
    file->source = bake_diagnostics_add_source(reader->diagnostics, name, text, size);
    bake_timings *timings = bake_gateway_timings(reader->def->gateway);
    uint64_t begin = bake_timing_begin(timings);
    bake_tree *tree = bake_tree_read(reader->diagnostics, file->source, text, size);
    file->tree = tree;
    bake_timing_end(timings, BAKE_TIMING_FILE, name, strlen(name), begin);
    if (!tree || !keep_tree(reader, path, tree)) {
        bake_fail_memory(reader->failure);
        return false;
    }
    if (!bake_tree_is_complete(file->tree))
        return false;
    bake_mark whole = {file->source, 1, 1, 1};
    uint32_t documents = bake_tree_document_count(file->tree);
    if (documents == 0 || (documents == 1 && bake_tree_document(file->tree, 0) == BAKE_NODE_NONE))
        return bake_report(reader->diagnostics, BAKE_ERROR, whole, "schema", NULL,
                           "the schema is empty");
    if (documents != 1 || bake_tree_document(file->tree, 0) == BAKE_NODE_NONE)
        return bake_report(reader->diagnostics, BAKE_ERROR, whole, "schema", NULL,
                           "a schema must consist of exactly one YAML document");
    return read_root(reader, file, depth);
}

static bool read_given(schema_reader *reader, schema_file *file, const char *text)
{
    size_t size = strlen(text);
    file->path = "";
    file->importers = BAKE_NODE_NONE;
    file->source = bake_diagnostics_add_source(reader->diagnostics, "--importer", text, size);
    bake_tree *tree = bake_tree_read(reader->diagnostics, file->source, text, size);
    file->tree = tree;
    if (!tree || !keep_tree(reader, "", tree)) {
        bake_fail_memory(reader->failure);
        return false;
    }
    if (!bake_tree_is_complete(tree))
        return false;
    if (bake_tree_document_count(tree) == 1)
        file->importers = bake_tree_document(tree, 0);
    bake_mark whole = {file->source, 1, 1, 1};
    return file->importers != BAKE_NODE_NONE ||
           bake_report(reader->diagnostics, BAKE_ERROR, whole, "schema", "importers",
                       "expected a mapping of names to importers");
}

bool bake_schema_read_given(schema_reader *reader)
{
    size_t count = reader->def->importer_count;
    bool ok = true;
    reader->given = bake_store_alloc(reader->store, count, sizeof *reader->given);
    for (size_t i = 0; reader->given && i < count; i++)
        ok = read_given(reader, &reader->given[i], reader->def->importers[i]) && ok;
    return ok && (reader->given || !count);
}

bool bake_schema_read_files(schema_reader *reader)
{
    bool ok = true;
    for (size_t i = 0; i < reader->def->path_count; i++) {
        const char *path = reader->def->paths[i];
        if (is_loaded(reader, path))
            continue;
        size_t size;
        const char *text = bake_gateway_read(reader->def->gateway, path, &size);
        if (!text) {
            bake_fail_read(reader->failure, reader->def->gateway, path);
            return false;
        }
        if (is_loaded(reader, bake_gateway_first_name(reader->def->gateway, path)))
            continue;
        ok = read_file(reader, path, text, size, 0) && ok;
    }
    return ok;
}
