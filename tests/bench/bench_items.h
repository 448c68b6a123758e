/* The assets for the figures of the asset table: files of small items made in memory, and a shelf
 * whose blob refers to all items in random order. */
#ifndef BENCH_ITEMS_H
#define BENCH_ITEMS_H

#include "bench_span.h"

#include <kiln/assets.h>
#include <kiln/builder.h>

/* Two files with the same items differ only in `price`, which identifies the file. */
typedef struct bench_items_def {
    uint32_t first, count; /* Item/0000000 and so on */
    uint32_t price;
    bool has_shelf;   /* adds Shelf/all, which refers to every item in random order */
    uint32_t changed; /* this many items, evenly distributed, have the price `price` + 1 */
    uint32_t which;   /* the first of them, less than `count` / `changed` */
} bench_items_def;

/* Returns the bytes of the file. All functions exit the process on failure. */
kiln_buffer bench_items_write(const bench_items_def *def);
void bench_items_save(const kiln_buffer *bytes, const char *path);

_Noreturn void bench_items_fail(kiln_status status);
static inline void bench_items_expect(kiln_status status)
{
    if (status)
        bench_items_fail(status);
}

/* Returns an empty table that tracks neither pointer words nor takers. */
kiln_assets *bench_items_table(void);
kiln_mount bench_items_mount(kiln_assets *assets, const kiln_buffer *file, int32_t order);

enum { BENCH_ITEM_NAME_SIZE = 16 };
void bench_items_name(char name[BENCH_ITEM_NAME_SIZE], uint32_t number);

#endif
