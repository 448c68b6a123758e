/* An asset table: assets from any number of files, and from blobs built in memory. A program can
 * detect whether a reference to an asset is valid or stale.
 *
 * Each mounted file has an order. If several files contain the same asset, the one with the highest
 * order wins; if orders are equal, the file mounted last. So a patch file can replace individual
 * assets, and unmounting it restores the older ones. Mounting reads a file's index. An asset is
 * loaded on request, together with everything that it refers to, directly and indirectly.
 *
 *     id            XXH3-64 of the name `Kind/id`: the same in all files and runs
 *     slot          the table entry of a loaded asset, its *tenant* (<kiln/ref.h>): the current
 *                   address of the root, and a version
 *     root          the asset's first byte as a struct, to be read in place
 *
 * References inside blobs are ids; kiln_assets_get returns the root for an id. A program stores
 * reference words. The table counts the words that a program takes into its variables, and the
 * program must clear them:
 *
 *     form       kiln_assets_take     kiln_assets_clear   keeps
 *     strong     increments a count   decrements it       the asset: it is neither disposed of nor
 *                                                         unmounted
 *     weak       increments a count   decrements it       its slot from being reused
 *     indirect   nothing              nothing             its slot from being reused, even after
 *                                                         kiln_assets_clear
 *     pointer    records if tracked   removes the record  nothing
 *
 * A copy made with `=` is not counted: it is valid only while the original is. To get an
 * independent copy, call kiln_assets_take with the same form. kiln_ref_move transfers a word. Words
 * in components and blobs are never counted.
 *
 * Stale words. When an asset is disposed of or its last file is unmounted, handles and indirect
 * words to it become stale and read as NULL. A stale word never refers to another asset. Because
 * indirect words are not counted, the table does not reuse a slot after making an indirect word for
 * it (kiln_assets_take; scenes that refer to the asset), unless a collector finds that no such word
 * is left (<kiln/collector.h>). Each such slot costs less than 200 bytes and counts towards
 * `max_assets`; see `stale_slots` of kiln_assets_stats. Pointer words are plain addresses. A
 * program that stores one must keep the bytes in place: it borrows them, or leaves the file
 * mounted. Otherwise the address may be reused for other data.
 *
 * Takers. A taker is the code that took a word, protection or borrowed bytes; it names itself with
 * `by`. Reports and HELD errors name all current takers, each with a count. Protection and borrowed
 * bytes must be released with the same `by` that took them. Takers of handles and pointers are
 * recorded only with `track_takers` and `track_pointers`, which cost a lock and some memory per
 * word. Without them, a report has only the count and KILN_TAKERS_NOT_TRACKED. All words of one
 * form to an asset have the same bits, so the table identifies a word by the address of its
 * variable (`ret_ref`). Clear the word there, transfer it with kiln_assets_move, or clear it with
 * kiln_assets_clear_by. If one of several takers clears its word in a different variable, the table
 * cannot identify this taker. `by` is then "one or more of", followed by the names of all takers.
 *
 * Redirects. A file may list earlier ids of renamed and deleted assets (<kiln/redirects.h>). If no
 * mounted file and no added blob has an asset with a given id, the table follows the redirects of
 * all mounted files. If several files redirect the id, the highest order wins. So an earlier id can
 * be loaded, found and passed to kiln_assets_get while the file with the redirect is mounted, and a
 * reference to it loads and keeps the asset. If a change of files changes what an earlier id leads
 * to, and the former asset is loaded, then the new one is loaded, too, because a loaded asset may
 * refer to that id. A chain may span several files, and may have at most KILN_REDIRECT_STEPS_MAX
 * redirects. If a chain is longer or forms a cycle, loading fails with REDIRECT_CYCLE, and `path`
 * has the names. A reference to a deleted asset counts as null in a field of type `ref?` and in a
 * row of a scene; elsewhere its target is missing. Reference words, kiln_assets_get_info and
 * reports have the current name and id.
 *
 * Lifetimes. A strong handle keeps the asset alive, not its bytes: if a patch replaces the asset,
 * the handle refers to the new root. To keep the same bytes for longer, borrow them: they stay in
 * place until they are released, whatever is mounted, unmounted or replaced. In a registered
 * thread, a root that was read without borrowing is valid until the next
 * kiln_assets_thread_quiescent; in any other thread, until the next changing call.
 *
 * Conversion. If the program's version of a type has a different layout from the file's, assets of
 * that type are converted to the program's layout (<kiln/convert.h>) when they are loaded. The
 * table owns the converted bytes. If conversion is impossible, loading fails with the reason.
 *
 * Threads. Each function's comment ends with its kind:
 *
 *     any       any number of threads at once, even during changing calls. Takes no lock, except
 *               that of the takers with `track_takers`. While other threads make changing calls,
 *               only registered threads may call functions of this kind, except functions that take
 *               a reference word instead of a name or an id
 *     changing  any thread; such calls wait for one another
 *     alone     no other call may use the table at the same time
 *
 * So readers never wait. Memory that a changing call removes (bytes of an unmounted file, or of a
 * disposed or replaced asset) is freed after every registered thread has been quiescent.
 *
 * Failure. Loading, mounting and unmounting succeed completely or not at all: they first read,
 * check and convert all assets that they will change. After an error the table is unchanged. */
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

/* Identifies a taker in messages: "game.c:120". Any other string that outlives the table is
 * allowed; NULL is shown as "?". */
#define KILN_HERE_TEXT(line) #line
#define KILN_HERE_LINE(line) KILN_HERE_TEXT(line)
#define KILN_HERE __FILE__ ":" KILN_HERE_LINE(__LINE__)

/* The `by` of handles in a table without `track_takers`, the default in release builds. */
#define KILN_TAKERS_NOT_TRACKED "(takers are not tracked)"

/* ---- the table ---- */

typedef enum kiln_report_kind {
    KILN_REPORT_LEAK,   /* kiln_assets_destroy found something that was not released */
    KILN_REPORT_POINTER /* memory is being freed while a pointer word still points to it */
} kiln_report_kind;

/* A hold that is reported. Strings are valid during the call. */
typedef struct kiln_report {
    kiln_report_kind kind;
    const char
        *what; /* "strong handle", "weak handle", "protection", "borrowed bytes", "pointer" */
    const char *asset; /* its name; "" if it has none, or if only weak handles are left */
    const char *by;    /* its taker: see "Takers" above */
    uint64_t count;
} kiln_report;

typedef struct kiln_assets_def {
    /* The program's type table (from the generated header), or NULL. Read only during the call.
     * Assets whose types it lacks are checked against the types of their file and never converted.
     */
    const void *types;
    size_t types_size;
    /* Maximum number of slots: for loaded assets, and for removed ones to which indirect or weak
     * words still refer. 1 to KILN_SLOT_MAX, default 4,194,304. */
    uint32_t max_assets;
    bool forbid_conversion; /* a layout other than the program's is KILN_TYPE_MISMATCH */
    bool track_pointers;    /* record pointer words; default true in debug builds of the library */
    bool track_takers;      /* record the takers of handles; same default */
    /* May be NULL. Called during changing calls and by kiln_assets_destroy; must not call the
     * table. */
    void (*on_report)(void *ctx, const kiln_report *report);
    void *report_ctx;
    const kiln_page_source *pages;   /* memory for the slots; NULL: kiln_page_source_default() */
    const kiln_allocator *allocator; /* NULL: the C library's. Must be thread-safe if several
                                        threads use the table. */
    uint32_t cookie;                 /* private: set by kiln_assets_def_default */
} kiln_assets_def;

kiln_assets_def kiln_assets_def_default(void);

/* Creates an empty table. BAD_ARGUMENT with the path `types`: the program's type table is not
 * valid. */
kiln_status kiln_assets_create(const kiln_assets_def *def, kiln_assets **ret_assets,
                               kiln_error *reterr);
/* Reports what is still held, then frees everything: closes the files, invalidates all roots, and
 * unregisters the threads. NULL is fine. Alone. */
void kiln_assets_destroy(kiln_assets *assets);

/* The table's slots, for kiln_ref_get. Any. */
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
    /* `types` and `allocator` must be NULL: those of the table are used. */
    kiln_file_def file;
    const char *name; /* for messages, copied; NULL: the path, or "memory" */
    int32_t order;    /* default 0 */
    uint32_t cookie;  /* private: set by kiln_mount_def_default */
} kiln_mount_def;

kiln_mount_def kiln_mount_def_default(void);

/* Opens the file and adds its assets to the table. Assets that replace loaded ones are loaded
 * first, with everything to which they refer: when the call returns, handles and indirect words
 * refer to the new roots. Returns the errors of kiln_file_open (with the file's name as `path` if
 * there is no other) and of loading. R1 to R4: the list of redirects is invalid. NAME_CLASH: a name
 * has the same id as another name in the table; `path` has both. TYPE_MISMATCH: an asset in the
 * table has the same name and a different type. Changing. */
kiln_status kiln_assets_mount(kiln_assets *assets, const kiln_mount_def *def, kiln_mount *ret_mount,
                              kiln_error *reterr);

typedef enum kiln_unmount {
    KILN_UNMOUNT_REFUSE, /* HELD if anything from the file is held; `path` has its name and the
                            holders */
    KILN_UNMOUNT_DEFER   /* its assets can no longer be found; the file is closed when the last hold
                            is released */
} kiln_unmount;

/* Removes a file's assets. A loaded asset that a file of lower order also contains is first loaded
 * from that file; references to assets that no file contains are ignored. Borrowed bytes count as
 * *held*. So do assets with strong handles or protection, unless a file of lower order contains
 * them. DEAD if the file has already been unmounted. Changing. */
kiln_status kiln_assets_unmount(kiln_assets *assets, kiln_mount mount, kiln_unmount how,
                                kiln_error *reterr);

/* Hot reload: replaces a mounted file with a newer version of it, completely or not at all. The
 * mount stays valid and keeps its order; `order` of `def` is ignored, its other fields are those of
 * kiln_assets_mount. The new file is opened at the level of `def`, and its lists of references are
 * checked. What happens to the loaded assets of the file:
 *
 *     unchanged   the indexes state the same content and type. Handles and indirect words refer to
 *                 the same bytes as before, or to equal bytes in the new file. An asset that was
 *                 unpacked or converted keeps its memory
 *     changed     is loaded from the new file, with everything that it now refers to. Handles and
 *                 indirect words refer to the new root. Its layout in the program must stay the
 *                 same; in the file it may change
 *     missing     is loaded from a file of lower order that also contains it. If there is none, it
 *                 is removed as by kiln_assets_unmount with KILN_UNMOUNT_DEFER: its id is no longer
 *                 found, and the asset stays readable as long as strong handles or protection
 *                 hold it. If redirects (<kiln/redirects.h>) lead from its id to another asset,
 *                 that asset is loaded, so that references to the earlier id lead to it
 *
 * Older versions. The old file stays open as an *older version* if both files are mapped from a
 * path and contain the same assets, and the level of `def` is not deeper than that of the old file.
 * Unchanged assets then still use its bytes. A mounted file has at most 8 older versions. Before a
 * replacement would exceed this limit, all assets move to the new file, except those of the version
 * with the most loaded assets. The other versions are closed, unless something holds their bytes.
 * Unmounting closes all versions in the same way. Because an older version may stay mapped, a
 * program must not write into a file that it has mounted before; it should write a new file and
 * rename it over the old one. In all other cases no unchanged asset uses the old file, and a
 * program may free `data` after the replacement if nothing holds the old bytes.
 *
 * Trust. The replacement compares the 128-bit content hashes that the indexes state. An unchanged
 * asset keeps its old bytes only if they have this hash, and were verified at least as thoroughly
 * as `def` requires. Its bytes in the new file are then not read. If their hash differs from the
 * one in the new index, which only kiln_file_verify detects, the asset may show either content. At
 * KILN_VERIFY_NONE the hashes are trusted.
 *
 * Borrowed bytes, and those to which tracked pointer words refer (`track_pointers`), stay in place,
 * and the old file stays open, until they are released or cleared. Roots that were read before stay
 * valid until the thread is quiescent. If no file contains the target of an unchanged asset's
 * reference, the reference reads as NULL.
 *
 * Returns the errors of kiln_assets_mount. TYPE_MISMATCH also if an asset's type differs from its
 * type in the old file. DEAD if the file has already been unmounted. If the old file becomes an
 * older version, the cost is proportional to the sizes of the two indexes and of the changed
 * assets, plus those of assets that move. Otherwise it is proportional to the sizes of the two
 * indexes and of the file's loaded assets. Changing. */
kiln_status kiln_assets_replace(kiln_assets *assets, kiln_mount mount, const kiln_mount_def *def,
                                kiln_error *reterr);

/* ---- finding and loading ---- */

/* The id of `name` if a mounted file or an added blob has it, loaded or not, or if redirects lead
 * from it to such an asset; else 0. For an earlier name it is the earlier id. Any. */
kiln_id kiln_assets_find(const kiln_assets *assets, const char *name);
bool kiln_assets_has(const kiln_assets *assets, kiln_id id);

/* The root of a loaded asset; NULL if `id` is 0, unknown or not loaded. Use it to follow references
 * in blobs: the targets of a loaded asset are loaded, too, except with `allow_missing` or after
 * disposal. Any. */
static inline const void *kiln_assets_get(const kiln_assets *assets, kiln_id id)
{
    const kiln_asset_tables *tables = (const kiln_asset_tables *)(const void *)assets;
    const kiln_id_cells *ids = KILN_LOAD_ACQUIRE(&tables->ids);
    uint64_t value = ids && id ? kiln_id_value(ids, id) : 0;
    return value & KILN_REF_FORM_MASK ? NULL : (const void *)(uintptr_t)value;
}

typedef struct kiln_load_args {
    kiln_id id;                 /* set either `id` or `name`; the other is 0 or NULL */
    const char *name;           /* `Kind/id` */
    const kiln_root_type *type; /* the required type; NULL: any */
    bool allow_missing;         /* ignore references to assets that do not exist */
    const char *by;             /* the taker of the handle: KILN_HERE */
} kiln_load_args;

/* Loads an asset and everything to which it refers, unless it is already loaded, and takes a strong
 * handle. Several threads may load at once: they wait for one another only to find and to publish
 * assets, not while they check, decompress and convert.
 *
 * NOT_FOUND: the asset does not exist, or was deleted or renamed to one that does not exist; `path`
 * has the name and the reason. MISSING: the same for an asset to which it refers, directly or
 * indirectly; `path` has the chain of references: `Level/a > Monster/b > Item/c (deleted)`.
 * REDIRECT_CYCLE: see above. TYPE_MISMATCH: the asset is not of type `type`, or its layout cannot
 * be converted; `path` has the reason. LIMIT: no slot is left (`max_assets`). Otherwise a
 * verification error whose `path` begins with the asset's name. Changing. */
kiln_status kiln_assets_load(kiln_assets *assets, const kiln_load_args *args, kiln_ref *ret_ref,
                             kiln_error *reterr);

/* The root to which a word of any form refers, as a `type`. NULL with TYPE_MISMATCH if the asset is
 * of a different type, or with DEAD if the word is null, stale or forged. Pointer and indirect
 * words are looked up, not dereferenced. Changing. */
const void *kiln_assets_root(kiln_assets *assets, kiln_ref ref, const kiln_root_type *type,
                             kiln_error *reterr);

/* ---- blobs built in memory ---- */

typedef struct kiln_add_args {
    const char *name; /* `Kind/id`; NULL: reachable only by its handle */
    const kiln_root_type
        *type;        /* required, with the layout in the header. Its name must outlive the table */
    const void *blob; /* includes the header; aligned as the header states */
    size_t size;
    bool
        is_trusted; /* false: check hash and values, which requires the type in the table's types */
    /* These fields determine who owns the bytes. `free` requires `in_place`. With neither set, the
     * bytes are copied. With `in_place` and `free`, they are used in place, and a changing call of
     * any thread passes them to `free` when they are no longer used; `free` must not call the
     * table. With `in_place` alone, they are *foreign*: the program must keep them until the table
     * is destroyed. */
    bool in_place;
    void (*free)(void *ctx, const void *blob, size_t size);
    void *free_ctx;
    const char *by;
} kiln_add_args;

/* Adds a blob as an asset and takes a strong handle. If an added asset of the same type has the
 * same bytes, no second asset is created: `name` becomes another name of the first, and bytes with
 * `free` are freed. References in the blob are resolved when they are read; nothing is loaded for
 * them. After an error the caller still owns the bytes. If the same bytes are added in place twice,
 * they are freed once.
 *
 * DUPLICATE: the name belongs to another asset. TYPE_MISMATCH: the header states a different layout
 * from that of `type`. NO_TYPES: the program's types lack `type`, and it is needed, because
 * `is_trusted` is not set or the table has a collector. LIMIT: no slot is left (`max_assets`).
 * Otherwise NO_MEMORY, or the rule that the blob violates. Changing. */
kiln_status kiln_assets_add(kiln_assets *assets, const kiln_add_args *args, kiln_ref *ret_ref,
                            kiln_error *reterr);

/* ---- words ---- */

/* Makes a word of form `form` for the asset to which `ref` refers, and counts it as in the table
 * above. `ref` may have any form: handles are checked, pointers and indirect words looked up. DEAD
 * if `ref` refers to no asset. Any if both words are handles; otherwise changing. */
kiln_status kiln_assets_take(kiln_assets *assets, kiln_ref ref, kiln_ref_form form, const char *by,
                             kiln_ref *ret_ref);
/* Releases a word and sets it to null. Null, stale and forged words are only set to null. Any for
 * handles (the next changing call removes an asset whose file was unmounted with
 * KILN_UNMOUNT_DEFER); changing for pointers. */
void kiln_assets_clear(kiln_assets *assets, kiln_ref *ref);
/* Like kiln_assets_clear, but for a word that `by` took, even if it was copied to another
 * variable. */
void kiln_assets_clear_by(kiln_assets *assets, kiln_ref *ref, const char *by);
/* Moves a word to another variable, whose previous word must have been cleared, and sets `from` to
 * null. The taker stays the same. Any. */
void kiln_assets_move(kiln_assets *assets, kiln_ref *from, kiln_ref *to);
/* Returns the word and sets the variable to null. The table then has no record of the variable that
 * contains the word. */
static inline kiln_ref kiln_ref_move(kiln_ref *ref)
{
    kiln_ref moved = *ref;
    ref->bits = 0;
    return moved;
}

/* A weak word, not counted, for the asset with this root; null if there is none. The pointer is not
 * dereferenced. Changing. */
kiln_ref kiln_assets_find_root(kiln_assets *assets, const void *root);

typedef enum kiln_ref_state {
    KILN_REF_IS_NULL,
    KILN_REF_IS_GOOD,   /* refers to an asset of this table, or to former bytes of one that
                           are borrowed or pointed to */
    KILN_REF_IS_STALE,  /* a handle or an indirect word to a removed asset */
    KILN_REF_IS_FORGED, /* a handle that this table cannot have made */
    KILN_REF_IS_UNKNOWN /* a pointer or an indirect word that does not belong to this table */
} kiln_ref_state;

/* Classifies any 64 bits without dereferencing them. Changing. */
kiln_ref_state kiln_ref_check(kiln_assets *assets, uint64_t bits);

/* ---- keeping and disposing ---- */

/* Keeps the asset's current bytes in place, even if the asset is replaced or unmounted. Call
 * kiln_assets_release once for each call, with the same `by`. DEAD: `ref` refers to no asset.
 * Changing. */
kiln_status kiln_assets_borrow(kiln_assets *assets, kiln_ref ref, const char *by,
                               const void **ret_root, kiln_error *reterr);
/* Releases borrowed bytes. NOT_FOUND if `by` has not borrowed the root. Changing. */
kiln_status kiln_assets_release(kiln_assets *assets, const void *root, const char *by);

/* Protects an asset from kiln_assets_dispose, and from kiln_assets_unmount with
 * KILN_UNMOUNT_REFUSE. Call kiln_assets_unprotect once for each call, with the same `by`. DEAD:
 * `ref` refers to no asset. Changing. */
kiln_status kiln_assets_protect(kiln_assets *assets, kiln_ref ref, const char *by,
                                kiln_error *reterr);
/* Ends a protection. DEAD as above; NOT_FOUND if `by` has not protected the asset. Changing. */
kiln_status kiln_assets_unprotect(kiln_assets *assets, kiln_ref ref, const char *by);

/* Frees an asset's memory and slot. Words to it become stale, and its id resolves to NULL until it
 * is loaded again. A strong handle passed as `ref` is consumed on success. Errors:
 *
 *     PROTECTED, BORROWED, HELD   `path` has the name and the holders
 *     MAPPED                      its bytes are used in place in a file, which `path` names:
 *                                 unmount the file, or clear the words to the asset
 *     FOREIGN                     its bytes belong to the program; `path` names the caller that
 *                                 added them
 *     DEAD                        `ref` refers to no asset
 *
 * Changing. */
kiln_status kiln_assets_dispose(kiln_assets *assets, kiln_ref ref, kiln_error *reterr);

/* ---- reader threads ---- */

typedef struct kiln_assets_thread kiln_assets_thread;

/* Registers a reader. From now on, nothing that its thread may have read is freed before the thread
 * is quiescent. Returns NULL if memory runs out. Changing. */
kiln_assets_thread *kiln_assets_thread_register(kiln_assets *assets);
/* Reports that the thread no longer uses any root, slot or string that it got before, except
 * borrowed bytes. Call it once per frame: a registered thread that does not call it keeps memory
 * from being freed. Any. */
void kiln_assets_thread_quiescent(kiln_assets_thread *thread);
/* NULL is fine. Changing. */
void kiln_assets_thread_unregister(kiln_assets_thread *thread);
/* Frees memory that no thread can still read, as every changing call does. Returns the number of
 * bytes that still wait for threads. Changing. */
size_t kiln_assets_collect(kiln_assets *assets);
/* Sets the name of a registered thread for kiln_assets_list_waiting. `name` must outlive the
 * registration; the default is "?". Any, but not during kiln_assets_list_waiting. */
void kiln_assets_thread_set_name(kiln_assets_thread *thread, const char *name);
/* Calls `on_thread` for each registered thread that prevents memory from being freed, because it
 * has not been quiescent since the memory was removed. `bytes` is the size of that memory. Returns
 * the number of threads. `on_thread` must not call the table. Changing. */
uint32_t kiln_assets_list_waiting(kiln_assets *assets,
                                  void (*on_thread)(void *ctx, const char *name, size_t bytes),
                                  void *ctx);

/* ---- information ---- */

typedef enum kiln_asset_memory {
    KILN_ASSET_MAPPED,    /* in place in a mounted file */
    KILN_ASSET_UNPACKED,  /* in memory of the table, from a compressed member */
    KILN_ASSET_CONVERTED, /* in memory of the table, converted from the file's layout */
    KILN_ASSET_OWNED,     /* added: copied, or with a `free` */
    KILN_ASSET_FOREIGN    /* added in place; belongs to the program */
} kiln_asset_memory;

typedef struct kiln_asset_info {
    const char *name; /* "" if it was added without one; strings are valid until the asset is
                       * removed or its file is replaced */
    const char *type;
    const char *mount; /* name of its file; "" if it was added */
    kiln_id id;        /* 0 without a name */
    const void *root;
    uint64_t size; /* of the blob */
    kiln_asset_memory memory;
    uint32_t strong, weak, borrowed, protections;
    const char *loaded_by; /* `by` of the call that loaded or added it, or "?" */
} kiln_asset_info;

/* DEAD if the word refers to no asset. Changing. */
kiln_status kiln_assets_get_info(kiln_assets *assets, kiln_ref ref, kiln_asset_info *ret_info);
/* Iterates over the loaded assets. Pass the null word to get the first one; returns null after the
 * last. The words are weak and not counted. Changing. */
kiln_ref kiln_assets_next(kiln_assets *assets, kiln_ref after);

typedef struct kiln_assets_stats {
    uint64_t known; /* distinct names in mounted files and of added blobs */
    uint64_t loaded;
    uint64_t bytes_owned;   /* memory that the table owns for assets */
    uint64_t bytes_waiting; /* memory that will be freed after the threads have been quiescent */
    uint64_t loads, conversions, unpacked, replaced, disposed; /* since the start */
    uint64_t older_versions;       /* of mounted files, still open: see kiln_assets_replace */
    uint32_t mounts, deferred;     /* mounted files; other files that are still held */
    uint32_t slots, retired_slots; /* ever used; retired after their last version */
    uint32_t free_slots,
        stale_slots; /* ready for reuse; not reusable, because indirect words may refer to them */
    uint32_t strong, weak, borrowed, threads;
} kiln_assets_stats;

/* Changing. */
void kiln_assets_get_stats(kiln_assets *assets, kiln_assets_stats *ret_stats);

/* Calls `on_hold` for each hold, as kiln_assets_destroy would, and returns the total count.
 * Changing; `on_hold` must not call the table. */
uint64_t kiln_assets_list_holds(kiln_assets *assets,
                                void (*on_hold)(void *ctx, const kiln_report *report), void *ctx);

/* Checks the consistency of the table, for tests and for debugging memory corruption.
 * `reterr->path` describes the first mismatch. Linear in the size of the table. Changing. */
bool kiln_assets_is_valid(kiln_assets *assets, kiln_error *reterr);

#ifdef __cplusplus
}
#endif

#endif
