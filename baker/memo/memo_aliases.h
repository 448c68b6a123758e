/* The aliases of a memo: names and guids by which references can refer to assets, or to nothing.
 *
 * Files that rename, delete or accept ids are contexts: each run parses all of them, so that it has
 * all links. Guids can be in thousands of files, so those of unparsed files come from the memo. */
#ifndef BAKE_MEMO_ALIASES_H
#define BAKE_MEMO_ALIASES_H

#include "memo.h"

static inline const char *bake_memo_alias_name(const bake_memo *memo, const bake_memo_alias *alias)
{
    return memo->alias_texts + alias->name;
}

static inline const char *bake_memo_alias_to(const bake_memo *memo, const bake_memo_alias *alias)
{
    return memo->alias_texts + alias->to;
}

static inline bool bake_memo_is_guid(const bake_memo_alias *alias)
{
    return alias->kind == BAKE_MEMO_GUID || alias->kind == BAKE_MEMO_GUID_OF_INPUT;
}

/* Adds an alias with a copy of its texts; `to` may be NULL. Returns false if memory runs out. */
bool bake_memo_add_alias(bake_memo *memo, bake_memo_alias_kind kind, uint32_t file, text_key name,
                         text_key to);
/* Adds the links, the guids and the contexts of inputs. `numbers` has the file of each input; NULL:
 * the same number. Guids of files outside of the run are left out. Returns false if memory runs
 * out. */
bool bake_memo_add_aliases(bake_memo *memo, const bake_inputs *inputs, const uint32_t *numbers);
/* Sorts links before guids and others, by name. */
void bake_memo_sort_aliases(bake_memo *memo);
/* The order by kind and name, in which all kinds of links are equal, and both of guids. */
int bake_memo_compare_aliases(const bake_memo *a, const bake_memo_alias *left, const bake_memo *b,
                              const bake_memo_alias *right);

#endif
