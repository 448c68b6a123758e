/* An object of a cache: its key, its name and its bytes.
 *
 * An object is either a content, whose key is its hash (kiln_content_hash), or a result, whose key
 * is a hash of everything that it depends on. A result is stored after a header of 56 bytes:
 * `KILNCACH`, the version of this format, its key (two numbers), its size, and its hash (two
 * numbers), all little-endian. In a folder, an object is the file `cas/01/0123...` or
 * `ac/01/0123...`, where 01 are the first digits of the key; below a URL it is `cas/0123...` or
 * `ac/0123...`. */
#ifndef CACHE_OBJECT_H
#define CACHE_OBJECT_H

#include "hash.h"

#include <kiln/allocator.h>
#include <kiln/index.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum bake_cache_kind { BAKE_CACHE_RESULT, BAKE_CACHE_CONTENT } bake_cache_kind;

typedef struct bake_cache_key {
    bake_cache_kind kind;
    kiln_hash128 hash;
} bake_cache_key;

/* Maximum bytes of an object. */
#define BAKE_CACHE_OBJECT_MAX ((size_t)1 << 30)

enum { BAKE_CACHE_NAME_SIZE = 48 };

/* Writes the name of an object, such as `cas/0123...`: with `fan`, in one of 256 folders by its
 * first two digits, `cas/01/0123...`. */
void bake_cache_name(char name[BAKE_CACHE_NAME_SIZE], bake_cache_key key, bool fan);

/* ---- bytes ---- */

/* The result of a transfer. */
typedef enum cache_answer {
    CACHE_DONE,
    CACHE_ABSENT,  /* there is no such object */
    CACHE_TOO_BIG, /* the object is larger than expected */
    CACHE_STOPPED, /* memory ran out, or a source or sink failed; the tier works */
    CACHE_REFUSED, /* of put: the tier cannot be written; its `why` is the reason */
    CACHE_BROKEN   /* the tier does not work; its `why` is the reason */
} cache_answer;

/* Receives the bytes of a content in order. */
typedef struct bake_cache_sink {
    /* A transfer begins: bytes of an earlier one were wrong. Returns false on failure. */
    bool (*begin)(void *ctx);
    bool (*write)(void *ctx, const void *data, size_t size);
    void *ctx;
} bake_cache_sink;

/* A sink and the hash of what it has received. */
typedef struct cache_outlet {
    const bake_cache_sink *sink;
    hash_stream stream;
} cache_outlet;

/* Bytes that are read. Zeroed except for `most` and `outlet`, it is empty. */
typedef struct cache_bytes {
    cache_outlet *outlet; /* bytes are passed on instead of stored; NULL: they are stored */
    kiln_buffer block;    /* aligned to KILN_ALIGN_MAX, one byte larger than its room */
    size_t begin;         /* the object's first byte in the block; 0 for a content */
    size_t size;          /* bytes of the object */
    size_t most;          /* maximum bytes, with the header of a result */
    bool is_ours;         /* nobody except this user could write the object */
} cache_bytes;

void bake_cache_bytes_fini(cache_bytes *bytes);
/* Makes room for `more` bytes. TOO_BIG, STOPPED. */
cache_answer bake_cache_bytes_reserve(cache_bytes *bytes, uint64_t more);
cache_answer bake_cache_bytes_add(cache_bytes *bytes, const void *data, size_t size);
static inline const unsigned char *bake_cache_bytes_at(const cache_bytes *bytes)
{
    return (const unsigned char *)bytes->block.data + bytes->begin;
}

/* The bytes of an object that is written. */
typedef struct bake_cache_source {
    const void *data; /* NULL: call `read` */
    size_t size;
    /* Reads `size` bytes at an offset. Offsets ascend, but may begin at 0 again. Returns false on
     * failure. */
    bool (*read)(void *ctx, uint64_t offset, void *memory, size_t size);
    void *ctx;
    bool is_own; /* in a local folder: nobody except this user may write it, whatever the umask */
} bake_cache_source;

bool bake_cache_source_read(const bake_cache_source *source, uint64_t offset, void *memory,
                            size_t size);

/* ---- checks ---- */

enum { BAKE_CACHE_HEADER_SIZE = 56 };
/* Writes the header of a result. */
void bake_cache_put_header(unsigned char header[BAKE_CACHE_HEADER_SIZE], bake_cache_key key,
                           const void *data, size_t size);
/* Checks an object as it is stored, and skips the header of a result. Returns false if it is
 * damaged or belongs to another key. Safe on hostile bytes. */
bool bake_cache_check(bake_cache_key key, cache_bytes *bytes);

#endif
