/* Moves bytes that are rarely needed from memory to a temporary file, so that the memory of a run
 * does not grow with its inputs.
 *
 * A run reads all its inputs before it bakes the first asset, and bakes all assets before it writes
 * the file. In between, most texts, trees and blobs are not needed. The spool copies them to a file
 * without a name and maps it, so that their owners still read them at an address. From time to
 * time the mapped pages are released; reading them again maps them again. So addresses stay valid,
 * and results do not depend on what is in the file.
 *
 * The first bytes stay in memory: `memory_max`, and three times the largest block. So only large
 * runs have a file. The thread that owns the run opens it, because other threads may have tables of
 * descriptors of their own (bake_threads.h); until then, all bytes stay in memory. If the file
 * cannot be created, written or mapped, all later bytes stay in memory, too. The bytes in the file
 * never change, and only the process can reach it. Reading them fails, with a signal, only if the
 * device fails. Linux only; elsewhere everything stays in memory.
 *
 * All functions accept NULL for a spool that keeps everything in memory. Any thread may call them
 * between creation and destruction. */
#ifndef BAKE_SPOOL_H
#define BAKE_SPOOL_H

#include <kiln/allocator.h>
#include <stdbool.h>
#include <stddef.h>

typedef struct bake_spool bake_spool;

typedef struct bake_spool_def {
    size_t memory_max;      /* bytes that stay in memory */
    int (*open)(void *ctx); /* opens an empty file that only this process can reach, for reading
                               and writing; returns -1 on failure. Called by bake_spool_open */
    void *ctx;
} bake_spool_def;

/* Returns NULL if memory runs out. */
bake_spool *bake_spool_create(const bake_spool_def *def);
/* Makes all addresses in the file invalid. */
void bake_spool_destroy(bake_spool *spool);

/* Whether there is no file yet, and some bytes should have moved to it. */
bool bake_spool_wants_file(const bake_spool *spool);
/* Opens the file if bake_spool_wants_file. Threads that began before, with tables of descriptors of
 * their own, must not use the spool any more. */
void bake_spool_open(bake_spool *spool);

/* Copies `size` bytes to the file and returns their address there, a multiple of `align`, which is
 * a power of two up to 4096. Returns NULL if the bytes must stay where they are. The bytes at the
 * address are constant and valid until bake_spool_destroy. */
const void *bake_spool_put(bake_spool *spool, const void *data, size_t size, size_t align);
/* Moves the bytes of a buffer to the file, or leaves the buffer unchanged. */
void bake_spool_move(bake_spool *spool, kiln_buffer *buffer, size_t align);
/* Linux maps up to 16 pages around each page that is read. Add this to the size of a small part. */
enum { BAKE_SPOOL_AROUND = 16 * 4096 };

/* Notes that at most `size` bytes that may be in the file were read or will be read. Releases all
 * mapped pages after every few MiB. Call it for each larger part that is read. */
void bake_spool_touch(bake_spool *spool, size_t size);
/* Whether anything is in the file. */
bool bake_spool_is_used(const bake_spool *spool);

#endif
