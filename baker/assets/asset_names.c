/* There are two tables. The key of the first is the id of the whole name, and every reference uses
 * this table. The key of the second is the part after the kind. Only references without a kind use
 * the second table, so it is filled on demand. */
#include "asset_names.h"

#include "ascii.h"
#include "bake_table.h"
#include "similar.h"

#include <string.h>

static bool has_id(const bake_names *names, uint32_t number, kiln_id id)
{
    return names->all[number].id == id;
}

HASH_TABLE(names_by_id, const bake_names *, kiln_id, hash_of_number, has_id)

static bake_name *find_id(const bake_names *names, kiln_id id)
{
    uint32_t found = names_by_id_find(&names->by_id, names, id);
    return found == HASH_TABLE_NONE ? NULL : &names->all[found];
}

bool bake_names_add(bake_names *names, const bake_name *name, const bake_name **ret_other)
{
    kiln_id id = kiln_asset_id(name->name, name->length);
    *ret_other = find_id(names, id);
    if (*ret_other)
        return true;
    bake_name *all = bake_table_grow_rows(&names->by_id, names->all, &names->capacity, names->count,
                                          sizeof *all);
    if (!all)
        return false;
    names->all = all;
    names->all[names->count] = *name;
    names->all[names->count].id = id;
    hash_table_put(&names->by_id, names_by_id_slot(&names->by_id, names, id),
                   (uint32_t)names->count);
    names->count++;
    return true;
}

/* The id stays valid because it depends on the name only. */
void bake_names_replace(bake_names *names, const bake_name *old, const bake_name *name)
{
    bake_name *entry = &names->all[old - names->all];
    kiln_id id = old->id;
    *entry = *name;
    entry->id = id;
}

bake_name *bake_names_find(const bake_names *names, const char *name, size_t length)
{
    /* Different names can have the same id, so compare the names as well. */
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

/* Names of different kinds may have the same id, so each name has its own slot. */
static bool list_parts(bake_names *names)
{
    for (; names->part_count < names->count; names->part_count++) {
        text_key id;
        id.text = id_of(&names->all[names->part_count], &id.length);
        if (!bake_table_reserve(&names->by_part))
            return false;
        uint32_t hash = hash_of_text(&names->by_part, id);
        hash_slot *slot = hash_table_first(&names->by_part, hash);
        while (!hash_slot_is_empty(slot))
            slot = hash_table_next(&names->by_part, slot);
        hash_table_put_hash(&names->by_part, slot, hash, (uint32_t)names->part_count);
    }
    return true;
}

bool bake_names_find_id(bake_names *names, const char *id, size_t length,
                        const bake_name **ret_found, const bake_name **ret_other)
{
    *ret_found = *ret_other = NULL;
    if (!list_parts(names))
        return false;
    if (names->count == 0)
        return true;
    uint32_t hash = hash_of_text(&names->by_part, (text_key){id, length});
    /* Stop at the second match, which is enough to report an ambiguous id. */
    for (const hash_slot *slot = hash_table_first(&names->by_part, hash);
         !hash_slot_is_empty(slot) && !*ret_other; slot = hash_table_next(&names->by_part, slot)) {
        const bake_name *name = &names->all[hash_slot_number(slot)];
        size_t own_length;
        const char *own = id_of(name, &own_length);
        if (own_length == length && !name->is_assumed && memcmp(own, id, length) == 0)
            *(*ret_found ? ret_other : ret_found) = name;
    }
    return true;
}

static bool equals_ignoring_case(const char *a, const char *b, size_t length)
{
    size_t i = 0;
    while (i < length && bake_lower(a[i]) == bake_lower(b[i]))
        i++;
    return i == length;
}

/* Moves the first of the most similar names to the beginning, in the order of their bytes: names
 * are in another order if only some of the inputs were read. Returns false if there is none. */
static bool select_first(const char *id, size_t length, const char **names, size_t count)
{
    const char *best = bake_most_similar(id, length, names, count);
    size_t limit = best ? bake_edit_distance(id, length, best, strlen(best), length) : 0;
    bool is_cased = best && strlen(best) == length && equals_ignoring_case(id, best, length);
    for (size_t i = 0; best && i < count; i++) {
        size_t other = strlen(names[i]);
        if (strcmp(names[i], best) < 0 && other <= BAKE_SIMILAR_LENGTH_MAX &&
            (!is_cased || (other == length && equals_ignoring_case(id, names[i], length))) &&
            bake_edit_distance(id, length, names[i], other, limit) == limit)
            best = names[i];
    }
    if (best)
        names[0] = best;
    return best != NULL;
}

void bake_names_hint(const bake_names *names, bake_diagnostics *diagnostics, const char *kind,
                     const char *id, size_t length)
{
    size_t prefix = kind ? strlen(kind) + 1 : 0, count = 0;
    const char **close = bake_alloc_array(names->count, sizeof *close);
    /* If memory runs out, there is just no hint. */
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
    if (select_first(id, length, close, count))
        count = 1;
    bake_hint_similar(diagnostics, id, length, close, count);
    bake_free(close);
}

void bake_names_fini(bake_names *names)
{
    bake_free(names->all);
    bake_table_fini(&names->by_id);
    bake_table_fini(&names->by_part);
    memset(names, 0, sizeof *names);
}
