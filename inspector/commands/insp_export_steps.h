/* The size limit of what `export` reads. */
#ifndef INSP_EXPORT_STEPS_H
#define INSP_EXPORT_STEPS_H

#include "insp_run.h"

/* The number of steps for reading the values of all files: in proportion to the output limit. */
static inline uint64_t insp_export_steps(const insp_run *run)
{
    const uint64_t per_byte = 4, least = 1000;
    return run->out.limit < UINT64_MAX / per_byte - least ? least + run->out.limit * per_byte
                                                          : UINT64_MAX;
}

#endif
