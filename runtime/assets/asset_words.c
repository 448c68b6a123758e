/* Takes, clears and examines reference words.
 *
 * Handles are counted without the table's lock; with `track_takers`, under `takers_lock`. Other
 * forms need the table's lock to find their entry. A count is incremented before the word is
 * written to its variable, and decremented after the word is removed from it. So no thread reads a
 * word that is not counted. */
#include "asset_words.h"

#include "asset_blob.h"
#include "asset_entry.h"
#include "asset_holders.h"
#include "asset_lock.h"
#include "asset_marks.h"
#include "asset_slots.h"
#include "asset_takers.h"

#include <stdio.h>
#include <string.h>

bool kiln_asset_blob_has_type(const asset_blob *blob, const kiln_root_type *type)
{
    return blob->layout == type->layout && strcmp(blob->type, type->name) == 0;
}

/* ---- taking and clearing ---- */

static kiln_status count_handle(kiln_assets *assets, asset_entry *entry, kiln_ref handle)
{
    uint32_t version = kiln_ref_version(handle), before = 0;
    bool is_strong = kiln_ref_get_form(handle) == KILN_REF_STRONG;
    KILN_ATOMIC(uint64_t) *count = is_strong ? &entry->strong : &entry->weak;
    /* Counting a weak handle does not detect that the collector is removing the asset. */
    if (!is_strong && asset_is_doomed(assets, entry))
        return KILN_DEAD;
    for (;;) {
        if (kiln_asset_count_up(count, version, &before)) {
            if (is_strong && before == 0)
                kiln_asset_marks_held(assets, entry);
            return KILN_OK;
        }
        if (before == UINT32_MAX)
            return KILN_LIMIT;
        if (!is_strong)
            return KILN_DEAD;
        if (kiln_asset_marks_save(assets, entry, version, 1))
            return KILN_OK;
        /* Another thread may have saved the asset meanwhile: then counting now succeeds. */
        if (atomic_load_explicit(count, memory_order_acquire) >> 32 != version)
            return KILN_DEAD;
    }
}

static kiln_status take_handle(kiln_assets *assets, asset_entry *entry, kiln_ref handle,
                               const char *by, kiln_ref *ret_ref)
{
    kiln_status status;
    if (!assets->def.track_takers) {
        status = count_handle(assets, entry, handle);
    } else {
        pthread_mutex_lock(&assets->takers_lock);
        status = count_handle(assets, entry, handle);
        bool is_strong = kiln_ref_get_form(handle) == KILN_REF_STRONG;
        asset_takers *takers =
            status == KILN_OK ? kiln_asset_entry_need_takers(assets, entry, is_strong) : NULL;
        if (takers)
            kiln_asset_takers_note(assets, takers, handle, by, ret_ref);
        pthread_mutex_unlock(&assets->takers_lock);
    }
    if (status == KILN_OK)
        *ret_ref = handle;
    return status;
}

static kiln_status take_pointer(kiln_assets *assets, const asset_entry *entry, const char *by,
                                kiln_ref *ret_ref)
{
    kiln_ref pointer = kiln_ref_from_pointer(entry->blob->root);
    if (assets->def.track_pointers) {
        pthread_mutex_lock(&assets->takers_lock);
        bool is_noted =
            kiln_asset_takers_note(assets, &entry->blob->pointers, pointer, by, ret_ref);
        pthread_mutex_unlock(&assets->takers_lock);
        if (!is_noted)
            return KILN_NO_MEMORY;
    }
    *ret_ref = pointer;
    return KILN_OK;
}

kiln_status kiln_asset_take_entry(kiln_assets *assets, asset_entry *entry, kiln_ref_form form,
                                  const char *by, kiln_ref *ret_ref)
{
    if (form == KILN_REF_POINTER)
        kiln_asset_marks_touch_blob(assets, entry->blob);
    else if (form == KILN_REF_INDIRECT)
        kiln_asset_marks_touch(assets, entry);
    switch (form) {
    case KILN_REF_POINTER:
        return take_pointer(assets, entry, by, ret_ref);
    case KILN_REF_INDIRECT:
        *ret_ref = asset_entry_indirect(assets, entry, true);
        return KILN_OK;
    case KILN_REF_WEAK:
    case KILN_REF_STRONG:
        return take_handle(
            assets, entry,
            kiln_ref_from_handle(entry->slot, asset_entry_version(entry), form == KILN_REF_STRONG),
            by, ret_ref);
    case KILN_REF_NULL:
        break;
    }
    return KILN_BAD_ARGUMENT;
}

static bool is_handle_form(kiln_ref_form form)
{
    return form == KILN_REF_WEAK || form == KILN_REF_STRONG;
}

kiln_status kiln_assets_take(kiln_assets *assets, kiln_ref ref, kiln_ref_form form, const char *by,
                             kiln_ref *ret_ref)
{
    if (!assets || !ret_ref || form == KILN_REF_NULL || (unsigned)form > KILN_REF_STRONG)
        return KILN_BAD_ARGUMENT;
    kiln_status status = KILN_DEAD;
    /* Counting checks the version, so no lock is needed to take a handle if `ref` is already
     * one. */
    if (kiln_ref_is_handle(ref) && is_handle_form(form)) {
        asset_entry *entry = kiln_asset_entry_of_handle(assets, ref);
        if (entry)
            status = take_handle(
                assets, entry,
                kiln_ref_from_handle(entry->slot, kiln_ref_version(ref), form == KILN_REF_STRONG),
                by, ret_ref);
    } else {
        kiln_asset_lock(assets);
        asset_entry *entry = kiln_asset_entry_of(assets, ref);
        if (entry)
            status = kiln_asset_take_entry(assets, entry, form, by, ret_ref);
        kiln_asset_unlock(assets);
    }
    return status;
}

static void clear_handle(kiln_assets *assets, const asset_ending *ending)
{
    kiln_ref ref = ending->word;
    uint32_t number = kiln_ref_slot_number(ref), left = 0;
    if (number >= atomic_load_explicit(&assets->slot_count, memory_order_acquire))
        return;
    asset_entry *entry = entry_at(assets, number);
    bool is_strong = kiln_ref_get_form(ref) == KILN_REF_STRONG;
    /* A stale weak handle is still counted, because it keeps its slot from being reused. */
    KILN_ATOMIC(uint64_t) *count = is_strong ? &entry->strong : &entry->weak;
    if (!assets->def.track_takers) {
        if (kiln_asset_count_down(count, kiln_ref_version(ref), &left) && is_strong && left == 0)
            kiln_asset_marks_released(assets, number);
        return;
    }
    pthread_mutex_lock(&assets->takers_lock);
    if (kiln_asset_count_down(count, kiln_ref_version(ref), &left)) {
        if (is_strong && left == 0)
            kiln_asset_marks_released(assets, number);
        kiln_asset_takers_end(assets, kiln_asset_entry_takers(entry, is_strong), ending, left);
        kiln_asset_entry_settle_takers(assets, entry);
    } else {
        kiln_asset_takers_move(assets, ref, ending->place, NULL);
    }
    pthread_mutex_unlock(&assets->takers_lock);
}

static void clear_pointer(kiln_assets *assets, const asset_ending *ending)
{
    kiln_asset_lock(assets);
    asset_blob *blob = kiln_asset_blob_at(assets, ending->word);
    /* Several records can have the same root. The word belongs to a record that has counted
     * pointers. */
    while (blob && !asset_pointer_count(blob))
        blob = blob->next_of_root;
    pthread_mutex_lock(&assets->takers_lock);
    if (blob)
        kiln_asset_takers_end(assets, &blob->pointers, ending, asset_pointer_count(blob) - 1);
    else
        kiln_asset_takers_move(assets, ending->word, ending->place, NULL);
    pthread_mutex_unlock(&assets->takers_lock);
    if (blob)
        kiln_asset_blob_settle(assets, blob);
    kiln_asset_unlock(assets);
}

void kiln_assets_clear_by(kiln_assets *assets, kiln_ref *ref, const char *by)
{
    if (!ref)
        return;
    const asset_ending ending = {kiln_ref_move(ref), ref, by};
    kiln_ref_form form = kiln_ref_get_form(ending.word);
    if (is_handle_form(form))
        clear_handle(assets, &ending);
    else if (form == KILN_REF_POINTER && assets->def.track_pointers)
        clear_pointer(assets, &ending);
}

void kiln_assets_clear(kiln_assets *assets, kiln_ref *ref)
{
    kiln_assets_clear_by(assets, ref, NULL);
}

void kiln_assets_move(kiln_assets *assets, kiln_ref *from, kiln_ref *to)
{
    if (from == to)
        return;
    *to = kiln_ref_move(from);
    if (!assets->def.track_takers && !assets->def.track_pointers)
        return;
    pthread_mutex_lock(&assets->takers_lock);
    kiln_asset_takers_move(assets, *to, from, to);
    pthread_mutex_unlock(&assets->takers_lock);
}

/* ---- examining words ---- */

static kiln_ref weak_word(const asset_entry *entry)
{
    return kiln_ref_from_handle(entry->slot, asset_entry_version(entry), false);
}

kiln_ref kiln_assets_find_root(kiln_assets *assets, const void *root)
{
    kiln_ref ref = {0};
    kiln_asset_lock(assets);
    /* An address with any of these bits is neither a pointer word nor a root. */
    const asset_entry *entry = ((uintptr_t)root & KILN_REF_FORM_MASK) == 0
                                   ? kiln_asset_entry_of(assets, kiln_ref_from_pointer(root))
                                   : NULL;
    if (entry)
        ref = weak_word(entry);
    kiln_asset_unlock(assets);
    return ref;
}

static kiln_ref_state check_handle(const kiln_assets *assets, kiln_ref ref)
{
    uint32_t number = kiln_ref_slot_number(ref), version = kiln_ref_version(ref);
    if (number >= atomic_load_explicit(&assets->slot_count, memory_order_relaxed) || !(version & 1))
        return KILN_REF_IS_FORGED;
    const asset_entry *entry = entry_at(assets, number);
    uint32_t now = asset_entry_version(entry);
    if (now == version)
        return asset_is_doomed(assets, entry) ? KILN_REF_IS_STALE : KILN_REF_IS_GOOD;
    /* Versions only increase, except that retiring a slot sets its version to 0. */
    return version < now || now == 0 ? KILN_REF_IS_STALE : KILN_REF_IS_FORGED;
}

static kiln_ref_state check_indirect(const kiln_assets *assets, kiln_ref ref)
{
    uint32_t slot = kiln_asset_slot_at(assets, ref);
    if (slot == ASSET_NONE)
        return KILN_REF_IS_UNKNOWN;
    return asset_entry_is_live(assets, slot) && !asset_is_doomed(assets, entry_at(assets, slot))
               ? KILN_REF_IS_GOOD
               : KILN_REF_IS_STALE;
}

kiln_ref_state kiln_ref_check(kiln_assets *assets, uint64_t bits)
{
    kiln_ref ref = {bits};
    if (bits == 0)
        return KILN_REF_IS_NULL;
    kiln_asset_lock(assets);
    kiln_ref_state state;
    if (kiln_ref_is_handle(ref))
        state = check_handle(assets, ref);
    else if (kiln_ref_get_form(ref) == KILN_REF_INDIRECT)
        state = check_indirect(assets, ref);
    else
        state = kiln_asset_blob_at(assets, ref) ? KILN_REF_IS_GOOD : KILN_REF_IS_UNKNOWN;
    kiln_asset_unlock(assets);
    return state;
}

const void *kiln_assets_root(kiln_assets *assets, kiln_ref ref, const kiln_root_type *type,
                             kiln_error *reterr)
{
    if (!assets || !type || !type->name) {
        kiln_fail(reterr, KILN_BAD_ARGUMENT, 0, NULL);
        return NULL;
    }
    const void *root = NULL;
    kiln_asset_lock(assets);
    const asset_entry *entry = kiln_asset_entry_of(assets, ref);
    if (!entry)
        kiln_fail(reterr, KILN_DEAD, 0, NULL);
    else if (!kiln_asset_blob_has_type(entry->blob, type))
        kiln_fail(reterr, KILN_TYPE_MISMATCH, 0, entry->name);
    else
        root = entry->blob->root;
    kiln_asset_unlock(assets);
    return root;
}

kiln_ref kiln_assets_next(kiln_assets *assets, kiln_ref after)
{
    kiln_ref next = {0};
    kiln_asset_lock(assets);
    uint32_t count = atomic_load_explicit(&assets->slot_count, memory_order_relaxed);
    uint32_t slot = after.bits ? kiln_ref_slot_number(after) + 1 : 0;
    while (slot < count &&
           (!asset_entry_is_live(assets, slot) || asset_is_doomed(assets, entry_at(assets, slot))))
        slot++;
    if (slot < count)
        next = weak_word(entry_at(assets, slot));
    kiln_asset_unlock(assets);
    return next;
}
