/* The stages of a cycle.
 *
 *     clusters  with the lock: dissolve clusters that changed, and form planned ones
 *               (cluster_table.h)
 *     roots     without the lock: mark every asset that is held, or to which a component or
 *               callback refers
 *     mark      without the lock: follow references; other threads may help. The end of this stage
 *               takes the lock and marks what changed meanwhile. When no reference is left to
 *               follow, the set of marked assets is complete
 *     kill      with the lock: dissolve unmarked clusters, then close the strong count of every
 *               unmarked asset. A thread that takes a handle to such an asset saves it, and marking
 *               continues from there before anything is freed
 *     free      with the lock: remove the dead assets. They can no longer be saved
 *
 * A step works in slices and releases the lock after each, so that other changing calls need not
 * wait for the whole step. */
#include "collector_object.h"

#include "collect_stores.h"

#include "asset_blob.h"
#include "asset_entry.h"
#include "asset_layers.h"
#include "asset_lock.h"
#include "asset_slots.h"

#include "bits.h"

#include <kiln/index.h>
#include <string.h>

enum {
    FINAL_TRIES = 8,   /* after this many tries, ending the marking ignores the deadline */
    FREED_AT_ONCE = 64 /* blobs between two checks of the deadline */
};

static void set_phase(kiln_collector *c, asset_phase phase)
{
    atomic_store_explicit(&c->assets->marks->phase, phase, memory_order_seq_cst);
}

/* ---- beginning a cycle ---- */

static uint64_t ever_loaded(const kiln_collector *c)
{
    return atomic_load_explicit(&c->assets->blob_bytes_ever, memory_order_relaxed);
}

static uint64_t loaded_now(const kiln_collector *c)
{
    return atomic_load_explicit(&c->assets->blob_bytes, memory_order_relaxed);
}

/* Clears the `fresh` bits of earlier cycles. A thread that read the phase before the last cycle
 * ended may have set a bit afterwards. Clearing that bit loses no asset, because the thread also
 * set the bit in `roots`. */
static void clear_fresh(kiln_assets *assets)
{
    struct asset_marks *marks = assets->marks;
    const uint32_t words = asset_words_used(assets);
    if (!atomic_exchange_explicit(&marks->has_fresh, false, memory_order_seq_cst))
        return;
    for (uint32_t word = 0; word < words; word++)
        if (atomic_load_explicit(&marks->fresh[word], memory_order_relaxed))
            atomic_store_explicit(&marks->fresh[word], 0, memory_order_relaxed);
}

/* Slots that are stale now become reusable at the end of the cycle, unless a word to them is found.
 * Until then they stay stale, so no new word to them can be made. */
static void suspect_stale(kiln_assets *assets)
{
    struct asset_marks *marks = assets->marks;
    const uint32_t words = asset_words_used(assets);
    for (uint32_t word = 0; word < words; word++) {
        uint64_t stale = atomic_load_explicit(&marks->stale[word], memory_order_relaxed);
        if (stale != atomic_load_explicit(&marks->unnamed[word], memory_order_relaxed))
            atomic_store_explicit(&marks->unnamed[word], stale, memory_order_relaxed);
    }
}

static void begin(kiln_collector *c)
{
    kiln_assets *assets = c->assets;
    kiln_asset_lock(assets);
    clear_fresh(assets);
    suspect_stale(assets);
    assets->marks->color ^= MARK_A ^ MARK_B;
    set_phase(c, PHASE_MARK);
    c->loaded_then = ever_loaded(c);
    c->is_aborted = false;
    kiln_asset_unlock(assets);
    c->stage = STAGE_CLUSTERS;
    c->roots = (root_cursor){0};
    c->final_tries = 0;
    c->stats.roots = c->stats.chunks = 0;
    pthread_mutex_lock(&c->gray_lock);
    c->stats.marked = c->stats.marked_by_cluster = c->stats.edges = 0;
    pthread_mutex_unlock(&c->gray_lock);
    collected_world *worlds = c->worlds.items;
    for (uint32_t i = 0; i < c->worlds.count; i++) {
        worlds[i].since = kiln_world_tick(worlds[i].world);
        kiln_collect_find_untouched(c, &worlds[i]);
    }
}

/* Whether the cap requires a cycle. If the last one ended above the cap, another one would find
 * little, so a step must not begin one each time. */
static bool is_over_cap(const kiln_collector *c)
{
    uint64_t growth = c->def.cap_bytes / 8;
    if (growth > c->def.start_bytes)
        growth = c->def.start_bytes;
    return loaded_now(c) > c->def.cap_bytes &&
           (!c->ended_over_cap || ever_loaded(c) - c->loaded_at_end >= growth);
}

static bool should_begin(const kiln_collector *c)
{
    return c->is_aborted || ever_loaded(c) - c->loaded_then >= c->def.start_bytes || is_over_cap(c);
}

void kiln_collector_start(kiln_collector *collector)
{
    if (collector->stage == STAGE_IDLE)
        begin(collector);
}

/* ---- ending a cycle ---- */

static void end(kiln_collector *c)
{
    set_phase(c, PHASE_IDLE);
    c->stage = STAGE_IDLE;
    c->stats.cycles++;
    c->loaded_at_end = ever_loaded(c);
    c->ended_over_cap = loaded_now(c) > c->def.cap_bytes;
}

static void paint(KILN_ATOMIC(uint8_t) * marks, uint32_t count, uint8_t color)
{
    const uint8_t other = color ^ MARK_A ^ MARK_B;
    for (uint32_t i = 0; i < count; i++)
        if (atomic_load_explicit(&marks[i], memory_order_relaxed) == other)
            atomic_store_explicit(&marks[i], color, memory_order_relaxed);
}

/* Gives all assets the same color, as at the end of a complete cycle. Otherwise the next cycle,
 * which exchanges the colors, would treat unmarked assets as marked. */
static void paint_all(kiln_collector *c)
{
    const kiln_assets *assets = c->assets;
    const uint8_t color = assets->marks->color;
    for (uint32_t i = 0; i < assets->mount_count; i++)
        if (assets->mounts[i] && assets->mounts[i]->marks)
            paint(assets->mounts[i]->marks, asset_index_count(assets->mounts[i]), color);
    paint(assets->marks->slots, atomic_load_explicit(&assets->slot_count, memory_order_relaxed),
          color);
    paint(c->clusters.marks, c->clusters.count, color);
}

/* Saves the dead assets, or removes those that can no longer be saved. */
static void end_dead(kiln_assets *assets)
{
    const struct asset_marks *marks = assets->marks;
    const uint32_t words = asset_words_used(assets);
    for (uint32_t word = 0; word < words; word++) {
        uint64_t bits = atomic_load_explicit(&marks->dead[word], memory_order_relaxed);
        for (; bits; bits &= bits - 1) {
            asset_entry *entry = entry_at(assets, word * 64 + lowest_bit(bits));
            if (asset_is_doomed(assets, entry))
                kiln_asset_entry_bury(assets, entry);
            else
                kiln_asset_marks_save(assets, entry, asset_entry_version(entry), 0);
        }
    }
}

void kiln_collect_abort(kiln_collector *collector)
{
    kiln_assets *assets = collector->assets;
    if (collector->stage == STAGE_IDLE)
        return;
    kiln_asset_lock(assets);
    end_dead(assets);
    set_phase(collector, PHASE_IDLE);
    clear_fresh(assets);
    paint_all(collector);
    kiln_gray_free(collector);
    atomic_store_explicit(&collector->has_failed, false, memory_order_relaxed);
    collector->stage = STAGE_IDLE;
    collector->is_aborted = true;
    kiln_asset_unlock(assets);
}

/* ---- clusters ---- */

/* A call between two slices may put clusters in the queue, so each slice begins with these. */
static void update_clusters(kiln_collector *c, uint64_t deadline)
{
    kiln_asset_lock(c->assets);
    if (kiln_cluster_dissolve_queued(c, deadline) && kiln_cluster_form_planned(c, deadline))
        c->stage = STAGE_ROOTS;
    kiln_asset_unlock(c->assets);
}

/* Dissolves the clusters whose root was not reached, so that each of their assets is killed unless
 * it is marked itself. Afterwards all remaining clusters are marked. Returns false if the deadline
 * passed first. */
static bool dissolve_unmarked(kiln_collector *c, uint64_t deadline)
{
    enum { CLUSTERS_PER_CHECK = 16384 };
    struct asset_marks *marks = c->assets->marks;
    while (c->sweep.cluster < c->clusters.count) {
        uint32_t number = c->sweep.cluster++;
        if (cluster_is_marked(&c->clusters, number, marks->color ^ MARK_A ^ MARK_B))
            kiln_asset_queue_put(marks, number);
        if (number % CLUSTERS_PER_CHECK == 0 && kiln_collect_now(c) >= deadline)
            return false;
    }
    return kiln_cluster_dissolve_queued(c, deadline);
}

/* ---- marking ---- */

/* Registers a marking thread: changing calls of the table then wait until it leaves. Returns false
 * if such a call is already waiting. */
static bool enter(kiln_collector *c)
{
    struct asset_marks *marks = c->assets->marks;
    pthread_mutex_lock(&c->assets->lock);
    bool may = atomic_load_explicit(&marks->pause, memory_order_relaxed) == 0;
    marks->helpers += may;
    pthread_mutex_unlock(&c->assets->lock);
    return may;
}

static void leave(kiln_collector *c)
{
    struct asset_marks *marks = c->assets->marks;
    pthread_mutex_lock(&c->assets->lock);
    if (--marks->helpers == 0)
        pthread_cond_broadcast(&marks->paused);
    pthread_mutex_unlock(&c->assets->lock);
}

static void mark_roots(kiln_collector *c, uint64_t deadline)
{
    if (!enter(c))
        return;
    kiln_tracer tracer = kiln_tracer_of(c);
    if (kiln_collect_roots(c, &tracer, deadline))
        c->stage = STAGE_MARK;
    kiln_tracer_end(&tracer);
    leave(c);
}

/* Follows references. Returns true if this thread finds no more nodes. */
static bool mark(kiln_collector *c, uint64_t deadline)
{
    if (!enter(c))
        return false;
    kiln_tracer tracer = kiln_tracer_of(c);
    bool is_done = kiln_tracer_drain(&tracer, deadline);
    kiln_tracer_end(&tracer);
    leave(c);
    return is_done;
}

static uint64_t deadline_after(uint64_t start, uint64_t nanoseconds)
{
    return nanoseconds < UINT64_MAX - start ? start + nanoseconds : UINT64_MAX;
}

bool kiln_collector_help(kiln_collector *collector, uint64_t nanoseconds)
{
    if (atomic_load_explicit(&collector->grays, memory_order_relaxed) == 0)
        return false;
    mark(collector, deadline_after(kiln_collect_now(collector), nanoseconds));
    return true;
}

/* Marks and follows until nothing is left. The lock must be held, so no changing call and no helper
 * runs. */
static bool finish_marking(kiln_collector *c, kiln_tracer *tracer, uint64_t deadline)
{
    struct asset_marks *marks = c->assets->marks;
    for (;;) {
        kiln_collect_fresh(c, tracer);
        if (!kiln_tracer_drain(tracer, deadline))
            return false;
        if (!atomic_load_explicit(&marks->has_fresh, memory_order_seq_cst))
            return true;
        if (kiln_collect_now(c) >= deadline)
            return false;
    }
}

static void begin_to_kill(kiln_collector *c)
{
    set_phase(c, PHASE_KILL);
    c->stage = STAGE_KILL;
    c->sweep = (sweep_cursor){0};
    collected_world *worlds = c->worlds.items;
    for (uint32_t i = 0; i < c->worlds.count; i++)
        kiln_collect_forget_untouched(c, &worlds[i]);
}

/* Tries to end the marking in one slice. If the deadline passes first, marking continues in the
 * next step. */
static void end_marking(kiln_collector *c, uint64_t deadline)
{
    collected_world *worlds = c->worlds.items;
    if (c->final_tries++ >= FINAL_TRIES)
        deadline = UINT64_MAX;
    kiln_asset_lock(c->assets);
    kiln_tracer tracer = kiln_tracer_of(c);
    bool is_done = kiln_collect_changes(c, &tracer, deadline);
    if (is_done)
        for (uint32_t i = 0; i < c->worlds.count; i++)
            worlds[i].since = kiln_world_tick(worlds[i].world);
    is_done = is_done && finish_marking(c, &tracer, deadline);
    kiln_tracer_end(&tracer);
    if (is_done && !atomic_load_explicit(&c->has_failed, memory_order_relaxed))
        begin_to_kill(c);
    kiln_asset_unlock(c->assets);
}

/* ---- killing ---- */

/* Whether an asset without a current mark is a member of a marked cluster. If so, the asset's own
 * mark is from an earlier cycle, and is removed. */
static bool is_covered(kiln_collector *c, KILN_ATOMIC(uint8_t) * mark, int32_t word)
{
    uint32_t number = word < 0 ? asset_cluster_of_member(word) : CLUSTER_NONE;
    if (number == CLUSTER_NONE || !cluster_is_marked(&c->clusters, number, c->assets->marks->color))
        return false;
    atomic_store_explicit(mark, MARK_MEMBER, memory_order_relaxed);
    atomic_fetch_sub_explicit(&c->clusters.items[number].alone, 1, memory_order_relaxed);
    c->stats.marked++;
    c->stats.marked_by_cluster++;
    return true;
}

static void kill_entry(kiln_collector *c, asset_entry *entry)
{
    struct asset_marks *marks = c->assets->marks;
    asset_bit_set(marks->dead, entry->slot);
    if (!kiln_collect_is_held(entry) && kiln_asset_entry_end_count(entry, 0))
        return;
    asset_bit_clear(marks->dead, entry->slot);
    kiln_asset_marks_held(c->assets, entry);
}

/* Whether one of BYTES_AT_ONCE mark bytes has this bit. No other thread may change them. */
enum { BYTES_AT_ONCE = 64 };
static bool has_bit(KILN_ATOMIC(uint8_t) const *bytes, uint8_t bit)
{
    uint64_t words[BYTES_AT_ONCE / 8], all = 0;
    memcpy(words, (const void *)(uintptr_t)bytes, sizeof words);
    for (uint32_t i = 0; i < BYTES_AT_ONCE / 8; i++)
        all |= words[i];
    return all & UINT64_C(0x0101010101010101) * bit;
}

/* The index of the next byte of the other color, from `at` on; `count` if there is none. */
static uint32_t next_unmarked(KILN_ATOMIC(uint8_t) const *marks, uint32_t at, uint32_t count,
                              uint8_t color)
{
    const uint8_t other = color ^ MARK_A ^ MARK_B;
    while (count - at >= BYTES_AT_ONCE && !has_bit(&marks[at], other))
        at += BYTES_AT_ONCE;
    while (at < count && atomic_load_explicit(&marks[at], memory_order_relaxed) != other)
        at++;
    return at;
}

/* Kills the unmarked assets of one mount. Returns false if the deadline passed first. */
static bool kill_in_mount(kiln_collector *c, const asset_mount *mount, uint64_t deadline)
{
    enum { BYTES_PER_CHECK = 16384 };
    kiln_assets *assets = c->assets;
    uint32_t count = asset_index_count(mount);
    while (c->sweep.number < count) {
        uint32_t limit =
            count - c->sweep.number < BYTES_PER_CHECK ? count : c->sweep.number + BYTES_PER_CHECK;
        uint32_t at = next_unmarked(mount->marks, c->sweep.number, limit, assets->marks->color);
        c->sweep.number = at < limit ? at + 1 : limit;
        int32_t word = at < limit && mount->owners ? mount->owners[at] : 0;
        if (at < limit && !is_covered(c, &mount->marks[at], word)) {
            uint32_t cell,
                known = kiln_asset_ids_find(assets, kiln_index_id(mount->file->index, at), &cell);
            uint32_t slot = known != ASSET_NONE ? known_at(assets, known)->slot : ASSET_NONE;
            if (slot != ASSET_NONE)
                kill_entry(c, entry_at(assets, slot));
        }
        if (kiln_collect_now(c) >= deadline)
            return false;
    }
    return true;
}

/* During a cycle no other file gets the number of a mount, so the cursor stays valid. */
static bool kill_in_mounts(kiln_collector *c, uint64_t deadline)
{
    const kiln_assets *assets = c->assets;
    for (; c->sweep.mount < assets->mount_count; c->sweep.mount++, c->sweep.number = 0) {
        const asset_mount *mount = assets->mounts[c->sweep.mount];
        if (mount && mount->marks && !kill_in_mount(c, mount, deadline))
            return false;
    }
    return true;
}

static bool kill_by_slot(kiln_collector *c, uint64_t deadline)
{
    enum { SLOTS_PER_CHECK = 65536 };
    kiln_assets *assets = c->assets;
    KILN_ATOMIC(uint8_t) *marks = assets->marks->slots;
    uint32_t slots = atomic_load_explicit(&assets->slot_count, memory_order_relaxed);
    while (c->sweep.slot < slots && assets->marks->by_slot > 0) {
        uint32_t limit =
            slots - c->sweep.slot < SLOTS_PER_CHECK ? slots : c->sweep.slot + SLOTS_PER_CHECK;
        uint32_t at = next_unmarked(marks, c->sweep.slot, limit, assets->marks->color);
        c->sweep.slot = at < limit ? at + 1 : limit;
        if (at < limit && !is_covered(c, &marks[at], asset_owner_word(assets, at)))
            kill_entry(c, entry_at(assets, at));
        if (kiln_collect_now(c) >= deadline)
            return false;
    }
    return true;
}

/* After this no asset can be saved. Returns false if references of a saved asset must be followed
 * first. */
static bool begin_to_free(kiln_collector *c)
{
    struct asset_marks *marks = c->assets->marks;
    pthread_mutex_lock(&marks->save_lock);
    bool may = !atomic_load_explicit(&marks->has_fresh, memory_order_seq_cst);
    if (may) {
        set_phase(c, PHASE_FREE);
        /* A load that has already resolved references must resolve them again, because dead assets
         * now count as not loaded. */
        c->assets->generation++;
    }
    pthread_mutex_unlock(&marks->save_lock);
    if (may) {
        c->stage = STAGE_FREE;
        c->sweep = (sweep_cursor){0};
    }
    return may;
}

/* Marks what the saved assets reach. Returns false if the deadline passed first. */
static bool finish_saving(kiln_collector *c, uint64_t deadline)
{
    kiln_tracer tracer = kiln_tracer_of(c);
    /* Bytes may have been borrowed and replaced since marking ended. */
    kiln_collect_borrowed(c->assets, &tracer);
    bool is_done = finish_marking(c, &tracer, deadline);
    kiln_tracer_end(&tracer);
    return is_done;
}

void kiln_collect_settle(kiln_collector *collector)
{
    if (asset_phase_of(collector->assets->marks) != PHASE_KILL)
        return;
    dissolve_unmarked(collector, UINT64_MAX);
    /* Marking also stops because another changing call waits for the lock. */
    while (!finish_saving(collector, UINT64_MAX)) {
    }
}

static void kill_some(kiln_collector *c, uint64_t deadline)
{
    kiln_asset_lock(c->assets);
    const uint32_t slot = c->sweep.slot;
    bool is_over =
        dissolve_unmarked(c, deadline) && kill_in_mounts(c, deadline) && kill_by_slot(c, deadline);
    /* If this step killed assets and its deadline has passed, the next step does the rest. */
    if (is_over && (slot == c->sweep.slot || kiln_collect_now(c) < deadline)) {
        bool is_done = false;
        do {
            is_done = finish_saving(c, deadline);
        } while (is_done && !atomic_load_explicit(&c->has_failed, memory_order_relaxed) &&
                 !begin_to_free(c));
    }
    kiln_asset_unlock(c->assets);
}

/* ---- freeing ---- */

static void free_entry(kiln_collector *c, asset_entry *entry)
{
    c->stats.freed++;
    c->stats.freed_bytes += entry->blob->size;
    kiln_asset_entry_bury(c->assets, entry);
}

/* Makes reusable those of 64 slots that are stale and for which no word was found. */
static void recycle(kiln_collector *c, uint32_t word)
{
    struct asset_marks *marks = c->assets->marks;
    uint64_t bits = atomic_load_explicit(&marks->unnamed[word], memory_order_relaxed);
    for (; bits; bits &= bits - 1) {
        uint32_t slot = word * 64 + lowest_bit(bits);
        asset_bit_clear(marks->unnamed, slot);
        asset_bit_clear(marks->stale, slot);
        kiln_asset_slots_recycle(c->assets, entry_at(c->assets, slot));
        c->stats.recycled_slots++;
    }
}

static void free_some(kiln_collector *c, uint64_t deadline)
{
    kiln_assets *assets = c->assets;
    struct asset_marks *marks = assets->marks;
    kiln_asset_lock(assets);
    const uint32_t words = asset_words_used(assets);
    while (c->sweep.slot / 64 < words) {
        uint64_t bits =
            atomic_load_explicit(&marks->dead[c->sweep.slot / 64], memory_order_relaxed) >>
            c->sweep.slot % 64;
        if (bits == 0) {
            recycle(c, c->sweep.slot / 64);
            c->sweep.slot = (c->sweep.slot / 64 + 1) * 64;
            if (c->sweep.slot % 65536 == 0 && kiln_collect_now(c) >= deadline)
                break;
            continue;
        }
        if (bits & 1)
            free_entry(c, entry_at(assets, c->sweep.slot));
        if (++c->sweep.slot % 64 == 0)
            recycle(c, c->sweep.slot / 64 - 1);
        if (kiln_collect_now(c) >= deadline)
            break;
    }
    if (c->sweep.slot / 64 >= words)
        end(c);
    kiln_asset_unlock(assets);
}

/* Frees retired memory that the table's own calls have not freed yet. */
static void free_retired(kiln_collector *c, uint64_t deadline)
{
    bool is_more = true;
    while (is_more && kiln_collect_now(c) < deadline) {
        kiln_asset_lock(c->assets);
        is_more = kiln_quiescence_settle(&c->assets->quiescence, c->assets, FREED_AT_ONCE);
        kiln_asset_unlock(c->assets);
    }
}

/* ---- steps ---- */

static void advance(kiln_collector *c, uint64_t deadline)
{
    switch (c->stage) {
    case STAGE_CLUSTERS:
        update_clusters(c, deadline);
        break;
    case STAGE_ROOTS:
        mark_roots(c, deadline);
        break;
    case STAGE_MARK:
        if (mark(c, deadline))
            end_marking(c, deadline);
        break;
    case STAGE_KILL:
        kill_some(c, deadline);
        break;
    case STAGE_FREE:
        free_some(c, deadline);
        break;
    case STAGE_IDLE:
        break;
    }
}

static kiln_collector_state state_of(const kiln_collector *c)
{
    if (c->stage == STAGE_IDLE)
        return KILN_COLLECTOR_IDLE;
    return c->stage <= STAGE_MARK ? KILN_COLLECTOR_MARKING : KILN_COLLECTOR_SWEEPING;
}

static bool finishes_over_cap(kiln_collector *c)
{
    bool is_over = loaded_now(c) > c->def.cap_bytes;
    c->stats.steps_over_cap += is_over;
    return is_over && c->def.when_over_cap == KILN_OVER_CAP_FINISH;
}

static kiln_status step_until(kiln_collector *c, uint64_t deadline)
{
    kiln_status status = KILN_OK;
    while (c->stage != STAGE_IDLE && status == KILN_OK) {
        advance(c, deadline);
        if (atomic_load_explicit(&c->has_failed, memory_order_relaxed)) {
            kiln_collect_abort(c);
            c->stats.aborted++;
            status = KILN_NO_MEMORY;
        }
        if (kiln_collect_now(c) >= deadline)
            break;
    }
    free_retired(c, deadline);
    return status;
}

/* A late store may have hidden a word from marking, so the cycle must not remove anything. */
static kiln_status check_stores(kiln_collector *c)
{
    kiln_status status = KILN_OK;
#if defined(KILN_VALIDATE)
    status = kiln_collect_check_stores(c);
    if (status != KILN_OK)
        kiln_collect_abort(c);
#else
    (void)c;
#endif
    return status;
}

kiln_status kiln_collector_step(kiln_collector *collector, uint64_t nanoseconds,
                                kiln_collector_state *ret_state)
{
    if (check_stores(collector) != KILN_OK) {
        if (ret_state)
            *ret_state = state_of(collector);
        return KILN_LATE_STORE;
    }
    uint64_t start = kiln_collect_now(collector);
    uint64_t deadline = deadline_after(start, nanoseconds);
    if (collector->stage == STAGE_IDLE && should_begin(collector))
        begin(collector);
    if (collector->stage != STAGE_IDLE && finishes_over_cap(collector))
        deadline = UINT64_MAX;
    kiln_status status = step_until(collector, deadline);
    uint64_t took = kiln_collect_now(collector) - start;
    collector->stats.steps++;
    if (took > collector->stats.longest_step)
        collector->stats.longest_step = took;
    if (ret_state)
        *ret_state = state_of(collector);
    return status;
}

kiln_status kiln_collector_run(kiln_collector *collector)
{
    kiln_status status = check_stores(collector);
    if (status == KILN_OK)
        status = step_until(collector, UINT64_MAX);
    if (status != KILN_OK)
        return status;
    begin(collector);
    return step_until(collector, UINT64_MAX);
}
