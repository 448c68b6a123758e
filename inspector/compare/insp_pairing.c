/* Walks through the ids of both files at once, because ids are ascending in an index.
 *
 * The order of ids is not that of members, so comparing members in this order reads the files from
 * everywhere. If members are small, one pass from the beginning to the end is faster. It marks the
 * chunks that differ. A member that both files store in the same place is equal if none of its
 * chunks is marked. */
#include "insp_pairing.h"

#include "insp_memory.h"

#include <kiln/scene.h>

enum { OLD, NEW, SIDES, BYTES_FACTOR = 4, BYTES_MIN = 1 << 16 };

/* Members of at most `SMALL` bytes on average are small. */
enum { CHUNK = 4096, SMALL = 16 * CHUNK };

typedef struct pairing {
    const insp_file *files[SIDES];
    insp_pairing *ret;
    size_t capacity;
    uint64_t left;         /* bytes that may be compared, because assets can share members */
    uint32_t types[SIDES]; /* of the last pair */
    bool has_same_types;
    bool *differs;       /* by chunk, as far as both files have whole chunks */
    uint64_t chunks_end; /* where those chunks end */
} pairing;

/* Members must be in the file and in order, so that they do not overlap. */
static bool has_valid_members(const insp_file *file)
{
    uint64_t end = 0;
    uint32_t i;
    for (i = 0; i < file->member_count; i++) {
        insp_member member = insp_peek_member(file, i);
        if (!member.in_place || member.place < end)
            return false;
        end = member.place + member.stored_size;
    }
    return true;
}

static bool has_scenes(const insp_file *file)
{
    uint32_t i;
    for (i = 0; i < file->type_name_count; i++)
        if (insp_text_is(file->type_names[i].name, KILN_SCENE_TYPE_NAME))
            return true;
    return false;
}

static bool is_plain(const insp_file *file)
{
    kiln_file_head head = {file->data, file->size, file->size};
    kiln_index_frame frame;
    return file->frame.index && !file->by_name && file->stated_size <= file->size &&
           !has_scenes(file) && kiln_index_frame_read(&head, true, &frame, NULL) == KILN_OK &&
           kiln_index_check_entries(&frame, NULL) == KILN_OK && has_valid_members(file);
}

/* The type of an asset with this type name; NULL if it is unknown. */
static const kiln_type *type_of(const insp_file *file, uint32_t type_name)
{
    const insp_asset asset = {.type_name = type_name};
    uint32_t type = insp_asset_type(file, &asset);
    if (type != KILN_TYPE_NONE)
        return kiln_types_get(file->types, type);
    type = insp_builtin_type(file, &asset);
    return type == KILN_TYPE_NONE ? NULL : kiln_types_get(file->builtin, type);
}

static bool is_same_type(pairing *p, uint32_t before, uint32_t after)
{
    const insp_asset old_asset = {.type_name = before}, new_asset = {.type_name = after};
    const kiln_type *old_type, *new_type;
    if (before == p->types[OLD] && after == p->types[NEW])
        return p->has_same_types;
    old_type = type_of(p->files[OLD], before);
    new_type = type_of(p->files[NEW], after);
    p->types[OLD] = before;
    p->types[NEW] = after;
    p->has_same_types =
        (old_type && new_type ? old_type->layout == new_type->layout : old_type == new_type) &&
        insp_text_is_same(insp_asset_type_name(p->files[OLD], &old_asset),
                          insp_asset_type_name(p->files[NEW], &new_asset));
    return p->has_same_types;
}

static kiln_status mark_chunks(pairing *p)
{
    const insp_file *before = p->files[OLD], *after = p->files[NEW];
    size_t count = (before->size < after->size ? before->size : after->size) / CHUNK, i;
    if (!count || before->size / SMALL >= before->member_count)
        return KILN_OK;
    p->differs = insp_alloc_array(count, sizeof *p->differs);
    if (!p->differs)
        return KILN_NO_MEMORY;
    for (i = 0; i < count; i++)
        p->differs[i] = memcmp(before->data + i * CHUNK, after->data + i * CHUNK, CHUNK) != 0;
    p->chunks_end = (uint64_t)count * CHUNK;
    return KILN_OK;
}

/* Whether `size` bytes at the same place of both files are in chunks that are equal. */
static bool is_in_equal_chunks(const pairing *p, uint64_t place, uint64_t size)
{
    uint64_t first = place / CHUNK;
    if (size == 0 || place > p->chunks_end || size > p->chunks_end - place)
        return false;
    return !memchr(p->differs + first, true, (size_t)((place + size - 1) / CHUNK - first + 1));
}

/* Whether two assets have the same type and are stored as the same bytes. */
static bool is_equal(pairing *p, uint32_t before, uint32_t after)
{
    insp_entry old_entry = insp_entry_at(p->files[OLD], before);
    insp_entry new_entry = insp_entry_at(p->files[NEW], after);
    insp_member left, right;
    if (!is_same_type(p, old_entry.type_name, new_entry.type_name))
        return false;
    left = insp_peek_member(p->files[OLD], old_entry.member);
    right = insp_peek_member(p->files[NEW], new_entry.member);
    if (left.compression != right.compression || left.dictionary || right.dictionary ||
        left.size != right.size || left.stored_size != right.stored_size ||
        left.stored_size > p->left)
        return false;
    p->left -= left.stored_size;
    if (left.place == right.place && is_in_equal_chunks(p, left.place, left.stored_size))
        return true;
    return memcmp(p->files[OLD]->data + left.place, p->files[NEW]->data + right.place,
                  (size_t)left.stored_size) == 0;
}

static kiln_status add(pairing *p, uint32_t before, uint32_t after)
{
    insp_pairing *ret = p->ret;
    if (ret->count == p->capacity) {
        size_t capacity = p->capacity ? p->capacity * 2 : 16;
        insp_pair *pairs = insp_alloc_array(capacity, sizeof *pairs);
        if (!pairs)
            return KILN_NO_MEMORY;
        if (ret->count)
            memcpy(pairs, ret->pairs, ret->count * sizeof *pairs);
        insp_free(ret->pairs);
        ret->pairs = pairs;
        p->capacity = capacity;
    }
    ret->pairs[ret->count++] = (insp_pair){{before, after}};
    return KILN_OK;
}

/* Sets `is_known` to false if two assets with the same id have different names. */
static kiln_status walk(pairing *p)
{
    const insp_file *before = p->files[OLD], *after = p->files[NEW];
    uint32_t i = 0, k = 0;
    kiln_status status = KILN_OK;
    while ((i < before->asset_count || k < after->asset_count) && !status && p->ret->is_known) {
        bool has_old = i < before->asset_count, has_new = k < after->asset_count;
        uint64_t left = has_old ? insp_peek_id(before, i) : UINT64_MAX;
        uint64_t right = has_new ? insp_peek_id(after, k) : UINT64_MAX;
        bool takes_old = has_old && (!has_new || left <= right);
        bool takes_new = has_new && (!has_old || right <= left);
        if (takes_old && takes_new) {
            p->ret->is_known =
                insp_text_is_same(insp_peek_name(before, i), insp_peek_name(after, k));
            if (!is_equal(p, i, k))
                status = add(p, i, k);
        } else {
            status = add(p, takes_old ? i : KILN_ASSET_NONE, takes_new ? k : KILN_ASSET_NONE);
        }
        i += takes_old;
        k += takes_new;
    }
    return status;
}

kiln_status insp_pairing_find(const insp_file *before, const insp_file *after,
                              insp_pairing *ret_pairing)
{
    pairing p = {.files = {before, after},
                 .ret = ret_pairing,
                 .left = (uint64_t)before->size * BYTES_FACTOR + BYTES_MIN,
                 .types = {KILN_ASSET_NONE, KILN_ASSET_NONE}};
    kiln_status status;
    *ret_pairing = (insp_pairing){.is_known = is_plain(before) && is_plain(after)};
    if (!ret_pairing->is_known)
        return KILN_OK;
    status = mark_chunks(&p);
    if (!status)
        status = walk(&p);
    insp_free(p.differs);
    if (status || !ret_pairing->is_known) {
        insp_free(ret_pairing->pairs);
        *ret_pairing = (insp_pairing){0};
    }
    return status;
}
