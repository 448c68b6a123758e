/* One difference between two files, as the comparison reports it.
 *
 * `steps` lead from the asset to the value in both files. The changes of an asset are in an order
 * in which they can be applied to its old value one after the other: an element number of the new
 * file is then also the number of the element in the list as changed so far. */
#ifndef INSP_CHANGE_H
#define INSP_CHANGE_H

#include "insp_printer.h"

/* The two files that are compared. */
enum { INSP_OLD, INSP_NEW, INSP_SIDES };

typedef enum insp_change_op {
    /* Of values: with `steps`. */
    INSP_CHANGE_SET,    /* another value */
    INSP_CHANGE_ADD,    /* a field, an element, an entry, a component or an entity */
    INSP_CHANGE_REMOVE, /* likewise */
    /* Of assets. */
    INSP_CHANGE_ASSET_ADD,
    INSP_CHANGE_ASSET_REMOVE,
    INSP_CHANGE_ASSET_RENAME, /* from the asset of the old file to that of the new one */
    INSP_CHANGE_ASSET_TYPE,   /* a type of another name */
    INSP_CHANGE_ASSET_BYTES,  /* other bytes: reported on request, or if the values are unknown */
    INSP_CHANGE_RENUMBER,     /* of entities without names: `from`, `to`, `count` */
    INSP_CHANGE_NOTE          /* not a change: a list was compared by position */
} insp_change_op;

typedef enum insp_change_step_kind {
    INSP_STEP_FIELD,    /* a field or the alternative of a union: `name` */
    INSP_STEP_NEWTYPE,  /* the field of a newtype, which paths omit: `name` */
    INSP_STEP_ELEMENT,  /* `number` */
    INSP_STEP_KEY,      /* `key` */
    INSP_STEP_ENTITY,   /* `text`, or `number` if it is empty */
    INSP_STEP_COMPONENT /* `text`, the qualified name */
} insp_change_step_kind;

typedef struct insp_change_step {
    insp_change_step_kind kind;
    const char *name;
    insp_text text;
    kiln_value key;
    uint32_t number[INSP_SIDES];
} insp_change_step;

/* An entity of a scene whose components are the value of a change. */
typedef struct insp_change_entity {
    const insp_scene *scene; /* NULL: the change is not about a whole entity or scene */
    uint32_t number;         /* UINT32_MAX: the whole scene */
} insp_change_entity;

/* The bytes of a component without a type or without fields. */
typedef struct insp_change_bytes {
    bool is_set;
    const unsigned char *data; /* NULL: none */
    uint32_t size;
} insp_change_bytes;

typedef struct insp_change {
    insp_change_op op;
    const insp_asset *asset[INSP_SIDES]; /* NULL: the file lacks it */
    const insp_change_step *steps;
    size_t step_count;
    /* At most one of the three is set for each side. */
    const kiln_value *value[INSP_SIDES];
    const insp_words *words[INSP_SIDES]; /* for values in rows of a scene */
    insp_change_bytes bytes[INSP_SIDES];
    insp_change_entity entity[INSP_SIDES];
    uint64_t size[INSP_SIDES]; /* INSP_CHANGE_ASSET_BYTES: of the blobs */
    uint32_t from, to, count;  /* INSP_CHANGE_RENUMBER */
} insp_change;

/* Writes the path of a change, with the numbers of one side. `length` steps of it are written. */
void insp_change_path(insp_path *path, const insp_file *file, const insp_change *change, int side,
                      size_t length);

#endif
