/* Removes duplicate keys in one of three ways: pairwise comparison for few keys, a hash table for
 * more, sorting if too many hashes collide.
 *
 * The hash has no random seed, so an attacker can make keys collide. The table counts its probes
 * and gives up when there are more than random keys would need; a merge sort then takes O(n log
 * n). */
#include "tree_unique.h"

#include "bake_text.h"
#include "excerpt.h"
#include "utf8.h"

#include <inttypes.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

/* Longer keys are truncated in messages. */
#define SHOWN_MAX 64

/* Only tests change it. */
static uint64_t hash_mask = UINT64_MAX;

void bake_tree_weaken_hash(uint64_t mask)
{
    hash_mask = mask;
}

uint64_t bake_tree_hash(const char *text, size_t length)
{
    return XXH3_64bits(text, length) & hash_mask;
}

const char *bake_key_text(const bake_tree *tree, uint32_t key, uint32_t *ret_length)
{
    return bake_scalar_text(tree, bake_node_at(tree, key), ret_length);
}

bool bake_same_key(const bake_tree *tree, uint32_t key, uint32_t other)
{
    uint32_t length, other_length;
    const char *text = bake_key_text(tree, key, &length);
    const char *other_text = bake_key_text(tree, other, &other_length);
    return length == other_length && memcmp(text, other_text, length) == 0;
}

static bool same_key(const bake_entries *e, size_t i, size_t j)
{
    return bake_same_key(e->tree, e->keys[i], e->keys[j]);
}

static uint64_t hash_key(const bake_entries *e, size_t i)
{
    uint32_t length;
    const char *text = bake_key_text(e->tree, e->keys[i], &length);
    return bake_tree_hash(text, length);
}

bake_mark bake_key_mark(const bake_tree *tree, uint32_t key)
{
    return bake_node_mark(tree, bake_node_at(tree, key));
}

/* Drops the entry `again`, which has the same key as `first`. Reports it unless it is a merged
 * entry, which earlier entries override. */
static void drop(bake_entries *e, size_t first, size_t again)
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
                "the key \"%.*s%s\" is given twice", (int)utf8_cut(text, length, SHOWN_MAX), text,
                length > SHOWN_MAX ? "..." : "");
    bake_mark mark = bake_key_mark(e->tree, e->keys[first]);
    if (mark.line == bake_node_mark(e->tree, key).line)
        bake_hint(e->diagnostics, "first given on this line, in column %" PRIu32, mark.column);
    else
        bake_hint(e->diagnostics, "first given on line %" PRIu32, mark.line);
    bake_related(e->diagnostics, mark, "first given here");
}

static void make_unique_linear(bake_entries *e)
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

/* Returns false if the keys collide too often; in a half-full table, a random key takes fewer than
 * two extra probes on average. `e` then contains the unique entries found so far, followed by the
 * entries that are not yet checked. */
static bool make_unique_hashed(bake_entries *e)
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

static int compare_keys(const bake_entries *e, size_t i, size_t j)
{
    uint32_t length, other_length;
    const char *text = bake_key_text(e->tree, e->keys[i], &length);
    const char *other = bake_key_text(e->tree, e->keys[j], &other_length);
    return bake_compare_text(text, length, other, other_length);
}

/* Merges the sorted halves of from[begin..end) into `to`; equal keys keep their order. */
static void merge_halves(const bake_entries *e, const uint32_t *from, uint32_t *to, size_t begin,
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

/* A stable bottom-up merge sort of entry indexes by key. The two halves of the slots are its
 * buffers, so it allocates nothing. Returns the half with the result. */
static uint32_t *sort_numbers(const bake_entries *e, uint32_t **ret_other)
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

static void make_unique_sorted(bake_entries *e)
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

bool bake_make_unique(bake_entries *e)
{
    if (!e->capacity) {
        make_unique_linear(e);
        return false;
    }
    if (make_unique_hashed(e))
        return true;
    make_unique_sorted(e);
    return false;
}
