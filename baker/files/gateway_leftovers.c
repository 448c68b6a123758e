/* What killed processes left behind. gateway_folder.h has the rules that say what that is. */
#define _GNU_SOURCE

#include "gateway_folder.h"

#include "bake_memory.h"
#include "gateway_temporary.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static const char prefix[] = TEMPORARY_PREFIX, suffix[] = TEMPORARY_SUFFIX;
enum {
    STEM_LENGTH = sizeof prefix - 1 + TOKEN_LENGTH,
    GUARD_LENGTH = STEM_LENGTH + sizeof suffix - 1
};

typedef struct leftovers {
    int folder;
    char **names;
    size_t count, capacity;
} leftovers;

static bool is_guard(const char *name)
{
    return strcmp(name + STEM_LENGTH, suffix) == 0;
}

/* Whether a name is a guard's or a guarded one's, and nothing else. */
static bool is_temporary(const char *name)
{
    if (strncmp(name, prefix, sizeof prefix - 1) != 0)
        return false;
    for (size_t i = sizeof prefix - 1; i < STEM_LENGTH; i++)
        if (!(name[i] >= 'a' && name[i] <= 'z') && !(name[i] >= '0' && name[i] <= '9'))
            return false;
    if (is_guard(name))
        return true;
    const char *at = name + STEM_LENGTH;
    if (*at++ != '.')
        return false;
    size_t digits = strspn(at, "0123456789");
    return digits > 0 && digits <= 10 && strcmp(at + digits, suffix) == 0;
}

/* Finds the names first: to remove some while the folder is read may hide others. */
static void find(leftovers *l, DIR *folder)
{
    const struct dirent *entry;
    while ((entry = readdir(folder)) != NULL) {
        if (!is_temporary(entry->d_name))
            continue;
        char **names = bake_grow(l->names, &l->capacity, l->count + 1, sizeof *names);
        char *name = names ? bake_copy_text(entry->d_name, strlen(entry->d_name)) : NULL;
        l->names = names ? names : l->names;
        if (!name)
            return;
        l->names[l->count++] = name;
    }
}

static bool is_regular(const leftovers *l, const char *name)
{
    struct stat status;
    return fstatat(l->folder, name, &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(status.st_mode);
}

/* Opens a guard and takes its lock; -1 with errno set, ENOENT where there is no guard. Some network
 * file systems lock only what is open for writing, and the mode may allow only one of the two. */
static int take_guard(const leftovers *l, const char *name)
{
    static const int ways[] = {O_RDWR, O_RDONLY, O_WRONLY};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        int file =
            openat(l->folder, name, ways[i] | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
        if (file < 0 && errno == ENOENT)
            return -1;
        if (file < 0)
            continue;
        if (flock(file, LOCK_EX | LOCK_NB) == 0)
            return file;
        close(file);
    }
    errno = EWOULDBLOCK;
    return -1;
}

/* Removes a name while its guard's lock is held, or where there is no guard. */
static void remove_dead(const leftovers *l, const char *name)
{
    char guard[GUARD_LENGTH + 1];
    memcpy(guard, name, STEM_LENGTH);
    memcpy(guard + STEM_LENGTH, suffix, sizeof suffix);
    if (!is_regular(l, name))
        return;
    int file = take_guard(l, guard);
    if (file < 0 && errno != ENOENT)
        return;
    /* A guard that became an output since it was found has that name no more, and names are not
     * used again. */
    unlinkat(l->folder, name, 0);
    if (file >= 0)
        close(file);
}

void bake_leftovers_remove(const char *folder)
{
    int error = errno;
    leftovers l = {.folder = open(*folder ? folder : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
    DIR *opened = l.folder < 0 ? NULL : fdopendir(l.folder);
    if (opened)
        find(&l, opened);
    for (size_t i = 0; i < l.count; i++)
        if (!is_guard(l.names[i]))
            remove_dead(&l, l.names[i]);
    for (size_t i = 0; i < l.count; i++) {
        if (is_guard(l.names[i]))
            remove_dead(&l, l.names[i]);
        bake_free(l.names[i]);
    }
    bake_free(l.names);
    if (opened)
        closedir(opened);
    else if (l.folder >= 0)
        close(l.folder);
    errno = error;
}
