/* Older versions of a mounted file, whose bytes its unchanged assets still use.
 *
 * If a replacement changes only values, the new file has the same assets under the same numbers
 * (asset_versions.h). Then the unchanged assets keep their records, and the replaced file stays
 * open as an *older version* of the new one. So a replacement costs no work for each loaded asset:
 * it compares both indexes and loads what changed.
 *
 *     mounted       current == itself    ids, marks, clusters, edges, the name of the file
 *     older         current == mounted   bytes, names and types of its records
 *     neither       current == itself    unmounted, or replaced: only holds keep its records
 *
 * Trust. Both indexes state the same 128-bit content hash, size, alignment, type and layout for an
 * unchanged asset. A statement can be wrong: opening a file checks the hash of its index, but
 * anybody can compute one (FORMAT.md, section 16), and deep verification of a member does not
 * include the content hash. Therefore:
 *
 *   - A record stays only if its own bytes have the hash that is stated, which is checked once
 *     (`is_proven`). So a forged file has no effect on the files that replace it. At
 *     KILN_VERIFY_NONE the statement is trusted, like the rest of the file.
 *   - The asset's bytes in the new file are not read. If they do not have the stated hash, the
 *     asset shows the content with that hash instead. The author of a file can show any content
 *     anyway.
 *   - A record that stays was verified when it was loaded, at least as thoroughly as the new file
 *     requires: a deeper level ends all older versions. So a program never reads bytes that were
 *     not verified.
 *
 * Bounds. A file has at most ASSET_OLDER_MAX older versions. When there would be more, the records
 * of all but the largest move to the new file. Only files that the table maps from a path become
 * older versions: copies would use memory, and a program expects that it can free its own memory
 * after the replacement. */
#ifndef ASSET_OLDER_H
#define ASSET_OLDER_H

#include "assets_object.h"

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

enum { ASSET_OLDER_MAX = 8 };

/* Whether the mount is an older version of a mounted file. */
static inline bool asset_is_older(const asset_mount *mount)
{
    return mount->current != mount;
}

/* The number of older versions of a mounted file. */
uint32_t kiln_asset_older_count(const kiln_assets *assets, const asset_mount *mount);
/* The mount with the most records: the mounted file or one of its older versions. */
const asset_mount *kiln_asset_older_largest(const kiln_assets *assets, const asset_mount *mount);
/* The number of records of a mounted file and its older versions. */
uint64_t kiln_asset_older_records(const kiln_assets *assets, const asset_mount *mount);
/* The number of borrows of their bytes. */
uint64_t kiln_asset_older_borrows(const kiln_assets *assets, const asset_mount *mount);

/* Makes `old` and its older versions older versions of `fresh`. */
void kiln_asset_older_adopt(const kiln_assets *assets, asset_mount *old, asset_mount *fresh);
/* Ends the older versions of a mounted file, except `but` (NULL: all of them). No asset of the file
 * may still use their bytes. Closes those that nothing holds. */
void kiln_asset_older_end(kiln_assets *assets, const asset_mount *mount, const asset_mount *but);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
