/* Lookups by name in a finished schema: kinds, rules, and members of types. */
#include "schema.h"

#include "bake_table.h"
#include "bake_text.h"
#include "hash_inline.h"
#include "path_match.h"

#include <string.h>

const bake_kind *bake_schema_kind(const bake_schema *schema, const char *name, size_t length)
{
    size_t at =
        bake_find_name(schema->kinds, schema->kind_count, sizeof *schema->kinds, name, length);
    return at < schema->kind_count ? &schema->kinds[at] : NULL;
}

const char *bake_schema_scene_kind(const bake_schema *schema, const char *name, size_t length)
{
    static const char default_kind[] = "Scene";
    const char *found = NULL;
    for (size_t i = 0; i < schema->rule_count; i++) {
        const bake_file_rule *rule = &schema->rules[i];
        const char *kind = rule->shape == BAKE_SHAPE_SCENE ? rule->kind : NULL;
        if (kind && bake_text_is(name, length, kind))
            return kind;
        if (kind && length == sizeof default_kind - 1 && memcmp(name, default_kind, length) == 0)
            found = default_kind;
    }
    return found;
}

static bool is_word(const char *word, const char *key, size_t length)
{
    return word && bake_text_is(key, length, word);
}

const bake_head *bake_schema_head(const bake_file_rule *rule, const char *key, size_t length)
{
    for (uint32_t i = 0; rule && i < rule->head_count; i++)
        if (is_word(rule->heads[i].key, key, length))
            return &rule->heads[i];
    return NULL;
}

bool bake_schema_is_asset_key(const bake_schema *schema, const bake_file_rule *rule, uint32_t type,
                              const char *key, size_t length)
{
    const bake_type_info *info = &schema->info[type];
    if (is_word(info->parent, key, length) || is_word(info->abstract, key, length))
        return true;
    if (rule && rule->shape == BAKE_SHAPE_ONE && bake_schema_head(rule, key, length))
        return true;
    if (!rule || (rule->shape != BAKE_SHAPE_LIST && rule->shape != BAKE_SHAPE_MAP))
        return false;
    if (is_word(rule->by, key, length))
        return true;
    return rule->shape == BAKE_SHAPE_LIST &&
           is_word(bake_schema_id_key(schema, rule, type), key, length);
}

const char *bake_schema_id_key(const bake_schema *schema, const bake_file_rule *rule, uint32_t type)
{
    const char *own = schema->info[type].id;
    return rule->by && own ? own : rule->id;
}

const kiln_member *bake_schema_member(const bake_schema *schema, uint32_t type, const char *name,
                                      size_t length, bool *ret_was)
{
    const kiln_type *of = kiln_types_get(schema->types, type);
    const kiln_member *member = bake_schema_current_member(schema, type, name, length);
    *ret_was = false;
    if (member || schema->info[type].was_count == 0)
        return member;
    const bake_was *was = schema->was + schema->info[type].first_was;
    size_t count = schema->info[type].was_count;
    size_t at = bake_find_name(was, count, sizeof *was, name, length);
    *ret_was = at < count;
    return at < count ? &of->members[was[at].member] : NULL;
}

bool bake_schema_is_file_kind(const bake_schema *schema, const char *name, size_t length)
{
    const char *kind = schema->file_kind;
    return kind && bake_text_is(name, length, kind);
}

bool bake_type_has_empty(const kiln_types *types, uint32_t type)
{
    const kiln_type *of = kiln_types_get(types, bake_type_unwrapped(types, type));
    if (of->kind == KILN_KIND_DATA)
        return bake_type_has_empty(types, of->element);
    return of->kind == KILN_KIND_ARRAY || of->kind == KILN_KIND_MAP ||
           of->kind == KILN_KIND_OPTIONAL || of->kind == KILN_KIND_UNION ||
           of->kind == KILN_KIND_ENTITY;
}

/* The first match wins, so schemas list specific patterns before general ones. */
const bake_file_rule *bake_schema_rule(const bake_schema *schema, const char *path)
{
    for (size_t i = 0; i < schema->rule_count; i++)
        if (bake_path_matches(schema->rules[i].match, path))
            return &schema->rules[i];
    return NULL;
}

/* ---- members of all types by name ---- */

/* This is a hot path: the baker looks up every key that it did not predict. So a member_key
 * contains everything that a comparison needs, and the hash is inlined. */
typedef struct member_key {
    uint32_t type, first; /* the type, and the index of its first member */
    const kiln_type *of;
    text_key name;
} member_key;

static uint32_t hash_of_member(const hash_table *table, member_key key)
{
    uint64_t seed = table->seed ^ key.type * UINT64_C(0x9e3779b97f4a7c15);
    return (uint32_t)hash64_inline(key.name.text, key.name.length, seed);
}

static bool is_member(const bake_schema *schema, uint32_t number, member_key key)
{
    (void)schema;
    uint32_t member = number - key.first;
    return member < key.of->member_count &&
           bake_text_is(key.name.text, key.name.length, key.of->members[member].name);
}

HASH_TABLE(members_by_name, const bake_schema *, member_key, hash_of_member, is_member)

bool bake_schema_index(bake_schema *schema)
{
    uint32_t types = kiln_types_count(schema->types);
    for (uint32_t t = 0; t < types; t++) {
        member_key key = {.type = t, .first = schema->info[t].first_member};
        key.of = kiln_types_get(schema->types, t);
        for (uint32_t m = 0; m < key.of->member_count; m++) {
            if (!bake_table_reserve(&schema->by_name))
                return false;
            key.name = (text_key){key.of->members[m].name, strlen(key.of->members[m].name)};
            hash_slot *slot = members_by_name_slot(&schema->by_name, schema, key);
            hash_table_put(&schema->by_name, slot, key.first + m);
        }
    }
    schema->indexed_types = types;
    return true;
}

/* For a few members, a linear search is faster than hashing. */
const kiln_member *bake_schema_current_member(const bake_schema *schema, uint32_t type,
                                              const char *name, size_t length)
{
    enum { LINEAR_MAX = 4 };
    const kiln_type *of = kiln_types_get(schema->types, type);
    if (of->member_count <= LINEAR_MAX || type >= schema->indexed_types)
        return kiln_type_member(of, name, length);
    member_key key = {type, schema->info[type].first_member, of, {name, length}};
    uint32_t found = members_by_name_find(&schema->by_name, schema, key);
    return found == HASH_TABLE_NONE ? NULL : &of->members[found - key.first];
}
