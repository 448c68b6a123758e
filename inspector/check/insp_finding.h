/* A violation of a rule in a file, and the state of a check that finds violations. */
#ifndef INSP_FINDING_H
#define INSP_FINDING_H

#include "insp_file.h"

typedef struct insp_finding {
    kiln_error error;
    const char *part;        /* "index", "type table", "member", "file", "blob" */
    uint32_t member;         /* may be out of range; KILN_ASSET_NONE: not about a member */
    const insp_asset *asset; /* NULL: the first asset of the member, if it has one */
} insp_finding;

typedef struct insp_check {
    const insp_file *file;
    void (*on_finding)(void *ctx, const insp_file *file, const insp_finding *finding);
    void *ctx;
    bool skip_canonical; /* skip rule C1, which does not affect values */
    uint64_t jobs;       /* of insp_check_file: the number of threads; 0: see insp_threads_for */
    /* Only the first findings are needed, so insp_check_file may report no more than these, but
     * counts all; 0: no limit. */
    uint64_t max_findings;
    /* Set by the functions of insp_check.h. */
    const kiln_index *index; /* its entries for the checked members are valid; NULL if unknown */
    const kiln_allocator *allocator; /* for values; NULL: insp_allocator */
    const insp_asset *asset; /* the only asset of its member that is checked; NULL: all are */
    /* Results. */
    uint32_t findings;
    uint32_t untyped; /* members whose values were not checked because their types are unknown */
    uint32_t unchecked_scenes; /* scenes whose rows were not checked: see insp_check_scenes */
} insp_check;

/* Adds a finding, unless the status is KILN_OK or KILN_NO_MEMORY, which is returned. The offset of
 * `error` is relative to `base`. Only the files of this folder call it. */
kiln_status insp_add_finding(insp_check *check, const char *part, uint32_t member,
                             kiln_status status, const kiln_error *error, uint64_t base);
/* Like insp_add_finding, for an asset whose member may be out of range. */
kiln_status insp_add_asset_finding(insp_check *check, const insp_asset *asset, kiln_status status,
                                   const kiln_error *error, uint64_t base);

#endif
