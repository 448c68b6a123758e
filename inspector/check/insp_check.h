/* Checks every rule of FORMAT.md section 9 on a whole file, and continues after a violation.
 *
 * Offsets in findings are from the start of the file. Work is linear in the file. */
#ifndef INSP_CHECK_H
#define INSP_CHECK_H

#include "insp_finding.h"

/* The caller sets the first fields of `check` and zeroes the others. KILN_OK if the check was
 * completed, whatever it found; or KILN_NO_MEMORY. */
kiln_status insp_check_file(insp_check *check);
/* KILN_OK for a number that no member has. */
kiln_status insp_check_member(insp_check *check, uint32_t member);

#endif
