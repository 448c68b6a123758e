/* Finds and checks the payloads of an open file: kiln/payloads.h, and for kiln_file_verify. */
#ifndef KILN_FILE_PAYLOAD_H
#define KILN_FILE_PAYLOAD_H

#include "file_object.h"

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

/* Whether asset `number`, whose type must exist, has the type kiln.Payload. */
bool kiln_file_is_payload(const kiln_file *file, uint32_t number);

/* Checks P1 to P3 for all payload assets; with `check_data` also I12, I16, I17 and P4. The index
 * must have been checked. */
kiln_status kiln_file_check_payloads(kiln_file *file, bool check_data, kiln_error *reterr);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
