#include "bake_result.h"

#include <stdarg.h>
#include <stdio.h>

bake_result bake_fail(bake_failure *failure, bake_result result, const char *format, ...)
{
    if (failure->result == BAKE_OK) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(failure->text, sizeof failure->text, format, arguments);
        va_end(arguments);
        failure->result = result;
    }
    return failure->result;
}

bake_result bake_fail_memory(bake_failure *failure)
{
    return bake_fail(failure, BAKE_CANNOT, "out of memory");
}
