/* Reports inputs that no rule of the schema matches and that contain no assets of shape `kinds`.
 *
 * Usually the whole folder is in the wrong place, or -C is missing. So there is one error for each
 * folder, at its first file. A hint names the -C with which a rule would match, or the nearest
 * rule. */
#ifndef BAKE_UNMATCHED_FILES_H
#define BAKE_UNMATCHED_FILES_H

#include "bake_inputs.h"

/* Reports the inputs in `inputs->unmatched`. Returns false if memory runs out. */
bool bake_unmatched_report(const bake_inputs *inputs, const bake_inputs_def *def);

#endif
