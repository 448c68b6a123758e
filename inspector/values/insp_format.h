/* The output formats for values: insp_tree.c, insp_yaml.c, insp_json.c and
 * insp_flat.c. */
#ifndef INSP_FORMAT_H
#define INSP_FORMAT_H

#include "insp_printer.h"

extern const insp_format insp_format_tree, insp_format_yaml, insp_format_json, insp_format_flat;

/* The JSON format indents each level by this many spaces, and begins a new line behind this column
 * in lists of short items. */
enum { INSP_JSON_INDENT = 2, INSP_JSON_WRAP_AT = 100 };

/* Returns NULL if there is no such format. */
const insp_format *insp_format_find(const char *name);

#endif
