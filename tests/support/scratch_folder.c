#define _XOPEN_SOURCE 700

#include "scratch_folder.h"

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[512], before[4096];

const char *scratch_folder_enter(const char *prefix, scratch_place place)
{
    char made[256];
    const char *parent = getenv("TMPDIR");
    if (!parent)
        parent = place == SCRATCH_MEMORY && access("/dev/shm", W_OK) == 0 ? "/dev/shm" : P_tmpdir;
    snprintf(made, sizeof made, "%s/%s-XXXXXX", parent, prefix);
    if (getcwd(before, sizeof before) && mkdtemp(made) && chdir(made) == 0 &&
        getcwd(folder, sizeof folder))
        return folder;
    fprintf(stderr, "%s: %s\n", made, strerror(errno));
    return NULL;
}

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *place)
{
    (void)status;
    (void)kind;
    (void)place;
    return remove(path);
}

bool scratch_folder_leave(void)
{
    if (chdir(before) == 0 && nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS) == 0)
        return true;
    fprintf(stderr, "cannot remove %s: %s\n", folder, strerror(errno));
    return false;
}
