/* Decodes reference words and reads slots through them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <kiln/ref.h>

enum { SLOTS = 8 };

typedef struct table {
    kiln_slots slots;
    _Alignas(16) kiln_slot list[SLOTS];
    KILN_ATOMIC(const void *) addresses[SLOTS];
    uint32_t roots[SLOTS];
} table;

static void lead(table *t, uint32_t slot, uint32_t version, const void *root)
{
    atomic_store(&t->list[slot].handle, kiln_ref_from_handle(slot, version, true).bits);
    atomic_store(&t->list[slot].address, root);
    atomic_store(&t->addresses[slot], root);
}

/* Slot 1 has its first tenant, slot 2 its last possible one. Slot 3 lost its tenant, and the tenant
 * of slot 4 has no root. The other slots never had a tenant. */
static void init(table *t)
{
    memset(t, 0, sizeof *t);
    t->slots.slots = t->list;
    t->slots.addresses = t->addresses;
    t->slots.max = SLOTS;
    t->slots.mask = (SLOTS - 1) << 2;
    lead(t, 1, 1, &t->roots[1]);
    lead(t, 2, UINT32_MAX, &t->roots[2]);
    lead(t, 4, 7, NULL);
}

static void the_two_low_bits_determine_the_form(void **state)
{
    (void)state;
    static const struct {
        uint64_t bits;
        kiln_ref_form form;
        const char *name;
    } rows[] = {
        {0, KILN_REF_NULL, "null"},
        {4, KILN_REF_POINTER, "pointer"},
        {UINT64_MAX - 3, KILN_REF_POINTER, "pointer"},
        {UINT64_C(1) << 63, KILN_REF_POINTER, "pointer"},
        {1, KILN_REF_INDIRECT, "indirect"},
        {UINT64_MAX - 2, KILN_REF_INDIRECT, "indirect"},
        {2, KILN_REF_WEAK, "weak handle"},
        {UINT64_MAX - 1, KILN_REF_WEAK, "weak handle"},
        {3, KILN_REF_STRONG, "strong handle"},
        {UINT64_MAX, KILN_REF_STRONG, "strong handle"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        kiln_ref ref = {rows[i].bits};
        assert_int_equal(rows[i].form, kiln_ref_get_form(ref));
        assert_string_equal(rows[i].name, kiln_ref_form_name(rows[i].form));
        assert_int_equal(rows[i].form == KILN_REF_WEAK || rows[i].form == KILN_REF_STRONG,
                         kiln_ref_is_handle(ref));
    }
    for (int form = -1; form < 10; form++)
        assert_true(strlen(kiln_ref_form_name((kiln_ref_form)form)) > 0);
}

static kiln_ref indirect_of(const table *t, uint32_t number)
{
    kiln_ref ref = {(uintptr_t)&t->addresses[number] | KILN_REF_INDIRECT_BIT};
    return ref;
}

static void words_contain_the_parts_they_were_made_of(void **state)
{
    (void)state;
    static const uint32_t slots[] = {0, 1, 77, KILN_SLOT_MAX - 1},
                          versions[] = {1, 3, UINT32_C(0x80000001), UINT32_MAX};
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 4; k++)
            for (int strong = 0; strong < 2; strong++) {
                kiln_ref ref = kiln_ref_from_handle(slots[i], versions[k], strong);
                assert_int_equal(strong ? KILN_REF_STRONG : KILN_REF_WEAK, kiln_ref_get_form(ref));
                assert_int_equal(slots[i], kiln_ref_slot_number(ref));
                assert_int_equal(versions[k], kiln_ref_version(ref));
            }
    table t;
    init(&t);
    assert_int_equal((uintptr_t)&t.roots[1], kiln_ref_from_pointer(&t.roots[1]).bits);
    assert_int_equal(0, kiln_ref_from_pointer(NULL).bits);
}

static void pointer_and_indirect_words_are_followed(void **state)
{
    (void)state;
    table t;
    init(&t);
    assert_null(kiln_ref_get(&t.slots, (kiln_ref){0}));
    for (uint32_t i = 0; i < SLOTS; i++) {
        assert_ptr_equal(&t.roots[i], kiln_ref_get(&t.slots, kiln_ref_from_pointer(&t.roots[i])));
        assert_ptr_equal(i == 1 || i == 2 ? &t.roots[i] : NULL,
                         kiln_ref_get(&t.slots, indirect_of(&t, i)));
    }
}

static void handles_are_exact_or_give_null(void **state)
{
    (void)state;
    table t;
    init(&t);
    /* The states that a reader may see while the tenant is being removed. */
    atomic_store(&t.list[3].address, &t.roots[3]);
    for (uint32_t slot = 0; slot < SLOTS; slot++)
        for (int strong = 0; strong < 2; strong++) {
            static const uint32_t versions[] = {0, 1, 2, 3, 7, 8, UINT32_MAX - 1, UINT32_MAX};
            for (size_t i = 0; i < sizeof versions / sizeof *versions; i++) {
                kiln_ref ref = kiln_ref_from_handle(slot, versions[i], strong);
                bool is_tenant = (slot == 1 && versions[i] == 1) ||
                                 (slot == 2 && versions[i] == UINT32_MAX) ||
                                 (slot == 4 && versions[i] == 7);
                const void *root = is_tenant && slot != 4 ? &t.roots[slot] : NULL;
                assert_ptr_equal(is_tenant ? &t.list[slot] : NULL, kiln_ref_slot(&t.slots, ref));
                assert_ptr_equal(root, kiln_ref_get_handle(&t.slots, ref));
                assert_ptr_equal(root, kiln_ref_get(&t.slots, ref));
            }
        }
}

static void words_of_other_forms_are_not_handles(void **state)
{
    (void)state;
    table t;
    init(&t);
    for (uint32_t slot = 1; slot <= 2; slot++)
        for (uint64_t form = 0; form < 2; form++) {
            uint32_t version = slot == 1 ? 1 : UINT32_MAX;
            kiln_ref ref = {(uint64_t)version << 32 | (uint64_t)slot << 2 | form};
            assert_null(kiln_ref_get_handle(&t.slots, ref));
            assert_null(kiln_ref_slot(&t.slots, ref));
        }
}

/* The sanitizers check that nothing after the list is read. */
static void forged_handles_read_nothing_outside_the_slots(void **state)
{
    (void)state;
    table t;
    init(&t);
    for (int bit = 0; bit < 64; bit++)
        for (int other = 0; other <= bit; other++)
            for (int strong = 2; strong < 4; strong++) {
                kiln_ref ref = {(UINT64_C(1) << bit | UINT64_C(1) << other) & ~UINT64_C(3)};
                ref.bits |= (uint64_t)strong;
                bool is_first = kiln_ref_slot_number(ref) == 1 && kiln_ref_version(ref) == 1;
                assert_ptr_equal(is_first ? &t.roots[1] : NULL, kiln_ref_get_handle(&t.slots, ref));
                assert_ptr_equal(is_first ? &t.list[1] : NULL, kiln_ref_slot(&t.slots, ref));
            }
    /* The masked bits of these handles are the number of a slot with a tenant. */
    for (uint32_t behind = SLOTS + 1; behind < KILN_SLOT_MAX; behind *= 2, behind |= 1)
        assert_null(kiln_ref_get(&t.slots, kiln_ref_from_handle(behind, 1, true)));
    assert_null(kiln_ref_get(&t.slots, kiln_ref_from_handle(SLOTS, 1, true)));
    assert_null(kiln_ref_get(&t.slots, (kiln_ref){UINT64_MAX}));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_two_low_bits_determine_the_form),
        cmocka_unit_test(words_contain_the_parts_they_were_made_of),
        cmocka_unit_test(pointer_and_indirect_words_are_followed),
        cmocka_unit_test(handles_are_exact_or_give_null),
        cmocka_unit_test(words_of_other_forms_are_not_handles),
        cmocka_unit_test(forged_handles_read_nothing_outside_the_slots),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
