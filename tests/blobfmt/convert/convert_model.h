/* What FORMAT.md section 16 says that a value becomes, said once more and slowly. */
#ifndef CONVERT_MODEL_H
#define CONVERT_MODEL_H

#include <kiln/value.h>

typedef enum model_verdict {
    MODEL_EQUAL,
    MODEL_DIFFERENT,
    MODEL_REFUSED /* the newer type has no place for what the older value holds */
} model_verdict;

/* Whether `newer` is what `older` becomes. Both are verified, and walked as trees. */
model_verdict convert_model(const kiln_value *older, const kiln_value *newer);

#endif
