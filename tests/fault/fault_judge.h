/* Whether a run of which one call failed kept what is promised. */
#ifndef FAULT_JUDGE_H
#define FAULT_JUDGE_H

#include "fault_runs.h"
#include "fault_trace.h"
#include "power_run.h"

/* What a run leaves behind. */
typedef struct fault_result {
    fault_trace trace;
    bytes printed; /* on standard output */
    bytes said;    /* on standard error */
    bytes outputs[FAULT_OUTPUTS_MAX];
    char attributes[64]; /* mode and attribute of each output */
    char stray[256];     /* a file in out/ that is no output; or "" */
    bool is_broken;      /* an output is not whole in itself */
} fault_result;

void fault_result_fini(fault_result *result);

/* NULL, or what is wrong. `plain` is of the undisturbed run, `before` what stood where outputs go.
 */
const char *fault_judge(const fault_run *run, const fault_way *way, const fault_result *result,
                        const fault_result *plain, const bytes *before);

/* Whether a way to fail is left out, as no program could answer for what follows. */
bool fault_is_left_out(const fault_call *call, int error);

#endif
