/* Formats values without parts, for all output formats. */
#ifndef INSP_SCALAR_H
#define INSP_SCALAR_H

#include "insp_printer.h"

enum { INSP_FLAGS_MAX = 64 };

/* Finds a minimal list of names for the bits of a flag set, in declared order. Returns their
 * number; `ret_rest` receives the bits without a name. */
uint32_t insp_flag_names(const kiln_value *value, const kiln_member *ret_names[INSP_FLAGS_MAX],
                         uint64_t *ret_rest);

/* The name of the asset that a reference refers to; NULL if the file does not contain it. */
const insp_name *insp_ref_name(const insp_printer *p, const kiln_value *value);

/* Write bools as true and false, integers in decimal, and floats; NaN and infinities are written as
 * `nan` and `infinity`. */
void insp_put_integer(insp_out *out, const kiln_value *value);
void insp_put_float(insp_out *out, const kiln_value *value, const char *nan, const char *infinity);

/* Writes the type expression, as in a schema. */
void insp_put_type(insp_out *out, const kiln_types *types, uint32_t type);

/* Formats a value as a map key and passes the string to `put`. */
typedef void insp_put_text(insp_out *out, const char *text, size_t length);
void insp_put_key(insp_printer *p, const kiln_value *key, insp_put_text *put);

#endif
