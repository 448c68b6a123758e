#include "scene_notes.h"

#include "bake_memory.h"
#include "scene_items.h"

#include <stdlib.h>
#include <string.h>

bake_memo_prefab *bake_scene_notes_prefabs(const bake_scenes *scenes, size_t *ret_count)
{
    size_t count = scenes ? bake_scene_items_count(scenes) : 0;
    bake_memo_prefab *all = bake_alloc_array(count + 1, sizeof *all);
    *ret_count = 0;
    for (size_t i = 0; all && i < count; i++) {
        bake_scene_item item = bake_scene_items_get(scenes, i);
        if (item.kind == BAKE_ITEM_PREFAB)
            all[(*ret_count)++] = (bake_memo_prefab){item.name, item.name_length, item.tree,
                                                     item.node, item.node,        item.input};
    }
    return all;
}

uint32_t bake_scene_notes_prototype(const bake_memo *memo, const bake_schema *schema,
                                    const char *id, size_t length)
{
    const bake_scene_words *words = schema->prototype_words;
    const char *kind = words ? schema->info[words->prefab_type].kind : NULL;
    size_t prefix = kind ? strlen(kind) : 0;
    char *name = kind ? bake_alloc(prefix + 1 + length + 1) : NULL;
    if (!name)
        return UINT32_MAX;
    memcpy(name, kind, prefix);
    name[prefix] = '/';
    memcpy(name + prefix + 1, id, length);
    uint32_t row = bake_memo_find(memo, name, prefix + 1 + length);
    bake_free(name);
    return row;
}

static uint32_t row_of(const bake_memo *memo, const bake_schema *schema,
                       const bake_scene_item *item)
{
    if (item->kind == BAKE_ITEM_PREFAB)
        return bake_memo_find_prefab(memo, item->name, item->name_length);
    if (item->kind == BAKE_ITEM_PROTOTYPE)
        return bake_scene_notes_prototype(memo, schema, item->name, item->name_length);
    return bake_memo_find(memo, item->name, item->name_length);
}

/* That a scene or prefab uses another row. */
typedef struct row_use {
    uint32_t by, of;
} row_use;

static int compare_uses(const void *a, const void *b)
{
    const row_use *left = a, *right = b;
    if (left->by != right->by)
        return left->by < right->by ? -1 : 1;
    return (left->of > right->of) - (left->of < right->of);
}

/* Returns NULL if memory runs out, or the memo lacks a row. */
static row_use *list_uses(const bake_memo *memo, const bake_scenes *scenes,
                          const bake_schema *schema, size_t *ret_count)
{
    size_t count, kept = 0;
    const bake_scene_use *from = bake_scenes_uses(scenes, &count);
    row_use *uses = bake_alloc_array(count + 1, sizeof *uses);
    size_t all = 0;
    bool ok = uses != NULL;
    for (size_t i = 0; i < count && ok; i++) {
        const bake_scene_item by = bake_scene_items_of(from[i].user);
        const bake_scene_item of = bake_scene_items_of(from[i].used);
        /* No row has the id. bake_rerun_scenes_compare finds out whether one is added. */
        if (of.is_accepted)
            continue;
        uses[all] = (row_use){row_of(memo, schema, &by), row_of(memo, schema, &of)};
        ok = uses[all].by != UINT32_MAX && uses[all].of != UINT32_MAX;
        all++;
    }
    if (!ok) {
        bake_free(uses);
        return NULL;
    }
    if (all > 1)
        qsort(uses, all, sizeof *uses, compare_uses);
    for (size_t i = 0; i < all; i++)
        if (uses[i].by != uses[i].of && (!kept || compare_uses(&uses[kept - 1], &uses[i]) != 0))
            uses[kept++] = uses[i];
    *ret_count = kept;
    return uses;
}

static bool is_wanted(const unsigned char *rows, uint32_t row)
{
    return !rows || rows[row];
}

static bool add_uses(bake_memo *memo, const row_use *uses, size_t count, const unsigned char *rows)
{
    uint32_t *parents = bake_alloc_array(count + 1, sizeof *parents);
    bool done = parents != NULL;
    for (size_t i = 0, next; i < count && done; i = next) {
        for (next = i; next < count && uses[next].by == uses[i].by; next++)
            parents[next - i] = uses[next].of;
        if (is_wanted(rows, uses[i].by))
            done = bake_memo_set_parents(memo, uses[i].by, parents, (uint32_t)(next - i));
    }
    bake_free(parents);
    return done;
}

/* Sets the weights. Returns false if the memo lacks a row. */
static bool add_items(bake_memo *memo, const bake_scenes *scenes, const bake_schema *schema,
                      const unsigned char *rows)
{
    size_t count = bake_scene_items_count(scenes);
    /* A scene with prefabs of its own is in the list several times. */
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < count; i++) {
            const bake_scene_item item = bake_scene_items_get(scenes, i);
            uint32_t row = row_of(memo, schema, &item);
            if (row == UINT32_MAX)
                return false;
            if (!is_wanted(rows, row))
                continue;
            memo->all[row].weight = pass ? memo->all[row].weight + item.work : 0;
            if (!pass && !bake_memo_set_parents(memo, row, NULL, 0))
                return false;
            if (item.cost > memo->scenes.cost)
                memo->scenes.cost = item.cost;
        }
    return true;
}

bool bake_scene_notes_add(bake_memo *memo, const bake_scenes *scenes, const bake_schema *schema,
                          const unsigned char *rows)
{
    size_t count;
    row_use *uses = list_uses(memo, scenes, schema, &count);
    bool done = uses && add_items(memo, scenes, schema, rows) && add_uses(memo, uses, count, rows);
    bake_free(uses);
    return done;
}

uint64_t bake_scene_notes_work_max(const bake_memo *memo)
{
    uint64_t limit = BAKE_SCENE_WORK_MIN;
    unsigned char *files = bake_alloc_array((size_t)memo->file_count + 1, 1);
    for (uint32_t i = 0; files && i < memo->count; i++) {
        uint32_t file = memo->all[i].file;
        if (bake_memo_is_scene(&memo->all[i]) && !files[file]) {
            files[file] = 1;
            limit += BAKE_SCENE_WORK_PER_BYTE * memo->files[file].size;
        }
    }
    bake_free(files);
    return limit;
}

bool bake_scene_notes_fit(const bake_memo *memo)
{
    uint64_t limit = bake_scene_notes_work_max(memo), total = 0;
    for (uint32_t i = 0; i < memo->count; i++) {
        if (!bake_memo_is_scene(&memo->all[i]))
            continue;
        if (memo->all[i].weight > limit - total)
            return false;
        total += memo->all[i].weight;
    }
    return memo->scenes.cost <= limit;
}

void bake_scene_notes_set_noisy(bake_memo *memo, bool is_noisy)
{
    for (uint32_t i = 0; i < memo->count; i++) {
        if (!bake_memo_is_scene(&memo->all[i]))
            continue;
        memo->all[i].flags &= ~(uint32_t)BAKE_MEMO_NOISY;
        memo->all[i].flags |= is_noisy ? BAKE_MEMO_NOISY : 0;
    }
}
