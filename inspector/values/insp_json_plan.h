/* Texts that a JSON dump writes for every value of a type, prepared once: the keys of fields and
 * alternatives, and the words of enums. A plan reads only the type list, which is valid. */
#ifndef INSP_JSON_PLAN_H
#define INSP_JSON_PLAN_H

#include "insp_printer.h"

/* A field or alternative: `"name": `. A value of an enum: all that is written for it. */
typedef struct insp_json_text {
    uint32_t at, length; /* in `texts` */
} insp_json_text;

typedef struct insp_json_type {
    const kiln_type *of;
    const insp_json_text *members; /* of a struct, union or enum */
    bool flow;                     /* its items are on one line */
} insp_json_type;

/* A text may be copied in blocks of this many bytes, because `texts` is that much longer. */
enum { INSP_JSON_BLOCK = 16 };

typedef struct insp_json_plan {
    const kiln_types *types; /* must outlive the plan */
    insp_json_type *rows;    /* one for each type */
    insp_json_text *members;
    char *texts;
} insp_json_plan;

/* Prepares the texts of all types. Returns false if memory runs out or the texts are longer than 4
 * GiB. Call insp_json_plan_fini in both cases. */
bool insp_json_plan_init(insp_json_plan *plan, const kiln_types *types);
void insp_json_plan_fini(insp_json_plan *plan);

#endif
