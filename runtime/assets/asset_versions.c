/* If only values have changed, both indexes have equal lists of ids, so an asset has the same
 * number in both, and no lookups are needed. That case is found with a few comparisons of whole
 * arrays.
 *
 * A forged index can state the content hash of different bytes. So bytes of the new file that
 * replace equal ones are compared, too, which also proves that they are as valid as the old ones.
 * asset_older.h explains why no comparison is needed while an asset keeps its old bytes. */
#include "asset_versions.h"

#include "asset_blob.h"
#include "file_header.h"
#include "file_unpack.h"
#include "prefetch.h"

#include <string.h>

static const void *items_of(const kiln_array *array)
{
    return kiln_relative_get(array, array->offset);
}

static bool have_equal_items(const kiln_array *a, const kiln_array *b, size_t size)
{
    return a->count == b->count &&
           (a->count == 0 || memcmp(items_of(a), items_of(b), a->count * size) == 0);
}

/* Whether the string and its terminator are inside the index. */
static bool is_inside(const kiln_index_frame *frame, const kiln_string *string)
{
    uint64_t left =
        frame->index_size - (uint64_t)((const char *)string - (const char *)frame->file);
    return string->offset <= left && (uint64_t)string->length + 1 <= left - string->offset;
}

static bool is_same_name(const kiln_index_frame *a, const kiln_string *x, const kiln_index_frame *b,
                         const kiln_string *y)
{
    return x->length == y->length && is_inside(a, x) && is_inside(b, y) &&
           memcmp((const char *)x + x->offset, (const char *)y + y->offset,
                  (size_t)x->length + 1) == 0;
}

static const char *type_name(const asset_mount *mount, uint32_t type)
{
    return kiln_string_get(&kiln_index_type_at(mount->file->index, type)->name);
}

/* Compares names and types. They are only read, in the order of their numbers. Also returns whether
 * all assets have the same member number in both files. */
static bool have_same_assets(const asset_versions *v, bool *ret_same_members)
{
    const kiln_index *a = v->old->file->index, *b = v->fresh->file->index;
    const kiln_index_asset *x = items_of(&a->assets), *y = items_of(&b->assets);
    uint32_t x_type = ASSET_NONE, y_type = ASSET_NONE, other_members = 0;
    for (uint32_t i = 0; i < a->assets.count; i++) {
        if (!kiln_index_asset_is_valid(a, i) || !kiln_index_asset_is_valid(b, i) ||
            !is_same_name(&v->old->file->frame, &x[i].name, &v->fresh->file->frame, &y[i].name))
            return false;
        other_members |= x[i].member ^ y[i].member;
        if (x[i].type == x_type && y[i].type == y_type)
            continue;
        x_type = x[i].type;
        y_type = y[i].type;
        if (strcmp(type_name(v->old, x_type), type_name(v->fresh, y_type)) != 0)
            return false;
    }
    *ret_same_members = other_members == 0;
    return true;
}

static bool are_equal_members(const kiln_index_member *m, const kiln_index_member *n)
{
    return m->content.low == n->content.low && m->content.high == n->content.high &&
           m->size == n->size && m->align_log2 == n->align_log2;
}

/* Members have a different order from assets. Comparing all of them in their order takes a third of
 * the time of following the assets. */
static kiln_status compare_members(asset_versions *v, const kiln_allocator *allocator)
{
    const kiln_array *a = &v->old->file->index->members, *b = &v->fresh->file->index->members;
    const kiln_index_member *m = items_of(a), *n = items_of(b);
    const uint32_t count = a->count < b->count ? a->count : b->count;
    const size_t words = (size_t)count / 64 + 1;
    v->differs = allocator->alloc(allocator->ctx, words * sizeof *v->differs, _Alignof(uint64_t));
    if (!v->differs)
        return KILN_NO_MEMORY;
    v->words = words;
    memset(v->differs, 0, words * sizeof *v->differs);
    for (uint32_t i = 0; i < count; i++)
        v->differs[i / 64] |= (uint64_t)!are_equal_members(&m[i], &n[i]) << i % 64;
    return KILN_OK;
}

kiln_status kiln_asset_versions_init(asset_versions *versions, const kiln_allocator *allocator,
                                     const asset_mount *old, const asset_mount *fresh)
{
    bool have_same_members = false;
    *versions = (asset_versions){.old = old, .fresh = fresh};
    versions->old_type = versions->fresh_type = ASSET_NONE;
    const kiln_index *a = old->file->index, *b = fresh->file->index;
    versions->is_aligned = have_equal_items(&a->ids, &b->ids, sizeof(kiln_id)) &&
                           have_equal_items(&a->directory, &b->directory, sizeof(uint32_t)) &&
                           have_same_assets(versions, &have_same_members);
    return have_same_members ? compare_members(versions, allocator) : KILN_OK;
}

void kiln_asset_versions_fini(asset_versions *versions, const kiln_allocator *allocator)
{
    if (versions->differs)
        allocator->free(allocator->ctx, versions->differs,
                        versions->words * sizeof *versions->differs);
    versions->differs = NULL;
}

uint32_t kiln_asset_versions_number(const asset_versions *versions, uint32_t number)
{
    if (versions->is_aligned)
        return number;
    return kiln_asset_number_in(versions->fresh, kiln_index_id(versions->old->file->index, number));
}

static bool have_equal_types(asset_versions *v, uint32_t old, uint32_t fresh)
{
    if (v->old_type == old && v->fresh_type == fresh)
        return v->types_are_equal;
    const kiln_index_type *a = kiln_index_type_at(v->old->file->index, old),
                          *b = kiln_index_type_at(v->fresh->file->index, fresh);
    v->old_type = old;
    v->fresh_type = fresh;
    v->types_are_equal =
        a->layout == b->layout && strcmp(kiln_string_get(&a->name), kiln_string_get(&b->name)) == 0;
    return v->types_are_equal;
}

bool kiln_asset_versions_are_equal(asset_versions *versions, uint32_t old, uint32_t fresh)
{
    const kiln_index *a = versions->old->file->index, *b = versions->fresh->file->index;
    const kiln_index_asset *x = kiln_index_asset_at(a, old), *y = kiln_index_asset_at(b, fresh);
    bool are_equal = versions->differs ? ~versions->differs[x->member / 64] >> x->member % 64 & 1
                                       : are_equal_members(kiln_index_member_at(a, x->member),
                                                           kiln_index_member_at(b, y->member));
    return are_equal && have_equal_types(versions, x->type, y->type);
}

/* The record of an asset's member. */
static const kiln_index_member *record_of(const asset_mount *mount, uint32_t number)
{
    const kiln_index *index = mount->file->index;
    return kiln_index_member_at(index, kiln_index_asset_at(index, number)->member);
}

const void *kiln_asset_versions_same_bytes(const asset_versions *versions, const asset_blob *blob,
                                           uint32_t fresh)
{
    const kiln_file *file = versions->fresh->file;
    const kiln_index_member *member = record_of(versions->fresh, fresh);
    const uint32_t number = kiln_index_asset_at(file->index, fresh)->member;
    if (kiln_file_is_packed(file, number) || member->size != blob->size ||
        kiln_index_check_place(&file->frame, number, NULL) != KILN_OK)
        return NULL;
    const unsigned char *bytes = kiln_file_member_bytes(file, member);
    bool is_aligned = ((uintptr_t)bytes & (((uintptr_t)1 << member->align_log2) - 1)) == 0;
    return is_aligned && memcmp(bytes, blob->bytes, blob->size) == 0
               ? kiln_asset_blob_root_of(bytes)
               : NULL;
}

void kiln_asset_versions_prefetch_records(const asset_versions *versions, uint32_t old)
{
    if (!versions->is_aligned)
        return;
    /* A record has the size of a cache line, but may be in two of them. */
    const size_t last = sizeof(kiln_index_member) - 1;
    prefetch(record_of(versions->old, old), 0);
    prefetch(record_of(versions->old, old), last);
    prefetch(record_of(versions->fresh, old), 0);
    prefetch(record_of(versions->fresh, old), last);
}

void kiln_asset_versions_prefetch_bytes(const asset_versions *versions, const asset_blob *blob,
                                        uint32_t old)
{
    enum { LINE = 64, LINES = 4 };
    if (!versions->is_aligned)
        return;
    /* The location in the new file is not checked yet. */
    const size_t place = (size_t)record_of(versions->fresh, old)->place;
    for (size_t i = 0; i < LINES; i++) {
        prefetch(blob->bytes, i * LINE);
        prefetch(versions->fresh->file->source.data, place + i * LINE);
    }
}
