/* Reads a level with an older layout. In the newer layout, every spawn and every loot entry has a
 * wider number, and a spawn has a new field. */
#include "probe_level.h"

#include <kiln/blob_header.h>
#include <kiln/convert.h>
#include <kiln/verify.h>

#include <stdlib.h>

typedef struct convert_case {
    kiln_types *older, *newer;
    kiln_conversion *conversion;
    const unsigned char *blob;
    size_t size;
    kiln_buffer made;
} convert_case;

/* Widens the field `name` of the struct from u32 to u64, and adds a u32 field `added` unless that
 * is NULL. */
static void edit(kiln_type *types, uint32_t number, kiln_member *members, const char *name,
                 const char *added, uint32_t u64)
{
    kiln_type *type = &types[number];
    uint32_t count = type->member_count, u32 = 0;
    memcpy(members, type->members, count * sizeof *members);
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(members[i].name, name) == 0) {
            u32 = members[i].type;
            members[i].type = u64;
        }
    if (added) {
        kiln_member more = {.name = added, .type = u32};
        members[count++] = more;
    }
    type->members = members;
    type->member_count = count;
}

static bool make_newer(convert_case *c)
{
    const uint32_t count = kiln_types_count(c->older), team = 7;
    uint32_t spawn = kiln_types_find(c->older, "bench.Spawn");
    uint32_t loot = kiln_types_find(c->older, "bench.Loot");
    kiln_type *types = baseline_array(count + 1, sizeof *types);
    kiln_member spawns[16], loots[16];
    for (uint32_t i = 0; i < count; i++)
        types[i] = *kiln_types_get(c->older, i);
    uint32_t u64 = count;
    for (uint32_t i = 0; i < count; i++)
        u64 = types[i].kind == KILN_KIND_U64 ? i : u64;
    memset(&types[count], 0, sizeof types[count]);
    types[count].kind = KILN_KIND_U64;
    edit(types, spawn, spawns, "hp", "team", u64);
    edit(types, loot, loots, "count", NULL, u64);
    bool good = !kiln_types_create(NULL, types, u64 == count ? count + 1 : count, &c->newer, NULL);
    uint32_t last = good ? kiln_types_get(c->newer, spawn)->member_count - 1 : 0;
    free(types);
    return good &&
           !kiln_types_set_default(c->newer, spawn, last, (kiln_span){&team, sizeof team}, NULL);
}

static bool open_case(const char *path, convert_case *c)
{
    probe_bytes bytes;
    kiln_file_def def = kiln_file_def_default();
    kiln_file *file = NULL;
    if (!probe_read(path, &bytes) || bench_types_create(NULL, &c->older, NULL) || !make_newer(c))
        return false;
    def.data = bytes.data;
    def.size = bytes.size;
    if (kiln_file_open(&def, &file, NULL))
        return false;
    const kiln_index *index = kiln_file_index(file, NULL);
    const kiln_index_member *member =
        kiln_index_member_at(index, kiln_index_asset_at(index, 0)->member);
    c->blob = bytes.data + member->place;
    c->size = (size_t)member->size;
    return true;
}

/* Converts the blob to the newer layout. Returns false if that fails or the result is not valid. */
static bool check(convert_case *c)
{
    kiln_verify_def def = kiln_verify_def_default();
    def.types = c->newer;
    def.type = kiln_types_find(c->newer, "bench.Level");
    def.skip_hash = true;
    return !kiln_conversion_run(c->conversion, (kiln_span){c->blob, c->size}, NULL, &c->made,
                                NULL) &&
           !kiln_verify(&def, c->made.data, c->made.size, NULL);
}

static uint64_t convert(void *ctx)
{
    const convert_case *c = ctx;
    kiln_buffer made = {0};
    if (kiln_conversion_run(c->conversion, (kiln_span){c->blob, c->size}, NULL, &made, NULL))
        return 0;
    uint64_t sum = made.data[made.size - 1];
    kiln_buffer_fini(&made);
    return sum;
}

/* Copies the result once into memory from the same allocator. */
static uint64_t copy(void *ctx)
{
    const convert_case *c = ctx;
    kiln_allocator a = kiln_allocator_default();
    unsigned char *to = a.alloc(a.ctx, c->made.size, 16);
    if (!to)
        return 0;
    memcpy(to, c->made.data, c->made.size);
    uint64_t sum = to[c->made.size - 1];
    bench_sink = to[c->made.size / 2];
    a.free(a.ctx, to, c->made.size);
    return sum;
}

static const char *measure(const char *level_kiln, bool skip_hash, bench_pair *ret_pair)
{
    convert_case c = {0};
    kiln_conversion_def def = kiln_conversion_def_default();
    if (!open_case(level_kiln, &c))
        return "FAILED: the level cannot be opened";
    def.from = c.older;
    def.to = c.newer;
    def.from_type = kiln_types_find(c.older, "bench.Level");
    def.to_type = kiln_types_find(c.newer, "bench.Level");
    def.skip_hash = skip_hash;
    if (kiln_conversion_create(&def, &c.conversion, NULL) ||
        kiln_conversion_need(c.conversion) != KILN_CONVERT_NEEDED || !check(&c))
        return "FAILED: the level cannot be converted";
    bench_side ours = {NULL, convert}, baseline = {NULL, copy};
    *ret_pair = bench_span_measure(ours, baseline, &c);
    return NULL;
}

const char *probe_convert(const char *level_kiln, bench_pair *ret_pair)
{
    return measure(level_kiln, true, ret_pair);
}

const char *probe_convert_hash(const char *level_kiln, bench_pair *ret_pair)
{
    return measure(level_kiln, false, ret_pair);
}
