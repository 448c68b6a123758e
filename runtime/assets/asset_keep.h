/* Borrowing bytes, for other storeys. */
#ifndef ASSET_KEEP_H
#define ASSET_KEEP_H

#include "assets_object.h"

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

/* Like kiln_assets_borrow, but returns the record of the bytes. Until they are released, replacing
 * a file does not change the record's place, size, layout, hash and mount, so they may be read
 * without the lock. Another record can have the same root, so the record cannot be found by root
 * afterwards. */
kiln_status kiln_asset_borrow(kiln_assets *assets, kiln_ref ref, const char *by,
                              const asset_blob **ret_blob);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
