/* Checks the rules K1 to K6, which relate a cluster plan to the index. */
#include "insp_plan_check.h"

#include "insp_builtin_check.h"
#include "insp_memory.h"
#include "insp_plan.h"

#include <kiln/cluster_plan.h>

static kiln_status read_plan(const insp_file *file, kiln_span blob, kiln_error *reterr)
{
    const kiln_cluster_plan *plan;
    return kiln_cluster_plan_read(file->index, blob, insp_allocator(), &plan, reterr);
}

kiln_status insp_check_plan(insp_check *check)
{
    static const insp_builtin_rules rules = {KILN_CLUSTERS_LAYOUT, 'K', read_plan};
    const insp_file *file = check->file;
    const insp_asset *asset = insp_plan_asset(file);
    kiln_error error = {.status = KILN_OK};
    kiln_status status;
    if (!file->index)
        return KILN_OK;
    status = kiln_cluster_plan_check_names(file->index, file->data, &error);
    status = insp_add_finding(check, "index", KILN_ASSET_NONE, status, &error, 0);
    if (status || !asset)
        return status;
    return insp_check_builtin(check, asset, &rules);
}
