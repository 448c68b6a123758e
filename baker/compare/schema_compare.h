/* What became of types: for each type of an older list, whether programs of a newer one can read
 * what was baked under it, and whether its YAML still bakes.
 *
 * The first is judged by `kiln_conversion_create` alone, which is what the runtime asks; the list
 * of changes only explains. The second is told by the changes, as far as types tell it: whether a
 * number fits a range that became smaller is known when it is baked. */
#ifndef BAKE_SCHEMA_COMPARE_H
#define BAKE_SCHEMA_COMPARE_H

#include "bake_result.h"
#include "bake_store.h"
#include "schema.h"

/* From best to worst. */
typedef enum schema_verdict {
    SCHEMA_IDENTICAL,   /* nothing changed that a file or the YAML could tell */
    SCHEMA_READABLE,    /* all that was baked is read, where it lies or rebuilt */
    SCHEMA_MUST_REBAKE, /* what was baked is not read; its YAML bakes, if its values fit */
    SCHEMA_BREAKS       /* what was baked is not read, and its YAML has to change before it bakes */
} schema_verdict;

/* How a program of the newer types reads values of the older ones. */
typedef enum schema_reading {
    SCHEMA_READ_SAME,     /* the layout hash is the same */
    SCHEMA_READ_IN_PLACE, /* another layout, but the same bytes */
    SCHEMA_READ_REBUILT,  /* by field name */
    SCHEMA_READ_SOME,     /* by field name; some values are refused */
    SCHEMA_READ_NONE
} schema_reading;

/* What becomes of YAML that was right, from best to worst. */
typedef enum schema_yaml {
    SCHEMA_YAML_SAME,
    SCHEMA_YAML_WARNS,
    SCHEMA_YAML_MAY_FAIL, /* it depends on what it says */
    SCHEMA_YAML_FAILS
} schema_yaml;

typedef struct schema_change {
    struct schema_change *next;
    const char *path; /* `game.Item.price`: the newer name, or the older where there is none */
    const char *word; /* `widened`: one of those in the manual page */
    const char *text; /* a sentence without full stop */
    schema_yaml yaml;
} schema_change;

/* A named type. */
typedef struct schema_finding {
    const char *name;  /* the newer name, or the older where there is none */
    const char *was;   /* the older name where it is another; NULL */
    uint32_t from, to; /* KILN_TYPE_NONE: there is none */
    schema_verdict verdict;
    schema_reading reading;
    schema_yaml yaml;    /* the worst of its own changes and of all types that it is made of */
    kiln_status status;  /* why it is not read; OK */
    const char *refused; /* what is not read: `game.Item.price`; NULL */
    schema_change *changes, **last;
    const struct schema_finding
        *part; /* one that it is made of and that changed, the worst; NULL */
} schema_finding;

typedef struct schema_compare_def {
    const kiln_types *from, *to;
    /* What types do not say, the kinds of assets; NULL where it is not known. */
    const bake_schema *from_schema, *to_schema;
    bake_store *store; /* for all that is found */
} schema_compare_def;

typedef struct schema_comparison {
    schema_compare_def def;
    schema_finding *findings; /* those of the older list in its order, then the new ones */
    uint32_t count;
    uint32_t *by_from; /* by type of the older list: number of its finding; KILN_TYPE_NONE */
} schema_comparison;

bake_result bake_schema_compare(const schema_compare_def *def, schema_comparison *ret_comparison,
                                bake_failure *failure);

/* The newer type that stands for an older one, as the runtime finds it; KILN_TYPE_NONE. */
uint32_t bake_schema_newer_type(const kiln_types *to, const char *name);

/* ---- between the parts of the comparison ---- */

/* schema_changes.c: adds what differs between the two types of a finding, without what they are
 * made of. */
void bake_schema_changes(const schema_comparison *comparison, schema_finding *finding);
/* schema_judge.c: asks for conversions. */
bake_result bake_schema_judge(schema_comparison *comparison, bake_failure *failure);
/* schema_parts.c: fills `part` of all findings, in linear time; false when memory ran out. */
bool bake_schema_tell_parts(schema_comparison *comparison);
/* Adds a change behind the others; what the store has no memory for is left out, and the store says
 * so. */
void bake_schema_change_add(bake_store *store, schema_finding *finding, const char *member,
                            const char *word, schema_yaml yaml, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 6, 7)))
#endif
    ;
/* schema_change_values.c: adds what became of a field's default and range. */
enum { SCHEMA_SHOWN_SIZE = 48 };
void bake_schema_default_changes(const schema_comparison *comparison, schema_finding *finding,
                                 const kiln_member *older, const kiln_member *newer,
                                 bool same_type);
void bake_schema_range_changes(const schema_comparison *comparison, schema_finding *finding,
                               const kiln_member *older, const kiln_member *newer);
/* How values are written, and what assets inherit; `numbers` has for each newer member its older
 * one, or KILN_TYPE_NONE. */
void bake_schema_writing_changes(const schema_comparison *comparison, schema_finding *finding,
                                 const uint32_t *numbers);
/* schema_change_writing.c: adds how else a field may be written; members by their numbers. */
void bake_schema_form_changes(const schema_comparison *comparison, schema_finding *finding,
                              uint32_t before, uint32_t after);
/* A default that is a number, a text or a name, as YAML has it; false for others. */
bool bake_schema_show_default(const kiln_types *types, const kiln_member *field,
                              char out[SCHEMA_SHOWN_SIZE]);
/* schema_change_types.c: the word for a field whose type became another, NULL where it is the same;
 * `ret_yaml` is what becomes of its values in YAML. `field` is the newer one. */
const char *bake_schema_type_change(const schema_comparison *comparison, uint32_t from, uint32_t to,
                                    const kiln_member *field, schema_yaml *ret_yaml);

#endif
