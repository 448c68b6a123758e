/* Walks a whole payload with the typed walker and touches every byte that it is given: for tests
 * and fuzz harnesses. */
#ifndef VALUE_WALK_H
#define VALUE_WALK_H

#include <kiln/status.h>
#include <kiln/types.h>
#include <stddef.h>

/* Of bytes that a verifier accepted: every step must succeed; the first status that is not ok.
 * Shared objects are walked as often as they are named, up to a limit of steps. */
kiln_status walk_verified(const kiln_types *types, uint32_t type, const void *payload, size_t size);
/* Of any bytes: at most `steps` steps, whatever comes. */
void walk_anything(const kiln_types *types, uint32_t type, const void *payload, size_t size,
                   size_t steps);

#endif
