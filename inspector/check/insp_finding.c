/* Reports a violation for a member or for an asset. Both functions add `base` to the offset,
 * because offsets in a blob count from its first byte but findings count from the start of the
 * file.
 *
 * KILN_NO_MEMORY does not describe the file, so it is returned and ends the check. Every other
 * status becomes a finding, and the check continues. */
#include "insp_finding.h"

static kiln_status report(insp_check *check, insp_finding *finding, kiln_status status,
                          const kiln_error *error, uint64_t base)
{
    if (status == KILN_OK || status == KILN_NO_MEMORY)
        return status;
    finding->error = *error;
    finding->error.status = status;
    finding->error.offset += base;
    check->findings++;
    if (check->on_finding)
        check->on_finding(check->ctx, check->file, finding);
    return KILN_OK;
}

kiln_status insp_add_finding(insp_check *check, const char *part, uint32_t member,
                             kiln_status status, const kiln_error *error, uint64_t base)
{
    insp_finding finding = {
        .part = part, .member = member, .asset = member == KILN_ASSET_NONE ? NULL : check->asset};
    return report(check, &finding, status, error, base);
}

kiln_status insp_add_asset_finding(insp_check *check, const insp_asset *asset, kiln_status status,
                                   const kiln_error *error, uint64_t base)
{
    insp_finding finding = {.part = "member", .member = asset->member, .asset = asset};
    return report(check, &finding, status, error, base);
}
