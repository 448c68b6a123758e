/* A map of a file: its objects with their offsets, and the fields that refer to them.
 *
 * The map is built by following every relative field from the root of every blob, visiting each
 * object once. The work is linear in the file size even for hostile files: no object is added if
 * the objects of a blob would then have more bytes than the payload. That happens only if objects
 * overlap. */
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
    INSP_OBJECT_RAW /* a payload of unknown type, or not a blob */
} insp_object_kind;

typedef struct insp_blob {
    const char *part; /* such as "index", "type table" or "member" */
    uint32_t member;  /* INSP_MAP_NONE if it is not a member */
    kiln_blob_header header;
    uint64_t at, size; /* offset and size in the file */
    uint64_t payload_at, payload_size;
    const kiln_types *types;
    uint32_t type;
    bool opaque;       /* compressed or a payload, so its contents are not shown */
    uint64_t gathered; /* total size of its objects so far */
} insp_blob;

typedef struct insp_object {
    uint64_t at, size;
    uint64_t field_at; /* offset of the first field that refers to it */
    insp_object_kind kind;
    uint32_t type, count;
    uint32_t blob;
    uint32_t parent; /* the object that contains `field_at`; INSP_MAP_NONE: a root */
    uint32_t depth;
    uint32_t references; /* number of fields that refer to it */
    bool is_list;        /* an array: its values have indices in paths */
} insp_object;

/* An index into `objects`, with the offset as the sort key. */
typedef struct insp_place {
    uint64_t at;
    uint32_t number;
} insp_place;

typedef struct insp_map {
    const insp_file *file;
    const unsigned char *data; /* all offsets are relative to it: the file, or a blob */
    insp_blob *blobs;
    insp_object *objects;
    insp_place *order; /* all objects, sorted by offset */
    size_t blob_count, object_count, blob_capacity, object_capacity;
    hash_table by_place; /* all objects by offset */
    bool overlapping;    /* objects overlap, so not all were added */
} insp_map;

/* Builds the map. Returns KILN_OK or KILN_NO_MEMORY; call insp_map_fini in both cases. */
kiln_status insp_map_init(insp_map *map, const insp_file *file);
/* Builds the map of one member from its decompressed blob, which must stay valid. */
kiln_status insp_map_init_blob(insp_map *map, const insp_file *file, uint32_t member,
                               const unsigned char *data, uint64_t size);
void insp_map_fini(insp_map *map);

/* Value `i` of an object, or the value and the key of entry `i`. */
kiln_value insp_map_value(const insp_map *map, const insp_object *object, uint32_t i);
kiln_value insp_map_key(const insp_map *map, const insp_object *object, uint32_t i);
/* The distance in bytes from one value or entry to the next. */
uint64_t insp_map_stride(const insp_map *map, const insp_object *object);

/* Calls `visit` for each relative field in object `number`, in order, until a call fails. Returns
 * the status of the last call. */
typedef kiln_status insp_map_visit(void *ctx, uint32_t number, const kiln_value *field);
kiln_status insp_map_fields(const insp_map *map, uint32_t number, insp_map_visit *visit, void *ctx);

/* Adds the steps from a value to the leaf value at `at`. `ret_leaf` (may be NULL) receives the
 * leaf. Returns false if `at` is padding. */
bool insp_map_leaf(const kiln_value *value, const unsigned char *at, kiln_path *path,
                   kiln_value *ret_leaf);
/* Adds the steps from an object to the target of its field at `field_at`. */
void insp_map_add_step(const insp_map *map, const insp_object *object, uint64_t field_at,
                       kiln_path *path);
/* Makes the path from the root of the blob to an object. */
void insp_map_path(const insp_map *map, const insp_object *object, kiln_path *path);
/* Whether the field that refers to an object is in the key of a map entry. The path of such a field
 * is that of the entry's value. */
bool insp_map_in_key(const insp_map *map, const insp_object *object);

#endif
