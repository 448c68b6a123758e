/* Compares maps by key, in one pass over both, because their entries are sorted. In a damaged file
 * they may not be; then entries can be reported as removed and added although both maps contain
 * them. Keys that are sorted differently, such as enums whose numbers have changed, are sorted by
 * their tokens first. */
#include "insp_comparing.h"

#include "insp_memory.h"

#include <stdlib.h>

/* Whether keys of the two types have one order. */
static bool are_comparable(const kiln_value *before, const kiln_value *after)
{
    const kiln_type *left = before->of, *right = after->of;
    if (kiln_kind_is_integer(left->kind) && kiln_kind_is_integer(right->kind))
        return true;
    if (kiln_kind_is_float(left->kind) && kiln_kind_is_float(right->kind))
        return true;
    if (left->kind != right->kind || left->layout != right->layout)
        return false;
    return left->kind != KILN_KIND_FIXED ||
           (left->count == right->count && kiln_types_get(before->types, left->element)->kind ==
                                               kiln_types_get(after->types, right->element)->kind);
}

static int compare_integers(const kiln_value *before, const kiln_value *after)
{
    bool left_is_low = kiln_kind_is_signed(before->of->kind) && kiln_value_int(before) < 0;
    bool right_is_low = kiln_kind_is_signed(after->of->kind) && kiln_value_int(after) < 0;
    uint64_t left = kiln_value_uint(before), right = kiln_value_uint(after);
    if (left_is_low != right_is_low)
        return left_is_low ? -1 : 1;
    return (left > right) - (left < right);
}

static int compare_keys(const kiln_value *before, const kiln_value *after)
{
    double left, right;
    if (kiln_kind_is_integer(before->of->kind))
        return compare_integers(before, after);
    if (!kiln_kind_is_float(before->of->kind))
        return kiln_value_compare_keys(before, after);
    left = kiln_value_float(before);
    right = kiln_value_float(after);
    return (left > right) - (left < right);
}

/* An entry that only one map has, or the same entry of both. */
static void compare_entry(insp_comparing *c, const insp_seen *before, const insp_seen *after,
                          const kiln_value *key)
{
    insp_change_step *step = insp_compare_push(c, INSP_STEP_KEY);
    if (!step)
        return;
    step->key = *key;
    if (before && after)
        insp_compare_seen(c, before, after);
    else if (before)
        insp_compare_one(c, INSP_OLD, before);
    else
        insp_compare_one(c, INSP_NEW, after);
    insp_compare_pop(c);
}

/* An entry, with the token of its key. */
typedef struct place {
    uint64_t token;
    uint32_t number;
} place;

/* A pass over both maps. `places` are NULL if the entries are sorted in the same way. */
typedef struct pass {
    insp_comparing *c;
    const insp_seen *map[INSP_SIDES];
    place *places[INSP_SIDES];
    uint32_t at[INSP_SIDES];
    kiln_value key[INSP_SIDES];
    insp_seen entry[INSP_SIDES];
    bool has[INSP_SIDES];
} pass;

/* Reads the next entry. A broken map ends here. */
static void read_entry(pass *p, int side)
{
    const insp_seen *map = p->map[side];
    uint32_t i = p->at[side];
    p->has[side] = false;
    if (i >= map->count)
        return;
    if (p->places[side])
        i = p->places[side][i].number;
    p->has[side] = kiln_value_key(&map->value, i, &p->key[side]) == KILN_OK &&
                   insp_compare_child(p->c, map, i, &p->entry[side]);
    p->c->result->broken += !p->c->quiet && !p->has[side];
}

static int compare_places(const void *a, const void *b)
{
    const place *left = a, *right = b;
    if (left->token != right->token)
        return left->token < right->token ? -1 : 1;
    return (left->number > right->number) - (left->number < right->number);
}

static void sort_places(pass *p, int side)
{
    const insp_seen *map = p->map[side];
    uint32_t i;
    p->places[side] = insp_alloc_array(map->count, sizeof(place));
    if (!p->places[side]) {
        p->c->no_memory = true;
        return;
    }
    for (i = 0; i < map->count && insp_compare_spend(p->c, 1); i++) {
        kiln_value key;
        p->places[side][i].number = i;
        if (kiln_value_key(&map->value, i, &key) != KILN_OK)
            continue;
        insp_seen seen = insp_compare_see(p->c, &key, NULL);
        p->places[side][i].token = insp_compare_token(p->c, &seen);
    }
    qsort(p->places[side], map->count, sizeof(place), compare_places);
}

static int compare_next(const pass *p)
{
    uint64_t left, right;
    if (!p->has[INSP_NEW] || !p->has[INSP_OLD])
        return p->has[INSP_OLD] ? -1 : 1;
    if (!p->places[INSP_OLD])
        return compare_keys(&p->key[INSP_OLD], &p->key[INSP_NEW]);
    left = p->places[INSP_OLD][p->at[INSP_OLD]].token;
    right = p->places[INSP_NEW][p->at[INSP_NEW]].token;
    return (left > right) - (left < right);
}

static void compare_entries(pass *p)
{
    insp_comparing *c = p->c;
    int side;
    for (side = 0; side < INSP_SIDES; side++)
        read_entry(p, side);
    while ((p->has[INSP_OLD] || p->has[INSP_NEW]) && insp_compare_spend(c, 1)) {
        int order = compare_next(p);
        compare_entry(c, order <= 0 ? &p->entry[INSP_OLD] : NULL,
                      order >= 0 ? &p->entry[INSP_NEW] : NULL,
                      &p->key[order <= 0 ? INSP_OLD : INSP_NEW]);
        for (side = 0; side < INSP_SIDES; side++) {
            if (side == INSP_OLD ? order > 0 : order < 0)
                continue;
            p->at[side]++;
            read_entry(p, side);
        }
    }
}

void insp_compare_maps(insp_comparing *c, const insp_seen *before, const insp_seen *after)
{
    pass p = {.c = c, .map = {before, after}};
    kiln_value left, right;
    if (kiln_value_key(&before->value, 0, &left) == KILN_OK &&
        kiln_value_key(&after->value, 0, &right) == KILN_OK && !are_comparable(&left, &right)) {
        sort_places(&p, INSP_OLD);
        sort_places(&p, INSP_NEW);
    }
    if (insp_compare_goes_on(c))
        compare_entries(&p);
    insp_free(p.places[INSP_OLD]);
    insp_free(p.places[INSP_NEW]);
}
