/* Copies that bypass the cache, for more bytes than the cache can hold.
 *
 * An ordinary store first reads the cache line that it writes to. A streaming store does not. This
 * saves a third of the memory traffic if much more is copied than the cache holds, but is slower if
 * the bytes are read again soon. */
#ifndef KILN_STREAM_COPY_H
#define KILN_STREAM_COPY_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

/* With at least this many bytes, streaming is faster: about the size of current caches. */
#define STREAM_LEAST ((uint64_t)8 << 20)

static inline void stream_copy(unsigned char *to, const unsigned char *from, size_t size)
{
#if defined(__SSE2__)
    enum { STEP = 64, ALIGN = 16 };
    size_t head = (size_t)(-(uintptr_t)to & (ALIGN - 1));
    if (head > size)
        head = size;
    memcpy(to, from, head);
    to += head;
    from += head;
    size -= head;
    for (; size >= STEP; size -= STEP, to += STEP, from += STEP) {
        __m128i *target = (__m128i *)(void *)to;
        const __m128i *source = (const __m128i *)(const void *)from;
        __m128i a = _mm_loadu_si128(source), b = _mm_loadu_si128(source + 1);
        __m128i c = _mm_loadu_si128(source + 2), d = _mm_loadu_si128(source + 3);
        _mm_stream_si128(target, a);
        _mm_stream_si128(target + 1, b);
        _mm_stream_si128(target + 2, c);
        _mm_stream_si128(target + 3, d);
    }
#endif
    memcpy(to, from, size);
}

/* Call this after the last stream_copy, before other threads may read the bytes. */
static inline void stream_end(void)
{
#if defined(__SSE2__)
    _mm_sfence();
#endif
}

#endif
