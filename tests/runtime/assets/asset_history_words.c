/* Steps that take and clear words, and other ways to hold an asset. */
#include "asset_history.h"

#include <string.h>

const char *const history_by[BYS] = {"one.c:1", "two.c:2"};

history_word *history_pick(history *h)
{
    history_word *word = &h->words[history_random(h, WORDS)];
    for (int i = 0; i < 8 && word->tenant == NONE; i++)
        word = &h->words[history_random(h, WORDS)];
    return word->tenant == NONE ? NULL : word;
}

/* Counts a word that is taken (`by` 1) or cleared (`by` -1). */
static void count(history *h, kiln_ref ref, int tenant, int by)
{
    history_tenant *of = &h->tenants[tenant];
    of->strong += (uint32_t)(kiln_ref_get_form(ref) == KILN_REF_STRONG) * (uint32_t)by;
    of->weak += (uint32_t)(kiln_ref_get_form(ref) == KILN_REF_WEAK) * (uint32_t)by;
}

void history_keep(history *h, kiln_ref ref, int tenant)
{
    const history_tenant *of = &h->tenants[tenant];
    history_word word = {ref, tenant, NONE, of->value};
    bool is_mapped = of->mount != NONE && history_memory(h, of->mount) == KILN_ASSET_MAPPED;
    if (kiln_ref_get_form(ref) == KILN_REF_POINTER && is_mapped)
        word.mount = of->mount;
    count(h, ref, tenant, 1);
    for (uint32_t i = 0; i < h->def->target; i++)
        if (h->words[i].tenant == NONE) {
            h->words[i] = word;
            return;
        }
    history_clear_word(h, &word);
}

/* Whether a word may refer to the tenant. A pointer may refer to all tenants that share bytes. */
static bool leads_to(const history *h, const history_word *word, int tenant)
{
    const history_tenant *of = &h->tenants[tenant];
    if (kiln_ref_get_form(word->ref) == KILN_REF_POINTER)
        return of->is_alive && (uintptr_t)of->root == word->ref.bits;
    return of->is_alive && word->tenant == tenant;
}

static bool leads_somewhere(const history *h, const history_word *word)
{
    for (int i = 0; i < TENANTS; i++)
        if (leads_to(h, word, i))
            return true;
    return false;
}

static int tenant_of_handle(const history *h, kiln_ref ref)
{
    for (int i = 0; i < TENANTS; i++)
        if (h->tenants[i].is_alive && ((h->tenants[i].handle.bits ^ ref.bits) & ~UINT64_C(1)) == 0)
            return i;
    return NONE;
}

/* Determines the tenant of a new word. */
static int tenant_of(const history *h, kiln_ref ref)
{
    int found = NONE;
    if (kiln_ref_is_handle(ref))
        return tenant_of_handle(h, ref);
    for (int i = 0; i < TENANTS && found == NONE; i++) {
        const history_tenant *tenant = &h->tenants[i];
        const kiln_slots *slots = kiln_assets_get_slots(h->scene.assets);
        uintptr_t place = (uintptr_t)&slots->addresses[kiln_ref_slot_number(tenant->handle)];
        uint64_t bits = kiln_ref_get_form(ref) == KILN_REF_INDIRECT ? place | KILN_REF_INDIRECT_BIT
                                                                    : (uintptr_t)tenant->root;
        found = tenant->is_alive && bits == ref.bits ? i : NONE;
    }
    return found;
}

void history_take(history *h)
{
    static const kiln_ref_form forms[] = {KILN_REF_POINTER, KILN_REF_INDIRECT, KILN_REF_WEAK,
                                          KILN_REF_STRONG};
    history_word *from = history_pick(h);
    if (!from)
        return;
    kiln_ref_form form = forms[history_random(h, 4)];
    kiln_ref taken = {0};
    bool leads = leads_somewhere(h, from);
    kiln_status status = kiln_assets_take(h->scene.assets, from->ref, form,
                                          history_by[history_random(h, BYS)], &taken);
    if (!history_expect(h, leads ? KILN_OK : KILN_DEAD, status, "take") || !leads)
        return;
    assert_int_equal(form, kiln_ref_get_form(taken));
    int tenant = tenant_of(h, taken);
    assert_true(tenant != NONE);
    h->tenants[tenant].has_indirect |= form == KILN_REF_INDIRECT;
    assert_true(leads_to(h, from, tenant) ||
                (kiln_ref_get_form(taken) == KILN_REF_POINTER &&
                 h->tenants[tenant].root == h->tenants[from->tenant].root));
    history_keep(h, taken, tenant);
}

void history_clear_word(history *h, history_word *word)
{
    const history_tenant *tenant = &h->tenants[word->tenant];
    bool is_weak = kiln_ref_get_form(word->ref) == KILN_REF_WEAK;
    if (tenant->is_alive || is_weak)
        count(h, word->ref, word->tenant, -1);
    kiln_assets_clear(h->scene.assets, &word->ref);
    assert_int_equal(0, word->ref.bits);
    word->tenant = NONE;
}

void history_clear(history *h)
{
    history_word *word = history_pick(h);
    if (word)
        history_clear_word(h, word);
}

void history_protect(history *h)
{
    history_word *word = history_pick(h);
    int by = (int)history_random(h, BYS);
    if (!word || kiln_ref_get_form(word->ref) == KILN_REF_POINTER)
        return;
    history_tenant *tenant = &h->tenants[word->tenant];
    if (history_random(h, 2)) {
        kiln_status status =
            kiln_assets_protect(h->scene.assets, word->ref, history_by[by], &h->scene.error);
        if (history_expect(h, tenant->is_alive ? KILN_OK : KILN_DEAD, status, "protect"))
            tenant->protections[by] += tenant->is_alive;
        return;
    }
    kiln_status expected = !tenant->is_alive          ? KILN_DEAD
                           : !tenant->protections[by] ? KILN_NOT_FOUND
                                                      : KILN_OK;
    EXPECT_STATUS(expected, kiln_assets_unprotect(h->scene.assets, word->ref, history_by[by]));
    tenant->protections[by] -= expected == KILN_OK;
}

static void give_back(history *h, history_borrow *borrow)
{
    EXPECT_STATUS(KILN_OK,
                  kiln_assets_release(h->scene.assets, borrow->root, history_by[borrow->by]));
    borrow->root = NULL;
}

/* The table has one record for borrowed bytes that no longer belong to their asset. If an asset
 * gets the same bytes again, there is a second record, and a release may use either record. The
 * result is the same. */
void history_borrow_one(history *h)
{
    history_borrow *borrow = &h->borrows[history_random(h, BORROWS)];
    history_word *word = history_pick(h);
    if (borrow->root) {
        give_back(h, borrow);
        return;
    }
    if (!word || kiln_ref_get_form(word->ref) == KILN_REF_POINTER)
        return;
    const history_tenant *tenant = &h->tenants[word->tenant];
    int by = (int)history_random(h, BYS);
    const void *root = NULL;
    kiln_status status =
        kiln_assets_borrow(h->scene.assets, word->ref, history_by[by], &root, &h->scene.error);
    if (!history_expect(h, tenant->is_alive ? KILN_OK : KILN_DEAD, status, "borrow") || !root)
        return;
    assert_ptr_equal(tenant->root, root);
    *borrow = (history_borrow){root, by, tenant->mount, tenant->value};
}

/* Uses a word with some bits changed, unless the result is a valid word. */
void history_forge(history *h)
{
    history_word *word = history_pick(h);
    if (!word)
        return;
    kiln_ref forged = word->ref;
    for (uint32_t i = 0, bits = 1 + history_random(h, 3); i < bits; i++)
        forged.bits ^= UINT64_C(1) << history_random(h, 64);
    kiln_ref_form form = kiln_ref_get_form(forged);
    for (int i = 0; i < TENANTS; i++)
        if (((h->tenants[i].handle.bits ^ forged.bits) & ~UINT64_C(1)) == 0)
            return;
    if (!kiln_ref_is_handle(forged) &&
        (form == KILN_REF_NULL || kiln_ref_check(h->scene.assets, forged.bits) == KILN_REF_IS_GOOD))
        return;
    kiln_ref_state is = kiln_ref_check(h->scene.assets, forged.bits);
    assert_true(is != KILN_REF_IS_GOOD && is != KILN_REF_IS_NULL);
    kiln_ref none = {0};
    EXPECT_STATUS(KILN_DEAD,
                  kiln_assets_take(h->scene.assets, forged, KILN_REF_STRONG, "forger", &none));
    assert_null(kiln_assets_root(h->scene.assets, forged, &h->type, NULL));
    EXPECT_STATUS(KILN_DEAD, kiln_assets_dispose(h->scene.assets, forged, NULL));
    if (kiln_ref_is_handle(forged))
        assert_null(kiln_ref_get(kiln_assets_get_slots(h->scene.assets), forged));
    /* Clearing the forged word must not change the table. It may equal a weak word that was cleared
     * earlier, whose tenant the model has forgotten. */
    kiln_assets_clear(h->scene.assets, &forged);
}
