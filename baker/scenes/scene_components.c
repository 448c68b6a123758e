/* Finds components by name. Components are the schema structs that entities may have. */
#include "scene_components.h"

#include "bake_memory.h"
#include "bake_text.h"
#include "lower_bound.h"
#include "scene_reader.h"
#include "similar.h"

#include <kiln/chunk_layout.h>
#include <stdlib.h>
#include <string.h>

static bool fits(const kiln_type *type)
{
    return type->kind == KILN_KIND_STRUCT && *type->name &&
           (!type->member_count || (!type->has_pointers && type->size <= KILN_CHUNK_SIZE &&
                                    type->align <= KILN_COLUMN_ALIGN));
}

/* Component rows store references as `kiln_ref`, but in C only structs with `component: true`
 * declare them with this type. In other structs the field is an id, and programs would misread it.
 * Finds the first such field in the struct, including nested structs, and the struct that declares
 * it. Returns NULL if there is none. The size of a component bounds the work. */
static const kiln_member *find_id(const kiln_types *types, const kiln_type *in,
                                  const kiln_type **ret_owner)
{
    const kiln_member *found = NULL;
    for (uint32_t i = 0; !found && i < in->member_count; i++) {
        const kiln_type *of = kiln_types_get(types, in->members[i].type);
        while (of->kind == KILN_KIND_FIXED)
            of = kiln_types_get(types, of->element);
        if (of->kind == KILN_KIND_STRUCT) {
            found = find_id(types, of, ret_owner);
        } else if (of->kind == KILN_KIND_REF && !(in->flags & KILN_TYPE_COMPONENT)) {
            found = &in->members[i];
            *ret_owner = in;
        }
    }
    return found;
}

static bool can_be_component(const kiln_types *types, const kiln_type *type)
{
    const kiln_type *owner;
    return fits(type) && !find_id(types, type, &owner);
}

static const char *short_name_of(const scene_component *component)
{
    return component->name + strlen(component->name) - component->short_length;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(((const scene_component *)a)->name, ((const scene_component *)b)->name);
}

/* Sorted as pairs of name and number, because qsort has no context argument. */
typedef struct short_name {
    const char *text;
    uint32_t number;
} short_name;

static int compare_shorts(const void *a, const void *b)
{
    const short_name *left = a, *right = b;
    int order = strcmp(left->text, right->text);
    return order ? order : (left->number > right->number) - (left->number < right->number);
}

static bool sort_shorts(scene_components *c, bake_store *store)
{
    short_name *shorts = bake_alloc_array(c->count + 1, sizeof *shorts);
    c->by_short = bake_store_alloc(store, c->count + 1, sizeof *c->by_short);
    if (!shorts || !c->by_short) {
        bake_free(shorts);
        return false;
    }
    for (uint32_t i = 0; i < c->count; i++)
        shorts[i] = (short_name){short_name_of(&c->all[i]), i};
    if (c->count)
        qsort(shorts, c->count, sizeof *shorts, compare_shorts);
    for (uint32_t i = 0; i < c->count; i++) {
        bool is_ambiguous = (i > 0 && strcmp(shorts[i - 1].text, shorts[i].text) == 0) ||
                            (i + 1 < c->count && strcmp(shorts[i + 1].text, shorts[i].text) == 0);
        scene_component *component = &c->all[shorts[i].number];
        c->by_short[i] = shorts[i].number;
        component->shown = is_ambiguous ? component->name : shorts[i].text;
    }
    bake_free(shorts);
    return true;
}

bool bake_scene_components_init(scene_components *c, const bake_schema *schema, bake_store *store)
{
    uint32_t types = kiln_types_count(schema->types);
    c->all = bake_store_alloc(store, types + 1, sizeof *c->all);
    if (!c->all)
        return false;
    for (uint32_t t = 0; t < types; t++) {
        const kiln_type *type = kiln_types_get(schema->types, t);
        const bake_type_info *info = &schema->info[t];
        if (info->row != KILN_TYPE_NONE || !can_be_component(schema->types, type))
            continue;
        /* A row type uses the name of its struct. */
        const kiln_type *called =
            info->row_of != KILN_TYPE_NONE ? kiln_types_get(schema->types, info->row_of) : type;
        /* Copy the name: the type list is replaced by a longer one before values are baked. */
        const char *name = bake_store_text(store, called->name, strlen(called->name));
        if (!name)
            return false;
        const char *dot = strrchr(name, '.');
        scene_component *component = &c->all[c->count++];
        component->name = name;
        component->short_length = strlen(dot ? dot + 1 : name);
        component->type = t;
        /* C has no empty structs, so a tag has size 1 in C. A chunk has no column for it. */
        component->size = type->member_count ? type->size : 0;
    }
    if (c->count)
        qsort(c->all, c->count, sizeof *c->all, compare_names);
    for (uint32_t i = 0; i < c->count; i++)
        c->all[i].next = (i + 1) % c->count;
    c->by_type = bake_store_alloc(store, types + 1, sizeof *c->by_type);
    if (!c->by_type)
        return false;
    memset(c->by_type, 0xff, types * sizeof *c->by_type);
    for (uint32_t i = 0; i < c->count; i++) {
        uint32_t plain = schema->info[c->all[i].type].row_of;
        c->by_type[plain != KILN_TYPE_NONE ? plain : c->all[i].type] = i;
    }
    return sort_shorts(c, store);
}

static bool is_short_below(const void *components, size_t index, const void *key)
{
    const scene_components *c = components;
    const scene_component *at = &c->all[c->by_short[index]];
    const text_key *text = key;
    return bake_compare_text(short_name_of(at), at->short_length, text->text, text->length) < 0;
}

/* Returns the first index in `by_short` whose short name is not less than `text`. */
static uint32_t short_lower_bound(const scene_components *c, const char *text, size_t length)
{
    text_key key = {text, length};
    return (uint32_t)lower_bound(c, 0, c->count, is_short_below, &key);
}

static bool has_short(const scene_components *c, uint32_t index, const char *text, size_t length)
{
    if (index >= c->count)
        return false;
    const scene_component *at = &c->all[c->by_short[index]];
    return at->short_length == length && memcmp(short_name_of(at), text, length) == 0;
}

/* Finds a component by qualified name, or by short name if it is unique. */
static uint32_t find_name(const scene_components *c, const char *text, size_t length)
{
    size_t found = bake_find_name(c->all, c->count, sizeof *c->all, text, length);
    if (found < c->count)
        return (uint32_t)found;
    uint32_t index = short_lower_bound(c, text, length);
    bool is_one = has_short(c, index, text, length) && !has_short(c, index + 1, text, length);
    return is_one ? c->by_short[index] : UINT32_MAX;
}

/* Finds a component by the name that its row type has in files, such as `Lamp_row`. */
static uint32_t find_row(const bake_scenes *s, const char *text, size_t length)
{
    static const char end[] = "_row";
    enum { END = sizeof end - 1 };
    if (length <= END || memcmp(text + length - END, end, END) != 0)
        return UINT32_MAX;
    uint32_t found = find_name(&s->components, text, length - END);
    bool is_row = found != UINT32_MAX &&
                  s->schema->info[s->components.all[found].type].row_of != KILN_TYPE_NONE;
    return is_row ? found : UINT32_MAX;
}

static void hint(bake_scenes *s, const char *text, size_t length)
{
    const scene_components *c = &s->components;
    if (bake_diagnostics_errors(s->diagnostics) > SCENE_HINTS_MAX)
        return;
    const char **names = bake_alloc_array(2 * (size_t)c->count + 1, sizeof *names);
    /* If memory runs out, there is just no hint. */
    for (uint32_t i = 0; names && i < c->count; i++) {
        names[2 * i] = short_name_of(&c->all[i]);
        names[2 * i + 1] = c->all[i].name;
    }
    if (names)
        bake_hint_similar(s->diagnostics, text, length, names, 2 * (size_t)c->count);
    bake_free(names);
}

/* Finds a struct by qualified or short name, or returns NULL. The search is linear in the number of
 * types, so it runs only for errors that still get hints. */
static const kiln_type *find_struct(const bake_scenes *s, const char *text, size_t length)
{
    const kiln_types *types = s->schema->types;
    if (bake_diagnostics_errors(s->diagnostics) > SCENE_HINTS_MAX)
        return NULL;
    for (uint32_t i = 0; i < kiln_types_count(types); i++) {
        const kiln_type *type = kiln_types_get(types, i);
        const char *dot = strrchr(type->name, '.');
        const char *last = dot ? dot + 1 : type->name;
        bool matches = bake_text_is(text, length, type->name) || bake_text_is(text, length, last);
        if (matches && length > 0 && type->kind == KILN_KIND_STRUCT)
            return type;
    }
    return NULL;
}

void bake_scene_reject_component(bake_scenes *s, const bake_tree *tree, bake_node_id node,
                                 const scene_path *path, const kiln_type *type)
{
    const kiln_type *owner = NULL;
    const kiln_member *id = fits(type) ? find_id(s->schema->types, type, &owner) : NULL;
    if (id) {
        bake_scene_report(s, tree, node, "component", path,
                          "%s cannot be a component: %s.%s is an id in C, but a loaded row stores "
                          "a kiln_ref there",
                          type->name, owner->name, id->name);
        bake_hint(s->diagnostics, "set `component: true` on type %s", owner->name);
        return;
    }
    bake_scene_report(s, tree, node, "component", path, "%s cannot be a component", type->name);
    bake_hint(s->diagnostics,
              "a struct with lists, maps, strings, optionals or unions needs `component: true`; "
              "it then cannot be an asset and is limited to 16 KiB");
}

static uint32_t report_unknown(bake_scenes *s, const bake_tree *tree, bake_node_id node,
                               const scene_path *path, const char *text, size_t length)
{
    const scene_components *c = &s->components;
    uint32_t index = short_lower_bound(c, text, length);
    int cut = (int)(length < 100 ? length : 100);
    if (has_short(c, index, text, length)) {
        bake_scene_report(s, tree, node, "component", path, "ambiguous component \"%.*s\"", cut,
                          text);
        for (; has_short(c, index, text, length); index++)
            bake_hint(s->diagnostics, "it could be %s", c->all[c->by_short[index]].name);
        return UINT32_MAX;
    }
    const kiln_type *type = find_struct(s, text, length);
    if (type) {
        bake_scene_reject_component(s, tree, node, path, type);
        return UINT32_MAX;
    }
    bake_scene_report(s, tree, node, "component", path, "unknown component \"%.*s\"", cut, text);
    hint(s, text, length);
    return UINT32_MAX;
}

uint32_t bake_scene_component_find(bake_scenes *s, const bake_tree *tree, bake_node_id node,
                                   const scene_path *path, uint32_t *guess)
{
    scene_components *c = &s->components;
    uint32_t length;
    const char *text = bake_scalar_text(tree, node, &length);
    /* Entities in a list mostly have the same components in the same order. Then one comparison
     * replaces the search. */
    if (*guess < c->count) {
        const scene_component *at = &c->all[*guess];
        if (bake_text_is(text, length, at->shown))
            return *guess;
    }
    uint32_t found = find_name(c, text, length);
    if (found == UINT32_MAX)
        found = find_row(s, text, length);
    if (found == UINT32_MAX)
        return report_unknown(s, tree, node, path, text, length);
    *guess = found;
    return found;
}

static void hint_members(bake_scenes *s, const kiln_type *of, const char *text, size_t length)
{
    if (bake_diagnostics_errors(s->diagnostics) > SCENE_HINTS_MAX)
        return;
    const char **names = bake_alloc_array(of->member_count, sizeof *names);
    /* If memory runs out, there is just no hint. */
    for (uint32_t i = 0; names && i < of->member_count; i++)
        names[i] = of->members[i].name;
    if (names)
        bake_hint_similar(s->diagnostics, text, length, names, of->member_count);
    bake_free(names);
}

uint32_t bake_scene_alternative_find(bake_scenes *s, const bake_scene_words *words,
                                     const bake_tree *tree, bake_node_id node,
                                     const scene_path *path)
{
    const kiln_type *of = kiln_types_get(s->schema->types, words->prefab_union);
    uint32_t length;
    bool was;
    const char *text = bake_scalar_text(tree, node, &length);
    const kiln_member *member =
        bake_schema_member(s->schema, words->prefab_union, text, length, &was);
    int cut = (int)(length < 100 ? length : 100);
    if (!member) {
        /* If the prefab is an asset, baking the asset reports this error. */
        if (s->reading.unit->is_prototype)
            return UINT32_MAX;
        bake_scene_report(s, tree, node, "component", path, "%s has no alternative \"%.*s\"",
                          of->name, cut, text);
        hint_members(s, of, text, length);
        return UINT32_MAX;
    }
    const uint32_t *by_type = s->components.by_type;
    uint32_t found = member->type == KILN_TYPE_NONE ? UINT32_MAX : by_type[member->type];
    if (found == UINT32_MAX && member->type != KILN_TYPE_NONE)
        found = by_type[bake_type_unwrapped(s->schema->types, member->type)];
    if (found == UINT32_MAX)
        bake_scene_report(s, tree, node, "component", path,
                          "\"%.*s\" is not a component: its struct has no `component: row`", cut,
                          text);
    return found;
}
