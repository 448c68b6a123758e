/* Scenes of signs: files with different components, types and data, and programs with or without
 * these types. */
#ifndef SIGNS_H
#define SIGNS_H

#include "town.h"

#include <kiln/file_writer.h>

/* t.Sign {size: u32, text: string}, and a union t.Choice. With `is_newer`, `size` is a u64. */
typedef struct sign_types {
    bool is_newer;
    bool has_data; /* adds t.SceneData */
    bool has_note; /* adds the data list "t.Sign.note", with optional strings, to the list of texts
                    */
} sign_types;

enum { SIGN_TYPE = 5 }; /* index of t.Sign */

typedef struct sign_row {
    uint32_t size;
    KILN_ALIGNAS(8) uint64_t text;
} sign_row;

/* The list, followed by the types of scenes. */
kiln_types *signs_with_scene(const kiln_type *list, uint32_t count);
kiln_types *signs_types(const sign_types *def);

/* A data blob with these texts. */
kiln_buffer signs_data(const kiln_types *types, const char *const *texts, uint32_t count);

/* A file with the single asset `Scene/signs`, while it is written. */
typedef struct signs_making {
    kiln_types *types;
    kiln_file_writer *file;
    kiln_scene_writer *writer;
} signs_making;

/* Takes ownership of the types. */
void signs_begin(signs_making *m, kiln_types *types);
/* Adds `count` rows with these components and returns the first entity. */
uint32_t signs_add(signs_making *m, const uint32_t *components, uint32_t of, uint32_t count);
/* Adds five signs with this data word and the size SIGN_MARK. */
void signs_write(signs_making *m, uint64_t text);
/* Returns the file. Its data consists of the texts; without texts it has no data. */
kiln_buffer signs_end(signs_making *m, const char *const *texts, uint32_t count);

enum { SIGNS = 5, SIGN_MARK = 0x5eed5151 };

/* The offset of a sign's text word, and the name of its list of values. */
extern const uint32_t sign_text_place[];
extern const char *const sign_text_list[];

/* A file with these signs. All have this text, or none. */
kiln_buffer signs_file(const char *text);

/* A program with or without types, and an empty world. */
typedef struct signs_program {
    world_memory memory;
    kiln_buffer table;
    kiln_assets *assets;
    kiln_world *world;
    kiln_error error;
} signs_program;

/* Takes ownership of the types; NULL for none. */
void signs_program_begin(signs_program *p, kiln_types *types);
void signs_program_mount(signs_program *p, const kiln_buffer *image, kiln_verify_level level);
kiln_status signs_program_load(signs_program *p, kiln_unknown unknown,
                               kiln_scene_instance **ret_instance);
/* Checks that no entity is left and all memory is freed. */
void signs_program_end(signs_program *p);

#endif
