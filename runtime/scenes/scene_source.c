/* Opens a scene as a source: finds its parts, checks them and borrows their bytes.
 *
 * Files can be mounted and replaced at any time, so a source borrows the bytes of each part: later
 * loads use exactly the bytes that were checked here. The description is always checked against the
 * format's own types, but the rows only with deep verification. Words are always checked when they
 * are resolved.
 *
 * The program and the instances share a source; the last of them frees it. */
#include "scene_object.h"

#include "asset_blob.h"
#include "asset_entry.h"
#include "asset_keep.h"
#include "asset_lock.h"
#include "asset_redirects.h"
#include "asset_slots.h"
#include "asset_types.h"
#include "file_table.h"

#include <kiln/blob_header.h>
#include <kiln/verify.h>
#include <string.h>

static void *source_alloc(const kiln_scene_source *source, size_t size)
{
    void *memory = source->allocator.alloc(source->allocator.ctx, size ? size : 1, 16);
    if (memory)
        memset(memory, 0, size);
    return memory;
}

static void source_free(const kiln_scene_source *source, void *memory, size_t size)
{
    if (memory)
        source->allocator.free(source->allocator.ctx, memory, size ? size : 1);
}

/* ---- the assets of a scene ---- */

/* Loads an asset and borrows its bytes, so that later mounts and reloads do not remove them.
 * Closing the source releases the bytes, even after a failed open. */
static kiln_status load_and_borrow(kiln_scene_source *source, const kiln_load_args *args,
                                   kiln_ref *ret_ref, const asset_blob **ret_blob,
                                   const void **ret_root, kiln_error *reterr)
{
    kiln_status status = kiln_assets_load(source->assets, args, ret_ref, reterr);
    if (status)
        return status;
    status = kiln_asset_borrow(source->assets, *ret_ref, source->by, ret_blob);
    if (status)
        return kiln_fail(reterr, status, 0, NULL);
    *ret_root = (*ret_blob)->root;
    return KILN_OK;
}

static kiln_status load_scene(kiln_scene_source *source, const kiln_scene_source_args *args,
                              const asset_blob **ret_blob, kiln_error *reterr)
{
    kiln_load_args load = {
        .id = args->id, .name = args->name, .allow_missing = args->allow_missing, .by = source->by};
    const void *root = NULL;
    kiln_status status =
        load_and_borrow(source, &load, &source->scene_ref, ret_blob, &root, reterr);
    if (!status)
        source->scene = root;
    return status;
}

/* Checks the blob against the format's own types, which cannot be forged. This is done at every
 * verification level, because the blob is small and determines the addresses of all rows. */
static kiln_status check_scene(const kiln_scene_source *source, const asset_blob *blob,
                               kiln_error *reterr)
{
    kiln_types *types = NULL, *none = NULL;
    kiln_status status = kiln_types_create(&source->allocator, NULL, 0, &none, reterr);
    if (status)
        return status;
    status = kiln_types_with_scene(none, &source->allocator, &types, reterr);
    kiln_types_destroy(none);
    if (status)
        return status;
    kiln_verify_def def = kiln_verify_def_default();
    def.types = types;
    def.type = kiln_types_find(types, KILN_SCENE_TYPE_NAME);
    def.allocator = &source->allocator;
    def.check_canonical = false;
    def.skip_hash = true;
    kiln_blob_header header;
    memcpy(&header, blob->bytes, sizeof header);
    if (header.layout != kiln_types_get(types, def.type)->layout)
        status = kiln_fail(reterr, KILN_TYPE_MISMATCH, 0, blob->name);
    else
        status = kiln_verify(&def, blob->bytes, blob->size, reterr);
    kiln_types_destroy(types);
    return status;
}

/* ---- chunks ---- */

/* Whether the array's bytes end at or before `end`. An offset of 0 means no bytes, so the count
 * must then be 0. */
static bool bytes_fit(const kiln_array *bytes, const unsigned char *end)
{
    const unsigned char *field = (const unsigned char *)bytes;
    return bytes->count == 0 || (bytes->offset != 0 && bytes->offset < (size_t)(end - field) &&
                                 bytes->count <= (size_t)(end - field) - bytes->offset);
}

static kiln_status load_chunks(kiln_scene_source *source, kiln_error *reterr)
{
    const kiln_array *ids = &source->scene->chunks;
    if (ids->count == 0)
        return KILN_OK;
    kiln_load_args args = {.id = *(const uint64_t *)kiln_relative_get(ids, ids->offset),
                           .by = source->by};
    const asset_blob *blob;
    const void *root = NULL;
    kiln_status status = load_and_borrow(source, &args, &source->chunks_ref, &blob, &root, reterr);
    if (status)
        return status;
    source->chunks = root;
    const unsigned char *end = blob->bytes + blob->size;
    const kiln_scene_chunks *chunks = source->chunks;
    /* Chunks have the format's own type, even if the file's type table describes a different
     * one. */
    if (blob->layout != KILN_SCENE_CHUNKS_LAYOUT ||
        (size_t)(end - (const unsigned char *)root) < sizeof *chunks ||
        !bytes_fit(&chunks->images, end) || !bytes_fit(&chunks->tails, end))
        return kiln_fail(reterr, KILN_TYPE_MISMATCH, 0, blob->name);
    source->chunks_hash = blob->hash;
    const kiln_file_source *file = blob->mount ? &blob->mount->file->source : NULL;
    if (blob->memory == KILN_ASSET_MAPPED && file->has_descriptor && chunks->images.count) {
        const unsigned char *images = (const unsigned char *)chunks + chunks->images.offset;
        source->file = file->descriptor;
        source->images_at = (uint64_t)(images - file->data);
    }
    return KILN_OK;
}

/* ---- data ---- */

static kiln_status load_data(kiln_scene_source *source, kiln_error *reterr)
{
    const kiln_array *ids = &source->scene->data;
    if (ids->count == 0)
        return KILN_OK;
    kiln_load_args args = {.id = *(const uint64_t *)kiln_relative_get(ids, ids->offset),
                           .by = source->by};
    const asset_blob *blob;
    kiln_status status =
        load_and_borrow(source, &args, &source->data_ref, &blob, &source->data, reterr);
    if (status)
        return status;
    if (blob->hash != source->scene->data_hash)
        return kiln_fail(reterr, KILN_S_PARTS, 0, "data_hash");
    uint32_t type = kiln_asset_program_type(source->assets, blob->type);
    source->data_types = source->assets->types;
    if (type == KILN_TYPE_NONE ||
        kiln_types_get(source->data_types, type)->layout != blob->layout) {
        source->data_types = source->file_types;
        type =
            source->file_types ? kiln_types_find(source->file_types, blob->type) : KILN_TYPE_NONE;
    }
    const kiln_type *of = type == KILN_TYPE_NONE ? NULL : kiln_types_get(source->data_types, type);
    if (!of || of->kind != KILN_KIND_STRUCT || of->layout != blob->layout)
        return kiln_fail(reterr, KILN_NO_TYPES, 0, blob->type);
    /* Below KILN_VERIFY_DEEP, nothing has checked yet that the root fits into the blob. */
    if ((size_t)(blob->bytes + blob->size - (const unsigned char *)source->data) < of->size)
        return kiln_fail(reterr, KILN_V_ROOT, 0, blob->name);
    source->lists = source_alloc(source, of->member_count * sizeof *source->lists);
    if (!source->lists)
        return kiln_fail(reterr, KILN_NO_MEMORY, 0, NULL);
    source->data_type = of;
    for (uint32_t i = 0; i < of->member_count; i++) {
        const kiln_type *list = kiln_types_get(source->data_types, of->members[i].type);
        if (list->kind != KILN_KIND_ARRAY)
            continue;
        const kiln_array *array =
            (const void *)((const unsigned char *)source->data + of->members[i].offset);
        /* An offset of 0 means no list, even if the count is not 0. */
        source->lists[i].count = array->offset ? array->count : 0;
        source->lists[i].size = kiln_types_get(source->data_types, list->element)->size;
        source->lists[i].first = kiln_relative_get(array, array->offset);
    }
    return KILN_OK;
}

/* ---- the assets to which rows refer ---- */

/* Words that refer to a deleted asset become null. */
static bool is_deleted(const kiln_scene_source *source, kiln_id id)
{
    kiln_asset_lock(source->assets);
    bool is = kiln_asset_redirects_is_deleted(source->assets, id);
    kiln_asset_unlock(source->assets);
    return is;
}

static kiln_status hold_assets(kiln_scene_source *source, bool allow_missing, kiln_error *reterr)
{
    const kiln_array *ids = &source->scene->assets;
    uint32_t count = ids->count;
    if (count == 0)
        return KILN_OK;
    source->held = source_alloc(source, count * sizeof *source->held);
    if (!source->held)
        return kiln_fail(reterr, KILN_NO_MEMORY, 0, NULL);
    source->held_count = count;
    const uint64_t *id = kiln_relative_get(ids, ids->offset);
    for (uint32_t i = 0; i < count; i++) {
        kiln_load_args args = {.id = id[i], .by = source->by, .allow_missing = allow_missing};
        scene_asset *asset = &source->held[i];
        kiln_status status = kiln_assets_load(source->assets, &args, &asset->held, reterr);
        if (status == KILN_NOT_FOUND && (allow_missing || is_deleted(source, id[i])))
            continue;
        if (status)
            return status;
        asset_entry *entry = kiln_asset_entry_of_handle(source->assets, asset->held);
        asset->word = asset_entry_indirect(source->assets, entry, false).bits;
    }
    return KILN_OK;
}

/* ---- opening and closing ---- */

static kiln_status copy_name(kiln_scene_source *source, const char *name)
{
    size_t size = strlen(name) + 1;
    source->name = source_alloc(source, size);
    if (!source->name)
        return KILN_NO_MEMORY;
    source->name_size = size;
    memcpy(source->name, name, size);
    return KILN_OK;
}

static kiln_status open_view(kiln_scene_source *source, kiln_error *reterr)
{
    kiln_scene_view_args args = {.scene = source->scene,
                                 .chunks = source->chunks,
                                 .chunks_hash = source->chunks_hash,
                                 .allocator = &source->allocator};
    return kiln_scene_view_init(&args, &source->view, reterr);
}

/* With deep verification, every rule of the rows is checked before the first row is used. */
static kiln_status check_rows(const kiln_scene_source *source, const asset_mount *mount,
                              kiln_error *reterr)
{
    if (!mount || mount->file->level != KILN_VERIFY_DEEP || !source->chunks)
        return KILN_OK;
    kiln_scene_check_args args = {.view = &source->view,
                                  .types = source->file_types,
                                  .data_type = KILN_TYPE_NONE,
                                  .allocator = &source->allocator};
    const kiln_type *type = NULL;
    if (source->data_type && source->file_types) {
        args.data_type = kiln_types_find(source->file_types, source->data_type->name);
        type = kiln_types_get(source->file_types, args.data_type);
    }
    if (type && type->layout == source->data_type->layout)
        args.data = source->data;
    else
        args.skip_data = true; /* it was converted; its words are checked when they are resolved */
    return kiln_scene_check(&args, reterr);
}

static kiln_status open_parts(kiln_scene_source *source, const kiln_scene_source_args *args,
                              kiln_error *reterr)
{
    const asset_blob *blob;
    kiln_status status = load_scene(source, args, &blob, reterr);
    if (status)
        return status;
    asset_mount *mount = blob->mount;
    status = check_scene(source, blob, reterr);
    if (!status && copy_name(source, blob->name) != KILN_OK)
        status = kiln_fail(reterr, KILN_NO_MEMORY, 0, NULL);
    if (!status && mount && mount->file->index->type_table)
        status = kiln_file_table(mount->file, &source->file_types, reterr);
    if (!status)
        status = load_chunks(source, reterr);
    if (!status)
        status = open_view(source, reterr);
    if (!status)
        status = load_data(source, reterr);
    if (!status)
        status = hold_assets(source, args->allow_missing, reterr);
    return status ? status : check_rows(source, mount, reterr);
}

static kiln_status open_once(const kiln_scene_source_args *args, kiln_scene_source **ret_source,
                             kiln_error *reterr)
{
    kiln_allocator allocator = args->assets->allocator;
    kiln_scene_source *source = allocator.alloc(allocator.ctx, sizeof *source, 16);
    if (!source)
        return kiln_fail(reterr, KILN_NO_MEMORY, 0, NULL);
    memset(source, 0, sizeof *source);
    source->allocator = allocator;
    source->assets = args->assets;
    source->by = args->by ? args->by : "?";
    source->file = -1;
    atomic_init(&source->users, 1);
    kiln_status status = open_parts(source, args, reterr);
    if (status)
        kiln_scene_source_drop(source);
    else
        *ret_source = source;
    return status;
}

static uint64_t generation_of(kiln_assets *assets)
{
    kiln_asset_lock(assets);
    uint64_t generation = assets->generation;
    kiln_asset_unlock(assets);
    return generation;
}

/* The parts of a scene are loaded one after another. If another thread replaces the file meanwhile,
 * they may be of different versions, which the hashes in the scene show. So a failure counts only
 * if the files have not changed meanwhile. */
kiln_status kiln_scene_source_open(const kiln_scene_source_args *args,
                                   kiln_scene_source **ret_source, kiln_error *reterr)
{
    if (!args || !args->assets || !ret_source || (args->id != 0) == (args->name != NULL))
        return kiln_fail(reterr, KILN_BAD_ARGUMENT, 0, NULL);
    for (;;) {
        uint64_t generation = generation_of(args->assets);
        kiln_status status = open_once(args, ret_source, reterr);
        if (status == KILN_OK || status == KILN_NO_MEMORY ||
            generation_of(args->assets) == generation)
            return status;
    }
}

kiln_scene_source *kiln_scene_source_keep(kiln_scene_source *source)
{
    atomic_fetch_add_explicit(&source->users, 1, memory_order_relaxed);
    return source;
}

static void release_part(kiln_scene_source *source, const void *root, kiln_ref *ref)
{
    if (root)
        kiln_assets_release(source->assets, root, source->by);
    kiln_assets_clear(source->assets, ref);
}

void kiln_scene_source_drop(kiln_scene_source *source)
{
    if (atomic_fetch_sub_explicit(&source->users, 1, memory_order_acq_rel) > 1)
        return;
    kiln_scene_view_fini(&source->view);
    for (uint32_t i = 0; i < source->held_count; i++)
        kiln_assets_clear(source->assets, &source->held[i].held);
    source_free(source, source->held, source->held_count * sizeof *source->held);
    if (source->data_type)
        source_free(source, source->lists, source->data_type->member_count * sizeof *source->lists);
    source_free(source, source->name, source->name_size);
    release_part(source, source->data, &source->data_ref);
    release_part(source, source->chunks, &source->chunks_ref);
    release_part(source, source->scene, &source->scene_ref);
    source_free(source, source, sizeof *source);
}

void kiln_scene_source_close(kiln_scene_source *source)
{
    if (source)
        kiln_scene_source_drop(source);
}

const kiln_scene_view *kiln_scene_source_view(const kiln_scene_source *source)
{
    return &source->view;
}
