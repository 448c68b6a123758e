/* Names of all types, members and functions. Each identifier of a header is claimed in one table,
 * so it is defined only once. Names are claimed in type order, so they are stable. */
#include "c_names.h"

#include "ascii.h"

#include <kiln/chunk_layout.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- storage of names, and the table of taken names ---- */

enum { BLOCK_SIZE = 32768 };

typedef struct bake_c_name_block {
    struct bake_c_name_block *next;
    size_t size, used; /* bytes after this struct */
} bake_c_name_block;

typedef struct taken_name {
    const char *name;
    uint32_t owner; /* type index; KILN_TYPE_NONE: no type */
} taken_name;

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
    va_list arguments, copy;
    va_start(arguments, format);
    va_copy(copy, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    char *name = length < 0 ? NULL : bake_c_name_alloc(names, (size_t)length + 1);
    if (name)
        vsnprintf(name, (size_t)length + 1, format, copy);
    va_end(copy);
    return name ? name : "";
}

static const taken_name *taken_at(const bake_c_names *names, uint32_t number)
{
    return series_at(&names->taken, number, sizeof(taken_name));
}

static uint32_t hash_of_name(const hash_table *table, const char *name)
{
    return hash_of_text(table, (text_key){name, strlen(name)});
}

static bool has_name(const bake_c_names *names, uint32_t number, const char *name)
{
    return strcmp(taken_at(names, number)->name, name) == 0;
}

HASH_TABLE(taken_by_name, const bake_c_names *, const char *, hash_of_name, has_name)

/* Claims `name` for the type `owner`, or for no type (KILN_TYPE_NONE). `name` must be valid as long
 * as `names`. Returns false and sets `*ret_owner` if the name is taken. Also returns true if memory
 * runs out, because callers check `failed` once at the end. */
static bool claim_name(bake_c_names *names, const char *name, uint32_t owner, uint32_t *ret_owner)
{
    if (!hash_table_reserve(&names->by_name, &names->allocator)) {
        names->failed = true;
        return true;
    }
    hash_slot *slot = taken_by_name_slot(&names->by_name, names, name);
    if (!hash_slot_is_empty(slot)) {
        *ret_owner = taken_at(names, hash_slot_number(slot))->owner;
        return false;
    }
    taken_name *taken = series_push(&names->taken, &names->allocator, sizeof *taken);
    if (!taken) {
        names->failed = true;
        return true;
    }
    *taken = (taken_name){name, owner};
    hash_table_put(&names->by_name, slot, names->taken.count - 1);
    return true;
}

/* Whether `name` is taken. */
static bool is_taken(const bake_c_names *names, const char *name)
{
    return taken_by_name_find(&names->by_name, names, name) != HASH_TABLE_NONE;
}

const char *bake_c_name_unique(bake_c_names *names, const char *name)
{
    uint32_t owner;
    const char *candidate = name;
    for (unsigned i = 2; !names->failed && !claim_name(names, candidate, KILN_TYPE_NONE, &owner);
         i++)
        candidate = bake_c_name(names, "%s_%u", name, i);
    return candidate;
}

const char *bake_c_name_word(bake_c_names *names, const char *text)
{
    size_t length = strlen(text), size = 0;
    char *word = bake_c_name_alloc(names, length + 1);
    if (!word)
        return "";
    bool ends_in_replacement = true; /* the last `_` is a replacement */
    for (size_t i = 0; i < length; i++) {
        if (bake_is_alphabetic(text[i]) || bake_is_digit(text[i])) {
            word[size++] = text[i];
            ends_in_replacement = false;
        } else if (size == 0 ? text[i] == '_' : word[size - 1] != '_') {
            ends_in_replacement = text[i] != '_';
            word[size++] = '_';
        }
    }
    if (size && word[size - 1] == '_' && ends_in_replacement)
        size--;
    word[size] = '\0';
    return word;
}

/* Like bake_c_name_word, but returns a valid identifier: not empty, no leading digit, not
 * reserved. */
static const char *identifier(bake_c_names *names, const char *text)
{
    const char *word = bake_c_name_word(names, text);
    if (!*word)
        return "unnamed";
    if (bake_is_digit(*word))
        return bake_c_name(names, "_%s", word);
    /* C reserves `_` before a capital letter. */
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
    kiln_series_fini(&names->taken, &names->allocator, sizeof(taken_name));
    kiln_hash_table_fini(&names->by_name, &names->allocator);
    memset(names, 0, sizeof *names);
}

/* ---- names of types and members ---- */

/* Whether two types are equal in C. Only the alignments of their targets may differ. */
static bool is_same_in_c(const kiln_types *types, uint32_t a, uint32_t b)
{
    if (a == b)
        return true;
    const kiln_type *left = kiln_types_get(types, a), *right = kiln_types_get(types, b);
    if (!left || !right || left->kind != right->kind || kiln_kind_is_named(left->kind) ||
        left->count != right->count)
        return false;
    if (left->kind == KILN_KIND_DATA)
        return true;
    return is_same_in_c(types, left->element, right->element) &&
           (left->kind != KILN_KIND_MAP || is_same_in_c(types, left->key, right->key));
}

static kiln_status refuse(bake_c_names *names, uint32_t type, uint32_t owner, const char *name,
                          kiln_error *reterr)
{
    char first[KILN_PATH_SIZE], second[KILN_PATH_SIZE], path[KILN_PATH_SIZE];
    kiln_type_expression(names->types, type, first, sizeof first);
    if (owner == KILN_TYPE_NONE) {
        snprintf(path, sizeof path, "%.120s (%.120s in C)", first, name);
    } else {
        kiln_type_expression(names->types, owner, second, sizeof second);
        snprintf(path, sizeof path, "%.76s and %.76s (both %.76s in C)", second, first, name);
    }
    return kiln_fail(reterr, KILN_T_NAME, 0, path);
}

/* Claims the stem of the type with each of the suffixes. */
static kiln_status claim_suffixes(bake_c_names *names, uint32_t number, const char *const *endings,
                                  kiln_error *reterr)
{
    const char *stem = names->of[number].stem;
    for (; *endings; endings++) {
        const char *name = bake_c_name(names, "%s%s", stem, *endings);
        uint32_t owner = KILN_TYPE_NONE;
        if (!names->failed && !claim_name(names, name, number, &owner))
            return refuse(names, number, owner, name, reterr);
    }
    return KILN_OK;
}

/* Claims `.NAME` for a macro, so that no field gets a name that the preprocessor replaces. */
static void claim_macro(bake_c_names *names, const char *name)
{
    uint32_t owner;
    claim_name(names, bake_c_name(names, ".%s", name), KILN_TYPE_NONE, &owner);
}

#define LIST(...) ((const char *const[]){__VA_ARGS__, NULL})

/* A struct without fields is a tag and has no column, so its size and alignment do not matter. */
static bool can_be_component(const kiln_type *type)
{
    return !type->member_count || (!type->has_pointers && type->size <= KILN_CHUNK_SIZE &&
                                   type->align <= KILN_COLUMN_ALIGN);
}

static kiln_status claim_struct(bake_c_names *names, uint32_t number, kiln_error *reterr)
{
    const kiln_type *type = kiln_types_get(names->types, number);
    bake_c_type_name *name = &names->of[number];
    name->is_component = can_be_component(type);
    kiln_status status =
        claim_suffixes(names, number, LIST("", "_LAYOUT", "_new", "_finish"), reterr);
    if (!status && type->flags & KILN_TYPE_ASSET)
        status =
            claim_suffixes(names, number, LIST("_root_type", "_root", "_find", "_owned"), reterr);
    if (!status && name->is_component) {
        status = claim_suffixes(names, number,
                                LIST("_COMPONENT", "_entity_places", "_asset_places"), reterr);
        claim_macro(names, bake_c_name(names, "%s_COMPONENT", name->stem));
    }
    return status;
}

static kiln_status claim_type(bake_c_names *names, uint32_t number, kiln_error *reterr)
{
    const kiln_type *type = kiln_types_get(names->types, number);
    bake_c_type_name *name = &names->of[number];
    uint32_t owner = KILN_TYPE_NONE;
    if (type->kind == KILN_KIND_FIXED && !name->is_wrapped)
        return KILN_OK;
    if (!*type->name && !claim_name(names, name->stem, number, &owner)) {
        /* So far only types have claimed names, so there is an owner. */
        if (!is_same_in_c(names->types, number, owner))
            return refuse(names, number, owner, name->stem, reterr);
        name->is_repeat = true;
        name->repeats = owner;
        names->of[owner].is_wrapped |= name->is_wrapped;
        names->of[owner].is_listed |= name->is_listed;
        return KILN_OK;
    }
    if (*type->name)
        claim_macro(names, bake_c_name(names, "%s_LAYOUT", name->stem));
    switch (type->kind) {
    case KILN_KIND_ENUM:
    case KILN_KIND_FLAGS:
        return claim_suffixes(names, number, LIST("", "_LAYOUT", "_name"), reterr);
    case KILN_KIND_STRUCT:
        return claim_struct(names, number, reterr);
    case KILN_KIND_UNION:
        return claim_suffixes(names, number, LIST("", "_LAYOUT", "_share"), reterr);
    case KILN_KIND_REF:
        return claim_suffixes(names, number, LIST("_get"), reterr);
    case KILN_KIND_ARRAY:
        return claim_suffixes(names, number, LIST("_data", "_at", "_new", "_share"), reterr);
    case KILN_KIND_OPTIONAL:
        return claim_suffixes(names, number, LIST("_get", "_new", "_share"), reterr);
    case KILN_KIND_MAP:
        return claim_suffixes(names, number,
                              LIST("_entry", "_data", "_at", "_find", "_new", "_share",
                                   "_entry_view", "_entry_view_at"),
                              reterr);
    case KILN_KIND_FIXED:
        return claim_suffixes(names, number, LIST("_compare"), reterr);
    default:
        return KILN_OK;
    }
}

static const char *const spellings[] = {
    [KILN_KIND_BOOL] = "uint8_t",     [KILN_KIND_I8] = "int8_t",
    [KILN_KIND_I16] = "int16_t",      [KILN_KIND_I32] = "int32_t",
    [KILN_KIND_I64] = "int64_t",      [KILN_KIND_U8] = "uint8_t",
    [KILN_KIND_U16] = "uint16_t",     [KILN_KIND_U32] = "uint32_t",
    [KILN_KIND_U64] = "uint64_t",     [KILN_KIND_F32] = "float",
    [KILN_KIND_F64] = "double",       [KILN_KIND_STRING] = "kiln_string",
    [KILN_KIND_BYTES] = "kiln_bytes",
};

/* Returns the stem without the prefix `kiln_`, for the value type in the name of a map. */
static const char *short_stem(const char *stem)
{
    return strncmp(stem, "kiln_", 5) == 0 ? stem + 5 : stem;
}

/* Fills stem and spelling. Unnamed types nest at most KILN_ANONYMOUS_DEPTH_MAX deep, which bounds
 * the recursion. */
static void name_type(bake_c_names *names, uint32_t number)
{
    const kiln_type *type = kiln_types_get(names->types, number);
    bake_c_type_name *name = &names->of[number];
    if (name->stem)
        return;
    name->stem = name->spelling = "";
    const char *element = "";
    if (type->element != KILN_TYPE_NONE) {
        name_type(names, type->element);
        element = names->of[type->element].stem;
    }
    switch (type->kind) {
    case KILN_KIND_REF:
        name->stem = *element ? bake_c_name(names, "%s_ref", element) : "kiln_id";
        break;
    case KILN_KIND_ENUM:
    case KILN_KIND_FLAGS:
    case KILN_KIND_STRUCT:
    case KILN_KIND_UNION:
        name->stem = bake_c_name_word(names, type->name);
        if (bake_c_is_reserved_global(name->stem))
            name->stem = bake_c_name(names, "%s_", name->stem);
        break;
    case KILN_KIND_ARRAY:
        name->stem = bake_c_name(names, "%s_array", element);
        break;
    case KILN_KIND_MAP:
        name_type(names, type->key);
        name->stem =
            bake_c_name(names, "%s_%s_map", names->of[type->key].stem, short_stem(element));
        break;
    case KILN_KIND_OPTIONAL:
        name->stem = bake_c_name(names, "%s_optional", element);
        break;
    case KILN_KIND_ENTITY:
    case KILN_KIND_DATA:
        name->stem = type->kind == KILN_KIND_DATA ? "kiln_data" : "kiln_entity";
        break;
    case KILN_KIND_FIXED:
        name->stem = bake_c_name(names, "%s_x%u", element, (unsigned)type->count);
        break;
    default:
        name->stem = bake_c_name(names, "kiln_%s", kiln_kind_name(type->kind));
        name->spelling = spellings[type->kind];
        return;
    }
    name->spelling = name->stem;
}

/* Marks types that are parts of unnamed types or unions. Elements of arrays need views, and fixed
 * arrays among the parts need a wrapper. */
static void mark_uses(bake_c_names *names, uint32_t number)
{
    const kiln_type *type = kiln_types_get(names->types, number);
    switch (type->kind) {
    case KILN_KIND_ARRAY:
        names->of[type->element].is_listed = true;
        names->of[type->element].is_wrapped = true;
        break;
    case KILN_KIND_MAP:
        names->of[type->key].is_wrapped = true;
        names->of[type->element].is_wrapped = true;
        break;
    case KILN_KIND_OPTIONAL:
    case KILN_KIND_DATA:
        names->of[type->element].is_wrapped = true;
        break;
    case KILN_KIND_UNION:
        for (uint32_t i = 0; i < type->member_count; i++)
            if (type->members[i].type != KILN_TYPE_NONE)
                names->of[type->members[i].type].is_wrapped = true;
        break;
    default:
        break;
    }
}

/* Field names are claimed as `stem.field`, because each struct has its own namespace. The names of
 * the struct and of its field types are claimed first: in C++ no field can have them. */
static void claim_field_types(bake_c_names *names, uint32_t number)
{
    const kiln_type *type = kiln_types_get(names->types, number);
    const char *stem = names->of[number].stem;
    uint32_t owner;
    claim_name(names, bake_c_name(names, "%s.%s", stem, stem), number, &owner);
    for (uint32_t i = 0; i < type->member_count && !names->failed; i++) {
        uint32_t of = type->members[i].type;
        while (kiln_types_get(names->types, of)->kind == KILN_KIND_FIXED)
            of = kiln_types_get(names->types, of)->element;
        const char *spelling = names->of[of].spelling;
        if (type->flags & KILN_TYPE_COMPONENT &&
            kiln_types_get(names->types, of)->kind == KILN_KIND_REF)
            spelling = "kiln_ref";
        claim_name(names, bake_c_name(names, "%s.%s", stem, spelling), number, &owner);
    }
}

static const char *name_field(bake_c_names *names, uint32_t number, const char *text)
{
    const char *field = identifier(names, text), *stem = names->of[number].stem;
    const char *candidate = field;
    uint32_t owner;
    for (unsigned i = 2; !names->failed; i++) {
        if (!is_taken(names, bake_c_name(names, ".%s", candidate)) &&
            claim_name(names, bake_c_name(names, "%s.%s", stem, candidate), number, &owner))
            return candidate;
        candidate = bake_c_name(names, "%s_%u", field, i);
    }
    return "";
}

static void name_members(bake_c_names *names, uint32_t number)
{
    const kiln_type *type = kiln_types_get(names->types, number);
    bake_c_type_name *name = &names->of[number];
    if (!kiln_kind_is_named(type->kind) || !type->member_count)
        return;
    name->members = bake_c_name_alloc(names, type->member_count * sizeof *name->members);
    name->words = bake_c_name_alloc(names, type->member_count * sizeof *name->words);
    name->choices = bake_c_name_alloc(names, type->member_count * sizeof *name->choices);
    if (type->kind == KILN_KIND_STRUCT)
        claim_field_types(names, number);
    for (uint32_t i = 0; i < type->member_count && !names->failed; i++) {
        const char *text = type->members[i].name, *word = bake_c_name_word(names, text);
        name->words[i] = *word ? word : "unnamed";
        if (type->kind == KILN_KIND_STRUCT) {
            name->members[i] = name_field(names, number, text);
        } else {
            name->members[i] =
                bake_c_name_unique(names, bake_c_name(names, "%s_%s", name->stem, name->words[i]));
            /* The name can be a macro, because C11 limits enum constants to int. */
            claim_macro(names, name->members[i]);
            if (type->kind == KILN_KIND_UNION)
                name->choices[i] = bake_c_name_unique(
                    names, bake_c_name(names, "%s_choose_%s", name->stem, name->words[i]));
        }
    }
}

static kiln_status name_all(bake_c_names *names, kiln_error *reterr)
{
    for (uint32_t i = 0; i < names->count; i++)
        name_type(names, i);
    for (uint32_t i = 0; i < names->count; i++)
        mark_uses(names, i);
    kiln_status status = KILN_OK;
    for (uint32_t i = 0; i < names->count && !status && !names->failed; i++) {
        /* The prefix `kiln_` is reserved for Kiln, and so for the types of payloads. */
        const kiln_type *type = kiln_types_get(names->types, i);
        if (kiln_kind_is_named(type->kind) && strncmp(names->of[i].stem, "kiln_", 5) == 0 &&
            strcmp(type->name, "kiln.Payload") != 0 && strcmp(type->name, "kiln.PayloadFrame") != 0)
            status = refuse(names, i, KILN_TYPE_NONE, names->of[i].stem, reterr);
        else
            status = claim_type(names, i, reterr);
    }
    for (uint32_t i = 0; i < names->count && !status && !names->failed; i++)
        if (names->of[i].is_listed && !names->of[i].is_repeat)
            status = claim_suffixes(names, i, LIST("_view", "_view_at"), reterr);
    /* Fields come last, because their names depend on all macros. */
    for (int fields = 0; fields < 2; fields++)
        for (uint32_t i = 0; i < names->count && !status && !names->failed; i++)
            if ((kiln_types_get(names->types, i)->kind == KILN_KIND_STRUCT) == (fields == 1))
                name_members(names, i);
    return status;
}

kiln_status bake_c_names_init(bake_c_names *names, const kiln_types *types,
                              const kiln_allocator *allocator, kiln_error *reterr)
{
    memset(names, 0, sizeof *names);
    names->allocator = allocator ? *allocator : kiln_allocator_default();
    names->types = types;
    names->count = kiln_types_count(types);
    names->of = bake_c_name_alloc(names, (names->count + (size_t)1) * sizeof *names->of);
    if (!names->of)
        return kiln_fail(reterr, KILN_NO_MEMORY, 0, NULL);
    memset(names->of, 0, names->count * sizeof *names->of);
    kiln_status status = name_all(names, reterr);
    return names->failed ? kiln_fail(reterr, KILN_NO_MEMORY, 0, NULL) : status;
}
