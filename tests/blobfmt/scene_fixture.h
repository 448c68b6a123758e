/* A few components of every shape, types for some of them, and scenes with them in memory. */
#ifndef SCENE_FIXTURE_H
#define SCENE_FIXTURE_H

#include <kiln/scene.h>

/* Components of the fixture. A component with a type has the type's name. */
enum {
    C_POSITION, /* Position: 3 f32 */
    C_DOOR,     /* Door: bool, enum, flags, padding, u32 */
    C_LINK,     /* a u32 and an entity */
    C_SPRITE,   /* 2 assets with 8 bytes between them */
    C_LABEL,    /* a data word in `names`, a u64, a data word in `numbers` */
    C_MIXED,    /* asset, entity, entity, data in `names` */
    C_LIT,      /* a tag */
    C_BYTE,
    C_WIDE,  /* 64 bytes, aligned to 64 */
    C_LARGE, /* 3000 bytes */
    C_DARK,  /* a tag */
    C_HUGE,  /* 16384 bytes, so a chunk holds one row and no other component */
    C_NEST,  /* Nest: 2 Holders {u32, entity}, ref, data, bool, padding, two enums */
    C_COUNT
};

/* The components without layout hashes. */
extern const kiln_scene_component_desc scene_components[C_COUNT];

/* Type numbers. These types come first in the list. */
enum {
    S_U32,
    S_F32,
    S_BOOL,
    S_STRING,
    S_STRINGS,
    S_NUMBERS,
    S_STATE, /* 1 open, 2 shut, 5 stuck */
    S_LOCKS, /* flags 1, 2, 8 */
    S_POSITION,
    S_DOOR,
    S_DATA, /* names: string[], numbers: u32[], Nest.title: string[] */
    S_ITEM, /* an asset: price u32 */
    S_I16,
    S_REF,
    S_ENTITY,
    S_TITLE, /* data<string> */
    S_SIGN,  /* -1, 1 */
    S_FAR,   /* 7, 4000000000 */
    S_HOLDER,
    S_HOLDERS,
    S_NEST,
    S_TYPE_COUNT
};

/* The types above, followed by those of scenes; never NULL. */
kiln_types *scene_types_create(const kiln_allocator *allocator);
/* A component of the fixture with the layout hash of its type, if it has one. */
kiln_scene_component_desc scene_component(const kiln_types *types, uint32_t number);

/* The assets that rows refer to: `Item/0` to `Item/3`. */
enum { SCENE_ITEMS = 4, SCENE_STRINGS = 3, SCENE_NUMBERS = 5, SCENE_TITLES = 2 };
kiln_id scene_item(uint32_t number);

/* Returns a file writer that contains the items. */
kiln_file_writer *scene_file_writer(const kiln_types *types, const kiln_allocator *allocator);
/* A blob of SceneData. */
kiln_buffer scene_data_blob(const kiln_types *types);

/* Finishes `writer` as the asset `Scene/test` of a new file, with data. */
kiln_status scene_finish(kiln_scene_writer *writer, const kiln_types *types,
                         const kiln_allocator *allocator, kiln_buffer *ret_file,
                         kiln_error *reterr);

/* The verified blobs of a scene in a file. Missing parts are NULL. */
typedef struct scene_parts {
    const kiln_scene *scene;
    const kiln_scene_chunks *chunks;
    const void *data;
    uint64_t chunks_hash, data_hash;
    uint64_t chunks_place; /* offset of the payload in the file */
} scene_parts;

scene_parts scene_parts_of(const kiln_types *types, const kiln_buffer *file);
/* Initializes a view of these blobs and returns the status of kiln_scene_view_init. */
kiln_status scene_view_of(const scene_parts *parts, const kiln_allocator *allocator,
                          kiln_scene_view *ret_view, kiln_error *reterr);

#endif
