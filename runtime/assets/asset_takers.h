/* Records who took words, if the table tracks it: handles (`track_takers`) and pointers
 * (`track_pointers`).
 *
 * All words of one form to an asset have the same bits, so a word does not show who took it.
 * Therefore the table notes the *place* of each word: the address of the variable into which it was
 * taken. If a word is cleared at another place, its taker is unknown, unless only one taker is
 * noted. This always holds:
 *
 *     count == noted + not noted - ended
 *
 * If memory runs out, a note is lost, but no call fails. `takers_lock` protects everything here; it
 * is taken after `lock`. */
#ifndef KILN_ASSET_TAKERS_H
#define KILN_ASSET_TAKERS_H

#include "asset_holders.h"
#include "assets_object.h"

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

kiln_status kiln_asset_takers_init(kiln_assets *assets);
void kiln_asset_takers_fini(kiln_assets *assets);

/* Notes that `by` took `word` and stored it at `place`. The word must already be counted. Returns
 * false if there is no memory for `by`. */
bool kiln_asset_takers_note(kiln_assets *assets, asset_takers *takers, kiln_ref word,
                            const char *by, const kiln_ref *place);
/* Notes that the word at `place` is released, on behalf of `by` unless that is NULL; `left` words
 * remain counted. */
typedef struct asset_ending {
    kiln_ref word;
    const kiln_ref *place;
    const char *by;
} asset_ending;
void kiln_asset_takers_end(kiln_assets *assets, asset_takers *takers, const asset_ending *ending,
                           uint32_t left);
/* Notes that the word moved from `place` to `to`, or that its place is unknown if `to` is NULL. */
void kiln_asset_takers_move(kiln_assets *assets, kiln_ref word, const kiln_ref *place,
                            const kiln_ref *to);
void kiln_asset_takers_free(asset_takers *takers, const kiln_allocator *allocator);

/* The takers of an entry's strong or weak handles; NULL if none is noted. */
asset_takers *kiln_asset_entry_takers(const asset_entry *entry, bool is_strong);
/* Like kiln_asset_entry_takers, but creates the takers if there are none. NULL if memory runs out.
 */
asset_takers *kiln_asset_entry_need_takers(kiln_assets *assets, asset_entry *entry, bool is_strong);
/* Whether the notes about `count` words are consistent. `takers_lock` must be held. */
bool kiln_asset_takers_are_valid(const asset_takers *takers, uint32_t count);
/* Frees the takers of an entry; kiln_asset_entry_settle_takers only if nothing is noted. */
void kiln_asset_entry_free_takers(kiln_assets *assets, asset_entry *entry);
void kiln_asset_entry_settle_takers(kiln_assets *assets, asset_entry *entry);
/* Frees the takers of strong handles after the tenant was removed and no strong handle is left. */
void kiln_asset_entry_end_takers(kiln_assets *assets, asset_entry *entry);

/* Calls `visit` for every taker of `count` words, with the taker's number of words. If the numbers
 * are unknown, calls `visit` once for all takers. `takers` may be NULL. `takers_lock` must be held.
 */
typedef void asset_visit_taker(void *ctx, const char *by, uint32_t count);
void kiln_asset_takers_visit(const asset_takers *takers, bool is_tracked, uint32_t count,
                             asset_visit_taker *visit, void *ctx);
/* Writes the takers as a string, such as "a.c:1, b.c:2 (3 times)", into a buffer of
 * HOLDERS_TEXT_SIZE bytes. */
void kiln_asset_takers_text(const asset_takers *takers, bool is_tracked, uint32_t count,
                            char *ret_text);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
