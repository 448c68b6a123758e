/* Collects the assets of a file: kiln/file_writer.h. file_finish.c writes it.
 *
 * Every blob is verified when it is added, and its references are collected during the
 * verification, so finishing need not read values again. Equal blobs are stored once: they are
 * found by content hash and then compared byte by byte, because hash collisions can be constructed.
 * A failed call leaves the writer unchanged. */
#include <kiln/file_writer.h>

#include "builder_state.h"
#include "def_cookie.h"
#include "file_payloads.h"
#include "file_writer_state.h"

#include <kiln/payload.h>
#include <kiln/scene.h>
#include <string.h>

enum { WRITER_BLOCK = 65536 };

kiln_file_writer_def kiln_file_writer_def_default(void)
{
    kiln_file_writer_def def = {.cookie = DEF_COOKIE};
    return def;
}

kiln_status kiln_file_writer_create(const kiln_file_writer_def *def, kiln_file_writer **ret_writer,
                                    kiln_error *reterr)
{
    kiln_status status = kiln_host_check();
    if (!status && (!def_is_set(def->cookie) || !def->types))
        status = KILN_BAD_ARGUMENT;
    if (status)
        return kiln_fail(reterr, status, 0, NULL);
    kiln_allocator a = allocator_or_default(def->allocator);
    kiln_file_writer *writer = a.alloc(a.ctx, sizeof *writer, _Alignof(kiln_file_writer));
    if (!writer)
        return kiln_fail(reterr, KILN_NO_MEMORY, 0, NULL);
    memset(writer, 0, sizeof *writer);
    writer->types = def->types;
    writer->allocator = a;
    writer->omit_type_table = def->omit_type_table;
    writer->skip_sharing = def->skip_sharing;
    writer->move_blob = def->move_blob;
    writer->touch_blob = def->touch_blob;
    writer->move_ctx = def->move_ctx;
    writer->payload_type = kiln_types_find(def->types, KILN_PAYLOAD_TYPE_NAME);
    kiln_arena_init(&writer->memory, &a, WRITER_BLOCK);
    *ret_writer = writer;
    return KILN_OK;
}

void kiln_file_writer_destroy(kiln_file_writer *writer)
{
    if (!writer)
        return;
    kiln_allocator a = writer->allocator;
    for (size_t i = 0; i < writer->members.count; i++)
        kiln_buffer_fini(&((writer_member *)writer->members.items)[i].taken);
    kiln_arena_fini(&writer->memory);
    kiln_vector_fini(&writer->assets, &a, sizeof(writer_asset));
    kiln_vector_fini(&writer->members, &a, sizeof(writer_member));
    kiln_vector_fini(&writer->imports, &a, sizeof(writer_import));
    kiln_vector_fini(&writer->refs, &a, sizeof(kiln_id));
    kiln_vector_fini(&writer->settings, &a, sizeof(writer_setting));
    kiln_vector_fini(&writer->payloads, &a, sizeof(writer_payload));
    kiln_hash_table_fini(&writer->payloads_by_content, &a);
    kiln_hash_table_fini(&writer->by_id, &a);
    kiln_hash_table_fini(&writer->by_content, &a);
    kiln_hash_table_fini(&writer->imports_by_id, &a);
    a.free(a.ctx, writer, sizeof *writer);
}

static bool is_asset(const kiln_file_writer *writer, uint32_t number, kiln_id id)
{
    return ((const writer_asset *)writer->assets.items)[number].id == id;
}

static bool is_import(const kiln_file_writer *writer, uint32_t number, kiln_id id)
{
    return ((const writer_import *)writer->imports.items)[number].id == id;
}

static uint32_t hash_of_member(const hash_table *table, const writer_member *like)
{
    return hash_of_number(table, like->content.low);
}

static bool is_member(const kiln_file_writer *writer, uint32_t number, const writer_member *like)
{
    const writer_member *member = (const writer_member *)writer->members.items + number;
    return member->size == like->size && memcmp(member->blob, like->blob, (size_t)like->size) == 0;
}

HASH_TABLE(assets_by_id, const kiln_file_writer *, kiln_id, hash_of_number, is_asset)
HASH_TABLE(imports_by_id, const kiln_file_writer *, kiln_id, hash_of_number, is_import)
HASH_TABLE(members_by_content, const kiln_file_writer *, const writer_member *, hash_of_member,
           is_member)

uint32_t kiln_writer_find_asset(const kiln_file_writer *writer, kiln_id id)
{
    return assets_by_id_find(&writer->by_id, writer, id);
}

uint32_t kiln_writer_find_import(const kiln_file_writer *writer, kiln_id id)
{
    return imports_by_id_find(&writer->imports_by_id, writer, id);
}

static void record_ref(void *ctx, kiln_id id, uint64_t offset)
{
    kiln_file_writer *writer = ctx;
    (void)offset;
    kiln_id *ref = kiln_vector_push(&writer->refs, &writer->allocator, 1, sizeof *ref);
    if (ref)
        *ref = id;
    else
        writer->ref_failed = true;
}

/* The offset of a scene's whole chunks in its blob, if a program may map them: FORMAT.md section
 * 10, the exception for `kiln.SceneChunks`. 0 for other blobs. */
static uint32_t mapped_images_offset(const unsigned char *blob, const kiln_blob_header *header)
{
    if (header->layout != KILN_SCENE_CHUNKS_LAYOUT || kiln_header_kind(header) != KILN_BLOB_ASSET)
        return 0;
    uint32_t at = kiln_header_payload_at(header);
    kiln_bytes images;
    memcpy(&images, blob + at + offsetof(kiln_scene_chunks, images), sizeof images);
    bool is_mapped = images.count / KILN_CHUNK_SIZE >= KILN_SCENE_MAPPED_MIN;
    return is_mapped ? at + (uint32_t)offsetof(kiln_scene_chunks, images) + images.offset : 0;
}

static void init_member(writer_member *member, const void *blob, size_t size, kiln_hash128 content)
{
    kiln_blob_header header;
    memcpy(&header, blob, sizeof header);
    *member = (writer_member){.blob = blob,
                              .size = size,
                              .content = content,
                              .images_at = mapped_images_offset(blob, &header),
                              .align_log2 = (uint8_t)(header.flags & KILN_FLAG_ALIGN_MASK)};
}

void kiln_writer_member_init(writer_member *member, const void *blob, size_t size,
                             kiln_buffer *taken)
{
    init_member(member, blob, size, kiln_content_hash(blob, size));
    if (taken) {
        member->taken = *taken;
        memset(taken, 0, sizeof *taken);
    }
}

/* A verified blob that is added. */
typedef struct added_blob {
    const void *data;
    size_t size;
    kiln_buffer *taken;          /* owns the bytes, and is emptied on success; NULL: copy them */
    const kiln_hash128 *content; /* the hash, if it is known and the references are sorted */
} added_blob;

/* Adds `made` as a new member: with a copy of its blob, or with `taken`, which owns the blob and is
 * emptied. False if memory runs out. */
static bool new_member(kiln_file_writer *writer, writer_member *made, kiln_buffer *taken)
{
    writer_member *member =
        kiln_vector_push(&writer->members, &writer->allocator, 1, sizeof *member);
    if (!member)
        return false;
    unsigned char *copy = taken ? NULL : kiln_arena_alloc(&writer->memory, (size_t)made->size, 8);
    if (!copy && !taken) {
        writer->members.count--;
        return false;
    }
    if (taken) {
        made->taken = *taken;
        memset(taken, 0, sizeof *taken);
        if (writer->move_blob)
            writer->move_blob(writer->move_ctx, &made->taken, (size_t)1 << made->align_log2);
        made->blob = made->taken.data;
    } else {
        memcpy(copy, made->blob, (size_t)made->size);
        made->blob = copy;
    }
    *member = *made;
    return true;
}

/* The number of the member with these bytes, which is added if there is none; UINT32_MAX if memory
 * runs out. */
static uint32_t add_member(kiln_file_writer *writer, const added_blob *blob)
{
    writer_member made;
    init_member(&made, blob->data, blob->size,
                blob->content ? *blob->content : kiln_content_hash(blob->data, blob->size));
    made.setting = writer->setting;
    if (!hash_table_reserve(&writer->by_content, &writer->allocator))
        return UINT32_MAX;
    hash_slot *slot = members_by_content_slot(&writer->by_content, writer, &made);
    /* The table contains only the first of several equal members. Later assets share that member;
     * with `skip_sharing` they get their own members, which are not in the table. */
    bool is_known = !hash_slot_is_empty(slot);
    if (is_known && !writer->skip_sharing) {
        kiln_buffer_fini(blob->taken);
        return hash_slot_number(slot);
    }
    if (!new_member(writer, &made, blob->taken))
        return UINT32_MAX;
    if (!is_known)
        hash_table_put(&writer->by_content, slot, (uint32_t)writer->members.count - 1);
    return (uint32_t)writer->members.count - 1;
}

/* Allocates the asset's row before the member: a failure in between must not leave a member without
 * an asset, because I14 forbids such members. */
static kiln_status add_asset(kiln_file_writer *writer, writer_asset *asset, const added_blob *blob)
{
    writer_asset *row = kiln_vector_push(&writer->assets, &writer->allocator, 1, sizeof *row);
    if (!row)
        return KILN_NO_MEMORY;
    asset->ref_count = (uint32_t)(writer->refs.count - asset->first_ref);
    asset->name = kiln_arena_copy_text(&writer->memory, asset->name, asset->name_length);
    asset->member = asset->name ? add_member(writer, blob) : UINT32_MAX;
    if (asset->member == UINT32_MAX) {
        writer->assets.count--;
        return KILN_NO_MEMORY;
    }
    *row = *asset;
    hash_table_put(&writer->by_id, assets_by_id_slot(&writer->by_id, writer, asset->id),
                   (uint32_t)writer->assets.count - 1);
    return KILN_OK;
}

/* Checks the name and type of a new asset before its blob exists. Reserves a slot for its id, so
 * that add_asset cannot fail after adding the member. */
static kiln_status name_any_asset(kiln_file_writer *writer, const char *name, uint32_t type,
                                  writer_asset *ret_asset, kiln_error *reterr)
{
    size_t name_length = strlen(name);
    const kiln_type *root = kiln_types_get(writer->types, type);
    if (!root || root->kind != KILN_KIND_STRUCT)
        return kiln_fail(reterr, KILN_BAD_ARGUMENT, 0, NULL);
    if (!kiln_asset_name_is_valid(name, name_length) || name_length > KILN_PAYLOAD_MAX)
        return kiln_fail(reterr, KILN_I_NAME, 0, NULL);
    writer_asset asset = {.name = name,
                          .id = kiln_asset_id(name, name_length),
                          .name_length = (uint32_t)name_length,
                          .type = type,
                          .first_ref = (uint32_t)writer->refs.count};
    if (asset.id == 0)
        return kiln_fail(reterr, KILN_I_NAME, 0, NULL);
    if (!hash_table_reserve(&writer->by_id, &writer->allocator))
        return kiln_fail(reterr, KILN_NO_MEMORY, 0, NULL);
    if (assets_by_id_find(&writer->by_id, writer, asset.id) != HASH_TABLE_NONE)
        return kiln_fail(reterr, KILN_DUPLICATE, 0, NULL);
    if (writer->assets.count >= KILN_FILE_ENTRIES_MAX)
        return kiln_fail(reterr, KILN_L_ENTRIES, 0, "assets");
    *ret_asset = asset;
    return KILN_OK;
}

/* The same for assets of callers. A payload asset needs a payload member (P2), which only
 * kiln_file_writer_payload adds. */
static kiln_status name_asset(kiln_file_writer *writer, const char *name, uint32_t type,
                              writer_asset *ret_asset, kiln_error *reterr)
{
    if (type == writer->payload_type)
        return kiln_fail(reterr, KILN_BAD_ARGUMENT, 0, NULL);
    return name_any_asset(writer, name, type, ret_asset, reterr);
}

/* Adds a blob whose references were collected. If `status` is an error or adding fails, removes the
 * references again. */
static kiln_status end_asset(kiln_file_writer *writer, writer_asset *asset, kiln_status status,
                             const added_blob *blob, kiln_error *reterr)
{
    if (!status) {
        bool is_sorted = blob->content ||
                         kiln_writer_sort_refs(&writer->refs, asset->first_ref, &writer->allocator);
        if (writer->ref_failed || !is_sorted)
            status = KILN_NO_MEMORY;
        else if (writer->refs.count > KILN_FILE_ENTRIES_MAX)
            status = KILN_L_ENTRIES;
        else
            status = add_asset(writer, asset, blob);
        if (status)
            kiln_fail(reterr, status, 0, status == KILN_L_ENTRIES ? "edges" : NULL);
    }
    if (status)
        writer->refs.count = asset->first_ref;
    writer->ref_failed = false;
    return status;
}

/* C1 is not checked: the caller guarantees that the canonical flag is correct (kiln/file_writer.h).
 */
static kiln_verify_def checks(kiln_file_writer *writer, uint32_t type)
{
    kiln_verify_def def = kiln_verify_def_default();
    def.types = writer->types;
    def.type = type;
    def.allocator = &writer->allocator;
    def.check_canonical = false;
    def.on_ref = record_ref;
    def.on_ref_ctx = writer;
    return def;
}

kiln_status kiln_file_writer_add(kiln_file_writer *writer, const char *name, uint32_t type,
                                 kiln_span blob, kiln_error *reterr)
{
    writer_asset asset;
    kiln_status status = name_asset(writer, name, type, &asset, reterr);
    if (status)
        return status;
    kiln_verify_def def = checks(writer, type);
    status = kiln_verify(&def, blob.data, blob.size, reterr);
    added_blob added = {.data = blob.data, .size = blob.size};
    return end_asset(writer, &asset, status, &added, reterr);
}

kiln_status kiln_file_writer_take(kiln_file_writer *writer, const char *name, uint32_t type,
                                  kiln_buffer *blob, kiln_error *reterr)
{
    writer_asset asset;
    kiln_status status = name_asset(writer, name, type, &asset, reterr);
    if (status)
        return status;
    kiln_verify_def def = checks(writer, type);
    status = kiln_verify(&def, blob->data, blob->size, reterr);
    added_blob added = {.data = blob->data, .size = blob->size, .taken = blob};
    return end_asset(writer, &asset, status, &added, reterr);
}

/* Finishes the value in `builder` and adds it as `asset`. */
static kiln_status build_asset(kiln_file_writer *writer, writer_asset *asset, kiln_builder *builder,
                               kiln_error *reterr)
{
    kiln_buffer blob = {0};
    if (builder->types != writer->types)
        return kiln_fail(reterr, KILN_BAD_ARGUMENT, 0, NULL);
    kiln_verify_def def = checks(writer, asset->type);
    kiln_status status = kiln_builder_finish_for(builder, &def, true, &blob, reterr);
    added_blob added = {.data = blob.data, .size = blob.size, .taken = &blob};
    status = end_asset(writer, asset, status, &added, reterr);
    kiln_buffer_fini(&blob);
    return status;
}

kiln_status kiln_file_writer_build(kiln_file_writer *writer, const char *name, uint32_t type,
                                   kiln_builder *builder, kiln_error *reterr)
{
    writer_asset asset;
    kiln_status status = name_asset(writer, name, type, &asset, reterr);
    return status ? status : build_asset(writer, &asset, builder, reterr);
}

kiln_status kiln_writer_build_payload(kiln_file_writer *writer, const char *name,
                                      kiln_builder *builder, kiln_error *reterr)
{
    writer_asset asset;
    kiln_status status = name_any_asset(writer, name, writer->payload_type, &asset, reterr);
    return status ? status : build_asset(writer, &asset, builder, reterr);
}

kiln_status kiln_file_writer_put(kiln_file_writer *writer, const char *name,
                                 kiln_finished_asset *asset, kiln_error *reterr)
{
    writer_asset row;
    if (!asset->blob.data || asset->types != writer->types)
        return kiln_fail(reterr, KILN_BAD_ARGUMENT, 0, NULL);
    kiln_status status = name_asset(writer, name, asset->type, &row, reterr);
    if (status)
        return status;
    kiln_id *refs = asset->ref_count ? kiln_vector_push(&writer->refs, &writer->allocator,
                                                        asset->ref_count, sizeof *refs)
                                     : NULL;
    if (asset->ref_count && !refs)
        return kiln_fail(reterr, KILN_NO_MEMORY, 0, NULL);
    if (refs)
        memcpy(refs, asset->refs, asset->ref_count * sizeof *refs);
    added_blob added = {asset->blob.data, asset->blob.size, &asset->blob, &asset->content};
    status = end_asset(writer, &row, KILN_OK, &added, reterr);
    if (!status)
        kiln_finished_asset_fini(asset);
    return status;
}

kiln_status kiln_file_writer_import(kiln_file_writer *writer, const char *name)
{
    size_t name_length = strlen(name);
    if (!kiln_asset_name_is_valid(name, name_length) || name_length > KILN_PAYLOAD_MAX)
        return KILN_I_NAME;
    kiln_id id = kiln_asset_id(name, name_length);
    if (id == 0)
        return KILN_I_NAME;
    if (!hash_table_reserve(&writer->imports_by_id, &writer->allocator))
        return KILN_NO_MEMORY;
    hash_slot *slot = imports_by_id_slot(&writer->imports_by_id, writer, id);
    if (!hash_slot_is_empty(slot)) {
        const writer_import *same = (writer_import *)writer->imports.items + hash_slot_number(slot);
        return same->name_length == name_length && memcmp(same->name, name, name_length) == 0
                   ? KILN_OK
                   : KILN_DUPLICATE;
    }
    if (writer->imports.count >= KILN_FILE_ENTRIES_MAX)
        return KILN_L_ENTRIES;
    char *copy = kiln_arena_copy_text(&writer->memory, name, name_length);
    writer_import *import =
        copy ? kiln_vector_push(&writer->imports, &writer->allocator, 1, sizeof *import) : NULL;
    if (!import)
        return KILN_NO_MEMORY;
    writer_import made = {copy, id, (uint32_t)name_length, false};
    *import = made;
    hash_table_put(&writer->imports_by_id, slot, (uint32_t)writer->imports.count - 1);
    return KILN_OK;
}
