/* Checks the rules of redirects. */
#ifndef INSP_REDIRECTS_CHECK_H
#define INSP_REDIRECTS_CHECK_H

#include "insp_finding.h"

/* Checks R1 to R4 of the file's list if its blob is valid. Returns KILN_OK if the check was
 * completed, whatever it found, or KILN_NO_MEMORY. */
kiln_status insp_check_redirects(insp_check *check);

#endif
