/* Prints a value with the functions of an output format.
 *
 * The value is not trusted: printing stops at KILN_DEPTH_MAX nested objects, and invalid values are
 * reported instead of followed. */
#ifndef INSP_PRINT_H
#define INSP_PRINT_H

#include "insp_printer.h"

void insp_print(insp_printer *p, const kiln_value *value);

#endif
