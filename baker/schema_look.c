/* What a schema that was read has of a name. */
#include "schema.h"

#include <string.h>

const bake_kind *bake_schema_kind(const bake_schema *schema, const char *name, size_t length)
{
    size_t low = 0, high = schema->kind_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const char *other = schema->kinds[middle].name;
        int order = strncmp(other, name, length);
        if (order == 0)
            order = other[length] != '\0';
        if (order == 0)
            return &schema->kinds[middle];
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

static bool is_text(const char *text, const char *key, size_t length)
{
    return text && strlen(text) == length && memcmp(text, key, length) == 0;
}

const bake_head *bake_schema_head(const bake_file_rule *rule, const char *key, size_t length)
{
    for (uint32_t i = 0; rule && i < rule->head_count; i++)
        if (is_text(rule->heads[i].key, key, length))
            return &rule->heads[i];
    return NULL;
}

bool bake_schema_is_asset_key(const bake_schema *schema, const bake_file_rule *rule, uint32_t type,
                              const char *key, size_t length)
{
    const bake_type_info *info = &schema->info[type];
    if (is_text(info->parent, key, length) || is_text(info->abstract, key, length))
        return true;
    if (rule && rule->shape == BAKE_SHAPE_ONE && bake_schema_head(rule, key, length))
        return true;
    if (!rule || (rule->shape != BAKE_SHAPE_LIST && rule->shape != BAKE_SHAPE_MAP))
        return false;
    if (is_text(rule->by, key, length))
        return true;
    return rule->shape == BAKE_SHAPE_LIST &&
           is_text(bake_schema_id_key(schema, rule, type), key, length);
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
    uint32_t low = 0, high = schema->info[type].was_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        int order = strncmp(was[middle].name, name, length);
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == schema->info[type].was_count || strncmp(was[low].name, name, length) != 0 ||
        was[low].name[length])
        return NULL;
    *ret_was = true;
    return &of->members[was[low].member];
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
