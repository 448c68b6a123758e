/* Chooses the caches of a run from options, environment and project file. */
#ifndef BAKE_CACHE_CHOICE_H
#define BAKE_CACHE_CHOICE_H

#include "bake_cache.h"
#include "bake_store.h"
#include "project_file.h"

#include <stdio.h>

/* Each setting comes from the first of these that gives it: the option, the environment variable
 * (KILN_CACHE, KILN_CACHE_SHARED, KILN_CACHE_URL, KILN_CACHE_READ_ONLY), the project file. Paths of
 * the project file are relative to its folder. `project` may be NULL. Texts are not copied. Returns
 * false if memory runs out. */
bool bake_cache_choose(const bake_options *options, bake_project *project,
                       bake_cache_settings *ret_settings);
/* Whether the settings name a cache. */
bool bake_cache_is_chosen(const bake_cache_settings *settings);

/* A cache that several bakes use one after the other, so that a tier that failed is not used again
 * and has one warning only. Zeroed, it is empty. */
typedef struct bake_kept_cache {
    bake_cache *cache;
    bake_cache_settings settings; /* that it was created with */
    bake_store store;             /* of their texts */
} bake_kept_cache;

void bake_kept_cache_fini(bake_kept_cache *kept);

/* Opens the cache of a bake: the one in `options->kept_cache` if that has these settings. Returns
 * NULL with a failure. End the bake with bake_cache_close, which accepts NULL. */
bake_cache *bake_cache_open(const bake_options *options, const bake_cache_settings *settings,
                            bake_failure *failure);
/* Prints the new warnings of a cache in the format of the diagnostics. With -q, prints nothing, and
 * the warnings stay new. */
void bake_cache_print_warnings(bake_cache *cache, const bake_options *options, FILE *err);
void bake_cache_close(const bake_options *options, bake_cache *cache);

#endif
