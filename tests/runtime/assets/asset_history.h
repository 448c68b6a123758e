/* A table of assets and a naive model of what it should hold, changed together by random steps.
 *
 * The model is arrays that are searched from end to end: files, the mounts of them, loaded assets
 * (tenants), words, borrowed bytes. It says what each call should answer; the table is asked after
 * it, and everything that it gives is compared. */
#ifndef ASSET_HISTORY_H
#define ASSET_HISTORY_H

#include "asset_fixture.h"

enum {
    NAMES = 26,      /* of which files have those below FILE_NAMES */
    FILE_NAMES = 22, /* bits of a mask */
    FILES = 14,
    MOUNTS = 24,
    TENANTS = 400,
    WORDS = 160,
    BORROWS = 24,
    ADDED_VALUES = 6,
    BYS = 2,
    NONE = -1
};

/* An image, and what is in it. */
typedef struct history_file {
    kiln_buffer image;
    uint32_t names;             /* mask */
    uint32_t plates;            /* mask: of another type */
    uint32_t value[FILE_NAMES]; /* equal ones are one member */
    uint32_t refs[FILE_NAMES];  /* mask of names */
    kiln_asset_memory memory;   /* what its assets are in: mapped; unpacked, for they are
                                   compressed; converted, for their layout is older */
} history_file;

typedef struct history_mount {
    bool is_there, is_gone; /* mounted; was unmounted, and something of it may be held */
    int file;
    int32_t order;
    uint64_t serial;
    kiln_mount handle;
} history_mount;

typedef struct history_tenant {
    bool is_alive, is_detached;
    uint32_t names; /* mask; an added one may have several or none */
    int mount;      /* NONE: added */
    uint32_t value;
    bool is_foreign;
    bool has_indirect; /* such words were given out: its slot is never another's */
    uint32_t strong, weak, protections[BYS];
    kiln_ref handle;  /* weak, not counted */
    const void *root; /* that it has now */
} history_tenant;

typedef struct history_word {
    kiln_ref ref;
    int tenant;     /* NONE: a free place */
    int mount;      /* of a pointer: whose bytes; NONE for those that were added or converted */
    uint32_t value; /* of a pointer: what lies there */
} history_word;

typedef struct history_borrow {
    const void *root; /* NULL: a free place */
    int by, mount;
    uint32_t value;
} history_borrow;

typedef struct history_def {
    const char *name;
    uint32_t max_assets;
    uint32_t target;  /* of words: rarely more */
    bool fails;       /* memory is refused now and then */
    bool is_threaded; /* the thread is registered, and quiescent now and then */
} history_def;

typedef struct history {
    const history_def *def;
    scene scene;
    kiln_assets_thread *thread;
    uint32_t kept; /* slots of tenants that went and had indirect words */
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
    uint64_t given, freed; /* blobs with a `free` */
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
/* Who has the name: of mounts the best but `less`, `more` counted in; NONE. */
int model_provider(const history *h, int name, int less);
/* The tenant that a name leads to; NONE. */
int model_loaded(const history *h, int name);
bool model_is_above(const history_mount *a, const history_mount *b);
uint32_t model_protections(const history_tenant *tenant);
/* Slots that are not free: of tenants, and of those that weak words are left of. */
uint32_t model_used_slots(const history *h);
uint32_t model_borrowed(const history *h, const void *root);
/* Names that are loaded with those in `names`, these included; `less` is not there. False where
 * something is missing, which is left out. */
bool model_closure(const history *h, uint32_t names, int less, uint32_t *ret_all);
/* Whether bytes in memory that a pointer word leads to are there. */
bool model_has_bytes(const history *h, const history_word *word);
/* Ends those that nobody holds any more. */
void model_sweep(history *h);
history_tenant *model_new_tenant(history *h);
void model_end_tenant(history *h, history_tenant *tenant);

/* ---- steps ---- */

void history_init(history *h, const history_def *def, uint64_t seed);
void history_step(history *h);
void history_fini(history *h);

/* Brings memory to be refused in one of the next calls, for some steps. */
void history_threaten(history *h);
/* Compares what a call answered; false where it was refused memory, and nothing changed. */
bool history_expect(history *h, kiln_status expected, kiln_status is, const char *what);
/* After the model changed: where the table has them now. */
void history_note_roots(history *h);

void history_mount_one(history *h);
void history_unmount_one(history *h);
void history_load(history *h);
void history_add(history *h);
void history_dispose(history *h);
void history_take(history *h);
void history_clear(history *h);
void history_clear_word(history *h, history_word *word);
void history_protect(history *h);
void history_borrow_one(history *h);
void history_forge(history *h);
/* Puts a word where there is room for it; clears it where there is none. */
void history_keep(history *h, kiln_ref ref, int tenant);
/* A place with a word; NULL where there is none there. */
history_word *history_pick(history *h);

/* Everything agrees. */
void history_check(history *h);

#endif
