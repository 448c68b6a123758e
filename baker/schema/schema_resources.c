/* Newtypes of strings that are resource paths or paths of atlases, and fields that name a state of
 * an atlas.
 *
 * `state_of` names the field with the atlas. That field can be in the same struct or in an
 * enclosing one, so the check needs all types that can contain the struct. */
#include "schema_reader.h"

#include "bake_memory.h"

#include <stdlib.h>
#include <string.h>

enum { NAMES_STEPS_MAX = 32 };

static bool refuse(schema_reader *reader, const schema_type *extra, bake_node_id node,
                   const char *message)
{
    return bake_report(reader->diagnostics, BAKE_ERROR, schema_mark(extra->file, node), "schema",
                       extra->name, "%s", message);
}

/* Reads the path of a folder. Returns NULL after reporting an error. */
static const char *read_folder(schema_reader *reader, const schema_type *extra, bake_node_id node)
{
    size_t length;
    const char *text =
        bake_schema_read_text(reader, extra->file, node, extra->name, "a folder", &length);
    if (text && (*text == '\0' || *text == '/' || strchr(text, '\\'))) {
        bake_report(reader->diagnostics, BAKE_ERROR, schema_mark(extra->file, node), "schema",
                    extra->name,
                    "invalid folder \"%.200s\"; use a relative path with forward slashes", text);
        bake_hint(reader->diagnostics, "folders are relative to the input folder, which is \".\"");
        return NULL;
    }
    while (text && text[length - 1] == '/')
        length--;
    return text ? bake_store_text(reader->store, text, length) : NULL;
}

/* Reads one folder or a list of folders. */
static void read_roots(schema_reader *reader, const schema_type *extra, bake_node_id node,
                       bake_resource *resource)
{
    schema_items items = bake_schema_items(extra->file->tree, node);
    const char **roots = bake_store_alloc(reader->store, (size_t)items.left + 1, sizeof *roots);
    if (!roots)
        return;
    if (items.left == 0)
        refuse(reader, extra, node, "expected at least one root");
    for (bake_node_id one; bake_schema_items_next(&items, &one);) {
        roots[resource->root_count] = read_folder(reader, extra, one);
        resource->root_count += roots[resource->root_count] != NULL;
    }
    resource->roots = roots;
}

/* Returns the index of the word, or 0 after reporting an error. */
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
        resource->missing = (bake_missing_action)read_word(reader, extra, values[MISSING],
                                                           "error, warn or accept", outcomes, 3);
    if (values[IS] == BAKE_NODE_NONE)
        return;
    bake_resource_kind expected = resource->is;
    resource->is =
        (bake_resource_kind)read_word(reader, extra, values[IS], "file, folder or any", kinds, 3);
    if (has_states && resource->is != expected)
        refuse(reader, extra, values[IS],
               expected == BAKE_RESOURCE_FOLDER
                   ? "`is` must be folder, because `states` has a `file`"
                   : "`is` must be file, because `states` has no `file`");
}

/* Appends a step. Returns false if there are too many. */
static bool add_step(bake_resource *resource, bake_names_step *steps, bake_names_kind kind,
                     const char *key)
{
    if (resource->name_count == NAMES_STEPS_MAX)
        return false;
    steps[resource->name_count++] = (bake_names_step){kind, key};
    return true;
}

/* Parses a path such as `states[].name`: keys separated by dots, `[]` for all elements, `{}` at the
 * end for all keys. Returns false if it is malformed. */
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
        refuse(reader, extra, values[0], "`file` must be the name of a file in the atlas's folder");
    if (values[1] == BAKE_NODE_NONE) {
        refuse(reader, extra, node,
               "missing `names` in `states`: the path of the names in the file");
        return;
    }
    bake_names_step *steps = bake_store_alloc(reader->store, NAMES_STEPS_MAX, sizeof *steps);
    const char *text = bake_schema_read_text(reader, extra->file, values[1], extra->name,
                                             "a path to names such as states[].name", NULL);
    if (!text || !steps)
        return;
    resource->names = steps;
    resource->names_text = text;
    if (!parse_names(reader, text, steps, resource)) {
        bake_report(reader->diagnostics, BAKE_ERROR, schema_mark(extra->file, values[1]), "schema",
                    extra->name, "\"%.200s\" is not a valid path of names", text);
        bake_hint(reader->diagnostics,
                  "use up to %d steps: keys separated by dots, [] for all elements, {} at the end "
                  "for all keys",
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
                    "`state_of` is given twice");
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
        refuse(reader, extra, states, "`states` requires `path`");
        return;
    }
    uint32_t of = type->member_count ? type->members[0].type : KILN_TYPE_NONE;
    if (of != KILN_TYPE_NONE && reader->types[of].kind != KILN_KIND_STRING)
        refuse(reader, extra, path, "`path` is only for a newtype (`wrap`) of a string");
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

/* ---- fields that name a state: checks that a field with the atlas exists ---- */

const bake_resource *bake_schema_atlas(const bake_schema *schema, uint32_t type)
{
    while (type != KILN_TYPE_NONE) {
        const kiln_type *of = kiln_types_get(schema->types, type);
        const bake_resource *resource = schema->info[type].resource;
        if (resource)
            return resource->names ? resource : NULL;
        if (of->kind == KILN_KIND_OPTIONAL || of->kind == KILN_KIND_DATA)
            type = of->element;
        else if (of->flags & KILN_TYPE_TRANSPARENT)
            type = of->members[0].type;
        else
            break;
    }
    return NULL;
}

static bool is_plain_struct(const kiln_type *type)
{
    return type->kind == KILN_KIND_STRUCT && !(type->flags & KILN_TYPE_TRANSPARENT);
}

/* Returns the field with this name if it is an atlas, otherwise NULL. */
static const kiln_member *atlas_field(const bake_schema *schema, uint32_t type, const char *name)
{
    const kiln_type *of = kiln_types_get(schema->types, type);
    const kiln_member *field =
        is_plain_struct(of) ? bake_schema_current_member(schema, type, name, strlen(name)) : NULL;
    return field && bake_schema_atlas(schema, field->type) ? field : NULL;
}

/* If the type is marked, also marks the types of its parts. Returns whether any of these was not
 * marked before. */
static bool mark_parts(const kiln_types *types, uint32_t number, bool *marked)
{
    const kiln_type *of = kiln_types_get(types, number);
    bool found = false;
    uint32_t own[2] = {of->kind == KILN_KIND_REF ? KILN_TYPE_NONE : of->element, of->key};
    for (uint32_t i = 0; marked[number] && i < 2 + of->member_count; i++) {
        uint32_t part = i < 2 ? own[i] : of->members[i - 2].type;
        if (part == KILN_TYPE_NONE || marked[part])
            continue;
        marked[part] = true;
        found = true;
    }
    return found;
}

/* Marks spread in rounds over all types. The order alternates between ascending and descending, so
 * chains in either direction need few rounds. The check gives up after this many rounds, which
 * keeps its time linear. */
enum { ROUNDS_MAX = 2000 };

/* The state of the check over all types. */
typedef struct checker {
    schema_reader *reader;
    const bake_schema *schema;
    bool *used;              /* by type: an asset, a component, or part of another type */
    bool *marked;            /* by type: can be inside a struct with the atlas `marked_name` */
    const char *marked_name; /* the atlas that `marked` was computed for */
    const char **names;      /* of all fields that are atlases, sorted */
    size_t name_count;
    unsigned rounds; /* rounds so far, over all atlases */
} checker;

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Returns false if memory runs out. */
static bool init_checker(checker *c)
{
    const bake_schema *schema = c->schema;
    uint32_t count = kiln_types_count(schema->types);
    c->used = bake_alloc_array((size_t)count + 1, sizeof *c->used);
    c->marked = bake_alloc_array((size_t)count + 1, sizeof *c->marked);
    c->names = bake_alloc_array((size_t)schema->member_count + 1, sizeof *c->names);
    if (!c->used || !c->marked || !c->names)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        const kiln_type *of = kiln_types_get(schema->types, i);
        c->used[i] |= (of->flags & (KILN_TYPE_ASSET | KILN_TYPE_COMPONENT)) != 0;
        if (of->kind != KILN_KIND_REF && of->element != KILN_TYPE_NONE)
            c->used[of->element] = true;
        for (uint32_t m = 0; m < of->member_count; m++) {
            uint32_t part = of->members[m].type;
            if (part == KILN_TYPE_NONE)
                continue;
            c->used[part] = true;
            if (is_plain_struct(of) && bake_schema_atlas(schema, part))
                c->names[c->name_count++] = of->members[m].name;
        }
    }
    if (c->name_count > 1)
        qsort(c->names, c->name_count, sizeof *c->names, compare_names);
    return true;
}

/* Marks all types whose values can be inside a struct with an atlas of this name. */
static void mark_enclosed_types(checker *c, const char *name)
{
    uint32_t count = kiln_types_count(c->schema->types);
    bool found = true;
    for (uint32_t i = 0; i < count; i++)
        c->marked[i] = atlas_field(c->schema, i, name) != NULL;
    for (unsigned round = 0; found && c->rounds < ROUNDS_MAX; round++, c->rounds++) {
        found = false;
        for (uint32_t i = 0; i < count; i++)
            found |= mark_parts(c->schema->types, round % 2 ? count - 1 - i : i, c->marked);
    }
    for (uint32_t i = 0; found && i < count; i++)
        c->marked[i] = true;
    c->marked_name = name;
}

/* Whether a struct with an atlas of this name can contain values of `type`. */
static bool may_be_enclosed(checker *c, uint32_t type, const char *name)
{
    if (c->name_count == 0 ||
        !bsearch(&name, c->names, c->name_count, sizeof *c->names, compare_names))
        return false;
    if (c->marked_name && strcmp(c->marked_name, name) == 0)
        return c->marked[type];
    if (c->rounds >= ROUNDS_MAX)
        return true;
    mark_enclosed_types(c, name);
    return c->marked[type];
}

/* Adds a hint with another struct that has this atlas, or with similar names of atlases. */
static void hint_atlases(schema_reader *reader, const char *name)
{
    enum { NAMES_MAX = 1000 };
    const bake_schema *schema = reader->schema;
    const char *names[NAMES_MAX];
    size_t count = 0;
    if (!bake_hints_wanted(reader->diagnostics))
        return;
    for (uint32_t i = 0; i < kiln_types_count(schema->types); i++) {
        const kiln_type *of = kiln_types_get(schema->types, i);
        if (atlas_field(schema, i, name)) {
            bake_hint(reader->diagnostics,
                      "%s has such a field, but its values do not contain this type", of->name);
            return;
        }
        for (uint32_t m = 0; is_plain_struct(of) && m < of->member_count && count < NAMES_MAX; m++)
            if (bake_schema_atlas(schema, of->members[m].type))
                names[count++] = of->members[m].name;
    }
    if (count == 0)
        bake_hint(reader->diagnostics,
                  "an atlas is a newtype (`wrap`) of a string with `path` and `states`");
    else
        bake_hint_similar(reader->diagnostics, name, strlen(name), names, count);
}

/* Unused types are not reported, because their enclosing struct is unknown. */
static void check_state(checker *c, uint32_t type, uint32_t number)
{
    schema_reader *reader = c->reader;
    const bake_schema *schema = reader->schema;
    const kiln_type *owner = kiln_types_get(schema->types, type);
    const kiln_type *of = kiln_types_get(schema->types, owner->members[number].type);
    const schema_member *member = &reader->extras[type].members[number];
    const char *path = bake_schema_path(reader, owner->name, owner->members[number].name);
    const char *name = member->state_of;
    if (of->kind == KILN_KIND_DATA)
        of = kiln_types_get(schema->types, of->element);
    if (of->kind == KILN_KIND_OPTIONAL)
        of = kiln_types_get(schema->types, of->element);
    if (of->kind != KILN_KIND_STRING) {
        bake_report(reader->diagnostics, BAKE_ERROR, member->state_mark, "schema", path,
                    "`state_of` is only for strings");
        bake_hint(reader->diagnostics,
                  "to use it elsewhere, wrap the string: `State: {wrap: string, state_of: %.60s}`",
                  name);
        return;
    }
    if (is_plain_struct(owner) && bake_schema_current_member(schema, type, name, strlen(name))) {
        if (!atlas_field(schema, type, name))
            bake_report(reader->diagnostics, BAKE_ERROR, member->state_mark, "schema", path,
                        "the field \"%.100s\" is not an atlas: its type has no `states`", name);
        return;
    }
    if (may_be_enclosed(c, type, name) || !c->used[type])
        return;
    bake_report(reader->diagnostics, BAKE_ERROR, member->state_mark, "schema", path,
                "neither %s nor an enclosing struct has a field \"%.100s\" that is an atlas",
                owner->name, name);
    hint_atlases(reader, name);
}

/* Copies resources and states to the schema. Returns whether any field is a state. */
static bool copy_to_schema(schema_reader *reader)
{
    bake_schema *schema = reader->schema;
    bool has_states = false;
    for (uint32_t i = 0; i < reader->type_count; i++) {
        const kiln_type *type = kiln_types_get(schema->types, i);
        const schema_type *extra = &reader->extras[i];
        schema->info[i].resource =
            extra->row_of ? reader->extras[extra->row_of - 1].resource : extra->resource;
        schema->has_resources |= extra->resource != NULL;
        for (uint32_t m = 0; extra->members && m < type->member_count; m++) {
            const char *name = extra->members[m].state_of;
            schema->members[schema->info[i].first_member + m].state_of = name;
            has_states |= name != NULL;
        }
    }
    schema->has_resources |= has_states;
    return has_states;
}

void bake_schema_apply_resources(schema_reader *reader)
{
    checker c = {.reader = reader, .schema = reader->schema};
    bool has_states = copy_to_schema(reader), is_ready = has_states && init_checker(&c);
    if (has_states && !is_ready)
        bake_fail_memory(reader->failure);
    for (uint32_t i = 0; is_ready && i < reader->type_count; i++) {
        const schema_type *extra = &reader->extras[i];
        uint32_t count = kiln_types_get(c.schema->types, i)->member_count;
        /* Rows have the same fields as their structs, which are checked anyway. */
        for (uint32_t m = 0; extra->members && !extra->row_of && m < count; m++)
            if (extra->members[m].state_of)
                check_state(&c, i, m);
    }
    bake_free(c.used);
    bake_free(c.marked);
    bake_free(c.names);
}
