/* Recording the origin of values that are baked; value_origin.c implements it.
 *
 * Without a source map none of these is called: callers check `if (b->origins)` first. */
#ifndef BAKE_ORIGIN_RECORD_H
#define BAKE_ORIGIN_RECORD_H

#include "value_layer.h"
#include "value_origin.h"

#include <kiln/path.h>

/* The key of a map as a step, in the spelling of <kiln/path.h>; lives on the C stack. */
typedef struct origin_key {
    const struct origin_key *up;
    const value_step *step;
    kiln_path path;
} origin_key;

/* The value at `step` is written at `node` of the current tree. Of two calls in a row with one
 * path, as for an optional and its value, the first counts. */
void bake_origin_value(bake_values *b, bake_node_id node, const value_step *step);
/* The value is not written, so it is the empty value of its type; `node` is the mapping that lacks
 * it. */
void bake_origin_empty(bake_values *b, bake_node_id node, const value_step *step);
/* The layers that write the value, beginning with the one that determines it. */
void bake_origin_layers(bake_values *b, const value_layer *layers, size_t count,
                        const value_step *step);
/* The value is element `number` of `list` in the scene's data. */
void bake_origin_data(bake_values *b, const value_step *step, const char *list, uint32_t number);
/* The values from here on belong to the scene's data, which is an asset of its own. */
void bake_origin_scene_data(bake_values *b);
/* The next value is the current one of an iterator over `container`; if an alias leads to it, the
 * place of the alias is recorded too. */
void bake_origin_via(bake_values *b, bake_node_id container, const bake_iterator *it);
/* The next value is a map entry with this key. */
void bake_origin_key(bake_values *b, bake_node_id key);
/* Until bake_origin_pop_key, paths show `step` as this key, of type `type` and baked to `bytes`. */
void bake_origin_push_key(bake_values *b, origin_key *key, const value_step *step, uint32_t type,
                          const unsigned char *bytes);
void bake_origin_pop_key(bake_values *b, const origin_key *key);
/* Sets the layer of the values from here on; returns the previous one. */
const value_layer *bake_origin_from(bake_values *b, const value_layer *from);
/* Enters (1) or leaves (-1) a default of the schema. */
void bake_origin_default(bake_values *b, int more);

/* A text that grows; it has no NUL at its end. */
typedef struct origin_text {
    char *data;
    size_t length, capacity;
} origin_text;

/* The state of a source map: only value_origin.c and its test look inside. */
struct bake_origins {
    const bake_diagnostics *sources;
    bake_origins_write *write;
    void *ctx;
    uint64_t written;  /* bytes */
    origin_text lines; /* of the current asset */
    origin_text head;  /* `F` records to be written before these lines */
    uint32_t *files;   /* by source: number plus 1 */
    size_t file_capacity;
    uint32_t source_count, file_count;
    size_t last_at, last_length; /* the path recorded last */
    bool has_last, has_entity, no_memory;
    origin_text entity;   /* the start of the paths of components */
    unsigned defaults;    /* how many are entered, see bake_origin_default */
    bake_mark via;        /* the alias that leads to the next value; line 0: none */
    bake_mark key;        /* of the next value, likewise */
    bake_mark scene;      /* where it is written; line 0: not a scene */
    const char *scene_id; /* with the slash */
    const origin_key *keys;
    const value_layer *from; /* the layer of the current value; or NULL */
};

#endif
