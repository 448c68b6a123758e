/* Compiles the checks for a component's rows: always for its words, and for its values if its type
 * is known.
 *
 * The checks of values come from the type's program (value_program.h), which the verifiers use for
 * blobs. In a row, words take the place of entities, refs and data, so the program's checks for
 * these are replaced. Rule S10, which requires that component and type match, is checked at the
 * same time. */
#include "scene_check.h"

typedef struct check_planner {
    scene_checker *c;
    const kiln_scene_component *component;
    const kiln_component_desc *desc;
    const kiln_scene_field *fields;
    vector checks; /* row_check */
    bool no_memory;
    /* How many words the traversal of the type has found so far. */
    uint32_t entities, assets, data;
} check_planner;

static bool push(check_planner *p, const row_check *check)
{
    row_check *made = kiln_vector_push(&p->checks, &p->c->memory.allocator, 1, sizeof *made);
    if (made)
        *made = *check;
    else
        p->no_memory = true;
    return made != NULL;
}

/* ---- agreement of component and type ---- */

static bool is_next(const uint32_t *places, uint32_t count, uint32_t *at, uint32_t place)
{
    bool is = *at < count && places[*at] == place;
    ++*at;
    return is;
}

/* The traversal visits words in ascending order, like the lists of the description. Each word must
 * therefore be the next one in its list. */
static bool matches_value(void *ctx, const scene_path *path, uint32_t number, uint32_t place)
{
    check_planner *p = ctx;
    const kiln_type *type = type_at(p->c->args->types, number);
    (void)path;
    switch (type->kind) {
    case KILN_KIND_ENTITY:
        return is_next(p->desc->entity_places, p->desc->entity_count, &p->entities, place);
    case KILN_KIND_REF:
        return is_next(p->desc->asset_places, p->desc->asset_count, &p->assets, place);
    case KILN_KIND_DATA:
        break;
    default:
        return true;
    }
    if (p->data == p->component->fields.count || p->fields[p->data].place != place)
        return false;
    const kiln_scene_field *field = &p->fields[p->data++];
    const kiln_type *data = p->c->data;
    if (!data)
        return true;
    const kiln_member *list =
        kiln_type_member(data, kiln_string_get(&field->name), field->name.length);
    return list && type_at(p->c->args->types, list->type)->element == type->element;
}

/* Whether the type has exactly the words of the description, and the same size and alignment. */
static bool matches_type(check_planner *p, uint32_t number)
{
    const kiln_types *types = p->c->args->types;
    const kiln_type *type = type_at(types, number);
    bool is_tag = type->member_count == 0;
    scene_visitor visitor = {types, matches_value, p};
    return kiln_scene_is_component(types, number) && p->desc->size == (is_tag ? 0 : type->size) &&
           p->desc->alignment == (is_tag ? 1 : type->align) && kiln_scene_visit(&visitor, number) &&
           p->entities == p->desc->entity_count && p->assets == p->desc->asset_count &&
           p->data == p->component->fields.count;
}

/* ---- values ---- */

/* Whether the ascending list, whose items are `stride` bytes apart, contains the place. */
static bool contains_place(const void *places, size_t stride, uint32_t count, uint32_t place)
{
    uint32_t low = 0;
    while (low < count) {
        uint32_t middle = low + (count - low) / 2, found;
        memcpy(&found, (const unsigned char *)places + middle * stride, sizeof found);
        if (found == place)
            return true;
        if (found < place)
            low = middle + 1;
        else
            count = middle;
    }
    return false;
}

/* Whether the check is for a word. In a blob, entities and data must be zero like padding; in a row
 * they are words with their own checks. */
static bool is_word_check(const check_planner *p, const program_check *check)
{
    const uint32_t *entities = p->desc->entity_places;
    const uint32_t *fields = p->fields ? &p->fields->place : NULL;
    return check->code == CHECK_REF ||
           (check->code == CHECK_ZERO &&
            (contains_place(entities, sizeof *entities, p->desc->entity_count, check->at) ||
             contains_place(fields, sizeof *p->fields, p->component->fields.count, check->at)));
}

static kiln_status status_of(program_check_code code)
{
    switch (code) {
    case CHECK_BOOL:
        return KILN_V_BOOL;
    case CHECK_MASK:
        return KILN_V_FLAGS;
    case CHECK_ZERO:
        return KILN_V_PADDING;
    default:
        return KILN_V_ENUM;
    }
}

/* Adds the checks of the type's program, `at` bytes into the row. A component has no relative
 * fields, so all links of the program refer to values within the row. */
static bool add_values(check_planner *p, uint32_t number, uint32_t at)
{
    const kiln_types *types = p->c->args->types;
    const value_program *program = &program_plan_of(types, number)->values.program;
    for (uint32_t i = 0; i < program->check_count; i++) {
        row_check check = {.code = ROW_VALUE, .value = program->checks[i]};
        check.value.at += at;
        check.place = check.value.at;
        check.status = status_of(check.value.code);
        if (!is_word_check(p, &check.value) && !push(p, &check))
            return false;
    }
    for (uint32_t i = 0; i < program->link_count; i++) {
        const program_link *link = &program->links[i];
        uint32_t size = type_at(types, link->type)->size;
        for (uint32_t n = 0; n < link->count; n++)
            if (!add_values(p, link->type, at + link->at + n * size))
                return false;
    }
    return true;
}

/* ---- words ---- */

static bool add_words(check_planner *p)
{
    const kiln_scene *scene = p->c->view->scene;
    row_check check = {.code = ROW_ENTITY,
                       .status = KILN_S_ENTITY,
                       .limit = p->c->view->entities,
                       .sources = scene->imports.count + KILN_SCENE_IMPORT};
    bool good = true;
    for (uint32_t i = 0; i < p->desc->entity_count && good; i++) {
        check.place = p->desc->entity_places[i];
        good = push(p, &check);
    }
    check.code = ROW_WORD;
    check.status = KILN_S_ASSET;
    check.limit = scene->assets.count;
    for (uint32_t i = 0; i < p->desc->asset_count && good; i++) {
        check.place = p->desc->asset_places[i];
        good = push(p, &check);
    }
    return good;
}

/* Counts the values that the scene's data has for a field; false if the data has no array for it.
 */
static bool count_values(const scene_checker *c, const kiln_scene_field *field, uint32_t *ret_count)
{
    *ret_count = 0;
    if (!c->data)
        return true;
    const kiln_member *member =
        kiln_type_member(c->data, kiln_string_get(&field->name), field->name.length);
    if (!member || type_at(c->args->types, member->type)->kind != KILN_KIND_ARRAY)
        return false;
    const kiln_array *list = (const void *)((const unsigned char *)c->args->data + member->offset);
    *ret_count = list->count;
    return true;
}

/* Adds the checks of data words. False if the data has no array for a field, or if memory runs out.
 */
static bool add_data_words(check_planner *p)
{
    bool has_data = p->c->view->scene->data.count > 0;
    uint32_t field_count = has_data && p->c->args->skip_data ? 0 : p->component->fields.count;
    for (uint32_t i = 0; i < field_count; i++) {
        uint32_t count;
        if (!count_values(p->c, &p->fields[i], &count))
            return false;
        row_check check = {
            .code = ROW_WORD, .status = KILN_S_DATA, .place = p->fields[i].place, .limit = count};
        if (!push(p, &check))
            return false;
    }
    return true;
}

/* ---- the whole component ---- */

/* The struct with the component's name and layout hash; KILN_TYPE_NONE if there is none. */
static uint32_t find_type(const check_planner *p)
{
    uint32_t number = kiln_types_find(p->c->args->types, p->desc->name);
    const kiln_type *type = kiln_types_get(p->c->args->types, number);
    return type && type->kind == KILN_KIND_STRUCT && type->layout == p->desc->layout
               ? number
               : KILN_TYPE_NONE;
}

static bool plan(check_planner *p, component_check *ret_check)
{
    const kiln_types *types = p->c->args->types;
    if (!add_words(p))
        return false;
    /* Without data, every data word must be 0. Checking that requires no type. */
    bool has_data = p->c->view->scene->data.count > 0;
    if ((types || !has_data) && !add_data_words(p))
        return false;
    if (!types)
        return true;
    ret_check->type = find_type(p);
    return ret_check->type == KILN_TYPE_NONE ||
           (matches_type(p, ret_check->type) && types->plans && add_values(p, ret_check->type, 0));
}

kiln_status kiln_scene_plan_check(scene_checker *c, uint32_t number)
{
    const kiln_array *components = &c->view->scene->components;
    const kiln_scene_component *component =
        (const kiln_scene_component *)kiln_relative_get(components, components->offset) + number;
    check_planner p = {.c = c,
                       .component = component,
                       .desc = &c->view->components[number],
                       .fields = kiln_relative_get(&component->fields, component->fields.offset)};
    component_check made = {.type = KILN_TYPE_NONE};
    kiln_status status = plan(&p, &made) ? KILN_OK : KILN_S_TYPE;
    if (!status) {
        row_check *rows = kiln_arena_alloc_array(&c->memory, p.checks.count, sizeof *rows, 8);
        p.no_memory = rows == NULL;
        if (rows && p.checks.count)
            memcpy(rows, p.checks.items, p.checks.count * sizeof *rows);
        made.rows = rows;
        made.count = (uint32_t)p.checks.count;
    }
    kiln_vector_fini(&p.checks, &c->memory.allocator, sizeof(row_check));
    if (p.no_memory)
        return kiln_fail(c->reterr, KILN_NO_MEMORY, 0, NULL);
    if (status) {
        char path[64];
        snprintf(path, sizeof path, "components[%u]", (unsigned)number);
        return kiln_fail(c->reterr, status, 0, path);
    }
    c->components[number] = made;
    return KILN_OK;
}
