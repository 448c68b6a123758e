/* Typed accessors, as inline functions of the generated header.
 *
 * They read bytes that the verifier has accepted, so they check nothing except by assert. Most
 * consist of a load and an addition, so compilers can optimize loops over them. */
#include "c_writer.h"

#include <stdio.h>
#include <string.h>

static void put_value_name(bake_c_writer *w, uint32_t number)
{
    const kiln_type *type = bake_c_type(w, number);
    const bake_c_type_name *name = bake_c_name_of(w, number);
    bake_c_begin_guard_of(w, number, "name");
    bake_c_put(
        &w->text,
        type->kind == KILN_KIND_FLAGS
            ? "/* Returns the name of exactly this set of flags, or NULL if it has none. */\n"
            : "/* Returns the name of the value in the data, or NULL if it has none. */\n");
    BAKE_C_EMIT(&w->text,
                "static inline const char *$1_name($1 value)\n"
                "{\n",
                name->stem);
    /* Two flags can have the same bits, but a switch must not repeat a value. */
    bool is_switch = type->kind == KILN_KIND_ENUM;
    if (is_switch)
        bake_c_put(&w->text, "    switch (value) {\n");
    for (uint32_t i = 0; i < type->member_count; i++) {
        BAKE_C_EMIT(&w->text,
                    is_switch ? "    case $1:\n        return "
                              : "    if (value == $1)\n        return ",
                    name->members[i]);
        bake_c_put_literal(&w->text, type->members[i].name);
        bake_c_put(&w->text, ";\n");
    }
    bake_c_put(&w->text, is_switch ? "    default:\n        return NULL;\n    }\n}\n"
                                   : "    return NULL;\n}\n");
    bake_c_end_guard(w);
}

/* Writes `_data` and `_at` for an array, or for a map, which is an array of entries. `_at` needs no
 * null check: an index below the count implies that there are elements. */
static void put_array_readers(bake_c_writer *w, const char *stem, const char *element)
{
    BAKE_C_EMIT(&w->text,
                "static inline const $2 *$1_data(const $1 *array)\n"
                "{\n"
                "    return (const $2 *)kiln_relative_get(array, array->offset);\n"
                "}\n"
                "static inline const $2 *$1_at(const $1 *array, uint32_t i)\n"
                "{\n"
                "    assert(i < array->count);\n"
                "    return (const $2 *)kiln_relative_target(array, array->offset) + i;\n"
                "}\n",
                stem, element);
}

/* <kiln/relative.h> has the accessors for arrays and optionals of built-in types. */
static void put_array(bake_c_writer *w, uint32_t number)
{
    const kiln_type *type = bake_c_type(w, number);
    const char *stem = bake_c_name_of(w, number)->stem;
    if (bake_c_is_builtin_element(w, type->element))
        return;
    bake_c_begin_guard_of(w, number, "data");
    bake_c_put(&w->text,
               "/* `data` returns NULL if the array is empty; `at` requires i < count. */\n");
    put_array_readers(w, stem, bake_c_name_of(w, type->element)->spelling);
    bake_c_end_guard(w);
}

static void put_optional(bake_c_writer *w, uint32_t number)
{
    const kiln_type *type = bake_c_type(w, number);
    const char *stem = bake_c_name_of(w, number)->stem;
    if (bake_c_is_builtin_element(w, type->element))
        return;
    bake_c_begin_guard_of(w, number, "get");
    BAKE_C_EMIT(&w->text,
                "/* Returns the value, or NULL if it is absent. */\n"
                "static inline const $2 *$1_get(const $1 *optional)\n"
                "{\n"
                "    return (const $2 *)kiln_relative_get(optional, optional->offset);\n"
                "}\n",
                stem, bake_c_name_of(w, type->element)->spelling);
    bake_c_end_guard(w);
}

static void put_union(bake_c_writer *w, uint32_t number)
{
    const kiln_type *type = bake_c_type(w, number);
    const bake_c_type_name *name = bake_c_name_of(w, number);
    bake_c_begin_guard_of(w, number, "get");
    for (uint32_t i = 0; i < type->member_count; i++) {
        if (type->members[i].type == KILN_TYPE_NONE)
            continue;
        /* A function of a field or another type may already have this name. */
        const char *get = bake_c_name_unique(
            &w->names, bake_c_name(&w->names, "%s_get_%s", name->stem, name->words[i]));
        BAKE_C_EMIT(
            &w->text,
            "/* Returns the value if the tag is $2, otherwise NULL. */\n"
            "static inline const $3 *$4(const $1 *choice)\n"
            "{\n"
            "    return choice->tag == $2 ? (const $3 *)kiln_ptr_get(&choice->value) : NULL;\n"
            "}\n",
            name->stem, name->members[i], bake_c_name_of(w, type->members[i].type)->spelling, get);
    }
    bake_c_end_guard(w);
}

static void put_string_compare(bake_c_writer *w)
{
    bake_c_begin_guard(w, "kiln_string_compare");
    bake_c_put(&w->text,
               "/* Compares in map key order: bytewise, and a prefix before longer strings. */\n"
               "static inline int kiln_string_compare(const kiln_string *string, const char *text, "
               "size_t length)\n"
               "{\n"
               "    size_t common = string->length < length ? string->length : length;\n"
               "    int order = common ? memcmp(kiln_string_get(string), text, common) : 0;\n"
               "    return order ? order : (string->length > length) - (string->length < length);\n"
               "}\n");
    bake_c_end_guard(w);
}

/* A comparison with NaN returns 1, so a search for NaN finds nothing. */
static void put_fixed_compare(bake_c_writer *w, uint32_t number)
{
    const char *stem = bake_c_name_of(w, number)->stem;
    char count[16];
    snprintf(count, sizeof count, "%u", (unsigned)bake_c_type(w, number)->count);
    bake_c_begin_guard_of(w, number, "compare");
    BAKE_C_EMIT(&w->text,
                "/* Compares in map key order: by the first element that differs. */\n"
                "static inline int $1_compare(const $1 *a, const $1 *b)\n"
                "{\n"
                "    for (uint32_t i = 0; i < $2; i++) {\n"
                "        if (a->v[i] < b->v[i])\n"
                "            return -1;\n"
                "        if (!(a->v[i] <= b->v[i]))\n"
                "            return 1;\n"
                "    }\n"
                "    return 0;\n"
                "}\n",
                stem, count);
    bake_c_end_guard(w);
}

/* The parts of a map search that depend on the key type: the parameters, the condition that an
 * entry is before the key, and the condition that the first of the other entries has the key. That
 * entry is not less than the key, so `<=` tests for equality. Comparisons with NaN are false, so a
 * NaN is not found. */
typedef struct search {
    const char *parameters, *before, *same;
} search;

static search search_for(bake_c_writer *w, uint32_t key)
{
    const char *spelling = bake_c_name_of(w, key)->spelling;
    bake_c_names *n = &w->names;
    const kiln_type *type = bake_c_type(w, key);
    if (type->kind == KILN_KIND_STRING)
        return (search){"const char *text, size_t length",
                        "kiln_string_compare(&entries[middle].key, text, length) < 0",
                        "kiln_string_compare(&entries[low].key, text, length) == 0"};
    if (type->kind == KILN_KIND_FIXED)
        return (search){bake_c_name(n, "const %s *key", spelling),
                        bake_c_name(n, "%s_compare(&entries[middle].key, key) < 0", spelling),
                        bake_c_name(n, "%s_compare(&entries[low].key, key) == 0", spelling)};
    if (type->kind == KILN_KIND_REF && type->element != KILN_TYPE_NONE)
        return (search){bake_c_name(n, "%s key", spelling), "entries[middle].key.id < key.id",
                        "entries[low].key.id == key.id"};
    return (search){bake_c_name(n, "%s key", spelling), "entries[middle].key < key",
                    "entries[low].key <= key"};
}

static void put_map(bake_c_writer *w, uint32_t number)
{
    const kiln_type *type = bake_c_type(w, number);
    const char *stem = bake_c_name_of(w, number)->stem;
    kiln_kind key = bake_c_type(w, type->key)->kind;
    if (key == KILN_KIND_STRING)
        put_string_compare(w);
    if (key == KILN_KIND_FIXED)
        put_fixed_compare(w, type->key);
    bake_c_begin_guard_of(w, number, "data");
    bake_c_put(&w->text, "/* Entries in key order. `data` returns NULL if the map is empty; `at` "
                         "requires i < count. */\n");
    put_array_readers(w, stem, bake_c_name(&w->names, "%s_entry", stem));
    search by = search_for(w, type->key);
    BAKE_C_EMIT(&w->text,
                "/* Returns the value of the key, or NULL if there is none. Binary search. */\n"
                "static inline const $2 *$1_find(const $1 *map, $3)\n"
                "{\n"
                "    const $1_entry *entries = $1_data(map);\n"
                "    uint32_t low = 0, high = map->count;\n"
                "    while (low < high) {\n"
                "        uint32_t middle = low + (high - low) / 2;\n"
                "        if ($4)\n"
                "            low = middle + 1;\n"
                "        else\n"
                "            high = middle;\n"
                "    }\n"
                "    return low < map->count && $5 ? &entries[low].value : NULL;\n"
                "}\n",
                stem, bake_c_name_of(w, type->element)->spelling, by.parameters, by.before,
                by.same);
    bake_c_end_guard(w);
}

/* Writes the accessor of a component field if the field is data. */
static void put_data(bake_c_writer *w, uint32_t number, uint32_t i)
{
    const bake_c_type_name *name = bake_c_name_of(w, number);
    const kiln_type *field = bake_c_type(w, bake_c_type(w, number)->members[i].type);
    const kiln_type *of = bake_c_in_fixed(w, bake_c_type(w, number)->members[i].type);
    if (of->kind != KILN_KIND_DATA)
        return;
    const char *call =
        bake_c_name_unique(&w->names, bake_c_name(&w->names, "%s_%s", name->stem, name->words[i]));
    const char *spelling = bake_c_name_of(w, of->element)->spelling;
    /* In a fixed array each element is separate data, so the accessor takes an index. */
    if (field == of)
        BAKE_C_EMIT(&w->text,
                    "static inline const $2 *$3(const $1 *component)\n"
                    "{\n"
                    "    return (const $2 *)kiln_data_get(component->$4);\n"
                    "}\n",
                    name->stem, spelling, call, name->members[i]);
    else
        BAKE_C_EMIT(&w->text,
                    "static inline const $2 *$3(const $1 *component, uint32_t i)\n"
                    "{\n"
                    "    assert(i < $5);\n"
                    "    const void *words = component->$4;\n"
                    "    return (const $2 *)kiln_data_get(((const kiln_data *)words)[i]);\n"
                    "}\n",
                    name->stem, spelling, call, name->members[i],
                    bake_c_name(&w->names, "%u", (unsigned)(field->size / of->size)));
}

static bool has_data(bake_c_writer *w, const kiln_type *type)
{
    for (uint32_t i = 0; i < type->member_count; i++)
        if (bake_c_in_fixed(w, type->members[i].type)->kind == KILN_KIND_DATA)
            return true;
    return false;
}

static void put_all_data(bake_c_writer *w, uint32_t number)
{
    const kiln_type *type = bake_c_type(w, number);
    if (!has_data(w, type))
        return;
    bake_c_begin_guard_of(w, number, "values");
    bake_c_put(&w->text, "/* Values of data fields in a loaded scene; NULL if empty. */\n");
    for (uint32_t i = 0; i < type->member_count; i++)
        put_data(w, number, i);
    bake_c_end_guard(w);
}

void bake_c_write_accessors(bake_c_writer *w)
{
    for (uint32_t i = 0; i < w->names.count; i++) {
        if (bake_c_name_of(w, i)->is_repeat)
            continue;
        switch (bake_c_type(w, i)->kind) {
        case KILN_KIND_ENUM:
        case KILN_KIND_FLAGS:
            put_value_name(w, i);
            break;
        case KILN_KIND_ARRAY:
            put_array(w, i);
            break;
        case KILN_KIND_OPTIONAL:
            put_optional(w, i);
            break;
        case KILN_KIND_UNION:
            put_union(w, i);
            break;
        case KILN_KIND_MAP:
            put_map(w, i);
            break;
        case KILN_KIND_STRUCT:
            put_all_data(w, i);
            break;
        default:
            break;
        }
    }
}

static void put_root(bake_c_writer *w, uint32_t number)
{
    const char *stem = bake_c_name_of(w, number)->stem;
    bake_c_begin_guard_of(w, number, "root");
    BAKE_C_EMIT(
        &w->text,
        "static const kiln_root_type $1_root_type = {\"$2\", $1_LAYOUT};\n"
        "\n"
        "/* Returns the root of the asset. On failure returns NULL and fills `reterr`. */\n"
        "static inline const $1 *$1_root(kiln_file *file, kiln_asset asset, kiln_error *reterr)\n"
        "{\n"
        "    return (const $1 *)kiln_file_root(file, asset, &$1_root_type, reterr);\n"
        "}\n"
        "\n"
        "/* Same, for the asset named `Kind/id`. On KILN_NOT_FOUND, `reterr->path` is the name. "
        "*/\n"
        "static inline const $1 *$1_find(kiln_file *file, const char *name, kiln_error *reterr)\n"
        "{\n"
        "    kiln_asset asset = kiln_file_find(file, name);\n"
        "    if (asset.number)\n"
        "        return $1_root(file, asset, reterr);\n"
        "    kiln_fail(reterr, KILN_NOT_FOUND, 0, name);\n"
        "    return NULL;\n"
        "}\n",
        stem, bake_c_type(w, number)->name);
    bake_c_end_guard(w);
}

static void put_ref_get(bake_c_writer *w, uint32_t number)
{
    const kiln_type *type = bake_c_type(w, number);
    /* Only references to an asset type have a type to return. */
    if (type->element == KILN_TYPE_NONE ||
        !(bake_c_type(w, type->element)->flags & KILN_TYPE_ASSET))
        return;
    const char *stem = bake_c_name_of(w, number)->stem;
    bake_c_begin_guard_of(w, number, "get");
    BAKE_C_EMIT(&w->text,
                "/* Returns the root of the referenced asset, which must be in this file. */\n"
                "static inline const $2 *$1_get(kiln_file *file, $1 ref, kiln_error *reterr)\n"
                "{\n"
                "    return $2_root(file, kiln_file_find_id(file, ref.id), reterr);\n"
                "}\n",
                stem, bake_c_name_of(w, type->element)->stem);
    bake_c_end_guard(w);
}

void bake_c_write_roots(bake_c_writer *w)
{
    /* `_get` of a reference calls `_root` of its asset type, so all `_root` functions come
     * first. */
    for (uint32_t i = 0; i < w->names.count; i++)
        if (bake_c_is_asset(w, i))
            put_root(w, i);
    for (uint32_t i = 0; i < w->names.count; i++)
        if (bake_c_type(w, i)->kind == KILN_KIND_REF)
            put_ref_get(w, i);
}

void bake_c_write_owners(bake_c_writer *w)
{
    for (uint32_t i = 0; i < w->names.count; i++) {
        if (!bake_c_is_asset(w, i))
            continue;
        bake_c_begin_guard_of(w, i, "owned");
        BAKE_C_EMIT(&w->text,
                    "template <> struct kiln_root_traits<$1> {\n"
                    "    static kiln_root_type type() { return {\"$2\", $1_LAYOUT}; }\n"
                    "};\n"
                    "using $1_owned = kiln_owned<$1>;\n",
                    bake_c_name_of(w, i)->stem, bake_c_type(w, i)->name);
        bake_c_end_guard(w);
    }
}
