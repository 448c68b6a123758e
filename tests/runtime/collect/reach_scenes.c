/* Saving parts of the world as scenes, and loading, applying and unloading these. */
#include "reach_history.h"

#include <kiln/relative.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[REACH_SCENES] = {"Scene/0", "Scene/1", "Scene/2"};

/* ---- what a source holds ---- */

static void hold(reach *h, reach_source *source, kiln_id id)
{
    const reach_life *life = reach_life_of_id(h, id);
    if (life)
        source->lives[source->count++] = life->bits;
}

static void hold_all(reach *h, reach_source *source, const kiln_array *ids)
{
    const volatile kiln_id *id = kiln_relative_get(ids, ids->offset);
    for (uint32_t i = 0; i < ids->count; i++)
        hold(h, source, id[i]);
}

static int free_source(const reach *h)
{
    for (int i = 0; i < REACH_SOURCES; i++)
        if (h->sources[i].users == 0)
            return i;
    fail_msg("the history has too many sources");
    return REACH_NONE;
}

/* Opens a source. Returns its position, or REACH_NONE. */
static int open_source(reach *h, int number)
{
    const int at = free_source(h);
    reach_source *source = &h->sources[at];
    const kiln_scene_source_args args = {.assets = h->scene.assets,
                                         .name = names[number],
                                         .allow_missing = reach_random(h, 4) > 0,
                                         .by = "a scene"};
    memset(source, 0, sizeof *source);
    reach_threaten(h);
    if (!REACH_EXPECT(h, "open", kiln_scene_source_open(&args, &source->open, &h->scene.error),
                      KILN_NOT_FOUND, KILN_MISSING))
        return REACH_NONE;
    h->opens++;
    source->users = 1;
    reach_list(h);
    source->scene = kiln_assets_get(h->scene.assets, scene_id(names[number]));
    const kiln_scene *root = source->scene;
    hold(h, source, scene_id(names[number]));
    hold_all(h, source, &root->assets);
    hold_all(h, source, &root->chunks);
    return at;
}

static void close_source(reach_source *source)
{
    kiln_scene_source_close(source->open);
    source->open = NULL;
    source->users--;
}

/* ---- saving ---- */

/* Whether every word of the entity can be saved: words to assets without a name cannot. */
static bool is_savable(reach *h, kiln_entity entity)
{
    kiln_ref words[REACH_HELD + 1];
    uint32_t numbers[REACH_HELD + 1], count = reach_words_of(h, entity, words, numbers);
    for (uint32_t i = 0; i < count; i++) {
        const reach_life *life = reach_life_of(h, words[i]);
        if (life && life->id == 0)
            return false;
    }
    return true;
}

static void mount_saved(reach *h, int number, const kiln_buffer *file)
{
    kiln_mount *mount = &h->scene_mounts[number];
    const kiln_mount_def def = reach_mount_def(h, file, REACH_MOUNTS + number);
    h->may_remove = true;
    reach_threaten(h);
    if (mount->number == 0)
        REACH_EXPECT(h, "mount a scene",
                     kiln_assets_mount(h->scene.assets, &def, mount, &h->scene.error),
                     KILN_MISSING);
    else
        h->replaces += REACH_EXPECT(
            h, "replace a scene",
            kiln_assets_replace(h->scene.assets, *mount, &def, &h->scene.error), KILN_MISSING);
}

void reach_save(reach *h)
{
    kiln_entity entities[REACH_SAVED];
    kiln_buffer file = {0};
    const int number = (int)reach_random(h, REACH_SCENES);
    kiln_scene_save_args args = {.world = h->world,
                                 .assets = h->scene.assets,
                                 .entities = entities,
                                 .name = names[number],
                                 .compression = reach_random(h, 4) == 0 ? 1 : 0};
    reach_list(h);
    for (kiln_entity at = reach_next(h, 0); !kiln_entity_is_null(at) && args.count < REACH_SAVED;
         at = reach_next(h, at.index + 1))
        if (reach_random(h, 3) && is_savable(h, at))
            entities[args.count++] = at;
    reach_threaten(h);
    if (!REACH_SUCCEED(h, "save", kiln_scene_save(&args, &file, &h->scene.error)))
        return;
    h->saves++;
    mount_saved(h, number, &file);
    kiln_buffer_fini(&file);
}

/* ---- instances ---- */

static reach_instance *free_instance(reach *h)
{
    for (int i = 0; i < REACH_INSTANCES; i++)
        if (!h->instances[i].is)
            return &h->instances[i];
    return NULL;
}

static void record(reach *h, kiln_scene_instance *is, int number, int source)
{
    reach_instance *instance = free_instance(h);
    assert_non_null(instance);
    *instance = (reach_instance){is, number, source};
    h->sources[source].users++;
}

void reach_open(reach *h)
{
    const int number = (int)reach_random(h, REACH_SCENES);
    kiln_scene_instance *is = NULL;
    if (!free_instance(h) || h->loading)
        return;
    const int at = open_source(h, number);
    if (at == REACH_NONE)
        return;
    kiln_scene_load_args args = {
        .world = h->world, .source = h->sources[at].open, .set_names = reach_random(h, 2)};
    reach_threaten(h);
    if (reach_random(h, 3) == 0) {
        if (REACH_SUCCEED(h, "begin to load",
                          kiln_scene_load_begin(&args, &h->loading, &h->scene.error))) {
            h->loading_scene = number;
            h->loading_source = at;
            h->sources[at].users++;
        }
    } else if (REACH_SUCCEED(h, "load a scene", kiln_scene_load(&args, &is, &h->scene.error))) {
        record(h, is, number, at);
    }
    /* Some sources stay open for a time. */
    if (reach_random(h, 8))
        close_source(&h->sources[at]);
}

/* Hides the entities that did not exist before. */
static void hide_new(reach *h, const kiln_entity *before, uint32_t count)
{
    uint32_t at = 0;
    for (kiln_entity next = reach_next(h, 0); !kiln_entity_is_null(next);) {
        if (at < count && before[at].index == next.index) {
            at++;
        } else {
            assert_true(h->hidden_count < REACH_SAVED);
            h->hidden[h->hidden_count++] = next;
        }
        next = reach_next(h, next.index + 1);
    }
}

void reach_load_slowly(reach *h)
{
    kiln_scene_instance *is = NULL;
    kiln_entity before[REACH_MOST];
    uint32_t count = 0;
    bool is_done = false;
    if (!h->loading)
        return;
    for (kiln_entity at = reach_next(h, 0); !kiln_entity_is_null(at);
         at = reach_next(h, at.index + 1)) {
        assert_true(count < REACH_MOST);
        before[count++] = at;
    }
    reach_threaten(h);
    const bool ok = REACH_SUCCEED(h, "load slowly",
                                  kiln_scene_load_step(h->loading, 0, &is_done, &h->scene.error));
    hide_new(h, before, count);
    if (ok && !is_done && reach_random(h, 32))
        return;
    reach_threaten(h);
    if (!ok || !is_done)
        kiln_scene_load_cancel(h->loading);
    else if (REACH_SUCCEED(h, "end the load",
                           kiln_scene_load_end(h->loading, &is, &h->scene.error)))
        record(h, is, h->loading_scene, h->loading_source);
    h->sources[h->loading_source].users--;
    h->loading = NULL;
    h->hidden_count = 0;
}

static void unload(reach *h, reach_instance *instance)
{
    kiln_scene_unload(instance->is);
    h->sources[instance->source].users--;
    instance->is = NULL;
    h->unloads++;
}

/* ---- detached instances ---- */

void reach_end_detached(reach *h, reach_detached *detached)
{
    if (!detached->entities)
        return;
    h->sources[detached->source].users--;
    free(detached->entities);
    detached->entities = NULL;
}

static bool is_dead(const reach *h, const reach_detached *detached)
{
    for (uint32_t i = 0; i < detached->count; i++)
        if (kiln_entity_exists(h->world, detached->entities[i]))
            return false;
    return true;
}

/* Releases detached instances without living entities. Returns a free position. */
static reach_detached *collect_detached(reach *h)
{
    uint32_t left = 0;
    reach_detached *free_one = NULL;
    for (int i = 0; i < REACH_DETACHED; i++) {
        if (h->detached[i].entities && is_dead(h, &h->detached[i]))
            reach_end_detached(h, &h->detached[i]);
        left += h->detached[i].entities != NULL;
        if (!h->detached[i].entities)
            free_one = &h->detached[i];
    }
    assert_int_equal(left, kiln_scenes_collect(h->world));
    return free_one;
}

static void detach(reach *h, reach_instance *instance, reach_detached *to)
{
    to->count = kiln_scene_get_info(instance->is).entities;
    to->entities = calloc(to->count + 1, sizeof *to->entities);
    assert_non_null(to->entities);
    for (uint32_t i = 0; i < to->count; i++)
        to->entities[i] = kiln_scene_entity(instance->is, i);
    to->source = instance->source;
    kiln_scene_detach(instance->is);
    instance->is = NULL;
    h->detaches++;
}

void reach_unload(reach *h)
{
    reach_instance *instance = &h->instances[reach_random(h, REACH_INSTANCES)];
    reach_detached *to = collect_detached(h);
    if (instance->is && to && reach_random(h, 3) == 0)
        detach(h, instance, to);
    else if (instance->is)
        unload(h, instance);
}

/* ---- other steps ---- */

void reach_close(reach *h)
{
    reach_source *source = &h->sources[reach_random(h, REACH_SOURCES)];
    kiln_mount *mount = &h->scene_mounts[reach_random(h, REACH_SCENES)];
    if (source->open)
        close_source(source);
    if (mount->number == 0 || reach_random(h, 4))
        return;
    h->may_remove = true;
    const kiln_unmount how = reach_random(h, 2) ? KILN_UNMOUNT_DEFER : KILN_UNMOUNT_REFUSE;
    if (REACH_EXPECT(h, "unmount a scene",
                     kiln_assets_unmount(h->scene.assets, *mount, how, &h->scene.error), KILN_HELD))
        *mount = (kiln_mount){0};
}

void reach_apply(reach *h)
{
    reach_instance *instance = &h->instances[reach_random(h, REACH_INSTANCES)];
    kiln_scene_applied applied;
    if (!instance->is)
        return;
    const int at = open_source(h, instance->scene);
    if (at == REACH_NONE)
        return;
    const kiln_scene_apply_args args = {.instance = instance->is, .source = h->sources[at].open};
    reach_threaten(h);
    if (REACH_SUCCEED(h, "apply", kiln_scene_apply(&args, &applied, &h->scene.error))) {
        h->sources[instance->source].users--;
        h->sources[at].users++;
        instance->source = at;
        h->applies++;
    }
    close_source(&h->sources[at]);
}

void reach_end_scenes(reach *h)
{
    kiln_scene_load_cancel(h->loading);
    if (h->loading)
        h->sources[h->loading_source].users--;
    h->loading = NULL;
    h->hidden_count = 0;
    for (int i = 0; i < REACH_INSTANCES; i++)
        if (h->instances[i].is)
            unload(h, &h->instances[i]);
    EXPECT_STATUS(KILN_OK, kiln_world_clear(h->world));
    for (int i = 0; i < REACH_DETACHED; i++)
        reach_end_detached(h, &h->detached[i]);
    for (int i = 0; i < REACH_SOURCES; i++) {
        if (h->sources[i].open)
            close_source(&h->sources[i]);
        assert_int_equal(0, h->sources[i].users);
    }
}
