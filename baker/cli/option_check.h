/* Usage checks that several commands share. */
#ifndef BAKE_OPTION_CHECK_H
#define BAKE_OPTION_CHECK_H

#include "bake_result.h"
#include "run_options.h"

/* Fails if an option is given that neither `repack` nor `schema infer` uses. `command` is the name
 * of the command in the message, and `accepts_depfile` allows -MD. */
bake_result bake_options_reject_unused(const bake_options *options, const char *command,
                                       bool accepts_depfile, bake_failure *failure);

#endif
