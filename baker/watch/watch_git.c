#define _XOPEN_SOURCE 700

#include "watch_git.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* FOLDERS_MAX: how many folders above the current one are examined. */
enum { FOLDERS_MAX = 64, LINE_MAX_SIZE = 4096 };

/* Reads the line `gitdir: PATH` of a file. Returns the folder, relative to the current one if the
 * line has an absolute path, or else below `parent`; NULL if there is no such line. */
static const char *read_link_file(bake_store *store, const char *path, const char *parent)
{
    static const char word[] = "gitdir: ";
    char line[LINE_MAX_SIZE];
    FILE *file = fopen(path, "r");
    if (!file)
        return NULL;
    const char *read = fgets(line, sizeof line, file);
    fclose(file);
    if (!read || strncmp(line, word, sizeof word - 1) != 0)
        return NULL;
    const char *folder = line + sizeof word - 1;
    size_t length = strcspn(folder, "\r\n");
    const char *copy = bake_store_text(store, folder, length);
    return !copy || copy[0] == '/' ? copy : bake_store_join(store, parent, '/', copy);
}

const char *bake_watch_git_lock(bake_store *store)
{
    const char *parent = ".";
    for (int i = 0; i < FOLDERS_MAX; i++) {
        struct stat status;
        const char *git = bake_store_join(store, parent, '/', ".git");
        if (!git)
            return NULL;
        if (stat(git, &status) == 0) {
            /* Opening a pipe would block until another process writes to it. */
            const char *folder = S_ISDIR(status.st_mode)   ? git
                                 : S_ISREG(status.st_mode) ? read_link_file(store, git, parent)
                                                           : NULL;
            return folder ? bake_store_join(store, folder, '/', "index.lock") : NULL;
        }
        parent = i == 0 ? ".." : bake_store_join(store, parent, '/', "..");
        if (!parent)
            return NULL;
    }
    return NULL;
}
