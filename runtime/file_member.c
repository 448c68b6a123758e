#define _POSIX_C_SOURCE 200809L

#include "file_member.h"

#include <kiln/type_table.h>
#include <kiln/verify.h>

void kiln_file_shift_error(kiln_error *reterr, uint64_t place)
{
    if (reterr)
        reterr->offset += place;
}

kiln_status kiln_file_check_header(const kiln_file *file, uint32_t number, kiln_blob_kind kind,
                                   bool check_hash, kiln_error *reterr)
{
    const kiln_index_member *member = kiln_index_member_at(file->index, number);
    kiln_status status = kiln_index_check_place(&file->frame, number, reterr);
    if (status != KILN_OK)
        return status;
    if (member->compression != KILN_COMPRESSION_NONE)
        return kiln_fail(reterr, KILN_UNSUPPORTED, member->place, NULL);
    const unsigned char *bytes = kiln_file_member_bytes(file, member);
    kiln_blob_header header;
    status = kiln_header_read(bytes, (size_t)member->stored_size, &header, reterr);
    if (status == KILN_OK && (kiln_header_blob_size(&header) != member->size ||
                              (header.flags & KILN_FLAG_ALIGN_MASK) != member->align_log2 ||
                              kiln_header_kind(&header) != kind))
        status = kiln_fail(reterr, KILN_I_MEMBER, 0, NULL);
    if (status == KILN_OK && check_hash)
        status = kiln_header_check_hash(bytes, &header, reterr);
    if (status != KILN_OK)
        kiln_file_shift_error(reterr, member->place);
    return status;
}

static kiln_status read_table(kiln_file *file, kiln_types **ret_types, kiln_error *reterr)
{
    uint32_t number = file->index->type_table - 1;
    const kiln_index_member *member = kiln_index_member_at(file->index, number);
    kiln_types *types = NULL;
    kiln_status status = kiln_index_check_place(&file->frame, number, reterr);
    if (status != KILN_OK)
        return status;
    if (member->compression != KILN_COMPRESSION_NONE)
        return kiln_fail(reterr, KILN_UNSUPPORTED, member->place, NULL);
    status = kiln_type_table_read(&file->allocator, kiln_file_member_bytes(file, member),
                                  (size_t)member->stored_size, &types, reterr);
    if (status != KILN_OK) {
        kiln_file_shift_error(reterr, member->place);
        return status;
    }
    status = kiln_index_check_types(file->index, types, reterr);
    if (status != KILN_OK) {
        kiln_types_destroy(types);
        return status;
    }
    *ret_types = types;
    return KILN_OK;
}

kiln_status kiln_file_table(kiln_file *file, const kiln_types **ret_types, kiln_error *reterr)
{
    const kiln_types *table = atomic_load_explicit(&file->table, memory_order_acquire);
    if (table) {
        *ret_types = table;
        return KILN_OK;
    }
    pthread_mutex_lock(&file->table_lock);
    kiln_error error = file->table_error;
    table = atomic_load_explicit(&file->table, memory_order_relaxed);
    if (!table && error.status == KILN_OK) {
        kiln_types *read = NULL;
        kiln_status status = read_table(file, &read, &error);
        if (status == KILN_OK)
            atomic_store_explicit(&file->table, read, memory_order_release);
        else if (status != KILN_NO_MEMORY)
            file->table_error = error;
        table = read;
    }
    pthread_mutex_unlock(&file->table_lock);
    if (!table)
        return kiln_fail(reterr, error.status, error.offset, error.path);
    *ret_types = table;
    return KILN_OK;
}

static const kiln_index_type *type_of(const kiln_file *file, uint32_t number)
{
    return kiln_index_type_at(file->index, kiln_index_asset_at(file->index, number)->type);
}

/* The number of the struct in `types` that is the index's type, layout included. */
static uint32_t find_type(const kiln_types *types, const kiln_index_type *type)
{
    uint32_t found = kiln_types_find(types, kiln_string_get(&type->name));
    if (found == KILN_TYPE_NONE)
        return KILN_TYPE_NONE;
    const kiln_type *of = kiln_types_get(types, found);
    return of->kind == KILN_KIND_STRUCT && of->layout == type->layout ? found : KILN_TYPE_NONE;
}

kiln_file_level kiln_file_deep_level(const kiln_file *file, uint32_t number)
{
    bool trusted = file->program_types &&
                   find_type(file->program_types, type_of(file, number)) != KILN_TYPE_NONE;
    return trusted ? LEVEL_TRUSTED : LEVEL_VALUES;
}

/* One check of one asset's member, its types found beforehand: whether a file has types decides
 * nothing about a member. */
typedef struct check {
    uint32_t asset;
    uint32_t member;
    kiln_file_level level;
    const kiln_types *types; /* from LEVEL_VALUES on */
    uint32_t type;
    const kiln_file_refs *refs; /* or NULL */
} check;

static kiln_status prepare(kiln_file *file, uint32_t number, kiln_file_level level,
                           const kiln_file_refs *refs, check *ret_check, kiln_error *reterr)
{
    check made = {number, kiln_index_asset_at(file->index, number)->member,
                  level,  file->program_types,
                  0,      refs};
    const kiln_index_type *type = type_of(file, number);
    if (level == LEVEL_VALUES && file->index->type_table == 0)
        return kiln_fail(reterr, KILN_NO_TYPES, 0, kiln_string_get(&type->name));
    if (level == LEVEL_VALUES) {
        kiln_status status = kiln_file_table(file, &made.types, reterr);
        if (status != KILN_OK)
            return status;
    }
    if (level >= LEVEL_VALUES) {
        made.type = made.types ? find_type(made.types, type) : KILN_TYPE_NONE;
        if (made.type == KILN_TYPE_NONE)
            return kiln_fail(reterr, KILN_NO_TYPES, 0, kiln_string_get(&type->name));
    }
    *ret_check = made;
    return KILN_OK;
}

static kiln_status check_values(kiln_file *file, const check *c, kiln_error *reterr)
{
    const kiln_index_member *member = kiln_index_member_at(file->index, c->member);
    kiln_verify_def def = kiln_verify_def_default();
    def.types = c->types;
    def.type = c->type;
    def.allocator = &file->allocator;
    def.check_canonical = false; /* says nothing about safety */
    if (c->refs) {
        def.on_ref = c->refs->on_ref;
        def.on_ref_ctx = c->refs->ctx;
    }
    kiln_status status = kiln_verify(&def, kiln_file_member_bytes(file, member),
                                     (size_t)member->stored_size, reterr);
    if (status != KILN_OK)
        kiln_file_shift_error(reterr, member->place);
    return status;
}

/* A verdict speaks of the layout that the member's header holds; another asset may name the same
 * member under another type. The header was checked. */
static kiln_status compare_layout(const kiln_file *file, uint32_t number, kiln_error *reterr)
{
    uint32_t member_number = kiln_index_asset_at(file->index, number)->member;
    const kiln_index_member *member = kiln_index_member_at(file->index, member_number);
    const kiln_blob_header *header =
        (const kiln_blob_header *)(const void *)kiln_file_member_bytes(file, member);
    if (header->layout != type_of(file, number)->layout)
        return kiln_fail(reterr, KILN_I_MEMBER, member->place, NULL);
    return KILN_OK;
}

/* Checks now, whatever is known. `ret_verdict` is what follows about the member: nothing from
 * trouble that is not the bytes', nor from an asset that claims another layout. */
static kiln_status check_now(kiln_file *file, const check *c, uint8_t *ret_verdict,
                             kiln_error *reterr)
{
    kiln_status status =
        kiln_file_check_header(file, c->member, KILN_BLOB_ASSET, c->level == LEVEL_HASH, reterr);
    if (status == KILN_OK) {
        kiln_status layout = compare_layout(file, c->asset, reterr);
        if (layout != KILN_OK) {
            *ret_verdict = LEVEL_HEADER;
            return layout;
        }
        if (c->level >= LEVEL_VALUES)
            status = check_values(file, c, reterr);
    }
    if (status == KILN_OK)
        *ret_verdict = (uint8_t)c->level;
    else if (status == KILN_NO_MEMORY)
        *ret_verdict = LEVEL_NONE;
    else
        *ret_verdict = (uint8_t)(VERDICT_BAD + (unsigned)status);
    return status;
}

/* The stored verdict has no place for where and why: the deepest check that is possible tells it
 * again. Should the bytes have changed since and pass, the verdict stands nevertheless. */
static kiln_status repeat_failure(kiln_file *file, const check *c, uint8_t verdict,
                                  kiln_error *reterr)
{
    kiln_status status = (kiln_status)(verdict - VERDICT_BAD);
    if (!reterr)
        return status;
    check again;
    uint8_t ignored;
    if (prepare(file, c->asset, kiln_file_deep_level(file, c->asset), NULL, &again, NULL)) {
        again = *c;
        again.level = LEVEL_HASH;
    }
    if (check_now(file, &again, &ignored, reterr) != status)
        kiln_fail(reterr, status, kiln_index_member_at(file->index, c->member)->place, NULL);
    return status;
}

/* Waits until no one checks the member; true when the check falls to the caller, who then owes a
 * verdict. */
static bool claim(kiln_file *file, const check *c, uint8_t *ret_before)
{
    _Atomic(uint8_t) *verdict = &file->verdicts[c->member];
    pthread_mutex_lock(&file->lock);
    uint8_t now = atomic_load_explicit(verdict, memory_order_relaxed);
    while (now & VERDICT_BUSY) {
        pthread_cond_wait(&file->checked, &file->lock);
        now = atomic_load_explicit(verdict, memory_order_relaxed);
    }
    bool mine;
    do {
        mine = now < VERDICT_BAD && (c->refs || now < c->level);
    } while (mine &&
             !atomic_compare_exchange_weak_explicit(verdict, &now, (uint8_t)(now | VERDICT_BUSY),
                                                    memory_order_relaxed, memory_order_relaxed));
    pthread_mutex_unlock(&file->lock);
    *ret_before = now;
    return mine;
}

static void publish(kiln_file *file, const check *c, uint8_t verdict)
{
    pthread_mutex_lock(&file->lock);
    atomic_store_explicit(&file->verdicts[c->member], verdict, memory_order_release);
    pthread_cond_broadcast(&file->checked);
    pthread_mutex_unlock(&file->lock);
}

enum { CACHE_LINE = 64, FETCHED_AHEAD = 1024 };

/* The first bytes of a member come into the cache while its record is checked and its header is
 * hashed. A hint alone, so the record may still say anything. */
static void fetch_ahead(const kiln_file *file, uint32_t number)
{
#if defined(__GNUC__)
    const kiln_index_member *member = kiln_index_member_at(file->index, number);
    uintptr_t first = (uintptr_t)file->source.data + (uintptr_t)member->place;
    for (uintptr_t at = 0; at < FETCHED_AHEAD; at += CACHE_LINE)
        __builtin_prefetch((const void *)(first + at));
#else
    (void)file;
    (void)number;
#endif
}

/* Hashing an unknown member without claiming it: locks would cost more than a small member's hash,
 * and threads that hash the same one come to the same verdict. A verdict stated meanwhile stands.
 */
static kiln_status check_hash(kiln_file *file, uint32_t number, uint32_t member, kiln_error *reterr)
{
    check c = {.asset = number, .member = member, .level = LEVEL_HASH};
    uint8_t found = LEVEL_NONE, before = LEVEL_NONE;
    fetch_ahead(file, member);
    kiln_status status = check_now(file, &c, &found, reterr);
    atomic_compare_exchange_strong_explicit(&file->verdicts[member], &before, found,
                                            memory_order_release, memory_order_relaxed);
    return status;
}

kiln_status kiln_file_check_asset(kiln_file *file, uint32_t number, kiln_file_level level,
                                  const kiln_file_refs *refs, kiln_error *reterr)
{
    uint32_t member = kiln_index_asset_at(file->index, number)->member;
    uint8_t now = atomic_load_explicit(&file->verdicts[member], memory_order_acquire);
    if (now == LEVEL_NONE && level == LEVEL_HASH && !refs)
        return check_hash(file, number, member, reterr);
    now &= (uint8_t) ~(unsigned)VERDICT_BUSY;
    if (!refs && now >= level && now < VERDICT_BAD)
        return compare_layout(file, number, reterr);

    check c;
    kiln_status status = prepare(file, number, level, refs, &c, reterr);
    if (status != KILN_OK)
        return status;
    uint8_t before = LEVEL_NONE;
    if (claim(file, &c, &before)) {
        uint8_t found = LEVEL_NONE;
        status = check_now(file, &c, &found, reterr);
        publish(file, &c, found > before ? found : before);
        return status;
    }
    return before >= VERDICT_BAD ? repeat_failure(file, &c, before, reterr)
                                 : compare_layout(file, number, reterr);
}
