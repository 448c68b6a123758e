/* Wraps of strings that are paths of resources, and what says which states an atlas among these
 * has. */
#include "schema_reader.h"

#include <string.h>

enum { NAMES_STEPS_MAX = 32 };

static bool refuse(schema_reader *reader, const schema_type *extra, bake_node_id node,
                   const char *message)
{
    return bake_report(reader->diagnostics, BAKE_ERROR, schema_mark(extra->file, node), "schema",
                       extra->name, "%s", message);
}

/* The folder that a scalar names; NULL after a report. */
static const char *read_folder(schema_reader *reader, const schema_type *extra, bake_node_id node)
{
    size_t length;
    const char *text =
        bake_schema_read_text(reader, extra->file, node, extra->name, "a folder", &length);
    if (text && (*text == '\0' || *text == '/' || strchr(text, '\\'))) {
        bake_report(
            reader->diagnostics, BAKE_ERROR, schema_mark(extra->file, node), "schema", extra->name,
            "a root is a folder, with slashes, from where inputs start; \"%.200s\" is none", text);
        bake_hint(reader->diagnostics, "the folder where inputs start is called \".\"");
        return NULL;
    }
    while (text && text[length - 1] == '/')
        length--;
    return text ? bake_store_text(reader->store, text, length) : NULL;
}

/* One folder, or a list of them. */
static void read_roots(schema_reader *reader, const schema_type *extra, bake_node_id node,
                       bake_resource *resource)
{
    const bake_tree *tree = extra->file->tree;
    bool list = bake_node_kind_of(tree, node) == BAKE_NODE_SEQUENCE;
    uint32_t count = list ? bake_node_count(tree, node) : 1;
    const char **roots = bake_store_alloc(reader->store, (size_t)count + 1, sizeof *roots);
    bake_walk walk = bake_walk_begin(tree, node);
    if (!roots)
        return;
    for (uint32_t i = 0; i < count; i++) {
        bake_node_id one = list && bake_walk_next(&walk) ? walk.value : node;
        roots[resource->root_count] = read_folder(reader, extra, one);
        resource->root_count += roots[resource->root_count] != NULL;
    }
    if (count == 0)
        refuse(reader, extra, node, "there is at least one root");
    resource->roots = roots;
}

/* One of a few words, whose number is returned; 0 after a report. */
static int read_word(schema_reader *reader, const schema_type *extra, bake_node_id node,
                     const char *what, const char *const *words, size_t count)
{
    size_t length;
    const char *text = bake_schema_read_text(reader, extra->file, node, extra->name, what, &length);
    for (size_t i = 0; text && i < count; i++)
        if (strcmp(words[i], text) == 0)
            return (int)i;
    if (text) {
        bake_report(reader->diagnostics, BAKE_ERROR, schema_mark(extra->file, node), "schema",
                    extra->name, "expected %s, found \"%.200s\"", what, text);
        bake_hint_similar(reader->diagnostics, text, length, words, count);
    }
    return 0;
}

static void read_path(schema_reader *reader, const schema_type *extra, bake_node_id node,
                      bake_resource *resource)
{
    static const char *const names[] = {"roots", "absolute", "is", "missing"};
    static const char *const kinds[] = {"file", "folder", "any"};
    static const char *const outcomes[] = {"error", "warn", "accept"};
    static const char *const base[] = {"."};
    enum { ROOTS, ABSOLUTE, IS, MISSING, PATH_KEYS };
    bake_node_id values[PATH_KEYS];
    bool has_states = extra->attributes[TYPE_STATES] != BAKE_NODE_NONE;
    resource->roots = base;
    resource->absolute = ".";
    resource->is = has_states && resource->states_file ? BAKE_RESOURCE_FOLDER : BAKE_RESOURCE_FILE;
    if (bake_node_kind_of(extra->file->tree, node) != BAKE_NODE_MAPPING) {
        read_roots(reader, extra, node, resource);
        return;
    }
    bake_schema_read_attributes(reader, extra->file, node, extra->name, names, PATH_KEYS, values);
    if (values[ROOTS] != BAKE_NODE_NONE)
        read_roots(reader, extra, values[ROOTS], resource);
    else
        resource->root_count = 1;
    if (values[ABSOLUTE] != BAKE_NODE_NONE)
        resource->absolute = read_folder(reader, extra, values[ABSOLUTE]);
    if (values[MISSING] != BAKE_NODE_NONE)
        resource->missing = (bake_absence)read_word(reader, extra, values[MISSING],
                                                    "error, warn or accept", outcomes, 3);
    if (values[IS] == BAKE_NODE_NONE)
        return;
    bake_resource_is usual = resource->is;
    resource->is =
        (bake_resource_is)read_word(reader, extra, values[IS], "file, folder or any", kinds, 3);
    if (has_states && resource->is != usual)
        refuse(reader, extra, values[IS],
               usual == BAKE_RESOURCE_FOLDER
                   ? "an atlas whose states are in a `file` is a folder"
                   : "an atlas is the file that has its states, unless `states` has a `file`");
}

/* Appends a step; false where there are too many. */
static bool add_step(bake_resource *resource, bake_names_step *steps, bake_names_kind kind,
                     const char *key)
{
    if (resource->name_count == NAMES_STEPS_MAX)
        return false;
    steps[resource->name_count++] = (bake_names_step){kind, key};
    return true;
}

/* `states[].name`: keys with dots between them, `[]` for all elements, `{}` at the end for all
 * keys. False where it is none of that. */
static bool parse_names(schema_reader *reader, const char *text, bake_names_step *steps,
                        bake_resource *resource)
{
    const char *at = text;
    while (*at) {
        if (strncmp(at, "[]", 2) == 0 || strcmp(at, "{}") == 0) {
            if (!add_step(resource, steps, *at == '[' ? BAKE_NAMES_ELEMENTS : BAKE_NAMES_KEYS, ""))
                return false;
            at += 2;
            continue;
        }
        if (at > text && *at++ != '.')
            return false;
        size_t length = strcspn(at, ".[]{}");
        const char *key = bake_store_text(reader->store, at, length);
        if (length == 0 || !add_step(resource, steps, BAKE_NAMES_KEY, key ? key : ""))
            return false;
        at += length;
    }
    return at > text;
}

static void read_states(schema_reader *reader, const schema_type *extra, bake_node_id node,
                        bake_resource *resource)
{
    static const char *const names[] = {"file", "names"};
    bake_node_id values[2];
    if (!bake_schema_read_attributes(reader, extra->file, node, extra->name, names, 2, values))
        return;
    if (values[0] != BAKE_NODE_NONE)
        resource->states_file = bake_schema_read_text(reader, extra->file, values[0], extra->name,
                                                      "the name of a file", NULL);
    const char *file = resource->states_file;
    if (file && (*file == '\0' || strpbrk(file, "/\\") || strcmp(file, ".") == 0 ||
                 strcmp(file, "..") == 0))
        refuse(reader, extra, values[0], "`file` is the name of a file in the atlas's folder");
    if (values[1] == BAKE_NODE_NONE) {
        refuse(reader, extra, node, "`states` needs `names`, the way to them in the file");
        return;
    }
    bake_names_step *steps = bake_store_alloc(reader->store, NAMES_STEPS_MAX, sizeof *steps);
    const char *text = bake_schema_read_text(reader, extra->file, values[1], extra->name,
                                             "the way to names, as states[].name", NULL);
    if (!text || !steps)
        return;
    resource->names = steps;
    resource->names_text = text;
    if (!parse_names(reader, text, steps, resource)) {
        bake_report(reader->diagnostics, BAKE_ERROR, schema_mark(extra->file, values[1]), "schema",
                    extra->name, "\"%.200s\" is no way to names", text);
        bake_hint(reader->diagnostics,
                  "up to %d steps: keys with dots between them, [] for all elements, {} at the "
                  "end for all keys",
                  NAMES_STEPS_MAX);
    }
}

void bake_schema_read_state_of(schema_reader *reader, const schema_file *file, bake_node_id node,
                               const char *path, schema_member *member)
{
    if (node == BAKE_NODE_NONE)
        return;
    if (member->state_of) {
        bake_report(reader->diagnostics, BAKE_ERROR, schema_mark(file, node), "schema", path,
                    "`state_of` is said twice");
        return;
    }
    member->state_of = bake_schema_read_text(reader, file, node, path, "a field's name", NULL);
    member->state_mark = schema_mark(file, node);
}

static void read_resource(schema_reader *reader, uint32_t number)
{
    schema_type *extra = &reader->extras[number];
    const kiln_type *type = &reader->types[number];
    bake_node_id path = extra->attributes[TYPE_PATH], states = extra->attributes[TYPE_STATES];
    if (extra->members)
        bake_schema_read_state_of(reader, extra->file, extra->attributes[TYPE_STATE_OF],
                                  extra->name, &extra->members[0]);
    if (path == BAKE_NODE_NONE && states == BAKE_NODE_NONE)
        return;
    if (path == BAKE_NODE_NONE) {
        refuse(reader, extra, states, "`states` goes with `path`");
        return;
    }
    uint32_t of = type->member_count ? type->members[0].type : KILN_TYPE_NONE;
    if (of != KILN_TYPE_NONE && reader->types[of].kind != KILN_KIND_STRING)
        refuse(reader, extra, path, "`path` is for a wrap of a string");
    bake_resource *resource = bake_store_alloc(reader->store, 1, sizeof *resource);
    if (!resource)
        return;
    if (states != BAKE_NODE_NONE)
        read_states(reader, extra, states, resource);
    read_path(reader, extra, path, resource);
    extra->resource = resource;
}

void bake_schema_read_resources(schema_reader *reader)
{
    for (uint32_t i = 0; i < reader->named_count; i++)
        if (reader->types[i].flags & KILN_TYPE_TRANSPARENT)
            read_resource(reader, i);
}
