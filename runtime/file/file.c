/* Opens files and finds their assets.
 *
 * Opening checks the frame of the index and, from KILN_VERIFY_HASH on, its hash and its entries,
 * but no member. So it takes time proportional to the index, however large the file is. A member is
 * verified when it is first used. If opening fails, everything is closed again. */
#define _POSIX_C_SOURCE 200809L

#include <kiln/file.h>
#include <kiln/payload.h>
#include <kiln/scene.h>

#include "def_cookie.h"
#include "file_header.h"
#include "file_member.h"
#include "file_unpack.h"

#include <errno.h>
#include <kiln/type_table.h>
#include <string.h>

enum { INDEX_ALIGN = 1 << KILN_ALIGN_LOG2_MIN };

kiln_file_def kiln_file_def_default(void)
{
    kiln_file_def def = {
        .source = KILN_SOURCE_MAP, .level = KILN_VERIFY_DEEP, .cookie = DEF_COOKIE};
    return def;
}

static bool is_aligned(const void *data, uint32_t align)
{
    return ((uintptr_t)data & (align - 1)) == 0;
}

static bool def_is_valid(const kiln_file_def *def)
{
    return def && def_is_set(def->cookie) && (def->path == NULL) != (def->data == NULL) &&
           (unsigned)def->source <= KILN_SOURCE_COPY && (unsigned)def->level <= KILN_VERIFY_DEEP &&
           (def->types == NULL) == (def->types_size == 0) && is_aligned(def->types, INDEX_ALIGN);
}

/* Members are aligned in the file (I6). They must also be aligned in memory, which is always true
 * for blobs in memory that the runtime maps or copies, because that is aligned to 4096. Returns the
 * number of a member for which `data` is not aligned; KILN_MEMBER_NONE if there is none. */
static uint32_t find_misaligned(const kiln_index *index, const void *data)
{
    bool are_blobs_aligned = is_aligned(data, KILN_ALIGN_MAX);
    for (uint32_t i = index->members.count; i-- > 0;) {
        const kiln_index_member *member = kiln_index_member_at(index, i);
        bool is_payload = member->compression == KILN_COMPRESSION_PAYLOAD;
        /* Payload members are the last ones (I22). */
        if (are_blobs_aligned && !kiln_index_member_is_payload(member))
            break;
        /* A larger alignment violates I6, which is reported when the member is used. */
        if (member->align_log2 <=
                (is_payload ? KILN_PAYLOAD_ALIGN_LOG2_MAX : KILN_ALIGN_LOG2_MAX) &&
            !is_aligned(data, UINT32_C(1) << member->align_log2))
            return i;
    }
    return KILN_MEMBER_NONE;
}

static kiln_status read_frame(kiln_file_source *source, kiln_verify_level level,
                              const kiln_allocator *allocator, kiln_index_frame *ret_frame,
                              kiln_error *reterr)
{
    bool is_checked = level != KILN_VERIFY_NONE;
    kiln_file_head head = {source->data, source->size, source->size};
    kiln_status status = kiln_index_frame_read(&head, is_checked, ret_frame, reterr);
    if (status == KILN_OK && is_checked)
        status = kiln_index_check_entries(ret_frame, reterr);
    uint32_t member = status ? KILN_MEMBER_NONE : find_misaligned(ret_frame->index, source->data);
    if (member == KILN_MEMBER_NONE)
        return status;
    if (!source->mapped && !source->owned)
        return kiln_fail(reterr, KILN_H_MISALIGNED,
                         kiln_index_member_at(ret_frame->index, member)->place, NULL);
    /* A payload has an alignment above the page size. */
    status = kiln_file_source_align(source, KILN_PAYLOAD_ALIGN_MAX, allocator);
    if (status != KILN_OK)
        return status == KILN_IO ? kiln_fail_system(reterr, errno, NULL)
                                 : kiln_fail(reterr, status, 0, NULL);
    head.data = source->data;
    return kiln_index_frame_read(&head, is_checked, ret_frame, reterr);
}

/* An error in the program's own type table is a bug in the program, not in the file. */
static kiln_status read_program_types(const kiln_file_def *def, const kiln_allocator *allocator,
                                      kiln_types **ret_types, kiln_error *reterr)
{
    if (!def->types)
        return KILN_OK;
    kiln_status status =
        kiln_type_table_read(allocator, def->types, def->types_size, ret_types, reterr);
    if (status == KILN_OK || status == KILN_NO_MEMORY)
        return status;
    return kiln_fail(reterr, KILN_BAD_ARGUMENT, reterr ? reterr->offset : 0, "types");
}

static bool init_locks(kiln_file *file)
{
    if (pthread_mutex_init(&file->lock, NULL) != 0)
        return false;
    if (pthread_mutex_init(&file->table_lock, NULL) == 0) {
        if (pthread_cond_init(&file->checked, NULL) == 0)
            return true;
        pthread_mutex_destroy(&file->table_lock);
    }
    pthread_mutex_destroy(&file->lock);
    return false;
}

_Static_assert(sizeof(_Atomic(kiln_verdict)) == 2 && ATOMIC_SHORT_LOCK_FREE == 2 && LEVEL_NONE == 0,
               "zeroed bytes must be valid verdicts");

/* Builds the file from checked parts. On failure the caller still owns them. */
static kiln_status make_file(const kiln_allocator *allocator, const kiln_file_source *source,
                             const kiln_index_frame *frame, kiln_file **ret_file)
{
    const kiln_index *index = frame->index;
    size_t bytes = sizeof(kiln_file) + index->members.count * sizeof(kiln_verdict);
    kiln_file *file = allocator->alloc(allocator->ctx, bytes, _Alignof(kiln_file));
    if (!file)
        return KILN_NO_MEMORY;
    /* This includes the verdicts, one for each member. */
    memset(file, 0, bytes);
    if (!init_locks(file)) {
        allocator->free(allocator->ctx, file, bytes);
        return KILN_NO_MEMORY;
    }
    file->allocator = *allocator;
    file->source = *source;
    file->index = index;
    file->frame = *frame;
    file->bytes = bytes;
    atomic_init(&file->table, NULL);
    atomic_init(&file->packs, NULL);
    atomic_init(&file->index_is_valid, false);
    *ret_file = file;
    return KILN_OK;
}

/* Whether the file has chunks that a world can map. Only then must the descriptor stay
 * open, and a process has few descriptors. */
static bool has_chunks(const kiln_index *index)
{
    for (uint32_t i = 0; i < index->types.count; i++) {
        if (strcmp(kiln_string_get(&kiln_index_type_at(index, i)->name),
                   KILN_SCENE_CHUNKS_TYPE_NAME) == 0)
            return true;
    }
    return false;
}

/* The file uses the types in `shared`, or reads its own if that is NULL. */
static kiln_status open_checked(const kiln_file_def *def, const kiln_allocator *allocator,
                                kiln_file_source *source, const kiln_types *shared,
                                kiln_file **ret_file, kiln_error *reterr)
{
    kiln_index_frame frame;
    kiln_status status = read_frame(source, def->level, allocator, &frame, reterr);
    if (status != KILN_OK)
        return status;
    kiln_types *types = NULL;
    status = read_program_types(def, allocator, &types, reterr);
    if (status != KILN_OK)
        return status;
    kiln_file *file = NULL;
    status = make_file(allocator, source, &frame, &file);
    if (status != KILN_OK) {
        kiln_types_destroy(types);
        return kiln_fail(reterr, status, 0, NULL);
    }
    file->own_types = types;
    file->program_types = shared ? shared : types;
    file->level = def->level;
    if (!has_chunks(frame.index))
        kiln_file_source_close_descriptor(&file->source);
    *ret_file = file;
    return KILN_OK;
}

kiln_status kiln_file_open(const kiln_file_def *def, kiln_file **ret_file, kiln_error *reterr)
{
    return kiln_file_open_sharing(def, NULL, ret_file, reterr);
}

/* An error without a path gets the path of the file, so that a message names the file. */
static kiln_status name_file(const kiln_file_def *def, kiln_status status, kiln_error *reterr)
{
    return reterr && !*reterr->path ? kiln_fail(reterr, status, reterr->offset, def->path) : status;
}

kiln_status kiln_file_open_sharing(const kiln_file_def *def, const kiln_types *types,
                                   kiln_file **ret_file, kiln_error *reterr)
{
    kiln_status status = kiln_host_check();
    if (status == KILN_OK && (!ret_file || !def_is_valid(def)))
        status = KILN_BAD_ARGUMENT;
    if (status != KILN_OK)
        return kiln_fail(reterr, status, 0, NULL);
    kiln_allocator allocator = def->allocator ? *def->allocator : kiln_allocator_default();
    kiln_file_source source;
    status = kiln_file_source_init(def, &allocator, &source, reterr);
    if (status != KILN_OK)
        return status;
    status = open_checked(def, &allocator, &source, types, ret_file, reterr);
    if (status == KILN_OK)
        return KILN_OK;
    kiln_file_source_fini(&source, &allocator);
    return name_file(def, status, reterr);
}

void kiln_file_close(kiln_file *file)
{
    if (!file)
        return;
    kiln_allocator allocator = file->allocator;
    kiln_file_packs_fini(file);
    kiln_types_destroy(atomic_load_explicit(&file->table, memory_order_acquire));
    kiln_types_destroy(file->own_types);
    kiln_file_source_fini(&file->source, &allocator);
    pthread_cond_destroy(&file->checked);
    pthread_mutex_destroy(&file->table_lock);
    pthread_mutex_destroy(&file->lock);
    allocator.free(allocator.ctx, file, file->bytes);
}

_Static_assert(KILN_ASSET_NONE + 1 == 0, "the public number 0 must mean no asset");

static kiln_asset asset_of(const kiln_file *file, uint32_t number)
{
    bool exists = number != KILN_ASSET_NONE && kiln_index_asset_is_valid(file->index, number);
    kiln_asset asset = {exists ? number + 1 : 0};
    return asset;
}

/* NULL for null, and for an asset of another file if its number is too large for this one. */
static const kiln_index_asset *entry_of(const kiln_file *file, kiln_asset asset)
{
    if (asset.number == 0 || asset.number > kiln_index_asset_count(file->index) ||
        !kiln_index_asset_is_valid(file->index, asset.number - 1))
        return NULL;
    return kiln_index_asset_at(file->index, asset.number - 1);
}

kiln_asset kiln_file_find_id(const kiln_file *file, kiln_id id)
{
    return asset_of(file, id ? kiln_index_find(file->index, id) : KILN_ASSET_NONE);
}

kiln_asset kiln_file_find(const kiln_file *file, const char *name)
{
    return asset_of(file,
                    name ? kiln_index_find_name(file->index, name, strlen(name)) : KILN_ASSET_NONE);
}

uint32_t kiln_file_asset_count(const kiln_file *file)
{
    return kiln_index_asset_count(file->index);
}

kiln_asset kiln_file_asset_at(const kiln_file *file, uint32_t i)
{
    return asset_of(file, i < kiln_index_asset_count(file->index) ? i : KILN_ASSET_NONE);
}

/* Never NULL: "" if the name in the index is not valid. */
static const char *name_of(const kiln_file *file, uint32_t number)
{
    const char *name = kiln_index_asset_name(&file->frame, number);
    return name ? name : "";
}

const char *kiln_file_asset_name(const kiln_file *file, kiln_asset asset)
{
    return entry_of(file, asset) ? name_of(file, asset.number - 1) : NULL;
}

kiln_id kiln_file_asset_id(const kiln_file *file, kiln_asset asset)
{
    return entry_of(file, asset) ? kiln_index_id(file->index, asset.number - 1) : 0;
}

const char *kiln_file_asset_type(const kiln_file *file, kiln_asset asset)
{
    const kiln_index_asset *entry = entry_of(file, asset);
    return entry ? kiln_string_get(&kiln_index_type_at(file->index, entry->type)->name) : NULL;
}

static bool is_type(const kiln_file *file, const kiln_index_asset *entry,
                    const kiln_root_type *type)
{
    const kiln_index_type *actual = kiln_index_type_at(file->index, entry->type);
    return actual->layout == type->layout &&
           strcmp(kiln_string_get(&actual->name), type->name) == 0;
}

const void *kiln_file_root(kiln_file *file, kiln_asset asset, const kiln_root_type *type,
                           kiln_error *reterr)
{
    const kiln_index_asset *entry = entry_of(file, asset);
    if (!entry || !type || !type->name) {
        kiln_fail(reterr, entry ? KILN_BAD_ARGUMENT : KILN_NOT_FOUND, 0, NULL);
        return NULL;
    }
    const kiln_index_member *member = kiln_index_member_at(file->index, entry->member);
    if (!is_type(file, entry, type)) {
        kiln_fail(reterr, KILN_TYPE_MISMATCH, member->place, name_of(file, asset.number - 1));
        return NULL;
    }
    if (kiln_file_prepare_asset(file, asset.number - 1, kiln_file_root_level(file), reterr) !=
        KILN_OK)
        return NULL;
    return kiln_file_blob(file, entry->member) + kiln_file_payload_at(member);
}

kiln_status kiln_file_prepare(kiln_file *file, const kiln_asset *assets, uint32_t count,
                              kiln_error *reterr)
{
    kiln_status first = KILN_OK;
    for (uint32_t i = 0; i < count; i++) {
        kiln_error *error = first == KILN_OK ? reterr : NULL;
        kiln_status status = entry_of(file, assets[i])
                                 ? kiln_file_prepare_asset(file, assets[i].number - 1,
                                                           kiln_file_root_level(file), error)
                                 : kiln_fail(error, KILN_NOT_FOUND, 0, NULL);
        if (first == KILN_OK)
            first = status;
    }
    return first;
}

kiln_status kiln_file_check_index(kiln_file *file, kiln_error *reterr)
{
    /* Two threads may both check; they reach the same result. */
    if (atomic_load_explicit(&file->index_is_valid, memory_order_acquire))
        return KILN_OK;
    kiln_types *builtin = NULL;
    kiln_status status = kiln_types_create_builtin(&file->allocator, &builtin, reterr);
    if (status != KILN_OK)
        return status;
    const kiln_index *index = NULL;
    status = kiln_index_check(
        builtin, &file->allocator,
        &(kiln_file_head){file->source.data, file->source.size, file->source.size}, &index, reterr);
    kiln_types_destroy(builtin);
    if (status == KILN_OK)
        atomic_store_explicit(&file->index_is_valid, true, memory_order_release);
    return status;
}

const kiln_index *kiln_file_index(kiln_file *file, kiln_error *reterr)
{
    return kiln_file_check_index(file, reterr) == KILN_OK ? file->index : NULL;
}
