/* The 32-byte header before every blob's payload: kind, size, layout, and a hash of the whole blob.
 *
 *     hash == XXH3-64(gap and payload, seed = XXH3-64(header bytes 0..23))
 *
 * A flipped bit in header, gap or payload is therefore detected. The header begins at a multiple of
 * max(16, alignment), and the payload at header + max(32, alignment). The bytes between them (the
 * gap) are zero. FORMAT.md section 3. */
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
    /* Flag bits. Readers must understand all bits of the low byte, and ignore the high byte. */
    KILN_FLAG_ALIGN_MASK = 0x000f, /* binary logarithm of the alignment */
    KILN_FLAG_CANONICAL = 0x0010,
    KILN_FLAG_KIND_MASK = 0x00e0, /* a kiln_blob_kind, shifted */
    KILN_FLAG_KIND_SHIFT = 5
};

/* What a blob contains. */
typedef enum kiln_blob_kind {
    KILN_BLOB_ASSET = 0,
    KILN_BLOB_INDEX = 1,
    KILN_BLOB_TYPE_TABLE = 2,
    KILN_BLOB_DICTIONARY = 3
} kiln_blob_kind;

/* The header as it is stored in the file. */
typedef struct kiln_blob_header {
    unsigned char magic[4];
    uint8_t major, minor; /* of the format: KILN_FORMAT_MAJOR, KILN_FORMAT_MINOR */
    uint16_t flags;
    uint64_t payload_size; /* in bytes, 1 to KILN_PAYLOAD_MAX */
    uint64_t layout;       /* layout hash of the root's type; 0 for a dictionary */
    uint64_t hash;
} kiln_blob_header;

/* Returns the blob's alignment in bytes: a power of two, 16 to 4096. */
static inline uint32_t kiln_header_align(const kiln_blob_header *header)
{
    return UINT32_C(1) << (header->flags & KILN_FLAG_ALIGN_MASK);
}

/* Returns the number of bytes from the header's beginning to the payload's: max(32, alignment). */
static inline uint32_t kiln_header_payload_at(const kiln_blob_header *header)
{
    uint32_t align = kiln_header_align(header);
    return align > KILN_HEADER_SIZE ? align : (uint32_t)KILN_HEADER_SIZE;
}

static inline kiln_blob_kind kiln_header_kind(const kiln_blob_header *header)
{
    return (kiln_blob_kind)((header->flags & KILN_FLAG_KIND_MASK) >> KILN_FLAG_KIND_SHIFT);
}

/* Returns the flag bits that encode a kind. */
static inline unsigned kiln_kind_flags(kiln_blob_kind kind)
{
    return (unsigned)kind << KILN_FLAG_KIND_SHIFT;
}

/* Returns the size of the whole blob in bytes: header, gap and payload. */
static inline uint64_t kiln_header_blob_size(const kiln_blob_header *header)
{
    return kiln_header_payload_at(header) + header->payload_size;
}

/* Reads and checks the header of the blob that begins at `data` (rules H1 to H5). `size` bytes are
 * available there. On success fills `ret_header`; header, gap and payload are then
 * within `size`, and more bytes may follow. On failure `ret_header` is untouched. BIG_ENDIAN_HOST:
 * see kiln_host_check. Safe on hostile bytes. `data` needs no alignment. */
kiln_status kiln_header_read(const void *data, size_t size, kiln_blob_header *ret_header,
                             kiln_error *reterr);

/* Checks the hash, then the zeros of the gap (rules H8 and H9) of a blob whose header
 * kiln_header_read accepted. Safe on hostile bytes, linear in the blob. */
kiln_status kiln_header_check_hash(const void *data, const kiln_blob_header *header,
                                   kiln_error *reterr);

/* Writes header and gap before a payload that is already in place, and computes the hash. `flags`
 * combines the binary logarithm of the alignment (KILN_ALIGN_LOG2_MIN to KILN_ALIGN_LOG2_MAX),
 * KILN_FLAG_CANONICAL if the blob is canonical, and kiln_kind_flags of its kind; the high byte is
 * ignored. `data` must have room for max(32, alignment) + `payload_size` bytes. */
void kiln_header_write(void *data, unsigned flags, uint64_t payload_size, uint64_t layout);

/* Returns KILN_OK on a little-endian host, KILN_BIG_ENDIAN_HOST on a big-endian one. Every entry
 * point that reads or writes blobs calls it. */
kiln_status kiln_host_check(void);

#ifdef __cplusplus
}
#endif

#endif
