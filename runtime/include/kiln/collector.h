/* Garbage collection of loaded assets.
 *
 * Without a collector, an asset stays loaded until the program disposes of it or unmounts its
 * files. A collector removes the assets that nothing can reach any more. It marks everything that
 * is reachable from the *roots*, in small steps while the program continues, and then removes what
 * it did not mark. Cycles of assets are no obstacle.
 *
 *     root          strong handles that are counted (kiln_assets_take, kiln_assets_load), also
 * those that open scene sources and their instances have; protections; borrowed bytes; references
 * in components of worlds (kiln_collector_add_world); references that the program reports
 * (kiln_collector_add_roots) edge          a reference in an asset's bytes: from the file's index,
 * or for an asset that was added from memory by its type word          a reference in a component
 * or of a callback. Strong, indirect and pointer words are followed; weak words are not cycle
 * marking and sweeping once
 *
 * Removing an asset ends its entry in the table, as kiln_assets_dispose does: handles and indirect
 * words to it read NULL, and its id leads to nothing until it is loaded again. Memory that the
 * asset owns is freed when no registered thread can read it any more. The bytes of an asset in a
 * mapped file stay until the file is unmounted.
 *
 *     kiln_collector_def def = kiln_collector_def_default();
 *     def.assets = assets;
 *     kiln_collector_create(&def, &collector, &error);
 *     kiln_collector_add_world(collector, world);
 *     for (;;) {                                       each frame
 *         ...
 *         kiln_collector_step(collector, 500000, NULL);
 *     }
 *     kiln_collector_destroy(collector);
 *
 * Cycles. A step outside a cycle begins one when `start_bytes` of blobs were loaded or added since
 * the last cycle, or when the loaded blobs have more than `cap_bytes`. During a cycle that exceeds
 * the cap, `when_over_cap` decides.
 *
 * What marking may miss and how it is found. References between assets never change while an asset
 * keeps its bytes. The table reports new holders, new assets and replaced bytes itself. Writes to
 * components are found by the ticks of chunks, and callbacks are called a second time at the end of
 * marking. A tick is set when write access is given. So kiln_collector_step must be called at a
 * *safe point*: no thread has write access to a component of an added world, or uses it later. An
 * entity of an open batch or appender, and of a scene that is being loaded in slices, is not a root
 * before it is published; keep what it refers to by a strong handle.
 *
 * The upgrade of a weak handle to a strong one wins: until the sweep begins to remove assets, the
 * asset and everything reachable from it stay. After that the weak handle is stale.
 *
 * Threads. kiln_collector_help may be called by any number of threads at any time. All other
 * functions are for one thread at a time, and are changing calls of the table (<kiln/assets.h>) and
 * reading calls of the added worlds (<kiln/world.h>). Other threads may use the table meanwhile;
 * readers never wait, and a changing call waits some microseconds.
 *
 * The algorithm is incremental mark and sweep with a Dijkstra write barrier (Dijkstra, Lamport,
 * Martin, Scholten and Steffens, "On-the-fly garbage collection: an exercise in cooperation",
 * 1978). */
#ifndef KILN_COLLECTOR_H
#define KILN_COLLECTOR_H

#include <kiln/assets.h>
#include <kiln/world.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kiln_collector kiln_collector;

/* What a step does while the loaded blobs have more than `cap_bytes`. */
typedef enum kiln_over_cap {
    KILN_OVER_CAP_FINISH,  /* it finishes the cycle, whatever its budget. Default */
    KILN_OVER_CAP_CONTINUE /* it keeps its budget; kiln_collector_stats counts such steps */
} kiln_over_cap;

typedef struct kiln_collector_def {
    kiln_assets *assets;  /* required; outlives the collector */
    uint64_t start_bytes; /* default 64 MiB; 0: every step outside a cycle begins one */
    uint64_t cap_bytes;   /* default UINT64_MAX: no cap */
    kiln_over_cap when_over_cap;
    const kiln_allocator *allocator; /* NULL: the C library's */
    uint32_t cookie;                 /* private: set by kiln_collector_def_default */
} kiln_collector_def;

kiln_collector_def kiln_collector_def_default(void);

/* Creates the collector of a table, which can have one. Assets that are loaded already take part.
 * NO_TYPES: an asset that was added from memory cannot be traced, because the program's type table
 * does not have its type in this layout; `path` is its name. From now on kiln_assets_add refuses
 * such assets in the same way. BAD_ARGUMENT: the definition breaks its contract, or the table has a
 * collector. Alone, as the table says it. */
kiln_status kiln_collector_create(const kiln_collector_def *def, kiln_collector **ret_collector,
                                  kiln_error *reterr);
/* Ends a cycle that has begun, and frees the collector before its table and its worlds are
 * destroyed. Assets stay loaded. NULL is fine. Alone. */
void kiln_collector_destroy(kiln_collector *collector);

/* ---- roots ---- */

/* Makes the references in the components of a world roots. Add a world before scenes are loaded
 * into it, and remove it before it is destroyed. BAD_ARGUMENT: it was added. NO_MEMORY. */
kiln_status kiln_collector_add_world(kiln_collector *collector, kiln_world *world);
void kiln_collector_remove_world(kiln_collector *collector, kiln_world *world);

/* Receives the words of a callback. */
typedef struct kiln_tracer kiln_tracer;

/* Reports the words of a program's structs by kiln_trace. It must not call the table or the
 * collector, except kiln_trace. */
typedef void kiln_roots_function(void *ctx, kiln_tracer *tracer);

/* Calls `roots` at the beginning and at the end of each marking. `name`, which outlives the
 * collector, names it in answers. BAD_ARGUMENT: this pair of function and `ctx` was added.
 * NO_MEMORY. */
kiln_status kiln_collector_add_roots(kiln_collector *collector, kiln_roots_function *roots,
                                     void *ctx, const char *name);
void kiln_collector_remove_roots(kiln_collector *collector, kiln_roots_function *roots, void *ctx);

/* Reports a word of any form, as an element of `field`, which is valid during the call. Null, stale
 * and weak words do nothing. */
void kiln_trace(kiln_tracer *tracer, kiln_ref ref, const char *field);

/* ---- cycles ---- */

typedef enum kiln_collector_state {
    KILN_COLLECTOR_IDLE,  /* no cycle */
    KILN_COLLECTOR_MARKS, /* roots are marked and references followed */
    KILN_COLLECTOR_SWEEPS /* assets that were not reached are removed */
} kiln_collector_state;

/* Begins a cycle unless one has begun. */
void kiln_collector_start(kiln_collector *collector);
/* Works for about `nanoseconds`. NO_MEMORY: marking ran out of memory; the cycle was ended and
 * nothing was removed. `ret_state`, which may be NULL, is the state afterwards. At a safe point. */
kiln_status kiln_collector_step(kiln_collector *collector, uint64_t nanoseconds,
                                kiln_collector_state *ret_state);
/* Follows references for up to `nanoseconds` while another thread steps or does not. Returns false
 * if there was nothing to do. Any thread, any time. */
bool kiln_collector_help(kiln_collector *collector, uint64_t nanoseconds);
/* Finishes the current cycle, then makes a whole one: afterwards everything that was unreachable at
 * the beginning of the call is removed. At a safe point. */
kiln_status kiln_collector_run(kiln_collector *collector);

/* ---- questions ---- */

/* A step of a chain of references from a root to an asset. */
typedef struct kiln_why_step {
    const char *asset; /* its name; "" without one */
    const char *by;    /* of the first step: what holds it: "strong handle, by game.c:120",
                          "component game.Emitter of entity 17"; of the others: the path of the field
                          in the asset before, such as `spawns[3].item`; "" if it is unknown */
} kiln_why_step;

/* Answers why an asset stays: the shortest chain of references from a root to it. Calls `on_step`
 * for each step, from the root to the asset, and returns their number: 0 if nothing reaches it, so
 * that the next cycle removes it, or if the word leads to nothing. Texts are valid during the call.
 * NO_MEMORY leads to -1. Linear in what is loaded. `on_step` must not call the table. At a safe
 * point. */
int64_t kiln_collector_why(kiln_collector *collector, kiln_ref ref,
                           void (*on_step)(void *ctx, const kiln_why_step *step), void *ctx);
/* Calls `on_asset` for each asset that is loaded and unreachable, with its name, and returns their
 * number; -1 without memory. Linear in what is loaded. At a safe point. */
int64_t kiln_collector_list_unreachable(kiln_collector *collector,
                                        void (*on_asset)(void *ctx, const char *name), void *ctx);

typedef struct kiln_collector_stats {
    uint64_t cycles;  /* that ended */
    uint64_t aborted; /* that ended without memory */
    uint64_t steps, steps_over_cap;
    uint64_t roots;         /* assets marked from a root, in the current or last cycle */
    uint64_t marked;        /* assets marked in it */
    uint64_t edges;         /* references followed in it */
    uint64_t chunks;        /* of worlds whose words were read in it, also again */
    uint64_t freed;         /* assets removed, since the start */
    uint64_t freed_bytes;   /* of their blobs */
    uint64_t saved;         /* assets found unreachable and then held again, since the start */
    uint64_t longest_step;  /* nanoseconds */
    uint64_t waiting_bytes; /* wait for readers to be quiescent */
} kiln_collector_stats;

void kiln_collector_get_stats(kiln_collector *collector, kiln_collector_stats *ret_stats);

/* Checks the consistency of marks, roots and counts with the table. For tests. Linear in the size
 * of the table. */
bool kiln_collector_is_valid(kiln_collector *collector, kiln_error *reterr);

#ifdef __cplusplus
}
#endif

#endif
