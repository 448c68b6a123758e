/* The bytes of a file, completely, in private memory.
 *
 * They are copied, not mapped: a broken file can be one that is still being written, and if a
 * mapped file shrinks, access to it ends the program. */
#ifndef INSP_READ_H
#define INSP_READ_H

#include <stddef.h>
#include <stdint.h>

/* Results of insp_read in addition to errno values, which are never negative. A terminal is read
 * like a pipe, and /dev/null as an empty file. */
enum {
    INSP_IS_DEVICE = -1, /* it can have no end */
    INSP_IS_SOCKET = -2,
    INSP_TOO_LARGE = -3,
    INSP_GREW = -4, /* a regular file that grew after it was opened */
    INSP_CUT_SHORT = -5,
    INSP_WAITS = -6 /* a regular file that waits for data, as some that the system makes up */
};

/* The largest input from a source that states no size. */
#define INSP_INPUT_MAX ((uint64_t)1 << 30)

/* Reads the file at `path`, or standard input for "-". From a source that states no size, such as a
 * pipe, it reads at most `max` bytes (0: no limit). `ret_data` is aligned to 4096; insp_free
 * releases it. Returns 0, an errno value or one of those above. */
int insp_read(const char *path, uint64_t max, unsigned char **ret_data, size_t *ret_size);

enum { INSP_READ_TEXT_SIZE = 128 };
/* The error of insp_read in words. */
void insp_read_text(int error, uint64_t max, char out[INSP_READ_TEXT_SIZE]);

#endif
