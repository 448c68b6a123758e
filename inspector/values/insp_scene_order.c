/* Finds an order of entities that bakes back to the same scene, by a topological sort.
 *
 * Ready archetypes are in a ring buffer. An entity may be the first to use some list elements. The
 * next entity of an archetype is taken if each of these elements is the next unused one of its
 * list. Otherwise the archetype waits for the preceding element, and returns to the ring when that
 * element is taken. An archetype waits for one element at a time, so each word of a row is read
 * once, plus once for each time that its entity had to wait.
 *
 * insp_scene_order.h explains why a greedy order is enough. */
#include "insp_scene_order.h"

#include "insp_memory.h"

#include <string.h>

enum { NO_ARCHETYPE = 0, LIST_UNIT = 4, COUNT_MAX = 1 << 28, WORD_SIZE = 8 };

/* A list of the scene's data. */
typedef struct list {
    uint32_t count, seen;
    uint32_t first; /* index of its first element among those of all lists */
} list;

/* An element that the current entity is the first to use. */
typedef struct taken {
    uint32_t list, element; /* from 1 */
} taken;

typedef struct ordering {
    const insp_scene *scene;
    const kiln_scene_component *components;
    list *lists;       /* by offset in the root of the data */
    uint32_t **fields; /* by component: the list of each field */
    uint32_t *field_lists;
    uint32_t *waiting; /* by element: first archetype that waits for it, plus 1 */
    uint32_t *next;    /* by archetype: next archetype that waits for the same element, plus 1 */
    uint32_t *rows;    /* by archetype: number of rows taken so far */
    uint32_t *ready;   /* a ring buffer of archetypes */
    taken *taken;      /* elements taken by the current entity */
    uint32_t list_count, ready_first, ready_count, taken_count, entity_count;
    uint32_t *entities;
    bool is_too_long; /* there are more elements than words */
} ordering;

static const insp_scene_part *data_of(const insp_scene *scene)
{
    return &scene->parts[INSP_SCENE_DATA];
}

/* ---- lists and their elements ---- */

/* The list into which a field is an index; UINT32_MAX if there is none. */
static uint32_t find_list(ordering *o, const kiln_scene_field *field)
{
    insp_text name = insp_scene_text(&field->name);
    kiln_value array;
    uint32_t number;
    if (kiln_value_field(&o->scene->data, name.data, name.length, &array) != KILN_OK ||
        array.of->kind != KILN_KIND_ARRAY)
        return UINT32_MAX;
    /* Fields are aligned to 4 bytes, so the offset in the root divided by 4 identifies the list. */
    number = (uint32_t)((size_t)(array.data - o->scene->data.data) / LIST_UNIT);
    /* The count is not bounded by the file size if elements have no bytes. */
    if (kiln_value_count(&array) > COUNT_MAX)
        return UINT32_MAX;
    o->lists[number].count = kiln_value_count(&array);
    return number;
}

static bool find_lists(ordering *o)
{
    uint32_t count = o->scene->scene->components.count, i, k;
    uint64_t all = 0, used = 0;
    for (i = 0; i < count; i++)
        all += o->components[i].fields.count;
    if (all > SIZE_MAX / sizeof *o->taken)
        return false;
    o->list_count = o->scene->data.of->size / LIST_UNIT + 1;
    o->lists = insp_alloc_array(o->list_count, sizeof *o->lists);
    o->fields = insp_alloc_array(count, sizeof *o->fields);
    o->field_lists = insp_alloc_array((size_t)all, sizeof *o->field_lists);
    o->taken = insp_alloc_array((size_t)all, sizeof *o->taken);
    if (!o->lists || !o->fields || !o->field_lists || !o->taken)
        return false;
    for (i = 0; i < count; i++) {
        const kiln_scene_field *fields = insp_scene_list(&o->components[i].fields);
        o->fields[i] = o->field_lists + used;
        for (k = 0; k < o->components[i].fields.count; k++)
            o->fields[i][k] = find_list(o, &fields[k]);
        used += k;
    }
    return true;
}

/* The maximum number of elements for which an order can be exact. Lists can share elements, so
 * there may be more elements than bytes. But each word of a row is the first use of at most one
 * element, so an order can be exact only if there are no more elements than words. */
static uint64_t most_elements(const kiln_scene_view *view)
{
    uint64_t most = 0;
    uint32_t i;
    for (i = 0; i < view->archetype_count; i++)
        most += (uint64_t)view->archetypes[i].rows * view->archetypes[i].row_size / WORD_SIZE;
    return most < UINT32_MAX ? most : UINT32_MAX;
}

static bool init(ordering *o)
{
    const kiln_scene_view *view = &o->scene->view;
    uint64_t elements = 0, most = most_elements(view);
    uint32_t i;
    if (!find_lists(o))
        return false;
    for (i = 0; i < o->list_count && elements <= most; i++) {
        o->lists[i].first = (uint32_t)elements;
        elements += o->lists[i].count;
    }
    o->is_too_long = elements > most;
    if (o->is_too_long)
        return true;
    o->waiting = insp_alloc_array((size_t)elements, sizeof *o->waiting);
    o->next = insp_alloc_array(view->archetype_count, sizeof *o->next);
    o->rows = insp_alloc_array(view->archetype_count, sizeof *o->rows);
    o->ready = insp_alloc_array(view->archetype_count, sizeof *o->ready);
    if (!o->waiting || !o->next || !o->rows || !o->ready)
        return false;
    for (i = 0; i < view->archetype_count; i++)
        o->ready[i] = i;
    o->ready_count = view->archetype_count;
    return true;
}

static void fini(ordering *o)
{
    insp_free(o->lists);
    insp_free(o->fields);
    insp_free(o->field_lists);
    insp_free(o->waiting);
    insp_free(o->next);
    insp_free(o->rows);
    insp_free(o->ready);
    insp_free(o->taken);
}

/* ---- taking entities ---- */

/* Takes an element; returns false if an earlier element must be taken first. */
static bool take(ordering *o, uint32_t number, uint64_t word)
{
    list *from = &o->lists[number];
    if (word == 0 || word > from->count || word <= from->seen)
        return true;
    if (word != (uint64_t)from->seen + 1)
        return false;
    o->taken[o->taken_count++] = (taken){number, ++from->seen};
    return true;
}

/* Makes the archetype wait for the element before that of `word`. */
static void wait_for(ordering *o, uint32_t archetype, uint32_t number, uint64_t word)
{
    uint32_t *waiting;
    /* An entity is taken as a whole, so release the elements of its earlier words. */
    while (o->taken_count > 0)
        o->lists[o->taken[--o->taken_count].list].seen--;
    waiting = &o->waiting[o->lists[number].first + (uint32_t)(word - 2)];
    o->next[archetype] = *waiting;
    *waiting = archetype + 1;
}

static void wake(ordering *o, const taken *element)
{
    uint32_t count = o->scene->view.archetype_count, archetype;
    uint32_t *waiting = &o->waiting[o->lists[element->list].first + element->element - 1];
    for (; *waiting != NO_ARCHETYPE; *waiting = o->next[archetype]) {
        archetype = *waiting - 1;
        o->ready[(o->ready_first + o->ready_count++) % count] = archetype;
    }
}

/* Takes the elements of one component of the archetype's next entity. */
static bool take_words(ordering *o, uint32_t archetype, uint32_t column)
{
    const kiln_scene_view *view = &o->scene->view;
    const kiln_scene_rows *of = &view->archetypes[archetype];
    uint32_t number = kiln_scene_column_number(view, of, column);
    const kiln_scene_component *component = &o->components[number];
    const kiln_scene_field *fields = insp_scene_list(&component->fields);
    const uint32_t *lists = o->fields[number];
    uint32_t row = o->rows[archetype], i;
    const unsigned char *at;
    uint64_t word;
    if (!component->fields.count)
        return true;
    at = kiln_scene_column(view, of, row / of->rows_per_chunk, column);
    if (!at)
        return true;
    at += (size_t)(row % of->rows_per_chunk) * component->size;
    for (i = 0; i < component->fields.count; i++) {
        memcpy(&word, at + fields[i].place, sizeof word);
        if (lists[i] != UINT32_MAX && !take(o, lists[i], word)) {
            wait_for(o, archetype, lists[i], word);
            return false;
        }
    }
    return true;
}

/* Takes the next entity of the archetype; returns false if it must wait. */
static bool take_entity(ordering *o, uint32_t archetype)
{
    const kiln_scene_rows *of = &o->scene->view.archetypes[archetype];
    uint32_t column, i;
    o->taken_count = 0;
    for (column = 0; column < of->component_count; column++)
        if (!take_words(o, archetype, column))
            return false;
    for (i = 0; i < o->taken_count; i++)
        wake(o, &o->taken[i]);
    o->entities[o->entity_count++] = of->first_entity + o->rows[archetype]++;
    return true;
}

static void take_all(ordering *o)
{
    const kiln_scene_view *view = &o->scene->view;
    uint32_t i;
    while (o->ready_count > 0) {
        uint32_t archetype = o->ready[o->ready_first];
        o->ready_first = (o->ready_first + 1) % view->archetype_count;
        o->ready_count--;
        while (o->rows[archetype] < view->archetypes[archetype].rows)
            if (!take_entity(o, archetype))
                break;
    }
    /* The remaining entities wait for elements that no entity uses, so no order is exact. Append
     * them in the order of their numbers. */
    for (i = 0; i < view->archetype_count; i++)
        while (o->rows[i] < view->archetypes[i].rows)
            o->entities[o->entity_count++] = view->archetypes[i].first_entity + o->rows[i]++;
}

static bool is_exact(const ordering *o)
{
    uint32_t i;
    for (i = 0; i < o->list_count; i++)
        if (o->lists[i].seen != o->lists[i].count)
            return false;
    return true;
}

kiln_status insp_scene_order_init(insp_scene_order *order, const insp_scene *scene)
{
    ordering o = {.scene = scene, .components = insp_scene_list(&scene->scene->components)};
    uint32_t count = scene->view.entities, i;
    bool ok;
    *order = (insp_scene_order){.is_exact = true};
    if (!data_of(scene)->root || !scene->data.of || !count)
        return KILN_OK;
    order->entities = o.entities = insp_alloc_array(count, sizeof *o.entities);
    order->places = insp_alloc_array(count, sizeof *order->places);
    ok = order->entities && order->places && init(&o);
    if (ok && o.is_too_long) {
        insp_scene_order_fini(order);
        *order = (insp_scene_order){.is_exact = false};
    } else if (ok) {
        take_all(&o);
        order->is_exact = is_exact(&o);
        for (i = 0; i < count; i++)
            order->places[order->entities[i]] = i;
    }
    fini(&o);
    return ok ? KILN_OK : KILN_NO_MEMORY;
}

void insp_scene_order_fini(insp_scene_order *order)
{
    insp_free(order->entities);
    insp_free(order->places);
    *order = (insp_scene_order){0};
}
