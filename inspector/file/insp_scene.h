/* A scene of a file, as far as it can be read.
 *
 * What cannot be believed is not there: `view` only with a description that breaks no rule,
 * `has_rows` only with chunks of the sizes that it asks for. Each part says in `error` what is
 * wrong with it. */
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

/* One of the blobs that are a scene. */
typedef struct insp_scene_part {
    uint64_t id;             /* 0 where the scene has none */
    const insp_asset *asset; /* NULL where it is none of the file */
    const void *root;        /* NULL where the blob is not valid */
    uint64_t hash;           /* in its header */
    uint64_t place;          /* of the root in the file; of the member where it is compressed */
    bool is_compressed;
    kiln_error error; /* why `root` is NULL; the offset counts from the file */
    unsigned char *owned;
} insp_scene_part;

typedef struct insp_scene_named {
    uint32_t entity, name; /* number in the scene's names */
} insp_scene_named;

typedef struct insp_scene {
    const insp_file *file;
    insp_scene_part parts[INSP_SCENE_PIECES];
    const kiln_scene *scene; /* NULL where it is not valid */
    kiln_value value;        /* of the scene; `of` is NULL where not even that can be read */
    kiln_value data;         /* of the data, valid or not; `of` is NULL where there is none */
    kiln_scene_view view;    /* zeros without `has_view` */
    bool has_view;
    bool has_rows;           /* all columns can be found */
    kiln_error view_error;   /* S1 to S5, also where there is a view */
    insp_scene_named *named; /* by entity */
} insp_scene;

/* Whether an asset is a scene by the name of its type. */
bool insp_is_scene(const insp_file *file, const insp_asset *asset);
/* The number in `builtin` of a scene's type or that of its chunks, by name and layout;
 * KILN_TYPE_NONE for others. */
uint32_t insp_scene_type(const insp_file *file, const insp_asset *asset);

/* KILN_OK or KILN_NO_MEMORY; either way the scene is ended by insp_scene_fini. Hashes of blobs are
 * not checked. */
kiln_status insp_scene_init(insp_scene *scene, const insp_file *file, const insp_asset *asset);
void insp_scene_fini(insp_scene *scene);

/* The name of the part's asset, also where it is in another file; empty where it is not known. */
insp_text insp_scene_part_name(const insp_scene *scene, insp_scene_piece piece);

/* The entity of a text: `#` and digits are its number; all else is its name, and otherwise digits
 * are its number. UINT32_MAX where there is none. */
uint32_t insp_scene_find(const insp_scene *scene, const char *text);
/* Empty where it has none. */
insp_text insp_scene_name(const insp_scene *scene, uint32_t entity);

/* What is stored of a chunk. */
typedef struct insp_scene_chunk {
    uint32_t rows, first_entity;
    uint64_t place;  /* in the file, or in its blob where that is compressed */
    uint32_t stored; /* bytes; 0 where rows have none */
    uint32_t used;   /* bytes of its rows */
} insp_scene_chunk;

/* `place` only with `has_rows`. */
insp_scene_chunk insp_scene_get_chunk(const insp_scene *scene, const kiln_scene_rows *rows,
                                      uint32_t number);
/* Bytes that loaded chunks of the archetype take and no row uses. */
uint64_t insp_scene_waste(const kiln_scene_rows *rows);

/* The list behind a relative field of the scene. */
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
