/* What single values are called, for all forms of output. */
#ifndef INSP_SCALAR_H
#define INSP_SCALAR_H

#include "insp_printer.h"

enum { INSP_FLAGS_MAX = 64 };

/* The fewest names that together are a flag set's bits, in declared order. Returns how many;
 * `ret_rest` are the bits that no choice of names gives. */
uint32_t insp_flag_names(const kiln_value *value, const kiln_member *ret_names[INSP_FLAGS_MAX],
                         uint64_t *ret_rest);

/* The name of the asset that a reference names; NULL where the file does not know it. */
const insp_name *insp_ref_name(const insp_printer *p, const kiln_value *value);

/* Bool and integers: decimal or true and false. Floats: INSP_NUMBER_SIZE bytes; those that are not
 * finite by the given names. */
void insp_put_integer(insp_out *out, const kiln_value *value);
void insp_put_float(insp_out *out, const kiln_value *value, const char *nan, const char *infinity);

/* The type's expression, as a schema spells it. */
void insp_put_type(insp_out *out, const kiln_types *types, uint32_t type);

/* A map key's text (or a scalar's, where nothing else is to be said of it), given whole to `put`.
 */
typedef void insp_put_text(insp_out *out, const char *text, size_t length);
void insp_put_key(insp_printer *p, const kiln_value *key, insp_put_text *put);

#endif
