/* Components: moves fields to the scene's data, and declares the struct SceneData for that data.
 *
 * Component rows are moved bytewise, so they cannot contain relative pointers. A field with
 * strings, lists or other relative parts becomes `data<T>`, a reference into a list of T. SceneData
 * has one such list for each data field of each component, named after the path of the field. */
#include "schema_reader.h"

#include <kiln/chunk_layout.h>
#include <stdio.h>
#include <string.h>

/* Contents of a type by value, as flags. */
enum {
    HOLDS_RELATIVE = 1, /* a string, bytes, list, map, optional or union */
    HOLDS_HANDLES = 2,  /* an entity or data */
    HOLDS_DATA = 4,
    HOLDS_KNOWN = 8
};
enum { DEPTH_MAX = 4 * KILN_INLINE_DEPTH_MAX, NAMES_MAX = 64, LISTS_MAX = 65536 };

static const char data_name[] = "SceneData";

static bool is_component(const schema_reader *reader, uint32_t number)
{
    return (reader->types[number].flags & KILN_TYPE_COMPONENT) != 0;
}

/* Examines each type once. HOLDS_KNOWN is set before the recursion, so the recursion ends even if a
 * type contains itself. bake_schema_check_types reports such types. */
static uint8_t holds(schema_reader *reader, uint32_t number, int depth)
{
    const kiln_type *type = &reader->types[number];
    schema_type *extra = &reader->extras[number];
    uint8_t found = HOLDS_KNOWN;
    if (extra->holds || depth > DEPTH_MAX)
        return extra->holds;
    extra->holds = HOLDS_KNOWN;
    switch (type->kind) {
    case KILN_KIND_STRING:
    case KILN_KIND_BYTES:
    case KILN_KIND_UNION:
    case KILN_KIND_ARRAY:
    case KILN_KIND_MAP:
    case KILN_KIND_OPTIONAL:
        found |= HOLDS_RELATIVE;
        break;
    case KILN_KIND_DATA:
        found |= HOLDS_HANDLES | HOLDS_DATA;
        break;
    case KILN_KIND_ENTITY:
        found |= HOLDS_HANDLES;
        break;
    case KILN_KIND_FIXED:
        found |= holds(reader, type->element, depth + 1);
        break;
    case KILN_KIND_STRUCT:
        for (uint32_t i = 0; i < type->member_count; i++)
            if (type->members[i].type != KILN_TYPE_NONE)
                found |= holds(reader, type->members[i].type, depth + 1);
        /* In a component, relative parts become data. */
        if (is_component(reader, number) && (found & HOLDS_RELATIVE))
            found = HOLDS_KNOWN | HOLDS_HANDLES | HOLDS_DATA;
        break;
    default:
        break;
    }
    extra->holds = found;
    return found;
}

static bool has(schema_reader *reader, uint32_t number, uint8_t what)
{
    return number != KILN_TYPE_NONE && (holds(reader, number, 0) & what) != 0;
}

static bool refuse(schema_reader *reader, bake_mark mark, const char *rule, const char *path,
                   const char *message)
{
    return bake_report(reader->diagnostics, BAKE_ERROR, mark, rule, path, "%s", message);
}

/* Changes fields with relative parts from T to `data<T>`. */
static void move_to_data(schema_reader *reader, uint32_t number)
{
    for (uint32_t i = 0; i < reader->types[number].member_count; i++) {
        kiln_member *member = (kiln_member *)(uintptr_t)&reader->types[number].members[i];
        const schema_file *file = reader->extras[number].file;
        bake_mark mark = reader->extras[number].members[i].type_mark;
        if (!has(reader, member->type, HOLDS_RELATIVE))
            continue;
        kiln_type data = bake_schema_blank_type(KILN_KIND_DATA, "");
        data.element = member->type;
        uint32_t data_type = bake_schema_intern(reader, &data, file, mark);
        if (data_type == KILN_TYPE_NONE)
            return;
        member->type = data_type;
        if (reader->extras[data_type].anonymous_depth > KILN_ANONYMOUS_DEPTH_MAX)
            refuse(reader, mark, "type", reader->extras[number].name,
                   "more than 8 unnamed types are nested here; declare a named type for a part of "
                   "them");
    }
}

/* Reports a `rest` field with data, and defaults that contain entities or data by value. A default
 * is a constant image, but entities and data get their values only in a scene. The default of a
 * data field is a value of its element type, so it is allowed. */
static void check_component_field(schema_reader *reader, uint32_t number, uint32_t i)
{
    const schema_type *extra = &reader->extras[number];
    const kiln_member *member = &reader->types[number].members[i];
    const schema_member *place = &extra->members[i];
    const char *path = bake_schema_path(reader, extra->name, member->name);
    if (!has(reader, member->type, HOLDS_HANDLES))
        return;
    if (member->flags & KILN_MEMBER_REST)
        refuse(reader, place->mark, "rest", path,
               "a map that is stored in the scene's data cannot be `rest`; declare a type for it");
    if (place->default_node == BAKE_NODE_NONE || reader->types[member->type].kind == KILN_KIND_DATA)
        return;
    refuse(reader, schema_mark(extra->file, place->default_node), "default", path,
           reader->types[member->type].kind == KILN_KIND_ENTITY
               ? "an entity cannot have a default; it is null when left out"
               : "a value with entities or data cannot have a default; its fields can");
}

/* Reports misplaced entities and data: in types that are stored in blobs, and in fields that have
 * `rest` or a default. */
static void check_use(schema_reader *reader, uint32_t number)
{
    const kiln_type *type = &reader->types[number];
    const schema_type *extra = &reader->extras[number];
    uint8_t both = HOLDS_RELATIVE | HOLDS_HANDLES;
    if (type->kind == KILN_KIND_STRUCT) {
        if ((holds(reader, number, 0) & both) == both)
            refuse(reader, extra->mark, "component", extra->name,
                   "a type with an entity or data cannot contain strings, bytes, lists, maps, "
                   "optionals or unions by value, unless it has `component: true`");
        else if (type->flags & KILN_TYPE_ASSET && has(reader, number, HOLDS_HANDLES))
            refuse(reader, extra->mark, "component", extra->name,
                   "an asset cannot contain an entity or data");
        for (uint32_t i = 0; i < type->member_count; i++)
            check_component_field(reader, number, i);
    } else if (type->kind == KILN_KIND_UNION) {
        for (uint32_t i = 0; i < type->member_count; i++)
            if (has(reader, type->members[i].type, HOLDS_HANDLES))
                refuse(reader, extra->members[i].type_mark, "component",
                       bake_schema_path(reader, extra->name, type->members[i].name),
                       "an alternative cannot contain an entity or data");
    } else if (type->kind != KILN_KIND_FIXED && type->kind != KILN_KIND_REF &&
               has(reader, type->element, HOLDS_HANDLES)) {
        refuse(reader, extra->mark, "component", NULL,
               "entities and data are only allowed in components, directly or inside structs and "
               "fixed arrays, and not in lists, maps, optionals or other data");
    }
}

/* A path from a component through fields to data: the current and earlier names of the component
 * and of each field. */
typedef struct data_path {
    const char *names[DEPTH_MAX + 2];
    const char *const *was[DEPTH_MAX + 2];
    uint32_t was_counts[DEPTH_MAX + 2];
    uint32_t length;
} data_path;

/* The lists of SceneData. The search runs twice: first to count the lists, then to fill them. */
typedef struct data_lists {
    schema_reader *reader;
    kiln_member *members;
    schema_member *extras;
    uint32_t count;
} data_lists;

/* Joins the names of a path with dots. `number` selects a combination of current and earlier names;
 * 0 means all current names. */
static const char *join_path(schema_reader *reader, const data_path *path, uint32_t number)
{
    const char *text = "";
    for (uint32_t i = 0; i < path->length && text; i++) {
        uint32_t choice = number % (path->was_counts[i] + 1);
        number /= path->was_counts[i] + 1;
        const char *name = choice ? path->was[i][choice - 1] : path->names[i];
        text = i ? bake_store_join(reader->store, text, '.', name) : name;
    }
    return text ? text : "";
}

/* The earlier names of a list are combinations of the current and earlier names on its path. At
 * most NAMES_MAX of them are used. */
static void add_was(schema_reader *reader, const data_path *path, kiln_member *member)
{
    uint64_t combinations = 1;
    for (uint32_t i = 0; i < path->length && combinations <= NAMES_MAX; i++)
        combinations *= path->was_counts[i] + (uint64_t)1;
    if (combinations > NAMES_MAX)
        combinations = NAMES_MAX;
    const char **was =
        combinations > 1 ? bake_store_alloc(reader->store, combinations, sizeof *was) : NULL;
    for (uint32_t i = 1; was && i < combinations; i++)
        was[member->was_count++] = join_path(reader, path, i);
    member->was = was;
}

static void add_list(data_lists *lists, const data_path *path, uint32_t element, bake_mark mark)
{
    schema_reader *reader = lists->reader;
    uint32_t number = lists->count++;
    if (!lists->members)
        return;
    kiln_member *member = &lists->members[number];
    kiln_type list = bake_schema_blank_type(KILN_KIND_ARRAY, "");
    list.element = element;
    member->name = join_path(reader, path, 0);
    member->doc = "";
    member->type = bake_schema_intern(reader, &list, reader->files[0], mark);
    add_was(reader, path, member);
    lists->extras[number].mark = lists->extras[number].type_mark = mark;
    lists->extras[number].default_node = lists->extras[number].range_node = BAKE_NODE_NONE;
    if (strlen(member->name) > KILN_NAME_MAX)
        bake_report(
            reader->diagnostics, BAKE_ERROR, mark, "name", path->names[0],
            "the name of the list for this field's values, \"%.60s...\", has more than %d bytes",
            member->name, KILN_NAME_MAX);
}

static void add_lists(data_lists *lists, uint32_t number, data_path *path)
{
    schema_reader *reader = lists->reader;
    for (uint32_t i = 0; i < reader->types[number].member_count; i++) {
        const kiln_member *member = &reader->types[number].members[i];
        bake_mark mark = reader->extras[number].members[i].mark;
        uint32_t part = member->type;
        if (!has(reader, part, HOLDS_DATA) || path->length > DEPTH_MAX || lists->count > LISTS_MAX)
            continue;
        while (reader->types[part].kind == KILN_KIND_FIXED)
            part = reader->types[part].element;
        path->names[path->length] = member->name;
        path->was[path->length] = member->was;
        path->was_counts[path->length++] = member->was_count;
        if (reader->types[part].kind == KILN_KIND_DATA)
            add_list(lists, path, reader->types[part].element, mark);
        else if (reader->types[part].kind == KILN_KIND_STRUCT)
            add_lists(lists, part, path);
        path->length--;
    }
}

static void add_all_lists(data_lists *lists)
{
    schema_reader *reader = lists->reader;
    lists->count = 0;
    for (uint32_t i = 0; i < reader->type_count; i++) {
        const kiln_type *type = &reader->types[i];
        data_path path;
        if (type->kind != KILN_KIND_STRUCT || !has(reader, i, HOLDS_DATA))
            continue;
        path.names[0] = type->name;
        path.was[0] = type->was;
        path.was_counts[0] = type->was_count;
        path.length = 1;
        add_lists(lists, i, &path);
    }
}

/* Declares the struct SceneData if any component has data. */
static void add_scene_data(schema_reader *reader)
{
    data_lists lists = {reader, NULL, NULL, 0};
    kiln_type type;
    schema_type extra;
    add_all_lists(&lists);
    if (lists.count == 0)
        return;
    if (lists.count > LISTS_MAX) {
        refuse(reader, reader->extras[0].mark, "component", NULL,
               "all components together have more than 65536 fields in the scene's data");
        return;
    }
    memset(&type, 0, sizeof type);
    memset(&extra, 0, sizeof extra);
    const schema_file *file = reader->files[0];
    type.name = extra.name = bake_store_join(reader->store, file->name_space, '.', data_name);
    lists.members = bake_store_alloc(reader->store, lists.count, sizeof *lists.members);
    lists.extras = bake_store_alloc(reader->store, lists.count, sizeof *lists.extras);
    if (!type.name || !lists.members || !lists.extras)
        return;
    uint32_t other = bake_schema_find_type(reader, type.name, strlen(type.name));
    if (other != KILN_TYPE_NONE) {
        bake_report(reader->diagnostics, BAKE_ERROR, reader->extras[other].mark, "name", NULL,
                    "\"%s\" is reserved for the data of components; rename this type", type.name);
        return;
    }
    add_all_lists(&lists);
    extra.file = file;
    extra.mark.source = file->source;
    extra.mark.line = extra.mark.column = extra.mark.length = 1;
    extra.members = lists.extras;
    for (int i = 0; i < TYPE_ATTRIBUTES; i++)
        extra.attributes[i] = BAKE_NODE_NONE;
    type.kind = KILN_KIND_STRUCT;
    type.flags = KILN_TYPE_ASSET;
    type.doc = "The texts, lists, maps, optionals and unions of a scene's components.";
    type.element = type.key = KILN_TYPE_NONE;
    type.members = lists.members;
    type.member_count = lists.count;
    reader->schema->scene_data = bake_schema_add_type(reader, &type, &extra);
}

void bake_schema_read_components(schema_reader *reader)
{
    for (uint32_t i = 0; i < reader->type_count; i++) {
        if (!is_component(reader, i))
            continue;
        if (reader->types[i].flags & KILN_TYPE_ASSET)
            refuse(reader, reader->extras[i].mark, "component", reader->extras[i].name,
                   "a component cannot be an asset");
        move_to_data(reader, i);
    }
    for (uint32_t i = 0; i < reader->type_count; i++)
        check_use(reader, i);
    if (bake_diagnostics_errors(reader->diagnostics) == 0)
        add_scene_data(reader);
}

/* Sizes are known only after kiln_types_create has computed the layouts. */
void bake_schema_check_component_sizes(schema_reader *reader)
{
    for (uint32_t i = 0; i < reader->type_count; i++) {
        const kiln_type *type = kiln_types_get(reader->schema->types, i);
        if (!is_component(reader, i) || !type->member_count ||
            (type->size <= KILN_CHUNK_SIZE && type->align <= KILN_COLUMN_ALIGN))
            continue;
        bake_report(reader->diagnostics, BAKE_ERROR, reader->extras[i].mark, "component",
                    type->name,
                    "a component can have at most %d bytes and an alignment of %d; this one has %u "
                    "bytes and an alignment of %u",
                    KILN_CHUNK_SIZE, KILN_COLUMN_ALIGN, type->size, type->align);
    }
}

/* ---- `component: row` adds a component `NAME_row` with all fields of a struct, and keeps in the
 * struct those that assets can contain ---- */

/* Whether a type contains an entity or data by value. Unlike `holds`, which caches its results,
 * this function can be used while types still change. */
static bool has_handles(const schema_reader *reader, uint32_t number, int depth)
{
    if (number == KILN_TYPE_NONE || depth > DEPTH_MAX)
        return false;
    const kiln_type *type = &reader->types[number];
    bool found = type->kind == KILN_KIND_ENTITY || type->kind == KILN_KIND_DATA ||
                 (type->kind == KILN_KIND_FIXED && has_handles(reader, type->element, depth + 1));
    for (uint32_t i = 0; type->kind == KILN_KIND_STRUCT && !found && i < type->member_count; i++)
        found = has_handles(reader, type->members[i].type, depth + 1);
    return found;
}

/* Appends `_row` to the current and all earlier names. */
static void name_row(schema_reader *reader, kiln_type *row, schema_type *extra)
{
    row->name = extra->name = bake_store_join(reader->store, row->name, '_', "row");
    const char **was = bake_store_alloc(reader->store, (size_t)row->was_count + 1, sizeof *was);
    for (uint32_t i = 0; was && i < row->was_count; i++)
        was[i] = bake_store_join(reader->store, row->was[i], '_', "row");
    row->was = was;
}

/* Returns false if memory runs out, or after reporting that the name is taken or too long. */
static bool add_row(schema_reader *reader, uint32_t number)
{
    kiln_type row = reader->types[number];
    schema_type extra = reader->extras[number];
    size_t size = row.member_count;
    kiln_member *members = bake_store_alloc(reader->store, size + 1, sizeof *members);
    name_row(reader, &row, &extra);
    if (!members || !row.name || !row.was)
        return false;
    uint32_t other = bake_schema_find_type(reader, row.name, strlen(row.name));
    if (other != KILN_TYPE_NONE) {
        bake_report(reader->diagnostics, BAKE_ERROR, extra.mark, "name", row.name,
                    "the row of \"%s\" is named \"%s\", which is already declared",
                    reader->types[number].name, row.name);
        bake_related(reader->diagnostics, reader->extras[other].mark, "declared here");
        return false;
    }
    if (strlen(row.name) > KILN_NAME_MAX)
        return bake_report(reader->diagnostics, BAKE_ERROR, extra.mark, "name",
                           reader->types[number].name,
                           "the name of the row, which is the type's name and `_row`, has %zu "
                           "bytes; the maximum is %d",
                           strlen(row.name), KILN_NAME_MAX);
    if (size)
        memcpy(members, row.members, size * sizeof *members);
    row.members = members;
    row.flags = (row.flags & ~(uint32_t)KILN_TYPE_ASSET) | KILN_TYPE_COMPONENT;
    extra.row_of = number + 1;
    extra.has_row = false;
    return bake_schema_add_type(reader, &row, &extra) != KILN_TYPE_NONE;
}

/* Removes fields with entities or data from the plain struct, because assets cannot contain
 * them. */
static void drop_handle_fields(schema_reader *reader, uint32_t number)
{
    const kiln_type *type = &reader->types[number];
    kiln_member *members =
        bake_store_alloc(reader->store, (size_t)type->member_count + 1, sizeof *members);
    schema_member *extras =
        bake_store_alloc(reader->store, (size_t)type->member_count + 1, sizeof *extras);
    uint32_t kept = 0;
    for (uint32_t i = 0; members && extras && i < type->member_count; i++) {
        if (has_handles(reader, type->members[i].type, 0))
            continue;
        members[kept] = type->members[i];
        extras[kept++] = reader->extras[number].members[i];
    }
    if (!members || !extras)
        return;
    reader->types[number].members = members;
    reader->types[number].member_count = kept;
    reader->extras[number].members = extras;
}

void bake_schema_read_rows(schema_reader *reader)
{
    for (uint32_t i = 0; i < reader->named_count; i++) {
        if (!reader->extras[i].has_row || !add_row(reader, i))
            continue;
        drop_handle_fields(reader, i);
    }
}

uint32_t bake_schema_row_of(const schema_reader *reader, uint32_t type)
{
    for (uint32_t i = reader->named_count; i < reader->type_count; i++)
        if (reader->extras[i].row_of == type + 1)
            return i;
    return KILN_TYPE_NONE;
}
