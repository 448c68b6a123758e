/* The internals of a collector.
 *
 *     node      an entry of the gray stack: an asset whose references must be followed. The upper
 *               half is the mount number of its file plus 1, the lower half its number in the
 *               file's index. If the upper half is 0, the lower half is its slot
 *     segment   a piece of the gray stack. Each marking thread has its own; full ones are shared
 *     tracer    the state of one marking thread
 *
 * Files: collector.c (create, destroy, roots, statistics), collect_cycle.c (the steps of a cycle),
 * collect_mark.c (the gray stack and the edges), collect_roots.c (words and holders), collect_why.c
 * (queries). */
#ifndef KILN_COLLECTOR_OBJECT_H
#define KILN_COLLECTOR_OBJECT_H

#include "asset_marks.h"
#include "asset_slots.h"
#include "assets_object.h"
#include "cluster_table.h"
#include "list.h"

#include <kiln/collector.h>
#include <kiln/entity_tables.h>
#include <pthread.h>

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

enum { SEGMENT_NODES = 510 };

typedef struct gray_segment {
    struct gray_segment *next;
    uint64_t count;
    uint64_t nodes[SEGMENT_NODES];
} gray_segment;

typedef struct collected_world {
    kiln_world *world;
    uint64_t since; /* chunks that changed after this tick are read again */
    /* A bit for each chunk, set if the chunk is unchanged since its scene was loaded; NULL if no
     * scene is loaded or memory ran out. */
    uint64_t *untouched;
    uint32_t untouched_words;
} collected_world;

typedef struct root_function {
    kiln_roots_function *roots;
    void *ctx;
    const char *name;
} root_function;

/* Where marking roots continues. */
typedef struct root_cursor {
    uint32_t word; /* of the bitmap `roots` */
    uint32_t held; /* of the bitmap of held clusters */
    uint32_t world, chunk;
    uint32_t function;
} root_cursor;

/* Where killing or freeing continues. */
typedef struct sweep_cursor {
    uint32_t mount;
    uint32_t number;
    uint32_t slot; /* killing visits clusters, then mounts, then slots */
    uint32_t cluster;
} sweep_cursor;

/* What the next slice of work does. */
typedef enum collect_stage {
    STAGE_IDLE,
    STAGE_CLUSTERS, /* dissolve clusters that changed, and form planned ones */
    STAGE_ROOTS,    /* mark roots */
    STAGE_MARK,     /* follow references */
    STAGE_KILL,     /* close the strong counts of unmarked assets */
    STAGE_FREE      /* remove them */
} collect_stage;

struct kiln_collector {
    kiln_allocator allocator;
    kiln_collector_def def;
    kiln_assets *assets;
    kiln_list worlds;    /* collected_world */
    kiln_list functions; /* root_function */
    cluster_table clusters;
    /* For tests whose slices must be the same in every run; NULL: the monotonic clock. */
    uint64_t (*clock)(void *ctx);
    void *clock_ctx;
    uint32_t
        nodes_per_check; /* nodes followed between two readings of the clock. Tests change it */
    collect_stage stage;
    root_cursor roots;
    sweep_cursor sweep;
    uint32_t final_tries;
    bool is_aborted;        /* the last cycle was aborted, so the next step begins another */
    bool ended_over_cap;    /* the last cycle ended while the loaded blobs exceeded the cap */
    uint64_t loaded_at_end; /* like `loaded_then`, when the last cycle ended */
    uint64_t loaded_then;   /* bytes that the table had loaded in total when the last cycle began */

    pthread_mutex_t gray_lock;
    gray_segment *gray, *spare;   /* segments with nodes; empty segments */
    KILN_ATOMIC(uint32_t) grays;  /* segments in `gray` */
    KILN_ATOMIC(bool) has_failed; /* a node was lost because memory ran out */
    kiln_collector_stats stats;   /* gray_lock protects `marked`, `marked_by_cluster`, `edges` */

    /* With KILN_VALIDATE: what collect_stores.c recorded at the last safe point. */
    kiln_list records, hashes;
    kiln_error late; /* of the last late store */
};

/* The edges of a mounted file, cached to avoid going through its index. */
typedef struct traced_mount {
    const asset_mount *mount;
    uint64_t space; /* the upper half of its nodes, in place; 0: no mount is cached */
    KILN_ATOMIC(uint8_t) * marks;
    const uint32_t *starts, *edges;
    const int32_t *owners; /* NULL: no asset of the file belongs to a cluster */
    uint32_t count;        /* number of assets */
} traced_mount;

/* Nodes whose edges are being prefetched. */
enum { AHEAD = 32, AHEAD_OF_EDGES = 20, AHEAD_OF_LISTS = 10 };

struct kiln_tracer {
    kiln_collector *collector;
    kiln_assets *assets;
    gray_segment *segment; /* its own; NULL at first */
    traced_mount cached;
    uint64_t ahead[AHEAD];
    uint32_t ahead_first, ahead_count;
    uint8_t color;
    bool is_killing; /* an asset to be marked may be dead, and must then be saved */
    bool pins;       /* words are not followed, but prevent their slots from being reused */
    uint64_t marked, by_cluster, edges;
    /* For queries: if not NULL, called for the entry of each word, and the word's location, instead
     * of marking the entry. */
    void (*on_root)(void *ctx, const asset_entry *entry, const char *place);
    void *on_root_ctx;
    const char *function; /* name of the callback being called; NULL if none is */
};

/* ---- collect_mark.c ---- */

kiln_tracer kiln_tracer_of(kiln_collector *collector);
/* Pushes the tracer's segment on the shared stack, and adds the tracer's counts to the statistics.
 */
void kiln_tracer_end(kiln_tracer *tracer);
/* Marks the asset, unless it is marked. */
void kiln_tracer_mark(kiln_tracer *tracer, asset_entry *entry);
/* The same by slot, while no assets are killed. Does not read the entry. */
void kiln_tracer_mark_slot(kiln_tracer *tracer, uint32_t slot);
/* Marks the asset and follows its references even if it was marked before. */
void kiln_tracer_mark_again(kiln_tracer *tracer, asset_entry *entry);
/* Marks the loaded asset with that id, if there is one. */
void kiln_tracer_mark_id(kiln_tracer *tracer, kiln_id id);
/* Marks the assets to which the blob refers. */
void kiln_tracer_follow_blob(kiln_tracer *tracer, const asset_blob *blob);
/* Marks held clusters and their roots, and everything to which they refer. Bit i of `bits` is
 * cluster number first + i. Must not be called while assets are killed. */
void kiln_tracer_mark_clusters(kiln_tracer *tracer, uint32_t first, uint64_t bits);
/* Marks the cluster, and everything to which it refers. */
void kiln_tracer_follow_cluster(kiln_tracer *tracer, uint32_t number);
/* Follows nodes until the deadline passes, a changing call waits, or this thread finds no more
 * nodes. Returns true in the last case. */
bool kiln_tracer_drain(kiln_tracer *tracer, uint64_t deadline);
void kiln_gray_free(kiln_collector *collector);

/* The time that deadlines refer to, in nanoseconds. */
uint64_t kiln_collect_now(const kiln_collector *collector);

/* ---- collect_cycle.c ---- */

/* Ends the current cycle, if any. Saves the assets that it killed, but removes them if freeing has
 * begun. */
void kiln_collect_abort(kiln_collector *collector);
/* If the collector is killing assets, marks everything that the saved assets reach. The lock must
 * be held. */
void kiln_collect_settle(kiln_collector *collector);

/* ---- collect_roots.c ---- */

/* Marks roots, starting at the cursor. Returns false if the deadline passed first. */
bool kiln_collect_roots(kiln_collector *collector, kiln_tracer *tracer, uint64_t deadline);
/* Marks what changed since the roots were marked. Returns false if the deadline passed first. */
bool kiln_collect_changes(kiln_collector *collector, kiln_tracer *tracer, uint64_t deadline);
/* Visits the words of all worlds and callbacks for a query. */
void kiln_collect_words(kiln_collector *collector, kiln_tracer *tracer);
/* Pins the slots of all indirect words in a world, because its words will no longer be read. */
void kiln_collect_pin_words(kiln_collector *collector, kiln_world *world);
/* Marks the assets whose bit `fresh` is set, and follows their references. */
void kiln_collect_fresh(kiln_collector *collector, kiln_tracer *tracer);
/* Follows the references of bytes that are borrowed and were replaced. */
void kiln_collect_borrowed(const kiln_assets *assets, kiln_tracer *tracer);
/* Finds the chunks of a world whose words need not be read. */
void kiln_collect_find_untouched(kiln_collector *collector, collected_world *world);
void kiln_collect_forget_untouched(kiln_collector *collector, collected_world *world);
/* Whether strong handles, protection or borrowed bytes hold the asset. */
static inline bool kiln_collect_is_held(const asset_entry *entry)
{
    return asset_strong_count(entry) > 0 || entry->protections.total > 0 ||
           entry->blob->borrowed.total > 0;
}
/* The location of a word, for queries. */
typedef struct word_place {
    const char *text;        /* a field, for a callback; else a component */
    const kiln_chunk *chunk; /* NULL for a callback */
    uint32_t row;
} word_place;
/* Visits the assets that a word keeps alive: none for null, stale and weak words; for a pointer,
 * all assets that share the bytes. */
void kiln_collect_word(kiln_tracer *tracer, kiln_ref ref, const word_place *place);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
