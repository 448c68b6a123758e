/* A conversion being compiled: which steps make a value of one type from a value of another,
 * FORMAT.md section 16. Its parts, each above those that it uses: convert_compile.c goes from
 * target to target, convert_kinds.c through what one holds inline, convert_default.c makes what is
 * new, convert_steps.c appends steps to rows, convert_match.c finds what was what, convert_fail.c.
 */
#ifndef KILN_CONVERT_COMPILE_H
#define KILN_CONVERT_COMPILE_H

#include "convert_plan.h"

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

/* A row being compiled. */
typedef struct convert_open_row {
    size_t first; /* of its steps among the open ones */
    uint32_t box_size, box_align;
} convert_open_row;

/* A conversion being compiled. */
typedef struct convert_compiler {
    kiln_conversion *c;
    vector open;           /* steps of the rows being compiled, the innermost last */
    convert_open_row *row; /* the innermost one */
    unsigned nesting;      /* of rows being compiled */
    hash_table row_numbers, target_numbers, table_numbers;
    kiln_error *reterr;
} convert_compiler;

/* convert_fail.c. Fails with the path of `place`. */
kiln_status kiln_convert_fail(convert_compiler *k, kiln_status status, const convert_place *place);
kiln_status kiln_convert_no_memory(convert_compiler *k);

/* convert_match.c. Whether a type of the program's is the file's: by name or earlier name, but for
 * the two roots, which the caller says are. */
bool kiln_convert_is_same_type(const kiln_conversion *c, uint32_t from_type, uint32_t to_type);
bool kiln_convert_is_same_struct(const kiln_conversion *c, uint32_t from_type, uint32_t to_type);
/* For each member of `to` the number of the member of `from` that it was, or KILN_TYPE_NONE;
 * `ret_numbers` lies in the conversion's memory. */
kiln_status kiln_convert_match_fields(convert_compiler *k, const kiln_type *from, uint32_t to,
                                      uint32_t **ret_numbers);
/* For each member of `from` what it becomes, without targets. */
kiln_status kiln_convert_match_choices(convert_compiler *k, const kiln_type *from, uint32_t to,
                                       convert_choice **ret_choices);

/* convert_steps.c. Appends to the innermost row; one that goes on where the last one ends is made
 * one with it. */
kiln_status kiln_convert_add(convert_compiler *k, const convert_step *step);
kiln_status kiln_convert_add_bytes(convert_compiler *k, convert_what what, uint32_t from,
                                   uint32_t to, uint32_t count);
/* A constant, NULL for zeros. */
kiln_status kiln_convert_add_constant(convert_compiler *k, uint32_t to, const unsigned char *bytes,
                                      uint32_t count);
/* Appends a whole row at these places: its steps where they are few, or a step that refers to it.
 */
kiln_status kiln_convert_add_row(convert_compiler *k, uint32_t row, uint32_t from, uint32_t to,
                                 uint32_t count);
/* Makes room for an object among the boxes of the innermost row; gives where it begins. */
kiln_status kiln_convert_add_box(convert_compiler *k, uint32_t size, uint32_t align,
                                 uint32_t *ret_box);

/* `row` becomes the innermost one, until the end restores the one around it. */
void kiln_convert_begin_row(convert_compiler *k, convert_open_row *row, convert_open_row **outer);
/* Makes the innermost open row one of the conversion's. */
kiln_status kiln_convert_end_row(convert_compiler *k, convert_row row, convert_open_row *outer,
                                 uint32_t *ret_number);

/* convert_default.c. Appends what a new value of type `to` is: its default where `member` has one,
 * otherwise empty. Of a fixed array that has become longer, from element `first` on. */
kiln_status kiln_convert_add_new(convert_compiler *k, uint32_t type, uint32_t to, uint32_t first,
                                 const convert_place *place);

/* convert_kinds.c. The entries of a map; sets the sizes of `row`. */
kiln_status kiln_convert_add_entry(convert_compiler *k, const convert_target *target,
                                   convert_row *row);
/* The row of two types, one's value after the other's; compiled where it is new. */
kiln_status kiln_convert_find_row(convert_compiler *k, uint32_t from_type, uint32_t to_type,
                                  const convert_place *place, uint32_t *ret_number);

/* convert_compile.c. Compiles the row of `from` and `to` and all that it reaches. */
kiln_status kiln_convert_compile(convert_compiler *k);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
