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
    unsigned char *buffer; /* of bake_file_hash; NULL: hash sizes and times, not contents */
    bool failed;
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

/* Returns false if memory runs out or a file cannot be read. */
static bool make_text(char text[TEXT_SIZE], bool contents)
{
    program_files files = {.buffer = contents ? bake_alloc(BAKE_FILE_BUFFER_SIZE) : NULL};
    if (contents && !files.buffer)
        return false;
    kiln_hash_stream_begin(&files.stream);
    add_files(&files);
    kiln_hash128 hash = kiln_hash_stream_end128(&files.stream);
    bake_free(files.buffer);
    int length = snprintf(text, TEXT_SIZE, "%s, file format %s, %s %016llx", kiln_version(),
                          kiln_format_version(), contents ? "contents" : "program",
                          (unsigned long long)hash.low);
    if (contents)
        snprintf(text + length, TEXT_SIZE - (size_t)length, "%016llx",
                 (unsigned long long)hash.high);
    return !files.failed;
}

static const char *get_text(bake_store *store, bool contents)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static char texts[2][TEXT_SIZE];
    static bool is_made[2];
    pthread_mutex_lock(&lock);
    /* The cheap text is always made first, before anything can load another library. */
    if (!is_made[0])
        is_made[0] = make_text(texts[0], false);
    if (contents && !is_made[1])
        is_made[1] = make_text(texts[1], true);
    bool is_known = is_made[contents];
    pthread_mutex_unlock(&lock);
    return is_known ? bake_store_text(store, texts[contents], strlen(texts[contents])) : NULL;
}

const char *bake_record_version(bake_store *store)
{
    return get_text(store, false);
}

const char *bake_record_identity(bake_store *store)
{
    return get_text(store, true);
}
