/* A scene of a file, as far as it can be read.
 *
 * What cannot be believed is not there: `view` only with a description that breaks no rule,
 * `has_rows` only with chunks of the sizes that it asks for. Each part says in `error` what is
 * wrong with it. Words in rows are read through the functions below, which check each. */
#ifndef INSP_SCENE_H
#define INSP_SCENE_H

#include "insp_run.h"

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

/* ---- rows (insp_scene_entity.c) ---- */

/* An entity that has been looked up. */
typedef struct insp_located {
    const insp_scene *scene;
    const kiln_scene_rows *of;
    uint32_t entity, row; /* in its archetype */
    uint32_t chunk;
} insp_located;

insp_located insp_scene_locate(const insp_scene *scene, uint32_t entity);
const kiln_scene_component *insp_scene_component_of(const insp_located *at, uint32_t column);
/* Where the component's bytes lie; NULL for one without. */
const unsigned char *insp_scene_row_of(const insp_located *at, uint32_t column);
/* The row as a value of the file's type of that name and layout; false where there is none. */
bool insp_scene_value_of(const insp_located *at, uint32_t column, kiln_value *ret_value);

/* ---- words in rows (insp_scene_word.c) ---- */

typedef struct insp_scene_order insp_scene_order; /* insp_scene_order.h */

/* Of which component a row is. */
struct insp_words {
    const insp_scene *scene;
    const kiln_scene_component *component;
    const insp_scene_order *order; /* YAML: of the entities */
};

/* Prints what the word `value` in a row leads to. KILN_OK, or the rule that it breaks; then nothing
 * was printed. */
kiln_status insp_walk_word(insp_printer *p, const kiln_value *value);

typedef enum insp_word {
    INSP_WORD_SHOWN,
    INSP_WORD_NULL,  /* null or empty; nothing was printed */
    INSP_WORD_NUMBER /* the list that it leads into is not at hand; nothing was printed */
} insp_word;

/* The same for words of which no type is known. */
kiln_status insp_walk_entity(insp_printer *p, const unsigned char *word);
kiln_status insp_walk_asset(insp_printer *p, const unsigned char *word, insp_word *ret_word);
kiln_status insp_walk_data(insp_printer *p, uint32_t place, const unsigned char *word,
                           insp_word *ret_word);

/* ---- output ---- */

/* A list of what is in it, as text or as an element of a JSON list. INSP_OK or INSP_TROUBLE. */
int insp_scene_list_text(insp_run *run, const insp_scene *scene);
void insp_scene_list_json(insp_run *run, const insp_scene *scene, bool is_first);
/* One entity; the printer tells what was broken. */
void insp_scene_entity_text(insp_printer *p, const insp_scene *scene, uint32_t entity);
void insp_scene_entity_json(insp_printer *p, const insp_scene *scene, uint32_t entity,
                            bool is_first);

/* The scene as the value of an asset in YAML, which bakes to it; says what of it cannot be written.
 * INSP_OK, INSP_BAD or INSP_TROUBLE. */
int insp_scene_yaml(insp_run *run, insp_printer *p, const insp_scene *scene);
/* Whether a name of an entity can be written there: as its `name`, as its `way`. */
bool insp_scene_is_name(insp_text name);
bool insp_scene_is_way(insp_text name);

/* Says on standard error what is wrong with a scene. INSP_OK, INSP_BAD or INSP_TROUBLE. */
int insp_scene_tell(insp_run *run, const insp_scene *scene);
/* Opens a scene and says on standard error what is wrong with it. INSP_OK, INSP_BAD, or
 * INSP_TROUBLE, with which there is nothing to be ended. */
int insp_scene_open(insp_run *run, const insp_file *file, const insp_asset *asset,
                    insp_scene *ret_scene);
/* Calls `visit` for each scene of the arguments from number `from` on, or of the file where there
 * are none. Returns the heaviest exit code. */
typedef int insp_scene_visit(insp_run *run, const insp_scene *scene, void *ctx);
int insp_scene_each(insp_run *run, const insp_file *file, int from, int to, insp_scene_visit *visit,
                    void *ctx);

#endif
