/* Reads a plan with the format's own type, whatever the file describes. A plan that breaks a K rule
 * is still shown: the owner of an asset is then the first cluster that lists it. */
#include "insp_plan.h"

#include "insp_memory.h"
#include "insp_unpack.h"

const insp_asset *insp_plan_asset(const insp_file *file)
{
    const insp_asset *asset =
        insp_file_asset(file, KILN_CLUSTERS_ASSET_NAME, strlen(KILN_CLUSTERS_ASSET_NAME));
    bool is_plan =
        asset && insp_text_is(insp_asset_type_name(file, asset), KILN_CLUSTERS_TYPE_NAME);
    return is_plan ? asset : NULL;
}

static const uint32_t *elements(const kiln_array *array)
{
    return kiln_relative_get(array, array->offset);
}

/* ---- the value ---- */

/* Sets `plan` even if a K rule is broken, because the blob is then a valid value. */
static kiln_status read_value(insp_plan *plan, const unsigned char *blob, uint64_t size,
                              uint64_t place)
{
    /* Only the counts are used, which are known even if the index is broken. */
    kiln_index counts;
    const kiln_cluster_plan *read = NULL;
    kiln_blob_header header;
    uint64_t at, payload_size;
    memset(&counts, 0, sizeof counts);
    counts.ids.count = counts.assets.count = plan->file->asset_count;
    counts.imports.count = plan->file->import_count;
    kiln_status status = kiln_cluster_plan_read(&counts, (kiln_span){blob, (size_t)size},
                                                insp_allocator(), &read, &plan->error);
    if (status == KILN_NO_MEMORY)
        return status;
    plan->error.status = status;
    plan->error.offset += place;
    if (kiln_status_rule(status)[0] == 'K' &&
        insp_blob_payload(blob, size, &header, &at, &payload_size))
        read = (const void *)(blob + at);
    plan->plan = read;
    return KILN_OK;
}

static kiln_status load(insp_plan *plan)
{
    const insp_member *member = insp_asset_member(plan->file, plan->asset);
    const unsigned char *blob;
    uint64_t size;
    kiln_status status;
    if (!member || !member->in_place) {
        plan->error.status = KILN_I_PLACE;
        return KILN_OK;
    }
    status = insp_file_blob(plan->file, plan->asset->member, &blob, &size);
    if (status == KILN_NO_MEMORY)
        return status;
    plan->error.offset = member->place;
    plan->error.status = status;
    if (status)
        return KILN_OK;
    plan->owned = insp_file_take_blob(plan->file, plan->asset->member);
    return read_value(plan, blob, size, member->place);
}

/* ---- lists ---- */

uint32_t insp_plan_root(const insp_plan *plan, uint32_t cluster)
{
    return elements(&plan->plan->roots)[cluster];
}

kiln_cluster_numbers insp_plan_part(const insp_plan *plan, insp_plan_list list, uint32_t cluster)
{
    const kiln_cluster_plan *of = plan->plan;
    const struct {
        const kiln_array *starts, *numbers;
    } lists[] = {{&of->member_starts, &of->members},
                 {&of->mutable_starts, &of->mutables},
                 {&of->reference_starts, &of->references}};
    const kiln_array *numbers = lists[list].numbers, *starts = lists[list].starts;
    kiln_cluster_numbers part = {NULL, 0};
    uint32_t begin, end;
    if (starts->count < 2 || cluster > starts->count - 2)
        return part;
    begin = elements(starts)[cluster];
    end = elements(starts)[cluster + 1];
    if (end > numbers->count)
        end = numbers->count;
    if (begin >= end)
        return part;
    part.numbers = elements(numbers) + begin;
    part.count = end - begin;
    return part;
}

/* Wrong starts could give every cluster the whole list. Counts only the first clusters whose parts
 * together are no longer than the list, so that work is linear. */
static uint32_t count_clusters(const insp_plan *plan)
{
    uint64_t left[3] = {plan->plan->members.count, plan->plan->mutables.count,
                        plan->plan->references.count};
    uint32_t i, list;
    for (i = 0; i < plan->plan->roots.count; i++)
        for (list = 0; list < 3; list++) {
            uint32_t count = insp_plan_part(plan, (insp_plan_list)list, i).count;
            if (count > left[list])
                return i;
            left[list] -= count;
        }
    return i;
}

static void take(insp_plan *plan, uint32_t number, uint32_t cluster)
{
    if (number < plan->file->asset_count && plan->owners[number] == INSP_NO_CLUSTER)
        plan->owners[number] = cluster;
}

static void find_owners(insp_plan *plan)
{
    uint32_t i, k;
    for (i = 0; i < plan->count; i++)
        take(plan, insp_plan_root(plan, i), i);
    for (i = 0; i < plan->count; i++) {
        kiln_cluster_numbers part = insp_plan_part(plan, INSP_PLAN_MEMBERS, i);
        for (k = 0; k < part.count; k++)
            take(plan, part.numbers[k], i);
    }
}

/* Counts the references to each cluster, then lists them. */
static void find_users(insp_plan *plan)
{
    uint32_t i, k, total = 0;
    for (i = 0; i < plan->count; i++) {
        kiln_cluster_numbers part = insp_plan_part(plan, INSP_PLAN_REFERENCES, i);
        for (k = 0; k < part.count; k++)
            if (part.numbers[k] < plan->count)
                plan->user_starts[part.numbers[k]]++;
    }
    for (i = 0; i < plan->count; i++) {
        total += plan->user_starts[i];
        plan->user_starts[i] = total;
    }
    plan->user_starts[plan->count] = total;
    /* From the last to the first, so that each list ascends and each start ends at its list. */
    for (i = plan->count; i-- > 0;) {
        kiln_cluster_numbers part = insp_plan_part(plan, INSP_PLAN_REFERENCES, i);
        for (k = 0; k < part.count; k++)
            if (part.numbers[k] < plan->count)
                plan->users[--plan->user_starts[part.numbers[k]]] = i;
    }
}

const insp_text *insp_plan_name(const insp_plan *plan, uint64_t number)
{
    const insp_asset *asset = insp_plan_asset_at(plan, number);
    const insp_name *import;
    if (asset)
        return &asset->name;
    import =
        plan->file->index ? insp_import_at(plan->file, number - plan->file->asset_count) : NULL;
    return import ? &import->name : NULL;
}

static kiln_status read_lists(insp_plan *plan)
{
    const insp_file *file = plan->file;
    plan->owners = insp_alloc_array(file->asset_count, sizeof *plan->owners);
    plan->user_starts = insp_alloc_array((size_t)plan->count + 1, sizeof *plan->user_starts);
    plan->users =
        insp_alloc_array(plan->plan ? plan->plan->references.count : 0, sizeof *plan->users);
    if (!plan->owners || !plan->user_starts || !plan->users)
        return KILN_NO_MEMORY;
    memset(plan->owners, 0xff, file->asset_count * sizeof *plan->owners);
    if (!plan->plan)
        return KILN_OK;
    find_owners(plan);
    find_users(plan);
    return KILN_OK;
}

kiln_status insp_plan_init(insp_plan *plan, const insp_file *file)
{
    kiln_status status = KILN_OK;
    memset(plan, 0, sizeof *plan);
    plan->file = file;
    plan->asset = insp_plan_asset(file);
    if (plan->asset)
        status = load(plan);
    if (plan->plan)
        plan->count = count_clusters(plan);
    return status ? status : read_lists(plan);
}

void insp_plan_fini(insp_plan *plan)
{
    insp_free(plan->owners);
    insp_free(plan->user_starts);
    insp_free(plan->users);
    insp_free(plan->owned);
    memset(plan, 0, sizeof *plan);
}
