#define _POSIX_C_SOURCE 200809L

#include "file_member.h"

#include "file_unpack.h"

#include <kiln/verify.h>

/* The blob of a member whose record was checked. */
static kiln_status check_header(const kiln_index_member *member, const unsigned char *blob,
                                kiln_blob_kind kind, bool check_hash, kiln_error *reterr)
{
    kiln_blob_header header;
    kiln_status status = kiln_header_read(blob, (size_t)member->size, &header, reterr);
    if (status == KILN_OK && (kiln_header_blob_size(&header) != member->size ||
                              (header.flags & KILN_FLAG_ALIGN_MASK) != member->align_log2 ||
                              kiln_header_kind(&header) != kind))
        status = kiln_fail(reterr, KILN_I_MEMBER, 0, NULL);
    if (status == KILN_OK && check_hash)
        status = kiln_header_check_hash(blob, &header, reterr);
    if (status != KILN_OK)
        kiln_file_shift_error(reterr, member->place);
    return status;
}

kiln_status kiln_file_check_header(const kiln_file *file, uint32_t number, kiln_blob_kind kind,
                                   bool check_hash, kiln_error *reterr)
{
    const kiln_index_member *member = kiln_index_member_at(file->index, number);
    kiln_status status = kiln_index_check_place(&file->frame, number, reterr);
    if (status != KILN_OK)
        return status;
    if (kiln_file_is_packed(file, number))
        return kiln_fail(reterr, KILN_I_COMPRESSION, member->place, NULL);
    return check_header(member, kiln_file_member_bytes(file, member), kind, check_hash, reterr);
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
    bool keep;                  /* the file keeps a blob that is decompressed */
} check;

static kiln_status prepare(kiln_file *file, uint32_t number, kiln_file_level level,
                           const kiln_file_refs *refs, check *ret_check, kiln_error *reterr)
{
    check made = {.asset = number,
                  .member = kiln_index_asset_at(file->index, number)->member,
                  .level = level,
                  .types = file->program_types,
                  .refs = refs};
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

static kiln_status check_values(kiln_file *file, const check *c, const unsigned char *blob,
                                kiln_error *reterr)
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
    kiln_status status = kiln_verify(&def, blob, (size_t)member->size, reterr);
    if (status != KILN_OK)
        kiln_file_shift_error(reterr, member->place);
    return status;
}

/* A verdict speaks of the layout that the member's header holds; another asset may name the same
 * member under another type. */
static kiln_status compare_layout(const kiln_file *file, uint32_t number, uint64_t layout,
                                  kiln_error *reterr)
{
    const kiln_index_asset *asset = kiln_index_asset_at(file->index, number);
    if (layout != type_of(file, number)->layout)
        return kiln_fail(reterr, KILN_I_MEMBER,
                         kiln_index_member_at(file->index, asset->member)->place, NULL);
    return KILN_OK;
}

static uint64_t layout_of(const unsigned char *blob)
{
    return ((const kiln_blob_header *)(const void *)blob)->layout;
}

/* The layout that is known of a member with a good verdict. */
static uint64_t known_layout(const kiln_file *file, uint32_t member)
{
    if (kiln_file_is_packed(file, member))
        return atomic_load_explicit(&file->packs, memory_order_acquire)->slots[member].layout;
    return layout_of(kiln_file_blob(file, member));
}

static kiln_status compare_known(const kiln_file *file, uint32_t number, kiln_error *reterr)
{
    uint32_t member = kiln_index_asset_at(file->index, number)->member;
    return compare_layout(file, number, known_layout(file, member), reterr);
}

/* What a check says of a member: how well it is known now, and its header's layout where that is
 * anything. Nothing follows from trouble that is not the bytes'. */
typedef struct finding {
    uint8_t verdict;
    uint64_t layout;
} finding;

static finding finding_of(kiln_status status, kiln_file_level level, uint64_t layout)
{
    finding found = {LEVEL_NONE, layout};
    if (status == KILN_OK)
        found.verdict = (uint8_t)level;
    else if (status != KILN_NO_MEMORY)
        found.verdict = (uint8_t)(VERDICT_BAD + (unsigned)status);
    return found;
}

static bool is_good(uint8_t verdict)
{
    return verdict != LEVEL_NONE && verdict < VERDICT_BAD;
}

/* Checks a blob of the member's, wherever that lies. An asset that claims another layout says
 * nothing against the member. */
static kiln_status check_blob(kiln_file *file, const check *c, const unsigned char *blob,
                              finding *ret_found, kiln_error *reterr)
{
    const kiln_index_member *member = kiln_index_member_at(file->index, c->member);
    kiln_status status =
        check_header(member, blob, KILN_BLOB_ASSET, c->level == LEVEL_HASH, reterr);
    if (status != KILN_OK) {
        *ret_found = finding_of(status, c->level, 0);
        return status;
    }
    uint64_t layout = layout_of(blob);
    status = compare_layout(file, c->asset, layout, reterr);
    if (status != KILN_OK) {
        *ret_found = finding_of(KILN_OK, LEVEL_HEADER, layout);
        return status;
    }
    if (c->level >= LEVEL_VALUES)
        status = check_values(file, c, blob, reterr);
    *ret_found = finding_of(status, c->level, layout);
    if (status == KILN_OK && c->refs && kiln_file_is_packed(file, c->member))
        status = kiln_index_check_blob(file->index, c->member, blob, true, reterr);
    return status;
}

/* The same for a compressed member, of which the file may have the blob already. Who keeps it has
 * the member's busy mark. */
static kiln_status check_packed(kiln_file *file, const check *c, finding *ret_found,
                                kiln_error *reterr)
{
    const kiln_allocator *a = &file->allocator;
    const unsigned char *kept = kiln_file_blob(file, c->member);
    bool check_stored = c->level >= LEVEL_HASH;
    kiln_unpacked made = {NULL, 0};
    kiln_status status = KILN_OK;
    if (!kept)
        status = kiln_file_decompress(file, c->member, check_stored, a, &made, reterr);
    else if (check_stored)
        status = kiln_index_check_stored(file->index, c->member, file->source.data, reterr);
    if (status != KILN_OK) {
        *ret_found = finding_of(status, c->level, 0);
        return status;
    }
    status = check_blob(file, c, kept ? kept : made.blob, ret_found, reterr);
    if (made.blob && c->keep && is_good(ret_found->verdict)) {
        kiln_file_packs *packs = atomic_load_explicit(&file->packs, memory_order_acquire);
        atomic_store_explicit(&packs->slots[c->member].blob, made.blob, memory_order_release);
    } else if (made.blob) {
        a->free(a->ctx, made.blob, made.size);
    }
    return status;
}

/* Checks now, whatever is known. */
static kiln_status check_now(kiln_file *file, const check *c, finding *ret_found,
                             kiln_error *reterr)
{
    kiln_status status = kiln_index_check_place(&file->frame, c->member, reterr);
    if (status != KILN_OK) {
        *ret_found = finding_of(status, c->level, 0);
        return status;
    }
    return kiln_file_is_packed(file, c->member)
               ? check_packed(file, c, ret_found, reterr)
               : check_blob(file, c, kiln_file_blob(file, c->member), ret_found, reterr);
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
    finding ignored;
    if (prepare(file, c->asset, kiln_file_deep_level(file, c->asset), NULL, &again, NULL)) {
        again = *c;
        again.level = LEVEL_HASH;
    }
    if (check_now(file, &again, &ignored, reterr) != status)
        kiln_fail(reterr, status, kiln_index_member_at(file->index, c->member)->place, NULL);
    return status;
}

/* Whether the file should have a blob of the member and has none. */
static bool lacks_blob(const kiln_file *file, uint32_t member, bool keep)
{
    return keep && !kiln_file_blob(file, member);
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
        mine = now < VERDICT_BAD &&
               (c->refs || now < c->level || lacks_blob(file, c->member, c->keep));
    } while (mine &&
             !atomic_compare_exchange_weak_explicit(verdict, &now, (uint8_t)(now | VERDICT_BUSY),
                                                    memory_order_relaxed, memory_order_relaxed));
    pthread_mutex_unlock(&file->lock);
    *ret_before = now;
    return mine;
}

/* What is known of a member now, who was known to be `before`. Under the lock. */
static void state(kiln_file *file, uint32_t member, uint8_t before, const finding *found)
{
    kiln_file_packs *packs = atomic_load_explicit(&file->packs, memory_order_acquire);
    if (before == LEVEL_NONE && is_good(found->verdict) && kiln_file_is_packed(file, member))
        packs->slots[member].layout = found->layout;
    atomic_store_explicit(&file->verdicts[member],
                          found->verdict > before ? found->verdict : before, memory_order_release);
}

static void publish(kiln_file *file, const check *c, uint8_t before, const finding *found)
{
    pthread_mutex_lock(&file->lock);
    state(file, c->member, before, found);
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
    uint8_t before = LEVEL_NONE;
    finding found;
    fetch_ahead(file, member);
    kiln_status status = check_now(file, &c, &found, reterr);
    atomic_compare_exchange_strong_explicit(&file->verdicts[member], &before, found.verdict,
                                            memory_order_release, memory_order_relaxed);
    return status;
}

/* What is left to be checked of a blob whose member is known well enough. */
static kiln_file_level known_level(kiln_file_level level)
{
    return level < LEVEL_HASH ? level : LEVEL_HASH;
}

static kiln_status check_asset(kiln_file *file, uint32_t number, kiln_file_level level,
                               const kiln_file_refs *refs, bool keep, kiln_error *reterr)
{
    uint32_t member = kiln_index_asset_at(file->index, number)->member;
    uint8_t now = atomic_load_explicit(&file->verdicts[member], memory_order_acquire);
    if (now == LEVEL_NONE && level == LEVEL_HASH && !refs && !kiln_file_is_packed(file, member))
        return check_hash(file, number, member, reterr);
    now &= (uint8_t) ~(unsigned)VERDICT_BUSY;
    if (!refs && now >= level && now < VERDICT_BAD && !lacks_blob(file, member, keep))
        return compare_known(file, number, reterr);

    check c;
    kiln_status status = prepare(file, number, level, refs, &c, reterr);
    if (status != KILN_OK)
        return status;
    c.keep = keep;
    uint8_t before = LEVEL_NONE;
    if (claim(file, &c, &before)) {
        finding found;
        if (!refs && before >= level)
            c.level = known_level(level);
        status = check_now(file, &c, &found, reterr);
        publish(file, &c, before, &found);
        return status;
    }
    return before >= VERDICT_BAD ? repeat_failure(file, &c, before, reterr)
                                 : compare_known(file, number, reterr);
}

kiln_status kiln_file_check_asset(kiln_file *file, uint32_t number, kiln_file_level level,
                                  const kiln_file_refs *refs, kiln_error *reterr)
{
    return check_asset(file, number, level, refs, false, reterr);
}

kiln_status kiln_file_prepare_asset(kiln_file *file, uint32_t number, kiln_file_level level,
                                    kiln_error *reterr)
{
    return check_asset(file, number, level, NULL, true, reterr);
}

/* A check that nobody waits for says what it found, but where another is under way. */
static void tell(kiln_file *file, uint32_t member, const finding *found)
{
    pthread_mutex_lock(&file->lock);
    uint8_t now = atomic_load_explicit(&file->verdicts[member], memory_order_relaxed);
    if (now < VERDICT_BAD)
        state(file, member, now, found);
    pthread_mutex_unlock(&file->lock);
}

kiln_status kiln_file_unpack(kiln_file *file, uint32_t number, kiln_file_level level,
                             const kiln_allocator *allocator, kiln_unpacked *ret_unpacked,
                             kiln_error *reterr)
{
    uint32_t member = kiln_index_asset_at(file->index, number)->member;
    if (!kiln_file_is_packed(file, member))
        return kiln_fail(reterr, KILN_BAD_ARGUMENT, 0, NULL);
    uint8_t now = atomic_load_explicit(&file->verdicts[member], memory_order_acquire) &
                  (uint8_t) ~(unsigned)VERDICT_BUSY;
    bool is_known = now >= level && now < VERDICT_BAD;
    check c;
    kiln_status status =
        prepare(file, number, is_known ? known_level(level) : level, NULL, &c, reterr);
    if (status != KILN_OK)
        return status;
    if (now >= VERDICT_BAD)
        return repeat_failure(file, &c, now, reterr);
    kiln_unpacked made = {NULL, 0};
    finding found;
    status = kiln_index_check_place(&file->frame, member, reterr);
    if (status == KILN_OK)
        status =
            kiln_file_decompress(file, member, c.level >= LEVEL_HASH, allocator, &made, reterr);
    if (status == KILN_OK)
        status = check_blob(file, &c, made.blob, &found, reterr);
    else
        found = finding_of(status, c.level, 0);
    tell(file, member, &found);
    if (status == KILN_OK)
        *ret_unpacked = made;
    else if (made.blob)
        allocator->free(allocator->ctx, made.blob, made.size);
    return status;
}
