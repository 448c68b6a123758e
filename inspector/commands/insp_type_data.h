/* What the `type` command shows of a struct: what it wastes, and which values its fields have. */
#ifndef INSP_TYPE_DATA_H
#define INSP_TYPE_DATA_H

#include "insp_ranges.h"
#include "insp_run.h"

/* The bytes of a struct that no field has. */
uint32_t insp_type_padding(const kiln_types *types, const kiln_type *type);

/* The size of a struct if its fields are sorted by alignment; its size if memory runs out. */
uint64_t insp_type_sorted_size(const kiln_types *types, const kiln_type *type);

/* The kind of the numbers that bound a value. Bounds of optionals and data apply to their value. */
kiln_kind insp_type_bound_kind(const kiln_types *types, const kiln_type *of);

/* Whether the number is exactly an f32. The bound of an f32 field may be any f64; it is printed
 * with the digits of an f32 only if that loses no precision. */
bool insp_type_is_f32(double number);

/* Writes the default of a field that has one, with its key, for YAML or JSON; nothing if the
 * default is broken. Returns false if memory runs out. */
bool insp_type_put_default(insp_run *run, const insp_file *file, const kiln_member *member,
                           bool is_json);

/* The smaller number kind that a field can have; KILN_KIND_STRUCT if there is none. */
kiln_kind insp_type_smaller_kind(const insp_ranges *ranges, uint32_t type, uint32_t field);

/* The size of a struct if every field has the smallest type that suffices, and with fields sorted
 * by alignment. Returns false if memory runs out. */
bool insp_type_small_size(const insp_ranges *ranges, uint32_t type, uint64_t *ret_size,
                          uint64_t *ret_sorted);

/* Writes what the place of field `i` shows: a hole before it, and a new cache line. */
void insp_type_put_place(insp_run *run, const kiln_types *types, const kiln_type *type, uint32_t i);

/* Writes a line about the padding of a struct, if there is any. */
void insp_type_put_padding(insp_run *run, const kiln_types *types, const kiln_type *type);

/* Writes a line about the values of a field. */
void insp_type_put_range(insp_run *run, const insp_ranges *ranges, uint32_t type, uint32_t field);

/* Writes the fields with smaller types, and what these save; nothing if they save nothing. Returns
 * false if memory runs out. */
bool insp_type_put_patch(insp_run *run, const insp_ranges *ranges, uint32_t type);

#endif
