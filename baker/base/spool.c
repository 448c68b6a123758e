/* The file grows in chunks, and each has one mapping. Bytes are written with pwrite, because a
 * write to a mapping could not report that the disk is full. Linux keeps mapping and file equal. */

/* For madvise. */
#define _GNU_SOURCE

#include "spool.h"

#include "bake_memory.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <unistd.h>

#ifdef __linux__
#include <sys/mman.h>
#endif

/* Chunks double in size, so few mappings serve any file. */
#define CHUNK_FIRST ((size_t)32 << 20)
enum { CHUNKS = 20, PAGE = 4096 };
/* Pages are released after so many bytes were read. Smaller steps cost more page faults. */
#define TOUCHED_MAX ((size_t)4 << 20)
/* The largest block counts as often, because its owner needs several times its size anyway. */
enum { LARGEST_TIMES = 3 };

typedef struct chunk {
    unsigned char *begin;
    size_t size, used;
    off_t place; /* in the file */
} chunk;

struct bake_spool {
    bake_spool_def def;
    atomic_int file; /* -1: not opened */
    atomic_bool wants_file;
    pthread_mutex_t lock; /* guards the chunks */
    chunk chunks[CHUNKS];
    size_t chunk_count;
    atomic_bool is_used;
    atomic_size_t in_memory, largest, touched;
    atomic_bool has_failed;
};

bake_spool *bake_spool_create(const bake_spool_def *def)
{
    bake_spool *s = bake_alloc_array(1, sizeof *s);
    if (!s)
        return NULL;
    if (pthread_mutex_init(&s->lock, NULL) != 0) {
        bake_free(s);
        return NULL;
    }
    s->def = *def;
    atomic_store(&s->file, -1);
    return s;
}

#ifdef __linux__

static bool add_chunk(bake_spool *s, size_t size)
{
    const chunk *last = s->chunk_count ? &s->chunks[s->chunk_count - 1] : NULL;
    size_t wanted = last ? last->size * 2 : CHUNK_FIRST;
    if (s->chunk_count == CHUNKS || size > SIZE_MAX / 4)
        return false;
    while (wanted < size)
        wanted *= 2;
    chunk added = {.size = wanted, .place = last ? last->place + (off_t)last->size : 0};
    void *begin = mmap(NULL, wanted, PROT_READ, MAP_SHARED, atomic_load(&s->file), added.place);
    if (begin == MAP_FAILED)
        return false;
    added.begin = begin;
    s->chunks[s->chunk_count++] = added;
    atomic_store(&s->is_used, true);
    return true;
}

/* Reserves bytes of the file. Returns their address, or NULL. */
static unsigned char *reserve(bake_spool *s, size_t size, size_t align, off_t *ret_place)
{
    chunk *c = s->chunk_count ? &s->chunks[s->chunk_count - 1] : NULL;
    size_t begin = c ? (c->used + align - 1) & ~(align - 1) : 0;
    if (!c || begin > c->size || size > c->size - begin) {
        if (!add_chunk(s, size))
            return NULL;
        c = &s->chunks[s->chunk_count - 1];
        begin = 0;
    }
    c->used = begin + size;
    *ret_place = c->place + (off_t)begin;
    return c->begin + begin;
}

static bool write_at(int file, const unsigned char *data, size_t size, off_t place)
{
    while (size > 0) {
        ssize_t n = pwrite(file, data, size, place);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        data += n;
        size -= (size_t)n;
        place += n;
    }
    return true;
}

static void *put(bake_spool *s, const void *data, size_t size, size_t align)
{
    off_t place = 0;
    int error = errno;
    pthread_mutex_lock(&s->lock);
    unsigned char *at = reserve(s, size, align, &place);
    pthread_mutex_unlock(&s->lock);
    if (at && write_at(atomic_load(&s->file), data, size, place)) {
        errno = error;
        return at;
    }
    atomic_store(&s->has_failed, true);
    errno = error;
    return NULL;
}

static void release_pages(bake_spool *s)
{
    pthread_mutex_lock(&s->lock);
    for (size_t i = 0; i < s->chunk_count; i++) {
        size_t used = (s->chunks[i].used + PAGE - 1) / PAGE * PAGE;
        madvise(s->chunks[i].begin, used, MADV_DONTNEED);
    }
    pthread_mutex_unlock(&s->lock);
}

static void unmap(bake_spool *s)
{
    for (size_t i = 0; i < s->chunk_count; i++)
        munmap(s->chunks[i].begin, s->chunks[i].size);
}

#else

static void *put(bake_spool *s, const void *data, size_t size, size_t align)
{
    (void)data;
    (void)size;
    (void)align;
    atomic_store(&s->has_failed, true);
    return NULL;
}

static void release_pages(bake_spool *s)
{
    (void)s;
}

static void unmap(bake_spool *s)
{
    (void)s;
}

#endif

void bake_spool_destroy(bake_spool *s)
{
    if (!s)
        return;
    unmap(s);
    if (atomic_load(&s->file) >= 0)
        close(atomic_load(&s->file));
    pthread_mutex_destroy(&s->lock);
    bake_free(s);
}

/* Whether so many bytes stay in memory. */
static bool stays(bake_spool *s, size_t size)
{
    size_t largest = atomic_load(&s->largest);
    while (size > largest && !atomic_compare_exchange_weak(&s->largest, &largest, size))
        continue;
    largest = size > largest ? size : largest;
    size_t extra = s->def.memory_max && largest < SIZE_MAX / 8 ? largest * LARGEST_TIMES : 0;
    size_t max = extra < SIZE_MAX - s->def.memory_max ? extra + s->def.memory_max : SIZE_MAX;
    size_t used = atomic_load(&s->in_memory);
    return size <= max && used <= max - size;
}

const void *bake_spool_put(bake_spool *s, const void *data, size_t size, size_t align)
{
    if (!s || size == 0 || atomic_load(&s->has_failed))
        return NULL;
    bool may_stay = stays(s, size);
    if (!may_stay && atomic_load(&s->file) >= 0)
        return put(s, data, size, align);
    if (!may_stay)
        atomic_store(&s->wants_file, true);
    atomic_fetch_add(&s->in_memory, size);
    return NULL;
}

bool bake_spool_wants_file(const bake_spool *s)
{
    return s && atomic_load(&s->wants_file) && atomic_load(&s->file) < 0 &&
           !atomic_load(&s->has_failed);
}

void bake_spool_open(bake_spool *s)
{
    if (!bake_spool_wants_file(s))
        return;
    int file = s->def.open(s->def.ctx);
    if (file < 0)
        atomic_store(&s->has_failed, true);
    else
        atomic_store(&s->file, file);
}

static void *no_alloc(void *ctx, size_t size, size_t align)
{
    (void)ctx;
    (void)size;
    (void)align;
    return NULL;
}

static void no_free(void *ctx, void *block, size_t size)
{
    (void)ctx;
    (void)block;
    (void)size;
}

void bake_spool_move(bake_spool *s, kiln_buffer *buffer, size_t align)
{
    const void *at = bake_spool_put(s, buffer->data, buffer->size, align);
    if (!at)
        return;
    kiln_buffer moved = {(unsigned char *)(uintptr_t)at, buffer->size, {no_alloc, no_free, NULL}};
    kiln_buffer_fini(buffer);
    *buffer = moved;
}

void bake_spool_touch(bake_spool *s, size_t size)
{
    if (!s || !bake_spool_is_used(s))
        return;
    size_t before = atomic_fetch_add(&s->touched, size);
    if (before < TOUCHED_MAX && before + size >= TOUCHED_MAX) {
        release_pages(s);
        atomic_store(&s->touched, 0);
    }
}

bool bake_spool_is_used(const bake_spool *s)
{
    return s && atomic_load(&s->is_used);
}
