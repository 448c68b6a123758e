/* The 32 bytes before every blob's payload: the kind, size and layout of the blob, and a hash of
 * all its bytes.
 *
 *     hash == XXH3-64(gap and payload, seed = XXH3-64(header bytes 0..23))
 *
 * so every flipped bit of header, gap or payload is found. The header is at a multiple of max(16,
 * alignment), and the payload at header + max(32, alignment). The bytes between them, the gap, are
 * zero. FORMAT.md section 3. */
#ifndef KILN_BLOB_HEADER_H
#define KILN_BLOB_HEADER_H

#include <kiln/limits.h>
#include <kiln/status.h>
#include <kiln/version.h>
#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
    KILN_HEADER_SIZE = 32,
    /* Flag bits, in the low byte: a reader must understand all of them. It ignores the high byte.
     */
    KILN_FLAG_ALIGN_MASK = 0x000f,
    KILN_FLAG_CANONICAL = 0x0010,
    KILN_FLAG_KIND_MASK = 0x00e0,
    KILN_FLAG_KIND_SHIFT = 5
};

typedef enum kiln_blob_kind {
    KILN_BLOB_ASSET = 0,
    KILN_BLOB_INDEX = 1,
    KILN_BLOB_TYPE_TABLE = 2,
    KILN_BLOB_DICTIONARY = 3
} kiln_blob_kind;

/* The header as stored in the file. */
typedef struct kiln_blob_header {
    unsigned char magic[4];
    uint8_t major, minor; /* of the format: KILN_FORMAT_MAJOR, KILN_FORMAT_MINOR */
    uint16_t flags;
    uint64_t payload_size;
    uint64_t layout;
    uint64_t hash;
} kiln_blob_header;

static inline uint32_t kiln_header_align(const kiln_blob_header *header)
{
    return UINT32_C(1) << (header->flags & KILN_FLAG_ALIGN_MASK);
}

/* Bytes from the header to the payload: max(32, alignment). */
static inline uint32_t kiln_header_payload_at(const kiln_blob_header *header)
{
    uint32_t align = kiln_header_align(header);
    return align > KILN_HEADER_SIZE ? align : (uint32_t)KILN_HEADER_SIZE;
}

static inline kiln_blob_kind kiln_header_kind(const kiln_blob_header *header)
{
    return (kiln_blob_kind)((header->flags & KILN_FLAG_KIND_MASK) >> KILN_FLAG_KIND_SHIFT);
}

/* The flag bits of a kind. */
static inline unsigned kiln_kind_flags(kiln_blob_kind kind)
{
    return (unsigned)kind << KILN_FLAG_KIND_SHIFT;
}

/* The whole blob's bytes: header, gap, payload. */
static inline uint64_t kiln_header_blob_size(const kiln_blob_header *header)
{
    return kiln_header_payload_at(header) + header->payload_size;
}

/* Reads the header of the blob that begins at `data`, where `size` bytes are left (rules H1 to H5).
 * On success `ret_header` is filled and header, gap and payload are inside the `size` bytes; other
 * bytes may follow. On failure `ret_header` is untouched. Safe on hostile bytes; `data` needs no
 * alignment and stays the caller's. */
kiln_status kiln_header_read(const void *data, size_t size, kiln_blob_header *ret_header,
                             kiln_error *reterr);

/* Rules H8 and H9 for a blob whose header was read: the hash, then the zeros of the gap. */
kiln_status kiln_header_check_hash(const void *data, const kiln_blob_header *header,
                                   kiln_error *reterr);

/* Writes header and gap, including the hash, before a payload that is already in place. `flags`
 * combines the binary logarithm of the alignment, kiln_kind_flags of the kind and, for a canonical
 * blob, KILN_FLAG_CANONICAL; its high byte is not written. `data` has room for max(32, alignment) +
 * `payload_size` bytes. */
void kiln_header_write(void *data, unsigned flags, uint64_t payload_size, uint64_t layout);

/* KILN_OK on a little-endian host, KILN_BIG_ENDIAN_HOST on others. Every public function that reads
 * or makes bytes checks this. */
kiln_status kiln_host_check(void);

#ifdef __cplusplus
}
#endif

#endif
