/* Checks the lists, links, words and marks of clusters against one another. */
#include "cluster_table.h"
#include "collector_object.h"

#include "asset_layers.h"
#include "bits.h"

typedef struct checking {
    const kiln_collector *collector;
    const char **what;
    uint64_t words; /* of roots and members that were found by the clusters */
} checking;

static bool fail(const checking *at, const char *what)
{
    *at->what = what;
    return false;
}

static bool check_members(checking *at, uint32_t number, const cluster_record *c)
{
    const kiln_assets *assets = at->collector->assets;
    const uint64_t *members = at->collector->clusters.details[number].members;
    uint32_t alone = 0;
    for (uint32_t i = 0; i < c->member_count; i++) {
        if (i > 0 && members[i] <= members[i - 1])
            return fail(at, "members are not strictly ascending");
        if (asset_owner_word(assets, members[i]) != asset_member_word(number))
            return fail(at, "a member has a wrong word");
        at->words++;
        uint8_t mark =
            atomic_load_explicit(asset_mark_at(assets, members[i]), memory_order_relaxed);
        if (mark == MARK_NONE)
            return fail(at, "a member is not loaded");
        alone += mark != MARK_MEMBER;
    }
    if (alone != atomic_load_explicit(&c->alone, memory_order_relaxed))
        return fail(at, "the number of members with a mark is wrong");
    return true;
}

static bool has_link(const cluster_link *list, const cluster_link *link)
{
    const cluster_link *before = NULL;
    for (; list; before = list, list = list->next) {
        if (list->before != before)
            return false;
        if (list == link)
            return true;
    }
    return false;
}

static bool check_links(const checking *at, uint32_t number, const cluster_record *c)
{
    const cluster_table *table = &at->collector->clusters;
    for (uint32_t i = 0; i < c->link_count; i++) {
        const cluster_link *link = &cluster_links(c)[i];
        if (link->from != number || link->to == number || link->to >= table->count)
            return fail(at, "a reference to a cluster has wrong ends");
        if (i > 0 && link->to <= cluster_links(c)[i - 1].to)
            return fail(at, "references to clusters are not strictly ascending");
        if (!cluster_exists(table, link->to) || !has_link(table->details[link->to].referrers, link))
            return fail(at, "a cluster refers to another one, whose list of referrers lacks it");
    }
    for (const cluster_link *link = table->details[number].referrers; link; link = link->next) {
        const cluster_record *from = link->from < table->count ? &table->items[link->from] : NULL;
        if (link->to != number || !from || link < cluster_links(from) ||
            link >= cluster_links(from) + from->link_count)
            return fail(at, "a list of referrers contains a reference that does not exist");
    }
    return true;
}

/* Each held cluster has one settled slot, and there are no other settled slots. */
static bool check_held(const checking *at)
{
    const cluster_table *table = &at->collector->clusters;
    const uint64_t *settled = at->collector->assets->marks->settled;
    uint64_t held = 0, slots = 0;
    for (uint32_t i = 0; i < table->count; i++) {
        const uint32_t slot = table->details[i].slot;
        if (!cluster_is_held(table, i))
            continue;
        held++;
        if (!cluster_exists(table, i) || !(settled[slot / 64] >> slot % 64 & 1))
            return fail(at, "a cluster is recorded as held in a slot that lacks it");
    }
    for (uint32_t i = 0; i < asset_words_used(at->collector->assets); i++)
        slots += count_bits(settled[i]);
    return held == slots || fail(at, "a slot is settled, but no cluster is held in it");
}

static bool check_cluster(checking *at, uint32_t number, const cluster_record *c)
{
    const kiln_assets *assets = at->collector->assets;
    for (uint32_t i = 1; i < c->mutable_count; i++)
        if (c->outside[i].id <= c->outside[i - 1].id)
            return fail(at, "mutables are not strictly ascending");
    if (asset_owner_word(assets, c->root) != asset_root_word(number))
        return fail(at, "the root of a cluster has a wrong word");
    at->words++;
    if (at->collector->stage == STAGE_IDLE &&
        !cluster_is_marked(&at->collector->clusters, number, assets->marks->color))
        return fail(at, "a cluster is not marked between two cycles");
    return check_members(at, number, c) && check_links(at, number, c);
}

/* Words that do not belong to a queued cluster. */
static uint64_t count_words(const kiln_assets *assets, const int32_t *words, uint32_t count)
{
    uint64_t found = 0;
    for (uint32_t i = 0; words && i < count; i++) {
        uint32_t number =
            words[i] > 0 ? asset_cluster_of_root(words[i]) : asset_cluster_of_member(words[i]);
        found += words[i] != 0 && !asset_cluster_is_queued(assets->marks, number);
    }
    return found;
}

static uint64_t count_all_words(const kiln_assets *assets)
{
    uint64_t found = count_words(assets, assets->marks->owners.slots,
                                 atomic_load_explicit(&assets->slot_count, memory_order_relaxed));
    for (uint32_t i = 0; i < assets->mount_count; i++)
        if (assets->mounts[i])
            found += count_words(assets, assets->mounts[i]->owners,
                                 asset_index_count(assets->mounts[i]));
    return found;
}

bool kiln_cluster_table_is_valid(const kiln_collector *collector, const char **ret_what)
{
    checking at = {.collector = collector, .what = ret_what};
    const cluster_table *table = &collector->clusters;
    uint32_t live = 0;
    for (uint32_t i = 0; i < table->count; i++) {
        const cluster_record *c = &table->items[i];
        const cluster_details *details = &table->details[i];
        live += cluster_exists(table, i);
        if (!cluster_exists(table, i) && (c->outside || details->members || details->referrers))
            return fail(&at, "a free cluster has lists");
        if (cluster_exists(table, i) && !asset_cluster_is_queued(collector->assets->marks, i) &&
            !check_cluster(&at, i, c))
            return false;
    }
    if (live != table->live)
        return fail(&at, "the number of clusters is wrong");
    if (count_all_words(collector->assets) != at.words)
        return fail(&at, "an asset has the word of a cluster that does not list it");
    return check_held(&at);
}
