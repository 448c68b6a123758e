/* The lives of assets, and the naive search. */
#include "reach_history.h"

#include <kiln/relative.h>
#include <string.h>

/* Words below this number are reported to the collector, whatever their form. */
enum { REPORTED = REACH_WORDS / 2 };

/* ---- lives ---- */

static reach_kind kind_of(const char *type)
{
    if (strcmp(type, KILN_SCENE_TYPE_NAME) == 0)
        return REACH_SCENE;
    return strcmp(type, KILN_SCENE_CHUNKS_TYPE_NAME) == 0 ? REACH_CHUNKS : REACH_THING;
}

void reach_list(reach *h)
{
    h->life_count = 0;
    for (kiln_ref at = kiln_assets_next(h->scene.assets, (kiln_ref){0}); at.bits;
         at = kiln_assets_next(h->scene.assets, at)) {
        kiln_asset_info info;
        EXPECT_STATUS(KILN_OK, kiln_assets_get_info(h->scene.assets, at, &info));
        assert_true(h->life_count < REACH_LIVES);
        reach_life *life = &h->lives[h->life_count++];
        *life = (reach_life){.bits = at.bits,
                             .id = info.id,
                             .root = info.root,
                             .kind = kind_of(info.type),
                             .strong = info.strong};
        life->value = life->kind == REACH_THING ? scene_value(info.root) : 0;
    }
}

static reach_life *find_life(reach *h, uint64_t bits)
{
    for (uint32_t i = 0; i < h->life_count; i++)
        if (h->lives[i].bits == bits)
            return &h->lives[i];
    return NULL;
}

static reach_life *find_root(reach *h, const void *root)
{
    for (uint32_t i = 0; root && i < h->life_count; i++)
        if (h->lives[i].root == root)
            return &h->lives[i];
    return NULL;
}

static reach_life *find_slot(reach *h, kiln_ref ref)
{
    const kiln_slots *slots = kiln_assets_get_slots(h->scene.assets);
    for (uint32_t i = 0; i < h->life_count; i++) {
        const kiln_ref weak = {h->lives[i].bits};
        uintptr_t place = (uintptr_t)&slots->addresses[kiln_ref_slot_number(weak)];
        if ((place | KILN_REF_INDIRECT_BIT) == ref.bits)
            return &h->lives[i];
    }
    return NULL;
}

reach_life *reach_life_of(reach *h, kiln_ref ref)
{
    switch (kiln_ref_get_form(ref)) {
    case KILN_REF_STRONG:
    case KILN_REF_WEAK:
        return find_life(h, ref.bits & ~(uint64_t)KILN_REF_STRONG_BIT);
    case KILN_REF_INDIRECT:
        return find_slot(h, ref);
    case KILN_REF_POINTER:
        return find_root(h, (const void *)(uintptr_t)ref.bits);
    default:
        return NULL;
    }
}

reach_life *reach_life_of_id(reach *h, kiln_id id)
{
    return find_root(h, kiln_assets_get(h->scene.assets, id));
}

uint32_t reach_number(const void *root)
{
    uint32_t value = scene_value(root);
    return value >= 90000 ? value - 90000 + 100 : value % 1000 + 1;
}

/* ---- the search ---- */

/* Returns whether a life was reached for the first time. */
static bool reach_one(reach_life *life)
{
    bool is_new = life && !life->is_reached;
    if (is_new)
        life->is_reached = true;
    return is_new;
}

static bool reach_ids(reach *h, const kiln_array *ids)
{
    const volatile kiln_id *id = kiln_relative_get(ids, ids->offset);
    bool is_new = false;
    for (uint32_t i = 0; i < ids->count; i++)
        is_new |= reach_one(reach_life_of_id(h, id[i]));
    return is_new;
}

/* Reaches the assets to which the bytes refer. Returns whether any of them is new. */
static bool reach_refs(reach *h, const void *root, reach_kind kind)
{
    const test_thing *thing = root;
    const kiln_scene *saved = root;
    const kiln_array *lists[3];
    uint32_t count = 0;
    bool is_new = false;
    if (kind == REACH_THING) {
        lists[count++] = &thing->refs;
        lists[count++] = &thing->added;
    } else if (kind == REACH_SCENE) {
        lists[count++] = &saved->assets;
        lists[count++] = &saved->chunks;
        lists[count++] = &saved->data;
    }
    for (uint32_t i = 0; i < count; i++)
        is_new |= reach_ids(h, lists[i]);
    return is_new;
}

/* A weak word keeps nothing. */
static void reach_by_word(reach *h, kiln_ref ref)
{
    if (kiln_ref_get_form(ref) != KILN_REF_WEAK)
        reach_one(reach_life_of(h, ref));
}

static bool is_reported(const reach *h, uint32_t word)
{
    return word < REPORTED || kiln_ref_get_form(h->words[word].ref) == KILN_REF_INDIRECT;
}

void reach_report(void *ctx, kiln_tracer *tracer)
{
    const reach *h = ctx;
    for (uint32_t i = 0; i < REACH_WORDS; i++)
        if (is_reported(h, i))
            kiln_trace(tracer, h->words[i].ref, "words");
}

static void reach_by_holds(reach *h)
{
    for (uint32_t i = 0; i < REACH_WORDS; i++)
        if (is_reported(h, i) || kiln_ref_get_form(h->words[i].ref) == KILN_REF_STRONG)
            reach_by_word(h, h->words[i].ref);
    for (int i = 0; i < REACH_BORROWS; i++) {
        reach_one(reach_life_of(h, h->borrows[i].protected));
        reach_one(find_root(h, h->borrows[i].root));
        /* The bytes may have been replaced. */
        if (h->borrows[i].root)
            reach_refs(h, h->borrows[i].root, REACH_THING);
    }
}

static void reach_by_scenes(reach *h)
{
    for (int i = 0; i < REACH_SOURCES; i++) {
        const reach_source *source = &h->sources[i];
        if (source->users == 0)
            continue;
        for (uint32_t k = 0; k < source->count; k++)
            reach_one(find_life(h, source->lives[k]));
        reach_refs(h, source->scene, REACH_SCENE);
    }
}

static void reach_by_rows(reach *h)
{
    kiln_ref words[REACH_HELD + 1];
    uint32_t numbers[REACH_HELD + 1];
    for (kiln_entity at = reach_next(h, 0); !kiln_entity_is_null(at);
         at = reach_next(h, at.index + 1)) {
        uint32_t count = reach_words_of(h, at, words, numbers);
        for (uint32_t i = 0; i < count; i++)
            reach_by_word(h, words[i]);
    }
}

void reach_find(reach *h)
{
    for (uint32_t i = 0; i < h->life_count; i++)
        h->lives[i].is_reached = false;
    reach_by_holds(h);
    reach_by_scenes(h);
    if (h->is_added)
        reach_by_rows(h);
    for (bool is_new = true; is_new;) {
        is_new = false;
        for (uint32_t i = 0; i < h->life_count; i++)
            if (h->lives[i].is_reached)
                is_new |= reach_refs(h, h->lives[i].root, h->lives[i].kind);
    }
}

/* ---- comparison ---- */

static uint64_t digest(const reach_life *life)
{
    uint64_t mixed = (life->id ^ life->value) * UINT64_C(0x9e3779b97f4a7c15);
    return (mixed ^ mixed >> 31) * UINT64_C(0xbf58476d1ce4e5b9);
}

static void fail_with(const reach *h, const reach_life *life, const char *what)
{
    fail_msg("step %zu: value %u of kind %d %s", (size_t)h->steps, (unsigned)life->value,
             (int)life->kind, what);
}

uint32_t reach_compare(reach *h, bool is_whole, uint64_t *ret_digest)
{
    static reach_life before[REACH_LIVES];
    const uint32_t count = h->life_count;
    uint32_t removed = 0;
    memcpy(before, h->lives, count * sizeof *before);
    reach_list(h);
    *ret_digest = 0;
    for (uint32_t i = 0; i < count; i++) {
        const reach_life *life = &before[i];
        if (find_life(h, life->bits)) {
            if (is_whole && !life->is_reached)
                fail_with(h, life, "is unreachable, but still loaded");
            continue;
        }
        if (life->is_reached)
            fail_with(h, life, "was removed, but is reachable");
        *ret_digest += digest(life);
        removed++;
    }
    return removed;
}
