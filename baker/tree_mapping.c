#include "tree_store.h"

#include "excerpt.h"

#include <inttypes.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

/* More entries than the links' numbers leave room for an index of. */
#define ENTRIES_MAX ((size_t)1 << 28)

/* Of a longer key only the beginning is shown. */
#define SHOWN_MAX 64

/* Only tests write it. */
static uint64_t hash_mask = UINT64_MAX;

void bake_tree_weaken_hash(uint64_t mask)
{
    hash_mask = mask;
}

uint64_t bake_tree_hash(const char *text, size_t length)
{
    return XXH3_64bits(text, length) & hash_mask;
}

/* The entries of a mapping while repeated keys are taken out. Nothing is allocated meanwhile, so
 * the pointers hold. */
typedef struct entries {
    const bake_tree *tree;
    bake_diagnostics *diagnostics;
    uint32_t *pairs;
    size_t count;
    size_t own;      /* the first so many come from the mapping itself, the others are merged */
    uint32_t *slots; /* `capacity` of them, zeroed */
    size_t capacity;
} entries;

static const bake_node *key_of(const entries *e, size_t i)
{
    return &e->tree->nodes[e->pairs[2 * i]];
}

static bool same_key(const entries *e, size_t i, size_t j)
{
    const bake_node *a = key_of(e, i);
    const bake_node *b = key_of(e, j);
    const char *text = e->tree->text;
    return a->count == b->count && memcmp(text + a->content, text + b->content, a->count) == 0;
}

static uint64_t hash_key(const entries *e, size_t i)
{
    const bake_node *key = key_of(e, i);
    return bake_tree_hash(e->tree->text + key->content, key->count);
}

/* Says that `again` repeats `first`, unless it was merged: then it just does not count. */
static void drop(const entries *e, size_t first, size_t again)
{
    if (again >= e->own)
        return;
    const bake_node *key = key_of(e, again);
    bake_report(e->diagnostics, BAKE_ERROR, bake_node_mark(e->tree, e->pairs[2 * again]),
                "duplicate", NULL, "the key \"%.*s%s\" is given twice",
                (int)bake_utf8_cut(e->tree->text + key->content, key->count, SHOWN_MAX),
                e->tree->text + key->content, key->count > SHOWN_MAX ? "..." : "");
    bake_hint(e->diagnostics, "first given on line %" PRIu32, key_of(e, first)->line);
}

static void move_entry(entries *e, size_t to, size_t from)
{
    e->pairs[2 * to] = e->pairs[2 * from];
    e->pairs[2 * to + 1] = e->pairs[2 * from + 1];
}

static void make_unique_linear(entries *e)
{
    uint64_t hashes[BAKE_LINEAR_MAX];
    size_t kept = 0;
    for (size_t i = 0; i < e->count; i++) {
        uint64_t hash = hash_key(e, i);
        size_t j = 0;
        while (j < kept && (hashes[j] != hash || !same_key(e, i, j)))
            j++;
        if (j < kept) {
            drop(e, j, i);
            continue;
        }
        hashes[kept] = hash;
        move_entry(e, kept++, i);
    }
    e->count = kept;
}

/* False when the keys collide more than chance allows; `e` then holds what is left to be done. */
static bool make_unique_hashed(entries *e)
{
    size_t mask = e->capacity - 1;
    size_t steps_left = 8 * e->count + 64;
    size_t kept = 0;
    for (size_t i = 0; i < e->count; i++) {
        size_t at = (size_t)hash_key(e, i) & mask;
        while (e->slots[at] && !same_key(e, i, e->slots[at] - 1)) {
            at = (at + 1) & mask;
            if (--steps_left > 0)
                continue;
            memmove(e->pairs + 2 * kept, e->pairs + 2 * i, (e->count - i) * 2 * sizeof *e->pairs);
            e->own -= i < e->own ? i - kept : e->own - (kept < e->own ? kept : e->own);
            e->count -= i - kept;
            return false;
        }
        if (e->slots[at]) {
            drop(e, e->slots[at] - 1, i);
            continue;
        }
        move_entry(e, kept++, i);
        e->slots[at] = (uint32_t)kept;
    }
    e->count = kept;
    return true;
}

static int compare_keys(const entries *e, size_t i, size_t j)
{
    const bake_node *a = key_of(e, i);
    const bake_node *b = key_of(e, j);
    const char *text = e->tree->text;
    return bake_compare_text(text + a->content, a->count, text + b->content, b->count);
}

/* Merges the sorted halves of from[begin..end) into `to`; of equal keys the left one stays first.
 */
static void merge_halves(const entries *e, const uint32_t *from, uint32_t *to, size_t begin,
                         size_t middle, size_t end)
{
    size_t left = begin;
    size_t right = middle;
    for (size_t i = begin; i < end; i++) {
        bool take_left =
            left < middle && (right >= end || compare_keys(e, from[left], from[right]) <= 0);
        to[i] = from[take_left ? left++ : right++];
    }
}

/* Sorts the entries' numbers by key, stable, between the two halves of the slots; returns the half
 * that holds the result. */
static uint32_t *sort_numbers(const entries *e, uint32_t **ret_other)
{
    uint32_t *from = e->slots;
    uint32_t *to = e->slots + e->capacity / 2;
    for (size_t i = 0; i < e->count; i++)
        from[i] = (uint32_t)i;
    for (size_t width = 1; width < e->count; width *= 2) {
        for (size_t begin = 0; begin < e->count; begin += 2 * width) {
            size_t middle = begin + width < e->count ? begin + width : e->count;
            size_t end = middle + width < e->count ? middle + width : e->count;
            merge_halves(e, from, to, begin, middle, end);
        }
        uint32_t *swapped = from;
        from = to;
        to = swapped;
    }
    *ret_other = to;
    return from;
}

static void make_unique_sorted(entries *e)
{
    uint32_t *renumbered;
    uint32_t *sorted = sort_numbers(e, &renumbered);
    memset(renumbered, 0, e->count * sizeof *renumbered);
    size_t kept = 0;
    for (size_t i = 0; i < e->count; i++) {
        if (kept > 0 && same_key(e, sorted[kept - 1], sorted[i])) {
            drop(e, sorted[kept - 1], sorted[i]);
            continue;
        }
        sorted[kept++] = sorted[i];
        renumbered[sorted[i]] = 1;
    }
    size_t next = 0;
    for (size_t i = 0; i < e->count; i++) {
        if (!renumbered[i])
            continue;
        move_entry(e, next, i);
        renumbered[i] = (uint32_t)next++;
    }
    for (size_t i = 0; i < kept; i++)
        sorted[i] = renumbered[sorted[i]];
    memmove(e->slots, sorted, kept * sizeof *sorted);
    e->count = kept;
}

/* What the entries of a mapping are taken from. */
typedef struct input {
    bake_tree *tree;
    const uint32_t *pairs;
    size_t pair_count;
} input;

/* The node whose entries source number `i` of the merge value is; NONE past the last. */
static bake_node_id merge_source(const bake_tree *tree, bake_node_id value, size_t i)
{
    const bake_node *node = &tree->nodes[value];
    if (node->kind == BAKE_NODE_MAPPING)
        return i == 0 ? value : BAKE_NODE_NONE;
    return i < node->count ? tree->links[node->content + i] : BAKE_NODE_NONE;
}

static bool is_merge_source(const bake_tree *tree, bake_node_id value)
{
    const bake_node *node = &tree->nodes[value];
    if (node->kind == BAKE_NODE_SCALAR)
        return false;
    bake_node_id source;
    for (size_t i = 0; (source = merge_source(tree, value, i)) != BAKE_NODE_NONE; i++)
        if (tree->nodes[source].kind != BAKE_NODE_MAPPING)
            return false;
    return true;
}

typedef enum role { ROLE_NONE, ROLE_ENTRY, ROLE_MERGE } role;

static role role_of(const bake_tree *tree, const uint32_t *pair)
{
    const bake_node *key = &tree->nodes[pair[0]];
    if (key->kind != BAKE_NODE_SCALAR)
        return ROLE_NONE;
    if (!key->is_merge_key)
        return ROLE_ENTRY;
    return is_merge_source(tree, pair[1]) ? ROLE_MERGE : ROLE_NONE;
}

static void check_merge_keys(const input *in, bake_diagnostics *diagnostics)
{
    const bake_node *first = NULL;
    for (size_t i = 0; i < in->pair_count; i++) {
        const uint32_t *pair = in->pairs + 2 * i;
        const bake_node *key = &in->tree->nodes[pair[0]];
        if (key->kind != BAKE_NODE_SCALAR || !key->is_merge_key)
            continue;
        bake_mark mark = bake_node_mark(in->tree, pair[0]);
        if (first) {
            bake_report(diagnostics, BAKE_ERROR, mark, "duplicate", NULL,
                        "the merge key << is given twice");
            bake_hint(diagnostics,
                      "first given on line %" PRIu32 "; several fit in one list: "
                      "<<: [*a, *b]",
                      first->line);
        }
        first = first ? first : key;
        if (role_of(in->tree, pair) == ROLE_NONE) {
            bake_report(diagnostics, BAKE_ERROR, mark, "merge", NULL,
                        "a merge key << takes a mapping or a list of mappings");
            bake_hint(diagnostics, "an ordinary key of that name is written in quotes");
        }
    }
}

/* The number of entries, own ones and those merged, before any is dropped. */
static size_t count_entries(const input *in, size_t *ret_own)
{
    const bake_tree *tree = in->tree;
    size_t own = 0;
    size_t merged = 0;
    for (size_t i = 0; i < in->pair_count; i++) {
        const uint32_t *pair = in->pairs + 2 * i;
        role what = role_of(tree, pair);
        own += what == ROLE_ENTRY;
        bake_node_id source;
        for (size_t k = 0;
             what == ROLE_MERGE && (source = merge_source(tree, pair[1], k)) != BAKE_NODE_NONE; k++)
            merged += tree->nodes[source].count;
    }
    *ret_own = own;
    return own + merged;
}

/* Writes the entries counted above, own ones first. */
static void copy_entries(const input *in, uint32_t *to)
{
    const bake_tree *tree = in->tree;
    for (size_t i = 0; i < in->pair_count; i++) {
        const uint32_t *pair = in->pairs + 2 * i;
        if (role_of(tree, pair) == ROLE_ENTRY) {
            *to++ = pair[0];
            *to++ = pair[1];
        }
    }
    for (size_t i = 0; i < in->pair_count; i++) {
        const uint32_t *pair = in->pairs + 2 * i;
        bake_node_id source;
        if (role_of(tree, pair) != ROLE_MERGE)
            continue;
        for (size_t k = 0; (source = merge_source(tree, pair[1], k)) != BAKE_NODE_NONE; k++) {
            const bake_node *node = &tree->nodes[source];
            if (node->count)
                memcpy(to, tree->links + node->content, (size_t)2 * node->count * sizeof *to);
            to += (size_t)2 * node->count;
        }
    }
}

static bool make_index_room(bake_tree *tree, size_t count, size_t *ret_capacity)
{
    *ret_capacity = 0;
    if (count <= BAKE_LINEAR_MAX)
        return true;
    if (count > ENTRIES_MAX)
        return false;
    size_t capacity = 32;
    while (capacity < 2 * count)
        capacity *= 2;
    size_t offset;
    if (!bake_tree_add_links(tree, capacity + 1, &offset))
        return false;
    memset(tree->links + offset, 0, (capacity + 1) * sizeof *tree->links);
    *ret_capacity = capacity;
    return true;
}

bake_build bake_tree_finish_mapping(bake_tree *tree, bake_diagnostics *diagnostics, bake_node_id id,
                                    const uint32_t *pairs, size_t pair_count, bool has_merge_key)
{
    input in = {tree, pairs, pair_count};
    entries e = {.tree = tree, .diagnostics = diagnostics};
    if (has_merge_key)
        check_merge_keys(&in, diagnostics);
    e.count = count_entries(&in, &e.own);
    size_t content;
    if (!make_index_room(tree, e.count, &e.capacity) ||
        !bake_tree_add_links(tree, 2 * e.count, &content))
        return BAKE_BUILD_NO_MEMORY;
    bake_node *node = &tree->nodes[id];
    node->content = (uint32_t)content;
    if (e.count > 0) {
        e.pairs = tree->links + content;
        e.slots = e.pairs - (e.capacity ? e.capacity + 1 : 0);
        copy_entries(&in, e.pairs);
    }
    if (e.capacity) {
        bool hashed = make_unique_hashed(&e);
        if (!hashed)
            make_unique_sorted(&e);
        tree->links[content - 1] = (uint32_t)e.capacity | (hashed ? 0 : BAKE_INDEX_SORTED);
    } else if (e.count > 1) {
        make_unique_linear(&e);
    }
    node->count = (uint32_t)e.count;
    tree->link_count = content + 2 * e.count;
    return BAKE_BUILD_OK;
}
