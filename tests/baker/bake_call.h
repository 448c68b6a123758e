/* Runs kiln-bake inside the test and captures its output, its diagnostics and its exit code. */
#ifndef BAKE_CALL_H
#define BAKE_CALL_H

#include "bake_fixture.h"

#include "bake_main.h"

/* Runs the program with arguments split at spaces and returns its exit code. The caller frees the
 * captured output. */
static inline int bake_call(const char *arguments, char **ret_out, char **ret_err)
{
    char *words[64], copy[512];
    int count = 1;
    size_t out_size = 0, err_size = 0;
    char name[] = "kiln-bake";
    words[0] = name;
    snprintf(copy, sizeof copy, "%s", arguments);
    for (char *word = strtok(copy, " "); word; word = strtok(NULL, " "))
        words[count++] = word;
    words[count] = NULL;
    FILE *out = open_memstream(ret_out, &out_size), *err = open_memstream(ret_err, &err_size);
    assert_non_null(out);
    assert_non_null(err);
    int code = bake_main(count, words, out, err);
    fclose(out);
    fclose(err);
    return code;
}

/* Returns the exit code. If `ret_err` is not NULL, it receives the diagnostics, which the caller
 * frees. */
static inline int bake_code(const char *arguments, char **ret_err)
{
    char *out, *err;
    int code = bake_call(arguments, &out, &err);
    free(out);
    if (ret_err)
        *ret_err = err;
    else
        free(err);
    return code;
}

/* Fails the test unless the run succeeds without diagnostics. */
static inline void bake_well(const char *arguments)
{
    char *err;
    int code = bake_code(arguments, &err);
    if (code != 0 || *err)
        fail_msg("%s: exit code %d: %s", arguments, code, err);
    free(err);
}

/* Fails the test unless the diagnostics `err` contain each string of `said`. */
static inline void check_said(const char *err, const char *const *said, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!strstr(err, said[i]))
            fail_msg("missing \"%s\" in\n%s", said[i], err);
}

#endif
