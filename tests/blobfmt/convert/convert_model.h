/* A second, simple implementation of the conversion rules in FORMAT.md section 17. */
#ifndef CONVERT_MODEL_H
#define CONVERT_MODEL_H

#include <kiln/value.h>

typedef enum model_verdict {
    MODEL_EQUAL,
    MODEL_DIFFERENT,
    MODEL_REFUSED /* the newer type cannot hold the older value */
} model_verdict;

/* Checks whether `newer` is the conversion of `older`. Both must be verified; shared objects are
 * compared at each reference. */
model_verdict convert_model(const kiln_value *older, const kiln_value *newer);

#endif
