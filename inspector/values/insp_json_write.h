/* Writes values as JSON, several times as fast as insp_print with the JSON format, and with the
 * same bytes. */
#ifndef INSP_JSON_WRITE_H
#define INSP_JSON_WRITE_H

#include "insp_json_plan.h"

/* Prints `value` like insp_print. `plan` must be of the type list of the value; NULL if there is
 * none, and then the function is insp_print. Safe on hostile input. */
void insp_json_write(insp_printer *p, const insp_json_plan *plan, const kiln_value *value);

#endif
