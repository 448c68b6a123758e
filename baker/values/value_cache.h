/* A cache of the elements that assets inherit, each baked once for all of them.
 *
 * An element of a list of unions that no layer of the asset itself writes has the same value in
 * every asset that inherits it. It is baked into the library, a builder of its own, from which the
 * builders of blobs share it. */
#ifndef BAKE_VALUE_CACHE_H
#define BAKE_VALUE_CACHE_H

#include "value_layers.h"

typedef struct value_cache value_cache;

/* An element: its value, and the key that it is found by. */
typedef struct value_cached {
    kiln_union value; /* in the library */
    uint32_t hash;
    uint32_t type;   /* of the element */
    unsigned depth;  /* objects around it */
    uint32_t layers; /* how many */
    const struct cached_layer *given_by;
} value_cached;

/* False when memory ran out. */
bool bake_value_cache_init(bake_values *b);
kiln_builder *bake_value_cache_library(const bake_values *b);
/* Called after the builder that shares from the library ended. */
void bake_value_cache_fini(bake_values *b);
/* Removes all elements. Call it before another output, which has other imports, and only between
 * two blobs. */
void bake_value_cache_clear(bake_values *b);
/* bake_value_cache_clear if the cache is full. */
void bake_value_cache_trim(bake_values *b);

/* bake_value_choice with a cache, for inherited elements: every asset that inherits them needs the
 * same choices. */
value_chosen bake_value_cached_choice(bake_values *b, const value_layer *layer, uint32_t type);

/* Whether elements that this layer gives may be cached. */
bool bake_value_may_cache(const bake_values *b, const value_layer *layer);

/* The element of these layers, whose nodes are elements; NULL: not cached. */
const value_cached *bake_value_cache_find(bake_values *b, const value_layer *layers, size_t count,
                                          uint32_t type);

/* Baking for the library. */
typedef struct value_caching {
    value_cached *cached; /* to be baked into its value */
    kiln_builder *builder;
    size_t errors, warnings;
    uint32_t blob;
} value_caching;

/* Values from here on are baked into the library. False, with nothing done, where the cache is
 * full.
 */
bool bake_value_cache_begin(bake_values *b, const value_layer *layers, size_t count, uint32_t type,
                            value_caching *ret_caching);
/* Ends baking into the library and returns the element, which is cached if nothing was reported.
 * NULL if the asset has to bake the element itself. */
const value_cached *bake_value_cache_end(bake_values *b, value_caching *caching);

#endif
