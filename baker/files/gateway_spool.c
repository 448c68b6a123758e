/* The file of the spool is in the folder of the output, because that has room for large files. A
 * named file would change the times of that folder, which may be an input, so it is only created
 * there if it needs no name. */

/* For O_TMPFILE. */
#define _GNU_SOURCE

#include "gateway_store.h"

#include "bake_memory.h"
#include "folder_tree.h"
#include "gateway_temporary.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void bake_gateway_spool_text(bake_spool *spool, used_path *used)
{
    const char *text = bake_spool_put(spool, used->text, used->size + 1, 1);
    if (!text)
        return;
    bake_block_free(used->text, used->capacity);
    used->text = (char *)(uintptr_t)text;
    used->capacity = 0;
}

void bake_gateway_free_text(used_path *used)
{
    if (used->capacity)
        bake_block_free(used->text, used->capacity);
}

#if defined(__linux__) && defined(O_TMPFILE)

static int open_unnamed(const char *folder)
{
    int file;
    do
        file = open(folder, O_TMPFILE | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
    while (file < 0 && errno == EINTR);
    return file;
}

/* Blocks signals, so that they cannot terminate the process while the file has a name. */
static int open_named(void)
{
    char path[32];
    sigset_t before;
    bake_signals_block(&before);
    int file = bake_scratch_file(path);
    bake_signals_restore(&before);
    return file;
}

/* The run still needs descriptors for its inputs, output and importers. Closes a file that leaves
 * fewer than that, so that everything stays in memory, and returns -1. */
static int keep_spare(int file)
{
    enum { SPARE = 8 };
    int spares[SPARE], count = 0;
    while (file >= 0 && count < SPARE && (spares[count] = fcntl(file, F_DUPFD_CLOEXEC, 0)) >= 0)
        count++;
    bool is_enough = count == SPARE;
    while (count > 0)
        close(spares[--count]);
    if (is_enough || file < 0)
        return file;
    close(file);
    return -1;
}

static int open_file(void *ctx)
{
    const bake_gateway *gateway = ctx;
    const char *scratch = getenv("TMPDIR");
    int file = -1;
    if (gateway->spool_folder && !gateway->only_named)
        file = open_unnamed(gateway->spool_folder);
    if (file < 0 && !gateway->only_named)
        file = open_unnamed(scratch && *scratch ? scratch : "/tmp");
    return keep_spare(file >= 0 ? file : open_named());
}

#else

static int open_file(void *ctx)
{
    (void)ctx;
    return -1;
}

#endif

bool bake_gateway_limit_memory(bake_gateway *gateway, size_t memory_max, const char *folder)
{
    if (folder && !(gateway->spool_folder = bake_copy_text(folder, strlen(folder))))
        return false;
    gateway->spool = bake_spool_create(&(bake_spool_def){memory_max, open_file, gateway});
    return gateway->spool != NULL;
}

bake_spool *bake_gateway_spool(const bake_gateway *gateway)
{
    return gateway->spool;
}
