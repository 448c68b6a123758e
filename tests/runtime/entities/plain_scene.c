#include "plain_scene.h"

kiln_component plain_scene_register(kiln_world *world, const char *name, uint32_t size)
{
    const kiln_component_desc desc = {name, 0, size, size ? 4 : 1, NULL, NULL, 0, 0};
    kiln_component component;
    assert_int_equal(KILN_OK, kiln_component_register(world, &desc, &component));
    return component;
}

int plain_scene_begin(void **state)
{
    plain_scene *s = calloc(1, sizeof *s);
    assert_non_null(s);
    world_memory_init(&s->memory);
    kiln_world_def def = world_memory_def(&s->memory);
    def.max_blocks = PLAIN_BLOCKS;
    def.max_mega_chunks = PLAIN_MEGAS;
    assert_int_equal(KILN_OK, kiln_world_create(&def, &s->world));
    s->position = plain_scene_register(s->world, "position", 12);
    s->light = plain_scene_register(s->world, "light", 4);
    s->lit = plain_scene_register(s->world, "lit", 0);
    const kiln_component both[] = {s->position, s->light};
    assert_int_equal(KILN_OK, kiln_archetype_register(s->world, both, 2, &s->both));
    const kiln_query_term query = {s->light, KILN_TERM_WITH};
    assert_int_equal(KILN_OK, kiln_query_create(s->world, &query, 1, &s->query));
    *state = s;
    return 0;
}

int plain_scene_end(void **state)
{
    plain_scene *s = *state;
    assert_true(kiln_world_is_valid(s->world));
    kiln_query_destroy(s->query);
    kiln_world_destroy(s->world);
    assert_int_equal(0, s->memory.heap_bytes);
    assert_int_equal(0, s->memory.page_bytes);
    free(s);
    return 0;
}

kiln_archetype_info plain_scene_info(const plain_scene *s, kiln_archetype archetype)
{
    kiln_archetype_info info;
    assert_true(kiln_archetype_get(s->world, archetype, &info));
    return info;
}

kiln_world_stats plain_scene_stats(const plain_scene *s)
{
    kiln_world_stats stats;
    kiln_world_get_stats(s->world, &stats);
    return stats;
}
