/* Replaces files that are mapped from a path, for tests of a group with remove_file. Each test
 * defines OLDER_PATH before it includes this header, because tests run at the same time. */
#ifndef OLDER_FILES_H
#define OLDER_FILES_H

#include "asset_fixture.h"

#include <stdio.h>
#include <string.h>

static const char path[] = OLDER_PATH;

static inline kiln_mount_def def_of_path(void)
{
    kiln_mount_def def = kiln_mount_def_default();
    def.file.path = path;
    return def;
}

static inline kiln_status try_replace(scene *s, kiln_mount mount, kiln_buffer image,
                                      kiln_verify_level level)
{
    kiln_mount_def def = def_of_path();
    def.file.level = level;
    scene_save(image, path);
    kiln_status status = kiln_assets_replace(s->assets, mount, &def, &s->error);
    scene_expect_valid(s);
    return status;
}

static inline void replace(scene *s, kiln_mount mount, kiln_buffer image)
{
    kiln_status status = try_replace(s, mount, image, KILN_VERIFY_DEEP);
    if (status != KILN_OK)
        fail_msg("%s: %s", kiln_status_name(status), s->error.path);
}

static inline const void *root_of(scene *s, kiln_ref ref)
{
    return kiln_ref_get(kiln_assets_get_slots(s->assets), ref);
}

static inline uint32_t older(scene *s)
{
    return (uint32_t)scene_stats(s).older_versions;
}

static inline int remove_file(void **state)
{
    (void)state;
    return remove(path);
}

#endif
