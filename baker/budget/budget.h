/* Budgets: limits for the sizes of bundles and of what they contain (PROJECT.md, "Budgets").
 *
 * A project file has budgets in layers: of the project, of a bundle, of a profile, of a profile for
 * one bundle. bake_budgets_merge joins the layers of one bundle. budget_measure.h measures a file,
 * and budget_table.h compares the measures with the budgets. */
#ifndef BAKE_BUDGET_H
#define BAKE_BUDGET_H

#include "bake_store.h"
#include "diagnostics.h"

#include <stdint.h>

/* Whose size is limited. */
typedef enum bake_budget_kind {
    BAKE_BUDGET_BUNDLE,
    BAKE_BUDGET_TYPE,
    BAKE_BUDGET_SCENE,
    BAKE_BUDGET_CLUSTER,
    BAKE_BUDGET_ASSET,
    BAKE_BUDGET_KINDS
} bake_budget_kind;

typedef enum bake_measure {
    BAKE_MEASURE_DISK,
    BAKE_MEASURE_RESIDENT,
    BAKE_MEASURE_LOAD,
    BAKE_MEASURES
} bake_measure;

/* The words of both enums in messages and data; those of measures are also keys of a project
 * file. */
extern const char *const bake_budget_kind_words[BAKE_BUDGET_KINDS];
extern const char *const bake_measure_words[BAKE_MEASURES];

/* A limit that a project file does not have: it removes the limits of earlier layers. */
#define BAKE_BUDGET_NONE UINT64_MAX
/* The default of `warn`: the percentage of a limit from which there is a warning. */
enum { BAKE_BUDGET_WARN = 90 };

typedef struct bake_budget {
    bake_budget_kind kind;
    bake_measure measure;
    const char *pattern; /* for names; "*" for a bundle */
    uint64_t limit;      /* in bytes, not 0; or BAKE_BUDGET_NONE */
    bake_mark mark;      /* of the limit in the project file; `source` is not used */
    bool is_of_bundle;   /* written for one bundle, so the pattern should match something there */
} bake_budget;

/* The budgets of one place of a project file. */
typedef struct bake_budget_layer {
    bake_budget *items;
    size_t count;
    unsigned warn; /* a percentage; 0: not given */
} bake_budget_layer;

/* All budgets of a bundle. */
typedef struct bake_budgets {
    const bake_budget *items;
    size_t count;
    unsigned warn;
    const char *bundle; /* its name */
    const char *path;   /* of the project file, with its text, which messages quote */
    const char *text;
    size_t size;
} bake_budgets;

/* Joins `count` layers (NULL: an empty layer); later ones take precedence. Fills items, count and
 * warn. Returns false if memory runs out. */
bool bake_budgets_merge(const bake_budget_layer *const *layers, size_t count, bake_store *store,
                        bake_budgets *ret_budgets);

/* Whether `name` matches the pattern: `*` matches any bytes, `?` one byte. Takes at most
 * strlen(pattern) * strlen(name) steps. */
bool bake_budget_matches(const char *pattern, const char *name);

/* Reads a number of bytes with an optional unit, such as `500000`, `64 MiB` or `1.5G`. A fraction
 * of a byte is cut off. Returns false if it is malformed, below one byte, or 2^63 or more. */
bool bake_budget_parse_size(const char *text, uint64_t *ret_size);
/* Reads a percentage from `1%` to `100%`. */
bool bake_budget_parse_percent(const char *text, unsigned *ret_percent);

/* Formats `used` as a percentage of `limit` with one decimal, rounded down, such as `99.9`. */
const char *bake_budget_percent(char out[32], uint64_t used, uint64_t limit);

#endif
