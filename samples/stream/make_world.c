/* Generates the authoring data of a world: a row of regions. Each region is a scene with props.
 * Each prop has its own texture. Some props belong to one region, others are shared by all.
 * Usage: make_world FOLDER REGIONS */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum {
    PROPS_PER_REGION = 4, /* each with its own texture */
    SHARED_PROPS = 8,
    ENTITIES_PER_REGION = 200,
    TEXTURE_SIZE = 256 * 1024,
    NAME_SIZE = 64
};

static const char *folder;

static void fail(const char *path)
{
    fprintf(stderr, "make_world: %s: %s\n", path, strerror(errno));
    exit(1);
}

/* Creates the file `name` with this ending in the folder. */
static FILE *create(const char *name, const char *ending)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s%s", folder, name, ending);
    FILE *file = fopen(path, "wb");
    if (!file)
        fail(path);
    return file;
}

static void finish(FILE *file)
{
    if (fclose(file) != 0)
        fail(folder);
}

/* The texels differ between textures and compress well. */
static void make_texture(const char *name, uint32_t seed)
{
    static unsigned char texels[TEXTURE_SIZE];
    for (size_t i = 0; i < sizeof texels; i++) {
        if (i % 64 == 0)
            seed = seed * 1664525 + 1013904223;
        texels[i] = (unsigned char)(seed >> 24);
    }
    FILE *file = create(name, ".texture");
    if (fwrite(texels, 1, sizeof texels, file) != sizeof texels)
        fail(name);
    finish(file);
}

/* Writes the props `PREFIX_0` and so on, which form a ring, and their textures. */
static void make_props(const char *prefix, uint32_t count, uint32_t seed)
{
    char name[NAME_SIZE + 16]; /* the prefix and a number */
    FILE *file = create(prefix, ".props.yaml");
    fprintf(file, "Prop:\n");
    for (uint32_t i = 0; i < count; i++)
        fprintf(file, "  %s_%u: {texture: %s_%u, weight: %u, next: %s_%u}\n", prefix, i, prefix, i,
                1 + (seed + i) % 50, prefix, (i + 1) % count);
    fprintf(file, "Texture:\n");
    for (uint32_t i = 0; i < count; i++) {
        snprintf(name, sizeof name, "%s_%u", prefix, i);
        fprintf(file, "  %s: {texels: !file %s.texture}\n", name, name);
        make_texture(name, seed + i);
    }
    finish(file);
}

static void make_region(uint32_t region)
{
    char name[NAME_SIZE];
    snprintf(name, sizeof name, "region_%u", region);
    FILE *file = create(name, ".scene.yaml");
    fprintf(file, "entities:\n");
    for (uint32_t i = 0; i < ENTITIES_PER_REGION; i++) {
        fprintf(file, "  - {name: e%u, components: {Place: {x: %u, y: %u}, Look: {prop: ", i,
                100 * region + i % 100, i / 2);
        if (i % 4)
            fprintf(file, "region_%u_%u}}}\n", region, i % PROPS_PER_REGION);
        else
            fprintf(file, "shared_%u}}}\n", (region + i / 4) % SHARED_PROPS);
    }
    finish(file);
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: make_world FOLDER REGIONS\n");
        return 2;
    }
    folder = argv[1];
    uint32_t regions = (uint32_t)strtoul(argv[2], NULL, 10);
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        fail(folder);
    make_props("shared", SHARED_PROPS, 0);
    for (uint32_t i = 0; i < regions; i++) {
        char prefix[NAME_SIZE];
        snprintf(prefix, sizeof prefix, "region_%u", i);
        make_props(prefix, PROPS_PER_REGION, SHARED_PROPS + i * PROPS_PER_REGION);
        make_region(i);
    }
    return 0;
}
