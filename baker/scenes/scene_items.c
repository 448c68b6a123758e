#include "scene_items.h"

#include "bake_text.h"
#include "scene_table.h"

#include "scene_reader.h"

/* ---- prefabs and scenes ---- */

size_t bake_scene_items_count(const bake_scenes *s)
{
    return s->prefabs.count + s->scenes.count;
}

bake_scene_item bake_scene_items_of(const scene_unit *unit)
{
    const scene_unit *owner = unit->home ? unit->home : unit;
    bake_scene_item_kind kind = unit->is_prototype ? BAKE_ITEM_PROTOTYPE
                                : owner->is_scene  ? BAKE_ITEM_SCENE
                                                   : BAKE_ITEM_PREFAB;
    return (bake_scene_item){.kind = kind,
                             .name = owner->name,
                             .name_length = owner->length,
                             .tree = owner->tree,
                             .node = owner->node,
                             .input = owner->input,
                             .work = unit->work,
                             .cost = unit->is_scene && unit->shape ? unit->shape->cost : 0,
                             .is_accepted = unit->is_accepted};
}

bake_scene_item bake_scene_items_get(const bake_scenes *s, size_t number)
{
    return bake_scene_items_of(number < s->prefabs.count
                                   ? s->prefabs.units[number]
                                   : s->scenes.units[number - s->prefabs.count]);
}

/* ---- names in documents ---- */

typedef struct word_search {
    const bake_tree *tree;
    const bake_scene_words *words;
    bake_scene_words_visit *visit;
    void *ctx;
} word_search;

/* The key whose value names prefabs or a scene; other keys can have the same name. */
static bool is_key(const word_search *w, const char *text, size_t length, bake_scene_word *ret_word)
{
    const bake_scene_words *usual = &bake_scene_words_default, *own = w->words;
    bool is_scene = bake_text_is(text, length, "scene");
    *ret_word = is_scene ? BAKE_WORD_SCENE : BAKE_WORD_PREFAB;
    return is_scene || bake_text_is(text, length, usual->base) ||
           (own && (bake_text_is(text, length, own->base) ||
                    (own->group_base && bake_text_is(text, length, own->group_base))));
}

/* Visits a scalar, or the scalars of a sequence. */
static bool list_names(const word_search *w, bake_node_id node, bake_scene_word word)
{
    size_t length;
    bake_node_kind kind = bake_node_kind_of(w->tree, node);
    if (kind == BAKE_NODE_SCALAR) {
        const char *text = bake_node_text(w->tree, node, &length);
        return w->visit(w->ctx, word, text, length);
    }
    if (kind != BAKE_NODE_SEQUENCE)
        return true;
    for (bake_iterator it = bake_iterator_begin(w->tree, node); bake_iterator_next(&it);) {
        if (bake_node_kind_of(w->tree, it.value) != BAKE_NODE_SCALAR)
            continue;
        const char *text = bake_node_text(w->tree, it.value, &length);
        if (!w->visit(w->ctx, word, text, length))
            return false;
    }
    return true;
}

/* A reference to an entity of another scene, `Scene/other#name`. */
static bool list_reference(const word_search *w, bake_node_id node)
{
    size_t length;
    const char *text = bake_node_text(w->tree, node, &length);
    while (length > 0 && text[length - 1] != '#')
        length--;
    return length <= 1 || w->visit(w->ctx, BAKE_WORD_SCENE, text, length - 1);
}

static bool search(const word_search *w, bake_node_id node)
{
    bake_node_kind kind = bake_node_kind_of(w->tree, node);
    if (kind == BAKE_NODE_SCALAR)
        return list_reference(w, node);
    for (bake_iterator it = bake_iterator_begin(w->tree, node); bake_iterator_next(&it);) {
        bake_scene_word word;
        size_t length;
        const char *key =
            kind == BAKE_NODE_MAPPING ? bake_node_text(w->tree, it.key, &length) : NULL;
        if ((key && is_key(w, key, length, &word) && !list_names(w, it.value, word)) ||
            !search(w, it.value))
            return false;
    }
    return true;
}

bool bake_scene_words_list(const bake_tree *tree, bake_node_id node, const bake_scene_words *words,
                           bake_scene_words_visit *visit, void *ctx)
{
    const word_search w = {tree, words, visit, ctx};
    return search(&w, node);
}
