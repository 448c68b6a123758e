#include "asset_names.h"

#include "bake_memory.h"
#include "bake_slots.h"

#include <string.h>

static void insert(bake_names *names, size_t number)
{
    size_t slot = (size_t)names->all[number].id & (names->slot_count - 1);
    while (names->slots[slot])
        slot = (slot + 1) & (names->slot_count - 1);
    names->slots[slot] = (uint32_t)number + 1;
}

static bool grow(bake_names *names)
{
    bake_name *all = bake_grow(names->all, &names->capacity, names->count + 1, sizeof *all);
    if (!all)
        return false;
    names->all = all;
    bool emptied;
    if (!bake_slots_grow(&names->slots, &names->slot_count, names->count, &emptied))
        return false;
    for (size_t i = 0; emptied && i < names->count; i++)
        insert(names, i);
    return true;
}

static bake_name *find_id(const bake_names *names, kiln_id id)
{
    if (names->slot_count == 0)
        return NULL;
    size_t slot = (size_t)id & (names->slot_count - 1);
    for (; names->slots[slot]; slot = (slot + 1) & (names->slot_count - 1))
        if (names->all[names->slots[slot] - 1].id == id)
            return &names->all[names->slots[slot] - 1];
    return NULL;
}

bool bake_names_add(bake_names *names, const bake_name *name, const bake_name **ret_other)
{
    kiln_id id = kiln_asset_id(name->name, name->length);
    *ret_other = find_id(names, id);
    if (*ret_other)
        return true;
    if (!grow(names))
        return false;
    names->all[names->count] = *name;
    names->all[names->count].id = id;
    insert(names, names->count++);
    return true;
}

void bake_names_replace(bake_names *names, const bake_name *old, const bake_name *name)
{
    bake_name *place = &names->all[old - names->all];
    kiln_id id = old->id;
    *place = *name;
    place->id = id;
}

bake_name *bake_names_find(const bake_names *names, const char *name, size_t length)
{
    bake_name *found = find_id(names, kiln_asset_id(name, length));
    return found && found->length == length && memcmp(found->name, name, length) == 0 ? found
                                                                                      : NULL;
}

static const char *id_of(const bake_name *name, size_t *ret_length)
{
    const char *slash = memchr(name->name, '/', name->length);
    const char *id = slash ? slash + 1 : name->name;
    *ret_length = name->length - (size_t)(id - name->name);
    return id;
}

static bool list_ids(bake_names *names)
{
    size_t slot_count = names->slot_count ? names->slot_count : 2;
    if (names->id_slot_count != slot_count) {
        uint32_t *slots = bake_alloc_array(slot_count, sizeof *slots);
        if (!slots)
            return false;
        bake_free(names->id_slots);
        names->id_slots = slots;
        names->id_slot_count = slot_count;
        names->id_count = 0;
    }
    for (; names->id_count < names->count; names->id_count++) {
        size_t length;
        const char *id = id_of(&names->all[names->id_count], &length);
        size_t slot = (size_t)kiln_asset_id(id, length) & (slot_count - 1);
        while (names->id_slots[slot])
            slot = (slot + 1) & (slot_count - 1);
        names->id_slots[slot] = (uint32_t)names->id_count + 1;
    }
    return true;
}

bool bake_names_find_id(bake_names *names, const char *id, size_t length,
                        const bake_name **ret_found, const bake_name **ret_other)
{
    *ret_found = *ret_other = NULL;
    if (!list_ids(names))
        return false;
    size_t mask = names->id_slot_count - 1;
    size_t slot = (size_t)kiln_asset_id(id, length) & mask;
    for (; names->id_slots[slot] && !*ret_other; slot = (slot + 1) & mask) {
        const bake_name *name = &names->all[names->id_slots[slot] - 1];
        size_t own_length;
        const char *own = id_of(name, &own_length);
        if (own_length == length && !name->is_assumed && memcmp(own, id, length) == 0)
            *(*ret_found ? ret_other : ret_found) = name;
    }
    return true;
}

void bake_names_hint(const bake_names *names, bake_diagnostics *diagnostics, const char *kind,
                     const char *id, size_t length)
{
    size_t prefix = kind ? strlen(kind) + 1 : 0, count = 0;
    const char **close = bake_alloc_array(names->count, sizeof *close);
    /* A hint is worth no failure. */
    if (!close)
        return;
    for (size_t i = 0; i < names->count; i++) {
        const char *name = names->all[i].name;
        if (names->all[i].is_abstract || names->all[i].is_assumed)
            continue;
        if (kind && (strncmp(name, kind, prefix - 1) != 0 || name[prefix - 1] != '/'))
            continue;
        close[count++] = name + prefix;
    }
    bake_hint_similar(diagnostics, id, length, close, count);
    bake_free(close);
}

void bake_names_fini(bake_names *names)
{
    bake_free(names->all);
    bake_free(names->slots);
    bake_free(names->id_slots);
    memset(names, 0, sizeof *names);
}
