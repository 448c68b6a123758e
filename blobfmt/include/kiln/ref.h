/* Reference words: 64 bits that lead to an asset's root while a program runs.
 *
 * A word has one of three forms, told apart by its two low bits. Zero is null.
 *
 *     bits 1 0   form       the other bits                          costs         follows a reload
 *     0 0        pointer    address of the root                     one read      no
 *     0 1        indirect   address of the asset's slot             two reads     yes
 *     1 s        handle     version << 32 | slot number << 2        two, checked  yes
 *                           s: 1 strong, 0 weak
 *
 * A *slot* is where a table of assets keeps an asset's present address and the version of its
 * tenant: odd while there is one, one more when it goes. Slots never move and their memory stays
 * while the table lives.
 *
 * Which to take. A *pointer* is quickest, for what cannot go or be replaced while its owner lives:
 * bytes of a file that stays mounted, bytes that are borrowed. An *indirect* word survives that the
 * asset is reloaded, patched or moved; it must not outlive the asset itself, for slots are used
 * again. A *handle* is right or known to be wrong: whatever became of the asset, of the slot and of
 * the bits, it gives the asset's root or NULL.
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
 * library writes. A version of all 64 bits is that of a word or is not: the free slot's has a bit
 * more, so that no forged word has it. */
typedef struct kiln_slot {
    KILN_ATOMIC(const void *) address; /* of the root; NULL where there is none now */
    KILN_ATOMIC(uint64_t) version;     /* odd: taken; even: free, and with KILN_SLOT_FREE */
} kiln_slot;

/* In the version of a slot that had tenants and has none. */
#define KILN_SLOT_FREE (UINT64_C(1) << 32)

/* What a table of assets begins with. */
typedef struct kiln_slots {
    kiln_slot *slots; /* `max` of them, at a multiple of 16; those from `count` on are zero */
    KILN_ATOMIC(uint32_t) count; /* were ever taken */
    uint32_t max;
    uint32_t last_low; /* 4 * max - 1: no handle to one of them has a greater low half */
} kiln_slots;

/* Makes words. A pointer must be a multiple of 4, as every root is. */
static inline kiln_ref kiln_ref_of_pointer(const void *root)
{
    kiln_ref ref = {(uint64_t)(uintptr_t)root};
    return ref;
}
static inline kiln_ref kiln_ref_of_slot(const kiln_slot *slot)
{
    kiln_ref ref = {(uint64_t)(uintptr_t)slot | KILN_REF_INDIRECT_BIT};
    return ref;
}
static inline kiln_ref kiln_ref_of_handle(uint32_t slot, uint32_t version, bool is_strong)
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

/* The place of a handle's slot, whose number is in the low half of the word, times four: a slot has
 * four times four bytes. */
static inline kiln_slot *kiln_ref_place(const kiln_slots *slots, kiln_ref ref)
{
    size_t number_times_4 = (uint32_t)ref.bits & ~(uint32_t)KILN_REF_FORM_MASK;
    return (kiln_slot *)(void *)((unsigned char *)slots->slots + number_times_4 * 4);
}

/* The slot that a handle names; NULL where it never named one or its tenant went. Any bits of the
 * handle form. */
static inline kiln_slot *kiln_ref_slot(const kiln_slots *slots, kiln_ref ref)
{
    uint64_t version = ref.bits >> 32;
    if ((uint32_t)ref.bits > slots->last_low || !(version & 1))
        return NULL;
    kiln_slot *slot = kiln_ref_place(slots, ref);
    return KILN_LOAD_ACQUIRE(&slot->version) == version ? slot : NULL;
}

/* The root that a handle leads to: NULL where it is stale or forged, or nothing is loaded. The
 * address is read first: a slot's version grows before another tenant's address comes. Only slots
 * that never had a tenant, nor an address, have an even version that a word can have. */
static inline const void *kiln_ref_get_handle(const kiln_slots *slots, kiln_ref ref)
{
    if ((uint32_t)ref.bits > slots->last_low)
        return NULL;
    const kiln_slot *slot = kiln_ref_place(slots, ref);
    const void *address = KILN_LOAD_ACQUIRE(&slot->address);
    return KILN_LOAD_RELAXED(&slot->version) == ref.bits >> 32 ? address : NULL;
}

/* The root that any word leads to, NULL for null. Pointer and indirect words are trusted. Another
 * thread may change the asset meanwhile: how long the root stays good <kiln/assets.h> says. */
static inline const void *kiln_ref_get(const kiln_slots *slots, kiln_ref ref)
{
    if ((ref.bits & KILN_REF_FORM_MASK) == 0)
        return (const void *)(uintptr_t)ref.bits;
    if (ref.bits & KILN_REF_HANDLE_BIT)
        return kiln_ref_get_handle(slots, ref);
    const kiln_slot *slot = (const kiln_slot *)(uintptr_t)(ref.bits - KILN_REF_INDIRECT_BIT);
    return KILN_LOAD_ACQUIRE(&slot->address);
}

#ifdef __cplusplus
}
#endif

#endif
