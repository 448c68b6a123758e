/* The only functions that format findings, so that all commands use the same wording. Names and
 * paths come from the file, so they are escaped. */
#include "insp_finding_text.h"

#include "insp_escape.h"
#include "insp_message.h"

#include <inttypes.h>
#include <string.h>

const char *insp_status_text(const insp_file *file, kiln_status status)
{
    return file->size ? kiln_status_text(status) : "the file is empty";
}

void insp_put_finding(insp_out *out, const insp_file *file, const insp_finding *finding)
{
    const insp_asset *asset =
        finding->asset ? finding->asset : insp_member_asset(file, finding->member);
    insp_putf(out, "%s at offset 0x%" PRIx64 " (%s", insp_rule(finding->error.status),
              finding->error.offset, finding->part);
    if (finding->member != KILN_ASSET_NONE && strcmp(finding->part, "member") == 0)
        insp_putf(out, " %" PRIu32, finding->member);
    if (asset && asset->name.length) {
        insp_text name = insp_message_name(asset->name);
        insp_put(out, ", ");
        insp_put_escaped(out, name.data, name.length);
    }
    insp_putf(out, "): %s", insp_status_text(file, finding->error.status));
    if (finding->error.path[0]) {
        insp_put(out, " [");
        insp_put_escaped(out, finding->error.path, strlen(finding->error.path));
        insp_put_char(out, ']');
    }
}

void insp_put_finding_json(insp_out *out, const insp_file *file, const insp_finding *finding)
{
    const insp_asset *asset =
        finding->asset ? finding->asset : insp_member_asset(file, finding->member);
    const char *text = insp_status_text(file, finding->error.status), *path = finding->error.path;
    insp_putf(out, "{\"rule\": \"%s\", \"text\": ", insp_rule(finding->error.status));
    insp_put_json_string(out, text, strlen(text));
    insp_putf(out,
              ", \"offset\": %" PRIu64 ", \"part\": \"%s\", \"member\": ", finding->error.offset,
              finding->part);
    if (finding->member != KILN_ASSET_NONE && strcmp(finding->part, "member") == 0)
        insp_putf(out, "%" PRIu32, finding->member);
    else
        insp_put(out, "null");
    insp_put(out, ", \"asset\": ");
    if (asset && asset->name.length)
        insp_put_json_string(out, asset->name.data, asset->name.length);
    else
        insp_put(out, "null");
    insp_put(out, ", \"path\": ");
    if (path[0])
        insp_put_json_string(out, path, strlen(path));
    else
        insp_put(out, "null");
    insp_put_char(out, '}');
}

void insp_complain_finding(void *ctx, const insp_file *file, const insp_finding *finding)
{
    insp_run *run = ctx;
    insp_complain_begin(run, file->path);
    insp_put_finding(&run->err, file, finding);
    insp_put_char(&run->err, '\n');
}
