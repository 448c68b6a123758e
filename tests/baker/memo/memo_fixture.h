/* Memos for tests. */
#ifndef MEMO_FIXTURE_H
#define MEMO_FIXTURE_H

#include "bake_fixture.h"
#include "memo_memory.h"

/* A memo with these rows, whose first two texts are the paths of its two files. All other lists are
 * zeros. */
static inline bake_memo *memo_fixture(const memo_counts *counts, const char *texts,
                                      const bake_memo_asset *rows)
{
    bake_memo *memo = bake_memo_create(counts);
    assert_non_null(memo);
    size_t first = strlen(texts), second = strlen(texts + first + 1);
    memcpy(memo->texts, texts, (size_t)counts->text);
    memcpy(memo->all, rows, counts->rows * sizeof *rows);
    memo->files[0] = (bake_memo_source){10, 0, (uint32_t)first};
    memo->files[1] = (bake_memo_source){20, (uint32_t)first + 1, (uint32_t)second};
    memset(memo->parents, 0, counts->parents * sizeof *memo->parents);
    memset(memo->targets, 0, counts->targets * sizeof *memo->targets);
    memset(memo->kinds, 0, counts->kinds * sizeof *memo->kinds);
    memset(memo->forms, 0, counts->forms * sizeof *memo->forms);
    return memo;
}

#endif
