/* Checks the cluster plan of a file (FORMAT.md section 15) for kiln_file_verify. */
#ifndef KILN_FILE_PLAN_H
#define KILN_FILE_PLAN_H

#include "file_object.h"

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

/* Checks K1 for all assets. If the file has a plan, also checks H10 and K2 to K6 for it, and its
 * values against the format's own type. The index and the header of the plan's member must have
 * been checked. Offsets of errors count from the first byte of the file; in a compressed member, as
 * if its blob were stored there. */
kiln_status kiln_file_check_plan(kiln_file *file, kiln_error *reterr);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
