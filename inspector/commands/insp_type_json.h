/* The JSON of the `type` command. */
#ifndef INSP_TYPE_JSON_H
#define INSP_TYPE_JSON_H

#include "insp_ranges.h"
#include "insp_run.h"

/* Writes a named type. `ranges` is NULL without --data. Returns false if memory runs out. */
bool insp_type_put_json(insp_run *run, const insp_file *file, uint32_t type,
                        const insp_ranges *ranges);

#endif
