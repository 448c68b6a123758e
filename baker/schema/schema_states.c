/* Fields that name a state of an atlas: whether there is a field that can have it. */
#include "schema_reader.h"

#include "bake_memory.h"

#include <stdlib.h>
#include <string.h>

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

/* The field of that name, where it is an atlas; NULL. */
static const kiln_member *atlas_field(const bake_schema *schema, uint32_t type, const char *name)
{
    const kiln_type *of = kiln_types_get(schema->types, type);
    const kiln_member *field =
        is_plain_struct(of) ? bake_schema_present_member(schema, type, name, strlen(name)) : NULL;
    return field && bake_schema_atlas(schema, field->type) ? field : NULL;
}

/* Marks each type that a value of a marked type may have in it. True where one was. */
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

/* What needs more rounds over all types is taken as right. */
enum { ROUNDS_MAX = 2000 };

/* What is asked of all types at once. */
typedef struct checker {
    schema_reader *reader;
    const bake_schema *schema;
    bool *used;         /* by type: other types have values of it, or it is an asset or component */
    bool *marked;       /* by type: may be in a struct with an atlas ... */
    const char *around; /* of this name */
    const char **names; /* of all fields that are atlases, ascending */
    size_t name_count;
    unsigned rounds; /* over all types, so far */
} checker;

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* False when memory ran out. */
static bool begin(checker *c)
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

/* Finds what may be in a struct with an atlas of that name. */
static void mark_around(checker *c, const char *name)
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
    c->around = name;
}

/* Whether a struct with an atlas of that name may be around values of `type`. */
static bool is_within(checker *c, uint32_t type, const char *name)
{
    if (c->name_count == 0 ||
        !bsearch(&name, c->names, c->name_count, sizeof *c->names, compare_names))
        return false;
    if (c->around && strcmp(c->around, name) == 0)
        return c->marked[type];
    if (c->rounds >= ROUNDS_MAX)
        return true;
    mark_around(c, name);
    return c->marked[type];
}

/* Atlases of any struct, whose names are like the one that is not there; or its very name. */
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
            bake_hint(reader->diagnostics, "%s has one, but no value of it has this one in it",
                      of->name);
            return;
        }
        for (uint32_t m = 0; is_plain_struct(of) && m < of->member_count && count < NAMES_MAX; m++)
            if (bake_schema_atlas(schema, of->members[m].type))
                names[count++] = of->members[m].name;
    }
    if (count == 0)
        bake_hint(reader->diagnostics, "an atlas is a wrap of a string with `path` and `states`");
    else
        bake_hint_similar(reader->diagnostics, name, strlen(name), names, count);
}

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
                    "`state_of` is for strings");
        bake_hint(reader->diagnostics,
                  "elsewhere a wrap has it: `State: {wrap: string, state_of: %.60s}`", name);
        return;
    }
    if (is_plain_struct(owner) && bake_schema_present_member(schema, type, name, strlen(name))) {
        if (!atlas_field(schema, type, name))
            bake_report(reader->diagnostics, BAKE_ERROR, member->state_mark, "schema", path,
                        "the field \"%.100s\" is no atlas: its type has no `states`", name);
        return;
    }
    if (is_within(c, type, name) || !c->used[type])
        return;
    bake_report(reader->diagnostics, BAKE_ERROR, member->state_mark, "schema", path,
                "neither %s nor a struct around it has a field \"%.100s\" that is an atlas",
                owner->name, name);
    hint_atlases(reader, name);
}

/* Takes over what was read; whether a field is a state. */
static bool take(schema_reader *reader)
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

void bake_schema_take_resources(schema_reader *reader)
{
    checker c = {.reader = reader, .schema = reader->schema};
    bool has_states = take(reader), is_begun = has_states && begin(&c);
    if (has_states && !is_begun)
        bake_fail_memory(reader->failure);
    for (uint32_t i = 0; is_begun && i < reader->type_count; i++) {
        const schema_type *extra = &reader->extras[i];
        uint32_t count = kiln_types_get(c.schema->types, i)->member_count;
        /* Of a row the struct tells. */
        for (uint32_t m = 0; extra->members && !extra->row_of && m < count; m++)
            if (extra->members[m].state_of)
                check_state(&c, i, m);
    }
    bake_free(c.used);
    bake_free(c.marked);
    bake_free(c.names);
}
