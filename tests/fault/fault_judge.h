/* Checks whether a run with one failed call kept the promises of RECORD.md. */
#ifndef FAULT_JUDGE_H
#define FAULT_JUDGE_H

#include "fault_runs.h"
#include "fault_trace.h"
#include "power_run.h"

/* The results of a run. */
typedef struct fault_result {
    fault_trace trace;
    bytes printed; /* on standard output */
    bytes said;    /* on standard error */
    bytes outputs[FAULT_OUTPUTS_MAX];
    char attributes[64]; /* mode and extended attribute of each output */
    char stray[256];     /* a file in out/ that is not an output, or "" */
    bool is_broken;      /* an output is internally inconsistent */
} fault_result;

void fault_result_fini(fault_result *result);

/* Returns NULL, or a description of the broken promise. `plain` is the result of the undisturbed
 * run, `before` the previous content of the outputs. */
const char *fault_judge(const fault_run *run, const fault_way *way, const fault_result *result,
                        const fault_result *plain, const bytes *before);

/* Whether this failure is left out, because no program can handle it. */
bool fault_is_left_out(const fault_call *call, int error);

#endif
