/* Internals of an open file: bytes, the index, the types to check members against, and one verdict
 * for each member.
 *
 * Opening checks the frame of the index. Before an asset's entry is used, a check ensures that its
 * type and member exist. The record of a member (location and sizes) is checked together with its
 * header, before the member's other bytes are read. Everything else in the index is read only if
 * `index_is_valid`.
 *
 * file.c opens files and finds assets; file_verify.c checks everything at once.
 *
 * Bytes, index and the program's types never change while the file is open. Threads share these
 * fields:
 *
 *     verdicts[i]   read with acquire; written under `lock` with release, but any thread may
 *                   change LEVEL_NONE to LEVEL_HASH by compare-and-swap
 *     table, table_error
 *                   `table` read with acquire; both written under `table_lock`, at most once
 *     packs, packs_error
 *                   likewise; for their content see file_unpack.h */
#ifndef KILN_FILE_OBJECT_H
#define KILN_FILE_OBJECT_H

#include "file_source.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

/* How thoroughly a member has been verified, weakest level first. A number in `verdicts` is one of
 * these, or VERDICT_BAD plus the status of the failed check. VERDICT_BUSY is added while a thread
 * checks the member further. */
typedef enum kiln_file_level {
    LEVEL_NONE = 0,
    LEVEL_HEADER = 1,  /* header and index agree */
    LEVEL_HASH = 2,    /* and the blob's hash is correct */
    LEVEL_VALUES = 3,  /* and every value is valid according to the file's type table */
    LEVEL_TRUSTED = 4, /* and every value is valid according to the program's types */
    VERDICT_BAD = 5,
    VERDICT_BUSY = 0x8000
} kiln_file_level;

typedef uint16_t kiln_verdict;

_Static_assert(KILN_STATUS_COUNT <= VERDICT_BUSY - VERDICT_BAD,
               "a verdict must be able to hold any status");

typedef struct kiln_file_packs kiln_file_packs;

struct kiln_file {
    kiln_allocator allocator;
    kiln_file_source source;
    const kiln_index *index; /* its entries are unchecked: see `frame` */
    kiln_index_frame frame;
    const kiln_types *program_types; /* NULL if there are none */
    kiln_types *own_types;           /* read from the definition, or NULL */
    kiln_verify_level level;
    size_t bytes; /* of this struct, `verdicts` included */
    pthread_mutex_t lock;
    pthread_cond_t checked; /* signalled when a member is no longer busy */
    pthread_mutex_t table_lock;
    _Atomic(kiln_types *) table;      /* the file's type table, read on first use */
    kiln_error table_error;           /* why it can never be read; else KILN_OK */
    _Atomic(kiln_file_packs *) packs; /* made when a compressed member is first used */
    kiln_error packs_error;           /* why they can never be made; else KILN_OK */
    atomic_bool index_is_valid;       /* every rule of the index was checked; set with release */
    _Atomic(kiln_verdict) verdicts[]; /* one per member */
};

/* The verdict of an existing member. */
static inline _Atomic(kiln_verdict) *kiln_file_verdict(kiln_file *file, uint32_t member)
{
    assert(member < file->index->members.count);
    return &file->verdicts[member];
}

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

/* kiln_file_open with types that were read before and outlive the file; NULL: none. */
kiln_status kiln_file_open_sharing(const kiln_file_def *def, const kiln_types *types,
                                   kiln_file **ret_file, kiln_error *reterr);

/* Checks every rule of the index, once. */
kiln_status kiln_file_check_index(kiln_file *file, kiln_error *reterr);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
