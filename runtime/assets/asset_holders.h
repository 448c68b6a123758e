/* The holders of something, by name, each with a count: for messages and leak reports. */
#ifndef KILN_ASSET_HOLDERS_H
#define KILN_ASSET_HOLDERS_H

#include "assets_object.h"

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

/* The size in bytes of a buffer for a list of holders. */
enum { HOLDERS_TEXT_SIZE = 2 * KILN_PATH_SIZE };

kiln_status kiln_asset_holders_add(asset_holders *holders, const kiln_allocator *allocator,
                                   const char *by);
/* Decrements the count of `by`. Returns false if `by` is not in the list. */
bool kiln_asset_holders_remove(asset_holders *holders, const char *by);
void kiln_asset_holders_fini(asset_holders *holders, const kiln_allocator *allocator);
/* Writes "a.c:1, b.c:2 (3 times)", truncated to `size`, and returns the length. Writes nothing if
 * there are no holders. */
size_t kiln_asset_holders_list(const asset_holders *holders, bool with_counts, char *text,
                               size_t size);
/* Writes all holders with their counts into a buffer of HOLDERS_TEXT_SIZE bytes. */
void kiln_asset_holders_text(const asset_holders *holders, char *ret_text);

static inline const char *asset_by(const char *by)
{
    return by ? by : "?";
}

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
