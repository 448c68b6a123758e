/* For dl_iterate_phdr. */
#define _GNU_SOURCE

#include "record_version.h"

#include "file_state.h"
#include "hash.h"

#include <kiln/version.h>
#include <stdio.h>
#include <string.h>

#ifdef __linux__
#include <link.h>

/* Adds one loaded file to the hash. The first, the program itself, has no name. */
static int add_file(struct dl_phdr_info *info, size_t size, void *ctx)
{
    bake_file_state state;
    const char *path = info->dlpi_name && *info->dlpi_name ? info->dlpi_name : "/proc/self/exe";
    (void)size;
    if (bake_file_look(NULL, path, &state) != BAKE_PATH_FILE)
        return 0;
    kiln_hash_stream_add(ctx, path, strlen(path) + 1);
    kiln_hash_stream_add(ctx, &state.size, sizeof state.size);
    kiln_hash_stream_add(ctx, &state.modified, sizeof state.modified);
    return 0;
}

static void add_files(hash_stream *stream)
{
    dl_iterate_phdr(add_file, stream);
}
#else
static void add_files(hash_stream *stream)
{
    (void)stream;
}
#endif

const char *bake_record_version(bake_store *store)
{
    char text[200];
    hash_stream stream;
    kiln_hash_stream_begin(&stream);
    add_files(&stream);
    int length = snprintf(text, sizeof text, "%s, file format %s, program %016llx", kiln_version(),
                          kiln_format_version(), (unsigned long long)kiln_hash_stream_end(&stream));
    return bake_store_text(store, text, (size_t)length);
}
