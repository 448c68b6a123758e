#include "cache_object.h"

#include "bake_memory.h"
#include "hash_equal.h"
#include "record_bytes.h"

#include <stdio.h>

enum { VERSION = 1 };
static const unsigned char magic[8] = {'K', 'I', 'L', 'N', 'C', 'A', 'C', 'H'};

void bake_cache_name(char name[BAKE_CACHE_NAME_SIZE], bake_cache_key key, bool fan)
{
    unsigned long long high = (unsigned long long)key.hash.high;
    unsigned long long low = (unsigned long long)key.hash.low;
    const char *folder = key.kind == BAKE_CACHE_RESULT ? "ac" : "cas";
    if (fan)
        snprintf(name, BAKE_CACHE_NAME_SIZE, "%s/%02llx/%016llx%016llx", folder, high >> 56, high,
                 low);
    else
        snprintf(name, BAKE_CACHE_NAME_SIZE, "%s/%016llx%016llx", folder, high, low);
}

/* ---- bytes ---- */

void bake_cache_bytes_fini(cache_bytes *bytes)
{
    kiln_buffer_fini(&bytes->block);
    memset(bytes, 0, sizeof *bytes);
}

cache_answer bake_cache_bytes_reserve(cache_bytes *bytes, uint64_t more)
{
    if (bytes->size > bytes->most || more > bytes->most - bytes->size)
        return CACHE_TOO_BIG;
    if (bytes->outlet)
        return CACHE_DONE;
    size_t needed = bytes->size + (size_t)more;
    if (bytes->block.data && needed < bytes->block.size)
        return CACHE_DONE;
    /* The block is never empty. It grows by half, up to the limit. */
    size_t room = bytes->block.size + bytes->block.size / 2;
    room = room > bytes->most ? bytes->most : room;
    room = room < needed ? needed : room;
    kiln_buffer grown = {NULL, room + 1, bake_memory_allocator()};
    grown.data = grown.allocator.alloc(grown.allocator.ctx, grown.size, KILN_ALIGN_MAX);
    if (!grown.data)
        return CACHE_STOPPED;
    if (bytes->size)
        memcpy(grown.data, bytes->block.data, bytes->size);
    kiln_buffer_fini(&bytes->block);
    bytes->block = grown;
    return CACHE_DONE;
}

cache_answer bake_cache_bytes_add(cache_bytes *bytes, const void *data, size_t size)
{
    cache_answer answer = bake_cache_bytes_reserve(bytes, size);
    if (!answer && size && bytes->outlet) {
        const bake_cache_sink *sink = bytes->outlet->sink;
        kiln_hash_stream_add(&bytes->outlet->stream, data, size);
        bytes->size += size;
        return sink->write(sink->ctx, data, size) ? CACHE_DONE : CACHE_STOPPED;
    }
    if (!answer && size) {
        memcpy((unsigned char *)bytes->block.data + bytes->size, data, size);
        bytes->size += size;
    }
    return answer;
}

bool bake_cache_source_read(const bake_cache_source *source, uint64_t offset, void *memory,
                            size_t size)
{
    if (source->read)
        return source->read(source->ctx, offset, memory, size);
    if (size)
        memcpy(memory, (const unsigned char *)source->data + offset, size);
    return true;
}

/* ---- checks ---- */

/* The hash is that of the object without its header. */
void bake_cache_put_header(unsigned char header[BAKE_CACHE_HEADER_SIZE], bake_cache_key key,
                           const void *data, size_t size)
{
    kiln_hash128 hash = kiln_content_hash(data, size);
    const uint64_t numbers[] = {VERSION, key.hash.low, key.hash.high, size, hash.low, hash.high};
    memcpy(header, magic, sizeof magic);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        record_store(header + sizeof magic + i * RECORD_NUMBER, numbers[i]);
}

static bool skip_header(bake_cache_key key, cache_bytes *bytes)
{
    unsigned char expected[BAKE_CACHE_HEADER_SIZE];
    if (bytes->size < BAKE_CACHE_HEADER_SIZE)
        return false;
    const unsigned char *data = bytes->block.data;
    bake_cache_put_header(expected, key, data + BAKE_CACHE_HEADER_SIZE,
                          bytes->size - BAKE_CACHE_HEADER_SIZE);
    if (memcmp(data, expected, BAKE_CACHE_HEADER_SIZE) != 0)
        return false;
    bytes->begin = BAKE_CACHE_HEADER_SIZE;
    bytes->size -= BAKE_CACHE_HEADER_SIZE;
    return true;
}

bool bake_cache_check(bake_cache_key key, cache_bytes *bytes)
{
    if (key.kind == BAKE_CACHE_RESULT)
        return skip_header(key, bytes);
    if (bytes->outlet)
        return bake_hash_equal(kiln_hash_stream_end128(&bytes->outlet->stream), key.hash);
    kiln_hash128 hash =
        kiln_content_hash(bytes->size ? bytes->block.data : (const void *)"", bytes->size);
    return bake_hash_equal(hash, key.hash);
}
