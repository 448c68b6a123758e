/* The text of a source map while it is made; private to value_origin.c and origin_text.c. */
#ifndef BAKE_ORIGIN_TEXT_H
#define BAKE_ORIGIN_TEXT_H

#include "origin_record.h"
#include "value_origin.h"

typedef struct origin_text {
    char *data;
    size_t length, capacity;
} origin_text;

struct bake_origins {
    const bake_diagnostics *sources;
    bake_origins_write *write;
    void *ctx;
    uint64_t written;  /* bytes */
    origin_text lines; /* of the present asset */
    origin_text head;  /* `F` records to be written before these lines */
    uint32_t *files;   /* by source: number plus 1 */
    size_t file_capacity;
    uint32_t source_count, file_count;
    size_t last_at, last_length; /* the path recorded last */
    bool has_last, has_entity, no_memory;
    origin_text entity;   /* with which paths of components begin */
    unsigned defaults;    /* how many are entered, see bake_origin_default */
    bake_mark via;        /* the alias that leads to the next value; line 0: none */
    bake_mark key;        /* of the next value, likewise */
    bake_mark scene;      /* where it is written; line 0: not a scene */
    const char *scene_id; /* with the slash */
    const origin_key *keys;
    const value_layer *from; /* the layer of the present value; or NULL */
};

/* All functions set `no_memory` when memory ran out. */
void bake_origin_put_to(bake_origins *origins, origin_text *text, const char *bytes, size_t length);
/* Appends to the lines of the present asset, like the functions below. */
void bake_origin_put(bake_origins *origins, const char *text, size_t length);
void bake_origin_number(bake_origins *origins, char before, uint64_t number);
void bake_origin_word(bake_origins *origins, const char *text);
/* In quotes, as a JSON string. */
void bake_origin_quote_to(bake_origins *origins, origin_text *to, const char *text, size_t length);
void bake_origin_quote(bake_origins *origins, const char *text, size_t length);
/* A tab and the place. Adds the `F` record of its file to `head` where that has none yet. */
void bake_origin_place(bake_origins *origins, bake_mark mark);

#endif
