/* Reference words: 64 bits that lead to an asset's root while a program runs.
 *
 * A word has one of three forms, distinguished by its two low bits. Zero is null.
 *
 *     bits 1 0   form       the other bits                          costs         follows a reload
 *     0 0        pointer    address of the root                     one read      no
 *     0 1        indirect   where the asset's address stands        two reads     yes
 *     1 s        handle     version << 32 | slot number << 2        two, checked  yes
 *                           s: 1 strong, 0 weak
 *
 * A *slot* is where a table of assets keeps an asset's present address and the handle to its
 * tenant. The version is odd while there is one, and one more when it goes. Slots never move and
 * their memory stays while the table lives.
 *
 * Which to take. A *pointer* is quickest, for what cannot go or be replaced while its owner lives:
 * bytes of a file that stays mounted, bytes that are borrowed. It must not outlive the bytes: their
 * address may be that of another asset later. An *indirect* word survives that the asset is
 * reloaded, patched or moved, and reads NULL when the asset is gone: a slot that the table gave out
 * as an indirect word is never that of another asset. A *handle* is right or known to be wrong:
 * whatever became of the asset, of the slot and of the bits, it gives the asset's root or NULL.
 *
 * What is trusted. kiln_ref_get follows pointers and indirect words as they are, so only for words
 * that the program made; handles it checks always. For 64 bits from anywhere there is
 * kiln_ref_check (<kiln/assets.h>), which follows nothing.
 *
 * Words never lie in files: there a reference is an asset's id. They may lie in a program's own
 * structs and be copied as any number; what is counted, and what a copy of a strong handle means,
 * <kiln/assets.h> says. */
#ifndef KILN_REF_H
#define KILN_REF_H

#include <kiln/atomic.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kiln_ref {
    uint64_t bits;
} kiln_ref;

typedef enum kiln_ref_form {
    KILN_REF_NULL,
    KILN_REF_POINTER,
    KILN_REF_INDIRECT,
    KILN_REF_WEAK,
    KILN_REF_STRONG
} kiln_ref_form;

enum {
    KILN_REF_INDIRECT_BIT = 1, /* where KILN_REF_HANDLE_BIT is 0 */
    KILN_REF_HANDLE_BIT = 2,
    KILN_REF_STRONG_BIT = 1, /* where KILN_REF_HANDLE_BIT is 1 */
    KILN_REF_FORM_MASK = 3
};

/* Slots are numbered below this. */
#define KILN_SLOT_MAX (UINT32_C(1) << 30)

/* Sixteen bytes an asset; a debugger or a tool that reads a process's memory may look, only the
 * library writes. One comparison finds all that can be wrong with a handle, as the slot has the
 * whole word. */
typedef struct kiln_slot {
    KILN_ATOMIC(const void *) address; /* of the root; NULL where there is none now */
    KILN_ATOMIC(uint64_t) handle;      /* the strong one to the tenant; 0 where there is none */
} kiln_slot;

/* What a table of assets begins with. It never changes: a loop over many words is quicker with a
 * copy of it in a local variable. The addresses stand apart once more, so that who follows indirect
 * words touches half the memory. */
typedef struct kiln_slots {
    kiln_slot *slots; /* a power of two of them, at a multiple of 16; those without a tenant lead
                         to nothing */
    KILN_ATOMIC(const void *) * addresses; /* `max`, that of each slot */
    uint32_t max;
    uint32_t mask; /* of a handle: four times the number of one of `slots`, whatever the bits */
} kiln_slots;

/* Most handles are good: the root is fetched before it is known. */
#if defined(__GNUC__)
#define KILN_REF_EXPECT(condition) __builtin_expect(condition, 1)
#else
#define KILN_REF_EXPECT(condition) (condition)
#endif

/* Makes words. A pointer must be a multiple of 4, as every root is. Indirect words come from the
 * table alone (kiln_assets_take, scenes), which keeps their slots. */
static inline kiln_ref kiln_ref_from_pointer(const void *root)
{
    kiln_ref ref = {(uint64_t)(uintptr_t)root};
    return ref;
}
static inline kiln_ref kiln_ref_from_handle(uint32_t slot, uint32_t version, bool is_strong)
{
    kiln_ref ref = {(uint64_t)version << 32 | (uint64_t)slot << 2 | KILN_REF_HANDLE_BIT |
                    (is_strong ? KILN_REF_STRONG_BIT : 0)};
    return ref;
}

/* Takes words apart. */
static inline bool kiln_ref_is_handle(kiln_ref ref)
{
    return (ref.bits & KILN_REF_HANDLE_BIT) != 0;
}
static inline uint32_t kiln_ref_slot_number(kiln_ref ref)
{
    return (uint32_t)ref.bits >> 2;
}
static inline uint32_t kiln_ref_version(kiln_ref ref)
{
    return (uint32_t)(ref.bits >> 32);
}
kiln_ref_form kiln_ref_get_form(kiln_ref ref);
/* "null", "pointer", "indirect", "weak handle", "strong handle"; never NULL. */
const char *kiln_ref_form_name(kiln_ref_form form);

/* The only slot whose handle the word may be, of any bits. The mask has no bit of the form; a slot
 * has four times four bytes. */
static inline kiln_slot *kiln_ref_place(const kiln_slots *slots, kiln_ref ref)
{
    size_t number_times_4 = (uint32_t)ref.bits & slots->mask;
    return (kiln_slot *)(void *)((unsigned char *)slots->slots + number_times_4 * 4);
}

/* The slot that a handle names; NULL where it never named one or its tenant went. Any bits. */
static inline kiln_slot *kiln_ref_slot(const kiln_slots *slots, kiln_ref ref)
{
    kiln_slot *slot = kiln_ref_place(slots, ref);
    return KILN_LOAD_ACQUIRE(&slot->handle) == (ref.bits | KILN_REF_STRONG_BIT) ? slot : NULL;
}

/* The root that a handle leads to: NULL where it is stale or forged, or nothing is loaded. Any
 * bits. The address is read first: a slot's handle goes before another tenant's address comes. */
static inline const void *kiln_ref_get_handle(const kiln_slots *slots, kiln_ref ref)
{
    const kiln_slot *slot = kiln_ref_place(slots, ref);
    const void *address = KILN_LOAD_ACQUIRE(&slot->address);
    uint64_t handle = KILN_LOAD_RELAXED(&slot->handle);
    return KILN_REF_EXPECT(handle == (ref.bits | KILN_REF_STRONG_BIT)) ? address : NULL;
}

/* The root that any word leads to, NULL for null. Pointer and indirect words are trusted. Another
 * thread may change the asset meanwhile: how long the root stays good <kiln/assets.h> says. */
static inline const void *kiln_ref_get(const kiln_slots *slots, kiln_ref ref)
{
    if (ref.bits & KILN_REF_HANDLE_BIT)
        return kiln_ref_get_handle(slots, ref);
    uintptr_t bits = (uintptr_t)ref.bits;
    if (bits & KILN_REF_INDIRECT_BIT) {
        const KILN_ATOMIC(const void *) *place =
            (const KILN_ATOMIC(const void *) *)(bits - KILN_REF_INDIRECT_BIT);
        bits = (uintptr_t)KILN_LOAD_ACQUIRE(place);
    }
    return (const void *)bits;
}

#ifdef __cplusplus
}
#endif

#endif
