/* Every rule of FORMAT.md section 9 over a whole file, going on after what is broken.
 *
 * Offsets in findings count from the file's first byte. Work is linear in the file. */
#ifndef INSP_CHECK_H
#define INSP_CHECK_H

#include "insp_finding.h"

/* `check` has its first fields set and the others zero. KILN_OK when the check was made,
 * whatever it found; KILN_NO_MEMORY. */
kiln_status insp_check_file(insp_check *check);
/* A number that no member has is KILN_OK. */
kiln_status insp_check_member(insp_check *check, uint32_t member);

#endif
