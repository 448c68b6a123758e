/* A scene of a file, as far as it can be read.
 *
 * Broken parts are left out: `view` is set only if the description breaks no rule, `has_rows` only
 * if the chunks have the sizes that it states. `error` of each part reports what is wrong with it.
 */
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

/* One of the blobs that make up a scene. */
typedef struct insp_scene_part {
    uint64_t id;             /* 0 if the scene has no such part */
    const insp_asset *asset; /* NULL if it is not in the file */
    const void *root;        /* NULL if the blob is invalid */
    uint64_t hash;           /* in its header */
    uint64_t place;          /* of the root in the file; of the member if that is compressed */
    bool is_compressed;
    kiln_error error; /* why `root` is NULL; the offset is from the start of the file */
    unsigned char *owned;
} insp_scene_part;

typedef struct insp_scene_named {
    uint32_t entity, name; /* number in the scene's names */
} insp_scene_named;

typedef struct insp_scene {
    const insp_file *file;
    insp_scene_part parts[INSP_SCENE_PIECES];
    const kiln_scene *scene; /* NULL if it is invalid */
    kiln_value value;        /* of the scene; `of` is NULL if that cannot be read either */
    kiln_value data;         /* of the data, even if invalid; `of` is NULL without data */
    kiln_scene_view view;    /* zeros without `has_view` */
    bool has_view;
    bool has_rows;           /* all columns can be found */
    kiln_error view_error;   /* S1 to S5, also where there is a view */
    insp_scene_named *named; /* by entity */
} insp_scene;

/* Whether an asset is a scene by the name of its type. */
bool insp_is_scene(const insp_file *file, const insp_asset *asset);
/* The number in `builtin` of the type of a scene or of its chunks, by name and layout;
 * KILN_TYPE_NONE for other assets. */
uint32_t insp_scene_type(const insp_file *file, const insp_asset *asset);

/* KILN_OK or KILN_NO_MEMORY; call insp_scene_fini in both cases. Does not check hashes of blobs. */
kiln_status insp_scene_init(insp_scene *scene, const insp_file *file, const insp_asset *asset);
void insp_scene_fini(insp_scene *scene);

/* The name of the part's asset, even if that is in another file; empty if unknown. */
insp_text insp_scene_part_name(const insp_scene *scene, insp_scene_piece piece);

/* Finds an entity: `#` and digits are its number. Another text is its name or, if no entity has
 * that name and the text is digits, its number. UINT32_MAX if there is none. */
uint32_t insp_scene_find(const insp_scene *scene, const char *text);
/* Empty without a name. */
insp_text insp_scene_name(const insp_scene *scene, uint32_t entity);

/* The stored bytes of a chunk. */
typedef struct insp_scene_chunk {
    uint32_t rows, first_entity;
    uint64_t place;  /* in the file, or in its blob if that is compressed */
    uint32_t stored; /* bytes; 0 if rows have no bytes */
    uint32_t used;   /* bytes of its rows */
} insp_scene_chunk;

/* `place` only with `has_rows`. */
insp_scene_chunk insp_scene_get_chunk(const insp_scene *scene, const kiln_scene_rows *rows,
                                      uint32_t number);
/* Bytes in loaded chunks of the archetype that no row uses. */
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
