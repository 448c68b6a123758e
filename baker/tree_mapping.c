#include "tree_store.h"

#include "bake_memory.h"
#include "excerpt.h"

#include <inttypes.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

/* More entries than the numbers of an index leave room for. */
#define ENTRIES_MAX ((size_t)1 << 28)

/* Of a longer key only the beginning is shown. */
#define SHOWN_MAX 64

/* The words behind the list and the index: where the slots are, how many, where the entries begin.
 */
#define TRAILER_WORDS 3

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

/* The entries of a mapping while repeated keys are taken out; an entry is the place of its key.
 * Nothing is allocated meanwhile, so the pointers hold. */
typedef struct entries {
    const bake_tree *tree;
    bake_diagnostics *diagnostics; /* NULL: nothing is reported */
    uint32_t *keys;
    size_t count;
    size_t own;      /* the first so many come from the mapping itself, the others are merged */
    uint32_t *slots; /* `capacity` of them, zeroed; numbers of entries */
    size_t capacity;
    bool repeated; /* an own key was given twice */
} entries;

static const char *key_text(const bake_tree *tree, uint32_t key, uint32_t *ret_length)
{
    return bake_scalar_text(tree, bake_node_at(tree, key), ret_length);
}

static bool same_text(const bake_tree *tree, uint32_t key, uint32_t other)
{
    uint32_t length, other_length;
    const char *text = key_text(tree, key, &length);
    const char *other_text = key_text(tree, other, &other_length);
    return length == other_length && memcmp(text, other_text, length) == 0;
}

static bool same_key(const entries *e, size_t i, size_t j)
{
    return same_text(e->tree, e->keys[i], e->keys[j]);
}

static uint64_t hash_key(const entries *e, size_t i)
{
    uint32_t length;
    const char *text = key_text(e->tree, e->keys[i], &length);
    return bake_tree_hash(text, length);
}

static uint32_t line_of(const bake_tree *tree, uint32_t key)
{
    return bake_node_mark(tree, bake_node_at(tree, key)).line;
}

/* Says that `again` repeats `first`, unless it was merged: then it just does not count. */
static void drop(entries *e, size_t first, size_t again)
{
    if (again >= e->own)
        return;
    e->repeated = true;
    if (!e->diagnostics)
        return;
    bake_node_id key = bake_node_at(e->tree, e->keys[again]);
    uint32_t length;
    const char *text = bake_scalar_text(e->tree, key, &length);
    bake_report(e->diagnostics, BAKE_ERROR, bake_node_mark(e->tree, key), "duplicate", NULL,
                "the key \"%.*s%s\" is given twice", (int)bake_utf8_cut(text, length, SHOWN_MAX),
                text, length > SHOWN_MAX ? "..." : "");
    bake_hint(e->diagnostics, "first given on line %" PRIu32, line_of(e->tree, e->keys[first]));
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
        e->keys[kept++] = e->keys[i];
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
            memmove(e->keys + kept, e->keys + i, (e->count - i) * sizeof *e->keys);
            e->own -= i < e->own ? i - kept : e->own - (kept < e->own ? kept : e->own);
            e->count -= i - kept;
            return false;
        }
        if (e->slots[at]) {
            drop(e, e->slots[at] - 1, i);
            continue;
        }
        e->keys[kept++] = e->keys[i];
        e->slots[at] = (uint32_t)kept;
    }
    e->count = kept;
    return true;
}

static int compare_keys(const entries *e, size_t i, size_t j)
{
    uint32_t length, other_length;
    const char *text = key_text(e->tree, e->keys[i], &length);
    const char *other = key_text(e->tree, e->keys[j], &other_length);
    return bake_compare_text(text, length, other, other_length);
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
        e->keys[next] = e->keys[i];
        renumbered[i] = (uint32_t)next++;
    }
    for (size_t i = 0; i < kept; i++)
        sorted[i] = renumbered[sorted[i]];
    memmove(e->slots, sorted, kept * sizeof *sorted);
    e->count = kept;
}

bool bake_tree_is_merge_key(const bake_tree *tree, bake_node_id node)
{
    uint32_t length;
    if (tree->words[node + 1] >> 30 != BAKE_FORM_PLAIN)
        return false;
    const char *text = bake_scalar_text(tree, node, &length);
    if (length != 2 || memcmp(text, "<<", 2) != 0)
        return false;
    const char *tag = bake_node_tag(tree, node);
    return !tag || strcmp(tag, "tag:yaml.org,2002:merge") == 0;
}

static bool is_merge_source(const bake_tree *tree, bake_node_id value)
{
    if (bake_word_kind(tree, value) != BAKE_NODE_SEQUENCE)
        return bake_word_kind(tree, value) == BAKE_NODE_MAPPING;
    for (bake_walk walk = bake_walk_begin(tree, value); bake_walk_next(&walk);)
        if (bake_word_kind(tree, walk.value) != BAKE_NODE_MAPPING)
            return false;
    return true;
}

typedef enum role { ROLE_NONE, ROLE_ENTRY, ROLE_MERGE } role;

static role role_of(const bake_walk *entry)
{
    if (bake_word_kind(entry->tree, entry->key) != BAKE_NODE_SCALAR)
        return ROLE_NONE;
    if (!bake_tree_is_merge_key(entry->tree, entry->key))
        return ROLE_ENTRY;
    return is_merge_source(entry->tree, entry->value) ? ROLE_MERGE : ROLE_NONE;
}

/* A walk over what is written in a mapping that is not ended yet. */
static bake_walk written_entries(const bake_tree *tree, bake_node_id id, size_t count)
{
    bake_walk walk = {.tree = tree, .is_mapping = true, .left = (uint32_t)count};
    walk.next = bake_node_first(tree, id);
    return walk;
}

static void report_merge_key(const bake_tree *tree, bake_diagnostics *diagnostics,
                             const bake_walk *entry, bake_node_id first)
{
    bake_mark mark = bake_node_mark(tree, entry->key);
    if (first != BAKE_NODE_NONE) {
        bake_report(diagnostics, BAKE_ERROR, mark, "duplicate", NULL,
                    "the merge key << is given twice");
        bake_hint(diagnostics,
                  "first given on line %" PRIu32 "; several fit in one list: "
                  "<<: [*a, *b]",
                  line_of(tree, first));
    }
    if (role_of(entry) == ROLE_NONE) {
        bake_report(diagnostics, BAKE_ERROR, mark, "merge", NULL,
                    "a merge key << takes a mapping or a list of mappings");
        bake_hint(diagnostics, "an ordinary key of that name is written in quotes");
    }
}

/* Whether merge keys are as they should be, or all their problems could be reported. */
static bool check_merge_keys(const bake_tree *tree, bake_diagnostics *diagnostics, bake_walk entry)
{
    bake_node_id first = BAKE_NODE_NONE;
    while (bake_walk_next(&entry)) {
        if (bake_word_kind(tree, entry.key) != BAKE_NODE_SCALAR ||
            !bake_tree_is_merge_key(tree, entry.key))
            continue;
        if (diagnostics)
            report_merge_key(tree, diagnostics, &entry, first);
        else if (first != BAKE_NODE_NONE || role_of(&entry) == ROLE_NONE)
            return false;
        first = first == BAKE_NODE_NONE ? entry.key : first;
    }
    return true;
}

/* Lists the entries of `source` behind those listed already, or only counts them. */
static size_t add_merged(const bake_tree *tree, bake_node_id source, uint32_t *keys, size_t count)
{
    uint32_t entry_count = tree->words[source + 1] & BAKE_SIZE_MAX;
    if (!keys)
        return count + entry_count;
    uint32_t at = bake_node_first(tree, source);
    for (uint32_t i = 0; i < entry_count; i++) {
        keys[count++] = at;
        at = bake_node_end(tree, bake_node_end(tree, at));
    }
    return count;
}

/* Lists all entries, own ones first and those merged, before any is dropped; without `keys` only
 * counts them. */
static size_t list_entries(const bake_tree *tree, bake_walk entry, uint32_t *keys, size_t *ret_own)
{
    size_t count = 0;
    bake_walk again = entry;
    for (uint32_t at = entry.next; bake_walk_next(&entry); at = entry.next) {
        if (role_of(&entry) != ROLE_ENTRY)
            continue;
        if (keys)
            keys[count] = at;
        count++;
    }
    *ret_own = count;
    while (bake_walk_next(&again)) {
        if (role_of(&again) != ROLE_MERGE)
            continue;
        if (bake_word_kind(tree, again.value) == BAKE_NODE_MAPPING) {
            count = add_merged(tree, again.value, keys, count);
            continue;
        }
        for (bake_walk source = bake_walk_begin(tree, again.value); bake_walk_next(&source);)
            count = add_merged(tree, source.value, keys, count);
    }
    return count;
}

static size_t slots_for(size_t count)
{
    size_t capacity = count > BAKE_LINEAR_MAX ? 32 : 0;
    while (capacity && capacity < 2 * count)
        capacity *= 2;
    return capacity;
}

/* Gives the mapping a list of entries of its own; there is room for it. */
static void write_list(bake_tree *tree, entries *e)
{
    for (size_t i = 0; i < e->count; i++) {
        uint32_t key = e->keys[i], value = bake_node_end(tree, key);
        uint32_t *words = tree->words + tree->word_count;
        words[0] = words[2] = (uint32_t)BAKE_WORD_ALIAS << BAKE_PLACE_BITS;
        words[1] = bake_node_at(tree, key);
        words[3] = bake_node_at(tree, value);
        e->keys[i] = (uint32_t)tree->word_count;
        tree->word_count += 4;
    }
}

/* Makes the numbers of entries in the slots the places of their keys. */
static void place_slots(entries *e, bool hashed)
{
    if (!hashed) {
        for (size_t i = 0; e->capacity && i < e->count; i++)
            e->slots[i] = e->keys[e->slots[i]];
        return;
    }
    for (size_t i = 0; i < e->capacity; i++)
        if (e->slots[i])
            e->slots[i] = e->keys[e->slots[i] - 1];
}

/* The way for mappings that are large, or not just what is written in them. */
static bake_build end_large(bake_tree *tree, bake_diagnostics *diagnostics, bake_node_id id,
                            size_t count, bool special, bake_scratch *scratch)
{
    entries e = {.tree = tree, .diagnostics = diagnostics};
    bake_walk written = written_entries(tree, id, count);
    if (special && !check_merge_keys(tree, diagnostics, written))
        return BAKE_BUILD_STOPPED;
    size_t total = list_entries(tree, written, NULL, &e.own);
    if (total > ENTRIES_MAX)
        return BAKE_BUILD_NO_MEMORY;
    e.capacity = slots_for(total);
    uint32_t *keys =
        bake_grow(scratch->items, &scratch->capacity, total + 1, sizeof *scratch->items);
    if (keys)
        scratch->items = keys;
    if (!keys || !bake_tree_grow_words(tree, e.capacity + 4 * total + TRAILER_WORDS))
        return BAKE_BUILD_NO_MEMORY;
    e.keys = keys;
    e.count = list_entries(tree, written, keys, &e.own);
    e.slots = tree->words + tree->word_count;
    memset(e.slots, 0, e.capacity * sizeof *e.slots);
    uint32_t slots = (uint32_t)tree->word_count, first = bake_node_first(tree, id);
    bool hashed = e.capacity && make_unique_hashed(&e);
    if (e.capacity && !hashed)
        make_unique_sorted(&e);
    else if (!e.capacity)
        make_unique_linear(&e);
    if (e.repeated && !diagnostics)
        return BAKE_BUILD_STOPPED;
    tree->word_count += e.capacity;
    if (special || e.count < total) {
        first = (uint32_t)tree->word_count;
        write_list(tree, &e);
    }
    place_slots(&e, hashed);
    tree->words[tree->word_count++] = slots;
    tree->words[tree->word_count++] = (uint32_t)e.capacity | (hashed ? 0 : BAKE_INDEX_SORTED);
    tree->words[tree->word_count++] = first;
    tree->words[id + 1] |= (uint32_t)e.count | BAKE_EXTENDED;
    tree->words[id + 2] = (uint32_t)tree->word_count;
    return BAKE_BUILD_OK;
}

/* Differs for most texts that differ. */
static uint64_t fingerprint(const char *text, size_t length)
{
    uint64_t head = 0, tail = 0;
    if (length >= 8) {
        memcpy(&head, text, 8);
        memcpy(&tail, text + length - 8, 8);
    } else if (length >= 4) {
        memcpy(&head, text, 4);
        memcpy(&tail, text + length - 4, 4);
    } else {
        for (size_t i = 0; i < length; i++)
            head = head << 8 | (unsigned char)text[i];
    }
    return (head * UINT64_C(0x9e3779b97f4a7c15)) ^ tail ^ (uint64_t)length << 56;
}

/* Whether a few keys, those of most mappings, all differ. */
static bool all_differ(const bake_tree *tree, bake_node_id id, size_t count)
{
    uint64_t prints[BAKE_LINEAR_MAX];
    uint32_t keys[BAKE_LINEAR_MAX];
    uint32_t at = bake_node_first(tree, id);
    for (size_t i = 0; i < count; i++) {
        uint32_t length;
        const char *text = key_text(tree, at, &length);
        prints[i] = fingerprint(text, length);
        keys[i] = at;
        for (size_t j = 0; j < i; j++)
            if (prints[j] == prints[i] && same_text(tree, keys[j], at))
                return false;
        at = bake_node_end(tree, bake_node_end(tree, at));
    }
    return true;
}

bake_build bake_tree_end_mapping(bake_tree *tree, bake_diagnostics *diagnostics, bake_node_id id,
                                 size_t count, bool special, bake_scratch *scratch)
{
    if (special || count > BAKE_LINEAR_MAX || (count > 1 && !all_differ(tree, id, count)))
        return end_large(tree, diagnostics, id, count, special, scratch);
    tree->words[id + 1] |= (uint32_t)count;
    tree->words[id + 2] = (uint32_t)tree->word_count;
    return BAKE_BUILD_OK;
}
