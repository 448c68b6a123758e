/* A map of a file: which object lies where, and which field names it.
 *
 * Gathered by following every relative field from every blob's root, each object once, so that the
 * work is linear in the file whatever the bytes: no blob's objects are gathered beyond as many
 * bytes as its payload has, which only objects that overlap could need. */
#ifndef INSP_MAP_H
#define INSP_MAP_H

#include "hash_table.h"
#include "insp_file.h"

#include <kiln/path.h>

#define INSP_MAP_NONE UINT32_MAX

typedef enum insp_object_kind {
    INSP_OBJECT_HEADER,  /* the 32 bytes before a payload */
    INSP_OBJECT_VALUES,  /* `count` values of `type` */
    INSP_OBJECT_ENTRIES, /* `count` entries of the map `type` */
    INSP_OBJECT_TEXT,
    INSP_OBJECT_BYTES,
    INSP_OBJECT_RAW /* a payload of which no type is known, or no blob at all */
} insp_object_kind;

typedef struct insp_blob {
    const char *part; /* "index", "type table", "member" or what else it is */
    uint32_t member;  /* INSP_MAP_NONE for what is none */
    kiln_blob_header header;
    uint64_t at, size; /* in the file */
    uint64_t payload_at, payload_size;
    const kiln_types *types;
    uint32_t type;
    bool opaque;       /* not to be looked into */
    uint64_t gathered; /* bytes of objects */
} insp_blob;

typedef struct insp_object {
    uint64_t at, size;
    uint64_t field_at; /* of the first field found that names it */
    insp_object_kind kind;
    uint32_t type, count;
    uint32_t blob;
    uint32_t parent; /* the object that `field_at` lies in; INSP_MAP_NONE: a root */
    uint32_t depth;
    uint32_t references; /* how many fields name it */
    bool is_list;        /* of an array: its values have numbers in paths */
} insp_object;

/* An object's number, with what it is sorted by. */
typedef struct insp_place {
    uint64_t at;
    uint32_t number;
} insp_place;

typedef struct insp_map {
    const insp_file *file;
    insp_blob *blobs;
    insp_object *objects;
    insp_place *order; /* of all objects */
    size_t blob_count, object_count, blob_capacity, object_capacity;
    hash_table by_place; /* of all objects */
    bool overlapping;    /* a blob's objects were not all gathered */
} insp_map;

/* KILN_OK or KILN_NO_MEMORY; either way the map is ended by insp_map_fini. */
kiln_status insp_map_init(insp_map *map, const insp_file *file);
void insp_map_fini(insp_map *map);

/* Unit `i` of an object of values, or the key or value of entry `i`. */
kiln_value insp_map_value(const insp_map *map, const insp_object *object, uint32_t i);
kiln_value insp_map_key(const insp_map *map, const insp_object *object, uint32_t i);
/* Bytes from one unit to the next. */
uint64_t insp_map_stride(const insp_map *map, const insp_object *object);

/* Calls `visit` for each relative field in object number `number`, in order, until one returns
 * something else than OK, which is returned. */
typedef kiln_status insp_map_visit(void *ctx, uint32_t number, const kiln_value *field);
kiln_status insp_map_fields(const insp_map *map, uint32_t number, insp_map_visit *visit, void *ctx);

/* Adds the steps from a value to what lies at `at` inside it by value, down to one without parts,
 * which `ret_leaf`, if given, receives. False where that is padding. */
bool insp_map_leaf(const kiln_value *value, const unsigned char *at, kiln_path *path,
                   kiln_value *ret_leaf);
/* Adds the way from an object to what its field at `field_at` names. */
void insp_map_add_step(const insp_map *map, const insp_object *object, uint64_t field_at,
                       kiln_path *path);
/* The way from the root of its blob to an object. */
void insp_map_path(const insp_map *map, const insp_object *object, kiln_path *path);
/* Whether the field that names an object lies in a map's key, whose path is that of the value. */
bool insp_map_in_key(const insp_map *map, const insp_object *object);

#endif
