/* Compares what only schemas contain: forms of values, inheritance, names of assets, paths of
 * resources. Files have none of this, so comparing a file with a schema skips it. */
#include "schema_changes.h"

#include <string.h>

typedef struct writing {
    const schema_comparison *c;
    schema_finding *finding;
    const kiln_type *older, *newer;
    const bake_type_info *had, *has;
    const uint32_t *numbers; /* of each newer member: its older one; KILN_TYPE_NONE */
} writing;

#define ADD(w, member, word, yaml, ...)                                                            \
    bake_schema_change_add((w)->c->def.store, (w)->finding, member, word, yaml, __VA_ARGS__)

static bool is_same_text(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

/* Whether the order of fields changed, which matters where values are written without names. */
static bool has_moved(const writing *w)
{
    for (uint32_t i = 0; i < w->newer->member_count && i < w->older->member_count; i++)
        if (w->numbers[i] != i)
            return true;
    return false;
}

static bool has_prefix(const bake_words *words, const char *prefix)
{
    for (uint32_t i = 0; i < words->prefix_count; i++)
        if (strcmp(words->prefixes[i], prefix) == 0)
            return true;
    return false;
}

/* Whether a text for flags that was valid has lost its meaning. */
static bool lost_words(const writing *w)
{
    const bake_words *had = w->had->words, *has = w->has->words;
    if (!had || !has)
        return false;
    if (had->none && !is_same_text(had->none, has->none))
        return true;
    for (uint32_t i = 0; i < had->prefix_count; i++)
        if (!has_prefix(has, had->prefixes[i]))
            return true;
    return false;
}

static void compare_forms(const writing *w)
{
    const bake_type_info *had = w->had, *has = w->has;
    uint32_t both = had->forms & has->forms;
    /* May fail, not breaks: only values that are written in this form are affected. */
    if (had->forms & ~has->forms)
        ADD(w, NULL, "forms", SCHEMA_YAML_MAY_FAIL,
            "a form in which it could be written was removed");
    else if (has->forms & ~had->forms)
        ADD(w, NULL, "forms", SCHEMA_YAML_SAME, "a form in which it can be written was added");
    /* Another kind is a change of its own, and the forms below are then not comparable. */
    if (w->older->kind != w->newer->kind)
        return;
    if ((both & (BAKE_TUPLE | BAKE_TUPLE_TEXT | BAKE_COLOUR)) && has_moved(w))
        ADD(w, NULL, "forms", SCHEMA_YAML_MAY_FAIL,
            "values that are written without field names belong to other fields now");
    if ((both & (BAKE_BY_TAG | BAKE_BY_KEY)) && !is_same_text(had->by, has->by))
        ADD(w, NULL, "forms", SCHEMA_YAML_MAY_FAIL,
            "alternatives were named by \"%s\", and are named by \"%s\" now", had->by, has->by);
    if ((both & (BAKE_SHORT | BAKE_UNTAGGED)) && w->numbers[has->short_field] != had->short_field)
        ADD(w, NULL, "forms", SCHEMA_YAML_MAY_FAIL,
            "the short form was the value of %s, and is that of %s now",
            w->older->members[had->short_field].name, w->newer->members[has->short_field].name);
    if (lost_words(w))
        ADD(w, NULL, "forms", SCHEMA_YAML_MAY_FAIL,
            "a prefix or the word for no flags was removed");
}

/* A key that names the parent is an unknown key, or a field, once it has lost this meaning. */
static void compare_inheritance(const writing *w)
{
    bool lost = (w->had->parent && !is_same_text(w->had->parent, w->has->parent)) ||
                (w->had->abstract && !is_same_text(w->had->abstract, w->has->abstract));
    if (lost)
        ADD(w, NULL, "inherit", SCHEMA_YAML_MAY_FAIL,
            "a key for inheritance was removed or changed");
    else if (!w->had->parent && w->has->parent)
        ADD(w, NULL, "inherit", SCHEMA_YAML_SAME, "assets may inherit from others now");
}

/* Whether the keys of a map became names of entities, or stopped being that. */
static bool has_other_keys(const writing *w, uint32_t from, uint32_t to)
{
    const schema_compare_def *def = &w->c->def;
    for (int i = 0; i < KILN_ANONYMOUS_DEPTH_MAX; i++) {
        const kiln_type *older = kiln_types_get(def->from, from);
        const kiln_type *newer = kiln_types_get(def->to, to);
        if (!older || !newer || *older->name || *newer->name || older->kind != newer->kind)
            return false;
        uint32_t had = def->from_schema->info[from].forms, has = def->to_schema->info[to].forms;
        if ((had ^ has) & BAKE_ENTITY)
            return true;
        from = older->element;
        to = newer->element;
    }
    return false;
}

/* ---- forms of single fields: hex digits and numbers of objects ---- */

typedef struct form_pair {
    const schema_comparison *c;
    schema_finding *finding;
    const char *name;                  /* of the field */
    const bake_member_form *had, *has; /* neither is NULL */
} form_pair;

#define ADD_FORM(p, word, yaml, ...)                                                               \
    bake_schema_change_add((p)->c->def.store, (p)->finding, (p)->name, word, yaml, __VA_ARGS__)

static void compare_hex(const form_pair *p)
{
    if (p->had->is_hex && !p->has->is_hex)
        ADD_FORM(p, "hex", SCHEMA_YAML_MAY_FAIL, "a text is no longer read as hex digits");
    else if (p->has->is_hex && !p->had->is_hex)
        ADD_FORM(p, "hex", SCHEMA_YAML_MAY_FAIL, "a text is read as hex digits now");
}

static void compare_local(const form_pair *p)
{
    const char *had = p->had->local, *has = p->has->local;
    if (is_same_text(had, has))
        return;
    if (!had)
        ADD_FORM(p, "local", SCHEMA_YAML_SAME, "it may be written as the number of an object now");
    else if (!has)
        ADD_FORM(p, "local", SCHEMA_YAML_MAY_FAIL, "it may no longer be the number of an object");
    else
        ADD_FORM(p, "local", SCHEMA_YAML_MAY_FAIL,
                 "the key of an object number was \"%s\", and is \"%s\" now", had, has);
}

/* Without `local_by` a missing value is null. */
static void compare_local_by(const form_pair *p)
{
    const char *had = p->had->local_by, *has = p->has->local_by;
    if (is_same_text(had, has))
        return;
    if (!has)
        ADD_FORM(p, "local", SCHEMA_YAML_SAME,
                 "a missing value was the object that \"%s\" names, and is null now", had);
    else
        ADD_FORM(p, "local", SCHEMA_YAML_MAY_FAIL,
                 "a missing value is the object that \"%s\" names now", has);
}

static void compare_file_by(const form_pair *p)
{
    const char *had = p->had->file_by, *has = p->has->file_by;
    /* A form that was added or removed is already reported. */
    bool is_reference = (p->had->local && p->has->local) || (p->had->local_by && p->has->local_by);
    if (is_same_text(had, has) || !is_reference)
        return;
    /* A key that lost its meaning is unknown next to `local`; with `local_by` the field is null. */
    if (!has)
        ADD_FORM(p, "file", p->has->local ? SCHEMA_YAML_MAY_FAIL : SCHEMA_YAML_SAME,
                 "objects of other files, with their guid at \"%s\", are no longer found", had);
    else if (!had)
        ADD_FORM(p, "file", p->has->local ? SCHEMA_YAML_SAME : SCHEMA_YAML_MAY_FAIL,
                 "objects of other files, with their guid at \"%s\", are found now", has);
    else
        ADD_FORM(p, "file", SCHEMA_YAML_MAY_FAIL,
                 "the key of another file's guid was \"%s\", and is \"%s\" now", had, has);
}

static bool lists_key(const bake_member_form *form, const char *key)
{
    for (uint32_t i = 0; i < form->beside_count; i++)
        if (strcmp(form->beside[i], key) == 0)
            return true;
    return false;
}

/* The first key that `form` lists and `other` does not; NULL if there is none. */
static const char *find_only(const bake_member_form *form, const bake_member_form *other)
{
    for (uint32_t i = 0; i < form->beside_count; i++)
        if (!lists_key(other, form->beside[i]))
            return form->beside[i];
    return NULL;
}

static void compare_extra_keys(const form_pair *p)
{
    const char *gone = find_only(p->had, p->has), *more = find_only(p->has, p->had);
    if (!p->had->local || !p->has->local)
        return;
    if (gone)
        ADD_FORM(p, "file", SCHEMA_YAML_MAY_FAIL,
                 "the key \"%s\" is no longer allowed next to the number", gone);
    else if (more)
        ADD_FORM(p, "file", SCHEMA_YAML_SAME, "the key \"%s\" is allowed next to the number now",
                 more);
}

static void compare_forms_of_field(const schema_comparison *c, schema_finding *finding,
                                   uint32_t before, uint32_t after)
{
    static const bake_member_form none = {.local = NULL};
    const bake_member_form *had =
        bake_schema_member_form(c->def.from_schema, finding->from, before);
    const bake_member_form *has = bake_schema_member_form(c->def.to_schema, finding->to, after);
    form_pair p = {.c = c,
                   .finding = finding,
                   .name = kiln_types_get(c->def.to, finding->to)->members[after].name,
                   .had = had ? had : &none,
                   .has = has ? has : &none};
    compare_hex(&p);
    compare_local(&p);
    compare_local_by(&p);
    compare_file_by(&p);
    compare_extra_keys(&p);
}

/* ---- types ---- */

/* Fields are compared by name, now or earlier, as the baker finds them; new ones have no older
 * form. */
static void compare_fields(const writing *w)
{
    const bake_member_info *had = &w->c->def.from_schema->members[w->had->first_member];
    const bake_member_info *has = &w->c->def.to_schema->members[w->has->first_member];
    for (uint32_t i = 0; i < w->newer->member_count; i++) {
        if (w->numbers[i] == KILN_TYPE_NONE)
            continue;
        const bake_member_info *before = &had[w->numbers[i]], *after = &has[i];
        if (before->unit != after->unit)
            ADD(w, w->newer->members[i].name, "unit", SCHEMA_YAML_SAME,
                "the unit was %s and is %s now, so baked numbers have another meaning",
                before->unit ? bake_unit_name(before->unit) : "no unit",
                after->unit ? bake_unit_name(after->unit) : "no unit");
        if (!is_same_text(before->state_of, after->state_of))
            ADD(w, w->newer->members[i].name, "state",
                after->state_of ? SCHEMA_YAML_MAY_FAIL : SCHEMA_YAML_SAME,
                after->state_of ? "it must be a state of the atlas in another field now"
                                : "it may be any text now");
        if (before->inherit != after->inherit)
            ADD(w, w->newer->members[i].name, "inherit", SCHEMA_YAML_SAME,
                "assets inherit it differently now; baked assets keep the older result");
        if (has_other_keys(w, w->older->members[w->numbers[i]].type, w->newer->members[i].type))
            ADD(w, w->newer->members[i].name, "forms", SCHEMA_YAML_MAY_FAIL,
                "entity numbers are written in another form");
        compare_forms_of_field(w->c, w->finding, w->numbers[i], i);
    }
}

/* The order of the roots counts: the first one with the file wins. */
static bool is_same_resource(const bake_resource *a, const bake_resource *b)
{
    bool same = a->root_count == b->root_count && is_same_text(a->absolute, b->absolute) &&
                a->is == b->is && a->missing == b->missing &&
                is_same_text(a->states_file, b->states_file) &&
                is_same_text(a->names_text, b->names_text);
    for (uint32_t i = 0; same && i < a->root_count; i++)
        same = strcmp(a->roots[i], b->roots[i]) == 0;
    return same;
}

static void compare_resources(const writing *w)
{
    const bake_resource *had = w->had->resource, *has = w->has->resource;
    if (has && (!had || !is_same_resource(had, has)))
        ADD(w, NULL, "path", SCHEMA_YAML_MAY_FAIL,
            had ? "paths are resolved differently now" : "paths must exist now");
    else if (had && !has)
        ADD(w, NULL, "path", SCHEMA_YAML_SAME, "paths need not exist now");
}

void bake_schema_writing_changes(const schema_comparison *c, schema_finding *finding,
                                 const uint32_t *numbers)
{
    const bake_schema *older = c->def.from_schema, *newer = c->def.to_schema;
    if (!older || !newer)
        return;
    writing w = {.c = c,
                 .finding = finding,
                 .older = kiln_types_get(c->def.from, finding->from),
                 .newer = kiln_types_get(c->def.to, finding->to),
                 .had = &older->info[finding->from],
                 .has = &newer->info[finding->to],
                 .numbers = numbers};
    if (w.had->kind && w.has->kind && strcmp(w.had->kind, w.has->kind) != 0)
        ADD(&w, NULL, "kind", SCHEMA_YAML_MAY_FAIL,
            "assets were called %s/..., and are called %s/...", w.had->kind, w.has->kind);
    if (w.had->id && !is_same_text(w.had->id, w.has->id))
        ADD(&w, NULL, "id", SCHEMA_YAML_MAY_FAIL,
            "in lists the key of the id was \"%s\", and is %s%s%s now", w.had->id,
            w.has->id ? "\"" : "", w.has->id ? w.has->id : "that of the rule",
            w.has->id ? "\"" : "");
    else if (w.has->id && !w.had->id)
        ADD(&w, NULL, "id", SCHEMA_YAML_MAY_FAIL, "in lists the key of the id is \"%s\" now",
            w.has->id);
    compare_forms(&w);
    compare_inheritance(&w);
    compare_resources(&w);
    if (w.older->kind == KILN_KIND_STRUCT && w.newer->kind == KILN_KIND_STRUCT)
        compare_fields(&w);
}
