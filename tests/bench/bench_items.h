/* The assets that the figures of the table of assets measure: files of small items made in memory,
 * and a shelf whose blob refers to all of them in random order. */
#ifndef BENCH_ITEMS_H
#define BENCH_ITEMS_H

#include "bench_span.h"

#include <kiln/assets.h>
#include <kiln/builder.h>

/* Any two files of the same items have equal bytes but for `price`, which says whose it is. */
typedef struct bench_items_def {
    uint32_t first, count; /* Item/0000000 and so on */
    uint32_t price;
    bool has_shelf; /* Shelf/all: every item, in random order */
} bench_items_def;

/* The file's bytes. All functions end the process where they cannot: a benchmark goes no further.
 */
kiln_buffer bench_items_write(const bench_items_def *def);
void bench_items_save(const kiln_buffer *bytes, const char *path);

_Noreturn void bench_items_fail(kiln_status status);
static inline void bench_items_expect(kiln_status status)
{
    if (status)
        bench_items_fail(status);
}

/* An empty table that is told nothing; pointer words are not noted. */
kiln_assets *bench_items_table(void);
kiln_mount bench_items_mount(kiln_assets *assets, const kiln_buffer *file, int32_t order);

enum { BENCH_ITEM_NAME_SIZE = 16 };
void bench_items_name(char name[BENCH_ITEM_NAME_SIZE], uint32_t number);

#endif
