/* The names file of a bundle: everything that a bake of some of its inputs must know about the
 * others.
 *
 * A bundle can be baked in parts. Each part is a group of inputs, and its result is a kiln file
 * with the assets of that group. `kiln-bake link` joins these files. A part reads its own inputs
 * and those that they need:
 *
 *     an asset        needs the inputs of its parents and of its patches
 *     a patch         needs the input of the asset that it changes
 *     a scene         needs the inputs of the prefabs and scenes that it uses
 *     every input     needs the inputs that rename, delete or accept ids ("context")
 *
 * Needs are transitive. Of all other inputs a part uses only names and types of assets, and guids,
 * which are in this file. So the file changes only if one of these changes, and not with each
 * value.
 *
 * The file belongs to one version of kiln-bake. All numbers are little-endian. A header of 32 bytes
 * (`KILNNAME`, the version of this format, zero, the size of the body, and the XXH3-64 of the body)
 * precedes the body.
 *
 * part_needs.c collects the names, and part_names.c writes and reads the file. */
#ifndef BAKE_PART_NAMES_H
#define BAKE_PART_NAMES_H

#include "asset_names.h"
#include "bake_inputs.h"
#include "bake_store.h"

/* An asset, an abstract asset, or a possible part of a scene. */
typedef struct bake_part_name {
    const char *name; /* `Kind/id` */
    size_t length;
    const char *type;
    size_t type_length;
    bool is_abstract, is_part; /* as in bake_name */
    bool is_scene;
} bake_part_name;

typedef struct bake_part_input {
    const char *path;     /* as in bake_input */
    const char *argument; /* the same file as an argument of kiln-bake, relative to the base */
    bool is_listed;       /* as in bake_input */
    bool is_context;
    const uint32_t *needs; /* inputs that it needs directly; ascending */
    size_t need_count;
} bake_part_input;

typedef struct bake_part_names {
    bake_store store;
    bake_part_name *names;
    size_t name_count;
    bake_part_input *inputs; /* in the order of bake_inputs */
    size_t input_count;
    bake_rest_guid *guids;
    size_t guid_count;
    uint64_t scene_work; /* see bake_inputs_rest */
    bool has_scenes;     /* an input contains scenes or prefabs */
    bool has_redirects;  /* an input renames or deletes ids */
    bool has_clusters;   /* the file can have a cluster plan */
} bake_part_names;

/* Collects the names of inputs that were read without mistakes, with `keeps_uses` set. Strings of
 * the result belong to the arguments. `base` is that of the run. Returns NULL if memory runs
 * out. */
bake_part_names *bake_part_names_make(const bake_inputs *inputs, const bake_names *names,
                                      const bake_schema *schema, const char *base);
/* Accepts NULL. */
void bake_part_names_destroy(bake_part_names *names);

/* Writes the file. Returns false with errno set: ENOMEM, or what `write` sets. */
bool bake_part_names_write(const bake_part_names *names,
                           bool (*write)(void *ctx, const void *data, size_t size), void *ctx);
/* Reads a file from memory, which must outlive the result. Returns NULL with errno set: ENOMEM, or
 * EINVAL if the bytes are not a names file of this version. Safe on hostile bytes. */
bake_part_names *bake_part_names_read(const void *data, size_t size);

/* Finds an input by its argument; UINT32_MAX if there is none. Begins at the input `first`, because
 * arguments are mostly in the order of the inputs. */
uint32_t bake_part_names_find(const bake_part_names *names, const char *argument, size_t first);
/* Adds the needs of all inputs for which `wanted` is true, until nothing is missing. Returns false
 * if memory runs out. */
bool bake_part_names_close(const bake_part_names *names, bool *wanted);

#endif
