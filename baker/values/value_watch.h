/* Paths of resources and states of atlases among the values.
 *
 * A state can only be checked when the structs around it are complete: the path of its atlas can
 * come later, be inherited or be a default. So each struct that can have such a path opens a frame,
 * and states wait in it. When the frame closes, states with an atlas in it are checked; the others
 * wait in the frame around it. Paths of waiting states are stored as a tree of steps, because the
 * states of a frame share the upper part. */
#ifndef BAKE_VALUE_WATCH_H
#define BAKE_VALUE_WATCH_H

#include "hash_table.h"
#include "resource_path.h"
#include "value_report.h"

/* Flags of a type. */
enum {
    VALUE_HOLDS_WATCHED = 1,   /* its values can contain paths or states */
    VALUE_IS_AROUND_STATES = 2 /* a struct with the atlas of states */
};

/* A member with strings to check. */
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
    bake_resource_path *path; /* NULL: the text is empty or not a path */
    const bake_tree *tree;
    bake_node_id node;
} watched_note;

/* A waiting state. */
typedef struct watched_state {
    const char *state_of, *text;
    size_t length;
    const bake_tree *tree;
    bake_node_id node;
    uint32_t last_step; /* of its path, plus 1 */
} watched_state;

typedef struct watched_step {
    value_step step; /* its `up` is not used */
    uint32_t up;     /* plus 1; 0: none */
} watched_step;

typedef struct value_watch {
    value_watched *watched;
    size_t watched_count, watched_capacity;
    hash_table by_member;
    unsigned char *types;       /* by number */
    bake_resource_paths *paths; /* NULL: do not look for files */
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

/* Lists the watched fields; false when memory ran out. */
bool bake_values_list_watched(bake_values *b);
void bake_values_end_watch(bake_values *b);
/* Whether a field (can be NULL) is watched. Only if there is something to watch. */
bool bake_value_is_watched(const bake_values *b, const kiln_member *field);
/* Checks the text of a string if the field is watched. */
void bake_value_watch(bake_values *b, bake_node_id node, const char *text, size_t length,
                      const kiln_member *field, const value_step *step);
/* Whether values of the type, in the field (NULL: none), can contain watched strings. Such values
 * depend on the values around them, so that equal ones cannot share a result. */
bool bake_value_holds_watched(const bake_values *b, uint32_t type, const kiln_member *field);
/* Opens a frame for a struct of the type, to be closed when the struct is complete; false if it
 * needs none.
 */
bool bake_value_open_frame(bake_values *b, uint32_t type, const value_step *step);
void bake_value_close_frame(bake_values *b);
/* Whether a state could belong to an atlas around it. Only if there is something to watch. */
bool bake_value_is_in_frame(const bake_values *b);
void bake_value_drop_frames(bake_values *b);

#endif
