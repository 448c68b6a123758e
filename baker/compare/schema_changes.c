/* Compares two types member by member. Members are paired by name and earlier names, as in the
 * runtime; otherwise a report could contradict what a program reads. */
#include "schema_changes.h"

#include <inttypes.h>
#include <kiln/value.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { SHOWN_SIZE = 48 };

#define ADD_TO(c, finding, member, word, yaml, ...)                                                \
    bake_schema_change_add((c)->def.store, finding, member, word, yaml, __VA_ARGS__)

/* ---- fields whose type changed ---- */

static const kiln_type *without_wraps(const kiln_types *types, uint32_t *type)
{
    *type = bake_type_unwrapped(types, *type);
    return kiln_types_get(types, *type);
}

/* Whether two types are the same once each named type is replaced by its newer version. */
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

/* Whether `to` can represent every number of `from`. The mantissas of f32 and f64 have 24 and 53
 * bits. So f32 represents all integers of up to 16 bits and f64 those of up to 32 bits, but neither
 * represents all wider ones. */
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

static schema_yaml yaml_effect(const schema_comparison *c, uint32_t from, uint32_t to,
                               const kiln_member *field, unsigned depth);

static schema_yaml list_yaml(const schema_comparison *c, const kiln_type *older,
                             const kiln_type *newer, uint32_t from, const kiln_member *field,
                             unsigned depth)
{
    bool was_list = older->kind == KILN_KIND_ARRAY || older->kind == KILN_KIND_FIXED;
    if (was_list) {
        schema_yaml elements = yaml_effect(c, older->element, newer->element, NULL, depth);
        bool fits = newer->kind == KILN_KIND_ARRAY ||
                    (older->kind == KILN_KIND_FIXED && older->count == newer->count);
        /* A fixed array accepts values of another fixed array only if the lengths are equal. A list
         * may happen to have the right length. */
        if (!fits)
            return older->kind == KILN_KIND_FIXED ? SCHEMA_YAML_FAILS
                                                  : worse(elements, SCHEMA_YAML_MAY_FAIL);
        return elements;
    }
    if (newer->kind == KILN_KIND_ARRAY && field && (field->flags & KILN_MEMBER_SINGLE))
        return yaml_effect(c, from, newer->element, NULL, depth);
    if (older->kind == KILN_KIND_BYTES)
        return SCHEMA_YAML_MAY_FAIL;
    return SCHEMA_YAML_FAILS;
}

/* Types written as a single scalar. */
static schema_yaml scalar_yaml(const kiln_type *older, const kiln_type *newer)
{
    bool was_scalar = older->kind <= KILN_KIND_FLAGS && older->kind != KILN_KIND_NONE;
    if (is_number(older->kind) && is_number(newer->kind))
        return holds(older->kind, newer->kind) ? SCHEMA_YAML_SAME : SCHEMA_YAML_MAY_FAIL;
    if (newer->kind == KILN_KIND_STRING && was_scalar && older->kind != KILN_KIND_FLAGS &&
        older->kind != KILN_KIND_BYTES)
        return SCHEMA_YAML_SAME;
    return was_scalar ? SCHEMA_YAML_MAY_FAIL : SCHEMA_YAML_FAILS;
}

/* Whether YAML that was valid for the older type is valid for the newer one. If that depends on the
 * values, returns MAY_FAIL: a false alarm only has to be checked by hand, but a missed failure
 * breaks a build. */
static schema_yaml yaml_effect(const schema_comparison *c, uint32_t from, uint32_t to,
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
        return yaml_effect(c, older->element, to, field, depth + 1);
    if (newer->kind == KILN_KIND_DATA)
        return yaml_effect(c, from, newer->element, field, depth + 1);
    if (newer->kind == KILN_KIND_OPTIONAL)
        return yaml_effect(c, older->kind == KILN_KIND_OPTIONAL ? older->element : from,
                           newer->element, field, depth + 1);
    if (older->kind == KILN_KIND_OPTIONAL)
        return worse(yaml_effect(c, older->element, to, field, depth + 1), SCHEMA_YAML_MAY_FAIL);
    switch (newer->kind) {
    case KILN_KIND_ARRAY:
    case KILN_KIND_FIXED:
        return list_yaml(c, older, newer, from, field, depth + 1);
    case KILN_KIND_MAP:
        if (older->kind == KILN_KIND_MAP)
            return worse(yaml_effect(c, older->key, newer->key, NULL, depth + 1),
                         yaml_effect(c, older->element, newer->element, NULL, depth + 1));
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
        return scalar_yaml(older, newer);
    }
}

/* Returns the word for the type change of the newer member `field`, or NULL if its type is the
 * same. `*ret_yaml` receives the effect on its YAML values. */
static const char *type_change(const schema_comparison *c, uint32_t from, uint32_t to,
                               const kiln_member *field, schema_yaml *ret_yaml)
{
    *ret_yaml = SCHEMA_YAML_SAME;
    if (is_same(c, from, to))
        return NULL;
    const kiln_type *older = kiln_types_get(c->def.from, from);
    const kiln_type *newer = kiln_types_get(c->def.to, to);
    *ret_yaml = yaml_effect(c, from, to, field, 0);
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

/* ---- defaults and ranges ---- */

/* Formats a number, string or name as in YAML. Returns false for other defaults. */
static bool show_default(const kiln_types *types, const kiln_member *field, char out[SHOWN_SIZE])
{
    kiln_value value;
    const char *text;
    uint32_t length;
    if (!field->default_image || kiln_value_root(types, kiln_types_default_type(types, field->type),
                                                 field->default_image, field->default_size, &value))
        return false;
    kiln_kind kind = value.of->kind;
    if (kind == KILN_KIND_BOOL)
        snprintf(out, SHOWN_SIZE, "%s", kiln_value_uint(&value) ? "true" : "false");
    else if (kiln_kind_is_signed(kind))
        snprintf(out, SHOWN_SIZE, "%" PRId64, kiln_value_int(&value));
    else if (kiln_kind_is_unsigned(kind))
        snprintf(out, SHOWN_SIZE, "%" PRIu64, kiln_value_uint(&value));
    else if (kiln_kind_is_float(kind))
        snprintf(out, SHOWN_SIZE, "%.9g", kiln_value_float(&value));
    else if (kind == KILN_KIND_ENUM && kiln_value_member(&value))
        snprintf(out, SHOWN_SIZE, "%.40s", kiln_value_member(&value)->name);
    else if (kind == KILN_KIND_STRING && !kiln_value_text(&value, &text, &length))
        snprintf(out, SHOWN_SIZE, "\"%.*s\"%s", length > 40 ? 40 : (int)length, text,
                 length > 40 ? "..." : "");
    else
        return false;
    return true;
}

static void compare_defaults(const schema_comparison *c, schema_finding *finding,
                             const kiln_member *older, const kiln_member *newer, bool same_type)
{
    char before[SHOWN_SIZE], after[SHOWN_SIZE];
    bool had = older->default_image, has = newer->default_image;
    if (had != has) {
        bool shown =
            has ? show_default(c->def.to, newer, after) : show_default(c->def.from, older, before);
        ADD_TO(c, finding, newer->name, has ? "default-added" : "default-removed",
               has ? SCHEMA_YAML_SAME : SCHEMA_YAML_MAY_FAIL, "the default%s%s was %s",
               shown ? " " : "",
               !shown ? ""
               : has  ? after
                      : before,
               has ? "added" : "removed");
        return;
    }
    if (!has || (older->default_size == newer->default_size &&
                 memcmp(older->default_image, newer->default_image, newer->default_size) == 0))
        return;
    /* Images also differ if only the layout changed, so compare the formatted values first. */
    bool shown = show_default(c->def.from, older, before) && show_default(c->def.to, newer, after);
    if (shown && strcmp(before, after) != 0)
        ADD_TO(c, finding, newer->name, "default", SCHEMA_YAML_SAME,
               "the default was %s and is now %s; baked files keep the old one", before, after);
    else if (!shown && same_type)
        ADD_TO(c, finding, newer->name, "default", SCHEMA_YAML_SAME,
               "the default changed; baked files keep the old one");
}

static const kiln_type *range_type(const kiln_types *types, uint32_t type)
{
    const kiln_type *of = kiln_types_get(types, type);
    while (of->kind == KILN_KIND_OPTIONAL || of->kind == KILN_KIND_DATA)
        of = kiln_types_get(types, of->element);
    return of;
}

/* Returns <0, 0 or >0. A bound is 64 bits, interpreted by kind; for lists and strings it is a
 * length. */
static int compare_bounds(kiln_kind kind, uint64_t a, uint64_t b)
{
    double left, right;
    if (kiln_kind_is_float(kind)) {
        memcpy(&left, &a, sizeof left);
        memcpy(&right, &b, sizeof right);
        return (left > right) - (left < right);
    }
    if (kiln_kind_is_signed(kind))
        return ((int64_t)a > (int64_t)b) - ((int64_t)a < (int64_t)b);
    return (a > b) - (a < b);
}

/* Compares one end of two ranges. Sets `*tighter` or `*looser` if the newer range rejects or
 * accepts more values, and otherwise leaves them unchanged. */
static void compare_end(uint32_t flag, kiln_kind kind, const kiln_member *older,
                        const kiln_member *newer, bool *tighter, bool *looser)
{
    bool had = older->flags & flag, has = newer->flags & flag, low = flag == KILN_MEMBER_HAS_MIN;
    int order = 0;
    if (had && has)
        order = low ? compare_bounds(kind, newer->min, older->min)
                    : compare_bounds(kind, older->max, newer->max);
    else
        order = (has ? 1 : 0) - (had ? 1 : 0);
    *tighter = *tighter || order > 0;
    *looser = *looser || order < 0;
}

static bool same_sign(kiln_kind a, kiln_kind b)
{
    return kiln_kind_is_float(a) == kiln_kind_is_float(b) &&
           (kiln_kind_is_float(a) || kiln_kind_is_signed(a) == kiln_kind_is_signed(b));
}

static void compare_ranges(const schema_comparison *c, schema_finding *finding,
                           const kiln_member *older, const kiln_member *newer)
{
    const uint32_t both = KILN_MEMBER_HAS_MIN | KILN_MEMBER_HAS_MAX;
    kiln_kind before = range_type(c->def.from, older->type)->kind;
    kiln_kind after = range_type(c->def.to, newer->type)->kind;
    bool tighter = false, looser = false;
    if (!((older->flags | newer->flags) & both))
        return;
    /* Bounds are stored as bits of the kind, so they are only comparable within one class of
     * kinds. */
    if (!same_sign(before, after)) {
        ADD_TO(c, finding, newer->name, "range", SCHEMA_YAML_MAY_FAIL,
               "the range is now for a different kind of number");
        return;
    }
    compare_end(KILN_MEMBER_HAS_MIN, after, older, newer, &tighter, &looser);
    compare_end(KILN_MEMBER_HAS_MAX, after, older, newer, &tighter, &looser);
    if (tighter)
        ADD_TO(c, finding, newer->name, "range-tightened", SCHEMA_YAML_MAY_FAIL,
               "the range was tightened; baked files are not checked against it");
    else if (looser)
        ADD_TO(c, finding, newer->name, "range-loosened", SCHEMA_YAML_SAME,
               "the range was loosened");
}

/* ---- types ---- */

/* An older and a newer type. */
typedef struct pair {
    const schema_comparison *c;
    schema_finding *finding;
    const kiln_type *older, *newer;
    uint32_t *older_index; /* by newer member; KILN_TYPE_NONE if it is new */
    bool *taken;           /* by older member: whether a newer one is paired with it */
} pair;

#define ADD(p, member, word, yaml, ...)                                                            \
    ADD_TO((p)->c, (p)->finding, member, word, yaml, __VA_ARGS__)

/* ---- pairing of members, by the rules of FORMAT.md section 17 ---- */

static void take(pair *p, uint32_t newer, const kiln_member *older)
{
    p->older_index[newer] = (uint32_t)(older - p->older->members);
    p->taken[p->older_index[newer]] = true;
}

static const kiln_member *find(const kiln_type *type, const char *name)
{
    return kiln_type_member(type, name, strlen(name));
}

static void match_members(pair *p)
{
    for (uint32_t i = 0; i < p->newer->member_count; i++) {
        const kiln_member *member = &p->newer->members[i];
        const kiln_member *older = find(p->older, member->name);
        p->older_index[i] = KILN_TYPE_NONE;
        for (uint32_t w = 0; !older && w < member->was_count; w++)
            /* An earlier name does not count if another newer member has it now. */
            if (!find(p->newer, member->was[w]))
                older = find(p->older, member->was[w]);
        if (older)
            take(p, i, older);
    }
}

/* ---- fields ---- */

/* Whether the baker accepts a value without this field. A newtype defers to its only field. */
static bool is_omissible(const kiln_types *types, const kiln_member *field)
{
    for (;;) {
        const kiln_type *of = kiln_types_get(types, field->type);
        if (field->default_image || (field->flags & KILN_MEMBER_REST))
            return true;
        if (field->flags & KILN_MEMBER_REQUIRED)
            return false;
        if (!(of->flags & KILN_TYPE_TRANSPARENT))
            return bake_type_has_empty(types, field->type);
        field = &of->members[0];
    }
}

static void report_added(pair *p, const kiln_member *newer)
{
    char shown[SHOWN_SIZE];
    if (newer->default_image && show_default(p->c->def.to, newer, shown))
        ADD(p, newer->name, "added", SCHEMA_YAML_SAME, "the field was added; its default is %s",
            shown);
    else if (newer->default_image)
        ADD(p, newer->name, "added", SCHEMA_YAML_SAME, "the field was added; it has a default");
    else if (is_omissible(p->c->def.to, newer))
        ADD(p, newer->name, "added", SCHEMA_YAML_SAME,
            "the field was added; if missing, it is empty");
    else
        ADD(p, newer->name, "added", SCHEMA_YAML_FAILS, "the field was added without a default");
}

static void report_removed(pair *p, const kiln_member *older)
{
    bool always = !is_omissible(p->c->def.from, older);
    ADD(p, older->name, "removed", always ? SCHEMA_YAML_FAILS : SCHEMA_YAML_MAY_FAIL,
        "the field was removed; baked values lose it, and YAML that sets it is rejected");
}

static const struct {
    uint32_t flag;
    const char *word, *set, *unset;
    schema_yaml when_set, when_unset;
} member_flags[] = {
    {KILN_MEMBER_REQUIRED, "required", "the field is now required",
     "the field is no longer required", SCHEMA_YAML_MAY_FAIL, SCHEMA_YAML_SAME},
    {KILN_MEMBER_DEPRECATED, "deprecated", "the field is now deprecated",
     "the field is no longer deprecated", SCHEMA_YAML_WARNS, SCHEMA_YAML_SAME},
    {KILN_MEMBER_SINGLE, "single", "a single element may now be written without a list",
     "a single element must now be written as a list", SCHEMA_YAML_SAME, SCHEMA_YAML_MAY_FAIL},
    {KILN_MEMBER_REST, "rest", "the field now collects unknown keys",
     "the field no longer collects unknown keys", SCHEMA_YAML_MAY_FAIL, SCHEMA_YAML_MAY_FAIL},
};

static void compare_flags(pair *p, const kiln_member *older, const kiln_member *newer)
{
    for (size_t i = 0; i < sizeof member_flags / sizeof *member_flags; i++) {
        bool had = older->flags & member_flags[i].flag, has = newer->flags & member_flags[i].flag;
        if (had != has)
            ADD(p, newer->name, member_flags[i].word,
                has ? member_flags[i].when_set : member_flags[i].when_unset, "%s",
                has ? member_flags[i].set : member_flags[i].unset);
    }
}

static void compare_types(pair *p, const kiln_member *older, const kiln_member *newer)
{
    char before[120], after[120];
    schema_yaml yaml;
    const char *word = type_change(p->c, older->type, newer->type, newer, &yaml);
    if (word) {
        kiln_type_expression(p->c->def.from, older->type, before, sizeof before);
        kiln_type_expression(p->c->def.to, newer->type, after, sizeof after);
        ADD(p, newer->name, word, yaml, "%s became %s", before, after);
    }
    compare_defaults(p->c, p->finding, older, newer, !word);
    compare_ranges(p->c, p->finding, older, newer);
}

/* Earlier names in `was` are still accepted, so they count. */
static bool is_called(const kiln_member *member, const char *name)
{
    for (uint32_t i = 0; i < member->was_count; i++)
        if (strcmp(member->was[i], name) == 0)
            return true;
    return strcmp(member->name, name) == 0;
}

static void report_renames(pair *p, const kiln_member *older, const kiln_member *newer)
{
    /* The baker reads the older name with a warning. */
    if (strcmp(older->name, newer->name) != 0)
        ADD(p, newer->name, "renamed", SCHEMA_YAML_WARNS, "was called %s", older->name);
    for (uint32_t i = 0; i < older->was_count; i++)
        if (!is_called(newer, older->was[i]))
            ADD(p, newer->name, "was", SCHEMA_YAML_MAY_FAIL,
                "the earlier name %s is no longer accepted", older->was[i]);
}

static void compare_fields(pair *p)
{
    uint32_t last = 0;
    bool in_order = true;
    for (uint32_t i = 0; i < p->newer->member_count; i++) {
        const kiln_member *newer = &p->newer->members[i];
        if (p->older_index[i] == KILN_TYPE_NONE) {
            report_added(p, newer);
            continue;
        }
        const kiln_member *older = &p->older->members[p->older_index[i]];
        in_order = in_order && p->older_index[i] >= last;
        last = p->older_index[i];
        report_renames(p, older, newer);
        compare_types(p, older, newer);
        compare_flags(p, older, newer);
    }
    for (uint32_t i = 0; i < p->older->member_count; i++)
        if (!p->taken[i])
            report_removed(p, &p->older->members[i]);
    if (!in_order)
        ADD(p, NULL, "order", SCHEMA_YAML_SAME, "the order of the fields changed");
}

/* ---- alternatives and values ---- */

static void compare_alternative(pair *p, const kiln_member *older, const kiln_member *newer)
{
    bool had = older->type != KILN_TYPE_NONE, has = newer->type != KILN_TYPE_NONE;
    if (had && has)
        compare_types(p, older, newer);
    else if (had != has)
        ADD(p, newer->name, "type", SCHEMA_YAML_FAILS, "the alternative %s a value",
            has ? "now has" : "no longer has");
}

static void compare_value(pair *p, const kiln_member *older, const kiln_member *newer)
{
    if (older->value != newer->value)
        ADD(p, newer->name, "renumbered", SCHEMA_YAML_SAME, "%" PRId64 " became %" PRId64,
            (int64_t)older->value, (int64_t)newer->value);
}

static void compare_choices(pair *p)
{
    bool is_union = p->newer->kind == KILN_KIND_UNION;
    const char *what = is_union                            ? "alternative"
                       : p->newer->kind == KILN_KIND_FLAGS ? "flag"
                                                           : "value";
    for (uint32_t i = 0; i < p->newer->member_count; i++) {
        const kiln_member *newer = &p->newer->members[i];
        const kiln_member *older =
            p->older_index[i] == KILN_TYPE_NONE ? NULL : &p->older->members[p->older_index[i]];
        if (!older) {
            ADD(p, newer->name, "added", SCHEMA_YAML_SAME, "the %s was added", what);
            continue;
        }
        report_renames(p, older, newer);
        compare_flags(p, older, newer);
        compare_value(p, older, newer);
        if (is_union)
            compare_alternative(p, older, newer);
    }
    for (uint32_t i = 0; i < p->older->member_count; i++)
        if (!p->taken[i])
            ADD(p, p->older->members[i].name, "removed", SCHEMA_YAML_MAY_FAIL,
                "the %s was removed; data that uses it is rejected", what);
}

/* ---- types ---- */

static void compare_type_flags(pair *p)
{
    uint32_t had = p->older->flags, has = p->newer->flags;
    if ((had ^ has) & KILN_TYPE_ASSET)
        ADD(p, NULL, "asset", has & KILN_TYPE_ASSET ? SCHEMA_YAML_SAME : SCHEMA_YAML_FAILS,
            has & KILN_TYPE_ASSET ? "it became an asset" : "it is no longer an asset");
    if ((had ^ has) & KILN_TYPE_COMPONENT)
        ADD(p, NULL, "component",
            has & KILN_TYPE_COMPONENT ? SCHEMA_YAML_SAME : SCHEMA_YAML_MAY_FAIL,
            has & KILN_TYPE_COMPONENT ? "it became a component" : "it is no longer a component");
    if ((had ^ has) & KILN_TYPE_TRANSPARENT)
        ADD(p, NULL, "wrap", SCHEMA_YAML_FAILS,
            has & KILN_TYPE_TRANSPARENT ? "it became a newtype" : "it is no longer a newtype");
}

static void compare_layouts(pair *p)
{
    if (p->older->kind != p->newer->kind) {
        /* Enums and flag sets are written as names, and structs and unions mostly as mappings, so a
         * change from one to the other counts as breaking. */
        bool had_members = p->older->kind >= KILN_KIND_STRUCT;
        bool has_members = p->newer->kind >= KILN_KIND_STRUCT;
        ADD(p, NULL, "type", had_members == has_members ? SCHEMA_YAML_MAY_FAIL : SCHEMA_YAML_FAILS,
            "%s became %s", kiln_kind_name(p->older->kind), kiln_kind_name(p->newer->kind));
        return;
    }
    if (p->older->base != p->newer->base)
        ADD(p, NULL, "base", SCHEMA_YAML_SAME, "the storage type was %s and is now %s",
            kiln_kind_name(p->older->base), kiln_kind_name(p->newer->base));
    if (p->older->align_at != p->newer->align_at)
        ADD(p, NULL, "align", SCHEMA_YAML_SAME, "the requested alignment changed");
    if (p->newer->kind == KILN_KIND_STRUCT)
        compare_fields(p);
    else
        compare_choices(p);
}

void bake_schema_changes(const schema_comparison *c, schema_finding *finding)
{
    pair p = {c,
              finding,
              kiln_types_get(c->def.from, finding->from),
              kiln_types_get(c->def.to, finding->to),
              NULL,
              NULL};
    if (finding->to == KILN_TYPE_NONE) {
        ADD(&p, NULL, "removed", SCHEMA_YAML_FAILS, "the type was removed");
        return;
    }
    if (finding->from == KILN_TYPE_NONE) {
        ADD(&p, NULL, "added", SCHEMA_YAML_SAME, "the type was added");
        return;
    }
    p.older_index =
        bake_store_alloc(c->def.store, p.newer->member_count + 1, sizeof *p.older_index);
    p.taken = bake_store_alloc(c->def.store, p.older->member_count + 1, sizeof *p.taken);
    if (!p.older_index || !p.taken)
        return;
    match_members(&p);
    if (finding->was)
        ADD(&p, NULL, "renamed", SCHEMA_YAML_SAME, "was called %s", finding->was);
    compare_type_flags(&p);
    bake_schema_writing_changes(c, finding, p.older_index);
    compare_layouts(&p);
}
