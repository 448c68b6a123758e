/* Chooses the caches of a run from options, environment and project file. */
#ifndef BAKE_CACHE_CHOICE_H
#define BAKE_CACHE_CHOICE_H

#include "project_file.h"

/* Each setting comes from the first of these that gives it: the option, the environment variable
 * (KILN_CACHE, KILN_CACHE_SHARED, KILN_CACHE_URL, KILN_CACHE_READ_ONLY), the project file. Paths of
 * the project file are relative to its folder. `project` may be NULL. Texts are not copied. Returns
 * false if memory runs out. */
bool bake_cache_choose(const bake_options *options, bake_project *project,
                       bake_cache_settings *ret_settings);
/* Whether the settings name a cache. */
bool bake_cache_is_chosen(const bake_cache_settings *settings);

#endif
