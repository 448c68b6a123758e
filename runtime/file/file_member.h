/* Checks the members of an open file, each at most once a level, by whichever thread comes first.
 *
 * A verdict belongs to a member, while a type belongs to an asset. They agree because a verdict
 * above LEVEL_NONE means that the member's header holds the layout it was checked as, and every
 * question about an asset compares that with the asset's own. */
#ifndef KILN_FILE_MEMBER_H
#define KILN_FILE_MEMBER_H

#include "file_check.h"
#include "file_unpack.h"

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

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

/* Decompresses the member of asset `number` into memory from `allocator`, and checks it as that
 * asset's type at `level`, like kiln_file_check_asset; an earlier verdict on the values is
 * believed, a bad one is told again. The file keeps nothing but the verdict, so it may be used by
 * any number of threads at once. BAD_ARGUMENT for a member that is not compressed. On failure no
 * memory is left and `ret_unpacked` is untouched. */
kiln_status kiln_file_unpack(kiln_file *file, uint32_t number, kiln_file_level level,
                             const kiln_allocator *allocator, kiln_unpacked *ret_unpacked,
                             kiln_error *reterr);

/* What a file's tier asks of a member before its root is given out. A program with types of its own
 * has asked not to believe the file's. */
static inline kiln_file_level kiln_file_root_level(const kiln_file *file)
{
    if (file->tier == KILN_TIER_DEEP)
        return file->program_types ? LEVEL_TRUSTED : LEVEL_VALUES;
    return file->tier == KILN_TIER_HASH ? LEVEL_HASH : LEVEL_HEADER;
}

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
