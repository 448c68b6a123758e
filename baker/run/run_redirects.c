/* Writes the renames and deletions of the inputs as a list of redirects. The links of the inputs
 * are already resolved: each earlier name has its final target, if any, so no redirect leads to
 * another. */
#include "run_redirects.h"

#include "asset_links.h"
#include "bake_memory.h"
#include "run_part.h"
#include "run_types.h"

#include <kiln/redirects.h>
#include <string.h>

static bool is_redirect(const bake_link *link)
{
    return link->kind != BAKE_LINK_ACCEPTED;
}

static bool has_redirects(const bake_inputs *inputs)
{
    const bake_links *links = inputs->links;
    for (size_t i = 0; links && i < links->count; i++)
        if (is_redirect(&links->all[i]))
            return true;
    return false;
}

bake_result bake_run_redirects_types(bake_run *run, const bake_inputs *inputs)
{
    return has_redirects(inputs)
               ? bake_run_append_types(run, kiln_types_with_redirects, "renamed ids")
               : BAKE_OK;
}

/* Whether no asset of the file has the earlier name. If one has it, reports an error. The asset can
 * be a part of a scene, because a dump may list renames of any kind. */
static bool is_free(bake_run *run, const bake_names *names, uint32_t output, const bake_link *link)
{
    const bake_name *other = bake_names_find(names, link->name, link->length);
    if (!other || (run->part ? other->output == BAKE_OUTPUT_EXTERN : other->output != output) ||
        other->is_abstract || other->is_assumed)
        return true;
    bake_report(run->diagnostics, BAKE_ERROR, bake_node_mark(link->tree, link->node), "renamed",
                link->name, "this earlier id is also the id of an asset in the file");
    return false;
}

/* Writes the renames that the output lists to `renames`. Returns their count, or SIZE_MAX after a
 * report. */
static size_t list_renames(bake_run *run, const bake_inputs *inputs, const bake_names *names,
                           uint32_t output, kiln_rename *renames)
{
    const bake_links *links = inputs->links;
    size_t count = 0;
    bool ok = true;
    for (size_t i = 0; i < links->count; i++) {
        const bake_link *link = &links->all[i];
        if (!is_redirect(link) || (run->options->each && link->input != output))
            continue;
        ok = is_free(run, names, output, link) && ok;
        renames[count++] =
            (kiln_rename){link->name, link->kind == BAKE_LINK_RENAMED ? link->to : NULL};
    }
    return ok ? count : SIZE_MAX;
}

static bake_result write_list(bake_run *run, const bake_links *links,
                              const kiln_redirects_finish_args *args)
{
    kiln_error error;
    memset(&error, 0, sizeof error);
    if (bake_run_compress(run->options, args->file, KILN_REDIRECTS_TYPE_NAME))
        return bake_fail_memory(&run->failure);
    kiln_status status = kiln_redirects_finish(args, &error);
    if (status == KILN_NO_MEMORY)
        return bake_fail_memory(&run->failure);
    if (status != KILN_DUPLICATE)
        return status ? bake_fail_bug(&run->failure, KILN_REDIRECTS_NAME, status, &error) : BAKE_OK;
    for (size_t i = 0; i < links->count; i++)
        if (is_redirect(&links->all[i])) {
            bake_report(run->diagnostics, BAKE_ERROR,
                        bake_node_mark(links->all[i].tree, links->all[i].node), "duplicate", NULL,
                        "the list of renamed ids cannot be written: two earlier ids have the same "
                        "64-bit hash, or an asset has the name %s",
                        KILN_REDIRECTS_NAME);
            break;
        }
    return BAKE_BAD_INPUT;
}

bake_result bake_run_redirects_write(bake_run *run, const bake_inputs *inputs,
                                     const bake_names *names, uint32_t output,
                                     kiln_file_writer *writer)
{
    bake_result result = BAKE_OK;
    if (!has_redirects(inputs) || !bake_part_has_redirects(run))
        return BAKE_OK;
    kiln_allocator allocator = bake_memory_allocator();
    kiln_rename *renames = bake_alloc_array(inputs->links->count, sizeof *renames);
    if (!renames)
        return bake_fail_memory(&run->failure);
    size_t count = list_renames(run, inputs, names, output, renames);
    const kiln_redirects_finish_args args = {renames, (uint32_t)count, run->schema->types, writer,
                                             &allocator};
    if (count == SIZE_MAX)
        result = BAKE_BAD_INPUT;
    else if (count > 0 && writer)
        result = write_list(run, inputs->links, &args);
    bake_free(renames);
    return result;
}
