#include "value_kept.h"

#include "bake_memory.h"
#include "bake_store.h"
#include "value_watch.h"

#include <string.h>

/* How much is kept; what is over that is baked anew. */
enum { KEPT_BYTES = 1 << 20, KEPT_BLOCK = 16384 };
/* Of how many elements the alternative is remembered, the last one in each place. */
enum { CHOICES_LOG2 = 12 };

typedef struct kept_choice {
    const bake_tree *tree;
    bake_node_id node;
    uint32_t type;
    value_chosen chosen;
} kept_choice;

typedef struct kept_layer {
    const bake_tree *tree;
    bake_node_id node;
} kept_layer;

struct value_keeper {
    kiln_builder *library;
    kiln_allocator memory;
    size_t bytes; /* that the library has */
    uint32_t blob;
    bool is_full; /* until all is forgotten */
    bake_store store;
    const value_kept **slots;
    size_t slot_count, count;
    kept_choice *choices; /* NULL: nothing was inherited yet */
};

static void *counted_alloc(void *ctx, size_t size, size_t align)
{
    value_keeper *k = ctx;
    void *made = k->memory.alloc(k->memory.ctx, size, align);
    if (made)
        k->bytes += size;
    return made;
}

static void counted_free(void *ctx, void *block, size_t size)
{
    value_keeper *k = ctx;
    k->bytes -= size;
    k->memory.free(k->memory.ctx, block, size);
}

bool bake_value_kept_init(bake_values *b)
{
    value_keeper *k = bake_alloc_array(1, sizeof *k);
    if (!k)
        return false;
    b->keeper = k;
    k->memory = bake_memory_allocator();
    kiln_allocator counted = {counted_alloc, counted_free, k};
    kiln_builder_def def = kiln_builder_def_default();
    def.types = b->types;
    def.allocator = &counted;
    def.block_size = KEPT_BLOCK;
    def.share_strings = true;
    return kiln_builder_create(&def, &k->library) == KILN_OK;
}

kiln_builder *bake_value_kept_library(const bake_values *b)
{
    return b->keeper->library;
}

static void forget_elements(value_keeper *k)
{
    bake_store_fini(&k->store);
    memset(&k->store, 0, sizeof k->store);
    bake_free(k->slots);
    k->slots = NULL;
    k->slot_count = k->count = 0;
}

void bake_value_kept_forget(bake_values *b)
{
    value_keeper *k = b->keeper;
    kiln_builder_reset(k->library);
    forget_elements(k);
    k->blob = 0;
    k->is_full = false;
}

void bake_value_kept_fini(bake_values *b)
{
    value_keeper *k = b->keeper;
    if (!k)
        return;
    forget_elements(k);
    bake_free(k->choices);
    kiln_builder_destroy(k->library);
    bake_free(k);
    b->keeper = NULL;
}

void bake_value_kept_trim(bake_values *b)
{
    if (b->keeper->is_full || b->keeper->bytes > KEPT_BYTES)
        bake_value_kept_forget(b);
}

value_chosen bake_value_kept_choice(bake_values *b, const value_layer *layer, uint32_t type)
{
    value_keeper *k = b->keeper;
    const bake_tree *tree = layer->layer->tree;
    if (!k->choices)
        k->choices = bake_alloc_array((size_t)1 << CHOICES_LOG2, sizeof *k->choices);
    /* What cannot be remembered is found again. */
    if (!k->choices)
        return bake_value_choice(b, tree, layer->node, type);
    uint64_t hash = ((uint64_t)(uintptr_t)tree + ((uint64_t)layer->node << 32)) ^ type;
    kept_choice *kept = &k->choices[hash * UINT64_C(0x9e3779b97f4a7c15) >> (64 - CHOICES_LOG2)];
    if (kept->tree != tree || kept->node != layer->node || kept->type != type)
        *kept =
            (kept_choice){tree, layer->node, type, bake_value_choice(b, tree, layer->node, type)};
    return kept->chosen;
}

bool bake_value_may_keep(const bake_values *b, const value_layer *layer)
{
    return b->asset && !layer->is_own && b->builder != b->keeper->library && !b->is_partial &&
           !b->origins && !b->is_unshared && !(b->watch && bake_value_is_in_frame(b));
}

/* Places in memory are not known to who writes the data. */
static uint64_t hash_of(const value_keeper *k, const value_layer *layers, size_t count,
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

static bool is_same(const value_kept *kept, const value_layer *layers, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (kept->said_by[i].tree != layers[i].layer->tree ||
            kept->said_by[i].node != layers[i].node)
            return false;
    return true;
}

const value_kept *bake_value_kept_find(bake_values *b, const value_layer *layers, size_t count,
                                       uint32_t type)
{
    const value_keeper *k = b->keeper;
    if (k->slot_count == 0)
        return NULL;
    uint64_t hash = hash_of(k, layers, count, type);
    size_t at = (size_t)hash & (k->slot_count - 1);
    for (; k->slots[at]; at = (at + 1) & (k->slot_count - 1)) {
        const value_kept *kept = k->slots[at];
        if (kept->hash == hash && kept->type == type && kept->depth == b->depth &&
            kept->layers == count && is_same(kept, layers, count))
            return kept;
    }
    return NULL;
}

static void put(value_keeper *k, const value_kept *kept)
{
    size_t at = (size_t)kept->hash & (k->slot_count - 1);
    while (k->slots[at])
        at = (at + 1) & (k->slot_count - 1);
    k->slots[at] = kept;
}

/* What is not remembered is baked again. */
static void remember(value_keeper *k, const value_kept *kept)
{
    if (k->count * 2 >= k->slot_count) {
        size_t old = k->slot_count, count = old ? 2 * old : 256;
        const value_kept **slots = bake_alloc_array(count, sizeof *slots), **before = k->slots;
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

bool bake_value_keep(bake_values *b, const value_layer *layers, size_t count, uint32_t type,
                     value_keeping *ret_keeping)
{
    value_keeper *k = b->keeper;
    if (k->is_full || k->bytes > KEPT_BYTES)
        return false;
    value_kept *kept = bake_store_alloc(&k->store, 1, sizeof *kept);
    kept_layer *said_by = kept ? bake_store_alloc(&k->store, count, sizeof *said_by) : NULL;
    if (!said_by) {
        k->is_full = true;
        return false;
    }
    for (size_t i = 0; i < count; i++)
        said_by[i] = (kept_layer){layers[i].layer->tree, layers[i].node};
    kept->hash = hash_of(k, layers, count, type);
    kept->type = type;
    kept->depth = b->depth;
    kept->layers = (uint32_t)count;
    kept->said_by = said_by;
    *ret_keeping = (value_keeping){kept, b->builder, b->error_count, b->warning_count, b->blob};
    if (k->blob == 0)
        k->blob = ++b->last_blob;
    b->builder = k->library;
    b->blob = k->blob;
    return true;
}

const value_kept *bake_value_keep_end(bake_values *b, value_keeping *keeping)
{
    value_keeper *k = b->keeper;
    b->builder = keeping->builder;
    b->blob = keeping->blob;
    if (kiln_builder_status(k->library)) {
        k->is_full = true;
        b->stopped = b->failure->result != BAKE_OK;
        return NULL;
    }
    if (b->error_count == keeping->errors && b->warning_count == keeping->warnings)
        remember(k, keeping->kept);
    return keeping->kept;
}
