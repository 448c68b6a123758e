/* A place that stores cache objects: a folder or an HTTP store. Private to the storey; the kinds
 * are cache_folder.c and cache_http.c, and cache_tier.c has what they share.
 *
 * A tier transfers bytes; bake_cache.c checks what it gets. One thread at a time
 * uses a tier. */
#ifndef CACHE_TIER_H
#define CACHE_TIER_H

#include "cache_object.h"

#include <stdint.h>

enum { CACHE_WHY_SIZE = 160, CACHE_PART_SIZE = 1 << 20, CACHE_BUFFER_SIZE = 1 << 16 };

typedef struct cache_tier cache_tier;

typedef struct cache_tier_kind {
    cache_answer (*get)(cache_tier *tier, bake_cache_key key, cache_bytes *bytes);
    /* Also marks the object as used. */
    cache_answer (*has)(cache_tier *tier, bake_cache_key key);
    /* Replaces an object completely or not at all. REFUSED if only writing does not work. */
    cache_answer (*put)(cache_tier *tier, bake_cache_key key, const bake_cache_source *source);
    void (*destroy)(cache_tier *tier);
} cache_tier_kind;

struct cache_tier {
    const cache_tier_kind *kind;
    const char *label; /* for messages; never contains a token */
    bool is_timed;     /* calls must end at `deadline` */
    bool is_read_only; /* do not write: not permitted, or `is_refused` */
    bool is_refused;   /* a write failed */
    bool is_off;       /* it failed, so it is not used any more */
    bool is_damaged;   /* it had a damaged object: it is only written, to repair it */
    uint64_t deadline; /* by bake_monotonic_now */
    uint64_t added;    /* bytes put */
    char why[CACHE_WHY_SIZE];
};

/* The milliseconds until the deadline, rounded up; at least 1 before it, and 0 after it. */
uint64_t bake_cache_time_left(const cache_tier *tier);
/* Sets `why` and returns CACHE_BROKEN. */
cache_answer bake_cache_break(cache_tier *tier, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;
/* Sets `why` to the text of an errno value, and returns `answer`; STOPPED for ENOMEM. */
cache_answer bake_cache_break_errno(cache_tier *tier, cache_answer answer, int error);
/* Breaks because the deadline has passed. */
cache_answer bake_cache_break_late(cache_tier *tier);

#endif
