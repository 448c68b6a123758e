/* The cluster plan of a file (FORMAT.md section 15), as far as it can be read.
 *
 * A plan may be damaged. Only these functions use a number of the plan as an index, after a check.
 * A part of a list whose starts are wrong is empty or cut off at the end of the list. */
#ifndef INSP_PLAN_H
#define INSP_PLAN_H

#include "insp_file.h"

#include <kiln/cluster_plan.h>

#define INSP_NO_CLUSTER UINT32_MAX

typedef struct insp_plan {
    const insp_file *file;
    const insp_asset *asset;       /* NULL: the file has no plan */
    const kiln_cluster_plan *plan; /* NULL if the blob is not a valid value */
    kiln_error error;              /* what is wrong; the offset is from the start of the file */
    uint32_t count;                /* of clusters; 0 without a plan */
    /* By the number of an asset in the index, which is below `file->asset_count`. */
    uint32_t *owners; /* the cluster that has it as root or member; or INSP_NO_CLUSTER */
    /* For each cluster, the clusters that refer to it. */
    uint32_t *user_starts, *users;
    unsigned char *owned;
} insp_plan;

/* The asset that is the plan, judged by its name and the name of its type; NULL: there is none. */
const insp_asset *insp_plan_asset(const insp_file *file);

/* Reads the plan. Does not check the hashes of its blob. Returns KILN_OK or KILN_NO_MEMORY; call
 * insp_plan_fini in both cases. */
kiln_status insp_plan_init(insp_plan *plan, const insp_file *file);
void insp_plan_fini(insp_plan *plan);

/* The number of the root of a cluster. It may be out of range. */
uint32_t insp_plan_root(const insp_plan *plan, uint32_t cluster);

typedef enum insp_plan_list {
    INSP_PLAN_MEMBERS,
    INSP_PLAN_MUTABLES,
    INSP_PLAN_REFERENCES
} insp_plan_list;

/* The part of a list that belongs to a cluster. Its numbers may be wrong. */
kiln_cluster_numbers insp_plan_part(const insp_plan *plan, insp_plan_list list, uint32_t cluster);

/* The asset with a number of the index; NULL if there is none. */
static inline const insp_asset *insp_plan_asset_at(const insp_plan *plan, uint64_t number)
{
    return insp_numbered_asset(plan->file, number);
}
/* The cluster that owns an asset; INSP_NO_CLUSTER if none does. */
static inline uint32_t insp_plan_owner(const insp_plan *plan, uint64_t number)
{
    return number < plan->file->asset_count ? plan->owners[number] : INSP_NO_CLUSTER;
}
/* The name of an asset or import, as edges number them; NULL if there is none. */
const insp_text *insp_plan_name(const insp_plan *plan, uint64_t number);

#endif
