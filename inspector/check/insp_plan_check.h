/* Checks the rules of cluster plans. */
#ifndef INSP_PLAN_CHECK_H
#define INSP_PLAN_CHECK_H

#include "insp_finding.h"

/* Checks K1 of all assets, and K2 to K6 of the file's plan if its blob is valid. Returns KILN_OK if
 * the check was completed, whatever it found, or KILN_NO_MEMORY. */
kiln_status insp_check_plan(insp_check *check);

#endif
