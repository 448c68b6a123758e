/* The errors of system calls according to the manual pages: errnos.txt. */
#ifndef FAULT_ERRNOS_H
#define FAULT_ERRNOS_H

#include <stddef.h>

enum { FAULT_WAYS_MAX = 40 };

/* The failures of one system call: errno values, 0 for `short`. */
typedef struct fault_ways {
    char name[24];
    int errors[FAULT_WAYS_MAX];
    size_t count;
} fault_ways;

/* Reads the table. Ends the test if it cannot be read. */
void fault_errnos_read(const char *path);

/* Returns NULL if no line of the table begins with `name`. */
const fault_ways *fault_errnos_of(const char *name);

/* Returns a name such as `EIO`, or `short` for 0. */
const char *fault_errno_name(int error);

#endif
