/* Visits a value and all its parts, depth first, with the path of each.
 *
 * The value is not trusted: a walk stops at KILN_DEPTH_MAX nested objects, skips invalid parts and
 * counts them. Objects can be shared, so a small file can describe an arbitrarily large value: a
 * walk stops when `left` steps are used up.
 *
 * A path costs nothing until it is written: each part has a step, which refers to the step above
 * it. Steps are valid only during the visit. */
#ifndef INSP_WALK_H
#define INSP_WALK_H

#include "insp_path.h"

/* The last step of a path. An optional and a newtype add no step, as in <kiln/path.h>. */
typedef struct insp_step {
    const struct insp_step *up; /* NULL: this is the first step */
    const kiln_member *member;  /* a field, or the alternative of a union */
    const kiln_value *key;      /* of an entry of a map */
    uint32_t number;            /* of an element, if there is neither a member nor a key */
} insp_step;

typedef struct insp_walk insp_walk;

/* Called for each value, before its parts; `step` is NULL for the root. `is_key`: the value is the
 * key of the entry that `step` names. If it returns false, the parts are skipped. */
typedef bool insp_walk_visit(insp_walk *walk, const insp_step *step, const kiln_value *value,
                             bool is_key);

struct insp_walk {
    insp_walk_visit *visit;
    void *ctx;
    const bool *inside; /* from insp_type_reach: skip values of other types; NULL: skip none */
    uint64_t left;      /* steps until the walk stops */
    bool stopped;       /* by `left`, or by the callback */
    uint32_t broken;    /* parts that cannot be read */
    uint32_t depth;     /* nested objects */
};

/* Visits `root`. The caller initializes `visit`, `ctx` and `left`; several roots share these
 * steps. */
void insp_walk_value(insp_walk *walk, const kiln_value *root);

/* Appends the steps from the root to `step`; nothing if it is NULL. `file` as for
 * insp_path_add_key. */
void insp_walk_add_path(insp_path *path, const insp_file *file, const insp_step *step);

/* Follows optionals with a value and newtypes, which add no step to a path. Returns false if an
 * offset is invalid. */
bool insp_walk_unwrap(kiln_value *value);

#endif
