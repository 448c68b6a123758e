/* Creates the rows of a scene: groups consecutive entities with equal components, and bakes their
 * values into columns. A baked entity reference first contains the number of its site (the node
 * with the reference) plus 1, and an asset reference an id. write_refs replaces both with their
 * final values. */
#include "scene_baker.h"

#include "bake_memory.h"
#include "scene_entity.h"
#include "scene_look_up.h"
#include "value_origin.h"

#include <string.h>

/* ---- references to entities and assets ---- */

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

/* Suggests names from the level at which the lookup of the path ended. The first name of a path is
 * looked up at every level around the node, nearest first. If no level has that name, suggests
 * names from the nearest and the outermost level. */
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

/* Writes a reference to an entity of this scene. */
static void write_local(scene_baker *k, uint32_t at, const scene_info *info, bake_site *site,
                        uint32_t from, const char *text, size_t length, unsigned char *row)
{
    uint32_t found;
    scene_found what = bake_scene_nodes_find(&k->nodes, from, text, length, &found);
    if (what == SCENE_FOUND) {
        set_word(row, k->nodes.all[found].entity, KILN_SCENE_LOCAL);
        return;
    }
    if (site->is_reported || bake_scene_nodes_may_exist(&k->nodes, from, text, length))
        return;
    site->is_reported = true;
    if (what == SCENE_FOUND_GROUP) {
        bake_scene_entity_report(k, site->tree, site->node, "entity", at, info->values.shown,
                                 "\"%.*s\" is a nested scene, not an entity", cut(length), text);
        return;
    }
    bake_scene_entity_report(k, site->tree, site->node, "entity", at, info->values.shown,
                             "unknown entity \"%.*s\"", cut(length), text);
    hint_names(k, from, text, length);
}

/* Finds a scene in an --extern file. Only the name of the scene is known here; its entities are
 * looked up when the scene is loaded. */
static const char *extern_scene(const scene_baker *k, const char *text, size_t length)
{
    const char *slash = strchr(k->unit->name, '/');
    size_t kind = (size_t)(slash - k->unit->name) + 1;
    /* `text` is a whole name, or an id of the same kind as this scene. */
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
        name ? kiln_scene_writer_add_import(k->writer, scene, name, &number) : KILN_NO_MEMORY;
    bake_free(name);
    if (!bake_scene_status(k, status))
        return false;
    set_word(row, 0, KILN_SCENE_IMPORT + number);
    return true;
}

/* A parsed reference `Scene/other#name`. */
typedef struct scene_reference {
    const char *id;
    size_t id_length;
    const char *name;
    size_t length;
    scene_unit *unit;  /* NULL if it is not a scene of this run */
    const char *scene; /* its name, or NULL if unknown */
    scene_found found;
} scene_reference;

static void report_reference(scene_baker *k, uint32_t at, const scene_info *info, bake_site *site,
                             const scene_reference *ref)
{
    const char *component = info->values.shown;
    site->is_reported = true;
    if (!ref->scene) {
        bake_scene_entity_report(k, site->tree, site->node, "entity", at, component,
                                 "unknown scene \"%.*s\"", cut(ref->id_length), ref->id);
        bake_scene_hint_scenes(k->s, k->unit, ref->id, ref->id_length);
        return;
    }
    bake_scene_entity_report(k, site->tree, site->node, "entity", at, component,
                             ref->found == SCENE_FOUND_GROUP
                                 ? "in %s, \"%.*s\" is a nested scene, not an entity"
                                 : "%s has no entity \"%.*s\"",
                             ref->scene, cut(ref->length), ref->name);
    if (ref->unit && ref->found == SCENE_FOUND_NONE)
        bake_scene_hint_path(k->s, ref->unit->shape, ref->name, ref->length);
}

static bool reject_long_scene(scene_baker *k, uint32_t at, const scene_info *info, bake_site *site,
                              const scene_reference *ref)
{
    if (!site->is_reported)
        bake_scene_entity_report(k, site->tree, site->node, "name", at, info->values.shown,
                                 "the name of the scene \"%.*s...\" has %zu bytes, more than the "
                                 "maximum of %d for references from other scenes",
                                 40, ref->scene, strlen(ref->scene), KILN_SCENE_TEXT_MAX);
    site->is_reported = true;
    return true;
}

static bool write_other_scene(scene_baker *k, uint32_t at, const scene_info *info, bake_site *site,
                              const char *text, size_t length, unsigned char *row)
{
    scene_reference ref = {.id = text, .id_length = length - 1, .found = SCENE_FOUND};
    while (text[ref.id_length] != '#')
        ref.id_length--;
    ref.name = text + ref.id_length + 1;
    ref.length = length - ref.id_length - 1;
    ref.unit = bake_scene_find_scene(k->s, k->unit, ref.id, ref.id_length);
    /* A scene that refers to itself: the path starts at its outermost level, node 0. */
    if (ref.unit == k->unit) {
        write_local(k, at, info, site, 0, ref.name, ref.length, row);
        return true;
    }
    if (ref.unit && !bake_scene_keep_use(k->s, k->unit, ref.unit))
        return bake_scene_status(k, KILN_NO_MEMORY);
    ref.scene = ref.unit ? ref.unit->name : extern_scene(k, ref.id, ref.id_length);
    if (ref.scene && strlen(ref.scene) > KILN_SCENE_TEXT_MAX)
        return reject_long_scene(k, at, info, site, &ref);
    /* No entity has a name that is empty, is too long or contains a NUL. */
    if (ref.length == 0 || ref.length > KILN_SCENE_TEXT_MAX || memchr(ref.name, 0, ref.length))
        ref.found = SCENE_FOUND_NONE;
    else if (ref.unit && ref.unit->shape)
        ref.found = bake_scene_shape_find(ref.unit->shape, ref.name, ref.length);
    if (ref.scene && ref.found == SCENE_FOUND)
        return write_import(k, ref.scene, ref.name, ref.length, row);
    bool may_exist = ref.unit ? !ref.unit->shape ||
                                    bake_scene_path_may_exist(ref.unit->shape, ref.name, ref.length)
                              : k->s->incomplete;
    if (!site->is_reported && !may_exist)
        report_reference(k, at, info, site, &ref);
    return true;
}

/* Writes a reference such as `#12`, an index into the list of the innermost scene that contains the
 * node. */
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
                                 "the scene has no entity \"%.*s\"", cut(length), text);
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
    /* Null unless the entity is found: a site number must never reach the file. */
    set_word(row, 0, KILN_SCENE_NULL);
    if (length > 1 && text[0] == '#') {
        write_listed(k, at, info, site, text, length, row);
        return true;
    }
    if (memchr(text, '#', length))
        return write_other_scene(k, at, info, site, text, length, row);
    write_local(k, at, info, site, at, text, length, row);
    return true;
}

/* Writes the references to entities and assets in a component of node `at`. Returns false after
 * filling the failure. */
static bool write_refs(scene_baker *k, uint32_t at, const scene_info *info, unsigned char *row)
{
    const kiln_component_desc *desc = &info->type.desc;
    for (uint32_t i = 0; i < desc->entity_count; i++)
        if (!write_entity(k, at, info, row + desc->entity_places[i]))
            return false;
    for (uint32_t i = 0; i < desc->asset_count; i++) {
        unsigned char *place = row + desc->asset_places[i];
        uint64_t word;
        memcpy(&word, place, sizeof word);
        if (word && !bake_scene_status(k, kiln_scene_writer_add_asset(k->writer, word, &word)))
            return false;
        memcpy(place, &word, sizeof word);
    }
    return true;
}

/* ---- rows ---- */

/* Gets the number of a component in the writer, and adds it on first use. */
static bool component_number(scene_baker *k, uint32_t component, uint32_t *ret_number)
{
    scene_info *info = bake_scene_info_get(k->s, component, k->def->failure);
    if (!info)
        return false;
    if (info->scene != k->scene) {
        kiln_scene_component_desc desc = {info->type.desc, info->type.field_places,
                                          info->field_names, info->type.field_count};
        if (!bake_scene_status(k, kiln_scene_writer_add_component(k->writer, &desc, &info->number)))
            return false;
        info->scene = k->scene;
    }
    *ret_number = info->number;
    return true;
}

static bool has_same_parts(const scene_shape *a, const scene_shape *b)
{
    if (a->part_count != b->part_count)
        return false;
    /* Parts are sorted by component, so equal components are at equal indices. */
    for (uint32_t i = 0; i < a->part_count; i++)
        if (a->parts[i].component != b->parts[i].component)
            return false;
    return true;
}

/* Counts the components of the node, including the component that stores its parent, which is
 * appended if the node lacks it. */
static uint32_t count_components(const scene_baker *k, uint32_t at)
{
    const scene_shape *shape = k->nodes.all[at].shape;
    bool more = scene_is_child(k, at) && !bake_scene_part_find(shape, k->parent);
    return shape->part_count + more;
}

static bool find_archetype(scene_baker *k, uint32_t at, uint32_t *ret_archetype)
{
    scene_shape *shape = k->nodes.all[at].shape;
    uint32_t count = count_components(k, at);
    uint32_t *numbers =
        bake_grow(k->numbers, &k->number_capacity, (size_t)count + 1, sizeof *numbers);
    if (!numbers)
        return bake_scene_status(k, KILN_NO_MEMORY);
    k->numbers = numbers;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t component = i < shape->part_count ? shape->parts[i].component : k->parent;
        if (!component_number(k, component, &numbers[i]))
            return false;
    }
    kiln_status status = kiln_scene_writer_add_archetype(k->writer, numbers, count, ret_archetype);
    /* Only the writer computes the sizes of rows. add_rows skips entities of an archetype that is
     * too large, so that the others are still checked. */
    if (status != KILN_L_ROW)
        return bake_scene_status(k, status);
    *ret_archetype = UINT32_MAX;
    bake_scene_entity_report(k, shape->tree, shape->node, "size", at, NULL,
                             "the components of the entity do not fit into a chunk of %d bytes",
                             KILN_CHUNK_SIZE);
    return true;
}

/* The archetype of the previous entity. Consecutive entities often share it. */
typedef struct last_archetype {
    const scene_shape *shape;
    bool is_child;
    uint32_t archetype;
} last_archetype;

static bool archetype_of(scene_baker *k, uint32_t at, last_archetype *last)
{
    scene_shape *shape = k->nodes.all[at].shape;
    bool is_child = scene_is_child(k, at);
    if (last->shape && last->is_child == is_child &&
        (last->shape == shape || has_same_parts(last->shape, shape)))
        return true;
    last->shape = shape;
    last->is_child = is_child;
    return find_archetype(k, at, &last->archetype);
}

static uint32_t next_entity(const scene_baker *k, uint32_t at)
{
    while (at < k->nodes.count && !scene_node_is_entity(&k->nodes.all[at]))
        at++;
    return at;
}

/* Adds rows for the nodes from `from` to `to`. `count` of them are entities, all of one
 * archetype. */
static bool add_rows(scene_baker *k, uint32_t archetype, uint32_t from, uint32_t to, uint32_t count)
{
    uint32_t entity;
    if (archetype == UINT32_MAX)
        return true;
    if (!bake_scene_status(k, kiln_scene_writer_add_rows(k->writer, archetype, count, &entity)))
        return false;
    for (uint32_t at = from; at < to; at++)
        if (scene_node_is_entity(&k->nodes.all[at]))
            k->nodes.all[at].entity = entity++;
    return true;
}

static bool create_rows(scene_baker *k)
{
    last_archetype last = {NULL, false, 0};
    uint32_t from = next_entity(k, 0), count = 0, archetype = 0;
    for (uint32_t at = from; at < k->nodes.count; at = next_entity(k, at + 1)) {
        if (!archetype_of(k, at, &last))
            return false;
        if (count > 0 && last.archetype != archetype) {
            if (!add_rows(k, archetype, from, at, count))
                return false;
            from = at;
            count = 0;
        }
        archetype = last.archetype;
        count++;
    }
    return count == 0 || add_rows(k, archetype, from, k->nodes.count, count);
}

static bool bake_value(scene_baker *k, uint32_t at, const scene_info *info, const bake_layer *top,
                       bool is_silent, unsigned char *row)
{
    const scene_node *node = &k->nodes.all[at];
    bake_component_value value = {.root_name = k->unit->name,
                                  .name = node->child->name,
                                  .name_length = node->child->name_length,
                                  .number = node->number,
                                  .component = &info->values,
                                  .top = top,
                                  .tree = node->child->tree,
                                  .node = node->child->node,
                                  .is_silent = is_silent,
                                  .is_partial = node->shape->is_partial};
    return bake_values_component(k->def->values, &value, row);
}

/* Returns the image of a stack of layers. Bakes each stack once for a scene. */
static scene_image *image_of(scene_baker *k, uint32_t at, const scene_info *info, bake_layer *top)
{
    size_t size = info->type.desc.size;
    if (top->image < k->image_count && k->images[top->image].top == top)
        return &k->images[top->image];
    scene_image *images =
        bake_grow(k->images, &k->image_capacity, k->image_count + 1, sizeof *images);
    if (images)
        k->images = images;
    /* Values are written in place, so images are aligned. */
    size_t offset = (k->byte_count + KILN_COLUMN_ALIGN - 1) & ~(size_t)(KILN_COLUMN_ALIGN - 1);
    unsigned char *bytes =
        bake_grow(k->bytes, &k->byte_capacity, offset + size + KILN_COLUMN_ALIGN, 1);
    if (bytes)
        k->bytes = bytes;
    if (!images || !bytes) {
        bake_scene_status(k, KILN_NO_MEMORY);
        return NULL;
    }
    memset(bytes + offset, 0, size);
    k->byte_count = offset + size;
    /* A checked stack was already baked with its prefab, without errors, and its warnings were
     * reported then. So bake it silently. If it fails now, this scene is the reason, so bake it
     * again with reports. */
    bool ok = bake_value(k, at, info, top, top->is_checked, bytes + offset);
    if (!ok && top->is_checked) {
        memset(bytes + offset, 0, size);
        ok = bake_value(k, at, info, top, false, bytes + offset);
    }
    scene_image *image = &k->images[k->image_count];
    *image = (scene_image){top, offset, !ok};
    top->image = (uint32_t)k->image_count++;
    return k->def->failure->result ? NULL : image;
}

/* The parent is always the enclosing entity. Reports any other value in the document. */
static void write_parent(scene_baker *k, uint32_t at, const scene_info *info, unsigned char *row)
{
    size_t count;
    uint64_t word;
    uint32_t local[2] = {k->nodes.all[k->nodes.all[at].up].entity, KILN_SCENE_LOCAL};
    unsigned char *place = row + k->parent_place;
    memcpy(&word, place, sizeof word);
    bake_site *site = word ? &bake_values_sites(k->def->values, &count)[word - 1] : NULL;
    if (site && !site->is_reported) {
        site->is_reported = true;
        bake_scene_entity_report(k, site->tree, site->node, "parent", at, info->values.shown,
                                 "the parent must be the entity that contains this one");
    }
    memcpy(place, local, sizeof local);
}

static bool bake_component_of(scene_baker *k, uint32_t at, uint32_t component, bake_layer *top,
                              unsigned char *row)
{
    const scene_info *info = bake_scene_info_get(k->s, component, k->def->failure);
    bake_values *values = k->def->values;
    size_t sites;
    bool ok = true, keeps = false;
    if (!info)
        return false;
    bake_values_sites(values, &sites);
    /* A source map has records for each entity, so images are not shared if one is written. */
    if (top && top->is_shared && !bake_values_origins(values)) {
        const scene_image *image = image_of(k, at, info, top);
        /* Other entities copy the image with its site numbers, so keep the sites. */
        keeps = true;
        ok = image && !image->failed;
        if (ok && info->type.desc.size)
            memcpy(row, k->bytes + image->offset, info->type.desc.size);
    } else {
        ok = bake_value(k, at, info, top, false, row);
    }
    if (k->def->failure->result)
        return false;
    /* write_refs treats nonzero words as site numbers. The parent is already final, so save it
     * during the call. */
    bool is_parent = component == k->parent && scene_is_child(k, at);
    uint32_t parent[2];
    if (ok && is_parent) {
        write_parent(k, at, info, row);
        memcpy(parent, row + k->parent_place, sizeof parent);
        memset(row + k->parent_place, 0, sizeof parent);
    }
    if (ok && !write_refs(k, at, info, row))
        return false;
    if (ok && is_parent)
        memcpy(row + k->parent_place, parent, sizeof parent);
    if (!keeps)
        bake_values_forget_sites(values, sites);
    return true;
}

static void record_entity(const scene_baker *k, uint32_t at)
{
    enum { NAME_SIZE = 4096 };
    char buffer[NAME_SIZE];
    const scene_node *node = &k->nodes.all[at];
    size_t length = 0;
    const char *name = node->child->name
                           ? bake_scene_node_name(&k->nodes, at, buffer, sizeof buffer, &length)
                           : NULL;
    bake_values_origin_entity(k->def->values, name, length, node->entity, node->child->tree,
                              node->child->node);
}

static bool bake_entity(scene_baker *k, uint32_t at)
{
    const scene_node *node = &k->nodes.all[at];
    if (bake_values_origins(k->def->values))
        record_entity(k, at);
    const scene_shape *shape = node->shape;
    uint32_t count = count_components(k, at);
    for (uint32_t i = 0; i < count; i++) {
        bool is_part = i < shape->part_count;
        uint32_t component = is_part ? shape->parts[i].component : k->parent;
        scene_column *column = &k->columns[i];
        if (column->left == 0) {
            scene_info *info = bake_scene_info_get(k->s, component, k->def->failure);
            column->row =
                info ? kiln_scene_writer_at(k->writer, node->entity, info->number, &column->left)
                     : NULL;
            if (!column->row)
                return false;
        }
        if (!bake_component_of(k, at, component, is_part ? shape->parts[i].top : NULL, column->row))
            return false;
        column->row += k->s->components.all[component].size;
        column->left--;
    }
    return true;
}

bool bake_scene_rows_bake(scene_baker *k)
{
    if (!create_rows(k))
        return false;
    uint32_t expected = UINT32_MAX;
    const scene_shape *last = NULL;
    bool last_child = false;
    for (uint32_t at = next_entity(k, 0); at < k->nodes.count; at = next_entity(k, at + 1)) {
        const scene_node *node = &k->nodes.all[at];
        bool is_child = scene_is_child(k, at);
        if (node->entity == UINT32_MAX)
            continue;
        /* Columns advance by one row for each entity, so they are only valid while entities are
         * consecutive and have the same components. */
        bool follows = last && node->entity == expected && last_child == is_child &&
                       (last == node->shape || has_same_parts(last, node->shape));
        if (!follows) {
            size_t count = count_components(k, at);
            scene_column *columns =
                bake_grow(k->columns, &k->column_capacity, count + 1, sizeof *columns);
            if (!columns)
                return bake_scene_status(k, KILN_NO_MEMORY);
            k->columns = columns;
            memset(columns, 0, count * sizeof *columns);
        }
        if (!bake_entity(k, at))
            return false;
        last = node->shape;
        last_child = is_child;
        expected = node->entity + 1;
    }
    return true;
}
