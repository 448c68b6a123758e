#include "value_cache.h"

#include "bake_memory.h"
#include "bake_store.h"
#include "value_watch.h"

#include <string.h>

/* The size of the cache in bytes; what does not fit is baked again. */
enum { KEPT_BYTES = 1 << 20, KEPT_BLOCK = 16384 };
/* Of how many elements the alternative is remembered, the last one in each place. */
enum { CHOICES_LOG2 = 12 };

typedef struct cached_choice {
    const bake_tree *tree;
    bake_node_id node;
    uint32_t type;
    value_chosen chosen;
} cached_choice;

typedef struct cached_layer {
    const bake_tree *tree;
    bake_node_id node;
} cached_layer;

struct value_cache {
    kiln_builder *library;
    kiln_allocator memory;
    size_t bytes; /* that the library has */
    uint32_t blob;
    bool is_full; /* until all is forgotten */
    bake_store store;
    const value_cached **slots;
    size_t slot_count, count;
    cached_choice *choices; /* NULL: nothing was inherited yet */
};

static void *counted_alloc(void *ctx, size_t size, size_t align)
{
    value_cache *k = ctx;
    void *made = k->memory.alloc(k->memory.ctx, size, align);
    if (made)
        k->bytes += size;
    return made;
}

static void counted_free(void *ctx, void *block, size_t size)
{
    value_cache *k = ctx;
    k->bytes -= size;
    k->memory.free(k->memory.ctx, block, size);
}

bool bake_value_cache_init(bake_values *b)
{
    value_cache *k = bake_alloc_array(1, sizeof *k);
    if (!k)
        return false;
    b->merge.cache = k;
    k->memory = bake_memory_allocator();
    kiln_allocator counted = {counted_alloc, counted_free, k};
    kiln_builder_def def = kiln_builder_def_default();
    def.types = b->types;
    def.allocator = &counted;
    def.block_size = KEPT_BLOCK;
    def.share_strings = true;
    return kiln_builder_create(&def, &k->library) == KILN_OK;
}

kiln_builder *bake_value_cache_library(const bake_values *b)
{
    return b->merge.cache->library;
}

static void forget_elements(value_cache *k)
{
    bake_store_fini(&k->store);
    memset(&k->store, 0, sizeof k->store);
    bake_free(k->slots);
    k->slots = NULL;
    k->slot_count = k->count = 0;
}

void bake_value_cache_clear(bake_values *b)
{
    value_cache *k = b->merge.cache;
    kiln_builder_reset(k->library);
    forget_elements(k);
    k->blob = 0;
    k->is_full = false;
}

void bake_value_cache_fini(bake_values *b)
{
    value_cache *k = b->merge.cache;
    if (!k)
        return;
    forget_elements(k);
    bake_free(k->choices);
    kiln_builder_destroy(k->library);
    bake_free(k);
    b->merge.cache = NULL;
}

void bake_value_cache_trim(bake_values *b)
{
    if (b->merge.cache->is_full || b->merge.cache->bytes > KEPT_BYTES)
        bake_value_cache_clear(b);
}

value_chosen bake_value_cached_choice(bake_values *b, const value_layer *layer, uint32_t type)
{
    value_cache *k = b->merge.cache;
    const bake_tree *tree = layer->layer->tree;
    if (!k->choices)
        k->choices = bake_alloc_array((size_t)1 << CHOICES_LOG2, sizeof *k->choices);
    /* What cannot be remembered is found again. */
    if (!k->choices)
        return bake_value_choice(b, tree, layer->node, type);
    uint64_t hash = ((uint64_t)(uintptr_t)tree + ((uint64_t)layer->node << 32)) ^ type;
    cached_choice *kept = &k->choices[hash * UINT64_C(0x9e3779b97f4a7c15) >> (64 - CHOICES_LOG2)];
    if (kept->tree != tree || kept->node != layer->node || kept->type != type)
        *kept =
            (cached_choice){tree, layer->node, type, bake_value_choice(b, tree, layer->node, type)};
    return kept->chosen;
}

bool bake_value_may_cache(const bake_values *b, const value_layer *layer)
{
    return b->merge.asset && !layer->is_own && b->builder != b->merge.cache->library &&
           !b->merge.is_partial && !b->origins && !b->is_unshared &&
           !(b->watch && bake_value_is_in_frame(b));
}

/* Places in memory are not known to who writes the data. */
static uint64_t hash_of(const value_cache *k, const value_layer *layers, size_t count,
                        uint32_t type)
{
    uint64_t hash = (uint64_t)(uintptr_t)k + type;
    for (size_t i = 0; i < count; i++) {
        hash ^= (uint64_t)(uintptr_t)layers[i].layer->tree + ((uint64_t)layers[i].node << 32);
        hash *= UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 29;
    }
    return hash;
}

static bool is_same(const value_cached *kept, const value_layer *layers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (kept->given_by[i].tree != layers[i].layer->tree ||
            kept->given_by[i].node != layers[i].node)
            return false;
    return true;
}

const value_cached *bake_value_cache_find(bake_values *b, const value_layer *layers, size_t count,
                                          uint32_t type)
{
    const value_cache *k = b->merge.cache;
    if (k->slot_count == 0)
        return NULL;
    uint64_t hash = hash_of(k, layers, count, type);
    size_t at = (size_t)hash & (k->slot_count - 1);
    for (; k->slots[at]; at = (at + 1) & (k->slot_count - 1)) {
        const value_cached *kept = k->slots[at];
        if (kept->hash == hash && kept->type == type && kept->depth == b->limits.depth &&
            kept->layers == count && is_same(kept, layers, count))
            return kept;
    }
    return NULL;
}

static void put(value_cache *k, const value_cached *kept)
{
    size_t at = (size_t)kept->hash & (k->slot_count - 1);
    while (k->slots[at])
        at = (at + 1) & (k->slot_count - 1);
    k->slots[at] = kept;
}

/* What is not remembered is baked again. */
static void remember(value_cache *k, const value_cached *kept)
{
    if (k->count * 2 >= k->slot_count) {
        size_t old = k->slot_count, count = old ? 2 * old : 256;
        const value_cached **slots = bake_alloc_array(count, sizeof *slots), **before = k->slots;
        if (!slots)
            return;
        k->slots = slots;
        k->slot_count = count;
        for (size_t i = 0; i < old; i++)
            if (before[i])
                put(k, before[i]);
        bake_free(before);
    }
    put(k, kept);
    k->count++;
}

bool bake_value_cache_begin(bake_values *b, const value_layer *layers, size_t count, uint32_t type,
                            value_caching *ret_keeping)
{
    value_cache *k = b->merge.cache;
    if (k->is_full || k->bytes > KEPT_BYTES)
        return false;
    value_cached *kept = bake_store_alloc(&k->store, 1, sizeof *kept);
    cached_layer *given_by = kept ? bake_store_alloc(&k->store, count, sizeof *given_by) : NULL;
    if (!given_by) {
        k->is_full = true;
        return false;
    }
    for (size_t i = 0; i < count; i++)
        given_by[i] = (cached_layer){layers[i].layer->tree, layers[i].node};
    kept->hash = hash_of(k, layers, count, type);
    kept->type = type;
    kept->depth = b->limits.depth;
    kept->layers = (uint32_t)count;
    kept->given_by = given_by;
    *ret_keeping = (value_caching){kept, b->builder, b->report.errors, b->report.warnings, b->blob};
    if (k->blob == 0)
        k->blob = ++b->last_blob;
    b->builder = k->library;
    b->blob = k->blob;
    return true;
}

const value_cached *bake_value_cache_end(bake_values *b, value_caching *keeping)
{
    value_cache *k = b->merge.cache;
    b->builder = keeping->builder;
    b->blob = keeping->blob;
    if (kiln_builder_status(k->library)) {
        k->is_full = true;
        b->stopped = b->failure->result != BAKE_OK;
        return NULL;
    }
    if (b->report.errors == keeping->errors && b->report.warnings == keeping->warnings)
        remember(k, keeping->kept);
    return keeping->kept;
}
