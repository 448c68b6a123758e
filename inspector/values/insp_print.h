/* Prints a value through the functions of a form.
 *
 * Nothing in the value is trusted: printing stops at KILN_DEPTH_MAX nested objects, and says what a
 * rule forbids instead of following it. */
#ifndef INSP_PRINT_H
#define INSP_PRINT_H

#include "insp_printer.h"

void insp_print(insp_printer *p, const kiln_value *value);

#endif
