/* Makes plans and caches recent ones.
 *
 * The commands of a system are usually similar: they add the same components to entities of the
 * same archetype. So a cache of PLAN_COUNT plans, indexed by a hash of archetype, kinds and
 * components, saves most of the work. A new plan replaces the one in its cache slot. */
#include "command_plan.h"

/* The components of the entity between two commands. */
typedef struct component_set {
    uint32_t count;
    uint32_t bytes; /* of all columns in a chunk with one row */
    kiln_component items[PLAN_COMPONENTS];
} component_set;

static uint32_t column_bytes(const kiln_world *world, kiln_component component)
{
    uint32_t size = kiln_component_get(world, component)->size;
    return (size + KILN_COLUMN_ALIGN - 1) / KILN_COLUMN_ALIGN * KILN_COLUMN_ALIGN;
}

/* The position of the component in the set; the count if it is not there. A linear search, because
 * sets are small. */
static uint32_t find(const component_set *set, uint32_t component)
{
    uint32_t at = 0;
    while (at < set->count && set->items[at].number != component)
        at++;
    return at;
}

/* False if the archetype has too many components for a plan. */
static bool start_set(const kiln_world *world, kiln_archetype archetype, component_set *set)
{
    kiln_archetype_info info;
    set->count = 0;
    set->bytes = 0;
    if (!kiln_archetype_get(world, archetype, &info))
        return true;
    if (info.component_count > PLAN_COMPONENTS)
        return false;
    for (uint32_t i = 0; i < info.component_count; i++) {
        set->items[set->count++] = info.components[i];
        set->bytes += column_bytes(world, info.components[i]);
    }
    return true;
}

/* Applies one command to the set. The effect is provisional: find_writers compares it with later
 * commands. False if the set has no room for the component. */
static bool apply(const kiln_world *world, component_set *set, plan_step *step)
{
    kiln_component component = {step->component};
    uint32_t at = find(set, step->component);
    bool is_present = at < set->count;
    step->effect = is_present ? PLAN_WRITE : PLAN_DROP;
    if (step->kind == COMMAND_REMOVE) {
        step->effect = PLAN_NOTHING;
        if (is_present) {
            set->bytes -= column_bytes(world, component);
            set->items[at] = set->items[--set->count];
        }
    }
    if (step->kind == COMMAND_ADD && !is_present) {
        uint32_t bytes = column_bytes(world, component);
        if (bytes > KILN_CHUNK_SIZE - set->bytes)
            return true;
        if (set->count == PLAN_COMPONENTS)
            return false;
        set->items[set->count++] = component;
        set->bytes += bytes;
        step->effect = PLAN_WRITE;
    }
    return true;
}

/* Goes backwards, because only the last write to a component counts. A component that no command
 * writes is zeroed. */
static void find_writers(kiln_command_plan *plan, const component_set *set)
{
    bool is_written[PLAN_COMPONENTS] = {false};
    for (uint32_t i = plan->covered; i-- > 0;) {
        plan_step *step = &plan->steps[i];
        if (step->effect != PLAN_WRITE)
            continue;
        uint32_t at = find(set, step->component);
        if (at == set->count || is_written[at])
            step->effect = PLAN_NOTHING;
        else
            is_written[at] = true;
    }
    plan->zero_count = 0;
    for (uint32_t i = 0; i < set->count; i++)
        if (!is_written[i])
            plan->zeros[plan->zero_count++] = set->items[i].number;
}

static kiln_status make_plan(kiln_world *world, kiln_command_plan *plan)
{
    component_set set;
    plan->covered = 0;
    plan->to = plan->from;
    if (!start_set(world, plan->from, &set))
        return KILN_OK;
    while (plan->covered < plan->requested && apply(world, &set, &plan->steps[plan->covered]))
        plan->covered++;
    find_writers(plan, &set);
    return kiln_archetype_register(world, set.items, set.count, &plan->to);
}

static bool is_for(const kiln_command_plan *plan, kiln_archetype from, command *const *list,
                   uint32_t count)
{
    if (plan->requested != count || plan->from.number != from.number)
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (plan->steps[i].component != list[i]->number || plan->steps[i].kind != list[i]->kind)
            return false;
    return true;
}

static uint32_t slot_of(kiln_archetype from, command *const *list, uint32_t count)
{
    uint32_t hash = from.number * 0x9e3779b1u;
    for (uint32_t i = 0; i < count; i++)
        hash = (hash ^ (list[i]->number * 8 + list[i]->kind)) * 0x85ebca6bu;
    return (hash >> 16) % PLAN_COUNT;
}

kiln_status kiln_command_plan_of(kiln_world *world, kiln_command_plans *plans, kiln_archetype from,
                                 command *const *list, uint32_t count,
                                 const kiln_command_plan **ret_plan)
{
    kiln_command_plan *plan = &plans->plans[slot_of(from, list, count)];
    *ret_plan = plan;
    if (is_for(plan, from, list, count))
        return KILN_OK;
    plan->from = from;
    plan->requested = count;
    for (uint32_t i = 0; i < count; i++)
        plan->steps[i] = (plan_step){list[i]->number, list[i]->kind, PLAN_NOTHING};
    return make_plan(world, plan);
}
