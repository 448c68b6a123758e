#include "option_check.h"

bake_result bake_options_reject_unused(const bake_options *options, const char *command,
                                       bool accepts_depfile, bake_failure *failure)
{
    const char *rejected = options->each                         ? "--each"
                           : options->depend && !accepts_depfile ? "-MD"
                           : options->externs.count > 0          ? "-x"
                           : options->no_types                   ? "--no-types"
                           : options->patch                      ? "--patch"
                                                                 : NULL;
    if (rejected)
        return bake_fail(failure, BAKE_FAILED, "%s does not accept %s", command, rejected);
    return BAKE_OK;
}
