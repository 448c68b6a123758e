/* Finds the roots: holders in the table, words in components, and words of callbacks.
 *
 * Holders seldom change, and a held asset is usually the root of a cluster. So the collector
 * records the held clusters in a bitmap by cluster number, and the slots of their roots in the
 * bitmap `settled`. The cluster of a held root is looked up by its slot only in the first cycle.
 * Later cycles compare the bitmaps `roots` and `settled`, and then read the records of the held
 * clusters in the order of their numbers.
 *
 * The description of a component gives the offsets of its words. Chunks that have not been written
 * since their scene was loaded are skipped: the scene's source has a strong handle to every asset
 * to which the scene refers. */
#include "collector_object.h"

#include "asset_blob.h"
#include "asset_entry.h"
#include "asset_slots.h"
#include "bits.h"
#include "prefetch.h"
#include "scene_object.h"
#include "world_object.h"

#include <stdio.h>
#include <string.h>

/* ---- words ---- */

/* Writes the location of a word as text for messages. */
static void describe_place(const kiln_tracer *tracer, const word_place *place, char *text,
                           size_t size)
{
    const kiln_chunk *chunk = place->chunk;
    if (!chunk) {
        snprintf(text, size, "%s of %s", place->text, tracer->function);
        return;
    }
    uint32_t index = chunk->is_run ? chunk->first + place->row : chunk->indices[place->row];
    snprintf(text, size, "component %s of entity %lu", place->text, (unsigned long)index);
}

static void visit(kiln_tracer *tracer, asset_entry *entry, const word_place *place)
{
    if (!tracer->on_root) {
        kiln_tracer_mark(tracer, entry);
        return;
    }
    char text[KILN_PATH_SIZE];
    describe_place(tracer, place, text, sizeof text);
    tracer->on_root(tracer->on_root_ctx, entry, text);
}

/* Records that a word to the slot exists, so that the end of this cycle does not make the slot
 * reusable. */
static void note_slot(const kiln_tracer *tracer, uint32_t slot)
{
    if (tracer->pins)
        kiln_asset_marks_pin(tracer->assets, entry_at(tracer->assets, slot), PIN_WORLD);
    else if (!tracer->on_root && asset_bit_get(tracer->assets->marks->unnamed, slot))
        asset_bit_clear(tracer->assets->marks->unnamed, slot);
}

void kiln_collect_word(kiln_tracer *tracer, kiln_ref ref, const word_place *place)
{
    const kiln_ref_form form = kiln_ref_get_form(ref);
    uint32_t slot =
        form == KILN_REF_INDIRECT ? kiln_asset_slot_at(tracer->assets, ref) : ASSET_NONE;
    if (slot != ASSET_NONE)
        note_slot(tracer, slot);
    if (tracer->pins)
        return;
    if (form == KILN_REF_POINTER) {
        for (asset_blob *blob = kiln_asset_blob_at(tracer->assets, ref); blob;
             blob = blob->next_of_root)
            for (asset_entry *at = blob->entries; at; at = at->next_of_blob)
                if (!asset_is_doomed(tracer->assets, at))
                    visit(tracer, at, place);
        return;
    }
    asset_entry *entry = form == KILN_REF_INDIRECT || form == KILN_REF_STRONG
                             ? kiln_asset_entry_of(tracer->assets, ref)
                             : NULL;
    if (entry)
        visit(tracer, entry, place);
}

void kiln_trace(kiln_tracer *tracer, kiln_ref ref, const char *field)
{
    const word_place place = {field ? field : "a word", NULL, 0};
    uint32_t slot = kiln_ref_get_form(ref) == KILN_REF_INDIRECT
                        ? kiln_asset_slot_at(tracer->assets, ref)
                        : ASSET_NONE;
    /* From now on the callback must report all of the program's words that refer to this slot. */
    if (slot != ASSET_NONE && !tracer->on_root)
        kiln_asset_marks_unpin(tracer->assets, entry_at(tracer->assets, slot), PIN_PROGRAM);
    kiln_collect_word(tracer, ref, &place);
}

/* ---- holders ---- */

/* Which of 64 slots have assets that are held. */
static uint64_t find_held(const kiln_collector *c, uint32_t word, uint64_t bits)
{
    uint64_t held = 0;
    for (; bits; bits &= bits - 1) {
        const asset_entry *entry = entry_at(c->assets, word * 64 + lowest_bit(bits));
        if (entry->blob && kiln_collect_is_held(entry))
            held |= bits & (~bits + 1);
    }
    return held;
}

/* Clears the root bit of each of 64 slots whose asset is not held. A thread that begins to hold
 * an asset counts first and sets the bits afterwards. So the counts are read again after the bits
 * were cleared. */
static void check_held(const kiln_collector *c, uint32_t word)
{
    struct asset_marks *marks = c->assets->marks;
    if (atomic_load_explicit(&marks->check[word], memory_order_relaxed) == 0)
        return;
    uint64_t bits = atomic_exchange_explicit(&marks->check[word], 0, memory_order_seq_cst);
    bits &= atomic_load_explicit(&marks->roots[word], memory_order_seq_cst);
    uint64_t others = bits & ~find_held(c, word, bits);
    if (!others)
        return;
    atomic_fetch_and_explicit(&marks->roots[word], ~others, memory_order_seq_cst);
    uint64_t held = find_held(c, word, others);
    if (held)
        atomic_fetch_or_explicit(&marks->roots[word], held, memory_order_seq_cst);
}

/* The cluster of which the asset in this slot is the root. CLUSTER_NONE if there is none, or if it
 * is queued. */
static uint32_t cluster_of_root(const kiln_collector *c, uint32_t slot)
{
    int32_t word = asset_owner_word(c->assets, c->assets->marks->nodes[slot]);
    if (word <= 0 || asset_cluster_is_queued(c->assets->marks, asset_cluster_of_root(word)))
        return CLUSTER_NONE;
    return asset_cluster_of_root(word);
}

/* Records that the clusters with settled roots in these slots are no longer held. If a root has
 * left its cluster, dissolving that cluster records it. */
static void unsettle(kiln_collector *c, uint32_t word, uint64_t bits)
{
    for (; bits; bits &= bits - 1) {
        uint32_t slot = word * 64 + lowest_bit(bits), number = cluster_of_root(c, slot);
        if (number != CLUSTER_NONE)
            kiln_cluster_unhold(c, number);
    }
}

/* Among 64 slots, settles the held assets that are roots of clusters, and marks the other held
 * assets. */
static void mark_held(kiln_collector *c, kiln_tracer *tracer, uint32_t word)
{
    const struct asset_marks *marks = c->assets->marks;
    check_held(c, word);
    uint64_t bits = atomic_load_explicit(&marks->roots[word], memory_order_seq_cst);
    const uint64_t settled = marks->settled[word];
    unsettle(c, word, settled & ~bits);
    for (bits &= ~settled; bits; bits &= bits - 1) {
        uint32_t slot = word * 64 + lowest_bit(bits),
                 number = c->clusters.live > 0 ? cluster_of_root(c, slot) : CLUSTER_NONE;
        if (number != CLUSTER_NONE) {
            kiln_cluster_hold(c, number, slot);
            continue;
        }
        c->stats.roots++;
        kiln_tracer_mark_slot(tracer, slot);
    }
}

/* Prefetches what mark_held reads. */
static void prefetch_held(const kiln_collector *c, uint32_t word)
{
    const struct asset_marks *marks = c->assets->marks;
    uint64_t bits = atomic_load_explicit(&marks->roots[word], memory_order_relaxed);
    for (bits &= ~marks->settled[word]; bits; bits &= bits - 1)
        prefetch(&marks->nodes[word * 64 + lowest_bit(bits)], 0);
}

/* Whether all held assets in the slots of these words are settled, and all settled ones are
 * held. */
static bool are_settled(const struct asset_marks *marks, uint32_t word, uint32_t count)
{
    uint64_t any = 0;
    for (uint32_t i = word; i < word + count; i++)
        any |= atomic_load_explicit(&marks->check[i], memory_order_relaxed) |
               (atomic_load_explicit(&marks->roots[i], memory_order_seq_cst) ^ marks->settled[i]);
    return any == 0;
}

/* Marks the held assets that are not settled. Returns false if the deadline passed. */
static bool mark_unsettled(kiln_collector *c, kiln_tracer *tracer, uint64_t deadline)
{
    enum { WORDS_AT_ONCE = 16, WORDS_PER_CHECK = 1024 };
    const struct asset_marks *marks = c->assets->marks;
    const uint32_t words = asset_words_used(c->assets);
    while (c->roots.word < words) {
        const uint32_t word = c->roots.word,
                       count = words - word < WORDS_AT_ONCE ? words - word : WORDS_AT_ONCE;
        const bool are_done = are_settled(marks, word, count);
        for (uint32_t i = word; i < word + count && !are_done; i++) {
            if (words - i > WORDS_AT_ONCE)
                prefetch_held(c, i + WORDS_AT_ONCE);
            mark_held(c, tracer, i);
        }
        c->roots.word += count;
        if ((!are_done || c->roots.word % WORDS_PER_CHECK == 0) && kiln_collect_now(c) >= deadline)
            return false;
    }
    return true;
}

/* Marks the clusters whose roots are settled. Returns false if the deadline passed first. */
static bool mark_held_clusters(kiln_collector *c, kiln_tracer *tracer, uint64_t deadline)
{
    const cluster_table *table = &c->clusters;
    const uint32_t words = (table->count + 63) / 64;
    while (c->roots.held < words) {
        const uint32_t word = c->roots.held++;
        const uint64_t bits = table->held[word];
        for (uint64_t next = word + 1 < words ? table->held[word + 1] : 0; next; next &= next - 1)
            prefetch(&table->items[(word + 1) * 64 + lowest_bit(next)], 0);
        c->stats.roots += count_bits(bits);
        kiln_tracer_mark_clusters(tracer, word * 64, bits);
        if (bits && kiln_collect_now(c) >= deadline)
            return false;
    }
    return true;
}

/* Borrowed bytes that were replaced belong to no entry, but a reader may still follow their
 * references. */
void kiln_collect_borrowed(const kiln_assets *assets, kiln_tracer *tracer)
{
    uint32_t cell = 0;
    if (assets->orphans == 0)
        return;
    for (const asset_blob *blob = NULL; (blob = kiln_asset_blob_next(assets, blob, &cell));)
        if (blob->borrowed.total && !blob->entries)
            kiln_tracer_follow_blob(tracer, blob);
}

void kiln_collect_fresh(kiln_collector *collector, kiln_tracer *tracer)
{
    struct asset_marks *marks = collector->assets->marks;
    if (!atomic_exchange_explicit(&marks->has_fresh, false, memory_order_seq_cst))
        return;
    const uint32_t words = asset_words_used(collector->assets);
    for (uint32_t word = 0; word < words; word++) {
        if (atomic_load_explicit(&marks->fresh[word], memory_order_relaxed) == 0)
            continue;
        uint64_t bits = atomic_exchange_explicit(&marks->fresh[word], 0, memory_order_seq_cst);
        for (uint32_t i = 0; i < 64; i++) {
            asset_entry *entry = bits >> i & 1 ? entry_at(collector->assets, word * 64 + i) : NULL;
            if (entry && entry->blob)
                kiln_tracer_mark_again(tracer, entry);
        }
    }
}

/* ---- components ---- */

static void trace_column(kiln_tracer *tracer, const kiln_chunk *chunk,
                         const kiln_component_desc *desc, const kiln_column *column)
{
    for (uint32_t i = 0; i < desc->asset_count; i++) {
        const unsigned char *at = chunk->data + column->offset + desc->asset_places[i];
        for (uint32_t row = 0; row < chunk->count; row++, at += column->size) {
            kiln_ref ref;
            memcpy(&ref, at, sizeof ref);
            const word_place place = {desc->name, chunk, row};
            if (ref.bits != 0)
                kiln_collect_word(tracer, ref, &place);
        }
    }
}

/* With `changes`, skips columns that were not written after the world's tick `since`. */
static void trace_chunk(kiln_collector *c, kiln_tracer *tracer, const collected_world *w,
                        const kiln_chunk *chunk, bool changes)
{
    const kiln_world *world = w->world;
    const archetype *a = chunk_archetype(world, chunk);
    bool has_new_rows = !changes || chunk->ticks[0] > w->since;
    for (uint32_t i = 0; i < a->component_count; i++) {
        const kiln_component_desc *desc = &world_component(world, a->components[i])->desc;
        const kiln_column *column =
            desc->asset_count ? kiln_chunk_column(chunk, a->components[i]) : NULL;
        if (!column || (!has_new_rows && chunk->ticks[column->number] <= w->since))
            continue;
        trace_column(tracer, chunk, desc, column);
        c->stats.chunks++;
    }
}

static bool is_untouched(const collected_world *w, uint32_t chunk)
{
    return w->untouched && chunk / 64 < w->untouched_words &&
           w->untouched[chunk / 64] >> chunk % 64 & 1;
}

/* Reads the words of one world, starting at the cursor. Returns false if the deadline passed
 * first. */
static bool trace_world(kiln_collector *c, kiln_tracer *tracer, const collected_world *w,
                        bool changes, uint64_t deadline)
{
    enum { CHUNKS_PER_CHECK = 8 };
    const kiln_world *world = w->world;
    uint32_t made = atomic_load_explicit(&world->chunks.made, memory_order_relaxed);
    /* In the order of the chunks' numbers: if the program unloads scenes between two steps, the
     * lists of archetypes change their order without a new tick. */
    while (c->roots.chunk < made * KILN_MEGA_CHUNKS) {
        uint32_t number = ++c->roots.chunk;
        const kiln_chunk *chunk = &world->tables.chunks[number];
        if (chunk->columns && chunk_is_listed(chunk) && (changes || !is_untouched(w, number)))
            trace_chunk(c, tracer, w, chunk, changes);
        if (number % CHUNKS_PER_CHECK == 0 && kiln_collect_now(c) >= deadline)
            return false;
    }
    c->roots.chunk = 0;
    return true;
}

static bool trace_worlds(kiln_collector *c, kiln_tracer *tracer, bool only_changes,
                         uint64_t deadline)
{
    collected_world *worlds = c->worlds.items;
    for (; c->roots.world < c->worlds.count; c->roots.world++) {
        const collected_world *w = &worlds[c->roots.world];
        if (!trace_world(c, tracer, w, only_changes, deadline))
            return false;
    }
    return true;
}

static void call_functions(kiln_collector *c, kiln_tracer *tracer)
{
    const root_function *functions = c->functions.items;
    for (; c->roots.function < c->functions.count; c->roots.function++) {
        tracer->function = functions[c->roots.function].name;
        functions[c->roots.function].roots(functions[c->roots.function].ctx, tracer);
    }
}

/* ---- scenes ---- */

/* Whether the chunk has not been written since the scene was loaded. */
static bool is_as_loaded(const kiln_scene_instance *instance, const scene_part *part,
                         const kiln_chunk *chunk)
{
    if (!chunk->columns || chunk->archetype != part->archetype->number.number)
        return false;
    for (uint32_t i = 0; i <= part->archetype->component_count; i++)
        if (chunk->ticks[i] > instance->tick)
            return false;
    return true;
}

void kiln_collect_find_untouched(kiln_collector *collector, collected_world *world)
{
    const kiln_allocator *allocator = &collector->allocator;
    /* Chunks are numbered from 1. */
    uint32_t words = atomic_load_explicit(&world->world->chunks.made, memory_order_relaxed) *
                         (KILN_MEGA_CHUNKS / 64) +
                     1;
    kiln_collect_forget_untouched(collector, world);
    if (!world->world->scenes)
        return;
    world->untouched = allocator->alloc(allocator->ctx, words * sizeof(uint64_t), 8);
    if (!world->untouched)
        return; /* every chunk is read then */
    world->untouched_words = words;
    memset(world->untouched, 0, words * sizeof(uint64_t));
    for (const kiln_scene_instance *i = world->world->scenes; i; i = i->next)
        for (uint32_t p = 0; p < i->part_count; p++)
            for (uint32_t k = 0; k < i->parts[p].own_chunks; k++) {
                uint32_t number = i->chunks[i->parts[p].first_chunk + k];
                if (i->source->assets == collector->assets &&
                    is_as_loaded(i, &i->parts[p], &world->world->tables.chunks[number]))
                    world->untouched[number / 64] |= UINT64_C(1) << number % 64;
            }
}

void kiln_collect_forget_untouched(kiln_collector *collector, collected_world *world)
{
    if (world->untouched)
        collector->allocator.free(collector->allocator.ctx, world->untouched,
                                  world->untouched_words * sizeof(uint64_t));
    world->untouched = NULL;
    world->untouched_words = 0;
}

/* ---- the two passes ---- */

bool kiln_collect_roots(kiln_collector *collector, kiln_tracer *tracer, uint64_t deadline)
{
    if (!mark_unsettled(collector, tracer, deadline) ||
        !mark_held_clusters(collector, tracer, deadline) ||
        !trace_worlds(collector, tracer, false, deadline))
        return false;
    call_functions(collector, tracer);
    kiln_collect_borrowed(collector->assets, tracer);
    return true;
}

bool kiln_collect_changes(kiln_collector *collector, kiln_tracer *tracer, uint64_t deadline)
{
    collector->roots = (root_cursor){0};
    kiln_collect_fresh(collector, tracer);
    if (!trace_worlds(collector, tracer, true, deadline))
        return false;
    call_functions(collector, tracer);
    kiln_collect_borrowed(collector->assets, tracer);
    return true;
}

void kiln_collect_words(kiln_collector *collector, kiln_tracer *tracer)
{
    const collected_world *worlds = collector->worlds.items;
    uint64_t chunks = collector->stats.chunks;
    root_cursor saved = collector->roots;
    collector->roots = (root_cursor){0};
    for (uint32_t i = 0; i < collector->worlds.count; i++) {
        collected_world all = {.world = worlds[i].world};
        trace_world(collector, tracer, &all, false, UINT64_MAX);
    }
    call_functions(collector, tracer);
    collector->roots = saved;
    collector->stats.chunks = chunks;
}

void kiln_collect_pin_words(kiln_collector *collector, kiln_world *world)
{
    kiln_tracer tracer = kiln_tracer_of(collector);
    collected_world all = {.world = world};
    uint64_t chunks = collector->stats.chunks;
    tracer.pins = true;
    collector->roots = (root_cursor){0};
    trace_world(collector, &tracer, &all, false, UINT64_MAX);
    collector->roots = (root_cursor){0};
    collector->stats.chunks = chunks;
}
