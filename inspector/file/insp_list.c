/* The work is linear in the index, except that names and ids may need a sort. The names are sorted
 * while another thread checks a large index. The result of kiln_index_check only decides whether
 * `index` is set. */
#include "insp_list.h"

#include "insp_memory.h"
#include "insp_name_sort.h"
#include "insp_threads.h"

#include <stdlib.h>

/* A smaller index is listed before another thread has begun. */
enum { ASSETS_EACH = 4000 };

/* Members that overlap or are out of order are not read. Otherwise an index could list the same
 * bytes a million times, and the work on all members would not be linear. */
static void check_order(insp_file *file)
{
    uint64_t end = 0;
    uint32_t i;
    for (i = 0; i < file->member_count; i++) {
        insp_member *member = insp_member_at(file, i);
        member->in_place = member->in_place && member->place >= end;
        if (member->in_place)
            end = member->place + member->stored_size;
    }
}

static kiln_status sort_assets(insp_file *file)
{
    const insp_asset **sorted = insp_alloc_array(file->asset_count, sizeof *sorted);
    uint32_t i;
    if (!sorted)
        return KILN_NO_MEMORY;
    for (i = 0; i < file->asset_count; i++)
        sorted[i] = insp_numbered_asset(file, i);
    if (insp_name_sort(sorted, file->asset_count) != KILN_OK) {
        insp_free(sorted);
        return KILN_NO_MEMORY;
    }
    /* Iterate backwards, so that the list of each member is sorted by name. */
    for (i = file->asset_count; i-- > 0;) {
        insp_asset *asset = &file->assets[sorted[i]->number];
        insp_member *member = insp_member_at(file, asset->member);
        asset->place = i;
        asset->next = member ? member->asset : KILN_ASSET_NONE;
        if (!member)
            continue;
        member->asset = asset->number;
        member->assets++;
    }
    file->by_name = sorted;
    return KILN_OK;
}

/* If an asset and an import have the same id, the asset comes first and insp_file_name finds it,
 * because KILN_ASSET_NONE is the largest number. */
static int compare_names(const void *a, const void *b)
{
    const insp_name *left = *(const insp_name *const *)a, *right = *(const insp_name *const *)b;
    if (left->id != right->id)
        return left->id < right->id ? -1 : 1;
    return (left->asset > right->asset) - (left->asset < right->asset);
}

/* For a broken index, in which ids may be in any order. */
static kiln_status sort_names(insp_file *file)
{
    size_t count = (size_t)file->asset_count + file->import_count, i;
    const insp_name **sorted = insp_alloc_array(count, sizeof *sorted);
    if (!sorted)
        return KILN_NO_MEMORY;
    for (i = 0; i < count; i++)
        sorted[i] = i < file->asset_count ? insp_asset_name(file, insp_numbered_asset(file, i))
                                          : insp_import_at(file, i - file->asset_count);
    qsort(sorted, count, sizeof *sorted, compare_names);
    file->by_id = sorted;
    return KILN_OK;
}

/* Two tasks, for one thread each. Neither writes what the other reads. */
typedef struct listing {
    insp_file *file;
    kiln_status sorted, checked;
    const kiln_index *index;
    kiln_error error;
    bool has_checked;
} listing;

static void check_index(listing *l)
{
    const insp_file *file = l->file;
    l->checked = kiln_index_check(file->builtin, insp_allocator(),
                                  &(kiln_file_head){file->data, file->size, file->size}, &l->index,
                                  &l->error);
    l->has_checked = true;
}

static void run_task(void *ctx, size_t number)
{
    listing *l = ctx;
    if (number > 0) {
        check_index(l);
        return;
    }
    check_order(l->file);
    l->sorted = sort_assets(l->file);
}

kiln_status insp_file_list(insp_file *file)
{
    listing l = {.file = file, .error = file->index_error};
    if (!file->has_header || kiln_header_kind(&file->header) != KILN_BLOB_INDEX || file->by_name)
        return KILN_OK;
    insp_threads_run(insp_threads_for(0, file->asset_count, ASSETS_EACH) > 1 ? 2 : 1, run_task, &l);
    if (l.sorted)
        return l.sorted;
    if (!l.has_checked)
        check_index(&l);
    file->index_error = l.error;
    file->index_error.status = l.checked;
    if (l.checked == KILN_OK)
        file->index = l.index;
    if (l.checked == KILN_OK || l.checked == KILN_NO_MEMORY)
        return l.checked;
    file->index = NULL;
    return sort_names(file);
}
