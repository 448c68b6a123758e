#include "probe.h"

#include "baselines.h"
#include "bench_random.h"
#include "bench_text.h"

#include <kiln/builder.h>
#include <kiln/file.h>
#include <kiln/file_writer.h>
#include <kiln/type_table.h>

#include "bench_types.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

bool probe_read(const char *path, probe_bytes *ret_bytes)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return false;
    long size = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
    bool good = size > 0 && fseek(file, 0, SEEK_SET) == 0;
    if (good) {
        ret_bytes->size = (size_t)size;
        ret_bytes->data = aligned_alloc(4096, (ret_bytes->size + 4095) / 4096 * 4096);
        good = ret_bytes->data && fread(ret_bytes->data, 1, ret_bytes->size, file) == (size_t)size;
    }
    fclose(file);
    return good;
}

size_t probe_index_size(const char *path)
{
    kiln_blob_header header;
    unsigned char bytes[KILN_HEADER_SIZE];
    FILE *file = fopen(path, "rb");
    bool good = file && fread(bytes, sizeof bytes, 1, file) == 1;
    if (file)
        fclose(file);
    if (!good)
        return 0;
    memcpy(&header, bytes, sizeof header);
    return (size_t)kiln_header_blob_size(&header);
}

/* ---- the verification level `hash` ---- */

/* Total bytes of the members, which fit into the last-level cache of common processors. */
enum { HASH_TOTAL = 4 << 20 };

typedef struct hash_case {
    kiln_buffer bytes;
    kiln_file *file;
    const kiln_index
        *index; /* read before the measurement, because the first call checks the whole index */
    kiln_asset *assets; /* looked up before the measurement */
    size_t member_size;
} hash_case;

static bool write_blocks(hash_case *c)
{
    kiln_types *types = NULL;
    kiln_builder *builder = NULL;
    kiln_file_writer *writer = NULL;
    if (bench_types_create(NULL, &types, NULL))
        return false;
    kiln_builder_def builder_def = kiln_builder_def_default();
    kiln_file_writer_def writer_def = kiln_file_writer_def_default();
    builder_def.types = writer_def.types = types;
    bool good = !kiln_builder_create(&builder_def, &builder) &&
                !kiln_file_writer_create(&writer_def, &writer, NULL);
    size_t size = c->member_size - KILN_HEADER_SIZE - sizeof(bench_Block);
    unsigned char *random = baseline_array(size, 1);
    uint64_t state = BENCH_SEED;
    for (size_t i = 0; good && i < HASH_TOTAL / c->member_size; i++) {
        kiln_buffer blob = {0};
        char name[32];
        for (size_t k = 0; k < size; k++)
            random[k] = (unsigned char)bench_random(&state);
        snprintf(name, sizeof name, "Block/%zu", i);
        kiln_builder_reset(builder);
        bench_Block *block = bench_Block_new(builder);
        good = block && kiln_builder_bytes(builder, &block->data, random, size, 1) &&
               !bench_Block_finish(builder, types, true, &blob, NULL) &&
               !kiln_file_writer_add(writer, name, kiln_types_find(types, "bench.Block"),
                                     (kiln_span){blob.data, blob.size}, NULL);
        kiln_buffer_fini(&blob);
    }
    good = good && !kiln_file_writer_finish_buffer(writer, &c->bytes, NULL);
    free(random);
    kiln_file_writer_destroy(writer);
    kiln_builder_destroy(builder);
    kiln_types_destroy(types);
    return good;
}

static void reopen_blocks(void *ctx)
{
    hash_case *c = ctx;
    kiln_file_def def = kiln_file_def_default();
    def.data = c->bytes.data;
    def.size = c->bytes.size;
    def.level = KILN_VERIFY_HASH;
    kiln_file_close(c->file);
    c->file = NULL;
    c->index = NULL;
    if (kiln_file_open(&def, &c->file, NULL))
        c->file = NULL;
    else
        c->index = kiln_file_index(c->file, NULL);
    for (uint32_t i = 0; c->index && i < HASH_TOTAL / c->member_size; i++)
        c->assets[i] = kiln_file_asset_at(c->file, i);
}

static uint64_t first_roots(void *ctx)
{
    const hash_case *c = ctx;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < HASH_TOTAL / c->member_size; i++)
        sum += bench_Block_root(c->file, c->assets[i], NULL) != NULL;
    return sum;
}

static uint64_t hash_members(void *ctx)
{
    const hash_case *c = ctx;
    const kiln_index *index = c->index;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < index->assets.count; i++) {
        uint32_t member = kiln_index_asset_at(index, i)->member;
        const kiln_index_member *at = kiln_index_member_at(index, member);
        sum += baseline_hash(c->bytes.data + at->place, (size_t)at->size);
    }
    return sum;
}

const char *probe_hash(const char *member_size, bench_pair *ret_pair)
{
    hash_case c = {.member_size = strtoul(member_size, NULL, 10)};
    if (c.member_size <= 64 || !write_blocks(&c))
        return "FAILED: the file of blocks cannot be created";
    c.assets = baseline_array(HASH_TOTAL / c.member_size, sizeof *c.assets);
    reopen_blocks(&c);
    if (!c.index || first_roots(&c) != HASH_TOTAL / c.member_size)
        return "FAILED: the file of blocks cannot be read";
    bench_side ours = {reopen_blocks, first_roots}, baseline = {reopen_blocks, hash_members};
    *ret_pair = bench_span_measure_each(ours, baseline, &c, HASH_TOTAL / c.member_size);
    kiln_file_close(c.file);
    kiln_buffer_fini(&c.bytes);
    free(c.assets);
    return NULL;
}

/* ---- a file with many assets ---- */

typedef struct notes_case {
    const char *path;
    kiln_verify_level level;
    bool whole; /* also check the whole index */
    kiln_file *file;
    char **names; /* of all assets, in random order */
    uint32_t count;
    uint64_t *table;
    size_t words, index_size;
} notes_case;

static uint64_t find_all(void *ctx)
{
    const notes_case *c = ctx;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < c->count; i++)
        sum += kiln_file_find(c->file, c->names[i]).number != 0;
    return sum;
}

static uint64_t find_baseline(void *ctx)
{
    const notes_case *c = ctx;
    return baseline_find(c->names, c->count, c->table, c->words);
}

static uint64_t open_and_close(void *ctx)
{
    const notes_case *c = ctx;
    kiln_file_def def = kiln_file_def_default();
    kiln_file *file = NULL;
    def.path = c->path;
    def.level = c->level;
    if (kiln_file_open(&def, &file, NULL))
        return 0;
    uint32_t count = kiln_file_asset_count(file);
    if (c->whole && !kiln_file_index(file, NULL))
        count = 0;
    kiln_file_close(file);
    return count;
}

static uint64_t open_baseline(void *ctx)
{
    const notes_case *c = ctx;
    return baseline_read_once(c->path, c->index_size);
}

static bool open_notes(const char *path, notes_case *c)
{
    kiln_file_def def = kiln_file_def_default();
    c->index_size = probe_index_size(path);
    c->path = def.path = path;
    if (c->index_size == 0 || kiln_file_open(&def, &c->file, NULL))
        return false;
    c->count = kiln_file_asset_count(c->file);
    return true;
}

/* The names are stored in lookup order, so that reading them costs almost nothing on either side.
 */
static void shuffle_names(notes_case *c)
{
    uint32_t *order = baseline_order(c->count, BENCH_SEED);
    c->names = baseline_array(c->count, sizeof *c->names);
    for (uint32_t i = 0; i < c->count; i++) {
        const char *name = kiln_file_asset_name(c->file, kiln_file_asset_at(c->file, order[i]));
        c->names[i] = baseline_text(name, strlen(name));
    }
    free(order);
}

const char *probe_find(const char *notes_kiln, bench_pair *ret_pair)
{
    notes_case c = {0};
    if (!open_notes(notes_kiln, &c))
        return "FAILED: the file of notes cannot be opened";
    shuffle_names(&c);
    for (c.words = 1; c.words * sizeof *c.table < c.index_size; c.words *= 2) {
    }
    c.table = baseline_array(c.words, sizeof *c.table);
    for (size_t i = 0; i < c.words; i++)
        c.table[i] = i;
    if (find_all(&c) != c.count)
        return "FAILED: a note was not found";
    bench_side ours = {NULL, find_all}, baseline = {NULL, find_baseline};
    *ret_pair = bench_span_measure_each(ours, baseline, &c, c.count);
    return NULL;
}

static const char *measure_open(const char *notes_kiln, kiln_verify_level level, bool whole,
                                bench_pair *ret_pair)
{
    notes_case c = {.level = level, .whole = whole};
    if (!open_notes(notes_kiln, &c) || open_and_close(&c) != c.count)
        return "FAILED: the file of notes cannot be opened";
    kiln_file_close(c.file);
    bench_side ours = {NULL, open_and_close}, baseline = {NULL, open_baseline};
    *ret_pair = bench_span_measure(ours, baseline, &c);
    return NULL;
}

const char *probe_open(const char *notes_kiln, bench_pair *ret_pair)
{
    return measure_open(notes_kiln, kiln_file_def_default().level, false, ret_pair);
}

const char *probe_open_hash(const char *notes_kiln, bench_pair *ret_pair)
{
    return measure_open(notes_kiln, KILN_VERIFY_HASH, false, ret_pair);
}

const char *probe_open_none(const char *notes_kiln, bench_pair *ret_pair)
{
    return measure_open(notes_kiln, KILN_VERIFY_NONE, false, ret_pair);
}

const char *probe_open_whole(const char *notes_kiln, bench_pair *ret_pair)
{
    return measure_open(notes_kiln, kiln_file_def_default().level, true, ret_pair);
}
