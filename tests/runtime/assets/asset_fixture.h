/* Small files made in memory from a table of assets, blobs of the same types, and an asset table
 * with its reports.
 *
 * Every asset contains a number and its checksum, and refers to other assets by name. */
#ifndef ASSET_FIXTURE_H
#define ASSET_FIXTURE_H

#include "expect_status.h"
#include "world_memory.h"

#include <kiln/assets.h>
#include <kiln/file_writer.h>
#include <kiln/redirects.h>

/* The root of a `test.Thing`. `test.Plate` is another type with the same layout. */
typedef struct test_thing {
    kiln_array refs; /* kiln_id */
    uint32_t value;
    uint32_t check;
    kiln_array added; /* kiln_id; missing in the older layout */
} test_thing;

/* SCENE_PACKED is a thing with many equal values, stored compressed; it must have `refs`. */
typedef enum scene_type { SCENE_THING, SCENE_PLATE, SCENE_PACKED } scene_type;
enum { SCENE_ALIKE = 60 };

typedef struct scene_asset {
    const char *name;
    uint32_t value;
    const char *refs; /* names separated by spaces, or NULL */
    scene_type type;
} scene_asset;

/* Two names with the same id: their XXH3-64 hashes are equal. */
#define CLASHING_NAME "It/bsnpz"
#define CLASHED_NAME "Uahuj/e"

/* The types of files and programs. If `is_older`, each has an older layout, without the last
 * field. */
kiln_types *scene_types(bool is_older);
/* The root type for `test.Thing` or `test.Plate`. */
kiln_root_type scene_root_type(scene_type type);
/* Makes a file. Referenced assets that the file does not contain become imports. Free it with
 * kiln_buffer_fini. */
kiln_buffer scene_file(const scene_asset *assets, size_t count);
kiln_buffer scene_file_of(const kiln_types *types, const scene_asset *assets, size_t count);
#define SCENE_FILE(...)                                                                            \
    scene_file((const scene_asset[]){__VA_ARGS__},                                                 \
               sizeof((const scene_asset[]){__VA_ARGS__}) / sizeof(scene_asset))
/* A file with redirects: `It/old>It/new It/gone>`, separated by spaces. */
kiln_buffer scene_renamed(const char *renames, const scene_asset *assets, size_t count);
#define SCENE_RENAMED(renames, ...)                                                                \
    scene_renamed(renames, (const scene_asset[]){__VA_ARGS__},                                     \
                  sizeof((const scene_asset[]){__VA_ARGS__}) / sizeof(scene_asset))
/* A file with a cluster plan: `A/r:A/a,A/b B/r:B/a`, roots and their members. The plan is written
 * as it is, even if the edges do not match it. If the text begins with `+`, the plan is stored
 * compressed. NULL: no plan. */
kiln_buffer scene_planned(const char *plan, const scene_asset *assets, size_t count);
kiln_buffer scene_planned_of(const kiln_types *types, const char *plan, const scene_asset *assets,
                             size_t count);
#define SCENE_PLANNED(plan, ...)                                                                   \
    scene_planned(plan, (const scene_asset[]){__VA_ARGS__},                                        \
                  sizeof((const scene_asset[]){__VA_ARGS__}) / sizeof(scene_asset))
/* Makes a blob for kiln_assets_add. */
kiln_buffer scene_blob(uint32_t value, const char *refs, scene_type type);
/* Makes the program's type table for a kiln_assets_def. */
kiln_buffer scene_type_table(void);

/* Saves the image in a new file that is then renamed to `path`, and frees it. */
void scene_save(kiln_buffer image, const char *path);

kiln_id scene_id(const char *name);
uint32_t scene_check(uint32_t value);
/* Returns the number in a root after comparing its checksum; 0 for NULL. */
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
    kiln_buffer images[SCENE_MOUNTS]; /* live as long as the table */
    size_t image_count;
    scene_report reports[SCENE_REPORTS];
    size_t report_count;
    kiln_error error; /* of the last failed call */
} scene;

/* Creates a table with the program's types that reports to `s`. */
void scene_begin(scene *s);
/* Like the function above, but `change` may first change the definition. */
void scene_begin_with(scene *s, void (*change)(kiln_assets_def *def));
/* Checks the table, destroys it, and checks that all memory is freed. */
void scene_end(scene *s);
/* Like the function above, but destroying the table must make `count` reports. */
void scene_end_reporting(scene *s, size_t count);

/* Each of these checks the table after the call. Functions that do not return a status expect
 * success. The scene takes ownership of the image. */
kiln_mount scene_mount(scene *s, kiln_buffer image, int32_t order);
/* Mounts the file after saving it under this path (scene_save). */
kiln_mount scene_mount_path(scene *s, kiln_buffer image, const char *path);
kiln_status scene_try_mount(scene *s, kiln_buffer image, int32_t order, kiln_mount *ret_mount);
void scene_unmount(scene *s, kiln_mount mount);
kiln_status scene_try_unmount(scene *s, kiln_mount mount, kiln_unmount how);
kiln_ref scene_load(scene *s, const char *name);
kiln_status scene_try_load(scene *s, const char *name, kiln_ref *ret_ref);
kiln_ref scene_take(scene *s, kiln_ref ref, kiln_ref_form form);
kiln_ref scene_add(scene *s, const char *name, uint32_t value);
kiln_status scene_dispose(scene *s, kiln_ref ref);
void scene_clear(scene *s, kiln_ref *ref);
/* The number of the asset that a word or a name refers to; 0 if there is none. */
uint32_t scene_value_of(scene *s, kiln_ref ref);
uint32_t scene_value_named(scene *s, const char *name);
kiln_assets_stats scene_stats(scene *s);
void scene_expect_valid(scene *s);

/* Expects the call to fail with this status and path. */
#define EXPECT_FAILURE(s, expected, text, call)                                                    \
    do {                                                                                           \
        EXPECT_STATUS(expected, call);                                                             \
        assert_int_equal(expected, (s)->error.status);                                             \
        assert_string_equal(text, (s)->error.path);                                                \
    } while (0)

#endif
