/* Internals of an asset table.
 *
 *     known     an id of a mounted file or added blob: its cell in `ids`, its providers, and its
 *               entry while it is loaded
 *     provider  a file that contains the id; the list has the highest order first
 *     entry     a loaded asset: one for each slot
 *     blob      an asset's bytes in memory: the current bytes of an entry, or older bytes that are
 *               borrowed. Entries whose bytes are one member of a file share the blob
 *     mount     an open file. After it was replaced, it can be an *older version* of the mounted
 *               file: its assets that did not change still use its bytes (asset_older.h)
 *
 * Mounting must not cost more than reading the index. So an asset of one file, the *base*, is added
 * to `ids` only when it is loaded or another file also has it. A lookup that fails in `ids`
 * continues in the base's index. The assets of all other files are in `ids`.
 *
 * These parts of the public interface have no private header: asset_add.c (blobs built in memory),
 * asset_keep.c (borrowing, protecting, disposing), asset_load.c, asset_mounting.c,
 * asset_replacing.c and asset_validity.c.
 *
 * `lock` protects everything except what readers use: `slots`, `ids`, `base` and the counts in
 * entries. Memory that readers can reach is retired, never freed immediately. */
#ifndef KILN_ASSETS_OBJECT_H
#define KILN_ASSETS_OBJECT_H

#include "file_object.h"
#include "file_redirects.h"
#include "grow.h"
#include "key_table.h"
#include "quiescence.h"

#include <kiln/assets.h>
#include <kiln/types.h>

#include <pthread.h>

#if defined(__GNUC__)
#pragma GCC visibility push(hidden)
#endif

struct kiln_conversion;
struct asset_events;
struct asset_marks;
struct asset_plan;

/* A holder of something, with a count. */
typedef struct asset_holder {
    const char *by;
    uint32_t count;
} asset_holder;

typedef struct asset_holders {
    asset_holder *list;
    size_t capacity;
    uint32_t count;
    uint32_t total; /* sum of counts */
} asset_holders;

/* The takers of words that are counted elsewhere. `ended` is the number of words whose taker was
 * unknown when they were released. */
typedef struct asset_takers {
    asset_holders noted;
    uint32_t ended;
} asset_takers;

typedef struct asset_mount {
    kiln_retired retired;
    kiln_file *file;
    char *name;
    size_t name_size;
    int32_t order;
    uint64_t serial;              /* incremented with each mount */
    uint32_t number;              /* in `mounts` */
    uint32_t blobs;               /* blobs that use its bytes or strings */
    uint32_t pins;                /* loads in progress */
    KILN_ATOMIC(uint8_t) * marks; /* by asset number; NULL without a collector */
    void *mark_memory;            /* of `marks` */
    int32_t *owners; /* by asset number: asset_owners.h; NULL while no cluster has an asset */
    struct asset_plan *plan;            /* NULL without a collector, and without a valid plan */
    uint32_t borrowed;                  /* number of borrows of its bytes */
    uint32_t seen_blobs, seen_borrowed; /* by kiln_assets_is_valid */
    bool is_unmounted;                  /* or replaced */
    bool is_replaced;
    bool has_unproven; /* there is or was a record that is not proven */
    /* Of an older version (asset_older.h), the mounted file; otherwise the mount itself. */
    struct asset_mount *current;
    uint64_t followed_by, edges_followed; /* the last stage that followed its edges; their number */
    /* The conversion of each type of the index to the program's; NULL until the first use. Under
     * `conversion_lock`. */
    struct kiln_conversion **conversions;
    kiln_file_redirects redirects;
} asset_mount;

typedef struct asset_entry asset_entry;

typedef struct asset_blob {
    kiln_retired retired;
    const unsigned char *bytes;
    size_t size;
    const void *root;
    const char *type; /* qualified name */
    const char *name; /* of the first asset that used it; "" if it has none */
    uint64_t layout;
    uint64_t hash;      /* from the header of the blob that it was made from */
    asset_mount *mount; /* NULL if it was added */
    uint32_t number;    /* in the mount's index: the first asset that used the bytes */
    uint64_t key;       /* in `contents`; 0 if it is not there */
    kiln_asset_memory memory;
    asset_entry *entries; /* entries that use these bytes */
    struct asset_blob *next_of_key, *next_of_root;
    asset_holders borrowed;
    asset_takers pointers; /* pointer words, if they are tracked */
    /* Memory that is freed with the blob: by `free` or, if that is NULL, by the allocator. */
    void *owned;
    size_t owned_size;
    void (*free)(void *ctx, const void *blob, size_t size);
    void *free_ctx;
    const char *added_by;
    char *own_name; /* `name` if the blob was added: readers may use it as long as the bytes */
    size_t own_name_size;
    /* The references of an added blob, in any order; for a collector. */
    kiln_id *refs;
    uint32_t ref_count;
    bool has_refs;  /* `refs` is complete */
    bool is_orphan; /* borrowed, and no entry uses it */
    bool is_proven; /* the member has the content hash that the index of its file states */
} asset_blob;

typedef struct asset_alias {
    kiln_id id;
    char *name; /* owned by the table */
    size_t name_size;
} asset_alias;

struct asset_entry {
    /* Version << 32 | count, so that a handle is counted for the right tenant. */
    KILN_ATOMIC(uint64_t) strong;
    KILN_ATOMIC(uint64_t) weak;
    asset_blob *blob;     /* NULL in a free slot */
    asset_takers *takers; /* of strong, then of weak handles; NULL while none is noted */
    const char *loaded_by;
    /* An indirect word was made. Such words are not counted, so the slot is normally not reused
     * after this tenant. Set only while holding the asset or the lock. */
    KILN_ATOMIC(bool) has_indirect;
    /* A collector may have no record of some of these words, so it must not make the slot
     * reusable. */
    KILN_ATOMIC(uint8_t) pins; /* reasons: PIN_PROGRAM, PIN_WORLD */
    uint32_t slot;
    uint32_t number;    /* in the index of its blob's mount */
    uint32_t next_free; /* next slot in one of the table's lists; ASSET_NONE for the last */
    kiln_id id;         /* 0 without a name */
    const char *name;   /* "" if it has none */
    asset_entry *next_of_blob, *before_of_blob;
    asset_holders protections;
    asset_alias *aliases; /* other names of an added blob */
    uint32_t alias_count;
    size_t alias_capacity;
    bool is_detached; /* unmounted but held: reachable only by handles */
};

/* The file to which the assets of a record belong: it contains them under the same numbers as the
 * record's own file, whose bytes they use. NULL for an added blob. */
static inline asset_mount *asset_current_mount(const asset_blob *blob)
{
    return blob->mount ? blob->mount->current : NULL;
}

#define ASSET_NONE UINT32_MAX
enum { ENTRIES_PER_BLOCK = 1024 };

typedef struct asset_provider {
    uint32_t mount, number;
    uint32_t below; /* ASSET_NONE for the last */
} asset_provider;

typedef struct asset_known {
    uint32_t slot;     /* ASSET_NONE while it is not loaded */
    uint32_t provider; /* the highest; ASSET_NONE for a name that only an added blob has */
} asset_known;

/* A redirect in a merged list: see asset_redirects.h. */
typedef struct asset_redirect {
    kiln_id id, target;         /* target 0: deleted */
    const kiln_redirect *entry; /* in the list of its file */
    const asset_mount *mount;
    uint32_t next; /* with the same target; ASSET_NONE for the last */
} asset_redirect;

typedef struct asset_redirects {
    asset_redirect *all;
    uint32_t count, room;
    kiln_key_table by_id, by_target; /* position in `all` plus 1; of the first one with a target */
} asset_redirects;

/* A growing array with a free list: each free item stores the number of the next free one in its
 * first bytes. */
typedef struct asset_pool {
    void *items;
    size_t capacity;
    uint32_t count, free; /* items; the first free one, or ASSET_NONE */
    uint32_t free_count;
} asset_pool;

struct kiln_assets {
    kiln_slots slots; /* must come first: see kiln_assets_get_slots */
    /* Value: the root of a loaded asset, KILN_KNOWN if it is not loaded, KILN_UNRESOLVED, or 0 for
     * an unused cell. Note: number in `known` plus 1; 0 for an earlier id (asset_redirects.h). */
    kiln_key_table ids;
    KILN_ATOMIC(asset_mount *) base;
    KILN_ATOMIC(uint32_t) slot_count; /* slots ever used: the first ones */

    kiln_allocator allocator;
    kiln_page_source pages;
    kiln_assets_def def;
    kiln_types *types; /* the program's, or NULL */
    pthread_mutex_t lock;
    pthread_mutex_t conversion_lock;
    uint64_t seed; /* for the salts of the hash tables */
    kiln_quiescence quiescence;
    uint64_t generation; /* incremented when an id gets a different asset */

    KILN_ATOMIC(asset_entry *) * entry_blocks;
    uint32_t first_free, last_free; /* slots in the order in which they became free */
    uint32_t free_slots, retired_slots;
    uint32_t stale_slots;              /* without a tenant, with indirect words */
    uint32_t first_detached, detached; /* entries, chained by next_free */

    asset_mount **mounts;
    size_t mount_capacity;
    uint32_t mount_count, mounted; /* length of `mounts`; number of mounted files */
    uint64_t last_serial, last_stage;
    asset_redirects *redirects; /* NULL if no mounted file has any */
    asset_pool known;           /* asset_known */
    asset_pool providers;       /* asset_provider */

    kiln_key_table roots;    /* root -> asset_blob, chained by next_of_root */
    kiln_key_table contents; /* hash or member -> asset_blob, chained by next_of_key */

    /* Who took handles and pointers: see asset_takers.h. */
    pthread_mutex_t takers_lock;
    kiln_key_table places; /* address of a variable -> the word; note: number of its taker */
    kiln_key_table
        by_numbers; /* address of a `by` string -> 1; note: number of the string plus 1 */
    const char **by_texts;
    size_t by_capacity;
    uint32_t by_count;

    uint32_t borrowed;
    /* Bytes of the records in `roots`: now, and in total since the start. Changed under the lock.
     */
    KILN_ATOMIC(uint64_t) blob_bytes, blob_bytes_ever;
    uint32_t orphans;            /* blobs that are borrowed and have no entry */
    struct asset_events *events; /* NULL until a program watches the table */
    struct asset_marks *marks;   /* NULL without a collector */
    kiln_assets_stats stats;     /* totals since the start, and bytes_owned */
};

/* Returns the status, and sets the error unless the status is KILN_OK. */
static inline kiln_status asset_result(kiln_error *reterr, kiln_status status)
{
    return status == KILN_OK ? KILN_OK : kiln_fail(reterr, status, 0, NULL);
}

/* The value in `ids` of an asset that is not loaded. */
#define KILN_KNOWN UINT64_C(2)
/* The value in `ids` of an earlier id whose redirects lead to no asset. */
#define KILN_UNRESOLVED UINT64_C(1)

/* The redirect with this id; NULL if there is none. `redirects` may be NULL. */
static inline const asset_redirect *asset_redirect_of(const asset_redirects *redirects, kiln_id id)
{
    uint64_t number = redirects && id ? kiln_key_table_get(&redirects->by_id, id) : 0;
    return number ? &redirects->all[number - 1] : NULL;
}

static inline asset_mount *asset_base(const kiln_assets *assets)
{
    return KILN_LOAD_ACQUIRE(&assets->base);
}
static inline asset_known *known_at(const kiln_assets *assets, uint32_t number)
{
    return (asset_known *)assets->known.items + number;
}
static inline asset_provider *provider_at(const kiln_assets *assets, uint32_t number)
{
    return (asset_provider *)assets->providers.items + number;
}
static inline asset_entry *entry_at(const kiln_assets *assets, uint32_t slot)
{
    asset_entry *block = KILN_LOAD_ACQUIRE(&assets->entry_blocks[slot / ENTRIES_PER_BLOCK]);
    return &block[slot % ENTRIES_PER_BLOCK];
}

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#endif
