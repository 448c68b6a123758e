/* Names of assets, and the ids that are computed from them.
 *
 * References in blobs are ids, so blobs need not contain names. */
#ifndef KILN_ASSET_ID_H
#define KILN_ASSET_ID_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* An asset's id: XXH3-64 of its name `Kind/id`. 0 is reserved and means no asset. */
typedef uint64_t kiln_id;

/* Returns the id of the asset whose name is the `length` bytes at `name`. Does not check the name.
 * Any thread. */
kiln_id kiln_asset_id(const char *name, size_t length);
/* Whether a name has the form `Kind/id`. Kind is one or more letters, digits, `_`, `-` and `.`. The
 * id is non-empty UTF-8 without bytes below 0x20. Safe on hostile bytes. Any thread. */
bool kiln_asset_name_is_valid(const char *name, size_t length);

#ifdef __cplusplus
}
#endif

#endif
