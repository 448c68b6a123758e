#include "insp_plan.h"

#include <kiln/cluster_plan.h>

const insp_asset *insp_plan_asset(const insp_file *file)
{
    const insp_asset *asset =
        insp_file_asset(file, KILN_CLUSTERS_ASSET_NAME, strlen(KILN_CLUSTERS_ASSET_NAME));
    bool is_plan =
        asset && insp_text_is(insp_asset_type_name(file, asset), KILN_CLUSTERS_TYPE_NAME);
    return is_plan ? asset : NULL;
}
