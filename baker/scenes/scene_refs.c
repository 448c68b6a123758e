/* Writes references to entities and assets into the rows of components. Values hold the numbers of
 * sites until then, because the entities of the scene get their numbers only when it is laid out.
 */
#include "scene_baker.h"

#include "bake_memory.h"
#include "scene_look_up.h"

#include <string.h>

enum { SHOWN_MAX = 100 };

static int cut(size_t length)
{
    return (int)(length < SHOWN_MAX ? length : SHOWN_MAX);
}

static void set_word(unsigned char *row, uint32_t number, uint32_t source)
{
    memcpy(row, &number, sizeof number);
    memcpy(row + sizeof number, &source, sizeof source);
}

/* Hints come from the level at which the path was looked up. A path of one name is looked up at
 * every level around the node, the nearest first. */
static void hint_names(const scene_baker *k, uint32_t from, const char *text, size_t length)
{
    const char *slash = memchr(text, '/', length);
    size_t first = slash ? (size_t)(slash - text) : length;
    const scene_child *child = NULL;
    uint32_t at = from;
    for (; at != UINT32_MAX && !child; at = k->nodes.all[at].up)
        child = bake_scene_child_look_up(k->nodes.all[at].shape, text, first);
    if (child) {
        bake_scene_hint_path(k->s, child->shape, text + first + 1, length - first - 1);
        return;
    }
    uint32_t up = from == 0 ? 0 : k->nodes.all[from].up;
    bake_scene_hint_children(k->s, k->nodes.all[up].shape, text, first);
    if (up != 0)
        bake_scene_hint_children(k->s, k->nodes.all[0].shape, text, first);
}

/* Finds an entity of this scene. */
static void write_local(scene_baker *k, uint32_t at, const scene_info *info, bake_site *site,
                        uint32_t from, const char *text, size_t length, unsigned char *row)
{
    uint32_t found;
    scene_found what = bake_scene_nodes_find(&k->nodes, from, text, length, &found);
    if (what == SCENE_FOUND) {
        set_word(row, k->nodes.all[found].entity, KILN_SCENE_LOCAL);
        return;
    }
    if (site->is_reported || bake_scene_nodes_unsure(&k->nodes, from, text, length))
        return;
    site->is_reported = true;
    if (what == SCENE_FOUND_GROUP) {
        bake_scene_entity_report(k, site->tree, site->node, "entity", at, info->values.shown,
                                 "\"%.*s\" is a nested scene, not an entity", cut(length), text);
        return;
    }
    bake_scene_entity_report(k, site->tree, site->node, "entity", at, info->values.shown,
                             "no entity is named \"%.*s\"", cut(length), text);
    hint_names(k, from, text, length);
}

/* Of a scene in an extern file only the name is known. Loading looks its entity up. */
static const char *extern_scene(const scene_baker *k, const char *text, size_t length)
{
    const char *slash = strchr(k->unit->name, '/');
    size_t kind = (size_t)(slash - k->unit->name) + 1;
    const bake_name *found = bake_names_find(k->def->names, text, length);
    char *name = found ? NULL : bake_alloc(kind + length);
    if (name) {
        memcpy(name, k->unit->name, kind);
        memcpy(name + kind, text, length);
        found = bake_names_find(k->def->names, name, kind + length);
        bake_free(name);
    }
    bool is_scene = found && found->output == BAKE_OUTPUT_EXTERN &&
                    found->type_name_length == strlen(KILN_SCENE_TYPE_NAME) &&
                    memcmp(found->type_name, KILN_SCENE_TYPE_NAME, found->type_name_length) == 0;
    return is_scene ? found->name : NULL;
}

static bool write_import(scene_baker *k, const char *scene, const char *text, size_t length,
                         unsigned char *row)
{
    uint32_t number;
    char *name = bake_copy_text(text, length);
    kiln_status status =
        name ? kiln_scene_writer_import(k->writer, scene, name, &number) : KILN_NO_MEMORY;
    bake_free(name);
    if (!bake_scene_status(k, status))
        return false;
    set_word(row, 0, KILN_SCENE_IMPORT + number);
    return true;
}

/* The parts of `Scene/other#name`. */
typedef struct far_name {
    const char *id;
    size_t id_length;
    const char *name;
    size_t length;
    scene_unit *unit;  /* NULL: not a scene of this run */
    const char *scene; /* its name; NULL: unknown */
    scene_found found;
} far_name;

static void report_far(scene_baker *k, uint32_t at, const scene_info *info, bake_site *site,
                       const far_name *far)
{
    const char *component = info->values.shown;
    site->is_reported = true;
    if (!far->scene) {
        bake_scene_entity_report(k, site->tree, site->node, "entity", at, component,
                                 "no scene is named \"%.*s\"", cut(far->id_length), far->id);
        bake_scene_hint_scenes(k->s, k->unit, far->id, far->id_length);
        return;
    }
    bake_scene_entity_report(k, site->tree, site->node, "entity", at, component,
                             far->found == SCENE_FOUND_GROUP
                                 ? "in %s, \"%.*s\" is a nested scene, not an entity"
                                 : "%s has no entity \"%.*s\"",
                             far->scene, cut(far->length), far->name);
    if (far->unit && far->found == SCENE_FOUND_NONE)
        bake_scene_hint_path(k->s, far->unit->shape, far->name, far->length);
}

static bool refuse_long_scene(scene_baker *k, uint32_t at, const scene_info *info, bake_site *site,
                              const far_name *far)
{
    if (!site->is_reported)
        bake_scene_entity_report(k, site->tree, site->node, "name", at, info->values.shown,
                                 "the name of the scene \"%.*s...\" has %zu bytes, more than the "
                                 "maximum of %d for a scene that another refers to",
                                 40, far->scene, strlen(far->scene), KILN_SCENE_TEXT_MAX);
    site->is_reported = true;
    return true;
}

static bool write_far(scene_baker *k, uint32_t at, const scene_info *info, bake_site *site,
                      const char *text, size_t length, unsigned char *row)
{
    far_name far = {.id = text, .id_length = length - 1, .found = SCENE_FOUND};
    while (text[far.id_length] != '#')
        far.id_length--;
    far.name = text + far.id_length + 1;
    far.length = length - far.id_length - 1;
    far.unit = bake_scene_find_scene(k->s, k->unit, far.id, far.id_length);
    if (far.unit == k->unit) {
        write_local(k, at, info, site, 0, far.name, far.length, row);
        return true;
    }
    far.scene = far.unit ? far.unit->name : extern_scene(k, far.id, far.id_length);
    /* A name that no entity can have: empty, or with characters that names cannot contain. */
    if (far.scene && strlen(far.scene) > KILN_SCENE_TEXT_MAX)
        return refuse_long_scene(k, at, info, site, &far);
    if (far.length == 0 || far.length > KILN_SCENE_TEXT_MAX || memchr(far.name, 0, far.length))
        far.found = SCENE_FOUND_NONE;
    else if (far.unit && far.unit->shape)
        far.found = bake_scene_shape_find(far.unit->shape, far.name, far.length);
    if (far.scene && far.found == SCENE_FOUND)
        return write_import(k, far.scene, far.name, far.length, row);
    bool is_unsure = far.unit ? !far.unit->shape ||
                                    bake_scene_path_is_unsure(far.unit->shape, far.name, far.length)
                              : k->s->incomplete;
    if (!site->is_reported && !is_unsure)
        report_far(k, at, info, site, &far);
    return true;
}

/* Finds the entity `#12` of the list of the innermost nested scene. */
static void write_listed(scene_baker *k, uint32_t at, const scene_info *info, bake_site *site,
                         const char *text, size_t length, unsigned char *row)
{
    uint32_t found = bake_scene_nodes_listed(&k->nodes, at, text, length);
    if (found != UINT32_MAX) {
        set_word(row, k->nodes.all[found].entity, KILN_SCENE_LOCAL);
        return;
    }
    if (!site->is_reported && !k->nodes.all[0].shape->is_partial)
        bake_scene_entity_report(k, site->tree, site->node, "entity", at, info->values.shown,
                                 "the scene lists no entity \"%.*s\"", cut(length), text);
    site->is_reported = true;
}

static bool write_entity(scene_baker *k, uint32_t at, const scene_info *info, unsigned char *row)
{
    uint64_t word;
    size_t count, length;
    memcpy(&word, row, sizeof word);
    if (word == 0)
        return true;
    bake_site *site = &bake_values_sites(k->def->values, &count)[word - 1];
    const char *text = bake_node_text(site->tree, site->node, &length);
    set_word(row, 0, KILN_SCENE_NULL);
    if (length > 1 && text[0] == '#') {
        write_listed(k, at, info, site, text, length, row);
        return true;
    }
    if (memchr(text, '#', length))
        return write_far(k, at, info, site, text, length, row);
    write_local(k, at, info, site, at, text, length, row);
    return true;
}

bool bake_scene_refs_write(scene_baker *k, uint32_t at, const scene_info *info, unsigned char *row)
{
    const kiln_component_def *def = &info->type.def;
    for (uint32_t i = 0; i < def->entity_count; i++)
        if (!write_entity(k, at, info, row + def->entity_places[i]))
            return false;
    for (uint32_t i = 0; i < def->asset_count; i++) {
        unsigned char *place = row + def->asset_places[i];
        uint64_t word;
        memcpy(&word, place, sizeof word);
        if (word && !bake_scene_status(k, kiln_scene_writer_asset(k->writer, word, &word)))
            return false;
        memcpy(place, &word, sizeof word);
    }
    return true;
}
