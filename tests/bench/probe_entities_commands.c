/* Records and plays changes, compared with the equivalent direct calls. */
#include "bench_world.h"
#include "probe_entities.h"

#include <kiln/commands.h>

#include <string.h>

/* The record that the simplest recorder would store for a component to add. */
typedef struct plain_command {
    kiln_entity entity;
    uint64_t what;
    body_fire value;
} plain_command;

typedef struct command_case {
    bench_world w;
    kiln_commands *commands;
    plain_command *plain;
} command_case;

static kiln_status init_case(command_case *c, const char *count)
{
    bench_world_init(&c->w, count, BASELINE_PLAIN);
    c->plain = bench_world_array(c->w.count, sizeof *c->plain);
    return kiln_commands_create(c->w.world, NULL, &c->commands);
}

static uint64_t play(command_case *c)
{
    kiln_played played;
    bench_world_expect(kiln_commands_play(c->w.world, &c->commands, 1, &played));
    return played.commands - played.dropped;
}

/* ---- recording ---- */

static void forget(void *ctx)
{
    command_case *c = ctx;
    kiln_commands_reset(c->commands);
}

static uint64_t record_adds(void *ctx)
{
    command_case *c = ctx;
    for (uint32_t i = 0; i < c->w.count; i++) {
        body_fire fire = {1, i};
        bench_world_expect(kiln_commands_add(c->commands, c->w.shuffled[i], c->w.fire, &fire));
    }
    return kiln_commands_count(c->commands);
}

static uint64_t append_adds(void *ctx)
{
    command_case *c = ctx;
    for (uint32_t i = 0; i < c->w.count; i++) {
        plain_command add = {c->w.shuffled[i], c->w.fire.number, {1, i}};
        c->plain[i] = add;
    }
    return c->plain[c->w.count / 2].what;
}

const char *probe_commands_record(const char *count, bench_pair *ret_pair)
{
    command_case c;
    bench_world_expect(init_case(&c, count));
    bench_world_refill(&c.w, c.w.body);
    bench_world_shuffle(&c.w);
    bench_side ours = {forget, record_adds}, plain = {NULL, append_adds};
    *ret_pair = bench_world_measure(&c.w, ours, plain);
    return play(&c) == c.w.count ? NULL : "FAILED: not every body burns";
}

/* ---- adding in random order ---- */

static void refill(void *ctx)
{
    command_case *c = ctx;
    bench_world_refill(&c->w, c->w.body);
    bench_world_shuffle(&c->w);
}

static void refill_and_record(void *ctx)
{
    refill(ctx);
    record_adds(ctx);
}

static uint64_t play_adds(void *ctx)
{
    return play(ctx);
}

static uint64_t add_each(void *ctx)
{
    command_case *c = ctx;
    for (uint32_t i = 0; i < c->w.count; i++) {
        body_fire fire = {1, i};
        bench_world_expect(kiln_entity_add(c->w.world, c->w.shuffled[i], c->w.fire, &fire));
    }
    return c->w.count;
}

const char *probe_commands_add(const char *count, bench_pair *ret_pair)
{
    command_case c;
    bench_world_expect(init_case(&c, count));
    bench_side ours = {refill_and_record, play_adds}, calls = {refill, add_each};
    *ret_pair = bench_world_measure(&c.w, ours, calls);
    refill_and_record(&c);
    return play_adds(&c) == c.w.count ? NULL : "FAILED: not every body burns";
}

/* ---- spawning ---- */

static void clear(void *ctx)
{
    command_case *c = ctx;
    kiln_world_clear(c->w.world);
}

static uint64_t spawn_and_play(void *ctx)
{
    command_case *c = ctx;
    const bench_world *w = &c->w;
    for (uint32_t i = 0; i < w->count; i++) {
        kiln_archetype none = {0};
        kiln_entity body;
        bench_world_expect(kiln_commands_spawn(c->commands, none, &body));
        bench_world_expect(
            kiln_commands_add(c->commands, body, w->position, &w->source.positions[i]));
        bench_world_expect(
            kiln_commands_add(c->commands, body, w->rotation, &w->source.rotations[i]));
        bench_world_expect(
            kiln_commands_add(c->commands, body, w->velocity, &w->source.velocities[i]));
    }
    return play(c);
}

static uint64_t create_and_add(void *ctx)
{
    command_case *c = ctx;
    const bench_world *w = &c->w;
    for (uint32_t i = 0; i < w->count; i++) {
        kiln_archetype none = {0};
        kiln_entity body;
        bench_world_expect(kiln_entity_create(w->world, none, &body, NULL));
        bench_world_expect(kiln_entity_add(w->world, body, w->position, &w->source.positions[i]));
        bench_world_expect(kiln_entity_add(w->world, body, w->rotation, &w->source.rotations[i]));
        bench_world_expect(kiln_entity_add(w->world, body, w->velocity, &w->source.velocities[i]));
    }
    return w->count;
}

const char *probe_commands_spawn(const char *count, bench_pair *ret_pair)
{
    command_case c;
    bench_world_expect(init_case(&c, count));
    bench_side ours = {clear, spawn_and_play}, calls = {clear, create_and_add};
    *ret_pair = bench_world_measure(&c.w, ours, calls);
    clear(&c);
    return spawn_and_play(&c) == 4ull * c.w.count ? NULL : "FAILED: a body is missing";
}
