/* The objects that a verifier has seen, and the bytes that they own.
 *
 * Objects are found by the 32-byte block of the payload in which they start. A block has at most 32
 * starts, so lookups take bounded time, even if a hostile payload chooses the offsets. A hash table
 * would need protection against chosen keys. Blocks that are adjacent in the payload are also
 * adjacent in memory. */
#ifndef KILN_OBJECT_TABLE_H
#define KILN_OBJECT_TABLE_H

#include <kiln/allocator.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

typedef struct object_record {
    uint32_t unit; /* object_form */
    uint32_t count;
    uint32_t next;    /* next object in the same block: number plus 1; 0 ends the list */
    uint16_t align;   /* the required alignment */
    uint8_t in_block; /* the start, relative to the block's first byte */
    uint8_t height;   /* number of objects on the longest path down, including itself */
} object_record;

/* Small payloads are verified without allocating memory. */
enum { OBJECT_TABLE_LOCAL_RECORDS = 64, OBJECT_TABLE_LOCAL_BYTES = 2048, OBJECT_TABLE_BLOCK = 32 };

typedef struct object_table {
    kiln_allocator allocator;
    size_t payload_size;
    uint32_t *blocks; /* by start / OBJECT_TABLE_BLOCK: first record's number plus 1 */
    size_t block_count;
    uint64_t *owned; /* a bit for each payload byte */
    size_t owned_words;
    object_record *records;
    uint32_t count, capacity;
    object_record local_records[OBJECT_TABLE_LOCAL_RECORDS];
    uint32_t local_blocks[OBJECT_TABLE_LOCAL_BYTES / OBJECT_TABLE_BLOCK];
    uint64_t local_owned[OBJECT_TABLE_LOCAL_BYTES / 64];
} object_table;

/* `payload_size` > 0. False if memory runs out; kiln_object_table_fini is still required. */
bool kiln_object_table_init(object_table *table, const kiln_allocator *allocator,
                            size_t payload_size);
void kiln_object_table_fini(object_table *table);

/* The number of the object that starts at `start`, or UINT32_MAX. */
static inline uint32_t object_table_find(const object_table *table, uint32_t start)
{
    uint32_t link = table->blocks[start / OBJECT_TABLE_BLOCK];
    while (link && table->records[link - 1].in_block != start % OBJECT_TABLE_BLOCK)
        link = table->records[link - 1].next;
    return link - 1;
}
/* Inserts an object that is not in the table, and returns its number; UINT32_MAX if memory runs
 * out. */
uint32_t kiln_object_table_insert(object_table *table, uint32_t start, uint32_t unit,
                                  uint32_t count, uint32_t align);

/* Claims the `size` > 0 bytes from `start` on; false if one of them is already owned. */
bool kiln_object_table_own(object_table *table, uint32_t start, uint32_t size);
/* The first byte of `payload` that is not zero and that no object owns; payload_size if there is
 * none. */
size_t kiln_object_table_stray(const object_table *table, const unsigned char *payload);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
