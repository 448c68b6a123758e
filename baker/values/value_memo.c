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
    uint64_t word;
};

typedef struct data_memo memo;

static uint32_t hash_of_memo(const hash_table *table, memo key)
{
    return hash_of_number(table,
                          (uint64_t)(uintptr_t)key.tree ^ (uint64_t)key.node << 32 ^ key.member);
}

static bool is_memo(const data_memos *m, uint32_t number, memo key)
{
    const memo *other = &m->all[number];
    return other->tree == key.tree && other->node == key.node && other->member == key.member;
}

HASH_TABLE(memos_by_node, const data_memos *, memo, hash_of_memo, is_memo)

bool bake_data_memo_find(const data_memos *m, const bake_tree *tree, bake_node_id node,
                         uint32_t member, uint64_t *ret_word)
{
    memo key = {tree, node, member, 0};
    uint32_t found = memos_by_node_find(&m->by_node, m, key);
    if (found == HASH_TABLE_NONE)
        return false;
    *ret_word = m->all[found].word;
    return true;
}

void bake_data_memo_put(data_memos *m, const bake_tree *tree, bake_node_id node, uint32_t member,
                        uint64_t word)
{
    kiln_allocator allocator = bake_memory_allocator();
    memo made = {tree, node, member, word};
    memo *all = bake_grow(m->all, &m->capacity, m->count + 1, sizeof *all);
    if (all)
        m->all = all;
    /* What is not remembered is baked again. */
    if (!all || !hash_table_reserve(&m->by_node, &allocator))
        return;
    all[m->count] = made;
    hash_table_put(&m->by_node, memos_by_node_slot(&m->by_node, m, made), (uint32_t)m->count++);
}

void bake_data_memo_fini(data_memos *m)
{
    kiln_allocator allocator = bake_memory_allocator();
    kiln_hash_table_fini(&m->by_node, &allocator);
    bake_free(m->all);
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
