/* Where the assets of a part are written: a record behind the kiln file in a part.
 *
 * A names file has no lines, because all parts would be baked again if lines moved. So each part
 * states its own lines, and `kiln-bake link` uses them in messages about the whole bundle. The
 * record is at the end of the part: its body, then its size, its hash and a magic number. */
#ifndef BAKE_PART_LINES_H
#define BAKE_PART_LINES_H

#include "bake_store.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct bake_part_line {
    const char *name; /* of the asset */
    uint32_t path;    /* number of the file in which it is written */
    uint32_t line, column;
} bake_part_line;

typedef struct bake_part_lines {
    const char *const *paths;
    size_t path_count;
    const bake_part_line *items;
    size_t count;
} bake_part_lines;

/* Writes the record. Returns false with errno ENOMEM if memory runs out, or if `write` fails. */
bool bake_part_lines_write(const bake_part_lines *lines,
                           bool (*write)(void *ctx, const void *data, size_t size), void *ctx);

/* Finds the record at the end of a part. Returns the size of the kiln file before it; all of
 * `size` if there is no intact record, and `*ret_body` is then NULL. Safe on hostile bytes. */
size_t bake_part_lines_find(const void *data, size_t size, const unsigned char **ret_body,
                            size_t *ret_body_size);
/* Reads the body of a record. Texts stay in `body`, and arrays are allocated in `store`. Returns
 * false with errno set, EINVAL if the body is malformed. Safe on hostile bytes. */
bool bake_part_lines_read(const unsigned char *body, size_t size, bake_store *store,
                          bake_part_lines *ret_lines);

#endif
