/* Reports compilation failures. The error path refers to the newer types, as in `game.Item.tags[]`,
 * because there is no value yet. */
#include "convert_compile.h"

#include <string.h>

kiln_status kiln_convert_no_memory(convert_compiler *k)
{
    return kiln_fail(k->reterr, KILN_NO_MEMORY, 0, NULL);
}

kiln_status kiln_convert_fail(convert_compiler *k, kiln_status status, const convert_place *place)
{
    char path[2 * KILN_PATH_SIZE];
    kiln_error named = {KILN_OK, 0, 0, ""};
    kiln_type_fail(&named, status, k->c->to, place->type, place->member);
    strcpy(path, named.path);
    /* The first step is in the highest bits that are used. */
    unsigned shift = 30;
    while (shift > 0 && !(place->steps >> shift & 3))
        shift -= 2;
    for (;; shift -= 2) {
        uint32_t step = place->steps >> shift & 3;
        strcat(path, step == CONVERT_STEP_ELEMENT ? "[]" : step == CONVERT_STEP_KEY ? "[key]" : "");
        if (shift == 0)
            return kiln_fail(k->reterr, status, 0, path);
    }
}
