/* Creates value bakers and bakes whole assets and defaults to blobs and images.
 *
 * A single builder serves all blobs. begin() resets it and all per-value state, the read functions
 * fill it, and the finish functions consume it. Reading continues after an error, so that one pass
 * reports all errors. Once the run has an error, no output is created (bake_values_can_write). */
#include "value_bake.h"

#include "value_cache.h"
#include "value_component.h"
#include "value_layers.h"
#include "value_payload.h"
#include "value_ref.h"
#include "value_scalar.h"
#include "value_watch.h"

#include <string.h>

/* Builds the tables for fast access to types and fields by index, without calls into blobfmt.
 * Returns false if memory runs out. */
static bool list_types(bake_values *b)
{
    uint32_t count = kiln_types_count(b->types);
    b->list = bake_alloc_array(count, sizeof *b->list);
    b->fields.first = bake_alloc_array(count, sizeof *b->fields.first);
    b->fields.all = bake_alloc_array(b->schema->member_count, sizeof *b->fields.all);
    b->fields.shared = bake_alloc_array(b->schema->member_count, sizeof *b->fields.shared);
    if (!b->list || !b->fields.first || !b->fields.all || !b->fields.shared)
        return false;
    for (uint32_t t = 0; t < count; t++) {
        const kiln_type *of = b->list[t] = kiln_types_get(b->types, t);
        for (uint32_t m = 0; of->kind == KILN_KIND_STRUCT && m < of->member_count; m++) {
            const kiln_member *member = &of->members[m];
            /* Predict declaration order at first, then the order of the last mapping; see
             * value_find_field. */
            value_fields(b, t)[m] = (value_field){.member = member,
                                                  .of = kiln_types_get(b->types, member->type),
                                                  .name = member->name,
                                                  .name_length = (uint32_t)strlen(member->name),
                                                  .next = (m + 1) % of->member_count};
        }
    }
    return bake_value_list_field_forms(b);
}

static kiln_status create_builder(bake_values *b)
{
    kiln_allocator allocator = bake_memory_allocator();
    kiln_builder_def def = kiln_builder_def_default();
    def.types = b->types;
    def.allocator = &allocator;
    def.share_strings = !b->is_unshared;
    def.finish_once = true;
    def.library = bake_value_cache_library(b);
    return kiln_builder_create(&def, &b->builder);
}

static bool check_builder(bake_failure *failure, kiln_status status)
{
    if (status == KILN_NO_MEMORY)
        bake_fail_memory(failure);
    else if (status)
        bake_fail(failure, BAKE_FAILED, "%s", kiln_status_text(status));
    return status == KILN_OK;
}

bake_values *bake_values_create(const bake_schema *schema, bake_diagnostics *diagnostics,
                                bake_failure *failure)
{
    bake_values *b = bake_alloc_array(1, sizeof *b);
    if (b) {
        b->schema = schema;
        b->types = schema->types;
        b->report.to = diagnostics;
        b->report.sources = diagnostics;
        b->failure = failure;
    }
    kiln_status status = b && list_types(b) && bake_values_list_units(b) &&
                                 bake_values_list_payloads(b) && bake_values_list_watched(b) &&
                                 bake_value_cache_init(b)
                             ? create_builder(b)
                             : KILN_NO_MEMORY;
    if (check_builder(failure, status))
        return b;
    bake_values_destroy(b);
    return NULL;
}

/* Sharing is fixed when a builder is created, so replace the builder. */
bool bake_values_unshare(bake_values *b)
{
    kiln_builder_destroy(b->builder);
    b->builder = NULL;
    b->is_unshared = true;
    return check_builder(b->failure, create_builder(b));
}

void bake_values_destroy(bake_values *b)
{
    if (!b)
        return;
    bake_values_end_scene(b);
    bake_value_dangling_fini(&b->refs.dangling);
    bake_location_set_fini(&b->report.warned);
    bake_diagnostics_destroy(b->report.silence);
    /* The builder shares objects with the library of the cache, so destroy the builder first. */
    kiln_builder_destroy(b->builder);
    bake_value_cache_fini(b);
    bake_value_images_fini(b);
    bake_free(b->list);
    bake_free(b->fields.all);
    bake_free(b->units.all);
    bake_free(b->payload_fields.all);
    bake_values_end_watch(b);
    bake_free(b->fields.first);
    bake_free(b->forms.all);
    bake_free(b->fields.shared);
    bake_free(b->refs.imports);
    bake_free(b->refs.targets);
    bake_value_payloads_fini(&b->payloads);
    bake_free(b->scratch.bytes);
    bake_free(b);
}

void bake_values_set_names(bake_values *b, bake_names *names, uint32_t output)
{
    b->refs.names = names;
    b->refs.output = output;
    b->refs.import_count = 0;
    bake_value_payloads_fini(&b->payloads);
    bake_value_cache_clear(b);
}

const uint32_t *bake_values_imports(const bake_values *b, size_t *ret_count)
{
    *ret_count = b->refs.import_count;
    return b->refs.imports;
}

/* Begins a blob with a root of type `type`. Returns NULL after filling the failure. Resets all
 * per-value state, even if the previous value failed. */
static void *begin(bake_values *b, const char *name, uint32_t type)
{
    const kiln_type *of = value_type(b, type);
    kiln_builder_reset(b->builder);
    bake_value_cache_trim(b);
    b->root.name = name;
    b->root.rule = NULL;
    b->root.type = KILN_TYPE_NONE;
    b->merge.asset = NULL;
    if (b->watch)
        bake_value_drop_frames(b);
    b->report.errors = 0;
    b->is_plain = true;
    b->is_noisy = false;
    b->refs.target_count = 0;
    b->payloads.used_count = 0;
    if (b->is_helper)
        b->refs.import_count = 0;
    b->stopped = false;
    /* The root itself is an object. */
    b->limits.depth = 1;
    b->blob = ++b->last_blob;
    b->scratch.used = 0;
    b->limits.largest_size = 0;
    void *root = kiln_builder_root(b->builder, of->size, of->align);
    if (!root)
        bake_fail_memory(b->failure);
    return root;
}

/* Reports a failure of the builder. Values were checked while they were read, so only an excessive
 * size or a lack of memory can cause a failure; any other status is a bug in this program. */
static bool finish_failed(bake_values *b, kiln_status status, const kiln_error *error,
                          bake_mark mark)
{
    if (status == KILN_NO_MEMORY) {
        bake_fail_memory(b->failure);
    } else if (status == KILN_TOO_LARGE) {
        if (b->limits.largest_size > 0)
            bake_value_report(
                b, BAKE_ERROR, mark, "size", NULL,
                "the asset has more than %u bytes; its largest part is %s with %llu bytes",
                KILN_PAYLOAD_MAX, b->limits.largest_path,
                (unsigned long long)b->limits.largest_size);
        else
            bake_value_report(b, BAKE_ERROR, mark, "size", NULL, "the asset has more than %u bytes",
                              KILN_PAYLOAD_MAX);
    } else {
        bake_fail_bug(b->failure, b->root.name, status, error);
    }
    return false;
}

/* Ends reading a value. Returns false if it has an error. */
static bool end_reading(bake_values *b, const bake_tree *tree, bake_node_id named_at)
{
    kiln_error error;
    memset(&error, 0, sizeof error);
    b->tree = NULL;
    kiln_status status = kiln_builder_status(b->builder);
    if (b->failure->result != BAKE_OK)
        return false;
    if (status)
        return finish_failed(b, status, &error, bake_node_mark(tree, named_at));
    return b->report.errors == 0;
}

bool bake_values_read(bake_values *b, const bake_tree *tree, bake_node_id node,
                      const bake_name *name, const bake_file_rule *rule)
{
    void *root = begin(b, name->name, name->type);
    if (!root)
        return false;
    b->root.rule = rule;
    b->root.type = name->type;
    b->tree = tree;
    bake_value_any(b, node, name->type, NULL, root, NULL);
    return end_reading(b, tree, name->node);
}

bool bake_values_read_layers(bake_values *b, const bake_asset_layers *asset, const bake_name *name)
{
    value_layer *layers = bake_alloc_array(asset->count, sizeof *layers);
    /* Only layers and scenes discard reports, so create these diagnostics on first use. */
    if (!b->report.silence)
        b->report.silence = bake_diagnostics_create();
    void *root = layers && b->report.silence ? begin(b, name->name, name->type) : NULL;
    for (size_t i = 0; root && i < asset->count; i++) {
        layers[i].layer = asset->layers[i];
        layers[i].node = asset->layers[i]->node;
        layers[i].is_own = i < asset->own_count;
        layers[i].path = asset->layers[i]->paths;
        b->merge.has_paths = b->merge.has_paths || layers[i].path;
    }
    if (root) {
        b->merge.asset = asset;
        b->merge.is_partial = asset->is_partial || asset->layers[0]->asset->is_abstract;
        bake_value_layers(b, layers, asset->count, name->type, NULL, root, NULL, VALUE_FIELDS);
        b->merge.is_partial = b->merge.has_paths = false;
        b->merge.asset = NULL;
    } else {
        bake_fail_memory(b->failure);
    }
    bake_free(layers);
    return root && end_reading(b, name->tree, name->node);
}

bool bake_values_can_write(const bake_values *b)
{
    return bake_diagnostics_errors(b->report.sources) == 0 && bake_values_dangling(b) == 0 &&
           bake_values_missing_resources(b) == 0;
}

static bool end_asset(bake_values *b, kiln_status status, const kiln_error *error,
                      const bake_name *name, const bake_mark *mark)
{
    if (!status)
        return true;
    return finish_failed(b, status, error, mark ? *mark : bake_node_mark(name->tree, name->node));
}

bool bake_values_finish(bake_values *b, const bake_name *name, const bake_mark *mark,
                        kiln_buffer *ret_blob)
{
    kiln_error error;
    memset(&error, 0, sizeof error);
    /* After errors there is no blob. The errors are already reported, so this is not a failure. */
    if (!bake_values_can_write(b))
        return true;
    kiln_status status = kiln_builder_finish(
        b->builder, name->type, !b->is_unshared ? KILN_FLAG_CANONICAL : 0, ret_blob, &error);
    return end_asset(b, status, &error, name, mark);
}

bool bake_values_add(bake_values *b, const bake_name *name, const bake_mark *mark,
                     kiln_file_writer *writer)
{
    kiln_error error;
    kiln_buffer blob;
    memset(&error, 0, sizeof error);
    memset(&blob, 0, sizeof blob);
    if (!bake_values_can_write(b))
        return true;
    /* kiln_file_writer_build creates the canonical form, which shares equal objects. */
    if (b->is_unshared) {
        if (!bake_values_finish(b, name, mark, &blob))
            return false;
        kiln_status taken = kiln_file_writer_take(writer, name->name, name->type, &blob, &error);
        kiln_buffer_fini(&blob);
        return end_asset(b, taken, &error, name, mark);
    }
    kiln_status status = kiln_file_writer_build(writer, name->name, name->type, b->builder, &error);
    return end_asset(b, status, &error, name, mark);
}

void bake_values_make_helper(bake_values *b)
{
    b->is_helper = true;
}

bool bake_values_finish_asset(bake_values *b, const bake_name *name, kiln_finished_asset *ret_asset)
{
    return kiln_finished_asset_build(b->builder, name->type, ret_asset, NULL) == KILN_OK;
}

bool bake_values_put(bake_values *b, const bake_name *name, kiln_finished_asset *asset,
                     kiln_file_writer *writer)
{
    kiln_error error;
    memset(&error, 0, sizeof error);
    b->root.name = name->name;
    b->limits.largest_size = 0;
    return end_asset(b, kiln_file_writer_put(writer, name->name, asset, &error), &error, name,
                     NULL);
}

bool bake_values_is_plain(const bake_values *b)
{
    return b->is_plain;
}

bool bake_values_is_noisy(const bake_values *b)
{
    return b->is_noisy;
}

void bake_values_set_guard(bake_values *b, const bake_values_guard *guard)
{
    b->guard = guard;
}

bool bake_values_default(bake_values *b, uint32_t type, uint32_t member, const char *path,
                         kiln_buffer *ret_image)
{
    const kiln_member *field = &value_type(b, type)->members[member];
    const bake_default *written = &b->schema->defaults[b->schema->info[type].first_member + member];
    kiln_error error;
    memset(&error, 0, sizeof error);
    /* A default for `data` is an image of its element, since a schema has no scene in which to
     * store it. */
    uint32_t of = kiln_types_default_type(b->types, field->type);
    void *root = begin(b, path, of);
    if (!root)
        return false;
    b->tree = written->tree;
    if (of == field->type)
        bake_value_default(b, type, member, root, NULL);
    else
        bake_value_any(b, written->node, of, field, root, NULL);
    kiln_status status = kiln_builder_status(b->builder);
    if (b->failure->result != BAKE_OK)
        return false;
    if (!status && !bake_values_can_write(b))
        return false;
    if (!status)
        status = kiln_builder_finish_image(b->builder, of, ret_image, &error);
    return status == KILN_OK ||
           finish_failed(b, status, &error, bake_node_mark(written->tree, written->node));
}
