/* A table of assets from many files, and of blobs made in memory. References to them are either
 * valid or known to be invalid.
 *
 * Files are *mounted* in an order. If several files have an asset, the file with the highest order
 * provides it; among equals, the one mounted last. So a patch file replaces single assets, and
 * unmounting it brings the older ones back. Mounting reads a file's index. An asset is loaded on
 * request, together with everything that it refers to, directly and indirectly.
 *
 *     id            XXH3-64 of the name `Kind/id`: the same in every file and every run
 *     slot          an asset's place in the table while it is loaded (<kiln/ref.h>): the current
 *                   address of its root, and the version of its tenant
 *     root          the asset's first byte as a struct, to be read in place
 *
 * References inside blobs are ids; kiln_assets_get turns an id into a root. A program stores
 * reference words. Words in its own variables are counted and must be ended:
 *
 *     form       kiln_assets_take     kiln_assets_clear   keeps
 *     strong     counts               counts down         the asset: it is neither disposed of nor
 *                                                         unmounted
 *     weak       counts               counts down         its slot from being used again
 *     indirect   nothing              nothing             its slot from being used again, always
 *     pointer    noted if tracked     forgotten           nothing
 *
 * A copy of a word by `=` is not counted: it is valid as long as the word from which it was copied.
 * To get a copy of its own, take one (kiln_assets_take of the same form); kiln_ref_move passes a
 * word on. Words in components and blobs are never counted.
 *
 * Stale words. When an asset is disposed of or its last file is unmounted, handles and indirect
 * words to it read NULL and are stale: no word ever reads another asset. Indirect words are not
 * counted. So the table never reuses a slot for which it made an indirect word (kiln_assets_take,
 * scenes that refer to the asset). That costs less than 200 bytes and one of `max_assets` for each
 * slot; `stale_slots` of kiln_assets_stats counts them. Pointer words are addresses: a program that
 * stores one must keep the bytes, by borrowing them or by leaving the file mounted. Otherwise the
 * address may later belong to something else.
 *
 * Takers. Reports and HELD name the takers of everything that is not released yet, with a count.
 * Protection and borrowed bytes are released with the same `by` that took them. Handles and
 * pointers are noted with `track_takers` and `track_pointers`, which costs a lock and some memory
 * for each; otherwise the report has the count, and KILN_TAKERS_NOT_TRACKED. Words to one asset are
 * equal, so the table identifies a word by the variable to which it was taken (`ret_ref`): end it
 * there, pass it on by kiln_assets_move, or end it by kiln_assets_clear_by. If one of several
 * takers ends a word elsewhere, it is unknown whose words are left, and `by` is "one or more of"
 * and all their names.
 *
 * Lifetimes. A strong handle keeps an asset, not its bytes: if a patch replaces the asset, the
 * handle leads to the new root. A program that needs the same bytes for longer borrows them: they
 * stay in place until they are released, whatever is mounted, unmounted or replaced. A root that
 * was read from a word without borrowing is valid until the thread's next
 * kiln_assets_thread_quiescent, in a registered thread; in other threads until the next changing
 * call.
 *
 * Conversion. If the program has the type of an asset in another layout, the asset is rebuilt in
 * the program's layout (<kiln/convert.h>) when it is loaded, in memory of its own, or refused with
 * the reason.
 *
 * Threads. Each function belongs to one kind:
 *
 *     any       any number at once, also during changing calls; takes no lock (with `track_takers`
 *               that of the takers). During changing calls of other threads only in a registered
 *               thread, except for functions that are given words
 *     changing  any thread; such calls wait for one another
 *     alone     nothing else may use the table
 *
 * So readers never wait. When a changing call removes something (bytes of an unmounted file, of a
 * disposed or replaced asset), the table keeps it until every registered thread has been quiescent.
 *
 * Failure. Loading, mounting and unmounting succeed completely or not at all: everything that would
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

/* Names the taker of something in messages: "game.c:120". Any text that exists as long as the
 * table; NULL stands for "?". */
#define KILN_HERE_TEXT(line) #line
#define KILN_HERE_LINE(line) KILN_HERE_TEXT(line)
#define KILN_HERE __FILE__ ":" KILN_HERE_LINE(__LINE__)

/* The taker of handles in a table without `track_takers`, which is the default of release builds.
 */
#define KILN_TAKERS_NOT_TRACKED "(takers are not tracked)"

/* ---- the table ---- */

typedef enum kiln_report_kind {
    KILN_REPORT_LEAK,   /* kiln_assets_destroy found something that was not released */
    KILN_REPORT_POINTER /* memory is freed to which a pointer word still leads */
} kiln_report_kind;

/* Something is held that should not be. Texts are valid during the call. */
typedef struct kiln_report {
    kiln_report_kind kind;
    const char
        *what; /* "strong handle", "weak handle", "protection", "borrowed bytes", "pointer" */
    const char *asset; /* its name; "" without one, and if only weak handles are left of it */
    const char *by;    /* its taker: see "Takers" above */
    uint64_t count;
} kiln_report;

typedef struct kiln_assets_def {
    /* The program's type table (from the generated header), or NULL. Read only during the call.
     * Assets with types that it does not have are checked against their file's types, and never
     * converted. */
    const void *types;
    size_t types_size;
    /* Slots: for assets loaded at once, and for those that only indirect or weak words still name.
     * 1 to KILN_SLOT_MAX, default 4,194,304. */
    uint32_t max_assets;
    bool forbid_conversion; /* an older layout is KILN_TYPE_MISMATCH */
    bool track_pointers;    /* note pointer words; default true in debug builds of the library */
    bool track_takers;      /* note the takers of handles; default true in the same builds */
    /* Or NULL. Called in changing calls and at the end; must not call the table. */
    void (*on_report)(void *ctx, const kiln_report *report);
    void *report_ctx;
    const kiln_page_source *pages;   /* of the slots; NULL: kiln_page_source_default() */
    const kiln_allocator *allocator; /* NULL: the C library's. Called by any thread, several at a
                                        time where several use the table. */
    uint32_t cookie;                 /* private: set by kiln_assets_def_default */
} kiln_assets_def;

kiln_assets_def kiln_assets_def_default(void);

/* Creates an empty table. BAD_ARGUMENT with the path `types`: the program's type table is not
 * valid. */
kiln_status kiln_assets_create(const kiln_assets_def *def, kiln_assets **ret_assets,
                               kiln_error *reterr);
/* Reports what was not released, then frees everything: it closes mounts, ends roots, and
 * unregisters threads. NULL is fine. Alone. */
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
    uint32_t cookie;  /* private: set by kiln_mount_def_default */
} kiln_mount_def;

kiln_mount_def kiln_mount_def_default(void);

/* Opens the file and adds its assets to the table. Those that replace loaded assets are loaded
 * first, with what they refer to: handles and indirect words lead to the new roots when the call
 * returns. Errors are those of kiln_file_open (`path` is the file's name if it would be empty),
 * those of loading, and: NAME_CLASH (two names have the same id, one of them of a mounted file or
 * an added blob; `path` has both names), TYPE_MISMATCH (the same name, another type). Changing. */
kiln_status kiln_assets_mount(kiln_assets *assets, const kiln_mount_def *def, kiln_mount *ret_mount,
                              kiln_error *reterr);

typedef enum kiln_unmount {
    KILN_UNMOUNT_REFUSE, /* HELD if something of the file is held: `path` has what, and by whom */
    KILN_UNMOUNT_DEFER /* its assets cannot be found any more; the file is closed when the last hold
                          is released */
} kiln_unmount;

/* Removes a file's assets. Loaded assets that a file below also has are loaded from that first;
 * what they refer to there and no file has is ignored. *Held* are borrowed bytes, and assets with
 * strong handles or protection that no file below has. DEAD for a mount that was unmounted.
 * Changing. */
kiln_status kiln_assets_unmount(kiln_assets *assets, kiln_mount mount, kiln_unmount how,
                                kiln_error *reterr);

/* ---- finding and loading ---- */

/* The id of `name` if a mounted file or an added blob has it, loaded or not; else 0. Any. */
kiln_id kiln_assets_find(const kiln_assets *assets, const char *name);
bool kiln_assets_has(const kiln_assets *assets, kiln_id id);

/* The root of a loaded asset; NULL if it is not loaded, for 0, and for any other bits. For
 * references in blobs: what a loaded asset refers to is loaded, except with `allow_missing` or
 * after disposal. Any. */
static inline const void *kiln_assets_get(const kiln_assets *assets, kiln_id id)
{
    const kiln_asset_tables *tables = (const kiln_asset_tables *)(const void *)assets;
    const kiln_id_cells *ids = KILN_LOAD_ACQUIRE(&tables->ids);
    uint64_t value = ids && id ? kiln_id_value(ids, id) : 0;
    return value & KILN_REF_FORM_MASK ? NULL : (const void *)(uintptr_t)value;
}

typedef struct kiln_load_args {
    kiln_id id;                 /* 0 with a name */
    const char *name;           /* NULL with an id */
    const kiln_root_type *type; /* the required type; NULL: any */
    bool allow_missing;         /* ignore references to assets that do not exist */
    const char *by;             /* the taker of the handle: KILN_HERE */
} kiln_load_args;

/* Loads an asset and what it refers to, unless loaded, and takes a strong handle. Several threads
 * may load at once: they wait for one another only to find and to publish, not while they check,
 * unpack and convert.
 *
 * NOT_FOUND: the asset does not exist. MISSING: something that it refers to does not exist; `path`
 * has the references that lead there: `Level/a > Monster/b > Item/c`. TYPE_MISMATCH: it is not a
 * `type`, or has a layout that cannot be converted; `path` has the reason. LIMIT: no slot is left
 * (`max_assets`). Otherwise an error of checking, with a `path` that begins with the asset's name.
 * Changing. */
kiln_status kiln_assets_load(kiln_assets *assets, const kiln_load_args *args, kiln_ref *ret_ref,
                             kiln_error *reterr);

/* The root of any word as a `type`. NULL with TYPE_MISMATCH if it has another type, with DEAD if
 * the word is null, stale or forged. Pointer and indirect words are looked up, not followed.
 * Changing. */
const void *kiln_assets_root(kiln_assets *assets, kiln_ref ref, const kiln_root_type *type,
                             kiln_error *reterr);

/* ---- blobs made in memory ---- */

typedef struct kiln_add_args {
    const char *name;           /* `Kind/id`, or NULL: found by its handle alone */
    const kiln_root_type *type; /* required; its layout is the header's. Its name outlives the
                                   table */
    const void *blob;           /* with its header, at a multiple of its alignment */
    size_t size;
    bool is_trusted; /* false: hash and values are checked, which needs the type in the table's */
    /* The owner of the bytes. Without both fields they are copied. `in_place` with `free`: they are
     * used in place and passed to `free` when nothing uses them any more, by a changing call of any
     * thread; `free` must not call the table. `in_place` alone: they are *foreign*, the program
     * keeps them until the table is destroyed. */
    bool in_place;
    void (*free)(void *ctx, const void *blob, size_t size);
    void *free_ctx;
    const char *by;
} kiln_add_args;

/* Adds a blob as an asset and takes a strong handle. If the table already has the same content of
 * the same type (equal hash, then equal bytes), it is the same asset: `name` becomes another name
 * of it, and bytes with `free` are freed. DUPLICATE if the name belongs to another asset.
 * References are looked up when they are read: nothing is loaded for them. After an error the bytes
 * stay the caller's. Bytes in place that are added again are freed once. Changing. */
kiln_status kiln_assets_add(kiln_assets *assets, const kiln_add_args *args, kiln_ref *ret_ref,
                            kiln_error *reterr);

/* ---- words ---- */

/* Makes a word of the form `form` for the asset that `ref` leads to, and counts it as in the table
 * above. `ref` may have any form: handles are checked, pointers and indirect words looked up. DEAD
 * if there is no such asset now. Any, for a strong or weak word from a handle; otherwise changing.
 */
kiln_status kiln_assets_take(kiln_assets *assets, kiln_ref ref, kiln_ref_form form, const char *by,
                             kiln_ref *ret_ref);
/* Ends a word and sets it to null. Null, stale and forged words are only set to null. Any for
 * handles (what was deferred until then happens in the next changing call); changing for pointers.
 */
void kiln_assets_clear(kiln_assets *assets, kiln_ref *ref);
/* The same for a word that `by` took, in any variable. */
void kiln_assets_clear_by(kiln_assets *assets, kiln_ref *ref, const char *by);
/* Moves a word to another variable, whose word must be over; `from` is null afterwards. The taker
 * stays noted. Any. */
void kiln_assets_move(kiln_assets *assets, kiln_ref *from, kiln_ref *to);
/* The same by value: returns the word and sets the variable to null. For the table the word has no
 * variable then. */
static inline kiln_ref kiln_ref_move(kiln_ref *ref)
{
    kiln_ref moved = *ref;
    ref->bits = 0;
    return moved;
}

/* A weak word, not counted, for the asset with this root; null if no asset has it. The pointer is
 * not followed. Changing. */
kiln_ref kiln_assets_find_root(kiln_assets *assets, const void *root);

typedef enum kiln_ref_state {
    KILN_REF_IS_NULL,
    KILN_REF_IS_GOOD,   /* leads to an asset of this table, or to its former bytes, which somebody
                           borrows or points to */
    KILN_REF_IS_STALE,  /* a handle or an indirect word to an asset that is gone */
    KILN_REF_IS_FORGED, /* a handle that this table cannot have made */
    KILN_REF_IS_UNKNOWN /* a pointer to nothing of this table, or an indirect word that it did not
                           make */
} kiln_ref_state;

/* Classifies any 64 bits. Nothing is followed. Changing. */
kiln_ref_state kiln_ref_check(kiln_assets *assets, uint64_t bits);

/* ---- keeping and disposing ---- */

/* Keeps the current bytes of the asset in place, whatever happens to it, until they are released as
 * often with the same `by`. Changing. */
kiln_status kiln_assets_borrow(kiln_assets *assets, kiln_ref ref, const char *by,
                               const void **ret_root, kiln_error *reterr);
/* Releases borrowed bytes. NOT_FOUND if `by` has not borrowed the root. Changing. */
kiln_status kiln_assets_release(kiln_assets *assets, const void *root, const char *by);

/* Protects an asset against disposal and refused unmounting until it is unprotected as often with
 * the same `by`. Changing. */
kiln_status kiln_assets_protect(kiln_assets *assets, kiln_ref ref, const char *by,
                                kiln_error *reterr);
kiln_status kiln_assets_unprotect(kiln_assets *assets, kiln_ref ref, const char *by);

/* Frees an asset's memory and slot. Words to it become stale, and its id leads to nothing until it
 * is loaded again. A strong handle given here is consumed on success. Refused:
 *
 *     PROTECTED, BORROWED, HELD   `path` is the name, and by whom
 *     MAPPED                      its bytes are used in place in a file: `path` names it;
 *                                 unmount the file, or clear the words to the asset
 *     FOREIGN                     its bytes are the program's, `path` has by whom
 *     DEAD                        there is no such asset (any more)
 *
 * Changing. */
kiln_status kiln_assets_dispose(kiln_assets *assets, kiln_ref ref, kiln_error *reterr);

/* ---- threads that read ---- */

typedef struct kiln_assets_thread kiln_assets_thread;

/* From now on nothing that this thread may have read is freed before it reports that it holds
 * nothing old. NULL without memory. Changing. */
kiln_assets_thread *kiln_assets_thread_register(kiln_assets *assets);
/* Reports that the thread holds no root, slot or text that it got before, other than borrowed ones.
 * Call it once a frame; a thread that sleeps without it keeps memory from being freed. Any. */
void kiln_assets_thread_quiescent(kiln_assets_thread *thread);
/* NULL is fine. Changing. */
void kiln_assets_thread_unregister(kiln_assets_thread *thread);
/* Frees what no thread holds any more, as every changing call does; returns the bytes that still
 * wait. Changing. */
size_t kiln_assets_collect(kiln_assets *assets);

/* ---- looking ---- */

typedef enum kiln_asset_memory {
    KILN_ASSET_MAPPED,    /* in place in a mounted file */
    KILN_ASSET_UNPACKED,  /* in memory of its slot, from a compressed member */
    KILN_ASSET_CONVERTED, /* in memory of its slot, from an older layout */
    KILN_ASSET_OWNED,     /* added: copied, or with a `free` */
    KILN_ASSET_FOREIGN    /* added in place: the program's */
} kiln_asset_memory;

typedef struct kiln_asset_info {
    const char *name; /* "" if it was added without one; texts are valid as long as the asset */
    const char *type;
    const char *mount; /* name of its file; "" if it was added */
    kiln_id id;        /* 0 without a name */
    const void *root;
    uint64_t size; /* of the blob */
    kiln_asset_memory memory;
    uint32_t strong, weak, borrowed, protections;
    const char *loaded_by; /* `by` of the call that loaded or added it; "?" */
} kiln_asset_info;

/* DEAD if the word leads to nothing. Changing. */
kiln_status kiln_assets_get_info(kiln_assets *assets, kiln_ref ref, kiln_asset_info *ret_info);
/* Iterates over the loaded assets: the first after the null word, null after the last. Weak words,
 * not counted. Changing. */
kiln_ref kiln_assets_next(kiln_assets *assets, kiln_ref after);

typedef struct kiln_assets_stats {
    uint64_t known; /* names of mounted files, patched ones once, and of added blobs */
    uint64_t loaded;
    uint64_t bytes_owned;   /* memory that slots own */
    uint64_t bytes_waiting; /* memory that waits for threads to be quiescent */
    uint64_t loads, conversions, unpacked, replaced, disposed; /* since the start */
    uint32_t mounts, deferred;        /* of these unmounted and still held */
    uint32_t slots, retired_slots;    /* ever taken; retired after their last version */
    uint32_t free_slots, stale_slots; /* for the next assets; whose asset is gone, while indirect
                                        words may lead there */
    uint32_t strong, weak, borrowed, threads;
} kiln_assets_stats;

/* Changing. */
void kiln_assets_get_stats(kiln_assets *assets, kiln_assets_stats *ret_stats);

/* Calls `on_hold` for everything that is held, as kiln_assets_destroy would report it, and returns
 * the number. Changing; `on_hold` must not call the table. */
uint64_t kiln_assets_list_holds(kiln_assets *assets,
                                void (*on_hold)(void *ctx, const kiln_report *report), void *ctx);

/* Checks the consistency of the table: for tests, and if memory may have been overwritten.
 * `reterr->path` describes what is wrong. Linear in the size of the table. Changing. */
bool kiln_assets_is_valid(kiln_assets *assets, kiln_error *reterr);

#ifdef __cplusplus
}
#endif

#endif
