/* Runs checks of members once, and stores their verdicts.
 *
 * In the common case, the asset was verified before, and a check is one atomic load and a
 * comparison of layouts. A first check claims the member with the busy flag; other threads that
 * need it wait for the verdict instead of repeating the check. A verdict only rises: from
 * LEVEL_NONE through the levels, or to VERDICT_BAD, which is final. */
#define _POSIX_C_SOURCE 200809L

#include "file_member.h"

#include "file_unpack.h"
#include "prefetch.h"

/* The layout of a member with a good verdict. */
static uint64_t known_layout(const kiln_file *file, uint32_t member)
{
    if (kiln_file_is_packed(file, member))
        return kiln_file_slot_of(file, atomic_load_explicit(&file->packs, memory_order_acquire),
                                 member)
            ->layout;
    return kiln_blob_layout(kiln_file_blob(file, member));
}

static kiln_status compare_known(const kiln_file *file, uint32_t number, kiln_error *reterr)
{
    uint32_t member = kiln_index_asset_at(file->index, number)->member;
    return kiln_member_compare_layout(file, number, known_layout(file, member), reterr);
}

/* A verdict stores only a status, so the deepest possible check is repeated to find the offset and
 * path of the error. The verdict stays final even if the bytes have changed since and are valid
 * now. */
static kiln_status repeat_failure(kiln_file *file, const member_check *c, kiln_verdict verdict,
                                  kiln_error *reterr)
{
    kiln_status status = (kiln_status)(verdict - VERDICT_BAD);
    if (!reterr)
        return status;
    member_check again;
    member_finding ignored;
    if (kiln_member_check_init(file, c->asset, kiln_file_deep_level(file, c->asset), NULL, &again,
                               NULL)) {
        again = *c;
        again.level = LEVEL_HASH;
        again.keep = false; /* only the holder of the busy flag may store a blob */
    }
    if (kiln_member_check_run(file, &again, &ignored, reterr) != status)
        kiln_fail(reterr, status, kiln_index_member_at(file->index, c->member)->place, NULL);
    return status;
}

/* Whether the file should store the member's blob and does not have it yet. */
static bool lacks_blob(const kiln_file *file, uint32_t member, bool keep)
{
    return keep && !kiln_file_blob(file, member);
}

/* Waits until no thread checks the member. On true, the caller must check the member and publish a
 * verdict. */
static bool claim(kiln_file *file, const member_check *c, kiln_verdict *ret_before)
{
    _Atomic(kiln_verdict) *verdict = kiln_file_verdict(file, c->member);
    pthread_mutex_lock(&file->lock);
    kiln_verdict now = atomic_load_explicit(verdict, memory_order_relaxed);
    while (now & VERDICT_BUSY) {
        pthread_cond_wait(&file->checked, &file->lock);
        now = atomic_load_explicit(verdict, memory_order_relaxed);
    }
    bool mine;
    do {
        mine = now < VERDICT_BAD &&
               (c->refs || now < c->level || lacks_blob(file, c->member, c->keep));
    } while (mine && !atomic_compare_exchange_weak_explicit(
                         verdict, &now, (kiln_verdict)(now | VERDICT_BUSY), memory_order_relaxed,
                         memory_order_relaxed));
    pthread_mutex_unlock(&file->lock);
    *ret_before = now;
    return mine;
}

/* Stores the new verdict of a member whose verdict was `before`, and clears the busy flag, which
 * `before` does not contain. The lock must be held. */
static void store_verdict(kiln_file *file, uint32_t member, kiln_verdict before,
                          const member_finding *found)
{
    kiln_file_packs *packs = atomic_load_explicit(&file->packs, memory_order_acquire);
    if (before == LEVEL_NONE && kiln_verdict_is_good(found->verdict) &&
        kiln_file_is_packed(file, member))
        kiln_file_slot_of(file, packs, member)->layout = found->layout;
    atomic_store_explicit(kiln_file_verdict(file, member),
                          found->verdict > before ? found->verdict : before, memory_order_release);
}

static void publish(kiln_file *file, const member_check *c, kiln_verdict before,
                    const member_finding *found)
{
    pthread_mutex_lock(&file->lock);
    store_verdict(file, c->member, before, found);
    pthread_cond_broadcast(&file->checked);
    pthread_mutex_unlock(&file->lock);
}

enum { CACHE_LINE = 64, FETCHED_AHEAD = 1024 };

/* Prefetches the first bytes of a member while its record is checked and its header is hashed.
 * Prefetching is safe although the record is not checked yet and may state any address. */
static void fetch_ahead(const kiln_file *file, uint32_t number)
{
    const kiln_index_member *member = kiln_index_member_at(file->index, number);
    for (size_t at = 0; at < FETCHED_AHEAD; at += CACHE_LINE)
        prefetch(file->source.data, (size_t)member->place + at);
}

/* Hashes an unknown member without claiming it: locks would cost more than the hash of a small
 * member, and threads that hash the same member reach the same verdict. If another thread has
 * stored a verdict meanwhile, that one stays. */
static kiln_status check_hash(kiln_file *file, uint32_t number, uint32_t member, kiln_error *reterr)
{
    member_check c = {.asset = number, .member = member, .level = LEVEL_HASH};
    kiln_verdict before = LEVEL_NONE;
    member_finding found;
    fetch_ahead(file, member);
    kiln_status status = kiln_member_check_run(file, &c, &found, reterr);
    atomic_compare_exchange_strong_explicit(kiln_file_verdict(file, member), &before, found.verdict,
                                            memory_order_release, memory_order_relaxed);
    return status;
}

/* The level at which to check a blob whose member already has a sufficient verdict. The stored
 * bytes were verified, so after decompressing them again only the hashes need checking, not the
 * values. */
static kiln_file_level known_level(kiln_file_level level)
{
    return level < LEVEL_HASH ? level : LEVEL_HASH;
}

static kiln_status check_asset(kiln_file *file, uint32_t number, kiln_file_level level,
                               const kiln_file_refs *refs, bool keep, kiln_error *reterr)
{
    uint32_t member = kiln_index_asset_at(file->index, number)->member;
    /* The verdict of a payload member concerns its data (file_payload.c): it is never a blob. */
    if (kiln_index_member_is_payload(kiln_index_member_at(file->index, member)))
        return kiln_index_check_place(&file->frame, member, reterr);
    kiln_verdict now = atomic_load_explicit(kiln_file_verdict(file, member), memory_order_acquire);
    if (now == LEVEL_NONE && level == LEVEL_HASH && !refs && !kiln_file_is_packed(file, member))
        return check_hash(file, number, member, reterr);
    now &= (kiln_verdict) ~(unsigned)VERDICT_BUSY;
    if (!refs && now >= level && now < VERDICT_BAD && !lacks_blob(file, member, keep))
        return compare_known(file, number, reterr);

    member_check c;
    kiln_status status = kiln_member_check_init(file, number, level, refs, &c, reterr);
    if (status != KILN_OK)
        return status;
    c.keep = keep;
    kiln_verdict before = LEVEL_NONE;
    if (claim(file, &c, &before)) {
        member_finding found;
        if (!refs && before >= level)
            c.level = known_level(level);
        status = kiln_member_check_run(file, &c, &found, reterr);
        publish(file, &c, before, &found);
        return status;
    }
    return before >= VERDICT_BAD ? repeat_failure(file, &c, before, reterr)
                                 : compare_known(file, number, reterr);
}

kiln_status kiln_file_check_asset(kiln_file *file, uint32_t number, kiln_file_level level,
                                  const kiln_file_refs *refs, kiln_error *reterr)
{
    return check_asset(file, number, level, refs, false, reterr);
}

kiln_status kiln_file_prepare_asset(kiln_file *file, uint32_t number, kiln_file_level level,
                                    kiln_error *reterr)
{
    return check_asset(file, number, level, NULL, true, reterr);
}

/* Stores the finding of a check that did not claim the member, unless another thread is checking
 * it. */
static void publish_unclaimed(kiln_file *file, uint32_t member, const member_finding *found)
{
    pthread_mutex_lock(&file->lock);
    kiln_verdict now = atomic_load_explicit(kiln_file_verdict(file, member), memory_order_relaxed);
    if (now < VERDICT_BAD)
        store_verdict(file, member, now, found);
    pthread_mutex_unlock(&file->lock);
}

kiln_status kiln_file_unpack(kiln_file *file, uint32_t number, kiln_file_level level,
                             const kiln_allocator *allocator, kiln_unpacked *ret_unpacked,
                             kiln_error *reterr)
{
    uint32_t member = kiln_index_asset_at(file->index, number)->member;
    if (!kiln_file_is_packed(file, member))
        return kiln_fail(reterr, KILN_BAD_ARGUMENT, 0, NULL);
    kiln_verdict now = atomic_load_explicit(kiln_file_verdict(file, member), memory_order_acquire) &
                       (kiln_verdict) ~(unsigned)VERDICT_BUSY;
    bool is_known = now >= level && now < VERDICT_BAD;
    member_check c;
    kiln_status status = kiln_member_check_init(file, number, is_known ? known_level(level) : level,
                                                NULL, &c, reterr);
    if (status != KILN_OK)
        return status;
    if (now >= VERDICT_BAD)
        return repeat_failure(file, &c, now, reterr);
    member_finding found;
    c.give = ret_unpacked;
    c.allocator = allocator;
    status = kiln_member_check_run(file, &c, &found, reterr);
    publish_unclaimed(file, member, &found);
    return status;
}
