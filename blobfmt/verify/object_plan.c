/* Makes the plans of object_plan.h, and applies their tidy steps.
 *
 * A plan is made on first use, because a value usually contains only a few types of its list. The
 * plans of a type's parts are made first, and their steps are copied, with adjusted offsets, into
 * the plan of the type. */
#include "object_plan.h"

#include <string.h>

/* A part with more than UNFOLD_MAX steps is not unfolded into the values that contain it. This
 * keeps the number of steps linear in the types, even if they nest deeply. */
enum { PLAN_BLOCK = 4096, UNFOLD_MAX = 32 };

void kiln_plan_list_init(plan_list *list, const kiln_types *types, const kiln_allocator *allocator)
{
    memset(list, 0, sizeof *list);
    list->types = types;
    list->allocator = *allocator;
    kiln_arena_init(&list->memory, allocator, PLAN_BLOCK);
}

void kiln_plan_list_fini(plan_list *list)
{
    kiln_arena_fini(&list->memory);
    if (list->plans)
        list->allocator.free(list->allocator.ctx, list->plans, list->count * sizeof *list->plans);
    list->plans = NULL;
    list->count = 0;
}

/* A plan under construction. make_room has made its arrays large enough. */
typedef struct plan_builder {
    tidy_step *tidy_steps;
    field_step *fields;
    uint32_t tidy_count, field_count;
    uint32_t end; /* end of the bytes planned so far; a gap before the next part is padding */
} plan_builder;

/* Appends a step. Floats that directly follow floats of the same kind extend the last step instead.
 */
static void add_tidy(plan_builder *p, tidy_step step)
{
    tidy_step *last = p->tidy_count ? &p->tidy_steps[p->tidy_count - 1] : NULL;
    uint32_t size = step.kind == TIDY_F32 ? 4 : step.kind == TIDY_F64 ? 8 : 0;
    if (last && size && last->kind == step.kind && last->at + last->count * size == step.at)
        last->count += step.count;
    else
        p->tidy_steps[p->tidy_count++] = step;
}

static void add_padding(plan_builder *p, uint32_t to)
{
    if (to > p->end) {
        tidy_step step = {TIDY_PADDING, p->end, to - p->end, 0};
        add_tidy(p, step);
    }
    p->end = to;
}

static bool is_short(const object_plan *plan, uint32_t times)
{
    return plan->tidy_count <= UNFOLD_MAX / times && plan->field_count <= UNFOLD_MAX / times;
}

/* Whether the value is a single run of floats, such as a vector or a matrix. */
static bool is_floats(const object_plan *plan)
{
    return plan->tidy_count == 1 && plan->field_count == 0 &&
           (uint64_t)plan->tidy_steps[0].count * (plan->tidy_steps[0].kind == TIDY_F32   ? 4u
                                                  : plan->tidy_steps[0].kind == TIDY_F64 ? 8u
                                                                                         : 0u) ==
               plan->size;
}

/* Adds `times` consecutive values of `type`, the first one at offset `at`. */
static void add_values(plan_builder *p, const object_plan *plan, uint32_t type, uint32_t at,
                       uint32_t times)
{
    add_padding(p, at);
    p->end = at + plan->size * times;
    if (is_floats(plan)) {
        tidy_step run = plan->tidy_steps[0];
        run.at = at;
        run.count *= times;
        add_tidy(p, run);
    } else if (!is_short(plan, times)) {
        tidy_step tidy = {TIDY_REPEAT, at, times, type};
        field_step field = {FIELD_REPEAT, at, times, type, {0, 0, 0, 0}};
        if (plan->tidy_count)
            add_tidy(p, tidy);
        if (plan->field_count)
            p->fields[p->field_count++] = field;
    } else {
        for (uint32_t i = 0; i < times && plan->tidy_count + plan->field_count > 0; i++) {
            for (uint32_t k = 0; k < plan->tidy_count; k++) {
                tidy_step step = plan->tidy_steps[k];
                step.at += at + i * plan->size;
                add_tidy(p, step);
            }
            for (uint32_t k = 0; k < plan->field_count; k++) {
                field_step step = plan->fields[k];
                step.at += at + i * plan->size;
                p->fields[p->field_count++] = step;
            }
        }
    }
}

/* Plans a value that is not a struct, fixed array or map entry. */
static void plan_single(plan_builder *p, const kiln_types *types, uint32_t number)
{
    const kiln_type *type = type_at(types, number);
    field_step field = {FIELD_COUNTED, 0, 1, number, {0, 0, 0, 0}};
    p->end = type->size;
    if (type->kind == KILN_KIND_F32 || type->kind == KILN_KIND_F64) {
        tidy_step step = {type->kind == KILN_KIND_F32 ? TIDY_F32 : TIDY_F64, 0, 1, 0};
        add_tidy(p, step);
    } else if (type->is_component_only) {
        p->end = 0; /* all of it is padding */
    } else if (type->has_pointers) {
        field.kind = type->kind == KILN_KIND_UNION      ? FIELD_UNION
                     : type->kind == KILN_KIND_OPTIONAL ? FIELD_POINTER
                                                        : FIELD_COUNTED;
        if (field.kind != FIELD_UNION)
            field.form = object_form_of_field(types, number);
        p->fields[p->field_count++] = field;
    }
}

/* A part of a value: a field, the key or value of an entry, or all elements of a fixed array. */
typedef struct part {
    uint32_t type, at, times;
} part;

static uint32_t part_count(const kiln_type *type, bool is_entries)
{
    return is_entries                       ? 2
           : type->kind == KILN_KIND_STRUCT ? type->member_count
           : type->kind == KILN_KIND_FIXED  ? 1
                                            : 0;
}

static part part_at(const kiln_type *type, bool is_entries, uint32_t i)
{
    part key = {type->key, 0, 1}, value = {type->element, type->value_offset, 1};
    part row = {type->element, 0, type->count};
    if (is_entries)
        return i == 0 ? key : value;
    if (type->kind == KILN_KIND_FIXED)
        return row;
    part member = {type->members[i].type, type->members[i].offset, 1};
    return member;
}

/* Allocates room for the steps of all parts, plus one for the padding before each part and one at
 * the end. False if memory runs out. */
static bool make_room(plan_list *list, plan_builder *p, const kiln_type *type, bool is_entries)
{
    size_t tidy_steps = 1, fields = 1;
    for (uint32_t i = 0; i < part_count(type, is_entries); i++) {
        part of = part_at(type, is_entries, i);
        const object_plan *plan = plan_of(list, of.type, false);
        if (!plan)
            return false;
        bool has_steps = plan->tidy_count + plan->field_count > 0;
        uint32_t times = has_steps && is_short(plan, of.times) ? of.times : 1;
        tidy_steps += (size_t)(plan->tidy_count > 1 ? plan->tidy_count : 1) * times + 1;
        fields += (size_t)(plan->field_count > 1 ? plan->field_count : 1) * times;
    }
    p->tidy_steps = kiln_arena_alloc_array(&list->memory, tidy_steps, sizeof *p->tidy_steps,
                                           _Alignof(tidy_step));
    p->fields =
        kiln_arena_alloc_array(&list->memory, fields, sizeof *p->fields, _Alignof(field_step));
    return p->tidy_steps && p->fields;
}

static bool make_list(plan_list *list)
{
    uint32_t count = 2 * list->types->count;
    list->plans =
        list->allocator.alloc(list->allocator.ctx, count * sizeof *list->plans, sizeof(void *));
    if (!list->plans)
        return false;
    memset(list->plans, 0, count * sizeof *list->plans);
    list->count = count;
    return true;
}

/* Recurses no deeper than types nest by value. */
const object_plan *kiln_plan_make(plan_list *list, uint32_t type, bool is_entries)
{
    if (!list->count && !make_list(list))
        return NULL;
    const kiln_type *of = type_at(list->types, type);
    plan_builder p = {NULL, NULL, 0, 0, 0};
    if (!make_room(list, &p, of, is_entries))
        return NULL;
    uint32_t parts = part_count(of, is_entries);
    for (uint32_t i = 0; i < parts; i++) {
        part next = part_at(of, is_entries, i);
        add_values(&p, plan_of(list, next.type, false), next.type, next.at, next.times);
    }
    if (parts == 0 && of->kind != KILN_KIND_STRUCT)
        plan_single(&p, list->types, type);
    uint32_t size = is_entries ? of->entry_size : of->size;
    add_padding(&p, size);
    object_plan *made = &list->plans[is_entries ? type + list->count / 2 : type];
    made->tidy_steps = p.tidy_steps;
    made->fields = p.fields;
    made->tidy_count = p.tidy_count;
    made->field_count = p.field_count;
    made->size = size;
    return made;
}

#define F32_NAN UINT32_C(0x7fc00000)
#define F64_NAN UINT64_C(0x7ff8000000000000)

/* Floats are compared as numbers but written as integers: on some hosts, loading a NaN into a
 * floating-point register may change its bits. */
static void tidy_f32(unsigned char *at, uint32_t count)
{
    static const uint32_t nan = F32_NAN;
    for (uint32_t i = 0; i < count; i++, at += sizeof nan) {
        float number;
        memcpy(&number, at, sizeof number);
        if (number != number)
            memcpy(at, &nan, sizeof nan);
    }
}

static void tidy_f64(unsigned char *at, uint32_t count)
{
    static const uint64_t nan = F64_NAN;
    for (uint32_t i = 0; i < count; i++, at += sizeof nan) {
        double number;
        memcpy(&number, at, sizeof number);
        if (number != number)
            memcpy(at, &nan, sizeof nan);
    }
}

/* Recurses no deeper than types nest by value. */
void kiln_plan_tidy(plan_list *list, const object_plan *plan, unsigned char *at, uint32_t count,
                    bool floats)
{
    for (; count > 0 && plan->tidy_count > 0; count--, at += plan->size) {
        for (uint32_t i = 0; i < plan->tidy_count; i++) {
            const tidy_step *step = &plan->tidy_steps[i];
            if (step->kind == TIDY_PADDING)
                memset(at + step->at, 0, step->count);
            else if (step->kind == TIDY_REPEAT)
                kiln_plan_tidy(list, plan_of(list, step->type, false), at + step->at, step->count,
                               floats);
            else if (floats && step->kind == TIDY_F32)
                tidy_f32(at + step->at, step->count);
            else if (floats)
                tidy_f64(at + step->at, step->count);
        }
    }
}

static bool is_tidy_f32(const unsigned char *at, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++, at += sizeof(uint32_t)) {
        float number;
        uint32_t bits;
        memcpy(&number, at, sizeof number);
        memcpy(&bits, at, sizeof bits);
        if (number != number && bits != F32_NAN)
            return false;
    }
    return true;
}

static bool is_tidy_f64(const unsigned char *at, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++, at += sizeof(uint64_t)) {
        double number;
        uint64_t bits;
        memcpy(&number, at, sizeof number);
        memcpy(&bits, at, sizeof bits);
        if (number != number && bits != F64_NAN)
            return false;
    }
    return true;
}

/* Recurses no deeper than types nest by value. */
bool kiln_plan_is_tidy(plan_list *list, const object_plan *plan, const unsigned char *at,
                       uint32_t count)
{
    for (; count > 0 && plan->tidy_count > 0; count--, at += plan->size) {
        for (uint32_t i = 0; i < plan->tidy_count; i++) {
            const tidy_step *step = &plan->tidy_steps[i];
            if ((step->kind == TIDY_F32 && !is_tidy_f32(at + step->at, step->count)) ||
                (step->kind == TIDY_F64 && !is_tidy_f64(at + step->at, step->count)) ||
                (step->kind == TIDY_REPEAT &&
                 !kiln_plan_is_tidy(list, plan_of(list, step->type, false), at + step->at,
                                    step->count)))
                return false;
        }
    }
    return true;
}
