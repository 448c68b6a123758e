/* What layers say of the fields of a struct; private to value_layered.c and value_said.c. */
#ifndef BAKE_VALUE_SAID_H
#define BAKE_VALUE_SAID_H

#include "value_paths.h"

/* What a field is written as, in one layer. */
typedef struct said {
    bake_node_id value;
    uint32_t layer;
    uint32_t below;        /* the same field's in a lower layer; UINT32_MAX: none */
    const bake_path *path; /* what in it changes: no value; or NULL */
    bool is_whole;         /* what lies below does not count */
} said;

/* A struct in the making. */
typedef struct layered {
    const value_layer *layers;
    size_t count;
    value_rule rule;
    uint32_t type;
    const kiln_type *of;
    unsigned char *dst;
    const value_step *step;
    size_t heads; /* on the scratch stack: by member the number of what was said last */
    size_t saids; /* behind it */
    uint32_t said_count;
    value_form whole;    /* what the lowest layer is, where that is told as a whole */
    uint32_t rest;       /* number of the rest, or KILN_TYPE_NONE */
    uint32_t rest_layer; /* the uppermost that has entries of it; UINT32_MAX: none */
} layered;

static inline said *bake_value_saids(bake_values *b, const layered *l)
{
    return (said *)(void *)(b->scratch + l->saids);
}

static inline uint32_t *bake_value_heads(bake_values *b, const layered *l)
{
    return (uint32_t *)(void *)(b->scratch + l->heads);
}

/* value_said.c: notes what the layer of that number says of fields; the lowest comes first. */
void bake_value_note_layer(bake_values *b, layered *l, uint32_t number);
/* A key that is no field: it named the alternative, or it tells about the asset. */
bool bake_value_says_no_field(const bake_values *b, const layered *l, const value_layer *from,
                              const char *text, size_t length);

#endif
