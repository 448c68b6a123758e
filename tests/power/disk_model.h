/* Models what a disk may contain after a power failure, given the calls that a program made.
 *
 * A file's data is certainly on the disk once the file has been fsynced after its last write.
 * Before that, any part of it may be missing. A name certainly refers to a file once its folder has
 * been fsynced after the rename, creation or removal. Before that, the disk may show any file that
 * the name referred to since the last fsync of the folder. Nothing else is assumed, in particular
 * no order between calls, because file systems differ. */
#ifndef POWER_DISK_MODEL_H
#define POWER_DISK_MODEL_H

#include <stdbool.h>

typedef struct disk disk;

/* The possible states of a name after a power failure, as a set of these. */
enum {
    DISK_ABSENT = 1, /* nothing */
    DISK_OLD = 2,    /* an untouched file that existed at the start */
    DISK_NEW = 4,    /* a complete file created since */
    DISK_HALF = 8    /* a file with missing bytes */
};

/* `root` is removed from absolute paths. Returns NULL if memory runs out. */
disk *disk_create(const char *root);
void disk_destroy(disk *d);

/* Adds a file that is completely on the disk. */
void disk_add_old(disk *d, const char *path);

/* Adds a file that was just created without an fsync. */
void disk_add_unsynced(disk *d, const char *path);

/* Processes one line of cut_shim's record, without its line end. Returns false for a call that the
 * model does not support. */
bool disk_apply(disk *d, const char *line);

unsigned disk_possible(const disk *d, const char *path);

#endif
