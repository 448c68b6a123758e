/* Checks the members of an open file, each at most once a level, by whichever thread comes first.
 *
 * A verdict belongs to a member, while a type belongs to an asset. They agree because a verdict
 * above LEVEL_NONE means that the member's header holds the layout it was checked as, and every
 * question about an asset compares that with the asset's own. */
#ifndef KILN_FILE_MEMBER_H
#define KILN_FILE_MEMBER_H

#include "file_check.h"

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

/* What a file's tier asks of a member before its root is given out. A program with types of its own
 * has asked not to believe the file's. */
static inline kiln_file_level kiln_file_root_level(const kiln_file *file)
{
    if (file->tier == KILN_TIER_DEEP)
        return file->program_types ? LEVEL_TRUSTED : LEVEL_VALUES;
    return file->tier == KILN_TIER_HASH ? LEVEL_HASH : LEVEL_HEADER;
}

/* Checks every rule of the index, now or since an earlier time. */
kiln_status kiln_file_check_index(kiln_file *file, kiln_error *reterr);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
