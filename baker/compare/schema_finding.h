/* What a comparison of types finds about one of them: a verdict and the list of changes that
 * explain it.
 */
#ifndef BAKE_SCHEMA_FINDING_H
#define BAKE_SCHEMA_FINDING_H

#include "bake_store.h"

#include <kiln/types.h>

/* What a change means for those who have baked files and YAML, from best to worst. */
typedef enum schema_verdict {
    SCHEMA_IDENTICAL,   /* no change that matters to files or YAML */
    SCHEMA_READABLE,    /* baked values can be read, in place or rebuilt */
    SCHEMA_MUST_REBAKE, /* baked values cannot be read; their YAML bakes, if it fits */
    SCHEMA_BREAKS       /* baked values cannot be read, and their YAML must be changed */
} schema_verdict;

/* How a program of the newer types reads values of the older ones. */
typedef enum schema_reading {
    SCHEMA_READ_SAME,     /* the layout hash is the same */
    SCHEMA_READ_IN_PLACE, /* another layout, but the same bytes */
    SCHEMA_READ_REBUILT,  /* by field name */
    SCHEMA_READ_SOME,     /* by field name; some values are refused */
    SCHEMA_READ_NONE
} schema_reading;

/* Whether YAML that was valid still bakes, from best to worst. */
typedef enum schema_yaml {
    SCHEMA_YAML_SAME,
    SCHEMA_YAML_WARNS,
    SCHEMA_YAML_MAY_FAIL, /* depends on the values */
    SCHEMA_YAML_FAILS
} schema_yaml;

typedef struct schema_change {
    struct schema_change *next;
    const char *path; /* `game.Item.price`: the newer name, or the older if it is gone */
    const char *word; /* `widened`: one of those in the manual page */
    const char *text; /* a sentence without full stop */
    schema_yaml yaml;
} schema_change;

/* What was found about a named type. */
typedef struct schema_finding {
    const char *name;  /* the newer name, or the older if the type is gone */
    const char *was;   /* the older name if it changed; NULL */
    uint32_t from, to; /* KILN_TYPE_NONE: not in that list */
    schema_verdict verdict;
    schema_reading reading;
    schema_yaml yaml;    /* the worst of its changes and of those of its parts */
    kiln_status status;  /* why it cannot be read; OK */
    const char *refused; /* the part that cannot be read: `game.Item.price`; NULL */
    schema_change *changes, **last;
    const struct schema_finding
        *part; /* the changed type among its parts whose YAML is worst; NULL */
} schema_finding;

/* Appends a change and worsens `yaml` of the finding. Without memory the change is missing and the
 * store has failed, which the comparison checks at its end. */
void bake_schema_change_add(bake_store *store, schema_finding *finding, const char *member,
                            const char *word, schema_yaml yaml, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 6, 7)))
#endif
    ;

#endif
