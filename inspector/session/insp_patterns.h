/* The assets and imports that the arguments of a command select: names, and patterns with `*` and
 * `?`.
 *
 * A pattern without a slash also matches ids. A name without an asset may be an earlier name, which
 * a redirect leads to the current one. */
#ifndef INSP_PATTERNS_H
#define INSP_PATTERNS_H

#include "insp_mounts.h"

typedef struct insp_pattern {
    const char *text;
    insp_text name; /* the name of the only asset that it matches; empty: match `text` */
} insp_pattern;

typedef struct insp_patterns {
    insp_pattern *rows;
    uint32_t count;
} insp_patterns;

/* Reads `count` arguments. Reports each that matches nothing, with a suggestion, and returns
 * INSP_BAD; the others remain usable. INSP_TROUBLE if memory runs out. Call insp_patterns_fini in
 * all cases. */
int insp_patterns_init(insp_patterns *patterns, insp_run *run, const insp_mounts *mounts,
                       const char *const *arguments, uint32_t count);
void insp_patterns_fini(insp_patterns *patterns);

/* Whether an asset with this name is selected. */
bool insp_patterns_match(const insp_patterns *patterns, insp_text name);

#endif
