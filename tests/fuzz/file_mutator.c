#include "file_mutator.h"

#include "blob_input.h"
#include "blob_patch.h"
#include "field_mutator.h"
#include "scene_fixture.h"
#include "test_types.h"

#include <kiln/blob_header.h>
#include <kiln/cluster_plan.h>
#include <kiln/index.h>
#include <kiln/payload.h>
#include <kiln/scene.h>
#include <kiln/type_table.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);

/* ---- types ---- */

/* Caches the types of the tables read last, because most mutations do not change the table. */
enum { TABLES_MAX = 32, MEMBERS_MAX = 256 };

typedef struct read_table {
    kiln_hash128 content;
    kiln_types *types; /* NULL if it cannot be read */
} read_table;

static read_table tables[TABLES_MAX];
static unsigned next_table;
static kiln_types *with_scene, *of_fixture; /* `with_scene`: all types of the format */

static void end(void)
{
    for (unsigned i = 0; i < TABLES_MAX; i++)
        kiln_types_destroy(tables[i].types);
    kiln_types_destroy(with_scene);
    kiln_types_destroy(of_fixture);
}

static void prepare(void)
{
    if (with_scene)
        return;
    kiln_types *with_clusters = NULL, *with_payloads = NULL;
    of_fixture = scene_types_create(NULL);
    if (kiln_types_with_clusters(blob_input_builtin(), NULL, &with_clusters, NULL) ||
        kiln_types_with_payloads(with_clusters, NULL, &with_payloads, NULL) ||
        kiln_types_with_scene(with_payloads, NULL, &with_scene, NULL) || atexit(end) != 0)
        abort();
    kiln_types_destroy(with_payloads);
    kiln_types_destroy(with_clusters);
}

static const kiln_types *types_of_table(const unsigned char *blob, size_t size)
{
    kiln_hash128 content = kiln_content_hash(blob, size);
    for (unsigned i = 0; i < TABLES_MAX; i++)
        if (memcmp(&tables[i].content, &content, sizeof content) == 0)
            return tables[i].types;
    read_table *table = &tables[next_table++ % TABLES_MAX];
    kiln_types_destroy(table->types);
    *table = (read_table){content, NULL};
    if (kiln_type_table_read(NULL, blob, size, &table->types, NULL))
        table->types = NULL;
    return table->types;
}

/* Finds a root type by the layout in a blob's header. `*ret_types` receives its list. */
static uint32_t type_of_layout(const kiln_types *of_file, uint64_t layout,
                               const kiln_types **ret_types)
{
    const kiln_types *const lists[] = {of_file, with_scene, blob_input_types(), of_fixture};
    for (size_t l = 0; layout && l < sizeof lists / sizeof *lists; l++) {
        uint32_t count = lists[l] ? kiln_types_count(lists[l]) : 0;
        for (uint32_t i = 0; i < count; i++) {
            if (kiln_types_get(lists[l], i)->layout != layout)
                continue;
            *ret_types = lists[l];
            return i;
        }
    }
    *ret_types = with_scene;
    return KILN_TYPE_NONE;
}

/* ---- a blob ---- */

static void mutate_header(unsigned char *blob, unsigned seed)
{
    static const unsigned char places[] = {4, 5, 6, 6, 6, 7, 8, 8, 16};
    unsigned at = places[seed / 16 % sizeof places];
    blob[at] = (unsigned char)(seed & 1 ? blob[at] + seed / 256 % 5 - 2 : seed >> 8);
}

size_t mutate_blob(const kiln_types *types, uint32_t type, unsigned char *blob, size_t size,
                   size_t room, unsigned seed)
{
    kiln_blob_header header;
    if (kiln_header_read(blob, size, &header, NULL) || type == KILN_TYPE_NONE)
        return LLVMFuzzerMutate(blob, size, room);
    size_t at = kiln_header_payload_at(&header), behind = (size_t)kiln_header_blob_size(&header);
    if (seed % 64 == 0) {
        mutate_header(blob, seed);
        blob_input_rehash(blob, size);
        return size;
    }
    /* The bytes after the blob stay, so a blob may only grow at the end of the file. */
    size_t most = behind == size ? room - at : behind - at;
    size_t payload = mutate_field(types, type, blob + at, behind - at, most, seed);
    if (payload != header.payload_size && behind == size) {
        patch_number(blob + 8, payload, 8);
        size = at + payload;
    }
    if (seed % 5 == 0)
        blob[6] &= (unsigned char)~KILN_FLAG_CANONICAL;
    blob_input_rehash(blob, size);
    return size;
}

/* ---- a file ---- */

/* A file, and the members in its index that can be read. */
typedef struct parts {
    unsigned char *file;
    size_t size;
    uint64_t members; /* offset of the list */
    uint32_t count;   /* of these members */
    uint32_t type_table;
} parts;

static bool find_parts(unsigned char *file, size_t size, parts *ret)
{
    kiln_blob_header header;
    kiln_index index;
    if (kiln_header_read(file, size, &header, NULL) || header.payload_size < sizeof index)
        return false;
    size_t at = kiln_header_payload_at(&header);
    memcpy(&index, file + at, sizeof index);
    *ret = (parts){file, size, at + offsetof(kiln_index, members) + index.members.offset, 0,
                   index.type_table};
    if (ret->members < size)
        ret->count = (uint32_t)((size - ret->members) / sizeof(kiln_index_member));
    if (ret->count > index.members.count)
        ret->count = index.members.count;
    if (ret->count > MEMBERS_MAX)
        ret->count = MEMBERS_MAX;
    return ret->count > 0;
}

static kiln_index_member entry_of(const parts *p, uint32_t number)
{
    kiln_index_member entry;
    memcpy(&entry, p->file + p->members + number * sizeof entry, sizeof entry);
    return entry;
}

static void set_entry(const parts *p, uint32_t number, const kiln_index_member *entry)
{
    memcpy(p->file + p->members + number * sizeof *entry, entry, sizeof *entry);
}

/* The blob of an uncompressed member inside the file, or NULL. */
static unsigned char *blob_of(const parts *p, const kiln_index_member *entry)
{
    if (entry->compression || entry->place > p->size || entry->size > p->size - entry->place ||
        entry->place % 16 || entry->size < KILN_HEADER_SIZE)
        return NULL;
    return p->file + entry->place;
}

static const kiln_types *types_of_file(const parts *p)
{
    if (p->type_table == 0 || p->type_table > p->count)
        return NULL;
    kiln_index_member entry = entry_of(p, p->type_table - 1);
    const unsigned char *blob = blob_of(p, &entry);
    return blob ? types_of_table(blob, (size_t)entry.size) : NULL;
}

/* Scenes that refer to a blob by its hash get its new hash. */
static void follow_hash(const parts *p, uint64_t before, uint64_t after)
{
    const uint64_t layout =
        kiln_types_get(with_scene, kiln_types_find(with_scene, "kiln.Scene"))->layout;
    for (uint32_t i = 0; i < p->count; i++) {
        kiln_index_member entry = entry_of(p, i);
        unsigned char *blob = blob_of(p, &entry);
        kiln_blob_header header;
        if (!blob || kiln_header_read(blob, (size_t)entry.size, &header, NULL) ||
            header.layout != layout || header.payload_size < sizeof(kiln_scene))
            continue;
        unsigned char *scene = blob + kiln_header_payload_at(&header);
        for (unsigned at = 0; at < 16; at += 8)
            if (memcmp(scene + at, &before, 8) == 0)
                memcpy(scene + at, &after, 8);
        blob_input_rehash(blob, (size_t)entry.size);
        entry.content = kiln_content_hash(blob, (size_t)entry.size);
        set_entry(p, i, &entry);
    }
}

static void mutate_inside(const parts *p, unsigned char *blob, size_t size, unsigned seed)
{
    kiln_blob_header header;
    const kiln_types *types;
    memcpy(&header, blob, sizeof header);
    uint32_t type = type_of_layout(types_of_file(p), header.layout, &types);
    size_t at = kiln_header_payload_at(&header);
    if (seed % 4 && type != KILN_TYPE_NONE) {
        mutate_blob(types, type, blob, size, size, seed / 4 * 31 + 7);
    } else if (at < size) {
        LLVMFuzzerMutate(blob + at, size - at, size - at);
        blob_input_rehash(blob, size);
    }
}

static bool mutate_member(unsigned char *file, size_t size, unsigned seed)
{
    parts p;
    if (!find_parts(file, size, &p))
        return false;
    uint32_t number = seed % p.count;
    kiln_index_member entry = entry_of(&p, number);
    unsigned char *blob = blob_of(&p, &entry);
    if (blob) {
        uint64_t before, after;
        memcpy(&before, blob + offsetof(kiln_blob_header, hash), sizeof before);
        mutate_inside(&p, blob, (size_t)entry.size, seed / 8);
        memcpy(&after, blob + offsetof(kiln_blob_header, hash), sizeof after);
        entry.content = kiln_content_hash(blob, (size_t)entry.size);
        set_entry(&p, number, &entry);
        follow_hash(&p, before, after);
    } else if (entry.compression != KILN_COMPRESSION_NONE && entry.stored_size > 0 &&
               entry.place <= size && entry.stored_size <= size - entry.place) {
        /* The hash of the stored bytes is corrected, so that readers decompress them. Plain data of
         * payloads have no such hash. */
        unsigned char *stored = file + entry.place;
        LLVMFuzzerMutate(stored, (size_t)entry.stored_size, (size_t)entry.stored_size);
        if (entry.compression != KILN_COMPRESSION_PAYLOAD)
            entry.stored = kiln_content_hash(stored, (size_t)entry.stored_size);
        set_entry(&p, number, &entry);
    } else {
        return false;
    }
    blob_input_rehash(file, size);
    return true;
}

size_t mutate_file(unsigned char *file, size_t size, size_t room, unsigned seed)
{
    prepare();
    if (seed % 3 && mutate_member(file, size, seed / 4))
        return size;
    return mutate_blob(with_scene, kiln_types_find(with_scene, "kiln.Index"), file, size, room,
                       seed / 4);
}
