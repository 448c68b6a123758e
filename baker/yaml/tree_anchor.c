#include "tree_store.h"

#include "bake_memory.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

/* Names that a hint chooses from; the latest are the likeliest. */
#define HINT_NAMES_MAX 64

void bake_anchors_fini(bake_anchors *anchors)
{
    bake_free(anchors->items);
    bake_free(anchors->slots);
}

void bake_anchors_next_document(bake_anchors *anchors)
{
    anchors->first = anchors->count;
}

/* The slot of the name, or the free one where it belongs. */
static uint32_t *slot_of(const bake_anchors *anchors, const bake_tree *tree, const char *name,
                         size_t length)
{
    size_t mask = anchors->slot_count - 1;
    size_t at = (size_t)XXH3_64bits(name, length) & mask;
    for (;; at = (at + 1) & mask) {
        uint32_t *slot = &anchors->slots[at];
        if (*slot <= anchors->first)
            return slot;
        const bake_anchor *item = &anchors->items[*slot - 1];
        if (item->name_length == length && memcmp(tree->text + item->name, name, length) == 0)
            return slot;
    }
}

/* Makes the table so large that it stays at most half full. */
static bool make_room(bake_anchors *anchors, const bake_tree *tree)
{
    size_t live = anchors->count - anchors->first;
    if (anchors->slots && (live + 1) * 2 <= anchors->slot_count)
        return true;
    size_t slot_count = anchors->slot_count ? anchors->slot_count * 2 : 16;
    uint32_t *slots = bake_alloc_array(slot_count, sizeof *slots);
    if (!slots)
        return false;
    bake_free(anchors->slots);
    anchors->slots = slots;
    anchors->slot_count = slot_count;
    for (size_t i = anchors->first; i < anchors->count; i++) {
        const bake_anchor *item = &anchors->items[i];
        *slot_of(anchors, tree, tree->text + item->name, item->name_length) = (uint32_t)i + 1;
    }
    return true;
}

bool bake_anchors_add(bake_anchors *anchors, bake_tree *tree, const char *name, size_t length,
                      bake_anchor added, size_t *ret_number)
{
    if (!bake_tree_fits(anchors->count, 1) || !make_room(anchors, tree))
        return false;
    bake_anchor *items =
        bake_grow(anchors->items, &anchors->capacity, anchors->count + 1, sizeof *items);
    if (!items)
        return false;
    anchors->items = items;
    if (!bake_tree_add_text(tree, name, length, &added.name))
        return false;
    added.name_length = (uint32_t)length;
    uint32_t *slot = slot_of(anchors, tree, name, length);
    *ret_number = anchors->count;
    items[anchors->count++] = added;
    *slot = (uint32_t)anchors->count;
    return true;
}

bake_anchor *bake_anchors_find(const bake_anchors *anchors, const bake_tree *tree, const char *name,
                               size_t length)
{
    if (anchors->count == anchors->first)
        return NULL;
    uint32_t slot = *slot_of(anchors, tree, name, length);
    return slot > anchors->first ? &anchors->items[slot - 1] : NULL;
}

void bake_anchors_hint(const bake_anchors *anchors, const bake_tree *tree,
                       bake_diagnostics *diagnostics, const char *name, size_t length)
{
    const char *names[HINT_NAMES_MAX];
    size_t count = 0;
    for (size_t i = anchors->count; i > anchors->first && count < HINT_NAMES_MAX; i--)
        names[count++] = tree->text + anchors->items[i - 1].name;
    bake_hint_similar(diagnostics, name, length, names, count);
}
