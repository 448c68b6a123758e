#include "gateway_users.h"

#include "bake_memory.h"
#include "gateway_store.h"

void bake_gateway_set_user(bake_gateway *gateway, bake_user_kind kind, uint32_t number)
{
    gateway->user = (bake_user){kind, number};
}

size_t bake_gateway_path_use_count(const bake_gateway *gateway)
{
    return gateway->path_use_count;
}

bake_path_use bake_gateway_path_use(const bake_gateway *gateway, size_t i)
{
    return gateway->path_uses[i];
}

bool bake_gateway_lacks_uses(const bake_gateway *gateway)
{
    return gateway->lacks_uses;
}

void bake_gateway_note_use(bake_gateway *gateway, const used_path *used)
{
    size_t number = (size_t)(used - gateway->used);
    if (!gateway->keeps_details)
        return;
    bake_path_use *uses = number < UINT32_MAX
                              ? bake_grow(gateway->path_uses, &gateway->path_use_capacity,
                                          gateway->path_use_count + 1, sizeof *uses)
                              : NULL;
    if (!uses) {
        gateway->lacks_uses = true;
        return;
    }
    gateway->path_uses = uses;
    uses[gateway->path_use_count++] = (bake_path_use){gateway->user, (uint32_t)number};
}

void bake_gateway_use_again(bake_gateway *gateway, bake_use_range range)
{
    for (size_t i = range.first; i < range.end; i++)
        bake_gateway_note_use(gateway, &gateway->used[gateway->path_uses[i].path]);
}
