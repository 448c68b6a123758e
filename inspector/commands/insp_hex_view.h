/* Rows of a hex dump: bytes on the left, what they are on the right.
 *
 * A view goes through the file from its first byte to its last; `cursor` says how far it came, so
 * that no byte is printed twice and none is left out. What lies outside the selection is passed
 * over. */
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
    uint64_t from, to; /* what was selected */
    uint64_t cursor;   /* all bytes before it are printed */
} insp_hex_view;

/* Whether some of the bytes from `at` up to `end` are to be printed. */
bool insp_hex_is_selected(const insp_hex_view *v, uint64_t at, uint64_t end);

/* One row of bytes, cut to the selection; a label follows on the same line. False where nothing of
 * it is selected. */
bool insp_hex_begin_row(insp_hex_view *v, uint64_t at, uint64_t end);

/* Rows with the same label each, and the bytes as characters where `characters`. */
void insp_hex_put_rows(insp_hex_view *v, uint64_t at, uint64_t end, const char *label,
                       bool characters);

/* Bytes up to `end` that belong to no object: runs of zeros, which are called `zeros`, and what
 * should not be there. */
void insp_hex_put_between(insp_hex_view *v, uint64_t end, const char *zeros);

#endif
