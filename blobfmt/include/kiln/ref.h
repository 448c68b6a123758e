/* Reference words: 64 bits that lead to an asset's root while a program runs.
 *
 * A word has one of three forms, distinguished by its two low bits. Zero is null.
 *
 *     bits 1 0   form       the other bits                          costs         follows a reload
 *     0 0        pointer    address of the root                     one read      no
 *     0 1        indirect   address of the asset's current address  two reads     yes
 *     1 s        handle     version << 32 | slot number << 2        two, checked  yes
 *                           s: 1 strong, 0 weak
 *
 * A table of assets stores, for each of its assets, the current address and a handle in a *slot*.
 * The version is odd while a slot has an asset, and grows by one when the asset leaves it. Slots
 * never move, and their memory remains until the table is destroyed.
 *
 * Which form to use. A *pointer* is the fastest. Use it for an asset that is not unloaded or
 * replaced while the pointer exists: one in a file that stays mounted, or one with borrowed bytes.
 * It must not outlive the bytes, because another asset may get their address later. An *indirect*
 * word remains valid when the asset is reloaded, patched or moved, and gives NULL after the asset
 * is removed: a slot that the table returned as an indirect word never gets another asset. A
 * *handle* is always checked: it gives the asset's root or NULL, whatever happened to the asset or
 * the slot, and whatever the bits are.
 *
 * Trust. kiln_ref_get follows pointers and indirect words unchecked, so use it only for words that
 * the program made; it always checks handles. For 64 bits from an unknown source, use
 * kiln_ref_check (<kiln/assets.h>), which does not dereference them.
 *
 * Files never contain such words: there, a reference is an asset's id. A program may store words in
 * its own structs and copy them like any number. <kiln/assets.h> says how strong handles are
 * counted, and what a copy of one means. */
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

/* 16 bytes for each asset. Debuggers and tools may read it; only the library writes it. The slot
 * contains the whole handle, so a single comparison checks a handle completely. */
typedef struct kiln_slot {
    KILN_ATOMIC(const void *) address; /* of the root; NULL if the slot has none now */
    KILN_ATOMIC(uint64_t) handle;      /* the strong handle of the slot's asset; 0 if it has none */
} kiln_slot;

/* The first member of a table of assets. It never changes, so a loop over many words is faster with
 * a copy of it in a local variable. A separate array contains the addresses once more: following
 * indirect words then touches half as much memory. */
typedef struct kiln_slots {
    kiln_slot *slots; /* the count is a power of two; aligned to 16; slots without an asset match no
                         handle */
    KILN_ATOMIC(const void *) * addresses; /* `max` addresses, one for each slot */
    uint32_t max;
    uint32_t mask; /* gives 4 times the number of one of `slots`, for any bits of a handle */
} kiln_slots;

/* Most handles are valid. The processor can then load the root before the check has ended. */
#if defined(__GNUC__)
#define KILN_REF_EXPECT(condition) __builtin_expect(condition, 1)
#else
#define KILN_REF_EXPECT(condition) (condition)
#endif

/* Make words. A pointer must be a multiple of 4, as every root is. Only a table of assets makes
 * indirect words (kiln_assets_take, scenes), because it must reserve their slots. */
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

/* Read the parts of words. */
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

/* The only slot whose handle `ref` can be, for any bits. The mask excludes the bits of the form.
 * The result of the mask is 4 times the slot's number, and a slot has 16 bytes. */
static inline kiln_slot *kiln_ref_place(const kiln_slots *slots, kiln_ref ref)
{
    size_t number_times_4 = (uint32_t)ref.bits & slots->mask;
    return (kiln_slot *)(void *)((unsigned char *)slots->slots + number_times_4 * 4);
}

/* The slot of a handle; NULL if the asset was removed or the handle was never valid. Safe for any
 * bits. */
static inline kiln_slot *kiln_ref_slot(const kiln_slots *slots, kiln_ref ref)
{
    kiln_slot *slot = kiln_ref_place(slots, ref);
    return KILN_LOAD_ACQUIRE(&slot->handle) == (ref.bits | KILN_REF_STRONG_BIT) ? slot : NULL;
}

/* The root of a handle's asset; NULL if the handle is stale or forged, or if the asset is not
 * loaded. Safe for any bits. The address is read first, because a slot's handle is cleared before
 * the slot gets the address of another asset. */
static inline const void *kiln_ref_get_handle(const kiln_slots *slots, kiln_ref ref)
{
    const kiln_slot *slot = kiln_ref_place(slots, ref);
    const void *address = KILN_LOAD_ACQUIRE(&slot->address);
    uint64_t handle = KILN_LOAD_RELAXED(&slot->handle);
    return KILN_REF_EXPECT(handle == (ref.bits | KILN_REF_STRONG_BIT)) ? address : NULL;
}

/* The root to which a word of any form leads; NULL for null. Pointer and indirect words are
 * trusted. Another thread may change the asset meanwhile: <kiln/assets.h> says how long the root
 * remains valid. */
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
