/* Moves a camera through a world. Regions are loaded ahead of the camera and unloaded behind it,
 * while a collector keeps the loaded assets below a cap. When the world's file is baked again, the
 * program reloads the file. It prints a line of statistics every ten seconds, and the totals at the
 * end.
 * Usage: stream FILE REGIONS SECONDS [RELOADS]
 * With RELOADS, the program waits at the end of the walk until the file has been reloaded that
 * many times.
 *
 * There are two threads. The *loader* opens the scenes of regions, which decompresses and checks
 * their assets, and reloads the file. The main thread runs frames: it publishes opened regions in
 * slices, applies scenes that were baked again, reads every entity, and runs a slice of the
 * collector. */
/* For nanosleep, st_mtim and getrusage. */
#define _XOPEN_SOURCE 700

#include <kiln/kiln.h>

#include "stream.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define CAP_BYTES (UINT64_C(64) << 20)
#define FRAME_BUDGET UINT64_C(4000000) /* nanoseconds of work */
#define FRAME_LENGTH UINT64_C(16666667)
#define COLLECTOR_BUDGET UINT64_C(500000)
#define SECOND UINT64_C(1000000000)
#define PRINT_INTERVAL (10 * SECOND)
enum { AHEAD = 24, BEHIND = 12 }; /* regions around the camera */

/* The state of a region changes in this order, and from LOADED back to ABSENT. Only the loader
 * changes WANTED to OPEN. */
typedef enum region_state { ABSENT, WANTED, OPEN, LOADING, LOADED } region_state;

typedef struct region {
    _Atomic(region_state) state;
    kiln_scene_source *source;
    kiln_scene_loading *loading;
    kiln_scene_instance *instance;
    bool is_outdated; /* its scene was replaced after the loader opened it */
} region;

static const char *path;
static kiln_assets *assets;
static kiln_world *world;
static kiln_collector *collector;
static kiln_mount mount;
static region *regions;
static uint32_t region_count;
static atomic_bool stop;
static atomic_uint reloads, failed_reloads;
static uint32_t wanted_reloads;

/* `error` is NULL if the called function returns only a status. */
static void must(kiln_status status, const kiln_error *error)
{
    char text[KILN_ERROR_TEXT_SIZE];
    kiln_error plain;
    if (!status)
        return;
    kiln_fail(&plain, status, 0, NULL);
    kiln_error_format(error ? error : &plain, text, sizeof text);
    fprintf(stderr, "stream: %s\n", text);
    exit(1);
}

static uint64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * SECOND + (uint64_t)time.tv_nsec;
}

static void sleep_until(uint64_t moment)
{
    uint64_t current = now();
    if (current >= moment)
        return;
    struct timespec rest = {(time_t)((moment - current) / SECOND),
                            (long)((moment - current) % SECOND)};
    nanosleep(&rest, NULL);
}

/* ---- the loader ---- */

static kiln_scene_source *open_source(uint32_t number)
{
    char name[64];
    kiln_scene_source *source;
    kiln_error error;
    snprintf(name, sizeof name, "Scene/region_%u", number);
    kiln_scene_source_args args = {.assets = assets, .name = name, .by = KILN_HERE};
    must(kiln_scene_source_open(&args, &source, &error), &error);
    return source;
}

/* A file that cannot be loaded changes nothing: the program keeps the old file. */
static void reload(void)
{
    char text[KILN_ERROR_TEXT_SIZE];
    kiln_mount_def def = kiln_mount_def_default();
    kiln_error error;
    def.file.path = path;
    if (kiln_assets_replace(assets, mount, &def, &error) == KILN_OK) {
        atomic_fetch_add(&reloads, 1);
        return;
    }
    kiln_error_format(&error, text, sizeof text);
    fprintf(stderr, "stream: not reloaded: %s\n", text);
    atomic_fetch_add(&failed_reloads, 1);
}

/* kiln-bake replaces its output by renaming a new file, whose inode number or modification time
 * differs. */
static bool has_changed(struct stat *last)
{
    struct stat current;
    if (stat(path, &current) != 0 ||
        (current.st_ino == last->st_ino && current.st_mtim.tv_sec == last->st_mtim.tv_sec &&
         current.st_mtim.tv_nsec == last->st_mtim.tv_nsec))
        return false;
    *last = current;
    return true;
}

static void *run_loader(void *ctx)
{
    struct stat last = *(const struct stat *)ctx;
    while (!atomic_load(&stop)) {
        bool was_idle = true;
        for (uint32_t i = 0; i < region_count && !atomic_load(&stop); i++) {
            if (atomic_load(&regions[i].state) != WANTED)
                continue;
            regions[i].source = open_source(i);
            atomic_store(&regions[i].state, OPEN);
            was_idle = false;
        }
        if (has_changed(&last))
            reload();
        if (was_idle)
            sleep_until(now() + FRAME_LENGTH);
    }
    return NULL;
}

/* ---- frames ---- */

typedef struct walk {
    kiln_component place, look;
    kiln_query *lookers;
    uint64_t start, length; /* nanoseconds */
    uint64_t longest_frame, frames;
    uint64_t most_bytes;  /* of loaded assets */
    uint64_t loads;       /* of regions */
    uint64_t read_texels; /* the sum of all texels read, so that the reads have a use */
    uint64_t cursor;      /* in the list of replaced assets */
    uint32_t applied, changed_entities; /* scenes applied again; entities changed by that */
    uint32_t over_budget;
} walk;

/* Publishes a region that the loader has opened, in slices. */
static void load_region(region *r, uint64_t deadline)
{
    kiln_error error;
    bool is_done = false;
    if (atomic_load(&r->state) == OPEN) {
        kiln_scene_load_args args = {.world = world, .source = r->source};
        must(kiln_scene_load_begin(&args, &r->loading, &error), &error);
        atomic_store(&r->state, LOADING);
    }
    uint64_t current = now();
    uint64_t rest = deadline > current ? deadline - current : 0;
    must(kiln_scene_load_step(r->loading, rest, &is_done, &error), &error);
    if (!is_done)
        return;
    must(kiln_scene_load_end(r->loading, &r->instance, &error), &error);
    kiln_scene_source_close(r->source);
    r->loading = NULL;
    r->source = NULL;
    atomic_store(&r->state, LOADED);
}

/* Requests the regions around the camera, publishes opened ones until the deadline, and unloads the
 * others. */
static void stream_regions(walk *w, uint32_t camera, uint64_t deadline)
{
    for (uint32_t i = 0; i < region_count; i++) {
        region *r = &regions[i];
        region_state state = atomic_load(&r->state);
        bool is_near = i + BEHIND >= camera && i <= camera + AHEAD;
        if (state == LOADED && !is_near) {
            kiln_scene_unload(r->instance);
            r->instance = NULL;
            r->is_outdated = false;
            atomic_store(&r->state, ABSENT);
        } else if (state == ABSENT && is_near) {
            atomic_store(&r->state, WANTED);
        } else if ((state == OPEN || state == LOADING) && now() < deadline) {
            load_region(r, deadline);
            w->loads += atomic_load(&r->state) == LOADED;
        }
    }
}

/* Finds the regions whose scenes the last reloads have changed. */
static void find_outdated(walk *w)
{
    kiln_replaced event;
    kiln_status status;
    while ((status = kiln_assets_next_replaced(assets, &w->cursor, &event)) == KILN_OK) {
        unsigned number;
        bool is_region = sscanf(event.name, "Scene/region_%u", &number) == 1;
        if (event.kind != KILN_REPLACED_FAILED && is_region && number < region_count)
            regions[number].is_outdated = atomic_load(&regions[number].state) >= OPEN;
    }
    for (uint32_t i = 0; status == KILN_OVERRUN && i < region_count; i++)
        regions[i].is_outdated = atomic_load(&regions[i].state) >= OPEN;
}

/* Applies the new version of one scene. Values that a program has changed stay; this program
 * changes none. */
static void apply_one(walk *w)
{
    uint32_t i = 0;
    while (i < region_count &&
           !(regions[i].is_outdated && atomic_load(&regions[i].state) == LOADED))
        i++;
    if (i == region_count)
        return;
    kiln_scene_applied applied;
    kiln_error error;
    kiln_scene_source *source = open_source(i);
    kiln_scene_apply_args args = {.instance = regions[i].instance, .source = source};
    must(kiln_scene_apply(&args, &applied, &error), &error);
    kiln_scene_source_close(source);
    regions[i].is_outdated = false;
    w->applied++;
    w->changed_entities += applied.added + applied.removed + applied.changed;
}

/* Reads the texture of every visible entity, as a renderer would. */
static void draw(walk *w)
{
    const kiln_slots *slots = kiln_assets_get_slots(assets);
    for (kiln_iterator it = kiln_query_iterate(w->lookers); kiln_iterator_next(&it);) {
        const stream_Look *look = kiln_iterator_read(&it, w->look);
        for (uint32_t i = 0; i < it.count; i++) {
            const stream_Prop *prop = kiln_ref_get(slots, look[i].prop);
            const stream_Texture *texture = prop ? kiln_assets_get(assets, prop->texture.id) : NULL;
            if (texture)
                w->read_texels += *(const unsigned char *)kiln_bytes_get(&texture->texels);
        }
    }
}

static void note_bytes(walk *w)
{
    kiln_assets_stats stats;
    kiln_assets_get_stats(assets, &stats);
    uint64_t bytes = stats.bytes_owned + stats.bytes_waiting;
    if (bytes > w->most_bytes)
        w->most_bytes = bytes;
}

static void run_frame(walk *w, kiln_assets_thread *reader)
{
    uint64_t begin = now(), deadline = begin + FRAME_BUDGET;
    uint64_t walked = begin - w->start < w->length ? begin - w->start : w->length;
    uint32_t camera = (uint32_t)(walked * region_count / w->length);
    stream_regions(w, camera, deadline - COLLECTOR_BUDGET);
    find_outdated(w);
    apply_one(w);
    draw(w);
    kiln_assets_thread_quiescent(reader);
    must(kiln_collector_step(collector, COLLECTOR_BUDGET, NULL), NULL);
    note_bytes(w);
    uint64_t taken = now() - begin;
    w->frames++;
    w->over_budget += taken > FRAME_BUDGET;
    if (taken > w->longest_frame)
        w->longest_frame = taken;
    sleep_until(begin + FRAME_LENGTH);
}

/* The peak resident memory of the process in bytes, as the system reports it. */
static uint64_t peak_resident(void)
{
    struct rusage usage;
    return getrusage(RUSAGE_SELF, &usage) == 0 ? (uint64_t)usage.ru_maxrss * 1024 : 0;
}

static void unload_everything(void)
{
    for (uint32_t i = 0; i < region_count; i++) {
        kiln_scene_load_cancel(regions[i].loading);
        kiln_scene_unload(regions[i].instance);
        kiln_scene_source_close(regions[i].source);
    }
    must(kiln_collector_run(collector), NULL);
}

static void count_hold(void *ctx, const kiln_report *report)
{
    (void)ctx;
    fprintf(stderr, "stream: leak: %s, held by %s\n", report->asset, report->by);
}

/* The number of assets that stay loaded although nothing refers to them, plus the number of holds
 * that were not released. */
static uint64_t count_leaks(void)
{
    kiln_assets_stats stats;
    kiln_assets_get_stats(assets, &stats);
    return stats.loaded + kiln_assets_list_holds(assets, count_hold, NULL);
}

static void set_up(walk *w)
{
    kiln_assets_def assets_def = kiln_assets_def_default();
    kiln_world_def world_def = kiln_world_def_default();
    kiln_mount_def mount_def = kiln_mount_def_default();
    kiln_collector_def collector_def = kiln_collector_def_default();
    const kiln_component_desc place = stream_Place_COMPONENT, look = stream_Look_COMPONENT;
    kiln_error error;
    assets_def.types = stream_types(&assets_def.types_size);
    must(kiln_assets_create(&assets_def, &assets, &error), &error);
    must(kiln_world_create(&world_def, &world), NULL);
    must(kiln_component_register(world, &place, &w->place), NULL);
    must(kiln_component_register(world, &look, &w->look), NULL);
    const kiln_query_term terms[] = {{w->place, KILN_TERM_WITH}, {w->look, KILN_TERM_WITH}};
    must(kiln_query_create(world, terms, 2, &w->lookers), NULL);
    mount_def.file.path = path;
    must(kiln_assets_mount(assets, &mount_def, &mount, &error), &error);
    must(kiln_assets_watch(assets, &w->cursor, &error), &error);
    collector_def.assets = assets;
    collector_def.start_bytes = CAP_BYTES / 8;
    collector_def.cap_bytes = CAP_BYTES;
    must(kiln_collector_create(&collector_def, &collector, &error), &error);
    must(kiln_collector_add_world(collector, world), NULL);
    regions = calloc(region_count, sizeof *regions);
    must(regions ? KILN_OK : KILN_NO_MEMORY, NULL);
}

/* Returns the number of leaks. */
static uint64_t tear_down(walk *w)
{
    unload_everything();
    kiln_error error;
    uint64_t leaks = count_leaks();
    must(kiln_assets_unmount(assets, mount, KILN_UNMOUNT_REFUSE, &error), &error);
    kiln_collector_destroy(collector);
    kiln_query_destroy(w->lookers);
    kiln_world_destroy(world);
    kiln_assets_destroy(assets);
    free(regions);
    return leaks;
}

static double mebibytes(uint64_t bytes)
{
    return (double)bytes / (1 << 20);
}

static void print_progress(const walk *w)
{
    printf("%2u s: %u loads, assets %.1f MiB, longest frame %.2f ms, %u reloads\n",
           (unsigned)((now() - w->start) / SECOND), (unsigned)w->loads, mebibytes(w->most_bytes),
           (double)w->longest_frame / 1e6, atomic_load(&reloads));
    fflush(stdout);
}

static void walk_through(walk *w)
{
    kiln_assets_thread *reader = kiln_assets_thread_register(assets);
    must(reader ? KILN_OK : KILN_NO_MEMORY, NULL);
    w->start = now();
    uint64_t next_print = PRINT_INTERVAL;
    while (now() - w->start < w->length || atomic_load(&reloads) < wanted_reloads) {
        run_frame(w, reader);
        if (now() - w->start < next_print)
            continue;
        print_progress(w);
        next_print += PRINT_INTERVAL;
    }
    /* The last reload may still have to be applied. */
    for (uint32_t before = UINT32_MAX; before != w->applied;) {
        before = w->applied;
        run_frame(w, reader);
    }
    kiln_assets_thread_unregister(reader);
}

int main(int argc, char **argv)
{
    if (argc < 4 || argc > 5 || strtoul(argv[3], NULL, 10) == 0) {
        fprintf(stderr, "usage: stream FILE REGIONS SECONDS [RELOADS]\n");
        return 2;
    }
    path = argv[1];
    region_count = (uint32_t)strtoul(argv[2], NULL, 10);
    wanted_reloads = argc > 4 ? (uint32_t)strtoul(argv[4], NULL, 10) : 0;
    walk w = {.length = strtoul(argv[3], NULL, 10) * SECOND};
    pthread_t loader;
    struct stat loaded;
    /* Before the file is mounted: if it changes in between, the loader replaces it. */
    must(stat(path, &loaded) == 0 ? KILN_OK : KILN_IO, NULL);
    set_up(&w);
    must(pthread_create(&loader, NULL, run_loader, &loaded) == 0 ? KILN_OK : KILN_NO_MEMORY, NULL);
    walk_through(&w);
    atomic_store(&stop, true);
    pthread_join(loader, NULL);
    kiln_collector_stats stats;
    kiln_collector_get_stats(collector, &stats);
    uint64_t leaks = tear_down(&w);
    printf("regions loaded  %u\n", (unsigned)w.loads);
    printf("frames          %u, %u above %.0f ms, longest %.2f ms\n", (unsigned)w.frames,
           w.over_budget, (double)FRAME_BUDGET / 1e6, (double)w.longest_frame / 1e6);
    printf("asset memory    at most %.1f MiB, cap %.0f MiB\n", mebibytes(w.most_bytes),
           mebibytes(CAP_BYTES));
    printf("peak resident   %.1f MiB\n", mebibytes(peak_resident()));
    printf("collector       %u cycles, %u assets removed\n", (unsigned)stats.cycles,
           (unsigned)stats.freed);
    printf("reloads         %u, %u failed\n", atomic_load(&reloads), atomic_load(&failed_reloads));
    printf("applied again   %u scenes, %u entities changed\n", w.applied, w.changed_entities);
    printf("leaks           %u\n", (unsigned)leaks);
    return leaks != 0 || w.most_bytes > CAP_BYTES;
}
