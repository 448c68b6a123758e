/* A cache of inherited elements, each baked once for all assets.
 *
 * In a list of unions, an inherited element has the same value in every asset that does not
 * override it. It is baked into the library, a separate builder from which the builders of blobs
 * share objects. */
#ifndef BAKE_VALUE_CACHE_H
#define BAKE_VALUE_CACHE_H

#include "value_layers.h"

typedef struct value_cache value_cache;

/* A cached element: its value and its key. */
typedef struct value_cached {
    kiln_union value; /* in the library */
    uint32_t hash;
    uint32_t type;   /* of the element */
    unsigned depth;  /* number of enclosing objects */
    uint32_t layers; /* number of layers */
    const struct cached_layer *given_by;
} value_cached;

/* Returns false if memory runs out. */
bool bake_value_cache_init(bake_values *b);
kiln_builder *bake_value_cache_library(const bake_values *b);
/* Call this after destroying the builder that shares from the library. */
void bake_value_cache_fini(bake_values *b);
/* Removes all elements. Call this before each output, since outputs have different imports, and
 * only between two blobs. */
void bake_value_cache_clear(bake_values *b);
/* Clears the cache if it is full. */
void bake_value_cache_trim(bake_values *b);

/* Like bake_value_choice, but cached: all assets that inherit an element need the same choice. */
value_chosen bake_value_cached_choice(bake_values *b, const value_layer *layer, uint32_t type);

/* Whether elements of this layer may be cached. */
bool bake_value_may_cache(const bake_values *b, const value_layer *layer);

/* Finds the cached element for these layers, whose nodes are elements. Returns NULL if it is not
 * cached. */
const value_cached *bake_value_cache_find(bake_values *b, const value_layer *layers, size_t count,
                                          uint32_t type);

/* The saved state while baking into the library. */
typedef struct value_caching {
    value_cached *cached; /* bake into its value */
    kiln_builder *builder;
    size_t errors, warnings, payloads, uses;
    uint32_t blob;
} value_caching;

/* Redirects baking into the library. Returns false and does nothing if the cache is full. */
bool bake_value_cache_begin(bake_values *b, const value_layer *layers, size_t count, uint32_t type,
                            value_caching *ret_caching);
/* Ends baking into the library and returns the element, which is cached if nothing was reported.
 * Returns NULL if the asset must bake the element itself. */
const value_cached *bake_value_cache_end(bake_values *b, value_caching *caching);

#endif
