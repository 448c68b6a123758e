/* Names of assets and the ids that follow from them.
 *
 * References in blobs are ids, so that a blob needs no names. */
#ifndef KILN_ASSET_ID_H
#define KILN_ASSET_ID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* An asset's id: XXH3-64 of its name `Kind/id`; 0 is reserved and means no asset. */
typedef uint64_t kiln_id;

/* The id of the asset named by `length` bytes at `name`. */
kiln_id kiln_asset_id(const char *name, size_t length);
/* Whether a name has the form `Kind/id`: Kind of letters, digits, `_`, `-` and `.`; id not empty,
 * UTF-8, no byte below 0x20. */
bool kiln_asset_name_is_valid(const char *name, size_t length);

#ifdef __cplusplus
}
#endif

#endif
