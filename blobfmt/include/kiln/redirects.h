/* Redirects: the current names of assets that were renamed, so that files with an earlier id still
 * find them.
 *
 * A file has at most one list of redirects: the asset kiln.Redirects/ids of the type
 * kiln.Redirects. An entry leads from an earlier name to the current one, or to nothing if the
 * asset was deleted. In one file no entry leads to another entry, so a chain of several renames has
 * one entry for each earlier name. Entries of several files can form a chain, because a later file
 * may rename an asset again. A chain has at most KILN_REDIRECT_STEPS_MAX entries.
 *
 *     entries   strictly ascending by id; the id is the hash of the name
 *     target    a name of the same kind that is not an earlier name in this file; "" if deleted
 *
 * FORMAT.md section 10 is the specification. The functions here may be called by any number of
 * threads. */
#ifndef KILN_REDIRECTS_H
#define KILN_REDIRECTS_H

#include <kiln/file_writer.h>
#include <kiln/index.h>
#include <kiln/relative.h>
#include <kiln/status.h>
#include <kiln/types.h>

#ifdef __cplusplus
extern "C" {
#endif

#define KILN_REDIRECTS_TYPE_NAME "kiln.Redirects"
/* The name of the asset. */
#define KILN_REDIRECTS_NAME "kiln.Redirects/ids"
/* The layout hash (FORMAT.md section 10). */
#define KILN_REDIRECTS_LAYOUT UINT64_C(0x1bc40b748e7557ed)

typedef struct kiln_redirect {
    KILN_ALIGNAS(8) uint64_t id; /* of `name` */
    kiln_string name;            /* the earlier `Kind/id` */
    kiln_string target;          /* the current `Kind/id`; "" if the asset was deleted */
} kiln_redirect;

typedef struct kiln_redirects {
    kiln_array entries; /* kiln_redirect, strictly ascending by id */
} kiln_redirects;

KILN_STATIC_ASSERT(sizeof(kiln_redirect) == 24, "FORMAT.md 10: redirect");
KILN_STATIC_ASSERT(sizeof(kiln_redirects) == 8, "FORMAT.md 10: redirects");

/* ---- reading ---- */

/* Returns the entry at index `i`, which must be less than `entries.count`. */
static inline const kiln_redirect *kiln_redirects_at(const kiln_redirects *redirects, uint32_t i)
{
    return (const kiln_redirect *)kiln_relative_target(&redirects->entries,
                                                       redirects->entries.offset) +
           i;
}
/* Returns the entry of an earlier id; NULL if there is none. O(log n). */
const kiln_redirect *kiln_redirects_find(const kiln_redirects *redirects, kiln_id id);

/* Checks that a blob is a valid list of redirects: every rule that kiln_verify checks for the type
 * kiln.Redirects except C1, then R1 to R3 and, if `index` is not NULL, R4. A checked frame of that
 * index is enough. `blob.data` must be at a multiple of the blob's alignment. On success
 * `ret_redirects` points into the blob; on failure it is untouched. For R rules `reterr->path` is
 * like `entries[3].target`. NO_MEMORY. If `allocator` is NULL, uses the C library's. Safe on
 * hostile bytes. */
kiln_status kiln_redirects_read(kiln_span blob, const kiln_index *index,
                                const kiln_allocator *allocator,
                                const kiln_redirects **ret_redirects, kiln_error *reterr);

/* ---- writing ---- */

/* One rename. */
typedef struct kiln_rename {
    const char *name;   /* the earlier `Kind/id` */
    const char *target; /* the current one; NULL or "": deleted */
} kiln_rename;

typedef struct kiln_redirects_finish_args {
    /* In any order. No target may be the name of another entry. */
    const kiln_rename *renames;
    uint32_t count;
    const kiln_types *types;         /* the list that `file` uses: see kiln_types_with_redirects */
    kiln_file_writer *file;          /* receives the asset */
    const kiln_allocator *allocator; /* NULL: the C library's */
} kiln_redirects_finish_args;

/* Adds the list to a file. BAD_ARGUMENT: the types lack kiln.Redirects. DUPLICATE: two entries have
 * the same name, or two names have the same id; or the file has a list already. R2 or R3: a name or
 * a target breaks the rule; `reterr->path` is the earlier name. Otherwise the errors of
 * kiln_file_writer_build. The caller must ensure R4. On failure the file is unchanged. */
kiln_status kiln_redirects_finish(const kiln_redirects_finish_args *args, kiln_error *reterr);

/* Creates a copy of `types` (NULL: none) to which kiln.Redirects and the types in it are appended,
 * unless it has them. Free it with kiln_types_destroy. DUPLICATE: `types` has a different type with
 * one of these names. NO_MEMORY. On failure `ret_types` is untouched. */
kiln_status kiln_types_with_redirects(const kiln_types *types, const kiln_allocator *allocator,
                                      kiln_types **ret_types, kiln_error *reterr);

#ifdef __cplusplus
}
#endif

#endif
