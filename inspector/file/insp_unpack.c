/* Decompression on demand, with one cached blob.
 *
 * A hostile index can state any size for a member. A blob is allocated only if its size is at most
 * KILN_COMPRESSION_RATIO times its stored size, so the memory is bounded by the file size. Each
 * dictionary is digested at most once, on first use. */
#include "insp_unpack.h"

#include "insp_memory.h"

#include <kiln/compression.h>

enum { BLOB_ALIGN = KILN_ALIGN_MAX };

/* A dictionary, digested on first use; `status` is the reason if that failed. */
typedef struct dictionary {
    uint64_t member;
    kiln_dictionary *digested;
    kiln_status status;
} dictionary;

struct insp_unpacking {
    kiln_decompressor *context; /* created on first use, like the digested dictionaries */
    dictionary *dictionaries;
    uint32_t count;
    uint32_t member; /* of the cached blob; KILN_ASSET_NONE: none */
    unsigned char *blob;
};

insp_unpacking *insp_unpacking_create(const insp_file *file, const kiln_value *dictionaries,
                                      uint32_t count)
{
    insp_unpacking *made = insp_alloc(sizeof *made, _Alignof(insp_unpacking));
    uint64_t before = 0;
    uint32_t i;
    if (!made)
        return NULL;
    made->member = KILN_ASSET_NONE;
    made->dictionaries = insp_alloc_array(count, sizeof *made->dictionaries);
    if (!made->dictionaries) {
        insp_unpacking_destroy(made);
        return NULL;
    }
    made->count = count;
    for (i = 0; i < count; i++) {
        kiln_value value = {0};
        dictionary *d = &made->dictionaries[i];
        kiln_value_at(dictionaries, i, &value);
        d->member = value.of ? kiln_value_uint(&value) : UINT64_MAX;
        /* Rejects a repeated dictionary, which would be digested again. */
        if (d->member >= file->member_count || (i > 0 && d->member <= before))
            d->status = KILN_I_NUMBER;
        before = d->member;
    }
    return made;
}

insp_unpacking *insp_unpacking_copy(const insp_unpacking *unpacking)
{
    insp_unpacking *made = insp_alloc(sizeof *made, _Alignof(insp_unpacking));
    uint32_t i;
    if (!made)
        return NULL;
    made->member = KILN_ASSET_NONE;
    made->dictionaries = insp_alloc_array(unpacking->count, sizeof *made->dictionaries);
    if (!made->dictionaries) {
        insp_unpacking_destroy(made);
        return NULL;
    }
    made->count = unpacking->count;
    for (i = 0; i < made->count; i++) {
        made->dictionaries[i].member = unpacking->dictionaries[i].member;
        made->dictionaries[i].status = unpacking->dictionaries[i].status;
    }
    return made;
}

void insp_unpacking_destroy(insp_unpacking *unpacking)
{
    uint32_t i;
    if (!unpacking)
        return;
    for (i = 0; i < unpacking->count; i++)
        kiln_dictionary_destroy(unpacking->dictionaries[i].digested);
    kiln_decompressor_destroy(unpacking->context);
    insp_free(unpacking->dictionaries);
    insp_free(unpacking->blob);
    insp_free(unpacking);
}

static kiln_status digest(const insp_file *file, dictionary *d)
{
    const unsigned char *bytes;
    uint64_t size, at, payload_size;
    kiln_blob_header header;
    const insp_member *member = insp_member_at(file, d->member);
    if (!member || !insp_file_member(file, (uint32_t)d->member, &bytes, &size))
        return KILN_I_PLACE;
    if (member->compression != KILN_COMPRESSION_NONE)
        return KILN_I_COMPRESSION;
    if (!insp_blob_payload(bytes, size, &header, &at, &payload_size))
        return size < KILN_HEADER_SIZE ? KILN_H_TRUNCATED : KILN_H_MAGIC;
    return kiln_dictionary_create(insp_allocator(), bytes + at, (size_t)payload_size, &d->digested);
}

/* Returns NULL if there is no dictionary with this number. */
static dictionary *dictionary_at(insp_unpacking *unpacking, uint32_t number)
{
    return number < unpacking->count ? &unpacking->dictionaries[number] : NULL;
}

/* Finds the dictionary of a member; NULL if it uses none. */
static kiln_status find_dictionary(const insp_file *file, const insp_member *member,
                                   const kiln_dictionary **ret_dictionary)
{
    insp_unpacking *u = file->unpacking;
    dictionary *d;
    *ret_dictionary = NULL;
    if (member->dictionary == 0)
        return KILN_OK;
    d = dictionary_at(u, member->dictionary - 1);
    if (!d)
        return KILN_I_COMPRESSION;
    if (!d->digested && d->status == KILN_OK) {
        kiln_status status = digest(file, d);
        /* A broken dictionary stays broken, so its status is stored. Running out of memory may be
         * temporary. */
        if (status == KILN_NO_MEMORY)
            return status;
        d->status = status;
    }
    *ret_dictionary = d->digested;
    return d->status;
}

static kiln_status unpack(const insp_file *file, const insp_member *member, unsigned char *blob)
{
    insp_unpacking *u = file->unpacking;
    const kiln_dictionary *digested;
    kiln_status status = find_dictionary(file, member, &digested);
    if (!status && !u->context)
        status = kiln_decompressor_create(insp_allocator(), &u->context);
    return status ? status
                  : kiln_decompress(
                        u->context, digested,
                        (kiln_span){file->data + member->place, (size_t)member->stored_size}, blob,
                        (size_t)member->size);
}

kiln_status insp_file_blob(const insp_file *file, uint32_t number, const unsigned char **ret_blob,
                           uint64_t *ret_size)
{
    insp_unpacking *u = file->unpacking;
    const insp_member *member = insp_member_at(file, number);
    kiln_status status;
    if (!member || !insp_file_member(file, number, ret_blob, ret_size))
        return KILN_I_PLACE;
    if (member->compression == KILN_COMPRESSION_NONE)
        return KILN_OK;
    if (member->compression != KILN_COMPRESSION_ZSTD || member->size <= KILN_HEADER_SIZE ||
        member->size / KILN_COMPRESSION_RATIO > member->stored_size || member->size > SIZE_MAX)
        return KILN_I_COMPRESSION;
    if (u->member != number) {
        /* Free the old blob first, so that only one is in memory. `member` is set only on success,
         * so that the cache never returns a partial blob. */
        insp_free(u->blob);
        u->member = KILN_ASSET_NONE;
        u->blob = insp_alloc_unset((size_t)member->size, BLOB_ALIGN);
        if (!u->blob)
            return KILN_NO_MEMORY;
        status = unpack(file, member, u->blob);
        if (status)
            return status;
        u->member = number;
    }
    *ret_blob = u->blob;
    *ret_size = member->size;
    return KILN_OK;
}

unsigned char *insp_file_take_blob(const insp_file *file, uint32_t member)
{
    insp_unpacking *u = file->unpacking;
    unsigned char *blob;
    if (!u || u->member != member)
        return NULL;
    /* Empty the cache, so that a second call does not return the same memory. */
    blob = u->blob;
    u->blob = NULL;
    u->member = KILN_ASSET_NONE;
    return blob;
}

kiln_status insp_asset_root(const insp_file *file, const insp_asset *asset, kiln_value *ret_value)
{
    const unsigned char *blob;
    uint64_t size, payload_at, payload_size;
    kiln_blob_header header;
    uint32_t type = insp_asset_type(file, asset);
    kiln_status status;
    if (!insp_file_member(file, asset->member, &blob, &size))
        return KILN_NOT_FOUND;
    if (type == KILN_TYPE_NONE)
        return KILN_NO_TYPES;
    status = insp_file_blob(file, asset->member, &blob, &size);
    if (status)
        return status;
    if (!insp_blob_payload(blob, size, &header, &payload_at, &payload_size))
        return size < KILN_HEADER_SIZE ? KILN_H_TRUNCATED : KILN_H_MAGIC;
    return kiln_value_root(file->types, type, blob + payload_at, (size_t)payload_size, ret_value);
}
