/* Paths of resources and states of atlases among the values that are baked: value_resource.c and
 * value_states.c.
 *
 * A state can only be checked when the structs around it are whole, since the path of its atlas may
 * stand behind it, be inherited or be a default. So each struct that may have such a path opens a
 * frame, states wait in it, and when it closes those are checked for which it has an atlas; the
 * others wait in the frame around it. Paths to values that wait are stored as steps of a tree,
 * whose upper part the states of a frame share. */
#ifndef BAKE_VALUE_WATCH_H
#define BAKE_VALUE_WATCH_H

#include "resource_path.h"
#include "value_report.h"

/* What is known of a type. */
enum {
    VALUE_HOLDS_WATCHED = 1,   /* its values may have paths or states in them */
    VALUE_IS_AROUND_STATES = 2 /* a struct with an atlas that states are of */
};

/* A member whose strings are looked at. */
typedef struct value_watched {
    const kiln_member *member;
    const bake_resource *resource; /* it is a path; or NULL */
    const char *state_of;          /* it is a state of the atlas in this field; or NULL */
} value_watched;

typedef struct watched_frame {
    const value_step *step;
    uint32_t last_step; /* of its path, plus 1; 0: not stored, or there is none */
    size_t first_note, first_state, first_step;
} watched_frame;

/* The atlas that a frame's field names. */
typedef struct watched_note {
    const char *field;
    bake_resource_path *path; /* NULL: an empty text, or none that is a path */
    const bake_tree *tree;
    bake_node_id node;
} watched_note;

/* A state that waits. */
typedef struct watched_state {
    const char *state_of, *text;
    size_t length;
    const bake_tree *tree;
    bake_node_id node;
    uint32_t last_step; /* of its path, plus 1 */
} watched_state;

typedef struct watched_step {
    value_step step; /* `up` is of no use */
    uint32_t up;     /* plus 1; 0: none */
} watched_step;

typedef struct value_watch {
    value_watched *slots; /* open addressing by member */
    size_t slot_count;
    unsigned char *types;       /* by number */
    bake_resource_paths *paths; /* NULL: nothing is looked for */
    bake_diagnostics *diagnostics;
    watched_frame *frames;
    watched_note *notes;
    watched_state *states;
    watched_step *steps;
    bake_place_set reported; /* wrong states, by the number of their atlas */
    size_t frame_count, frame_capacity;
    size_t note_count, note_capacity;
    size_t state_count, state_capacity;
    size_t step_count, step_capacity;
} value_watch;

/* value_states.c: notes an atlas, and a state, in the present frame. */
void bake_value_note_atlas(bake_values *b, bake_node_id node, bake_resource_path *path,
                           const value_step *step);
void bake_value_note_state(bake_values *b, bake_node_id node, const char *text, size_t length,
                           const char *state_of, const value_step *step);

/* value_resource.c: paths of resources and states of atlases. */

/* Notes which fields are such; false when memory ran out. */
bool bake_values_list_watched(bake_values *b);
void bake_values_end_watch(bake_values *b);
/* There is something to watch: whether the field is; may be NULL. */
bool bake_value_is_watched(const bake_values *b, const kiln_member *field);
/* Looks at the text of a string, if the field is watched. */
void bake_value_watch(bake_values *b, bake_node_id node, const char *text, size_t length,
                      const kiln_member *field, const value_step *step);
/* Whether values of the type, in the field (NULL: none), may have such strings in them: what
 * depends on values around them is not the same wherever an equal one is. */
bool bake_value_holds_watched(const bake_values *b, uint32_t type, const kiln_member *field);
/* value_states.c: opens a frame for a struct of the type, which is closed when all of it is baked;
 * false where it needs none. */
bool bake_value_open_frame(bake_values *b, uint32_t type, const value_step *step);
void bake_value_close_frame(bake_values *b);
/* Whether the present state may be of an atlas around it: there is something to watch. */
bool bake_value_is_in_frame(const bake_values *b);
void bake_value_drop_frames(bake_values *b);

#endif
