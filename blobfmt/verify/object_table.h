/* Which objects a verifier has seen, and which bytes they own.
 *
 * Objects are found by the 32-byte block of the payload that they start in: a block has at most 32
 * starts, so a look-up takes bounded time whatever offsets a hostile payload chooses, and
 * neighbours in the payload are neighbours here. */
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
    uint32_t next;    /* in the same block: number plus 1; 0 ends */
    uint16_t align;   /* that its fields ask for */
    uint8_t in_block; /* where it starts, from the block's first byte */
    uint8_t height;   /* objects nested on the longest path down, itself included */
} object_record;

/* Small payloads are verified without asking the allocator. */
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

/* `payload_size` > 0. False when memory ran out; ending is fine then too. */
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
/* Enters an object that is not there yet; UINT32_MAX when memory ran out. */
uint32_t kiln_object_table_insert(object_table *table, uint32_t start, uint32_t unit,
                                  uint32_t count, uint32_t align);

/* Takes `size` > 0 bytes from `start`; false when one of them is taken already. */
bool kiln_object_table_own(object_table *table, uint32_t start, uint32_t size);
/* The first byte that nobody owns and that is not zero in `payload`; payload_size when there is
 * none. */
size_t kiln_object_table_stray(const object_table *table, const unsigned char *payload);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
