/* `export --to csv` and `--to ndjson`: a line for each value of a struct, with its path. */
#include "insp_export_lines.h"
#include "insp_escape.h"
#include "insp_export_steps.h"
#include "insp_format.h"
#include "insp_memory.h"
#include "insp_message.h"
#include "insp_number.h"
#include "insp_print.h"
#include "insp_rows.h"
#include "insp_scene_word.h"
#include "insp_struct_walk.h"
#include "insp_tables_plan.h"
#include "insp_type_names.h"

#include <inttypes.h>

typedef struct lines {
    insp_run *run;
    const insp_mounts *mounts;
    const char *type; /* qualified name */
    bool is_csv;
    insp_tables tables; /* of CSV */
    insp_rows rows;
    insp_row_sink sink;
    uint32_t root;    /* of the current file */
    uint32_t columns; /* written in this line */
    insp_path path;
    uint64_t broken;
    uint64_t left;
    bool failed; /* memory ran out */
} lines;

/* ---- CSV ---- */

static bool needs_quotes(const char *text, size_t length)
{
    size_t i;
    for (i = 0; i < length; i++)
        if (text[i] == '"' || text[i] == ',' || text[i] == '\n' || text[i] == '\r')
            return true;
    return !length;
}

/* An empty text is quoted, and NULL is not. On a terminal, control characters are escaped. */
static void put_field(insp_out *out, const char *text, size_t length)
{
    size_t from = 0, i;
    if (!needs_quotes(text, length)) {
        if (out->terminal)
            insp_put_escaped(out, text, length);
        else
            insp_put_bytes(out, text, length);
        return;
    }
    insp_put_char(out, '"');
    for (i = 0; i <= length; i++) {
        if (i < length && text[i] != '"')
            continue;
        if (out->terminal)
            insp_put_escaped(out, text + from, i - from);
        else
            insp_put_bytes(out, text + from, i - from);
        if (i < length)
            insp_put(out, "\"\"");
        from = i + 1;
    }
    insp_put_char(out, '"');
}

static void put_entity(lines *l, const insp_entity *entity)
{
    insp_path path = {NULL, 0, 0, false};
    if (entity->is_import)
        insp_path_add_asset(&path, entity->scene);
    insp_path_add_entity(&path, entity->name, entity->number);
    put_field(&l->run->out, insp_path_text(&path), path.length);
    l->failed = l->failed || path.failed;
    insp_path_fini(&path);
}

static void put_reference(lines *l, uint64_t id)
{
    insp_text name = insp_mounts_name(l->mounts, id);
    if (name.length)
        put_field(&l->run->out, name.data, name.length);
    else
        insp_putf(&l->run->out, "%016" PRIx64, id);
}

static void put_number(insp_out *out, double number)
{
    char text[INSP_NUMBER_SIZE];
    if (number - number != 0)
        insp_put(out, number < 0 ? "-Infinity" : "Infinity");
    else
        insp_put_word(out, text, (size_t)(insp_format_float(text, number, false) - text));
}

static bool put_cell(void *ctx, uint32_t table, uint32_t column, const insp_cell *cell)
{
    lines *l = ctx;
    insp_out *out = &l->run->out;
    (void)table;
    for (; l->columns <= column; l->columns++)
        insp_put_char(out, ',');
    switch (cell->kind) {
    case INSP_CELL_INTEGER:
        insp_putf(out, "%" PRId64, cell->integer);
        break;
    case INSP_CELL_NUMBER:
        put_number(out, cell->number);
        break;
    case INSP_CELL_TEXT:
        put_field(out, cell->text, cell->length);
        break;
    case INSP_CELL_BYTES:
        insp_put(out, cell->length ? "" : "\"\"");
        insp_put_base64(out, cell->text, cell->length);
        break;
    case INSP_CELL_ASSET:
        put_reference(l, cell->asset);
        break;
    case INSP_CELL_ENTITY:
        put_entity(l, &cell->entity);
        break;
    default:
        break;
    }
    return !out->error;
}

static bool begin_row(void *ctx, const insp_row *row)
{
    lines *l = ctx;
    (void)row;
    put_field(&l->run->out, insp_path_text(&l->path), l->path.length);
    l->columns = 0;
    return !l->run->out.error;
}

static bool end_row(void *ctx, uint32_t table)
{
    lines *l = ctx;
    uint32_t columns = l->tables.tables[table].column_count;
    for (; l->columns < columns; l->columns++)
        insp_put_char(&l->run->out, ',');
    insp_put(&l->run->out, "\r\n");
    return !l->run->out.error;
}

static void put_header(lines *l)
{
    const insp_table *table = &l->tables.tables[l->root];
    uint32_t i;
    insp_put(&l->run->out, "_path");
    for (i = 0; i < table->column_count; i++) {
        const insp_column *column = &l->tables.columns[table->first_column + i];
        insp_put_char(&l->run->out, ',');
        insp_put(&l->run->out, insp_tables_text(&l->tables, column->name));
    }
    insp_put(&l->run->out, "\r\n");
}

/* ---- values ---- */

static void put_json(lines *l, const insp_file *file, const insp_words *words,
                     const kiln_value *value)
{
    insp_out *out = &l->run->out;
    insp_printer p;
    insp_put(out, "{\"path\": ");
    insp_put_json_string(out, insp_path_text(&l->path), l->path.length);
    insp_put(out, ", \"value\": ");
    insp_printer_init(&p, out, file, &insp_format_json);
    p.left = l->rows.left;
    p.all = p.one_line = true;
    p.words = words;
    p.depth = 1;
    insp_print(&p, value);
    insp_put(out, p.stopped ? "" : "}\n");
    l->rows.left = p.left;
    l->broken += p.broken;
    l->rows.stopped = p.stopped;
    insp_printer_fini(&p);
}

static bool visit(insp_struct_walk *walk, const insp_step *step, const kiln_value *value)
{
    lines *l = walk->ctx;
    const insp_words words = {insp_print_row_word, walk->scene, walk->scene_component, NULL};
    const insp_text none = {NULL, 0};
    insp_path_cut(&l->path, 0);
    insp_path_add_asset(&l->path, walk->asset->name);
    if (walk->is_component) {
        insp_path_add_entity(&l->path, walk->entity_name, walk->entity);
        insp_path_add_component(&l->path, walk->component);
    }
    insp_walk_add_path(&l->path, walk->file, step);
    l->rows.left = walk->left;
    l->rows.file = walk->file;
    l->rows.words = walk->is_component ? &words : NULL;
    if (l->is_csv)
        insp_rows_read(&l->rows, l->root, 0, value, none);
    else
        put_json(l, walk->file, l->rows.words, value);
    l->rows.words = NULL;
    walk->left = l->rows.left;
    l->failed = l->failed || l->path.failed || l->rows.failed;
    if (l->rows.stopped && !l->failed)
        insp_out_cut(&l->run->out);
    return !l->failed && !l->run->out.error;
}

static int put_assets(lines *l, const insp_file *file, bool *wanted)
{
    insp_struct_walk walk;
    kiln_status status = insp_struct_walk_init(&walk, file, wanted);
    uint32_t i;
    walk.visit = visit;
    walk.ctx = l;
    walk.left = l->left;
    for (i = 0; i < file->asset_count && !status && !walk.stopped; i++) {
        insp_mounted at = {file, insp_asset_at(file, i)};
        if (at.asset && insp_mounts_is_visible(l->mounts, at))
            status = insp_struct_walk_asset(&walk, at.asset);
    }
    l->left = walk.left;
    l->broken += walk.broken;
    if (walk.stopped && !l->failed)
        insp_out_cut(&l->run->out);
    insp_struct_walk_fini(&walk);
    return status || l->failed ? insp_no_memory(l->run) : INSP_OK;
}

/* ---- types ---- */

/* Finds the qualified name that the argument means. */
static int find_type(lines *l)
{
    const char *pattern = l->run->command_data;
    uint32_t i, k;
    for (i = 0; i < l->mounts->count; i++) {
        const kiln_types *types = l->mounts->files[i]->types;
        for (k = 0; types && k < kiln_types_count(types); k++) {
            const kiln_type *of = kiln_types_get(types, k);
            if (of->kind != KILN_KIND_STRUCT || !insp_type_matches(pattern, of))
                continue;
            if (l->type && strcmp(l->type, of->name) != 0) {
                insp_complain(l->run, NULL, "%.300s is the name of several structs: %.300s, %.300s",
                              pattern, l->type, of->name);
                return INSP_BAD;
            }
            l->type = of->name;
        }
    }
    return l->type ? INSP_OK : insp_no_such_struct(l->run, l->mounts->files[0], pattern);
}

static insp_root root_of(const lines *l, const insp_file *file, uint32_t type)
{
    const kiln_type *of = kiln_types_get(file->types, type);
    insp_text name = {l->type, (uint32_t)strlen(l->type)};
    return (insp_root){INSP_TABLE_ASSETS, name, of->layout, file->types, type, of->size};
}

/* Plans the columns of the first file with the type, and writes their names. */
static bool plan(lines *l)
{
    uint32_t i, type = KILN_TYPE_NONE;
    insp_root root;
    for (i = 0; type == KILN_TYPE_NONE; i++) {
        const insp_file *file = l->mounts->files[i];
        type = file->types ? kiln_types_find(file->types, l->type) : KILN_TYPE_NONE;
        if (type != KILN_TYPE_NONE)
            root = root_of(l, file, type);
    }
    l->root = insp_tables_root(&l->tables, &root);
    if (l->tables.failed || !insp_tables_plan(&l->tables) ||
        !insp_rows_init(&l->rows, &l->tables, &l->sink))
        return false;
    put_header(l);
    return true;
}

static int put_file(lines *l, const insp_file *file)
{
    uint32_t type = file->types ? kiln_types_find(file->types, l->type) : KILN_TYPE_NONE;
    insp_root root;
    bool *wanted;
    int result;
    if (type == KILN_TYPE_NONE)
        return INSP_OK;
    root = root_of(l, file, type);
    if (l->is_csv && insp_tables_find(&l->tables, &root) != l->root) {
        insp_complain(l->run, file->path,
                      "%.300s has other fields than in an earlier file, so its values are left out",
                      l->type);
        return INSP_BAD;
    }
    wanted = insp_alloc_array(kiln_types_count(file->types), sizeof *wanted);
    if (!wanted)
        return insp_no_memory(l->run);
    wanted[type] = true;
    result = put_assets(l, file, wanted);
    insp_free(wanted);
    return result;
}

int insp_export_lines(insp_run *run, const insp_mounts *mounts)
{
    lines l = {.run = run, .mounts = mounts, .left = insp_export_steps(run)};
    int result = find_type(&l);
    bool is_found;
    uint32_t i;
    l.is_csv = strcmp(run->options.to, "csv") == 0;
    l.tables.is_flat = true;
    l.sink = (insp_row_sink){&l, begin_row, put_cell, end_row};
    if (result == INSP_OK && l.is_csv && !plan(&l))
        result = insp_no_memory(run);
    is_found = result == INSP_OK;
    for (i = 0; is_found && i < mounts->count && result < INSP_TROUBLE && !run->out.error; i++)
        result = insp_worse(result, put_file(&l, mounts->files[i]));
    l.broken += l.rows.broken;
    if (l.broken && result < INSP_TROUBLE) {
        insp_complain(run, NULL, "%" PRIu64 " broken value%s; see kiln-inspect verify", l.broken,
                      l.broken == 1 ? "" : "s");
        result = insp_worse(result, INSP_BAD);
    }
    insp_rows_fini(&l.rows);
    insp_tables_fini(&l.tables);
    insp_path_fini(&l.path);
    return result;
}
