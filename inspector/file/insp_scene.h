/* A scene in a file, as far as it can be read.
 *
 * Broken parts are omitted: `view` is set only if the description is valid, `has_rows` only if the
 * chunks have the sizes that the description states. `error` of a part describes what is wrong with
 * it. */
#ifndef INSP_SCENE_H
#define INSP_SCENE_H

#include "insp_file.h"

#include <kiln/scene.h>

typedef enum insp_scene_piece {
    INSP_SCENE_ROOT, /* kiln.Scene */
    INSP_SCENE_CHUNKS,
    INSP_SCENE_DATA,
    INSP_SCENE_PIECES
} insp_scene_piece;

/* One of the blobs of a scene. */
typedef struct insp_scene_part {
    uint64_t id;             /* 0 if the scene has no such part */
    const insp_asset *asset; /* NULL if it is not in the file */
    const void *root;        /* NULL if the blob is invalid */
    uint64_t hash;           /* in its header */
    uint64_t place;          /* offset in the file: of the root, or of a compressed member */
    bool is_compressed;
    kiln_error error; /* why `root` is NULL; the offset is from the start of the file */
    unsigned char *owned;
} insp_scene_part;

typedef struct insp_scene_named {
    uint32_t entity, name; /* `name` is an index into the scene's names */
} insp_scene_named;

typedef struct insp_scene {
    const insp_file *file;
    insp_scene_part parts[INSP_SCENE_PIECES];
    const kiln_scene *scene; /* NULL if it is invalid */
    kiln_value value;        /* the scene as a value; `of` is NULL if it cannot be read */
    kiln_value data;         /* the data, even if invalid; `of` is NULL if there is none */
    kiln_scene_view view;    /* zeroed unless `has_view` */
    bool has_view;
    bool has_rows;           /* all columns are available */
    kiln_error view_error;   /* S1 to S5, even if there is a view */
    insp_scene_named *named; /* sorted by entity */
} insp_scene;

/* Whether an asset is a scene, judged by the name of its type. */
bool insp_is_scene(const insp_file *file, const insp_asset *asset);

/* Whether an asset contains the chunks of scenes. */
bool insp_is_scene_chunks(const insp_file *file, const insp_asset *asset);

/* Finds the asset of a scene's chunks or data without verifying the scene. `ret_part` is NULL if
 * the scene has none, if they are not in the file, or if the scene cannot be read. Returns KILN_OK
 * or KILN_NO_MEMORY. */
kiln_status insp_scene_find_part(const insp_file *file, const insp_asset *scene,
                                 insp_scene_piece piece, const insp_asset **ret_part);

/* Opens a scene without checking the hashes of its blobs. Returns KILN_OK or KILN_NO_MEMORY; call
 * insp_scene_fini in both cases. */
kiln_status insp_scene_init(insp_scene *scene, const insp_file *file, const insp_asset *asset);
void insp_scene_fini(insp_scene *scene);

/* The name of the part's asset, even if it is in another file; empty if unknown. */
insp_text insp_scene_part_name(const insp_scene *scene, insp_scene_piece piece);

/* Finds an entity. `#` followed by digits is the entity's number. Anything else is the entity's
 * name or, if no entity has that name, a number. Returns UINT32_MAX if there is none. */
uint32_t insp_scene_find(const insp_scene *scene, const char *text);
/* The name of an entity; empty if it has none. */
insp_text insp_scene_name(const insp_scene *scene, uint32_t entity);

/* The stored bytes of a chunk. */
typedef struct insp_scene_chunk {
    uint32_t rows, first_entity;
    uint64_t place;  /* offset in the file, or in the decompressed blob */
    uint32_t stored; /* stored bytes; 0 if rows have no bytes */
    uint32_t used;   /* bytes used by rows */
} insp_scene_chunk;

/* Describes a chunk. `place` is set only if `has_rows`. */
insp_scene_chunk insp_scene_get_chunk(const insp_scene *scene, const kiln_scene_rows *rows,
                                      uint32_t number);
/* The number of unused bytes in loaded chunks of the archetype. */
uint64_t insp_scene_waste(const kiln_scene_rows *rows);

/* The target of a relative field of the scene. */
static inline const void *insp_scene_list(const kiln_array *array)
{
    return kiln_relative_get(array, array->offset);
}
static inline insp_text insp_scene_text(const kiln_string *text)
{
    insp_text made = {kiln_string_get(text), text->length};
    return made;
}

#endif
