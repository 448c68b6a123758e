/* Component values that are stored in the scene data.
 *
 * The component row has a word: the index of the value in a list of the scene data, plus 1, or 0
 * for an empty value. Equal values in a list are stored once. The length of a list is only known at
 * the end of the scene, so each value is baked twice: first alone, to compare its image with
 * earlier ones, and at the end into its list. Only the first bake reports errors.
 *
 * Three shortcuts avoid the first bake. The words of nodes shared by many entities and of short
 * scalars are memoized, and plain strings are compared in source form. */
#include "value_words.h"

#include "bake_memory.h"
#include "lower_bound.h"
#include "origin_record.h"
#include "value_layers.h"
#include "value_watch.h"

#include <kiln/value.h>
#include <string.h>

/* Number of objects that contain a data value: the root and the list. */
enum { DATA_DEPTH = 2 };

/* Returns the list for the field at `dst`, as a member of SceneData. Offsets ascend, so a binary
 * search works. */
static uint32_t member_of(const bake_values *b, const void *dst)
{
    const bake_component *component = b->words->component;
    uint32_t place = (uint32_t)((const unsigned char *)dst - b->words->row);
    size_t at;
    bool is_field = find_u32(component->field_places, component->field_count, place, &at);
    assert(is_field);
    (void)is_field;
    return component->field_members[at];
}

/* Returns the word for the value that these bytes identify, or 0 if memory runs out. */
static uint64_t word_of(bake_values *b, const data_item *like, const void *bytes, size_t size)
{
    uint64_t word = bake_data_lists_put(&b->words->data, like, bytes, size);
    if (word == 0)
        value_no_memory(b);
    return word;
}

/* Whether the value is an empty string, list, optional or the like, so that its word is 0. A struct
 * or number is never empty, even if all its bytes are zero. */
static bool is_empty(const bake_values *b, uint32_t type, const kiln_buffer *image)
{
    const kiln_type *of = value_type(b, value_unwrapped(b, type));
    const unsigned char *bytes = image->data;
    if (of->kind != KILN_KIND_STRING && of->kind != KILN_KIND_BYTES &&
        !(of->kind >= KILN_KIND_UNION && of->kind <= KILN_KIND_OPTIONAL))
        return false;
    for (size_t i = 0; i < of->size && i < image->size; i++)
        if (bytes[i])
            return false;
    return true;
}

static void image_failed(bake_values *b, kiln_status status, const value_layer *layer,
                         const value_step *step)
{
    if (status == KILN_NO_MEMORY)
        value_no_memory(b);
    else if (status == KILN_TOO_LARGE)
        bake_value_report(b, BAKE_ERROR, bake_node_mark(layer->layer->tree, layer->node), "size",
                          step, "the value has more than %u bytes", KILN_PAYLOAD_MAX);
    else
        bake_fail_bug(b->failure, "a value of a component", status, NULL);
}

/* Bakes the value to an image. Returns false after a report. If the run has errors, the image stays
 * empty. */
static bool bake_image(bake_values *b, const data_item *value, const value_step *step,
                       kiln_buffer *ret_image)
{
    const kiln_type *of = value_type(b, value->type);
    size_t errors = b->report.errors;
    unsigned depth = b->limits.depth;
    kiln_error error;
    kiln_builder_reset(b->builder);
    b->blob = ++b->last_blob;
    b->limits.depth = DATA_DEPTH;
    void *root = kiln_builder_root(b->builder, of->size, of->align);
    if (root)
        bake_value_layers(b, value->layers, value->layer_count, value->type, value->field, root,
                          step, value->rule);
    b->limits.depth = depth;
    if (b->report.errors > errors || b->failure->result)
        return false;
    kiln_status status = kiln_builder_status(b->builder);
    if (!status && bake_values_can_write(b))
        status = kiln_builder_finish_image(b->builder, value->type, ret_image, &error);
    if (status)
        image_failed(b, status, &value->layers[0], step);
    /* A builder failure affects only this image; the next one begins with a reset. */
    b->stopped = b->failure->result != BAKE_OK;
    return status == KILN_OK;
}

static const char *text_of(const bake_values *b, uint32_t type, const kiln_buffer *image,
                           size_t *ret_size)
{
    kiln_value value;
    const char *text = "";
    uint32_t length = 0;
    if (kiln_value_root(b->types, type, image->data, image->size, &value) == KILN_OK)
        kiln_value_text(&value, &text, &length);
    *ret_size = length;
    return text;
}

/* A plain string without bounds needs no check, so it can be compared without baking it. Strings
 * above 64 KiB are excluded, because bake_value_size_fits must check them. */
static bool is_plain_string(const value_layer *layer, const kiln_type *of, const kiln_member *field,
                            bake_scalar_view *ret_view)
{
    bool bounded = field && (field->flags & (KILN_MEMBER_HAS_MIN | KILN_MEMBER_HAS_MAX));
    return of->kind == KILN_KIND_STRING && !bounded &&
           bake_view_scalar(layer->layer->tree, layer->node, ret_view) && ret_view->is_bare &&
           ret_view->length > 0 && ret_view->length <= 65536 && !bake_view_is_null(ret_view) &&
           !(ret_view->is_copied && memchr(ret_view->text, 0, ret_view->length));
}

/* Whether the value is a single number, bool or enum value, for which equal text in this field
 * always means the same value. Many entities of a scene share such values. False with a source map,
 * which records each value. */
static bool is_repeated_scalar(const bake_values *b, const data_item *value, bake_scalar_view *ret)
{
    const value_layer *layer = &value->layers[0];
    uint32_t type = value->type;
    const kiln_type *of = value_type(b, type);
    for (; of->kind == KILN_KIND_OPTIONAL || (of->flags & KILN_TYPE_TRANSPARENT);
         of = value_type(b, type)) {
        if (b->schema->info[type].forms)
            return false;
        type = of->kind == KILN_KIND_OPTIONAL ? of->element : of->members[0].type;
    }
    return (of->kind <= KILN_KIND_F64 || of->kind == KILN_KIND_ENUM) && value->layer_count == 1 &&
           !b->origins && bake_view_scalar(layer->layer->tree, layer->node, ret) && ret->is_bare;
}

static void record_data(bake_values *b, uint32_t member, uint64_t word, const value_step *step)
{
    const kiln_type *data = value_type(b, b->schema->scene_data);
    bake_origin_data(b, step, data->members[member].name, (uint32_t)(word - 1));
}

void bake_value_data(bake_values *b, const value_layer *layers, size_t count, bake_node_id node,
                     uint32_t type, const kiln_member *field, void *dst, const value_step *step,
                     value_rule rule)
{
    data_item like = {
        .type = value_type(b, type)->element, .layers = layers, .field = field, .rule = rule};
    const kiln_type *of = value_type(b, like.type);
    bake_layer alone = {
        .tree = b->tree, .node = node, .origin = &alone, .is_prototype = b->report.is_repeat};
    value_layer only = {.layer = &alone, .node = node};
    bake_scalar_view view;
    kiln_buffer image;
    uint64_t word = 0;
    memset(&image, 0, sizeof image);
    like.layer_count = count ? (uint32_t)count : 1;
    if (count == 0)
        like.layers = &only;
    if (b->stopped)
        return;
    like.member = member_of(b, dst);
    const value_layer *top = &like.layers[0];
    /* Do not memoize a partial value: it may lack fields, which is an error in a complete one. */
    bool may_memo = like.layer_count == 1 && top->layer->is_shared && !b->merge.is_partial &&
                    !b->origins && !bake_value_holds_watched(b, like.type, field);
    if (may_memo &&
        bake_data_memo_find(&b->words->memos, top->layer->tree, top->node, like.member, &word)) {
        memcpy(dst, &word, sizeof word);
        return;
    }
    bool is_known = false;
    data_text *text = is_repeated_scalar(b, &like, &view)
                          ? bake_data_text(b->words, field, like.member, &view, &is_known)
                          : NULL;
    if (is_known) {
        memcpy(dst, &text->word, sizeof text->word);
        return;
    }
    size_t warnings = b->report.warnings + b->report.dropped_warnings;
    bool is_watched = b->watch && bake_value_is_watched(b, field);
    if (!is_watched && is_plain_string(&like.layers[0], of, field, &view)) {
        like.layer_count = 1;
        word = word_of(b, &like, view.text, view.length);
    } else if (bake_image(b, &like, step, &image)) {
        /* Compare strings by their bytes, as on the fast path. */
        const void *bytes = image.data;
        size_t size = image.size;
        if (bytes && of->kind == KILN_KIND_STRING)
            bytes = text_of(b, like.type, &image, &size);
        if (bytes && !is_empty(b, like.type, &image))
            word = word_of(b, &like, bytes, size);
        kiln_buffer_fini(&image);
        if (may_memo && !b->stopped)
            bake_data_memo_put(&b->words->memos, top->layer->tree, top->node, like.member, word);
        /* Do not cache the scalar after a warning, even a suppressed one: the next entity must warn
         * as well. */
        if (text && !b->stopped && b->report.warnings + b->report.dropped_warnings == warnings)
            bake_data_text_put(text, field, like.member, &view, word);
    }
    memcpy(dst, &word, sizeof word);
    if (b->origins && word)
        record_data(b, like.member, word, step);
}

/* Fills one list. Returns false if the builder failed. */
static bool put_list(bake_values *b, const data_list *list, const kiln_type *array,
                     const char *name, void *field)
{
    const value_step up = {NULL, STEP_NAME, name, strlen(name), 0};
    const kiln_type *of = value_type(b, array->element);
    const data_lists *w = &b->words->data;
    uint32_t align = array->align_at > of->align ? array->align_at : of->align;
    if (list->count == 0)
        return true;
    unsigned char *at = kiln_builder_array(b->builder, field, list->count, of->size, align);
    for (uint32_t i = list->first; at && i && !b->stopped; i = w->items[i - 1].next) {
        const data_item *item = &w->items[i - 1];
        value_step step = {&up, STEP_NUMBER, NULL, 0, item->number};
        bake_value_layers(b, item->layers, item->layer_count, item->type, item->field, at, &step,
                          item->rule);
        at += of->size;
    }
    return at != NULL;
}

bool bake_values_scene_data(bake_values *b, uint32_t data_type, const char *name,
                            const bake_mark *mark, kiln_buffer *ret_blob)
{
    const kiln_type *of = value_type(b, data_type);
    bake_diagnostics *diagnostics = b->report.to;
    kiln_error error;
    memset(&error, 0, sizeof error);
    memset(ret_blob, 0, sizeof *ret_blob);
    if (!bake_values_can_write(b))
        return false;
    if (b->words->data.item_count == 0)
        return true;
    kiln_builder_reset(b->builder);
    b->blob = ++b->last_blob;
    b->stopped = false;
    b->report.errors = 0;
    b->limits.depth = DATA_DEPTH;
    /* The first bake of each value already reported its errors. */
    b->report.to = b->report.silence;
    b->is_unwatched = true;
    if (b->origins)
        bake_origin_scene_data(b);
    unsigned char *root = kiln_builder_root(b->builder, of->size, of->align);
    for (uint32_t m = 0; root && m < of->member_count; m++)
        if (!put_list(b, &b->words->data.lists[m], value_type(b, of->members[m].type),
                      of->members[m].name, root + of->members[m].offset))
            break;
    b->report.to = diagnostics;
    b->is_unwatched = false;
    kiln_status status = kiln_builder_status(b->builder);
    /* A value that was baked without errors before cannot have errors in its list. */
    if (!status && b->report.errors > 0)
        bake_fail_bug(b->failure, "the data of a scene has changed", KILN_BAD_ARGUMENT, NULL);
    if (!status && b->failure->result == BAKE_OK)
        status = kiln_builder_finish(b->builder, data_type,
                                     !b->is_unshared ? KILN_FLAG_CANONICAL : 0, ret_blob, &error);
    if (status == KILN_NO_MEMORY)
        bake_fail_memory(b->failure);
    else if (status == KILN_TOO_LARGE)
        bake_report(b->report.to, BAKE_ERROR, *mark, "size", name,
                    "the data of the scene has more than %u bytes", KILN_PAYLOAD_MAX);
    else if (status)
        bake_fail_bug(b->failure, "the data of a scene", status, &error);
    return status == KILN_OK && b->failure->result == BAKE_OK;
}
