#define _XOPEN_SOURCE 700
/* For sizes of file systems. */
#define _FILE_OFFSET_BITS 64

#include "folder_tree.h"

#include "bake_memory.h"
#include "gateway_store.h"
#include "path_join.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

/* Another process may create the folder at the same time. */
static bool make_folder(const char *path)
{
    struct stat status;
    if (stat(path, &status) != 0) {
        if (mkdir(path, 0777) == 0)
            return true;
        if (errno != EEXIST || stat(path, &status) != 0)
            return false;
    }
    errno = ENOTDIR;
    return S_ISDIR(status.st_mode);
}

bool bake_make_folders(const char *path)
{
    size_t length = strlen(path);
    char *copy = bake_copy_text(path, length);
    bool done = copy != NULL;
    errno = ENOMEM;
    for (size_t i = 1; done && i < length; i++) {
        if (copy[i] != '/' || copy[i - 1] == '/')
            continue;
        copy[i] = '\0';
        done = make_folder(copy);
        copy[i] = '/';
    }
    int error = errno;
    bake_free(copy);
    errno = error;
    return done;
}

static bool is_absent(int error)
{
    return bake_path_kind_of_error(error) == BAKE_PATH_MISSING;
}

bool bake_name_exists(const char *path)
{
    struct stat status;
    return lstat(path, &status) == 0 || !is_absent(errno);
}

bool bake_write_new_file(const char *path, const char *text, size_t size)
{
    int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOCTTY, 0666);
    if (file < 0)
        return false;
    bool done = bake_write_all(file, text, size);
    int error = errno;
    if (close(file) != 0 && done) {
        done = false;
        error = errno;
    }
    if (!done)
        unlink(path);
    errno = error;
    return done;
}

bake_removal bake_remove_file(const char *path)
{
    struct stat status;
    if (lstat(path, &status) != 0)
        return is_absent(errno) ? BAKE_REMOVAL_ABSENT : BAKE_REMOVAL_FAILED;
    if (!S_ISREG(status.st_mode) && !S_ISLNK(status.st_mode)) {
        errno = S_ISDIR(status.st_mode) ? EISDIR : ENODEV;
        return BAKE_REMOVAL_FAILED;
    }
    return unlink(path) == 0 ? BAKE_REMOVED : BAKE_REMOVAL_FAILED;
}

/* ---- trees ---- */

/* The folders of a tree, each after its parent. Without recursion, so that deep trees do not
 * exhaust the stack. */
typedef struct tree {
    char **folders;
    size_t count, capacity;
    char *failed; /* the path that could not be removed */
} tree;

/* Takes ownership of `path`, which is NULL if its allocation failed. */
static bool add_folder(tree *t, char *path)
{
    char **folders =
        path ? bake_grow(t->folders, &t->capacity, t->count + 1, sizeof *folders) : NULL;
    if (!folders) {
        bake_free(path);
        errno = ENOMEM;
        return false;
    }
    t->folders = folders;
    folders[t->count++] = path;
    return true;
}

/* Removes a file, or adds a folder to the tree. */
static bool take_entry(tree *t, const char *folder, const char *name)
{
    struct stat status;
    char *path = bake_path_join(folder, name);
    bool done = path && lstat(path, &status) == 0;
    if (done && S_ISDIR(status.st_mode))
        return add_folder(t, path);
    done = done && unlink(path) == 0;
    int error = errno;
    if (done || t->failed)
        bake_free(path);
    else
        t->failed = path;
    errno = error;
    return done;
}

static bool empty_folder(tree *t, const char *path)
{
    int file = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *folder = file >= 0 ? fdopendir(file) : NULL;
    int error = errno;
    if (!folder) {
        if (file >= 0)
            close(file);
        errno = error;
        return false;
    }
    bool done = true;
    for (;;) {
        errno = 0;
        const struct dirent *entry = readdir(folder);
        if (!entry)
            break;
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            done = done && take_entry(t, path, entry->d_name);
        if (!done)
            break;
    }
    error = errno;
    closedir(folder);
    errno = error;
    return done && error == 0;
}

static bool remove_all(tree *t)
{
    for (size_t i = 0; i < t->count; i++)
        if (!empty_folder(t, t->folders[i]))
            return false;
    for (size_t i = t->count; i > 0; i--)
        if (rmdir(t->folders[i - 1]) != 0)
            return false;
    return true;
}

bake_removal bake_remove_tree(const char *path, char **reterr_path)
{
    tree t = {0};
    struct stat status;
    *reterr_path = NULL;
    if (lstat(path, &status) != 0)
        return is_absent(errno) ? BAKE_REMOVAL_ABSENT : BAKE_REMOVAL_FAILED;
    if (!S_ISDIR(status.st_mode)) {
        errno = ENOTDIR;
        return BAKE_REMOVAL_FAILED;
    }
    bool done = add_folder(&t, bake_copy_text(path, strlen(path))) && remove_all(&t);
    int error = errno;
    for (size_t i = 0; i < t.count; i++)
        bake_free(t.folders[i]);
    bake_free(t.folders);
    *reterr_path = t.failed;
    errno = error;
    return done ? BAKE_REMOVED : BAKE_REMOVAL_FAILED;
}

/* ---- scratch files ---- */

uint64_t bake_free_bytes(const char *folder)
{
    struct statvfs status;
    if (statvfs(folder, &status) != 0)
        return 0;
    uint64_t block = status.f_frsize ? status.f_frsize : 1, most = UINT64_MAX / block;
    return (status.f_bavail < most ? status.f_bavail : most) * block;
}

char *bake_scratch_pattern(void)
{
    static const char name[] = "/kiln-bake.XXXXXX";
    const char *in = getenv("TMPDIR");
    in = in && *in ? in : "/tmp";
    size_t size = strlen(in) + sizeof name;
    char *pattern = bake_alloc(size);
    if (pattern)
        snprintf(pattern, size, "%s%s", in, name);
    else
        errno = ENOMEM;
    return pattern;
}

int bake_scratch_file(char ret_path[32])
{
    char *pattern = bake_scratch_pattern();
    int file = pattern ? mkstemp(pattern) : -1;
    int error = errno;
    if (file >= 0)
        unlink(pattern);
    bake_free(pattern);
    errno = error;
    if (file < 0)
        return -1;
    fcntl(file, F_SETFD, FD_CLOEXEC);
    snprintf(ret_path, 32, "/dev/fd/%d", file);
    return file;
}

char *bake_scratch_read(int file, size_t *ret_size)
{
    struct stat status;
    if (fstat(file, &status) != 0 || lseek(file, 0, SEEK_SET) != 0)
        return NULL;
    char *text = bake_alloc((size_t)status.st_size + 1);
    if (!text)
        errno = ENOMEM;
    if (text && bake_read_some(file, text, (size_t)status.st_size, ret_size)) {
        text[*ret_size] = '\0';
        return text;
    }
    int error = errno;
    bake_free(text);
    errno = error;
    return NULL;
}

void bake_scratch_close(int file)
{
    if (file >= 0)
        close(file);
}
