/* Rows of a hex dump: bytes on the left, their meaning on the right.
 *
 * A view goes from the first byte of the file to the last. `cursor` is its position, so that every
 * byte is printed exactly once. Bytes outside the selection are skipped. */
#ifndef INSP_HEX_VIEW_H
#define INSP_HEX_VIEW_H

#include "insp_map.h"
#include "insp_run.h"

enum { INSP_HEX_ROW = 16 };

typedef struct insp_hex_view {
    insp_run *run;
    insp_out *out;
    const insp_map *map;
    const unsigned char *data;
    uint64_t from, to; /* the selection */
    uint64_t cursor;   /* all bytes before it are printed */
} insp_hex_view;

/* Whether the selection contains any byte in [`at`, `end`). */
bool insp_hex_is_selected(const insp_hex_view *v, uint64_t at, uint64_t end);

/* A row of bytes, cut to the selection; the label follows on the same line. False if the row is
 * outside the selection. */
bool insp_hex_begin_row(insp_hex_view *v, uint64_t at, uint64_t end);

/* Rows with the same label, and with the bytes as characters if `characters`. */
void insp_hex_put_rows(insp_hex_view *v, uint64_t at, uint64_t end, const char *label,
                       bool characters);

/* Bytes before `end` that belong to no object: runs of zeros, labelled `zeros`, and bytes that
 * should be zero. */
void insp_hex_put_between(insp_hex_view *v, uint64_t end, const char *zeros);

#endif
