/* Which tables and columns represent the values of some types.
 *
 * Each root is a struct: the type of assets, or of a component. Its table has a row for each value.
 * What has a fixed size is stored in the row itself, and the rest in child tables:
 *
 *     number, bool, string, bytes, enum, flags, reference, entity
 *                    a column
 *
 *     optional or data of one of these
 *                    a column, NULL if absent
 *
 *     other data     as the value, with NULL or nothing if absent
 *
 *     struct         the columns of its fields, with the name of the struct as a prefix
 *
 *     newtype        as its field
 *
 *     fixed array    a column for each element up to INSP_INLINE_ELEMENTS, if they are columns;
 *                    otherwise like a list
 *
 *     list           a child table: parent, position, element
 *
 *     map            a child table: parent, key, value
 *
 *     other optional a child table: parent, value
 *
 *     union          a column with the name of the alternative; for each alternative with a value,
 *                    a column or a child table
 *
 * A value whose type contains itself, or that is deeper than INSP_TABLE_DEPTH child tables, or
 * beyond the limits below, is a column with JSON. With `is_flat`, all child tables are such
 * columns.
 *
 * Names are the steps of the path of a value, joined by `_`: `game_Item_parts` and `at_x`. Columns
 * that belong to no value are `_asset`, `_entity`, `_row`, `_parent` and `_position`, and in CSV
 * `_path`. Names that differ only by case, or that are taken, get a number: `price_2`. */
#ifndef INSP_TABLES_H
#define INSP_TABLES_H

#include "hash_table.h"
#include "insp_file.h"

enum {
    INSP_TABLES_MAX = 4000,       /* child tables of all roots; there can be more roots */
    INSP_TABLE_DEPTH = 12,        /* nested child tables */
    INSP_TABLE_COLUMNS = 1 << 18, /* of all tables */
    INSP_INLINE_ELEMENTS = 16     /* of a fixed array */
};

#define INSP_NUMBER_NONE UINT32_MAX

typedef enum insp_table_kind {
    INSP_TABLE_ASSETS,     /* a root; the rows are assets */
    INSP_TABLE_COMPONENTS, /* a root; the rows are entities */
    INSP_TABLE_LIST,
    INSP_TABLE_MAP,
    INSP_TABLE_PART /* of an optional or a union: at most one row for each parent */
} insp_table_kind;

typedef struct insp_column {
    uint32_t name, path; /* texts: the path begins at the root and ends with this value */
    uint32_t table;
    bool is_json;
    const kiln_type *of; /* of the values; NULL: bytes of a component without a type */
    const kiln_types *types;
    uint32_t type;
} insp_column;

typedef struct insp_table {
    uint32_t name, path; /* texts */
    insp_table_kind kind;
    uint32_t root, parent; /* numbers of tables; a root is its own root and parent */
    uint32_t depth;
    uint32_t key, value; /* parts; INSP_NUMBER_NONE: none */
    uint32_t first_column, column_count;
    uint64_t layout; /* of a root's type */
    bool has_bytes;  /* a root without a type, whose rows have bytes */
    /* While it is planned. */
    const kiln_types *types;
    uint32_t type, key_type, inside;
} insp_table;

/* How a value is stored. */
typedef enum insp_part_kind {
    INSP_PART_NONE,   /* an alternative without value */
    INSP_PART_COLUMN, /* also optionals, data and newtypes of a value in a column */
    INSP_PART_JSON,
    INSP_PART_STRUCT,
    INSP_PART_FIXED,
    INSP_PART_UNION,
    INSP_PART_CHILD
} insp_part_kind;

typedef struct insp_part {
    insp_part_kind kind;
    kiln_kind of;          /* of the value */
    uint32_t number;       /* of the column in its table, or of the child table */
    uint32_t first, count; /* parts of fields, elements or alternatives */
} insp_part;

typedef struct insp_name_row {
    uint32_t scope, text;
} insp_name_row;

/* A type that contains the value that is planned, and the type that contains that one. */
typedef struct insp_inside {
    const kiln_types *types;
    uint32_t type, up;
} insp_inside;

typedef struct insp_tables {
    bool is_flat;
    insp_table *tables;
    insp_column *columns; /* those of a table follow one another */
    insp_part *parts;
    uint32_t table_count, column_count, part_count;
    char *texts; /* NUL-terminated */
    /* Private. */
    size_t table_capacity, column_capacity, part_capacity, text_capacity, text_size;
    uint32_t planned; /* tables before this one have their columns */
    uint32_t child_count;
    insp_name_row *names;
    size_t name_capacity;
    uint32_t name_count;
    hash_table by_name, by_type;
    insp_inside *insides;
    size_t inside_capacity;
    uint32_t inside_count;
    bool failed;
} insp_tables;

/* A zeroed object is empty, and can be passed to insp_tables_fini. */
void insp_tables_fini(insp_tables *tables);

static inline const char *insp_tables_text(const insp_tables *tables, uint32_t text)
{
    return tables->texts + text;
}

/* Reserves the name of a table that the caller creates; names of other tables then differ from it.
 * If it is taken, a number is appended. Returns a text; INSP_NUMBER_NONE if memory runs out. */
uint32_t insp_tables_reserve(insp_tables *tables, const char *name);

/* Finds or adds the root for assets or components of a struct. Types with the same name and layout
 * share a root. `type` is KILN_TYPE_NONE for a component whose type is unknown: a column of bytes,
 * or no column if it has no `size`. Returns its number, or INSP_NUMBER_NONE if memory runs out. */
typedef struct insp_root {
    insp_table_kind kind;
    insp_text name;
    uint64_t layout;
    const kiln_types *types; /* must stay valid */
    uint32_t type;
    uint32_t size;
} insp_root;
uint32_t insp_tables_root(insp_tables *tables, const insp_root *root);

/* Finds a root; INSP_NUMBER_NONE if there is none. */
uint32_t insp_tables_find(const insp_tables *tables, const insp_root *root);

/* ---- for insp_tables_plan.c ---- */

/* Append elements, zeroed. Return INSP_NUMBER_NONE and set `failed` if memory runs out. */
uint32_t insp_tables_add_table(insp_tables *tables);
uint32_t insp_tables_add_column(insp_tables *tables);
uint32_t insp_tables_add_parts(insp_tables *tables, uint32_t count);

/* Adds the text `a`, the separator unless `a` is empty or INSP_NUMBER_NONE, and `b`, which is not
 * in `texts`. */
uint32_t insp_tables_join(insp_tables *tables, uint32_t a, const char *separator, const char *b);
/* Adds a text with the form of a name, unique in its scope: that of table names, or the number of a
 * table. */
uint32_t insp_tables_name(insp_tables *tables, uint32_t scope, const char *text);

#define INSP_SCOPE_TABLES UINT32_MAX

#endif
