/* Checks an asset of a built-in type against rules that relate it to the index. */
#ifndef INSP_BUILTIN_CHECK_H
#define INSP_BUILTIN_CHECK_H

#include "insp_finding.h"

typedef struct insp_builtin_rules {
    uint64_t layout; /* of the built-in type */
    char letter;     /* of the rules. Other errors are ignored: insp_check.c has already checked the
                        blob as a value of its type */
    kiln_status (*read)(const insp_file *file, kiln_span blob, kiln_error *reterr);
} insp_builtin_rules;

/* Returns KILN_OK if the check was completed, whatever it found, or KILN_NO_MEMORY. */
kiln_status insp_check_builtin(insp_check *check, const insp_asset *asset,
                               const insp_builtin_rules *rules);

#endif
