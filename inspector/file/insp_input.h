/* The bytes of an input file: mapped, or copied to memory.
 *
 * A regular file is mapped, so that only the pages that a command reads are in memory. Pipes, and
 * files that cannot be mapped, are copied.
 *
 * Other programs can change a file while it is mapped. Pages that are missing because the file was
 * truncated, or that the system cannot read, contain zeros: a handler of SIGBUS maps empty pages in
 * their place. It is installed while a file is mapped, and passes other errors on to the handler
 * before it. insp_input_check finds out afterwards whether the file has changed.
 *
 * Bytes that change after they were checked may have any value later, and may lead the program out
 * of its memory. The signals of such a failure are handled, too: see insp_input_on_lost. */
#ifndef INSP_INPUT_H
#define INSP_INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct insp_input insp_input;

/* How an input is used. */
typedef enum insp_use {
    INSP_USE_ALL,   /* most bytes are read */
    INSP_USE_PARTS, /* few pages are read, and no others should become resident */
    INSP_USE_COPY   /* the file is not mapped */
} insp_use;

/* Opens the file at `path`, which must stay valid while it is open, or standard input for "-", as
 * insp_read does. Returns 0, an errno value or one of the values of insp_read. On success,
 * insp_input_close must be called. Inputs may not be opened or closed while other threads read a
 * mapped one. */
int insp_input_open(const char *path, uint64_t max, insp_use use, insp_input **ret_input);
/* Accepts NULL. */
void insp_input_close(insp_input *input);

/* Called by a signal handler if the program fails while an input is mapped that has changed:
 * `error` is the result of insp_input_check for the file at `path`. It should not return, and must
 * neither allocate nor free memory. Without such a function, the program ends as usual. */
typedef void insp_input_lost(void *ctx, const char *path, int error);
void insp_input_on_lost(insp_input_lost *lost, void *ctx);

/* The bytes, at a multiple of 4096. */
const unsigned char *insp_input_data(const insp_input *input);
size_t insp_input_size(const insp_input *input);
bool insp_input_is_mapped(const insp_input *input);

/* Returns 0 if the file is as it was when it was opened, and all its bytes could be read. Otherwise
 * returns INSP_TRUNCATED, INSP_GREW, INSP_CHANGED or an errno value. 0 for a copy. */
int insp_input_check(const insp_input *input);

#endif
