/* The inside of a collector.
 *
 *     node      what is on the gray stack: an asset whose references have to be followed. Its
 * file's mount number plus 1 in the upper half and its number in the file's index in the lower
 *               half; or 0 and its slot
 *     segment   a piece of the gray stack. A marking thread has one of its own; full ones are
 * shared tracer    the state of one marking thread
 *
 * Parts: collector.c (create, destroy, roots, statistics), collect_cycle.c (the steps of a cycle),
 * collect_mark.c (the gray stack and the edges), collect_roots.c (words and holders), collect_why.c
 * (questions). */
#ifndef KILN_COLLECTOR_OBJECT_H
#define KILN_COLLECTOR_OBJECT_H

#include "asset_marks.h"
#include "assets_object.h"
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
    /* A bit for each chunk that still is as its scene was loaded; NULL if there is none. */
    uint64_t *untouched;
    uint32_t untouched_words;
} collected_world;

typedef struct root_function {
    kiln_roots_function *roots;
    void *ctx;
    const char *name;
} root_function;

/* Where the marking of roots continues. */
typedef struct root_cursor {
    uint32_t word; /* of the bits by slot */
    uint32_t world, archetype, chunk;
    uint32_t function;
} root_cursor;

/* Where killing and freeing continue. */
typedef struct sweep_cursor {
    uint32_t mount;
    uint64_t serial; /* of that mount */
    uint32_t number;
    uint32_t slot; /* after the mounts */
} sweep_cursor;

/* What comes next in a cycle. */
typedef enum collect_stage {
    STAGE_IDLE,
    STAGE_ROOTS, /* mark roots */
    STAGE_MARK,  /* follow references */
    STAGE_KILL,  /* end the counts of what was not marked */
    STAGE_FREE   /* remove it */
} collect_stage;

struct kiln_collector {
    kiln_allocator allocator;
    kiln_collector_def def;
    kiln_assets *assets;
    kiln_list worlds;    /* collected_world */
    kiln_list functions; /* root_function */
    collect_stage stage;
    root_cursor roots;
    sweep_cursor sweep;
    uint32_t final_tries;
    uint64_t loaded_then; /* the table's count of loaded bytes when the last cycle began */

    pthread_mutex_t gray_lock;
    gray_segment *gray, *spare;   /* with nodes, without */
    KILN_ATOMIC(uint32_t) grays;  /* segments in `gray` */
    KILN_ATOMIC(bool) has_failed; /* a node was lost because memory ran out */
    kiln_collector_stats stats;   /* `marked` and `edges` under gray_lock */
};

/* The edges of a mounted file, without the way through its index. */
typedef struct traced_mount {
    const asset_mount *mount;
    uint64_t space; /* the upper half of its nodes; 0: none is cached */
    KILN_ATOMIC(uint8_t) * marks;
    const uint32_t *starts, *edges;
    uint32_t count; /* assets */
} traced_mount;

/* Nodes whose edges are being prefetched. */
enum { AHEAD = 16 };

struct kiln_tracer {
    kiln_collector *collector;
    kiln_assets *assets;
    gray_segment *segment; /* its own; NULL at first */
    traced_mount cached;
    uint64_t ahead[AHEAD];
    uint32_t ahead_first, ahead_count;
    uint8_t color;
    bool is_killing; /* what is marked may be dead, and is saved */
    uint64_t marked, edges;
    /* To answer a question: gets the entries of words, and where each word is, instead of marking
     * them. */
    void (*on_root)(void *ctx, const asset_entry *entry, const char *place);
    void *on_root_ctx;
    const char *function; /* name of the callback that runs; NULL if none does */
};

/* ---- collect_mark.c ---- */

kiln_tracer kiln_tracer_of(kiln_collector *collector);
/* Shares what is left in the tracer's segment, and adds its counts. */
void kiln_tracer_end(kiln_tracer *tracer);
/* Marks the asset, unless it is marked. */
void kiln_tracer_mark(kiln_tracer *tracer, asset_entry *entry);
/* Marks the asset and follows its references even if it was marked before. */
void kiln_tracer_mark_again(kiln_tracer *tracer, asset_entry *entry);
/* Marks the loaded asset with that id, if there is one. */
void kiln_tracer_mark_id(kiln_tracer *tracer, kiln_id id);
/* Marks what the bytes refer to. */
void kiln_tracer_follow_blob(kiln_tracer *tracer, const asset_blob *blob);
/* Follows nodes until the deadline, a request to pause, or the end. Returns whether all are done
 * that this thread could get. */
bool kiln_tracer_drain(kiln_tracer *tracer, uint64_t deadline);
void kiln_gray_free(kiln_collector *collector);

uint64_t kiln_collect_now(void);

/* ---- collect_cycle.c ---- */

/* Ends a cycle that has begun; nothing is lost. */
void kiln_collect_abort(kiln_collector *collector);

/* ---- collect_roots.c ---- */

/* Marks roots from the cursor on. Returns false if the deadline came first. */
bool kiln_collect_roots(kiln_collector *collector, kiln_tracer *tracer, uint64_t deadline);
/* Marks what changed since the roots were marked. Returns false if the deadline came first. */
bool kiln_collect_changes(kiln_collector *collector, kiln_tracer *tracer, uint64_t deadline);
/* Visits the words of all worlds and callbacks, for an answer. */
void kiln_collect_words(kiln_collector *collector, kiln_tracer *tracer);
/* Marks what the bits `fresh` name. */
void kiln_collect_fresh(kiln_collector *collector, kiln_tracer *tracer);
/* Finds the chunks of a world whose words need not be read. */
void kiln_collect_find_untouched(kiln_collector *collector, collected_world *world);
void kiln_collect_forget_untouched(kiln_collector *collector, collected_world *world);
/* Whether strong handles, protection or borrowed bytes hold the asset. */
bool kiln_collect_is_held(const asset_entry *entry);
/* Visits the assets that a word keeps: none for null, stale and weak words; for a pointer all that
 * have these bytes. `place` tells where the word is; it is only used for answers. */
typedef struct word_place {
    const char *text;        /* a field of a callback, or a component */
    const kiln_chunk *chunk; /* NULL in a callback */
    uint32_t row;
} word_place;
void kiln_collect_word(kiln_tracer *tracer, kiln_ref ref, const word_place *place);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
