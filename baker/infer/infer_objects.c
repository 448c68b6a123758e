/* Objects of engines: whether numbers that stand alone are objects of the same file. */
#include "infer_form.h"

#include <string.h>

enum { DEPTH_MAX = 128 };

static const char number_key[] = "fileID";

/* One file. */
typedef struct file {
    const bake_tree *tree;
    const infer_table *anchors;
    uint64_t hits;
    bool fits;
} file;

static void look_at(file *f, bake_node_id node, int depth)
{
    if (bake_node_is_placeholder(f->tree, node) || depth > DEPTH_MAX ||
        bake_node_kind_of(f->tree, node) == BAKE_NODE_SCALAR)
        return;
    bool alone = bake_node_kind_of(f->tree, node) == BAKE_NODE_MAPPING &&
                 bake_node_count(f->tree, node) == 1;
    for (bake_walk walk = bake_walk_begin(f->tree, node); f->fits && bake_walk_next(&walk);) {
        size_t length;
        const char *text = alone ? bake_node_text(f->tree, walk.key, &length) : "";
        if (!alone || length != sizeof number_key - 1 || memcmp(text, number_key, length) != 0) {
            look_at(f, walk.value, depth + 1);
            continue;
        }
        infer_table anchors = *f->anchors;
        if (bake_node_kind_of(f->tree, walk.value) != BAKE_NODE_SCALAR) {
            f->fits = false;
            return;
        }
        text = bake_node_text(f->tree, walk.value, &length);
        bool found = bake_infer_table_find(&anchors, text, (uint32_t)length) != NULL;
        f->hits += found;
        f->fits = found || (length == 1 && *text == '0');
    }
}

static bool note_anchors(infer_table *anchors, bake_store *store, const bake_tree *tree)
{
    infer_place nowhere = {0, 0};
    for (uint32_t d = 0; d < bake_tree_document_count(tree); d++) {
        const char *anchor = bake_tree_document_anchor(tree, d);
        infer_entry *entry = anchor ? bake_infer_table_need(anchors, store, anchor,
                                                            (uint32_t)strlen(anchor), nowhere)
                                    : NULL;
        if (anchor && !entry)
            return false;
    }
    return true;
}

bool bake_infer_objects_find(infer_groups *groups, const bake_inputs *inputs)
{
    for (uint32_t g = 0; g < groups->count; g++) {
        infer_group *group = &groups->groups[g];
        uint64_t hits = 0;
        bool fits = group->tag != NULL, ok = true;
        for (uint32_t i = 0; i < group->input_count && fits && ok; i++) {
            bake_store store;
            infer_table anchors;
            memset(&store, 0, sizeof store);
            memset(&anchors, 0, sizeof anchors);
            file f = {inputs->inputs[group->inputs[i]].tree, &anchors, 0, true};
            ok = note_anchors(&anchors, &store, f.tree);
            for (uint32_t d = 0; d < bake_tree_document_count(f.tree) && ok && f.fits; d++)
                if (bake_tree_document(f.tree, d) != BAKE_NODE_NONE)
                    look_at(&f, bake_tree_document(f.tree, d), 0);
            fits = f.fits;
            hits += f.hits;
            bake_store_fini(&store);
        }
        if (!ok)
            return false;
        group->has_local = fits && hits > 0;
    }
    return true;
}

void bake_infer_write_object(infer_forms *forms, infer_writer *w, const infer_shape *shape)
{
    static const char name[] = "object";
    infer_table fields = shape->fields;
    const infer_entry *number = bake_infer_table_find(&fields, number_key, sizeof number_key - 1);
    const infer_shape *values = number ? bake_infer_shape_of(number->shape) : NULL;
    if (!forms->has_local || !values || shape->rest || shape->short_field || values->nulls ||
        number->count != shape->mappings || values->texts.count != number->count ||
        !(values->texts.all & INFER_INT) || bake_infer_table_find(&fields, name, sizeof name - 1))
        return;
    bake_infer_write(
        w,
        "      %s: {type: \"ref?\", local_by: %s}  # never written: the object of this "
        "file, where the number stands alone\n",
        name, number_key);
}
