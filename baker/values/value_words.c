/* Entities in components, and the per-scene state.
 *
 * Entity names can only be resolved when the scene is complete. So a component first stores the
 * number of a site (a node in a tree) plus 1, and scenes/ resolves the site later. In scene data,
 * entities are stored as numbers, which `find` returns immediately. */
#include "value_words.h"

#include "bake_memory.h"
#include "bake_text.h"
#include "node_words.h"
#include "value_node.h"

#include <string.h>

/* Whether the node is the string that the schema defines to mean "no entity". */
static bool is_none_string(const bake_values *b, bake_node_id node)
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
    return bake_value_is_null(b, node) || is_none_string(b, node);
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
        value_no_memory(b);
        return;
    }
    w->sites = sites;
    sites[w->site_count++] = site;
    uint64_t word = w->site_count;
    memcpy(dst, &word, sizeof word);
}

/* Gets the number of the entity that the node names, or 0 if it is not known yet. Returns false
 * after a report. */
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
    /* Without entities, such as in a prefab outside of scenes, any name may be valid. */
    const char *text = bake_scalar_text(b->tree, node, &length);
    if (!w->find || w->find(w->find_ctx, text, length, ret_number))
        return true;
    char quote[VALUE_QUOTE_SIZE];
    bake_value_report(b, BAKE_ERROR, value_mark(b, node), "entity", step, "unknown entity %s",
                      bake_value_quote(quote, text, length));
    if (length > 0 && memchr(text + 1, '#', length - 1))
        bake_hint(b->report.to, "a number refers to an entity of the same scene; only a field of "
                                "type entity can refer to another scene");
    else if (b->report.to != b->report.silence)
        w->hint(w->find_ctx, text, length);
    return false;
}

void bake_value_entity_number(bake_values *b, bake_node_id node, void *dst, const value_step *step)
{
    uint32_t number;
    if (!is_no_entity(b, node) && entity_number(b, node, step, &number))
        memcpy(dst, &number, sizeof number);
}

/* Whether the key is empty or zero, which means "no entity" in dumps. */
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
    /* A key is never null, so only the string for "no entity" means none. */
    bool is_none = is_none_string(b, node);
    if (!is_none && !entity_number(b, node, step, &number))
        return false;
    /* A key that is not known yet is distinct from all others, and not an error. */
    if (!is_none && number == 0 && !is_zero(text, length))
        number = UINT32_MAX - b->words->unknown++;
    memcpy(dst, &number, sizeof number);
    return true;
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

void bake_values_set_entities(bake_values *b, bake_find_entity *find, bake_hint_entity *hint,
                              void *ctx, const char *none)
{
    b->words->none = none;
    b->words->find = find;
    b->words->hint = hint;
    b->words->find_ctx = ctx;
}
