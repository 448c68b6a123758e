/* Exit codes in ascending order of severity. A run exits with the most severe one. */
#ifndef INSP_EXIT_H
#define INSP_EXIT_H

enum {
    INSP_OK = 0,      /* success, and the data is valid */
    INSP_BAD = 1,     /* the data is broken, or the requested part does not exist */
    INSP_TROUBLE = 2, /* usage error, I/O error, or out of memory */
    INSP_BUG = 3      /* a bug in this program */
};

static inline int insp_worse(int a, int b)
{
    return a > b ? a : b;
}

#endif
