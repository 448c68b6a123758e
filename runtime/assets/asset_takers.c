/* Records who took which word, for reports only. Nothing else depends on these notes. If memory
 * runs out, a note is lost, but no call fails.
 *
 * A note is found by the address of the variable that has the word. The `by` strings are numbered,
 * so that a note fits in one cell of a hash table. */
#include "asset_takers.h"

#include "asset_holders.h"
#include "asset_slots.h"

#include <stdio.h>
#include <string.h>

kiln_status kiln_asset_takers_init(kiln_assets *assets)
{
    kiln_key_table_init(&assets->places, &assets->allocator, assets->seed);
    kiln_key_table_init(&assets->by_numbers, &assets->allocator, assets->seed);
    return pthread_mutex_init(&assets->takers_lock, NULL) == 0 ? KILN_OK : KILN_NO_MEMORY;
}

void kiln_asset_takers_fini(kiln_assets *assets)
{
    const kiln_allocator *allocator = &assets->allocator;
    kiln_key_table_fini(&assets->places);
    kiln_key_table_fini(&assets->by_numbers);
    if (assets->by_texts)
        allocator->free(allocator->ctx, assets->by_texts,
                        assets->by_capacity * sizeof *assets->by_texts);
    pthread_mutex_destroy(&assets->takers_lock);
}

/* ---- places ---- */

/* The number of a string plus 1; 0 if memory runs out. Equal strings at different addresses get the
 * same number. `by_numbers` caches the number by address, so each address is compared only once. */
static uint32_t number_of(kiln_assets *assets, const char *by)
{
    uint64_t key = (uintptr_t)by;
    uint32_t cell = kiln_key_table_find(&assets->by_numbers, key), number = 0;
    if (cell != KILN_KEY_NONE)
        return kiln_key_table_note(&assets->by_numbers, cell);
    while (number < assets->by_count && strcmp(assets->by_texts[number], by) != 0)
        number++;
    const char **texts = kiln_grow(&assets->allocator, assets->by_texts, &assets->by_capacity,
                                   (size_t)number + 1, sizeof *texts);
    if (!texts)
        return 0;
    assets->by_texts = texts;
    if (kiln_key_table_reserve(&assets->by_numbers, 1) != KILN_OK)
        return 0;
    if (number == assets->by_count)
        assets->by_texts[assets->by_count++] = by;
    cell = kiln_key_table_put(&assets->by_numbers, key);
    kiln_key_table_set(&assets->by_numbers, cell, 1);
    kiln_key_table_set_note(&assets->by_numbers, cell, number + 1);
    return number + 1;
}

static void set_place(kiln_assets *assets, uint32_t cell, uint64_t bits, uint32_t number)
{
    kiln_key_table_set(&assets->places, cell, bits);
    kiln_key_table_set_note(&assets->places, cell, number);
}

/* Records the word's place. If memory runs out, the word's place stays unknown. */
static void put_place(kiln_assets *assets, kiln_ref word, uint32_t number, const kiln_ref *place)
{
    uint64_t key = (uintptr_t)place;
    if (number && kiln_key_table_reserve(&assets->places, 1) == KILN_OK)
        set_place(assets, kiln_key_table_put(&assets->places, key), word.bits, number);
}

/* Removes the note at the place and returns the number of its taker; 0 if the word was not taken
 * there. */
static uint32_t take_place(kiln_assets *assets, kiln_ref word, const kiln_ref *place)
{
    uint32_t cell = kiln_key_table_find(&assets->places, (uintptr_t)place);
    if (cell == KILN_KEY_NONE || kiln_key_table_value(&assets->places, cell) != word.bits)
        return 0;
    uint32_t number = kiln_key_table_note(&assets->places, cell);
    set_place(assets, cell, 0, 0);
    return number;
}

void kiln_asset_takers_move(kiln_assets *assets, kiln_ref word, const kiln_ref *place,
                            const kiln_ref *to)
{
    uint32_t number = take_place(assets, word, place);
    if (to)
        put_place(assets, word, number, to);
}

/* ---- takers ---- */

bool kiln_asset_takers_note(kiln_assets *assets, asset_takers *takers, kiln_ref word,
                            const char *by, const kiln_ref *place)
{
    /* If the program has overwritten another word here without clearing it, the note of that word
     * no longer has a place. */
    uint32_t cell = kiln_key_table_find(&assets->places, (uintptr_t)place);
    if (cell != KILN_KEY_NONE)
        set_place(assets, cell, 0, 0);
    if (kiln_asset_holders_add(&takers->noted, &assets->allocator, by) != KILN_OK)
        return false;
    put_place(assets, word, number_of(assets, asset_by(by)), place);
    return true;
}

static uint32_t count_unnoted(const asset_takers *takers, uint32_t count)
{
    return count + takers->ended - takers->noted.total;
}

/* If only one taker is noted, all released words belonged to that taker. */
static void settle(asset_takers *takers, uint32_t count)
{
    asset_holders *noted = &takers->noted;
    if (count == 0) {
        noted->count = noted->total = takers->ended = 0;
    } else if (noted->count == 0) {
        takers->ended = 0;
    } else if (noted->count == 1 && count_unnoted(takers, count) == 0) {
        noted->list[0].count -= takers->ended;
        noted->total -= takers->ended;
        takers->ended = 0;
    }
}

void kiln_asset_takers_end(kiln_assets *assets, asset_takers *takers, const asset_ending *ending,
                           uint32_t left)
{
    uint32_t number = take_place(assets, ending->word, ending->place);
    const char *by = ending->by;
    if (!takers)
        return;
    if (!by && number)
        by = assets->by_texts[number - 1];
    if (!by || !kiln_asset_holders_remove(&takers->noted, by))
        takers->ended++;
    settle(takers, left);
}

bool kiln_asset_takers_are_valid(const asset_takers *takers, uint32_t count)
{
    uint64_t total = 0;
    for (uint32_t i = 0; i < takers->noted.count; i++) {
        if (takers->noted.list[i].count == 0)
            return false;
        total += takers->noted.list[i].count;
    }
    /* Released words are among the noted ones, unless notes are missing. */
    return total == takers->noted.total && total <= (uint64_t)count + takers->ended &&
           (takers->ended == 0 || takers->noted.count > 0);
}

void kiln_asset_takers_free(asset_takers *takers, const kiln_allocator *allocator)
{
    kiln_asset_holders_fini(&takers->noted, allocator);
    takers->ended = 0;
}

/* ---- the takers of an entry ---- */

asset_takers *kiln_asset_entry_takers(const asset_entry *entry, bool is_strong)
{
    return entry->takers ? &entry->takers[!is_strong] : NULL;
}

asset_takers *kiln_asset_entry_need_takers(kiln_assets *assets, asset_entry *entry, bool is_strong)
{
    if (!entry->takers) {
        entry->takers = assets->allocator.alloc(assets->allocator.ctx, 2 * sizeof *entry->takers,
                                                _Alignof(asset_takers));
        if (entry->takers)
            memset(entry->takers, 0, 2 * sizeof *entry->takers);
    }
    return kiln_asset_entry_takers(entry, is_strong);
}

void kiln_asset_entry_settle_takers(kiln_assets *assets, asset_entry *entry)
{
    const asset_takers *takers = entry->takers;
    if (takers && takers[0].noted.total == 0 && takers[1].noted.total == 0)
        kiln_asset_entry_free_takers(assets, entry);
}

void kiln_asset_entry_free_takers(kiln_assets *assets, asset_entry *entry)
{
    asset_takers *takers = entry->takers;
    if (!takers)
        return;
    for (int i = 0; i < 2; i++)
        kiln_asset_takers_free(&takers[i], &assets->allocator);
    assets->allocator.free(assets->allocator.ctx, takers, 2 * sizeof *takers);
    entry->takers = NULL;
}

void kiln_asset_entry_end_takers(kiln_assets *assets, asset_entry *entry)
{
    if (!assets->def.track_takers)
        return;
    pthread_mutex_lock(&assets->takers_lock);
    if (entry->takers)
        settle(&entry->takers[0], 0);
    kiln_asset_entry_settle_takers(assets, entry);
    pthread_mutex_unlock(&assets->takers_lock);
}

/* ---- reporting ---- */

static const char no_memory[] = "(unknown: out of memory)";

/* Used if it is unknown which of several takers have released words. */
static void list_candidates(const asset_takers *takers, char *text)
{
    static const char begin[] = "one or more of ";
    memcpy(text, begin, sizeof begin);
    size_t at = sizeof begin - 1;
    kiln_asset_holders_list(&takers->noted, false, text + at, HOLDERS_TEXT_SIZE - at);
}

void kiln_asset_takers_visit(const asset_takers *takers, bool is_tracked, uint32_t count,
                             asset_visit_taker *visit, void *ctx)
{
    char text[HOLDERS_TEXT_SIZE];
    uint32_t missing = takers ? count_unnoted(takers, count) : count;
    if (count == 0)
        return;
    if (takers && takers->ended) {
        list_candidates(takers, text);
        visit(ctx, text, count);
        return;
    }
    for (uint32_t i = 0; takers && i < takers->noted.count; i++)
        visit(ctx, takers->noted.list[i].by, takers->noted.list[i].count);
    if (missing)
        visit(ctx, is_tracked ? no_memory : KILN_TAKERS_NOT_TRACKED, missing);
}

void kiln_asset_takers_text(const asset_takers *takers, bool is_tracked, uint32_t count,
                            char *ret_text)
{
    uint32_t missing = takers ? count_unnoted(takers, count) : count;
    ret_text[0] = '\0';
    if (takers && takers->ended) {
        list_candidates(takers, ret_text);
        return;
    }
    size_t at =
        takers ? kiln_asset_holders_list(&takers->noted, true, ret_text, HOLDERS_TEXT_SIZE) : 0;
    if (missing)
        snprintf(ret_text + at, HOLDERS_TEXT_SIZE - at, "%s%lu handle%s %s", at ? ", " : "",
                 (unsigned long)missing, missing == 1 ? "" : "s",
                 is_tracked ? no_memory : KILN_TAKERS_NOT_TRACKED);
}
