/* kiln-inspect as tests call it: on a sample in a new folder, with both outputs stored. */
#ifndef INSPECT_CALL_H
#define INSPECT_CALL_H

#include "sample_file.h"

typedef struct inspect_result {
    int code;
    char *out, *err; /* NUL-terminated */
    size_t out_size, err_size;
} inspect_result;

/* Enters a scratch folder; leaves and removes it with what the tests put there. */
void inspect_enter_folder(void);
void inspect_leave_folder(void);

/* Writes a file into the folder. */
void inspect_write(const char *name, const void *data, size_t size);

/* Calls the program with the blank-separated arguments. */
inspect_result inspect_call(const char *arguments);
void inspect_result_fini(inspect_result *result);
/* Runs each of these commands on a file `it` of the bytes: it exits with 0 or 1, and prints
 * something; `hex`, which can have nothing to show, need not. */
void inspect_all(const char *const *commands, size_t count, const void *data, size_t size);

#endif
