/* A table of assets: many files at once, and blobs made in memory, behind references that are right
 * or known to be wrong.
 *
 * Files are *mounted*, in an order: an asset that several files have is that of the file with the
 * highest order, of equals the last one mounted. So a patch file replaces single assets, and
 * unmounting it brings the older ones back. Mounting reads a file's index; an asset is loaded when
 * it is asked for, together with everything that it refers to, directly and through others.
 *
 *     id            XXH3-64 of the name `Kind/id`: the same in every file and every run
 *     slot          an asset's place in the table while it is loaded (<kiln/ref.h>): its root's
 *                   present address, and the version of its tenant
 *     root          the asset's first byte as a struct, good for reading in place
 *
 * References inside of blobs are ids; kiln_assets_get turns one into a root. A program keeps
 * reference words. Those in its own variables are counted, and must be ended:
 *
 *     form       kiln_assets_take     kiln_assets_clear   keeps
 *     strong     counts               counts down         the asset: it is neither disposed of nor
 *                                                         unmounted
 *     weak       counts               counts down         its slot from being used again
 *     indirect   nothing              nothing             its slot from being used again, always
 *     pointer    noted if asked for   forgotten           nothing
 *
 * A copy of a word by `=` is not counted: it is good as long as the word that it was copied from.
 * Copies of their own are taken (kiln_assets_take of the same form); kiln_ref_move hands a word on.
 * Words in components and blobs are never counted.
 *
 * After the asset. When an asset is disposed of or its last file is unmounted, handles and indirect
 * words to it read NULL and are stale: no word ever reads another asset. Nobody counts indirect
 * words, so the table keeps each slot that it gave out as one (kiln_assets_take, scenes that refer
 * to the asset) until it is destroyed: less than 200 bytes and one of `max_assets`; `kept_slots` of
 * kiln_assets_stats says how many. Pointer words are addresses: who keeps one keeps the bytes, by
 * borrowing them or by leaving the file mounted, for later the address may be that of others.
 *
 * Who took it. Reports and HELD name those who took what is not given back, each with how much. Of
 * protection and borrowed bytes each `by` gives its own back. Handles and pointers are noted with
 * `track_takers` and `track_pointers`, at a lock and some memory for each; without them the count
 * is told, and KILN_TAKERS_NOT_TRACKED. Words to one asset are equal, so a word is known by the
 * variable that it was taken to (`ret_ref`): end it there, hand it on by kiln_assets_move, or end
 * it by kiln_assets_clear_by. When one of several takers ends a word elsewhere, it is not known
 * whose is left, and `by` says "one or more of" and all their names.
 *
 * What lives how long. A strong handle keeps an asset, not its bytes: when a patch replaces it the
 * handle leads to the new root. Who must have the same bytes for longer borrows them: they stay
 * where they are until they are given back, whatever is mounted, unmounted or replaced. A root that
 * was read from a word without borrowing stays good until the thread's next
 * kiln_thread_quiescent, in a thread that is registered; in others until the next call that
 * changes.
 *
 * Conversion. An asset whose type the program has in another layout is rebuilt in the program's
 * (<kiln/convert.h>) when it is loaded, in memory of its own, or refused with the reason.
 *
 * Threads. Each function says which kind it is:
 *
 *     any       any number at once, beside one another and beside changing calls; takes no lock
 *               (with `track_takers` that of the takers).
 *               Beside changing calls of others only in a thread that is registered, but for those
 *               that are given words
 *     changing  any thread; such calls wait for one another
 *     alone     nothing else may use the table
 *
 * So readers never wait. What a changing call takes away from under them (bytes of an unmounted
 * file, of a disposed or replaced asset) it keeps until every registered thread has been quiescent.
 *
 * Failure. Loading, mounting and unmounting happen whole or not at all: everything that would
 * change is read, checked and converted first. After an error the table is as it was. */
#ifndef KILN_ASSETS_H
#define KILN_ASSETS_H

#include <kiln/allocator.h>
#include <kiln/asset_tables.h>
#include <kiln/file.h>
#include <kiln/page_source.h>
#include <kiln/ref.h>
#include <kiln/relative.h>
#include <kiln/status.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kiln_assets kiln_assets;

/* Says who takes something, in messages: "game.c:120". Any text that lives as long as the table,
 * which may tell of it while others keep the same thing; NULL stands for "?". */
#define KILN_HERE_TEXT(line) #line
#define KILN_HERE_LINE(line) KILN_HERE_TEXT(line)
#define KILN_HERE __FILE__ ":" KILN_HERE_LINE(__LINE__)

/* Stands for who took handles in a table without `track_takers`: the default of release builds. */
#define KILN_TAKERS_NOT_TRACKED "(takers are not tracked)"

/* ---- the table ---- */

typedef enum kiln_report_kind {
    KILN_REPORT_LEAK,   /* kiln_assets_destroy found something not given back */
    KILN_REPORT_POINTER /* memory goes while a pointer word into it was not cleared */
} kiln_report_kind;

/* Something is kept that should not be. Texts are good during the call. */
typedef struct kiln_report {
    kiln_report_kind kind;
    const char
        *what; /* "strong handle", "weak handle", "protection", "borrowed bytes", "pointer" */
    const char *asset; /* name; "" without one, and where weak handles are all that is left of it */
    const char *by;    /* who took it and has not ended it: see "Who took it" above */
    uint64_t count;
} kiln_report;

typedef struct kiln_assets_def {
    /* The program's type table (from the generated header), or NULL. Read now. Assets whose types
     * are not in it are checked against their file's, and never converted. */
    const void *types;
    size_t types_size;
    /* Slots: assets loaded at once, and slots that are kept for indirect or weak words. 1 to
     * KILN_SLOT_MAX, default 4,194,304. */
    uint32_t max_assets;
    bool forbid_conversion; /* an older layout is KILN_TYPE_MISMATCH */
    bool track_pointers;    /* note pointer words; default true in debug builds of the library */
    bool track_takers;      /* note who takes each handle; default true in the same builds */
    /* Or NULL. Called in changing calls and at the end; must not call the table. */
    void (*on_report)(void *ctx, const kiln_report *report);
    void *report_ctx;
    const kiln_page_source *pages;   /* of the slots; NULL: kiln_page_source_default() */
    const kiln_allocator *allocator; /* NULL: the C library's. Called by any thread, several at a
                                        time where several use the table. */
} kiln_assets_def;

kiln_assets_def kiln_assets_def_default(void);

/* An empty table. BAD_ARGUMENT with the path `types`: the program's type table is none. */
kiln_status kiln_assets_create(const kiln_assets_def *def, kiln_assets **ret_assets,
                               kiln_error *reterr);
/* Reports what was not given back, then frees everything: mounts are closed, roots die, threads are
 * registered no longer. NULL is fine. Alone. */
void kiln_assets_destroy(kiln_assets *assets);

/* What the table begins with, for kiln_ref_get. Any. */
static inline const kiln_slots *kiln_assets_get_slots(const kiln_assets *assets)
{
    return (const kiln_slots *)(const void *)assets;
}

/* ---- files ---- */

/* A mounted file; zero is null. */
typedef struct kiln_mount {
    uint32_t number;
    uint32_t version;
} kiln_mount;

typedef struct kiln_mount_def {
    /* `types` and `allocator` are the table's own and must be NULL here. */
    kiln_file_def file;
    const char *name; /* for messages, copied; NULL: the path, or "memory" */
    int32_t order;    /* default 0 */
} kiln_mount_def;

kiln_mount_def kiln_mount_def_default(void);

/* Opens the file and puts its assets among the others. Those of them that replace loaded ones are
 * loaded first, with what they refer to: words of the handle and indirect form lead to the new
 * roots when it returns. Beside an error of kiln_file_open, whose `path` is the file's name where
 * it would have none: NAME_CLASH (an asset's id is that of another name that a mounted file or an
 * added blob has; `path` is both names), TYPE_MISMATCH (the same name, another type), or what
 * loading found. Changing. */
kiln_status kiln_assets_mount(kiln_assets *assets, const kiln_mount_def *def, kiln_mount *ret_mount,
                              kiln_error *reterr);

typedef enum kiln_unmount {
    KILN_UNMOUNT_REFUSE, /* HELD where something of the file is held: `path` says what, by whom */
    KILN_UNMOUNT_DEFER   /* its assets are gone for who looks for them now; the file is closed when
                            the last of what is held is given back */
} kiln_unmount;

/* Takes a file's assets away. Loaded ones that an older file has, too, are loaded from that first;
 * what they refer to there and nobody has is left alone.
 * *Held* are assets with strong handles or protection that no older file has, and borrowed bytes.
 * DEAD for a mount that was unmounted. Changing. */
kiln_status kiln_assets_unmount(kiln_assets *assets, kiln_mount mount, kiln_unmount how,
                                kiln_error *reterr);

/* ---- finding and loading ---- */

/* The id of `name` where a mounted file or an added blob has it, loaded or not; 0 otherwise. Any.
 */
kiln_id kiln_assets_find(const kiln_assets *assets, const char *name);
bool kiln_assets_has(const kiln_assets *assets, kiln_id id);

/* The root of a loaded asset; NULL where it is not loaded, for 0, and for any bits. For references
 * in blobs: those of a loaded asset are loaded, unless `allow_missing` was asked for or they were
 * disposed of. Any. */
static inline const void *kiln_assets_get(const kiln_assets *assets, kiln_id id)
{
    const kiln_asset_tables *tables = (const kiln_asset_tables *)(const void *)assets;
    const kiln_id_cells *ids = KILN_LOAD_ACQUIRE(&tables->ids);
    uint64_t value = ids && id ? kiln_id_value(ids, id) : 0;
    return value & KILN_REF_FORM_MASK ? NULL : (const void *)(uintptr_t)value;
}

typedef struct kiln_load_def {
    kiln_id id;                 /* 0 with a name */
    const char *name;           /* NULL with an id */
    const kiln_root_type *type; /* what it must be; NULL: anything */
    bool allow_missing;         /* references to assets that nobody has are left alone */
    const char *by;             /* who holds the handle: KILN_HERE */
} kiln_load_def;

/* Loads an asset and what it refers to, unless they are loaded, and takes a strong handle. Several
 * threads may load at once: they wait for one another only to find and to publish, not while they
 * check, unpack and convert.
 *
 * NOT_FOUND: nobody has it. MISSING: something that it refers to nobody has; `path` leads there:
 * `Level/a > Monster/b > Item/c`. TYPE_MISMATCH: it is not a `type`, or a layout that cannot be
 * converted; `path` says why. LIMIT: no slot is left (`max_assets`). Otherwise what checking found,
 * `path` beginning with the asset's name. Changing. */
kiln_status kiln_assets_load(kiln_assets *assets, const kiln_load_def *def, kiln_ref *ret_ref,
                             kiln_error *reterr);

/* The root of any word as a `type`: NULL with TYPE_MISMATCH where it is another, DEAD where the
 * word is null, stale or forged. Pointer and indirect words are looked up, not followed. Changing.
 */
const void *kiln_assets_root(kiln_assets *assets, kiln_ref ref, const kiln_root_type *type,
                             kiln_error *reterr);

/* ---- blobs made in memory ---- */

typedef struct kiln_add_def {
    const char *name;           /* `Kind/id`, or NULL: found by its handle alone */
    const kiln_root_type *type; /* required; its layout is the header's. Its name outlives the
                                   table */
    const void *blob;           /* with its header, at a multiple of its alignment */
    size_t size;
    bool is_trusted; /* false: hash and values are checked, which needs the type in the table's */
    /* Whose the bytes are. Both NULL: they are copied. `in_place` with `free`: used where they lie,
     * and given to `free` when nothing uses them any more, by a changing call of any thread; it
     * must not call the table. `in_place` alone: *foreign*, they outlive the table. */
    bool in_place;
    void (*free)(void *ctx, const void *blob, size_t size);
    void *free_ctx;
    const char *by;
} kiln_add_def;

/* Adds a blob as an asset and takes a strong handle. Content that the table got before, of the same
 * type, is the same asset: equal hash, then equal bytes; `name` then is another name of it, and of
 * bytes with `free` none are kept. DUPLICATE where the name stands for something else here.
 * References are looked up when they are read: nothing is loaded for them. After an error the bytes
 * are the caller's. Bytes in place that are added again are freed once. Changing. */
kiln_status kiln_assets_add(kiln_assets *assets, const kiln_add_def *def, kiln_ref *ret_ref,
                            kiln_error *reterr);

/* ---- words ---- */

/* Makes a word of the form `form` for the asset that `ref` leads to, and counts it as the table
 * above says. `ref` may be of any form: handles are checked, pointers and indirect words looked up.
 * DEAD where there is no such asset now. Any, for a strong or weak word from a handle; otherwise
 * changing. */
kiln_status kiln_assets_take(kiln_assets *assets, kiln_ref ref, kiln_ref_form form, const char *by,
                             kiln_ref *ret_ref, kiln_error *reterr);
/* Ends a word and makes it null. Null, stale and forged words are only made null. Any for handles
 * (what was deferred until then happens in the next changing call); changing for pointers. */
void kiln_assets_clear(kiln_assets *assets, kiln_ref *ref);
/* The same of a word that `by` took, in whichever variable it is now. */
void kiln_assets_clear_by(kiln_assets *assets, kiln_ref *ref, const char *by);
/* Hands a word on to another variable, whose word is over: `from` is null then. Who took it stays
 * noted. Any. */
void kiln_assets_move(kiln_assets *assets, kiln_ref *from, kiln_ref *to);
/* The same by value: gives the word and makes the variable null. Where takers are noted it is a
 * word without a variable. */
static inline kiln_ref kiln_ref_move(kiln_ref *ref)
{
    kiln_ref moved = *ref;
    ref->bits = 0;
    return moved;
}

/* A weak word, not counted, for the asset whose root is at `root`; null where it is none's. The
 * pointer is not followed. Changing. */
kiln_ref kiln_assets_of_root(kiln_assets *assets, const void *root);

typedef enum kiln_ref_state {
    KILN_REF_IS_NULL,
    KILN_REF_IS_GOOD,   /* leads to an asset of this table, or to bytes that one had and that are
                           kept for who borrowed or points to them */
    KILN_REF_IS_STALE,  /* a handle or an indirect word whose asset went */
    KILN_REF_IS_FORGED, /* a handle that this table cannot have given */
    KILN_REF_IS_UNKNOWN /* a pointer that leads to nothing of this table, or an indirect word that
                           it did not give */
} kiln_ref_state;

/* What 64 bits from anywhere are. Nothing is followed. Changing. */
kiln_ref_state kiln_ref_check(kiln_assets *assets, uint64_t bits);

/* ---- keeping and disposing ---- */

/* Keeps the bytes that the asset has now where they are, whatever becomes of it, until they are
 * given back as often with the same `by`. Changing. */
kiln_status kiln_assets_borrow(kiln_assets *assets, kiln_ref ref, const char *by,
                               const void **ret_root, kiln_error *reterr);
/* NOT_FOUND where `by` has not borrowed the root. Changing. */
kiln_status kiln_assets_give_back(kiln_assets *assets, const void *root, const char *by);

/* Protects an asset against disposal and refused unmounting until it is unprotected as often with
 * the same `by`. Changing. */
kiln_status kiln_assets_protect(kiln_assets *assets, kiln_ref ref, const char *by,
                                kiln_error *reterr);
kiln_status kiln_assets_unprotect(kiln_assets *assets, kiln_ref ref, const char *by);

/* Frees an asset's memory and slot; words that lead to it are stale, ids to it lead to nothing
 * until it is loaded again. A strong handle given here is consumed on success. Which cannot be:
 *
 *     PROTECTED, BORROWED, HELD   `path` is the name, and by whom
 *     MAPPED                      its bytes are used where they lie in a file: `path` has which;
 *                                 unmount that, or clear what holds it where it was
 *     FOREIGN                     its bytes are the program's, `path` has by whom
 *     DEAD                        there is no such asset (any more)
 *
 * Changing. */
kiln_status kiln_assets_dispose(kiln_assets *assets, kiln_ref ref, kiln_error *reterr);

/* ---- threads that read ---- */

typedef struct kiln_thread kiln_thread;

/* From now on nothing that this thread can have read is freed before it says that it holds nothing
 * old. NULL without memory. Changing. */
kiln_thread *kiln_thread_register(kiln_assets *assets);
/* The thread holds no root, slot or text that it got before, other than borrowed ones. Call it once
 * a frame; a thread that sleeps without it keeps memory from being freed. Any. */
void kiln_thread_quiescent(kiln_thread *thread);
/* NULL is fine. Changing. */
void kiln_thread_unregister(kiln_thread *thread);
/* Frees what every thread has let go of, as every changing call does; gives the bytes that still
 * wait. Changing. */
size_t kiln_assets_settle(kiln_assets *assets);

/* ---- looking ---- */

typedef enum kiln_asset_memory {
    KILN_ASSET_MAPPED,    /* where it lies in a mounted file */
    KILN_ASSET_UNPACKED,  /* in memory of its slot, from a compressed member */
    KILN_ASSET_CONVERTED, /* in memory of its slot, from an older layout */
    KILN_ASSET_OWNED,     /* added: copied, or with a `free` */
    KILN_ASSET_FOREIGN    /* added in place: the program's */
} kiln_asset_memory;

typedef struct kiln_asset_info {
    const char *name; /* "" where it was added without one; texts live as long as the asset */
    const char *type;
    const char *mount; /* name of the file that it is of; "" where it was added */
    kiln_id id;        /* 0 without a name */
    const void *root;
    uint64_t size; /* of the blob */
    kiln_asset_memory memory;
    uint32_t strong, weak, borrowed, protections;
    const char *loaded_by; /* `by` of the call that loaded or added it; "?" */
} kiln_asset_info;

/* DEAD where a word leads to nothing. Changing. */
kiln_status kiln_assets_get_info(kiln_assets *assets, kiln_ref ref, kiln_asset_info *ret_info);
/* The loaded assets, one after the other: the first after the null word, null after the last.
 * Weak words, not counted. Changing. */
kiln_ref kiln_assets_next(kiln_assets *assets, kiln_ref after);

typedef struct kiln_assets_stats {
    uint64_t known; /* names of mounted files, patched ones once, and of added blobs */
    uint64_t loaded;
    uint64_t bytes_owned;   /* memory that slots own */
    uint64_t bytes_waiting; /* memory that waits for threads to be quiescent */
    uint64_t loads, conversions, unpacked, replaced, disposed; /* since the start */
    uint32_t mounts, deferred;       /* of these unmounted and still held */
    uint32_t slots, retired_slots;   /* that were ever taken; that had their last version */
    uint32_t free_slots, kept_slots; /* that the next assets get; whose asset went, while indirect
                                        words may lead there */
    uint32_t strong, weak, borrowed, threads;
} kiln_assets_stats;

/* Changing. */
void kiln_assets_get_stats(kiln_assets *assets, kiln_assets_stats *ret_stats);

/* Calls `on_hold` for everything that is held, as kiln_assets_destroy would report it, and gives
 * how many there are. Changing; `on_hold` must not call the table. */
uint64_t kiln_assets_list_holds(kiln_assets *assets,
                                void (*on_hold)(void *ctx, const kiln_report *report), void *ctx);

/* Whether everything in the table agrees: for tests and for who suspects memory to be overwritten.
 * `reterr->path` says what does not. Linear in what is known. Changing. */
bool kiln_assets_is_valid(kiln_assets *assets, kiln_error *reterr);

#ifdef __cplusplus
}
#endif

#endif
