/* Pairs the types of two lists, creates conversions between them, and derives verdicts. */
#include "schema_compare.h"

#include "bake_memory.h"
#include "schema_changes.h"

#include <kiln/convert.h>
#include <stdio.h>
#include <string.h>

/* ---- types made of changed types ---- */

/* For each type, the types that contain it: `containers[first[t]]` up to `containers[first[t +
 * 1]]`. */
typedef struct container_lists {
    const kiln_types *types;
    uint32_t *first; /* by type, with one extra entry at the end */
    uint32_t *containers;
    uint32_t *stack, stack_count;
    uint32_t *reason; /* by type: the finding of its worst part, or KILN_TYPE_NONE */
} container_lists;

/* One pass of a counting sort: for each part of `container`, counts the container or adds it to the
 * list of the part. */
static void add_to_parts(container_lists *w, uint32_t container, bool count_only)
{
    const kiln_type *of = kiln_types_get(w->types, container);
    uint32_t own[2] = {of->kind == KILN_KIND_REF ? KILN_TYPE_NONE : of->element, of->key};
    for (uint32_t i = 0; i < 2 + of->member_count; i++) {
        uint32_t part = i < 2 ? own[i] : of->members[i - 2].type;
        if (part == KILN_TYPE_NONE)
            continue;
        if (count_only)
            w->first[part + 1]++;
        else
            w->containers[w->first[part]++] = container;
    }
}

static bool list_containers(container_lists *w)
{
    uint32_t count = kiln_types_count(w->types);
    w->first = bake_alloc_array((size_t)count + 2, sizeof *w->first);
    w->stack = bake_alloc_array(count, sizeof *w->stack);
    w->reason = bake_alloc_array(count, sizeof *w->reason);
    if (!w->first || !w->stack || !w->reason)
        return false;
    for (uint32_t t = 0; t < count; t++) {
        w->reason[t] = KILN_TYPE_NONE;
        add_to_parts(w, t, true);
    }
    for (uint32_t t = 0; t < count; t++)
        w->first[t + 1] += w->first[t];
    w->containers = bake_alloc_array(w->first[count], sizeof *w->containers);
    if (!w->containers)
        return false;
    for (uint32_t t = 0; t < count; t++)
        add_to_parts(w, t, false);
    /* The second pass advanced each start to the end of its list, where the next list starts. */
    memmove(w->first + 1, w->first, count * sizeof *w->first);
    w->first[0] = 0;
    return true;
}

/* Sets the reason of every type that contains the changed type, directly or not. A type that
 * already has a reason is skipped: its reason is as bad or worse, and its containers have one
 * too. */
static void mark_containers(container_lists *w, const schema_comparison *c, uint32_t number)
{
    uint32_t source = c->findings[number].from;
    w->stack_count = 0;
    w->stack[w->stack_count++] = source;
    while (w->stack_count > 0) {
        uint32_t part = w->stack[--w->stack_count];
        for (uint32_t i = w->first[part]; i < w->first[part + 1]; i++) {
            uint32_t container = w->containers[i];
            if (w->reason[container] != KILN_TYPE_NONE || container == source)
                continue;
            w->reason[container] = number;
            w->stack[w->stack_count++] = container;
        }
    }
}

/* Fills `part` of all findings, in linear time. Returns false if memory runs out. */
static bool find_parts(schema_comparison *c)
{
    container_lists w = {.types = c->def.from};
    bool ok = list_containers(&w);
    /* Worst changes first, so that each type is visited once and the time is linear. A removed type
     * needs no entry: the fields that used it changed as well. */
    for (int level = SCHEMA_YAML_FAILS; ok && level >= SCHEMA_YAML_SAME; level--)
        for (uint32_t i = 0; i < c->count; i++) {
            const schema_finding *finding = &c->findings[i];
            if (finding->from != KILN_TYPE_NONE && finding->to != KILN_TYPE_NONE &&
                finding->changes && (int)finding->yaml == level)
                mark_containers(&w, c, i);
        }
    for (uint32_t i = 0; ok && i < c->count; i++) {
        schema_finding *finding = &c->findings[i];
        uint32_t reason =
            finding->from == KILN_TYPE_NONE ? KILN_TYPE_NONE : w.reason[finding->from];
        if (reason != KILN_TYPE_NONE)
            finding->part = &c->findings[reason];
    }
    bake_free(w.first);
    bake_free(w.containers);
    bake_free(w.stack);
    bake_free(w.reason);
    return ok;
}

/* Conversions exist only for structs. A type that is not a struct is compared as the only field of
 * a struct named BOX_NAME. */
#define BOX_NAME "kiln_only.T"

uint32_t bake_schema_newer_type(const kiln_types *to, const char *name)
{
    uint32_t found = kiln_types_find(to, name);
    for (uint32_t t = 0; found == KILN_TYPE_NONE && t < kiln_types_count(to); t++) {
        const kiln_type *type = kiln_types_get(to, t);
        for (uint32_t w = 0; w < type->was_count; w++)
            if (strcmp(type->was[w], name) == 0)
                found = t;
    }
    return found;
}

/* ---- type lists in which every named type is a struct, or boxed in one ---- */

typedef struct judge {
    schema_comparison *c;
    kiln_allocator allocator;
    kiln_types *from, *to;           /* the compared lists, with non-structs boxed */
    uint32_t *from_boxed, *to_boxed; /* by finding: the struct to convert */
} judge;

static kiln_status copy_defaults(const kiln_types *source, kiln_types *types)
{
    for (uint32_t t = 0; t < kiln_types_count(source); t++) {
        const kiln_type *type = kiln_types_get(source, t);
        for (uint32_t m = 0; m < type->member_count; m++) {
            const kiln_member *member = &type->members[m];
            if (!member->default_image)
                continue;
            kiln_status status = kiln_types_set_default(
                types, t, m, (kiln_span){member->default_image, member->default_size}, NULL);
            if (status)
                return status;
        }
    }
    return KILN_OK;
}

/* A list of types, followed by a one-field struct for each type that is not a struct. */
typedef struct boxed_types {
    kiln_type *types;
    kiln_member *members;
    char (*names)[sizeof BOX_NAME + 12];
    uint32_t count;
} boxed_types;

static bool boxed_init(boxed_types *t, bake_store *store, const kiln_types *source,
                       uint32_t findings)
{
    t->count = kiln_types_count(source);
    t->types = bake_store_alloc(store, (size_t)t->count + findings, sizeof *t->types);
    t->members = bake_store_alloc(store, findings + (size_t)1, sizeof *t->members);
    t->names = bake_store_alloc(store, findings + (size_t)1, sizeof *t->names);
    if (store->failed)
        return false;
    for (uint32_t i = 0; i < t->count; i++)
        t->types[i] = *kiln_types_get(source, i);
    return true;
}

/* Returns the type itself, or the struct that boxes it. `i` is the index of the finding. */
static uint32_t box_type(boxed_types *t, uint32_t i, uint32_t type)
{
    if (type == KILN_TYPE_NONE || t->types[type].kind == KILN_KIND_STRUCT)
        return type;
    snprintf(t->names[i], sizeof *t->names, BOX_NAME "%u", i);
    t->members[i] = (kiln_member){.name = "value", .type = type};
    t->types[t->count] = (kiln_type){.name = t->names[i],
                                     .kind = KILN_KIND_STRUCT,
                                     .element = KILN_TYPE_NONE,
                                     .key = KILN_TYPE_NONE,
                                     .members = &t->members[i],
                                     .member_count = 1};
    return t->count++;
}

/* `is_from` selects the older types of the findings. */
static kiln_status box_list(judge *j, const kiln_types *source, bool is_from, uint32_t *boxed,
                            kiln_types **ret_types)
{
    bake_store store = {NULL, 0, false};
    boxed_types t;
    kiln_status status = KILN_NO_MEMORY;
    if (boxed_init(&t, &store, source, j->c->count)) {
        for (uint32_t i = 0; i < j->c->count; i++) {
            const schema_finding *finding = &j->c->findings[i];
            boxed[i] = box_type(&t, i, is_from ? finding->from : finding->to);
        }
        status = kiln_types_create(&j->allocator, t.types, t.count, ret_types, NULL);
    }
    if (!status)
        status = copy_defaults(source, *ret_types);
    bake_store_fini(&store);
    return status;
}

/* ---- conversions ---- */

static void note_unreadable(judge *j, schema_finding *finding, kiln_status status,
                            const kiln_error *error)
{
    const char *path = error->path;
    finding->reading = SCHEMA_READ_NONE;
    finding->status = status;
    if (strncmp(path, BOX_NAME, sizeof BOX_NAME - 1) == 0)
        path = finding->name;
    finding->unreadable_part = bake_store_text(j->c->def.store, path, strlen(path));
}

static kiln_status judge_one(judge *j, uint32_t number)
{
    schema_finding *finding = &j->c->findings[number];
    kiln_error error = {.status = KILN_OK};
    kiln_conversion *conversion = NULL;
    kiln_conversion_def def = kiln_conversion_def_default();
    if (finding->from == KILN_TYPE_NONE)
        return KILN_OK;
    if (finding->to == KILN_TYPE_NONE) {
        finding->reading = SCHEMA_READ_NONE;
        return KILN_OK;
    }
    if (kiln_types_get(j->from, finding->from)->layout ==
        kiln_types_get(j->to, finding->to)->layout)
        return KILN_OK;
    def.from = j->from;
    def.to = j->to;
    def.from_type = j->from_boxed[number];
    def.to_type = j->to_boxed[number];
    def.allocator = &j->allocator;
    kiln_status status = kiln_conversion_create(&def, &conversion, &error);
    if (kiln_status_is_unreadable(status)) {
        note_unreadable(j, finding, status, &error);
        return KILN_OK;
    }
    if (status)
        return status;
    bool in_place = kiln_conversion_need(conversion) == KILN_CONVERT_SAME;
    finding->reading = kiln_conversion_may_refuse(conversion) ? SCHEMA_READ_SOME
                       : in_place                             ? SCHEMA_READ_IN_PLACE
                                                              : SCHEMA_READ_REBUILT;
    kiln_conversion_destroy(conversion);
    return KILN_OK;
}

/* ---- verdicts ---- */

static schema_verdict verdict_of(const schema_comparison *c, const schema_finding *finding)
{
    bool lost_asset = false;
    if (finding->from != KILN_TYPE_NONE && finding->to != KILN_TYPE_NONE)
        lost_asset = (kiln_types_get(c->def.from, finding->from)->flags & KILN_TYPE_ASSET) &&
                     !(kiln_types_get(c->def.to, finding->to)->flags & KILN_TYPE_ASSET);
    /* Some values can neither be read nor baked again. */
    if (finding->to == KILN_TYPE_NONE || lost_asset || finding->reading == SCHEMA_READ_SOME)
        return SCHEMA_BREAKS;
    if (finding->reading == SCHEMA_READ_NONE)
        return finding->yaml == SCHEMA_YAML_FAILS ? SCHEMA_BREAKS : SCHEMA_MUST_REBAKE;
    for (const schema_change *change = finding->changes; change; change = change->next)
        if (strcmp(change->word, "kind") == 0 || strcmp(change->word, "unit") == 0)
            return SCHEMA_MUST_REBAKE;
    return finding->changes || finding->reading != SCHEMA_READ_SAME ? SCHEMA_READABLE
                                                                    : SCHEMA_IDENTICAL;
}

/* `part` already points to the worst finding among all types that it contains, directly or not. So
 * `part->yaml` is final, and the order of this loop does not matter. */
static bool conclude(schema_comparison *c)
{
    if (!find_parts(c))
        return false;
    for (uint32_t i = 0; i < c->count; i++) {
        schema_finding *finding = &c->findings[i];
        if (finding->part)
            bake_schema_change_add(c->def.store, finding, NULL, "part", finding->part->yaml,
                                   "it contains %s, which changed", finding->part->name);
        if (!finding->changes && finding->reading != SCHEMA_READ_SAME)
            bake_schema_change_add(c->def.store, finding, NULL, "layout", SCHEMA_YAML_SAME,
                                   "the layout changed");
        finding->verdict = verdict_of(c, finding);
    }
    return true;
}

static bake_result judge_all(schema_comparison *c, bake_failure *failure)
{
    judge j = {.c = c, .allocator = bake_memory_allocator()};
    kiln_status status = KILN_NO_MEMORY;
    j.from_boxed = bake_alloc_array(c->count, sizeof *j.from_boxed);
    j.to_boxed = bake_alloc_array(c->count, sizeof *j.to_boxed);
    if (j.from_boxed && j.to_boxed)
        status = box_list(&j, c->def.from, true, j.from_boxed, &j.from);
    if (!status)
        status = box_list(&j, c->def.to, false, j.to_boxed, &j.to);
    for (uint32_t i = 0; i < c->count && !status; i++)
        status = judge_one(&j, i);
    if (!status && !conclude(c))
        status = KILN_NO_MEMORY;
    kiln_types_destroy(j.from);
    kiln_types_destroy(j.to);
    bake_free(j.from_boxed);
    bake_free(j.to_boxed);
    if (status == KILN_NO_MEMORY || c->def.store->failed)
        return bake_fail_memory(failure);
    return status ? bake_fail_bug(failure, "comparing types", status, NULL) : BAKE_OK;
}

/* ---- all types ---- */

bake_result bake_schema_compare(const schema_compare_def *def, schema_comparison *ret,
                                bake_failure *failure)
{
    uint32_t from_count = kiln_types_count(def->from), to_count = kiln_types_count(def->to);
    schema_comparison c = {.def = *def};
    bool *taken = bake_store_alloc(def->store, to_count + (size_t)1, sizeof *taken);
    c.by_from = bake_store_alloc(def->store, from_count + (size_t)1, sizeof *c.by_from);
    c.findings =
        bake_store_alloc(def->store, from_count + (size_t)to_count + 1, sizeof *c.findings);
    if (!taken || !c.by_from || !c.findings)
        return bake_fail_memory(failure);
    for (uint32_t t = 0; t < from_count; t++) {
        const kiln_type *type = kiln_types_get(def->from, t);
        c.by_from[t] = KILN_TYPE_NONE;
        if (!*type->name)
            continue;
        schema_finding *finding = &c.findings[c.count];
        c.by_from[t] = c.count++;
        finding->from = t;
        finding->to = bake_schema_newer_type(def->to, type->name);
        /* The older list may be destroyed before the findings. */
        finding->name = bake_store_text(def->store, type->name, strlen(type->name));
        if (finding->to == KILN_TYPE_NONE || !finding->name)
            continue;
        const char *name = kiln_types_get(def->to, finding->to)->name;
        taken[finding->to] = true;
        if (strcmp(name, type->name) != 0)
            finding->was = finding->name;
        finding->name = name;
    }
    for (uint32_t t = 0; t < to_count; t++) {
        const kiln_type *type = kiln_types_get(def->to, t);
        if (!*type->name || taken[t])
            continue;
        c.findings[c.count++] =
            (schema_finding){.name = type->name, .from = KILN_TYPE_NONE, .to = t};
    }
    if (def->store->failed)
        return bake_fail_memory(failure);
    for (uint32_t i = 0; i < c.count; i++)
        bake_schema_changes(&c, &c.findings[i]);
    bake_result result = judge_all(&c, failure);
    if (!result)
        *ret = c;
    return result;
}
