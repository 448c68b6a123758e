/* A value that exceeds all fixed-size buffers of the verifiers: thousands of objects of several
 * kinds and sizes, each referenced long before its position in the canonical form. */
#ifndef LARGE_PAYLOAD_H
#define LARGE_PAYLOAD_H

#include "sweep.h"

#include <kiln/builder.h>

/* Its types; the last one is the root type. Never NULL. */
kiln_types *large_types(void);
/* The payload of a canonical blob. The caller calls kiln_buffer_fini. */
payload_def large_payload(const kiln_types *types, kiln_buffer *ret_blob);

#endif
