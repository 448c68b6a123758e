/* A file's bytes, whole, in private memory.
 *
 * Copied and not mapped: who looks at a broken file may be looking at one that is still being
 * written, and a mapping of a file that shrinks ends the program. */
#ifndef INSP_READ_H
#define INSP_READ_H

#include <stddef.h>
#include <stdint.h>

/* What insp_read returns beside errno values, none of which is negative. A terminal is read like a
 * pipe, and /dev/null as an empty file. */
enum {
    INSP_IS_DEVICE = -1, /* it may have no end */
    INSP_IS_SOCKET = -2,
    INSP_TOO_LARGE = -3,
    INSP_GREW = -4, /* a regular file had more bytes than when it was opened */
    INSP_CUT_SHORT = -5,
    INSP_WAITS = -6 /* a regular file that waits for data, as some that the system makes up */
};

/* The most bytes that are read from what says no size before. */
#define INSP_INPUT_MAX ((uint64_t)1 << 30)

/* Reads the file at `path`, or standard input for "-". Of what says no size before, as a pipe, it
 * reads at most `max` bytes (0: any number). `ret_data` is aligned to 4096 and is ended with
 * insp_free. Returns 0, an errno value or one of those above. */
int insp_read(const char *path, uint64_t max, unsigned char **ret_data, size_t *ret_size);

enum { INSP_READ_TEXT_SIZE = 128 };
/* What insp_read's error means, in words. */
void insp_read_text(int error, uint64_t max, char out[INSP_READ_TEXT_SIZE]);

#endif
