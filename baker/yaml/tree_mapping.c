/* Checks and indexes a mapping when it ends, and looks up keys.
 *
 * Most mappings have few entries with distinct keys and no merge keys. They need no index:
 * all_differ compares fingerprints of the keys pairwise, which for 12 keys is cheaper than a hash
 * table. All other mappings go through end_large. */
#include "tree_unique.h"

#include "bake_memory.h"
#include "bake_text.h"

#include <inttypes.h>

/* The maximum number of entries of a mapping. The index size, at most four times as large, shares a
 * word with BAKE_INDEX_SORTED. */
#define ENTRIES_MAX ((size_t)1 << 28)

/* The words after the list and the index: start of the slots, number of slots, first entry. */
#define TRAILER_WORDS 3

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
    for (bake_iterator it = bake_iterator_begin(tree, value); bake_iterator_next(&it);)
        if (bake_word_kind(tree, it.value) != BAKE_NODE_MAPPING)
            return false;
    return true;
}

typedef enum role { ROLE_NONE, ROLE_ENTRY, ROLE_MERGE } role;

static role role_of(const bake_iterator *entry)
{
    if (bake_word_kind(entry->tree, entry->key) != BAKE_NODE_SCALAR)
        return ROLE_NONE;
    if (!bake_tree_is_merge_key(entry->tree, entry->key))
        return ROLE_ENTRY;
    return is_merge_source(entry->tree, entry->value) ? ROLE_MERGE : ROLE_NONE;
}

/* An iterator over the entries written in a mapping that has not ended yet. */
static bake_iterator written_entries(const bake_tree *tree, bake_node_id id, size_t count)
{
    bake_iterator it = {.tree = tree, .is_mapping = true, .left = (uint32_t)count};
    it.next = bake_node_first(tree, id);
    return it;
}

static void report_merge_key(const bake_tree *tree, bake_diagnostics *diagnostics,
                             const bake_iterator *entry, bake_node_id first)
{
    bake_mark mark = bake_node_mark(tree, entry->key);
    if (first != BAKE_NODE_NONE) {
        bake_report(diagnostics, BAKE_ERROR, mark, "duplicate", NULL,
                    "the merge key << is given twice");
        bake_mark given = bake_key_mark(tree, first);
        bake_hint(diagnostics,
                  "first given on line %" PRIu32 "; to merge several, list them: "
                  "<<: [*a, *b]",
                  given.line);
        bake_related(diagnostics, given, "first given here");
    }
    if (role_of(entry) == ROLE_NONE) {
        bake_report(diagnostics, BAKE_ERROR, mark, "merge", NULL,
                    "the value of a merge key << must be a mapping or a list of mappings");
        bake_hint(diagnostics, "quote the key if it is not meant as a merge key");
    }
}

/* Checks merge keys. Returns false if there is a problem and `diagnostics` is NULL. */
static bool check_merge_keys(const bake_tree *tree, bake_diagnostics *diagnostics,
                             bake_iterator entry)
{
    bake_node_id first = BAKE_NODE_NONE;
    while (bake_iterator_next(&entry)) {
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

/* Appends the entries of `source` to the list; if `keys` is NULL, only counts them. */
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

/* Lists all entries, the mapping's own ones first. The first of equal keys is then used: the
 * mapping's own keys override merged ones, and earlier merged mappings override later ones. If
 * `keys` is NULL, only counts the entries. */
static size_t list_entries(const bake_tree *tree, bake_iterator entry, uint32_t *keys,
                           size_t *ret_own)
{
    size_t count = 0;
    bake_iterator again = entry;
    for (uint32_t at = entry.next; bake_iterator_next(&entry); at = entry.next) {
        if (role_of(&entry) != ROLE_ENTRY)
            continue;
        if (keys)
            keys[count] = at;
        count++;
    }
    *ret_own = count;
    while (bake_iterator_next(&again)) {
        if (role_of(&again) != ROLE_MERGE)
            continue;
        if (bake_word_kind(tree, again.value) == BAKE_NODE_MAPPING) {
            count = add_merged(tree, again.value, keys, count);
            continue;
        }
        for (bake_iterator source = bake_iterator_begin(tree, again.value);
             bake_iterator_next(&source);)
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

/* Writes the list of entries, as aliases. The caller has reserved room for it. */
static void write_list(bake_tree *tree, bake_entries *e)
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

/* Replaces the entry indexes in the slots with the word indexes of their keys. */
static void place_slots(bake_entries *e, bool hashed)
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

/* Ends a mapping that is large, or that has merge keys or duplicates. */
static bake_build end_large(bake_tree *tree, bake_diagnostics *diagnostics, bake_node_id id,
                            size_t count, bool special, bake_scratch *scratch)
{
    bake_entries e = {.tree = tree, .diagnostics = diagnostics};
    bake_iterator written = written_entries(tree, id, count);
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
    bool hashed = bake_make_unique(&e);
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

/* A fingerprint that differs for most different strings. It covers at most 16 bytes, so strings
 * with equal fingerprints must be compared. */
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

/* Whether all keys of a small mapping differ. */
static bool all_differ(const bake_tree *tree, bake_node_id id, size_t count)
{
    uint64_t prints[BAKE_LINEAR_MAX];
    uint32_t keys[BAKE_LINEAR_MAX];
    uint32_t at = bake_node_first(tree, id);
    for (size_t i = 0; i < count; i++) {
        uint32_t length;
        const char *text = bake_key_text(tree, at, &length);
        prints[i] = fingerprint(text, length);
        keys[i] = at;
        for (size_t j = 0; j < i; j++)
            if (prints[j] == prints[i] && bake_same_key(tree, keys[j], at))
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

/* ---- lookups ---- */

/* Compares the key at `at` with `key`. */
static int compare_key(const bake_tree *tree, uint32_t at, const char *key, size_t length)
{
    uint32_t own_length;
    const char *own = bake_scalar_text(tree, bake_node_at(tree, at), &own_length);
    return bake_compare_text(own, own_length, key, length);
}

static bool is_key(const bake_tree *tree, uint32_t at, const char *key, size_t length)
{
    uint32_t own_length;
    const char *own = bake_scalar_text(tree, bake_node_at(tree, at), &own_length);
    return own_length == length && memcmp(own, key, length) == 0;
}

static uint32_t find_sorted(const bake_tree *tree, const uint32_t *sorted, size_t count,
                            const char *key, size_t length)
{
    size_t low = 0;
    size_t high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = compare_key(tree, sorted[middle], key, length);
        if (order == 0)
            return sorted[middle];
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return 0;
}

/* The word index of the key; 0 if there is none. */
static uint32_t find_indexed(const bake_tree *tree, bake_node_id mapping, const char *key,
                             size_t length)
{
    uint32_t end = tree->words[mapping + 2];
    uint32_t index = tree->words[end - 2];
    uint32_t capacity = index & ~BAKE_INDEX_SORTED;
    const uint32_t *slots = tree->words + tree->words[end - 3];
    if (index & BAKE_INDEX_SORTED)
        return find_sorted(tree, slots, tree->words[mapping + 1] & BAKE_SIZE_MAX, key, length);
    size_t at = (size_t)bake_tree_hash(key, length) & (capacity - 1);
    while (slots[at] && !is_key(tree, slots[at], key, length))
        at = (at + 1) & (capacity - 1);
    return slots[at];
}

static uint32_t find_linear(const bake_tree *tree, bake_node_id mapping, const char *key,
                            size_t length)
{
    uint32_t at = bake_node_first(tree, mapping);
    for (uint32_t left = tree->words[mapping + 1] & BAKE_SIZE_MAX; left > 0; left--) {
        if (is_key(tree, at, key, length))
            return at;
        at = bake_node_end(tree, bake_node_end(tree, at));
    }
    return 0;
}

bake_node_id bake_node_find(const bake_tree *tree, bake_node_id mapping, const char *key,
                            size_t length)
{
    const uint32_t *words = bake_words_at(tree, mapping);
    if (words[0] >> BAKE_PLACE_BITS != BAKE_NODE_MAPPING)
        return BAKE_NODE_NONE;
    bool indexed = (words[1] & BAKE_SIZE_MAX) > BAKE_LINEAR_MAX;
    uint32_t at = indexed ? find_indexed(tree, mapping, key, length)
                          : find_linear(tree, mapping, key, length);
    return at ? bake_node_at(tree, bake_node_end(tree, at)) : BAKE_NODE_NONE;
}
