/* A conversion that is being compiled: the steps that turn a value of one type into a value of
 * another (FORMAT.md section 17). Its parts, callers first: convert_compile.c goes through the
 * targets, convert_kinds.c compiles the inline contents of a target, convert_default.c makes the
 * values of new fields, convert_steps.c appends steps to rows, convert_match.c finds corresponding
 * members, and convert_fail.c reports failures. */
#ifndef KILN_CONVERT_COMPILE_H
#define KILN_CONVERT_COMPILE_H

#include "convert_plan.h"

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

/* A row that is being compiled. */
typedef struct convert_open_row {
    size_t first; /* index of its first step in `open` */
    uint32_t box_size, box_align;
} convert_open_row;

typedef struct convert_compiler {
    kiln_conversion *c;
    vector open;           /* stack of the steps of all open rows, the innermost row last */
    convert_open_row *row; /* the innermost open row */
    unsigned nesting;      /* number of open rows */
    hash_table row_numbers, target_numbers, table_numbers;
    kiln_error *reterr;
} convert_compiler;

/* convert_fail.c. Reports a failure with the path of `place`. */
kiln_status kiln_convert_fail(convert_compiler *k, kiln_status status, const convert_place *place);
kiln_status kiln_convert_no_memory(convert_compiler *k);

/* convert_match.c. Whether the types correspond: by name or earlier name. The two roots always do.
 */
bool kiln_convert_is_same_type(const kiln_conversion *c, uint32_t from_type, uint32_t to_type);
bool kiln_convert_is_same_struct(const kiln_conversion *c, uint32_t from_type, uint32_t to_type);
/* For each member of `to`, the number of the corresponding member of `from`, or KILN_TYPE_NONE.
 * `ret_numbers` is in the conversion's memory. */
kiln_status kiln_convert_match_fields(convert_compiler *k, const kiln_type *from, uint32_t to,
                                      uint32_t **ret_numbers);
/* For each member of `from`, what it becomes. Does not set targets. */
kiln_status kiln_convert_match_choices(convert_compiler *k, const kiln_type *from, uint32_t to,
                                       convert_choice **ret_choices);

/* convert_steps.c. Appends a step to the innermost row. A step that continues the previous one
 * extends it instead. */
kiln_status kiln_convert_add(convert_compiler *k, const convert_step *step);
kiln_status kiln_convert_add_bytes(convert_compiler *k, convert_op op, uint32_t from, uint32_t to,
                                   uint32_t count);
/* Appends a step that writes constant bytes. */
kiln_status kiln_convert_add_constant(convert_compiler *k, uint32_t to, const unsigned char *bytes,
                                      uint32_t count);
/* Appends a whole row at these offsets: either its steps, if they are few, or one step that refers
 * to the row. */
kiln_status kiln_convert_add_row(convert_compiler *k, uint32_t row, uint32_t from, uint32_t to,
                                 uint32_t count);
/* Makes room for an object in the boxes of the innermost row; `ret_box` receives its offset there.
 */
kiln_status kiln_convert_add_box(convert_compiler *k, uint32_t size, uint32_t align,
                                 uint32_t *ret_box);

/* Makes `row` the innermost open row, until kiln_convert_end_row restores the row around it. */
void kiln_convert_begin_row(convert_compiler *k, convert_open_row *row, convert_open_row **outer);
/* Closes the innermost open row and adds it to the conversion. `outer` becomes the innermost one.
 */
kiln_status kiln_convert_end_row(convert_compiler *k, convert_row row, convert_open_row *outer,
                                 uint32_t *ret_number);

/* convert_default.c. Appends a new value at `to`: the default if the member of `place` has one,
 * otherwise an empty value. For a fixed array that has become longer, appends only its elements
 * from `first` on. */
kiln_status kiln_convert_add_new(convert_compiler *k, uint32_t type, uint32_t to, uint32_t first,
                                 const convert_place *place);

/* convert_kinds.c. Appends the steps of a map's entry, and sets the sizes of `row`. */
kiln_status kiln_convert_add_entry(convert_compiler *k, const convert_target *target,
                                   convert_row *row);
/* The row that turns a value of `from_type` into one of `to_type`; compiled if it does not exist
 * yet. */
kiln_status kiln_convert_find_row(convert_compiler *k, uint32_t from_type, uint32_t to_type,
                                  const convert_place *place, uint32_t *ret_number);

/* convert_compile.c. Compiles the conversion from its root types. */
kiln_status kiln_convert_compile(convert_compiler *k);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
