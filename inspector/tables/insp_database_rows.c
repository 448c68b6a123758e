/* Creates the tables of values and inserts their rows.
 *
 * The row of a table is bound value by value while it is read. The rows of child tables are
 * inserted before it, which is possible because foreign keys are checked by nobody before the
 * database is complete. */
#include "insp_database_rows.h"

#include "insp_memory.h"

#include <inttypes.h>
#include <kiln/asset_id.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { OWN_COLUMNS_MAX = 8 }; /* with a margin */

/* ---- SQL texts ---- */

typedef struct sql_text {
    char *text;
    size_t length, capacity;
    bool failed;
} sql_text;

static void add_bytes(sql_text *sql, const char *text, size_t length)
{
    char *grown = insp_grow(sql->text, &sql->capacity, sql->length + length + 1, 1);
    sql->failed = sql->failed || !grown;
    if (!grown)
        return;
    sql->text = grown;
    memcpy(grown + sql->length, text, length);
    sql->length += length;
    grown[sql->length] = '\0';
}

static void add(sql_text *sql, const char *text)
{
    add_bytes(sql, text, strlen(text));
}

/* Names consist of letters, digits and `_`; quotes make SQL's keywords names. */
static void add_name(sql_text *sql, const char *name)
{
    add(sql, "\"");
    add(sql, name);
    add(sql, "\"");
}

static bool run(insp_database_rows *rows, sql_text *sql)
{
    rows->database->failed = rows->database->failed || sql->failed;
    return !rows->database->failed && insp_database_run(rows->database, sql->text);
}

/* ---- creating ---- */

static const char *sql_type(const insp_column *column)
{
    if (!column->of)
        return " BLOB";
    if (column->is_json)
        return " TEXT";
    switch (column->of->kind) {
    case KILN_KIND_U64:
        return ""; /* so that a text with digits stays a text */
    case KILN_KIND_F32:
    case KILN_KIND_F64:
        return " REAL";
    case KILN_KIND_STRING:
    case KILN_KIND_ENUM:
    case KILN_KIND_FLAGS:
    case KILN_KIND_UNION:
        return " TEXT";
    case KILN_KIND_BYTES:
        return " BLOB";
    case KILN_KIND_REF:
        return " INTEGER REFERENCES \"assets\"(\"id\")";
    case KILN_KIND_ENTITY:
        return " INTEGER REFERENCES \"entities\"(\"entity\")";
    default:
        return " INTEGER";
    }
}

static bool is_root(const insp_tables *tables, uint32_t number)
{
    return tables->tables[number].root == number;
}

/* The column of a root, and of its child tables, that refers to what its rows belong to. */
static const char *owner_name(const insp_tables *tables, uint32_t number)
{
    uint32_t root = tables->tables[number].root;
    return tables->tables[root].kind == INSP_TABLE_ASSETS ? "_asset" : "_entity";
}

static const char *owner_type(const insp_tables *tables, uint32_t number)
{
    uint32_t root = tables->tables[number].root;
    return tables->tables[root].kind == INSP_TABLE_ASSETS
               ? " INTEGER REFERENCES \"assets\"(\"id\")"
               : " INTEGER REFERENCES \"entities\"(\"entity\")";
}

static const char *key_name(const insp_tables *tables, uint32_t number)
{
    return is_root(tables, number) ? owner_name(tables, number) : "_row";
}

/* Adds the columns that belong to no value. Returns their number. */
static uint32_t add_own_columns(sql_text *sql, const insp_database_rows *rows, uint32_t number,
                                uint32_t group, bool with_types)
{
    const insp_tables *tables = rows->tables;
    const insp_table *table = &tables->tables[number];
    uint32_t parent = table->parent;
    add_name(sql, key_name(tables, number));
    if (with_types)
        add(sql, " INTEGER PRIMARY KEY");
    if (with_types && group) {
        add(sql, " REFERENCES ");
        add_name(sql, insp_tables_text(tables, table->name));
    } else if (with_types && is_root(tables, number)) {
        add(sql, owner_type(tables, number) + strlen(" INTEGER"));
    }
    if (group || is_root(tables, number))
        return 1;
    add(sql, ", ");
    add_name(sql, owner_name(tables, number));
    if (with_types)
        add(sql, owner_type(tables, number));
    add(sql, ", \"_parent\"");
    if (with_types) {
        add(sql, " INTEGER NOT NULL REFERENCES ");
        add_name(sql, insp_tables_text(tables, tables->tables[parent].name));
    }
    if (table->kind != INSP_TABLE_LIST)
        return 3;
    add(sql, with_types ? ", \"_position\" INTEGER NOT NULL" : ", \"_position\"");
    return 4;
}

/* The columns of a group: from `*ret_first` on. */
static uint32_t group_columns(const insp_database_rows *rows, uint32_t number, uint32_t group,
                              uint32_t *ret_first)
{
    uint32_t first = group * rows->columns_max, all;
    all = rows->tables->tables[number].column_count;
    *ret_first = first;
    return all - first < rows->columns_max ? all - first : rows->columns_max;
}

static void add_columns(sql_text *sql, const insp_database_rows *rows, uint32_t number,
                        uint32_t group, bool with_types)
{
    const insp_tables *tables = rows->tables;
    uint32_t first, count = group_columns(rows, number, group, &first), i;
    for (i = 0; i < count; i++) {
        const insp_column *column =
            &tables->columns[tables->tables[number].first_column + first + i];
        add(sql, ", ");
        add_name(sql, insp_tables_text(tables, column->name));
        if (with_types)
            add(sql, sql_type(column));
    }
}

static bool create_group(insp_database_rows *rows, uint32_t number, uint32_t group)
{
    sql_text sql = {NULL, 0, 0, false};
    bool ok;
    add(&sql, "CREATE TABLE ");
    add_name(&sql, insp_tables_text(rows->tables, rows->inserts[number].names[group]));
    add(&sql, " (");
    add_own_columns(&sql, rows, number, group, true);
    add_columns(&sql, rows, number, group, true);
    add(&sql, ")");
    ok = run(rows, &sql);
    insp_free(sql.text);
    return ok;
}

static bool create_table(insp_database_rows *rows, uint32_t number)
{
    insp_tables *tables = rows->tables;
    const insp_table *table = &tables->tables[number];
    insp_inserts *inserts = &rows->inserts[number];
    uint32_t i;
    char name[1024];
    inserts->count = table->column_count ? (table->column_count - 1) / rows->columns_max + 1 : 1;
    inserts->groups = insp_alloc_array(inserts->count, sizeof *inserts->groups);
    inserts->names = insp_alloc_array(inserts->count, sizeof *inserts->names);
    rows->database->failed = !inserts->groups || !inserts->names;
    for (i = 0; i < inserts->count && !rows->database->failed; i++) {
        snprintf(name, sizeof name, "%s_more", insp_tables_text(tables, table->name));
        inserts->names[i] = i ? insp_tables_reserve(tables, name) : table->name;
        rows->database->failed = tables->failed;
        if (rows->database->failed || !create_group(rows, number, i))
            return false;
    }
    return !rows->database->failed;
}

/* ---- the lists of tables and columns ---- */

static insp_text text_of(const char *text)
{
    return (insp_text){text, (uint32_t)strlen(text)};
}

static const char *kind_name(insp_table_kind kind)
{
    static const char *const names[] = {"asset", "component", "list", "map", "part"};
    return names[kind];
}

static bool list_table(insp_database_rows *rows, sqlite3_stmt *statement, uint32_t number)
{
    const insp_tables *tables = rows->tables;
    const insp_table *table = &tables->tables[number];
    const char *parent = insp_tables_text(tables, tables->tables[table->parent].name);
    return insp_database_bind_text(rows->database, statement, 1,
                                   text_of(insp_tables_text(tables, table->name))) &&
           insp_database_bind_text(rows->database, statement, 2, text_of(kind_name(table->kind))) &&
           insp_database_bind_text(rows->database, statement, 3,
                                   text_of(insp_tables_text(tables, table->path))) &&
           (is_root(tables, number) ||
            insp_database_bind_text(rows->database, statement, 4, text_of(parent))) &&
           insp_database_step(rows->database, statement);
}

static bool list_column(insp_database_rows *rows, sqlite3_stmt *statement, uint32_t number)
{
    const insp_tables *tables = rows->tables;
    const insp_column *column = &tables->columns[number];
    const insp_inserts *inserts = &rows->inserts[column->table];
    uint32_t group = (number - tables->tables[column->table].first_column) / rows->columns_max;
    char type[512] = "bytes";
    if (column->of)
        kiln_type_expression(column->types, column->type, type, sizeof type);
    return insp_database_bind_text(rows->database, statement, 1,
                                   text_of(insp_tables_text(tables, inserts->names[group]))) &&
           insp_database_bind_text(rows->database, statement, 2,
                                   text_of(insp_tables_text(tables, column->name))) &&
           insp_database_bind_text(rows->database, statement, 3,
                                   text_of(insp_tables_text(tables, column->path))) &&
           insp_database_bind_text(rows->database, statement, 4, text_of(type)) &&
           insp_database_bind(rows->database, statement, 5, column->is_json) &&
           insp_database_step(rows->database, statement);
}

static bool list_tables(insp_database_rows *rows)
{
    const insp_tables *tables = rows->tables;
    sqlite3_stmt *add_table = NULL, *add_column = NULL;
    bool ok = insp_database_run(
                  rows->database,
                  "CREATE TABLE \"tables\" (\"name\" TEXT PRIMARY KEY, \"kind\" TEXT, "
                  "\"path\" TEXT, \"parent\" TEXT REFERENCES \"tables\"(\"name\"));"
                  "CREATE TABLE \"columns\" (\"table_name\" TEXT, \"name\" TEXT, \"path\" TEXT, "
                  "\"type\" TEXT, \"is_json\" INTEGER, PRIMARY KEY (\"table_name\", \"name\"))") &&
              insp_database_prepare(rows->database, "INSERT INTO \"tables\" VALUES (?, ?, ?, ?)",
                                    &add_table) &&
              insp_database_prepare(rows->database,
                                    "INSERT INTO \"columns\" VALUES (?, ?, ?, ?, ?)", &add_column);
    uint32_t i;
    for (i = 0; i < tables->table_count && ok; i++)
        ok = list_table(rows, add_table, i);
    for (i = 0; i < tables->column_count && ok; i++)
        ok = list_column(rows, add_column, i);
    rows->database->sqlite.finalize(add_table);
    rows->database->sqlite.finalize(add_column);
    return ok;
}

bool insp_database_rows_create(insp_database_rows *rows, insp_tables *tables)
{
    uint32_t i;
    rows->tables = tables;
    rows->insert_count = tables->table_count;
    rows->inserts = insp_alloc_array(tables->table_count, sizeof *rows->inserts);
    rows->database->failed = !rows->inserts;
    if (rows->database->failed)
        return false;
    for (i = 0; i < tables->table_count; i++)
        if (!create_table(rows, i))
            return false;
    return list_tables(rows);
}

bool insp_database_rows_init(insp_database_rows *rows, insp_database *database)
{
    uint32_t columns = insp_database_columns(database);
    *rows = (insp_database_rows){.database = database};
    rows->columns_max = columns > 2 * OWN_COLUMNS_MAX ? columns - OWN_COLUMNS_MAX : OWN_COLUMNS_MAX;
    return insp_database_prepare(database, "INSERT OR IGNORE INTO \"assets\" (\"id\") VALUES (?)",
                                 &rows->add_asset) &&
           insp_database_prepare(database, "INSERT INTO \"entities\" VALUES (?, ?, ?, ?)",
                                 &rows->add_entity) &&
           insp_database_prepare(database,
                                 "SELECT \"entity\" FROM \"entities\" WHERE \"scene\" = ? AND "
                                 "\"name\" = ? LIMIT 1",
                                 &rows->find_entity);
}

void insp_database_rows_fini(insp_database_rows *rows)
{
    uint32_t i, k;
    if (!rows->database)
        return;
    for (i = 0; rows->inserts && i < rows->insert_count; i++) {
        insp_inserts *inserts = &rows->inserts[i];
        for (k = 0; inserts->groups && k < inserts->count; k++)
            rows->database->sqlite.finalize(inserts->groups[k]);
        insp_free(inserts->groups);
        insp_free(inserts->names);
    }
    insp_free(rows->inserts);
    rows->inserts = NULL;
    rows->database->sqlite.finalize(rows->add_asset);
    rows->database->sqlite.finalize(rows->find_entity);
    rows->database->sqlite.finalize(rows->add_entity);
    rows->add_asset = rows->find_entity = rows->add_entity = NULL;
    rows->database = NULL;
}

/* Creates an index on a column that belongs to no value. */
static bool create_index(insp_database_rows *rows, uint32_t number, const char *column)
{
    insp_tables *tables = rows->tables;
    sql_text sql = {NULL, 0, 0, false};
    char name[1024];
    uint32_t text;
    bool ok;
    snprintf(name, sizeof name, "%s_%s", insp_tables_text(tables, tables->tables[number].name),
             column);
    text = insp_tables_reserve(tables, name);
    rows->database->failed = tables->failed;
    if (rows->database->failed)
        return false;
    add(&sql, "CREATE INDEX ");
    add_name(&sql, insp_tables_text(tables, text));
    add(&sql, " ON ");
    add_name(&sql, insp_tables_text(tables, tables->tables[number].name));
    add(&sql, " (");
    add_name(&sql, column);
    add(&sql, ")");
    ok = run(rows, &sql);
    insp_free(sql.text);
    return ok;
}

bool insp_database_rows_index(insp_database_rows *rows)
{
    const insp_tables *tables = rows->tables;
    uint32_t i;
    bool ok = true;
    for (i = 0; i < tables->table_count && ok; i++)
        if (!is_root(tables, i) && rows->inserts[i].is_used)
            ok = create_index(rows, i, "_parent") && create_index(rows, i, owner_name(tables, i));
    return ok;
}

/* ---- rows ---- */

static uint32_t own_columns(const insp_tables *tables, uint32_t number, uint32_t group)
{
    if (group || is_root(tables, number))
        return 1;
    return tables->tables[number].kind == INSP_TABLE_LIST ? 4 : 3;
}

/* A row with the same key exists only in a broken file. */
static bool prepare_group(insp_database_rows *rows, uint32_t number, uint32_t group)
{
    insp_inserts *inserts = &rows->inserts[number];
    sql_text sql = {NULL, 0, 0, false};
    uint32_t count, first, i;
    bool ok;
    add(&sql, "INSERT OR IGNORE INTO ");
    add_name(&sql, insp_tables_text(rows->tables, inserts->names[group]));
    add(&sql, " (");
    count = add_own_columns(&sql, rows, number, group, false);
    add_columns(&sql, rows, number, group, false);
    count += group_columns(rows, number, group, &first);
    add(&sql, ") VALUES (?");
    for (i = 1; i < count; i++)
        add(&sql, ",?");
    add(&sql, ")");
    rows->database->failed = rows->database->failed || sql.failed;
    ok = !rows->database->failed &&
         insp_database_prepare(rows->database, sql.text, &inserts->groups[group]);
    insp_free(sql.text);
    return ok;
}

static bool begin_row(void *ctx, const insp_row *row)
{
    insp_database_rows *rows = ctx;
    insp_inserts *inserts = &rows->inserts[row->table];
    bool is_list = rows->tables->tables[row->table].kind == INSP_TABLE_LIST;
    uint32_t i;
    inserts->is_used = true;
    for (i = 0; i < inserts->count; i++) {
        sqlite3_stmt **group = &inserts->groups[i];
        if ((!*group && !prepare_group(rows, row->table, i)) ||
            !insp_database_bind(rows->database, *group, 1, (int64_t)row->number))
            return false;
        if (own_columns(rows->tables, row->table, i) == 1)
            continue;
        if (!insp_database_bind(rows->database, *group, 2, (int64_t)row->owner) ||
            !insp_database_bind(rows->database, *group, 3, (int64_t)row->parent) ||
            (is_list && !insp_database_bind(rows->database, *group, 4, row->position)))
            return false;
    }
    return true;
}

bool insp_database_rows_add_asset(insp_database_rows *rows, uint64_t id)
{
    uint64_t *recent = &rows->recent[id % INSP_RECENT];
    if (*recent == id)
        return true;
    *recent = id;
    return insp_database_bind(rows->database, rows->add_asset, 1, (int64_t)id) &&
           insp_database_step(rows->database, rows->add_asset);
}

bool insp_database_rows_add_entity(insp_database_rows *rows, uint64_t scene, int64_t number,
                                   insp_text name)
{
    insp_database *database = rows->database;
    sqlite3_stmt *add = rows->add_entity;
    return insp_database_bind(database, add, 1, (int64_t)++rows->entity_count) &&
           insp_database_bind(database, add, 2, (int64_t)scene) &&
           (number < 0 || insp_database_bind(database, add, 3, number)) &&
           (!name.length || insp_database_bind_text(database, add, 4, name)) &&
           insp_database_step(database, add);
}

/* Finds the row of an entity of another scene, or adds one. */
static bool find_import(insp_database_rows *rows, const insp_entity *entity, int64_t *ret_row)
{
    uint64_t scene = kiln_asset_id(entity->scene.data, entity->scene.length);
    sqlite3_stmt *find = rows->find_entity;
    int found;
    if (!insp_database_rows_add_asset(rows, scene) ||
        !insp_database_bind(rows->database, find, 1, (int64_t)scene) ||
        !insp_database_bind_text(rows->database, find, 2, entity->name))
        return false;
    found = rows->database->sqlite.step(find);
    if (found == INSP_SQLITE_ROW)
        *ret_row = rows->database->sqlite.column_int64(find, 0);
    rows->database->sqlite.reset(find);
    rows->database->sqlite.clear(find);
    if (found == INSP_SQLITE_ROW)
        return true;
    if (!insp_database_is_done(rows->database, found) ||
        !insp_database_rows_add_entity(rows, scene, -1, entity->name))
        return false;
    *ret_row = (int64_t)rows->entity_count;
    return true;
}

static bool bind_cell(insp_database_rows *rows, sqlite3_stmt *group, int number,
                      const insp_cell *cell)
{
    insp_text text = {cell->text, (uint32_t)cell->length};
    int64_t row = (int64_t)(rows->scene_first + cell->entity.number);
    switch (cell->kind) {
    case INSP_CELL_INTEGER:
        return insp_database_bind(rows->database, group, number, cell->integer);
    case INSP_CELL_NUMBER:
        return insp_database_bind_number(rows->database, group, number, cell->number);
    case INSP_CELL_TEXT:
        return insp_database_bind_text(rows->database, group, number, text);
    case INSP_CELL_BYTES:
        return insp_database_bind_bytes(rows->database, group, number, text);
    case INSP_CELL_ASSET:
        return insp_database_rows_add_asset(rows, cell->asset) &&
               insp_database_bind(rows->database, group, number, (int64_t)cell->asset);
    case INSP_CELL_ENTITY:
        if (cell->entity.is_import && !find_import(rows, &cell->entity, &row))
            return false;
        return insp_database_bind(rows->database, group, number, row);
    default:
        return true;
    }
}

/* Longer texts do not fit in insp_text, which SQLite rejects anyway. */
static bool is_too_long(const insp_database_rows *rows, const insp_cell *cell)
{
    return (cell->kind == INSP_CELL_TEXT || cell->kind == INSP_CELL_BYTES) &&
           cell->length > insp_database_length(rows->database);
}

static bool put_cell(void *ctx, uint32_t table, uint32_t column, const insp_cell *cell)
{
    insp_database_rows *rows = ctx;
    uint32_t group = column / rows->columns_max;
    uint32_t number = own_columns(rows->tables, table, group) + column % rows->columns_max;
    if (is_too_long(rows, cell)) {
        rows->too_long = &rows->tables->columns[rows->tables->tables[table].first_column + column];
        return false;
    }
    return bind_cell(rows, rows->inserts[table].groups[group], (int)number + 1, cell);
}

static bool end_row(void *ctx, uint32_t table)
{
    insp_database_rows *rows = ctx;
    const insp_inserts *inserts = &rows->inserts[table];
    uint32_t i;
    for (i = 0; i < inserts->count; i++)
        if (!insp_database_step(rows->database, inserts->groups[i]))
            return false;
    return true;
}

const insp_row_sink insp_database_rows_sink = {NULL, begin_row, put_cell, end_row};
