/* Compares two versions of a file: a mounted one, and the one that is to replace it. */
#ifndef KILN_ASSET_VERSIONS_H
#define KILN_ASSET_VERSIONS_H

#include "asset_layers.h"

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

typedef struct asset_versions {
    const asset_mount *old, *fresh;
    bool is_aligned; /* both have the same assets, of types with the same names, under the same
                        numbers: this is so if only values have changed */
    /* Bits by member: set if the records of the member differ. NULL unless each asset has the same
     * member number in both files. */
    uint64_t *differs;
    size_t words; /* of `differs` */
    /* The last pair of types that was compared, and the result. */
    uint32_t old_type, fresh_type;
    bool types_are_equal;
} asset_versions;

/* Compares ids, names and types of all assets. Both files may be forged. NO_MEMORY. */
kiln_status kiln_asset_versions_init(asset_versions *versions, const kiln_allocator *allocator,
                                     const asset_mount *old, const asset_mount *fresh);
void kiln_asset_versions_fini(asset_versions *versions, const kiln_allocator *allocator);
/* The number in the new file of asset `number` of the old one; ASSET_NONE if it is missing. */
uint32_t kiln_asset_versions_number(const asset_versions *versions, uint32_t number);
/* Whether the indexes state the same content and type for asset `old` of the old file and asset
 * `fresh` of the new one. If the assets have the same numbers in both files, the numbers must be
 * equal. Does not compare the bytes. */
bool kiln_asset_versions_are_equal(asset_versions *versions, uint32_t old, uint32_t fresh);
/* The root of asset `fresh` in the new file if it is used in place there, and its bytes are equal
 * to those of the record; else NULL. */
const void *kiln_asset_versions_same_bytes(const asset_versions *versions, const asset_blob *blob,
                                           uint32_t fresh);
/* Prefetch what the functions above will read: the records of asset `old` in both indexes, or the
 * first bytes of both versions. For the latter, the records should already be in the cache. */
void kiln_asset_versions_prefetch_records(const asset_versions *versions, uint32_t old);
void kiln_asset_versions_prefetch_bytes(const asset_versions *versions, const asset_blob *blob,
                                        uint32_t old);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
