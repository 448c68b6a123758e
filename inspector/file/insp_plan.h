/* The cluster plan of a file (FORMAT.md section 15). */
#ifndef INSP_PLAN_H
#define INSP_PLAN_H

#include "insp_file.h"

/* The asset that is the plan, judged by its name and the name of its type; NULL: there is none. */
const insp_asset *insp_plan_asset(const insp_file *file);

#endif
