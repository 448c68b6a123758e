/* Compares scenes, entity by entity.
 *
 * Entities are matched by name. An entity without a name is matched with the one that has the same
 * position among the entities without names of the same components; only its number may differ. */
#include "insp_comparing.h"

#include "insp_memory.h"
#include "insp_scene_row.h"
#include "insp_scene_word.h"

#include <string.h>

#define UNMATCHED UINT32_MAX

typedef struct pairing {
    insp_comparing *c;
    const insp_scene *scene[INSP_SIDES];
    uint32_t *match[INSP_SIDES]; /* by entity: the number on the other side, or UNMATCHED */
} pairing;

/* ---- matching ---- */

static void match(pairing *p, uint32_t old_entity, uint32_t new_entity)
{
    p->match[INSP_OLD][old_entity] = new_entity;
    p->match[INSP_NEW][new_entity] = old_entity;
}

static void match_names(pairing *p)
{
    const insp_scene *before = p->scene[INSP_OLD], *after = p->scene[INSP_NEW];
    const kiln_scene_name *names = insp_scene_list(&before->scene->names);
    uint32_t i;
    for (i = 0; i < before->scene->names.count && insp_compare_spend(p->c, 1); i++) {
        insp_text name = insp_scene_text(&names[i].name);
        uint32_t entity = kiln_scene_find_name(after->scene, name.data, name.length);
        if (names[i].entity < before->view.entities && entity < after->view.entities &&
            p->match[INSP_OLD][names[i].entity] == UNMATCHED &&
            p->match[INSP_NEW][entity] == UNMATCHED)
            match(p, names[i].entity, entity);
    }
}

static insp_text component_name(const insp_scene *scene, const kiln_scene_rows *rows, uint32_t i)
{
    const kiln_scene_component *all = insp_scene_list(&scene->scene->components);
    return insp_scene_text(&all[kiln_scene_column_number(&scene->view, rows, i)].name);
}

static bool has_same_components(pairing *p, const kiln_scene_rows *before,
                                const kiln_scene_rows *after)
{
    uint32_t i = 0;
    if (before->component_count != after->component_count)
        return false;
    while (i < before->component_count && insp_compare_spend(p->c, 1) &&
           insp_text_is_same(component_name(p->scene[INSP_OLD], before, i),
                             component_name(p->scene[INSP_NEW], after, i)))
        i++;
    return i == before->component_count;
}

/* The next entity of an archetype without a name, from `*row` on. Returns false if there is none.
 */
static bool next_unnamed(pairing *p, int side, const kiln_scene_rows *rows, uint32_t *row)
{
    while (*row < rows->rows && insp_scene_name(p->scene[side], rows->first_entity + *row).length)
        (*row)++;
    return *row < rows->rows;
}

static void match_archetype(pairing *p, const kiln_scene_rows *before, const kiln_scene_rows *after)
{
    uint32_t old_row = 0, new_row = 0;
    while (insp_compare_spend(p->c, 1) && next_unnamed(p, INSP_OLD, before, &old_row) &&
           next_unnamed(p, INSP_NEW, after, &new_row))
        match(p, before->first_entity + old_row++, after->first_entity + new_row++);
}

static void match_unnamed(pairing *p)
{
    const kiln_scene_view *before = &p->scene[INSP_OLD]->view, *after = &p->scene[INSP_NEW]->view;
    uint32_t i, k;
    for (i = 0; i < before->archetype_count; i++)
        for (k = 0; k < after->archetype_count && insp_compare_spend(p->c, 1); k++)
            if (has_same_components(p, &before->archetypes[i], &after->archetypes[k])) {
                match_archetype(p, &before->archetypes[i], &after->archetypes[k]);
                break;
            }
}

/* ---- reports ---- */

static void report_entity(pairing *p, int side, uint32_t entity)
{
    insp_change change = {.op = side == INSP_OLD ? INSP_CHANGE_REMOVE : INSP_CHANGE_ADD,
                          .asset = {p->c->asset[INSP_OLD], p->c->asset[INSP_NEW]}};
    insp_change_step *step = insp_compare_push(p->c, INSP_STEP_ENTITY);
    if (!step)
        return;
    step->text = insp_scene_name(p->scene[side], entity);
    step->number[INSP_OLD] = step->number[INSP_NEW] = entity;
    change.entity[side] = (insp_change_entity){p->scene[side], entity};
    insp_compare_emit(p->c, &change);
    insp_compare_pop(p->c);
}

static void report_unmatched(pairing *p, int side)
{
    uint32_t i;
    for (i = 0; i < p->scene[side]->view.entities && insp_compare_goes_on(p->c); i++)
        if (p->match[side][i] == UNMATCHED)
            report_entity(p, side, i);
}

/* Reports the entities without names whose numbers have changed, as ranges. */
static void report_numbers(pairing *p)
{
    const uint32_t *numbers = p->match[INSP_OLD];
    uint32_t count = p->scene[INSP_OLD]->view.entities, i, end;
    for (i = 0; i < count && insp_compare_goes_on(p->c); i = end) {
        insp_change change = {.op = INSP_CHANGE_RENUMBER,
                              .asset = {p->c->asset[INSP_OLD], p->c->asset[INSP_NEW]},
                              .from = i,
                              .to = numbers[i]};
        end = i + 1;
        if (numbers[i] == UNMATCHED || numbers[i] == i ||
            insp_scene_name(p->scene[INSP_OLD], i).length)
            continue;
        while (end < count && numbers[end] == numbers[i] + (end - i) &&
               !insp_scene_name(p->scene[INSP_OLD], end).length)
            end++;
        change.count = end - i;
        insp_compare_emit(p->c, &change);
    }
}

/* ---- components ---- */

/* A component of an entity, as a value or as bytes. */
typedef struct part {
    bool is_there, is_value;
    insp_text name;
    kiln_value value;
    insp_words words;
    insp_change_bytes bytes;
} part;

static void read_part(const insp_scene_row *at, uint32_t column, part *ret)
{
    *ret = (part){.is_there = column < at->of->component_count};
    if (!ret->is_there)
        return;
    const kiln_scene_component *component = insp_scene_row_component(at, column);
    ret->name = insp_scene_text(&component->name);
    ret->words = (insp_words){insp_print_row_word, at->scene, component, NULL};
    ret->is_value = insp_scene_row_value(at, column, &ret->value);
    ret->bytes = (insp_change_bytes){true, insp_scene_row_bytes(at, column), component->size};
}

static void set_part(insp_change *change, int side, const part *from)
{
    if (from->is_value) {
        change->value[side] = &from->value;
        change->words[side] = &from->words;
    } else {
        change->bytes[side] = from->bytes;
    }
}

static bool has_same_bytes(const part *before, const part *after)
{
    const insp_change_bytes *left = &before->bytes, *right = &after->bytes;
    if (!left->data || !right->data)
        return left->data == right->data;
    return left->size == right->size && memcmp(left->data, right->data, left->size) == 0;
}

static void compare_parts(insp_comparing *c, const part *before, const part *after)
{
    insp_change change = {.op = INSP_CHANGE_SET, .asset = {c->asset[INSP_OLD], c->asset[INSP_NEW]}};
    insp_change_step *step = insp_compare_push(c, INSP_STEP_COMPONENT);
    if (!step)
        return;
    step->text = before ? before->name : after->name;
    if (before && after && before->is_value && after->is_value) {
        insp_seen left = insp_compare_see(c, &before->value, &before->words);
        insp_seen right = insp_compare_see(c, &after->value, &after->words);
        insp_compare_seen(c, &left, &right);
    } else if (!before || !after || before->is_value != after->is_value ||
               !has_same_bytes(before, after)) {
        if (before)
            set_part(&change, INSP_OLD, before);
        if (after)
            set_part(&change, INSP_NEW, after);
        change.op = !before ? INSP_CHANGE_ADD : !after ? INSP_CHANGE_REMOVE : INSP_CHANGE_SET;
        insp_compare_emit(c, &change);
    }
    insp_compare_pop(c);
}

/* The components of an entity are sorted by name. */
static void compare_components(pairing *p, const insp_scene_row rows[INSP_SIDES])
{
    uint32_t old_column = 0, new_column = 0;
    part before, after;
    while (insp_compare_spend(p->c, 1)) {
        int order;
        read_part(&rows[INSP_OLD], old_column, &before);
        read_part(&rows[INSP_NEW], new_column, &after);
        if (!before.is_there && !after.is_there)
            return;
        order = !after.is_there    ? -1
                : !before.is_there ? 1
                                   : insp_text_compare(before.name, after.name);
        compare_parts(p->c, order <= 0 ? &before : NULL, order >= 0 ? &after : NULL);
        old_column += order <= 0;
        new_column += order >= 0;
    }
}

static void compare_entities(pairing *p)
{
    uint32_t i;
    for (i = 0; i < p->scene[INSP_NEW]->view.entities && insp_compare_spend(p->c, 1); i++) {
        uint32_t old_entity = p->match[INSP_NEW][i];
        insp_scene_row rows[INSP_SIDES];
        insp_change_step *step;
        if (old_entity == UNMATCHED)
            continue;
        rows[INSP_OLD] = insp_scene_locate(p->scene[INSP_OLD], old_entity);
        rows[INSP_NEW] = insp_scene_locate(p->scene[INSP_NEW], i);
        step = insp_compare_push(p->c, INSP_STEP_ENTITY);
        if (!step)
            return;
        step->text = insp_scene_name(p->scene[INSP_NEW], i);
        step->number[INSP_OLD] = old_entity;
        step->number[INSP_NEW] = i;
        compare_components(p, rows);
        insp_compare_pop(p->c);
    }
}

static bool fill_pairing(pairing *p)
{
    int side;
    for (side = 0; side < INSP_SIDES; side++) {
        uint32_t count = p->scene[side]->view.entities, i;
        /* Entities without components take no bytes, so there can be more of them than bytes. */
        if (!insp_compare_spend(p->c, count))
            return false;
        p->match[side] = insp_alloc_array(count, sizeof *p->match[side]);
        if (!p->match[side]) {
            p->c->no_memory = true;
            return false;
        }
        for (i = 0; i < count; i++)
            p->match[side][i] = UNMATCHED;
    }
    match_names(p);
    match_unnamed(p);
    return insp_compare_goes_on(p->c);
}

void insp_compare_scenes(insp_comparing *c, const insp_scene *before, const insp_scene *after)
{
    pairing p = {.c = c, .scene = {before, after}};
    if (fill_pairing(&p)) {
        c->numbers = p.match[INSP_OLD];
        c->number_count = before->view.entities;
        report_unmatched(&p, INSP_OLD);
        report_numbers(&p);
        compare_entities(&p);
        report_unmatched(&p, INSP_NEW);
        c->numbers = NULL;
        c->number_count = 0;
    }
    insp_free(p.match[INSP_OLD]);
    insp_free(p.match[INSP_NEW]);
}
