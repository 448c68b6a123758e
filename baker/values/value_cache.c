/* A cache of inherited elements.
 *
 * The assets of ss14-2021 (tests/real) inherit 30,802 elements, but only 1,283 of these differ.
 * Each different element is baked once into a separate builder, the library. The builders of blobs
 * share the objects of the library.
 *
 * The key of an element consists of everything that its value depends on: the nodes of its layers,
 * its type, and its depth, which decides whether it exceeds the depth limit. If the value depends
 * on more, such as the states of an enclosing atlas, bake_value_may_cache returns false. Elements
 * with errors or warnings are not cached, because every asset that inherits them must report them,
 * nor are those with payloads, because it is known which assets have a payload. */
#include "value_cache.h"

#include "bake_memory.h"
#include "bake_store.h"
#include "bake_table.h"
#include "gateway_users.h"
#include "value_watch.h"

#include <string.h>

/* Size limit of the library in bytes. Once it is exceeded, new elements are baked for each asset
 * until the library is cleared before the next blob. */
enum { CACHE_BYTES = 1 << 20, CACHE_BLOCK = 16384 };
/* Number of slots for cached alternatives. A slot stores the alternative of the last element that
 * used it. */
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
    size_t bytes; /* allocated by the library */
    uint32_t blob;
    bool is_full; /* until the cache is cleared */
    bake_store store;
    const value_cached **elements;
    size_t count, capacity;
    hash_table by_layers;   /* of elements */
    cached_choice *choices; /* NULL: nothing was inherited yet */
};

/* The library allocates with these two functions, which count its memory, because a builder does
 * not report its memory use. */
static void *counted_alloc(void *ctx, size_t size, size_t align)
{
    value_cache *c = ctx;
    void *made = c->memory.alloc(c->memory.ctx, size, align);
    if (made)
        c->bytes += size;
    return made;
}

static void counted_free(void *ctx, void *block, size_t size)
{
    value_cache *c = ctx;
    c->bytes -= size;
    c->memory.free(c->memory.ctx, block, size);
}

bool bake_value_cache_init(bake_values *b)
{
    value_cache *c = bake_alloc_array(1, sizeof *c);
    if (!c)
        return false;
    b->merge.cache = c;
    c->memory = bake_memory_allocator();
    kiln_allocator counted = {counted_alloc, counted_free, c};
    kiln_builder_def def = kiln_builder_def_default();
    def.types = b->types;
    def.allocator = &counted;
    def.block_size = CACHE_BLOCK;
    def.share_strings = true;
    return kiln_builder_create(&def, &c->library) == KILN_OK;
}

kiln_builder *bake_value_cache_library(const bake_values *b)
{
    return b->merge.cache->library;
}

static void forget_elements(value_cache *c)
{
    bake_store_fini(&c->store);
    memset(&c->store, 0, sizeof c->store);
    bake_free(c->elements);
    c->elements = NULL;
    c->count = c->capacity = 0;
    bake_table_fini(&c->by_layers);
}

void bake_value_cache_clear(bake_values *b)
{
    value_cache *c = b->merge.cache;
    kiln_builder_reset(c->library);
    forget_elements(c);
    c->blob = 0;
    c->is_full = false;
}

void bake_value_cache_fini(bake_values *b)
{
    value_cache *c = b->merge.cache;
    if (!c)
        return;
    forget_elements(c);
    bake_free(c->choices);
    kiln_builder_destroy(c->library);
    bake_free(c);
    b->merge.cache = NULL;
}

void bake_value_cache_trim(bake_values *b)
{
    if (b->merge.cache->is_full || b->merge.cache->bytes > CACHE_BYTES)
        bake_value_cache_clear(b);
}

value_chosen bake_value_cached_choice(bake_values *b, const value_layer *layer, uint32_t type)
{
    value_cache *c = b->merge.cache;
    const bake_tree *tree = layer->layer->tree;
    if (!c->choices)
        c->choices = bake_alloc_array((size_t)1 << CHOICES_LOG2, sizeof *c->choices);
    /* The cache only saves time, so continue without it if memory runs out. */
    if (!c->choices)
        return bake_value_choice(b, tree, layer->node, type);
    /* Multiplicative hashing with 2^64 / golden ratio, which spreads addresses and node ids over
     * the upper bits (Knuth, The Art of Computer Programming 3, section 6.4). */
    uint64_t hash = ((uint64_t)(uintptr_t)tree + ((uint64_t)layer->node << 32)) ^ type;
    cached_choice *cached = &c->choices[hash * UINT64_C(0x9e3779b97f4a7c15) >> (64 - CHOICES_LOG2)];
    if (cached->tree != tree || cached->node != layer->node || cached->type != type)
        *cached =
            (cached_choice){tree, layer->node, type, bake_value_choice(b, tree, layer->node, type)};
    return cached->chosen;
}

/* Returns false while baking into the library, because its builder cannot share objects of another
 * builder. */
bool bake_value_may_cache(const bake_values *b, const value_layer *layer)
{
    return b->merge.asset && !layer->is_own && b->builder != b->merge.cache->library &&
           !b->merge.is_partial && !b->origins && !b->is_unshared &&
           !(b->watch && bake_value_is_in_frame(b));
}

typedef struct cache_key {
    const value_layer *layers;
    size_t count;
    uint32_t type;
    unsigned depth;
} cache_key;

static uint32_t hash_of_key(const hash_table *table, cache_key key)
{
    uint64_t hash = table->seed + key.type;
    for (size_t i = 0; i < key.count; i++) {
        const value_layer *layer = &key.layers[i];
        hash ^= (uint64_t)(uintptr_t)layer->layer->tree + ((uint64_t)layer->node << 32);
        hash *= UINT64_C(0x9e3779b97f4a7c15);
        hash ^= hash >> 29;
    }
    return (uint32_t)hash;
}

static bool has_key(const value_cache *c, uint32_t number, cache_key key)
{
    const value_cached *cached = c->elements[number];
    if (cached->type != key.type || cached->depth != key.depth || cached->layers != key.count)
        return false;
    for (size_t i = 0; i < key.count; i++)
        if (cached->given_by[i].tree != key.layers[i].layer->tree ||
            cached->given_by[i].node != key.layers[i].node)
            return false;
    return true;
}

HASH_TABLE(cached_by_layers, const value_cache *, cache_key, hash_of_key, has_key)

const value_cached *bake_value_cache_find(bake_values *b, const value_layer *layers, size_t count,
                                          uint32_t type)
{
    const value_cache *c = b->merge.cache;
    cache_key key = {layers, count, type, b->limits.depth};
    uint32_t number = cached_by_layers_find(&c->by_layers, c, key);
    return number == HASH_TABLE_NONE ? NULL : c->elements[number];
}

/* Reserves room for one more element. Returns false if memory runs out. */
static bool reserve(value_cache *c)
{
    const value_cached **elements =
        bake_table_grow_rows(&c->by_layers, c->elements, &c->capacity, c->count, sizeof *elements);
    if (elements)
        c->elements = elements;
    return elements != NULL;
}

/* Adds an element that is not cached yet, after reserve(). */
static void remember(value_cache *c, const value_cached *cached)
{
    hash_slot *slot = hash_table_first(&c->by_layers, cached->hash);
    while (!hash_slot_is_empty(slot))
        slot = hash_table_next(&c->by_layers, slot);
    hash_table_put_hash(&c->by_layers, slot, cached->hash, (uint32_t)c->count);
    c->elements[c->count++] = cached;
}

static size_t uses(const bake_values *b)
{
    return b->files.gateway ? bake_gateway_path_use_count(b->files.gateway) : 0;
}

bool bake_value_cache_begin(bake_values *b, const value_layer *layers, size_t count, uint32_t type,
                            value_caching *ret_caching)
{
    value_cache *c = b->merge.cache;
    if (c->is_full || c->bytes > CACHE_BYTES)
        return false;
    value_cached *cached = bake_store_alloc(&c->store, 1, sizeof *cached);
    cached_layer *given_by = cached ? bake_store_alloc(&c->store, count, sizeof *given_by) : NULL;
    if (!given_by || !reserve(c)) {
        c->is_full = true;
        return false;
    }
    for (size_t i = 0; i < count; i++)
        given_by[i] = (cached_layer){layers[i].layer->tree, layers[i].node};
    cached->hash = hash_of_key(&c->by_layers, (cache_key){layers, count, type, b->limits.depth});
    cached->type = type;
    cached->depth = b->limits.depth;
    cached->layers = (uint32_t)count;
    cached->given_by = given_by;
    *ret_caching = (value_caching){
        cached,  b->builder, b->report.errors, b->report.warnings, b->payloads.used_count,
        uses(b), b->blob};
    /* Defaults are shared only among values with the same blob number. The library has its own
     * number, so that nothing in it refers to an object of the current blob. */
    if (c->blob == 0)
        c->blob = ++b->last_blob;
    b->builder = c->library;
    b->blob = c->blob;
    return true;
}

const value_cached *bake_value_cache_end(bake_values *b, value_caching *caching)
{
    value_cache *c = b->merge.cache;
    b->builder = caching->builder;
    b->blob = caching->blob;
    /* After an error of its builder the library is unusable, but the blob is still valid: continue
     * without the cache. */
    if (kiln_builder_status(c->library)) {
        c->is_full = true;
        b->stopped = b->failure->result != BAKE_OK;
        return NULL;
    }
    /* The uses of files are noted for each asset. */
    if (b->report.errors == caching->errors && b->report.warnings == caching->warnings &&
        b->payloads.used_count == caching->payloads && uses(b) == caching->uses)
        remember(c, caching->cached);
    return caching->cached;
}
