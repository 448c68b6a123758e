/* Creates, iterates over, changes and destroys a million entities, and prints the time of each
 * step.
 * Usage: crowd [COUNT] */
#define _POSIX_C_SOURCE 199309L

#include <inttypes.h>
#include <kiln/kiln.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef struct position {
    float x, y, z;
} position;

typedef struct velocity {
    float x, y, z;
} velocity;

typedef struct health {
    int32_t points;
} health;

static kiln_world *world;
static kiln_component positions, velocities, healths, burning;

static void must(kiln_status status)
{
    char text[KILN_ERROR_TEXT_SIZE];
    kiln_error error;
    if (!status)
        return;
    kiln_fail(&error, status, 0, NULL);
    kiln_error_format(&error, text, sizeof text);
    fprintf(stderr, "crowd: %s\n", text);
    exit(1);
}

/* Prints the number of items and the time for each of them since the last call. With `count` 0,
 * only starts the clock. */
static void print_time(const char *what, uint64_t count)
{
    static double last;
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    double now = (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
    if (count)
        printf("%-44s %9" PRIu64 "  %7.2f ns each, %8.1f million a second\n", what, count,
               (now - last) / (double)count, (double)count * 1e3 / (now - last));
    clock_gettime(CLOCK_MONOTONIC, &t);
    last = (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void register_components(void)
{
    const kiln_component_desc descs[] = {KILN_COMPONENT(position), KILN_COMPONENT(velocity),
                                         KILN_COMPONENT(health), KILN_TAG(burning)};
    kiln_component *components[] = {&positions, &velocities, &healths, &burning};
    for (int i = 0; i < 4; i++)
        must(kiln_component_register(world, &descs[i], components[i]));
}

/* Every entity has a position, a velocity, and 1 to 100 health points. */
static void spawn(uint32_t count)
{
    kiln_component set[] = {positions, velocities, healths};
    kiln_create_args args = {.count = count};
    must(kiln_archetype_register(world, set, 3, &args.archetype));
    velocity *speeds = calloc(count, sizeof *speeds);
    health *points = calloc(count, sizeof *points);
    must(speeds && points ? KILN_OK : KILN_NO_MEMORY);
    for (uint32_t i = 0; i < count; i++) {
        speeds[i].x = (float)(i % 7) - 3;
        points[i].points = (int32_t)(i % 100) + 1;
    }
    /* No values are passed for positions, so they are zero. */
    kiln_column_values values[] = {{velocities, speeds}, {healths, points}};
    args.columns = values;
    args.column_count = 2;
    print_time("", 0);
    must(kiln_entity_create_many(world, &args, NULL));
    print_time("created in one call", count);
    free(speeds);
    free(points);
}

static void move(const kiln_query *movers)
{
    for (kiln_iterator it = kiln_query_iterate(movers); kiln_iterator_next(&it);) {
        const velocity *v = kiln_iterator_read(&it, velocities);
        position *p = kiln_iterator_write(&it, positions);
        for (uint32_t i = 0; i < it.count; i++) {
            p[i].x += v[i].x;
            p[i].y += v[i].y;
            p[i].z += v[i].z;
        }
    }
}

/* Adds the tag `burning` to entities with few health points. The world must not change during the
 * iteration, so the changes are recorded in a command buffer. */
static void ignite(const kiln_query *movers, kiln_commands *commands)
{
    for (kiln_iterator it = kiln_query_iterate(movers); kiln_iterator_next(&it);) {
        const health *h = kiln_iterator_read(&it, healths);
        for (uint32_t i = 0; i < it.count; i++) {
            if (h[i].points <= 10)
                must(kiln_commands_add(commands, kiln_iterator_entity(&it, i), burning, NULL));
        }
    }
    print_time("entities low on health (commands recorded)", kiln_commands_count(commands));
    kiln_played played;
    must(kiln_commands_play(world, &commands, 1, &played));
    print_time("commands played (each adds a tag)", played.commands);
}

int main(int argc, char **argv)
{
    uint32_t count = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 1000000;
    kiln_world_def def = kiln_world_def_default();
    must(kiln_world_create(&def, &world));
    register_components();

    const kiln_query_term moving[] = {{positions, KILN_TERM_WITH}, {velocities, KILN_TERM_WITH}};
    const kiln_query_term on_fire[] = {{burning, KILN_TERM_WITH}};
    kiln_query *movers, *burners;
    must(kiln_query_create(world, moving, 2, &movers));
    must(kiln_query_create(world, on_fire, 1, &burners));
    kiln_commands *commands;
    must(kiln_commands_create(world, NULL, &commands));

    spawn(count);
    move(movers);
    print_time("moved", kiln_query_rows(movers));
    ignite(movers, commands);
    uint64_t burning_count = kiln_query_rows(burners);
    must(kiln_query_remove(burners, healths));
    print_time("component removed from burning entities", burning_count);
    must(kiln_query_clear(burners));
    print_time("burning entities destroyed", burning_count);
    must(kiln_world_clear(world));
    print_time("remaining entities cleared", count - burning_count);

    kiln_world_stats stats;
    kiln_world_get_stats(world, &stats);
    printf("%" PRIu64 " live; %" PRIu32 " blocks, %" PRIu32 " mega chunks, %" PRIu64
           " MiB allocated\n",
           stats.live, stats.blocks, stats.mega_chunks,
           (stats.block_bytes + stats.chunk_bytes) >> 20);
    kiln_commands_destroy(commands);
    kiln_query_destroy(movers);
    kiln_query_destroy(burners);
    kiln_world_destroy(world);
    return stats.live == 0 ? 0 : 1;
}
