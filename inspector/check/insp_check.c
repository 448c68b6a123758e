/* Checks a whole file and reports every violation, except those that may follow from an earlier
 * one.
 *
 * The order for a file is: the index, the types, each member, the scenes, the payloads, the cluster
 * plan, the redirects. The order for a member is: the gap before it, place and decompression,
 * header, hash, types of its assets, values, and the comparison of its references with the edges of
 * the index. Members are checked in the order of the file, and all checks of a member follow one
 * another, so that its bytes are read from memory only once. A failed step ends the checks of a
 * member, because later steps would misread its bytes. A wrong hash is the exception: the values
 * are still checked, because a broken value is more useful to report. */
#include "insp_check.h"

#include "insp_divide.h"
#include "insp_memory.h"
#include "insp_payload.h"
#include "insp_payload_check.h"
#include "insp_plan_check.h"
#include "insp_redirects_check.h"
#include "insp_scene.h"
#include "insp_scene_check.h"
#include "insp_unpack.h"

#include <kiln/canonical.h>
#include <kiln/compression.h>
#include <kiln/verify.h>
#include <stdlib.h>
#include <string.h>

/* The references in a member, each once. */
typedef struct reference {
    uint64_t id, offset;
} reference;

typedef struct reference_list {
    reference *items;
    size_t count, capacity;
    bool failed;
} reference_list;

static void add_reference(void *ctx, kiln_id id, uint64_t offset)
{
    reference_list *list = ctx;
    reference *grown =
        insp_grow(list->items, &list->capacity, list->count + 1, sizeof *list->items);
    if (!grown) {
        list->failed = true;
        return;
    }
    list->items = grown;
    list->items[list->count++] = (reference){id, offset};
}

static int compare_references(const void *a, const void *b)
{
    const reference *left = a, *right = b;
    if (left->id != right->id)
        return left->id < right->id ? -1 : 1;
    return (left->offset > right->offset) - (left->offset < right->offset);
}

static void sort_references(reference_list *list)
{
    size_t i, kept = 0;
    if (!list->count)
        return;
    /* Of equal references, keep the one with the smallest offset, which is reported. */
    qsort(list->items, list->count, sizeof *list->items, compare_references);
    for (i = 0; i < list->count; i++)
        if (i == 0 || list->items[i].id != list->items[kept - 1].id)
            list->items[kept++] = list->items[i];
    list->count = kept;
}

static uint64_t place_of(const insp_file *file, uint32_t member)
{
    const insp_member *at = insp_member_at(file, member);
    return at ? at->place : 0;
}

static const insp_asset *first_asset(const insp_check *check, uint32_t member)
{
    return check->asset ? check->asset : insp_member_asset(check->file, member);
}

static const insp_asset *next_asset(const insp_check *check, const insp_asset *asset)
{
    return check->asset ? NULL : insp_asset_next(check->file, asset);
}

/* Checks I15 for one asset of the member. Sets `*ret_found` if all references have edges. */
static kiln_status check_edges_exist(insp_check *check, uint32_t member, const insp_asset *asset,
                                     const reference_list *list, bool *ret_found)
{
    const insp_file *file = check->file;
    size_t k;
    *ret_found = true;
    for (k = 0; k < list->count; k++) {
        kiln_error error = {.offset = list->items[k].offset};
        if (kiln_index_has_edge(check->index, asset->number, list->items[k].id))
            continue;
        *ret_found = false;
        return insp_add_finding(check, "member", member, KILN_I_REFS, &error,
                                place_of(file, member));
    }
    return KILN_OK;
}

/* Checks I15 and I21 for every asset of this member. Both checks stop at the first violation, so
 * the steps for an asset are limited by the number of its edges. Apart from binary searches, the
 * work is therefore linear in the index, even if many assets share the member. */
static kiln_status check_references(insp_check *check, uint32_t member, const reference_list *list)
{
    const insp_file *file = check->file;
    kiln_status status = KILN_OK, found;
    kiln_id *ids;
    const insp_asset *asset = first_asset(check, member);
    size_t k;
    if (!check->index)
        return KILN_OK;
    ids = insp_alloc_array(list->count + 1, sizeof *ids);
    if (!ids)
        return KILN_NO_MEMORY;
    for (k = 0; k < list->count; k++)
        ids[k] = list->items[k].id;
    for (; asset && !status; asset = next_asset(check, asset)) {
        kiln_error error = {.status = KILN_OK};
        bool all_found;
        status = check_edges_exist(check, member, asset, list, &all_found);
        if (status || !all_found)
            break;
        found = kiln_index_check_edges_used(check->index, file->data, asset->number,
                                            (kiln_id_span){ids, list->count}, &error);
        status = insp_add_finding(check, "index", KILN_ASSET_NONE, found, &error, 0);
    }
    insp_free(ids);
    return status;
}

/* The type of a member's value, and the type list that contains it. */
typedef struct value_type {
    const kiln_types *types;
    uint32_t number; /* KILN_TYPE_NONE: unknown */
} value_type;

/* If the file does not describe a type of FORMAT.md, uses the built-in one. */
static value_type type_of(const insp_file *file, const insp_asset *asset)
{
    value_type type = {file->types, insp_asset_type(file, asset)};
    if (type.number == KILN_TYPE_NONE) {
        type.types = file->builtin;
        type.number = insp_builtin_type(file, asset);
    }
    return type;
}

/* Checks the values in the blob of a member. */
static kiln_status check_values(insp_check *check, uint32_t member, const value_type *type,
                                const unsigned char *blob, uint64_t size, bool hash_checked)
{
    reference_list list = {0};
    kiln_verify_def def = kiln_verify_def_default();
    kiln_error error = {.status = KILN_OK};
    kiln_status status;
    def.types = type->types;
    def.type = type->number;
    def.allocator = check->allocator ? check->allocator : insp_allocator();
    def.skip_hash = hash_checked;
    def.check_canonical = !check->skip_canonical;
    def.on_ref = add_reference;
    def.on_ref_ctx = &list;
    status = kiln_verify(&def, blob, (size_t)size, &error);
    if (list.failed)
        status = KILN_NO_MEMORY;
    if (status) {
        status = insp_add_finding(check, "member", member, status, &error,
                                  place_of(check->file, member));
    } else {
        sort_references(&list);
        status = check_references(check, member, &list);
    }
    insp_free(list.items);
    return status;
}

/* Checks H9 for a blob with a wrong hash, where kiln_header_check_hash stops before H9. */
static kiln_status check_gap(insp_check *check, const char *part, uint32_t member,
                             const unsigned char *blob, const kiln_blob_header *header,
                             uint64_t base)
{
    uint32_t at = KILN_HEADER_SIZE, end = kiln_header_payload_at(header);
    kiln_error error = {.status = KILN_OK};
    while (at < end && !blob[at])
        at++;
    error.offset = at;
    return insp_add_finding(check, part, member, at < end ? KILN_H_GAP : KILN_OK, &error, base);
}

/* Checks H8 and H9 for a blob at `base` with a valid header. */
static kiln_status check_hash(insp_check *check, const char *part, uint32_t member,
                              const unsigned char *blob, const kiln_blob_header *header,
                              uint64_t base)
{
    kiln_error error = {.status = KILN_OK};
    kiln_status found = kiln_header_check_hash(blob, header, &error);
    kiln_status status = insp_add_finding(check, part, member, found, &error, base);
    if (!status && found == KILN_H_HASH)
        status = check_gap(check, part, member, blob, header, base);
    return status;
}

/* Checks the header and hashes of a member, and compares them with the index if that is valid. Sets
 * `*ret_usable` if its values can be checked. */
static kiln_status check_header(insp_check *check, const char *part, uint32_t member,
                                const unsigned char *blob, uint64_t size, bool *ret_usable)
{
    const insp_file *file = check->file;
    uint64_t place = place_of(file, member);
    kiln_error error = {.status = KILN_OK};
    kiln_blob_header header;
    kiln_status found = kiln_header_read(blob, (size_t)size, &header, &error), status = KILN_OK;
    *ret_usable = false;
    if (found)
        return insp_add_finding(check, part, member, found, &error, place);
    found = KILN_H_HASH;
    if (check->index) {
        /* check_hash below reports H8 and H9. After a wrong content hash (I_CONTENT), the values
         * are still checked, because the hash does not show what is broken. */
        found = kiln_index_check_blob(check->index, member, blob, true, &error);
        if (found && found != KILN_H_HASH && found != KILN_H_GAP) {
            status = insp_add_finding(check, part, member, found, &error, 0);
            if (status || found != KILN_I_CONTENT)
                return status;
        }
    }
    *ret_usable = true;
    /* KILN_OK means that the hash of the header is right, too. */
    return found ? check_hash(check, part, member, blob, &header, place) : KILN_OK;
}

/* Finds the blob of a member, and decompresses it if necessary; NULL if there is no blob. The hash
 * of the stored bytes is checked first, but a wrong hash does not stop the check. */
static kiln_status find_blob(insp_check *check, const char *part, uint32_t member,
                             const unsigned char **ret_blob, uint64_t *ret_size)
{
    const insp_file *file = check->file;
    const insp_member *at = insp_member_at(file, member);
    kiln_error error = {.status = KILN_OK};
    kiln_status found, status;
    *ret_blob = NULL;
    if (!at)
        return KILN_OK;
    if (check->index && at->compression != KILN_COMPRESSION_NONE) {
        found = kiln_index_check_stored(check->index, member, file->data, &error);
        status = insp_add_finding(check, part, member, found, &error, 0);
        if (status)
            return status;
    }
    /* The index may be broken, so insp_file_blob checks place and sizes again. */
    found = insp_file_blob(file, member, ret_blob, ret_size);
    if (!found)
        return KILN_OK;
    *ret_blob = NULL;
    error.offset = at->place;
    return insp_add_finding(check, part, member, found, &error, 0);
}

/* Checks H11 and H10 for each asset of the member against the types of the index. Reports the first
 * violation and sets `*ret_usable` to false. */
static kiln_status check_assets(insp_check *check, uint32_t member, const kiln_blob_header *header,
                                bool *ret_usable)
{
    const insp_file *file = check->file;
    const insp_asset *asset = first_asset(check, member);
    for (; check->index && asset; asset = next_asset(check, asset)) {
        const insp_type_name *type = insp_type_name_at(file, asset->type_name);
        bool is_asset = kiln_header_kind(header) == KILN_BLOB_ASSET;
        kiln_error error = {.offset = is_asset ? offsetof(kiln_blob_header, layout)
                                               : offsetof(kiln_blob_header, flags)};
        if (is_asset && (!type || type->layout == header->layout))
            continue;
        *ret_usable = false;
        return insp_add_asset_finding(check, asset, is_asset ? KILN_H_LAYOUT : KILN_H_KIND, &error,
                                      place_of(file, member));
    }
    return KILN_OK;
}

/* Checks I18 for a dictionary, even if no member uses it. */
static kiln_status check_dictionary(insp_check *check, const char *part, uint32_t member,
                                    const unsigned char *blob, uint64_t size, uint64_t base)
{
    kiln_error error = {.status = KILN_OK};
    kiln_dictionary *digested = NULL;
    uint64_t at, payload_size;
    kiln_blob_header header;
    kiln_status found = KILN_OK;
    if (insp_blob_payload(blob, size, &header, &at, &payload_size))
        found =
            kiln_dictionary_create(insp_allocator(), blob + at, (size_t)payload_size, &digested);
    kiln_dictionary_destroy(digested);
    return insp_add_finding(check, part, member, found, &error, base);
}

static kiln_status check_member(insp_check *check, uint32_t member)
{
    const insp_file *file = check->file;
    bool is_table = member == file->table_member;
    const char *part = is_table ? "type table" : "member";
    const insp_asset *asset = first_asset(check, member);
    const unsigned char *blob;
    kiln_blob_header header;
    uint64_t size;
    value_type type;
    bool is_usable;
    const insp_member *at = insp_member_at(file, member);
    kiln_status status;
    if (at && insp_member_is_payload(at))
        return KILN_OK; /* insp_check_payloads checks it */
    status = find_blob(check, part, member, &blob, &size);
    if (status || !blob)
        return status;
    status = check_header(check, part, member, blob, size, &is_usable);
    if (status || !is_usable)
        return status;
    memcpy(&header, blob, sizeof header); /* in a broken file, a member may be unaligned */
    status = check_assets(check, member, &header, &is_usable);
    if (status || !is_usable)
        return status;
    if (is_table)
        return insp_add_finding(check, part, member, file->types_error.status, &file->types_error,
                                place_of(file, member));
    if (kiln_header_kind(&header) == KILN_BLOB_DICTIONARY)
        return check_dictionary(check, part, member, blob, size, place_of(file, member));
    if (!asset)
        return KILN_OK;
    /* The first asset determines the type. If the index is valid, check_assets has verified that
     * all assets of the member have the layout in its header. */
    type = type_of(file, asset);
    if (type.number == KILN_TYPE_NONE) {
        check->untyped++;
        return KILN_OK;
    }
    return check_values(check, member, &type, blob, size, true);
}

kiln_status insp_check_member(insp_check *check, uint32_t member)
{
    check->index = check->file->index;
    check->asset = NULL;
    return check_member(check, member);
}

/* Checks I3 and I5, which concern the asset's entry in an index with a valid frame. */
static kiln_status check_entry(const insp_file *file, const insp_asset *asset, kiln_error *reterr)
{
    const kiln_index_asset *entry = kiln_index_asset_at(file->frame.index, asset->number);
    uint64_t at = (uint64_t)((const unsigned char *)entry - file->data);
    if (!kiln_index_asset_name(&file->frame, asset->number))
        return kiln_fail(reterr, KILN_I_NAME, at, "assets");
    if (asset->member >= file->member_count || asset->type_name >= file->type_name_count)
        return kiln_fail(reterr, KILN_I_NUMBER, at, "assets");
    return KILN_OK;
}

kiln_status insp_check_entries(insp_check *check, const insp_asset *asset)
{
    const insp_file *file = check->file;
    const insp_member *member = insp_asset_member(file, asset);
    kiln_error error = {.status = KILN_OK};
    kiln_status found = KILN_OK;
    check->index = file->index;
    check->asset = NULL;
    if (file->index || !file->frame.index)
        return KILN_OK;
    found = check_entry(file, asset, &error);
    if (!found && !insp_member_is_payload(member))
        found = kiln_index_check_place(&file->frame, asset->member, &error);
    if (!found)
        found = kiln_index_check_edges(&file->frame, asset->number, &error);
    check->index = found ? NULL : file->frame.index;
    check->asset = asset;
    return insp_add_finding(check, "index", KILN_ASSET_NONE, found, &error, 0);
}

kiln_status insp_check_asset(insp_check *check, const insp_asset *asset)
{
    kiln_status status = insp_check_entries(check, asset);
    return status ? status : check_member(check, asset->member);
}

/* Checks a file that is a single blob. */
static kiln_status check_lone_blob(insp_check *check)
{
    const insp_file *file = check->file;
    kiln_error error = file->header_error;
    kiln_status status = error.status;
    if (!status && kiln_header_blob_size(&file->header) != file->size) {
        status = KILN_H_TRAILING;
        error.offset = kiln_header_blob_size(&file->header);
    }
    if (status)
        return insp_add_finding(check, "blob", KILN_ASSET_NONE, status, &error, 0);
    status = check_hash(check, "blob", KILN_ASSET_NONE, file->data, &file->header, 0);
    if (status || check->findings)
        return status;
    if (kiln_header_kind(&file->header) == KILN_BLOB_TYPE_TABLE)
        return insp_add_finding(check, "type table", KILN_ASSET_NONE, file->types_error.status,
                                &file->types_error, 0);
    if (kiln_header_kind(&file->header) == KILN_BLOB_DICTIONARY)
        return check_dictionary(check, "blob", KILN_ASSET_NONE, file->data, file->size, 0);
    check->untyped = kiln_header_kind(&file->header) == KILN_BLOB_ASSET;
    return KILN_OK;
}

/* Checks I8 for the bytes between a member and the one before it, in a valid index. */
static kiln_status check_gap_before(insp_check *check, uint32_t member)
{
    const insp_file *file = check->file;
    const insp_member *before = member > 0 ? insp_member_at(file, member - 1) : NULL;
    uint64_t at =
        before ? before->place + before->stored_size : kiln_header_blob_size(&file->header);
    uint64_t end = place_of(file, member);
    kiln_error error = {.status = KILN_OK};
    while (at < end && !file->data[at])
        at++;
    error.offset = at;
    return insp_add_finding(check, "file", KILN_ASSET_NONE, at < end ? KILN_I_GAP : KILN_OK, &error,
                            0);
}

static kiln_status check_member_in_order(insp_check *check, uint32_t member)
{
    kiln_status status = check->file->index ? check_gap_before(check, member) : KILN_OK;
    return status ? status : insp_check_member(check, member);
}

/* Checks rules that do not concern one member: the index, the layouts of types. */
static kiln_status check_index(insp_check *check)
{
    const insp_file *file = check->file;
    kiln_error error = {.status = KILN_OK};
    kiln_status status = KILN_OK;
    if (!file->index) {
        status = insp_add_finding(check, "index", KILN_ASSET_NONE, file->index_error.status,
                                  &file->index_error, 0);
        if (!status && file->index_error.status == KILN_H_HASH)
            status = check_gap(check, "index", KILN_ASSET_NONE, file->data, &file->header, 0);
        return status;
    }
    if (!check->skip_canonical && file->header.flags & KILN_FLAG_CANONICAL) {
        status = kiln_canonical_check(
            &(kiln_canonical_args){
                .types = file->builtin,
                .type = kiln_types_find(file->builtin, "kiln.Index"),
                .blob = {file->data, (size_t)kiln_header_blob_size(&file->header)},
                .allocator = insp_allocator()},
            &error);
        status = insp_add_finding(check, "index", KILN_ASSET_NONE, status, &error, 0);
    }
    if (!status && file->types) {
        status = kiln_index_check_types(file->index, file->types, &error);
        status = insp_add_finding(check, "index", KILN_ASSET_NONE, status, &error, 0);
    }
    return status;
}

kiln_status insp_check_file(insp_check *check)
{
    static const insp_division division = {check_index, check_member_in_order};
    const insp_file *file = check->file;
    kiln_status status;
    check->index = file->index;
    check->asset = NULL;
    if (!file->has_header || kiln_header_kind(&file->header) != KILN_BLOB_INDEX)
        return check_lone_blob(check);
    status = insp_divide(check, &division);
    if (!status)
        status = insp_check_scenes(check);
    if (!status)
        status = insp_check_payloads(check);
    if (!status)
        status = insp_check_plan(check);
    return status ? status : insp_check_redirects(check);
}
