/* The records of an earlier source map (SOURCE-MAP.md). bake_origins_copy copies those of an asset
 * to a new map, which numbers its files in another way. One thread at a time. */
#ifndef BAKE_OLD_ORIGINS_H
#define BAKE_OLD_ORIGINS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BAKE_OLD_ORIGINS_NONE UINT32_MAX

typedef struct bake_old_origins bake_old_origins;

/* A record of an asset. Its text consists of `text`, the place, and `rest`. */
typedef struct bake_old_record {
    const char *text;
    size_t text_size;
    bool has_place;
    uint32_t file, line;
    const char *rest; /* from the colon after the line */
    size_t rest_size;
} bake_old_record;

/* Returns false if a place no longer exists. Otherwise changes its line to the present one. */
typedef bool bake_old_origins_move(void *ctx, uint32_t file, uint32_t *line);

/* Reads the list of files and finds the records of each asset in `text`, which must outlive the
 * result. Returns NULL if memory runs out, or if `text` is not a map whose assets are sorted and
 * whose files are all different. Safe on hostile bytes. */
bake_old_origins *bake_old_origins_open(const char *text, size_t size);
/* Accepts NULL. */
void bake_old_origins_close(bake_old_origins *old);

uint32_t bake_old_origins_file_count(const bake_old_origins *old);
/* The name of a file as it is written in the map. */
const char *bake_old_origins_file(const bake_old_origins *old, uint32_t file);
/* Both return BAKE_OLD_ORIGINS_NONE if there is no such file or asset. */
uint32_t bake_old_origins_find_file(const bake_old_origins *old, const char *name);
uint32_t bake_old_origins_find(const bake_old_origins *old, const char *name, size_t length);

/* Whether all records of an asset are valid, and `move` accepts all their places. */
bool bake_old_origins_can_copy(const bake_old_origins *old, uint32_t asset,
                               bake_old_origins_move *move, void *ctx);

/* The text of the records of an asset that is not read yet. */
typedef struct bake_old_cursor {
    const char *at, *end;
} bake_old_cursor;

bake_old_cursor bake_old_origins_begin(const bake_old_origins *old, uint32_t asset);
/* Returns false at the end and at an invalid record. `cursor->at` equals `cursor->end` only at the
 * end. */
bool bake_old_origins_next(const bake_old_origins *old, bake_old_cursor *cursor,
                           bake_old_record *ret_record);

#endif
