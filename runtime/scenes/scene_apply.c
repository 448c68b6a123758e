/* Applies a new version of a scene to an instance: a three-way merge of rows.
 *
 * The rows of the old and the new scene are made as loading would make them, with the same handles
 * of entities, so that each value can be compared with the world's bytes. Everything that can fail
 * comes first. New entities are created, and an entity that will have other components gets a spare
 * row of the right archetype, which belongs to a temporary entity. Then the two entities exchange
 * their rows, which cannot fail, and the temporary one is destroyed with the old row. If something
 * fails before, only the created entities must be destroyed. */
#include "scene_load.h"

#include "asset_types.h"
#include "removal.h"
#include "rows.h"
#include "scene_words.h"

#include <string.h>

#define NONE_OLD UINT32_MAX

/* The rows of one version of the scene, in the layout of the world. */
typedef struct scene_version {
    kiln_scene_instance shell; /* only what kiln_scene_match fills */
    kiln_scene_loading loading;
    unsigned char *bytes; /* the columns of all parts, one after another */
    size_t size;
    size_t *starts; /* by part: where its columns begin */
} scene_version;

typedef struct applying {
    const kiln_scene_apply_args *args;
    kiln_world *world;
    kiln_scene_instance *instance;
    scene_version old, fresh;
    /* By number in the new scene: the number in the old one, or NONE_OLD; the entity; and the
     * temporary entity with the spare row, or null. */
    uint32_t *old_of;
    kiln_entity *entities, *spares;
    uint32_t count;      /* entities of the new scene */
    uint32_t old_count;  /* and of the old one */
    uint8_t *is_matched; /* by number in the old scene */
    kiln_component *set; /* scratch memory for the components of an archetype */
    uint32_t set_room;
    scene_ids ids;
    kiln_scene_applied applied;
    bool keeps_data; /* rows may refer to data of the old scene */
} applying;

/* ---- the rows of a version ---- */

static uint64_t column_bytes(const scene_part *part, const scene_column *column)
{
    return ((uint64_t)part->rows->rows * column->size + KILN_COLUMN_ALIGN - 1) &
           ~(uint64_t)(KILN_COLUMN_ALIGN - 1);
}

static kiln_status begin_version(const applying *a, scene_version *v, kiln_scene_source *source,
                                 kiln_error *reterr)
{
    const kiln_scene_load_args load = {
        .world = a->world, .source = source, .unknown = a->args->unknown};
    v->shell.world = v->loading.world = a->world;
    v->shell.source = source;
    v->loading.instance = &v->shell;
    kiln_status status = kiln_scene_match(&v->shell, &load, reterr);
    if (status)
        return status;
    v->starts = world_alloc(a->world, v->shell.part_count * sizeof *v->starts + 1);
    if (!v->starts)
        return kiln_fail(reterr, KILN_NO_MEMORY, 0, NULL);
    /* Converted rows may be much larger than the file, and too large for a 32-bit host. */
    uint64_t size = 0;
    for (uint32_t i = 0; i < v->shell.part_count; i++) {
        v->starts[i] = (size_t)size;
        for (uint32_t k = 0; k < v->shell.parts[i].column_count; k++)
            size += column_bytes(&v->shell.parts[i], &v->shell.parts[i].columns[k]);
        if (size >= SIZE_MAX)
            return kiln_fail(reterr, KILN_NO_MEMORY, 0, NULL);
    }
    v->size = (size_t)size;
    return KILN_OK;
}

/* Makes the rows; entity words get the handles in `ids`. */
static kiln_status fill_version(scene_version *v, const scene_ids *ids, kiln_error *reterr)
{
    const kiln_world *world = v->shell.world;
    v->bytes = world->allocator.alloc(world->allocator.ctx, v->size + 1, KILN_COLUMN_ALIGN);
    if (!v->bytes)
        return kiln_fail(reterr, KILN_NO_MEMORY, 0, NULL);
    kiln_status status = kiln_scene_find_imports(&v->loading, reterr);
    unsigned char *to = v->bytes;
    v->shell.ids = *ids;
    for (uint32_t i = 0; i < v->shell.part_count; i++) {
        const scene_part *part = &v->shell.parts[i];
        for (uint32_t k = 0; k < part->column_count && !status; k++) {
            status = kiln_scene_make_column(&v->loading, part, &part->columns[k], 0,
                                            part->rows->rows, to, reterr);
            to += column_bytes(part, &part->columns[k]);
        }
    }
    return status;
}

static void end_version(scene_version *v)
{
    const kiln_world *world = v->shell.world;
    if (!world)
        return;
    if (v->bytes)
        world->allocator.free(world->allocator.ctx, v->bytes, v->size + 1);
    world_free(world, v->loading.imports, v->loading.import_count * sizeof *v->loading.imports);
    world_free(world, v->starts, v->shell.part_count * sizeof *v->starts + 1);
    kiln_scene_match_fini(&v->shell);
}

/* The part of an entity, and its row there. */
static const scene_part *part_of(const scene_version *v, uint32_t number, uint32_t *ret_row)
{
    const kiln_scene_view *view = &v->shell.source->view;
    const kiln_scene_rows *rows = kiln_scene_find_row(view, number, ret_row);
    return &v->shell.parts[rows - view->archetypes];
}

/* A component of an entity in a version of the scene; NULL if the entity does not have it there, or
 * if it has no bytes. */
static const unsigned char *value_in(const scene_version *v, uint32_t number,
                                     kiln_component component, const scene_column **ret_column)
{
    uint32_t row;
    const scene_part *part = part_of(v, number, &row);
    const unsigned char *bytes = v->bytes + v->starts[part - v->shell.parts];
    for (uint32_t k = 0; k < part->column_count; k++) {
        *ret_column = &part->columns[k];
        if (part->columns[k].component.number == component.number)
            return bytes + (size_t)row * part->columns[k].size;
        bytes += column_bytes(part, &part->columns[k]);
    }
    return NULL;
}

/* Allocates `size` bytes with the value `byte`; NULL if memory runs out. */
static void *make_array(const applying *a, size_t size, int byte)
{
    void *memory = world_alloc(a->world, size);
    if (memory)
        memset(memory, byte, size);
    return memory;
}

/* ---- which entities are the same ---- */

static void set_named(const kiln_scene *scene, uint8_t *is_named)
{
    const kiln_scene_name *name =
        scene->names.count ? kiln_relative_get(&scene->names, scene->names.offset) : NULL;
    for (uint32_t i = 0; i < scene->names.count; i++)
        is_named[name[i].entity] = true;
}

static void match(applying *a, uint32_t old, uint32_t number)
{
    a->old_of[number] = old;
    a->is_matched[old] = true;
}

static void match_named(applying *a)
{
    const kiln_scene *old = a->old.shell.source->scene, *fresh = a->fresh.shell.source->scene;
    const kiln_scene_name *name =
        fresh->names.count ? kiln_relative_get(&fresh->names, fresh->names.offset) : NULL;
    for (uint32_t i = 0; i < fresh->names.count; i++) {
        uint32_t number =
            kiln_scene_find_name(old, kiln_string_get(&name[i].name), name[i].name.length);
        if (number != UINT32_MAX)
            match(a, number, name[i].entity);
    }
}

/* The next unnamed entity in a part with that archetype, from the cursors on; UINT32_MAX if there
 * is none. No part before `*first` has such an entity. The function increases `*first`, so that
 * many calls visit each part once. */
static uint32_t next_unnamed(const applying *a, const archetype *of, uint32_t *cursors,
                             const uint8_t *is_named, uint32_t *first)
{
    for (; *first < a->fresh.shell.part_count; ++*first) {
        const uint32_t i = *first;
        const scene_part *part = &a->fresh.shell.parts[i];
        while (part->archetype == of && cursors[i] < part->rows->rows) {
            uint32_t number = part->rows->first_entity + cursors[i]++;
            if (!is_named[number])
                return number;
        }
    }
    return UINT32_MAX;
}

static kiln_status match_entities(applying *a)
{
    const kiln_world *world = a->world;
    const uint32_t parts = a->fresh.shell.part_count;
    uint8_t *old_named = make_array(a, (size_t)a->old_count + 1, 0),
            *named = make_array(a, (size_t)a->count + 1, 0);
    uint32_t *cursors = make_array(a, ((size_t)parts + 1) * sizeof *cursors, 0);
    kiln_status status = old_named && named && cursors ? KILN_OK : KILN_NO_MEMORY;
    if (!status) {
        set_named(a->old.shell.source->scene, old_named);
        set_named(a->fresh.shell.source->scene, named);
        match_named(a);
    }
    for (uint32_t i = 0; i < a->old.shell.part_count && !status; i++) {
        const scene_part *part = &a->old.shell.parts[i];
        uint32_t first = 0;
        for (uint32_t row = 0; row < part->rows->rows; row++) {
            uint32_t old = part->rows->first_entity + row;
            uint32_t number = old_named[old]
                                  ? UINT32_MAX
                                  : next_unnamed(a, part->archetype, cursors, named, &first);
            if (number != UINT32_MAX)
                match(a, old, number);
        }
    }
    world_free(world, cursors, ((size_t)parts + 1) * sizeof *cursors);
    world_free(world, named, (size_t)a->count + 1);
    world_free(world, old_named, (size_t)a->old_count + 1);
    return status;
}

/* ---- components ---- */

static bool has(const archetype *of, kiln_component component)
{
    for (uint32_t i = 0; of && i < of->component_count; i++)
        if (of->components[i].number == component.number)
            return true;
    return false;
}

static const archetype *archetype_in(const scene_version *v, uint32_t number)
{
    uint32_t row;
    return part_of(v, number, &row)->archetype;
}

static const archetype *current_archetype(const applying *a, kiln_entity entity)
{
    kiln_archetype number = kiln_entity_archetype(a->world, entity);
    return number.number ? world_archetype(a->world, number) : NULL;
}

/* Whether the program has changed the component since it was loaded. */
static bool is_changed(const applying *a, kiln_entity entity, uint32_t old,
                       kiln_component component)
{
    const scene_column *column;
    const unsigned char *was = value_in(&a->old, old, component, &column);
    return was && memcmp(was, kiln_entity_read(a->world, entity, component), column->size) != 0;
}

/* Whether the entity loses a component that it has: the new scene lacks it, and the program has not
 * changed it. */
static bool loses(const applying *a, uint32_t number, kiln_component component)
{
    uint32_t old = a->old_of[number];
    return has(archetype_in(&a->old, old), component) &&
           !has(archetype_in(&a->fresh, number), component) &&
           !is_changed(a, a->entities[number], old, component);
}

/* Whether the entity gets a component that it does not have: the component is new in the scene. */
static bool gains(const applying *a, uint32_t number, kiln_component component)
{
    return !has(archetype_in(&a->old, a->old_of[number]), component) &&
           !has(current_archetype(a, a->entities[number]), component);
}

/* Writes to `set` the components that the entity will have. Returns whether they differ from its
 * current components. */
static bool choose_components(applying *a, uint32_t number, uint32_t *ret_count)
{
    const archetype *now = current_archetype(a, a->entities[number]),
                    *fresh = archetype_in(&a->fresh, number);
    uint32_t count = 0;
    bool is_other = false;
    for (uint32_t i = 0; now && i < now->component_count; i++) {
        if (loses(a, number, now->components[i]))
            is_other = true;
        else
            a->set[count++] = now->components[i];
    }
    for (uint32_t i = 0; fresh && i < fresh->component_count; i++)
        if (gains(a, number, fresh->components[i])) {
            a->set[count++] = fresh->components[i];
            is_other = true;
        }
    *ret_count = count;
    return is_other;
}

/* ---- planning ---- */

static kiln_status create(const applying *a, kiln_archetype of, kiln_entity *ret_entity)
{
    return of.number ? kiln_entity_create(a->world, of, ret_entity, NULL)
                     : kiln_entity_create_empty(a->world, 1, ret_entity);
}

static kiln_status plan_matched(applying *a, uint32_t number)
{
    kiln_entity entity = a->entities[number];
    kiln_row row = kiln_entity_row(a->world, entity);
    kiln_archetype target = {0};
    uint32_t count;
    if (!kiln_entity_exists(a->world, entity))
        return KILN_OK;
    if (row.chunk && !chunk_is_listed(row.chunk))
        return KILN_BAD_ARGUMENT;
    if (!choose_components(a, number, &count))
        return KILN_OK;
    kiln_status status =
        count ? kiln_archetype_register(a->world, a->set, count, &target) : KILN_OK;
    return status ? status : create(a, target, &a->spares[number]);
}

static kiln_status plan_entities(applying *a)
{
    kiln_status status = KILN_OK;
    for (uint32_t i = 0; i < a->count && !status; i++) {
        const archetype *fresh = archetype_in(&a->fresh, i);
        if (a->old_of[i] != NONE_OLD)
            status = plan_matched(a, i);
        else
            status = create(a, fresh ? fresh->number : (kiln_archetype){0}, &a->entities[i]);
    }
    return status;
}

/* Finds the entities of the new scene that the old one also has. Those that the program has
 * destroyed are dead handles. */
static void find_entities(applying *a)
{
    const scene_ids *ids = &a->instance->ids;
    for (uint32_t i = 0; i < a->count; i++)
        if (a->old_of[i] != NONE_OLD)
            a->entities[i] = scene_span_entity(ids, scene_span_of(ids, a->old_of[i]), a->old_of[i]);
}

static kiln_status make_arrays(applying *a)
{
    const size_t count = (size_t)a->count + 1;
    a->set_room = a->world->components.count + 1;
    a->old_of = make_array(a, count * sizeof *a->old_of, 0xff);
    a->entities = make_array(a, count * sizeof *a->entities, 0);
    a->spares = make_array(a, count * sizeof *a->spares, 0);
    a->is_matched = make_array(a, (size_t)a->old_count + 1, 0);
    a->set = make_array(a, a->set_room * sizeof *a->set, 0);
    return a->old_of && a->entities && a->spares && a->is_matched && a->set ? KILN_OK
                                                                            : KILN_NO_MEMORY;
}

static void free_arrays(const applying *a)
{
    const size_t count = (size_t)a->count + 1;
    world_free(a->world, a->old_of, count * sizeof *a->old_of);
    world_free(a->world, a->entities, count * sizeof *a->entities);
    world_free(a->world, a->spares, count * sizeof *a->spares);
    world_free(a->world, a->is_matched, (size_t)a->old_count + 1);
    world_free(a->world, a->set, a->set_room * sizeof *a->set);
}

/* Destroys an entity whose row the program could never see, so no on_remove callback is called. */
static void end_created(kiln_world *world, kiln_entity entity)
{
    kiln_row row = kiln_entity_row(world, entity);
    if (!kiln_entity_exists(world, entity))
        return;
    if (row.chunk) {
        world->structure++;
        kiln_rows_remove(world, chunk_archetype(world, row.chunk), row.chunk, row.row);
        atomic_store_explicit(&kiln_id_record(&world->ids, entity.index)->place, 0,
                              memory_order_relaxed);
    }
    kiln_id_end(&world->ids, entity);
}

static void undo(const applying *a)
{
    for (uint32_t i = 0; a->spares && a->entities && a->old_of && i < a->count; i++) {
        end_created(a->world, a->spares[i]);
        if (a->old_of[i] == NONE_OLD)
            end_created(a->world, a->entities[i]);
    }
}

static kiln_status plan(applying *a, kiln_error *reterr)
{
    kiln_status status = begin_version(a, &a->old, a->instance->source, reterr);
    if (!status)
        status = begin_version(a, &a->fresh, a->args->source, reterr);
    if (status)
        return status;
    status = make_arrays(a);
    if (!status)
        status = match_entities(a);
    if (status)
        return kiln_fail(reterr, status, 0, NULL);
    find_entities(a);
    status = fill_version(&a->old, &a->instance->ids, reterr);
    if (status)
        return status;
    status = plan_entities(a);
    if (!status)
        status = kiln_scene_ids_make(a->world, a->entities, a->count, &a->ids);
    if (!status &&
        !kiln_list_grow(&a->world->allocator, &a->instance->former, sizeof(kiln_scene_source *)))
        status = KILN_NO_MEMORY;
    return status ? kiln_fail(reterr, status, 0, NULL) : fill_version(&a->fresh, &a->ids, reterr);
}

/* ---- changing the world ---- */

static void keep(applying *a, kiln_entity entity, const char *component, const char *field)
{
    const kiln_scene_kept kept = {entity, component, field};
    a->applied.kept++;
    if (a->args->on_kept)
        a->args->on_kept(a->args->ctx, &kept);
}

static void set_row(kiln_world *world, uint64_t place, uint32_t index)
{
    if (!place)
        return;
    kiln_row row = kiln_place_row(world, place);
    if (row.chunk->is_run)
        kiln_rows_list_indices(row.chunk);
    row.chunk->indices[row.row] = index;
    row.chunk->ticks[0] = current_tick(world);
}

/* Exchanges the rows of two entities, one of which may be empty. */
static void exchange_rows(kiln_world *world, kiln_entity x, kiln_entity y)
{
    kiln_record *of_x = kiln_id_record(&world->ids, x.index),
                *of_y = kiln_id_record(&world->ids, y.index);
    uint64_t place_x = KILN_LOAD_RELAXED(&of_x->place), place_y = KILN_LOAD_RELAXED(&of_y->place);
    world->structure++;
    set_row(world, place_x, y.index);
    set_row(world, place_y, x.index);
    KILN_STORE_RELEASE(&of_x->place, place_y);
    KILN_STORE_RELEASE(&of_y->place, place_x);
}

/* Gives the entity its spare row. */
static void move(applying *a, uint32_t number)
{
    kiln_world *world = a->world;
    kiln_entity entity = a->entities[number], spare = a->spares[number];
    const archetype *target = current_archetype(a, spare), *before = current_archetype(a, entity);
    kiln_row row = kiln_entity_row(world, entity);
    if (row.chunk)
        removal_report(world, before, target, row.chunk, row.row, 1);
    for (uint32_t i = 0; target && i < target->component_count; i++) {
        const scene_column *column;
        kiln_component component = target->components[i];
        uint32_t size = kiln_component_get(world, component)->size;
        const void *from = kiln_entity_read(world, entity, component);
        if (!from)
            from = value_in(&a->fresh, number, component, &column);
        if (size)
            memcpy(kiln_entity_write(world, spare, component), from, size);
    }
    exchange_rows(world, entity, spare);
    end_created(world, spare);
}

/* A value of an entity in three versions. */
typedef struct merging {
    kiln_entity entity;
    const kiln_component_desc *desc;
    const unsigned char *old, *fresh;
    unsigned char *now; /* NULL until the first write */
    kiln_component component;
} merging;

/* Merges `size` bytes from `at` on. Returns false if the program's value is kept. */
static bool merge_bytes(const applying *a, merging *m, uint32_t at, uint32_t size)
{
    const unsigned char *now = kiln_entity_read(a->world, m->entity, m->component);
    if (memcmp(m->old + at, m->fresh + at, size) == 0 || memcmp(now + at, m->fresh + at, size) == 0)
        return true;
    if (memcmp(now + at, m->old + at, size) != 0)
        return false;
    if (!m->now)
        m->now = kiln_entity_write(a->world, m->entity, m->component);
    memcpy(m->now + at, m->fresh + at, size);
    return true;
}

/* The type of the component in the program, whose fields are merged one by one; NULL if it is
 * merged as a whole. */
static const kiln_type *type_of(const applying *a, const kiln_component_desc *desc)
{
    const kiln_assets *assets = a->args->source->assets;
    uint32_t number = kiln_asset_program_type(assets, desc->name);
    const kiln_type *type = number != KILN_TYPE_NONE ? kiln_types_get(assets->types, number) : NULL;
    return type && type->layout == desc->layout ? type : NULL;
}

/* Merges a component that all three versions have. Returns whether it was written. */
static bool merge_component(applying *a, merging *m, bool has_data)
{
    const kiln_type *type = type_of(a, m->desc);
    const uint32_t kept = a->applied.kept;
    if (!type && !merge_bytes(a, m, 0, m->desc->size))
        keep(a, m->entity, m->desc->name, NULL);
    for (uint32_t i = 0; type && i < type->member_count; i++) {
        const kiln_member *field = &type->members[i];
        const kiln_type *of = kiln_types_get(a->args->source->assets->types, field->type);
        if (!merge_bytes(a, m, field->offset, of->size))
            keep(a, m->entity, m->desc->name, field->name);
    }
    a->keeps_data = a->keeps_data || (has_data && a->applied.kept > kept);
    return m->now != NULL;
}

/* Reports the components that the scene removes, but that stay because the program has changed
 * them. */
static void report_components(applying *a, uint32_t number)
{
    kiln_entity entity = a->entities[number];
    const archetype *now = current_archetype(a, entity);
    const archetype *old = archetype_in(&a->old, a->old_of[number]),
                    *fresh = archetype_in(&a->fresh, number);
    for (uint32_t i = 0; old && i < old->component_count; i++) {
        kiln_component component = old->components[i];
        bool is_removed = !has(fresh, component) && has(now, component);
        if (!is_removed)
            continue;
        const scene_column *column;
        const char *name = kiln_component_get(a->world, component)->name;
        if (value_in(&a->old, a->old_of[number], component, &column) && column->field_count)
            a->keeps_data = true;
        keep(a, entity, name, NULL);
    }
}

/* Whether the program removed a component whose value the scene has changed. */
static void report_removed(applying *a, uint32_t number, kiln_component component)
{
    const scene_column *column;
    const unsigned char *old = value_in(&a->old, a->old_of[number], component, &column),
                        *fresh = value_in(&a->fresh, number, component, &column);
    const kiln_component_desc *desc = kiln_component_get(a->world, component);
    if (old && fresh && memcmp(old, fresh, desc->size) != 0)
        keep(a, a->entities[number], desc->name, NULL);
}

/* Merges the components of an entity. Returns whether one was written. */
static bool merge(applying *a, uint32_t number)
{
    kiln_entity entity = a->entities[number];
    const archetype *fresh = archetype_in(&a->fresh, number);
    const archetype *old = archetype_in(&a->old, a->old_of[number]);
    bool is_written = false;
    for (uint32_t i = 0; fresh && i < fresh->component_count; i++) {
        kiln_component component = fresh->components[i];
        const scene_column *column;
        merging m = {.entity = entity, .component = component};
        m.desc = kiln_component_get(a->world, component);
        if (!kiln_entity_has(a->world, entity, component)) {
            report_removed(a, number, component);
            continue;
        }
        m.fresh = value_in(&a->fresh, number, component, &column);
        m.old = value_in(&a->old, a->old_of[number], component, &column);
        if (m.old && m.fresh)
            is_written |= merge_component(a, &m, column->field_count > 0);
        else if (m.fresh && !has(old, component) &&
                 memcmp(m.fresh, kiln_entity_read(a->world, entity, component), m.desc->size) != 0)
            keep(a, entity, m.desc->name, NULL); /* the program added it, too */
    }
    return is_written;
}

static void fill_new(const applying *a, uint32_t number)
{
    const archetype *of = archetype_in(&a->fresh, number);
    for (uint32_t i = 0; of && i < of->component_count; i++) {
        const scene_column *column;
        const unsigned char *from = value_in(&a->fresh, number, of->components[i], &column);
        if (from)
            memcpy(kiln_entity_write(a->world, a->entities[number], of->components[i]), from,
                   column->size);
    }
}

static void change_entity(applying *a, uint32_t number)
{
    kiln_entity entity = a->entities[number];
    if (a->old_of[number] == NONE_OLD) {
        a->applied.added++;
        fill_new(a, number);
        return;
    }
    if (!kiln_entity_exists(a->world, entity)) {
        keep(a, entity, NULL, NULL);
        return;
    }
    bool is_moved = a->spares[number].version != 0;
    if (is_moved)
        move(a, number);
    report_components(a, number);
    a->applied.changed += merge(a, number) || is_moved;
}

static void remove_missing(applying *a)
{
    const scene_ids *ids = &a->instance->ids;
    for (uint32_t i = 0; i < a->old_count; i++)
        if (!a->is_matched[i])
            a->applied.removed +=
                kiln_entity_destroy(a->world, scene_span_entity(ids, scene_span_of(ids, i), i)) ==
                KILN_OK;
}

/* The instance now belongs to the new scene. */
static void adopt(applying *a)
{
    kiln_scene_instance *instance = a->instance;
    kiln_scene_source *old = instance->source;
    kiln_scene_match_fini(instance);
    kiln_scene_ids_fini(a->world, &instance->ids);
    world_free(a->world, instance->chunks,
               ((size_t)instance->chunk_count + 1) * sizeof *instance->chunks);
    instance->chunks = NULL;
    instance->chunk_count = instance->tail_chunks = instance->mapped = instance->part_count = 0;
    instance->ids = a->ids;
    a->ids = (scene_ids){0};
    instance->source = kiln_scene_source_keep(a->args->source);
    if (a->keeps_data && old->data)
        ((kiln_scene_source **)instance->former.items)[instance->former.count++] = old;
    else
        kiln_scene_source_drop(old);
    instance->is_applied = true;
    instance->tick = kiln_world_tick(a->world);
}

/* ---- the call ---- */

static bool args_are_valid(const kiln_scene_apply_args *args)
{
    return args && args->instance && !IS_REMOVING(args->instance->world) && args->source &&
           args->unknown <= KILN_UNKNOWN_DROP &&
           args->source->assets == args->instance->source->assets &&
           strcmp(args->source->name, args->instance->source->name) == 0;
}

kiln_status kiln_scene_apply(const kiln_scene_apply_args *args, kiln_scene_applied *ret_applied,
                             kiln_error *reterr)
{
    if (!args_are_valid(args))
        return kiln_fail(reterr, KILN_BAD_ARGUMENT, 0, NULL);
    applying a = {.args = args, .instance = args->instance, .world = args->instance->world};
    a.count = args->source->view.entities;
    a.old_count = a.instance->ids.count;
    kiln_status status = plan(&a, reterr);
    if (status) {
        undo(&a);
    } else {
        kiln_scene_pin_words(a.world, args->source);
        for (uint32_t i = 0; i < a.count; i++)
            change_entity(&a, i);
        remove_missing(&a);
    }
    end_version(&a.fresh);
    end_version(&a.old);
    if (!status)
        adopt(&a);
    kiln_scene_ids_fini(a.world, &a.ids);
    free_arrays(&a);
    if (!status && ret_applied)
        *ret_applied = a.applied;
    return status;
}
