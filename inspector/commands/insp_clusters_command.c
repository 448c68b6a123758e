/* The `clusters` command: shows the cluster plan of a file, or explains one asset.
 *
 * A damaged plan is reported and shown as far as possible. */
#include "insp_check.h"
#include "insp_clusters.h"
#include "insp_commands.h"
#include "insp_finding_text.h"
#include "insp_message.h"
#include "insp_open.h"
#include "insp_select.h"

/* The check of the plan's member reports errors in its blob; reading the plan reports all
 * others. */
static int complain_plan(insp_run *run, const insp_plan *plan)
{
    insp_finding finding = {.part = "member", .error = plan->error};
    insp_check check = {.file = plan->file,
                        .on_finding = insp_complain_finding,
                        .ctx = run,
                        .skip_canonical = true};
    if (!plan->asset) {
        insp_complain(run, plan->file->path, "the file contains no cluster plan");
        return INSP_BAD;
    }
    if (insp_check_member(&check, plan->asset->member) != KILN_OK)
        return insp_no_memory(run);
    finding.member = plan->asset->member;
    finding.asset = plan->asset;
    if (plan->error.status && (plan->plan || !check.findings))
        insp_complain_finding(run, plan->file, &finding);
    return plan->error.status || check.findings ? INSP_BAD : INSP_OK;
}

static int explain(insp_run *run, insp_clusters *c)
{
    int result;
    const insp_asset *asset =
        insp_select_one(run, c->plan->file, run->options.arguments[1], NULL, &result);
    if (asset && !insp_clusters_asset(c, asset))
        result = insp_no_memory(run);
    return result;
}

static int show(insp_run *run, const insp_plan *plan)
{
    bool is_dot = run->options.format && strcmp(run->options.format, "dot") == 0;
    insp_clusters c;
    int result = INSP_OK;
    if (!insp_clusters_init(&c, run, plan))
        result = insp_no_memory(run);
    else if (run->options.argument_count > 1)
        result = explain(run, &c);
    else if (is_dot)
        insp_clusters_dot(&c);
    else if (insp_wants_json(run))
        insp_clusters_json(&c);
    else
        insp_clusters_text(&c);
    insp_clusters_fini(&c);
    return result;
}

static int show_plan(insp_run *run, const insp_file *file)
{
    bool is_dot = run->options.format && strcmp(run->options.format, "dot") == 0;
    insp_plan plan;
    int result = INSP_OK;
    if (is_dot && run->options.argument_count > 1) {
        insp_complain(run, NULL, "the format dot shows whole plans; omit the asset");
        return INSP_TROUBLE;
    }
    if (!insp_has_index(run, file, &result))
        return result;
    if (insp_plan_init(&plan, file) == KILN_OK) {
        result = insp_worse(result, complain_plan(run, &plan));
        result = insp_worse(result, show(run, &plan));
    } else {
        result = insp_no_memory(run);
    }
    insp_plan_fini(&plan);
    return result;
}

const insp_command insp_clusters_command = {
    .name = "clusters",
    .arguments = "FILE [ASSET]",
    .help = "show which assets share a lifetime; explain one asset",
    .min_arguments = 1,
    .max_arguments = 2,
    .formats = "text json dot ",
    .show = show_plan,
};
