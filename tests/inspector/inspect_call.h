/* Calls kiln-inspect on a sample in a new folder and captures both outputs. */
#ifndef INSPECT_CALL_H
#define INSPECT_CALL_H

#include "sample_file.h"

typedef struct inspect_result {
    int code;
    char *out, *err; /* NUL-terminated */
    size_t out_size, err_size;
} inspect_result;

/* Enter a scratch folder, and leave and remove it with its files. */
void inspect_enter_folder(void);
void inspect_leave_folder(void);
/* The same as functions of a group of tests. */
int inspect_setup(void **state);
int inspect_teardown(void **state);
/* Whether a command can run here: export to SQLite needs its library, which is not there for every
 * host that CI builds for. Otherwise prints that the command is skipped. */
bool inspect_is_possible(const char *arguments);

/* Writes a file into the folder. */
void inspect_write(const char *name, const void *data, size_t size);

/* Calls the program with arguments separated by spaces. */
inspect_result inspect_call(const char *arguments);
void inspect_result_fini(inspect_result *result);
/* Runs each of these commands on a file `it` with these bytes, which is mapped or, in half of the
 * calls, copied to a block of its size. Each must exit with 0 or 1 and print something, except
 * `hex` and `export --to ndjson`, which may have nothing to show. */
void inspect_all(const char *const *commands, size_t count, const void *data, size_t size);

#endif
