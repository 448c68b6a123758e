/* Compiles each type of a list into the programs that sweep.c and bounds.c run over its values.
 *
 * A program lists exactly the checks that a value needs. If a value contains parts by value, their
 * programs are inlined, unless they are long (UNFOLD_MAX), so checking a small struct is one loop
 * without recursion. kiln_types_plan runs once, when a list is created, in time linear in the
 * types; verifiers only read the result. */
#include "value_program.h"

#include "object_form.h"

#include <kiln/blob_header.h>

/* Parts with at most UNFOLD_MAX strings, checks and links are unfolded into the values that contain
 * them. The limit keeps programs short, and their total length linear in the types. */
enum { UNFOLD_MAX = 8, FEW_SPAN = 64, HEIGHT_BUSY = 254 };

/* A program under construction. While its lists are NULL, entries are only counted. */
typedef struct draft {
    kiln_types *types;
    uint32_t *strings;
    program_check *checks;
    program_link *links;
    uint32_t string_count, check_count, link_count;
} draft;

static void add_string(draft *d, uint32_t at)
{
    if (d->strings)
        d->strings[d->string_count] = at;
    d->string_count++;
}

static void add_check(draft *d, program_check check)
{
    if (d->checks)
        d->checks[d->check_count] = check;
    d->check_count++;
}

static void add_link(draft *d, program_link link)
{
    if (d->links)
        d->links[d->link_count] = link;
    d->link_count++;
}

static void add_padding(draft *d, uint32_t from, uint32_t to)
{
    program_check check = {.code = CHECK_ZERO, .at = from, .size = to - from};
    if (from < to)
        add_check(d, check);
}

/* In most enums, all values are within 64 of the lowest one: a bit mask then replaces the lookup.
 */
static void add_enum(draft *d, const kiln_type *type, uint32_t at)
{
    bool is_signed = kiln_kind_is_signed(type->base), few = true;
    program_check check = {
        .code = CHECK_ENUM, .at = at, .size = type->size, .is_signed = is_signed, .type = type};
    check.low = type->members[0].value;
    for (uint32_t i = 1; i < type->member_count; i++) {
        uint64_t value = type->members[i].value;
        if (is_signed ? (int64_t)value < (int64_t)check.low : value < check.low)
            check.low = value;
    }
    for (uint32_t i = 0; i < type->member_count && few; i++) {
        uint64_t distance = type->members[i].value - check.low;
        few = distance < FEW_SPAN;
        check.mask |= few ? UINT64_C(1) << distance : 0;
    }
    check.code = few ? CHECK_FEW : CHECK_ENUM;
    add_check(d, check);
}

static uint64_t length_of(const value_program *program)
{
    return (uint64_t)program->string_count + program->check_count + program->link_count;
}

/* Adds `count` consecutive values of a type whose program exists. */
static void add_values(draft *d, uint32_t number, uint32_t count, uint32_t at)
{
    const kiln_type *type = type_at(d->types, number);
    const value_program *inner = &program_plan_of(d->types, number)->values.program;
    if (value_program_is_empty(inner))
        return;
    if (length_of(inner) * count > UNFOLD_MAX) {
        program_link link = {.code = LINK_VALUES, .at = at, .type = number, .count = count};
        add_link(d, link);
        return;
    }
    for (uint32_t n = 0; n < count; n++, at += type->size) {
        for (uint32_t i = 0; i < inner->string_count; i++)
            add_string(d, at + inner->strings[i]);
        for (uint32_t i = 0; i < inner->check_count; i++) {
            program_check check = inner->checks[i];
            check.at += at;
            add_check(d, check);
        }
        for (uint32_t i = 0; i < inner->link_count; i++) {
            program_link link = inner->links[i];
            link.at += at;
            add_link(d, link);
        }
    }
}

static void add_struct(draft *d, const kiln_type *type)
{
    uint32_t end = 0;
    for (uint32_t i = 0; i < type->member_count; i++) {
        const kiln_member *member = &type->members[i];
        add_padding(d, end, member->offset);
        add_values(d, member->type, 1, member->offset);
        end = member->offset + type_at(d->types, member->type)->size;
    }
    add_padding(d, end, type->size);
}

static void add_entry(draft *d, const kiln_type *map)
{
    add_values(d, map->key, 1, 0);
    add_padding(d, type_at(d->types, map->key)->size, map->value_offset);
    add_values(d, map->element, 1, map->value_offset);
    add_padding(d, map->value_offset + type_at(d->types, map->element)->size, map->entry_size);
}

/* Adds everything in one value of the type. The programs of its parts must exist. */
static void add_whole(draft *d, uint32_t number)
{
    const kiln_type *type = type_at(d->types, number);
    program_check check = {.size = type->size, .mask = type->mask, .type = type};
    program_link link = {
        .type = number, .count = 1, .target = &program_plan_of(d->types, number)->targets};
    switch (type->kind) {
    case KILN_KIND_BOOL:
    case KILN_KIND_REF:
    case KILN_KIND_FLAGS:
        check.code = type->kind == KILN_KIND_BOOL  ? CHECK_BOOL
                     : type->kind == KILN_KIND_REF ? CHECK_REF
                                                   : CHECK_MASK;
        add_check(d, check);
        break;
    case KILN_KIND_ENTITY:
    case KILN_KIND_DATA:
        add_padding(d, 0, type->size);
        break;
    case KILN_KIND_ENUM:
        add_enum(d, type, 0);
        break;
    case KILN_KIND_STRING:
        add_string(d, 0);
        break;
    case KILN_KIND_STRUCT:
        add_struct(d, type);
        break;
    case KILN_KIND_FIXED:
        add_values(d, type->element, type->count, 0);
        break;
    case KILN_KIND_BYTES:
    case KILN_KIND_ARRAY:
    case KILN_KIND_MAP:
    case KILN_KIND_OPTIONAL:
    case KILN_KIND_UNION:
        link.code = type->kind == KILN_KIND_OPTIONAL ? LINK_POINTER
                    : type->kind == KILN_KIND_UNION  ? LINK_UNION
                                                     : LINK_ARRAY;
        add_link(d, link);
        break;
    default:
        break;
    }
}

/* Writes a program in two passes. The first one only counts, so that the lists can be allocated
 * with their exact size. `of_entry`: write the program for the entries of a map. */
static bool write_program(kiln_types *types, uint32_t number, bool of_entry, value_program *program)
{
    draft d = {.types = types};
    for (int pass = 0;; pass++) {
        if (of_entry)
            add_entry(&d, type_at(types, number));
        else
            add_whole(&d, number);
        if (pass == 1 || (d.string_count | d.check_count | d.link_count) == 0)
            break;
        draft counted = d;
        d = (draft){.types = types};
        d.strings = kiln_arena_alloc_array(&types->memory, counted.string_count, sizeof *d.strings,
                                           _Alignof(uint32_t));
        d.checks = kiln_arena_alloc_array(&types->memory, counted.check_count, sizeof *d.checks,
                                          _Alignof(program_check));
        d.links = kiln_arena_alloc_array(&types->memory, counted.link_count, sizeof *d.links,
                                         _Alignof(program_link));
        if (!d.strings || !d.checks || !d.links)
            return false;
    }
    *program = (value_program){d.strings,     d.checks,     d.links, d.string_count,
                               d.check_count, d.link_count, false,   1};
    return true;
}

/* Packs a unit and an alignment into 32 bits, so that one comparison decides whether two objects
 * may be shared: two bits for the kind of the unit, four for the logarithm of the alignment, and 26
 * for the number in the unit (PROGRAM_TYPES_MAX). */
static uint32_t form_number(object_form form)
{
    uint32_t log2 = 0, number = form.unit & (PROGRAM_TYPES_MAX - 1);
    while (UINT32_C(1) << log2 < form.align)
        log2++;
    return (form.unit & (UNIT_NUMBER | UNIT_ENTRIES)) | log2 << 26 | number;
}

/* Plans parts before the types that contain them. Recurses no deeper than types nest by value. A
 * plan is complete once its alignment is set. */
static bool plan_values(kiln_types *types, uint32_t number)
{
    const kiln_type *type = type_at(types, number);
    program_target *plan = &program_plan_of(types, number)->values;
    bool good = true;
    if (plan->align)
        return true;
    if (type->kind == KILN_KIND_FIXED)
        good = plan_values(types, type->element);
    for (uint32_t i = 0; type->kind == KILN_KIND_STRUCT && i < type->member_count && good; i++)
        good = plan_values(types, type->members[i].type);
    if (!good || !write_program(types, number, false, &plan->program))
        return false;
    plan->size = type->size;
    plan->align = type->align;
    plan->form = form_number(object_form_of_values(types, number, type->align));
    plan->map = KILN_TYPE_NONE;
    return true;
}

static bool plan_target(kiln_types *types, uint32_t number)
{
    object_form form = object_form_of_field(types, number);
    program_target *plan = &program_plan_of(types, number)->targets;
    plan->size = form.size;
    plan->align = form.align;
    plan->form = form_number(form);
    plan->map = unit_is_entries(form.unit) ? number : KILN_TYPE_NONE;
    if (plan->map != KILN_TYPE_NONE)
        return write_program(types, number, true, &plan->program);
    if (form.type != KILN_TYPE_NONE)
        plan->program = program_plan_of(types, form.type)->values.program;
    return true;
}

static uint8_t find_height(kiln_types *types, program_target *target, int depth);

/* The maximum height of the objects that a link can reach. */
static uint8_t link_height(kiln_types *types, const program_link *link, int depth)
{
    const kiln_type *type = type_at(types, link->type);
    program_plan *plan = program_plan_of(types, link->type);
    uint8_t most = 0;
    if (link->code == LINK_ARRAY || link->code == LINK_POINTER)
        return find_height(types, &plan->targets, depth + 1);
    if (link->code == LINK_VALUES) {
        uint8_t height = find_height(types, &plan->values, depth + 1);
        return height == PROGRAM_HEIGHT_UNKNOWN ? height : (uint8_t)(height - 1);
    }
    for (uint32_t i = 0; i < type->member_count; i++) {
        uint32_t part = type->members[i].type;
        if (part == KILN_TYPE_NONE)
            continue;
        uint8_t height = find_height(types, &program_plan_of(types, part)->values, depth + 1);
        most = height > most ? height : most;
    }
    return most;
}

/* The height is the maximum number of nested objects from an object down, including itself. A sweep
 * uses it to check V19 before reading an object. The height remains unknown if an object can reach
 * another one of the same type, or if the height exceeds KILN_DEPTH_MAX. */
static uint8_t find_height(kiln_types *types, program_target *target, int depth)
{
    const value_program *program = &target->program;
    if (target->height == HEIGHT_BUSY || (target->height == 0 && depth > KILN_DEPTH_MAX))
        return PROGRAM_HEIGHT_UNKNOWN;
    if (target->height)
        return target->height;
    target->height = HEIGHT_BUSY;
    uint8_t below = program->string_count > 0;
    for (uint32_t i = 0; i < program->link_count; i++) {
        uint8_t height = link_height(types, &program->links[i], depth);
        below = height > below ? height : below;
    }
    target->height = below < KILN_DEPTH_MAX ? (uint8_t)(below + 1) : PROGRAM_HEIGHT_UNKNOWN;
    return target->height;
}

/* A link is quick if the values of its array need no checks, or only have one string each. */
static bool is_quick(const program_link *link)
{
    const program_target *target = link->target;
    return link->code == LINK_ARRAY && target->align > 1 && target->map == KILN_TYPE_NONE &&
           target->program.string_count <= 1 &&
           (target->program.check_count | target->program.link_count) == 0;
}

/* Copies the properties that loops over quick links need from the target into the link, to save
 * loading a second cache line for each link. Runs last, since programs may share their links. */
static void mark_quick(value_program *program)
{
    program->is_quick = program->string_count <= 2 * PROGRAM_QUICK_STRINGS &&
                        program->link_count <= PROGRAM_QUICK_LINKS;
    program->quick_align = 1;
    for (uint32_t i = 0; i < program->link_count; i++)
        if (program->links[i].target && program->links[i].target->align > program->quick_align)
            program->quick_align = program->links[i].target->align;
    for (uint32_t i = 0; i < program->link_count; i++) {
        program_link *link = (program_link *)(uintptr_t)&program->links[i];
        const program_target *target = link->target;
        program->is_quick = program->is_quick && is_quick(link);
        if (!is_quick(link))
            continue;
        program->is_quick = program->is_quick && target->size % program->quick_align == 0;
        bool has_string = target->program.string_count != 0;
        link->quick_max = has_string ? PROGRAM_QUICK_STRINGS : KILN_PAYLOAD_MAX;
        link->size = target->size;
        link->align = target->align;
        link->form = target->form;
        link->string = has_string ? target->program.strings[0] : 0;
        link->string_mask = has_string ? UINT32_MAX : 0;
    }
}

bool kiln_types_plan(kiln_types *types)
{
    types->plans = NULL;
    if (types->count > PROGRAM_TYPES_MAX)
        return true;
    types->plans = kiln_arena_alloc_zeroed(&types->memory, sizeof *types->plans * types->count + 1,
                                           _Alignof(program_plan));
    bool good = types->plans != NULL;
    for (uint32_t i = 0; i < types->count && good; i++)
        good = plan_values(types, i);
    for (uint32_t i = 0; i < types->count && good; i++)
        good = plan_target(types, i);
    for (uint32_t i = 0; i < types->count && good; i++) {
        find_height(types, &program_plan_of(types, i)->values, 0);
        find_height(types, &program_plan_of(types, i)->targets, 0);
        mark_quick(&program_plan_of(types, i)->values.program);
        mark_quick(&program_plan_of(types, i)->targets.program);
    }
    return good;
}
