/* Runs kiln-bake once for each of its allocations, which fails either alone or with all later
 * ones. With KILN_TEST_SHARE=K/N only each Nth allocation fails, beginning with number K. */
#ifndef FAILING_BAKE_H
#define FAILING_BAKE_H

#include "bake_call.h"
#include "test_share.h"

/* The number of the first allocation that fails, and the distance to the next. */
static inline long failing_first(void)
{
    uint64_t first, every;
    test_share_parse(&first, &every);
    return (long)first;
}

static inline long failing_every(void)
{
    uint64_t first, every;
    test_share_parse(&first, &every);
    return (long)every;
}

/* Runs kiln-bake once. Returns whether an allocation failed. The caller frees `*ret_err`. */
static inline bool failing_run(const char *arguments, int *ret_code, char **ret_err)
{
    char *out;
    *ret_code = bake_call(arguments, &out, ret_err);
    bool failed = bake_memory_has_failed();
    bake_memory_fail_after(-1);
    free(out);
    return failed;
}

/* Fails the allocation after the first `n`, and all later ones. */
static inline bool failing_call(long n, const char *arguments, int *ret_code, char **ret_err)
{
    bake_memory_fail_after(n);
    return failing_run(arguments, ret_code, ret_err);
}

/* Fails only the allocation after the first `n`. */
static inline bool failing_once(long n, const char *arguments, int *ret_code, char **ret_err)
{
    bake_memory_fail_at(n);
    return failing_run(arguments, ret_code, ret_err);
}

/* Reads the file named by `-o`. The caller frees it; NULL if the file does not exist. */
static inline char *failing_output(const char *arguments, size_t *ret_size)
{
    char path[128] = "";
    const char *option = strstr(arguments, "-o ");
    *ret_size = 0;
    return option && sscanf(option, "-o %127s", path) == 1 ? fixture_read(path, ret_size) : NULL;
}

/* Every run must either return the exit code `expected` and write the same output as a run without
 * failures, or report that memory ran out. Allocations that only serve a hint or a message may fail
 * silently. Sanitizers check for leaks. */
static inline void failing_bake(const char *arguments, int expected)
{
    char *good_err;
    size_t good_size, size;
    int good_code = bake_code(arguments, &good_err);
    char *good = failing_output(arguments, &good_size);
    if (good_code != expected)
        fail_msg("code %d, %s", good_code, good_err);
    for (int once = 0; once < 2; once++) {
        bool failed = true;
        for (long n = failing_first(); failed; n += failing_every()) {
            char *err;
            int code;
            failed = (once ? failing_once : failing_call)(n, arguments, &code, &err);
            if (code != expected && !(code == 2 && failed && strstr(err, "out of memory")))
                fail_msg("allocation %ld: code %d, %s", n, code, err);
            char *output = failing_output(arguments, &size);
            if (code == expected && (!good != !output || size != good_size ||
                                     (good && memcmp(good, output, size) != 0)))
                fail_msg("allocation %ld: different output, %s", n, err);
            free(output);
            free(err);
        }
    }
    free(good);
    free(good_err);
}

#endif
