/* The list of types under construction. Named types are found by name, unnamed types by form, each
 * in a hash table. Type indexes never change, but the arrays move when they grow: do not hold a
 * pointer to an element across a call that can add a type. */
#include "schema_reader.h"

#include "bake_memory.h"
#include "bake_text.h"
#include "lower_bound.h"

#include <stdlib.h>
#include <string.h>

static const char *const builtin_names[] = {"bool",  "i8",  "i16", "i32",    "i64",  "u8",
                                            "u16",   "u32", "u64", "f32",    "f64",  "string",
                                            "bytes", "ref", "map", "entity", "data", "payload"};
enum { BUILTIN_COUNT = sizeof builtin_names / sizeof *builtin_names };

bool bake_schema_is_builtin(const char *name, size_t length)
{
    for (size_t i = 0; i < BUILTIN_COUNT; i++)
        if (bake_text_is(name, length, builtin_names[i]))
            return true;
    return false;
}

static bool has_name(const schema_reader *reader, uint32_t number, text_key name)
{
    return bake_text_is(name.text, name.length, reader->types[number].name);
}

HASH_TABLE(types_by_name, const schema_reader *, text_key, hash_of_text, has_name)

/* Two unnamed types are equal if their kinds, parts, counts and alignments are equal. */
static uint32_t hash_of_form(const hash_table *table, const kiln_type *type)
{
    uint32_t parts[5] = {(uint32_t)type->kind, type->element, type->key, type->count,
                         type->align_at};
    return (uint32_t)kiln_hash64(parts, sizeof parts, table->seed);
}

static bool has_form(const schema_reader *reader, uint32_t number, const kiln_type *type)
{
    const kiln_type *other = &reader->types[number];
    return other->kind == type->kind && other->element == type->element &&
           other->key == type->key && other->count == type->count &&
           other->align_at == type->align_at;
}

HASH_TABLE(types_by_form, const schema_reader *, const kiln_type *, hash_of_form, has_form)

uint32_t bake_schema_add_type(schema_reader *reader, const kiln_type *type,
                              const schema_type *extra)
{
    size_t needed = (size_t)reader->type_count + 1;
    kiln_type *types = bake_grow(reader->types, &reader->type_capacity, needed, sizeof *types);
    if (types)
        reader->types = types;
    schema_type *extras =
        bake_grow(reader->extras, &reader->extra_capacity, needed, sizeof *extras);
    if (extras)
        reader->extras = extras;
    hash_table *table = *type->name ? &reader->by_name : &reader->by_form;
    if (!types || !extras || !bake_table_reserve(table)) {
        bake_fail_memory(reader->failure);
        return KILN_TYPE_NONE;
    }
    uint32_t number = reader->type_count;
    reader->types[number] = *type;
    reader->extras[number] = *extra;
    hash_slot *slot =
        *type->name ? types_by_name_slot(table, reader, (text_key){type->name, strlen(type->name)})
                    : types_by_form_slot(table, reader, type);
    hash_table_put(table, slot, number);
    return reader->type_count++;
}

kiln_type bake_schema_blank_type(kiln_kind kind, const char *name)
{
    kiln_type type;
    memset(&type, 0, sizeof type);
    type.kind = kind;
    type.name = name;
    type.doc = "";
    type.element = type.key = KILN_TYPE_NONE;
    return type;
}

uint32_t bake_schema_find_type(const schema_reader *reader, const char *name, size_t length)
{
    uint32_t found = types_by_name_find(&reader->by_name, reader, (text_key){name, length});
    return found == HASH_TABLE_NONE ? (uint32_t)KILN_TYPE_NONE : found;
}

/* A name without a dot is looked up in the namespace of the file first. */
uint32_t bake_schema_look_up(schema_reader *reader, const schema_file *file, const char *name,
                             size_t length)
{
    if (*file->name_space && !memchr(name, '.', length)) {
        const char *unqualified = bake_store_text(reader->store, name, length);
        const char *qualified =
            unqualified ? bake_store_join(reader->store, file->name_space, '.', unqualified) : NULL;
        uint32_t found = qualified ? bake_schema_find_type(reader, qualified, strlen(qualified))
                                   : (uint32_t)KILN_TYPE_NONE;
        if (found != KILN_TYPE_NONE)
            return found;
    }
    return bake_schema_find_type(reader, name, length);
}

/* blobfmt limits the nesting of unnamed types; a named type resets the depth to 0. The element of a
 * ref is stored as a name, so it does not count. */
uint32_t bake_schema_intern(schema_reader *reader, const kiln_type *type, const schema_file *file,
                            bake_mark mark)
{
    kiln_type unnamed = bake_schema_blank_type(type->kind, "");
    unnamed.element = type->element;
    unnamed.key = type->key;
    unnamed.count = type->count;
    unnamed.align_at = type->align_at;
    uint32_t found = types_by_form_find(&reader->by_form, reader, &unnamed);
    if (found != HASH_TABLE_NONE)
        return found;
    schema_type extra;
    memset(&extra, 0, sizeof extra);
    extra.file = file;
    extra.name = "";
    extra.mark = mark;
    uint32_t parts[2] = {unnamed.key,
                         unnamed.kind == KILN_KIND_REF ? KILN_TYPE_NONE : unnamed.element};
    for (int i = 0; i < 2; i++) {
        if (parts[i] == KILN_TYPE_NONE)
            continue;
        bool is_named = *reader->types[parts[i]].name != '\0';
        uint8_t below = is_named ? 0 : reader->extras[parts[i]].anonymous_depth;
        if (below >= extra.anonymous_depth)
            extra.anonymous_depth = (uint8_t)(below + 1);
    }
    return bake_schema_add_type(reader, &unnamed, &extra);
}

void bake_schema_hint_types(schema_reader *reader, const schema_file *file, const char *name,
                            size_t length)
{
    if (!bake_hints_wanted(reader->diagnostics))
        return;
    size_t count = 0, prefix = strlen(file->name_space);
    /* Compare qualified names with qualified names, and others with unqualified names. */
    if (memchr(name, '.', length))
        prefix = 0;
    else if (bake_schema_hint_foreign_type(reader, name, length))
        return;
    const char **names =
        bake_alloc_array(BUILTIN_COUNT + (size_t)reader->named_count, sizeof *names);
    /* If memory runs out, the hint is omitted. */
    if (!names)
        return;
    for (; count < BUILTIN_COUNT; count++)
        names[count] = builtin_names[count];
    for (uint32_t i = 0; i < reader->named_count; i++) {
        const char *other = reader->types[i].name;
        bool own =
            prefix > 0 && strncmp(other, file->name_space, prefix) == 0 && other[prefix] == '.';
        names[count++] = own ? other + prefix + 1 : other;
    }
    bake_hint_similar(reader->diagnostics, name, length, names, count);
    bake_free(names);
}

/* ---- members of types under construction, by name. They are sorted on the first lookup, because
 * many file rules can look up members of one type ---- */

static int compare_members(const void *a, const void *b)
{
    const kiln_member *const *left = a, *const *right = b;
    int order = strcmp((*left)->name, (*right)->name);
    return order ? order : (*left > *right) - (*left < *right);
}

/* Returns false if memory runs out. */
static bool sort_members(schema_reader *reader, uint32_t number)
{
    const kiln_type *type = &reader->types[number];
    const kiln_member **sorted =
        bake_store_alloc(reader->store, (size_t)type->member_count + 1, sizeof *sorted);
    if (!sorted)
        return false;
    for (uint32_t i = 0; i < type->member_count; i++)
        sorted[i] = &type->members[i];
    if (type->member_count > 1)
        qsort(sorted, type->member_count, sizeof *sorted, compare_members);
    reader->extras[number].by_name = sorted;
    reader->extras[number].by_name_of = type->members;
    return true;
}

static bool member_is_below(const void *sorted, size_t at, const void *name)
{
    return strcmp(((const kiln_member *const *)sorted)[at]->name, name) < 0;
}

uint32_t bake_schema_find_member(schema_reader *reader, uint32_t number, const char *name)
{
    const kiln_type *type = &reader->types[number];
    bool is_sorted =
        reader->extras[number].by_name && reader->extras[number].by_name_of == type->members;
    if (!is_sorted && !sort_members(reader, number)) {
        bake_report_no_memory(reader->diagnostics);
        return UINT32_MAX;
    }
    const kiln_member **sorted = reader->extras[number].by_name;
    size_t at = lower_bound(sorted, 0, type->member_count, member_is_below, name);
    const kiln_member *found = at < type->member_count ? sorted[at] : NULL;
    return found && strcmp(found->name, name) == 0 ? (uint32_t)(found - type->members) : UINT32_MAX;
}

void bake_schema_hint_members(schema_reader *reader, uint32_t number, const char *name)
{
    const kiln_type *type = &reader->types[number];
    if (!bake_hints_wanted(reader->diagnostics))
        return;
    const char **names = bake_alloc_array(type->member_count, sizeof *names);
    for (uint32_t i = 0; names && i < type->member_count; i++)
        names[i] = type->members[i].name;
    /* If memory runs out, the hint is omitted. */
    if (names)
        bake_hint_similar(reader->diagnostics, name, strlen(name), names, type->member_count);
    bake_free(names);
}

bool bake_schema_is_asset(const schema_reader *reader, uint32_t type)
{
    return reader->types[type].kind == KILN_KIND_STRUCT &&
           (reader->types[type].flags & KILN_TYPE_ASSET);
}
