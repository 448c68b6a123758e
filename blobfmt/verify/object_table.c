/* The tables of verify_judge.c: objects by their starts, and a bitmap of the bytes that objects
 * own.
 *
 * The bitmap decides V17, and V16 for bytes between objects, for any order of the objects. Two
 * objects overlap if and only if one claims a bit that is already set. Every byte without a set bit
 * must be zero. Each object sets its bits once, 64 at a time, so the work is linear in the payload.
 */
#include "object_table.h"

#include <string.h>

/* Records grow by a large factor to save copies; unused memory is never touched. */
enum { WORD_BITS = 64, GROWTH = 4 };

static void *zeroed(object_table *table, size_t size)
{
    void *memory = table->allocator.alloc(table->allocator.ctx, size, _Alignof(uint64_t));
    if (memory)
        memset(memory, 0, size);
    return memory;
}

bool kiln_object_table_init(object_table *table, const kiln_allocator *allocator,
                            size_t payload_size)
{
    table->allocator = *allocator;
    table->payload_size = payload_size;
    table->records = table->local_records;
    table->capacity = OBJECT_TABLE_LOCAL_RECORDS;
    table->count = 0;
    table->owned_words = (payload_size + WORD_BITS - 1) / WORD_BITS;
    table->block_count = (payload_size + OBJECT_TABLE_BLOCK - 1) / OBJECT_TABLE_BLOCK;
    if (payload_size <= OBJECT_TABLE_LOCAL_BYTES) {
        table->owned = table->local_owned;
        table->blocks = table->local_blocks;
        memset(table->owned, 0, table->owned_words * sizeof *table->owned);
        memset(table->blocks, 0, table->block_count * sizeof *table->blocks);
        return true;
    }
    table->owned = zeroed(table, table->owned_words * sizeof *table->owned);
    table->blocks = zeroed(table, table->block_count * sizeof *table->blocks);
    return table->owned && table->blocks;
}

void kiln_object_table_fini(object_table *table)
{
    const kiln_allocator *a = &table->allocator;
    if (table->records != table->local_records)
        a->free(a->ctx, table->records, table->capacity * sizeof *table->records);
    if (table->owned && table->owned != table->local_owned)
        a->free(a->ctx, table->owned, table->owned_words * sizeof *table->owned);
    if (table->blocks && table->blocks != table->local_blocks)
        a->free(a->ctx, table->blocks, table->block_count * sizeof *table->blocks);
}

static bool grow(object_table *table)
{
    const kiln_allocator *a = &table->allocator;
    size_t capacity = (size_t)table->capacity * GROWTH;
    if (capacity > SIZE_MAX / sizeof(object_record))
        return false;
    object_record *records = a->alloc(a->ctx, capacity * sizeof *records, _Alignof(object_record));
    if (!records)
        return false;
    memcpy(records, table->records, table->count * sizeof *records);
    if (table->records != table->local_records)
        a->free(a->ctx, table->records, table->capacity * sizeof *table->records);
    table->records = records;
    table->capacity = (uint32_t)capacity;
    return true;
}

uint32_t kiln_object_table_insert(object_table *table, uint32_t start, uint32_t unit,
                                  uint32_t count, uint32_t align)
{
    if (table->count == table->capacity && !grow(table))
        return UINT32_MAX;
    uint32_t *block = &table->blocks[start / OBJECT_TABLE_BLOCK];
    object_record record = {
        unit, count, *block, (uint16_t)align, (uint8_t)(start % OBJECT_TABLE_BLOCK), 1};
    table->records[table->count++] = record;
    *block = table->count;
    return table->count - 1;
}

bool kiln_object_table_own(object_table *table, uint32_t start, uint32_t size)
{
    size_t word = start / WORD_BITS, last = ((size_t)start + size - 1) / WORD_BITS;
    uint64_t first_mask = UINT64_MAX << start % WORD_BITS;
    uint64_t last_mask = UINT64_MAX >> (WORD_BITS - 1 - ((size_t)start + size - 1) % WORD_BITS);
    uint64_t taken = 0;
    if (word == last) {
        uint64_t mask = first_mask & last_mask;
        taken = table->owned[word] & mask;
        table->owned[word] |= mask;
        return taken == 0;
    }
    taken |= table->owned[word] & first_mask;
    table->owned[word] |= first_mask;
    while (++word < last) {
        taken |= table->owned[word];
        table->owned[word] = UINT64_MAX;
    }
    taken |= table->owned[last] & last_mask;
    table->owned[last] |= last_mask;
    return taken == 0;
}

size_t kiln_object_table_stray(const object_table *table, const unsigned char *payload)
{
    for (size_t word = 0; word < table->owned_words; word++) {
        if (table->owned[word] == UINT64_MAX)
            continue;
        size_t at = word * WORD_BITS, end = at + WORD_BITS;
        end = end < table->payload_size ? end : table->payload_size;
        for (; at < end; at++)
            if (payload[at] && !(table->owned[word] >> at % WORD_BITS & 1))
                return at;
    }
    return table->payload_size;
}
