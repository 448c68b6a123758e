/* Applies one check to all rows of a column.
 *
 * The loops have no branches, so that compilers can vectorize them: violations are accumulated with
 * | or as a maximum. Each size has its own loop, because a memcpy of constant size is a single
 * load. */
#include "scene_check.h"

/* Checks S6. Both cases are computed, and the source selects one. Null and imports must have number
 * 0. */
static bool entities_hold(const row_check *check, const unsigned char *at, size_t stride,
                          uint32_t rows)
{
    uint32_t wrong = 0;
    for (; rows > 0; rows--, at += stride) {
        uint64_t word = scene_read_word(at);
        uint32_t number = scene_word_number(word), source = scene_word_source(word);
        uint32_t local = number >= check->limit, other = number | (source >= check->sources);
        wrong |= source == KILN_SCENE_LOCAL ? local : other;
    }
    return wrong == 0;
}

/* S7 and S8: it is enough to check the largest word. */
static bool words_hold(const row_check *check, const unsigned char *at, size_t stride,
                       uint32_t rows)
{
    uint64_t most = 0;
    for (; rows > 0; rows--, at += stride) {
        uint64_t word = scene_read_word(at);
        most = word > most ? word : most;
    }
    return most <= check->limit;
}

/* Combines all numbers of `size` bytes with |. `size` is a constant in all frequent calls. */
static inline uint64_t join(const unsigned char *at, size_t stride, uint32_t rows, uint32_t size)
{
    uint64_t joined = 0;
    for (; rows > 0; rows--, at += stride) {
        uint64_t number = 0;
        memcpy(&number, at, size);
        joined |= number;
    }
    return joined;
}

static uint64_t join_numbers(const unsigned char *at, size_t stride, uint32_t rows, uint32_t size)
{
    switch (size) {
    case 1:
        return join(at, stride, rows, 1);
    case 2:
        return join(at, stride, rows, 2);
    case 3:
        return join(at, stride, rows, 3);
    case 4:
        return join(at, stride, rows, 4);
    case 7:
        return join(at, stride, rows, 7);
    default:
        return join(at, stride, rows, size < 8 ? size : 8);
    }
}

static bool are_zeros(const program_check *check, const unsigned char *at, size_t stride,
                      uint32_t rows)
{
    uint64_t joined = 0;
    for (uint32_t done = 0; done < check->size; done += 8) {
        uint32_t left = check->size - done;
        joined |= join_numbers(at + done, stride, rows, left < 8 ? left : 8);
    }
    return joined == 0;
}

static inline bool are_few(const program_check *check, const unsigned char *at, size_t stride,
                           uint32_t rows, uint32_t size)
{
    /* `low` is sign-extended, but the numbers are not. The difference is correct modulo 2^bits, and
     * the mask discards the rest. */
    uint64_t bits = size < 8 ? (UINT64_C(1) << size * 8) - 1 : UINT64_MAX, wrong = 0;
    for (; rows > 0; rows--, at += stride) {
        uint64_t number = 0;
        memcpy(&number, at, size);
        number = (number - check->low) & bits;
        wrong |= (number >= 64) | (~check->mask >> (number & 63) & 1);
    }
    return wrong == 0;
}

static bool are_few_numbers(const program_check *check, const unsigned char *at, size_t stride,
                            uint32_t rows)
{
    switch (check->size) {
    case 1:
        return are_few(check, at, stride, rows, 1);
    case 2:
        return are_few(check, at, stride, rows, 2);
    case 4:
        return are_few(check, at, stride, rows, 4);
    default:
        return are_few(check, at, stride, rows, 8);
    }
}

static bool values_hold(const program_check *check, const unsigned char *at, size_t stride,
                        uint32_t rows)
{
    switch (check->code) {
    case CHECK_BOOL:
        return join_numbers(at, stride, rows, 1) <= 1;
    case CHECK_MASK:
        return (join_numbers(at, stride, rows, check->size) & ~check->mask) == 0;
    case CHECK_ZERO:
        return are_zeros(check, at, stride, rows);
    case CHECK_FEW:
        return are_few_numbers(check, at, stride, rows);
    default:
        for (; rows > 0; rows--, at += stride)
            if (!program_check_holds(check, at))
                return false;
        return true;
    }
}

bool kiln_scene_rows_hold(const row_check *check, const unsigned char *at, size_t stride,
                          uint32_t rows)
{
    if (check->code == ROW_ENTITY)
        return entities_hold(check, at, stride, rows);
    if (check->code == ROW_WORD)
        return words_hold(check, at, stride, rows);
    return values_hold(&check->value, at, stride, rows);
}
