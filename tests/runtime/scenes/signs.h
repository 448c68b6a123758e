/* Scenes of signs: files whose components, types and data a test says apart, and programs that know
 * them or do not. */
#ifndef SIGNS_H
#define SIGNS_H

#include "town.h"

#include <kiln/file_writer.h>

/* t.Sign {size: u32, text: string}, of which `is_newer` has a wider size, and a union t.Choice. */
typedef struct sign_types {
    bool is_newer;
    bool has_data; /* t.SceneData, too; */
    bool has_note; /* beside the list of texts it has "t.Sign.note", an optional text */
} sign_types;

enum { SIGN_TYPE = 5 }; /* number of t.Sign */

typedef struct sign_row {
    uint32_t size;
    KILN_ALIGNAS(8) uint64_t text;
} sign_row;

/* The list with what scenes are made of. */
kiln_types *signs_with_scene(const kiln_type *list, uint32_t count);
kiln_types *signs_types(const sign_types *def);

/* A blob of data: the texts. */
kiln_buffer signs_data(const kiln_types *types, const char *const *texts, uint32_t count);

/* A file that is being written: `Scene/signs`, and nothing else. */
typedef struct signs_making {
    kiln_types *types;
    kiln_file_writer *file;
    kiln_scene_writer *writer;
} signs_making;

/* Takes the types over. */
void signs_begin(signs_making *m, kiln_types *types);
/* `count` rows of these components; gives the first entity. */
uint32_t signs_add(signs_making *m, const uint32_t *components, uint32_t of, uint32_t count);
/* Five signs with that word for a text, and of the size that the mark says. */
void signs_write(signs_making *m, uint64_t text);
/* The file; with data that is the texts, or without where there are none. */
kiln_buffer signs_end(signs_making *m, const char *const *texts, uint32_t count);

enum { SIGNS = 5, SIGN_MARK = 0x5eed5151 };

/* Where the text of a sign is, and the list of its values. */
extern const uint32_t sign_text_place[];
extern const char *const sign_text_list[];

/* A file of these, each with the text, or with none. */
kiln_buffer signs_file(const char *text);

/* A program with types or none, and an empty world. */
typedef struct signs_program {
    world_memory memory;
    kiln_buffer table;
    kiln_assets *assets;
    kiln_world *world;
    kiln_error error;
} signs_program;

/* Takes the types over; NULL for none. */
void signs_program_begin(signs_program *p, kiln_types *types);
void signs_program_mount(signs_program *p, const kiln_buffer *image, kiln_verify_level level);
kiln_status signs_program_load(signs_program *p, kiln_unknown unknown,
                               kiln_scene_instance **ret_instance);
/* No entity is left, nor any memory. */
void signs_program_end(signs_program *p);

#endif
