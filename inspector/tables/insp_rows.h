/* Reads values as rows of the tables that insp_tables.h plans.
 *
 * Values are not trusted: what cannot be read is left out and counted. Objects can be shared, so a
 * small file can describe an arbitrarily large value: reading stops when `left` steps are used
 * up. */
#ifndef INSP_ROWS_H
#define INSP_ROWS_H

#include "insp_cell.h"
#include "insp_tables.h"

#include <stdio.h>

typedef struct insp_row {
    uint32_t table;
    uint64_t owner;    /* the id of the asset, or the number of the entity, of the root's row */
    uint64_t number;   /* of the row in its table, from 1; of a root: `owner` */
    uint64_t parent;   /* number of the row in the parent table */
    uint32_t position; /* of an element, from 0 */
} insp_row;

/* Receives rows. The row of a value begins before the rows of its parts and ends after them. The
 * columns of a row come in ascending order; those that are missing are NULL. The functions return
 * false to stop. */
typedef struct insp_row_sink {
    void *ctx;
    bool (*begin)(void *ctx, const insp_row *row);
    bool (*cell)(void *ctx, uint32_t table, uint32_t column, const insp_cell *cell);
    bool (*end)(void *ctx, uint32_t table);
} insp_row_sink;

typedef struct insp_rows {
    const insp_tables *tables;
    const insp_row_sink *sink;
    const insp_file *file;
    const insp_words *words; /* of the row of a scene; NULL: none */
    uint64_t left;
    bool stopped;        /* by `left`, or by the sink */
    bool failed;         /* memory ran out */
    uint64_t broken;     /* values that break a rule */
    uint64_t missing;    /* values in the data of a scene that are not in the file */
    uint64_t *last_rows; /* by table */
    uint64_t owner;
    uint32_t depth; /* nested objects */
    insp_out *text;
} insp_rows;

/* Starts at row 1 of each table, which must be planned. The caller then sets `file`, `words` and
 * `left`. Returns false if memory runs out; call insp_rows_fini in both cases. */
bool insp_rows_init(insp_rows *rows, const insp_tables *tables, const insp_row_sink *sink);
void insp_rows_fini(insp_rows *rows);

/* Reads the row of a root and its parts. `value` is NULL for a component without a type, whose
 * bytes are `bytes`; NULL if it has none. */
void insp_rows_read(insp_rows *rows, uint32_t root, uint64_t owner, const kiln_value *value,
                    insp_text bytes);

#endif
