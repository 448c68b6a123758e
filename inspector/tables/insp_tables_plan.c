/* Plans tables from first to last. A table's columns are planned before those of its child tables,
 * which are appended to the list. So columns of a table follow one another, and the limits divide
 * the tables evenly between the roots.
 *
 * Types contain themselves only through named types. `inside` of a table is the chain of the named
 * types that contain its values. */
#include "insp_tables_plan.h"

#include "insp_memory.h"
#include "insp_path.h"
#include "path_quote.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { LAYERS_MAX = 16, STEP_SIZE = 32 };

/* The value for which a part is planned. */
typedef struct place {
    const kiln_types *types;
    uint32_t type, table;
    uint32_t name, path; /* texts; `name` may be INSP_NUMBER_NONE */
    uint32_t inside;
} place;

static const kiln_type *type_of(const place *at)
{
    return kiln_types_get(at->types, at->type);
}

static bool is_scalar(kiln_kind kind)
{
    return kind != KILN_KIND_STRUCT && kind != KILN_KIND_UNION && kind != KILN_KIND_ARRAY &&
           kind != KILN_KIND_MAP && kind != KILN_KIND_OPTIONAL && kind != KILN_KIND_FIXED &&
           kind != KILN_KIND_DATA;
}

/* The type of the value in a column: without newtypes, and without one optional or data. NULL if
 * the value needs more than a column. */
static const kiln_type *column_type(const kiln_types *types, uint32_t type)
{
    const kiln_type *of = kiln_types_get(types, type);
    int layers, absences = 0;
    for (layers = 0; of && layers < LAYERS_MAX && !is_scalar(of->kind); layers++) {
        if (of->kind == KILN_KIND_STRUCT && of->flags & KILN_TYPE_TRANSPARENT &&
            of->member_count == 1)
            type = of->members[0].type;
        else if ((of->kind == KILN_KIND_OPTIONAL || of->kind == KILN_KIND_DATA) && !absences++)
            type = of->element;
        else
            return NULL;
        of = kiln_types_get(types, type);
    }
    return of && is_scalar(of->kind) ? of : NULL;
}

static bool is_inside(const insp_tables *tables, const place *at)
{
    uint32_t i = at->inside;
    for (; i != INSP_NUMBER_NONE; i = tables->insides[i].up)
        if (tables->insides[i].type == at->type && tables->insides[i].types == at->types)
            return true;
    return false;
}

/* Adds the type to the chain. */
static uint32_t enter(insp_tables *tables, const place *at)
{
    insp_inside *grown = insp_grow(tables->insides, &tables->inside_capacity,
                                   (size_t)tables->inside_count + 1, sizeof *grown);
    tables->failed = tables->failed || !grown;
    if (!grown)
        return at->inside;
    tables->insides = grown;
    grown[tables->inside_count] = (insp_inside){at->types, at->type, at->inside};
    return tables->inside_count++;
}

static void plan_column(insp_tables *tables, uint32_t part, const place *at, bool is_json)
{
    char name[KILN_NAME_MAX * 4] = "value";
    uint32_t number = insp_tables_add_column(tables), text;
    if (number == INSP_NUMBER_NONE)
        return;
    if (at->name != INSP_NUMBER_NONE)
        snprintf(name, sizeof name, "%s", tables->texts + at->name);
    text = insp_tables_name(tables, at->table, name);
    tables->columns[number] =
        (insp_column){.name = text, .path = at->path, .table = at->table, .is_json = is_json};
    tables->columns[number].types = at->types;
    tables->columns[number].type = at->type;
    tables->columns[number].of = is_json ? NULL : column_type(at->types, at->type);
    if (!tables->columns[number].of)
        tables->columns[number].of = type_of(at);
    tables->parts[part].kind = is_json ? INSP_PART_JSON : INSP_PART_COLUMN;
    tables->parts[part].of = type_of(at)->kind;
    tables->parts[part].number = number - tables->tables[at->table].first_column;
}

/* Adds a child table for the value, or a column with JSON if that is not possible. */
static void plan_child(insp_tables *tables, uint32_t part, const place *at)
{
    const insp_table *parent = &tables->tables[at->table];
    const kiln_type *of = type_of(at);
    char name[KILN_NAME_MAX * 4], step[KILN_NAME_MAX * 2] = "value";
    uint32_t number;
    if (tables->is_flat || parent->depth >= INSP_TABLE_DEPTH ||
        tables->child_count >= INSP_TABLES_MAX || tables->column_count >= INSP_TABLE_COLUMNS) {
        plan_column(tables, part, at, true);
        return;
    }
    if (at->name != INSP_NUMBER_NONE)
        snprintf(step, sizeof step, "%s", tables->texts + at->name);
    snprintf(name, sizeof name, "%s_%s", tables->texts + parent->name, step);
    number = insp_tables_add_table(tables);
    if (number == INSP_NUMBER_NONE)
        return;
    tables->child_count++;
    insp_table *table = &tables->tables[number];
    parent = &tables->tables[at->table];
    table->kind = of->kind == KILN_KIND_MAP                                    ? INSP_TABLE_MAP
                  : of->kind == KILN_KIND_ARRAY || of->kind == KILN_KIND_FIXED ? INSP_TABLE_LIST
                                                                               : INSP_TABLE_PART;
    table->root = parent->root;
    table->parent = at->table;
    table->depth = parent->depth + 1;
    table->path = at->path;
    table->types = at->types;
    table->type =
        of->kind == KILN_KIND_STRUCT || of->kind == KILN_KIND_UNION || of->kind == KILN_KIND_DATA
            ? at->type
            : of->element;
    table->key_type = table->kind == INSP_TABLE_MAP ? of->key : KILN_TYPE_NONE;
    table->inside = at->inside;
    table->name = insp_tables_reserve(tables, name);
    tables->parts[part].kind = INSP_PART_CHILD;
    tables->parts[part].of = of->kind;
    tables->parts[part].number = number;
}

static void plan_part(insp_tables *tables, uint32_t part, place at);

/* Appends a step to a path as `kiln-inspect get` reads it: with quotes if the name needs them. */
static uint32_t join_step(insp_tables *tables, uint32_t path, const char *name)
{
    insp_path step = {0};
    char text[KILN_NAME_MAX * PATH_ESCAPE_SIZE + 3];
    insp_path_add_name(&step, name, strlen(name));
    snprintf(text, sizeof text, "%.*s", (int)step.length, insp_path_text(&step));
    tables->failed = tables->failed || step.failed;
    insp_path_fini(&step);
    return tables->failed ? INSP_NUMBER_NONE : insp_tables_join(tables, path, ".", text);
}

static place field_of(insp_tables *tables, const place *at, const kiln_member *member)
{
    place made = *at;
    made.type = member->type;
    if (type_of(at)->flags & KILN_TYPE_TRANSPARENT)
        return made;
    made.name = insp_tables_join(tables, at->name, "_", member->name);
    made.path = join_step(tables, at->path, member->name);
    return made;
}

static void plan_struct(insp_tables *tables, uint32_t part, place at)
{
    const kiln_type *of = type_of(&at);
    uint32_t first = insp_tables_add_parts(tables, of->member_count), i;
    at.inside = enter(tables, &at);
    if (tables->failed)
        return;
    tables->parts[part] = (insp_part){INSP_PART_STRUCT, of->kind, 0, first, of->member_count};
    for (i = 0; i < of->member_count && !tables->failed; i++) {
        place field = field_of(tables, &at, &of->members[i]);
        if (!tables->failed)
            plan_part(tables, first + i, field);
    }
}

static void plan_union(insp_tables *tables, uint32_t part, place at)
{
    const kiln_type *of = type_of(&at);
    uint32_t first = insp_tables_add_parts(tables, of->member_count), number, i;
    /* The column of the alternative's name. */
    plan_column(tables, part, &at, false);
    at.inside = enter(tables, &at);
    if (tables->failed)
        return;
    number = tables->parts[part].number;
    tables->parts[part] = (insp_part){INSP_PART_UNION, of->kind, number, first, of->member_count};
    for (i = 0; i < of->member_count && !tables->failed; i++) {
        place value = at;
        value.type = of->members[i].type;
        if (value.type == KILN_TYPE_NONE)
            continue;
        value.name = insp_tables_join(tables, at.name, "_", of->members[i].name);
        value.path = join_step(tables, at.path, of->members[i].name);
        if (tables->failed)
            return;
        if (column_type(at.types, value.type) || is_inside(tables, &value))
            plan_part(tables, first + i, value);
        else
            plan_child(tables, first + i, &value);
    }
}

static void plan_fixed(insp_tables *tables, uint32_t part, const place *at)
{
    const kiln_type *of = type_of(at);
    uint32_t first = insp_tables_add_parts(tables, of->count), i;
    tables->parts[part] = (insp_part){INSP_PART_FIXED, of->kind, 0, first, of->count};
    for (i = 0; i < of->count && !tables->failed; i++) {
        char step[STEP_SIZE];
        place element = *at;
        element.type = of->element;
        snprintf(step, sizeof step, "%" PRIu32, i);
        element.name = insp_tables_join(tables, at->name, "_", step);
        snprintf(step, sizeof step, "[%" PRIu32 "]", i);
        element.path = insp_tables_join(tables, at->path, "", step);
        if (!tables->failed)
            plan_column(tables, first + i, &element, false);
    }
}

static void plan_part(insp_tables *tables, uint32_t part, place at)
{
    const kiln_type *of;
    if (column_type(at.types, at.type)) {
        plan_column(tables, part, &at, false);
        return;
    }
    /* Absent data are empty, or a struct whose columns are NULL. Data contain no data (T3). */
    if (type_of(&at)->kind == KILN_KIND_DATA)
        at.type = type_of(&at)->element;
    of = type_of(&at);
    if (is_inside(tables, &at) || tables->column_count >= INSP_TABLE_COLUMNS) {
        plan_column(tables, part, &at, true);
        return;
    }
    switch (of->kind) {
    case KILN_KIND_STRUCT:
        plan_struct(tables, part, at);
        return;
    case KILN_KIND_UNION:
        if (tables->is_flat)
            plan_column(tables, part, &at, true);
        else
            plan_union(tables, part, at);
        return;
    case KILN_KIND_FIXED:
        if (of->count <= INSP_INLINE_ELEMENTS && column_type(at.types, of->element)) {
            plan_fixed(tables, part, &at);
            return;
        }
        break;
    default:
        break;
    }
    plan_child(tables, part, &at);
}

/* Reserves the names of columns that belong to no value, which fields may have. */
static void reserve_own_columns(insp_tables *tables, uint32_t number)
{
    static const char *const names[] = {"_asset", "_entity", "_row", "_parent", "_position"};
    size_t i;
    if (tables->is_flat)
        insp_tables_name(tables, number, "_path");
    for (i = 0; !tables->is_flat && i < sizeof names / sizeof *names; i++)
        insp_tables_name(tables, number, names[i]);
}

/* Plans the key and the value of a table. */
static void plan_table(insp_tables *tables, uint32_t number)
{
    insp_table table = tables->tables[number];
    uint32_t parts = insp_tables_add_parts(tables, 2);
    place at = {table.types, table.type, number, INSP_NUMBER_NONE, table.path, table.inside};
    if (parts == INSP_NUMBER_NONE)
        return;
    tables->tables[number].first_column = tables->column_count;
    reserve_own_columns(tables, number);
    if (table.kind == INSP_TABLE_MAP) {
        place key = at;
        key.type = table.key_type;
        key.name = insp_tables_join(tables, INSP_NUMBER_NONE, "", "_key");
        tables->tables[number].key = parts;
        if (!tables->failed)
            plan_part(tables, parts, key);
    }
    if (table.kind == INSP_TABLE_LIST && !tables->failed)
        at.path = insp_tables_join(tables, table.path, "", "[]");
    if (table.kind == INSP_TABLE_MAP && !tables->failed)
        at.path = insp_tables_join(tables, table.path, "", "{}");
    if (tables->failed)
        return;
    if (table.type != KILN_TYPE_NONE) {
        tables->tables[number].value = parts + 1;
        plan_part(tables, parts + 1, at);
    } else if (table.has_bytes) {
        uint32_t column = insp_tables_add_column(tables);
        uint32_t name = insp_tables_name(tables, number, "bytes");
        if (!tables->failed)
            tables->columns[column] =
                (insp_column){.name = name, .path = table.path, .table = number};
    }
    tables->tables[number].column_count =
        tables->column_count - tables->tables[number].first_column;
}

bool insp_tables_plan(insp_tables *tables)
{
    uint32_t i;
    /* Roots come first in the order of names, so that child tables do not take their names. */
    for (i = tables->planned; i < tables->table_count && !tables->failed; i++) {
        char name[KILN_NAME_MAX + 1];
        snprintf(name, sizeof name, "%s", tables->texts + tables->tables[i].path);
        uint32_t text = insp_tables_reserve(tables, name[0] ? name : "type");
        tables->tables[i].name = text;
    }
    for (; tables->planned < tables->table_count && !tables->failed; tables->planned++)
        plan_table(tables, tables->planned);
    return !tables->failed;
}
