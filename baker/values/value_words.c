/* Components as rows: fields are baked straight into them, entities are noted for whoever knows
 * them. */
#include "value_words.h"

#include "bake_memory.h"
#include "bake_text.h"
#include "node_words.h"

#include <string.h>

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
    uint32_t lists = data_type == KILN_TYPE_NONE ? 0 : value_type(b, data_type)->member_count;
    return bake_data_lists_init(&w->data, lists) || no_memory(b);
}

void bake_values_end_scene(bake_values *b)
{
    value_words *w = b->words;
    if (!w)
        return;
    bake_data_lists_fini(&w->data);
    bake_data_memo_fini(&w->memos);
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

/* What the scene has for a null. */
static bool says_none(const bake_values *b, bake_node_id node)
{
    const char *none = b->words->none;
    size_t length;
    if (!none || bake_node_kind_of(b->tree, node) != BAKE_NODE_SCALAR)
        return false;
    const char *text = bake_node_text(b->tree, node, &length);
    return bake_text_is(text, length, none);
}

static bool is_no_entity(const bake_values *b, bake_node_id node)
{
    return bake_value_is_null(b, node) || says_none(b, node);
}

void bake_value_entity(bake_values *b, bake_node_id node, void *dst, const value_step *step)
{
    value_words *w = b->words;
    bake_site site = {b->tree, node, false};
    if (is_no_entity(b, node))
        return;
    if (bake_node_kind_of(b->tree, node) != BAKE_NODE_SCALAR) {
        bake_value_report(b, BAKE_ERROR, value_mark(b, node), "type", step,
                          "expected the name of an entity, found %s",
                          bake_node_word(b->tree, node));
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

void bake_values_set_entities(bake_values *b, bake_find_entity *find, bake_hint_entity *hint,
                              void *ctx, const char *none)
{
    b->words->none = none;
    b->words->find = find;
    b->words->hint = hint;
    b->words->find_ctx = ctx;
}

/* The number of the entity that the node names, 0 where it is not known; false after a report. */
static bool entity_number(bake_values *b, bake_node_id node, const value_step *step,
                          uint32_t *ret_number)
{
    const value_words *w = b->words;
    uint32_t length;
    bake_scalar_view view;
    *ret_number = 0;
    if (!bake_view_scalar(b->tree, node, &view))
        return bake_value_report(b, BAKE_ERROR, value_mark(b, node), "type", step,
                                 "expected the name of an entity, found %s",
                                 bake_node_word(b->tree, node));
    /* Without entities, as in a prefab that is checked by itself, any name may be right. */
    const char *text = bake_scalar_text(b->tree, node, &length);
    if (!w->find || w->find(w->find_ctx, text, length, ret_number))
        return true;
    char quote[VALUE_QUOTE_SIZE];
    bake_value_report(b, BAKE_ERROR, value_mark(b, node), "entity", step,
                      "no entity of the scene is named %s", bake_value_quote(quote, text, length));
    if (length > 0 && memchr(text + 1, '#', length - 1))
        bake_hint(b->diagnostics,
                  "a number is that of an entity in the same scene; a field of type "
                  "entity may name one of another");
    else if (b->diagnostics != b->silence)
        w->hint(w->find_ctx, text, length);
    return false;
}

void bake_value_entity_number(bake_values *b, bake_node_id node, void *dst, const value_step *step)
{
    uint32_t number;
    if (!is_no_entity(b, node) && entity_number(b, node, step, &number))
        memcpy(dst, &number, sizeof number);
}

/* What dumps have for no entity. */
static bool is_zero(const char *text, size_t length)
{
    size_t zeros = 0;
    while (zeros < length && text[zeros] == '0')
        zeros++;
    return zeros == length;
}

bool bake_value_entity_key(bake_values *b, bake_node_id node, void *dst, const value_step *step)
{
    uint32_t number = 0;
    size_t length;
    const char *text = bake_node_text(b->tree, node, &length);
    /* A key is never null. */
    bool is_none = says_none(b, node);
    if (!is_none && !entity_number(b, node, step, &number))
        return false;
    /* What cannot be told from others yet is no mistake. */
    if (!is_none && number == 0 && !is_zero(text, length))
        number = UINT32_MAX - b->words->unknown++;
    memcpy(dst, &number, sizeof number);
    return true;
}

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
    b->root_type = KILN_TYPE_NONE;
    b->asset = NULL;
    b->error_count = 0;
    b->stopped = false;
    b->depth = 1;
    b->scratch_used = 0;
    b->value_number++;
    b->words->row = row;
    b->words->component = value->component;
    /* A component without a value is one of which nothing is said. */
    for (const bake_layer *l = value->top; l; l = l->below)
        if (!value_says_null(l->tree, l->node))
            layers[count++] = (value_layer){.layer = l, .node = l->node, .key = l->key};
    bake_layer nothing = {.tree = value->tree, .node = value->node, .origin = &nothing};
    value_layer at = {.layer = value->top ? value->top : &nothing,
                      .node = value->top ? value->top->node : value->node};
    bool is_wrap = (of->flags & KILN_TYPE_TRANSPARENT) != 0;
    bool is_row = b->schema->info[value->component->type].row_of != KILN_TYPE_NONE;
    /* Rows come to what the same struct comes to in assets. */
    value_rule rule = is_row ? VALUE_FIELDS : VALUE_OVER;
    bake_diagnostics *diagnostics = b->diagnostics;
    if (value->is_silent)
        b->diagnostics = b->silence;
    b->is_unwatched = value->is_silent;
    b->is_partial = value->is_partial;
    b->is_again = value->top && value->top->is_prototype;
    if (count > 0)
        bake_value_layers(b, layers, count, value->component->type, NULL, row, &step, rule);
    else if (is_wrap && value->top)
        bake_value_layers(b, &at, 1, value->component->type, NULL, row, &step, rule);
    else
        bake_value_empty(b, &at, value->component->type, row, &step);
    b->diagnostics = diagnostics;
    b->is_partial = b->is_again = false;
    b->is_unwatched = false;
    return b->error_count == 0 && b->failure->result == BAKE_OK;
}
