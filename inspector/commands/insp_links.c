/* Values that share parts could take exponential time, so the steps of all walks of a run are
 * limited like the steps of printing. */
#include "insp_links.h"

#include "insp_memory.h"
#include "insp_message.h"
#include "insp_type_reach.h"
#include "insp_unpack.h"

#include <inttypes.h>

enum { STEPS_PER_BYTE = 4, STEPS_MIN = 100000 };

static bool visit_value(insp_walk *walk, const insp_step *step, const kiln_value *value,
                        bool is_key)
{
    insp_links *links = walk->ctx;
    insp_link link = {.from = links->from, .step = step, .value = value};
    (void)is_key;
    if (value->of->kind != KILN_KIND_REF)
        return true;
    link.id = kiln_value_uint(value);
    if (!link.id) {
        walk->broken++;
        return false;
    }
    link.to = insp_mounts_target(links->mounts, link.id);
    /* The walk stops, but the next asset begins a new one. */
    if (!links->visit(links->ctx, &link))
        links->is_done = walk->stopped = true;
    return false;
}

int insp_links_init(insp_links *links, insp_run *run, const insp_mounts *mounts)
{
    uint64_t limit = run->out.limit;
    *links = (insp_links){.run = run, .mounts = mounts};
    links->walk.visit = visit_value;
    links->walk.ctx = links;
    links->walk.left = limit < UINT64_MAX / STEPS_PER_BYTE - STEPS_MIN
                           ? STEPS_MIN + limit * STEPS_PER_BYTE
                           : UINT64_MAX;
    links->reach = insp_alloc_array(mounts->count, sizeof *links->reach);
    return links->reach ? INSP_OK : insp_no_memory(run);
}

int insp_links_fini(insp_links *links)
{
    insp_run *run = links->run;
    uint32_t broken = links->walk.broken, i;
    for (i = 0; links->reach && i < links->mounts->count; i++)
        insp_free(links->reach[i]);
    insp_free(links->reach);
    links->reach = NULL;
    if (broken)
        insp_complain(run, NULL, "%" PRIu32 " broken value%s; see kiln-inspect verify", broken,
                      broken == 1 ? "" : "s");
    if (links->unread)
        insp_complain(run, NULL,
                      "the values of %" PRIu32 " asset%s cannot be read, so the fields of %s "
                      "references are unknown",
                      links->unread, links->unread == 1 ? "" : "s",
                      links->unread == 1 ? "its" : "their");
    if (links->walk.stopped)
        insp_out_cut(&run->out);
    return broken || links->unread || links->walk.stopped ? INSP_BAD : INSP_OK;
}

/* Visits the references that the index states. */
static void visit_edges(insp_links *links)
{
    const kiln_index *index = links->from.file->index;
    uint32_t count = 0, i;
    const uint32_t *edges =
        index ? kiln_index_edges(index, links->from.asset->number, &count) : NULL;
    for (i = 0; edges && i < count; i++) {
        insp_link link = {.from = links->from, .id = kiln_index_edge_id(index, edges[i])};
        link.to = insp_mounts_target(links->mounts, link.id);
        if (!links->visit(links->ctx, &link))
            return;
    }
}

static const bool *reach_of(insp_links *links, const insp_file *file)
{
    bool **reach;
    uint32_t i = 0;
    while (links->mounts->files[i] != file)
        i++;
    reach = &links->reach[i];
    if (!*reach)
        *reach = insp_type_reach_kinds(file->types, UINT32_C(1) << KILN_KIND_REF);
    return *reach;
}

int insp_links_each(insp_links *links, insp_mounted from, insp_link_visit *visit, void *ctx)
{
    kiln_value root;
    kiln_status status = insp_asset_root(from.file, from.asset, &root);
    links->from = from;
    links->visit = visit;
    links->ctx = ctx;
    if (status == KILN_OK && root.types == from.file->types) {
        links->walk.inside = reach_of(links, from.file);
        if (!links->walk.inside)
            status = KILN_NO_MEMORY;
    }
    if (status == KILN_NO_MEMORY)
        return insp_no_memory(links->run);
    if (status) {
        links->unread++;
        visit_edges(links);
        return INSP_OK;
    }
    links->is_done = false;
    insp_walk_value(&links->walk, &root);
    if (links->is_done)
        links->walk.stopped = false;
    return INSP_OK;
}

insp_text insp_link_target_name(const insp_links *links, const insp_link *link)
{
    return link->to.asset ? link->to.asset->name : insp_mounts_name(links->mounts, link->id);
}
