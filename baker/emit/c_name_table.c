/* The memory of names, the table of those that are taken, and the making of identifiers from any
 * text. */
#include "c_names.h"

#include "ascii.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { BLOCK_SIZE = 32768, FIRST_SLOTS = 1024 };

typedef struct bake_c_name_block {
    struct bake_c_name_block *next;
    size_t size, used; /* bytes behind this struct */
} bake_c_name_block;

typedef struct bake_c_name_slot {
    const char *name;
    uint32_t owner; /* type number; KILN_TYPE_NONE: no type */
} bake_c_name_slot;

void *bake_c_name_alloc(bake_c_names *names, size_t size)
{
    size = (size + 15) & ~(size_t)15;
    bake_c_name_block *block = names->blocks;
    if (!block || block->size - block->used < size) {
        size_t room = size > BLOCK_SIZE ? size : (size_t)BLOCK_SIZE;
        block = names->allocator.alloc(names->allocator.ctx, sizeof *block + room, 16);
        if (!block) {
            names->failed = true;
            return NULL;
        }
        block->next = names->blocks;
        block->size = room;
        block->used = 0;
        names->blocks = block;
    }
    void *memory = (unsigned char *)(block + 1) + block->used;
    block->used += size;
    return memory;
}

const char *bake_c_name(bake_c_names *names, const char *format, ...)
{
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    char *name = length < 0 ? NULL : bake_c_name_alloc(names, (size_t)length + 1);
    if (name)
        vsnprintf(name, (size_t)length + 1, format, again);
    va_end(again);
    return name ? name : "";
}

/* FNV-1a; the table holds what one schema needs, and lookups compare. */
static size_t hash_name(const char *name)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (; *name; name++)
        hash = (hash ^ (unsigned char)*name) * UINT64_C(0x100000001b3);
    return (size_t)(hash ^ hash >> 32);
}

static bool grow_slots(bake_c_names *names)
{
    size_t count = names->slot_count ? names->slot_count * 2 : (size_t)FIRST_SLOTS;
    bake_c_name_slot *slots = names->allocator.alloc(names->allocator.ctx, count * sizeof *slots,
                                                     _Alignof(bake_c_name_slot));
    if (!slots) {
        names->failed = true;
        return false;
    }
    memset(slots, 0, count * sizeof *slots);
    for (size_t i = 0; i < names->slot_count; i++) {
        if (!names->slots[i].name)
            continue;
        size_t slot = hash_name(names->slots[i].name) & (count - 1);
        while (slots[slot].name)
            slot = (slot + 1) & (count - 1);
        slots[slot] = names->slots[i];
    }
    if (names->slots)
        names->allocator.free(names->allocator.ctx, names->slots,
                              names->slot_count * sizeof *slots);
    names->slots = slots;
    names->slot_count = count;
    return true;
}

/* The slot that holds `name`, or the empty one where it belongs; NULL when memory ran out. */
static bake_c_name_slot *find_slot(bake_c_names *names, const char *name)
{
    if (names->taken * 2 >= names->slot_count && !grow_slots(names))
        return NULL;
    size_t slot = hash_name(name) & (names->slot_count - 1);
    while (names->slots[slot].name && strcmp(names->slots[slot].name, name) != 0)
        slot = (slot + 1) & (names->slot_count - 1);
    return &names->slots[slot];
}

bool bake_c_name_take(bake_c_names *names, const char *name, uint32_t owner, uint32_t *ret_owner)
{
    bake_c_name_slot *slot = find_slot(names, name);
    if (!slot)
        return true;
    if (slot->name) {
        *ret_owner = slot->owner;
        return false;
    }
    slot->name = name;
    slot->owner = owner;
    names->taken++;
    return true;
}

bool bake_c_name_is_taken(bake_c_names *names, const char *name)
{
    const bake_c_name_slot *slot = find_slot(names, name);
    return slot && slot->name;
}

const char *bake_c_name_unique(bake_c_names *names, const char *name)
{
    uint32_t owner;
    const char *candidate = name;
    for (unsigned i = 2;
         !names->failed && !bake_c_name_take(names, candidate, KILN_TYPE_NONE, &owner); i++)
        candidate = bake_c_name(names, "%s_%u", name, i);
    return candidate;
}

const char *bake_c_name_word(bake_c_names *names, const char *text)
{
    size_t length = strlen(text), size = 0;
    char *word = bake_c_name_alloc(names, length + 1);
    if (!word)
        return "";
    bool is_ours = true; /* the last `_` stands for something else */
    for (size_t i = 0; i < length; i++) {
        if (bake_is_alphabetic(text[i]) || bake_is_digit(text[i])) {
            word[size++] = text[i];
            is_ours = false;
        } else if (size == 0 ? text[i] == '_' : word[size - 1] != '_') {
            is_ours = text[i] != '_';
            word[size++] = '_';
        }
    }
    if (size && word[size - 1] == '_' && is_ours)
        size--;
    word[size] = '\0';
    return word;
}

const char *bake_c_name_identifier(bake_c_names *names, const char *text)
{
    const char *word = bake_c_name_word(names, text);
    if (!*word)
        return "unnamed";
    if (bake_is_digit(*word))
        return bake_c_name(names, "_%s", word);
    /* `_` and a capital are the implementation's. */
    if (word[0] == '_' && bake_is_upper(word[1]))
        word++;
    return bake_c_is_reserved(word) ? bake_c_name(names, "%s_", word) : word;
}

void bake_c_names_fini(bake_c_names *names)
{
    if (!names)
        return;
    while (names->blocks) {
        bake_c_name_block *block = names->blocks;
        names->blocks = block->next;
        names->allocator.free(names->allocator.ctx, block, sizeof *block + block->size);
    }
    if (names->slots)
        names->allocator.free(names->allocator.ctx, names->slots,
                              names->slot_count * sizeof *names->slots);
    memset(names, 0, sizeof *names);
}
