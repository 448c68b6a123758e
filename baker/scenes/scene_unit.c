/* Prefabs and scenes by name, each resolved when it is first needed. */
#include "scene_reader.h"

#include "asset_links.h"
#include "bake_memory.h"
#include "bake_slots.h"
#include "tree_store.h"

#include <stdio.h>
#include <string.h>

/* Names come from the data, and must not be able to meet in a slot on purpose: where things lie in
 * memory is not known to who writes them. */
static size_t slot_of(const scene_table *table, const scene_unit *home, const char *name,
                      size_t length)
{
    uint64_t hash = bake_tree_hash(name, length) ^ (uint64_t)(uintptr_t)table;
    hash += (uint64_t)(uintptr_t)home * UINT64_C(0xd6e8feb86659fd93);
    hash *= UINT64_C(0x9e3779b97f4a7c15);
    hash ^= hash >> 29;
    return (size_t)(hash * UINT64_C(0xbf58476d1ce4e5b9) >> 24) & (table->slot_count - 1);
}

static bool is_named(const scene_unit *unit, const scene_unit *home, const char *name,
                     size_t length)
{
    return unit->home == home && unit->length == length && memcmp(unit->name, name, length) == 0;
}

/* Of several of one name the first is found; the others take no slot, so that however many there
 * are, no search passes them. */
static void insert(scene_table *table, uint32_t number)
{
    const scene_unit *unit = table->units[number];
    size_t at = slot_of(table, unit->home, unit->name, unit->length);
    for (; table->slots[at]; at = (at + 1) & (table->slot_count - 1))
        if (is_named(table->units[table->slots[at] - 1], unit->home, unit->name, unit->length))
            return;
    table->slots[at] = number + 1;
}

static bool grow(scene_table *table)
{
    scene_unit **units =
        bake_grow(table->units, &table->capacity, table->count + 1, sizeof(scene_unit *));
    if (!units)
        return false;
    table->units = units;
    bool emptied;
    if (!bake_slots_grow(&table->slots, &table->slot_count, table->count, &emptied))
        return false;
    for (size_t i = 0; emptied && i < table->count; i++)
        insert(table, (uint32_t)i);
    return true;
}

scene_unit *bake_scene_unit_add(bake_scenes *s, scene_table *table, const scene_unit *unit)
{
    scene_unit *kept = bake_store_alloc(&s->store, 1, sizeof *kept);
    if (!kept || !grow(table)) {
        bake_scene_no_memory(s);
        return NULL;
    }
    *kept = *unit;
    table->units[table->count] = kept;
    insert(table, (uint32_t)table->count++);
    return kept;
}

scene_unit *bake_scene_unit_find(const scene_table *table, const scene_unit *home, const char *name,
                                 size_t length)
{
    if (table->slot_count == 0)
        return NULL;
    for (size_t at = slot_of(table, home, name, length); table->slots[at];
         at = (at + 1) & (table->slot_count - 1)) {
        scene_unit *unit = table->units[table->slots[at] - 1];
        if (is_named(unit, home, name, length))
            return unit;
    }
    return NULL;
}

void bake_scene_tables_fini(bake_scenes *s)
{
    bake_free(s->prefabs.units);
    bake_free(s->prefabs.slots);
    bake_free(s->scenes.units);
    bake_free(s->scenes.slots);
    bake_free(s->prototypes.units);
    bake_free(s->prototypes.slots);
}

/* The scene inside which names are looked up. */
static const scene_unit *home_of(const bake_scenes *s)
{
    return s->unit->is_scene ? s->unit : s->unit->home;
}

static void hint_units(bake_scenes *s, const scene_table *table, const scene_unit *home,
                       const char *text, size_t length, size_t skip)
{
    if (bake_diagnostics_errors(s->diagnostics) > SCENE_HINTS_MAX)
        return;
    const char **names = bake_alloc_array(table->count + 1, sizeof *names);
    char **copies = bake_alloc_array(table->count + 1, sizeof *copies);
    size_t count = 0;
    /* A hint is worth no failure. */
    for (size_t i = 0; names && copies && i < table->count; i++) {
        const scene_unit *unit = table->units[i];
        if ((unit->home && unit->home != home) || unit->length < skip)
            continue;
        copies[count] = bake_copy_text(unit->name + skip, unit->length - skip);
        names[count] = copies[count];
        count += copies[count] != NULL;
    }
    if (names && copies)
        bake_hint_similar(s->diagnostics, text, length, names, count);
    while (count > 0)
        bake_free(copies[--count]);
    bake_free(copies);
    bake_free(names);
}

bool bake_scene_base_is_told(bake_scenes *s, const bake_tree *tree, bake_node_id node)
{
    if (s->told_tree == tree && s->told_base == node)
        return true;
    s->told_tree = tree;
    s->told_base = node;
    return false;
}

/* An id that an asset had once. False for others. */
static bool report_old(bake_scenes *s, const bake_tree *tree, bake_node_id node,
                       const scene_way *way, const char *text, size_t length)
{
    const bake_link *link = bake_scene_prototype_link(s, text, length);
    if (!link || link->kind == BAKE_LINK_ACCEPTED)
        return false;
    bake_mark mark = bake_node_mark(link->tree, link->node);
    const char *source = bake_diagnostics_source_name(s->diagnostics, mark.source);
    int shown = (int)(length < 100 ? length : 100);
    if (link->kind == BAKE_LINK_DELETED)
        bake_scene_report(s, tree, node, "base", way,
                          "the prefab \"%.*s\" is deleted, at %.200s:%u:%u", shown, text, source,
                          mark.line, mark.column);
    else
        bake_scene_report(
            s, tree, node, "base", way,
            "the prefab \"%.*s\" is renamed to \"%.100s\", at %.200s:%u:%u, and there "
            "is none of that name",
            shown, text, link->to, source, mark.line, mark.column);
    bake_related(s->diagnostics, mark, "it is here");
    return true;
}

scene_unit *bake_scene_prefab_named(bake_scenes *s, const bake_tree *tree, bake_node_id node,
                                    const scene_way *way)
{
    size_t length;
    const char *text = bake_scene_text(s, tree, node, way, "the name of a prefab", &length);
    if (!text)
        return NULL;
    const scene_unit *home = home_of(s);
    const bake_scene_words *words = bake_scene_words_of(s);
    bool has_prototypes = words->prefab_type != KILN_TYPE_NONE;
    scene_unit *global = NULL;
    scene_unit *found = home ? bake_scene_unit_find(&s->prefabs, home, text, length) : NULL;
    /* A scene's own prefab may be based on the one of its name that all see. */
    if (!found || found == s->unit)
        global = bake_scene_unit_find(&s->prefabs, NULL, text, length);
    if (!global && (!found || found == s->unit) && has_prototypes)
        global = bake_scene_prototype_find(s, tree, node, text, length);
    if (global || found)
        return global ? global : found;
    if (s->incomplete || bake_scene_base_is_told(s, tree, node))
        return NULL;
    if (has_prototypes && report_old(s, tree, node, way, text, length))
        return NULL;
    bake_scene_report(s, tree, node, "base", way, "no prefab is named \"%.*s\"",
                      (int)(length < 100 ? length : 100), text);
    hint_units(s, has_prototypes ? &s->prototypes : &s->prefabs, home, text, length, 0);
    return NULL;
}

scene_unit *bake_scene_find_scene(const bake_scenes *s, const scene_unit *like, const char *text,
                                  size_t length)
{
    char small[256], *name = small;
    scene_unit *found = bake_scene_unit_find(&s->scenes, NULL, text, length);
    const char *slash = memchr(like->name, '/', like->length);
    size_t kind = slash ? (size_t)(slash - like->name) + 1 : 0;
    if (!found && kind + length > sizeof small)
        name = bake_alloc(kind + length);
    if (found || !name)
        return found;
    memcpy(name, like->name, kind);
    memcpy(name + kind, text, length);
    found = bake_scene_unit_find(&s->scenes, NULL, name, kind + length);
    if (name != small)
        bake_free(name);
    return found;
}

void bake_scene_hint_scenes(bake_scenes *s, const scene_unit *like, const char *text, size_t length)
{
    const char *slash = memchr(like->name, '/', like->length);
    bool is_id = slash && !memchr(text, '/', length);
    hint_units(s, &s->scenes, NULL, text, length, is_id ? (size_t)(slash - like->name) + 1 : 0);
}

scene_unit *bake_scene_named_scene(bake_scenes *s, const bake_tree *tree, bake_node_id node,
                                   const scene_way *way)
{
    size_t length;
    const char *text = bake_scene_text(s, tree, node, way, "the name of a scene", &length);
    scene_unit *found = text ? bake_scene_find_scene(s, s->unit, text, length) : NULL;
    if (found || !text || s->incomplete)
        return found;
    bake_scene_report(s, tree, node, "scene", way, "no scene is named \"%.*s\"",
                      (int)(length < 100 ? length : 100), text);
    bake_scene_hint_scenes(s, s->unit, text, length);
    return NULL;
}

/* `a > b > a`: who asked for whom. */
static void report_cycle(bake_scenes *s, const scene_unit *unit, const bake_tree *tree,
                         bake_node_id node, const scene_way *way)
{
    enum { SHOWN = 8 };
    const scene_unit *chain[SHOWN];
    char text[512];
    size_t count = 0, length = 0, all = 0;
    for (const scene_unit *u = s->unit; u != unit; u = u->user)
        all++;
    for (const scene_unit *u = s->unit; u != unit && count < SHOWN; u = u->user)
        chain[count++] = u;
    length =
        (size_t)snprintf(text, sizeof text, "%.*s%s", (int)(unit->length < 40 ? unit->length : 40),
                         unit->name, all > count ? " > ..." : "");
    while (count-- > 0)
        length += (size_t)snprintf(text + length, sizeof text - length, " > %.*s",
                                   (int)(chain[count]->length < 40 ? chain[count]->length : 40),
                                   chain[count]->name);
    bake_scene_report(s, tree, node, "cycle", way, "the %s is made of itself: %s > %.*s",
                      unit->is_scene ? "scene" : "prefab", text,
                      (int)(unit->length < 40 ? unit->length : 40), unit->name);
}

static scene_shape *read_scene(bake_scenes *s, const scene_unit *unit)
{
    const char *const keys[] = {"prefabs", bake_scene_words_of(s)->entities, "scenes"};
    enum { KEY_PREFABS, KEY_ENTITIES, KEY_SCENES, KEY_COUNT };
    bake_node_id values[KEY_COUNT];
    scene_shape *shape = bake_scene_shape_create(s, unit->tree, unit->node);
    if (!shape)
        return NULL;
    shape->is_group = true;
    if (!bake_scene_expect(s, unit->tree, unit->node, BAKE_NODE_MAPPING, NULL,
                           "a scene: a mapping"))
        return shape;
    bake_scene_keys_under(s, unit->rule, unit->tree, unit->node, NULL, keys, KEY_COUNT, values);
    if (scene_is_said(unit->tree, values[KEY_ENTITIES]))
        bake_scene_entities_read(s, unit->tree, values[KEY_ENTITIES], shape);
    if (scene_is_said(unit->tree, values[KEY_SCENES]))
        bake_scene_nested_read(s, unit->tree, values[KEY_SCENES], shape);
    return shape;
}

static bool too_deep(bake_scenes *s, const bake_tree *tree, bake_node_id node, const scene_way *way)
{
    s->stopped = true;
    return bake_scene_report(s, tree, node, "depth", way,
                             "prefabs and scenes are made of one another more than %d deep",
                             SCENE_BASES_MAX);
}

static void read_unit(bake_scenes *s, scene_unit *unit)
{
    scene_unit *user = s->unit;
    uint32_t owner = s->owner;
    unit->user = user;
    unit->state = SCENE_OPEN;
    s->unit = unit;
    s->owner = ++s->owner_count;
    s->bases++;
    scene_shape *shape = unit->is_scene       ? read_scene(s, unit)
                         : unit->is_prototype ? bake_scene_prototype_read(s, unit)
                                              : bake_scene_prefab_read(s, unit->tree, unit->node);
    if (shape && !s->out_of_memory && bake_scene_shape_seal(s, shape, NULL))
        unit->shape = shape;
    s->bases--;
    s->owner = owner;
    s->unit = user;
    unit->state = SCENE_READ;
}

scene_shape *bake_scene_unit_shape(bake_scenes *s, scene_unit *unit, const bake_tree *tree,
                                   bake_node_id node, const scene_way *way)
{
    if (s->stopped || s->out_of_memory)
        return NULL;
    if (unit->state == SCENE_OPEN) {
        report_cycle(s, unit, tree, node, way);
        return NULL;
    }
    if (unit->state == SCENE_UNREAD) {
        if (s->bases >= SCENE_BASES_MAX) {
            too_deep(s, tree, node, way);
            return NULL;
        }
        read_unit(s, unit);
    }
    /* Counted apart from the recursion, so that the order of reading makes no difference. */
    if (s->unit && s->unit->levels <= unit->levels) {
        s->unit->levels = unit->levels + 1;
        if (s->unit->levels >= SCENE_BASES_MAX && !s->stopped)
            too_deep(s, tree, node, way);
    }
    return s->stopped ? NULL : unit->shape;
}
