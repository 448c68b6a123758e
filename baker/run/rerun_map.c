/* The source map of a rerun: the records of assets are copied from the old map, except for assets
 * that are baked, and for those with places that have changed in other respects than their lines,
 * whose values are read again. */
#include "rerun_store.h"

#include "bake_memory.h"
#include "hash_equal.h"

#include <kiln/blob_header.h>
#include <stdlib.h>
#include <string.h>

/* Lines of the old source in which places have moved by the same number of lines. */
typedef struct moved_lines {
    uint32_t file; /* its new number */
    uint32_t first, last;
    uint32_t by; /* modulo 2^32 */
    bool is_unknown;
} moved_lines;

struct bake_rerun_moves {
    moved_lines *all; /* sorted and disjoint */
    size_t count;
    uint32_t *files; /* by file of the old map: its new number; UINT32_MAX: it is not a source */
    unsigned char *is_same; /* by file of the old map: its places are still correct */
};

/* Finds the sources among the files of the old map. Names in quotes are not those of files. */
static void find_files(rerun *r)
{
    bake_rerun_moves *moves = r->moves;
    uint32_t count = bake_old_origins_file_count(r->old_map);
    for (uint32_t i = 0; i < count; i++)
        moves->files[i] = UINT32_MAX;
    for (uint32_t i = 0; i < r->memo->file_count; i++) {
        const char *path = bake_memo_path(r->memo, i);
        uint32_t file =
            *path == '"' ? BAKE_OLD_ORIGINS_NONE : bake_old_origins_find_file(r->old_map, path);
        if (file != BAKE_OLD_ORIGINS_NONE)
            moves->files[file] = i;
    }
    for (uint32_t i = 0; i < count; i++) {
        const char *name = bake_old_origins_file(r->old_map, i);
        bool is_schema = *name != '"' && !r->has_other_schema && bake_rerun_is_schema(r->run, name);
        moves->is_same[i] =
            moves->files[i] == UINT32_MAX ? is_schema : !r->changed[moves->files[i]];
    }
}

/* ---- lines that have moved ---- */

/* Whether the own places of an asset are those of its old row, except for their lines. */
static bool has_same_form(const rerun *r, uint32_t number)
{
    const bake_memo_asset *row = &r->memo->all[number];
    uint32_t from = r->from[number];
    if (from == UINT32_MAX || r->files[r->before->all[from].file] != row->file)
        return false;
    return !r->changed[row->file] ||
           (r->memo->form_count && r->before->form_count &&
            bake_hash_equal(r->memo->forms[number].hash, r->before->forms[from].hash));
}

static void add_moved(rerun *r, uint32_t number)
{
    const bake_node_form *old = &r->before->forms[r->from[number]];
    r->moves->all[r->moves->count++] = (moved_lines){.file = r->memo->all[number].file,
                                                     .first = old->first,
                                                     .last = old->last,
                                                     .by = r->memo->forms[number].line - old->line};
}

static int compare_lines(const void *a, const void *b)
{
    const moved_lines *left = a, *right = b;
    if (left->file != right->file)
        return left->file < right->file ? -1 : 1;
    return (left->first > right->first) - (left->first < right->first);
}

/* Joins overlapping lines. Those of several assets that have moved differently are unknown. */
static void join_moved(bake_rerun_moves *moves)
{
    size_t count = 0;
    if (moves->count > 1)
        qsort(moves->all, moves->count, sizeof *moves->all, compare_lines);
    for (size_t i = 0; i < moves->count; i++) {
        const moved_lines next = moves->all[i];
        moved_lines *last = count ? &moves->all[count - 1] : NULL;
        if (!last || last->file != next.file || next.first > last->last) {
            moves->all[count++] = next;
            continue;
        }
        last->is_unknown = last->is_unknown || last->by != next.by;
        if (next.last > last->last)
            last->last = next.last;
    }
    moves->count = count;
}

static bool move(void *ctx, uint32_t file, uint32_t *line)
{
    const bake_rerun_moves *moves = ctx;
    size_t first = 0, end = moves->count;
    uint32_t number = moves->files[file];
    if (moves->is_same[file] || number == UINT32_MAX)
        return moves->is_same[file];
    while (first < end) {
        size_t middle = first + (end - first) / 2;
        const moved_lines *lines = &moves->all[middle];
        if (lines->file < number || (lines->file == number && lines->last < *line)) {
            first = middle + 1;
        } else if (lines->file > number || lines->first > *line) {
            end = middle;
        } else {
            *line += lines->by;
            return !lines->is_unknown;
        }
    }
    return false;
}

/* ---- the map ---- */

static bool open_map(rerun *r)
{
    r->old_map = bake_old_origins_open(r->def->map.data, r->def->map.size);
    uint32_t count = r->old_map ? bake_old_origins_file_count(r->old_map) : 0;
    size_t rows = (size_t)r->memo->count + 1;
    r->mapped = bake_alloc_array(rows, 1);
    r->moves = bake_alloc_array(1, sizeof *r->moves);
    if (!r->old_map || !r->mapped || !r->moves)
        return false;
    r->moves->all = bake_alloc_array(rows, sizeof *r->moves->all);
    r->moves->files = bake_alloc_array((size_t)count + 1, sizeof *r->moves->files);
    r->moves->is_same = bake_alloc_array((size_t)count + 1, 1);
    if (!r->moves->all || !r->moves->files || !r->moves->is_same)
        return false;
    find_files(r);
    return true;
}

/* Sets `mapped` for all rows whose places, or those of their ancestors, have changed in other
 * respects than their lines. */
static void compare_forms(rerun *r)
{
    for (uint32_t i = 0; i < r->memo->count; i++) {
        r->mapped[i] = !has_same_form(r, i);
        if (!r->mapped[i] && r->changed[r->memo->all[i].file])
            add_moved(r, i);
    }
    join_moved(r->moves);
    bake_memo_add_descendants(r->memo, r->mapped);
}

/* All places of an asset are in its node, in those of its ancestors and in the schema. */
static bool must_map(const rerun *r, uint32_t number, uint32_t asset)
{
    return r->mapped[number] || !bake_old_origins_can_copy(r->old_map, asset, move, r->moves);
}

bool bake_rerun_map_find(rerun *r)
{
    if (!bake_rerun_has_map(r))
        return true;
    if (!open_map(r))
        return false;
    compare_forms(r);
    for (uint32_t i = 0; i < r->memo->count; i++) {
        if (r->baked[i] || i >= r->memo->asset_count) {
            r->mapped[i] = 0;
            continue;
        }
        uint32_t asset = bake_old_origins_find(r->old_map, bake_memo_name(r->memo, i),
                                               r->memo->all[i].name_length);
        if (asset == BAKE_OLD_ORIGINS_NONE)
            return false;
        r->mapped[i] = must_map(r, i, asset);
        if (!r->mapped[i])
            continue;
        r->parsed[r->memo->all[i].file] = 1;
        r->mapped_count++;
    }
    return true;
}

bool bake_rerun_map_begin(rerun *r)
{
    if (!bake_rerun_has_map(r))
        return true;
    bake_output *output = bake_run_begin_extra(r->run, r->run->options->source_map);
    if (output)
        r->origins = bake_origins_create(r->run->diagnostics, bake_output_write, output);
    if (!r->origins || !bake_origins_reuse(r->origins, r->old_map))
        return false;
    bake_values_set_origins(r->values, r->origins);
    return true;
}

bool bake_rerun_map_copy(rerun *r, uint32_t number)
{
    uint32_t asset = bake_old_origins_find(r->old_map, bake_memo_name(r->memo, number),
                                           r->memo->all[number].name_length);
    return bake_origins_copy(r->origins, asset, move, r->moves) == BAKE_ORIGINS_OK;
}

bool bake_rerun_map_bind(rerun *r, const unsigned char *header)
{
    kiln_blob_header of;
    if (!r->origins)
        return true;
    memcpy(&of, header, sizeof of);
    return bake_origins_bind(r->origins, of.hash) == BAKE_ORIGINS_OK;
}

void bake_rerun_map_fini(rerun *r)
{
    bake_origins_destroy(r->origins);
    bake_old_origins_close(r->old_map);
    bake_free(r->mapped);
    if (!r->moves)
        return;
    bake_free(r->moves->all);
    bake_free(r->moves->files);
    bake_free(r->moves->is_same);
    bake_free(r->moves);
}
