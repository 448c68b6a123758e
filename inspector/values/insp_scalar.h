/* The text of values without parts, for all output formats. */
#ifndef INSP_SCALAR_H
#define INSP_SCALAR_H

#include "insp_printer.h"

enum { INSP_FLAGS_MAX = 64 };

/* The fewest names that together are the bits of a flag set, in declared order. Returns their
 * number; `ret_rest` are bits without a name. */
uint32_t insp_flag_names(const kiln_value *value, const kiln_member *ret_names[INSP_FLAGS_MAX],
                         uint64_t *ret_rest);

/* The name of the asset that a reference contains; NULL if the file does not have the name. */
const insp_name *insp_ref_name(const insp_printer *p, const kiln_value *value);

/* Bool as true and false, integers as decimals. Floats: INSP_NUMBER_SIZE bytes; NaN and infinities
 * as `nan` and `infinity`. */
void insp_put_integer(insp_out *out, const kiln_value *value);
void insp_put_float(insp_out *out, const kiln_value *value, const char *nan, const char *infinity);

/* The expression of the type, as a schema writes it. */
void insp_put_type(insp_out *out, const kiln_types *types, uint32_t type);

/* Calls `put` with the text of a map key, or of another value as a key would be written. */
typedef void insp_put_text(insp_out *out, const char *text, size_t length);
void insp_put_key(insp_printer *p, const kiln_value *key, insp_put_text *put);

#endif
