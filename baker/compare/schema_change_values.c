/* Fields whose defaults or ranges became others. */
#include "schema_compare.h"

#include <kiln/value.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define ADD(member, word, yaml, ...)                                                               \
    bake_schema_change_add(c->def.store, finding, member, word, yaml, __VA_ARGS__)

/* ---- defaults ---- */

bool bake_schema_show_default(const kiln_types *types, const kiln_member *field,
                              char out[SCHEMA_SHOWN_SIZE])
{
    kiln_value value;
    const char *text;
    uint32_t length;
    if (!field->default_image || kiln_value_root(types, kiln_types_default_type(types, field->type),
                                                 field->default_image, field->default_size, &value))
        return false;
    kiln_kind kind = value.of->kind;
    if (kind == KILN_KIND_BOOL)
        snprintf(out, SCHEMA_SHOWN_SIZE, "%s", kiln_value_uint(&value) ? "true" : "false");
    else if (kiln_kind_is_signed(kind))
        snprintf(out, SCHEMA_SHOWN_SIZE, "%" PRId64, kiln_value_int(&value));
    else if (kiln_kind_is_unsigned(kind))
        snprintf(out, SCHEMA_SHOWN_SIZE, "%" PRIu64, kiln_value_uint(&value));
    else if (kiln_kind_is_float(kind))
        snprintf(out, SCHEMA_SHOWN_SIZE, "%.9g", kiln_value_float(&value));
    else if (kind == KILN_KIND_ENUM && kiln_value_member(&value))
        snprintf(out, SCHEMA_SHOWN_SIZE, "%.40s", kiln_value_member(&value)->name);
    else if (kind == KILN_KIND_STRING && !kiln_value_text(&value, &text, &length))
        snprintf(out, SCHEMA_SHOWN_SIZE, "\"%.*s\"%s", length > 40 ? 40 : (int)length, text,
                 length > 40 ? "..." : "");
    else
        return false;
    return true;
}

void bake_schema_default_changes(const schema_comparison *c, schema_finding *finding,
                                 const kiln_member *older, const kiln_member *newer, bool same_type)
{
    char before[SCHEMA_SHOWN_SIZE], after[SCHEMA_SHOWN_SIZE];
    bool had = older->default_image, has = newer->default_image;
    if (had != has) {
        bool shown = has ? bake_schema_show_default(c->def.to, newer, after)
                         : bake_schema_show_default(c->def.from, older, before);
        ADD(newer->name, has ? "default-added" : "default-removed",
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
    bool shown = bake_schema_show_default(c->def.from, older, before) &&
                 bake_schema_show_default(c->def.to, newer, after);
    if (shown && strcmp(before, after) != 0)
        ADD(newer->name, "default", SCHEMA_YAML_SAME,
            "the default was %s and is %s; baked files keep the older one", before, after);
    else if (!shown && same_type)
        ADD(newer->name, "default", SCHEMA_YAML_SAME,
            "the default changed; baked files keep the older one");
}

/* ---- ranges ---- */

static const kiln_type *ranged(const kiln_types *types, uint32_t type)
{
    const kiln_type *of = kiln_types_get(types, type);
    while (of->kind == KILN_KIND_OPTIONAL || of->kind == KILN_KIND_DATA)
        of = kiln_types_get(types, of->element);
    return of;
}

/* <0, 0, >0. Bounds of other kinds than numbers are lengths. */
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

/* How the newer range lies to the older one: whether it refuses or takes more at one of its ends.
 */
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

void bake_schema_range_changes(const schema_comparison *c, schema_finding *finding,
                               const kiln_member *older, const kiln_member *newer)
{
    const uint32_t both = KILN_MEMBER_HAS_MIN | KILN_MEMBER_HAS_MAX;
    kiln_kind before = ranged(c->def.from, older->type)->kind;
    kiln_kind after = ranged(c->def.to, newer->type)->kind;
    bool tighter = false, looser = false;
    if (!((older->flags | newer->flags) & both))
        return;
    if (!same_sign(before, after)) {
        ADD(newer->name, "range", SCHEMA_YAML_MAY_FAIL, "the range belongs to another type");
        return;
    }
    compare_end(KILN_MEMBER_HAS_MIN, after, older, newer, &tighter, &looser);
    compare_end(KILN_MEMBER_HAS_MAX, after, older, newer, &tighter, &looser);
    if (tighter)
        ADD(newer->name, "range-tightened", SCHEMA_YAML_MAY_FAIL,
            "the range was tightened; baked files are not checked against it");
    else if (looser)
        ADD(newer->name, "range-loosened", SCHEMA_YAML_SAME, "the range was loosened");
}
