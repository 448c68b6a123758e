/* Component fields that are stored as words in a row: entities by number, and values in the scene
 * data.
 *
 * Implemented in value_words.c (entities), value_data.c (values in the scene data) and
 * value_lists.c (the lists of the scene data, and memos of words by node or text). */
#ifndef BAKE_VALUE_WORDS_H
#define BAKE_VALUE_WORDS_H

#include "bake_store.h"
#include "value_component.h"
#include "value_layer.h"

/* A value of the scene data. Each list stores equal values once. */
typedef struct data_item {
    size_t bytes; /* offset of the bytes that identify it */
    uint32_t byte_count;
    uint32_t member; /* of SceneData */
    uint32_t number; /* index in its list */
    uint32_t next;   /* next item of its list, plus 1 */
    uint32_t type;
    uint32_t layer_count;
    const value_layer *layers;
    value_rule rule;
    const kiln_member *field;
} data_item;

typedef struct data_list {
    uint32_t first, last; /* item indices plus 1 */
    uint32_t count;
} data_list;

/* Lists of values without duplicates. */
typedef struct data_lists {
    bake_store store;
    data_item *items;
    size_t item_count, item_capacity;
    unsigned char *bytes;
    size_t byte_count, byte_capacity;
    hash_table by_bytes;
    data_list *lists; /* by member of SceneData */
    uint32_t list_count;
} data_lists;

/* Memoized words by node, for values with a single layer. */
typedef struct data_memos {
    struct data_memo *all;
    size_t count, capacity;
    hash_table by_node;
} data_memos;

/* A slot of a direct-mapped cache: the word of the last field and text that used it. */
enum { DATA_TEXTS = 256, DATA_TEXT_MAX = 24 };
typedef struct data_text {
    const kiln_member *field; /* NULL: unused */
    uint64_t word;
    uint32_t member; /* of SceneData */
    uint8_t length;
    bool is_plain;
    char text[DATA_TEXT_MAX];
} data_text;

/* Bakes a value of the scene data from `layers`, or from the node if `count` is 0. */
typedef void value_bake_data(bake_values *b, const value_layer *layers, size_t count,
                             bake_node_id node, uint32_t type, const kiln_member *field, void *dst,
                             const value_step *step, value_rule rule);

struct value_words {
    /* Points to bake_value_data. Code that composes and merges values calls bake_value_data through
     * this pointer, and so does not depend on scenes. */
    value_bake_data *bake_data;
    data_lists data;
    data_memos memos;
    data_text texts[DATA_TEXTS];
    bake_find_entity *find; /* NULL if no entities are known */
    bake_hint_entity *hint;
    const char *none; /* the string that means "no entity", or NULL */
    void *find_ctx;
    uint32_t unknown; /* number of keys for entities that are not known yet */
    bake_site *sites;
    size_t site_count, site_capacity;
    /* The current component. */
    const unsigned char *row;
    const bake_component *component;
};

typedef struct value_words value_words;

/* value_words.c: writes the 64-bit site number of an entity plus 1, or nothing for no entity. */
void bake_value_entity(bake_values *b, bake_node_id node, void *dst, const value_step *step);
/* Writes a u32 in scene data: the number plus 1 of the named entity. */
void bake_value_entity_number(bake_values *b, bake_node_id node, void *dst, const value_step *step);
/* Like bake_value_entity_number, for a map key. An entity that is not known yet gets a unique
 * number. Returns false after a report. */
bool bake_value_entity_key(bake_values *b, bake_node_id node, void *dst, const value_step *step);

/* value_data.c */
value_bake_data bake_value_data;

/* value_lists.c: memos. */
bool bake_data_memo_find(const data_memos *memos, const bake_tree *tree, bake_node_id node,
                         uint32_t member, uint64_t *ret_word);
/* Adds a node that bake_data_memo_find did not find. */
void bake_data_memo_put(data_memos *memos, const bake_tree *tree, bake_node_id node,
                        uint32_t member, uint64_t word);
void bake_data_memo_fini(data_memos *memos);
/* Returns the slot for the text in this field, or NULL if the text is too long. Sets `*ret_known`
 * to whether the slot has its word. Use this only for values that depend on nothing but their
 * text. */
data_text *bake_data_text(value_words *words, const kiln_member *field, uint32_t member,
                          const bake_scalar_view *view, bool *ret_known);
void bake_data_text_put(data_text *at, const kiln_member *field, uint32_t member,
                        const bake_scalar_view *view, uint64_t word);

/* value_lists.c: the lists of the scene data. bake_data_lists_init returns false if memory runs
 * out. */
bool bake_data_lists_init(data_lists *lists, uint32_t count);
void bake_data_lists_fini(data_lists *lists);
/* Finds the value with the same `size` bytes in the list of `like->member`, or appends a copy of
 * `like`. Returns its index plus 1, or 0 if memory runs out. */
uint64_t bake_data_lists_put(data_lists *lists, const data_item *like, const void *bytes,
                             size_t size);

#endif
