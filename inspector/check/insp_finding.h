/* A place where a file breaks a rule, and the state of a check that finds such places. */
#ifndef INSP_FINDING_H
#define INSP_FINDING_H

#include "insp_file.h"

typedef struct insp_finding {
    kiln_error error;
    const char *part; /* "index", "type table", "member", "file", "blob" */
    uint32_t member;  /* from the file, so it may not exist; KILN_ASSET_NONE: not about a member */
    const insp_asset *asset; /* NULL: the first asset of the member, if it has one */
} insp_finding;

typedef struct insp_check {
    const insp_file *file;
    void (*on_finding)(void *ctx, const insp_file *file, const insp_finding *finding);
    void *ctx;
    bool skip_canonical; /* skips rule C1, on which no value depends */
    /* Results. */
    uint32_t findings;
    uint32_t untyped; /* members whose values were not checked because their types are unknown */
    uint32_t unchecked_scenes; /* scenes whose rows were not checked: their chunks are in another
                                  file, or shared by very many */
} insp_check;

/* Adds a finding, except for KILN_OK and KILN_NO_MEMORY, which it returns. The offset of `error` is
 * relative to `base`. For insp_check.c and insp_scene_check.c. */
kiln_status insp_add_finding(insp_check *check, const char *part, uint32_t member,
                             kiln_status status, const kiln_error *error, uint64_t base);
/* The same for one asset, whose member need not exist. */
kiln_status insp_add_asset_finding(insp_check *check, const insp_asset *asset, kiln_status status,
                                   const kiln_error *error, uint64_t base);

#endif
