#include "program_environment.h"

#include "bake_memory.h"
#include "hash.h"

#include <stdlib.h>
#include <string.h>

extern char **environ;

/* Whether the output of an importer cannot reasonably depend on the variable `NAME=VALUE`. */
static bool is_left_out(const char *variable)
{
    static const char *const names[] = {"_",         "COLUMNS", "LINES",        "MAKEFLAGS",
                                        "MAKELEVEL", "MFLAGS",  "MAKE_TERMERR", "MAKE_TERMOUT",
                                        "OLDPWD",    "PWD",     "SHLVL"};
    /* Tokens are secrets; a key must not depend on one. */
    static const char caches[] = "KILN_CACHE";
    if (strncmp(variable, caches, sizeof caches - 1) == 0)
        return true;
    size_t length = strcspn(variable, "=");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i]) == length && memcmp(names[i], variable, length) == 0)
            return true;
    return false;
}

static int compare(const void *a, const void *b)
{
    const char *const *left = a, *const *right = b;
    return strcmp(*left, *right);
}

bool bake_program_environment(kiln_hash128 *ret)
{
    size_t total = 0, count = 0;
    while (environ && environ[total])
        total++;
    const char **variables = bake_alloc_array(total + 1, sizeof *variables);
    if (!variables)
        return false;
    for (size_t i = 0; i < total; i++)
        if (!is_left_out(environ[i]))
            variables[count++] = environ[i];
    qsort(variables, count, sizeof *variables, compare);
    hash_stream stream;
    kiln_hash_stream_begin(&stream);
    for (size_t i = 0; i < count; i++)
        kiln_hash_stream_add(&stream, variables[i], strlen(variables[i]) + 1);
    *ret = kiln_hash_stream_end128(&stream);
    bake_free(variables);
    return true;
}
