/* Structs with `component: row`: plain ones for assets, and beside each the component that has the
 * same fields, `NAME_row`. */
#include "schema_reader.h"

#include <string.h>

enum { DEPTH_MAX = 4 * KILN_INLINE_DEPTH_MAX };

/* Whether a value has an entity or data in it by value. */
static bool has_words(const schema_reader *reader, uint32_t number, int depth)
{
    if (number == KILN_TYPE_NONE || depth > DEPTH_MAX)
        return false;
    const kiln_type *type = &reader->types[number];
    bool found = type->kind == KILN_KIND_ENTITY || type->kind == KILN_KIND_DATA ||
                 (type->kind == KILN_KIND_FIXED && has_words(reader, type->element, depth + 1));
    for (uint32_t i = 0; type->kind == KILN_KIND_STRUCT && !found && i < type->member_count; i++)
        found = has_words(reader, type->members[i].type, depth + 1);
    return found;
}

/* The names with `_row` behind them. */
static void name_row(schema_reader *reader, kiln_type *row, schema_type *extra)
{
    row->name = extra->name = bake_store_join(reader->store, row->name, '_', "row");
    const char **was = bake_store_alloc(reader->store, (size_t)row->was_count + 1, sizeof *was);
    for (uint32_t i = 0; was && i < row->was_count; i++)
        was[i] = bake_store_join(reader->store, row->was[i], '_', "row");
    row->was = was;
}

/* False where the name is taken, which is reported, or when memory ran out. */
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
                    "the row of \"%s\" is called \"%s\", which is declared already",
                    reader->types[number].name, row.name);
        bake_related(reader->diagnostics, reader->extras[other].mark, "declared here");
        return false;
    }
    if (strlen(row.name) > KILN_NAME_MAX)
        return bake_report(reader->diagnostics, BAKE_ERROR, extra.mark, "name",
                           reader->types[number].name,
                           "the type's row is called as the type with `_row` behind it, which has "
                           "%zu bytes, at most %d are allowed",
                           strlen(row.name), KILN_NAME_MAX);
    if (size)
        memcpy(members, row.members, size * sizeof *members);
    row.members = members;
    row.flags = (row.flags & ~(uint32_t)KILN_TYPE_ASSET) | KILN_TYPE_COMPONENT;
    extra.row_of = number + 1;
    extra.has_row = false;
    return bake_schema_add_type(reader, &row, &extra) != KILN_TYPE_NONE;
}

/* Assets have no entities: the plain struct goes without those fields. */
static void drop_words(schema_reader *reader, uint32_t number)
{
    const kiln_type *type = &reader->types[number];
    kiln_member *members =
        bake_store_alloc(reader->store, (size_t)type->member_count + 1, sizeof *members);
    schema_member *extras =
        bake_store_alloc(reader->store, (size_t)type->member_count + 1, sizeof *extras);
    uint32_t kept = 0;
    for (uint32_t i = 0; members && extras && i < type->member_count; i++) {
        if (has_words(reader, type->members[i].type, 0))
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
        drop_words(reader, i);
    }
}

uint32_t bake_schema_row_of(const schema_reader *reader, uint32_t type)
{
    for (uint32_t i = reader->named_count; i < reader->type_count; i++)
        if (reader->extras[i].row_of == type + 1)
            return i;
    return KILN_TYPE_NONE;
}
