/* Checks one member as the type of one asset.
 *
 * The steps are: the member's record in the index, decompression if needed, the header, the layout,
 * and then the values. `level` determines the last step. A check changes only caches, so callers
 * may repeat it or run it in several threads. */
#define _POSIX_C_SOURCE 200809L

#include "file_check.h"

#include "file_header.h"
#include "file_table.h"
#include "file_unpack.h"

#include <kiln/verify.h>

static const kiln_index_type *type_of(const kiln_file *file, uint32_t number)
{
    return kiln_index_type_at(file->index, kiln_index_asset_at(file->index, number)->type);
}

/* The struct in `types` with the name and layout that the index states. */
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

kiln_status kiln_member_check_init(kiln_file *file, uint32_t number, kiln_file_level level,
                                   const kiln_file_refs *refs, member_check *ret_check,
                                   kiln_error *reterr)
{
    member_check made = {.asset = number,
                         .member = kiln_index_asset_at(file->index, number)->member,
                         .level = level,
                         .types = file->program_types,
                         .refs = refs};
    const kiln_index_type *type = type_of(file, number);
    /* LEVEL_VALUES checks against the file's types, LEVEL_TRUSTED against the program's. */
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

static kiln_status check_values(kiln_file *file, const member_check *c, const unsigned char *blob,
                                kiln_error *reterr)
{
    const kiln_index_member *member = kiln_index_member_at(file->index, c->member);
    kiln_verify_def def = kiln_verify_def_default();
    def.types = c->types;
    def.type = c->type;
    def.allocator = &file->allocator;
    def.check_canonical = false; /* reading is safe without it */
    if (c->refs) {
        def.on_ref = c->refs->on_ref;
        def.on_ref_ctx = c->refs->ctx;
    }
    kiln_status status = kiln_verify(&def, blob, (size_t)member->size, reterr);
    if (status != KILN_OK)
        kiln_file_shift_error(reterr, member->place);
    return status;
}

kiln_status kiln_member_compare_layout(const kiln_file *file, uint32_t number, uint64_t layout,
                                       kiln_error *reterr)
{
    const kiln_index_asset *asset = kiln_index_asset_at(file->index, number);
    uint64_t place = kiln_index_member_at(file->index, asset->member)->place;
    if (layout != type_of(file, number)->layout)
        return kiln_fail(reterr, KILN_H_LAYOUT, place + offsetof(kiln_blob_header, layout), NULL);
    return KILN_OK;
}

/* Running out of memory says nothing about the bytes, so the verdict stays unchanged. */
static member_finding finding_of(kiln_status status, kiln_file_level level, uint64_t layout)
{
    member_finding found = {LEVEL_NONE, layout};
    if (status == KILN_OK)
        found.verdict = (kiln_verdict)level;
    else if (status != KILN_NO_MEMORY)
        found.verdict = (kiln_verdict)(VERDICT_BAD + (unsigned)status);
    return found;
}

/* Checks a blob of the member, wherever it is stored. If the asset claims a different layout from
 * the blob's, that is an error in the asset, not in the member. */
static kiln_status check_blob(kiln_file *file, const member_check *c, const unsigned char *blob,
                              member_finding *ret_found, kiln_error *reterr)
{
    const kiln_index_member *member = kiln_index_member_at(file->index, c->member);
    kiln_status status =
        kiln_file_check_blob_header(member, blob, KILN_BLOB_ASSET, c->level == LEVEL_HASH, reterr);
    if (status != KILN_OK) {
        *ret_found = finding_of(status, c->level, 0);
        return status;
    }
    uint64_t layout = kiln_blob_layout(blob);
    status = kiln_member_compare_layout(file, c->asset, layout, reterr);
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

/* Decides what happens to a blob that was decompressed for a check: the caller gets it, the file
 * caches it, or it is freed. */
static void dispose_of_blob(kiln_file *file, const member_check *c, kiln_status status,
                            kiln_verdict verdict, kiln_unpacked made)
{
    const kiln_allocator *a = c->give ? c->allocator : &file->allocator;
    if (c->give && status == KILN_OK) {
        *c->give = made;
    } else if (c->keep && kiln_verdict_is_good(verdict)) {
        kiln_file_packs *packs = atomic_load_explicit(&file->packs, memory_order_acquire);
        atomic_store_explicit(&kiln_file_slot_of(file, packs, c->member)->blob, made.blob,
                              memory_order_release);
    } else {
        a->free(a->ctx, made.blob, made.size);
    }
}

/* check_blob for a compressed member, whose blob may already be cached. */
static kiln_status check_packed(kiln_file *file, const member_check *c, member_finding *ret_found,
                                kiln_error *reterr)
{
    const unsigned char *cached = c->give ? NULL : kiln_file_blob(file, c->member);
    bool check_stored = c->level >= LEVEL_HASH;
    kiln_unpacked made = {NULL, 0};
    kiln_status status = KILN_OK;
    if (!cached)
        status = kiln_file_decompress(file, c->member, check_stored,
                                      c->give ? c->allocator : &file->allocator, &made, reterr);
    else if (check_stored)
        status = kiln_index_check_stored(file->index, c->member, file->source.data, reterr);
    if (status != KILN_OK) {
        *ret_found = finding_of(status, c->level, 0);
        return status;
    }
    status = check_blob(file, c, cached ? cached : made.blob, ret_found, reterr);
    if (!cached)
        dispose_of_blob(file, c, status, ret_found->verdict, made);
    return status;
}

kiln_status kiln_member_check_run(kiln_file *file, const member_check *c, member_finding *ret_found,
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
