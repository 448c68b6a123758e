/* Makes and counts reference words. */
#ifndef KILN_ASSET_WORDS_H
#define KILN_ASSET_WORDS_H

#include "assets_object.h"

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

/* Makes a word to an entry and counts it. The lock must be held, except for handles. */
kiln_status kiln_asset_take_entry(kiln_assets *assets, asset_entry *entry, kiln_ref_form form,
                                  const char *by, kiln_ref *ret_ref);

bool kiln_asset_blob_has_type(const asset_blob *blob, const kiln_root_type *type);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
