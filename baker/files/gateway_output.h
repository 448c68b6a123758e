/* The state of an output. Private to gateway*.c. */
#ifndef BAKE_GATEWAY_OUTPUT_H
#define BAKE_GATEWAY_OUTPUT_H

#include "gateway_store.h"

#include <sys/stat.h>

/* Staged: written through `buffer` to a temporary file, which becomes `target`. Direct (`target`
 * NULL): all bytes gather in `buffer` until commit. */
struct bake_output {
    char *path;   /* as given */
    char *target; /* the path after links; NULL: a direct output */
    output_folder *folder;
    char *temporary;      /* the temporary file's name; NULL: it has none, or is gone */
    int file;             /* the temporary file; -1: closed */
    int descriptor;       /* of ours, which a direct output is written to; -1: `path` is opened */
    bool replaces;        /* there is a regular file at `target` ... */
    struct stat standing; /* ... and this is it */
    int error;            /* of the first write that failed; 0: none */
    char *buffer;         /* NULL: freed, what follows is written as it comes */
    size_t used;
    size_t capacity;
};

/* Opens what is there, going on after interruptions; -1 with errno set. */
int bake_open_there(const char *path, int flags);
/* Writes what is gathered; false with errno set, which is kept as the output's error. */
bool bake_output_flush(bake_output *output);
/* Opens the temporary file where it is closed; false with errno set. */
bool bake_output_reopen(bake_output *output);
/* Closes the temporary file, which is open; false with errno set. */
bool bake_output_close(bake_output *output);
/* Forgets the name of the temporary file, which is gone. */
void bake_output_forget(bake_output *output);

#endif
