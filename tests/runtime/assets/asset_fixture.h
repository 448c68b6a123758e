/* Small files made in memory from a table of their assets, blobs of the same types, and a table of
 * assets with everything that it tells.
 *
 * Every asset holds a number and a check of it, and refers to others by name. */
#ifndef ASSET_FIXTURE_H
#define ASSET_FIXTURE_H

#include "expect_status.h"
#include "world_memory.h"

#include <kiln/assets.h>
#include <kiln/file_writer.h>

/* What the root of a `test.Thing` is, and that of a `test.Plate`, which is another type of the same
 * form. */
typedef struct test_thing {
    kiln_array refs; /* kiln_id */
    uint32_t value;
    uint32_t check;
    kiln_array added; /* kiln_id; the older layout has it not */
} test_thing;

/* SCENE_PACKED is a thing with much that is alike in it, stored compressed; it needs references. */
typedef enum scene_type { SCENE_THING, SCENE_PLATE, SCENE_PACKED } scene_type;
enum { SCENE_ALIKE = 60 };

typedef struct scene_asset {
    const char *name;
    uint32_t value;
    const char *refs; /* names with a space between them, or NULL */
    scene_type type;
} scene_asset;

/* Two names with one id: XXH3-64 of both is the same. */
#define CLASHING_NAME "It/bsnpz"
#define CLASHED_NAME "Uahuj/e"

/* The types that files and programs are made with: those of now, or an older layout of all. */
kiln_types *scene_types(bool is_older);
/* `test.Thing`, `test.Plate`. */
kiln_root_type scene_root_type(scene_type type);
/* A file; what is referred to and not in it is imported. Ended by kiln_buffer_fini. */
kiln_buffer scene_file(const scene_asset *assets, size_t count);
kiln_buffer scene_file_of(const kiln_types *types, const scene_asset *assets, size_t count);
#define SCENE_FILE(...)                                                                            \
    scene_file((const scene_asset[]){__VA_ARGS__},                                                 \
               sizeof((const scene_asset[]){__VA_ARGS__}) / sizeof(scene_asset))
/* A blob as kiln_assets_add takes it. */
kiln_buffer scene_blob(uint32_t value, const char *refs, scene_type type);
/* The program's types as a definition of a table takes them. */
kiln_buffer scene_type_table(void);

kiln_id scene_id(const char *name);
uint32_t scene_check(uint32_t value);
/* The number in a root, whose check must be right; 0 for NULL. */
uint32_t scene_value(const void *root);

enum { SCENE_REPORTS = 32, SCENE_MOUNTS = 16 };

typedef struct scene_report {
    kiln_report_kind kind;
    char what[32], asset[64], by[64];
    uint64_t count;
} scene_report;

typedef struct scene {
    world_memory memory;
    kiln_buffer types;
    kiln_assets *assets;
    kiln_buffer images[SCENE_MOUNTS]; /* that live as long as the table */
    size_t image_count;
    scene_report reports[SCENE_REPORTS];
    size_t report_count;
    kiln_error error; /* of the last call that failed */
} scene;

/* A table whose program knows the types, and which tells `s` what it reports. */
void scene_begin(scene *s);
/* The same by a definition that `change` may change first. */
void scene_begin_with(scene *s, void (*change)(kiln_assets_def *def));
/* The table is valid, and when it is destroyed no memory is out. */
void scene_end(scene *s);
/* That, and that destroying it reports just so many things. */
void scene_end_reporting(scene *s, size_t count);

/* Every call expects the table to be valid afterwards; those without a status expect success. The
 * image is the scene's afterwards. */
kiln_mount scene_mount(scene *s, kiln_buffer image, int32_t order);
kiln_status scene_try_mount(scene *s, kiln_buffer image, int32_t order, kiln_mount *ret_mount);
void scene_unmount(scene *s, kiln_mount mount);
kiln_status scene_try_unmount(scene *s, kiln_mount mount, kiln_unmount how);
kiln_ref scene_load(scene *s, const char *name);
kiln_status scene_try_load(scene *s, const char *name, kiln_ref *ret_ref);
kiln_ref scene_take(scene *s, kiln_ref ref, kiln_ref_form form);
kiln_ref scene_add(scene *s, const char *name, uint32_t value);
kiln_status scene_dispose(scene *s, kiln_ref ref);
void scene_clear(scene *s, kiln_ref *ref);
/* The number that a word leads to, or a name; 0 where it leads to nothing. */
uint32_t scene_value_of(scene *s, kiln_ref ref);
uint32_t scene_value_named(scene *s, const char *name);
kiln_assets_stats scene_stats(scene *s);
void scene_expect_valid(scene *s);

/* A call failed with that status and path. */
#define EXPECT_FAILURE(s, expected, text, call)                                                    \
    do {                                                                                           \
        EXPECT_STATUS(expected, call);                                                             \
        assert_int_equal(expected, (s)->error.status);                                             \
        assert_string_equal(text, (s)->error.path);                                                \
    } while (0)

#endif
