#include "disk_model.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { INODES_MAX = 62, NAMES_MAX = 256, FILES_MAX = 1024, PATH_SIZE = 1024 };

#define NOTHING_BIT ((uint64_t)1 << 63)

typedef struct name {
    char path[PATH_SIZE];
    int inode;         /* its current file; -1 for none */
    uint64_t possible; /* inodes that the name may have on the disk, and NOTHING_BIT */
} name;

typedef struct open_file {
    int inode; /* -1 for a folder or an irrelevant file */
    char path[PATH_SIZE];
} open_file;

struct disk {
    char root[PATH_SIZE];
    struct {
        bool is_old;
        bool is_half;
    } inodes[INODES_MAX];
    int inode_count;
    name names[NAMES_MAX];
    int name_count;
    open_file files[FILES_MAX];
};

disk *disk_create(const char *root)
{
    disk *d = calloc(1, sizeof *d);
    if (d)
        snprintf(d->root, sizeof d->root, "%s", root);
    return d;
}

void disk_destroy(disk *d)
{
    free(d);
}

/* The path relative to the root, without a leading `./` and trailing slashes. */
static void clean_path(const disk *d, const char *path, char out[PATH_SIZE])
{
    size_t root = strlen(d->root);
    if (root && strncmp(path, d->root, root) == 0 && (path[root] == '/' || path[root] == '\0'))
        path += root + (path[root] == '/');
    while (strncmp(path, "./", 2) == 0)
        path += 2;
    snprintf(out, PATH_SIZE, "%s", *path ? path : ".");
    for (size_t n = strlen(out); n > 1 && out[n - 1] == '/'; n--)
        out[n - 1] = '\0';
}

static name *find_name(disk *d, const char *path)
{
    char clean[PATH_SIZE];
    clean_path(d, path, clean);
    for (int i = 0; i < d->name_count; i++)
        if (strcmp(d->names[i].path, clean) == 0)
            return &d->names[i];
    if (d->name_count == NAMES_MAX)
        abort();
    name *added = &d->names[d->name_count++];
    memcpy(added->path, clean, sizeof clean);
    added->inode = -1;
    added->possible = NOTHING_BIT;
    return added;
}

static int add_inode(disk *d, bool is_old)
{
    if (d->inode_count == INODES_MAX)
        abort();
    d->inodes[d->inode_count].is_old = is_old;
    return d->inode_count++;
}

static void set_name(name *n, int inode)
{
    n->inode = inode;
    n->possible |= inode < 0 ? NOTHING_BIT : (uint64_t)1 << inode;
}

void disk_add_old(disk *d, const char *path)
{
    name *n = find_name(d, path);
    n->inode = add_inode(d, true);
    n->possible = (uint64_t)1 << n->inode;
}

void disk_add_unsynced(disk *d, const char *path)
{
    name *n = find_name(d, path);
    set_name(n, add_inode(d, true));
    d->inodes[n->inode].is_half = true;
}

static bool is_in_folder(const char *path, const char *folder)
{
    const char *slash = strrchr(path, '/');
    size_t length = slash ? (size_t)(slash - path) : 0;
    return length == 0 ? strcmp(folder, ".") == 0
                       : strlen(folder) == length && strncmp(path, folder, length) == 0;
}

static void settle_folder(disk *d, const char *folder)
{
    for (int i = 0; i < d->name_count; i++) {
        name *n = &d->names[i];
        if (is_in_folder(n->path, folder))
            n->possible = n->inode < 0 ? NOTHING_BIT : (uint64_t)1 << n->inode;
    }
}

static open_file *file_at(disk *d, int file)
{
    return file >= 0 && file < FILES_MAX ? &d->files[file] : NULL;
}

static bool apply_open(disk *d, int file, const char *arguments)
{
    char flags[8], path[PATH_SIZE];
    open_file *opened = file_at(d, file);
    if (sscanf(arguments, "%7s %1023[^\n]", flags, path) != 2 || !opened)
        return false;
    name *n = find_name(d, path);
    if (strchr(flags, 'u')) {
        opened->inode = add_inode(d, false);
        memcpy(opened->path, n->path, sizeof n->path);
        return true;
    }
    if (n->inode < 0 && strchr(flags, 'c'))
        set_name(n, add_inode(d, false));
    if (n->inode >= 0 && strchr(flags, 't'))
        d->inodes[n->inode].is_half = true;
    opened->inode = n->inode;
    memcpy(opened->path, n->path, sizeof n->path);
    return true;
}

static void apply_write(disk *d, int file)
{
    const open_file *written = file_at(d, file);
    if (written && written->path[0] && written->inode >= 0)
        d->inodes[written->inode].is_half = true;
}

static void apply_sync(disk *d, int file)
{
    const open_file *synced = file_at(d, file);
    if (!synced || !synced->path[0])
        return;
    if (synced->inode >= 0)
        d->inodes[synced->inode].is_half = false;
    else
        settle_folder(d, synced->path);
}

static bool apply_rename(disk *d, char *paths)
{
    char *tab = strchr(paths, '\t');
    if (!tab)
        return false;
    *tab = '\0';
    name *from = find_name(d, paths);
    if (from->inode < 0)
        return false;
    set_name(find_name(d, tab + 1), from->inode);
    set_name(from, -1);
    return true;
}

/* Only links that give a name to an open file are modelled. */
static bool apply_link(disk *d, char *paths)
{
    char *tab = strchr(paths, '\t');
    int number;
    if (!tab || sscanf(paths, "/proc/self/fd/%d\t", &number) != 1)
        return false;
    const open_file *linked = file_at(d, number);
    if (!linked || !linked->path[0] || linked->inode < 0)
        return false;
    set_name(find_name(d, tab + 1), linked->inode);
    return true;
}

bool disk_apply(disk *d, const char *line)
{
    char call[16], rest[PATH_SIZE * 2] = "";
    long result;
    if (sscanf(line, "%15s %ld %2047[^\n]", call, &result, rest) < 2)
        return false;
    bool is_close = strcmp(call, "close") == 0;
    int file = atoi(rest);
    /* A close takes effect even if it fails. No other failed call has an effect. */
    if (is_close && file_at(d, file))
        memset(file_at(d, file), 0, sizeof(open_file));
    if (is_close || result < 0 || strcmp(call, "read") == 0)
        return true;
    if (strcmp(call, "open") == 0)
        return apply_open(d, (int)result, rest);
    if (strcmp(call, "write") == 0 || strcmp(call, "ftruncate") == 0)
        apply_write(d, file);
    else if (strcmp(call, "fsync") == 0)
        apply_sync(d, file);
    else if (strcmp(call, "rename") == 0)
        return apply_rename(d, rest);
    else if (strcmp(call, "link") == 0)
        return apply_link(d, rest);
    else if (strcmp(call, "unlink") == 0)
        set_name(find_name(d, rest), -1);
    else
        return strcmp(call, "flock") == 0 || strcmp(call, "fchmod") == 0 ||
               strcmp(call, "fchown") == 0;
    return true;
}

unsigned disk_possible(const disk *d, const char *path)
{
    char clean[PATH_SIZE];
    clean_path(d, path, clean);
    const name *n = NULL;
    for (int i = 0; i < d->name_count && !n; i++)
        if (strcmp(d->names[i].path, clean) == 0)
            n = &d->names[i];
    if (!n)
        return DISK_ABSENT;
    unsigned possible = n->possible & NOTHING_BIT ? DISK_ABSENT : 0;
    for (int i = 0; i < d->inode_count; i++)
        if (n->possible >> i & 1)
            possible |= d->inodes[i].is_half  ? DISK_HALF
                        : d->inodes[i].is_old ? DISK_OLD
                                              : DISK_NEW;
    return possible;
}
