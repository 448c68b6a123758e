/* Guids are opaque strings, compared byte by byte. If several files have the same guid, it belongs
 * to the first; callers report the others. */
#include "asset_guids.h"

#include "asset_links.h"
#include "bake_table.h"
#include "lower_bound.h"

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
    bake_table_fini(&guids->by_guid);
    bake_store_fini(&guids->store);
    bake_free(guids);
}

static bool has_guid(const bake_guids *guids, uint32_t number, text_key key)
{
    const bake_guid *guid = &guids->all[number];
    return guid->length == key.length && memcmp(guid->guid, key.text, key.length) == 0;
}

HASH_TABLE(files_by_guid, const bake_guids *, text_key, hash_of_text, has_guid)

bool bake_guids_add(bake_guids *guids, const bake_guid *guid, const bake_guid **ret_other)
{
    *ret_other = NULL;
    bake_guid *all = bake_table_grow_rows(&guids->by_guid, guids->all, &guids->capacity,
                                          guids->count, sizeof *all);
    if (!all)
        return false;
    guids->all = all;
    hash_slot *slot =
        files_by_guid_slot(&guids->by_guid, guids, (text_key){guid->guid, guid->length});
    if (!hash_slot_is_empty(slot)) {
        *ret_other = &guids->all[hash_slot_number(slot)];
        return true;
    }
    bake_guid *made = &guids->all[guids->count];
    *made = *guid;
    /* Copy the strings: the tree of the companion file is destroyed before the guids are
     * resolved. */
    made->guid = bake_store_text(&guids->store, guid->guid, guid->length);
    made->path = bake_store_text(&guids->store, guid->path, guid->path_length);
    if (!made->guid || !made->path)
        return false;
    hash_table_put(&guids->by_guid, slot, (uint32_t)guids->count++);
    return true;
}

const bake_guid *bake_guids_find(const bake_guids *guids, const char *guid, size_t length)
{
    if (!guids)
        return NULL;
    uint32_t found = files_by_guid_find(&guids->by_guid, guids, (text_key){guid, length});
    return found == HASH_TABLE_NONE ? NULL : &guids->all[found];
}

bool bake_guids_accept(bake_guids *guids, const char *name, size_t length)
{
    const bake_link *other;
    bake_link link = {.length = length, .kind = BAKE_LINK_ACCEPTED};
    if (bake_links_find(guids->links, name, length))
        return true;
    /* The caller builds the name in temporary memory, so copy it. */
    link.name = bake_store_text(&guids->store, name, length);
    return link.name && bake_links_add(guids->links, &link, &other);
}

static bool input_is_below(const void *inputs, size_t at, const void *path)
{
    return strcmp(((const bake_input *)inputs)[at].relative, path) < 0;
}

/* Finds the input with this path relative to the base by binary search, because inputs are sorted
 * by path. */
static const bake_input *find_input(const bake_inputs *inputs, const char *path)
{
    size_t at = lower_bound(inputs->inputs, 0, inputs->count, input_is_below, path);
    for (; at < inputs->count && strcmp(inputs->inputs[at].relative, path) == 0; at++)
        if (inputs->inputs[at].has_relative)
            return &inputs->inputs[at];
    return NULL;
}

bool bake_guids_add_rest(bake_guids *guids, const bake_schema *schema, const bake_rest_guid *rest)
{
    const bake_guid *other;
    bake_guid guid = {.guid = rest->guid,
                      .length = rest->length,
                      .path = rest->path,
                      .input = UINT32_MAX,
                      .path_length = strlen(rest->path)};
    guid.rule = rest->is_input ? bake_schema_rule(schema, rest->path) : NULL;
    if (guid.rule)
        guid.id = bake_path_id(rest->path, guid.rule->id_source, guid.rule->id, &guid.id_length);
    if (!bake_guids_add(guids, &guid, &other))
        return false;
    /* The companion file of the guid may be read, but not the file itself. */
    bake_guid *known = other ? &guids->all[other - guids->all] : NULL;
    if (known && !known->rule && strcmp(known->path, guid.path) == 0) {
        known->rule = guid.rule;
        known->id = guid.id;
        known->id_length = guid.id_length;
    }
    return true;
}

/* Called after all inputs are read, because a guid may be read before the file that it
 * identifies. */
void bake_guids_resolve(bake_guids *guids, const bake_inputs *inputs)
{
    guids->links = inputs->links;
    for (size_t i = 0; i < guids->count; i++) {
        bake_guid *guid = &guids->all[i];
        const bake_input *input = find_input(inputs, guid->path);
        guid->rule = input ? input->rule : NULL;
        /* `id` may point into the path of the input, which outlives the guids. */
        if (guid->rule)
            guid->id = bake_path_id(input->relative, guid->rule->id_source, guid->rule->id,
                                    &guid->id_length);
    }
}
