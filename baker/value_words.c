/* Fields of components that are words: names of entities, which are noted for whoever knows the
 * entities, and values that lie in the scene's data.
 *
 * A value of the data is baked twice: by itself, to see whether an equal one is there already, and
 * at the end into its list, whose length is only known then. What is baked the second time was
 * found to be right the first time. */
#include "value_baker.h"

#include "bake_memory.h"
#include "tree_store.h"

#include <string.h>

/* The objects around a value of the data: the root and the list. */
enum { DATA_DEPTH = 2 };

/* A value of the scene's data, of which no list has two that are equal. */
typedef struct data_item {
    uint64_t hash;
    size_t bytes; /* place of what it is compared by */
    uint32_t byte_count;
    uint32_t member; /* of SceneData */
    uint32_t number; /* in its list */
    uint32_t next;   /* in its list, plus 1 */
    uint32_t type;
    uint32_t layer_count;
    const value_layer *layers;
    const kiln_member *field;
} data_item;

typedef struct data_list {
    uint32_t first, last; /* items, plus 1 */
    uint32_t count;
} data_list;

struct value_words {
    bake_store store;
    data_item *items;
    size_t item_count, item_capacity;
    unsigned char *bytes;
    size_t byte_count, byte_capacity;
    uint32_t *slots; /* item + 1 */
    size_t slot_count;
    data_list *lists; /* by member of SceneData */
    uint32_t list_count;
    bake_site *sites;
    size_t site_count, site_capacity;
    /* The component at hand. */
    const unsigned char *row;
    const bake_component *component;
};

static void *no_memory(bake_values *b)
{
    bake_fail_memory(b->failure);
    bake_value_stop(b);
    return NULL;
}

bool bake_values_begin_scene(bake_values *b, uint32_t data_type)
{
    bake_values_end_scene(b);
    value_words *w = bake_alloc_array(1, sizeof *w);
    b->words = w;
    if (!b->silence)
        b->silence = bake_diagnostics_create();
    if (!w || !b->silence)
        return no_memory(b) != NULL;
    w->list_count = data_type == KILN_TYPE_NONE ? 0 : value_type(b, data_type)->member_count;
    w->lists = bake_alloc_array((size_t)w->list_count + 1, sizeof *w->lists);
    return w->lists || no_memory(b);
}

void bake_values_end_scene(bake_values *b)
{
    value_words *w = b->words;
    if (!w)
        return;
    bake_store_fini(&w->store);
    bake_free(w->items);
    bake_free(w->bytes);
    bake_free(w->slots);
    bake_free(w->lists);
    bake_free(w->sites);
    bake_free(w);
    b->words = NULL;
}

bake_site *bake_values_sites(bake_values *b, size_t *ret_count)
{
    *ret_count = b->words->site_count;
    return b->words->sites;
}

void bake_values_forget_sites(bake_values *b, size_t count)
{
    b->words->site_count = count;
}

void bake_value_entity(bake_values *b, bake_node_id node, void *dst, const value_step *step)
{
    value_words *w = b->words;
    bake_site site = {b->tree, node, false};
    if (bake_value_is_null(b, node))
        return;
    if (bake_node_kind_of(b->tree, node) != BAKE_NODE_SCALAR || bake_node_count(b->tree, node)) {
        bake_value_report(b, BAKE_ERROR, value_mark(b, node), "type", step,
                          "expected the name of an entity");
        return;
    }
    bake_site *sites = bake_grow(w->sites, &w->site_capacity, w->site_count + 1, sizeof *sites);
    if (!sites) {
        no_memory(b);
        return;
    }
    w->sites = sites;
    sites[w->site_count++] = site;
    uint64_t word = w->site_count;
    memcpy(dst, &word, sizeof word);
}

/* ---- the scene's data ---- */

static size_t slot_of(const value_words *w, uint64_t hash)
{
    /* Where the object lies is not known to who writes the data, so that values cannot be made to
     * meet in a slot on purpose. */
    hash = (hash ^ (uint64_t)(uintptr_t)w) * UINT64_C(0x9e3779b97f4a7c15);
    return (size_t)((hash ^ hash >> 32) * UINT64_C(0xbf58476d1ce4e5b9) >> 20) & (w->slot_count - 1);
}

static bool grow_slots(value_words *w)
{
    if (w->item_count * 2 + 2 <= w->slot_count)
        return true;
    size_t count = w->slot_count ? 2 * w->slot_count : 256;
    uint32_t *slots = bake_alloc_array(count, sizeof *slots);
    if (!slots)
        return false;
    bake_free(w->slots);
    w->slots = slots;
    w->slot_count = count;
    for (size_t i = 0; i < w->item_count; i++) {
        size_t at = slot_of(w, w->items[i].hash);
        while (slots[at])
            at = (at + 1) & (count - 1);
        slots[at] = (uint32_t)i + 1;
    }
    return true;
}

/* A new item with these bytes; NULL when memory ran out. */
static data_item *add_item(value_words *w, const void *bytes, size_t size)
{
    data_item *items = bake_grow(w->items, &w->item_capacity, w->item_count + 1, sizeof *items);
    if (items)
        w->items = items;
    unsigned char *all = bake_grow(w->bytes, &w->byte_capacity, w->byte_count + size + 1, 1);
    if (all)
        w->bytes = all;
    if (!items || !all || w->item_count >= UINT32_MAX - 1)
        return NULL;
    data_item *item = &items[w->item_count++];
    memset(item, 0, sizeof *item);
    memcpy(all + w->byte_count, bytes, size);
    item->bytes = w->byte_count;
    item->byte_count = (uint32_t)size;
    w->byte_count += size;
    return item;
}

/* The layers outlive the call only if they are the caller's own. */
static const value_layer *keep_layers(value_words *w, const value_layer *layers, size_t count)
{
    value_layer *kept = bake_store_alloc(&w->store, count, sizeof *kept);
    bake_layer *copies = bake_store_alloc(&w->store, count, sizeof *copies);
    if (!kept || !copies)
        return NULL;
    for (size_t i = 0; i < count; i++) {
        copies[i].tree = layers[i].layer->tree;
        copies[i].node = layers[i].layer->node;
        copies[i].origin = &copies[i];
        kept[i] = (value_layer){&copies[i], layers[i].node};
    }
    return kept;
}

/* The word for a value that is compared by these bytes. */
static uint64_t intern(bake_values *b, const value_layer *layers, size_t count, uint32_t type,
                       const kiln_member *field, const void *bytes, size_t size)
{
    value_words *w = b->words;
    size_t place = (size_t)((const unsigned char *)b->row_at - w->row);
    uint32_t member = KILN_TYPE_NONE;
    for (uint32_t low = 0, high = w->component->field_count; low < high;) {
        uint32_t middle = low + (high - low) / 2;
        if (w->component->field_places[middle] == place)
            member = w->component->field_members[middle];
        if (w->component->field_places[middle] < place)
            low = middle + 1;
        else
            high = middle;
    }
    if (member >= w->list_count || !grow_slots(w)) {
        no_memory(b);
        return 0;
    }
    uint64_t hash = bake_tree_hash(bytes, size) + member * UINT64_C(0x9e3779b97f4a7c15);
    size_t at = slot_of(w, hash);
    for (; w->slots[at]; at = (at + 1) & (w->slot_count - 1)) {
        const data_item *item = &w->items[w->slots[at] - 1];
        if (item->hash == hash && item->member == member && item->byte_count == size &&
            memcmp(w->bytes + item->bytes, bytes, size) == 0)
            return item->number + (uint64_t)1;
    }
    data_item *item = add_item(w, bytes, size);
    const value_layer *kept = item ? keep_layers(w, layers, count) : NULL;
    if (!kept) {
        no_memory(b);
        return 0;
    }
    data_list *list = &w->lists[member];
    item->hash = hash;
    item->member = member;
    item->number = list->count++;
    item->type = type;
    item->layers = kept;
    item->layer_count = (uint32_t)count;
    item->field = field;
    w->slots[at] = (uint32_t)w->item_count;
    if (list->last)
        w->items[list->last - 1].next = (uint32_t)w->item_count;
    else
        list->first = (uint32_t)w->item_count;
    list->last = (uint32_t)w->item_count;
    return item->number + (uint64_t)1;
}

/* Whether the word 0 is a value of the type, and this is it. */
static bool is_empty(const bake_values *b, uint32_t type, const kiln_buffer *image)
{
    const kiln_type *of = value_type(b, type);
    const unsigned char *bytes = image->data;
    while (of->kind == KILN_KIND_STRUCT && (of->flags & KILN_TYPE_TRANSPARENT))
        of = value_type(b, of->members[0].type);
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
        no_memory(b);
    else if (status == KILN_TOO_LARGE)
        bake_value_report(b, BAKE_ERROR, bake_node_mark(layer->layer->tree, layer->node), "size",
                          step, "the value does not fit 2 GiB");
    else
        bake_fail(b->failure, BAKE_BUG, "a value of a component: %s; this is a bug in kiln-bake",
                  kiln_status_text(status));
}

/* Bakes the value alone; false after a report. */
static bool make_image(bake_values *b, const value_layer *layers, size_t count, uint32_t type,
                       const kiln_member *field, const value_step *step, kiln_buffer *ret_image)
{
    const kiln_type *of = value_type(b, type);
    size_t errors = b->error_count;
    unsigned depth = b->depth;
    kiln_error error;
    kiln_builder_reset(b->builder);
    b->blob++;
    b->depth = DATA_DEPTH;
    void *root = kiln_builder_root(b->builder, of->size, of->align);
    if (root)
        bake_value_layers(b, layers, count, type, field, root, step);
    b->depth = depth;
    if (b->error_count > errors || b->failure->result)
        return false;
    kiln_status status = kiln_builder_status(b->builder);
    if (!status)
        status = kiln_builder_finish_image(b->builder, type, ret_image, &error);
    if (status)
        image_failed(b, status, &layers[0], step);
    /* What stopped is this builder's blob alone. */
    b->stopped = b->failure->result != BAKE_OK;
    return status == KILN_OK;
}

/* Texts without a mistake need no blob to be compared. */
static bool is_quick_text(const bake_values *b, const value_layer *layer, const kiln_type *of,
                          const kiln_member *field, bake_scalar_view *ret_view)
{
    bool bounded = field && (field->flags & (KILN_MEMBER_HAS_MIN | KILN_MEMBER_HAS_MAX));
    (void)b;
    return of->kind == KILN_KIND_STRING && !bounded &&
           bake_view_scalar(layer->layer->tree, layer->node, ret_view) && ret_view->is_bare &&
           ret_view->length > 0 && ret_view->length <= 65536 && !bake_view_is_null(ret_view) &&
           !(ret_view->is_copied && memchr(ret_view->text, 0, ret_view->length));
}

void bake_value_data(bake_values *b, const value_layer *layers, size_t count, bake_node_id node,
                     uint32_t type, const kiln_member *field, void *dst, const value_step *step)
{
    uint32_t element = value_type(b, type)->element;
    const kiln_type *of = value_type(b, element);
    bake_layer alone = {.tree = b->tree, .node = node};
    value_layer only = {&alone, node};
    bake_scalar_view view;
    kiln_buffer image;
    uint64_t word = 0;
    alone.origin = &alone;
    if (count == 0) {
        layers = &only;
        count = 1;
    }
    b->row_at = dst;
    if (!b->words || b->stopped)
        return;
    if (is_quick_text(b, &layers[0], of, field, &view)) {
        word = intern(b, layers, 1, element, field, view.text, view.length);
    } else if (make_image(b, layers, count, element, field, step, &image)) {
        const bake_tree *tree = layers[0].layer->tree;
        size_t length;
        const char *text = bake_node_text(tree, layers[0].node, &length);
        if (of->kind == KILN_KIND_STRING)
            word = length ? intern(b, layers, 1, element, field, text, length) : 0;
        else if (!is_empty(b, element, &image))
            word = intern(b, layers, count, element, field, image.data, image.size);
        kiln_buffer_fini(&image);
    }
    memcpy(dst, &word, sizeof word);
}

/* Fills one list; false when the builder failed. */
static bool put_list(bake_values *b, const data_list *list, const kiln_type *array, void *field)
{
    const kiln_type *of = value_type(b, array->element);
    const value_words *w = b->words;
    uint32_t align = array->align_at > of->align ? array->align_at : of->align;
    if (list->count == 0)
        return true;
    unsigned char *at = kiln_builder_array(b->builder, field, list->count, of->size, align);
    for (uint32_t i = list->first; at && i && !b->stopped; i = w->items[i - 1].next) {
        const data_item *item = &w->items[i - 1];
        value_step step = {NULL, STEP_NUMBER, NULL, 0, item->number};
        bake_value_layers(b, item->layers, item->layer_count, item->type, item->field, at, &step);
        at += of->size;
    }
    return at != NULL;
}

bool bake_values_scene_data(bake_values *b, uint32_t data_type, kiln_buffer *ret_blob)
{
    const kiln_type *of = value_type(b, data_type);
    bake_diagnostics *diagnostics = b->diagnostics;
    kiln_error error;
    memset(&error, 0, sizeof error);
    memset(ret_blob, 0, sizeof *ret_blob);
    if (b->words->item_count == 0)
        return true;
    kiln_builder_reset(b->builder);
    b->blob++;
    b->stopped = false;
    b->error_count = 0;
    b->depth = DATA_DEPTH;
    /* All of it was found to be right, and what there is to be said was said. */
    b->diagnostics = b->silence;
    unsigned char *root = kiln_builder_root(b->builder, of->size, of->align);
    for (uint32_t m = 0; root && m < of->member_count; m++)
        if (!put_list(b, &b->words->lists[m], value_type(b, of->members[m].type),
                      root + of->members[m].offset))
            break;
    b->diagnostics = diagnostics;
    kiln_status status = kiln_builder_status(b->builder);
    if (!status && b->error_count > 0)
        bake_fail(b->failure, BAKE_BUG,
                  "the data of a scene has changed; this is a bug in "
                  "kiln-bake");
    if (!status && b->failure->result == BAKE_OK)
        status =
            kiln_builder_finish(b->builder, data_type, KILN_BLOB_ASSET, true, ret_blob, &error);
    if (status == KILN_NO_MEMORY)
        bake_fail_memory(b->failure);
    else if (status == KILN_TOO_LARGE)
        bake_fail(b->failure, BAKE_CANNOT, "the data of the scene does not fit 2 GiB");
    else if (status)
        bake_fail(b->failure, BAKE_BUG, "the data of a scene: %s: %s; this is a bug in kiln-bake",
                  error.path, kiln_status_text(status));
    return b->failure->result == BAKE_OK;
}

/* ---- whole components ---- */

bool bake_values_component(bake_values *b, const bake_component_value *value, void *row)
{
    value_layer layers[BAKE_LAYERS_MAX];
    size_t count = 0;
    value_step entity = {NULL, value->name ? STEP_NAME : STEP_NUMBER, value->name,
                         value->name_length, value->number};
    value_step step = {value->is_prefab ? NULL : &entity, STEP_NAME, value->component->shown,
                       strlen(value->component->shown), 0};
    const kiln_type *of = value_type(b, value->component->type);
    b->root_name = value->root_name;
    b->error_count = 0;
    b->stopped = false;
    b->depth = 1;
    b->scratch_used = 0;
    b->value_number++;
    b->words->row = row;
    b->words->component = value->component;
    /* A component without a value is one of which nothing is said. */
    for (const bake_layer *l = value->top; l; l = l->below)
        if (!bake_node_is_null(l->tree, l->node))
            layers[count++] = (value_layer){l, l->node};
    bake_layer nothing = {.tree = value->tree, .node = value->node, .origin = &nothing};
    value_layer at = {value->top ? value->top : &nothing,
                      value->top ? value->top->node : value->node};
    bool is_wrap = (of->flags & KILN_TYPE_TRANSPARENT) != 0;
    bake_diagnostics *diagnostics = b->diagnostics;
    if (value->is_silent)
        b->diagnostics = b->silence;
    if (count > 0)
        bake_value_layers(b, layers, count, value->component->type, NULL, row, &step);
    else if (is_wrap && value->top)
        bake_value_layers(b, &at, 1, value->component->type, NULL, row, &step);
    else
        bake_value_empty(b, &at, value->component->type, row, &step);
    b->diagnostics = diagnostics;
    return b->error_count == 0 && b->failure->result == BAKE_OK;
}
