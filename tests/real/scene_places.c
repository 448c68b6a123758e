/* Loads the scenes of a game's maps and prints, by name, which entities are inside which.
 *
 *     scene_places FILE SCENE...
 *
 * Prints `scene NAME ENTITIES ARCHETYPES` for each scene, `in ENTITY OTHER` for each entity inside
 * another, `held CONTAINER OTHER ENTITY` for each entity held by a container, and `linked ENTITY
 * OTHER PORTS` for each link through ports. Exits with 1 if one of these entities is dead or not in
 * the scene. PLACES is the generated header of the schema. */
#include <kiln/assets.h>
#include <kiln/entity_tables.h>
#include <kiln/scenes.h>

#include PLACES

#include <stdio.h>
#include <stdlib.h>

static kiln_assets *assets;
static kiln_world *world;
static kiln_component transform, containers;

static void must(kiln_status status, const kiln_error *error, const char *what)
{
    if (!status)
        return;
    fprintf(stderr, "scene_places: %s: %s %s\n", what, kiln_status_text(status),
            error ? error->path : "");
    exit(1);
}

static const char *name_of(kiln_entity entity, const char *asked_by)
{
    const char *name = kiln_entity_exists(world, entity) ? kiln_entity_name(world, entity) : NULL;
    if (!name) {
        fprintf(stderr,
                "scene_places: %s refers to an entity that is dead, unnamed or not in the scene\n",
                asked_by);
        exit(1);
    }
    return name;
}

static void print_held(const kiln_scene_instance *scene, const char *holder, const char *container,
                       const ss14_EntityNumber *held)
{
    if (held->value == 0)
        return;
    printf("held %s %s %s\n", container, holder,
           name_of(kiln_scene_entity(scene, held->value - 1), holder));
}

static void print_containers(const kiln_scene_instance *scene, kiln_entity entity, const char *name)
{
    const ss14_ContainerContainerComponent_row *row = kiln_entity_read(world, entity, containers);
    const kiln_string_ss14_ContainerKind_map *map =
        row ? ss14_ContainerContainerComponent_row_containers(row) : NULL;
    for (uint32_t i = 0; map && i < map->count; i++) {
        const kiln_string_ss14_ContainerKind_map_entry *entry =
            kiln_string_ss14_ContainerKind_map_at(map, i);
        const char *key = kiln_string_get(&entry->key);
        const ss14_Container *many = ss14_ContainerKind_get_Container(&entry->value);
        const ss14_ContainerSlot *slot = ss14_ContainerKind_get_ContainerSlot(&entry->value);
        for (uint32_t k = 0; many && k < many->ents.count; k++)
            print_held(scene, name, key, ss14_EntityNumber_array_at(&many->ents, k));
        if (slot && ss14_EntityNumber_optional_get(&slot->ent))
            print_held(scene, name, key, ss14_EntityNumber_optional_get(&slot->ent));
    }
}

/* Only one of the games has ports. */
#ifdef ss14_DeviceLinkSourceComponent_row_COMPONENT
static const kiln_component_desc links_def = ss14_DeviceLinkSourceComponent_row_COMPONENT;
static kiln_component links;

static void print_links(const kiln_scene_instance *scene, kiln_entity entity, const char *name)
{
    const ss14_DeviceLinkSourceComponent_row *row = kiln_entity_read(world, entity, links);
    const kiln_u32_ss14_PortLinks_map *map =
        row ? ss14_DeviceLinkSourceComponent_row_linkedPorts(row) : NULL;
    for (uint32_t i = 0; map && i < map->count; i++) {
        const kiln_u32_ss14_PortLinks_map_entry *entry = kiln_u32_ss14_PortLinks_map_at(map, i);
        if (kiln_u32_ss14_PortLinks_map_find(map, entry->key) != &entry->value)
            must(KILN_NOT_FOUND, NULL, name);
        printf("linked %s %s %u\n", name, name_of(kiln_scene_entity(scene, entry->key - 1), name),
               (unsigned)entry->value.value.count);
    }
}
#endif

/* Archetypes in use by entities of the world. */
static uint32_t count_archetypes(const kiln_scene_instance *scene, uint32_t entities)
{
    uint32_t count = 0;
    bool *seen = calloc(kiln_archetype_count(world) + 1, sizeof *seen);
    if (!seen)
        exit(1);
    for (uint32_t i = 0; i < entities; i++) {
        kiln_archetype archetype = kiln_entity_archetype(world, kiln_scene_entity(scene, i));
        count += !seen[archetype.number];
        seen[archetype.number] = true;
    }
    free(seen);
    return count;
}

static void print_scene(const char *name)
{
    kiln_scene_source_args source_args = {
        .assets = assets, .name = name, .allow_missing = true, .by = KILN_HERE};
    kiln_scene_source *source;
    kiln_scene_instance *scene;
    kiln_error error;
    must(kiln_scene_source_open(&source_args, &source, &error), &error, name);
    kiln_scene_load_args load_args = {
        .world = world, .source = source, .unknown = KILN_UNKNOWN_KEEP, .set_names = true};
    must(kiln_scene_load(&load_args, &scene, &error), &error, name);
    uint32_t entities = kiln_scene_get_info(scene).living;
    printf("scene %s %u %u\n", name, (unsigned)entities,
           (unsigned)count_archetypes(scene, entities));
    for (uint32_t i = 0; i < entities; i++) {
        kiln_entity entity = kiln_scene_entity(scene, i);
        const char *own = name_of(entity, name);
        const ss14_TransformComponent_row *at = kiln_entity_read(world, entity, transform);
        if (at && !kiln_entity_is_null(at->parent))
            printf("in %s %s\n", own, name_of(at->parent, own));
        print_containers(scene, entity, own);
#ifdef ss14_DeviceLinkSourceComponent_row_COMPONENT
        print_links(scene, entity, own);
#endif
    }
    kiln_scene_unload(scene);
    kiln_scene_source_close(source);
    kiln_world_stats stats;
    kiln_world_get_stats(world, &stats);
    if (stats.live != 0)
        must(KILN_BAD_ARGUMENT, NULL, "entities are left over");
}

int main(int argc, char **argv)
{
    static const kiln_component_desc at = ss14_TransformComponent_row_COMPONENT;
    static const kiln_component_desc holds = ss14_ContainerContainerComponent_row_COMPONENT;
    kiln_assets_def assets_def = kiln_assets_def_default();
    kiln_world_def world_def = kiln_world_def_default();
    kiln_mount_def mount_def = kiln_mount_def_default();
    kiln_mount mount;
    kiln_error error;
    if (argc < 3)
        return 2;
    must(kiln_assets_create(&assets_def, &assets, &error), &error, "assets");
    must(kiln_world_create(&world_def, &world), NULL, "world");
    must(kiln_component_register(world, &at, &transform), NULL, "transform");
    must(kiln_component_register(world, &holds, &containers), NULL, "containers");
#ifdef ss14_DeviceLinkSourceComponent_row_COMPONENT
    must(kiln_component_register(world, &links_def, &links), NULL, "links");
#endif
    mount_def.file.path = argv[1];
    must(kiln_assets_mount(assets, &mount_def, &mount, &error), &error, argv[1]);
    for (int i = 2; i < argc; i++)
        print_scene(argv[i]);
    kiln_world_destroy(world);
    must(kiln_assets_unmount(assets, mount, KILN_UNMOUNT_REFUSE, &error), &error, "unmount");
    kiln_assets_destroy(assets);
    return 0;
}
