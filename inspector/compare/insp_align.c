/* Eugene Myers, "An O(ND) Difference Algorithm and Its Variations" (1986): the greedy search, which
 * stores the furthest points of each round and then goes back through them.
 *
 * After round d, 2d + 1 diagonals have a furthest point, so all rounds together store d x d
 * numbers: 16 MiB for INSP_ALIGN_DIFFERENCES. The variation in linear space takes twice as many
 * steps. */
#include "insp_align.h"

#include "insp_memory.h"

#include <string.h>

typedef struct search {
    const uint64_t *tokens[2];
    int32_t count[2];
    int32_t *furthest; /* of diagonal k at index k + middle */
    int32_t **rounds;  /* a copy for each round, of the diagonals of the round before it */
    int32_t middle;
    uint64_t steps;
} search;

/* Whether the path to diagonal k in round d adds an element of the new list. */
static bool comes_from_above(const int32_t *furthest, int32_t k, int32_t d)
{
    return k == -d || (k != d && furthest[k - 1] < furthest[k + 1]);
}

/* Searches round d. Returns whether it reached the ends of both lists. */
static bool search_round(search *s, int32_t d)
{
    int32_t *furthest = s->furthest + s->middle, k;
    for (k = -d; k <= d; k += 2) {
        int32_t x = comes_from_above(furthest, k, d) ? furthest[k + 1] : furthest[k - 1] + 1;
        int32_t y = x - k;
        while (x < s->count[0] && y < s->count[1] && s->tokens[0][x] == s->tokens[1][y]) {
            x++;
            y++;
            s->steps++;
        }
        furthest[k] = x;
        s->steps++;
        if (x >= s->count[0] && y >= s->count[1])
            return true;
    }
    return false;
}

static bool store_round(search *s, int32_t d)
{
    size_t count = (size_t)(2 * d + 1);
    s->rounds[d] = insp_alloc_array(count, sizeof **s->rounds);
    if (!s->rounds[d])
        return false;
    memcpy(s->rounds[d], s->furthest + s->middle - d, count * sizeof **s->rounds);
    return true;
}

/* Goes back from the ends of both lists, and writes the pairs from the last to the first. Returns
 * their number. */
static uint32_t collect(const search *s, int32_t d, insp_aligned *pairs, uint32_t room)
{
    int32_t x = s->count[0], y = s->count[1];
    uint32_t count = 0;
    for (; d >= 0; d--) {
        const int32_t *furthest = d ? s->rounds[d - 1] + (d - 1) : NULL;
        int32_t k = x - y, from = 0, from_y = 0;
        if (d) {
            bool above = comes_from_above(furthest, k, d);
            from = above ? furthest[k + 1] : furthest[k - 1];
            from_y = from - (above ? k + 1 : k - 1);
        }
        while (x > from && y > from_y && count < room) {
            x--;
            y--;
            pairs[count++] = (insp_aligned){(uint32_t)x, (uint32_t)y};
        }
        x = from;
        y = from_y;
    }
    return count;
}

static void reverse(insp_aligned *pairs, uint32_t count)
{
    uint32_t i;
    for (i = 0; i < count / 2; i++) {
        insp_aligned other = pairs[i];
        pairs[i] = pairs[count - 1 - i];
        pairs[count - 1 - i] = other;
    }
}

static bool run(search *s, int32_t limit, insp_alignment *ret)
{
    uint32_t room = (uint32_t)(s->count[0] < s->count[1] ? s->count[0] : s->count[1]);
    int32_t d;
    ret->pairs = insp_alloc_array(room, sizeof *ret->pairs);
    if (!s->furthest || !s->rounds || !ret->pairs)
        return false;
    for (d = 0; d <= limit && s->steps <= INSP_ALIGN_STEPS; d++) {
        if (search_round(s, d)) {
            ret->count = collect(s, d, ret->pairs, room);
            reverse(ret->pairs, ret->count);
            return true;
        }
        if (!store_round(s, d))
            return false;
    }
    ret->gave_up = true;
    return true;
}

bool insp_align(const uint64_t *old_tokens, uint32_t old_count, const uint64_t *new_tokens,
                uint32_t new_count, insp_alignment *ret)
{
    uint64_t sum = (uint64_t)old_count + new_count;
    int32_t limit = sum < INSP_ALIGN_DIFFERENCES ? (int32_t)sum : INSP_ALIGN_DIFFERENCES, d;
    search s = {.tokens = {old_tokens, new_tokens}, .middle = limit + 1};
    bool ok = true;
    *ret = (insp_alignment){.gave_up = sum > INSP_ALIGN_MAX};
    if (ret->gave_up)
        return true;
    s.count[0] = (int32_t)old_count;
    s.count[1] = (int32_t)new_count;
    s.furthest = insp_alloc_array((size_t)limit * 2 + 3, sizeof *s.furthest);
    s.rounds = insp_alloc_array((size_t)limit + 1, sizeof *s.rounds);
    ok = run(&s, limit, ret);
    for (d = 0; s.rounds && d <= limit; d++)
        insp_free(s.rounds[d]);
    insp_free(s.rounds);
    insp_free(s.furthest);
    if (!ok) {
        insp_free(ret->pairs);
        *ret = (insp_alignment){0};
    }
    return ok;
}
