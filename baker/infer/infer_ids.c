/* Ids in a hash table. Equal ids of different kinds are chained; only the first of them has a
 * slot. */
#include "infer_ids.h"

#include "ascii.h"
#include "bake_table.h"

#include <string.h>

/* Bounds an array on the stack. With more kinds, no references are inferred. */
enum { KINDS_MAX = 4096 };

static bool is_id(const infer_ids *ids, uint32_t number, text_key key)
{
    const infer_id *id = &ids->ids[number];
    return id->length == key.length && memcmp(id->text, key.text, key.length) == 0;
}

HASH_TABLE(ids_by_text, const infer_ids *, text_key, hash_of_text, is_id)

infer_id *bake_infer_ids_find(const infer_ids *ids, const char *text, uint32_t length)
{
    uint32_t number = ids_by_text_find(&ids->by_text, ids, (text_key){text, length});
    return number == HASH_TABLE_NONE ? NULL : &ids->ids[number];
}

infer_id *bake_infer_ids_next(const infer_ids *ids, const infer_id *id)
{
    return id->next ? &ids->ids[id->next] : NULL;
}

/* Makes room for one more id. Returns false if memory runs out. */
static bool reserve(infer_ids *ids)
{
    if (ids->count == 0)
        ids->count = 1;
    infer_id *list =
        bake_store_grow(ids->store, ids->ids, &ids->capacity, (size_t)ids->count + 1, sizeof *list);
    if (!list)
        return false;
    ids->ids = list;
    return bake_table_reserve_in(&ids->by_text, ids->store);
}

bool bake_infer_ids_add(infer_ids *ids, uint32_t kind, const char *text, uint32_t length,
                        infer_place place, bool *ret_duplicate)
{
    *ret_duplicate = false;
    if (!reserve(ids))
        return false;
    hash_slot *slot = ids_by_text_slot(&ids->by_text, ids, (text_key){text, length});
    uint32_t first = hash_slot_is_empty(slot) ? 0 : hash_slot_number(slot), number = first;
    while (number && ids->ids[number].kind != kind)
        number = ids->ids[number].next;
    if (number) {
        *ret_duplicate = true;
        return true;
    }
    infer_id added = {text, length, kind, 0, place, 0, false};
    if (first) {
        added.next = ids->ids[first].next;
        ids->ids[first].next = ids->count;
    } else {
        hash_table_put(&ids->by_text, slot, ids->count);
    }
    ids->ids[ids->count++] = added;
    ids->kinds[kind].count++;
    return true;
}

void bake_infer_ids_forget(infer_ids *ids, uint32_t kind)
{
    for (uint32_t i = 1; i < ids->count; i++)
        if (ids->ids[i].kind == kind)
            ids->ids[i].kind = INFER_KIND_NONE;
    ids->kinds[kind].count = 0;
    ids->kinds[kind].shape = NULL;
}

static bool contains(const char *text, size_t length, const char *part, size_t part_length)
{
    for (size_t at = 0; part_length >= 3 && at + part_length <= length; at++) {
        size_t i = 0;
        while (i < part_length && bake_lower(text[at + i]) == bake_lower(part[i]))
            i++;
        if (i == part_length)
            return true;
    }
    return false;
}

bool bake_infer_is_like_kind(const infer_kind *kind, const char *usage, uint32_t usage_length)
{
    size_t length = strlen(kind->name);
    size_t singular =
        usage_length > 3 && usage[usage_length - 1] == 's' ? usage_length - 1 : usage_length;
    return usage && (contains(usage, usage_length, kind->name, length) ||
                     contains(kind->name, length, usage, singular));
}

/* Whether `kind` is more likely than `best`, which has the same number of hits. A kind with far
 * more references is more likely. Otherwise the kind with fewer ids is more likely, because it
 * matches less often by chance. */
static bool is_likelier(const infer_kind *kind, const infer_kind *best)
{
    if (kind->sure_refs > 4 * best->sure_refs || best->sure_refs > 4 * kind->sure_refs)
        return kind->sure_refs > best->sure_refs;
    return kind->count < best->count;
}

bool bake_infer_ids_match(const infer_ids *ids, const infer_texts *texts, const char *usage,
                          uint32_t usage_length, uint32_t preferred, infer_match *ret_match)
{
    uint32_t hits[KINDS_MAX];
    uint32_t best = INFER_KIND_NONE;
    bool best_alike = false;
    if (!ids || ids->kind_count == 0 || ids->kind_count > KINDS_MAX || texts->many)
        return false;
    memset(hits, 0, ids->kind_count * sizeof *hits);
    for (uint32_t i = 0; i < texts->value_count; i++) {
        const infer_value *value = &texts->values[i];
        const infer_id *id = bake_infer_ids_find(ids, value->text, value->length);
        for (; id; id = bake_infer_ids_next(ids, id))
            if (id->kind != INFER_KIND_NONE && (ids->match_abstract || !id->is_abstract))
                hits[id->kind]++;
    }
    memset(ret_match, 0, sizeof *ret_match);
    for (uint32_t k = 0; k < ids->kind_count; k++) {
        if (!hits[k])
            continue;
        const infer_kind *kind = &ids->kinds[k];
        bool alike = usage && bake_infer_is_like_kind(kind, usage, usage_length);
        bool better = best == INFER_KIND_NONE || hits[k] > hits[best];
        if (!better && hits[k] == hits[best]) {
            ret_match->rivals = true;
            better = k == preferred ||
                     (best != preferred &&
                      (alike != best_alike ? alike : is_likelier(kind, &ids->kinds[best])));
        } else if (better) {
            ret_match->rivals = false;
        }
        if (better) {
            best = k;
            best_alike = alike;
        }
    }
    if (best == INFER_KIND_NONE)
        return false;
    ret_match->kind = best;
    ret_match->hits = hits[best];
    ret_match->distinct = texts->value_count;
    for (uint32_t i = 0; i < texts->value_count; i++) {
        const infer_value *value = &texts->values[i];
        ret_match->all_count += value->count;
        for (const infer_id *id = bake_infer_ids_find(ids, value->text, value->length); id;
             id = bake_infer_ids_next(ids, id))
            if (id->kind == best && (ids->match_abstract || !id->is_abstract))
                ret_match->hit_count += value->count;
    }
    return true;
}

bool bake_infer_ids_cover(const infer_ids *ids, const infer_texts *texts, const char *usage,
                          uint32_t usage_length, bool *ret_alike)
{
    infer_match match;
    *ret_alike = false;
    if (texts->value_count < 2 ||
        !bake_infer_ids_match(ids, texts, usage, usage_length, INFER_KIND_NONE, &match) ||
        ids->kinds[match.kind].group->layout == INFER_LAYOUT_ONE)
        return false;
    *ret_alike = bake_infer_is_like_kind(&ids->kinds[match.kind], usage, usage_length);
    return match.hits == match.distinct ||
           (*ret_alike && match.hits >= 2 && match.hits * 4 >= match.distinct * 3);
}
