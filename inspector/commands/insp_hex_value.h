/* Prints the values of an object, field by field, as rows of a hex dump. */
#ifndef INSP_HEX_VALUE_H
#define INSP_HEX_VALUE_H

#include "insp_hex_view.h"

/* Prints each field of an object with its padding, or rows of numbers. */
void insp_hex_put_values(insp_hex_view *v, const insp_object *object);

#endif
