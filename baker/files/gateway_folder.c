/* Implements the protocol for temporary files that gateway_folder.h describes. The protocol must
 * hold after every system call, because the process may be killed at any time. */
/* For O_TMPFILE and flock. */
#define _GNU_SOURCE

#include "gateway_folder.h"

#include "bake_memory.h"
#include "gateway_temporary.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NAME_TRIES = 100, DESCRIPTOR_PATH_SIZE = 32 };

/* ---- leftovers of killed processes ---- */

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

/* Whether a name is exactly that of a guard or a guarded file. Other files are never removed. */
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

/* Collects all names first, because removing files while a folder is read may hide others. */
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

/* Opens a guard and locks it. Returns -1 with errno set: ENOENT if there is no guard, otherwise
 * EWOULDBLOCK. Some network file systems can only lock files open for writing, and the permissions
 * may allow only one open mode, so this function tries all three. */
static int take_guard(const leftovers *l, const char *name)
{
    static const int modes[] = {O_RDWR, O_RDONLY, O_WRONLY};
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        int file =
            openat(l->folder, name, modes[i] | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
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

/* Removes a leftover, if its guard does not exist or can be locked. */
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
    /* The name cannot belong to a new file, because tokens are not reused. */
    unlinkat(l->folder, name, 0);
    if (file >= 0)
        close(file);
}

static void remove_leftovers(const char *folder)
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

/* ---- folders and the temporary files in them ---- */

output_folder *bake_folder_of(output_folder **folders, const char *path, bool only_named)
{
    const char *slash = strrchr(path, '/');
    size_t length = slash ? (size_t)(slash - path) + 1 : 0;
    for (output_folder *known = *folders; known; known = known->next)
        if (strlen(known->path) == length && memcmp(known->path, path, length) == 0)
            return known;
    output_folder *added = bake_alloc_array(1, sizeof *added);
    if (!added || !(added->path = bake_copy_text(path, length))) {
        bake_free(added);
        errno = ENOMEM;
        return NULL;
    }
    added->guard_file = -1;
    added->only_named = only_named;
    added->next = *folders;
    *folders = added;
    remove_leftovers(added->path);
    return added;
}

void bake_folders_free(output_folder *folders)
{
    while (folders) {
        output_folder *next = folders->next;
        bake_folder_unguard(folders);
        bake_free(folders->path);
        bake_free(folders);
        folders = next;
    }
}

void bake_folder_unguard(output_folder *folder)
{
    int error = errno;
    if (folder->guard) {
        unlink(folder->guard);
        bake_temporary_unregister(folder->guard);
        folder->guard = NULL;
        close(folder->guard_file);
        folder->guard_file = -1;
    }
    errno = error;
}

/* Locks a file that this process writes. Returns false if another process holds the lock to check
 * for leftovers. If locks are unavailable, sets `has_no_locks` and returns true. */
static bool lock_own(output_folder *folder, int file)
{
    int result;
    do
        result = flock(file, LOCK_EX | LOCK_NB);
    while (result != 0 && errno == EINTR);
    if (result != 0 && errno != EWOULDBLOCK)
        folder->has_no_locks = true;
    return result == 0 || errno != EWOULDBLOCK;
}

/* Makes a name for a locked file. If locks are unavailable, the prefix is
 * `.kiln-bake-unlocked.`. */
static char *new_name(const output_folder *folder)
{
    return bake_temporary_name(folder->path,
                               folder->has_no_locks ? ".kiln-bake-unlocked." : TEMPORARY_PREFIX);
}

/* Writes the path by which linkat can refer to an open file. */
static void descriptor_path(int file, char out[DESCRIPTOR_PATH_SIZE])
{
    snprintf(out, DESCRIPTOR_PATH_SIZE, "/proc/self/fd/%d", file);
}

/* Whether the file can be linked to a name later, which requires /proc. */
static bool can_be_named(int file)
{
    char path[DESCRIPTOR_PATH_SIZE];
    struct stat by_file, by_path;
    descriptor_path(file, path);
    return fstat(file, &by_file) == 0 && stat(path, &by_path) == 0 &&
           by_file.st_dev == by_path.st_dev && by_file.st_ino == by_path.st_ino;
}

int bake_folder_open_unnamed(output_folder *folder, mode_t mode)
{
#ifdef O_TMPFILE
    int file = -1;
    while (!folder->only_named && file < 0) {
        file = open(*folder->path ? folder->path : ".", O_TMPFILE | O_RDWR | O_CLOEXEC, mode);
        if (file >= 0 && can_be_named(file) && lock_own(folder, file))
            return file;
        if (file >= 0)
            close(file);
        else if (errno == EINTR)
            continue;
        /* Kernels without O_TMPFILE report an attempt to write to a folder (EISDIR). */
        else if (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL && errno != ENOSYS)
            return -1;
        folder->only_named = true;
    }
#else
    (void)mode;
    folder->only_named = true;
#endif
    errno = ENOTSUP;
    return -1;
}

/* Links an open file to a name; returns false with errno set. */
static bool give_name(int file, const char *name)
{
    char path[DESCRIPTOR_PATH_SIZE];
    descriptor_path(file, path);
    return linkat(AT_FDCWD, path, AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0;
}

static int open_new(const char *name, mode_t mode)
{
    int file;
    do
        file = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOCTTY, mode);
    while (file < 0 && errno == EINTR);
    return file;
}

/* Whether `name` still refers to the open file. */
static bool is_at(const char *name, int file)
{
    struct stat by_file, by_name;
    return fstat(file, &by_file) == 0 && lstat(name, &by_name) == 0 &&
           by_file.st_dev == by_name.st_dev && by_file.st_ino == by_name.st_ino;
}

/* Creates the file of a guard and locks it. Fails with EEXIST if the caller should try another
 * name. There are three such cases: a file with this name exists; another process mistook the
 * unlocked guard for a leftover and locked or removed it; the prefix of the name promises a lock,
 * but locks are unavailable. The caller blocks signals. */
static int make_guard(output_folder *folder, char *name)
{
    bool promises_lock = !folder->has_no_locks;
    int file = bake_folder_open_unnamed(folder, 0600);
    if (file < 0 && errno != ENOTSUP)
        return -1;
    bool has_name = file < 0;
    if (has_name)
        file = open_new(name, 0600);
    if (file < 0)
        return -1;
    bool done = !has_name || (lock_own(folder, file) && is_at(name, file));
    done = done && promises_lock == !folder->has_no_locks;
    int error = EEXIST;
    if (done && !has_name && !give_name(file, name)) {
        done = false;
        error = errno;
    } else if (done && !bake_temporary_register(name)) {
        done = false;
        has_name = true;
        error = ENOMEM;
    }
    if (done)
        return file;
    if (has_name)
        unlink(name);
    close(file);
    errno = error;
    return -1;
}

/* Creates the guard if there is none yet; returns false with errno set. */
static bool guard(output_folder *folder)
{
    for (int i = 0; i < NAME_TRIES && !folder->guard; i++) {
        char *name = new_name(folder);
        if (!name)
            return false;
        sigset_t before;
        bake_signals_block(&before);
        int file = make_guard(folder, name);
        bake_signals_restore(&before);
        if (file < 0) {
            int error = errno;
            bake_free(name);
            errno = error;
            if (error != EEXIST)
                return false;
            continue;
        }
        folder->guard = name;
        folder->guard_file = file;
        folder->guarded = 0;
    }
    return folder->guard != NULL;
}

/* Makes the next name that belongs to the guard; returns NULL with errno set. */
static char *guarded_name(output_folder *folder)
{
    if (!guard(folder))
        return NULL;
    size_t stem = strlen(folder->guard) - (sizeof TEMPORARY_SUFFIX - 1), room = stem + 16;
    char *name = bake_alloc(room);
    if (!name) {
        errno = ENOMEM;
        return NULL;
    }
    snprintf(name, room, "%.*s.%u%s", (int)stem, folder->guard, ++folder->guarded,
             TEMPORARY_SUFFIX);
    return name;
}

/* Links an open file to a guarded name, or creates such a file if `file` is -1. */
static int make_named(output_folder *folder, int file, mode_t mode, char **ret_name)
{
    char *name = guarded_name(folder);
    if (!name)
        return -1;
    sigset_t before;
    bake_signals_block(&before);
    bool is_new = file < 0;
    if (is_new)
        file = open_new(name, mode);
    else if (!give_name(file, name))
        file = -1;
    if (file >= 0 && !bake_temporary_register(name)) {
        unlink(name);
        if (is_new)
            close(file);
        file = -1;
        errno = ENOMEM;
    }
    bake_signals_restore(&before);
    if (file < 0) {
        int error = errno;
        bake_free(name);
        errno = error;
    } else {
        *ret_name = name;
    }
    return file;
}

int bake_folder_open_named(output_folder *folder, mode_t mode, char **ret_name)
{
    return make_named(folder, -1, mode, ret_name);
}

char *bake_folder_name(output_folder *folder, int file)
{
    char *name = NULL;
    return make_named(folder, file, 0, &name) < 0 ? NULL : name;
}

/* Links the file to a temporary name, then renames it to the target, because linkat cannot replace
 * a file. The caller blocks signals. */
static bool replace(const output_folder *folder, int file, const char *target)
{
    char *name = NULL;
    for (int i = 0; i < NAME_TRIES && !name; i++) {
        name = new_name(folder);
        if (!name)
            return false;
        if (give_name(file, name))
            break;
        int error = errno;
        bake_free(name);
        name = NULL;
        errno = error;
        if (error != EEXIST)
            return false;
    }
    if (!name)
        return false;
    bool done = rename(name, target) == 0;
    int error = errno;
    if (!done)
        unlink(name);
    bake_free(name);
    errno = error;
    return done;
}

bool bake_folder_publish(output_folder *folder, int file, const char *target)
{
    sigset_t before;
    struct stat status;
    bake_signals_block(&before);
    bool is_new = lstat(target, &status) != 0;
    bool done = is_new && give_name(file, target);
    if (!done && (!is_new || errno == EEXIST))
        done = replace(folder, file, target);
    bake_signals_restore(&before);
    return done;
}
