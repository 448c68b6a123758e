#define _XOPEN_SOURCE 700

#include "temporary_folder.h"

#include "bake_memory.h"
#include "folder_tree.h"
#include "gateway_temporary.h"

#include <errno.h>
#include <stdlib.h>

bool bake_temporary_folder_begin(bake_temporary_folder *folder)
{
    *folder = (bake_temporary_folder){0};
    char *path = bake_scratch_pattern();
    if (!path)
        return false;
    bake_signals_block(&folder->before);
    if (mkdtemp(path)) {
        folder->path = path;
        return true;
    }
    int error = errno;
    bake_free(path);
    errno = error;
    bake_signals_restore(&folder->before);
    return false;
}

bool bake_temporary_folder_must_end(const bake_temporary_folder *folder)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE};
    sigset_t waiting;
    if (sigpending(&waiting) != 0)
        return false;
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        struct sigaction action;
        /* The system also reports blocked signals that are ignored. */
        if (sigismember(&waiting, numbers[i]) == 1 &&
            sigismember(&folder->before, numbers[i]) == 0 &&
            sigaction(numbers[i], NULL, &action) == 0 && action.sa_handler != SIG_IGN)
            return true;
    }
    return false;
}

bool bake_temporary_folder_end(bake_temporary_folder *folder)
{
    char *failed = NULL;
    if (!folder->path)
        return true;
    bool done = bake_remove_tree(folder->path, &failed) == BAKE_REMOVED;
    int error = errno;
    bake_free(failed);
    bake_free(folder->path);
    folder->path = NULL;
    errno = error;
    bake_signals_restore(&folder->before);
    return done;
}
