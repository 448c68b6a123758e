/* Sorts and searches the clusters of a plan. Sorting each list takes O(n log n). A search for the
 * clusters that dissolve visits each cluster and reference at most once, but the command makes such
 * a search for each cluster, so the total number of steps is limited. */
#include "insp_clusters.h"

#include "insp_memory.h"

#include <stdlib.h>

enum { STEPS_PER_BYTE = 4, STEPS_MIN = 100000 };

static int compare_keys(const void *a, const void *b)
{
    const uint64_t *left = a, *right = b;
    return (*left > *right) - (*left < *right);
}

/* Assets by name, then imports, then numbers that refer to nothing. */
static uint64_t key_of(const insp_plan *plan, uint32_t number)
{
    uint64_t assets = plan->file->asset_count;
    uint64_t rank = number < assets ? insp_numbered_asset(plan->file, number)->place
                    : number < assets + plan->file->import_count ? number
                                                                 : UINT32_MAX;
    return rank << 32 | number;
}

static uint64_t cluster_key(const insp_plan *plan, uint32_t cluster)
{
    uint64_t key = cluster < plan->count ? key_of(plan, insp_plan_root(plan, cluster)) : UINT64_MAX;
    return (key & ~(uint64_t)UINT32_MAX) | cluster;
}

static insp_cluster_list sorted(uint64_t *keys, uint32_t count)
{
    insp_cluster_list list = {keys, count};
    if (count > 1)
        qsort(keys, count, sizeof *keys, compare_keys);
    return list;
}

insp_cluster_list insp_clusters_all(const insp_clusters *c)
{
    insp_cluster_list list = {c->order, c->plan->count};
    return list;
}

insp_cluster_list insp_clusters_part(insp_clusters *c, insp_plan_list which, uint32_t cluster)
{
    kiln_cluster_numbers part = insp_plan_part(c->plan, which, cluster);
    uint32_t i;
    for (i = 0; i < part.count; i++)
        c->keys[i] = which == INSP_PLAN_REFERENCES ? cluster_key(c->plan, part.numbers[i])
                                                   : key_of(c->plan, part.numbers[i]);
    return sorted(c->keys, part.count);
}

insp_cluster_list insp_clusters_users(insp_clusters *c, uint32_t cluster)
{
    uint32_t begin = c->plan->user_starts[cluster], count = 0, i;
    for (i = begin; i < c->plan->user_starts[cluster + 1]; i++)
        c->keys[count++] = cluster_key(c->plan, c->plan->users[i]);
    return sorted(c->keys, count);
}

/* Whether the current search sees this place of `seen` for the first time. */
static bool see(insp_clusters *c, uint32_t place)
{
    bool is_new = c->seen[place] != c->search;
    c->seen[place] = c->search;
    return is_new;
}

insp_cluster_list insp_clusters_dissolved(insp_clusters *c, const uint32_t *clusters,
                                          uint32_t count)
{
    const insp_plan *plan = c->plan;
    uint32_t done = 0, queued = 0, given, i;
    c->search++;
    for (i = 0; i < count; i++)
        if (see(c, clusters[i]))
            c->queue[queued++] = clusters[i];
    given = queued;
    while (done < queued && !c->run->out.error) {
        uint32_t cluster = c->queue[done++];
        uint32_t end = plan->user_starts[cluster + 1];
        for (i = plan->user_starts[cluster]; i < end; i++)
            if (see(c, plan->users[i]))
                c->queue[queued++] = plan->users[i];
        i = end - plan->user_starts[cluster] + 1;
        if (c->steps < i)
            insp_out_cut(&c->run->out);
        else
            c->steps -= i;
    }
    for (i = given; i < queued; i++)
        c->keys[i - given] = cluster_key(plan, c->queue[i]);
    return sorted(c->keys, queued - given);
}

const insp_text *insp_clusters_name(const insp_clusters *c, uint32_t cluster)
{
    return cluster < c->plan->count ? insp_plan_name(c->plan, insp_plan_root(c->plan, cluster))
                                    : NULL;
}

uint32_t insp_clusters_assets(const insp_clusters *c, uint32_t cluster)
{
    return insp_plan_part(c->plan, INSP_PLAN_MEMBERS, cluster).count + 1;
}

/* The bytes of an asset's blob, unless the current search has seen it. */
static uint64_t bytes_of(insp_clusters *c, uint32_t number)
{
    const insp_asset *asset = insp_plan_asset_at(c->plan, number);
    const insp_member *member = asset ? insp_asset_member(c->plan->file, asset) : NULL;
    return member && see(c, c->plan->count + asset->member) ? member->size : 0;
}

uint64_t insp_clusters_bytes(insp_clusters *c, uint32_t cluster)
{
    kiln_cluster_numbers part = insp_plan_part(c->plan, INSP_PLAN_MEMBERS, cluster);
    uint64_t bytes;
    uint32_t i;
    c->search++;
    bytes = bytes_of(c, insp_plan_root(c->plan, cluster));
    for (i = 0; i < part.count; i++)
        bytes += bytes_of(c, part.numbers[i]);
    return bytes;
}

/* The longest list that a call returns. */
static size_t longest(const insp_plan *plan)
{
    size_t count = plan->count;
    if (plan->plan && plan->plan->members.count > count)
        count = plan->plan->members.count;
    if (plan->plan && plan->plan->mutables.count > count)
        count = plan->plan->mutables.count;
    if (plan->plan && plan->plan->references.count > count)
        count = plan->plan->references.count;
    return count > plan->file->asset_count ? count : plan->file->asset_count;
}

bool insp_clusters_init(insp_clusters *c, insp_run *run, const insp_plan *plan)
{
    uint64_t limit = run->out.limit;
    uint32_t i;
    memset(c, 0, sizeof *c);
    c->run = run;
    c->plan = plan;
    c->steps =
        limit < UINT64_MAX / STEPS_PER_BYTE ? STEPS_MIN + limit * STEPS_PER_BYTE : UINT64_MAX;
    c->order = insp_alloc_array(plan->count, sizeof *c->order);
    c->keys = insp_alloc_array(longest(plan), sizeof *c->keys);
    c->seen = insp_alloc_array((size_t)plan->count + plan->file->member_count, sizeof *c->seen);
    c->queue = insp_alloc_array(plan->count, sizeof *c->queue);
    if (!c->order || !c->keys || !c->seen || !c->queue)
        return false;
    for (i = 0; i < plan->count; i++)
        c->order[i] = cluster_key(plan, i);
    sorted(c->order, plan->count);
    return true;
}

void insp_clusters_fini(insp_clusters *c)
{
    insp_free(c->order);
    insp_free(c->keys);
    insp_free(c->seen);
    insp_free(c->queue);
    memset(c, 0, sizeof *c);
}
