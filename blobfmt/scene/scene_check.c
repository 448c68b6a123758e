/* Checks all rows of a scene: rules S6 to S10, and V8 to V10 and V16 in rows.
 *
 * scene_check_component.c compiles each component into a short list of checks. Each check then runs
 * over a whole column (scene_check_rows.c), because a loop over one field of many rows has no
 * branches and can be vectorized. Only if a column fails do the checks search for the offending
 * row. Bytes that no row uses are checked here. Work is linear in the chunks. */
#include "scene_check.h"

#include <kiln/path.h>
#include <stdio.h>

/* A stored chunk, with its archetype and its number in that archetype. */
typedef struct stored_chunk {
    const kiln_scene_rows *of;
    uint32_t archetype, number, rows;
    const unsigned char *begin, *end;
} stored_chunk;

static uint64_t offset_of(const scene_checker *c, const unsigned char *at)
{
    return (uint64_t)(at - (const unsigned char *)c->view->root);
}

/* ---- reporting errors ---- */

/* Appends the path to the field at offset `place` of a value of the type. */
static void add_place(const kiln_types *types, uint32_t number, uint32_t place, kiln_path *path)
{
    const kiln_type *type = type_at(types, number);
    if (type->kind == KILN_KIND_FIXED) {
        uint32_t size = type_at(types, type->element)->size;
        kiln_path_add_number(path, place / size);
        add_place(types, type->element, place % size, path);
        return;
    }
    for (uint32_t i = 0; type->kind == KILN_KIND_STRUCT && i < type->member_count; i++) {
        const kiln_member *member = &type->members[i];
        if (place < member->offset || place - member->offset >= type_at(types, member->type)->size)
            continue;
        if (!(type->flags & KILN_TYPE_TRANSPARENT))
            kiln_path_add_name(path, member->name, strlen(member->name));
        add_place(types, member->type, place - member->offset, path);
        return;
    }
}

static bool is_padding(const row_check *check)
{
    return check->code == ROW_VALUE && check->value.code == CHECK_ZERO;
}

static kiln_status fail_in_row(const scene_checker *c, const row_check *check,
                               const stored_chunk *chunk, uint32_t column, uint32_t row)
{
    uint32_t component = kiln_scene_column_number(c->view, chunk->of, column);
    const unsigned char *at = kiln_scene_column(c->view, chunk->of, chunk->number, column) +
                              (size_t)row * c->view->components[component].size + check->place;
    /* V16 reports the first byte that is not zero. */
    while (is_padding(check) && !*at)
        at++;
    kiln_path path = {{0}, 0};
    uint32_t entity = chunk->of->first_entity + chunk->number * chunk->of->rows_per_chunk + row;
    int length = snprintf(path.text, sizeof path.text / 2, "entity %u.%s", (unsigned)entity,
                          c->view->components[component].name);
    path.length = (uint32_t)length < sizeof path.text / 2 ? (uint32_t)length
                                                          : (uint32_t)sizeof path.text / 2 - 1;
    if (c->components[component].type != KILN_TYPE_NONE)
        add_place(c->args->types, c->components[component].type, check->place, &path);
    return kiln_fail(c->reterr, check->status, offset_of(c, at), path.text);
}

/* ---- columns ---- */

/* A writer receives rows as structs from its caller, so padding may contain anything. It clears
 * padding instead of rejecting it. */
static void clear(const row_check *check, unsigned char *at, size_t stride, uint32_t rows)
{
    for (; rows > 0; rows--, at += stride)
        memset(at, 0, check->value.size);
}

static kiln_status check_column(const scene_checker *c, const stored_chunk *chunk, uint32_t column,
                                const unsigned char *rows)
{
    uint32_t number = kiln_scene_column_number(c->view, chunk->of, column);
    const component_check *component = &c->components[number];
    size_t size = c->view->components[number].size;
    for (uint32_t i = 0; i < component->count; i++) {
        const row_check *check = &component->rows[i];
        const unsigned char *at = rows + check->place;
        if (kiln_scene_rows_hold(check, at, size, chunk->rows))
            continue;
        if (c->clears && is_padding(check)) {
            clear(check, (unsigned char *)(uintptr_t)at, size, chunk->rows);
            continue;
        }
        uint32_t row = 0;
        while (kiln_scene_rows_hold(check, at + row * size, size, 1))
            row++;
        return fail_in_row(c, check, chunk, column, row);
    }
    return KILN_OK;
}

static bool are_zeros(const unsigned char *at, const unsigned char *end)
{
    uint64_t joined = 0;
    for (; end - at >= 8; at += 8)
        joined |= scene_read_word(at);
    for (; at < end; at++)
        joined |= *at;
    return joined == 0;
}

static kiln_status check_unused(const scene_checker *c, const stored_chunk *chunk,
                                const unsigned char *at, const unsigned char *end)
{
    if (are_zeros(at, end))
        return KILN_OK;
    char path[64];
    while (!*at)
        at++;
    snprintf(path, sizeof path, "archetypes[%u]", (unsigned)chunk->archetype);
    return kiln_fail(c->reterr, KILN_S_UNUSED, offset_of(c, at), path);
}

/* Checks the columns of a chunk in order, and the unused bytes between and after them. */
static kiln_status check_chunk(const scene_checker *c, const stored_chunk *chunk)
{
    const kiln_scene_rows *of = chunk->of;
    const unsigned char *end = chunk->begin, *trimmed = chunk->begin;
    bool is_whole = chunk->number < of->whole;
    for (uint32_t i = 0; i < of->component_count; i++) {
        uint32_t size = kiln_scene_column_desc(c->view, of, i)->size;
        if (size == 0)
            continue;
        const unsigned char *rows = is_whole ? chunk->begin + of->offsets[i] : trimmed;
        kiln_status status = check_unused(c, chunk, end, rows);
        if (!status)
            status = check_column(c, chunk, i, rows);
        if (status)
            return status;
        end = rows + (size_t)size * chunk->rows;
        trimmed += scene_column_bytes(size, chunk->rows);
    }
    return check_unused(c, chunk, end, chunk->end);
}

/* ---- the whole scene ---- */

static kiln_status check_archetype(scene_checker *c, uint32_t number)
{
    const kiln_scene_view *view = c->view;
    const kiln_scene_rows *of = &view->archetypes[number];
    for (uint32_t i = 0; of->row_size > 0 && i < of->chunks; i++) {
        bool is_whole = i < of->whole;
        stored_chunk chunk = {.of = of, .archetype = number, .number = i};
        chunk.rows = kiln_scene_chunk_rows(of, i);
        chunk.begin = is_whole ? view->images + ((size_t)of->first_image + i) * KILN_CHUNK_SIZE
                               : view->tails + of->tail;
        chunk.end = chunk.begin + (is_whole ? KILN_CHUNK_SIZE : of->tail_size);
        kiln_status status = check_chunk(c, &chunk);
        if (status)
            return status;
    }
    return KILN_OK;
}

static bool args_are_valid(const kiln_scene_check_args *args)
{
    const kiln_scene_view *view = args->view;
    bool has_data = view->scene->data.count > 0;
    const kiln_type *data =
        args->types && args->data ? kiln_types_get(args->types, args->data_type) : NULL;
    if ((view->images_count > 0 || view->tails_size > 0) && !view->root)
        return false;
    return !args->types || args->skip_data ||
           (has_data == (args->data != NULL) &&
            (!has_data || (data && data->kind == KILN_KIND_STRUCT)));
}

static kiln_status check(const kiln_scene_check_args *args, bool clears, kiln_error *reterr)
{
    enum { CHECK_BLOCK = 4096 };
    kiln_allocator allocator = allocator_or_default(args->allocator);
    if (!args_are_valid(args))
        return kiln_fail(reterr, KILN_BAD_ARGUMENT, 0, NULL);
    scene_checker c = {.args = args, .view = args->view, .reterr = reterr, .clears = clears};
    if (args->types && args->data)
        c.data = kiln_types_get(args->types, args->data_type);
    kiln_arena_init(&c.memory, &allocator, CHECK_BLOCK);
    kiln_status status = KILN_OK;
    c.components = kiln_arena_alloc_zeroed(
        &c.memory, (size_t)c.view->component_count * sizeof *c.components + 1, 8);
    if (!c.components)
        status = kiln_fail(reterr, KILN_NO_MEMORY, 0, NULL);
    /* S10 also applies to components that no archetype has. */
    for (uint32_t i = 0; i < c.view->component_count && !status; i++)
        status = kiln_scene_plan_check(&c, i);
    for (uint32_t i = 0; i < c.view->archetype_count && !status; i++)
        status = check_archetype(&c, i);
    kiln_arena_fini(&c.memory);
    return status;
}

kiln_status kiln_scene_check(const kiln_scene_check_args *args, kiln_error *reterr)
{
    return check(args, false, reterr);
}

kiln_status kiln_scene_check_clearing(const kiln_scene_check_args *args, kiln_error *reterr)
{
    return check(args, true, reterr);
}
