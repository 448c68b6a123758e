/* A comparison in progress. The parts: insp_compare_value.c, insp_compare_leaf.c,
 * insp_compare_list.c, insp_compare_map.c, insp_compare_scene.c, insp_compare_emit.c,
 * insp_compare_token.c, insp_compare_asset.c. */
#ifndef INSP_COMPARING_H
#define INSP_COMPARING_H

#include "insp_compare.h"
#include "insp_congruent.h"

/* This many bytes that are compared or hashed count as one step. */
enum { INSP_COMPARE_UNIT = 1024 };

/* What a value looks like in a dump, after optionals. */
typedef enum insp_shape {
    INSP_SHAPE_NULL,
    INSP_SHAPE_SCALAR,
    INSP_SHAPE_ENTITY, /* the target of an entity word in a row */
    INSP_SHAPE_LIST,
    INSP_SHAPE_MAP,
    INSP_SHAPE_STRUCT,
    INSP_SHAPE_NEWTYPE,
    INSP_SHAPE_UNION,  /* an alternative with a value */
    INSP_SHAPE_CHOICE, /* an alternative without a value */
    INSP_SHAPE_BROKEN
} insp_shape;

/* A value as it is compared. */
typedef struct insp_seen {
    kiln_value value;
    const insp_words *words; /* NULL: not in a row of a scene */
    insp_shape shape;
    uint32_t count;     /* of parts */
    uint32_t depth;     /* number of objects around the value, including its own */
    insp_entity entity; /* INSP_SHAPE_ENTITY */
    kiln_status status; /* INSP_SHAPE_BROKEN */
} insp_seen;

typedef struct insp_comparing {
    const insp_compare_def *def;
    insp_compare_result *result;
    const insp_asset *asset[INSP_SIDES];
    insp_change_step *steps;
    size_t step_count, step_capacity;
    uint64_t left;
    bool no_memory;
    bool quiet;                 /* only finds out whether there is a difference */
    bool differs;               /* there is, and the search ends */
    insp_out *text[INSP_SIDES]; /* for leaves that are compared as text */
    insp_path path;             /* for ignored paths */
    insp_congruent congruent;   /* the current assets, unless they are scenes */
    /* In a scene: the new number of each entity of the old file; UINT32_MAX: removed. */
    const uint32_t *numbers;
    uint32_t number_count;
} insp_comparing;

/* Counts a step. Returns false if the comparison ends. */
bool insp_compare_spend(insp_comparing *c, uint64_t steps);
/* Whether to go on: nothing failed and, if quiet, no difference was found. */
bool insp_compare_goes_on(const insp_comparing *c);

/* ---- insp_compare_emit.c ---- */

/* Appends a step, to be filled by the caller; NULL if memory runs out. */
insp_change_step *insp_compare_push(insp_comparing *c, insp_change_step_kind kind);
void insp_compare_pop(insp_comparing *c);
/* Report changes of the value at the current steps. */
void insp_compare_set(insp_comparing *c, const insp_seen *before, const insp_seen *after);
void insp_compare_one(insp_comparing *c, int side, const insp_seen *value);
/* Reports any other change; its assets and steps are filled in. */
void insp_compare_emit(insp_comparing *c, insp_change *change);

/* ---- insp_compare_value.c ---- */

insp_seen insp_compare_see(insp_comparing *c, const kiln_value *value, const insp_words *words);
/* Compares two values and reports their differences. */
void insp_compare_seen(insp_comparing *c, const insp_seen *before, const insp_seen *after);
/* Whether two values are the same. */
bool insp_compare_is_same(insp_comparing *c, const insp_seen *before, const insp_seen *after);
/* The element, entry or field `i` of a value, in the same row or blob. Returns false if it cannot
 * be read. */
bool insp_compare_child(insp_comparing *c, const insp_seen *from, uint32_t i, insp_seen *ret);

/* ---- the kinds of values ---- */

bool insp_compare_leaf_is_same(insp_comparing *c, const insp_seen *before, const insp_seen *after);
void insp_compare_lists(insp_comparing *c, const insp_seen *before, const insp_seen *after);
void insp_compare_maps(insp_comparing *c, const insp_seen *before, const insp_seen *after);
/* A number that is equal for values that are the same; rarely for others. */
uint64_t insp_compare_token(insp_comparing *c, const insp_seen *value);

/* ---- insp_compare_scene.c ---- */

void insp_compare_scenes(insp_comparing *c, const insp_scene *before, const insp_scene *after);

/* ---- insp_compare_asset.c ---- */

/* Compares an asset of both files. */
void insp_compare_assets(insp_comparing *c, const insp_asset *before, const insp_asset *after);
/* Reports an asset that only one file contains. */
void insp_compare_lone_asset(insp_comparing *c, int side, const insp_asset *asset);

#endif
