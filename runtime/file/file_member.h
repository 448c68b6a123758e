/* Checks the members of an open file, each at most once per level, in the thread that needs it
 * first.
 *
 * A verdict belongs to a member, but a type belongs to an asset. So a verdict above LEVEL_NONE
 * holds for the layout in the member's header, and every check of an asset compares this layout
 * with the asset's own. */
#ifndef KILN_FILE_MEMBER_H
#define KILN_FILE_MEMBER_H

#include "file_check.h"
#include "file_unpack.h"

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

/* Returns KILN_OK if the member of asset `number` is valid at `level` as that asset's type,
 * according to this check or an earlier one. A bad member returns the same status every time. Waits
 * while another thread checks it. With `refs`, earlier verdicts are ignored, and a compressed
 * member must also match its content hash (I12). Offsets of errors count from the first byte of the
 * file; in a compressed member, as if its blob were stored at the member's location. Memory used
 * for decompression is freed. */
kiln_status kiln_file_check_asset(kiln_file *file, uint32_t number, kiln_file_level level,
                                  const kiln_file_refs *refs, kiln_error *reterr);

/* Like kiln_file_check_asset without `refs`, but the file then keeps the member's blob. */
kiln_status kiln_file_prepare_asset(kiln_file *file, uint32_t number, kiln_file_level level,
                                    kiln_error *reterr);

/* Decompresses the member of asset `number` into memory from `allocator`, and checks it as that
 * asset's type at `level`, like kiln_file_check_asset. If an earlier verdict covers the values,
 * they are not checked again, and a bad verdict is returned again. The file stores only the
 * verdict, so any number of threads may call this at once. BAD_ARGUMENT for a member that is not
 * compressed. On failure all memory is freed and `ret_unpacked` is untouched. */
kiln_status kiln_file_unpack(kiln_file *file, uint32_t number, kiln_file_level level,
                             const kiln_allocator *allocator, kiln_unpacked *ret_unpacked,
                             kiln_error *reterr);

/* The level that a file's verification level requires before the root of a member is returned. A
 * program that passes its own types does not trust those of the file. */
static inline kiln_file_level kiln_file_root_level(const kiln_file *file)
{
    if (file->level == KILN_VERIFY_DEEP)
        return file->program_types ? LEVEL_TRUSTED : LEVEL_VALUES;
    return file->level == KILN_VERIFY_HASH ? LEVEL_HASH : LEVEL_HEADER;
}

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
