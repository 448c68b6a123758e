/* Divides the checks of a file between threads. The findings do not depend on the number of
 * threads: they are reported afterwards, in the order in which one thread would find them. */
#ifndef INSP_DIVIDE_H
#define INSP_DIVIDE_H

#include "insp_finding.h"

/* Both functions report findings with insp_add_finding. They are called in several threads at once,
 * each with a check of its own. They return KILN_OK or KILN_NO_MEMORY. */
typedef struct insp_division {
    /* Checks parts of the file that are not members. Its findings come first. */
    kiln_status (*check_others)(insp_check *check);
    kiln_status (*check_member)(insp_check *check, uint32_t member);
} insp_division;

/* Calls the functions for the file of `check` and each of its members, in `check->jobs` threads,
 * and adds the results to `check`. Needs insp_file_list. Returns KILN_OK or KILN_NO_MEMORY. */
kiln_status insp_divide(insp_check *check, const insp_division *division);

#endif
