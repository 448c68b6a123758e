#include "asset_guids.h"

#include "asset_links.h"
#include "bake_memory.h"
#include "bake_slots.h"

#include <kiln/index.h>
#include <string.h>

bake_guids *bake_guids_create(void)
{
    return bake_alloc_array(1, sizeof(bake_guids));
}

void bake_guids_destroy(bake_guids *guids)
{
    if (!guids)
        return;
    bake_free(guids->all);
    bake_free(guids->slots);
    bake_store_fini(&guids->store);
    bake_free(guids);
}

static size_t slot_of(const bake_guids *guids, const char *guid, size_t length)
{
    size_t slot = (size_t)kiln_asset_id(guid, length) & (guids->slot_count - 1);
    for (; guids->slots[slot]; slot = (slot + 1) & (guids->slot_count - 1)) {
        const bake_guid *other = &guids->all[guids->slots[slot] - 1];
        if (other->length == length && memcmp(other->guid, guid, length) == 0)
            break;
    }
    return slot;
}

static bool grow(bake_guids *guids)
{
    bake_guid *all = bake_grow(guids->all, &guids->capacity, guids->count + 1, sizeof *all);
    if (!all)
        return false;
    guids->all = all;
    bool emptied;
    if (!bake_slots_grow(&guids->slots, &guids->slot_count, guids->count, &emptied))
        return false;
    for (size_t i = 0; emptied && i < guids->count; i++)
        guids->slots[slot_of(guids, all[i].guid, all[i].length)] = (uint32_t)i + 1;
    return true;
}

bool bake_guids_add(bake_guids *guids, const bake_guid *guid, const bake_guid **ret_other)
{
    *ret_other = NULL;
    if (!grow(guids))
        return false;
    size_t slot = slot_of(guids, guid->guid, guid->length);
    if (guids->slots[slot]) {
        *ret_other = &guids->all[guids->slots[slot] - 1];
        return true;
    }
    bake_guid *made = &guids->all[guids->count];
    *made = *guid;
    made->guid = bake_store_text(&guids->store, guid->guid, guid->length);
    made->path = bake_store_text(&guids->store, guid->path, guid->path_length);
    if (!made->guid || !made->path)
        return false;
    guids->slots[slot] = (uint32_t)++guids->count;
    return true;
}

const bake_guid *bake_guids_find(const bake_guids *guids, const char *guid, size_t length)
{
    if (!guids || guids->count == 0)
        return NULL;
    uint32_t found = guids->slots[slot_of(guids, guid, length)];
    return found ? &guids->all[found - 1] : NULL;
}

bool bake_guids_accept(bake_guids *guids, const char *name, size_t length)
{
    const bake_link *other;
    bake_link link = {.length = length, .kind = BAKE_LINK_ACCEPTED};
    if (bake_links_find(guids->links, name, length))
        return true;
    link.name = bake_store_text(&guids->store, name, length);
    return link.name && bake_links_add(guids->links, &link, &other);
}

/* The input of that path, below the base; inputs are sorted by path. */
static const bake_input *find_input(const bake_inputs *inputs, const char *path)
{
    size_t low = 0, high = inputs->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (strcmp(inputs->inputs[middle].relative, path) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < inputs->count && strcmp(inputs->inputs[low].relative, path) == 0; low++)
        if (inputs->inputs[low].has_relative)
            return &inputs->inputs[low];
    return NULL;
}

void bake_guids_resolve(bake_guids *guids, const bake_inputs *inputs)
{
    guids->links = inputs->links;
    for (size_t i = 0; i < guids->count; i++) {
        bake_guid *guid = &guids->all[i];
        const bake_input *input = find_input(inputs, guid->path);
        guid->rule = input ? input->rule : NULL;
        /* The path of the input lives as long as the guids do. */
        if (guid->rule)
            guid->id = bake_path_id(input->relative, guid->rule->id_source, guid->rule->id,
                                    &guid->id_length);
    }
}
