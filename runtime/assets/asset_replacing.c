/* Replaces a mounted file with a newer version of it.
 *
 * The new file is compared with the old one. A record of bytes (asset_blob) whose assets have not
 * changed *stays* in an older version of the file (asset_older.h). If it must not stay there, it
 * *moves*: it keeps its memory or, if it is used in place, gets the same bytes in the new file. All
 * other loaded assets of the file are staged like those of a file that is mounted over it. After
 * that nothing can fail, and the new mount gets the number and the serial of the old one: handles
 * of the mount, layers and the order stay as they are. The old mount is closed when its bytes are
 * no longer in use.
 *
 *     kept      the content is equal: stays, or moves unless can_move forbids it
 *     changed   staged from the new file
 *     lost      staged from a lower file, or removed from the table as if by an unmount */
#include "asset_blob.h"
#include "asset_changes.h"
#include "asset_clash.h"
#include "asset_entry.h"
#include "asset_lock.h"
#include "asset_make.h"
#include "asset_marks.h"
#include "asset_mount.h"
#include "asset_older.h"
#include "asset_owners.h"
#include "asset_redirects.h"
#include "asset_slots.h"
#include "asset_stage.h"
#include "asset_versions.h"
#include "def_cookie.h"
#include "list.h"
#include "prefetch.h"

#include <string.h>

typedef struct asset_move {
    asset_blob *blob;
    const asset_entry *entry; /* the first one; here and below, so that it can be prefetched */
    uint32_t old;             /* its number in the old index */
    uint32_t number;          /* in the new index, of the first entry's asset */
    const void *root;         /* in the new file; NULL if the record keeps its memory */
} asset_move;

typedef struct replacing {
    kiln_assets *assets;
    asset_mount *old, *fresh;
    asset_versions versions;
    asset_stage stage;
    bool can_stay; /* unchanged records stay in the old file and its older versions */
    bool is_full;  /* they stay only in `largest`, because there are too many older versions */
    const asset_mount *largest;
    kiln_list moves;            /* asset_move */
    kiln_list lost;             /* slots of assets that no file contains now */
    uint32_t shared;            /* assets of the new file that the table also has */
    asset_redirects *redirects; /* of the table afterwards */
    asset_changes changes;
} replacing;

/* Records whose memory is prefetched before they are used. */
enum { AHEAD = 16 };

/* ---- planning ---- */

/* Unloads what the collector killed, because the functions below do not handle such assets. */
static void bury_doomed(const replacing *r)
{
    kiln_assets *assets = r->assets;
    uint32_t slots = atomic_load_explicit(&assets->slot_count, memory_order_relaxed);
    if (!assets->marks || asset_phase_of(assets->marks) != PHASE_FREE)
        return;
    for (uint32_t i = 0; i < slots; i++)
        if (asset_entry_is_live(assets, i) && asset_is_doomed(assets, entry_at(assets, i)))
            kiln_asset_entry_bury(assets, entry_at(assets, i));
}

/* A collector follows the edges of all assets of a file without further checks, and its stack may
 * still contain numbers of assets of the old file. */
static kiln_status check_edges(const replacing *r, kiln_error *reterr)
{
    kiln_error error = {0};
    for (uint32_t i = 0; i < asset_index_count(r->fresh); i++)
        if (kiln_index_check_edges(&r->fresh->file->frame, i, &error) != KILN_OK)
            return kiln_asset_fail_in(r->fresh, i, &error, reterr);
    return KILN_OK;
}

/* Whether all loaded assets of the old file have the content that its index states. Those in its
 * older versions are proven. */
static bool are_proven(const replacing *r)
{
    uint32_t slots = atomic_load_explicit(&r->assets->slot_count, memory_order_relaxed);
    if (!r->old->has_unproven || r->old->file->level == KILN_VERIFY_NONE)
        return true;
    for (uint32_t i = 0; i < slots; i++) {
        asset_blob *blob = entry_at(r->assets, i)->blob;
        if (blob && blob->mount == r->old && !kiln_asset_blob_prove(blob))
            return false;
    }
    r->old->has_unproven = false;
    return true;
}

/* Whether records can stay in older versions of the file. A deeper level must verify all bytes
 * again. */
static bool can_stay(const replacing *r)
{
    const kiln_file *old = r->old->file, *fresh = r->fresh->file;
    return r->versions.is_aligned && old->source.mapped && fresh->source.mapped &&
           fresh->level <= old->level && are_proven(r);
}

/* Whether the unchanged records of a version of the file stay in it. */
static bool stays(const replacing *r, const asset_mount *version)
{
    return r->can_stay && (!r->is_full || version == r->largest);
}

static kiln_status plan_versions(replacing *r, kiln_error *reterr)
{
    kiln_status status =
        kiln_asset_versions_init(&r->versions, &r->assets->allocator, r->old, r->fresh);
    r->can_stay = can_stay(r);
    r->is_full = kiln_asset_older_count(r->assets, r->old) == ASSET_OLDER_MAX;
    r->largest = kiln_asset_older_largest(r->assets, r->old);
    return asset_result(reterr, status);
}

/* Whether the asset has the same content in the new file, as member `member` of it. */
static bool is_kept(replacing *r, const asset_entry *entry, uint32_t number, uint32_t member)
{
    if (number == ASSET_NONE ||
        kiln_index_asset_at(r->fresh->file->index, number)->member != member ||
        !kiln_asset_versions_are_equal(&r->versions, entry->number, number))
        return false;
    return r->versions.is_aligned ||
           strcmp(entry->name, kiln_asset_index_name(r->fresh, number)) == 0;
}

/* Whether a record can move; if so, sets `number` and `root`. Borrowed bytes, and mapped bytes with
 * pointer words, must stay in place; a scene source also needs the file of the bytes that it
 * borrows. If the new file has a deeper verification level, the bytes must be checked again. */
static bool can_move(replacing *r, asset_move *move)
{
    asset_blob *blob = move->blob;
    bool is_mapped = blob->memory == KILN_ASSET_MAPPED;
    const uint32_t old = move->old;
    move->number = kiln_asset_versions_number(&r->versions, old);
    if (move->number == ASSET_NONE || blob->borrowed.total ||
        (is_mapped && asset_pointer_count(blob) > 0) ||
        r->fresh->file->level > blob->mount->file->level)
        return false;
    uint32_t member = kiln_index_asset_at(r->fresh->file->index, move->number)->member;
    for (const asset_entry *at = blob->entries; at; at = at->next_of_blob)
        if (!is_kept(r, at, kiln_asset_versions_number(&r->versions, at->number), member))
            return false;
    move->root =
        is_mapped ? kiln_asset_versions_same_bytes(&r->versions, blob, move->number) : NULL;
    return is_mapped ? move->root != NULL : kiln_asset_blob_prove(blob);
}

/* Plans an asset that no file contains after the replacement. If redirects lead from its id to
 * another asset, stages that asset, because references to the id then lead to it. */
static kiln_status plan_lost(replacing *r, const asset_entry *entry, kiln_error *reterr)
{
    uint32_t *slot = kiln_list_push(&r->assets->allocator, &r->lost, sizeof *slot);
    if (!slot)
        return kiln_fail(reterr, KILN_NO_MEMORY, 0, NULL);
    *slot = entry->slot;
    char text[KILN_PATH_SIZE];
    kiln_id id;
    asset_found found;
    if (kiln_asset_redirects_follow(r->assets, r->stage.redirects, &r->stage.view, entry->id, &id,
                                    text) != REDIRECTED_FOUND ||
        !kiln_asset_find(r->assets, &r->stage.view, id, &found) || found.slot != ASSET_NONE ||
        kiln_key_table_get(&r->stage.seen, id))
        return KILN_OK;
    return kiln_asset_stage_add(&r->stage, id, &found, ASSET_NONE, reterr);
}

/* Plans an asset whose record cannot move: it is staged from the new file or a lower one, or it is
 * lost. */
static kiln_status plan_entry(replacing *r, const asset_entry *entry, kiln_error *reterr)
{
    uint32_t number = kiln_asset_versions_number(&r->versions, entry->number);
    const asset_found old = {entry->slot, r->old, entry->number};
    asset_found found;
    kiln_status status = KILN_OK;
    if (number != ASSET_NONE)
        status = kiln_asset_check_clash(r->assets, r->fresh, number, &old, reterr);
    if (status != KILN_OK)
        return status;
    kiln_asset_find(r->assets, &r->stage.view, entry->id, &found);
    if (found.mount) {
        status = kiln_asset_stage_add(&r->stage, entry->id, &found, ASSET_NONE, reterr);
        if (status == KILN_OK)
            r->stage.list[r->stage.count - 1].is_unchanged =
                number != ASSET_NONE &&
                kiln_asset_versions_are_equal(&r->versions, entry->number, number);
        return status;
    }
    return plan_lost(r, entry, reterr);
}

/* Lists the records of the old file's loaded assets that do not stay. */
static kiln_status list_records(replacing *r, kiln_error *reterr)
{
    const kiln_assets *assets = r->assets;
    uint32_t slots = atomic_load_explicit(&assets->slot_count, memory_order_relaxed);
    uint64_t room = kiln_asset_older_records(assets, r->old);
    if (r->can_stay)
        room = r->is_full ? room - r->largest->blobs : 0;
    if (room == 0)
        return KILN_OK;
    r->moves.items = room < UINT32_MAX ? assets->allocator.alloc(assets->allocator.ctx,
                                                                 (size_t)room * sizeof(asset_move),
                                                                 _Alignof(asset_move))
                                       : NULL;
    if (!r->moves.items)
        return kiln_fail(reterr, KILN_NO_MEMORY, 0, NULL);
    r->moves.room = (uint32_t)room;
    for (uint32_t i = 0; i < slots; i++) {
        const asset_entry *entry = entry_at(assets, i);
        asset_blob *blob = entry->blob;
        if (slots - i > AHEAD) {
            const asset_blob *next = entry_at(assets, i + AHEAD)->blob;
            prefetch(next, offsetof(asset_blob, mount));
            prefetch(next, offsetof(asset_blob, entries));
        }
        if (!blob || blob->entries != entry || asset_current_mount(blob) != r->old ||
            stays(r, blob->mount))
            continue;
        asset_move *move = (asset_move *)r->moves.items + r->moves.count++;
        *move = (asset_move){.blob = blob, .entry = entry, .old = entry->number};
    }
    return KILN_OK;
}

/* Each record is in different cache lines from its entry and its member, and members are in a
 * different order from slots. Prefetching hides these misses. */
static void prefetch_record(const asset_move *move)
{
    enum { LINE = 64 };
    for (size_t at = 0; at <= sizeof *move->blob; at += LINE)
        prefetch(move->blob, at);
    for (size_t at = 0; at <= sizeof *move->entry; at += LINE)
        prefetch(move->entry, at);
}

static void prefetch_ahead(const replacing *r, uint32_t at)
{
    const asset_move *moves = r->moves.items;
    if (r->moves.count - at > 2 * AHEAD) {
        prefetch_record(&moves[at + 2 * AHEAD]);
        kiln_asset_versions_prefetch_records(&r->versions, moves[at + 2 * AHEAD].old);
    }
    if (r->moves.count - at > AHEAD)
        kiln_asset_versions_prefetch_bytes(&r->versions, moves[at + AHEAD].blob,
                                           moves[at + AHEAD].old);
}

/* The loaded asset with this number in the old file if its record would stay unless the asset has
 * changed; else NULL. */
static const asset_entry *staying_entry(const replacing *r, uint32_t number)
{
    uint32_t cell,
        known = kiln_asset_ids_find(r->assets, kiln_index_id(r->old->file->index, number), &cell);
    uint32_t slot = known != ASSET_NONE ? known_at(r->assets, known)->slot : ASSET_NONE;
    const asset_entry *entry = slot != ASSET_NONE ? entry_at(r->assets, slot) : NULL;
    return entry && entry->number == number && asset_current_mount(entry->blob) == r->old &&
                   stays(r, entry->blob->mount)
               ? entry
               : NULL;
}

/* Plans the changed assets whose records would stay. */
static kiln_status plan_changed(replacing *r, kiln_error *reterr)
{
    kiln_status status = KILN_OK;
    for (uint32_t i = 0; r->can_stay && i < asset_index_count(r->old) && status == KILN_OK; i++) {
        if (!r->versions.differs && asset_index_count(r->old) - i > AHEAD)
            kiln_asset_versions_prefetch_records(&r->versions, i + AHEAD);
        if (kiln_asset_versions_are_equal(&r->versions, i, i))
            continue;
        const asset_entry *entry = staying_entry(r, i);
        if (entry)
            status = plan_entry(r, entry, reterr);
    }
    return status;
}

/* Plans what happens to the listed records. Those that cannot move leave the list. */
static kiln_status plan_listed(replacing *r, kiln_error *reterr)
{
    kiln_status status = list_records(r, reterr);
    asset_move *moves = r->moves.items;
    uint32_t count = 0;
    for (uint32_t i = 0; i < r->moves.count && status == KILN_OK; i++) {
        prefetch_ahead(r, i);
        if (can_move(r, &moves[i])) {
            moves[count++] = moves[i];
            continue;
        }
        const asset_entry *at = moves[i].blob->entries;
        for (; at && status == KILN_OK; at = at->next_of_blob)
            status = plan_entry(r, at, reterr);
    }
    r->moves.count = count;
    return status;
}

/* Plans an asset of the new file that does not come from the old one, as if the file were mounted.
 */
static kiln_status plan_shared(void *ctx, kiln_id id, uint32_t number, kiln_error *reterr)
{
    replacing *r = ctx;
    const asset_view others = {NULL, r->old};
    asset_found found;
    r->shared++;
    if (!kiln_asset_find(r->assets, &others, id, &found))
        return KILN_OK;
    const asset_entry *entry = found.slot != ASSET_NONE ? entry_at(r->assets, found.slot) : NULL;
    if (!found.mount && asset_current_mount(entry->blob) == r->old)
        return KILN_OK;
    kiln_status status = kiln_asset_check_clash(r->assets, r->fresh, number, &found, reterr);
    const asset_mount *from = entry ? asset_current_mount(entry->blob) : NULL;
    if (status != KILN_OK || !from || from == r->old || !asset_mount_is_above(r->fresh, from))
        return status;
    found.mount = r->fresh;
    found.number = number;
    return kiln_asset_stage_add(&r->stage, id, &found, ASSET_NONE, reterr);
}

static bool is_base(const replacing *r)
{
    return asset_base(r->assets) == r->old;
}

static kiln_status plan(replacing *r, kiln_error *reterr)
{
    bury_doomed(r);
    kiln_status status = plan_versions(r, reterr);
    if (status == KILN_OK)
        status = check_edges(r, reterr);
    if (status == KILN_OK)
        status = plan_listed(r, reterr);
    if (status == KILN_OK)
        status = plan_changed(r, reterr);
    if (status == KILN_OK)
        status = kiln_asset_stage_add_targets(&r->stage, reterr);
    if (status != KILN_OK || r->versions.is_aligned)
        return status;
    return is_base(r) ? kiln_asset_visit_shared(r->assets, r->fresh, plan_shared, r, reterr)
                      : kiln_asset_visit_own(r->assets, r->fresh, plan_shared, r, reterr);
}

/* Reserves room, besides that of the stage, so that publishing cannot fail. */
static kiln_status reserve(replacing *r)
{
    kiln_assets *assets = r->assets;
    uint64_t records = (uint64_t)r->moves.count + r->stage.count;
    uint64_t ids = (uint64_t)r->stage.count + (r->redirects ? r->redirects->count : 0);
    if (!r->versions.is_aligned && !is_base(r))
        ids += asset_index_count(r->fresh);
    if (records > UINT32_MAX || ids + r->shared >= ASSET_NONE)
        return KILN_NO_MEMORY;
    kiln_status status = kiln_asset_ids_reserve(assets, (uint32_t)ids, r->shared);
    if (status == KILN_OK)
        status = kiln_key_table_reserve(&assets->roots, (uint32_t)records);
    return status == KILN_OK ? kiln_key_table_reserve(&assets->contents, (uint32_t)records)
                             : status;
}

/* ---- publishing ---- */

/* The new mount gets the number of the old one, which is in the layers and in the program's
 * handles. */
static void exchange(const replacing *r)
{
    uint32_t number = r->old->number, spare = r->fresh->number;
    r->assets->mounts[number] = r->fresh;
    r->assets->mounts[spare] = r->old;
    r->fresh->number = number;
    r->old->number = spare;
    r->old->is_unmounted = r->old->is_replaced = true;
}

/* Adds the new file to the layers of an id, or changes its number there. */
static kiln_status add_to_id(void *ctx, kiln_id id, uint32_t number, kiln_error *reterr)
{
    const replacing *r = ctx;
    bool was_there = kiln_asset_number_in(r->old, id) != ASSET_NONE;
    uint32_t cell, known = was_there ? kiln_asset_ids_find(r->assets, id, &cell)
                                     : kiln_asset_ids_enter(r->assets, id, &cell);
    (void)reterr;
    if (was_there) {
        kiln_asset_layers_renumber(r->assets, known, r->fresh, number);
        return KILN_OK;
    }
    kiln_asset_layers_add(r->assets, known, r->fresh, number);
    kiln_asset_ids_publish(r->assets, cell);
    return KILN_OK;
}

/* Removes the file from the layers of an id that the new one does not have. */
static kiln_status remove_from_id(void *ctx, kiln_id id, uint32_t number, kiln_error *reterr)
{
    const replacing *r = ctx;
    uint32_t cell, known = kiln_asset_ids_find(r->assets, id, &cell);
    (void)number, (void)reterr;
    if (known == ASSET_NONE || kiln_asset_number_in(r->fresh, id) != ASSET_NONE)
        return KILN_OK;
    kiln_asset_layers_remove(r->assets, known, r->fresh);
    kiln_asset_ids_publish(r->assets, cell);
    return KILN_OK;
}

static void publish_layers(replacing *r, bool was_base)
{
    const kiln_assets *assets = r->assets;
    if (r->versions.is_aligned)
        return;
    if (was_base) {
        kiln_asset_visit_shared(assets, r->fresh, add_to_id, r, NULL);
        kiln_asset_visit_shared(assets, r->old, remove_from_id, r, NULL);
    } else {
        kiln_asset_visit_own(assets, r->fresh, add_to_id, r, NULL);
        kiln_asset_visit_own(assets, r->old, remove_from_id, r, NULL);
    }
}

/* If assets have the same numbers as before, their nodes in the collector's stack stay valid. Then
 * the new mount takes over the marks and the words of clusters. */
static void publish_versions(const replacing *r)
{
    if (!r->versions.is_aligned)
        return;
    kiln_asset_older_adopt(r->assets, r->old, r->fresh);
    kiln_asset_marks_exchange(r->old, r->fresh);
    kiln_asset_owners_replace(r->assets, r->old, r->fresh, true);
}

/* The name in the new index has the same text. Only an invalid name must be checked again. */
static const char *moved_name(const replacing *r, const asset_entry *entry, uint32_t number)
{
    if (!r->versions.is_aligned || entry->name[0] == '\0')
        return kiln_asset_index_name(r->fresh, number);
    return kiln_string_get(&kiln_index_asset_at(r->fresh->file->index, number)->name);
}

static void move_entry(const replacing *r, asset_entry *entry)
{
    kiln_assets *assets = r->assets;
    uint32_t number = kiln_asset_versions_number(&r->versions, entry->number);
    entry->name = moved_name(r, entry, number);
    entry->number = number;
    if (!r->versions.is_aligned)
        kiln_asset_marks_attach(assets, entry);
    if (entry->blob->memory != KILN_ASSET_MAPPED)
        return;
    uint32_t cell;
    kiln_asset_ids_find(assets, entry->id, &cell);
    kiln_asset_slots_set_address(assets, entry->slot, entry->blob->root);
    kiln_asset_ids_publish(assets, cell);
}

static void prefetch_move(const kiln_assets *assets, const asset_move *move)
{
    kiln_key_table_prefetch(&assets->ids, move->blob->entries->id);
    kiln_key_table_prefetch(&assets->roots, (uintptr_t)move->blob->root);
    kiln_key_table_prefetch(&assets->roots, (uintptr_t)move->root);
}

static void publish_moves(const replacing *r)
{
    const asset_move *moves = r->moves.items;
    for (uint32_t i = 0; i < r->moves.count; i++) {
        asset_blob *blob = moves[i].blob;
        if (r->moves.count - i > 2 * AHEAD)
            prefetch_record(&moves[i + 2 * AHEAD]);
        if (r->moves.count - i > AHEAD)
            prefetch_move(r->assets, &moves[i + AHEAD]);
        kiln_asset_blob_move(r->assets, blob, r->fresh, moves[i].number, moves[i].root);
        for (asset_entry *at = blob->entries; at; at = at->next_of_blob)
            move_entry(r, at);
        blob->name = blob->entries->name;
    }
}

static void publish_lost(const replacing *r)
{
    const uint32_t *lost = r->lost.items;
    for (uint32_t i = 0; i < r->lost.count; i++) {
        asset_entry *entry = entry_at(r->assets, lost[i]);
        kiln_asset_entry_remove_ids(r->assets, entry);
        kiln_asset_entry_lose(r->assets, entry);
    }
}

static kiln_mount handle_of(const asset_mount *mount)
{
    return (kiln_mount){mount->number + 1, (uint32_t)mount->serial};
}

/* Ends the versions in which no unchanged record stays. */
static void end_versions(const replacing *r)
{
    if (!r->versions.is_aligned)
        kiln_asset_older_end(r->assets, r->old, NULL);
    else if (!r->can_stay)
        kiln_asset_older_end(r->assets, r->fresh, NULL);
    else if (r->is_full)
        kiln_asset_older_end(r->assets, r->fresh, r->largest);
}

static void publish(replacing *r)
{
    kiln_assets *assets = r->assets;
    bool was_base = is_base(r);
    exchange(r);
    if (was_base)
        atomic_store_explicit(&assets->base, r->fresh, memory_order_release);
    publish_layers(r, was_base);
    publish_versions(r);
    publish_moves(r);
    kiln_asset_stage_publish(&r->stage);
    publish_lost(r);
    kiln_asset_redirects_commit(assets, r->redirects);
    if (!r->versions.is_aligned)
        kiln_asset_owners_replace(assets, r->old, r->fresh, false);
    end_versions(r);
    kiln_asset_marks_remove_mount(assets, r->old);
    assets->generation++;
    kiln_asset_changes_publish(&r->changes, handle_of(r->fresh));
}

/* ---- the call ---- */

static kiln_status replace(replacing *r, kiln_error *reterr)
{
    kiln_status status = kiln_asset_stage_plan_redirects(&r->stage, &r->redirects, reterr);
    if (status != KILN_OK)
        return status;
    status = plan(r, reterr);
    r->changes = (asset_changes){.assets = r->assets,
                                 .view = &r->stage.view,
                                 .redirects = r->redirects,
                                 .versions = &r->versions};
    if (status == KILN_OK)
        status = asset_result(reterr, kiln_asset_changes_find(&r->changes));
    if (status == KILN_OK)
        status = kiln_asset_stage_prepare(&r->stage, reterr);
    if (status == KILN_OK)
        status = asset_result(reterr, reserve(r));
    if (status == KILN_OK)
        publish(r);
    else
        kiln_asset_redirects_drop(r->assets, r->redirects);
    kiln_asset_changes_fini(&r->changes);
    return status;
}

/* Replaces the file with `r->fresh`, which is registered. */
static kiln_status replace_registered(replacing *r, kiln_error *reterr)
{
    kiln_assets *assets = r->assets;
    r->fresh->order = r->old->order;
    r->fresh->serial = r->old->serial;
    kiln_asset_stage_init(&r->stage, assets);
    r->stage.view = (asset_view){r->fresh, r->old};
    kiln_status status = replace(r, reterr);
    if (status != KILN_OK)
        r->fresh->is_unmounted = true;
    kiln_asset_stage_fini(&r->stage);
    kiln_asset_versions_fini(&r->versions, &assets->allocator);
    kiln_list_fini(&assets->allocator, &r->moves, sizeof(asset_move));
    kiln_list_fini(&assets->allocator, &r->lost, sizeof(uint32_t));
    kiln_asset_mount_settle(assets, r->old);
    kiln_asset_mount_settle(assets, r->fresh);
    return status;
}

/* Replaces the mount with `r->fresh`, which is open. */
static kiln_status replace_mount(replacing *r, kiln_error *reterr)
{
    kiln_assets *assets = r->assets;
    kiln_status status = r->old ? kiln_asset_marks_add_mount(assets, r->fresh) : KILN_DEAD;
    if (status == KILN_OK)
        status = kiln_asset_mount_register(assets, r->fresh);
    if (status == KILN_OK)
        return replace_registered(r, reterr);
    kiln_asset_mount_free(assets, r->fresh);
    return kiln_fail(reterr, status, 0, NULL);
}

kiln_status kiln_assets_replace(kiln_assets *assets, kiln_mount mount, const kiln_mount_def *def,
                                kiln_error *reterr)
{
    if (!assets || !def || !def_is_set(def->cookie) || def->file.types || def->file.allocator)
        return kiln_fail(reterr, KILN_BAD_ARGUMENT, 0, NULL);
    replacing r = {.assets = assets};
    kiln_error error = {0};
    kiln_status status = kiln_asset_mount_open(assets, def, &r.fresh, &error);
    kiln_asset_lock(assets);
    r.old = kiln_asset_mount_of(assets, mount);
    if (status == KILN_OK)
        status = replace_mount(&r, &error);
    if (status != KILN_OK && r.old)
        kiln_asset_events_fail(assets, mount, kiln_asset_mount_name(def), &error);
    kiln_asset_unlock(assets);
    if (status != KILN_OK && reterr)
        *reterr = error;
    return status;
}
