/* Compares reading the values of a level with reading the structs of a plain C program. */
#include "probe_level.h"

const bench_Level *probe_level_map(const char *path)
{
    kiln_file_def def = kiln_file_def_default();
    kiln_file *file = NULL;
    def.path = path;
    if (kiln_file_open(&def, &file, NULL))
        return NULL;
    return bench_Level_root(file, kiln_file_asset_at(file, 0), NULL);
}

static char *copy_string(const kiln_string *string)
{
    return baseline_text(kiln_string_get(string), string->length);
}

static void copy_spawn(const bench_Spawn *from, baseline_spawn *to)
{
    to->name = copy_string(&from->name);
    memcpy(to->pos, &from->pos, sizeof to->pos);
    memcpy(to->rot, &from->rot, sizeof to->rot);
    to->hp = from->hp;
    to->tag_count = from->tags.count;
    to->tags = baseline_array(to->tag_count, sizeof *to->tags);
    for (uint32_t i = 0; i < to->tag_count; i++)
        to->tags[i] = copy_string(kiln_string_array_at(&from->tags, i));
    to->kind = copy_string(&from->kind);
    to->loot_count = from->loot.count;
    to->loot = baseline_array(to->loot_count, sizeof *to->loot);
    for (uint32_t i = 0; i < to->loot_count; i++) {
        to->loot[i].item = copy_string(&bench_Loot_array_at(&from->loot, i)->item);
        to->loot[i].count = bench_Loot_array_at(&from->loot, i)->count;
    }
}

void probe_level_copy(const bench_Level *level, baseline_level *ret_plain)
{
    ret_plain->count = level->spawns.count;
    ret_plain->spawns = baseline_array(ret_plain->count, sizeof *ret_plain->spawns);
    for (uint32_t i = 0; i < ret_plain->count; i++)
        copy_spawn(bench_Spawn_array_at(&level->spawns, i), ret_plain->spawns + i);
}

typedef struct access_case {
    const bench_Level *level;
    baseline_level plain;
} access_case;

static uint64_t sum_ours(void *ctx)
{
    const access_case *c = ctx;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < c->level->spawns.count; i++)
        sum += bench_Spawn_array_at(&c->level->spawns, i)->hp;
    return sum;
}

static uint64_t sum_plain(void *ctx)
{
    const access_case *c = ctx;
    return baseline_sum_hp(&c->plain);
}

static uint64_t walk_ours(void *ctx)
{
    const access_case *c = ctx;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < c->level->spawns.count; i++) {
        const bench_Spawn *spawn = bench_Spawn_array_at(&c->level->spawns, i);
        sum += (unsigned char)kiln_string_get(&spawn->name)[0];
        sum += (unsigned char)kiln_string_get(&spawn->kind)[0];
        for (uint32_t k = 0; k < spawn->tags.count; k++)
            sum += (unsigned char)kiln_string_get(kiln_string_array_at(&spawn->tags, k))[0];
        for (uint32_t k = 0; k < spawn->loot.count; k++)
            sum += (unsigned char)kiln_string_get(&bench_Loot_array_at(&spawn->loot, k)->item)[0];
    }
    return sum;
}

static uint64_t walk_plain(void *ctx)
{
    const access_case *c = ctx;
    return baseline_walk_strings(&c->plain);
}

static const char *read_level(const char *level_kiln, uint64_t (*ours)(void *),
                              uint64_t (*plain)(void *), bench_pair *ret_pair)
{
    access_case c = {.level = probe_level_map(level_kiln)};
    if (!c.level)
        return "FAILED: the level cannot be opened";
    probe_level_copy(c.level, &c.plain);
    if (ours(&c) != plain(&c))
        return "FAILED: the two sides read different values";
    bench_side our_side = {NULL, ours}, plain_side = {NULL, plain};
    *ret_pair = bench_span_measure_each(our_side, plain_side, &c, c.plain.count);
    return NULL;
}

const char *probe_sum(const char *level_kiln, bench_pair *ret_pair)
{
    return read_level(level_kiln, sum_ours, sum_plain, ret_pair);
}

const char *probe_walk(const char *level_kiln, bench_pair *ret_pair)
{
    return read_level(level_kiln, walk_ours, walk_plain, ret_pair);
}
