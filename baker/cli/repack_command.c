/* kiln-bake repack: changes the compression and order of the assets of a kiln file. The assets
 * remain identical, byte for byte. The file is not trusted, so every rule of FORMAT.md is
 * checked. */
#include "bake_commands.h"

#include "bake_run.h"
#include "grouped_number.h"
#include "shipped_file.h"
#include "shipped_payload.h"

#include <kiln/cluster_plan.h>
#include <kiln/index.h>
#include <kiln/scene.h>
#include <stdlib.h>
#include <string.h>

/* ---- the order of assets ---- */

/* The order so far. Each asset occurs at most once. */
typedef struct ordering {
    const kiln_index *index;
    uint32_t *order;
    uint32_t count;
    bool *taken;
} ordering;

static void take(ordering *o, uint32_t asset)
{
    if (o->taken[asset])
        return;
    o->taken[asset] = true;
    o->order[o->count++] = asset;
}

/* qsort has no context argument, so each element carries its key. */
typedef struct keyed {
    const char *name; /* NULL: sort by key and index only */
    uint64_t key;
    uint32_t asset;
} keyed;

static int compare_keyed(const void *a, const void *b)
{
    const keyed *left = a, *right = b;
    if (left->key != right->key)
        return left->key < right->key ? -1 : 1;
    int order = left->name ? strcmp(left->name, right->name) : 0;
    return order ? order : (left->asset > right->asset) - (left->asset < right->asset);
}

/* Sorts by position in the file, by name, or by id, which is the order of the index. */
static uint32_t *sorted(bake_run *run, const kiln_index *index, bake_order by)
{
    uint32_t count = kiln_index_asset_count(index);
    keyed *list = bake_store_alloc(&run->store, count + 1, sizeof *list);
    uint32_t *numbers = bake_store_alloc(&run->store, count + 1, sizeof *numbers);
    if (!list || !numbers)
        return NULL;
    for (uint32_t i = 0; i < count; i++) {
        const kiln_index_asset *asset = kiln_index_asset_at(index, i);
        keyed made = {NULL, 0, i};
        if (by == BAKE_ORDER_KEPT || by == BAKE_ORDER_REFERENCES)
            made.key = asset->member;
        if (by == BAKE_ORDER_NAME)
            made.name = kiln_string_get(&asset->name);
        list[i] = made;
    }
    if (count > 1)
        qsort(list, count, sizeof *list, compare_keyed);
    for (uint32_t i = 0; i < count; i++)
        numbers[i] = list[i].asset;
    return numbers;
}

/* An asset on the current path, and how many of its references have been followed. */
typedef struct step {
    uint32_t asset, done;
} step;

/* Adds an asset, then depth first all assets that it refers to, so that a loader reads forward. The
 * stack is on the heap, because chains of references can be long; each asset is on it at most
 * once. */
static void take_with_references(ordering *o, uint32_t first, step *stack)
{
    uint32_t top = 0, assets = kiln_index_asset_count(o->index);
    if (o->taken[first])
        return;
    take(o, first);
    stack[top++] = (step){first, 0};
    while (top > 0) {
        step *at = &stack[top - 1];
        uint32_t count;
        const uint32_t *edges = kiln_index_edges(o->index, at->asset, &count);
        if (at->done == count) {
            top--;
            continue;
        }
        uint32_t next = edges[at->done++];
        if (next >= assets || o->taken[next])
            continue;
        take(o, next);
        stack[top++] = (step){next, 0};
    }
}

/* Adds the assets that the file of --first names, one per line; skips empty lines. */
static bake_result take_listed(bake_run *run, ordering *o)
{
    const char *path = run->options->first;
    size_t size;
    const char *text = bake_gateway_read(run->gateway, path, &size);
    if (!text)
        return bake_fail_read(&run->failure, run->gateway, path);
    const char *end = text + size;
    for (uint32_t line = 1; text < end; line++) {
        const char *stop = memchr(text, '\n', (size_t)(end - text));
        size_t length = (size_t)((stop ? stop : end) - text);
        size_t name = length && text[length - 1] == '\r' ? length - 1 : length;
        uint32_t asset = kiln_index_find_name(o->index, text, name);
        if (name && asset == KILN_ASSET_NONE)
            return bake_fail(&run->failure, BAKE_FAILED, "%s:%u: no asset is named '%.*s'", path,
                             line, (int)(name < 200 ? name : 200), text);
        if (name)
            take(o, asset);
        text += stop ? length + 1 : length;
    }
    return BAKE_OK;
}

/* The indexes of all assets in the requested order: first those named in the file of --first, then
 * the rest by --order. On failure, sets `run->failure` and returns NULL. */
static const uint32_t *order_assets(bake_run *run, const kiln_index *index)
{
    uint32_t count = kiln_index_asset_count(index);
    ordering o = {.index = index};
    o.order = bake_store_alloc(&run->store, (size_t)count + 1, sizeof *o.order);
    o.taken = bake_store_alloc(&run->store, (size_t)count + 1, sizeof *o.taken);
    step *stack = bake_store_alloc(&run->store, (size_t)count + 1, sizeof *stack);
    uint32_t *rest = sorted(run, index, run->options->order);
    if (!o.order || !o.taken || !stack || !rest) {
        bake_fail_memory(&run->failure);
        return NULL;
    }
    if (run->options->first && take_listed(run, &o))
        return NULL;
    for (uint32_t i = 0; i < count; i++) {
        if (run->options->order == BAKE_ORDER_REFERENCES)
            take_with_references(&o, rest[i], stack);
        else
            take(&o, rest[i]);
    }
    return o.order;
}

/* ---- rewriting the file ---- */

typedef struct repack {
    bake_run *run;
    shipped_file shipped;
    kiln_file_writer *writer;
    bake_output *output;
    uint64_t written;
    uint32_t plan;             /* number of the cluster plan; KILN_ASSET_NONE if there is none */
    shipped_payload *payloads; /* sources of the writer until the file is finished */
    uint32_t payload_count;
} repack;

static bake_result refuse(repack *r, kiln_status status, const kiln_error *error)
{
    return bake_shipped_reject(&r->shipped, status, error);
}

static bake_result refuse_untyped(repack *r)
{
    bake_run *run = r->run;
    const char *path = r->shipped.def.path;
    bake_mark whole = {bake_diagnostics_add_source(run->diagnostics, path, NULL, 0), 0, 1, 1};
    bake_report(run->diagnostics, BAKE_ERROR, whole, "repack", NULL,
                "the file has no type table, so its values cannot be checked");
    return BAKE_BAD_INPUT;
}

/* The parts of a scene share a dictionary with the scene, as in a build. */
static const char *group_of(const char *name, const char *type)
{
    static const char data[] = "SceneData";
    const char *dot = strrchr(type, '.');
    bool is_data = strncmp(name, data, sizeof data - 1) == 0 && name[sizeof data - 1] == '/' &&
                   strcmp(dot ? dot + 1 : type, data) == 0;
    return is_data || strcmp(type, KILN_SCENE_CHUNKS_TYPE_NAME) == 0 ? KILN_SCENE_TYPE_NAME : type;
}

/* The file keeps its assets, imports and references, so its plan stays valid. As in a build, the
 * plan is compressed without a dictionary. */
static kiln_status prepare_plan(repack *r, const kiln_index_member *member,
                                const unsigned char *blob, kiln_error *reterr)
{
    const kiln_cluster_plan *plan;
    kiln_span bytes = {blob, (size_t)member->size};
    kiln_status status =
        kiln_cluster_plan_read(r->shipped.index, bytes, &r->shipped.allocator, &plan, reterr);
    if (status) {
        reterr->offset += member->place;
        return status;
    }
    return kiln_file_writer_compress(r->writer, (int)r->run->options->compress, NULL);
}

/* Adds a payload with the same alignment and size of frames. The frames are compressed again. */
static kiln_status add_payload(repack *r, uint32_t number, kiln_error *reterr)
{
    shipped_payload *payload = &r->payloads[r->payload_count];
    const bake_options *o = r->run->options;
    kiln_status status = bake_shipped_payload(&r->shipped, number, payload, reterr);
    if (!status)
        r->payload_count++;
    if (!status)
        status = bake_run_compress(o, r->writer, KILN_PAYLOAD_TYPE_NAME);
    if (status)
        return status;
    const kiln_payload_view *view = &payload->view;
    uint32_t align = 0;
    if (view->member != KILN_MEMBER_NONE)
        align = UINT32_C(1) << kiln_index_member_at(r->shipped.index, view->member)->align_log2;
    const kiln_payload_args args = {.read = bake_shipped_payload_data,
                                    .ctx = payload,
                                    .size = view->payload->size,
                                    .alignment = align,
                                    .frame_size = view->payload->frame_size,
                                    .level = (int)o->compress};
    return kiln_file_writer_payload(r->writer, &args, NULL, reterr);
}

static kiln_status add_asset(repack *r, uint32_t number, kiln_error *reterr)
{
    const kiln_index_asset *asset = kiln_index_asset_at(r->shipped.index, number);
    if (bake_shipped_is_payload(&r->shipped, number))
        return add_payload(r, number, reterr);
    const kiln_index_member *member = kiln_index_member_at(r->shipped.index, asset->member);
    const char *type = kiln_string_get(&kiln_index_type_at(r->shipped.index, asset->type)->name);
    const unsigned char *blob;
    kiln_status status = bake_shipped_blob(&r->shipped, asset->member, &blob, reterr);
    if (!status && number == r->plan)
        status = prepare_plan(r, member, blob, reterr);
    else if (!status)
        status = bake_run_compress(r->run->options, r->writer,
                                   group_of(kiln_string_get(&asset->name), type));
    if (status)
        return status;
    status = kiln_file_writer_add(r->writer, kiln_string_get(&asset->name),
                                  kiln_types_find(r->shipped.types, type),
                                  (kiln_span){blob, (size_t)member->size}, reterr);
    if (status)
        reterr->offset += member->place;
    return status;
}

static kiln_status add_all(repack *r, const uint32_t *order, kiln_error *reterr)
{
    kiln_file_writer_def def = kiln_file_writer_def_default();
    def.types = r->shipped.types;
    def.allocator = &r->shipped.allocator;
    r->payloads = bake_store_alloc(&r->run->store, (size_t)r->shipped.index->assets.count + 1,
                                   sizeof *r->payloads);
    if (!r->payloads)
        return KILN_NO_MEMORY;
    kiln_status status =
        kiln_cluster_plan_check_names(r->shipped.index, r->shipped.file.data, reterr);
    if (!status)
        status = kiln_file_writer_create(&def, &r->writer, reterr);
    for (uint32_t i = 0; i < kiln_index_asset_count(r->shipped.index) && !status; i++)
        status = add_asset(r, order[i], reterr);
    for (uint32_t i = 0; i < r->shipped.index->imports.count && !status; i++) {
        const kiln_string *name = &kiln_index_import_at(r->shipped.index, i)->name;
        status = kiln_file_writer_import(r->writer, kiln_string_get(name));
    }
    return status;
}

static bool write_counted(void *ctx, const void *data, size_t size)
{
    repack *r = ctx;
    r->written += size;
    return !r->output || bake_output_write(r->output, data, size);
}

static bake_result write_file(repack *r)
{
    bake_run *run = r->run;
    const char *path = run->options->output;
    kiln_error error = {.status = KILN_OK};
    run->outputs = bake_store_alloc(&run->store, 1, sizeof *run->outputs);
    if (!run->outputs)
        return bake_fail_memory(&run->failure);
    if (!run->options->dry_run && !(r->output = bake_run_begin(run, path)))
        return run->failure.result;
    kiln_status status = kiln_file_writer_finish(r->writer, write_counted, r, &error);
    if (status == KILN_IO)
        return bake_fail_errno(&run->failure, "write", path);
    if (status)
        return refuse(r, status, &error);
    return r->output ? bake_run_commit(run) : BAKE_OK;
}

static void print_summary(const repack *r)
{
    char assets[32], before[32], after[32];
    uint32_t count = kiln_index_asset_count(r->shipped.index);
    const char *path = r->run->options->output;
    if (r->run->options->quiet)
        return;
    fprintf(r->run->err, "%s: %s asset%s, %s bytes instead of %s\n",
            r->run->options->dry_run ? "not written"
            : strcmp(path, "-") == 0 ? "standard output"
                                     : path,
            bake_grouped(assets, count), count == 1 ? "" : "s", bake_grouped(after, r->written),
            bake_grouped(before, r->shipped.size));
}

static bake_result run_repack(repack *r)
{
    kiln_error error = {.status = KILN_OK};
    const shipped_file_def def = {r->run->gateway, r->run->diagnostics, &r->run->failure,
                                  r->run->options->inputs.items[0], "repack"};
    bake_result result = bake_shipped_read(&r->shipped, &def);
    if (result)
        return result;
    if (!r->shipped.types)
        return refuse_untyped(r);
    r->plan = kiln_cluster_plan_find(r->shipped.index);
    const uint32_t *order = order_assets(r->run, r->shipped.index);
    if (!order)
        return r->run->failure.result;
    kiln_status status = add_all(r, order, &error);
    if (status)
        return refuse(r, status, &error);
    result = write_file(r);
    if (!result)
        print_summary(r);
    return result;
}

bake_result bake_run_repack(bake_run *run)
{
    repack r = {.run = run};
    bake_result result = run_repack(&r);
    kiln_file_writer_destroy(r.writer);
    for (uint32_t i = 0; i < r.payload_count; i++)
        bake_shipped_payload_fini(&r.payloads[i]);
    bake_shipped_fini(&r.shipped);
    return result;
}
