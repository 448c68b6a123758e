#include "bake_result.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

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

bake_result bake_fail_errno(bake_failure *failure, const char *action, const char *path)
{
    if (errno == ENOMEM)
        return bake_fail_memory(failure);
    if (strcmp(path, "-") == 0)
        path = strcmp(action, "read") == 0 ? "standard input" : "standard output";
    return bake_fail(failure, BAKE_CANNOT, "cannot %s %s: %s", action, path, strerror(errno));
}
