/* The result of comparing one type: a verdict and the changes that explain it. */
#ifndef BAKE_SCHEMA_FINDING_H
#define BAKE_SCHEMA_FINDING_H

#include "bake_store.h"

#include <kiln/types.h>

/* The effect of a change on existing baked files and YAML, from best to worst. */
typedef enum schema_verdict {
    SCHEMA_IDENTICAL,   /* no effect */
    SCHEMA_READABLE,    /* baked values can be read, in place or rebuilt */
    SCHEMA_MUST_REBAKE, /* baked values cannot be read, or have a different kind or unit, but their
                           YAML can be baked again unless a value no longer fits */
    SCHEMA_BREAKS       /* some baked values cannot be read, and their YAML must be changed */
} schema_verdict;

/* How a program with the newer types reads values of the older ones. */
typedef enum schema_reading {
    SCHEMA_READ_SAME,     /* the layout hash is the same */
    SCHEMA_READ_IN_PLACE, /* the layout hash differs, but the bytes are compatible */
    SCHEMA_READ_REBUILT,  /* by field name */
    SCHEMA_READ_SOME,     /* by field name; some values are rejected */
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
    const char *path; /* `game.Item.price`: the newer name, or the older one if it was removed */
    const char *word; /* such as `widened`; the manual page lists all */
    const char *text; /* a sentence without a full stop */
    schema_yaml yaml;
} schema_change;

/* The finding for a named type. */
typedef struct schema_finding {
    const char *name;  /* the newer name, or the older one if the type was removed */
    const char *was;   /* the older name if it changed, or NULL */
    uint32_t from, to; /* in the older and the newer list, or KILN_TYPE_NONE */
    schema_verdict verdict;
    schema_reading reading;
    schema_yaml yaml;   /* the worst effect of its changes and those of its parts */
    kiln_status status; /* why it cannot be read, or KILN_OK */
    const char
        *unreadable_part; /* the part that cannot be read, such as `game.Item.price`, or NULL */
    schema_change *changes, **last;
    const struct schema_finding *part; /* the changed part with the worst YAML effect, or NULL */
} schema_finding;

/* Appends a change and updates `yaml` of the finding. If memory runs out, the change is dropped and
 * `store->failed` is set, which the comparison checks at the end. */
void bake_schema_change_add(bake_store *store, schema_finding *finding, const char *member,
                            const char *word, schema_yaml yaml, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 6, 7)))
#endif
    ;

#endif
