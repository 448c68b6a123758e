/* What a schema that was read has of a name: kinds, rules, and members of types, which documents
 * ask for all the time. */
#include "bake_text.h"

#include "path_match.h"
#include "schema.h"
#include "tree_store.h"

#include <string.h>

const bake_kind *bake_schema_kind(const bake_schema *schema, const char *name, size_t length)
{
    size_t at =
        bake_find_name(schema->kinds, schema->kind_count, sizeof *schema->kinds, name, length);
    return at < schema->kind_count ? &schema->kinds[at] : NULL;
}

const char *bake_schema_scene_kind(const bake_schema *schema, const char *name, size_t length)
{
    static const char usual[] = "Scene";
    const char *found = NULL;
    for (size_t i = 0; i < schema->rule_count; i++) {
        const bake_file_rule *rule = &schema->rules[i];
        const char *kind = rule->shape == BAKE_SHAPE_SCENE ? rule->kind : NULL;
        if (kind && bake_text_is(name, length, kind))
            return kind;
        if (kind && length == sizeof usual - 1 && memcmp(name, usual, length) == 0)
            found = usual;
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
    const kiln_member *member = bake_schema_present_member(schema, type, name, length);
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

const bake_file_rule *bake_schema_rule(const bake_schema *schema, const char *path)
{
    for (size_t i = 0; i < schema->rule_count; i++)
        if (bake_path_matches(schema->rules[i].match, path))
            return &schema->rules[i];
    return NULL;
}

/* ---- members of all types by name, for documents, which ask for them all the time ---- */

static size_t slot_of(const bake_schema *schema, uint32_t type, const char *name, size_t length)
{
    uint64_t hash = (bake_tree_hash(name, length) ^ type) * UINT64_C(0x9e3779b97f4a7c15);
    return (size_t)(hash >> 32) & (schema->slot_count - 1);
}

bool bake_schema_index(bake_schema *schema)
{
    uint32_t types = kiln_types_count(schema->types);
    size_t count = 16;
    while (count < 2 * (size_t)schema->member_count + 2)
        count *= 2;
    schema->slots = bake_store_alloc(&schema->store, count, sizeof *schema->slots);
    if (!schema->slots)
        return false;
    schema->slot_count = count;
    schema->indexed_types = types;
    for (uint32_t t = 0; t < types; t++) {
        const kiln_type *of = kiln_types_get(schema->types, t);
        for (uint32_t m = 0; m < of->member_count; m++) {
            size_t at = slot_of(schema, t, of->members[m].name, strlen(of->members[m].name));
            while (schema->slots[at].number)
                at = (at + 1) & (count - 1);
            schema->slots[at] = (bake_member_slot){t, m + 1};
        }
    }
    return true;
}

const kiln_member *bake_schema_present_member(const bake_schema *schema, uint32_t type,
                                              const char *name, size_t length)
{
    enum { FEW = 4 };
    const kiln_type *of = kiln_types_get(schema->types, type);
    if (of->member_count <= FEW || type >= schema->indexed_types)
        return kiln_type_member(of, name, length);
    size_t at = slot_of(schema, type, name, length);
    for (; schema->slots[at].number; at = (at + 1) & (schema->slot_count - 1)) {
        const kiln_member *member = &of->members[schema->slots[at].number - 1];
        if (schema->slots[at].type == type && strlen(member->name) == length &&
            memcmp(member->name, name, length) == 0)
            return member;
    }
    return NULL;
}
