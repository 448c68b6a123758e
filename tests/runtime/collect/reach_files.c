/* Files of things, and the steps that mount and replace them. */
#define _POSIX_C_SOURCE 200809L /* getpid */

#include "reach_history.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { PER_GROUP = REACH_THINGS / REACH_GROUPS };

static uint32_t bit(uint32_t thing)
{
    return UINT32_C(1) << thing;
}

static const char *name_of(uint32_t thing, char *text)
{
    sprintf(text, "Thing/%u", (unsigned)thing);
    return text;
}

/* ---- making files ---- */

static void choose_thing(reach *h, reach_file *file, uint32_t number, uint32_t thing)
{
    file->things |= bit(thing);
    file->values[thing] = 1000 * (number + 1) + thing;
    file->refs[thing] = 0;
    while (reach_random(h, 3) == 0)
        file->refs[thing] |= bit(reach_random(h, REACH_THINGS));
}

/* The first version of a group. Some have things of other groups. */
static void choose_things(reach *h, uint32_t number)
{
    const uint32_t first = number / REACH_VERSIONS * PER_GROUP;
    for (uint32_t thing = 0; thing < REACH_THINGS; thing++)
        if ((thing >= first && thing < first + PER_GROUP) || reach_random(h, 8) == 0)
            choose_thing(h, &h->files[number], number, thing);
}

/* Another version: a few things have other values and references, or are missing. */
static void edit_things(reach *h, uint32_t number, const reach_file *from)
{
    reach_file *file = &h->files[number];
    const bool keeps_all = reach_random(h, 2);
    for (uint32_t thing = 0; thing < REACH_THINGS; thing++) {
        if (!(from->things & bit(thing)) || (!keeps_all && reach_random(h, 6) == 0))
            continue;
        file->things |= bit(thing);
        file->values[thing] = from->values[thing];
        file->refs[thing] = from->refs[thing];
        if (reach_random(h, 3) == 0)
            choose_thing(h, file, number, thing);
    }
}

static const char *choose_plan(reach *h, const reach_file *file, char *text)
{
    char name[16];
    uint32_t left = file->things;
    if (!h->def->has_plans || reach_random(h, 4) == 0)
        return NULL;
    sprintf(text, "%s", reach_random(h, 2) ? "+" : "");
    for (int cluster = 0; cluster < 4; cluster++) {
        const char *before = " ", *after = ":";
        for (uint32_t thing = 0; thing < REACH_THINGS; thing++) {
            if (!(left & bit(thing)) || reach_random(h, 2))
                continue;
            left &= ~bit(thing);
            sprintf(text + strlen(text), "%s%s%s", before, name_of(thing, name), after);
            before = *after == ':' ? "" : ",";
            after = "";
        }
    }
    return text;
}

/* Groups have things that are mapped, compressed, or of an older layout. */
static void make_file(reach *h, uint32_t number)
{
    enum { KINDS = 3 };
    reach_file *file = &h->files[number];
    const uint32_t kind = number / REACH_VERSIONS % KINDS;
    scene_asset assets[REACH_THINGS];
    char names[REACH_THINGS][16], refs[REACH_THINGS][REACH_THINGS * 10],
        plan[REACH_THINGS * 10 + 16];
    size_t count = 0;
    for (uint32_t thing = 0; thing < REACH_THINGS; thing++) {
        char name[16];
        if (!(file->things & bit(thing)))
            continue;
        if (kind == 1)
            file->refs[thing] |= bit(0); /* a compressed thing needs a reference */
        refs[count][0] = '\0';
        for (uint32_t ref = 0; ref < REACH_THINGS; ref++)
            if (file->refs[thing] & bit(ref))
                sprintf(refs[count] + strlen(refs[count]), " %s", name_of(ref, name));
        assets[count] = (scene_asset){name_of(thing, names[count]), file->values[thing],
                                      refs[count], kind == 1 ? SCENE_PACKED : SCENE_THING};
        count++;
    }
    kiln_types *types = scene_types(kind == 2);
    file->image = scene_planned_of(types, choose_plan(h, file, plan), assets, count);
    kiln_types_destroy(types);
}

void reach_make_files(reach *h)
{
    for (uint32_t i = 0; i < REACH_FILES; i++) {
        if (i % REACH_VERSIONS == 0)
            choose_things(h, i);
        else
            edit_things(h, i, &h->files[i - i % REACH_VERSIONS]);
    }
    for (uint32_t i = 0; i < REACH_FILES; i++)
        make_file(h, i);
    for (uint32_t i = 0; i < REACH_MOUNTS; i++)
        h->mounts[i].group = REACH_NONE;
}

/* ---- steps ---- */

/* Writes a new file and renames it, because the old one may be mapped. */
static void write_file(const kiln_buffer *image, const char *path)
{
    char fresh[80];
    snprintf(fresh, sizeof fresh, "%s.new", path);
    FILE *file = fopen(fresh, "wb");
    assert_non_null(file);
    assert_int_equal(image->size, fwrite(image->data, 1, image->size, file));
    assert_int_equal(0, fclose(file));
    assert_int_equal(0, rename(fresh, path));
}

const char *reach_path(int at)
{
    static char path[64];
    snprintf(path, sizeof path, "reach%ld_%d.kiln", (long)getpid(), at);
    return path;
}

kiln_mount_def reach_mount_def(reach *h, const kiln_buffer *image, int at)
{
    kiln_mount_def def = kiln_mount_def_default();
    def.order = (int32_t)reach_random(h, 3);
    def.file.level = (kiln_verify_level)reach_random(h, 3);
    if (reach_random(h, 4) == 0) {
        def.file.path = reach_path(at);
        write_file(image, def.file.path);
    } else {
        def.file.source = KILN_SOURCE_COPY;
        def.file.data = image->data;
        def.file.size = image->size;
    }
    return def;
}

static kiln_mount_def choose_file(reach *h, int group, int at)
{
    const reach_file *file =
        &h->files[group * REACH_VERSIONS + (int)reach_random(h, REACH_VERSIONS)];
    return reach_mount_def(h, &file->image, at);
}

void reach_mount_one(reach *h)
{
    const int at = (int)reach_random(h, REACH_MOUNTS);
    const int group = (int)reach_random(h, REACH_GROUPS);
    reach_mount *mount = &h->mounts[at];
    if (mount->group != REACH_NONE)
        return;
    kiln_mount_def def = choose_file(h, group, at);
    reach_threaten(h);
    if (REACH_EXPECT(h, "mount",
                     kiln_assets_mount(h->scene.assets, &def, &mount->handle, &h->scene.error),
                     KILN_MISSING))
        mount->group = group;
}

void reach_unmount_one(reach *h)
{
    reach_mount *mount = &h->mounts[reach_random(h, REACH_MOUNTS)];
    const kiln_unmount how = reach_random(h, 2) ? KILN_UNMOUNT_DEFER : KILN_UNMOUNT_REFUSE;
    if (mount->group == REACH_NONE || reach_random(h, 3))
        return;
    h->may_remove = true;
    if (REACH_EXPECT(h, "unmount",
                     kiln_assets_unmount(h->scene.assets, mount->handle, how, &h->scene.error),
                     KILN_HELD))
        mount->group = REACH_NONE;
}

void reach_replace_one(reach *h)
{
    const int at = (int)reach_random(h, REACH_MOUNTS);
    const reach_mount *mount = &h->mounts[at];
    if (mount->group == REACH_NONE)
        return;
    kiln_mount_def def = choose_file(h, mount->group, at);
    h->may_remove = true;
    reach_threaten(h);
    h->replaces += REACH_EXPECT(
        h, "replace", kiln_assets_replace(h->scene.assets, mount->handle, &def, &h->scene.error),
        KILN_MISSING);
}
