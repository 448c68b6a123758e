#include "probe_level.h"

#include "flatbuffers_peer.h"

#include <kiln/builder.h>
#include <kiln/canonical.h>
#include <kiln/type_table.h>
#include <kiln/verify.h>

#include <stdio.h>

typedef struct level_case {
    probe_bytes file_bytes, peer_bytes;
    kiln_types *types;
    kiln_file *file;
    const bench_Level *level;
    const unsigned char *blob;
    size_t blob_size;
    kiln_verify_def verify;
    kiln_buffer unshared;
    baseline_object *objects;
    size_t object_count;
    baseline_table table;
} level_case;

static bool open_level(const char *path, level_case *c)
{
    kiln_file_def def = kiln_file_def_default();
    if (!probe_read(path, &c->file_bytes) || bench_types_create(NULL, &c->types, NULL))
        return false;
    def.data = c->file_bytes.data;
    def.size = c->file_bytes.size;
    if (kiln_file_open(&def, &c->file, NULL))
        return false;
    c->level = bench_Level_root(c->file, kiln_file_asset_at(c->file, 0), NULL);
    if (!c->level)
        return false;
    const kiln_index *index = kiln_file_index(c->file, NULL);
    uint32_t member = kiln_index_asset_at(index, 0)->member;
    c->blob = c->file_bytes.data + kiln_index_member_at(index, member)->place;
    c->blob_size = (size_t)kiln_index_member_at(index, member)->size;
    return true;
}

/* ---- verification ---- */

static uint64_t verify_ours(void *ctx)
{
    const level_case *c = ctx;
    return kiln_verify(&c->verify, c->blob, c->blob_size, NULL) == KILN_OK;
}

#ifdef BENCH_HAVE_FLATBUFFERS
static uint64_t verify_peer(void *ctx)
{
    const level_case *c = ctx;
    return flatbuffers_peer_verify(c->peer_bytes.data, c->peer_bytes.size);
}
#endif

static void define_verify(level_case *c, bool less, bool canonical)
{
    c->verify = kiln_verify_def_default();
    c->verify.types = c->types;
    c->verify.type = kiln_types_find(c->types, "bench.Level");
    c->verify.skip_hash = less;
    c->verify.bounds_only = less;
    c->verify.check_canonical = canonical;
}

static const char *verify(const char *level_kiln, bool less, bool canonical, bench_pair *ret_pair)
{
    level_case c = {0};
    if (!open_level(level_kiln, &c))
        return "FAILED: the level cannot be opened";
    define_verify(&c, less, canonical);
    if (!verify_ours(&c))
        return "FAILED: the level is not valid";
#ifdef BENCH_HAVE_FLATBUFFERS
    char path[4096];
    int stem = (int)strlen(level_kiln) - (int)strlen(".kiln");
    snprintf(path, sizeof path, "%.*s.bin", stem, level_kiln);
    if (!probe_read(path, &c.peer_bytes))
        return "SKIPPED (no level from flatc)";
    if (!verify_peer(&c))
        return "FAILED: the peer's level is not valid";
    bench_side ours = {NULL, verify_ours}, baseline = {NULL, verify_peer};
    *ret_pair = bench_span_measure(ours, baseline, &c);
    return NULL;
#else
    (void)ret_pair;
    return "SKIPPED (built without FlatBuffers)";
#endif
}

static uint64_t hash_blob(void *ctx)
{
    const level_case *c = ctx;
    return baseline_hash(c->blob, c->blob_size);
}

const char *probe_verify_hash(const char *level_kiln, bench_pair *ret_pair)
{
    level_case c = {0};
    if (!open_level(level_kiln, &c))
        return "FAILED: the level cannot be opened";
    define_verify(&c, false, false);
    if (!verify_ours(&c))
        return "FAILED: the level is not valid";
    bench_side ours = {NULL, verify_ours}, baseline = {NULL, hash_blob};
    *ret_pair = bench_span_measure(ours, baseline, &c);
    return NULL;
}

const char *probe_verify(const char *level_kiln, bench_pair *ret_pair)
{
    return verify(level_kiln, false, false, ret_pair);
}

const char *probe_verify_less(const char *level_kiln, bench_pair *ret_pair)
{
    return verify(level_kiln, true, false, ret_pair);
}

const char *probe_verify_more(const char *level_kiln, bench_pair *ret_pair)
{
    return verify(level_kiln, false, true, ret_pair);
}

/* ---- the canonical form ---- */

static bool add_string(kiln_builder *builder, kiln_string *to, const kiln_string *from)
{
    return kiln_builder_string(builder, to, kiln_string_get(from), from->length);
}

static bool build_spawn(kiln_builder *builder, bench_Spawn *to, const bench_Spawn *from)
{
    memcpy(&to->pos, &from->pos, sizeof to->pos);
    memcpy(&to->rot, &from->rot, sizeof to->rot);
    to->hp = from->hp;
    bool good =
        add_string(builder, &to->name, &from->name) && add_string(builder, &to->kind, &from->kind);
    kiln_string_view tags = bench_Spawn_new_tags(builder, to, from->tags.count);
    for (uint32_t i = 0; good && i < from->tags.count; i++) {
        kiln_string *tag = kiln_string_view_at(tags, i);
        good = tag && add_string(builder, tag, kiln_string_array_at(&from->tags, i));
    }
    bench_Loot_view loot = bench_Spawn_new_loot(builder, to, from->loot.count);
    for (uint32_t i = 0; good && i < from->loot.count; i++) {
        bench_Loot *entry = bench_Loot_view_at(loot, i);
        const bench_Loot *source = bench_Loot_array_at(&from->loot, i);
        good = entry && add_string(builder, &entry->item, &source->item);
        if (good)
            entry->count = source->count;
    }
    return good;
}

/* Builds the same level, in which every object is stored once per reference. */
static bool build_unshared(level_case *c)
{
    kiln_builder_def def = kiln_builder_def_default();
    kiln_builder *builder = NULL;
    def.types = c->types;
    if (kiln_builder_create(&def, &builder))
        return false;
    bench_Level *level = bench_Level_new(builder);
    uint32_t count = c->level->spawns.count;
    bench_Spawn_view spawns = bench_Level_new_spawns(builder, level, count);
    bool good = spawns.data != NULL;
    for (uint32_t i = 0; good && i < count; i++) {
        bench_Spawn *spawn = bench_Spawn_view_at(spawns, i);
        good = spawn && build_spawn(builder, spawn, bench_Spawn_array_at(&c->level->spawns, i));
    }
    good = good && !bench_Level_finish(builder, c->types, false, &c->unshared, NULL);
    kiln_builder_destroy(builder);
    return good;
}

static void add_object(level_case *c, const void *data, size_t size)
{
    if (!data || !size)
        return;
    if (c->objects) {
        c->objects[c->object_count].data = data;
        c->objects[c->object_count].size = size;
    }
    c->object_count++;
}

static void add_text(level_case *c, const kiln_string *string)
{
    add_object(c, kiln_string_get(string), string->length);
}

/* Visits every object of the unshared blob. With NULL for `objects` it only counts. */
static void list_objects(level_case *c)
{
    const kiln_blob_header *header = (const void *)c->unshared.data;
    const bench_Level *level = (const void *)(c->unshared.data + kiln_header_payload_at(header));
    c->object_count = 0;
    add_object(c, level, sizeof *level);
    add_object(c, bench_Spawn_array_data(&level->spawns),
               level->spawns.count * sizeof(bench_Spawn));
    for (uint32_t i = 0; i < level->spawns.count; i++) {
        const bench_Spawn *spawn = bench_Spawn_array_at(&level->spawns, i);
        add_text(c, &spawn->name);
        add_text(c, &spawn->kind);
        add_object(c, kiln_string_array_data(&spawn->tags),
                   spawn->tags.count * sizeof(kiln_string));
        for (uint32_t k = 0; k < spawn->tags.count; k++)
            add_text(c, kiln_string_array_at(&spawn->tags, k));
        add_object(c, bench_Loot_array_data(&spawn->loot), spawn->loot.count * sizeof(bench_Loot));
        for (uint32_t k = 0; k < spawn->loot.count; k++)
            add_text(c, &bench_Loot_array_at(&spawn->loot, k)->item);
    }
}

static uint64_t canonicalize(void *ctx)
{
    const level_case *c = ctx;
    kiln_buffer blob = {0};
    uint32_t type = kiln_types_find(c->types, "bench.Level");
    if (kiln_canonicalize(&(kiln_canonical_args){.types = c->types,
                                                 .type = type,
                                                 .blob = {c->unshared.data, c->unshared.size},
                                                 .allocator = NULL},
                          &blob, NULL))
        return 0;
    uint64_t size = blob.size;
    kiln_buffer_fini(&blob);
    return size;
}

static uint64_t look_up(void *ctx)
{
    const level_case *c = ctx;
    return baseline_look_up(&c->table, c->objects, c->object_count);
}

const char *probe_canonicalize(const char *level_kiln, bench_pair *ret_pair)
{
    level_case c = {0};
    if (!open_level(level_kiln, &c) || !build_unshared(&c))
        return "FAILED: the level cannot be rebuilt";
    if (canonicalize(&c) != c.blob_size)
        return "FAILED: the canonical form differs from the baker's";
    list_objects(&c);
    c.objects = baseline_array(c.object_count, sizeof *c.objects);
    list_objects(&c);
    baseline_table_fill(&c.table, c.objects, c.object_count);
    bench_side ours = {NULL, canonicalize}, baseline = {NULL, look_up};
    *ret_pair = bench_span_measure_each(ours, baseline, &c, c.object_count);
    return NULL;
}
