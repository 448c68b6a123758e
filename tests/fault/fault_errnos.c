/* strerrorname_np. */
#define _GNU_SOURCE

#include "fault_errnos.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { CALLS_MAX = 128, ERRORS_MAX = 134 };

static fault_ways calls[CALLS_MAX];
static size_t call_count;

const char *fault_errno_name(int error)
{
    const char *name = error ? strerrorname_np(error) : "short";
    return name ? name : "?";
}

static int error_of(const char *name)
{
    for (int error = 0; error < ERRORS_MAX; error++)
        if (strcmp(fault_errno_name(error), name) == 0)
            return error;
    fail_msg("errnos.txt: no error %s", name);
    return 0;
}

void fault_errnos_read(const char *path)
{
    char line[1024];
    FILE *file = fopen(path, "re");
    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        char *colon = strchr(line, ':');
        if (line[0] == '#' || !colon)
            continue;
        assert_true(call_count < CALLS_MAX && (size_t)(colon - line) < sizeof calls->name);
        fault_ways *ways = &calls[call_count++];
        *colon = '\0';
        strcpy(ways->name, line);
        for (char *name = strtok(colon + 1, " \n"); name; name = strtok(NULL, " \n")) {
            assert_true(ways->count < FAULT_WAYS_MAX);
            ways->errors[ways->count++] = error_of(name);
        }
    }
    fclose(file);
}

const fault_ways *fault_errnos_of(const char *name)
{
    for (size_t i = 0; i < call_count; i++)
        if (strcmp(calls[i].name, name) == 0)
            return &calls[i];
    return NULL;
}
