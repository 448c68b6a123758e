/* A scene of bodies, which the probe writes, loads and unloads. */
#include "probe_scenes.h"

#include "bench_pages.h"
#include "probe.h"

#include <kiln/blob_header.h>
#include <kiln/index.h>
#include <kiln/query.h>
#include <kiln/scenes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

enum { KINDS = 5, THINGS = 100, ROW = 36, ROW_WORDS = ROW + 16 };

typedef struct scene_case {
    uint32_t count;
    bool has_words, copies, is_compressed;
    kiln_verify_level level;
    char path[64];
    kiln_types *types;
    kiln_component_desc descs[KINDS];
    body_columns source, flat;
    unsigned char *fresh; /* target of the baseline's copy */
    size_t bytes;         /* size of all rows */
    baseline_id *ids;     /* ids in flat arrays */
    uint64_t *words;      /* words in flat arrays */
    kiln_assets *assets;
    kiln_page_source pages;
    kiln_world *world;
    kiln_component position, rotation, velocity, owner, thing;
    kiln_scene_source *scene;
    kiln_scene_instance *first, *instance;
    kiln_entity last;
    uint64_t since;             /* the tick before the last instance was loaded */
    const unsigned char *frame; /* of the compressed chunks */
    size_t frame_size, blob_size;
    ZSTD_DCtx *zstd;
} scene_case;

static void expect(kiln_status status, const char *path)
{
    if (!status)
        return;
    fprintf(stderr, "bench_probe: %s: %s\n", kiln_status_text(status), path);
    exit(1);
}

/* ---- the file ---- */

static const uint32_t first_word[] = {0};
static const kiln_component_desc descs[] = {
    {"bench.Position", 0, 12, 4, NULL, NULL, 0, 0},
    {"bench.Rotation", 0, 16, 4, NULL, NULL, 0, 0},
    {"bench.Velocity", 0, 8, 4, NULL, NULL, 0, 0},
    {"bench.Owner", 0, 8, 4, first_word, NULL, 1, 0},
    {"bench.Thing", 0, 8, 8, NULL, first_word, 0, 1},
};

static void make_types(scene_case *c)
{
    const kiln_member value[] = {{.name = "value", .type = 0}};
    const kiln_member xyzw[] = {{.name = "x", .type = 1},
                                {.name = "y", .type = 1},
                                {.name = "z", .type = 1},
                                {.name = "w", .type = 1}};
    const kiln_member of[] = {{.name = "of", .type = 2}}, item[] = {{.name = "item", .type = 3}};
#define STRUCT(type_name, fields, count)                                                           \
    {                                                                                              \
        .kind = KILN_KIND_STRUCT, .name = type_name, .members = fields, .member_count = count      \
    }
    const kiln_type types[] = {{.kind = KILN_KIND_U32},
                               {.kind = KILN_KIND_F32},
                               {.kind = KILN_KIND_ENTITY},
                               {.kind = KILN_KIND_REF, .element = KILN_TYPE_NONE},
                               STRUCT("bench.Position", xyzw, 3),
                               STRUCT("bench.Rotation", xyzw, 4),
                               STRUCT("bench.Velocity", xyzw, 2),
                               STRUCT("bench.Owner", of, 1),
                               STRUCT("bench.Thing", item, 1),
                               {.kind = KILN_KIND_STRUCT,
                                .name = "bench.Item",
                                .flags = KILN_TYPE_ASSET,
                                .members = value,
                                .member_count = 1}};
#undef STRUCT
    kiln_types *plain = NULL;
    kiln_error error = {0};
    expect(kiln_types_create(NULL, types, sizeof types / sizeof *types, &plain, &error),
           error.path);
    expect(kiln_types_with_scene(plain, NULL, &c->types, &error), error.path);
    kiln_types_destroy(plain);
    for (uint32_t i = 0; i < KINDS; i++) {
        c->descs[i] = descs[i];
        c->descs[i].layout =
            kiln_types_get(c->types, kiln_types_find(c->types, descs[i].name))->layout;
    }
}

static void add_things(const scene_case *c, kiln_file_writer *file, kiln_scene_writer *writer,
                       uint64_t *words)
{
    for (uint32_t i = 0; i < THINGS; i++) {
        char name[32];
        int length = snprintf(name, sizeof name, "Item/%u", (unsigned)i);
        kiln_builder_def def = kiln_builder_def_default();
        kiln_builder *builder = NULL;
        def.types = c->types;
        expect(kiln_builder_create(&def, &builder), "");
        *(uint32_t *)kiln_builder_root(builder, 4, 4) = i;
        expect(kiln_file_writer_build(file, name, kiln_types_find(c->types, "bench.Item"), builder,
                                      NULL),
               name);
        kiln_builder_destroy(builder);
        expect(kiln_scene_writer_add_asset(writer, kiln_asset_id(name, (size_t)length), &words[i]),
               "");
    }
}

static void copy_column(kiln_scene_writer *writer, uint32_t first, uint32_t count,
                        uint32_t component, const void *from, size_t size)
{
    for (uint32_t done = 0, some; done < count; done += some) {
        void *to = kiln_scene_writer_at(writer, first + done, component, &some);
        some = some < count - done ? some : count - done;
        memcpy(to, (const unsigned char *)from + done * size, some * size);
    }
}

static bool write_bytes(void *ctx, const void *data, size_t size)
{
    return fwrite(data, 1, size, ctx) == size;
}

/* Each entity refers to a distant entity, and to one of the things. */
static void write_words(kiln_scene_writer *writer, uint32_t first, uint32_t count,
                        const uint32_t *numbers, const uint64_t *things)
{
    for (uint32_t i = 0; i < count; i++) {
        kiln_entity owner = {first + (uint32_t)((uint64_t)i * 2654435761u % count),
                             KILN_SCENE_LOCAL};
        memcpy(kiln_scene_writer_at(writer, first + i, numbers[3], NULL), &owner, sizeof owner);
        memcpy(kiln_scene_writer_at(writer, first + i, numbers[4], NULL), &things[i % THINGS], 8);
    }
}

static void write_scene(scene_case *c)
{
    kiln_file_writer_def def = kiln_file_writer_def_default();
    kiln_file_writer *file = NULL;
    kiln_scene_writer *writer = NULL;
    kiln_error error = {0};
    uint32_t numbers[5], archetype, first, kinds = c->has_words ? 5 : 3;
    uint64_t things[THINGS];
    def.types = c->types;
    expect(kiln_file_writer_create(&def, &file, &error), error.path);
    expect(kiln_scene_writer_create(NULL, &writer), "");
    add_things(c, file, writer, things);
    for (uint32_t i = 0; i < kinds; i++) {
        kiln_scene_component_desc component = {c->descs[i], NULL, NULL, 0};
        expect(kiln_scene_writer_add_component(writer, &component, &numbers[i]), descs[i].name);
    }
    expect(kiln_scene_writer_add_archetype(writer, numbers, kinds, &archetype), "");
    expect(kiln_scene_writer_add_rows(writer, archetype, c->count, &first), "");
    copy_column(writer, first, c->count, numbers[0], c->source.positions, 12);
    copy_column(writer, first, c->count, numbers[1], c->source.rotations, 16);
    copy_column(writer, first, c->count, numbers[2], c->source.velocities, 8);
    if (c->has_words)
        write_words(writer, first, c->count, numbers, things);
    if (c->is_compressed)
        expect(kiln_file_writer_compress(file, 3, NULL), "");
    kiln_scene_finish_args finish = {
        .name = "Scene/bodies", .file = file, .types = c->types, .data_type = KILN_TYPE_NONE};
    expect(kiln_scene_writer_finish(writer, &finish, &error), error.path);
    FILE *out = fopen(c->path, "wb");
    expect(out ? kiln_file_writer_finish(file, write_bytes, out, &error) : KILN_IO, error.path);
    expect(fclose(out) == 0 ? KILN_OK : KILN_IO, c->path);
    kiln_scene_writer_destroy(writer);
    kiln_file_writer_destroy(file);
}

/* ---- the world ---- */

static void mount(scene_case *c)
{
    kiln_assets_def def = kiln_assets_def_default();
    kiln_mount_def mount = kiln_mount_def_default();
    kiln_mount unused;
    kiln_error error = {0};
    expect(kiln_assets_create(&def, &c->assets, &error), error.path);
    mount.file.path = c->path;
    mount.file.level = c->level;
    expect(kiln_assets_mount(c->assets, &mount, &unused, &error), error.path);
}

static void open_source(scene_case *c)
{
    kiln_error error = {0};
    kiln_scene_source_args args = {.assets = c->assets, .name = "Scene/bodies", .by = KILN_HERE};
    expect(kiln_scene_source_open(&args, &c->scene, &error), error.path);
}

static void init(scene_case *c, const char *count)
{
    c->count = (uint32_t)strtoul(count, NULL, 10);
    c->bytes = (size_t)c->count * (c->has_words ? ROW_WORDS : ROW);
    snprintf(c->path, sizeof c->path, "bench_scene_%ld.kiln", (long)getpid());
    make_types(c);
    baseline_columns_map(&c->source, c->count, BASELINE_PLAIN);
    baseline_columns_fill(&c->source, c->count);
    write_scene(c);
    baseline_columns_map(&c->flat, c->count, BASELINE_PLAIN);
    baseline_columns_copy(&c->flat, &c->source, 0, c->count);
    c->ids = malloc(c->count * sizeof *c->ids);
    c->words = malloc(c->count * 2 * sizeof *c->words);
    expect(c->ids && c->words ? KILN_OK : KILN_NO_MEMORY, "");
    for (uint32_t i = 0; i < c->count; i++) {
        c->ids[i] = (baseline_id){i, 1};
        c->words[2 * i] = c->words[2 * i + 1] = i;
    }
    mount(c);
    c->pages = bench_pages_plain();
    kiln_world_def world = kiln_world_def_default();
    world.pages = &c->pages;
    world.huge_pages = KILN_HUGE_PAGES_NEVER;
    expect(kiln_world_create(&world, &c->world), "");
    kiln_component *const components[] = {&c->position, &c->rotation, &c->velocity, &c->owner,
                                          &c->thing};
    for (uint32_t i = 0; i < 5; i++)
        expect(kiln_component_register(c->world, &c->descs[i], components[i]), descs[i].name);
    open_source(c);
}

/* Frees everything and deletes the file. */
static void end(scene_case *c)
{
    kiln_scene_unload(c->instance);
    kiln_scene_unload(c->first);
    kiln_scene_source_close(c->scene);
    kiln_world_destroy(c->world);
    kiln_assets_destroy(c->assets);
    unlink(c->path);
}

static void load(scene_case *c)
{
    kiln_error error = {0};
    c->since = kiln_world_tick(c->world);
    kiln_scene_load_args args = {
        .world = c->world, .source = c->scene, .forbid_mapping = c->copies};
    expect(kiln_scene_load(&args, &c->instance, &error), error.path);
}

static void unload(void *ctx)
{
    scene_case *c = ctx;
    kiln_scene_unload(c->instance);
    c->instance = NULL;
}

/* ---- reading everything ---- */

static uint64_t sum_words(const void *from, size_t size)
{
    const unsigned char *bytes = from;
    uint64_t sum = 0, word;
    for (size_t at = 0; at + 8 <= size; at += 8) {
        memcpy(&word, bytes + at, 8);
        sum += word;
    }
    return sum;
}

static uint64_t pass(const scene_case *c)
{
    uint64_t sum = 0;
    kiln_query *query;
    const kiln_query_term def = {c->position, KILN_TERM_WITH};
    expect(kiln_query_create(c->world, &def, 1, &query), "");
    kiln_iterator walk = kiln_query_iterate_changed(query, c->since);
    while (kiln_iterator_next(&walk)) {
        uint32_t rows = walk.count;
        sum += sum_words(kiln_iterator_read(&walk, c->position), (size_t)rows * 12);
        sum += sum_words(kiln_iterator_read(&walk, c->rotation), (size_t)rows * 16);
        sum += sum_words(kiln_iterator_read(&walk, c->velocity), (size_t)rows * 8);
        if (c->has_words) {
            sum += sum_words(kiln_iterator_read(&walk, c->owner), (size_t)rows * 8);
            sum += sum_words(kiln_iterator_read(&walk, c->thing), (size_t)rows * 8);
        }
        for (uint32_t row = 0; row < rows; row++) {
            uint32_t index = kiln_chunk_index(walk.chunk, walk.first + row);
            sum += index + KILN_LOAD_RELAXED(&kiln_index_record(c->world, index)->version);
        }
    }
    kiln_query_destroy(query);
    return sum;
}

static uint64_t load_and_pass(void *ctx)
{
    load(ctx);
    return pass(ctx);
}

static uint64_t flat_pass(void *ctx)
{
    const scene_case *c = ctx;
    uint64_t sum = sum_words(c->flat.positions, (size_t)c->count * 12) +
                   sum_words(c->flat.rotations, (size_t)c->count * 16) +
                   sum_words(c->flat.velocities, (size_t)c->count * 8);
    if (c->has_words)
        sum += sum_words(c->words, (size_t)c->count * 16);
    for (uint32_t i = 0; i < c->count; i++)
        sum += c->ids[i].index + c->ids[i].version;
    return sum;
}

static void free_fresh(void *ctx)
{
    scene_case *c = ctx;
    if (c->fresh)
        baseline_pages_unmap(c->fresh, c->bytes);
    c->fresh = NULL;
}

static uint64_t copy_fresh(void *ctx)
{
    scene_case *c = ctx;
    size_t rows = (size_t)c->count * ROW;
    c->fresh = baseline_pages_map(c->bytes, 4096, BASELINE_PLAIN);
    memcpy(c->fresh, c->source.positions, (size_t)c->count * 12);
    memcpy(c->fresh + (size_t)c->count * 12, c->source.rotations, (size_t)c->count * 16);
    memcpy(c->fresh + (size_t)c->count * 28, c->source.velocities, (size_t)c->count * 8);
    memcpy(c->fresh + rows, c->words, c->bytes - rows);
    return c->fresh[c->bytes / 2];
}

static const bench_side copying = {free_fresh, copy_fresh};

/* The time to load and read, minus the time to read. */
static const char *measure_load(scene_case *c, bench_pair *ret_pair)
{
    bench_side loads = {unload, load_and_pass}, passes = {NULL, flat_pass};
    bench_pair all = bench_span_measure_each(loads, copying, c, c->count);
    bench_pair flat = bench_span_measure_each(passes, copying, c, c->count);
    *ret_pair = (bench_pair){all.ours - flat.ours, all.baseline};
    bool is_mapped = kiln_scene_get_info(c->instance).mapped > 0;
    end(c);
    return is_mapped == (!c->copies && !c->has_words)
               ? NULL
               : "FAILED: the file was mapped unexpectedly, or not mapped";
}

const char *probe_scene_load(const char *count, bench_pair *ret_pair)
{
    scene_case c = {.level = KILN_VERIFY_NONE};
    init(&c, count);
    return measure_load(&c, ret_pair);
}

const char *probe_scene_load_words(const char *count, bench_pair *ret_pair)
{
    scene_case c = {.level = KILN_VERIFY_NONE, .has_words = true};
    init(&c, count);
    return measure_load(&c, ret_pair);
}

const char *probe_scene_load_copied(const char *count, bench_pair *ret_pair)
{
    scene_case c = {.level = KILN_VERIFY_NONE, .copies = true};
    init(&c, count);
    return measure_load(&c, ret_pair);
}

const char *probe_scene_load_second(const char *count, bench_pair *ret_pair)
{
    scene_case c = {.level = KILN_VERIFY_NONE};
    init(&c, count);
    load(&c);
    c.first = c.instance;
    c.instance = NULL;
    bench_side loads = {unload, load_and_pass}, passes = {NULL, flat_pass};
    bench_pair all = bench_span_measure_each(loads, copying, &c, c.count);
    bench_pair flat = bench_span_measure_each(passes, copying, &c, c.count);
    *ret_pair = (bench_pair){all.ours - flat.ours, all.baseline};
    end(&c);
    return NULL;
}

/* ---- further figures ---- */

static void close_source(void *ctx)
{
    scene_case *c = ctx;
    kiln_scene_source_close(c->scene);
    kiln_assets_destroy(c->assets);
    mount(c);
}

static uint64_t open_again(void *ctx)
{
    scene_case *c = ctx;
    open_source(c);
    return kiln_scene_source_view(c->scene)->entities;
}

const char *probe_scene_verify(const char *count, bench_pair *ret_pair)
{
    scene_case c = {.level = KILN_VERIFY_DEEP};
    init(&c, count);
    bench_side opens = {close_source, open_again};
    bench_pair deep = bench_span_measure_each(opens, copying, &c, c.count);
    c.level = KILN_VERIFY_NONE;
    bench_pair none = bench_span_measure_each(opens, copying, &c, c.count);
    *ret_pair = (bench_pair){deep.ours - none.ours, deep.baseline};
    end(&c);
    return NULL;
}

static void load_again(void *ctx)
{
    scene_case *c = ctx;
    load(c);
    pass(c);
    c->last = kiln_scene_entity(c->instance, c->count - 1);
}

static uint64_t unload_all(void *ctx)
{
    scene_case *c = ctx;
    kiln_scene_unload(c->instance);
    c->instance = NULL;
    return kiln_entity_exists(c->world, c->last);
}

const char *probe_scene_unload(const char *count, bench_pair *ret_pair)
{
    scene_case c = {.level = KILN_VERIFY_NONE};
    init(&c, count);
    bench_side unloads = {load_again, unload_all};
    *ret_pair = bench_span_measure_each(unloads, copying, &c, c.count);
    bool is_dead = !kiln_entity_exists(c.world, c.last);
    end(&c);
    return is_dead ? NULL : "FAILED: a handle is still alive";
}

/* ---- compressed ---- */

static void mount_again(void *ctx)
{
    unload(ctx);
    close_source(ctx);
}

static uint64_t open_load_and_pass(void *ctx)
{
    open_source(ctx);
    return load_and_pass(ctx);
}

static uint64_t decompress_fresh(void *ctx)
{
    scene_case *c = ctx;
    c->fresh = baseline_pages_map(c->blob_size, 4096, BASELINE_PLAIN);
    size_t size = ZSTD_decompressDCtx(c->zstd, c->fresh, c->blob_size, c->frame, c->frame_size);
    return size == c->blob_size ? c->fresh[size / 2] : 0;
}

static void free_blob(void *ctx)
{
    scene_case *c = ctx;
    if (c->fresh)
        baseline_pages_unmap(c->fresh, c->blob_size);
    c->fresh = NULL;
}

/* The stored bytes of the chunks, located through the file's index. */
static void find_frame(scene_case *c, const probe_bytes *file)
{
    const kiln_index *index = (const void *)(file->data + KILN_HEADER_SIZE);
    const char name[] = "SceneChunks/bodies";
    uint32_t number = kiln_index_find_name(index, name, sizeof name - 1);
    expect(number == KILN_ASSET_NONE ? KILN_NOT_FOUND : KILN_OK, name);
    uint32_t member = kiln_index_asset_at(index, number)->member;
    const kiln_index_member *at = kiln_index_member_at(index, member);
    expect(at->compression == KILN_COMPRESSION_ZSTD ? KILN_OK : KILN_BAD_ARGUMENT, name);
    c->frame = file->data + at->place;
    c->frame_size = (size_t)at->stored_size;
    c->blob_size = (size_t)at->size;
}

const char *probe_scene_unpack(const char *count, bench_pair *ret_pair)
{
    scene_case c = {.level = KILN_VERIFY_NONE, .is_compressed = true};
    probe_bytes file = {0};
    init(&c, count);
    expect(probe_read(c.path, &file) ? KILN_OK : KILN_IO, c.path);
    find_frame(&c, &file);
    c.zstd = ZSTD_createDCtx();
    bench_side loads = {mount_again, open_load_and_pass}, plain = {free_blob, decompress_fresh};
    bench_side passes = {NULL, flat_pass};
    bench_pair all = bench_span_measure_each(loads, plain, &c, c.count);
    free_blob(&c);
    bench_pair flat = bench_span_measure_each(passes, copying, &c, c.count);
    *ret_pair = (bench_pair){all.ours - flat.ours, all.baseline};
    ZSTD_freeDCtx(c.zstd);
    end(&c);
    return NULL;
}
