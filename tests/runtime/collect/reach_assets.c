/* Steps that load and dispose of assets, and that begin and end holds. */
#include "reach_history.h"

#include <stdio.h>
#include <string.h>

reach_word *reach_pick(reach *h)
{
    reach_word *word = &h->words[reach_random(h, REACH_WORDS)];
    for (int i = 0; i < 4 && !word->ref.bits; i++)
        word = &h->words[reach_random(h, REACH_WORDS)];
    return word;
}

/* Stores a word at a random position, in place of an earlier one. */
static void keep(reach *h, kiln_ref ref, uint32_t number)
{
    reach_word *word = &h->words[reach_random(h, REACH_WORDS)];
    reach_clear_word(h, word);
    *word = (reach_word){ref, number};
}

void reach_clear_word(reach *h, reach_word *word)
{
    /* Other indirect words to the slot are reported, or are in components. */
    if (h->is_added)
        kiln_collector_drop(h->collector, word->ref);
    kiln_assets_clear(h->scene.assets, &word->ref);
}

void reach_clear(reach *h)
{
    reach_clear_word(h, reach_pick(h));
}

void reach_load(reach *h)
{
    char name[16];
    kiln_ref ref = {0};
    kiln_load_args args = {.name = name, .allow_missing = reach_random(h, 4) > 0, .by = REACH_BY};
    snprintf(name, sizeof name, "Thing/%u", (unsigned)reach_random(h, REACH_THINGS));
    reach_threaten(h);
    if (!REACH_EXPECT(h, "load", kiln_assets_load(h->scene.assets, &args, &ref, &h->scene.error),
                      KILN_NOT_FOUND, KILN_MISSING))
        return;
    h->loads++;
    keep(h, ref, reach_number(kiln_ref_get(kiln_assets_get_slots(h->scene.assets), ref)));
}

void reach_add(reach *h)
{
    char name[16];
    kiln_ref ref = {0};
    const uint32_t which = reach_random(h, REACH_ADDED);
    kiln_add_args args = {.type = &h->type,
                          .blob = h->added[which].data,
                          .size = h->added[which].size,
                          .by = REACH_BY};
    snprintf(name, sizeof name, "Added/%u", (unsigned)which);
    if (which % 2)
        args.name = name;
    reach_threaten(h);
    if (REACH_SUCCEED(h, "add", kiln_assets_add(h->scene.assets, &args, &ref, &h->scene.error)))
        keep(h, ref, 100 + which);
}

void reach_take(reach *h)
{
    static const kiln_ref_form forms[] = {KILN_REF_STRONG, KILN_REF_WEAK, KILN_REF_INDIRECT,
                                          KILN_REF_POINTER};
    const reach_word *from = reach_pick(h);
    const kiln_ref_form form = forms[reach_random(h, h->def->is_repeatable ? 3 : 4)];
    const bool is_strong = kiln_ref_get_form(from->ref) == KILN_REF_STRONG;
    const uint32_t number = from->number;
    kiln_ref taken = {0};
    if (!from->ref.bits)
        return;
    reach_threaten(h);
    /* A weak handle and a pointer may refer to an asset that was removed. */
    if (!REACH_EXPECT(h, "take",
                      kiln_assets_take(h->scene.assets, from->ref, form, REACH_BY, &taken),
                      is_strong ? KILN_OK : KILN_DEAD))
        return;
    h->takes++;
    keep(h, taken,
         kiln_ref_get_form(from->ref) == KILN_REF_POINTER
             ? reach_number(kiln_ref_get(kiln_assets_get_slots(h->scene.assets), taken))
             : number);
}

void reach_borrow_one(reach *h)
{
    reach_borrow *borrow = &h->borrows[reach_random(h, REACH_BORROWS)];
    if (borrow->root) {
        EXPECT_STATUS(KILN_OK, kiln_assets_release(h->scene.assets, borrow->root, REACH_BY));
        borrow->root = NULL;
        return;
    }
    reach_threaten(h);
    REACH_EXPECT(h, "borrow",
                 kiln_assets_borrow(h->scene.assets, reach_pick(h)->ref, REACH_BY, &borrow->root,
                                    &h->scene.error),
                 KILN_DEAD);
}

void reach_protect_one(reach *h)
{
    reach_borrow *borrow = &h->borrows[reach_random(h, REACH_BORROWS)];
    const kiln_ref ref = reach_pick(h)->ref;
    if (borrow->protected.bits) {
        EXPECT_STATUS(KILN_OK, kiln_assets_unprotect(h->scene.assets, borrow->protected, REACH_BY));
        borrow->protected.bits = 0;
        return;
    }
    if (!kiln_ref_is_handle(ref))
        return;
    reach_threaten(h);
    if (REACH_EXPECT(h, "protect",
                     kiln_assets_protect(h->scene.assets, ref, REACH_BY, &h->scene.error),
                     KILN_DEAD))
        borrow->protected.bits = ref.bits & ~(uint64_t)KILN_REF_STRONG_BIT;
}

void reach_dispose(reach *h)
{
    reach_word *word = reach_pick(h);
    const bool is_strong = kiln_ref_get_form(word->ref) == KILN_REF_STRONG;
    if (kiln_ref_get_form(word->ref) == KILN_REF_POINTER)
        return;
    h->may_remove = true;
    if (!REACH_EXPECT(h, "dispose",
                      kiln_assets_dispose(h->scene.assets, word->ref, &h->scene.error), KILN_DEAD,
                      KILN_HELD, KILN_PROTECTED, KILN_BORROWED, KILN_MAPPED))
        return;
    h->disposals++;
    if (is_strong)
        word->ref.bits = 0;
}
