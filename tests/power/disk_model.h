/* What a disk may hold after the power fails: a model that follows a program's calls.
 *
 * A file's data is on the disk for sure once the file has been fsynced after its last write; before
 * that any part of it may be missing. A name stands for a file for sure once its folder has been
 * fsynced after the rename, creation or removal; before that the disk may show what the name stood
 * for at any time since the last fsync of the folder. Nothing else is taken for granted, in
 * particular no order between calls, as file systems differ there. */
#ifndef POWER_DISK_MODEL_H
#define POWER_DISK_MODEL_H

#include <stdbool.h>

typedef struct disk disk;

/* What a name may stand for after a power cut: a set of these. */
enum {
    DISK_ABSENT = 1, /* nothing */
    DISK_OLD = 2,    /* a file that was there at the beginning, untouched */
    DISK_NEW = 4,    /* a file made since, with all that was written to it */
    DISK_HALF = 8    /* a file with bytes of which some may be missing */
};

/* `root` is stripped from absolute paths. NULL: no memory. */
disk *disk_create(const char *root);
void disk_destroy(disk *d);

/* A file that has been there for long. */
void disk_add_old(disk *d, const char *path);

/* A file that was made just before, by someone who synced nothing. */
void disk_add_unsynced(disk *d, const char *path);

/* Follows one line of cut_shim's record, without its line end. False for a call that the model
 * knows nothing about. */
bool disk_apply(disk *d, const char *line);

unsigned disk_possible(const disk *d, const char *path);

#endif
