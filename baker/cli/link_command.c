/* kiln-bake link: joins the parts of a bundle (run_part.h) to the file that a direct bake would
 * write, byte by byte.
 *
 * The blobs of the parts are copied. Everything that depends on the whole bundle is made here in
 * the same way as in a direct bake: the index, the type table, shared members, compression, and the
 * cluster plan. Parts are not trusted: every blob is verified against the schema. */
#include "bake_commands.h"

#include "bake_memory.h"
#include "bake_text.h"
#include "grouped_number.h"
#include "link_messages.h"
#include "run_budgets.h"
#include "run_clusters.h"
#include "run_part.h"
#include "run_payloads.h"
#include "run_types.h"
#include "shipped_file.h"
#include "shipped_payload.h"

#include <errno.h>
#include <kiln/cluster_plan.h>
#include <kiln/redirects.h>
#include <kiln/scene.h>
#include <stdlib.h>
#include <string.h>

/* The order in which a direct bake adds assets: by name, where the parts of a scene follow the
 * scene. The list of redirects comes after all others, and then payloads. */
typedef enum link_rank {
    LINK_ASSET,
    LINK_CHUNKS,
    LINK_DATA,
    LINK_REDIRECTS,
    LINK_PAYLOAD
} link_rank;

typedef struct link_asset {
    const char *key; /* the name of the asset, or that of the scene to which it belongs */
    size_t key_length;
    link_rank rank;
    size_t part;
    uint32_t number; /* in the index of the part */
    const char *name, *type;
    size_t name_length;
} link_asset;

typedef struct linking {
    bake_run *run;
    bake_part_names *names;
    shipped_file *parts;
    size_t part_count, scene_count;
    link_asset *assets; /* sorted */
    size_t asset_count;
    shipped_payload *payloads; /* sources of the writer until the file is finished */
    size_t payload_count;
    kiln_file_writer *writer;
    bake_output *output;
    uint64_t written;
    bake_part_notes *notes; /* by part */
} linking;

static bake_result report(const linking *l, size_t part, const char *name, const char *text,
                          const char *more)
{
    bake_run *run = l->run;
    const char *path = run->options->inputs.items[part];
    bake_mark whole = {bake_diagnostics_add_source(run->diagnostics, path, NULL, 0), 0, 1, 1};
    bake_report(run->diagnostics, BAKE_ERROR, whole, "link", name, "%s%s", text, more);
    return BAKE_BAD_INPUT;
}

/* ---- the assets of the parts ---- */

static bool begins(const char *name, const char *kind)
{
    size_t length = strlen(kind);
    return strncmp(name, kind, length) == 0 && name[length] == '/';
}

/* Sets the key and rank. Parts of a scene have the name `Scene/x` as key. Returns false if memory
 * runs out. */
static bool rank(linking *l, link_asset *asset)
{
    bool is_chunks = strcmp(asset->type, KILN_SCENE_CHUNKS_TYPE_NAME) == 0;
    const char *dot = strrchr(asset->type, '.');
    bool is_data =
        begins(asset->name, "SceneData") && strcmp(dot ? dot + 1 : asset->type, "SceneData") == 0;
    asset->key = asset->name;
    asset->key_length = asset->name_length;
    asset->rank = strcmp(asset->name, KILN_REDIRECTS_NAME) == 0      ? LINK_REDIRECTS
                  : strcmp(asset->type, KILN_PAYLOAD_TYPE_NAME) == 0 ? LINK_PAYLOAD
                  : is_chunks                                        ? LINK_CHUNKS
                  : is_data                                          ? LINK_DATA
                                                                     : LINK_ASSET;
    if (!is_chunks && !is_data)
        return true;
    const char *slash = strchr(asset->name, '/');
    asset->key = bake_store_join(&l->run->store, "Scene", '/', slash + 1);
    asset->key_length = asset->key ? strlen(asset->key) : 0;
    return asset->key != NULL;
}

static int compare_assets(const void *a, const void *b)
{
    const link_asset *x = a, *y = b;
    link_rank last = x->rank >= LINK_REDIRECTS ? x->rank : LINK_ASSET;
    link_rank other = y->rank >= LINK_REDIRECTS ? y->rank : LINK_ASSET;
    if (last != other)
        return last < other ? -1 : 1;
    int order = bake_compare_text(x->key, x->key_length, y->key, y->key_length);
    if (order)
        return order;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    return (x->part > y->part) - (x->part < y->part);
}

/* Reads a kiln file and the notes behind it. */
static bake_result read_part(linking *l, size_t number)
{
    bake_run *run = l->run;
    const char *path = run->options->inputs.items[number];
    const shipped_file_def def = {run->gateway, run->diagnostics, &run->failure, path, "link"};
    const unsigned char *body;
    size_t size, body_size;
    const char *text = bake_gateway_read(run->gateway, path, &size);
    if (!text)
        return bake_fail_read(&run->failure, run->gateway, path);
    size = bake_part_notes_find(text, size, &body, &body_size);
    if (body && !bake_part_notes_read(body, body_size, &run->store, &l->notes[number]))
        return errno == ENOMEM
                   ? bake_fail_memory(&run->failure)
                   : bake_fail(&run->failure, BAKE_FAILED,
                               "cannot read %s: it was not written by `kiln-bake build --names` of "
                               "this version",
                               path);
    return bake_shipped_copy(&l->parts[number], &def, text, size);
}

static bake_result read_parts(linking *l)
{
    const bake_list *paths = &l->run->options->inputs;
    l->parts = bake_alloc_array(paths->count, sizeof *l->parts);
    l->notes = bake_store_alloc(&l->run->store, paths->count, sizeof *l->notes);
    if (!l->parts || !l->notes)
        return bake_fail_memory(&l->run->failure);
    for (size_t i = 0; i < paths->count; i++) {
        l->part_count = i + 1;
        bake_result result = read_part(l, i);
        if (result)
            return result;
        l->asset_count += kiln_index_asset_count(l->parts[i].index);
    }
    return BAKE_OK;
}

static bake_result list_assets(linking *l)
{
    size_t at = 0;
    l->assets = bake_alloc_array(l->asset_count + 1, sizeof *l->assets);
    if (!l->assets)
        return bake_fail_memory(&l->run->failure);
    for (size_t p = 0; p < l->part_count; p++) {
        const kiln_index *index = l->parts[p].index;
        for (uint32_t i = 0; i < kiln_index_asset_count(index); i++) {
            const kiln_index_asset *from = kiln_index_asset_at(index, i);
            link_asset *asset = &l->assets[at++];
            *asset = (link_asset){.part = p,
                                  .number = i,
                                  .name = kiln_string_get(&from->name),
                                  .name_length = from->name.length};
            asset->type = kiln_string_get(&kiln_index_type_at(index, from->type)->name);
            l->scene_count += strcmp(asset->type, KILN_SCENE_TYPE_NAME) == 0;
            if (!rank(l, asset))
                return bake_fail_memory(&l->run->failure);
        }
    }
    if (l->asset_count > 1)
        qsort(l->assets, l->asset_count, sizeof *l->assets, compare_assets);
    return BAKE_OK;
}

/* ---- completeness ---- */

static int compare_names(const void *a, const void *b)
{
    const bake_part_name *x = a, *y = b;
    return bake_compare_text(x->name, x->length, y->name, y->length);
}

/* Whether an asset that is not in the names file belongs to a bundle nevertheless. */
static bool is_extra(const linking *l, const link_asset *asset)
{
    return asset->rank == LINK_CHUNKS || asset->rank == LINK_DATA || asset->rank == LINK_PAYLOAD ||
           (asset->rank == LINK_REDIRECTS && l->names->has_redirects);
}

static bool is_expected(const bake_part_name *name)
{
    return !name->is_abstract && !name->is_part;
}

static bake_result missing(const linking *l, const bake_part_name *name)
{
    return bake_fail(&l->run->failure, BAKE_FAILED, "the asset %.200s is in none of the parts",
                     name->name);
}

/* Compares an asset with the names from `*at` on, and advances `*at` after its name. */
static bake_result check_asset(const linking *l, const link_asset *asset, size_t *at)
{
    const bake_part_name *names = l->names->names;
    size_t count = l->names->name_count;
    while (*at < count && !is_expected(&names[*at]))
        ++*at;
    int order = *at < count ? bake_compare_text(names[*at].name, names[*at].length, asset->name,
                                                asset->name_length)
                            : 1;
    if (order < 0)
        return missing(l, &names[*at]);
    if (order > 0)
        return report(l, asset->part, asset->name,
                      "this asset is not in the names file; bake the part again", "");
    ++*at;
    return BAKE_OK;
}

/* Reports an asset that is missing, is in two parts, or does not belong to the bundle. A part that
 * is older than the names file would otherwise give a file that no direct bake can write. */
static bake_result check_assets(const linking *l)
{
    const bake_part_names *names = l->names;
    size_t at = 0;
    bake_result result = BAKE_OK;
    if (names->name_count > 1)
        qsort(names->names, names->name_count, sizeof *names->names, compare_names);
    for (size_t i = 0; i < l->asset_count && !result; i++) {
        const link_asset *asset = &l->assets[i], *before = i > 0 ? asset - 1 : NULL;
        /* Several parts may have the same data. */
        if (before && asset->rank != LINK_PAYLOAD && before->name_length == asset->name_length &&
            memcmp(before->name, asset->name, asset->name_length) == 0)
            return report(l, asset->part, asset->name, "this asset is also in ",
                          l->run->options->inputs.items[before->part]);
        if (!is_extra(l, asset))
            result = check_asset(l, asset, &at);
    }
    for (; at < names->name_count && !result; at++)
        if (is_expected(&names->names[at]))
            result = missing(l, &names->names[at]);
    return result;
}

/* ---- the file ---- */

/* Appends the built-in types in the same order as a direct bake. */
static bake_result append_types(linking *l)
{
    bake_run *run = l->run;
    if (l->names->has_scenes && bake_run_append_types(run, kiln_types_with_scene, "scenes"))
        return run->failure.result;
    if (l->names->has_redirects &&
        bake_run_append_types(run, kiln_types_with_redirects, "renamed ids"))
        return run->failure.result;
    return l->names->has_clusters
               ? bake_run_append_types(run, kiln_types_with_clusters, "cluster plans")
               : BAKE_OK;
}

static bake_result refuse(const linking *l, const link_asset *asset, kiln_status status,
                          const kiln_error *error)
{
    char text[300];
    if (status == KILN_NO_MEMORY)
        return bake_fail_memory(&l->run->failure);
    snprintf(text, sizeof text, "%s (rule %s, at %.100s)", kiln_status_text(status),
             kiln_status_word(status), error->path[0] ? error->path : "its header");
    return report(l, asset->part, asset->name, "this asset does not fit the schema: ", text);
}

static kiln_status add_asset(linking *l, const link_asset *asset, kiln_error *reterr)
{
    const shipped_file *part = &l->parts[asset->part];
    uint32_t member = kiln_index_asset_at(part->index, asset->number)->member;
    size_t size = (size_t)kiln_index_member_at(part->index, member)->size;
    const unsigned char *blob;
    bool is_of_scene = asset->rank == LINK_CHUNKS || asset->rank == LINK_DATA;
    kiln_status status = bake_run_compress(l->run->options, l->writer,
                                           is_of_scene ? KILN_SCENE_TYPE_NAME : asset->type);
    if (!status)
        status = bake_shipped_blob(&l->parts[asset->part], member, &blob, reterr);
    if (status)
        return status;
    return kiln_file_writer_add(l->writer, asset->name,
                                kiln_types_find(l->run->schema->types, asset->type),
                                (kiln_span){blob, size}, reterr);
}

static bool is_same_payload(const link_asset *a, const link_asset *b)
{
    return a->name_length == b->name_length && memcmp(a->name, b->name, a->name_length) == 0;
}

/* How the values of a part need the data. */
static bake_payload_form form_of(const linking *l, const link_asset *asset,
                                 const shipped_payload *payload)
{
    const kiln_payload_view *view = &payload->view;
    const kiln_hash128 content = {view->payload->content_low, view->payload->content_high};
    bake_payload_form form = {0, bake_part_notes_frames(&l->notes[asset->part], content)};
    /* A part without notes. */
    if (!form.frame_size)
        form.frame_size = view->payload->frame_size;
    if (view->member != KILN_MEMBER_NONE)
        form.alignment = UINT32_C(1)
                         << kiln_index_member_at(payload->file->index, view->member)->align_log2;
    return form;
}

/* Adds the data that `count` parts have. The data are the same in all of them. */
static kiln_status add_payload(linking *l, const link_asset *assets, size_t count,
                               kiln_error *reterr)
{
    shipped_payload *payload = &l->payloads[l->payload_count];
    kiln_status status =
        bake_shipped_payload(&l->parts[assets->part], assets->number, payload, reterr);
    if (status)
        return status;
    l->payload_count++;
    bake_payload_form form = form_of(l, assets, payload);
    for (size_t i = 1; i < count && !status; i++) {
        shipped_payload other = {0};
        status = bake_shipped_payload(&l->parts[assets[i].part], assets[i].number, &other, reterr);
        if (!status)
            form = bake_payload_form_join(form, form_of(l, &assets[i], &other));
        bake_shipped_payload_fini(&other);
    }
    if (!status)
        status = bake_run_compress(l->run->options, l->writer, KILN_PAYLOAD_TYPE_NAME);
    if (status)
        return status;
    const kiln_payload_args args = {.read = bake_shipped_payload_data,
                                    .ctx = payload,
                                    .size = payload->view.payload->size,
                                    .alignment = form.alignment,
                                    .frame_size = form.frame_size,
                                    .level = (int)l->run->options->compress};
    return kiln_file_writer_payload(l->writer, &args, NULL, reterr);
}

/* Adds the assets, and equal payloads once. */
static bake_result add_assets(linking *l)
{
    kiln_error error = {.status = KILN_OK};
    l->payloads = bake_alloc_array(l->asset_count + 1, sizeof *l->payloads);
    if (!l->payloads)
        return bake_fail_memory(&l->run->failure);
    for (size_t i = 0, count = 1; i < l->asset_count; i += count) {
        const link_asset *asset = &l->assets[i];
        bool is_payload = asset->rank == LINK_PAYLOAD;
        for (count = 1; is_payload && i + count < l->asset_count; count++)
            if (!is_same_payload(asset, asset + count))
                break;
        kiln_status status =
            is_payload ? add_payload(l, asset, count, &error) : add_asset(l, asset, &error);
        if (status)
            return refuse(l, asset, status, &error);
    }
    return BAKE_OK;
}

/* Assets of other parts are imports of a part, too. */
static bake_result add_imports(linking *l)
{
    for (size_t p = 0; p < l->part_count; p++)
        for (uint32_t i = 0; i < l->parts[p].index->imports.count; i++) {
            const char *name = kiln_string_get(&kiln_index_import_at(l->parts[p].index, i)->name);
            kiln_status status = kiln_file_writer_import(l->writer, name);
            if (status == KILN_NO_MEMORY)
                return bake_fail_memory(&l->run->failure);
            if (status)
                return report(l, p, name,
                              "this import is not possible: ", kiln_status_text(status));
        }
    return BAKE_OK;
}

static bake_result add_all(linking *l)
{
    bake_run *run = l->run;
    kiln_allocator allocator = bake_memory_allocator();
    kiln_file_writer_def def = kiln_file_writer_def_default();
    kiln_error error = {.status = KILN_OK};
    def.types = run->schema->types;
    def.allocator = &allocator;
    def.omit_type_table = run->options->no_types;
    def.skip_sharing = run->options->no_share;
    if (kiln_file_writer_create(&def, &l->writer, &error))
        return bake_fail_memory(&run->failure);
    bake_result result = add_assets(l);
    return result ? result : add_imports(l);
}

static bool write_counted(void *ctx, const void *data, size_t size)
{
    linking *l = ctx;
    l->written += size;
    return bake_output_write(l->output, data, size);
}

static bake_result write_failed(linking *l, kiln_status status, const kiln_error *error)
{
    const char *path = l->run->options->output;
    if (status == KILN_NO_MEMORY)
        return bake_fail_memory(&l->run->failure);
    if (status == KILN_IO)
        return bake_fail_errno(&l->run->failure, "write", path);
    if (status == KILN_DANGLING)
        return bake_fail(&l->run->failure, BAKE_FAILED,
                         "%.200s refers to an asset that is in none of the parts", error->path);
    return bake_fail(&l->run->failure, BAKE_BAD_INPUT, "cannot write %s: %s", path,
                     kiln_status_text(status));
}

/* ---- budgets ---- */

typedef struct placed_asset {
    bake_asset asset; /* has only a name */
    bake_mark mark;
} placed_asset;

static int compare_placed(const void *a, const void *b)
{
    const bake_asset *x = &((const placed_asset *)a)->asset, *y = &((const placed_asset *)b)->asset;
    return bake_compare_text(x->name, x->name_length, y->name, y->name_length);
}

/* Lists the assets of all parts with their marks. Returns false if memory runs out. */
static bool place_assets(linking *l, placed_asset *ret_placed)
{
    size_t at = 0;
    for (size_t p = 0; p < l->part_count; p++) {
        const bake_part_notes *notes = &l->notes[p];
        uint32_t *sources =
            bake_store_alloc(&l->run->store, notes->path_count + 1, sizeof *sources);
        if (!sources)
            return false;
        for (size_t i = 0; i < notes->path_count; i++)
            sources[i] = bake_diagnostics_add_source(l->run->diagnostics, notes->paths[i], NULL, 0);
        for (size_t i = 0; i < notes->line_count; i++) {
            const bake_part_line *line = &notes->lines[i];
            placed_asset *placed = &ret_placed[at++];
            placed->asset.name = line->name;
            placed->asset.name_length = strlen(line->name);
            placed->mark = line->mark;
            placed->mark.source = sources[line->mark.source];
        }
    }
    return true;
}

static bake_result check_budgets(linking *l)
{
    bake_run *run = l->run;
    size_t count = 0;
    for (size_t p = 0; p < l->part_count; p++)
        count += l->notes[p].line_count;
    placed_asset *placed = bake_store_alloc(&run->store, count + 1, sizeof *placed);
    bake_asset *assets = bake_store_alloc(&run->store, count + 1, sizeof *assets);
    bake_mark *marks = bake_store_alloc(&run->store, count + 1, sizeof *marks);
    if (!placed || !assets || !marks || !place_assets(l, placed))
        return bake_fail_memory(&run->failure);
    if (count > 1)
        qsort(placed, count, sizeof *placed, compare_placed);
    for (size_t i = 0; i < count; i++) {
        assets[i] = placed[i].asset;
        marks[i] = placed[i].mark;
    }
    bake_asset_marks all = {.assets = assets, .marks = marks, .count = count};
    bake_result result = bake_run_budgets_check(run, &all, l->output, l->written);
    bool failed = !result && bake_diagnostics_errors(run->diagnostics) > 0;
    return failed ? BAKE_BAD_INPUT : result;
}

static bake_result write_file(linking *l)
{
    bake_run *run = l->run;
    kiln_error error = {.status = KILN_OK};
    kiln_status status = KILN_OK;
    if (l->names->has_clusters)
        status = bake_run_clusters_add(run, l->writer, &error);
    if (status)
        return write_failed(l, status, &error);
    run->outputs = bake_store_alloc(&run->store, 1, sizeof *run->outputs);
    if (!run->outputs)
        return bake_fail_memory(&run->failure);
    l->output = bake_run_begin(run, run->options->output);
    if (!l->output)
        return run->failure.result;
    status = kiln_file_writer_finish(l->writer, write_counted, l, &error);
    if (status)
        return write_failed(l, status, &error);
    bake_result result = run->options->budgets ? check_budgets(l) : BAKE_OK;
    return result ? result : bake_run_commit(run);
}

/* Prints the same line as a direct bake. */
static void print_summary(const linking *l)
{
    const bake_run *run = l->run;
    const char *path = run->options->output;
    kiln_file_counts counts = kiln_file_writer_get_counts(l->writer);
    char assets[32], types[32], scenes[32], bytes[32];
    if (run->options->quiet)
        return;
    fprintf(run->err, "%s: %s asset%s of %s type%s",
            strcmp(path, "-") == 0 ? "standard output" : path, bake_grouped(assets, counts.assets),
            counts.assets == 1 ? "" : "s", bake_grouped(types, counts.types),
            counts.types == 1 ? "" : "s");
    if (l->scene_count)
        fprintf(run->err, ", %s scene%s", bake_grouped(scenes, l->scene_count),
                l->scene_count == 1 ? "" : "s");
    fprintf(run->err, ", %s byte%s\n", bake_grouped(bytes, l->written), l->written == 1 ? "" : "s");
}

static bake_result link_parts(linking *l)
{
    bake_run *run = l->run;
    bake_result result = bake_run_schema(run);
    if (result)
        return result;
    l->names = bake_run_read_names(run, run->options->names);
    if (!l->names || append_types(l))
        return run->failure.result;
    result = read_parts(l);
    if (!result)
        result = list_assets(l);
    if (!result)
        result = check_assets(l);
    if (!result)
        result = add_all(l);
    if (!result && !bake_link_report(run, l->names, l->notes, l->part_count))
        result = bake_fail_memory(&run->failure);
    if (!result)
        result = write_file(l);
    if (!result)
        print_summary(l);
    return result;
}

bake_result bake_run_link(bake_run *run)
{
    linking l = {.run = run};
    bake_result result = link_parts(&l);
    kiln_file_writer_destroy(l.writer);
    for (size_t i = 0; i < l.payload_count; i++)
        bake_shipped_payload_fini(&l.payloads[i]);
    bake_free(l.payloads);
    for (size_t i = 0; i < l.part_count; i++)
        bake_shipped_fini(&l.parts[i]);
    bake_free(l.parts);
    bake_free(l.assets);
    bake_part_names_destroy(l.names);
    return result;
}
