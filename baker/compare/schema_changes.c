/* What differs between a type and what it became, member by member. */
#include "schema_compare.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* A pair of types being compared. */
typedef struct pair {
    const schema_comparison *c;
    schema_finding *finding;
    const kiln_type *older, *newer;
    uint32_t *numbers; /* of each newer member: its older one; KILN_TYPE_NONE */
    bool *taken;       /* of each older member */
} pair;

#define ADD(p, member, word, yaml, ...)                                                            \
    bake_schema_change_add((p)->c->def.store, (p)->finding, member, word, yaml, __VA_ARGS__)

/* ---- what stands for what, as FORMAT.md section 16 has it ---- */

static void take(pair *p, uint32_t newer, const kiln_member *older)
{
    p->numbers[newer] = (uint32_t)(older - p->older->members);
    p->taken[p->numbers[newer]] = true;
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
        p->numbers[i] = KILN_TYPE_NONE;
        for (uint32_t w = 0; !older && w < member->was_count; w++)
            if (!find(p->newer, member->was[w]))
                older = find(p->older, member->was[w]);
        if (older)
            take(p, i, older);
    }
}

/* ---- fields ---- */

/* Whether a field may be left out, as the baker decides it. */
static bool may_be_left_out(const kiln_types *types, const kiln_member *field)
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

static void added_field(pair *p, const kiln_member *newer)
{
    char shown[SCHEMA_SHOWN_SIZE];
    if (newer->default_image && bake_schema_show_default(p->c->def.to, newer, shown))
        ADD(p, newer->name, "added", SCHEMA_YAML_SAME,
            "the field was added; where it is missing it is %s", shown);
    else if (newer->default_image)
        ADD(p, newer->name, "added", SCHEMA_YAML_SAME,
            "the field was added; where it is missing it has its default");
    else if (may_be_left_out(p->c->def.to, newer))
        ADD(p, newer->name, "added", SCHEMA_YAML_SAME,
            "the field was added; where it is missing it is empty");
    else
        ADD(p, newer->name, "added", SCHEMA_YAML_FAILS, "the field was added without a default");
}

static void removed_field(pair *p, const kiln_member *older)
{
    bool always = !may_be_left_out(p->c->def.from, older);
    ADD(p, older->name, "removed", always ? SCHEMA_YAML_FAILS : SCHEMA_YAML_MAY_FAIL,
        "the field was removed; its values are dropped, YAML that has it is refused");
}

static const struct {
    uint32_t flag;
    const char *word, *set, *unset;
    schema_yaml when_set, when_unset;
} member_flags[] = {
    {KILN_MEMBER_REQUIRED, "required", "the field must be written now",
     "the field may be left out now", SCHEMA_YAML_MAY_FAIL, SCHEMA_YAML_SAME},
    {KILN_MEMBER_DEPRECATED, "deprecated", "it is deprecated now", "it is no longer deprecated",
     SCHEMA_YAML_WARNS, SCHEMA_YAML_SAME},
    {KILN_MEMBER_SINGLE, "single", "one element may be written without the list now",
     "one element needs the list around it now", SCHEMA_YAML_SAME, SCHEMA_YAML_MAY_FAIL},
    {KILN_MEMBER_REST, "rest", "it takes the keys that no other field has now",
     "it no longer takes the keys that no other field has", SCHEMA_YAML_MAY_FAIL,
     SCHEMA_YAML_MAY_FAIL},
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
    const char *word = bake_schema_type_change(p->c, older->type, newer->type, newer, &yaml);
    if (word) {
        kiln_type_expression(p->c->def.from, older->type, before, sizeof before);
        kiln_type_expression(p->c->def.to, newer->type, after, sizeof after);
        ADD(p, newer->name, word, yaml, "%s became %s", before, after);
    }
    bake_schema_default_changes(p->c, p->finding, older, newer, !word);
    bake_schema_range_changes(p->c, p->finding, older, newer);
}

/* Now or earlier. */
static bool is_called(const kiln_member *member, const char *name)
{
    for (uint32_t i = 0; i < member->was_count; i++)
        if (strcmp(member->was[i], name) == 0)
            return true;
    return strcmp(member->name, name) == 0;
}

static void renamed(pair *p, const kiln_member *older, const kiln_member *newer)
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
        if (p->numbers[i] == KILN_TYPE_NONE) {
            added_field(p, newer);
            continue;
        }
        const kiln_member *older = &p->older->members[p->numbers[i]];
        in_order = in_order && p->numbers[i] >= last;
        last = p->numbers[i];
        renamed(p, older, newer);
        compare_types(p, older, newer);
        compare_flags(p, older, newer);
    }
    for (uint32_t i = 0; i < p->older->member_count; i++)
        if (!p->taken[i])
            removed_field(p, &p->older->members[i]);
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
        ADD(p, newer->name, "type", SCHEMA_YAML_FAILS, "the alternative %s a value now",
            has ? "has" : "has no longer");
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
            p->numbers[i] == KILN_TYPE_NONE ? NULL : &p->older->members[p->numbers[i]];
        if (!older) {
            ADD(p, newer->name, "added", SCHEMA_YAML_SAME, "the %s was added", what);
            continue;
        }
        renamed(p, older, newer);
        compare_flags(p, older, newer);
        compare_value(p, older, newer);
        if (is_union)
            compare_alternative(p, older, newer);
    }
    for (uint32_t i = 0; i < p->older->member_count; i++)
        if (!p->taken[i])
            ADD(p, p->older->members[i].name, "removed", SCHEMA_YAML_MAY_FAIL,
                "the %s was removed; data that has it is refused", what);
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
        bool had_members = p->older->kind >= KILN_KIND_STRUCT;
        bool has_members = p->newer->kind >= KILN_KIND_STRUCT;
        ADD(p, NULL, "type", had_members == has_members ? SCHEMA_YAML_MAY_FAIL : SCHEMA_YAML_FAILS,
            "%s became %s", kiln_kind_name(p->older->kind), kiln_kind_name(p->newer->kind));
        return;
    }
    if (p->older->base != p->newer->base)
        ADD(p, NULL, "base", SCHEMA_YAML_SAME, "values were stored as %s, and are stored as %s now",
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
    p.numbers = bake_store_alloc(c->def.store, p.newer->member_count + 1, sizeof *p.numbers);
    p.taken = bake_store_alloc(c->def.store, p.older->member_count + 1, sizeof *p.taken);
    if (!p.numbers || !p.taken)
        return;
    match_members(&p);
    if (finding->was)
        ADD(&p, NULL, "renamed", SCHEMA_YAML_SAME, "was called %s", finding->was);
    compare_type_flags(&p);
    bake_schema_writing_changes(c, finding, p.numbers);
    compare_layouts(&p);
}
