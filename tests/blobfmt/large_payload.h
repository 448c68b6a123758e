/* A value that outgrows all room that verifiers have of their own: thousands of objects, each named
 * long before the place where canonical form puts it, of several kinds and sizes. */
#ifndef LARGE_PAYLOAD_H
#define LARGE_PAYLOAD_H

#include "sweep.h"

#include <kiln/builder.h>

/* Its types; the last one is the root's. Never NULL. */
kiln_types *large_types(void);
/* The payload of a canonical blob, which the caller ends. */
payload_def large_payload(const kiln_types *types, kiln_buffer *ret_blob);

#endif
