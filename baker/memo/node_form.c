#include "node_form.h"

#include "node_meaning.h"

#include <string.h>

/* What is hashed of each place, after the places before it. */
typedef struct place_digest {
    kiln_hash128 before;
    uint32_t line, column, length; /* the line counts from that of the node */
    uint32_t is_elsewhere;         /* in another source */
} place_digest;

typedef struct form_maker {
    const bake_tree *tree;
    bake_mark mark; /* of the node */
    bake_node_form form;
} form_maker;

static void add_place(form_maker *m, bake_mark mark)
{
    place_digest digest;
    memset(&digest, 0, sizeof digest);
    digest.before = m->form.hash;
    digest.line = mark.line - m->mark.line;
    digest.column = mark.column;
    digest.length = mark.length;
    digest.is_elsewhere = mark.source != m->mark.source;
    m->form.hash = kiln_content_hash(&digest, sizeof digest);
    if (digest.is_elsewhere)
        return;
    if (mark.line < m->form.first)
        m->form.first = mark.line;
    if (mark.line > m->form.last)
        m->form.last = mark.line;
}

static void add_node(form_maker *m, bake_node_id node)
{
    add_place(m, bake_node_mark(m->tree, node));
    if (bake_node_kind_of(m->tree, node) == BAKE_NODE_SCALAR)
        return;
    for (bake_iterator it = bake_iterator_begin(m->tree, node); bake_iterator_next(&it);) {
        bake_mark alias = bake_iterator_alias(&it, node);
        if (it.is_mapping)
            add_node(m, it.key);
        add_node(m, it.value);
        /* Line 0: there is no alias. */
        if (alias.line)
            add_place(m, alias);
    }
}

bake_node_form bake_node_form_of(const bake_tree *tree, bake_node_id node)
{
    form_maker m = {.tree = tree, .mark = bake_node_mark(tree, node)};
    m.form = (bake_node_form){.hash = bake_node_meaning_in_order(tree, node),
                              .line = m.mark.line,
                              .first = m.mark.line,
                              .last = m.mark.line};
    add_node(&m, node);
    return m.form;
}

bake_node_form bake_node_form_with_name(const bake_tree *tree, bake_node_id node,
                                        bake_node_id named_at)
{
    form_maker m = {.tree = tree, .mark = bake_node_mark(tree, node)};
    m.form = bake_node_form_of(tree, node);
    if (named_at != node)
        add_place(&m, bake_node_mark(tree, named_at));
    return m.form;
}
