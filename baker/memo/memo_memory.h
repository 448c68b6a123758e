/* The memory of a memo. Private to the storey; its part is memo.c. */
#ifndef BAKE_MEMO_MEMORY_H
#define BAKE_MEMO_MEMORY_H

#include "memo.h"

#include <string.h>

typedef struct memo_counts {
    uint32_t rows, assets, files, parents, targets, kinds;
    uint64_t text; /* bytes */
    uint32_t forms, payloads, aliases, alias_text, prefabs, paths, uses;
} memo_counts;

/* The bytes of all lists. */
static inline uint64_t bake_memo_size(const memo_counts *counts)
{
    return (uint64_t)counts->rows * sizeof(bake_memo_asset) +
           (uint64_t)counts->files * sizeof(bake_memo_source) +
           (uint64_t)counts->parents * sizeof(uint32_t) +
           (uint64_t)counts->targets * sizeof(kiln_id) +
           (uint64_t)counts->kinds * sizeof(bake_memo_kind) +
           (uint64_t)counts->forms * sizeof(bake_node_form) +
           (uint64_t)counts->payloads * sizeof(bake_memo_payload) +
           (uint64_t)counts->aliases * sizeof(bake_memo_alias) +
           (uint64_t)counts->paths * sizeof(bake_memo_used) +
           (uint64_t)counts->uses * sizeof(bake_memo_use) + counts->alias_text + counts->text;
}

/* Returns a memo whose lists are not filled; NULL if memory runs out. */
bake_memo *bake_memo_create(const memo_counts *counts);

/* Writes a text with a NUL at `*size` in the texts, which have room for it, and adds its size.
 * Returns its offset. */
static inline uint32_t bake_memo_put_text(bake_memo *memo, size_t *size, const char *text,
                                          size_t length)
{
    uint32_t at = (uint32_t)*size;
    memcpy(memo->texts + at, text, length);
    memo->texts[at + length] = '\0';
    *size += length + 1;
    return at;
}

#endif
