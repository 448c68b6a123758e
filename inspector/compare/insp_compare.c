/* Matches the assets of two files: by name, then by the redirects of the new file, then by content.
 *
 * An asset that only the old file contains and one that only the new file contains are the same
 * asset with another name if they have the same type and the same bytes. */
#include "insp_comparing.h"

#include "hash.h"
#include "insp_glob.h"
#include "insp_memory.h"
#include "insp_redirects.h"
#include "insp_scene_flat.h"
#include "insp_unpack.h"

#include <stdlib.h>

/* An asset of both files, or of one. */
typedef struct row {
    insp_text name; /* rows are sorted by it */
    const insp_asset *asset[INSP_SIDES];
} row;

/* An asset of one file, with a hash of its type and bytes. */
typedef struct lone {
    uint64_t hash, size;
    size_t row;
} lone;

typedef struct matching {
    insp_comparing *c;
    row *rows;
    size_t row_count;
    bool *parts[INSP_SIDES]; /* by number: assets that are shown with their scenes */
} matching;

static bool matches_pattern(const insp_compare_def *def, const insp_asset *asset)
{
    int i;
    for (i = 0; i < def->pattern_count; i++)
        if (insp_glob_asset(def->patterns[i], asset->name.data, asset->name.length))
            return true;
    return def->pattern_count == 0;
}

/* The next asset from `*at` on that is compared; NULL at the end. Assets are sorted by name. */
static const insp_asset *next_asset(const matching *m, int side, uint32_t *at)
{
    const insp_file *file = m->c->def->files[side];
    const insp_asset *asset;
    while ((asset = insp_asset_at(file, *at))) {
        if (!m->parts[side][asset->number] && matches_pattern(m->c->def, asset))
            return asset;
        (*at)++;
    }
    return NULL;
}

static void match_names(matching *m)
{
    uint32_t at[INSP_SIDES] = {0, 0};
    for (;;) {
        const insp_asset *before = next_asset(m, INSP_OLD, &at[INSP_OLD]);
        const insp_asset *after = next_asset(m, INSP_NEW, &at[INSP_NEW]);
        int order;
        if (!before && !after)
            return;
        order = !after ? -1 : !before ? 1 : insp_text_compare(before->name, after->name);
        m->rows[m->row_count++] = (row){order <= 0 ? before->name : after->name,
                                        {order <= 0 ? before : NULL, order >= 0 ? after : NULL}};
        at[INSP_OLD] += order <= 0;
        at[INSP_NEW] += order >= 0;
    }
}

static int compare_row_names(const void *a, const void *b)
{
    return insp_text_compare(((const row *)a)->name, ((const row *)b)->name);
}

/* Lists the assets of a pairing. */
static void match_pairs(matching *m, const insp_pairing *pairing)
{
    size_t i;
    int side;
    for (i = 0; i < pairing->count; i++) {
        row *r = &m->rows[m->row_count++];
        for (side = INSP_SIDES; side-- > 0;) {
            const insp_asset *asset =
                insp_numbered_asset(m->c->def->files[side], pairing->pairs[i].number[side]);
            r->asset[side] = asset;
            if (asset)
                r->name = asset->name;
        }
    }
    if (m->row_count)
        qsort(m->rows, m->row_count, sizeof *m->rows, compare_row_names);
}

/* ---- renamed assets ---- */

static bool is_lone(const row *r, int side)
{
    return r->asset[side] && !r->asset[!side];
}

/* The row of the asset that only the new file contains; NULL if there is none. Rows are sorted by
 * name. */
static row *find_new(const matching *m, insp_text name)
{
    size_t from = 0, to = m->row_count;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        int order = insp_text_compare(m->rows[middle].name, name);
        if (!order)
            return is_lone(&m->rows[middle], INSP_NEW) ? &m->rows[middle] : NULL;
        if (order < 0)
            from = middle + 1;
        else
            to = middle;
    }
    return NULL;
}

/* Moves the old asset to the row of the new one. Rows without assets are skipped later. */
static void join(row *from, row *to)
{
    to->asset[INSP_OLD] = from->asset[INSP_OLD];
    from->asset[INSP_OLD] = NULL;
}

static void match_redirects(matching *m)
{
    const insp_file *file = m->c->def->files[INSP_NEW];
    size_t i;
    for (i = 0; i < m->row_count && file->redirects; i++) {
        const insp_asset *asset = m->rows[i].asset[INSP_OLD];
        const kiln_redirect *redirect =
            is_lone(&m->rows[i], INSP_OLD)
                ? insp_redirect_of(file, asset->name.data, asset->name.length)
                : NULL;
        row *target = redirect ? find_new(m, insp_redirect_target(redirect)) : NULL;
        if (target)
            join(&m->rows[i], target);
    }
}

/* Reads the blob of an asset. Returns false if it has none or the work ends. */
static bool read_blob(const matching *m, int side, const insp_asset *asset,
                      const unsigned char **ret_blob, uint64_t *ret_size)
{
    insp_comparing *c = m->c;
    kiln_status status = insp_file_blob(c->def->files[side], asset->member, ret_blob, ret_size);
    c->no_memory = c->no_memory || status == KILN_NO_MEMORY;
    return !status && insp_compare_spend(c, 1 + *ret_size / INSP_COMPARE_UNIT);
}

/* Lists the assets that only one file contains. */
static size_t list_lone(const matching *m, int side, lone *list)
{
    size_t i, count = 0;
    for (i = 0; i < m->row_count && insp_compare_goes_on(m->c); i++) {
        const insp_asset *asset = m->rows[i].asset[side];
        const unsigned char *blob;
        uint64_t size;
        insp_text type;
        if (!is_lone(&m->rows[i], side) || !read_blob(m, side, asset, &blob, &size))
            continue;
        type = insp_asset_type_name(m->c->def->files[side], asset);
        list[count].hash = kiln_hash64(blob, (size_t)size, kiln_hash64(type.data, type.length, 0));
        list[count].size = size;
        list[count++].row = i;
    }
    return count;
}

static int compare_lone(const void *a, const void *b)
{
    const lone *left = a, *right = b;
    if (left->hash != right->hash)
        return left->hash < right->hash ? -1 : 1;
    if (left->size != right->size)
        return left->size < right->size ? -1 : 1;
    return (left->row > right->row) - (left->row < right->row);
}

static bool has_same_content(const matching *m, const row *before, const row *after)
{
    const unsigned char *left, *right;
    uint64_t left_size, right_size;
    return read_blob(m, INSP_OLD, before->asset[INSP_OLD], &left, &left_size) &&
           read_blob(m, INSP_NEW, after->asset[INSP_NEW], &right, &right_size) &&
           left_size == right_size && memcmp(left, right, (size_t)left_size) == 0;
}

/* Joins assets with the same content in the order of their names. */
static void join_lone(matching *m, const lone *before, size_t old_count, const lone *after,
                      size_t new_count)
{
    size_t i = 0, k = 0;
    while (i < old_count && k < new_count) {
        lone left = before[i], right = after[k];
        left.row = right.row = 0;
        int order = compare_lone(&left, &right);
        if (!order && has_same_content(m, &m->rows[before[i].row], &m->rows[after[k].row]))
            join(&m->rows[before[i].row], &m->rows[after[k].row]);
        i += order <= 0;
        k += order >= 0;
    }
}

static void match_contents(matching *m)
{
    size_t i, count[INSP_SIDES] = {0, 0};
    lone *lists[INSP_SIDES] = {NULL, NULL};
    int side;
    for (i = 0; i < m->row_count; i++)
        for (side = 0; side < INSP_SIDES; side++)
            count[side] += is_lone(&m->rows[i], side);
    if (!count[INSP_OLD] || !count[INSP_NEW])
        return;
    for (side = 0; side < INSP_SIDES; side++) {
        lists[side] = insp_alloc_array(count[side], sizeof **lists);
        if (!lists[side]) {
            m->c->no_memory = true;
            continue;
        }
        count[side] = list_lone(m, side, lists[side]);
        qsort(lists[side], count[side], sizeof **lists, compare_lone);
    }
    if (insp_compare_goes_on(m->c))
        join_lone(m, lists[INSP_OLD], count[INSP_OLD], lists[INSP_NEW], count[INSP_NEW]);
    insp_free(lists[INSP_OLD]);
    insp_free(lists[INSP_NEW]);
}

/* ---- the whole files ---- */

static void compare_rows(matching *m)
{
    size_t i;
    for (i = 0; i < m->row_count && insp_compare_spend(m->c, 1); i++) {
        const row *r = &m->rows[i];
        if (r->asset[INSP_OLD] && r->asset[INSP_NEW])
            insp_compare_assets(m->c, r->asset[INSP_OLD], r->asset[INSP_NEW]);
        else if (r->asset[INSP_OLD])
            insp_compare_lone_asset(m->c, INSP_OLD, r->asset[INSP_OLD]);
        else if (r->asset[INSP_NEW])
            insp_compare_lone_asset(m->c, INSP_NEW, r->asset[INSP_NEW]);
    }
}

static bool has_pairs(const insp_comparing *c)
{
    return c->def->pairing && c->def->pairing->is_known;
}

static bool init(matching *m)
{
    insp_comparing *c = m->c;
    size_t count = 0;
    int side;
    for (side = 0; side < INSP_SIDES; side++) {
        const insp_file *file = c->def->files[side];
        c->text[side] = insp_alloc_unset(sizeof(insp_out), sizeof(void *));
        if (!c->text[side])
            return false;
        insp_out_init_text(c->text[side]);
        if (has_pairs(c))
            continue;
        m->parts[side] = insp_alloc_array(file->asset_count, sizeof(bool));
        if (!m->parts[side] || insp_scene_find_parts(file, m->parts[side]) != KILN_OK)
            return false;
        count += file->asset_count;
    }
    if (has_pairs(c))
        count = c->def->pairing->count;
    m->rows = insp_alloc_array(count, sizeof *m->rows);
    return m->rows;
}

kiln_status insp_compare_files(const insp_compare_def *def, insp_compare_result *ret_result)
{
    const insp_file *before = def->files[INSP_OLD], *after = def->files[INSP_NEW];
    insp_comparing c = {.def = def, .result = ret_result, .left = def->steps};
    matching m = {.c = &c};
    int side;
    *ret_result = (insp_compare_result){0};
    if (has_pairs(&c) && !def->pairing->count)
        return KILN_OK;
    if (!has_pairs(&c) && before->size == after->size &&
        (!before->size || memcmp(before->data, after->data, before->size) == 0))
        return KILN_OK;
    c.no_memory = !init(&m);
    if (!c.no_memory) {
        if (has_pairs(&c))
            match_pairs(&m, def->pairing);
        else
            match_names(&m);
        match_redirects(&m);
        match_contents(&m);
        compare_rows(&m);
    }
    for (side = 0; side < INSP_SIDES; side++) {
        insp_free(m.parts[side]);
        insp_free(c.text[side]);
    }
    insp_free(m.rows);
    insp_free(c.steps);
    insp_path_fini(&c.path);
    return c.no_memory ? KILN_NO_MEMORY : KILN_OK;
}
