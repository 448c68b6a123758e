#include "scene_baker.h"

#include "bake_memory.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void report_unit(const scene_baker *k, const char *what, uint64_t count, uint64_t most)
{
    bake_mark mark = bake_node_mark(k->unit->tree, k->unit->node);
    /* Counts saturate at UINT64_MAX, so the true count is unknown. */
    if (count == UINT64_MAX)
        bake_report(k->s->diagnostics, BAKE_ERROR, mark, "size", k->unit->name,
                    "the scene has more than %llu %s", (unsigned long long)most, what);
    else
        bake_report(k->s->diagnostics, BAKE_ERROR, mark, "size", k->unit->name,
                    "the scene has %llu %s, more than the maximum of %llu",
                    (unsigned long long)count, what, (unsigned long long)most);
}

static bool size_fits(const scene_baker *k)
{
    const scene_shape *shape = k->unit->shape;
    if (shape->cost > k->s->work_max)
        report_unit(k, "entities and components", shape->cost, k->s->work_max);
    else if (shape->bytes > KILN_PAYLOAD_MAX) /* checked before rows are allocated */
        report_unit(k, "bytes of components", shape->bytes, KILN_PAYLOAD_MAX);
    else
        return true;
    return false;
}

/* Duplicate names in one list were already reported, unless one of the two entities has a `path`.
 * So a duplicate is only reported here if the run has no error yet. */
static bool write_name(scene_baker *k, uint32_t at, const char *name, size_t length)
{
    const scene_node *node = &k->nodes.all[at];
    kiln_status status = kiln_scene_writer_name(k->writer, node->entity, name, length);
    if (status != KILN_DUPLICATE)
        return bake_scene_status(k, status);
    if (bake_diagnostics_errors(k->s->diagnostics) == 0)
        bake_scene_entity_report(k, node->child->tree, node->child->node, "duplicate", at, NULL,
                                 "another entity has the path \"%.*s\"",
                                 (int)(length < 100 ? length : 100), name);
    return true;
}

static bool write_names(scene_baker *k)
{
    enum { NAMES_SIZE = 65536 };
    char *buffer = bake_alloc(NAMES_SIZE);
    bool ok = buffer || bake_scene_status(k, KILN_NO_MEMORY);
    for (uint32_t at = 0; ok && at < k->nodes.count; at++) {
        const scene_node *node = &k->nodes.all[at];
        size_t length;
        if (!scene_node_is_entity(node) || !node->child->name || node->entity == UINT32_MAX)
            continue;
        const char *name = bake_scene_node_name(&k->nodes, at, buffer, NAMES_SIZE, &length);
        if (name && length > KILN_SCENE_TEXT_MAX)
            bake_scene_entity_report(
                k, node->child->tree, node->child->node, "name", at, NULL,
                "the path of the entity has %zu bytes, more than the maximum of %d", length,
                KILN_SCENE_TEXT_MAX);
        else if (name)
            ok = write_name(k, at, name, length);
    }
    bake_free(buffer);
    return ok;
}

static bool write_scene(scene_baker *k)
{
    uint32_t data_type = k->s->schema->scene_data;
    kiln_buffer data;
    kiln_error error;
    memset(&data, 0, sizeof data);
    memset(&error, 0, sizeof error);
    bake_mark mark = bake_node_mark(k->unit->tree, k->unit->node);
    if (data_type != KILN_TYPE_NONE &&
        !bake_values_scene_data(k->def->values, data_type, k->unit->name, &mark, &data))
        return false;
    kiln_scene_finish_args args = {k->unit->name, k->def->writer,    k->def->types,    &data,
                                   data_type,     k->def->ret_sizes, k->def->ret_blobs};
    kiln_status status = kiln_scene_writer_finish(k->writer, &args, &error);
    kiln_buffer_fini(&data);
    if (status && status != KILN_NO_MEMORY && status != KILN_TOO_LARGE)
        return bake_fail_bug(k->def->failure, k->unit->name, status, &error) == BAKE_OK;
    return bake_scene_status(k, status);
}

/* Finds the component that stores the parent, if the rule has one. Returns false after a report. */
static bool find_parent(scene_baker *k)
{
    const bake_file_rule *rule = k->unit->rule;
    const scene_components *c = &k->s->components;
    k->parent = UINT32_MAX;
    if (rule->parent_type == KILN_TYPE_NONE)
        return true;
    for (uint32_t i = 0; i < c->count; i++)
        if (c->all[i].type == rule->parent_type)
            k->parent = i;
    const kiln_type *of = kiln_types_get(k->s->schema->types, rule->parent_type);
    k->parent_place = of->members[rule->parent_member].offset;
    if (k->parent == UINT32_MAX) {
        scene_path path = {NULL, k->unit->name, k->unit->length, 0};
        bake_scene_reject_component(k->s, k->unit->tree, k->unit->node, &path, of);
    }
    return k->parent != UINT32_MAX;
}

/* Gets the final entity numbers from the writer, on first use. All rows are added before the first
 * value is baked, so a value can refer to any entity. */
static bool find_final_numbers(scene_baker *k)
{
    uint32_t count = 0;
    for (uint32_t at = 0; at < k->nodes.count; at++)
        count += scene_node_is_entity(&k->nodes.all[at]);
    k->final_numbers = bake_alloc(((size_t)count + 1) * sizeof *k->final_numbers);
    return bake_scene_status(k, k->final_numbers
                                    ? kiln_scene_writer_numbers(k->writer, k->final_numbers)
                                    : KILN_NO_MEMORY);
}

/* In a document of shape `kinds`, digits are the number of an entity. Returns false for any other
 * text, which is then the name of an entity. */
static bool parse_number(const scene_baker *k, const char *text, size_t length,
                         uint32_t *ret_number)
{
    uint32_t number = 0;
    if (k->unit->rule != &bake_scene_rule_of_kinds || length == 0)
        return false;
    for (size_t i = 0; i < length; i++) {
        if (text[i] < '0' || text[i] > '9' || number > k->nodes.count)
            return false;
        number = number * 10 + (uint32_t)(text[i] - '0');
    }
    *ret_number = number;
    return number < k->nodes.count;
}

/* Implements bake_find_entity. If the name may exist in a part that could not be read, returns true
 * with 0, so that no error is reported twice. */
static bool find_entity(void *ctx, const char *name, size_t length, uint32_t *ret_number)
{
    scene_baker *k = ctx;
    uint32_t found;
    *ret_number = 0;
    if (parse_number(k, name, length, ret_number))
        return true;
    if (length > 1 && name[0] == '#') {
        found = bake_scene_nodes_listed(&k->nodes, 0, name, length);
        if (found == UINT32_MAX)
            return k->nodes.all[0].shape->is_partial;
    } else if (bake_scene_nodes_find(&k->nodes, 0, name, length, &found) != SCENE_FOUND) {
        return bake_scene_nodes_may_exist(&k->nodes, 0, name, length);
    }
    if (k->nodes.all[found].entity != UINT32_MAX && (k->final_numbers || find_final_numbers(k)))
        *ret_number = k->final_numbers[k->nodes.all[found].entity] + 1;
    return true;
}

static void hint_entity(void *ctx, const char *name, size_t length)
{
    scene_baker *k = ctx;
    bake_scene_hint_path(k->s, k->unit->shape, name, length);
}

static bool bake(scene_baker *k)
{
    kiln_allocator allocator = bake_memory_allocator();
    /* An error stops the baking of this scene only, so that the other scenes are checked as
     * well. */
    if (!find_parent(k) || !size_fits(k))
        return true;
    if (!bake_scene_nodes_init(&k->nodes, k->unit->shape) ||
        !bake_values_begin_scene(k->def->values, k->s->schema->scene_data))
        return bake_scene_status(k, KILN_NO_MEMORY);
    const bake_scene_words *words = k->unit->rule ? k->unit->rule->words : NULL;
    bake_values_set_entities(k->def->values, find_entity, hint_entity, k,
                             words ? words->none : NULL);
    if (!bake_scene_status(k, kiln_scene_writer_create(&allocator, &k->writer)) ||
        !bake_scene_rows_bake(k) || !write_names(k))
        return false;
    if ((!k->def->writer && !k->def->ret_blobs) || !bake_values_can_write(k->def->values))
        return true;
    return write_scene(k);
}

bool bake_scene(const bake_scene_def *def, const char *name, size_t length)
{
    scene_baker k = {.def = def, .s = def->scenes};
    k.unit = bake_scene_unit_find(&k.s->scenes, NULL, name, length);
    /* A missing shape was already reported. */
    if (!k.unit || !k.unit->shape)
        return true;
    k.scene = ++k.s->scene_count;
    bool ok = bake(&k);
    kiln_scene_writer_destroy(k.writer);
    bake_values_end_scene(def->values);
    bake_scene_nodes_fini(&k.nodes);
    bake_free(k.images);
    bake_free(k.bytes);
    bake_free(k.columns);
    bake_free(k.numbers);
    bake_free(k.final_numbers);
    return ok && def->failure->result == BAKE_OK;
}

/* ---- prefabs outside of scenes ---- */

static bool check_shape(const bake_scene_def *def, const scene_unit *unit, const scene_shape *shape,
                        void *row)
{
    for (uint32_t i = 0; i < shape->part_count; i++) {
        bake_layer *top = shape->parts[i].top;
        const scene_info *info =
            bake_scene_info_get(def->scenes, shape->parts[i].component, def->failure);
        if (!info)
            return false;
        if (top->is_checked || top->failed_in)
            continue;
        bake_component_value value = {.root_name = unit->name,
                                      .is_prefab = true,
                                      .component = &info->values,
                                      .top = top,
                                      .tree = shape->tree,
                                      .node = shape->node,
                                      .is_partial = shape->is_partial || unit->is_abstract};
        memset(row, 0, info->type.desc.size);
        bool is_sound = bake_values_component(def->values, &value, row);
        /* An abstract prefab may lack required values. So even if it bakes without errors, entities
         * based on it may be invalid. */
        top->is_checked = is_sound && !unit->is_abstract;
        bake_values_forget_sites(def->values, 0);
        if (def->failure->result)
            return false;
    }
    /* Children that are unchanged prefabs are checked with those prefabs. */
    for (uint32_t i = 0; i < shape->child_count; i++)
        if (shape->children[i].shape && shape->children[i].shape->owner == shape->owner &&
            !check_shape(def, unit, shape->children[i].shape, row))
            return false;
    return true;
}

bool bake_prefabs_check(const bake_scene_def *def)
{
    const scene_table *prefabs = &def->scenes->prefabs;
    void *row = bake_alloc(KILN_CHUNK_SIZE);
    bool ok = row && bake_values_begin_scene(def->values, def->scenes->schema->scene_data);
    if (!ok)
        bake_fail_memory(def->failure);
    for (size_t i = 0; ok && i < prefabs->count; i++)
        if (prefabs->units[i]->shape)
            ok = check_shape(def, prefabs->units[i], prefabs->units[i]->shape, row);
    bake_values_end_scene(def->values);
    bake_free(row);
    return ok;
}
