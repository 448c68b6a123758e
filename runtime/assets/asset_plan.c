/* Reading a plan. Its rules K1 to K6 make every number a valid index; whether the clusters match
 * the edges is checked when they are formed. */
#include "asset_plan.h"

#include "file_member.h"

#include <string.h>

/* Checks the plan in the blob of asset `number`. NULL if it is not valid. */
static const kiln_cluster_plan *read_blob(kiln_file *file, uint32_t number,
                                          const kiln_allocator *allocator, kiln_unpacked *unpacked)
{
    const uint32_t member = kiln_index_asset_at(file->index, number)->member;
    const bool is_packed = kiln_file_is_packed(file, member);
    const kiln_cluster_plan *plan = NULL;
    kiln_error error;
    kiln_status status =
        is_packed ? kiln_file_unpack(file, number, LEVEL_HEADER, allocator, unpacked, &error)
                  : kiln_file_check_asset(file, number, LEVEL_HEADER, NULL, &error);
    if (status != KILN_OK)
        return NULL;
    kiln_span blob = {unpacked->blob, unpacked->size};
    if (!is_packed)
        blob = (kiln_span){kiln_file_blob(file, member),
                           (size_t)kiln_index_member_at(file->index, member)->size};
    /* A failure leaves `plan` untouched. */
    kiln_cluster_plan_read(file->index, blob, allocator, &plan, &error);
    return plan;
}

static size_t size_of(uint32_t words)
{
    return offsetof(asset_plan, attached) + words * sizeof(uint64_t);
}

static void restart(asset_plan *plan)
{
    memset(plan->attached, 0xff, plan->words * sizeof *plan->attached);
    plan->next = kiln_cluster_plan_count(plan->plan);
    plan->has_attached = true;
}

asset_plan *kiln_asset_plan_read(const kiln_assets *assets, kiln_file *file)
{
    const kiln_allocator *allocator = &assets->allocator;
    const uint32_t number = kiln_cluster_plan_find(file->index);
    if (number == KILN_ASSET_NONE)
        return NULL;
    const uint32_t words = kiln_index_asset_count(file->index) / 64 + 1;
    asset_plan *made = allocator->alloc(allocator->ctx, size_of(words), _Alignof(asset_plan));
    if (!made)
        return NULL;
    *made = (asset_plan){.words = words};
    made->plan = read_blob(file, number, allocator, &made->unpacked);
    if (!made->plan) {
        kiln_asset_plan_free(assets, made);
        return NULL;
    }
    restart(made);
    return made;
}

void kiln_asset_plan_free(const kiln_assets *assets, asset_plan *plan)
{
    const kiln_allocator *allocator = &assets->allocator;
    if (!plan)
        return;
    if (plan->unpacked.blob)
        allocator->free(allocator->ctx, plan->unpacked.blob, plan->unpacked.size);
    allocator->free(allocator->ctx, plan, size_of(plan->words));
}

void kiln_asset_plans_restart(const kiln_assets *assets)
{
    for (uint32_t i = 0; i < assets->mount_count; i++)
        if (assets->mounts[i] && assets->mounts[i]->plan)
            restart(assets->mounts[i]->plan);
}
