/* What a part states about itself: a record behind the kiln file in a part.
 *
 * It has the lines of the assets, which messages of `kiln-bake link` need. A names file has no
 * lines, because all parts would be baked again if lines moved. It also has the warnings of the
 * part, so that `kiln-bake link` prints those of all parts together. A payload that frames do not
 * make smaller is stored plain, but another level of compression may make it smaller. So the notes
 * have the sizes of frames.
 *
 * The record is at the end of the part: its body, then its size, its hash and a magic number. */
#ifndef BAKE_PART_NOTES_H
#define BAKE_PART_NOTES_H

#include "bake_store.h"
#include "diagnostics.h"

#include <kiln/index.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The sources of all marks are numbers of `paths`. */
typedef struct bake_part_line {
    const char *name; /* of the asset */
    bake_mark mark;
} bake_part_line;

typedef struct bake_part_warning {
    const char *rule, *path, *message; /* `path` is empty if there is none */
    const char *text; /* of the line of the first place, without the line break; or NULL */
    size_t text_size;
    bool is_counted; /* the message ends with the number of its places, if there are several */
    const bake_mark *places; /* the first is that of the message */
    size_t place_count;
    const char *const *hints;
    size_t hint_count;
    const char *const *related; /* messages about related places */
    const bake_mark *related_places;
    size_t related_count;
} bake_part_warning;

/* The payload with this content is stored in frames if that makes it smaller. */
typedef struct bake_part_frames {
    kiln_hash128 content;
    uint32_t size; /* bytes of data in each frame */
} bake_part_frames;

typedef struct bake_part_notes {
    const char *const *paths;
    size_t path_count;
    const bake_part_line *lines;
    size_t line_count;
    const bake_part_warning *warnings;
    size_t warning_count;
    uint64_t hidden;                /* number of further warnings, beyond the limit */
    const bake_part_frames *frames; /* strictly ascending by content */
    size_t frame_count;
} bake_part_notes;

/* Writes the record. Returns false with errno ENOMEM if memory runs out, or if `write` fails. */
bool bake_part_notes_write(const bake_part_notes *notes,
                           bool (*write)(void *ctx, const void *data, size_t size), void *ctx);

/* Finds the record at the end of a part. Returns the size of the kiln file before it; all of
 * `size` if there is no intact record, and `*ret_body` is then NULL. Safe on hostile bytes. */
size_t bake_part_notes_find(const void *data, size_t size, const unsigned char **ret_body,
                            size_t *ret_body_size);
/* Reads the body of a record. Texts stay in `body`, and arrays are allocated in `store`. Returns
 * false with errno set, EINVAL if the body is malformed. Safe on hostile bytes. */
bool bake_part_notes_read(const unsigned char *body, size_t size, bake_store *store,
                          bake_part_notes *ret_notes);

/* The size of the frames of a payload; 0 if the notes have none. */
uint32_t bake_part_notes_frames(const bake_part_notes *notes, kiln_hash128 content);

#endif
