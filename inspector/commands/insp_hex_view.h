/* Rows of a hex dump: bytes on the left, their meaning on the right.
 *
 * A view advances from the first byte of the file to the last; `cursor` is its position. Every
 * selected byte is printed exactly once; all others are skipped. */
#ifndef INSP_HEX_VIEW_H
#define INSP_HEX_VIEW_H

#include "insp_map.h"
#include "insp_run.h"

enum { INSP_HEX_ROW = 16 };

typedef struct insp_hex_view {
    insp_run *run;
    insp_out *out; /* the label of a row; in text, the output itself */
    const insp_map *map;
    const unsigned char *data;
    uint64_t from, to; /* the selection */
    uint64_t cursor;   /* all bytes before it were printed or skipped */
    bool is_json;
    bool is_open;              /* JSON: an object has begun */
    uint64_t objects, rows;    /* JSON: written so far, rows of the last object */
    uint64_t row_from, row_to; /* JSON: the row that has begun */
} insp_hex_view;

/* Whether the selection contains any byte in [`at`, `end`). */
bool insp_hex_is_selected(const insp_hex_view *v, uint64_t at, uint64_t end);

/* Prints a row of bytes, limited to the selection; the caller prints the label on the same line,
 * to `out`, and ends the row. Returns false if the row is outside the selection, or the output was
 * truncated. */
bool insp_hex_begin_row(insp_hex_view *v, uint64_t at, uint64_t end);
void insp_hex_end_row(insp_hex_view *v);

/* In JSON, begin and end an object, which contains the following rows. The caller writes its
 * members to `run->out` after insp_hex_begin_object, and then calls insp_hex_begin_rows. Rows
 * outside of objects are a gap. */
void insp_hex_begin_object(insp_hex_view *v, const char *kind, uint64_t at, uint64_t size);
void insp_hex_begin_rows(insp_hex_view *v);
void insp_hex_end_object(insp_hex_view *v);

/* Prints rows with the same label; if `characters`, also shows the bytes as characters. */
void insp_hex_put_rows(insp_hex_view *v, uint64_t at, uint64_t end, const char *label,
                       bool characters);

/* Prints bytes up to `end` that belong to no object: rows of zeros with the label `zeros`, all
 * other rows as violations. */
void insp_hex_put_gap(insp_hex_view *v, uint64_t end, const char *zeros);

#endif
