/* Writes many adjacent records that no other thread reads yet, without reading them first, and 16
 * bytes at a time if the processor can. */
#ifndef KILN_RECORD_FILL_H
#define KILN_RECORD_FILL_H

#include <kiln/entity_tables.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

typedef struct record_fill {
    kiln_record *records;
    uint32_t count;
    uint32_t version; /* of all records */
    bool streams;     /* bypass the cache (stream_copy.h); call stream_end afterwards */
} record_fill;

#if defined(__SSE2__)
/* The first record gets `place`; each following record gets `step` more than its predecessor. */
static inline void record_fill_steps(const record_fill *fill, uint64_t place, uint64_t step)
{
    __m128i record = _mm_set_epi64x((long long)place, (long long)fill->version);
    const __m128i more = _mm_set_epi64x((long long)step, 0);
    __m128i *to = (__m128i *)(void *)fill->records;
    if (fill->streams) {
        for (uint32_t i = 0; i < fill->count; i++, record = _mm_add_epi64(record, more))
            _mm_stream_si128(to + i, record);
    } else {
        for (uint32_t i = 0; i < fill->count; i++, record = _mm_add_epi64(record, more))
            _mm_store_si128(to + i, record);
    }
}
#else
static inline void record_fill_steps(const record_fill *fill, uint64_t place, uint64_t step)
{
    for (uint32_t i = 0; i < fill->count; i++, place += step) {
        atomic_store_explicit(&fill->records[i].version, fill->version, memory_order_relaxed);
        atomic_store_explicit(&fill->records[i].place, place, memory_order_relaxed);
        fill->records[i].is_retired = 0;
    }
}
#endif

static inline void record_fill_free(const record_fill *fill)
{
    record_fill_steps(fill, 0, 0);
}

/* The first record gets `place`, each following record the next place. */
static inline void record_fill_rows(const record_fill *fill, uint64_t place)
{
    record_fill_steps(fill, place, 1);
}

#endif
