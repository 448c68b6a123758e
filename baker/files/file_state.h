/* The state of a file, as stat returns it, and functions that examine and hash files without a
 * gateway. For step records, which compare earlier states with current ones.
 *
 * Equal states mean equal contents, unless the file may have changed twice within the resolution of
 * its times: see bake_file_state_is_recent. Relative paths begin at the current folder. Any
 * thread. */
#ifndef BAKE_FILE_STATE_H
#define BAKE_FILE_STATE_H

#include <kiln/index.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct stat;

/* Zeroed: unknown. No existing file has this state. */
typedef struct bake_file_state {
    uint64_t device, inode, size;
    int64_t modified; /* modification time of the content, in nanoseconds since 1970 */
    int64_t changed;  /* change time of content or attributes; programs cannot set it */
} bake_file_state;

/* What is at a path, after following links. */
typedef enum bake_path_kind {
    BAKE_PATH_MISSING,
    BAKE_PATH_FILE, /* a regular file */
    BAKE_PATH_FOLDER,
    BAKE_PATH_OTHER,  /* a device, a pipe */
    BAKE_PATH_UNKNOWN /* cannot be examined, or memory ran out */
} bake_path_kind;

/* Whether this process may start a file as a program, where a result depends on that. The content
 * of the file does not show it. */
typedef enum bake_execution {
    BAKE_EXECUTION_ANY, /* nothing depends on it */
    BAKE_EXECUTION_DENIED,
    BAKE_EXECUTION_ALLOWED
} bake_execution;

/* Never BAKE_EXECUTION_ANY. */
bake_execution bake_file_execution(const char *path);

bake_file_state bake_file_state_of(const struct stat *status);
bool bake_file_state_is_equal(const bake_file_state *a, const bake_file_state *b);
/* Whether the file may have changed after `time`, at which its content was read, without a change
 * of its state: its times are later than `time`, or so little before it that a file system with
 * coarse times, such as FAT, would not show a difference. */
bool bake_file_state_is_recent(const bake_file_state *state, int64_t time);
/* The current time in nanoseconds since 1970, by the clock that file systems use. */
int64_t bake_file_time_now(void);

/* The kind that `error`, an errno value of stat or open, indicates. */
bake_path_kind bake_path_kind_of_error(int error);
bake_path_kind bake_path_kind_of(const struct stat *status);
/* Speeds up examining many files in one folder: from the second consecutive file on, the folder is
 * open, so the system need not resolve its path again. Create a finder with bake_finder_begin. Each
 * path must stay valid until the next call. */
typedef struct bake_finder {
    const char *path; /* of the last file; NULL: none */
    size_t length;    /* of its folder, with the slash */
    int folder;       /* the open folder; -1: not open */
} bake_finder;

bake_finder bake_finder_begin(void);
void bake_finder_end(bake_finder *finder);

/* The kind of file at a path, and its state if it exists. `finder` may be NULL. Sets errno if the
 * result is BAKE_PATH_MISSING or BAKE_PATH_UNKNOWN. */
bake_path_kind bake_file_look(bake_finder *finder, const char *path, bake_file_state *ret_state);

/* A buffer for bake_file_hash, of at least this size. Files that fit need one call of read. */
enum { BAKE_FILE_BUFFER_SIZE = 1 << 18 };
/* Returns the state and the XXH3-128 of a regular file. The state is older than the content that
 * was hashed. `finder` may be NULL; `buffer` has BAKE_FILE_BUFFER_SIZE bytes. On failure, returns
 * false with errno set: EISDIR for a folder, EINVAL for any other file that is not regular. */
bool bake_file_hash(bake_finder *finder, const char *path, unsigned char *buffer,
                    bake_file_state *ret_state, kiln_hash128 *ret_hash);

/* What bake_file_hash_some hashes. */
typedef struct bake_hash_def {
    bake_finder *finder;
    const char *path;
    unsigned char *buffer;
    uint64_t *left; /* bytes that may be read; becomes smaller. NULL: no limit */
    /* Whether the hash of a file with this state is known, so that it need not be read; NULL: no */
    bool (*is_known)(void *ctx, const bake_file_state *state, kiln_hash128 *ret_hash);
    void *ctx;
} bake_hash_def;

/* Like bake_file_hash, for paths that are not trusted. EFBIG if the limit is reached: some files,
 * such as those in /proc, have no size and no end. */
bool bake_file_hash_some(const bake_hash_def *def, bake_file_state *ret_state,
                         kiln_hash128 *ret_hash);

#endif
