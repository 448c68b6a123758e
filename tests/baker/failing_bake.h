/* The whole program, called again and again: each time a later one of its allocations fails. */
#ifndef FAILING_BAKE_H
#define FAILING_BAKE_H

#include "bake_call.h"

/* One call, the allocation after `n` others of which fails; whether it came that far. What it says
 * is to be freed. */
static inline bool failing_call(long n, const char *arguments, int *ret_code, char **ret_err)
{
    char *out;
    bake_memory_fail_after(n);
    *ret_code = bake_call(arguments, &out, ret_err);
    bool failed = bake_memory_has_failed();
    bake_memory_fail_after(-1);
    free(out);
    return failed;
}

/* Every call ends as the one that lacks no memory, with the exit code `expected`, or says that
 * there is none: what only makes a hint or a message may fail without harm. Sanitizers see to it
 * that nothing leaks. */
static inline void failing_bake(const char *arguments, int expected)
{
    bool failed = true;
    for (long n = 0; failed; n++) {
        char *err;
        int code;
        failed = failing_call(n, arguments, &code, &err);
        if (code != expected && !(code == 2 && failed && strstr(err, "out of memory")))
            fail_msg("allocation %ld: code %d, %s", n, code, err);
        free(err);
    }
}

#endif
