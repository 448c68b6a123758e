/* Checks every rule of FORMAT.md section 9 on a whole file, and continues after a violation.
 *
 * Offsets in findings are relative to the start of the file. The work is linear in the file
 * size. */
#ifndef INSP_CHECK_H
#define INSP_CHECK_H

#include "insp_finding.h"

/* The caller sets the fields of `check` before `findings` and zeroes the others. Returns KILN_OK if
 * the check was completed, whatever it found, or KILN_NO_MEMORY. */
kiln_status insp_check_file(insp_check *check);
/* Checks one member. Returns KILN_OK if the member does not exist. */
kiln_status insp_check_member(insp_check *check, uint32_t member);

#endif
