/* Only the first failure of a run is reported, because later ones are often consequences of it. */
#include "bake_result.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Leaves room for the rest of the message in the 512 bytes of `bake_failure.text`. */
enum { PATH_SHOWN = 300 };

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
    return bake_fail(failure, BAKE_FAILED, "out of memory");
}

bake_result bake_fail_bug(bake_failure *failure, const char *what, kiln_status status,
                          const kiln_error *error)
{
    bool has_path = error && error->path[0];
    return bake_fail(failure, BAKE_BUG, "%s%s%s: %s (%s, offset %llu); this is a bug in kiln-bake",
                     what, has_path ? ": " : "", has_path ? error->path : "",
                     kiln_status_text(status), kiln_status_word(status),
                     (unsigned long long)(error ? error->offset : 0));
}

bake_result bake_fail_reason(bake_failure *failure, const char *action, const char *path,
                             const char *why)
{
    if (errno == ENOMEM)
        return bake_fail_memory(failure);
    if (strcmp(path, "-") == 0)
        path = strcmp(action, "read") == 0 ? "standard input" : "standard output";
    if (!*path)
        path = "\"\"";
    /* A long path is truncated at its start to leave room for the reason. */
    size_t length = strlen(path);
    bool is_long = length > PATH_SHOWN;
    return bake_fail(failure, BAKE_FAILED, "cannot %s %s%s: %s", action, is_long ? "..." : "",
                     is_long ? path + length - PATH_SHOWN : path, why);
}

bake_result bake_fail_errno(bake_failure *failure, const char *action, const char *path)
{
    return bake_fail_reason(failure, action, path, strerror(errno));
}
