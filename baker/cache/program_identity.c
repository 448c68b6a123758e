#include "program_identity.h"

#include "record_version.h"

#include <string.h>
#include <unistd.h>

enum { TEXT_MAX = 1000 };

static bake_cache_key key_of(kiln_hash128 states)
{
    static const char purpose[] = "program 2";
    const uint64_t numbers[] = {geteuid(), states.low, states.high};
    hash_stream stream;
    kiln_hash_stream_begin(&stream);
    kiln_hash_stream_add(&stream, purpose, sizeof purpose);
    kiln_hash_stream_add(&stream, numbers, sizeof numbers);
    return (bake_cache_key){BAKE_CACHE_RESULT, kiln_hash_stream_end128(&stream)};
}

/* Returns NULL if the text is not known or memory runs out. */
static const char *find(bake_cache *cache, bake_cache_key key, bake_store *store)
{
    cache_bytes bytes = {0};
    if (!bake_cache_get(cache, 0, key, TEXT_MAX, &bytes))
        return NULL;
    const char *text = (const char *)bake_cache_bytes_at(&bytes);
    bool is_text = bytes.is_ours && bytes.size > 0 && !memchr(text, 0, bytes.size);
    const char *found = is_text ? bake_store_text(store, text, bytes.size) : NULL;
    bake_cache_bytes_fini(&bytes);
    return found;
}

const char *bake_program_identity(bake_cache *cache, bake_store *store)
{
    kiln_hash128 states;
    bool is_kept = bake_cache_has_local(cache) && bake_record_states(&states);
    bake_cache_key key = is_kept ? key_of(states) : (bake_cache_key){BAKE_CACHE_RESULT, {0, 0}};
    const char *text = is_kept ? find(cache, key, store) : NULL;
    if (text || store->failed)
        return text;
    text = bake_record_identity(store);
    if (text && is_kept)
        bake_cache_put_own(cache, key, text, strlen(text));
    return text;
}
