/* Traverses a whole payload with the functions of <kiln/value.h> and reads every byte that they
 * return, for tests and fuzz harnesses. */
#ifndef VALUE_WALK_H
#define VALUE_WALK_H

#include <kiln/status.h>
#include <kiln/types.h>
#include <stddef.h>

/* For bytes that a verifier accepted. Returns the first status that is not KILN_OK; every step must
 * succeed. Shared objects are traversed at each reference, up to a limit of steps. */
kiln_status walk_verified(const kiln_types *types, uint32_t type, const void *payload, size_t size);
/* For any bytes: stops after at most `steps` steps. */
void walk_anything(const kiln_types *types, uint32_t type, const void *payload, size_t size,
                   size_t steps);

#endif
