/* Compares lists: arrays and fixed arrays.
 *
 * Equal elements at both ends are skipped first. The rest is aligned by tokens: of the key field if
 * all elements have different keys, otherwise of whole elements. Between two aligned pairs, as many
 * old as new elements are compared by position; otherwise the old ones are removed and the new ones
 * added. */
#include "insp_comparing.h"

#include "insp_align.h"
#include "insp_memory.h"

#include <stdlib.h>

/* The parts of two lists that remain between their equal ends. */
typedef struct middle {
    insp_comparing *c;
    const insp_seen *list[INSP_SIDES];
    uint32_t from;
    uint32_t count[INSP_SIDES];
    uint64_t *tokens[INSP_SIDES];
} middle;

static void complain_element(insp_comparing *c, const insp_seen *list)
{
    insp_seen broken = *list;
    broken.shape = INSP_SHAPE_BROKEN;
    c->result->broken += !c->quiet;
    insp_compare_set(c, &broken, &broken);
}

/* Compares elements by their numbers. */
static void compare_elements(middle *m, uint32_t old_at, uint32_t new_at)
{
    insp_comparing *c = m->c;
    insp_seen before, after;
    bool ok = insp_compare_child(c, m->list[INSP_OLD], old_at, &before) &&
              insp_compare_child(c, m->list[INSP_NEW], new_at, &after);
    insp_change_step *step = insp_compare_push(c, INSP_STEP_ELEMENT);
    if (!step)
        return;
    step->number[INSP_OLD] = old_at;
    step->number[INSP_NEW] = new_at;
    if (ok)
        insp_compare_seen(c, &before, &after);
    else
        complain_element(c, m->list[INSP_OLD]);
    insp_compare_pop(c);
}

/* Adds or removes `count` elements from `at` on. The numbers of the new list are those of the list
 * as changed so far. */
static void report_elements(middle *m, int side, uint32_t at, uint32_t new_at, uint32_t count)
{
    insp_comparing *c = m->c;
    uint32_t i;
    for (i = 0; i < count && insp_compare_spend(c, 1); i++) {
        insp_seen element;
        insp_change_step *step;
        if (!insp_compare_child(c, m->list[side], at + i, &element)) {
            c->result->broken++;
            return;
        }
        step = insp_compare_push(c, INSP_STEP_ELEMENT);
        if (!step)
            return;
        step->number[INSP_OLD] = at + i;
        step->number[INSP_NEW] = side == INSP_NEW ? at + i : new_at;
        insp_compare_one(c, side, &element);
        insp_compare_pop(c);
    }
}

/* Compares what is between two aligned pairs. */
static void compare_gap(middle *m, uint32_t old_at, uint32_t old_count, uint32_t new_at,
                        uint32_t new_count, bool by_position)
{
    uint32_t both = old_count < new_count ? old_count : new_count, i;
    if (old_count != new_count && !by_position)
        both = 0;
    for (i = 0; i < both && insp_compare_goes_on(m->c); i++)
        compare_elements(m, old_at + i, new_at + i);
    report_elements(m, INSP_OLD, old_at + both, new_at + both, old_count - both);
    report_elements(m, INSP_NEW, new_at + both, 0, new_count - both);
}

/* ---- tokens ---- */

/* The field that identifies a struct; NULL if it has none. */
static const char *key_of(const insp_seen *element)
{
    static const char *const names[] = {"id", "key", "name"};
    kiln_value field;
    size_t i;
    if (element->shape != INSP_SHAPE_STRUCT)
        return NULL;
    for (i = 0; i < sizeof names / sizeof *names; i++) {
        if (kiln_value_field(&element->value, names[i], strlen(names[i]), &field) != KILN_OK)
            continue;
        if (field.of->kind == KILN_KIND_STRING || field.of->kind == KILN_KIND_REF ||
            field.of->kind == KILN_KIND_ENUM || kiln_kind_is_integer(field.of->kind))
            return names[i];
    }
    return NULL;
}

static uint64_t token_of(middle *m, int side, uint32_t i, bool by_key)
{
    insp_comparing *c = m->c;
    insp_seen element, field;
    const char *name;
    kiln_value value;
    if (!insp_compare_child(c, m->list[side], m->from + i, &element))
        return 0;
    if (!by_key)
        return insp_compare_token(c, &element);
    name = key_of(&element);
    if (!name || kiln_value_field(&element.value, name, strlen(name), &value) != KILN_OK)
        return 0;
    field = insp_compare_see(c, &value, element.words);
    return insp_compare_token(c, &field);
}

static int compare_tokens(const void *a, const void *b)
{
    uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    return (left > right) - (left < right);
}

/* Whether all tokens of a list differ. */
static bool are_unique(middle *m, int side)
{
    size_t size = (size_t)m->count[side] * sizeof(uint64_t);
    uint64_t *sorted = insp_alloc_unset(size ? size : 1, sizeof *sorted);
    uint32_t i = 1;
    if (!sorted) {
        m->c->no_memory = true;
        return false;
    }
    memcpy(sorted, m->tokens[side], size);
    qsort(sorted, m->count[side], sizeof *sorted, compare_tokens);
    while (i < m->count[side] && sorted[i] != sorted[i - 1])
        i++;
    insp_free(sorted);
    return i >= m->count[side];
}

static void fill_tokens(middle *m, bool by_key)
{
    uint32_t i;
    int side;
    for (side = 0; side < INSP_SIDES; side++)
        for (i = 0; i < m->count[side] && insp_compare_spend(m->c, 1); i++)
            m->tokens[side][i] = token_of(m, side, i, by_key);
}

/* Fills the tokens of both lists. */
static void find_tokens(middle *m)
{
    insp_seen first[INSP_SIDES];
    const char *keys[INSP_SIDES] = {NULL, NULL};
    int side;
    for (side = 0; side < INSP_SIDES; side++) {
        m->tokens[side] = insp_alloc_array(m->count[side], sizeof *m->tokens[side]);
        if (!m->tokens[side])
            m->c->no_memory = true;
        else if (insp_compare_child(m->c, m->list[side], m->from, &first[side]))
            keys[side] = key_of(&first[side]);
    }
    if (m->c->no_memory)
        return;
    if (keys[INSP_OLD] && keys[INSP_NEW] && strcmp(keys[INSP_OLD], keys[INSP_NEW]) == 0) {
        fill_tokens(m, true);
        if (are_unique(m, INSP_OLD) && are_unique(m, INSP_NEW))
            return;
    }
    fill_tokens(m, false);
}

/* ---- alignment ---- */

static void compare_aligned(middle *m, const insp_alignment *alignment)
{
    uint32_t old_at = 0, new_at = 0, i;
    for (i = 0; i <= alignment->count && insp_compare_goes_on(m->c); i++) {
        insp_aligned next = {m->count[INSP_OLD], m->count[INSP_NEW]};
        if (i < alignment->count)
            next = alignment->pairs[i];
        compare_gap(m, m->from + old_at, next.old_at - old_at, m->from + new_at,
                    next.new_at - new_at, alignment->gave_up);
        if (i < alignment->count)
            compare_elements(m, m->from + next.old_at, m->from + next.new_at);
        old_at = next.old_at + 1;
        new_at = next.new_at + 1;
    }
}

static void report_position(insp_comparing *c)
{
    insp_change change = {.op = INSP_CHANGE_NOTE,
                          .asset = {c->asset[INSP_OLD], c->asset[INSP_NEW]}};
    insp_compare_emit(c, &change);
}

static void align(middle *m)
{
    insp_alignment alignment = {.gave_up = true};
    if ((uint64_t)m->count[INSP_OLD] + m->count[INSP_NEW] <= INSP_ALIGN_MAX) {
        find_tokens(m);
        if (!m->c->no_memory && insp_compare_goes_on(m->c) &&
            !insp_align(m->tokens[INSP_OLD], m->count[INSP_OLD], m->tokens[INSP_NEW],
                        m->count[INSP_NEW], &alignment))
            m->c->no_memory = true;
    }
    if (insp_compare_goes_on(m->c)) {
        if (alignment.gave_up)
            report_position(m->c);
        compare_aligned(m, &alignment);
    }
    insp_free(alignment.pairs);
    insp_free(m->tokens[INSP_OLD]);
    insp_free(m->tokens[INSP_NEW]);
}

static bool is_same_element(middle *m, uint32_t old_at, uint32_t new_at)
{
    insp_seen before, after;
    kiln_value left, right;
    if (!m->list[INSP_OLD]->words && !m->list[INSP_NEW]->words &&
        kiln_value_at(&m->list[INSP_OLD]->value, old_at, &left) == KILN_OK &&
        kiln_value_at(&m->list[INSP_NEW]->value, new_at, &right) == KILN_OK &&
        insp_congruent_is_same(&m->c->congruent, &left, &right, &m->c->left))
        return true;
    return insp_compare_child(m->c, m->list[INSP_OLD], old_at, &before) &&
           insp_compare_child(m->c, m->list[INSP_NEW], new_at, &after) &&
           insp_compare_is_same(m->c, &before, &after);
}

static void compare_quietly(middle *m)
{
    uint32_t i;
    m->c->differs = m->c->differs || m->count[INSP_OLD] != m->count[INSP_NEW];
    for (i = 0; i < m->count[INSP_OLD] && insp_compare_goes_on(m->c); i++)
        compare_elements(m, i, i);
}

void insp_compare_lists(insp_comparing *c, const insp_seen *before, const insp_seen *after)
{
    middle m = {.c = c, .list = {before, after}, .count = {before->count, after->count}};
    uint32_t *old_count = &m.count[INSP_OLD], *new_count = &m.count[INSP_NEW];
    if (c->quiet) {
        compare_quietly(&m);
        return;
    }
    while (m.from < before->count && m.from < after->count && is_same_element(&m, m.from, m.from))
        m.from++;
    *old_count -= m.from;
    *new_count -= m.from;
    while (*old_count && *new_count &&
           is_same_element(&m, m.from + *old_count - 1, m.from + *new_count - 1)) {
        (*old_count)--;
        (*new_count)--;
    }
    if (!insp_compare_goes_on(c))
        return;
    if (*old_count && *new_count && (*old_count > 1 || *new_count > 1))
        align(&m);
    else
        compare_gap(&m, m.from, *old_count, m.from, *new_count, false);
}
