/* Assets from blobs that the program built in memory.
 *
 * The blob is checked before the lock is taken. Equal blobs of one type become one asset. Adding a
 * second one only adds its name, if it has one, and passes its bytes to its `free`. Names, memory
 * and slots are reserved before anything changes. */
#include "asset_blob.h"
#include "asset_entry.h"
#include "asset_holders.h"
#include "asset_layers.h"
#include "asset_lock.h"
#include "asset_marks.h"
#include "asset_refs.h"
#include "asset_slots.h"
#include "asset_types.h"
#include "asset_words.h"

#include <kiln/blob_header.h>
#include <kiln/index.h>
#include <kiln/verify.h>
#include <string.h>

static bool args_are_valid(const kiln_add_args *args)
{
    return args && args->type && args->type->name && args->blob &&
           (!args->name || kiln_asset_name_is_valid(args->name, strlen(args->name))) &&
           (args->in_place || !args->free);
}

static kiln_status check_values(const kiln_assets *assets, const kiln_add_args *args,
                                kiln_error *reterr)
{
    uint32_t type = kiln_asset_program_type(assets, args->type->name);
    if (type == KILN_TYPE_NONE || kiln_types_get(assets->types, type)->layout != args->type->layout)
        return kiln_fail(reterr, KILN_NO_TYPES, 0, args->type->name);
    kiln_verify_def verify = kiln_verify_def_default();
    verify.types = assets->types;
    verify.type = type;
    verify.allocator = &assets->allocator;
    verify.check_canonical = false;
    return kiln_verify(&verify, args->blob, args->size, reterr);
}

static kiln_status check_blob(const kiln_assets *assets, const kiln_add_args *args,
                              kiln_blob_header *ret_header, kiln_error *reterr)
{
    if (args->size < KILN_HEADER_SIZE)
        return kiln_fail(reterr, KILN_H_TRUNCATED, 0, NULL);
    kiln_status status = kiln_header_read(args->blob, args->size, ret_header, reterr);
    if (status != KILN_OK)
        return status;
    if (kiln_header_kind(ret_header) != KILN_BLOB_ASSET)
        return kiln_fail(reterr, KILN_H_KIND, 0, NULL);
    if (kiln_header_blob_size(ret_header) != args->size)
        return kiln_fail(reterr, KILN_H_TRAILING, 0, NULL);
    if (ret_header->layout != args->type->layout)
        return kiln_fail(reterr, KILN_TYPE_MISMATCH, 0, args->type->name);
    if (args->in_place && ((uintptr_t)args->blob & (kiln_header_align(ret_header) - 1)) != 0)
        return kiln_fail(reterr, KILN_H_MISALIGNED, 0, NULL);
    return args->is_trusted ? KILN_OK : check_values(assets, args, reterr);
}

/* The key of the content is the hash in the header, which covers layout and bytes. A key of 0 means
 * no key, so a hash of 0 becomes 1. The hash can be forged, so blobs with equal keys are compared.
 */
static uint64_t key_of(const kiln_blob_header *header)
{
    return header->hash ? header->hash : 1;
}

static asset_blob *find_equal(const kiln_assets *assets, const kiln_add_args *args, uint64_t key)
{
    for (asset_blob *blob = kiln_asset_blob_with_key(assets, key); blob; blob = blob->next_of_key)
        if (!blob->mount && blob->size == args->size &&
            kiln_asset_blob_has_type(blob, args->type) &&
            memcmp(blob->bytes, args->blob, args->size) == 0)
            return blob;
    return NULL;
}

static kiln_status take_bytes(kiln_assets *assets, const kiln_add_args *args, asset_blob *blob,
                              const kiln_blob_header *header)
{
    blob->bytes = args->blob;
    blob->memory = args->in_place && !args->free ? KILN_ASSET_FOREIGN : KILN_ASSET_OWNED;
    if (args->free) {
        blob->free = args->free;
        blob->free_ctx = args->free_ctx;
        blob->owned = (void *)(uintptr_t)args->blob;
        blob->owned_size = args->size;
    } else if (!args->in_place) {
        blob->owned =
            assets->allocator.alloc(assets->allocator.ctx, args->size, kiln_header_align(header));
        if (!blob->owned)
            return KILN_NO_MEMORY;
        blob->owned_size = args->size;
        memcpy(blob->owned, args->blob, args->size);
        blob->bytes = blob->owned;
    }
    return KILN_OK;
}

/* Frees a record after a failure. Bytes that came with a `free` still belong to the program. */
static void free_unused(kiln_assets *assets, asset_blob *blob)
{
    if (blob->free)
        blob->owned = NULL;
    blob->free = NULL;
    kiln_asset_blob_free(assets, blob);
}

static kiln_status make_blob(kiln_assets *assets, const kiln_add_args *args,
                             const kiln_blob_header *header, asset_blob **ret_blob)
{
    asset_blob *blob = kiln_asset_blob_create(assets);
    if (!blob)
        return KILN_NO_MEMORY;
    blob->size = args->size;
    blob->type = args->type->name;
    blob->name = "";
    blob->layout = args->type->layout;
    blob->hash = header->hash;
    blob->key = key_of(header);
    blob->added_by = args->by;
    kiln_status status = take_bytes(assets, args, blob, header);
    if (status != KILN_OK) {
        free_unused(assets, blob);
        return status;
    }
    blob->root = kiln_asset_blob_root_of(blob->bytes);
    *ret_blob = blob;
    return KILN_OK;
}

/* Makes the id refer to the entry. Room must have been reserved. */
static void name_entry(kiln_assets *assets, asset_entry *entry, kiln_id id)
{
    uint32_t cell, known = kiln_asset_ids_enter(assets, id, &cell);
    known_at(assets, known)->slot = entry->slot;
    kiln_asset_ids_publish(assets, cell);
}

static kiln_status copy_name(const kiln_assets *assets, const char *name, char **ret_name)
{
    size_t size = strlen(name) + 1;
    char *copy = assets->allocator.alloc(assets->allocator.ctx, size, 1);
    if (!copy)
        return KILN_NO_MEMORY;
    memcpy(copy, name, size);
    *ret_name = copy;
    return KILN_OK;
}

/* Sets the entry's first name, which its blob owns. Room must have been reserved. */
static void set_name(kiln_assets *assets, asset_entry *entry, char *name)
{
    entry->blob->own_name = name;
    entry->blob->own_name_size = strlen(name) + 1;
    entry->name = entry->blob->name = name;
    entry->id = kiln_asset_id(name, strlen(name));
    name_entry(assets, entry, entry->id);
}

/* Gives an added asset another name. */
static kiln_status add_name(kiln_assets *assets, asset_entry *entry, const char *name)
{
    kiln_id id = kiln_asset_id(name, strlen(name));
    asset_found found;
    if (kiln_asset_find_loaded(assets, NULL, id, &found))
        return found.slot == entry->slot && strcmp(kiln_asset_entry_name_of(entry, id), name) == 0
                   ? KILN_OK
                   : KILN_DUPLICATE;
    kiln_status status = kiln_asset_ids_reserve(assets, 1, 0);
    if (status != KILN_OK)
        return status;
    if (entry->id == 0) {
        char *copy = NULL;
        status = copy_name(assets, name, &copy);
        if (status == KILN_OK)
            set_name(assets, entry, copy);
        return status;
    }
    asset_alias *aliases = kiln_grow(&assets->allocator, entry->aliases, &entry->alias_capacity,
                                     (size_t)entry->alias_count + 1, sizeof(*aliases));
    if (!aliases)
        return KILN_NO_MEMORY;
    entry->aliases = aliases;
    char *copy = NULL;
    status = copy_name(assets, name, &copy);
    if (status != KILN_OK)
        return status;
    entry->aliases[entry->alias_count++] = (asset_alias){id, copy, strlen(copy) + 1};
    name_entry(assets, entry, id);
    return KILN_OK;
}

/* Reserves everything that a new asset needs, so that the following changes cannot fail. */
static kiln_status reserve_one(kiln_assets *assets)
{
    kiln_status status = kiln_asset_ids_reserve(assets, 1, 0);
    if (status == KILN_OK)
        status = kiln_key_table_reserve(&assets->roots, 1);
    if (status == KILN_OK)
        status = kiln_key_table_reserve(&assets->contents, 1);
    return status == KILN_OK ? kiln_asset_slots_reserve(assets, 1) : status;
}

/* If the collector is about to remove assets to which the blob refers, removes them now. Otherwise
 * the blob's references would lead to assets that disappear. */
static void bury_doomed_refs(kiln_assets *assets, const asset_blob *blob)
{
    if (!assets->marks || asset_phase_of(assets->marks) != PHASE_FREE)
        return;
    for (uint32_t i = 0; i < blob->ref_count; i++) {
        uint32_t known = kiln_asset_ids_target(assets, blob->refs[i]);
        uint32_t slot = known != ASSET_NONE ? known_at(assets, known)->slot : ASSET_NONE;
        if (slot != ASSET_NONE && asset_is_doomed(assets, entry_at(assets, slot)))
            kiln_asset_entry_bury(assets, entry_at(assets, slot));
    }
}

/* Adds an asset whose bytes no other asset has. */
static kiln_status add_new(kiln_assets *assets, const kiln_add_args *args,
                           const kiln_blob_header *header, asset_entry **ret_entry)
{
    asset_found found;
    if (args->name &&
        kiln_asset_find_loaded(assets, NULL, kiln_asset_id(args->name, strlen(args->name)), &found))
        return KILN_DUPLICATE;
    char *name = NULL;
    asset_blob *blob = NULL;
    kiln_status status = reserve_one(assets);
    if (status == KILN_OK)
        status = make_blob(assets, args, header, &blob);
    if (status == KILN_OK && assets->marks)
        status = kiln_asset_refs_find(assets, blob, NULL);
    if (status == KILN_OK && args->name)
        status = copy_name(assets, args->name, &name);
    if (status != KILN_OK) {
        if (blob)
            free_unused(assets, blob);
        return status;
    }
    bury_doomed_refs(assets, blob);
    asset_entry *entry = kiln_asset_slots_take(assets);
    entry->loaded_by = args->by;
    kiln_asset_blob_enter(assets, blob);
    kiln_asset_blob_attach(assets, blob, 0, entry);
    if (name)
        set_name(assets, entry, name);
    *ret_entry = entry;
    return KILN_OK;
}

static kiln_status add_checked(kiln_assets *assets, const kiln_add_args *args,
                               const kiln_blob_header *header, bool *ret_is_spare,
                               kiln_ref *ret_ref)
{
    asset_blob *equal = find_equal(assets, args, key_of(header));
    asset_entry *entry = equal ? equal->entries : NULL;
    if (entry && asset_is_doomed(assets, entry)) {
        kiln_asset_entry_bury(assets, entry);
        entry = NULL;
        equal = NULL;
    }
    kiln_status status = KILN_OK;
    if (entry && args->name)
        status = add_name(assets, entry, args->name);
    else if (!entry)
        status = add_new(assets, args, header, &entry);
    /* If the program adds the same bytes in place twice, they are still in use and must not be
     * freed. */
    *ret_is_spare = equal && equal->bytes != args->blob;
    return status == KILN_OK
               ? kiln_asset_take_entry(assets, entry, KILN_REF_STRONG, args->by, ret_ref)
               : status;
}

kiln_status kiln_assets_add(kiln_assets *assets, const kiln_add_args *args, kiln_ref *ret_ref,
                            kiln_error *reterr)
{
    if (!assets || !ret_ref || !args_are_valid(args))
        return kiln_fail(reterr, KILN_BAD_ARGUMENT, 0, NULL);
    kiln_blob_header header;
    kiln_status status = check_blob(assets, args, &header, reterr);
    if (status != KILN_OK)
        return status;
    bool is_spare = false;
    kiln_asset_lock(assets);
    status = add_checked(assets, args, &header, &is_spare, ret_ref);
    kiln_asset_unlock(assets);
    if (status != KILN_OK)
        return kiln_fail(reterr, status, 0, args->name);
    if (is_spare && args->free)
        args->free(args->free_ctx, args->blob, args->size);
    return KILN_OK;
}
