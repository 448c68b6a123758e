/* Writes a cluster plan. It depends only on the references between the assets of the file and on
 * the schema, so its bytes do not depend on the order of inputs.
 *
 * The plan is itself an asset of the file. Its numbers are positions in the final index, where the
 * plan increases the numbers of all assets after it by one. */
#include "run_clusters.h"

#include "bake_memory.h"
#include "cluster_plan_make.h"
#include "run_types.h"

#include <kiln/builder.h>
#include <kiln/cluster_plan.h>
#include <kiln/scene.h>
#include <string.h>

bool bake_run_has_clusters(const bake_run *run, bool has_scenes)
{
    return run->schema->has_clusters || has_scenes;
}

bake_result bake_run_clusters_types(bake_run *run, bool has_scenes)
{
    return bake_run_has_clusters(run, has_scenes)
               ? bake_run_append_types(run, kiln_types_with_clusters, "cluster plans")
               : BAKE_OK;
}

/* Returns the role of a type. Scenes are roots; their chunks and data are members. */
static uint8_t role_of(const bake_schema *schema, uint32_t type, uint32_t scene)
{
    return (uint8_t)(type == scene ? BAKE_CLUSTER_ROOT : schema->info[type].cluster);
}

static bool make_plan(const bake_schema *schema, const kiln_file_graph *graph,
                      bake_cluster_plan *ret_plan)
{
    uint32_t scene = kiln_types_find(schema->types, KILN_SCENE_TYPE_NAME);
    uint8_t *roles = bake_alloc_array(graph->asset_count, sizeof *roles);
    for (uint32_t i = 0; roles && i < graph->asset_count; i++)
        roles[i] = role_of(schema, graph->types[i], scene);
    bake_cluster_graph of = {graph->edge_starts, graph->edges, roles, graph->asset_count,
                             graph->import_count};
    bool ok = roles && bake_cluster_plan_make(&of, ret_plan);
    bake_free(roles);
    return ok;
}

/* How many assets have an id below that of the plan. */
static uint32_t assets_before_plan(const kiln_file_graph *graph)
{
    kiln_id id = kiln_asset_id(KILN_CLUSTERS_ASSET_NAME, strlen(KILN_CLUSTERS_ASSET_NAME));
    uint32_t before = 0;
    while (before < graph->asset_count && graph->ids[before] < id)
        before++;
    return before;
}

/* Adds a list of `numbers`, in which all from `shifted_from` on are increased by one. */
static void put(kiln_builder *b, kiln_array *field, const uint32_t *numbers, uint32_t count,
                uint32_t shifted_from)
{
    uint32_t *to = kiln_builder_array(b, field, count, sizeof *to, sizeof *to);
    for (uint32_t i = 0; to && i < count; i++)
        to[i] = numbers[i] + (numbers[i] >= shifted_from);
}

static void fill(kiln_builder *b, const bake_cluster_plan *from, uint32_t before)
{
    kiln_cluster_plan *to = kiln_builder_root(b, sizeof *to, _Alignof(kiln_cluster_plan));
    uint32_t count = from->count;
    if (!to)
        return;
    put(b, &to->roots, from->roots, count, before);
    put(b, &to->member_starts, from->member_starts, count + 1, UINT32_MAX);
    put(b, &to->members, from->members, from->member_starts[count], before);
    put(b, &to->mutable_starts, from->mutable_starts, count + 1, UINT32_MAX);
    put(b, &to->mutables, from->mutables, from->mutable_starts[count], before);
    put(b, &to->reference_starts, from->reference_starts, count + 1, UINT32_MAX);
    put(b, &to->references, from->references, from->reference_starts[count], UINT32_MAX);
}

/* Plans have no dictionary: their bytes have nothing in common with those of other assets. */
static kiln_status write_plan(bake_run *run, const bake_cluster_plan *plan, uint32_t before,
                              kiln_file_writer *writer, kiln_error *reterr)
{
    kiln_allocator allocator = bake_memory_allocator();
    kiln_builder_def def = kiln_builder_def_default();
    kiln_builder *builder = NULL;
    kiln_buffer blob;
    uint32_t type = kiln_types_find(run->schema->types, KILN_CLUSTERS_TYPE_NAME);
    memset(&blob, 0, sizeof blob);
    def.types = run->schema->types;
    def.allocator = &allocator;
    kiln_status status = kiln_builder_create(&def, &builder);
    if (status)
        return status;
    fill(builder, plan, before);
    status = kiln_builder_finish(builder, type, KILN_FLAG_CANONICAL, &blob, reterr);
    kiln_builder_destroy(builder);
    if (!status && run->options->verbose)
        fprintf(run->err, "%s: %zu bytes, from the references between assets\n",
                KILN_CLUSTERS_ASSET_NAME, blob.size);
    if (!status)
        status = kiln_file_writer_compress(writer, (int)run->options->compress, NULL);
    if (!status)
        status = kiln_file_writer_take(writer, KILN_CLUSTERS_ASSET_NAME, type, &blob, reterr);
    kiln_buffer_fini(&blob);
    return status;
}

kiln_status bake_run_clusters_add(bake_run *run, kiln_file_writer *writer, kiln_error *reterr)
{
    kiln_file_graph graph;
    bake_cluster_plan plan;
    memset(&plan, 0, sizeof plan);
    kiln_status status = kiln_file_writer_get_graph(writer, &graph, reterr);
    if (status)
        return status;
    if (!make_plan(run->schema, &graph, &plan))
        status = KILN_NO_MEMORY;
    else if (plan.count)
        status = write_plan(run, &plan, assets_before_plan(&graph), writer, reterr);
    bake_cluster_plan_fini(&plan);
    kiln_file_graph_fini(&graph);
    return status;
}
