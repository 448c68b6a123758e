/* Who took counted words, where the table notes it: handles (`track_takers`) and pointers
 * (`track_pointers`).
 *
 * Words to one asset are equal bits, so a word does not say who took it. The place does where it
 * was taken to: the address of the variable. Who ends a word elsewhere ends that of one of several
 * takers, and it is not known of which, unless there is only one:
 *
 *     count == noted + not noted - ended
 *
 * Nothing fails because a note has no memory. All of it is under `takers_lock`, which is taken
 * after `lock`. */
#ifndef KILN_ASSET_TAKERS_H
#define KILN_ASSET_TAKERS_H

#include "asset_holders.h"
#include "assets_object.h"

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

kiln_status kiln_asset_takers_init(kiln_assets *assets);
void kiln_asset_takers_fini(kiln_assets *assets);

/* Of words that were counted: `by` took `word` to `place`. False without memory for `by`. */
bool kiln_asset_takers_note(kiln_assets *assets, asset_takers *takers, kiln_ref word,
                            const char *by, const kiln_ref *place);
/* The word at `place` was ended, which `by` took where it is not NULL; `left` are counted now. */
typedef struct asset_ending {
    kiln_ref word;
    const kiln_ref *place;
    const char *by;
} asset_ending;
void kiln_asset_takers_end(kiln_assets *assets, asset_takers *takers, const asset_ending *ending,
                           uint32_t left);
/* The word at `place` is somewhere else now, or nowhere where `to` is NULL. */
void kiln_asset_takers_move(kiln_assets *assets, kiln_ref word, const kiln_ref *place,
                            const kiln_ref *to);
void kiln_asset_takers_free(asset_takers *takers, const kiln_allocator *allocator);

/* Those of an entry's handles of a form; NULL where none was noted. */
asset_takers *kiln_asset_entry_takers(const asset_entry *entry, bool is_strong);
/* The same, made where there is none; NULL without memory. */
asset_takers *kiln_asset_entry_need_takers(kiln_assets *assets, asset_entry *entry, bool is_strong);
/* Whether what is noted of `count` words agrees with itself. Under the lock of takers. */
bool kiln_asset_takers_are_valid(const asset_takers *takers, uint32_t count);
/* Frees them; the latter where nothing is noted. */
void kiln_asset_entry_free_takers(kiln_assets *assets, asset_entry *entry);
void kiln_asset_entry_settle_takers(kiln_assets *assets, asset_entry *entry);
/* The tenant went: no strong handle is counted for it. */
void kiln_asset_entry_end_takers(kiln_assets *assets, asset_entry *entry);

/* Calls `tell` for every taker of `count` words with how many it has; once for all where it is not
 * known who has how many. `takers` may be NULL. Under the lock of takers. */
typedef void asset_tell_taker(void *ctx, const char *by, uint32_t count);
void kiln_asset_takers_tell(const asset_takers *takers, bool is_tracked, uint32_t count,
                            asset_tell_taker *tell, void *ctx);
/* The same as a text of HOLDERS_TEXT_SIZE: "a.c:1, b.c:2 (3 times)". */
void kiln_asset_takers_text(const asset_takers *takers, bool is_tracked, uint32_t count,
                            char *ret_text);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
