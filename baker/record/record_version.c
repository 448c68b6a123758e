/* Both texts are made once for a process: a library that is loaded later, such as libcurl, must not
 * change them. */

/* For dl_iterate_phdr. */
#define _GNU_SOURCE

#include "record_version.h"

#include "bake_memory.h"
#include "file_state.h"
#include "hash.h"

#include <kiln/version.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { TEXT_SIZE = 200 };

/* The files are hashed into `stream`. */
typedef struct program_files {
    hash_stream stream;
    hash_stream states;    /* of the complete states of all files; only without a buffer */
    unsigned char *buffer; /* of bake_file_hash; NULL: hash sizes and times, not contents */
    bool failed;
    bool is_recent; /* a state is too new to be trusted */
    size_t count;
} program_files;

#ifdef __linux__
#include <link.h>

static void add_content(program_files *files, const char *path)
{
    bake_file_state state;
    kiln_hash128 hash;
    /* The library of system calls has a name, but no file. */
    if (bake_file_look(NULL, path, &state) == BAKE_PATH_MISSING)
        return;
    if (bake_file_hash(NULL, path, files->buffer, &state, &hash))
        kiln_hash_stream_add(&files->stream, &hash, sizeof hash);
    else
        files->failed = true;
}

static void add_state(program_files *files, const char *path, const bake_file_state *state)
{
    const uint64_t numbers[] = {state->device, state->inode, state->size};
    const int64_t times[] = {state->modified, state->changed};
    kiln_hash_stream_add(&files->states, path, strlen(path) + 1);
    kiln_hash_stream_add(&files->states, numbers, sizeof numbers);
    kiln_hash_stream_add(&files->states, times, sizeof times);
    files->is_recent = files->is_recent || bake_file_state_is_recent(state, bake_file_time_now());
    files->count++;
}

/* Adds one loaded file to the hash. The first, the program itself, has no name. */
static int add_file(struct dl_phdr_info *info, size_t size, void *ctx)
{
    program_files *files = ctx;
    bake_file_state state;
    const char *path = info->dlpi_name && *info->dlpi_name ? info->dlpi_name : "/proc/self/exe";
    (void)size;
    if (files->buffer) {
        add_content(files, path);
        return 0;
    }
    if (bake_file_look(NULL, path, &state) != BAKE_PATH_FILE)
        return 0;
    kiln_hash_stream_add(&files->stream, path, strlen(path) + 1);
    kiln_hash_stream_add(&files->stream, &state.size, sizeof state.size);
    kiln_hash_stream_add(&files->stream, &state.modified, sizeof state.modified);
    add_state(files, path, &state);
    return 0;
}

static void add_files(program_files *files)
{
    dl_iterate_phdr(add_file, files);
}
#else
/* Without a list of the loaded files, contents are unknown. */
static void add_files(program_files *files)
{
    files->failed = files->buffer != NULL;
}
#endif

/* What is known about the program. A lock guards it. */
typedef struct program_version {
    char texts[2][TEXT_SIZE]; /* the version and the identity */
    bool is_made[2];
    kiln_hash128 states;
    bool has_states;
} program_version;

/* Returns false if memory runs out or a file cannot be read. */
static bool make_text(program_version *version, bool contents)
{
    char *text = version->texts[contents];
    program_files files = {.buffer = contents ? bake_alloc(BAKE_FILE_BUFFER_SIZE) : NULL};
    if (contents && !files.buffer)
        return false;
    kiln_hash_stream_begin(&files.stream);
    kiln_hash_stream_begin(&files.states);
    add_files(&files);
    kiln_hash128 hash = kiln_hash_stream_end128(&files.stream);
    bake_free(files.buffer);
    int length = snprintf(text, TEXT_SIZE, "%s, file format %s, %s %016llx", kiln_version(),
                          kiln_format_version(), contents ? "contents" : "program",
                          (unsigned long long)hash.low);
    if (contents)
        snprintf(text + length, TEXT_SIZE - (size_t)length, "%016llx",
                 (unsigned long long)hash.high);
    if (!contents) {
        version->states = kiln_hash_stream_end128(&files.states);
        version->has_states = files.count > 0 && !files.is_recent;
    }
    return !files.failed;
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static program_version known;

/* The version is always made first, before anything can load another library. The caller has the
 * lock. */
static void make_version(void)
{
    if (!known.is_made[0])
        known.is_made[0] = make_text(&known, false);
}

static const char *get_text(bake_store *store, bool contents)
{
    pthread_mutex_lock(&lock);
    make_version();
    if (contents && !known.is_made[1])
        known.is_made[1] = make_text(&known, true);
    bool is_known = known.is_made[contents];
    pthread_mutex_unlock(&lock);
    const char *text = known.texts[contents];
    return is_known ? bake_store_text(store, text, strlen(text)) : NULL;
}

const char *bake_record_version(bake_store *store)
{
    return get_text(store, false);
}

const char *bake_record_identity(bake_store *store)
{
    return get_text(store, true);
}

bool bake_record_states(kiln_hash128 *ret_hash)
{
    pthread_mutex_lock(&lock);
    make_version();
    bool is_known = known.is_made[0] && known.has_states;
    *ret_hash = known.states;
    pthread_mutex_unlock(&lock);
    return is_known;
}
