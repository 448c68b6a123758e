/* Garbage collection of loaded assets.
 *
 * Without a collector, an asset stays loaded until the program disposes of it or unmounts its
 * files. A collector removes the assets that are no longer reachable. It marks every asset that is
 * reachable from the *roots*, in small steps while the program continues, and then removes the
 * unmarked assets. It also removes assets that refer to each other in cycles.
 *
 *     root     an asset with a counted strong handle (kiln_assets_take, kiln_assets_load, an open
 *              scene source or an instance loaded from it), with protection or with borrowed bytes;
 *              and an asset to which a *word* refers
 *     word     a reference in a component of an added world (kiln_collector_add_world), or one that
 *              the program reports (kiln_collector_add_roots). Strong, indirect and pointer words
 *              are followed, weak words are not. A pointer word to bytes that were replaced
 *              (kiln_assets_replace) keeps no asset; borrow the bytes to follow their references
 *     edge     a reference in an asset's bytes. Edges are read from the file's index, or found by
 *              type if the asset was added from memory
 *     cycle    marking once and sweeping once
 *
 * Removing an asset has the same effect as kiln_assets_dispose: handles and indirect words to it
 * read as NULL, and its id resolves to NULL until it is loaded again. Memory that the asset owns is
 * freed when no registered thread can still read it. The bytes of an asset in a mapped file stay
 * until the file is unmounted.
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
 * When a cycle begins. If no cycle is in progress, a step begins one once `start_bytes` of blobs
 * have been loaded or added since the last cycle began, when the loaded blobs exceed `cap_bytes`,
 * or after a cycle was aborted. `when_over_cap` selects what a step does while the loaded blobs
 * exceed the cap. If a cycle ends above the cap, because that much is reachable, the next cycle
 * begins only after an eighth of the cap, or `start_bytes` if that is less, has been loaded or
 * added.
 *
 * Changes during marking. The references in an asset's bytes never change. The table itself reports
 * new holders, new assets and replaced bytes. Writes to components are detected by the ticks of
 * chunks, and callbacks are called a second time at the end of marking. A tick is set when a thread
 * gets write access, not when it writes. So call kiln_collector_step at a *safe point*: no thread
 * may still use write access that it got earlier to a component of an added world. If an entity is
 * in an open batch or appender, or in a scene that is being loaded in slices, its words are not
 * read before it is published. Until then, hold the assets with strong handles.
 *
 * Slots. Without a collector, a slot is never reused after an indirect word to it was made. A
 * collector makes the slot reusable once its asset has been removed and a whole cycle has found no
 * indirect word to it in components and callbacks. The collector cannot find some words, so these
 * pin their slots. A word that the program took with kiln_assets_take pins its slot until a
 * callback reports an indirect word to the slot or kiln_collector_drop is called. Words that are
 * older than the collector, words of scenes that were loaded into a world that was not added, and
 * words in the rows of a removed world pin their slots until the table is destroyed. Once a
 * callback has reported an indirect word, callbacks must report every copy of it that the program
 * still uses.
 *
 * Clusters. The beginning of a cycle also dissolves clusters and forms those that files plan
 * (<kiln/clusters.h>).
 *
 * Weak handles. Until the sweep begins to remove assets, a weak handle to an unreachable asset can
 * be upgraded to a strong one: the asset and everything reachable from it then stay. After that,
 * such a weak handle is stale.
 *
 * Threads. kiln_collector_help may be called by any number of threads at any time. All other
 * functions must be called by one thread at a time, and are changing calls of the table
 * (<kiln/assets.h>) and reading calls of the added worlds (<kiln/world.h>). Other threads may use
 * the table meanwhile: readers never wait. During marking, a changing call waits for a few
 * microseconds. At the end of marking and during the sweep, it waits for up to the time budget of
 * the step.
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

/* What a step does while the loaded blobs exceed `cap_bytes`. */
typedef enum kiln_over_cap {
    KILN_OVER_CAP_FINISH,  /* finishes the cycle, even beyond the step's time budget. Default */
    KILN_OVER_CAP_CONTINUE /* stops at the end of the step's time budget, as usual */
} kiln_over_cap;

typedef struct kiln_collector_def {
    kiln_assets *assets;  /* required; outlives the collector */
    uint64_t start_bytes; /* default 64 MiB; 0: every idle step begins a cycle */
    uint64_t cap_bytes;   /* default UINT64_MAX: no cap */
    kiln_over_cap when_over_cap;
    /* The fewest assets of a cluster (<kiln/clusters.h>), its root included. Default 2 */
    uint32_t min_cluster;
    const kiln_allocator *allocator; /* NULL: the C library's */
    uint32_t cookie;                 /* private: set by kiln_collector_def_default */
} kiln_collector_def;

kiln_collector_def kiln_collector_def_default(void);

/* Creates the collector of a table. A table can have only one. Assets that are already loaded are
 * collected, too. NO_TYPES: an asset that was added from memory cannot be traced, because the
 * program's type table does not contain its type in this layout; `path` is its name, or its type if
 * it has no name. While the
 * collector exists, kiln_assets_add rejects such assets with the same error. BAD_ARGUMENT: the
 * definition is invalid, or the table already has a collector. No other call may use the table at
 * the same time. */
kiln_status kiln_collector_create(const kiln_collector_def *def, kiln_collector **ret_collector,
                                  kiln_error *reterr);
/* Ends the current cycle, if any, and frees the collector. If the cycle has begun to remove assets,
 * all assets that it found unreachable are removed; otherwise all assets stay loaded. Must be
 * called before the table and the added worlds are destroyed. NULL is fine. No other call may use
 * the table at the same time. */
void kiln_collector_destroy(kiln_collector *collector);

/* ---- roots ---- */

/* Follows the references in the components of a world. Add a world before scenes are loaded into
 * it, and remove it before it is destroyed. During a cycle, adding or removing a world or a
 * callback makes the cycle mark its roots again, or aborts the cycle if its marking has ended.
 * BAD_ARGUMENT: the world was already added to a collector. NO_MEMORY. */
kiln_status kiln_collector_add_world(kiln_collector *collector, kiln_world *world);
void kiln_collector_remove_world(kiln_collector *collector, kiln_world *world);

/* Receives the words that a callback reports. */
typedef struct kiln_tracer kiln_tracer;

/* A callback that passes the words in the program's own structs to kiln_trace. It must not call any
 * other function of the table or the collector. At the end of marking it is called while the
 * collector holds the table's lock. So it must not wait for a mutex that another thread holds
 * during a changing call of the table: both threads would wait forever. */
typedef void kiln_roots_function(void *ctx, kiln_tracer *tracer);

/* Calls `roots` at the beginning and at the end of each marking. `name` identifies it in the output
 * of kiln_collector_why and must outlive the collector. BAD_ARGUMENT: this pair of function and
 * `ctx` was added before. NO_MEMORY. */
kiln_status kiln_collector_add_roots(kiln_collector *collector, kiln_roots_function *roots,
                                     void *ctx, const char *name);
void kiln_collector_remove_roots(kiln_collector *collector, kiln_roots_function *roots, void *ctx);

/* Reports a word of any form. `field` names it in the output of kiln_collector_why and only needs
 * to be valid during the call. Null, stale and weak words are ignored. */
void kiln_trace(kiln_tracer *tracer, kiln_ref ref, const char *field);

/* States that the program does not use any of the indirect words to this slot that it took with
 * kiln_assets_take, except those that callbacks report. The slot can then be reused, as if a
 * callback had reported one of them. Other forms, and words of another table, are ignored. */
void kiln_collector_drop(kiln_collector *collector, kiln_ref ref);

/* ---- cycles ---- */

typedef enum kiln_collector_state {
    KILN_COLLECTOR_IDLE,    /* no cycle */
    KILN_COLLECTOR_MARKING, /* marking roots and following references */
    KILN_COLLECTOR_SWEEPING /* removing assets that were not reached */
} kiln_collector_state;

/* Begins a cycle unless one is in progress. */
void kiln_collector_start(kiln_collector *collector);
/* Works for about `nanoseconds`. NO_MEMORY: marking ran out of memory; the cycle was ended and
 * nothing was removed. `ret_state` receives the resulting state and may be NULL. Call it at a safe
 * point.
 *
 * LATE_STORE, only in builds of the library with KILN_VALIDATE: since the last call, a component
 * with words was written, although no thread got write access to its chunk in that time. So a
 * thread has used an access that it got before the last safe point. The cycle was ended and nothing
 * was removed. Such a build hashes all rows of these components in each call, and begins a new tick
 * of each added world. */
kiln_status kiln_collector_step(kiln_collector *collector, uint64_t nanoseconds,
                                kiln_collector_state *ret_state);
/* Follows references for up to `nanoseconds`, even while another thread is in a step. Returns false
 * if there was nothing to do. Any thread, at any time. */
bool kiln_collector_help(kiln_collector *collector, uint64_t nanoseconds);
/* Finishes the current cycle, then runs a complete cycle, which removes every asset that was
 * unreachable at the beginning of the call. Call it at a safe point. LATE_STORE as above. */
kiln_status kiln_collector_run(kiln_collector *collector);
/* The error of the last LATE_STORE: `path` is like `component game.Holder of entity 17, boss`. The
 * status is KILN_OK if there was none. */
void kiln_collector_get_late_store(const kiln_collector *collector, kiln_error *ret_error);

/* ---- queries ---- */

/* A step of a chain of references from a root to an asset. */
typedef struct kiln_why_step {
    const char *asset; /* its name; "" if it has none */
    const char *by; /* first step: what makes it a root, such as "strong handle, by game.c:120" or
                       "component game.Emitter of entity 17". Other steps: the path of the field in
                       the previous asset, such as `spawns[3].item`, or "" if unknown */
} kiln_why_step;

/* Finds out why an asset stays loaded: calls `on_step` for each step of a shortest chain of
 * references, from a root to the asset, and returns the number of steps. Returns 0 if the asset is
 * unreachable, so that the next cycle removes it, or if `ref` refers to no asset; -1 if memory runs
 * out. Strings are valid during the call. `on_step` must not call the table. Linear in the number
 * of loaded assets. Call it at a safe point. */
int64_t kiln_collector_why(kiln_collector *collector, kiln_ref ref,
                           void (*on_step)(void *ctx, const kiln_why_step *step), void *ctx);
/* Calls `on_asset` with the name of each asset that is loaded but unreachable, and returns their
 * number, or -1 if memory runs out. Linear in the number of loaded assets. Call it at a safe
 * point. */
int64_t kiln_collector_list_unreachable(kiln_collector *collector,
                                        void (*on_asset)(void *ctx, const char *name), void *ctx);

typedef struct kiln_collector_stats {
    uint64_t cycles;  /* completed */
    uint64_t aborted; /* cycles that were aborted because memory ran out */
    uint64_t steps, steps_over_cap;
    uint64_t roots;             /* assets marked from a root, in the current or last cycle */
    uint64_t marked;            /* assets marked in that cycle */
    uint64_t marked_by_cluster; /* of these, members that were marked only with their cluster */
    uint64_t edges;             /* references followed in that cycle */
    uint64_t chunks; /* columns of chunks whose words were read in that cycle, with repetitions */
    uint64_t freed;  /* assets removed, since the start */
    uint64_t freed_bytes;        /* size of their blobs */
    uint64_t recycled_slots;     /* stale slots made reusable, since the start */
    uint64_t saved;              /* assets found unreachable and then held again, since the start */
    uint64_t clusters;           /* now, including those to be dissolved (<kiln/clusters.h>) */
    uint64_t planned_clusters;   /* formed from plans of files, since the start */
    uint64_t dissolved_clusters; /* since the start */
    uint64_t longest_step;       /* nanoseconds */
    uint64_t waiting_bytes;      /* will be freed when the reader threads have been quiescent */
} kiln_collector_stats;

void kiln_collector_get_stats(kiln_collector *collector, kiln_collector_stats *ret_stats);

/* Checks the consistency of marks, roots and counts with the table. For tests. Linear in the size
 * of the table. */
bool kiln_collector_is_valid(kiln_collector *collector, kiln_error *reterr);

#ifdef __cplusplus
}
#endif

#endif
