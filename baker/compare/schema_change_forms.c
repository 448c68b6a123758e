/* Fields whose values may be written as hex digits or as numbers of objects, and may no longer, or
 * in another way. */
#include "schema_compare.h"

#include <string.h>

typedef struct form_pair {
    const schema_comparison *c;
    schema_finding *finding;
    const char *name;                  /* of the field */
    const bake_member_form *had, *has; /* neither is NULL */
} form_pair;

#define ADD(p, word, yaml, ...)                                                                    \
    bake_schema_change_add((p)->c->def.store, (p)->finding, (p)->name, word, yaml, __VA_ARGS__)

static bool is_same_text(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

static void compare_hex(const form_pair *p)
{
    if (p->had->is_hex && !p->has->is_hex)
        ADD(p, "hex", SCHEMA_YAML_MAY_FAIL, "one text is no longer hex digits");
    else if (p->has->is_hex && !p->had->is_hex)
        ADD(p, "hex", SCHEMA_YAML_MAY_FAIL, "one text is hex digits now");
}

static void compare_local(const form_pair *p)
{
    const char *had = p->had->local, *has = p->has->local;
    if (is_same_text(had, has))
        return;
    if (!had)
        ADD(p, "local", SCHEMA_YAML_SAME, "it may be written as the number of an object now");
    else if (!has)
        ADD(p, "local", SCHEMA_YAML_MAY_FAIL, "it may no longer be the number of an object");
    else
        ADD(p, "local", SCHEMA_YAML_MAY_FAIL,
            "the number of an object stood at \"%s\", and stands at \"%s\" now", had, has);
}

/* Without it what is not written is null. */
static void compare_local_by(const form_pair *p)
{
    const char *had = p->had->local_by, *has = p->has->local_by;
    if (is_same_text(had, has))
        return;
    if (!has)
        ADD(p, "local", SCHEMA_YAML_SAME,
            "what is not written was the object that \"%s\" names, and is null now", had);
    else
        ADD(p, "local", SCHEMA_YAML_MAY_FAIL,
            "what is not written is the object that \"%s\" names now", has);
}

static void compare_file_by(const form_pair *p)
{
    const char *had = p->had->file_by, *has = p->has->file_by;
    /* What is new or gone has been told. */
    bool is_reference = (p->had->local && p->has->local) || (p->had->local_by && p->has->local_by);
    if (is_same_text(had, has) || !is_reference)
        return;
    /* A key that means nothing is one too many, or leaves a field empty. */
    if (!has)
        ADD(p, "file", p->has->local ? SCHEMA_YAML_MAY_FAIL : SCHEMA_YAML_SAME,
            "objects of other files, whose guid stood at \"%s\", are no longer found", had);
    else if (!had)
        ADD(p, "file", p->has->local ? SCHEMA_YAML_SAME : SCHEMA_YAML_MAY_FAIL,
            "objects of other files, whose guid stands at \"%s\", are found now", has);
    else
        ADD(p, "file", SCHEMA_YAML_MAY_FAIL,
            "the guid of another file stood at \"%s\", and stands at \"%s\" now", had, has);
}

static bool is_beside(const bake_member_form *form, const char *key)
{
    for (uint32_t i = 0; i < form->beside_count; i++)
        if (strcmp(form->beside[i], key) == 0)
            return true;
    return false;
}

/* The first key that the one form lists and the other does not; NULL. */
static const char *only_beside(const bake_member_form *form, const bake_member_form *other)
{
    for (uint32_t i = 0; i < form->beside_count; i++)
        if (!is_beside(other, form->beside[i]))
            return form->beside[i];
    return NULL;
}

static void compare_beside(const form_pair *p)
{
    const char *gone = only_beside(p->had, p->has), *more = only_beside(p->has, p->had);
    if (!p->had->local || !p->has->local)
        return;
    if (gone)
        ADD(p, "file", SCHEMA_YAML_MAY_FAIL, "\"%s\" may no longer stand beside the number", gone);
    else if (more)
        ADD(p, "file", SCHEMA_YAML_SAME, "\"%s\" may stand beside the number now", more);
}

void bake_schema_form_changes(const schema_comparison *c, schema_finding *finding, uint32_t before,
                              uint32_t after)
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
    compare_beside(&p);
}
