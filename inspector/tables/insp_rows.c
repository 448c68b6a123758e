/* A row is read depth first. The plan states only kinds; types are those of the value itself,
 * because files with equal layouts share a plan. */
#define _POSIX_C_SOURCE 200809L
#include "insp_rows.h"

#include "insp_format.h"
#include "insp_memory.h"
#include "insp_print.h"
#include "insp_scene_word.h"

#include <stdlib.h>

enum { LAYERS_MAX = 16, TEXT_UNIT = 16 };

static void read_part(insp_rows *rows, uint32_t table, uint32_t part, kiln_value value,
                      uint64_t row);

bool insp_rows_init(insp_rows *rows, const insp_tables *tables, const insp_row_sink *sink)
{
    *rows = (insp_rows){.tables = tables, .sink = sink};
    rows->last_rows = insp_alloc_array(tables->table_count, sizeof *rows->last_rows);
    rows->text = insp_alloc(sizeof *rows->text, 16);
    return rows->last_rows && rows->text;
}

void insp_rows_fini(insp_rows *rows)
{
    insp_free(rows->last_rows);
    insp_free(rows->text);
    rows->last_rows = NULL;
    rows->text = NULL;
}

static bool spend(insp_rows *rows, uint64_t amount)
{
    rows->stopped = rows->stopped || rows->failed || amount > rows->left;
    if (!rows->stopped)
        rows->left -= amount;
    return !rows->stopped;
}

static void put_cell(insp_rows *rows, uint32_t table, uint32_t column, const insp_cell *cell)
{
    rows->broken += cell->is_broken;
    if (cell->kind != INSP_CELL_NONE && spend(rows, 1 + cell->length / TEXT_UNIT))
        rows->stopped = !rows->sink->cell(rows->sink->ctx, table, column, cell) || rows->stopped;
}

/* ---- words ---- */

/* Replaces data by the element to which the word leads, in the data of the scene. Returns false if
 * there is none. */
static bool enter_data(insp_rows *rows, kiln_value *value)
{
    insp_word word = INSP_WORD_NULL;
    kiln_value element;
    /* The root of a value in a row is the component. */
    uint32_t place = (uint32_t)kiln_value_offset(value);
    kiln_status status =
        rows->words ? insp_word_data(rows->words, place, value->data, &element, &word) : KILN_OK;
    rows->broken += status != KILN_OK;
    rows->missing += !status && word == INSP_WORD_NUMBER;
    if (status || word != INSP_WORD_SHOWN)
        return false;
    *value = element;
    return true;
}

/* Reads an entity, or a reference in the row of a scene. */
static void read_word(insp_rows *rows, const kiln_value *value, insp_cell *ret_cell)
{
    insp_word word = INSP_WORD_NULL;
    kiln_value asset;
    kiln_status status = KILN_OK;
    *ret_cell = (insp_cell){.kind = INSP_CELL_NONE};
    if (value->of->kind == KILN_KIND_ENTITY) {
        if (rows->words)
            status = insp_word_entity(rows->words, value->data, &ret_cell->entity);
        if (!status && rows->words && !ret_cell->entity.is_null)
            ret_cell->kind = INSP_CELL_ENTITY;
    } else {
        status = insp_word_asset(rows->words, value->data, &asset, &word);
        if (!status && word == INSP_WORD_SHOWN)
            insp_cell_read(&asset, ret_cell);
    }
    ret_cell->is_broken = status != KILN_OK;
}

/* ---- columns ---- */

/* Finds the value without optionals, data and newtypes. Returns false if it is absent. */
static bool unwrap(insp_rows *rows, kiln_value *value)
{
    int layers;
    for (layers = 0; layers < LAYERS_MAX; layers++) {
        kiln_value inner;
        if (value->of->kind == KILN_KIND_DATA) {
            if (!enter_data(rows, value))
                return false;
            rows->words = NULL;
        } else if (value->of->kind == KILN_KIND_OPTIONAL || value->of->kind == KILN_KIND_STRUCT) {
            if (!kiln_value_count(value))
                return false;
            if (kiln_value_at(value, 0, &inner) != KILN_OK) {
                rows->broken++;
                return false;
            }
            *value = inner;
        } else {
            return true;
        }
    }
    return false;
}

static void read_flags(insp_rows *rows, const kiln_value *value, insp_cell *ret_cell)
{
    insp_out_init_text(rows->text);
    ret_cell->kind = INSP_CELL_TEXT;
    ret_cell->is_broken = !insp_cell_put_flags(rows->text, value) || rows->text->error;
    ret_cell->text = rows->text->buffer;
    ret_cell->length = rows->text->used;
}

static void read_column(insp_rows *rows, uint32_t table, uint32_t column, kiln_value value)
{
    const insp_words *words = rows->words;
    insp_cell cell = {.kind = INSP_CELL_NONE};
    if (unwrap(rows, &value)) {
        if (value.of->kind == KILN_KIND_FLAGS)
            read_flags(rows, &value, &cell);
        else if (value.of->kind == KILN_KIND_ENTITY ||
                 (rows->words && value.of->kind == KILN_KIND_REF))
            read_word(rows, &value, &cell);
        else
            insp_cell_read(&value, &cell);
        put_cell(rows, table, column, &cell);
    }
    rows->words = words;
}

/* Whether a value is null, which is NULL in a column with JSON, too. */
static bool is_null(const kiln_value *value)
{
    uint32_t tag = 0;
    if (value->of->kind == KILN_KIND_OPTIONAL)
        return kiln_value_count(value) == 0;
    if (value->of->kind != KILN_KIND_UNION)
        return false;
    memcpy(&tag, value->data, sizeof tag);
    return tag == 0;
}

/* Prints to memory, because the text has no limit but `left`. */
static void print_json(insp_rows *rows, uint32_t table, uint32_t column, const kiln_value *value)
{
    insp_cell cell = {.kind = INSP_CELL_TEXT};
    insp_printer p;
    char *text = NULL;
    size_t length = 0;
    FILE *stream = open_memstream(&text, &length);
    bool ok;
    if (!stream) {
        rows->failed = true;
        return;
    }
    insp_out_init(rows->text, stream, false);
    rows->text->eager = false;
    insp_printer_init(&p, rows->text, rows->file, &insp_format_json);
    p.left = rows->left;
    p.all = p.one_line = true;
    p.words = rows->words;
    p.depth = rows->depth;
    insp_print(&p, value);
    ok = insp_out_finish(rows->text) && !p.stopped;
    rows->left = p.left;
    rows->broken += p.broken;
    rows->stopped = rows->stopped || p.stopped;
    insp_printer_fini(&p);
    if (fclose(stream) != 0 || (!ok && !p.stopped))
        rows->failed = true;
    cell.text = text;
    cell.length = length;
    if (ok && !rows->failed)
        put_cell(rows, table, column, &cell);
    free(text);
}

/* ---- rows ---- */

static bool begin_row(insp_rows *rows, uint32_t table, uint64_t parent, uint32_t position,
                      uint64_t *ret_row)
{
    insp_row row = {table, rows->owner, ++rows->last_rows[table], parent, position};
    if (!spend(rows, 1))
        return false;
    *ret_row = row.number;
    rows->stopped = !rows->sink->begin(rows->sink->ctx, &row);
    return !rows->stopped;
}

static void end_row(insp_rows *rows, uint32_t table)
{
    if (!rows->stopped && !rows->failed)
        rows->stopped = !rows->sink->end(rows->sink->ctx, table);
}

static void read_entry(insp_rows *rows, uint32_t number, const kiln_value *list, uint32_t i,
                       uint64_t parent)
{
    const insp_table *table = &rows->tables->tables[number];
    bool has_key = table->key != INSP_NUMBER_NONE;
    kiln_value key, value;
    uint64_t row;
    if ((has_key && kiln_value_key(list, i, &key) != KILN_OK) ||
        kiln_value_at(list, i, &value) != KILN_OK) {
        rows->broken++;
        return;
    }
    if (!begin_row(rows, number, parent, i, &row))
        return;
    if (has_key)
        read_part(rows, number, table->key, key, row);
    read_part(rows, number, table->value, value, row);
    end_row(rows, number);
}

/* Reads the rows of a list, a map, or an optional, or the row of an alternative of a union. */
static void read_child(insp_rows *rows, const insp_part *part, const kiln_value *value,
                       uint64_t parent)
{
    uint32_t number = part->number, count = kiln_value_count(value), i;
    bool is_relative = kiln_value_count(value) && part->of != KILN_KIND_STRUCT &&
                       part->of != KILN_KIND_FIXED && part->of != KILN_KIND_UNION;
    const unsigned char *target;
    uint64_t size, row;
    if (is_relative &&
        (rows->depth >= KILN_DEPTH_MAX || kiln_value_target(value, &target, &size) != KILN_OK)) {
        rows->broken++;
        return;
    }
    rows->depth += is_relative;
    if (part->of == KILN_KIND_STRUCT || part->of == KILN_KIND_UNION) {
        if (begin_row(rows, number, parent, 0, &row)) {
            read_part(rows, number, rows->tables->tables[number].value, *value, row);
            end_row(rows, number);
        }
    } else {
        for (i = 0; i < count && !rows->stopped && !rows->failed; i++)
            read_entry(rows, number, value, i, parent);
    }
    rows->depth -= is_relative;
}

static void read_union(insp_rows *rows, uint32_t table, const insp_part *part,
                       const kiln_value *value, uint64_t row)
{
    const kiln_member *member = kiln_value_member(value);
    insp_cell cell = {.kind = INSP_CELL_TEXT};
    kiln_value inner;
    uint32_t tag, offset;
    memcpy(&tag, value->data, sizeof tag);
    memcpy(&offset, value->data + 4, sizeof offset);
    if ((tag && !member) || (offset != 0) != (member && member->type != KILN_TYPE_NONE)) {
        rows->broken++;
        return;
    }
    if (!member)
        return;
    cell.text = member->name;
    cell.length = strlen(member->name);
    put_cell(rows, table, part->number, &cell);
    if (!offset || (size_t)(member - value->of->members) >= part->count)
        return;
    if (rows->depth >= KILN_DEPTH_MAX || kiln_value_at(value, 0, &inner) != KILN_OK) {
        rows->broken++;
        return;
    }
    rows->depth++;
    read_part(rows, table, part->first + (uint32_t)(member - value->of->members), inner, row);
    rows->depth--;
}

static void read_parts(insp_rows *rows, uint32_t table, const insp_part *part,
                       const kiln_value *value, uint64_t row)
{
    uint32_t i;
    for (i = 0; i < part->count && !rows->stopped && !rows->failed; i++) {
        kiln_value inner;
        if (kiln_value_at(value, i, &inner) == KILN_OK)
            read_part(rows, table, part->first + i, inner, row);
        else
            rows->broken++;
    }
}

static void read_part(insp_rows *rows, uint32_t table, uint32_t number, kiln_value value,
                      uint64_t row)
{
    const insp_part *part = &rows->tables->parts[number];
    const insp_words *words = rows->words;
    if (!spend(rows, 1))
        return;
    if (value.of->kind != part->of) {
        /* Data that are stored like the value itself. */
        if (value.of->kind != KILN_KIND_DATA || !enter_data(rows, &value))
            return;
        rows->words = NULL;
        rows->broken += value.of->kind != part->of;
    }
    if (value.of->kind == part->of) {
        switch (part->kind) {
        case INSP_PART_COLUMN:
            read_column(rows, table, part->number, value);
            break;
        case INSP_PART_JSON:
            if (!is_null(&value))
                print_json(rows, table, part->number, &value);
            break;
        case INSP_PART_UNION:
            read_union(rows, table, part, &value, row);
            break;
        case INSP_PART_CHILD:
            read_child(rows, part, &value, row);
            break;
        case INSP_PART_STRUCT:
        case INSP_PART_FIXED:
            read_parts(rows, table, part, &value, row);
            break;
        default:
            break;
        }
    }
    rows->words = words;
}

void insp_rows_read(insp_rows *rows, uint32_t root, uint64_t owner, const kiln_value *value,
                    insp_text bytes)
{
    const insp_table *table = &rows->tables->tables[root];
    insp_cell cell = {.kind = INSP_CELL_BYTES, .text = bytes.data, .length = bytes.length};
    insp_row row = {root, owner, owner, owner, 0};
    rows->owner = owner;
    rows->depth = 1;
    if (!spend(rows, 1))
        return;
    rows->stopped = !rows->sink->begin(rows->sink->ctx, &row);
    if (rows->stopped)
        return;
    if (value && table->value != INSP_NUMBER_NONE)
        read_part(rows, root, table->value, *value, owner);
    else if (table->has_bytes && bytes.data)
        put_cell(rows, root, 0, &cell);
    end_row(rows, root);
}
