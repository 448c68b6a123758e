/* The state of a gateway, and what its parts share. Private to gateway*.c and depfile.c. */
#ifndef BAKE_GATEWAY_STORE_H
#define BAKE_GATEWAY_STORE_H

#include "bake_table.h"
#include "gateway.h"
#include "gateway_folder.h"

#include <stdint.h>
#include <sys/types.h>

enum { WHY_SIZE = 120 };

typedef struct used_path {
    char *path;
    bake_use use;
    char *text; /* when read; a block of `capacity` bytes */
    size_t size, capacity;
    bool is_regular; /* a regular file was read; these identify it under any name */
    dev_t device;
    ino_t inode;
} used_path;

/* The place of an output, which is kept after the output is gone. */
typedef struct output_place {
    char *target;     /* NULL: a descriptor or a device */
    const char *name; /* the last part of `target` */
    int descriptor;   /* -1: none */
} output_place;

/* A program that was run, and how it ended. */
typedef struct gateway_run {
    const char *const *command;
    char *source;
    unsigned time_max;
    bake_program_end end;
} gateway_run;

struct bake_gateway {
    char *base; /* NULL: the current folder */
    used_path *used;
    size_t used_count;
    size_t used_capacity;
    hash_table by_path; /* finds `used` */
    void **owned;       /* blocks that live as long as the gateway */
    size_t owned_count;
    size_t owned_capacity;
    bake_output **outputs;
    size_t output_count;
    size_t output_capacity;
    output_place *places; /* of all outputs that were begun */
    size_t place_count;
    size_t place_capacity;
    output_folder *folders; /* that outputs went to */
    bool only_named;        /* every temporary file gets a name at once */
    gateway_run **runs;     /* of programs */
    size_t run_count;
    size_t run_capacity;
    hash_table runs_by_source;
    bool no_programs;
    size_t input_max;   /* bytes that a file may have; SIZE_MAX: any number */
    char why[WHY_SIZE]; /* the reason of the last failure to read */
};

/* The entry of the path in the record, added if it is new; NULL with errno ENOMEM. */
used_path *bake_gateway_record(bake_gateway *gateway, const char *path, bake_use use);
/* Records that a regular file is read by a program; on failure false with errno set. A missing
 * file is still recorded, as looked for. */
bool bake_gateway_record_file(bake_gateway *gateway, const char *path);
/* Sets errno and bake_gateway_why: `why` is a format, NULL means the text of `error`. Returns
 * false. */
bool bake_gateway_refuse(bake_gateway *gateway, int error, const char *why, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 3, 4)))
#endif
    ;
/* Frees a run and what its program wrote; NULL is fine. */
void bake_gateway_run_free(gateway_run *run);
/* Opens an input, a folder too; -1 with errno set. */
int bake_gateway_open(const bake_gateway *gateway, const char *path, int flags);
/* `a`/`b`, the caller's to free; `b` alone when `a` is NULL or empty or `b` absolute. NULL with
 * errno ENOMEM. */
char *bake_gateway_join(const char *a, const char *b);
/* Writes all bytes, also after interruptions; false with errno set. */
bool bake_write_all(int file, const void *data, size_t size);
/* Reads up to `size` bytes until the end of the file; false with errno set. */
bool bake_read_some(int file, void *data, size_t size, size_t *ret_size);
/* Frees `block` with the gateway; false with errno ENOMEM, and then it stays the caller's. */
bool bake_gateway_own(bake_gateway *gateway, void *block);

#endif
