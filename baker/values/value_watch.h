/* Checks resource paths and atlas states in values.
 *
 * A state can only be checked when the enclosing structs are complete: the path of its atlas may
 * come later, be inherited or be a default. So each struct that can have such a path opens a frame,
 * in which states wait. Closing the frame checks the states whose atlas is in it; the others move
 * to the enclosing frame. The value paths of waiting states are stored as a tree of steps, because
 * they share prefixes. */
#ifndef BAKE_VALUE_WATCH_H
#define BAKE_VALUE_WATCH_H

#include "hash_table.h"
#include "resource_path.h"
#include "value_report.h"

/* Flags of a type. */
enum {
    VALUE_HOLDS_WATCHED = 1, /* values may contain paths or states */
    VALUE_HAS_ATLAS = 2      /* a struct with an atlas that states refer to */
};

/* A member with strings to check. */
typedef struct value_watched {
    const kiln_member *member;
    const bake_resource *resource; /* set if the member is a path */
    const char *state_of;          /* set if it is a state of the atlas in this field */
} value_watched;

typedef struct watched_frame {
    const value_step *step;
    uint32_t last_step; /* last step of its path, plus 1; 0: none, or not stored */
    size_t first_note, first_state, first_step;
} watched_frame;

/* An atlas in a field of a frame. */
typedef struct watched_note {
    const char *field;
    bake_resource_path *path; /* NULL if empty or invalid */
    const bake_tree *tree;
    bake_node_id node;
} watched_note;

/* A waiting state. */
typedef struct watched_state {
    const char *state_of, *text;
    size_t length;
    const bake_tree *tree;
    bake_node_id node;
    uint32_t last_step; /* last step of its path, plus 1 */
} watched_state;

typedef struct watched_step {
    value_step step; /* its `up` is not used */
    uint32_t up;     /* parent step plus 1; 0: none */
} watched_step;

typedef struct value_watch {
    value_watched *watched;
    size_t watched_count, watched_capacity;
    hash_table by_member;
    unsigned char *types;       /* flags by type */
    bake_resource_paths *paths; /* NULL: do not check files */
    bake_diagnostics *diagnostics;
    watched_frame *frames;
    watched_note *notes;
    watched_state *states;
    watched_step *steps;
    bake_location_set reported; /* unknown states, by atlas */
    size_t frame_count, frame_capacity;
    size_t note_count, note_capacity;
    size_t state_count, state_capacity;
    size_t step_count, step_capacity;
} value_watch;

/* Lists the watched fields. Returns false if memory runs out. */
bool bake_values_list_watched(bake_values *b);
void bake_values_end_watch(bake_values *b);
/* Whether a field is watched. `field` may be NULL; `b->watch` must not be. */
bool bake_value_is_watched(const bake_values *b, const kiln_member *field);
/* Checks a string if its field is watched. */
void bake_value_watch(bake_values *b, bake_node_id node, const char *text, size_t length,
                      const kiln_member *field, const value_step *step);
/* Whether values of the type in this field, which may be NULL, can contain watched strings. Such
 * values depend on enclosing values, so results for equal values cannot be shared. */
bool bake_value_holds_watched(const bake_values *b, uint32_t type, const kiln_member *field);
/* Opens a frame for a struct of the type. Close it when the struct is complete. Returns false if
 * the struct needs none. */
bool bake_value_open_frame(bake_values *b, uint32_t type, const value_step *step);
void bake_value_close_frame(bake_values *b);
/* Whether a frame is open, so that a state may refer to an enclosing atlas. `b->watch` must not be
 * NULL. */
bool bake_value_is_in_frame(const bake_values *b);
void bake_value_drop_frames(bake_values *b);

#endif
