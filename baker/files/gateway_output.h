/* The state of an output file. Private to gateway*.c. */
#ifndef BAKE_GATEWAY_OUTPUT_H
#define BAKE_GATEWAY_OUTPUT_H

#include "gateway_store.h"
#include "hash.h"

#include <sys/stat.h>

/* A staged output is written through `buffer` to a temporary file, which is renamed to `target`. A
 * direct output (`target` is NULL) collects all bytes in `buffer` until commit. */
struct bake_output {
    char *path;   /* as given */
    char *target; /* the path with links resolved; NULL: a direct output */
    output_folder *folder;
    char *temporary;      /* the name of the temporary file; NULL: unnamed or removed */
    int file;             /* the temporary file; -1: closed */
    int descriptor;       /* the open target of a direct output; -1: open `path` */
    bool replaces;        /* `target` is an existing regular file ... */
    struct stat existing; /* ... with this status */
    int error;            /* errno of the first failed write; 0: none */
    size_t place;         /* the index of its output_place */
    hash_stream *hash;    /* of all bytes written so far; NULL without details */
    char *buffer;         /* NULL: freed; further writes are unbuffered */
    size_t used;
    size_t capacity;
};

/* Opens an existing file and retries after EINTR. Returns -1 with errno set. */
int bake_open_existing(const char *path, int flags);
/* Writes the buffer to the file. On failure, returns false with errno set, and stores errno in
 * `error`. */
bool bake_output_flush(bake_output *output);
/* Reopens the temporary file if it is closed. Returns false with errno set. */
bool bake_output_reopen(bake_output *output);
/* Closes the open temporary file. Returns false with errno set. */
bool bake_output_close(bake_output *output);
/* With details, stores state and hash of an output that was committed. `staged` is the state of the
 * temporary file. */
void bake_output_keep(bake_gateway *gateway, const bake_output *output,
                      const bake_file_state *staged);
/* Frees the name of a temporary file that no longer exists. */
void bake_output_forget(bake_output *output);

/* Whether a call that changes attributes failed only because the file system does not permit or
 * support that. */
bool bake_is_refusal(int error);

#endif
