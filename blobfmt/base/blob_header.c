/* Reads, checks and writes the 32 bytes that begin every blob: FORMAT.md section 3, rules H1 to H5,
 * H8 and H9. The checks are in the order in which FORMAT.md section 9 requires broken H rules to be
 * reported; verify.c and index_frame.c check the rules that depend on how the blob is used. */
#include <kiln/blob_header.h>

#include "hash.h"

#include <string.h>

_Static_assert(sizeof(kiln_blob_header) == KILN_HEADER_SIZE, "FORMAT.md 3: header");
_Static_assert(offsetof(kiln_blob_header, hash) == 24, "FORMAT.md 3: header");

/* Structs of the format are used in place, so a big-endian host would misread every number. The
 * check happens at run time, because C11 has no portable preprocessor test for it. */
kiln_status kiln_host_check(void)
{
    const uint16_t one = 1;
    unsigned char first;
    memcpy(&first, &one, 1);
    return first == 1 ? KILN_OK : KILN_BIG_ENDIAN_HOST;
}

/* The hash of the header's first 24 bytes is the seed of the payload's hash. One comparison thus
 * checks header and payload, which need not be contiguous. */
static uint64_t header_hash(const void *data, uint32_t payload_at, uint64_t payload_size)
{
    uint64_t seed = kiln_hash64(data, offsetof(kiln_blob_header, hash), 0);
    size_t rest = (size_t)(payload_at - KILN_HEADER_SIZE + payload_size);
    return kiln_hash64((const unsigned char *)data + KILN_HEADER_SIZE, rest, seed);
}

kiln_status kiln_header_read(const void *data, size_t size, kiln_blob_header *ret_header,
                             kiln_error *reterr)
{
    kiln_status host = kiln_host_check();
    if (host)
        return kiln_fail(reterr, host, 0, NULL);
    kiln_blob_header header;
    if (size < sizeof header)
        return kiln_fail(reterr, KILN_H_TRUNCATED, size, NULL);
    memcpy(&header, data, sizeof header);
    if (memcmp(header.magic, "KILN", 4) != 0)
        return kiln_fail(reterr, KILN_H_MAGIC, 0, NULL);
    if (header.major != KILN_FORMAT_MAJOR)
        return kiln_fail(reterr, KILN_H_VERSION, offsetof(kiln_blob_header, major), NULL);
    unsigned align_log2 = header.flags & KILN_FLAG_ALIGN_MASK;
    if (align_log2 < KILN_ALIGN_LOG2_MIN || align_log2 > KILN_ALIGN_LOG2_MAX ||
        kiln_header_kind(&header) > KILN_BLOB_DICTIONARY)
        return kiln_fail(reterr, KILN_H_FLAGS, offsetof(kiln_blob_header, flags), NULL);
    if (header.payload_size == 0 || header.payload_size > KILN_PAYLOAD_MAX)
        return kiln_fail(reterr, KILN_H_SIZE, offsetof(kiln_blob_header, payload_size), NULL);
    if (kiln_header_blob_size(&header) > size)
        return kiln_fail(reterr, KILN_H_TRUNCATED, size, NULL);
    *ret_header = header;
    return KILN_OK;
}

kiln_status kiln_header_check_hash(const void *data, const kiln_blob_header *header,
                                   kiln_error *reterr)
{
    kiln_status host = kiln_host_check();
    if (host)
        return kiln_fail(reterr, host, 0, NULL);
    uint32_t payload_at = kiln_header_payload_at(header);
    if (header_hash(data, payload_at, header->payload_size) != header->hash)
        return kiln_fail(reterr, KILN_H_HASH, offsetof(kiln_blob_header, hash), NULL);
    for (uint32_t at = KILN_HEADER_SIZE; at < payload_at; at++)
        if (((const unsigned char *)data)[at])
            return kiln_fail(reterr, KILN_H_GAP, at, NULL);
    return KILN_OK;
}

void kiln_header_write(void *data, unsigned flags, uint64_t payload_size, uint64_t layout)
{
    unsigned known = KILN_FLAG_ALIGN_MASK | KILN_FLAG_CANONICAL | KILN_FLAG_KIND_MASK;
    kiln_blob_header header = {.magic = {'K', 'I', 'L', 'N'},
                               .major = KILN_FORMAT_MAJOR,
                               .minor = KILN_FORMAT_MINOR,
                               .flags = (uint16_t)(flags & known),
                               .payload_size = payload_size,
                               .layout = layout};
    uint32_t payload_at = kiln_header_payload_at(&header);
    memcpy(data, &header, sizeof header);
    memset((unsigned char *)data + sizeof header, 0, payload_at - sizeof header);
    /* The hash covers the header's first bytes and the gap, so both must be written first. */
    header.hash = header_hash(data, payload_at, payload_size);
    memcpy(data, &header, sizeof header);
}
