/* Visits the values of one field of a struct in a whole file: in all assets, and in the components
 * of all scenes.
 *
 * Values are visited as a dump prints them: one that several fields refer to is visited for each.
 * Such a file can describe more values than it has bytes, so a walk stops when `left` steps are
 * used up. */
#ifndef INSP_FIELD_WALK_H
#define INSP_FIELD_WALK_H

#include "insp_walk.h"

typedef struct insp_field_walk insp_field_walk;

/* `field` is the value of the field, and `step` the path from the asset or the component to its
 * struct; both are valid only during the call. The members `asset`, `entity` and `component` of the
 * walk name the place. Returns false to stop. */
typedef bool insp_field_visit(insp_field_walk *walk, const insp_step *step,
                              const kiln_value *field);

struct insp_field_walk {
    const insp_file *file; /* after insp_file_list, with types */
    uint32_t type, field;  /* the struct in the types of the file, and the number of its field */
    insp_field_visit *visit;
    void *ctx;
    uint64_t left;
    bool stopped;    /* by `left`, or by the callback */
    uint32_t broken; /* values, assets and scenes that cannot be read */
    /* The place of the visited value. */
    const insp_asset *asset;
    bool is_component;
    uint32_t entity;
    insp_text entity_name, component;
    /* Private. */
    const unsigned char *reaches;
};

/* Visits all values. The caller initializes the members before `stopped` and zeroes the others.
 * Returns KILN_OK or KILN_NO_MEMORY. */
kiln_status insp_field_walk_file(insp_field_walk *walk);

/* The same for one asset, which may be a scene. */
kiln_status insp_field_walk_asset(insp_field_walk *walk, const insp_asset *asset);

/* Appends the path of the value that is visited. */
void insp_field_walk_add_path(const insp_field_walk *walk, const insp_step *step, insp_path *path);

#endif
