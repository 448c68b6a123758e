/* Exit codes in ascending order of severity. A run exits with the most severe one. */
#ifndef INSP_EXIT_H
#define INSP_EXIT_H

enum {
    INSP_OK = 0,      /* done, and nothing wrong with the data */
    INSP_BAD = 1,     /* the data is broken, or does not contain what an argument names */
    INSP_TROUBLE = 2, /* wrong usage, no memory, or a file that cannot be read or written */
    INSP_BUG = 3      /* a mistake in this program */
};

static inline int insp_worse(int a, int b)
{
    return a > b ? a : b;
}

#endif
