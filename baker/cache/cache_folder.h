/* A tier in a folder. Private to the storey. */
#ifndef CACHE_FOLDER_H
#define CACHE_FOLDER_H

#include "cache_tier.h"

/* Creates a tier; NULL if memory runs out. The folder is created on the first write if `creates`;
 * otherwise the tier breaks if the folder is missing, because a network folder may not be
 * mounted. */
cache_tier *bake_cache_folder_create(const char *folder, bool creates);

#endif
