/* Stores objects by a 128-bit key in up to three places, which are called tiers: a local folder, a
 * shared folder and an HTTP store, from the nearest to the farthest. cache_object.h describes
 * objects.
 *
 * Each object is checked against its key and its hash when it is read. A tier that fails, has a
 * damaged object or is too slow is not used any more, and a tier that only cannot be written is
 * only read. A warning explains either, once for each tier. Whatever a cache does, the bake
 * continues without it. All functions that take a cache do nothing for NULL. One thread at a time
 * may use a cache. */
#ifndef BAKE_CACHE_H
#define BAKE_CACHE_H

#include "bake_result.h"
#include "cache_object.h"
#include "cache_settings.h"

typedef struct bake_cache bake_cache;

/* Creates the tiers that the settings name. Reads and connects nothing. Returns NULL with a failure
 * for a URL that is malformed or needs libcurl in a program without it, or if memory runs out. The
 * token is read from the environment (cache_token.h). */
bake_cache *bake_cache_create(const bake_cache_settings *settings, bake_failure *failure);
/* Ends a run. Accepts NULL. */
void bake_cache_destroy(bake_cache *cache);
/* Ends a run, and begins the next one: keeps the local folder within its size, and allows the whole
 * waiting time again. Tiers that are not used any more stay so, and warnings are not repeated. */
void bake_cache_end_run(bake_cache *cache);

size_t bake_cache_tier_count(const bake_cache *cache);
/* The folder or the URL of a tier. */
const char *bake_cache_label(const bake_cache *cache, size_t tier);
/* Whether the first tier is a local folder. */
bool bake_cache_has_local(const bake_cache *cache);
/* Whether objects can be written to the tier. */
bool bake_cache_is_writable(const bake_cache *cache, size_t tier);

/* Gets an object of at most `most` bytes. Returns false if the tier does not have it, or cannot
 * deliver it unchanged. `*ret` must be zeroed; the caller frees it after success. */
bool bake_cache_get(bake_cache *cache, size_t tier, bake_cache_key key, size_t most,
                    cache_bytes *ret);
/* Gets a content of `size` bytes without keeping it in memory. Returns false like bake_cache_get,
 * or if the sink fails. What the sink has received is then useless. */
bool bake_cache_get_to(bake_cache *cache, size_t tier, bake_cache_key key, size_t size,
                       const bake_cache_sink *sink);
/* Stores a content without keeping it in memory, unless the tier is read-only. Its hash is checked
 * again before the last byte is stored. Returns whether the tier has the content. */
bool bake_cache_put_from(bake_cache *cache, size_t tier, bake_cache_key key,
                         const bake_cache_source *source);
/* Stores an object, unless the tier is read-only. A content that exists is not written again. The
 * key of a content must be its hash. */
void bake_cache_put(bake_cache *cache, size_t tier, bake_cache_key key, const void *data,
                    size_t size);
/* Stores a result in the local folder, if there is one, such that only this user may write it,
 * whatever the umask is. The key must depend on the user. */
void bake_cache_put_own(bake_cache *cache, bake_cache_key key, const void *data, size_t size);
/* Whether the tier has an object with this key. The object may be damaged. */
bool bake_cache_has(bake_cache *cache, size_t tier, bake_cache_key key);

/* Returns a warning that was not returned before; NULL if there is none. Valid until the next call
 * of any function with this cache. */
const char *bake_cache_next_warning(bake_cache *cache);

#endif
