/* The comments of the `type` command: what a struct wastes, and which values its fields have. */
#ifndef INSP_TYPE_DATA_H
#define INSP_TYPE_DATA_H

#include "insp_ranges.h"
#include "insp_run.h"

/* The bytes of a struct that no field has. */
uint32_t insp_type_padding(const kiln_types *types, const kiln_type *type);

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
