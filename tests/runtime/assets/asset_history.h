/* An asset table and a naive model of its expected content, changed together by random steps.
 *
 * The model consists of arrays that are searched linearly: files, their mounts, loaded assets
 * (tenants), words and borrowed bytes. The model computes the expected result of each call, which
 * is then compared with everything that the table returns. */
#ifndef ASSET_HISTORY_H
#define ASSET_HISTORY_H

#include "asset_fixture.h"

enum {
    NAMES = 26,      /* files contain only those below FILE_NAMES */
    FILE_NAMES = 22, /* fits the bits of a mask */
    FILES = 14,
    MOUNTS = 24,
    TENANTS = 400,
    WORDS = 160,
    BORROWS = 24,
    ADDED_VALUES = 6,
    BYS = 2,
    NONE = -1
};

/* An image and its content. */
typedef struct history_file {
    kiln_buffer image;
    uint32_t names;             /* mask of the assets in the file */
    uint32_t plates;            /* mask of those with type test.Plate */
    uint32_t value[FILE_NAMES]; /* assets with equal values share a member */
    uint32_t refs[FILE_NAMES];  /* mask of names */
    kiln_asset_memory memory;   /* where its assets are stored: mapped; unpacked if they are
                                   compressed; converted if their layout is older */
    bool has_plan;              /* it also contains a cluster plan */
} history_file;

typedef struct history_mount {
    bool is_there, is_gone; /* mounted; unmounted, but its assets may still be held */
    bool is_replaced;       /* pointer words also hold it; implies is_gone */
    int file;
    int32_t order;
    uint64_t serial;
    kiln_mount handle;
} history_mount;

typedef struct history_tenant {
    bool is_alive, is_detached;
    uint32_t names; /* mask; an added asset may have none or several */
    int mount;      /* NONE for an added asset */
    uint32_t value;
    bool is_foreign;
    bool has_indirect; /* indirect words were taken, so its slot is never reused */
    uint32_t strong, weak, protections[BYS];
    kiln_ref handle;  /* a weak word that is not counted */
    const void *root; /* the current root */
} history_tenant;

typedef struct history_word {
    kiln_ref ref;
    int tenant;     /* NONE for a free position */
    int mount;      /* of a pointer: the mount whose bytes it refers to; NONE for added or converted
                       assets */
    uint32_t value; /* of a pointer: the value it leads to */
} history_word;

typedef struct history_borrow {
    const void *root; /* NULL for a free position */
    int by, mount;
    uint32_t value;
} history_borrow;

typedef struct history_def {
    const char *name;
    uint32_t max_assets;
    uint32_t target;  /* usual number of words */
    bool fails;       /* allocations fail now and then */
    bool is_threaded; /* the thread is registered and sometimes quiescent */
    bool has_plans;   /* most files have a cluster plan, which need not match the references */
} history_def;

typedef struct history {
    const history_def *def;
    scene scene;
    kiln_assets_thread *thread;
    uint32_t kept; /* slots of removed tenants that had indirect words */
    uint64_t random, steps;
    uint64_t serial;
    char names[NAMES][16];
    history_file files[FILES];
    history_mount mounts[MOUNTS];
    history_tenant tenants[TENANTS];
    history_word words[WORDS];
    history_borrow borrows[BORROWS];
    kiln_buffer added[ADDED_VALUES];
    kiln_root_type type;
    uint64_t given, freed;             /* blobs with a `free` callback */
    uint32_t added_refs[ADDED_VALUES]; /* mask of names */
    /* A collector removes assets: the table may still have some that the model has already
     * removed. */
    bool is_sweeping;
    /* A collector makes stale slots reusable: fewer are stale than the model counts. */
    bool recycles;
} history;

extern const char *const history_by[BYS];

uint32_t history_random(history *h, uint32_t below);

/* ---- the model ---- */

static inline uint32_t history_bit(int name)
{
    return UINT32_C(1) << name;
}
static inline kiln_asset_memory history_memory(const history *h, int mount)
{
    return h->files[h->mounts[mount].file].memory;
}
/* The mount that provides a name: the highest one except `less`. NONE if there is none. */
int model_provider(const history *h, int name, int less);
/* The tenant that a name refers to; NONE if there is none. */
int model_loaded(const history *h, int name);
bool model_is_above(const history_mount *a, const history_mount *b);
uint32_t model_protections(const history_tenant *tenant);
/* Number of used slots: those of tenants, and those that only weak words still refer to. */
uint32_t model_used_slots(const history *h);
uint32_t model_borrowed(const history *h, const void *root);
/* Computes all names that are loaded together with `names`, including `names`, if the mount `less`
 * is ignored. Returns false if some are missing; the result omits them. */
bool model_closure(const history *h, uint32_t names, int less, uint32_t *ret_all);
/* Whether the table has slots for those of `names` that are not loaded. */
bool model_has_room(const history *h, uint32_t names);
/* An unused mount of the model; NONE if there is none. */
int model_free_mount(const history *h);
/* Whether the bytes that a pointer word refers to are still in memory. */
bool model_has_bytes(const history *h, const history_word *word);
/* Removes tenants without holders. */
void model_sweep(history *h);
history_tenant *model_new_tenant(history *h);
void model_end_tenant(history *h, history_tenant *tenant);

/* ---- steps ---- */

void history_init(history *h, const history_def *def, uint64_t seed);
void history_step(history *h);
void history_fini(history *h);

/* Arms an allocation failure for one of the next calls. */
void history_threaten(history *h);
/* Checks the status of a call. Returns false if an allocation failed, in which case nothing has
 * changed. */
bool history_expect(history *h, kiln_status expected, kiln_status is, const char *what);
/* Records the current roots after a change of the model. */
void history_note_roots(history *h);

void history_mount_one(history *h);
void history_unmount_one(history *h);
void history_replace_one(history *h);
/* A definition to mount a file with random properties. Bytes that are used in place belong to one
 * mount, so that a root belongs to one asset. */
kiln_mount_def history_mount_def(history *h, int file);
/* Each of `names` becomes the asset of the highest mount that has it, except `less`. */
void history_apply(history *h, uint32_t names, int less);
void history_load(history *h);
void history_add(history *h);
void history_dispose(history *h);
void history_take(history *h);
void history_clear(history *h);
void history_clear_word(history *h, history_word *word);
void history_protect(history *h);
void history_borrow_one(history *h);
void history_forge(history *h);
/* Stores a word at a free position. If there is none, clears the word. */
void history_keep(history *h, kiln_ref ref, int tenant);
/* Returns a random position if it has a word, else NULL. */
history_word *history_pick(history *h);

/* Compares the whole table with the model. */
void history_check(history *h);

#endif
