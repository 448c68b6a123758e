#include "budget.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const char *const bake_budget_kind_words[BAKE_BUDGET_KINDS] = {"bundle", "type", "scene", "cluster",
                                                               "asset"};
const char *const bake_measure_words[BAKE_MEASURES] = {"disk", "resident", "load"};

/* Returns the budget that `by` replaces; `count` if there is none. */
static size_t find_replaced(const bake_budget *items, size_t count, const bake_budget *by)
{
    size_t i = 0;
    while (i < count && (items[i].kind != by->kind || items[i].measure != by->measure ||
                         strcmp(items[i].pattern, by->pattern) != 0))
        i++;
    return i;
}

bool bake_budgets_merge(const bake_budget_layer *const *layers, size_t count, bake_store *store,
                        bake_budgets *ret_budgets)
{
    size_t most = 0, merged = 0, kept = 0;
    unsigned warn = BAKE_BUDGET_WARN;
    for (size_t i = 0; i < count; i++)
        most += layers[i] ? layers[i]->count : 0;
    bake_budget *items = bake_store_alloc(store, most + 1, sizeof *items);
    if (!items)
        return false;
    for (size_t i = 0; i < count; i++) {
        warn = layers[i] && layers[i]->warn ? layers[i]->warn : warn;
        for (size_t k = 0; layers[i] && k < layers[i]->count; k++) {
            size_t at = find_replaced(items, merged, &layers[i]->items[k]);
            items[at] = layers[i]->items[k];
            merged += at == merged;
        }
    }
    for (size_t i = 0; i < merged; i++)
        if (items[i].limit != BAKE_BUDGET_NONE)
            items[kept++] = items[i];
    ret_budgets->items = items;
    ret_budgets->count = kept;
    ret_budgets->warn = warn;
    return true;
}

/* After a mismatch, only the last `*` is retried, one byte further on: an earlier `*` finds nothing
 * more, because the last one can skip the same bytes. */
bool bake_budget_matches(const char *pattern, const char *name)
{
    const char *star = NULL, *from = NULL;
    while (*name) {
        if (*pattern == '*') {
            star = ++pattern;
            from = name;
        } else if (*pattern && (*pattern == '?' || *pattern == *name)) {
            pattern++;
            name++;
        } else if (star) {
            pattern = star;
            name = ++from;
        } else {
            return false;
        }
    }
    return pattern[strspn(pattern, "*")] == '\0';
}

/* ---- sizes ---- */

static bool find_unit(const char *text, uint64_t *ret_factor)
{
    static const struct {
        const char *name;
        uint64_t factor;
    } units[] = {
        {"", 1},
        {"B", 1},
        {"kB", 1000},
        {"MB", 1000000},
        {"GB", 1000000000},
        {"K", UINT64_C(1) << 10},
        {"KiB", UINT64_C(1) << 10},
        {"M", UINT64_C(1) << 20},
        {"MiB", UINT64_C(1) << 20},
        {"G", UINT64_C(1) << 30},
        {"GiB", UINT64_C(1) << 30},
    };
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(units[i].name, text) == 0) {
            *ret_factor = units[i].factor;
            return true;
        }
    return false;
}

/* Reads digits; returns false if the number is 2^63 or more. */
static bool read_digits(const char *text, size_t count, uint64_t *ret_number)
{
    uint64_t number = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t digit = (uint64_t)(text[i] - '0');
        if (number > (INT64_MAX - digit) / 10)
            return false;
        number = number * 10 + digit;
    }
    *ret_number = number;
    return true;
}

bool bake_budget_parse_size(const char *text, uint64_t *ret_size)
{
    /* With more digits, a fraction times the largest unit would not fit into 64 bits. */
    enum { FRACTION_MAX = 9 };
    uint64_t whole = 0, part = 0, factor, size;
    size_t digits = strspn(text, "0123456789");
    const char *rest = text + digits;
    bool ok = digits > 0 && read_digits(text, digits, &whole);
    if (*rest == '.') {
        size_t more = strspn(++rest, "0123456789");
        ok = ok && more > 0 && more <= FRACTION_MAX && read_digits(rest, more, &part);
        for (size_t i = more; i < FRACTION_MAX; i++)
            part *= 10;
        rest += more;
        ok = ok && *rest != '\0';
    }
    rest += *rest == ' ';
    if (!ok || !find_unit(rest, &factor) || (factor == 1 && part > 0) || whole > INT64_MAX / factor)
        return false;
    size = whole * factor;
    part = part * factor / 1000000000;
    if (part > INT64_MAX - size || size + part == 0)
        return false;
    *ret_size = size + part;
    return true;
}

bool bake_budget_parse_percent(const char *text, unsigned *ret_percent)
{
    uint64_t percent;
    size_t digits = strspn(text, "0123456789");
    const char *rest = text + digits;
    rest += *rest == ' ';
    if (digits == 0 || strcmp(rest, "%") != 0 || !read_digits(text, digits, &percent) ||
        percent < 1 || percent > 100)
        return false;
    *ret_percent = (unsigned)percent;
    return true;
}

const char *bake_budget_percent(char out[32], uint64_t used, uint64_t limit)
{
    uint64_t whole = used / limit, rest = used % limit;
    /* Above 2^54, a thousandth of the limit is exact enough for one decimal. */
    uint64_t tenths = rest <= UINT64_MAX / 1000 ? rest * 1000 / limit : rest / (limit / 1000);
    tenths = tenths > 999 ? 999 : tenths;
    if (whole > UINT64_MAX / 1000 - 1)
        whole = UINT64_MAX / 1000 - 1;
    tenths += whole * 1000;
    snprintf(out, 32, "%" PRIu64 ".%" PRIu64, tenths / 10, tenths % 10);
    return out;
}
