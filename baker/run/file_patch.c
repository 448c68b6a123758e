#include "file_patch.h"

#include "bake_memory.h"
#include "hash_equal.h"

#include <kiln/blob_header.h>
#include <kiln/index.h>
#include <stdlib.h>
#include <string.h>

/* A member of the new file. */
typedef struct patch_member {
    uint64_t old_place, old_size;
    const bake_patched_asset *by; /* NULL: unchanged */
    uint32_t users;               /* number of assets that have it */
} patch_member;

struct bake_file_patch {
    unsigned char *bytes; /* of the file */
    size_t file_size;
    size_t index_size;
    kiln_index_frame frame; /* of `bytes` */
    kiln_index_member *rows;
    patch_member *members;
    uint32_t member_count;
    size_t changed; /* number of members with another blob */
    kiln_file_counts counts;
    uint64_t size;
};

void bake_file_patch_destroy(bake_file_patch *p)
{
    if (!p)
        return;
    bake_free(p->members);
    bake_free(p);
}

/* Reads the frame of the index. */
static bool read_index(bake_file_patch *p)
{
    kiln_blob_header header;
    if (kiln_header_read(p->bytes, p->file_size, &header, NULL))
        return false;
    p->index_size = (size_t)kiln_header_blob_size(&header);
    kiln_file_head head = {p->bytes, p->index_size, p->file_size};
    if (kiln_index_frame_read(&head, false, &p->frame, NULL))
        return false;
    const kiln_index *index = p->frame.index;
    p->member_count = index->members.count;
    p->counts = (kiln_file_counts){index->assets.count, index->types.count, index->members.count};
    if (p->member_count == 0)
        return false;
    size_t at = (size_t)((const unsigned char *)kiln_index_member_at(index, 0) - p->bytes);
    p->rows = (kiln_index_member *)(void *)(p->bytes + at);
    return index->file_size == p->file_size && index->dictionaries.count == 0 &&
           index->imports.count == 0;
}

/* The place of a member after one that ends at `end`. */
static uint64_t place_of(const kiln_index_member *row, uint64_t end)
{
    uint64_t align = UINT64_C(1) << (row->align_log2 & KILN_FLAG_ALIGN_MASK);
    return (end + align - 1) & ~(align - 1);
}

/* Checks that the writer would place the members as they are, and counts their users. */
static bool list_members(bake_file_patch *p)
{
    const kiln_index *index = p->frame.index;
    uint64_t end = p->index_size;
    p->members = bake_alloc_array(p->member_count, sizeof *p->members);
    if (!p->members)
        return false;
    for (uint32_t i = 0; i < p->member_count; i++) {
        const kiln_index_member *row = &p->rows[i];
        if (row->compression != KILN_COMPRESSION_NONE || row->size != row->stored_size ||
            row->align_log2 > KILN_ALIGN_LOG2_MAX || row->place != place_of(row, end) ||
            row->place > p->file_size || row->size > p->file_size - row->place)
            return false;
        p->members[i].old_place = row->place;
        p->members[i].old_size = row->size;
        end = row->place + row->size;
    }
    for (uint32_t i = 0; i < index->assets.count; i++) {
        uint32_t member = kiln_index_asset_at(index, i)->member;
        if (member >= p->member_count)
            return false;
        p->members[member].users++;
    }
    return end == p->file_size;
}

static bool has_ref(const kiln_finished_asset *asset, kiln_id id)
{
    for (size_t i = 0; i < asset->ref_count; i++)
        if (asset->refs[i] == id)
            return true;
    return false;
}

/* Whether the new blob refers to the same assets as the old one. Neither list has duplicates. */
static bool has_same_refs(const bake_file_patch *p, uint32_t number, const bake_patched_asset *by)
{
    const kiln_index *index = p->frame.index;
    uint32_t count = 0;
    if (index->edge_starts.count == 0)
        return by->asset.ref_count == 0;
    if (kiln_index_check_edges(&p->frame, number, NULL))
        return false;
    const uint32_t *edges = kiln_index_edges(index, number, &count);
    for (uint32_t i = 0; i < count; i++)
        if (!has_ref(&by->asset, kiln_index_edge_id(index, edges[i])))
            return false;
    return count == by->asset.ref_count;
}

/* Finds the asset in the index; UINT32_MAX if its name or type is another one. */
static uint32_t find(const bake_file_patch *p, const bake_patched_asset *by)
{
    const kiln_index *index = p->frame.index;
    uint32_t number = kiln_index_find_name(index, by->name, by->name_length);
    if (number == KILN_ASSET_NONE || number >= index->assets.count)
        return UINT32_MAX;
    const char *name = kiln_index_asset_name(&p->frame, number);
    uint32_t type = kiln_index_asset_at(index, number)->type;
    if (!name || strcmp(name, by->name) != 0 || type >= index->types.count)
        return UINT32_MAX;
    const char *text = kiln_string_get(&kiln_index_type_at(index, type)->name);
    return strcmp(text, by->type) == 0 ? number : UINT32_MAX;
}

static bool change(bake_file_patch *p, const bake_patched_asset *by)
{
    uint32_t number = find(p, by);
    if (number == UINT32_MAX || !has_same_refs(p, number, by))
        return false;
    uint32_t member = kiln_index_asset_at(p->frame.index, number)->member;
    if (bake_hash_equal(p->rows[member].content, by->asset.content))
        return true;
    if (p->members[member].users != 1 || p->members[member].by)
        return false;
    p->members[member].by = by;
    p->changed++;
    return true;
}

static const kiln_hash128 *content_of(const bake_file_patch *p, uint32_t member)
{
    const bake_patched_asset *by = p->members[member].by;
    return by ? &by->asset.content : &p->rows[member].content;
}

static int compare_contents(const void *a, const void *b)
{
    return bake_hash_compare(*(const kiln_hash128 *)a, *(const kiln_hash128 *)b);
}

/* The contents of new blobs in ascending order. A content whose bit of the filter is 0 is not one
 * of them. */
typedef struct new_contents {
    kiln_hash128 *items;
    size_t count;
    uint64_t filter[64];
} new_contents;

static uint64_t *filter_word(new_contents *news, kiln_hash128 content)
{
    return &news->filter[content.low / 64 % 64];
}

static bool list_contents(const bake_file_patch *p, new_contents *news)
{
    *news = (new_contents){bake_alloc_array(p->changed + 1, sizeof *news->items), 0, {0}};
    for (uint32_t i = 0; news->items && i < p->member_count; i++) {
        if (!p->members[i].by)
            continue;
        kiln_hash128 content = *content_of(p, i);
        news->items[news->count++] = content;
        *filter_word(news, content) |= UINT64_C(1) << content.low % 64;
    }
    if (news->items)
        qsort(news->items, news->count, sizeof *news->items, compare_contents);
    return news->items != NULL;
}

/* Whether a new blob equals that of another member, so that the writer would share it. Also true if
 * memory runs out. */
static bool is_shared(const bake_file_patch *p)
{
    new_contents news;
    bool found = !list_contents(p, &news);
    for (size_t i = 1; i < news.count && !found; i++)
        found = bake_hash_equal(news.items[i - 1], news.items[i]);
    for (uint32_t i = 0; i < p->member_count && !found; i++) {
        const kiln_hash128 *content = content_of(p, i);
        found = !p->members[i].by && *filter_word(&news, *content) >> content->low % 64 & 1 &&
                bsearch(content, news.items, news.count, sizeof *news.items, compare_contents);
    }
    bake_free(news.items);
    return found;
}

/* Fills in the changed members, all places, the size of the file, and the hash of the index. In a
 * damaged file, rows can overlap anything else, so nothing else is read from now on. */
static void place(bake_file_patch *p)
{
    kiln_blob_header header, blob;
    uint64_t end = p->index_size;
    memcpy(&header, p->bytes, sizeof header);
    for (uint32_t i = 0; i < p->member_count; i++) {
        const bake_patched_asset *by = p->members[i].by;
        if (by) {
            memcpy(&blob, by->asset.blob.data, sizeof blob);
            p->rows[i].size = p->rows[i].stored_size = by->asset.blob.size;
            p->rows[i].content = by->asset.content;
            p->rows[i].align_log2 = (uint8_t)(blob.flags & KILN_FLAG_ALIGN_MASK);
        }
        p->rows[i].place = place_of(&p->rows[i], end);
        end = p->rows[i].place + p->rows[i].size;
    }
    p->size = end;
    memcpy(p->bytes + kiln_header_payload_at(&header) + offsetof(kiln_index, file_size), &end,
           sizeof end);
    kiln_header_write(p->bytes, header.flags, header.payload_size, header.layout);
}

bake_file_patch *bake_file_patch_make(void *file, size_t size, const bake_patched_asset *assets,
                                      size_t count)
{
    bake_file_patch *p = bake_alloc_array(1, sizeof *p);
    if (!p)
        return NULL;
    p->bytes = file;
    p->file_size = size;
    bool ok = read_index(p) && list_members(p);
    for (size_t i = 0; i < count && ok; i++)
        ok = change(p, &assets[i]);
    if (ok && !is_shared(p)) {
        place(p);
        return p;
    }
    bake_file_patch_destroy(p);
    return NULL;
}

bool bake_file_patch_is_empty(const bake_file_patch *p)
{
    return p->changed == 0;
}

uint64_t bake_file_patch_size(const bake_file_patch *p)
{
    return p->size;
}

kiln_file_counts bake_file_patch_counts(const bake_file_patch *p)
{
    return p->counts;
}

static bool write_gap(kiln_write_function *write, void *ctx, uint64_t size)
{
    static const unsigned char zeros[KILN_ALIGN_MAX];
    return size == 0 || write(ctx, zeros, (size_t)size);
}

/* The number of the first member from `first` on that does not follow its predecessor as in the old
 * file. Such a run, with the zeros between its members, can be written at once. */
static uint32_t end_of_run(const bake_file_patch *p, uint32_t first)
{
    uint32_t i = first + 1;
    uint64_t shift = p->rows[first].place - p->members[first].old_place;
    while (i < p->member_count && !p->members[i].by &&
           p->rows[i].place - p->members[i].old_place == shift)
        i++;
    return i;
}

bool bake_file_patch_write(const bake_file_patch *p, kiln_write_function *write, void *ctx)
{
    const unsigned char *old = p->bytes;
    uint64_t at = p->index_size;
    bool ok = write(ctx, p->bytes, p->index_size);
    for (uint32_t i = 0; i < p->member_count && ok;) {
        const patch_member *member = &p->members[i];
        ok = write_gap(write, ctx, p->rows[i].place - at);
        uint32_t next = member->by ? i + 1 : end_of_run(p, i);
        const patch_member *last = &p->members[next - 1];
        at = p->rows[next - 1].place + p->rows[next - 1].size;
        if (ok && member->by)
            ok = write(ctx, member->by->asset.blob.data, member->by->asset.blob.size);
        else if (ok)
            ok = write(ctx, old + member->old_place,
                       (size_t)(last->old_place + last->old_size - member->old_place));
        i = next;
    }
    return ok;
}
