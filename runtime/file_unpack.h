/* From the stored bytes of a member to its blob, for members that are stored compressed.
 *
 * A plain member is used where it lies. A compressed one is decompressed into memory that belongs
 * either to the file, which keeps it until it is closed (kiln_file_check_asset does that, and
 * kiln_file_blob gives it), or to the caller, who frees it when he likes (kiln_file_unpack). Both
 * check as much as a level says: from LEVEL_HASH on the hash of the stored bytes before they are
 * decompressed and that of the blob behind it, then values.
 *
 * What decompressing needs is made once a file, when its first compressed member is used: a place
 * for each member's blob, the digested dictionaries, and contexts, which threads take and give back
 * without locks. By then it is known that no two members overlap, so the blobs of a file are
 * together at most KILN_COMPRESSION_RATIO times as large as the file. */
#ifndef KILN_FILE_UNPACK_H
#define KILN_FILE_UNPACK_H

#include "file_object.h"

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

/* A blob in memory of its owner's: `allocator.free(allocator.ctx, blob, size)` ends it. It lies at
 * a multiple of its alignment. A zeroed one is none. */
typedef struct kiln_unpacked {
    unsigned char *blob;
    size_t size;
} kiln_unpacked;

/* Whether the member of asset `number` is stored compressed. */
bool kiln_file_is_packed(const kiln_file *file, uint32_t number);

/* Decompresses the member of asset `number` into memory from `allocator`, and checks it as that
 * asset's type at `level`, like kiln_file_check_asset; an earlier verdict on the values is
 * believed, a bad one is told again. The file keeps nothing but the verdict, so it may be used by
 * any number of threads at once. BAD_ARGUMENT for a member that is not compressed. On failure no
 * memory is left and `ret_unpacked` is untouched. */
kiln_status kiln_file_unpack(kiln_file *file, uint32_t number, kiln_file_level level,
                             const kiln_allocator *allocator, kiln_unpacked *ret_unpacked,
                             kiln_error *reterr);

/* The blob of member `number` where the file has it: the place in the file of a plain one, the
 * file's own memory for one that kiln_file_check_asset has decompressed; NULL before that. */
const unsigned char *kiln_file_blob(const kiln_file *file, uint32_t number);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
