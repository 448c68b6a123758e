/* The content of a column in one row.
 *
 *     bool, integer    an integer; u64 from 2^63 on: text with decimal digits
 *     f64              a number; NaN: the text `NaN`
 *     f32              the f64 nearest to its shortest decimal, so that 0.1 is equal to 0.1
 *     string           text
 *     bytes            bytes
 *     enum             text: its name; an integer if it has none
 *     flags            text: the names, separated by spaces; bits without a name follow as `0x...`
 *     reference        an asset; none for the null reference
 *     entity           an entity; none for null */
#ifndef INSP_CELL_H
#define INSP_CELL_H

#include "insp_file.h"
#include "insp_number.h"
#include "insp_printer.h"

typedef enum insp_cell_kind {
    INSP_CELL_NONE,
    INSP_CELL_INTEGER,
    INSP_CELL_NUMBER,
    INSP_CELL_TEXT, /* valid UTF-8 */
    INSP_CELL_BYTES,
    INSP_CELL_ASSET,
    INSP_CELL_ENTITY
} insp_cell_kind;

/* `text` belongs to the file or to a type, or is `buffer`, so a cell cannot be copied. */
typedef struct insp_cell {
    insp_cell_kind kind;
    int64_t integer;
    double number;
    const char *text;
    size_t length;
    uint64_t asset; /* id */
    insp_entity entity;
    bool is_broken; /* the value breaks a rule */
    char buffer[INSP_NUMBER_SIZE];
} insp_cell;

/* Reads a value without parts that is not a word of a row, and not an entity. Flags need the
 * separate function below. */
void insp_cell_read(const kiln_value *value, insp_cell *ret_cell);

/* Writes flags at the end of `out`, which is a text (insp_out_init_text). Returns whether all bits
 * have names. */
bool insp_cell_put_flags(insp_out *out, const kiln_value *value);

#endif
