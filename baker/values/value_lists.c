/* Builds the lists of the scene data, without duplicates.
 *
 * Items are identified by bytes: the image of the value, or the characters of a string. All bytes
 * are in one array, to which items refer by offset. The items of each member of SceneData form a
 * linked list in index order. A single hash table serves all lists.
 *
 * Without caches, a repeated value would be baked only to find that it exists. Two caches avoid
 * this. Values of prefabs recur in every instance and are cached by node. Numbers, bools and enum
 * values recur in different nodes and are cached by text, in a direct-mapped cache. A value in
 * neither cache is baked again and gets the same word. */
#include "value_words.h"

#include "bake_memory.h"
#include "tree_store.h"

#include <string.h>

/* ---- lists of the data, by bytes ---- */

bool bake_data_lists_init(data_lists *w, uint32_t count)
{
    memset(w, 0, sizeof *w);
    w->list_count = count;
    w->lists = bake_alloc_array((size_t)count + 1, sizeof *w->lists);
    return w->lists != NULL;
}

void bake_data_lists_fini(data_lists *w)
{
    kiln_allocator allocator = bake_memory_allocator();
    bake_store_fini(&w->store);
    bake_free(w->items);
    bake_free(w->bytes);
    kiln_hash_table_fini(&w->by_bytes, &allocator);
    bake_free(w->lists);
}

typedef struct value_bytes {
    const void *bytes;
    size_t size;
    uint32_t member; /* of SceneData */
} value_bytes;

/* The member is part of the key, since equal bytes in two lists are different items. */
static uint32_t hash_of_bytes(const hash_table *table, value_bytes key)
{
    return hash_of_text(table, (text_key){key.bytes, key.size}) + key.member * UINT32_C(0x9e3779b9);
}

static bool has_bytes(const data_lists *w, uint32_t number, value_bytes key)
{
    const data_item *item = &w->items[number];
    return item->member == key.member && item->byte_count == key.size &&
           memcmp(w->bytes + item->bytes, key.bytes, key.size) == 0;
}

HASH_TABLE(items_by_bytes, const data_lists *, value_bytes, hash_of_bytes, has_bytes)

/* Adds an item with these bytes. Returns NULL if memory runs out. */
static data_item *add_item(data_lists *w, const void *bytes, size_t size)
{
    data_item *items = bake_grow(w->items, &w->item_capacity, w->item_count + 1, sizeof *items);
    if (items)
        w->items = items;
    unsigned char *all = bake_grow(w->bytes, &w->byte_capacity, w->byte_count + size + 1, 1);
    if (all)
        w->bytes = all;
    if (!items || !all || w->item_count >= UINT32_MAX - 1)
        return NULL;
    data_item *item = &items[w->item_count++];
    memset(item, 0, sizeof *item);
    memcpy(all + w->byte_count, bytes, size);
    item->bytes = w->byte_count;
    item->byte_count = (uint32_t)size;
    w->byte_count += size;
    return item;
}

/* Copies the layers. Those of the caller are temporary, but the list is baked at the end. */
static const value_layer *copy_layers(data_lists *w, const value_layer *layers, size_t count)
{
    value_layer *kept = bake_store_alloc(&w->store, count, sizeof *kept);
    bake_layer *copies = bake_store_alloc(&w->store, count, sizeof *copies);
    if (!kept || !copies)
        return NULL;
    for (size_t i = 0; i < count; i++) {
        copies[i].tree = layers[i].layer->tree;
        copies[i].node = layers[i].layer->node;
        copies[i].origin = &copies[i];
        kept[i] = (value_layer){.layer = &copies[i], .node = layers[i].node, .key = layers[i].key};
    }
    return kept;
}

/* Appends a new item to its list. */
static data_item *append(data_lists *w, const data_item *like, const void *bytes, size_t size)
{
    const value_layer *kept = copy_layers(w, like->layers, like->layer_count);
    data_item *item = kept ? add_item(w, bytes, size) : NULL;
    if (!item)
        return NULL;
    data_list *list = &w->lists[like->member];
    item->member = like->member;
    item->number = list->count++;
    item->type = like->type;
    item->layers = kept;
    item->layer_count = like->layer_count;
    item->field = like->field;
    item->rule = like->rule;
    if (list->last)
        w->items[list->last - 1].next = (uint32_t)w->item_count;
    else
        list->first = (uint32_t)w->item_count;
    list->last = (uint32_t)w->item_count;
    return item;
}

uint64_t bake_data_lists_put(data_lists *w, const data_item *like, const void *bytes, size_t size)
{
    kiln_allocator allocator = bake_memory_allocator();
    value_bytes key = {bytes, size, like->member};
    if (!hash_table_reserve(&w->by_bytes, &allocator))
        return 0;
    hash_slot *slot = items_by_bytes_slot(&w->by_bytes, w, key);
    if (!hash_slot_is_empty(slot))
        return w->items[hash_slot_number(slot)].number + (uint64_t)1;
    const data_item *item = append(w, like, bytes, size);
    if (!item)
        return 0;
    hash_table_put(&w->by_bytes, slot, (uint32_t)w->item_count - 1);
    return item->number + (uint64_t)1;
}

/* ---- memos, by node and by text ---- */

struct data_memo {
    const bake_tree *tree;
    bake_node_id node;
    uint32_t member; /* of SceneData */
    uint64_t word;
};

typedef struct data_memo memo;

static uint32_t hash_of_memo(const hash_table *table, memo key)
{
    return hash_of_number(table,
                          (uint64_t)(uintptr_t)key.tree ^ (uint64_t)key.node << 32 ^ key.member);
}

static bool is_memo(const data_memos *m, uint32_t number, memo key)
{
    const memo *other = &m->all[number];
    return other->tree == key.tree && other->node == key.node && other->member == key.member;
}

HASH_TABLE(memos_by_node, const data_memos *, memo, hash_of_memo, is_memo)

bool bake_data_memo_find(const data_memos *m, const bake_tree *tree, bake_node_id node,
                         uint32_t member, uint64_t *ret_word)
{
    memo key = {tree, node, member, 0};
    uint32_t found = memos_by_node_find(&m->by_node, m, key);
    if (found == HASH_TABLE_NONE)
        return false;
    *ret_word = m->all[found].word;
    return true;
}

void bake_data_memo_put(data_memos *m, const bake_tree *tree, bake_node_id node, uint32_t member,
                        uint64_t word)
{
    kiln_allocator allocator = bake_memory_allocator();
    memo made = {tree, node, member, word};
    memo *all = bake_grow(m->all, &m->capacity, m->count + 1, sizeof *all);
    if (all)
        m->all = all;
    /* If memory runs out, the value is baked again later. */
    if (!all || !hash_table_reserve(&m->by_node, &allocator))
        return;
    all[m->count] = made;
    hash_table_put(&m->by_node, memos_by_node_slot(&m->by_node, m, made), (uint32_t)m->count++);
}

void bake_data_memo_fini(data_memos *m)
{
    kiln_allocator allocator = bake_memory_allocator();
    kiln_hash_table_fini(&m->by_node, &allocator);
    bake_free(m->all);
    memset(m, 0, sizeof *m);
}

data_text *bake_data_text(value_words *words, const kiln_member *field, uint32_t member,
                          const bake_scalar_view *view, bool *ret_known)
{
    if (!field || view->length > DATA_TEXT_MAX)
        return NULL;
    /* The upper half of the product is mixed best (Fibonacci hashing, see value_cache.c). */
    uint64_t hash = bake_tree_hash(view->text, view->length) ^ (uintptr_t)field;
    data_text *at = &words->texts[(hash * UINT64_C(0x9e3779b97f4a7c15) >> 32) % DATA_TEXTS];
    *ret_known = at->field == field && at->member == member && at->length == view->length &&
                 at->is_plain == view->is_plain && memcmp(at->text, view->text, view->length) == 0;
    return at;
}

void bake_data_text_put(data_text *at, const kiln_member *field, uint32_t member,
                        const bake_scalar_view *view, uint64_t word)
{
    *at = (data_text){field, word, member, (uint8_t)view->length, view->is_plain, {0}};
    memcpy(at->text, view->text, view->length);
}
