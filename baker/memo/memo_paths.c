#include "memo_paths.h"

#include "bake_memory.h"
#include "bake_text.h"
#include "gateway_users.h"
#include "memo_memory.h"

#include <stdlib.h>
#include <string.h>

static const char *path_at(const void *list, size_t number, size_t *ret_length)
{
    const bake_memo *memo = list;
    *ret_length = memo->paths[number].path_length;
    return bake_memo_used_path(memo, (uint32_t)number);
}

static uint32_t find(const bake_memo *memo, const char *path, size_t length)
{
    size_t found = bake_find_text(memo, path_at, 0, memo->path_count, path, length);
    return found == SIZE_MAX ? UINT32_MAX : (uint32_t)found;
}

uint32_t bake_memo_find_path(const bake_memo *memo, const char *path)
{
    return find(memo, path, strlen(path));
}

uint32_t bake_memo_path_uses(const bake_memo *memo, uint32_t path, uint32_t *ret_end)
{
    uint32_t first = 0, end = memo->use_count;
    while (first < end) {
        uint32_t middle = first + (end - first) / 2;
        if (memo->uses[middle].path < path)
            first = middle + 1;
        else
            end = middle;
    }
    for (end = first; end < memo->use_count && memo->uses[end].path == path;)
        end++;
    *ret_end = end;
    return first;
}

/* ---- making the lists ---- */

/* A path of the new memo. */
typedef struct path_row {
    text_key text;
    uint32_t from; /* the old path, or the number of the old paths plus that in the gateway */
} path_row;

typedef struct path_maker {
    bake_memo *memo;
    const bake_memo_paths_def *def;
    uint32_t old_count;
    uint32_t used_count;   /* of the gateway */
    unsigned char *is_own; /* by path of the gateway: it is not a source */
    uint32_t *known;       /* by path of the gateway: the old path; UINT32_MAX: none */
    uint32_t *numbers;     /* by `from`: the new number */
    path_row *rows;
    size_t row_count;
} path_maker;

/* Lists which paths of the gateway belong to the memo. */
static void choose_paths(path_maker *m)
{
    const bake_gateway *gateway = m->def->gateway;
    size_t count = bake_gateway_path_use_count(gateway);
    for (size_t i = 0; i < count; i++)
        m->is_own[bake_gateway_path_use(gateway, i).path] = 1;
    for (uint32_t i = 0; i < m->memo->file_count; i++) {
        size_t number = bake_gateway_find_use(gateway, bake_memo_path(m->memo, i));
        if (number < m->used_count)
            m->is_own[number] = 0;
    }
}

static int compare_rows(const void *a, const void *b)
{
    const path_row *left = a, *right = b;
    return bake_compare_text(left->text.text, left->text.length, right->text.text,
                             right->text.length);
}

/* Lists all paths, sorted. The old ones are sorted already. */
static void list_paths(path_maker *m)
{
    const bake_memo *before = m->def->before;
    for (uint32_t i = 0; i < m->old_count; i++)
        if (!m->def->is_dropped[i])
            m->rows[m->row_count++] =
                (path_row){{bake_memo_used_path(before, i), before->paths[i].path_length}, i};
    size_t kept = m->row_count;
    for (uint32_t i = 0; i < m->used_count; i++) {
        if (!m->is_own[i])
            continue;
        bake_use use;
        const char *path = bake_gateway_use(m->def->gateway, i, &use);
        size_t length = strlen(path);
        uint32_t old = before ? find(before, path, length) : UINT32_MAX;
        m->known[i] = old;
        if (old == UINT32_MAX || m->def->is_dropped[old])
            m->rows[m->row_count++] = (path_row){{path, length}, m->old_count + i};
    }
    if (m->row_count > kept + (kept == 0))
        qsort(m->rows, m->row_count, sizeof *m->rows, compare_rows);
    for (size_t i = 0; i < m->row_count; i++)
        m->numbers[m->rows[i].from] = (uint32_t)i;
}

/* Copies the texts. Returns false if memory runs out. */
static bool add_paths(path_maker *m)
{
    bake_memo *memo = m->memo;
    uint64_t size = memo->alias_size;
    for (size_t i = 0; i < m->row_count; i++)
        size += m->rows[i].text.length + 1;
    char *texts = size < UINT32_MAX ? bake_grow(memo->alias_texts, &memo->alias_text_capacity,
                                                (size_t)size + 1, 1)
                                    : NULL;
    bake_memo_used *paths = bake_alloc_array(m->row_count + 1, sizeof *paths);
    if (texts)
        memo->alias_texts = texts;
    if (!texts || !paths) {
        bake_free(paths);
        return false;
    }
    for (size_t i = 0; i < m->row_count; i++) {
        text_key text = m->rows[i].text;
        paths[i] = (bake_memo_used){memo->alias_size, (uint32_t)text.length};
        memcpy(texts + memo->alias_size, text.text, text.length);
        texts[memo->alias_size + text.length] = '\0';
        memo->alias_size += (uint32_t)text.length + 1;
    }
    bake_free(memo->paths);
    memo->paths = paths;
    memo->path_count = (uint32_t)m->row_count;
    return true;
}

/* The new number of the user of an old path; UINT32_MAX if its uses are new or it is gone. */
static uint32_t new_user(const path_maker *m, const bake_memo_use *use, const uint32_t *rows)
{
    uint32_t number = use->number;
    switch (use->kind) {
    case BAKE_MEMO_BY_RUN:
        return 0;
    case BAKE_MEMO_BY_FILE:
        number = m->def->files[number];
        return number != UINT32_MAX && m->def->is_parsed[number] ? UINT32_MAX : number;
    case BAKE_MEMO_BY_ROW:
        number = rows[number];
        return number != UINT32_MAX && m->def->is_read[number] ? UINT32_MAX : number;
    default:
        return UINT32_MAX;
    }
}

static int compare_uses(const void *a, const void *b)
{
    const bake_memo_use *x = a, *y = b;
    if (x->path != y->path)
        return x->path < y->path ? -1 : 1;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    return (x->number > y->number) - (x->number < y->number);
}

/* Copies the uses of the memo before; `rows` has room for its rows. */
static uint32_t keep_uses(path_maker *m, uint32_t *rows, bake_memo_use *to)
{
    uint32_t count = 0;
    const bake_memo *before = m->def->before;
    for (uint32_t i = 0; i < before->count; i++)
        rows[i] = UINT32_MAX;
    for (uint32_t i = 0; i < m->memo->count; i++)
        if (m->def->from[i] != UINT32_MAX)
            rows[m->def->from[i]] = i;
    for (uint32_t i = 0; i < before->use_count; i++) {
        const bake_memo_use *use = &before->uses[i];
        uint32_t number = m->def->is_dropped[use->path] ? UINT32_MAX : new_user(m, use, rows);
        if (number != UINT32_MAX)
            to[count++] = (bake_memo_use){m->numbers[use->path], use->kind, number};
    }
    return count;
}

static uint32_t add_new_uses(const path_maker *m, bake_memo_use *to, uint32_t count)
{
    static const bake_memo_user_kind kinds[] = {[BAKE_USER_RUN] = BAKE_MEMO_BY_RUN,
                                                [BAKE_USER_INPUT] = BAKE_MEMO_BY_FILE,
                                                [BAKE_USER_ASSET] = BAKE_MEMO_BY_ROW,
                                                [BAKE_USER_MESSAGES] = BAKE_MEMO_BY_MESSAGES};
    size_t new_count = bake_gateway_path_use_count(m->def->gateway);
    for (size_t i = 0; i < new_count; i++) {
        bake_path_use use = bake_gateway_path_use(m->def->gateway, i);
        if (!m->is_own[use.path])
            continue;
        uint32_t old = m->known[use.path];
        bool is_old = old != UINT32_MAX && !m->def->is_dropped[old];
        to[count++] = (bake_memo_use){m->numbers[is_old ? old : m->old_count + use.path],
                                      kinds[use.user.kind], use.user.number};
    }
    return count;
}

/* Returns false if memory runs out. */
static bool add_uses(path_maker *m)
{
    const bake_memo *before = m->def->before;
    uint64_t most =
        bake_gateway_path_use_count(m->def->gateway) + (uint64_t)(before ? before->use_count : 0);
    uint32_t *rows = bake_alloc_array(before ? (size_t)before->count + 1 : 1, sizeof *rows);
    bake_memo_use *uses =
        most < UINT32_MAX ? bake_alloc_array((size_t)most + 1, sizeof *uses) : NULL;
    uint32_t count = 0, kept = 0;
    if (rows && uses) {
        count = before ? keep_uses(m, rows, uses) : 0;
        count = add_new_uses(m, uses, count);
        if (count > 1)
            qsort(uses, count, sizeof *uses, compare_uses);
        for (uint32_t i = 0; i < count; i++)
            if (i == 0 || compare_uses(&uses[i - 1], &uses[i]) != 0)
                uses[kept++] = uses[i];
        bake_free(m->memo->uses);
        m->memo->uses = uses;
        m->memo->use_count = kept;
    } else {
        bake_free(uses);
    }
    bake_free(rows);
    return rows && uses;
}

bool bake_memo_set_paths(bake_memo *memo, const bake_memo_paths_def *def)
{
    size_t used = bake_gateway_use_count(def->gateway);
    path_maker m = {.memo = memo,
                    .def = def,
                    .old_count = def->before ? def->before->path_count : 0,
                    .used_count = (uint32_t)used};
    if (bake_gateway_lacks_uses(def->gateway) || used >= UINT32_MAX - m.old_count)
        return false;
    m.is_own = bake_alloc_array(used + 1, 1);
    m.known = bake_alloc_array(used + 1, sizeof *m.known);
    m.numbers = bake_alloc_array(used + m.old_count + 1, sizeof *m.numbers);
    m.rows = bake_alloc_array(used + m.old_count + 1, sizeof *m.rows);
    bool done = m.is_own && m.known && m.numbers && m.rows;
    if (done) {
        choose_paths(&m);
        list_paths(&m);
        done = add_paths(&m) && add_uses(&m);
    }
    bake_free(m.is_own);
    bake_free(m.known);
    bake_free(m.numbers);
    bake_free(m.rows);
    return done;
}
