/* Remembers the identity of this program (bake_record_identity), so that its files and libraries
 * are hashed once on a machine. Private to the storey.
 *
 * The text is a result in the local folder. Its key is a hash of the user, and of the places,
 * sizes and times of these files. It counts only if nobody except this user could write it. */
#ifndef PROGRAM_IDENTITY_H
#define PROGRAM_IDENTITY_H

#include "bake_cache.h"
#include "bake_store.h"

/* As bake_record_identity. Stores the text if there is a local folder. */
const char *bake_program_identity(bake_cache *cache, bake_store *store);

#endif
