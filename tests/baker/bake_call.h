/* The whole program, called by tests of what it says and writes. */
#ifndef BAKE_CALL_H
#define BAKE_CALL_H

#include "bake_fixture.h"

#include "bake_main.h"

/* Runs the program on arguments split at spaces; its exit code. What it says is to be freed. */
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

/* The exit code alone, and what was said of mistakes where `ret_err` is not NULL, to be freed. */
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

/* For a run that does what it is told and says nothing of mistakes. */
static inline void bake_well(const char *arguments)
{
    char *err;
    int code = bake_code(arguments, &err);
    if (code != 0 || *err)
        fail_msg("%s: exit code %d: %s", arguments, code, err);
    free(err);
}

/* Fails the test unless each of these texts stands in what was said. */
static inline void check_said(const char *err, const char *const *said, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!strstr(err, said[i]))
            fail_msg("%s is not said in\n%s", said[i], err);
}

#endif
