/* Reference words: 64-bit references to the root of an asset in a running program.
 *
 * A word has one of three forms, distinguished by its two low bits. Zero is null.
 *
 *     bits 1 0   form       the other bits                          costs         follows a reload
 *     0 0        pointer    address of the root                     one read      no
 *     0 1        indirect   where the asset's address is stored     two reads     yes
 *     1 s        handle     version << 32 | slot number << 2        two, checked  yes
 *                           s: 1 strong, 0 weak
 *
 * A *slot* is an entry in a table of assets. It stores the current address of one asset, its
 * *tenant*, and the handle to it. The slot's version is odd while it has a tenant, and is
 * incremented when a tenant arrives or leaves. Slots never move and exist until the table is
 * destroyed.
 *
 * Which form to use. A *pointer* is fastest. Use it for bytes that are neither removed nor replaced
 * while the word exists: the bytes of a file that stays mounted, or borrowed bytes. It must not
 * outlive the bytes, because another asset may have the same address later. An *indirect* word
 * stays valid when the asset is reloaded, patched or moved, and reads NULL when the asset is gone:
 * the table never reuses a slot for which it made an indirect word. A *handle* is always checked:
 * it yields the asset's root or NULL, regardless of its bits and of what has happened to the asset
 * and the slot.
 *
 * Trust. kiln_ref_get follows pointers and indirect words without a check, so use it only for words
 * that the program made. It always checks handles. For untrusted 64-bit values use kiln_ref_check
 * (<kiln/assets.h>), which dereferences nothing.
 *
 * Words are never stored in files, where a reference is an asset's id. A program may store them in
 * its own structs and copy them like numbers. <kiln/assets.h> documents which words are counted,
 * and what a copy of a strong handle means.
 *
 * The functions here may be called by any thread. */
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
    KILN_REF_INDIRECT_BIT = 1, /* if KILN_REF_HANDLE_BIT is 0 */
    KILN_REF_HANDLE_BIT = 2,
    KILN_REF_STRONG_BIT = 1, /* if KILN_REF_HANDLE_BIT is 1 */
    KILN_REF_FORM_MASK = 3
};

/* Every slot number is less than this. */
#define KILN_SLOT_MAX (UINT32_C(1) << 30)

/* Sixteen bytes for each slot. Only the library writes them; debuggers and tools that read a
 * process's memory may read them. A slot stores the complete handle of its tenant, so one
 * comparison detects every invalid handle. */
typedef struct kiln_slot {
    KILN_ATOMIC(const void *) address; /* of the root; NULL if there is none now */
    KILN_ATOMIC(uint64_t) handle;      /* the strong handle to the tenant; 0 if there is none */
} kiln_slot;

/* The beginning of a table of assets. It never changes, so a loop over many words is faster with a
 * copy of it in a local variable. Addresses are stored a second time without handles, so that
 * following indirect words touches half the memory. */
typedef struct kiln_slots {
    kiln_slot *slots; /* at a multiple of 16; their number is a power of two. Slots without a
                         tenant yield NULL */
    KILN_ATOMIC(const void *) * addresses; /* the address of each slot; `max` of them */
    uint32_t max;                          /* slots that the table may use */
    uint32_t mask; /* ANDed with the low half of any word, it gives four times the number of an
                      existing slot */
} kiln_slots;

/* Most handles are valid, so the processor may read the root before the check is finished. */
#if defined(__GNUC__)
#define KILN_REF_EXPECT(condition) __builtin_expect(condition, 1)
#else
#define KILN_REF_EXPECT(condition) (condition)
#endif

/* Make words. A pointer must be a multiple of 4, as the address of every root is. Indirect words
 * come only from the table (kiln_assets_take, scenes). */
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

/* Read the parts of a word. */
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
/* Returns the form of a word. Does not check that the word is valid. */
kiln_ref_form kiln_ref_get_form(kiln_ref ref);
/* Returns "null", "pointer", "indirect", "weak handle" or "strong handle"; never NULL. */
const char *kiln_ref_form_name(kiln_ref_form form);

/* Returns the only slot whose handle the word can be, for any bits. The mask removes the form bits,
 * which leaves four times the slot number. A slot has 16 bytes, so the offset is four times that.
 */
static inline kiln_slot *kiln_ref_place(const kiln_slots *slots, kiln_ref ref)
{
    size_t number_times_4 = (uint32_t)ref.bits & slots->mask;
    return (kiln_slot *)(void *)((unsigned char *)slots->slots + number_times_4 * 4);
}

/* Returns the slot of a handle. NULL if the table never made the handle, or if its tenant is gone.
 * Safe for any bits. */
static inline kiln_slot *kiln_ref_slot(const kiln_slots *slots, kiln_ref ref)
{
    kiln_slot *slot = kiln_ref_place(slots, ref);
    return KILN_LOAD_ACQUIRE(&slot->handle) == (ref.bits | KILN_REF_STRONG_BIT) ? slot : NULL;
}

/* Returns the root that a handle refers to. NULL if the handle is stale or forged, or if nothing is
 * loaded. Safe for any bits. The address is read first, because a slot's handle is removed before
 * the address of the next tenant is written. */
static inline const void *kiln_ref_get_handle(const kiln_slots *slots, kiln_ref ref)
{
    const kiln_slot *slot = kiln_ref_place(slots, ref);
    const void *address = KILN_LOAD_ACQUIRE(&slot->address);
    uint64_t handle = KILN_LOAD_RELAXED(&slot->handle);
    return KILN_REF_EXPECT(handle == (ref.bits | KILN_REF_STRONG_BIT)) ? address : NULL;
}

/* Returns the root that any word refers to; NULL for a null word. Pointers and indirect words are
 * trusted. Another thread may change the asset meanwhile: <kiln/assets.h> documents how long the
 * root is valid. */
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
