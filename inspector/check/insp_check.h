/* Checks every rule of FORMAT.md section 9 on a whole file, and continues after a violation.
 *
 * Offsets in findings are relative to the start of the file. The work is linear in the file
 * size. */
#ifndef INSP_CHECK_H
#define INSP_CHECK_H

#include "insp_finding.h"

/* Needs insp_file_list. The caller sets the fields of `check` before `index` and zeroes the
 * others. Returns KILN_OK if
 * the check was completed, whatever it found, or KILN_NO_MEMORY. */
kiln_status insp_check_file(insp_check *check);
/* Checks one member. Returns KILN_OK if the member does not exist. */
kiln_status insp_check_member(insp_check *check, uint32_t member);
/* Checks the entries of the index that concern one asset, unless insp_file_list has checked the
 * whole index. It need not have been called. */
kiln_status insp_check_entries(insp_check *check, const insp_asset *asset);
/* Like insp_check_member, for the member of an asset. Before insp_file_list, also checks the
 * entries, and of the assets that share the member only this one. */
kiln_status insp_check_asset(insp_check *check, const insp_asset *asset);

#endif
