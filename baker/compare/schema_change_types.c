/* Fields whose types became others: the word for it, and what becomes of what YAML says. */
#include "schema_compare.h"

#include <string.h>

static const kiln_type *without_wraps(const kiln_types *types, uint32_t *type)
{
    *type = bake_type_unwrapped(types, *type);
    return kiln_types_get(types, *type);
}

/* Whether two types are spelled alike, where each named one is that which it became. */
static bool is_same(const schema_comparison *c, uint32_t from, uint32_t to)
{
    if (from == KILN_TYPE_NONE || to == KILN_TYPE_NONE)
        return from == to;
    const kiln_type *older = kiln_types_get(c->def.from, from);
    const kiln_type *newer = kiln_types_get(c->def.to, to);
    if (*older->name || *newer->name)
        return *older->name && c->findings[c->by_from[from]].to == to;
    return older->kind == newer->kind && older->count == newer->count &&
           older->align_at == newer->align_at && is_same(c, older->element, newer->element) &&
           is_same(c, older->key, newer->key);
}

static int bits(kiln_kind kind)
{
    return (int)kiln_kind_size(kind) * 8;
}

static bool is_number(kiln_kind kind)
{
    return kiln_kind_is_integer(kind) || kiln_kind_is_float(kind);
}

/* Whether every number of the one kind is one of the other. */
static bool holds(kiln_kind from, kiln_kind to)
{
    if (kiln_kind_is_float(from))
        return kiln_kind_is_float(to) && bits(to) >= bits(from);
    if (kiln_kind_is_float(to))
        return bits(from) <= (to == KILN_KIND_F32 ? 16 : 32);
    if (kiln_kind_is_signed(from))
        return kiln_kind_is_signed(to) && bits(to) >= bits(from);
    return bits(to) >= bits(from) + (kiln_kind_is_signed(to) ? 1 : 0);
}

static schema_yaml worse(schema_yaml a, schema_yaml b)
{
    return a > b ? a : b;
}

static schema_yaml values(const schema_comparison *c, uint32_t from, uint32_t to,
                          const kiln_member *field, unsigned depth);

static schema_yaml list_values(const schema_comparison *c, const kiln_type *older,
                               const kiln_type *newer, uint32_t from, const kiln_member *field,
                               unsigned depth)
{
    bool was_list = older->kind == KILN_KIND_ARRAY || older->kind == KILN_KIND_FIXED;
    if (was_list) {
        schema_yaml elements = values(c, older->element, newer->element, NULL, depth);
        bool fits = newer->kind == KILN_KIND_ARRAY ||
                    (older->kind == KILN_KIND_FIXED && older->count == newer->count);
        if (!fits)
            return older->kind == KILN_KIND_FIXED ? SCHEMA_YAML_FAILS
                                                  : worse(elements, SCHEMA_YAML_MAY_FAIL);
        return elements;
    }
    if (newer->kind == KILN_KIND_ARRAY && field && (field->flags & KILN_MEMBER_SINGLE))
        return values(c, from, newer->element, NULL, depth);
    if (older->kind == KILN_KIND_BYTES)
        return SCHEMA_YAML_MAY_FAIL;
    return SCHEMA_YAML_FAILS;
}

/* Of one text each. */
static schema_yaml text_values(const kiln_type *older, const kiln_type *newer)
{
    bool was_text = older->kind <= KILN_KIND_FLAGS && older->kind != KILN_KIND_NONE;
    if (is_number(older->kind) && is_number(newer->kind))
        return holds(older->kind, newer->kind) ? SCHEMA_YAML_SAME : SCHEMA_YAML_MAY_FAIL;
    if (newer->kind == KILN_KIND_STRING && was_text && older->kind != KILN_KIND_FLAGS &&
        older->kind != KILN_KIND_BYTES)
        return SCHEMA_YAML_SAME;
    return was_text ? SCHEMA_YAML_MAY_FAIL : SCHEMA_YAML_FAILS;
}

/* What becomes of YAML that was right for the older type. */
static schema_yaml values(const schema_comparison *c, uint32_t from, uint32_t to,
                          const kiln_member *field, unsigned depth)
{
    if (is_same(c, from, to))
        return SCHEMA_YAML_SAME;
    const kiln_type *older = without_wraps(c->def.from, &from);
    const kiln_type *newer = without_wraps(c->def.to, &to);
    if (is_same(c, from, to))
        return SCHEMA_YAML_SAME;
    if (depth > KILN_ANONYMOUS_DEPTH_MAX)
        return SCHEMA_YAML_MAY_FAIL;
    if (older->kind == KILN_KIND_DATA)
        return values(c, older->element, to, field, depth + 1);
    if (newer->kind == KILN_KIND_DATA)
        return values(c, from, newer->element, field, depth + 1);
    if (newer->kind == KILN_KIND_OPTIONAL)
        return values(c, older->kind == KILN_KIND_OPTIONAL ? older->element : from, newer->element,
                      field, depth + 1);
    if (older->kind == KILN_KIND_OPTIONAL)
        return worse(values(c, older->element, to, field, depth + 1), SCHEMA_YAML_MAY_FAIL);
    switch (newer->kind) {
    case KILN_KIND_ARRAY:
    case KILN_KIND_FIXED:
        return list_values(c, older, newer, from, field, depth + 1);
    case KILN_KIND_MAP:
        if (older->kind == KILN_KIND_MAP)
            return worse(values(c, older->key, newer->key, NULL, depth + 1),
                         values(c, older->element, newer->element, NULL, depth + 1));
        return older->kind == KILN_KIND_STRUCT ? SCHEMA_YAML_MAY_FAIL : SCHEMA_YAML_FAILS;
    case KILN_KIND_STRUCT:
    case KILN_KIND_UNION:
        return older->kind == KILN_KIND_STRUCT || older->kind == KILN_KIND_UNION ||
                       older->kind == KILN_KIND_MAP
                   ? SCHEMA_YAML_MAY_FAIL
                   : SCHEMA_YAML_FAILS;
    case KILN_KIND_BYTES:
        return older->kind == KILN_KIND_BYTES ? SCHEMA_YAML_SAME : SCHEMA_YAML_MAY_FAIL;
    case KILN_KIND_ENTITY:
        return SCHEMA_YAML_MAY_FAIL;
    default:
        return text_values(older, newer);
    }
}

const char *bake_schema_type_change(const schema_comparison *c, uint32_t from, uint32_t to,
                                    const kiln_member *field, schema_yaml *ret_yaml)
{
    *ret_yaml = SCHEMA_YAML_SAME;
    if (is_same(c, from, to))
        return NULL;
    const kiln_type *older = kiln_types_get(c->def.from, from);
    const kiln_type *newer = kiln_types_get(c->def.to, to);
    *ret_yaml = values(c, from, to, field, 0);
    if (is_number(older->kind) && is_number(newer->kind))
        return holds(older->kind, newer->kind) ? "widened" : "narrowed";
    if (newer->kind == KILN_KIND_OPTIONAL && is_same(c, from, newer->element))
        return "optional";
    if (older->kind == KILN_KIND_OPTIONAL && is_same(c, older->element, to))
        return "not-optional";
    if (newer->kind == KILN_KIND_ARRAY && is_same(c, from, newer->element))
        return "list";
    if (older->kind == KILN_KIND_FIXED && newer->kind == KILN_KIND_FIXED &&
        is_same(c, older->element, newer->element))
        return older->count < newer->count ? "longer" : "shorter";
    return "type";
}
