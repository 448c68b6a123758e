/* Compares the parts of two schemas that baked files do not store: written forms, inheritance,
 * asset names and resource paths. Comparing a baked file with a schema skips these parts. */
#include "schema_changes.h"

#include <string.h>

typedef struct writing {
    const schema_comparison *c;
    schema_finding *finding;
    const kiln_type *older, *newer;
    const bake_type_info *older_info, *newer_info;
    const uint32_t *older_index; /* by newer member; KILN_TYPE_NONE if it is new */
} writing;

#define ADD(w, member, word, yaml, ...)                                                            \
    bake_schema_change_add((w)->c->def.store, (w)->finding, member, word, yaml, __VA_ARGS__)

static bool is_same_string(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

/* Whether the order of fields changed, which matters for values written without field names. */
static bool is_reordered(const writing *w)
{
    for (uint32_t i = 0; i < w->newer->member_count && i < w->older->member_count; i++)
        if (w->older_index[i] != i)
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

/* Whether a prefix of names, or the word for the empty set, was removed or changed. */
static bool lost_flag_words(const writing *w)
{
    const bake_words *older = w->older_info->words, *newer = w->newer_info->words;
    if (!older || !newer)
        return false;
    if (older->none && !is_same_string(older->none, newer->none))
        return true;
    for (uint32_t i = 0; i < older->prefix_count; i++)
        if (!has_prefix(newer, older->prefixes[i]))
            return true;
    return false;
}

static void compare_forms(const writing *w)
{
    const bake_type_info *older = w->older_info, *newer = w->newer_info;
    uint32_t both = older->forms & newer->forms;
    /* Only values written in this form are affected, hence MAY_FAIL instead of FAILS. */
    if (older->forms & ~newer->forms)
        ADD(w, NULL, "forms", SCHEMA_YAML_MAY_FAIL, "a written form was removed");
    else if (newer->forms & ~older->forms)
        ADD(w, NULL, "forms", SCHEMA_YAML_SAME, "a written form was added");
    /* A different kind is reported elsewhere, and makes the forms below incomparable. */
    if (w->older->kind != w->newer->kind)
        return;
    if ((both & (BAKE_TUPLE | BAKE_TUPLE_TEXT | BAKE_COLOUR)) && is_reordered(w))
        ADD(w, NULL, "forms", SCHEMA_YAML_MAY_FAIL,
            "values written without field names now set different fields");
    if ((both & (BAKE_BY_TAG | BAKE_BY_KEY)) && !is_same_string(older->by, newer->by))
        ADD(w, NULL, "forms", SCHEMA_YAML_MAY_FAIL,
            both & BAKE_BY_KEY
                ? "the key that names the alternative was \"%s\" and is now \"%s\""
                : "the prefix of tags that name the alternative was \"%s\" and is now \"%s\"",
            older->by, newer->by);
    if ((both & (BAKE_SHORT | BAKE_UNTAGGED)) &&
        w->older_index[newer->short_field] != older->short_field)
        ADD(w, NULL, "forms", SCHEMA_YAML_MAY_FAIL, "the short form used to set %s and now sets %s",
            w->older->members[older->short_field].name, w->newer->members[newer->short_field].name);
    if (lost_flag_words(w))
        ADD(w, NULL, "forms", SCHEMA_YAML_MAY_FAIL,
            "a prefix, or the word for the empty set, was removed");
}

/* YAML that still uses a removed inheritance key may fail, because the key is now unknown or sets a
 * field. */
static void compare_inheritance(const writing *w)
{
    bool lost =
        (w->older_info->parent && !is_same_string(w->older_info->parent, w->newer_info->parent)) ||
        (w->older_info->abstract &&
         !is_same_string(w->older_info->abstract, w->newer_info->abstract));
    if (lost)
        ADD(w, NULL, "inherit", SCHEMA_YAML_MAY_FAIL,
            "a key for inheritance was removed or changed");
    else if (!w->older_info->parent && w->newer_info->parent)
        ADD(w, NULL, "inherit", SCHEMA_YAML_SAME, "assets can now inherit from others");
}

/* Whether the keys of a map started or stopped being entity names. */
static bool entity_keys_changed(const writing *w, uint32_t from, uint32_t to)
{
    const schema_compare_def *def = &w->c->def;
    for (int i = 0; i < KILN_ANONYMOUS_DEPTH_MAX; i++) {
        const kiln_type *older = kiln_types_get(def->from, from);
        const kiln_type *newer = kiln_types_get(def->to, to);
        if (!older || !newer || *older->name || *newer->name || older->kind != newer->kind)
            return false;
        uint32_t older_forms = def->from_schema->info[from].forms;
        uint32_t newer_forms = def->to_schema->info[to].forms;
        if ((older_forms ^ newer_forms) & BAKE_ENTITY)
            return true;
        from = older->element;
        to = newer->element;
    }
    return false;
}

/* ---- forms of single fields: hex digits and object numbers ---- */

typedef struct form_pair {
    const schema_comparison *c;
    schema_finding *finding;
    const char *name;                      /* of the field */
    const bake_member_form *older, *newer; /* neither is NULL */
} form_pair;

#define ADD_FORM(p, word, yaml, ...)                                                               \
    bake_schema_change_add((p)->c->def.store, (p)->finding, (p)->name, word, yaml, __VA_ARGS__)

static void compare_hex(const form_pair *p)
{
    if (p->older->is_hex && !p->newer->is_hex)
        ADD_FORM(p, "hex", SCHEMA_YAML_MAY_FAIL, "strings are no longer read as hex digits");
    else if (p->newer->is_hex && !p->older->is_hex)
        ADD_FORM(p, "hex", SCHEMA_YAML_MAY_FAIL, "strings are now read as hex digits");
}

static void compare_local(const form_pair *p)
{
    const char *older = p->older->local, *newer = p->newer->local;
    if (is_same_string(older, newer))
        return;
    if (!older)
        ADD_FORM(p, "local", SCHEMA_YAML_SAME, "the field can now be written as an object number");
    else if (!newer)
        ADD_FORM(p, "local", SCHEMA_YAML_MAY_FAIL,
                 "the field can no longer be written as an object number");
    else
        ADD_FORM(p, "local", SCHEMA_YAML_MAY_FAIL,
                 "the key of the object number was \"%s\" and is now \"%s\"", older, newer);
}

/* Without `local_by`, a missing value is null. */
static void compare_local_by(const form_pair *p)
{
    const char *older = p->older->local_by, *newer = p->newer->local_by;
    if (is_same_string(older, newer))
        return;
    if (!newer)
        ADD_FORM(p, "local", SCHEMA_YAML_SAME,
                 "a missing value used to be the object named by \"%s\" and is now null", older);
    else
        ADD_FORM(p, "local", SCHEMA_YAML_MAY_FAIL,
                 "a missing value is now the object named by \"%s\"", newer);
}

static void compare_file_by(const form_pair *p)
{
    const char *older = p->older->file_by, *newer = p->newer->file_by;
    /* The other functions already report a form that was added or removed. */
    bool is_reference =
        (p->older->local && p->newer->local) || (p->older->local_by && p->newer->local_by);
    if (is_same_string(older, newer) || !is_reference)
        return;
    /* A removed key is unknown in a `local` value; with `local_by` the field just becomes null. */
    if (!newer)
        ADD_FORM(p, "file", p->newer->local ? SCHEMA_YAML_MAY_FAIL : SCHEMA_YAML_SAME,
                 "references to other files, with the guid at \"%s\", are no longer resolved",
                 older);
    else if (!older)
        ADD_FORM(p, "file", p->newer->local ? SCHEMA_YAML_SAME : SCHEMA_YAML_MAY_FAIL,
                 "references to other files, with the guid at \"%s\", are now resolved", newer);
    else
        ADD_FORM(p, "file", SCHEMA_YAML_MAY_FAIL,
                 "the key of the guid of another file was \"%s\" and is now \"%s\"", older, newer);
}

static bool lists_key(const bake_member_form *form, const char *key)
{
    for (uint32_t i = 0; i < form->beside_count; i++)
        if (strcmp(form->beside[i], key) == 0)
            return true;
    return false;
}

/* Returns the first key that `form` lists and `other` does not, or NULL. */
static const char *first_key_not_in(const bake_member_form *form, const bake_member_form *other)
{
    for (uint32_t i = 0; i < form->beside_count; i++)
        if (!lists_key(other, form->beside[i]))
            return form->beside[i];
    return NULL;
}

static void compare_extra_keys(const form_pair *p)
{
    const char *gone = first_key_not_in(p->older, p->newer),
               *more = first_key_not_in(p->newer, p->older);
    if (!p->older->local || !p->newer->local)
        return;
    if (gone)
        ADD_FORM(p, "file", SCHEMA_YAML_MAY_FAIL,
                 "the key \"%s\" is no longer allowed next to the object number", gone);
    else if (more)
        ADD_FORM(p, "file", SCHEMA_YAML_SAME,
                 "the key \"%s\" is now allowed next to the object number", more);
}

static void compare_field_forms(const schema_comparison *c, schema_finding *finding,
                                uint32_t before, uint32_t after)
{
    static const bake_member_form none = {.local = NULL};
    const bake_member_form *older =
        bake_schema_member_form(c->def.from_schema, finding->from, before);
    const bake_member_form *newer = bake_schema_member_form(c->def.to_schema, finding->to, after);
    form_pair p = {.c = c,
                   .finding = finding,
                   .name = kiln_types_get(c->def.to, finding->to)->members[after].name,
                   .older = older ? older : &none,
                   .newer = newer ? newer : &none};
    compare_hex(&p);
    compare_local(&p);
    compare_local_by(&p);
    compare_file_by(&p);
    compare_extra_keys(&p);
}

/* ---- types ---- */

/* Compares the fields of structs, paired by current or earlier name. A new field has no older
 * form. */
static void compare_fields(const writing *w)
{
    const bake_member_info *older = &w->c->def.from_schema->members[w->older_info->first_member];
    const bake_member_info *newer = &w->c->def.to_schema->members[w->newer_info->first_member];
    for (uint32_t i = 0; i < w->newer->member_count; i++) {
        if (w->older_index[i] == KILN_TYPE_NONE)
            continue;
        const bake_member_info *before = &older[w->older_index[i]], *after = &newer[i];
        if (before->unit != after->unit)
            ADD(w, w->newer->members[i].name, "unit", SCHEMA_YAML_SAME,
                "the unit was %s and is now %s, so baked numbers mean something else",
                before->unit ? bake_unit_name(before->unit) : "no unit",
                after->unit ? bake_unit_name(after->unit) : "no unit");
        if (!is_same_string(before->state_of, after->state_of))
            ADD(w, w->newer->members[i].name, "state",
                after->state_of ? SCHEMA_YAML_MAY_FAIL : SCHEMA_YAML_SAME,
                after->state_of ? "the value must now be a state of the atlas in another field"
                                : "the value can now be any string");
        if (before->inherit != after->inherit)
            ADD(w, w->newer->members[i].name, "inherit", SCHEMA_YAML_SAME,
                "the inheritance rule changed; baked assets keep the old result");
        if (entity_keys_changed(w, w->older->members[w->older_index[i]].type,
                                w->newer->members[i].type))
            ADD(w, w->newer->members[i].name, "forms", SCHEMA_YAML_MAY_FAIL,
                "entity numbers are now written in a different form");
        compare_field_forms(w->c, w->finding, w->older_index[i], i);
    }
}

/* The order of the roots matters: the first root that has the file wins. */
static bool is_same_resource(const bake_resource *a, const bake_resource *b)
{
    bool same = a->root_count == b->root_count && is_same_string(a->absolute, b->absolute) &&
                a->is == b->is && a->missing == b->missing &&
                is_same_string(a->states_file, b->states_file) &&
                is_same_string(a->names_text, b->names_text);
    for (uint32_t i = 0; same && i < a->root_count; i++)
        same = strcmp(a->roots[i], b->roots[i]) == 0;
    return same;
}

static void compare_resources(const writing *w)
{
    const bake_resource *older = w->older_info->resource, *newer = w->newer_info->resource;
    if (newer && (!older || !is_same_resource(older, newer)))
        ADD(w, NULL, "path", SCHEMA_YAML_MAY_FAIL,
            older ? "paths are now resolved or checked differently" : "paths must now exist");
    else if (older && !newer)
        ADD(w, NULL, "path", SCHEMA_YAML_SAME, "paths no longer need to exist");
}

void bake_schema_writing_changes(const schema_comparison *c, schema_finding *finding,
                                 const uint32_t *older_index)
{
    const bake_schema *older = c->def.from_schema, *newer = c->def.to_schema;
    if (!older || !newer)
        return;
    writing w = {.c = c,
                 .finding = finding,
                 .older = kiln_types_get(c->def.from, finding->from),
                 .newer = kiln_types_get(c->def.to, finding->to),
                 .older_info = &older->info[finding->from],
                 .newer_info = &newer->info[finding->to],
                 .older_index = older_index};
    if (w.older_info->kind && w.newer_info->kind &&
        strcmp(w.older_info->kind, w.newer_info->kind) != 0)
        ADD(&w, NULL, "kind", SCHEMA_YAML_MAY_FAIL, "asset names changed from %s/... to %s/...",
            w.older_info->kind, w.newer_info->kind);
    if (w.older_info->id && !is_same_string(w.older_info->id, w.newer_info->id))
        ADD(&w, NULL, "id", SCHEMA_YAML_MAY_FAIL,
            "in lists, the id key was \"%s\" and is now %s%s%s", w.older_info->id,
            w.newer_info->id ? "\"" : "",
            w.newer_info->id ? w.newer_info->id : "taken from the file rule",
            w.newer_info->id ? "\"" : "");
    else if (w.newer_info->id && !w.older_info->id)
        ADD(&w, NULL, "id", SCHEMA_YAML_MAY_FAIL, "in lists, the id key is now \"%s\"",
            w.newer_info->id);
    compare_forms(&w);
    compare_inheritance(&w);
    compare_resources(&w);
    if (w.older->kind == KILN_KIND_STRUCT && w.newer->kind == KILN_KIND_STRUCT)
        compare_fields(&w);
}
