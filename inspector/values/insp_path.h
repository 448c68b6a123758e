/* The path of a value, from the name of its asset: `Item/sword.parts[3].name`.
 *
 * The syntax is that of <kiln/path.h>, but a path is never shortened, and a map key that is a
 * reference is written as the name of the asset, if it is known. The path of a component is
 * `Scene/hall#door.Place`, as in source maps. Bytes that could deceive a terminal are escaped, so a
 * path can be printed as it is. */
#ifndef INSP_PATH_H
#define INSP_PATH_H

#include "insp_file.h"

typedef struct insp_path {
    char *text; /* not NUL-terminated; NULL if the path is empty */
    size_t length, capacity;
    bool failed; /* memory ran out, so steps are missing */
} insp_path;

/* A zeroed path is empty. Accepts such a path. */
void insp_path_fini(insp_path *path);

/* The text of the path; "" if it is empty. */
static inline const char *insp_path_text(const insp_path *path)
{
    return path->text ? path->text : "";
}

/* Removes everything after the first `length` bytes. */
static inline void insp_path_cut(insp_path *path, size_t length)
{
    path->length = length < path->length ? length : path->length;
}

/* Append the name of an asset, or a step. */
void insp_path_add_asset(insp_path *path, insp_text name);
void insp_path_add_name(insp_path *path, const char *name, size_t length);
void insp_path_add_number(insp_path *path, uint32_t number);
/* `file` has the names of references; may be NULL. */
void insp_path_add_key(insp_path *path, const insp_file *file, const kiln_value *key);
/* Append an entity of a scene by its name or, if it has none, by its number; and a component by its
 * qualified name, of which only the last part is written. */
void insp_path_add_entity(insp_path *path, insp_text name, uint32_t number);
void insp_path_add_component(insp_path *path, insp_text name);

#endif
