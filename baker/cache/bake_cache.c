#include "bake_cache.h"

#include "bake_memory.h"
#include "cache_care.h"
#include "cache_folder.h"
#include "cache_http.h"
#include "cache_tier.h"
#include "hash_equal.h"
#include "monotonic_clock.h"

#include <stdio.h>
#include <string.h>

enum { TIERS_MAX = 3, WARNING_SIZE = 400 };

struct bake_cache {
    cache_tier *tiers[TIERS_MAX];
    size_t count;
    const char *local; /* the folder of the first tier; NULL: there is no such tier */
    size_t size;
    uint64_t wait, spent; /* of timed tiers, in nanoseconds */
    bool is_warned[TIERS_MAX];
    char warning[WARNING_SIZE];
};

static bool add(bake_cache *cache, cache_tier *tier, bool is_timed, bool is_read_only)
{
    if (!tier)
        return false;
    tier->is_timed = is_timed;
    tier->is_read_only = is_read_only;
    cache->tiers[cache->count++] = tier;
    return true;
}

bake_cache *bake_cache_create(const bake_cache_settings *settings, bake_failure *failure)
{
    bake_cache *cache = bake_alloc_array(1, sizeof *cache);
    if (!cache) {
        bake_fail_memory(failure);
        return NULL;
    }
    cache->size = settings->size ? settings->size : BAKE_CACHE_SIZE;
    cache->wait = (uint64_t)(settings->wait ? settings->wait : BAKE_CACHE_WAIT) * 1000000u;
    bool done = true;
    if (settings->local) {
        done = add(cache, bake_cache_folder_create(settings->local, true), false, false);
        cache->local = done ? cache->tiers[0]->label : NULL;
    }
    if (done && settings->shared)
        done = add(cache, bake_cache_folder_create(settings->shared, false), true,
                   settings->read_only);
    if (!done)
        bake_fail_memory(failure);
    if (done && settings->url)
        done = add(cache, bake_cache_http_create(settings->url, settings->is_project_url, failure),
                   true, settings->read_only);
    if (done)
        return cache;
    bake_cache_destroy(cache);
    return NULL;
}

void bake_cache_end_run(bake_cache *cache)
{
    if (!cache)
        return;
    cache->spent = 0;
    if (!cache->local || !cache->tiers[0]->added)
        return;
    if (!cache->tiers[0]->is_off)
        bake_cache_bound(cache->local, cache->tiers[0]->added, cache->size);
    cache->tiers[0]->added = 0;
}

void bake_cache_destroy(bake_cache *cache)
{
    if (!cache)
        return;
    bake_cache_end_run(cache);
    for (size_t i = 0; i < cache->count; i++)
        cache->tiers[i]->kind->destroy(cache->tiers[i]);
    bake_free(cache);
}

size_t bake_cache_tier_count(const bake_cache *cache)
{
    return cache ? cache->count : 0;
}

const char *bake_cache_label(const bake_cache *cache, size_t tier)
{
    return cache->tiers[tier]->label;
}

bool bake_cache_has_local(const bake_cache *cache)
{
    return cache && cache->local;
}

bool bake_cache_is_writable(const bake_cache *cache, size_t tier)
{
    return !cache->tiers[tier]->is_off && !cache->tiers[tier]->is_read_only;
}

/* ---- calls of tiers ---- */

/* Begins a call. Returns false if the tier cannot be used. */
static bool begin(bake_cache *cache, cache_tier *tier, uint64_t *ret_begin)
{
    *ret_begin = bake_monotonic_now();
    if (tier->is_off || !tier->is_timed)
        return !tier->is_off;
    if (cache->spent >= cache->wait) {
        bake_cache_break_late(tier);
        tier->is_off = true;
        return false;
    }
    tier->deadline = *ret_begin + (cache->wait - cache->spent);
    return true;
}

static bool end(bake_cache *cache, cache_tier *tier, uint64_t began, cache_answer answer)
{
    if (tier->is_timed)
        cache->spent += bake_monotonic_now() - began;
    tier->is_off = tier->is_off || answer == CACHE_BROKEN;
    tier->is_refused = tier->is_refused || answer == CACHE_REFUSED;
    tier->is_read_only = tier->is_read_only || answer == CACHE_REFUSED;
    return answer == CACHE_DONE;
}

const char *bake_cache_next_warning(bake_cache *cache)
{
    for (size_t i = 0; cache && i < cache->count; i++) {
        const cache_tier *tier = cache->tiers[i];
        bool is_unused = tier->is_off || tier->is_damaged;
        if (cache->is_warned[i] || !(is_unused || tier->is_refused))
            continue;
        cache->is_warned[i] = true;
        snprintf(cache->warning, sizeof cache->warning, "the cache %.150s is %s in this run: %s",
                 tier->label, is_unused ? "not used any more" : "only read from now on", tier->why);
        return cache->warning;
    }
    return NULL;
}

/* ---- objects ---- */

/* Reads an object into `bytes` or its outlet, and checks it. */
static bool get_object(bake_cache *cache, cache_tier *tier, bake_cache_key key, cache_bytes *bytes)
{
    uint64_t began;
    if (tier->is_damaged || !begin(cache, tier, &began))
        return false;
    cache_answer answer = tier->kind->get(tier, key, bytes);
    bool done = end(cache, tier, began, answer);
    bool is_damaged = (done && !bake_cache_check(key, bytes)) || answer == CACHE_TOO_BIG;
    if (is_damaged) {
        char name[BAKE_CACHE_NAME_SIZE];
        bake_cache_name(name, key, false);
        bake_cache_break(tier, "%s is damaged", name);
        tier->is_damaged = true;
    }
    return done && !is_damaged;
}

bool bake_cache_get(bake_cache *cache, size_t number, bake_cache_key key, size_t most,
                    cache_bytes *ret)
{
    cache_bytes bytes = {.most =
                             most + (key.kind == BAKE_CACHE_RESULT ? BAKE_CACHE_HEADER_SIZE : 0)};
    /* An object is never without memory, so that its address is valid. */
    if (get_object(cache, cache->tiers[number], key, &bytes) &&
        bake_cache_bytes_reserve(&bytes, 0) == CACHE_DONE) {
        *ret = bytes;
        return true;
    }
    bake_cache_bytes_fini(&bytes);
    return false;
}

bool bake_cache_get_to(bake_cache *cache, size_t number, bake_cache_key key, size_t size,
                       const bake_cache_sink *sink)
{
    cache_outlet outlet = {.sink = sink};
    cache_bytes bytes = {.outlet = &outlet, .most = size};
    kiln_hash_stream_begin(&outlet.stream);
    return sink->begin(sink->ctx) && get_object(cache, cache->tiers[number], key, &bytes) &&
           bytes.size == size;
}

bool bake_cache_has(bake_cache *cache, size_t number, bake_cache_key key)
{
    cache_tier *tier = cache->tiers[number];
    uint64_t began;
    return begin(cache, tier, &began) && end(cache, tier, began, tier->kind->has(tier, key));
}

/* Whether the tier has the content, so that it need not be written again. An existing content is
 * correct, unless the tier has a damaged object. */
static bool has_content(bake_cache *cache, size_t number, bake_cache_key key)
{
    return key.kind == BAKE_CACHE_CONTENT && !cache->tiers[number]->is_damaged &&
           bake_cache_has(cache, number, key);
}

static bool put_object(bake_cache *cache, cache_tier *tier, bake_cache_key key,
                       const bake_cache_source *source)
{
    uint64_t began;
    bool done =
        begin(cache, tier, &began) && end(cache, tier, began, tier->kind->put(tier, key, source));
    tier->added += done ? source->size : 0;
    return done;
}

static void put_bytes(bake_cache *cache, size_t number, bake_cache_key key,
                      bake_cache_source source)
{
    unsigned char *wrapped = NULL;
    if (!bake_cache_is_writable(cache, number) || source.size > BAKE_CACHE_OBJECT_MAX ||
        has_content(cache, number, key))
        return;
    if (key.kind == BAKE_CACHE_RESULT) {
        wrapped = bake_alloc(BAKE_CACHE_HEADER_SIZE + source.size);
        if (!wrapped)
            return;
        bake_cache_put_header(wrapped, key, source.data, source.size);
        if (source.size)
            memcpy(wrapped + BAKE_CACHE_HEADER_SIZE, source.data, source.size);
        source.data = wrapped;
        source.size += BAKE_CACHE_HEADER_SIZE;
    }
    (void)put_object(cache, cache->tiers[number], key, &source);
    bake_free(wrapped);
}

void bake_cache_put(bake_cache *cache, size_t number, bake_cache_key key, const void *data,
                    size_t size)
{
    put_bytes(cache, number, key, (bake_cache_source){.data = data, .size = size});
}

void bake_cache_put_own(bake_cache *cache, bake_cache_key key, const void *data, size_t size)
{
    if (bake_cache_has_local(cache))
        put_bytes(cache, 0, key, (bake_cache_source){.data = data, .size = size, .is_own = true});
}

/* ---- contents that are read in parts ---- */

/* A source whose last bytes are read only if all bytes have the expected hash. */
typedef struct checked_source {
    const bake_cache_source *source;
    kiln_hash128 hash;
    hash_stream stream;
    uint64_t at;
} checked_source;

static bool read_checked(void *ctx, uint64_t offset, void *memory, size_t size)
{
    checked_source *c = ctx;
    if (offset == 0) {
        c->at = 0;
        kiln_hash_stream_begin(&c->stream);
    }
    if (offset != c->at || !bake_cache_source_read(c->source, offset, memory, size))
        return false;
    kiln_hash_stream_add(&c->stream, memory, size);
    c->at += size;
    return c->at < c->source->size || bake_hash_equal(kiln_hash_stream_end128(&c->stream), c->hash);
}

bool bake_cache_put_from(bake_cache *cache, size_t number, bake_cache_key key,
                         const bake_cache_source *source)
{
    checked_source checked = {.source = source, .hash = key.hash};
    const bake_cache_source from = {.size = source->size, .read = read_checked, .ctx = &checked};
    if (!bake_cache_is_writable(cache, number) || source->size > BAKE_CACHE_OBJECT_MAX)
        return false;
    /* Nothing would be read from an empty source. */
    if (source->size == 0 && !bake_hash_equal(kiln_content_hash("", 0), key.hash))
        return false;
    return has_content(cache, number, key) || put_object(cache, cache->tiers[number], key, &from);
}
