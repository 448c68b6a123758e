/* Lists that grow by one item at a time. A zeroed list is empty and has no memory.
 *
 *     count <= room     items that fit
 */
#ifndef KILN_LIST_H
#define KILN_LIST_H

#include <kiln/allocator.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

typedef struct kiln_list {
    void *items;
    uint32_t count, room;
} kiln_list;

/* Makes room for one more item of `item_size` bytes. Returns false if memory runs out; then the
 * list is unchanged. */
bool kiln_list_grow(const kiln_allocator *allocator, kiln_list *list, size_t item_size);
/* The address of a new item; NULL if memory runs out. */
void *kiln_list_push(const kiln_allocator *allocator, kiln_list *list, size_t item_size);
/* Frees the items; the list is empty again. */
void kiln_list_fini(const kiln_allocator *allocator, kiln_list *list, size_t item_size);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
