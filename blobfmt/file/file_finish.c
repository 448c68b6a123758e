/* Writes the file from the assets that a writer has collected: FORMAT.md section 10.
 *
 * The writer numbers everything in the order of addition; file_order.c sorts the lists of the
 * index. In the file, only the order of members, and therefore the dictionaries trained from them,
 * depends on the order of addition.
 *
 * The index comes first in the file but contains the places of members, which depend on its own
 * size. It is therefore built with places of 0, and the correct places are filled in afterwards. */
#include <kiln/builder.h>
#include <kiln/scene.h>
#include <kiln/type_table.h>

#include "builtin_types.h"
#include "file_order.h"
#include "file_packing.h"
#include "file_payloads.h"
#include "file_writer_state.h"
#include "index_directory.h"

#include <errno.h>
#include <string.h>

enum { FINISH_BLOCK = 65536 };

/* State while a file is being finished. All lists are in the arena. */
typedef struct finish_state {
    kiln_file_writer *writer;
    arena memory;
    kiln_types *builtin;
    kiln_builder *builder;
    writer_order order;
    uint32_t *members;      /* member numbers in file order, see member_at */
    uint32_t *member_ranks; /* by number */
    uint32_t member_count;
    uint32_t *payloads; /* their numbers in file order, after all other members */
    uint32_t payload_count;
    writer_member type_table; /* `blob` is NULL without a type table */
    packing packing;
    kiln_buffer index;
    kiln_error *reterr;
} finish_state;

/* Member numbers: the members of assets come first, then the type table, if there is one, then the
 * dictionaries. The type table and the dictionaries belong to this file only: the writer can finish
 * further files. */
static uint32_t type_table_number(const finish_state *f)
{
    return (uint32_t)f->writer->members.count;
}
static uint32_t first_dictionary(const finish_state *f)
{
    return type_table_number(f) + (f->type_table.blob != NULL);
}

static writer_member *member_at(finish_state *f, uint32_t number)
{
    if (number < f->writer->members.count)
        return (writer_member *)f->writer->members.items + number;
    uint32_t dictionary = first_dictionary(f);
    return number < dictionary ? &f->type_table : f->packing.dictionaries + (number - dictionary);
}

/* The compressed form of a member; NULL if it is stored uncompressed. */
static const packed_member *packed_at(const finish_state *f, uint32_t number)
{
    bool is_packed = number < f->writer->members.count && f->packing.members[number].stored != NULL;
    return is_packed ? &f->packing.members[number] : NULL;
}

static uint32_t *new_numbers(finish_state *f, size_t count)
{
    return kiln_arena_alloc_zeroed(&f->memory, (count + 1) * sizeof(uint32_t), sizeof(uint32_t));
}

static kiln_status make_type_table(finish_state *f)
{
    kiln_buffer table;
    kiln_status status =
        kiln_type_table_write(&f->writer->allocator, f->writer->types, &table, f->reterr);
    if (!status)
        kiln_writer_member_init(&f->type_table, table.data, table.size, &table);
    return status;
}

/* Makes the type table, compresses members, and puts the type table and the dictionaries first,
 * because a reader needs them before any other member. */
static kiln_status order_members(finish_state *f)
{
    kiln_file_writer *writer = f->writer;
    kiln_status status = writer->omit_type_table ? KILN_OK : make_type_table(f);
    if (status)
        return status;
    status = kiln_writer_pack(writer, &f->memory, &f->packing);
    if (status)
        return kiln_fail(f->reterr, status, 0, NULL);
    uint32_t own = (uint32_t)writer->members.count, at = 0;
    f->member_count = first_dictionary(f) + f->packing.dictionary_count;
    f->members = new_numbers(f, f->member_count);
    f->member_ranks = new_numbers(f, f->member_count);
    f->payloads = new_numbers(f, writer->payloads.count);
    if (!f->members || !f->member_ranks || !f->payloads)
        return kiln_fail(f->reterr, KILN_NO_MEMORY, 0, NULL);
    f->payload_count = kiln_writer_order_payloads(writer, f->payloads);
    for (uint32_t i = own; i < f->member_count; i++)
        f->members[at++] = i;
    for (uint32_t i = 0; i < own; i++)
        f->members[at++] = i;
    kiln_writer_rank(f->member_ranks, f->members, f->member_count);
    return KILN_OK;
}

static void fill_assets(finish_state *f, kiln_index *index)
{
    kiln_file_writer *writer = f->writer;
    kiln_builder *b = f->builder;
    const writer_asset *assets = writer->assets.items;
    uint32_t count = (uint32_t)writer->assets.count;
    kiln_id *ids = kiln_builder_array(b, &index->ids, count, sizeof *ids, 8);
    kiln_index_asset *entries = kiln_builder_array(b, &index->assets, count, sizeof *entries, 4);
    for (uint32_t i = 0; ids && entries && i < count; i++) {
        const writer_asset *asset = &assets[f->order.assets[i]];
        ids[i] = asset->id;
        kiln_builder_string(b, &entries[i].name, asset->name, asset->name_length);
        entries[i].type = f->order.type_ranks[asset->type];
        entries[i].member = f->member_ranks[asset->member];
    }
    uint32_t buckets = count ? (1u << kiln_index_directory_bits(count)) + 1 : 0;
    uint32_t *directory = kiln_builder_array(b, &index->directory, buckets, sizeof *directory, 4);
    /* After a failure to allocate `ids`, the builder would have returned NULL here, so `ids` is
     * valid. */
    if (directory)
        kiln_index_directory_fill(directory, ids, count);
}

static void fill_lists(finish_state *f, kiln_index *index)
{
    kiln_file_writer *writer = f->writer;
    kiln_builder *b = f->builder;
    kiln_index_type *types =
        kiln_builder_array(b, &index->types, f->order.type_count, sizeof *types, 8);
    for (uint32_t i = 0; types && i < f->order.type_count; i++) {
        const kiln_type *type = kiln_types_get(writer->types, f->order.types[i]);
        kiln_builder_string(b, &types[i].name, type->name, strlen(type->name));
        types[i].layout = type->layout;
    }
    const writer_import *known = writer->imports.items;
    kiln_index_import *imports =
        kiln_builder_array(b, &index->imports, f->order.import_count, sizeof *imports, 8);
    for (uint32_t i = 0; imports && i < f->order.import_count; i++) {
        const writer_import *import = &known[f->order.imports[i]];
        imports[i].id = import->id;
        kiln_builder_string(b, &imports[i].name, import->name, import->name_length);
    }
    index->type_table = f->type_table.blob ? f->member_ranks[type_table_number(f)] + 1 : 0;
}

static writer_payload *payload_at(const finish_state *f, uint32_t i)
{
    return (writer_payload *)f->writer->payloads.items + f->payloads[i];
}

static void fill_payloads(const finish_state *f, kiln_index_member *members)
{
    for (uint32_t i = 0; i < f->payload_count; i++) {
        const writer_payload *payload = payload_at(f, i);
        members[i].size = payload->args.size;
        members[i].stored_size = payload->stored_size;
        members[i].content = payload->content;
        members[i].stored = payload->stored;
        members[i].compression =
            payload->frame_size ? KILN_COMPRESSION_FRAMES : KILN_COMPRESSION_PAYLOAD;
        members[i].align_log2 = payload->align_log2;
    }
}

static void fill_members(finish_state *f, kiln_index *index)
{
    kiln_builder *b = f->builder;
    uint32_t count = f->member_count, dictionaries = f->packing.dictionary_count;
    kiln_index_member *members =
        kiln_builder_array(b, &index->members, count + f->payload_count, sizeof *members, 8);
    if (members)
        fill_payloads(f, members + count);
    for (uint32_t i = 0; members && i < count; i++) {
        const writer_member *member = member_at(f, f->members[i]);
        const packed_member *packed = packed_at(f, f->members[i]);
        members[i].size = members[i].stored_size = member->size;
        members[i].content = member->content;
        members[i].align_log2 = member->align_log2;
        if (!packed)
            continue;
        members[i].stored_size = packed->stored_size;
        members[i].stored = kiln_content_hash(packed->stored, (size_t)packed->stored_size);
        members[i].compression = KILN_COMPRESSION_ZSTD;
        members[i].dictionary = packed->dictionary;
    }
    uint32_t *numbers =
        kiln_builder_array(b, &index->dictionaries, dictionaries, sizeof *numbers, 4);
    for (uint32_t i = 0; numbers && i < dictionaries; i++)
        numbers[i] = f->member_ranks[first_dictionary(f) + i];
}

static void fill_edges(finish_state *f, kiln_index *index)
{
    const kiln_file_writer *writer = f->writer;
    uint32_t count = (uint32_t)writer->refs.count;
    if (count == 0)
        return;
    uint32_t *starts = kiln_builder_array(f->builder, &index->edge_starts,
                                          (uint32_t)writer->assets.count + 1, sizeof *starts, 4);
    uint32_t *edges = kiln_builder_array(f->builder, &index->edges, count, sizeof *edges, 4);
    if (starts && edges)
        kiln_writer_list_edges(writer, &f->order, starts, edges);
}

static kiln_status build_index(finish_state *f)
{
    kiln_builder_def def = kiln_builder_def_default();
    def.types = f->builtin;
    def.finish_once = true;
    def.allocator = &f->writer->allocator;
    kiln_status status = kiln_builder_create(&def, &f->builder);
    if (status)
        return kiln_fail(f->reterr, status, 0, NULL);
    kiln_index *index = kiln_builder_root(f->builder, sizeof *index, _Alignof(kiln_index));
    if (index) {
        fill_assets(f, index);
        fill_lists(f, index);
        fill_members(f, index);
        fill_edges(f, index);
    }
    return kiln_builder_finish(f->builder, BUILTIN_INDEX,
                               KILN_FLAG_CANONICAL | kiln_kind_flags(KILN_BLOB_INDEX), &f->index,
                               f->reterr);
}

/* The place of a member whose predecessor in the file ends at `end`. */
static uint64_t place_of(const writer_member *member, bool is_packed, uint64_t end)
{
    uint64_t into = is_packed ? 0 : member->images_at;
    uint64_t align = is_packed ? 1 : UINT64_C(1) << member->align_log2;
    if (into)
        align = KILN_SCENE_IMAGES_ALIGN;
    return ((end + into + align - 1) & ~(align - 1)) - into;
}

/* Fills in the places of members and the file size, and rewrites the header to update its hash. */
static void place_members(finish_state *f)
{
    kiln_blob_header header;
    memcpy(&header, f->index.data, sizeof header);
    kiln_index *index = (kiln_index *)(void *)(f->index.data + kiln_header_payload_at(&header));
    kiln_index_member *entries =
        (kiln_index_member *)(void *)((unsigned char *)&index->members + index->members.offset);
    uint64_t end = f->index.size;
    for (uint32_t i = 0; i < f->member_count; i++) {
        writer_member *member = member_at(f, f->members[i]);
        bool is_packed = packed_at(f, f->members[i]) != NULL;
        entries[i].place = member->place = place_of(member, is_packed, end);
        end = member->place + entries[i].stored_size;
    }
    entries += f->member_count;
    for (uint32_t i = 0; i < f->payload_count; i++) {
        writer_payload *payload = payload_at(f, i);
        uint64_t align = payload->frame_size ? 1 : UINT64_C(1) << payload->align_log2;
        entries[i].place = payload->place = (end + align - 1) & ~(align - 1);
        end = payload->place + payload->stored_size;
    }
    index->file_size = end;
    kiln_header_write(f->index.data,
                      (header.flags & ~KILN_FLAG_KIND_MASK) | kiln_kind_flags(KILN_BLOB_INDEX),
                      header.payload_size, header.layout);
}

/* A callback may fail although no system call has failed, so errno is cleared first. */
static bool put(kiln_write_function *write, void *ctx, const void *data, size_t size)
{
    errno = 0;
    return write(ctx, data, size);
}

static bool put_gap(kiln_write_function *write, void *ctx, uint64_t size)
{
    static const unsigned char zeros[KILN_ALIGN_MAX];
    for (; size > sizeof zeros; size -= sizeof zeros)
        if (!put(write, ctx, zeros, sizeof zeros))
            return false;
    return size == 0 || put(write, ctx, zeros, (size_t)size);
}

/* The members before the payloads end at `at`. */
static kiln_status write_payloads(const finish_state *f, uint64_t at, kiln_write_function *write,
                                  void *ctx)
{
    for (uint32_t i = 0; i < f->payload_count; i++) {
        const writer_payload *payload = payload_at(f, i);
        if (!put_gap(write, ctx, payload->place - at))
            return kiln_fail_system(f->reterr, errno, NULL);
        kiln_status status = kiln_writer_put_payload(f->writer, payload, write, ctx, f->reterr);
        if (status)
            return status;
        at = payload->place + payload->stored_size;
    }
    return KILN_OK;
}

static kiln_status write_all(finish_state *f, kiln_write_function *write, void *ctx)
{
    if (!put(write, ctx, f->index.data, f->index.size))
        return kiln_fail_system(f->reterr, errno, NULL);
    uint64_t at = f->index.size;
    for (uint32_t i = 0; i < f->member_count; i++) {
        const writer_member *member = member_at(f, f->members[i]);
        const packed_member *packed = packed_at(f, f->members[i]);
        uint64_t size = packed ? packed->stored_size : member->size;
        if (!packed)
            kiln_writer_touch(f->writer, member);
        if (!put_gap(write, ctx, member->place - at) ||
            !put(write, ctx, packed ? packed->stored : member->blob, (size_t)size))
            return kiln_fail_system(f->reterr, errno, NULL);
        at = member->place + size;
    }
    return write_payloads(f, at, write, ctx);
}

/* Does everything except writing the file. The caller writes it and releases `f`. */
static kiln_status prepare(finish_state *f)
{
    kiln_status status = kiln_types_create_builtin(&f->writer->allocator, &f->builtin, f->reterr);
    if (!status)
        status = kiln_writer_order(f->writer, &f->memory, &f->order, f->reterr);
    if (!status)
        status = order_members(f);
    if (!status)
        status = build_index(f);
    if (status)
        return status;
    place_members(f);
    f->writer->finished = (kiln_file_counts){(uint32_t)f->writer->assets.count, f->order.type_count,
                                             f->member_count + f->payload_count};
    return KILN_OK;
}

kiln_file_counts kiln_file_writer_get_counts(const kiln_file_writer *writer)
{
    return writer->finished;
}

static void finish_state_fini(finish_state *f)
{
    kiln_arena_fini(&f->memory);
    kiln_builder_destroy(f->builder);
    kiln_types_destroy(f->builtin);
    kiln_buffer_fini(&f->type_table.taken);
    kiln_buffer_fini(&f->index);
}

kiln_status kiln_file_writer_finish(kiln_file_writer *writer, kiln_write_function *write, void *ctx,
                                    kiln_error *reterr)
{
    finish_state f = {.writer = writer, .reterr = reterr};
    kiln_arena_init(&f.memory, &writer->allocator, FINISH_BLOCK);
    kiln_status status = prepare(&f);
    if (!status)
        status = write_all(&f, write, ctx);
    finish_state_fini(&f);
    return status;
}

/* The write position in a file in memory. */
typedef struct memory_sink {
    unsigned char *data;
    size_t at;
} memory_sink;

static bool fill(void *ctx, const void *data, size_t size)
{
    memory_sink *to = ctx;
    memcpy(to->data + to->at, data, size);
    to->at += size;
    return true;
}

static uint64_t file_size_of(const finish_state *f)
{
    kiln_blob_header header;
    memcpy(&header, f->index.data, sizeof header);
    const kiln_index *index = (const void *)(f->index.data + kiln_header_payload_at(&header));
    return index->file_size;
}

kiln_status kiln_file_writer_finish_buffer(kiln_file_writer *writer, kiln_buffer *ret_file,
                                           kiln_error *reterr)
{
    finish_state f = {.writer = writer, .reterr = reterr};
    kiln_buffer file = {NULL, 0, writer->allocator};
    kiln_arena_init(&f.memory, &writer->allocator, FINISH_BLOCK);
    kiln_status status = prepare(&f);
    if (!status) {
        uint64_t size = file_size_of(&f);
        file.size = (size_t)size;
        if (file.size == size)
            file.data = file.allocator.alloc(file.allocator.ctx, file.size, KILN_ALIGN_MAX);
        memory_sink to = {file.data, 0};
        status = file.data ? write_all(&f, fill, &to) : kiln_fail(reterr, KILN_NO_MEMORY, 0, NULL);
    }
    finish_state_fini(&f);
    if (status)
        kiln_buffer_fini(&file);
    else
        *ret_file = file;
    return status;
}
