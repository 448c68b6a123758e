/* Checks the members of an open file, each at most once a level, by whichever thread comes first.
 *
 * A verdict belongs to a member, while a type belongs to an asset. They agree because a verdict
 * above LEVEL_NONE means that the member's header holds the layout it was checked as, and every
 * question about an asset compares that with the asset's own. */
#ifndef KILN_FILE_MEMBER_H
#define KILN_FILE_MEMBER_H

#include "file_object.h"

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

/* Receives each reference of the member, as in kiln_verify_def. */
typedef struct kiln_file_refs {
    void (*on_ref)(void *ctx, kiln_id id, uint64_t offset);
    void *ctx;
} kiln_file_refs;

/* KILN_OK when the member of asset `number` is good at `level` as that asset's type, now or since
 * an earlier check; a bad one gives the same status every time. Waits while another thread checks
 * it. With `refs` the check is made in any case, and of a compressed member that of I12 as well.
 * Errors count from the file's first byte, in a compressed member as if its blob lay at its place.
 * Memory that a blob is decompressed into is given back. */
kiln_status kiln_file_check_asset(kiln_file *file, uint32_t number, kiln_file_level level,
                                  const kiln_file_refs *refs, kiln_error *reterr);

/* The same without `refs`, after which the file has the member's blob. */
kiln_status kiln_file_prepare_asset(kiln_file *file, uint32_t number, kiln_file_level level,
                                    kiln_error *reterr);

/* The type table of a file that has one, read once; else what reading it found. */
kiln_status kiln_file_table(kiln_file *file, const kiln_types **ret_types, kiln_error *reterr);

/* What a file's tier asks of a member before its root is given out. A program with types of its own
 * has asked not to believe the file's. */
static inline kiln_file_level kiln_file_root_level(const kiln_file *file)
{
    if (file->tier == KILN_TIER_DEEP)
        return file->program_types ? LEVEL_TRUSTED : LEVEL_VALUES;
    return file->tier == KILN_TIER_HASH ? LEVEL_HASH : LEVEL_HEADER;
}

/* The level that the deep tier asks of asset `number`: LEVEL_TRUSTED where the program has its type
 * with the same layout. */
kiln_file_level kiln_file_deep_level(const kiln_file *file, uint32_t number);

/* Checks the header of member `number`, which must be stored plain, all but its layout, for a blob
 * of kind `kind`; and its hash if asked for. */
kiln_status kiln_file_check_header(const kiln_file *file, uint32_t number, kiln_blob_kind kind,
                                   bool check_hash, kiln_error *reterr);

/* Checks every rule of the index, now or since an earlier time. */
kiln_status kiln_file_check_index(kiln_file *file, kiln_error *reterr);

/* Makes an error that counts from a member count from the file. */
void kiln_file_shift_error(kiln_error *reterr, uint64_t place);

/* Bytes from a blob's first to its payload, by the index, with which its header was found to agree.
 */
static inline uint32_t kiln_file_payload_at(const kiln_index_member *member)
{
    uint32_t align = UINT32_C(1) << member->align_log2;
    return align > KILN_HEADER_SIZE ? align : (uint32_t)KILN_HEADER_SIZE;
}

/* As they lie in the file. */
static inline const unsigned char *kiln_file_member_bytes(const kiln_file *file,
                                                          const kiln_index_member *member)
{
    return file->source.data + member->place;
}

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
