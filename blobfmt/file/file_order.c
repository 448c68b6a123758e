#include "file_order.h"

#include "number_sort.h"

#include <string.h>

static int compare_assets(const void *ctx, uint32_t a, uint32_t b)
{
    const writer_asset *assets = ctx;
    return (assets[a].id > assets[b].id) - (assets[a].id < assets[b].id);
}
static int compare_imports(const void *ctx, uint32_t a, uint32_t b)
{
    const writer_import *imports = ctx;
    return (imports[a].id > imports[b].id) - (imports[a].id < imports[b].id);
}
static int compare_types(const void *ctx, uint32_t a, uint32_t b)
{
    return strcmp(kiln_types_get(ctx, a)->name, kiln_types_get(ctx, b)->name);
}

static uint32_t *new_numbers(arena *memory, size_t count)
{
    return kiln_arena_alloc_zeroed(memory, (count + 1) * sizeof(uint32_t), sizeof(uint32_t));
}

void kiln_writer_rank(uint32_t *ranks, const uint32_t *order, size_t count)
{
    for (uint32_t i = 0; i < count; i++)
        ranks[order[i]] = i;
}

/* Marks the imports to which assets refer: I19 allows no others in the index. Returns KILN_DANGLING
 * if an asset refers to an id that belongs to neither an asset nor an import; the error names the
 * asset that contains the reference. */
static kiln_status mark_used_imports(kiln_file_writer *writer, kiln_error *reterr)
{
    const writer_asset *assets = writer->assets.items;
    const kiln_id *refs = writer->refs.items;
    writer_import *imports = writer->imports.items;
    for (size_t i = 0; i < writer->imports.count; i++)
        imports[i].used = false;
    for (size_t i = 0; i < writer->assets.count; i++) {
        for (uint32_t r = assets[i].first_ref; r < assets[i].first_ref + assets[i].ref_count; r++) {
            if (kiln_writer_find_asset(writer, refs[r]) != UINT32_MAX)
                continue;
            uint32_t import = kiln_writer_find_import(writer, refs[r]);
            if (import == UINT32_MAX)
                return kiln_fail(reterr, KILN_DANGLING, 0, assets[i].name);
            imports[import].used = true;
        }
    }
    return KILN_OK;
}

/* Sorts assets, imports and types, and computes their ranks. `type_ranks` is first used to mark the
 * types that assets have: I20 allows no others in the index. */
static void sort_all(const kiln_file_writer *writer, writer_order *o)
{
    const writer_asset *assets = writer->assets.items;
    const writer_import *imports = writer->imports.items;
    uint32_t asset_count = (uint32_t)writer->assets.count;
    uint32_t type_count = kiln_types_count(writer->types);
    for (uint32_t i = 0; i < asset_count; i++) {
        o->assets[i] = i;
        o->type_ranks[assets[i].type] = 1;
    }
    for (uint32_t i = 0; i < writer->imports.count; i++)
        if (imports[i].used)
            o->imports[o->import_count++] = i;
    for (uint32_t i = 0; i < type_count; i++)
        if (o->type_ranks[i])
            o->types[o->type_count++] = i;
    kiln_number_sort(o->assets, asset_count, compare_assets, assets);
    kiln_number_sort(o->imports, o->import_count, compare_imports, imports);
    kiln_number_sort(o->types, o->type_count, compare_types, writer->types);
    kiln_writer_rank(o->ranks, o->assets, asset_count);
    kiln_writer_rank(o->import_ranks, o->imports, o->import_count);
    kiln_writer_rank(o->type_ranks, o->types, o->type_count);
}

kiln_status kiln_writer_order(kiln_file_writer *writer, arena *memory, writer_order *ret_order,
                              kiln_error *reterr)
{
    size_t assets = writer->assets.count, imports = writer->imports.count;
    uint32_t types = kiln_types_count(writer->types);
    writer_order o = {0};
    kiln_status status = mark_used_imports(writer, reterr);
    if (status)
        return status;
    o.assets = new_numbers(memory, assets);
    o.ranks = new_numbers(memory, assets);
    o.imports = new_numbers(memory, imports);
    o.import_ranks = new_numbers(memory, imports);
    o.types = new_numbers(memory, types);
    o.type_ranks = new_numbers(memory, types);
    if (!o.assets || !o.ranks || !o.imports || !o.import_ranks || !o.types || !o.type_ranks)
        return kiln_fail(reterr, KILN_NO_MEMORY, 0, NULL);
    sort_all(writer, &o);
    *ret_order = o;
    return KILN_OK;
}

/* The value of an edge to this id: the rank of an asset, or the number of assets plus the rank of
 * an import. mark_used_imports has checked that one of the two exists. */
static uint32_t node_of(const kiln_file_writer *writer, const writer_order *order, kiln_id id)
{
    uint32_t asset = kiln_writer_find_asset(writer, id);
    if (asset != UINT32_MAX)
        return order->ranks[asset];
    uint32_t import = kiln_writer_find_import(writer, id);
    return (uint32_t)writer->assets.count + order->import_ranks[import];
}

void kiln_writer_list_edges(const kiln_file_writer *writer, const writer_order *order,
                            uint32_t *starts, uint32_t *edges)
{
    const writer_asset *assets = writer->assets.items;
    const kiln_id *refs = writer->refs.items;
    uint32_t at = 0;
    starts[0] = 0;
    for (uint32_t i = 0; i < writer->assets.count; i++) {
        const writer_asset *asset = &assets[order->assets[i]];
        /* I10 requires ascending edges. References ascend by id, and so do the ranks of assets and
         * of imports, so two passes suffice: assets first, then imports. */
        for (int imported = 0; imported <= 1; imported++) {
            for (uint32_t r = 0; r < asset->ref_count; r++) {
                uint32_t node = node_of(writer, order, refs[asset->first_ref + r]);
                if ((node >= writer->assets.count) == imported)
                    edges[at++] = node;
            }
        }
        starts[i + 1] = at;
    }
}

/* ---- the references, for the program ---- */

static kiln_status make_graph(kiln_file_writer *writer, const writer_order *order,
                              kiln_file_graph *ret_graph, kiln_error *reterr)
{
    const writer_asset *assets = writer->assets.items;
    size_t count = writer->assets.count, edge_count = writer->refs.count;
    kiln_file_graph graph = {.asset_count = (uint32_t)count,
                             .import_count = order->import_count,
                             .allocator = writer->allocator};
    /* The ids come first, because they need the largest alignment. */
    size_t numbers = 2 * count + 1 + edge_count;
    graph.memory_size = count * sizeof(kiln_id) + numbers * sizeof(uint32_t);
    graph.memory = graph.allocator.alloc(graph.allocator.ctx, graph.memory_size, 8);
    if (!graph.memory)
        return kiln_fail(reterr, KILN_NO_MEMORY, 0, NULL);
    kiln_id *ids = graph.memory;
    uint32_t *types = (uint32_t *)(ids + count), *starts = types + count;
    for (size_t i = 0; i < count; i++) {
        ids[i] = assets[order->assets[i]].id;
        types[i] = assets[order->assets[i]].type;
    }
    kiln_writer_list_edges(writer, order, starts, starts + count + 1);
    graph.ids = ids;
    graph.types = types;
    graph.edge_starts = starts;
    graph.edges = starts + count + 1;
    *ret_graph = graph;
    return KILN_OK;
}

kiln_status kiln_file_writer_get_graph(kiln_file_writer *writer, kiln_file_graph *ret_graph,
                                       kiln_error *reterr)
{
    enum { ORDER_BLOCK = 65536 };
    writer_order order;
    arena memory;
    kiln_arena_init(&memory, &writer->allocator, ORDER_BLOCK);
    kiln_status status = kiln_writer_order(writer, &memory, &order, reterr);
    if (!status)
        status = make_graph(writer, &order, ret_graph, reterr);
    kiln_arena_fini(&memory);
    return status;
}

void kiln_file_graph_fini(kiln_file_graph *graph)
{
    if (graph && graph->memory)
        graph->allocator.free(graph->allocator.ctx, graph->memory, graph->memory_size);
    if (graph)
        memset(graph, 0, sizeof *graph);
}
