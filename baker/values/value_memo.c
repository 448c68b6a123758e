/* Words of data values that were baked before: the values of a prefab come again with every entity
 * that is made from it. */
#include "value_words.h"

#include "bake_memory.h"
#include "tree_store.h"

#include <string.h>

struct data_memo {
    const bake_tree *tree;
    bake_node_id node;
    uint32_t member; /* of SceneData */
    uint64_t word;   /* plus 1; 0: the slot is free */
};

/* Places in memory are not known to who writes the data. */
static size_t slot_of(const data_memos *m, const bake_tree *tree, bake_node_id node,
                      uint32_t member)
{
    uint64_t hash = (uint64_t)(uintptr_t)tree ^ (uint64_t)node << 32 ^ member;
    hash = (hash ^ (uint64_t)(uintptr_t)m) * UINT64_C(0x9e3779b97f4a7c15);
    return (size_t)((hash ^ hash >> 32) * UINT64_C(0xbf58476d1ce4e5b9) >> 20) & (m->slot_count - 1);
}

static struct data_memo *find(const data_memos *m, const bake_tree *tree, bake_node_id node,
                              uint32_t member)
{
    size_t at = slot_of(m, tree, node, member);
    for (; m->slots[at].word; at = (at + 1) & (m->slot_count - 1))
        if (m->slots[at].tree == tree && m->slots[at].node == node && m->slots[at].member == member)
            break;
    return &m->slots[at];
}

bool bake_data_memo_find(const data_memos *m, const bake_tree *tree, bake_node_id node,
                         uint32_t member, uint64_t *ret_word)
{
    const struct data_memo *found = m->slot_count ? find(m, tree, node, member) : NULL;
    if (!found || !found->word)
        return false;
    *ret_word = found->word - 1;
    return true;
}

static bool grow(data_memos *m)
{
    data_memos larger = {.slot_count = m->slot_count ? 2 * m->slot_count : 256};
    larger.slots = bake_alloc_array(larger.slot_count, sizeof *larger.slots);
    if (!larger.slots)
        return false;
    struct data_memo *old = m->slots;
    size_t count = m->slot_count;
    m->slots = larger.slots;
    m->slot_count = larger.slot_count;
    for (size_t i = 0; i < count; i++)
        if (old[i].word)
            *find(m, old[i].tree, old[i].node, old[i].member) = old[i];
    bake_free(old);
    return true;
}

void bake_data_memo_put(data_memos *m, const bake_tree *tree, bake_node_id node, uint32_t member,
                        uint64_t word)
{
    /* What is not remembered is baked again. */
    if (m->count * 2 + 2 > m->slot_count && !grow(m))
        return;
    *find(m, tree, node, member) = (struct data_memo){tree, node, member, word + 1};
    m->count++;
}

void bake_data_memo_fini(data_memos *m)
{
    bake_free(m->slots);
    memset(m, 0, sizeof *m);
}

data_text *bake_data_text(value_words *words, const kiln_member *field, uint32_t member,
                          const bake_scalar_view *view, bool *ret_known)
{
    if (!field || view->length > DATA_TEXT_MAX)
        return NULL;
    uint64_t hash = bake_tree_hash(view->text, view->length) ^ (uintptr_t)field;
    data_text *at = &words->texts[(hash * UINT64_C(0x9e3779b97f4a7c15) >> 32) % DATA_TEXTS];
    *ret_known = at->field == field && at->member == member && at->length == view->length &&
                 at->is_plain == view->is_plain && memcmp(at->text, view->text, view->length) == 0;
    return at;
}

void bake_data_text_put(data_text *at, const kiln_member *field, uint32_t member,
                        const bake_scalar_view *view, uint64_t word)
{
    *at = (data_text){field, word, member, (uint8_t)view->length, view->is_plain, {0}};
    memcpy(at->text, view->text, view->length);
}
