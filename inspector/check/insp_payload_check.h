/* Checks the rules of payloads. */
#ifndef INSP_PAYLOAD_CHECK_H
#define INSP_PAYLOAD_CHECK_H

#include "insp_finding.h"

/* Checks P1 to P4 of all payload assets, and the data of their members (I12, I16, I17), if the
 * index is valid. Returns KILN_OK if the check was completed, whatever it found, or KILN_NO_MEMORY.
 */
kiln_status insp_check_payloads(insp_check *check);

#endif
