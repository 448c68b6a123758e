/* Records the origin of baked values. Implemented in value_origin.c.
 *
 * Callers check `if (b->origins)` first, so without a source map none of these functions runs. */
#ifndef BAKE_ORIGIN_RECORD_H
#define BAKE_ORIGIN_RECORD_H

#include "value_layer.h"
#include "value_origin.h"

#include <kiln/path.h>

/* A map key as a path step, spelled as in <kiln/path.h>. Allocated on the C stack. */
typedef struct origin_key {
    const struct origin_key *up;
    const value_step *step;
    kiln_path path;
} origin_key;

/* Records that the value at `step` is at `node` of the current tree. A second call in a row with
 * the same path is ignored, as for an optional and its value. */
void bake_origin_value(bake_values *b, bake_node_id node, const value_step *step);
/* Records that the input omits the value, which is then the empty value of its type. `node` is that
 * of the struct that lacks the value. */
void bake_origin_empty(bake_values *b, bake_node_id node, const value_step *step);
/* Records the layers that set the value, starting with the one that wins. */
void bake_origin_layers(bake_values *b, const value_layer *layers, size_t count,
                        const value_step *step);
/* Records that the value is element `number` of `list` in the scene data. */
void bake_origin_data(bake_values *b, const value_step *step, const char *list, uint32_t number);
/* From now on, values belong to the scene data, which is a separate asset. */
void bake_origin_scene_data(bake_values *b);
/* Announces that the next value is the current one of the iterator. If an alias refers to the
 * value, the position of the alias is recorded as well. */
void bake_origin_via(bake_values *b, bake_node_id container, const bake_iterator *it);
/* Announces that the next value is a map entry with this key. */
void bake_origin_key(bake_values *b, bake_node_id key);
/* Until bake_origin_pop_key, paths show `step` as the map key of type `type` that is baked in
 * `bytes`. */
void bake_origin_push_key(bake_values *b, origin_key *key, const value_step *step, uint32_t type,
                          const unsigned char *bytes);
void bake_origin_pop_key(bake_values *b, const origin_key *key);
/* Sets the layer of the following values. Returns the previous one. */
const value_layer *bake_origin_from(bake_values *b, const value_layer *from);
/* Enters (1) or leaves (-1) a schema default. */
void bake_origin_default(bake_values *b, int more);

/* A growing string, not NUL-terminated. */
typedef struct origin_text {
    char *data;
    size_t length, capacity;
} origin_text;

/* The state of a source map, private to value_origin.c and its test. */
struct bake_origins {
    const bake_diagnostics *sources;
    bake_origins_write *write;
    void *ctx;
    uint64_t written;  /* in bytes */
    origin_text lines; /* of the current asset */
    origin_text head;  /* `F` records to be written before `lines` */
    uint32_t *files;   /* by source: file number plus 1; 0: no record yet */
    size_t file_capacity;
    uint32_t source_count, file_count;
    const bake_old_origins *old; /* NULL: nothing is copied */
    uint32_t *old_numbers;       /* by file of `old`: file number plus 1; 0: no record yet */
    size_t last_at, last_length; /* the last recorded path, in `lines` */
    bool has_last, has_entity, no_memory;
    origin_text entity;   /* path prefix of components */
    unsigned defaults;    /* nesting depth, see bake_origin_default */
    bake_mark via;        /* alias of the next value; line 0: none */
    bake_mark key;        /* key of the next value; line 0: none */
    bake_mark scene;      /* position of the scene; line 0: not a scene */
    const char *scene_id; /* including the slash */
    const origin_key *keys;
    const value_layer *from; /* layer of the current value, or NULL */
};

#endif
