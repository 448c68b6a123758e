/* Reads a whole file into private memory. insp_input.h maps files instead. */
#ifndef INSP_READ_H
#define INSP_READ_H

#include <stddef.h>
#include <stdint.h>

/* Results of insp_read in addition to errno values, which are never negative. */
enum {
    INSP_IS_DEVICE = -1, /* a device, which may have no end */
    INSP_IS_SOCKET = -2,
    INSP_TOO_LARGE = -3,
    INSP_GREW = -4, /* a regular file that grew after it was opened */
    INSP_TRUNCATED = -5,
    INSP_WOULD_BLOCK = -6, /* a read would block, as with some files in /proc */
    INSP_CHANGED = -7      /* other bytes were written to it */
};

/* The default maximum size of an input whose size is not known in advance. */
#define INSP_INPUT_MAX ((uint64_t)1 << 30)

/* Reads the file at `path`, or standard input for "-". Terminals are read like pipes, and /dev/null
 * like an empty file. If the size is not known in advance, as for a pipe, reads at most `max` bytes
 * (0: no limit). `ret_data` is aligned to 4096; release it with insp_free. Returns 0, an errno
 * value or one of the values above. */
int insp_read(const char *path, uint64_t max, unsigned char **ret_data, size_t *ret_size);

/* The two steps of insp_read. insp_read_open opens the file, unless it is of a kind that cannot be
 * read. insp_read_rest reads from the current position, with the results of insp_read. Standard
 * input is not closed by insp_read_close. */
int insp_read_open(const char *path, int *ret_file);
int insp_read_rest(int file, uint64_t max, unsigned char **ret_data, size_t *ret_size);
void insp_read_close(int file);

enum { INSP_READ_TEXT_SIZE = 128 };
/* Formats an error of insp_read. */
void insp_read_text(int error, uint64_t max, char out[INSP_READ_TEXT_SIZE]);

#endif
