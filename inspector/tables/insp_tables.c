/* The tables, their names, and the roots. insp_tables_plan.c finds out which columns and child
 * tables a root needs. */
#include "insp_tables.h"

#include "insp_memory.h"

#include <stdio.h>
#include <string.h>

void insp_tables_fini(insp_tables *tables)
{
    insp_free(tables->tables);
    insp_free(tables->columns);
    insp_free(tables->parts);
    insp_free(tables->texts);
    insp_free(tables->names);
    insp_free(tables->insides);
    kiln_hash_table_fini(&tables->by_name, insp_allocator());
    kiln_hash_table_fini(&tables->by_type, insp_allocator());
    *tables = (insp_tables){.is_flat = tables->is_flat};
}

/* ---- growing ---- */

uint32_t insp_tables_add_table(insp_tables *tables)
{
    insp_table *grown = insp_grow(tables->tables, &tables->table_capacity,
                                  (size_t)tables->table_count + 1, sizeof *grown);
    tables->failed = tables->failed || !grown;
    if (!grown)
        return INSP_NUMBER_NONE;
    tables->tables = grown;
    grown[tables->table_count] =
        (insp_table){.key = INSP_NUMBER_NONE, .value = INSP_NUMBER_NONE, .type = KILN_TYPE_NONE};
    return tables->table_count++;
}

uint32_t insp_tables_add_column(insp_tables *tables)
{
    insp_column *grown = insp_grow(tables->columns, &tables->column_capacity,
                                   (size_t)tables->column_count + 1, sizeof *grown);
    tables->failed = tables->failed || !grown;
    if (!grown)
        return INSP_NUMBER_NONE;
    tables->columns = grown;
    grown[tables->column_count] = (insp_column){.table = 0};
    return tables->column_count++;
}

uint32_t insp_tables_add_parts(insp_tables *tables, uint32_t count)
{
    uint32_t first = tables->part_count;
    insp_part *grown =
        insp_grow(tables->parts, &tables->part_capacity, (size_t)first + count + 1, sizeof *grown);
    tables->failed = tables->failed || !grown;
    if (!grown)
        return INSP_NUMBER_NONE;
    tables->parts = grown;
    memset(grown + first, 0, count * sizeof *grown);
    tables->part_count += count;
    return first;
}

/* Returns room for `size` bytes at the end of `texts`; NULL if memory runs out. */
static char *text_room(insp_tables *tables, size_t size)
{
    char *grown =
        tables->text_size > INSP_NUMBER_NONE - 1 - size
            ? NULL
            : insp_grow(tables->texts, &tables->text_capacity, tables->text_size + size, 1);
    tables->failed = tables->failed || !grown;
    if (!grown)
        return NULL;
    tables->texts = grown;
    return grown + tables->text_size;
}

static uint32_t commit_text(insp_tables *tables, size_t size)
{
    uint32_t text = (uint32_t)tables->text_size;
    tables->text_size += size;
    return text;
}

uint32_t insp_tables_join(insp_tables *tables, uint32_t a, const char *separator, const char *b)
{
    size_t before = a == INSP_NUMBER_NONE ? 0 : strlen(tables->texts + a), after = strlen(b);
    size_t between = before ? strlen(separator) : 0, size = before + between + after + 1;
    /* `b` must not be in `texts`, which can move. */
    char *to = text_room(tables, size);
    if (!to)
        return INSP_NUMBER_NONE;
    if (before)
        memcpy(to, tables->texts + a, before);
    memcpy(to + before, separator, between);
    memcpy(to + before + between, b, after + 1);
    return commit_text(tables, size);
}

/* ---- names ---- */

enum { SUFFIX_SIZE = 16 };

typedef struct scoped_name {
    uint32_t scope;
    const char *text;
} scoped_name;

static unsigned char lower(char c)
{
    return (unsigned char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

static uint32_t hash_of_name(const hash_table *table, scoped_name key)
{
    uint64_t hash = key.scope;
    for (const char *at = key.text; *at; at++)
        hash = (hash ^ lower(*at)) * UINT64_C(0x100000001b3);
    return hash_of_number(table, hash);
}

static bool is_name(const insp_tables *tables, uint32_t number, scoped_name key)
{
    const char *a = tables->texts + tables->names[number].text, *b = key.text;
    for (; *a && lower(*a) == lower(*b); a++)
        b++;
    return !*a && !*b && tables->names[number].scope == key.scope;
}

HASH_TABLE(names_by_text, const insp_tables *, scoped_name, hash_of_name, is_name)

/* Letters, digits and `_`, so that a name has the same characters in every program. */
static void copy_name(char *to, const char *from)
{
    for (; *from; from++) {
        unsigned char c = lower(*from);
        *to++ = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ? *from : '_';
    }
    *to = '\0';
}

uint32_t insp_tables_name(insp_tables *tables, uint32_t scope, const char *text)
{
    size_t length = strlen(text);
    char *to = text_room(tables, length + SUFFIX_SIZE);
    insp_name_row *grown = insp_grow(tables->names, &tables->name_capacity,
                                     (size_t)tables->name_count + 1, sizeof *grown);
    hash_slot *slot;
    uint32_t number = 1;
    if (grown)
        tables->names = grown;
    if (!to || !grown || !hash_table_reserve(&tables->by_name, insp_allocator())) {
        tables->failed = true;
        return INSP_NUMBER_NONE;
    }
    copy_name(to, text);
    slot = names_by_text_slot(&tables->by_name, tables, (scoped_name){scope, to});
    while (!hash_slot_is_empty(slot)) {
        snprintf(to + length, SUFFIX_SIZE, "_%u", (unsigned)++number);
        slot = names_by_text_slot(&tables->by_name, tables, (scoped_name){scope, to});
    }
    grown[tables->name_count].scope = scope;
    grown[tables->name_count].text = commit_text(tables, strlen(to) + 1);
    hash_table_put(&tables->by_name, slot, tables->name_count);
    return grown[tables->name_count++].text;
}

/* SQLite reserves names that begin with `sqlite_`. */
uint32_t insp_tables_reserve(insp_tables *tables, const char *name)
{
    static const char prefix[] = "sqlite";
    char text[KILN_NAME_MAX * 5];
    size_t i = 0;
    while (i < sizeof prefix - 1 && (unsigned char)prefix[i] == lower(name[i]))
        i++;
    snprintf(text, sizeof text, "%s%s", i == sizeof prefix - 1 ? "_" : "", name);
    return insp_tables_name(tables, INSP_SCOPE_TABLES, text);
}

/* ---- roots ---- */

static uint32_t hash_of_root(const hash_table *table, const insp_root *root)
{
    uint64_t hash = kiln_hash64(root->name.data, root->name.length, table->seed);
    return hash_of_number(table, hash ^ root->layout ^ (uint64_t)root->kind);
}

static bool is_root(const insp_tables *tables, uint32_t number, const insp_root *root)
{
    const insp_table *table = &tables->tables[number];
    return table->kind == root->kind && table->layout == root->layout &&
           (table->type == KILN_TYPE_NONE) == (root->type == KILN_TYPE_NONE) &&
           insp_text_is(root->name, tables->texts + table->path);
}

HASH_TABLE(roots_by_type, const insp_tables *, const insp_root *, hash_of_root, is_root)

uint32_t insp_tables_find(const insp_tables *tables, const insp_root *root)
{
    return roots_by_type_find(&tables->by_type, tables, root);
}

uint32_t insp_tables_root(insp_tables *tables, const insp_root *root)
{
    hash_slot *slot;
    insp_table *table;
    char *path;
    uint32_t number;
    if (!hash_table_reserve(&tables->by_type, insp_allocator())) {
        tables->failed = true;
        return INSP_NUMBER_NONE;
    }
    slot = roots_by_type_slot(&tables->by_type, tables, root);
    if (!hash_slot_is_empty(slot))
        return hash_slot_number(slot);
    path = text_room(tables, (size_t)root->name.length + 1);
    number = path ? insp_tables_add_table(tables) : INSP_NUMBER_NONE;
    if (number == INSP_NUMBER_NONE)
        return number;
    if (root->name.length)
        memcpy(path, root->name.data, root->name.length);
    path[root->name.length] = '\0';
    table = &tables->tables[number];
    table->kind = root->kind;
    table->root = table->parent = number;
    table->layout = root->layout;
    table->types = root->types;
    table->type = root->type;
    table->has_bytes = root->type == KILN_TYPE_NONE && root->size > 0;
    table->inside = INSP_NUMBER_NONE;
    table->path = commit_text(tables, (size_t)root->name.length + 1);
    hash_table_put(&tables->by_type, slot, number);
    return number;
}
