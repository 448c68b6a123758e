/* Compressed members: the gain from dictionaries, and the cost of decompression. */
#include "probe.h"

#include "baselines.h"

#include <kiln/compression.h>
#include <kiln/file.h>
#include <kiln/file_writer.h>
#include <kiln/type_table.h>

#include "bench_types.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

typedef struct packed_case {
    probe_bytes plain;
    kiln_buffer bytes; /* the same assets, compressed with a dictionary */
    kiln_file *file;
    const kiln_index *index;
    kiln_verify_level level;
    uint32_t count;
    kiln_asset *assets;
    /* Kiln's and libzstd's contexts for single calls. */
    kiln_decompressor *ours;
    kiln_dictionary *dictionary;
    ZSTD_DCtx *context;
    ZSTD_DDict *digested;
    unsigned char *memory; /* for one blob */
    unsigned char **blobs; /* one for each blob, if the baseline caches blobs */
} packed_case;

static bool pack(const probe_bytes *plain, int level, const char *group, kiln_buffer *ret_bytes)
{
    kiln_types *types = NULL;
    kiln_file_writer *writer = NULL;
    kiln_file *file = NULL;
    kiln_file_def def = kiln_file_def_default();
    kiln_file_writer_def writer_def = kiln_file_writer_def_default();
    def.data = plain->data;
    def.size = plain->size;
    bool good = !bench_types_create(NULL, &types, NULL) && !kiln_file_open(&def, &file, NULL);
    writer_def.types = types;
    good = good && !kiln_file_writer_create(&writer_def, &writer, NULL) &&
           !kiln_file_writer_compress(writer, level, group);
    const kiln_index *index = good ? kiln_file_index(file, NULL) : NULL;
    uint32_t type = kiln_types_find(types, "bench.Level");
    for (uint32_t i = 0; index && good && i < index->assets.count; i++) {
        const kiln_index_asset *asset = kiln_index_asset_at(index, i);
        const kiln_index_member *member = kiln_index_member_at(index, asset->member);
        good = !kiln_file_writer_add(writer, kiln_string_get(&asset->name), type,
                                     (kiln_span){plain->data + member->place, (size_t)member->size},
                                     NULL);
    }
    good = good && index && !kiln_file_writer_finish_buffer(writer, ret_bytes, NULL);
    kiln_file_writer_destroy(writer);
    kiln_file_close(file);
    kiln_types_destroy(types);
    return good;
}

/* Total size of all members except the type table, including dictionaries. */
static double stored_bytes(const kiln_buffer *bytes)
{
    const kiln_index *index = (const void *)(bytes->data + KILN_HEADER_SIZE);
    double sum = 0;
    for (uint32_t i = 0; i < index->members.count; i++)
        if (i + 1 != index->type_table)
            sum += (double)kiln_index_member_at(index, i)->stored_size;
    return sum;
}

static const char *measure_ratio(const char *path, int level, bench_pair *ret_pair)
{
    probe_bytes plain;
    kiln_buffer with = {0}, without = {0};
    if (!probe_read(path, &plain) || !pack(&plain, level, "bench.Level", &with) ||
        !pack(&plain, level, NULL, &without))
        return "FAILED: the file cannot be packed";
    ret_pair->ours = stored_bytes(&with) / 1e6;
    ret_pair->baseline = stored_bytes(&without) / 1e6;
    kiln_buffer_fini(&with);
    kiln_buffer_fini(&without);
    free(plain.data);
    return NULL;
}

const char *probe_pack_3(const char *packed_kiln, bench_pair *ret_pair)
{
    return measure_ratio(packed_kiln, 3, ret_pair);
}

const char *probe_pack_19(const char *packed_kiln, bench_pair *ret_pair)
{
    return measure_ratio(packed_kiln, 19, ret_pair);
}

static const kiln_index_member *member_of(const packed_case *c, uint32_t asset)
{
    return kiln_index_member_at(c->index, kiln_index_asset_at(c->index, asset)->member);
}

static void drop_blobs(packed_case *c)
{
    for (uint32_t i = 0; i < c->count; i++) {
        free(c->blobs[i]);
        c->blobs[i] = NULL;
    }
}

/* Reopens the file and reads one asset, so that the contexts are allocated and the dictionary is
 * loaded. */
static void reopen(void *ctx)
{
    packed_case *c = ctx;
    kiln_file_def def = kiln_file_def_default();
    def.data = c->bytes.data;
    def.size = c->bytes.size;
    def.level = c->level;
    drop_blobs(c);
    kiln_file_close(c->file);
    c->file = NULL;
    if (kiln_file_open(&def, &c->file, NULL))
        return;
    for (uint32_t i = 0; i < c->count; i++)
        c->assets[i] = kiln_file_asset_at(c->file, i);
    kiln_file_prepare(c->file, c->assets, 1, NULL);
}

static uint64_t first_uses(void *ctx)
{
    const packed_case *c = ctx;
    uint64_t sum = 0;
    for (uint32_t i = 1; i < c->count; i++)
        sum += bench_Level_root(c->file, c->assets[i], NULL) != NULL;
    return sum;
}

static size_t library_call(const packed_case *c, const kiln_index_member *member, void *to)
{
    return ZSTD_decompress_usingDDict(c->context, to, (size_t)member->size,
                                      c->bytes.data + member->place, (size_t)member->stored_size,
                                      member->dictionary ? c->digested : NULL);
}

static uint64_t library_calls_kept(void *ctx)
{
    const packed_case *c = ctx;
    uint64_t sum = 0;
    for (uint32_t i = 1; i < c->count; i++) {
        const kiln_index_member *member = member_of(c, i);
        c->blobs[i] = baseline_array((size_t)member->size, 1);
        sum += library_call(c, member, c->blobs[i]);
    }
    return sum;
}

static uint64_t our_calls(void *ctx)
{
    const packed_case *c = ctx;
    uint64_t sum = 0;
    for (uint32_t i = 1; i < c->count; i++) {
        const kiln_index_member *member = member_of(c, i);
        sum +=
            kiln_decompress(c->ours, member->dictionary ? c->dictionary : NULL,
                            (kiln_span){c->bytes.data + member->place, (size_t)member->stored_size},
                            c->memory, (size_t)member->size) == KILN_OK;
    }
    return sum;
}

static uint64_t library_calls(void *ctx)
{
    const packed_case *c = ctx;
    uint64_t sum = 0;
    for (uint32_t i = 1; i < c->count; i++)
        sum += library_call(c, member_of(c, i), c->memory);
    return sum;
}

static bool open_packed(const char *path, packed_case *c)
{
    if (!probe_read(path, &c->plain) || !pack(&c->plain, 19, "bench.Level", &c->bytes))
        return false;
    c->index = (const void *)(c->bytes.data + KILN_HEADER_SIZE);
    c->count = c->index->assets.count;
    if (c->index->dictionaries.count != 1)
        return false;
    const uint32_t *numbers =
        kiln_relative_get(&c->index->dictionaries, c->index->dictionaries.offset);
    const kiln_index_member *member = kiln_index_member_at(c->index, numbers[0]);
    const unsigned char *payload = c->bytes.data + member->place + KILN_HEADER_SIZE;
    size_t size = (size_t)member->size - KILN_HEADER_SIZE, largest = 0;
    c->context = ZSTD_createDCtx();
    c->digested = ZSTD_createDDict(payload, size);
    for (uint32_t i = 0; i < c->count; i++)
        if (member_of(c, i)->size > largest)
            largest = (size_t)member_of(c, i)->size;
    c->memory = baseline_array(largest, 1);
    c->assets = baseline_array(c->count, sizeof *c->assets);
    c->blobs = baseline_array(c->count, sizeof *c->blobs);
    memset(c->blobs, 0, c->count * sizeof *c->blobs);
    return c->context && c->digested && !kiln_decompressor_create(NULL, &c->ours) &&
           !kiln_dictionary_create(NULL, payload, size, &c->dictionary);
}

static void close_packed(packed_case *c)
{
    drop_blobs(c);
    kiln_file_close(c->file);
    kiln_decompressor_destroy(c->ours);
    kiln_dictionary_destroy(c->dictionary);
    ZSTD_freeDCtx(c->context);
    ZSTD_freeDDict(c->digested);
    kiln_buffer_fini(&c->bytes);
    free(c->plain.data);
    free(c->memory);
    free(c->assets);
    free(c->blobs);
}

static const char *measure(const char *path, kiln_verify_level level, bench_side ours,
                           bench_side baseline, bench_pair *ret_pair)
{
    packed_case c = {.level = level};
    const char *why = NULL;
    if (!open_packed(path, &c))
        why = "FAILED: the file cannot be packed with a dictionary";
    if (!why)
        reopen(&c);
    if (!why && (!c.file || first_uses(&c) != c.count - 1 || our_calls(&c) != c.count - 1))
        why = "FAILED: the packed file cannot be read";
    if (!why)
        *ret_pair = bench_span_measure_each(ours, baseline, &c, c.count - 1);
    close_packed(&c);
    return why;
}

const char *probe_unpack(const char *packed_kiln, bench_pair *ret_pair)
{
    bench_side ours = {NULL, our_calls}, baseline = {NULL, library_calls};
    return measure(packed_kiln, KILN_VERIFY_NONE, ours, baseline, ret_pair);
}

const char *probe_unpack_none(const char *packed_kiln, bench_pair *ret_pair)
{
    bench_side ours = {reopen, first_uses}, baseline = {reopen, library_calls_kept};
    return measure(packed_kiln, KILN_VERIFY_NONE, ours, baseline, ret_pair);
}

const char *probe_unpack_hash(const char *packed_kiln, bench_pair *ret_pair)
{
    bench_side ours = {reopen, first_uses}, baseline = {reopen, library_calls_kept};
    return measure(packed_kiln, KILN_VERIFY_HASH, ours, baseline, ret_pair);
}
