/* Care of a folder of cache objects: totals, the bound of its size, and a check of all objects.
 *
 * Only files whose names are those of objects count, so nothing else in the folder is ever removed.
 * Links are not followed. Bakes may use the folder at the same time: they treat an object that
 * disappears as absent. `size` is a file in the folder with the approximate total, and `lock` is
 * locked while the total changes. A process that finds it locked creates `recount`, so that the
 * next one counts all objects. These files can be deleted at any time. */
#ifndef BAKE_CACHE_CARE_H
#define BAKE_CACHE_CARE_H

#include "bake_cache.h"

typedef struct bake_cache_totals {
    uint64_t results, contents; /* number of objects */
    uint64_t bytes;
} bake_cache_totals;

/* Counts the objects. Returns false with errno set if the folder cannot be read. */
bool bake_cache_count(const char *folder, bake_cache_totals *ret_totals);

/* Removes the objects that were used least recently until at most `most` bytes are left, and
 * temporary files that are older than an hour. Waits while another process does this. Returns false
 * with errno set; `ret_left` and `ret_removed` are always set. */
bool bake_cache_collect(const char *folder, uint64_t most, bake_cache_totals *ret_left,
                        bake_cache_totals *ret_removed);

/* Notes that `added` bytes were written to a local folder. If it is then larger than `most`,
 * removes objects until it is a fifth smaller than that. If another process does the same for more
 * than a tenth of a second, leaves this to the next process. Failures have no effect. */
void bake_cache_bound(const char *folder, uint64_t added, uint64_t most);

/* Reads all objects and removes those that are damaged. `on_damaged` receives the name of each,
 * such as `cas/01/0123...`, and whether it was removed. Returns false with errno set if the folder
 * cannot be read or memory runs out. */
bool bake_cache_verify(const char *folder,
                       void (*on_damaged)(void *ctx, const char *name, bool is_removed), void *ctx,
                       bake_cache_totals *ret_totals);

#endif
