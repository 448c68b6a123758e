/* A table of assets, a world and a collector, which random steps change together, and a naive
 * search for the assets that are reachable.
 *
 * The search knows nothing of indexes, marks, ticks and clusters. It starts at what the history
 * holds itself: words, borrowed bytes, protections, open scenes, and the rows of the world. Then it
 * follows the references in the bytes of the assets, which are the ids of other assets.
 *
 *     life       an asset from its loading to its removal. The bits of its weak word identify it
 *     thing      an asset of type test.Thing. Its value is 1000 * (file + 1) + its number
 *     group      a few things, which several versions of a file contain
 *     scene      a saved part of the world, mounted as a file of its own
 *     holder     a component with words, and the numbers of the assets to which they refer
 *
 * Files: reach_history.c (creation, choice of steps), reach_search.c (lives and the search),
 * reach_files.c (mounting and replacing), reach_assets.c (words and other holds), reach_entities.c
 * (rows of the world), reach_scenes.c (saving and loading), reach_clusters.c. */
#ifndef REACH_HISTORY_H
#define REACH_HISTORY_H

#include "asset_fixture.h"

#include <kiln/clusters.h>
#include <kiln/collector.h>
#include <kiln/scenes.h>

enum {
    REACH_GROUPS = 4,
    REACH_VERSIONS = 3,
    REACH_FILES = REACH_GROUPS * REACH_VERSIONS,
    REACH_THINGS = 24,
    REACH_ADDED = 6,
    REACH_SCENES = 3,
    REACH_MOUNTS = 6,
    REACH_WORDS = 20,
    REACH_BORROWS = 6,
    REACH_LIVES = 512,
    REACH_SOURCES = 20,
    REACH_INSTANCES = 6,
    REACH_DETACHED = 6,
    REACH_ENTITIES = 60, /* above this number no entity is created */
    REACH_SAVED = 40,    /* entities of a scene, at most */
    REACH_MOST = REACH_ENTITIES + 12 + (REACH_INSTANCES + REACH_DETACHED) * REACH_SAVED,
    REACH_CLUSTERS = 16,
    REACH_NONE = -1
};

#define REACH_BY "the history" /* takes all words, protections and bytes */

/* What the bytes of an asset are. */
typedef enum reach_kind { REACH_THING, REACH_SCENE, REACH_CHUNKS } reach_kind;

typedef struct reach_life {
    uint64_t bits;
    kiln_id id; /* 0 if it has no name */
    const void *root;
    reach_kind kind;
    uint32_t value; /* 0 unless it is a thing */
    uint32_t strong;
    bool is_reached;
} reach_life;

typedef struct reach_word {
    kiln_ref ref;
    uint32_t number; /* of the asset, as in a holder */
} reach_word;

typedef struct reach_borrow {
    const void *root;   /* NULL for a free position */
    kiln_ref protected; /* null for a free position */
} reach_borrow;

typedef struct reach_file {
    kiln_buffer image;
    uint32_t things; /* mask */
    uint32_t values[REACH_THINGS];
    uint32_t refs[REACH_THINGS]; /* mask */
} reach_file;

typedef struct reach_mount {
    kiln_mount handle;
    int group; /* REACH_NONE if nothing is mounted */
} reach_mount;

/* What an open scene holds. */
typedef struct reach_source {
    kiln_scene_source *open; /* NULL once the program closed it */
    uint32_t users;          /* the program and the instances; 0 for a free position */
    uint64_t lives[REACH_THINGS + REACH_ADDED + 2];
    uint32_t count;
    const void *scene, *chunks; /* borrowed */
} reach_source;

typedef struct reach_instance {
    kiln_scene_instance *is; /* NULL for a free position */
    int scene, source;
} reach_instance;

typedef struct reach_detached {
    int source;
    kiln_entity *entities; /* NULL for a free position */
    uint32_t count;
} reach_detached;

/* Fills an eighth of a chunk, so that scenes have several chunks. */
enum { REACH_HELD = 3 };
typedef struct reach_holder {
    KILN_ALIGNAS(8) kiln_ref words[REACH_HELD];
    uint32_t numbers[REACH_HELD];
    uint32_t filler[477];
} reach_holder;

typedef enum reach_component {
    REACH_HOLDER,
    REACH_KEEPER,
    REACH_NUMBER,
    REACH_LIT,
    REACH_COMPONENTS
} reach_component;

typedef struct reach_def {
    const char *name;
    bool fails;     /* allocations fail now and then */
    bool has_plans; /* most files have a cluster plan, which need not match the references */
    bool uses_clusters;
    /* Never uses pointer words, whose meaning depends on the addresses of memory, and allocates the
     * collector's memory with the C library, so that other threads may help. */
    bool is_repeatable;
} reach_def;

typedef struct reach {
    const reach_def *def;
    scene scene;
    kiln_collector *collector;
    uint64_t random, steps;
    reach_file files[REACH_FILES];
    reach_mount mounts[REACH_MOUNTS];
    kiln_buffer added[REACH_ADDED];
    kiln_root_type type;
    reach_word words[REACH_WORDS];
    reach_borrow borrows[REACH_BORROWS];
    reach_life lives[REACH_LIVES];
    uint32_t life_count;

    kiln_world *world;
    kiln_component components[REACH_COMPONENTS];
    bool is_added; /* the collector follows the world's words */
    kiln_mount scene_mounts[REACH_SCENES];
    reach_source sources[REACH_SOURCES];
    reach_instance instances[REACH_INSTANCES];
    reach_detached detached[REACH_DETACHED];
    kiln_scene_loading *loading;
    int loading_scene, loading_source;
    /* Entities of the scene that is being loaded: they can be read, but are not part of the world
     * yet. */
    kiln_entity hidden[REACH_SAVED];
    uint32_t hidden_count;

    kiln_cluster clusters[REACH_CLUSTERS]; /* some of those that were formed; many are stale */
    bool may_remove; /* the current step may remove assets that are reachable */
    /* How often the steps succeeded, to check that the history has all of them. */
    uint64_t loads, takes, writes, moves, saves, opens, unloads, applies, detaches, replaces,
        disposals, formed, dissolved;
} reach;

uint32_t reach_random(reach *h, uint32_t below);

void reach_begin(reach *h, const reach_def *def, uint64_t seed);
/* Ends the history with a cycle, frees everything, and checks that nothing is left. */
void reach_end(reach *h);
/* One random step, without the collector's own. */
void reach_step(reach *h);
/* Compares words, counts and rows with the search. */
void reach_check(reach *h);

/* ---- reach_search.c ---- */

/* Lists the lives of all loaded assets. */
void reach_list(reach *h);
/* Finds out which of the listed lives are reachable. */
void reach_find(reach *h);
/* The life to which a word refers; NULL if there is none. */
reach_life *reach_life_of(reach *h, kiln_ref ref);
reach_life *reach_life_of_id(reach *h, kiln_id id);
/* Passes the words that the program must report to a collector: half of the others, and all
 * indirect ones. */
void reach_report(void *ctx, kiln_tracer *tracer);
/* The number of an asset in a holder: that of a thing plus 1, or of an added asset plus 100. */
uint32_t reach_number(const void *root);

/* Compares the lives before and after a step of the collector: those that it removed must have been
 * unreachable. If `is_whole`, nothing unreachable may be left. Returns the number of removed lives.
 * `ret_digest` receives a number that depends on which assets were removed, but not on their order
 * or their slots. Call reach_list and reach_find before the step. */
uint32_t reach_compare(reach *h, bool is_whole, uint64_t *ret_digest);

/* ---- steps ---- */

/* Arms an allocation failure for the next calls. */
void reach_threaten(reach *h);
/* Whether the call succeeded. It may fail with one of the other statuses, which end with KILN_OK,
 * or if an allocation failed. */
bool reach_expect(reach *h, kiln_status is, const kiln_status *others, const char *what);
#define REACH_EXPECT(h, what, call, ...)                                                           \
    reach_expect(h, call, (const kiln_status[]){__VA_ARGS__, KILN_OK}, what)
#define REACH_SUCCEED(h, what, call) REACH_EXPECT(h, what, call, KILN_OK)

void reach_make_files(reach *h);
void reach_mount_one(reach *h);
void reach_unmount_one(reach *h);
void reach_replace_one(reach *h);
/* A definition for this image: copied, or mapped from a file, which the function writes. Each
 * mount, and each scene after these, has its own path. */
kiln_mount_def reach_mount_def(reach *h, const kiln_buffer *image, int at);
const char *reach_path(int at);

void reach_load(reach *h);
void reach_add(reach *h);
void reach_take(reach *h);
void reach_clear(reach *h);
void reach_clear_word(reach *h, reach_word *word);
void reach_borrow_one(reach *h);
void reach_protect_one(reach *h);
void reach_dispose(reach *h);
/* A random word, which may be null or stale. */
reach_word *reach_pick(reach *h);

void reach_make_world(reach *h);
void reach_create(reach *h);
void reach_destroy(reach *h);
void reach_move(reach *h);
void reach_write(reach *h);
void reach_change_many(reach *h);
void reach_world_leaves(reach *h);
void reach_check_world(reach *h);
/* Sets the pointer words to null whose bytes were removed, because other assets may get their
 * addresses. Call reach_list before. */
void reach_forget_pointers(reach *h);
/* A random living entity; null if there is none. */
kiln_entity reach_entity(reach *h);
/* Like kiln_entity_next, but without hidden entities. */
kiln_entity reach_next(const reach *h, uint32_t from);
/* The words of an entity, and the numbers next to them. Returns how many there are. */
uint32_t reach_words_of(const reach *h, kiln_entity entity, kiln_ref *ret_words,
                        uint32_t *ret_numbers);

void reach_save(reach *h);
void reach_open(reach *h);
void reach_unload(reach *h);
void reach_close(reach *h);
void reach_apply(reach *h);
void reach_load_slowly(reach *h);
void reach_end_scenes(reach *h);
void reach_end_detached(reach *h, reach_detached *detached);

void reach_change_clusters(reach *h);

#endif
