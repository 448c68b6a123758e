/* Remembers which kiln files have passed the verifier, so that each is checked once on a machine.
 * Private to the storey.
 *
 * The verdict is a result in the local folder. Its key is the hash of the user, of the file's
 * content and of the program: the verifier of the same program would give the same verdict for the
 * same bytes. It counts only if nobody except this user could write it. Other tiers keep no
 * verdicts. */
#ifndef CHECKED_CONTENT_H
#define CHECKED_CONTENT_H

#include "bake_cache.h"

/* Whether a kiln file with this content has passed before. `identity` is that of
 * bake_record_identity. */
bool bake_checked_find(bake_cache *cache, const char *identity, kiln_hash128 content);
/* Remembers that it has passed, if there is a local folder. */
void bake_checked_keep(bake_cache *cache, const char *identity, kiln_hash128 content);

#endif
