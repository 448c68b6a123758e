/* Decompression for an open file: dictionaries, contexts and blobs.
 *
 * All three are created on first use and shared by all threads. Dictionaries are digested under
 * `table_lock`, once each. Contexts are taken and returned by atomic exchange: a context is used by
 * one thread at a time, and no thread waits for one. */
#define _POSIX_C_SOURCE 200809L

#include "file_unpack.h"

#include "file_header.h"

#include <kiln/compression.h>
#include <string.h>

/* Checks I6 among the compressed members. The member's size in the file bounds the memory of its
 * blob. But the size of the file bounds the memory of all blobs only if members do not overlap. */
static kiln_status check_apart(const kiln_file *file, kiln_error *reterr)
{
    uint64_t end = 0;
    for (uint32_t i = 0; i < file->index->members.count; i++) {
        const kiln_index_member *member = kiln_index_member_at(file->index, i);
        if (!kiln_file_is_packed(file, i))
            continue;
        kiln_status status = kiln_index_check_place(&file->frame, i, reterr);
        if (status != KILN_OK)
            return status;
        if (member->place < end)
            return kiln_fail(reterr, KILN_I_PLACE,
                             (uint64_t)((const unsigned char *)&member->place - file->source.data),
                             NULL);
        end = member->place + member->stored_size;
    }
    return KILN_OK;
}

static kiln_status make_packs(const kiln_file *file, kiln_file_packs **ret_packs,
                              kiln_error *reterr)
{
    kiln_status status = check_apart(file, reterr);
    if (status != KILN_OK)
        return status;
    const kiln_index *index = file->index;
    size_t slots = sizeof(kiln_file_packs) + index->members.count * sizeof(kiln_file_slot);
    size_t bytes = slots + index->dictionaries.count * sizeof(kiln_file_dictionary);
    kiln_file_packs *packs =
        file->allocator.alloc(file->allocator.ctx, bytes, _Alignof(kiln_file_packs));
    if (!packs)
        return kiln_fail(reterr, KILN_NO_MEMORY, 0, NULL);
    memset(packs, 0, bytes);
    packs->bytes = bytes;
    packs->dictionaries = (void *)((unsigned char *)packs + slots);
    *ret_packs = packs;
    return KILN_OK;
}

_Static_assert(sizeof(kiln_file_slot) % _Alignof(kiln_file_dictionary) == 0 &&
                   sizeof(kiln_file_packs) % _Alignof(kiln_file_dictionary) == 0,
               "dictionaries must be aligned after the slots");

/* Returns `packs`, which the first call creates. */
static kiln_status get_packs(kiln_file *file, kiln_file_packs **ret_packs, kiln_error *reterr)
{
    kiln_file_packs *packs = atomic_load_explicit(&file->packs, memory_order_acquire);
    if (packs) {
        *ret_packs = packs;
        return KILN_OK;
    }
    pthread_mutex_lock(&file->table_lock);
    kiln_error error = file->packs_error;
    /* Another thread may have made them while this one waited. */
    packs = atomic_load_explicit(&file->packs, memory_order_relaxed);
    if (!packs && error.status == KILN_OK) {
        kiln_status status = make_packs(file, &packs, &error);
        if (status == KILN_OK)
            atomic_store_explicit(&file->packs, packs, memory_order_release);
        else if (status != KILN_NO_MEMORY)
            file->packs_error = error;
    }
    pthread_mutex_unlock(&file->table_lock);
    if (!packs)
        return kiln_fail(reterr, error.status, error.offset, error.path);
    *ret_packs = packs;
    return KILN_OK;
}

void kiln_file_packs_fini(kiln_file *file)
{
    kiln_file_packs *packs = atomic_load_explicit(&file->packs, memory_order_acquire);
    const kiln_allocator *a = &file->allocator;
    if (!packs)
        return;
    for (uint32_t i = 0; i < file->index->members.count; i++) {
        unsigned char *blob = atomic_load_explicit(&packs->slots[i].blob, memory_order_acquire);
        if (blob)
            a->free(a->ctx, blob, (size_t)kiln_index_member_at(file->index, i)->size);
    }
    for (uint32_t i = 0; i < file->index->dictionaries.count; i++)
        kiln_dictionary_destroy(
            atomic_load_explicit(&packs->dictionaries[i].digested, memory_order_acquire));
    for (int i = 0; i < FILE_CONTEXTS; i++)
        kiln_decompressor_destroy(atomic_load_explicit(&packs->contexts[i], memory_order_acquire));
    a->free(a->ctx, packs, packs->bytes);
}

/* A dictionary is stored as a separate member. Its payload is digested in place. */
static kiln_status read_dictionary(const kiln_file *file, uint32_t number,
                                   kiln_dictionary **ret_dictionary, kiln_error *reterr)
{
    const kiln_array *list = &file->index->dictionaries;
    const uint32_t *members = kiln_relative_get(list, list->offset);
    uint32_t at = members[number];
    if (at >= file->index->members.count)
        return kiln_fail(reterr, KILN_I_NUMBER,
                         (uint64_t)((const unsigned char *)&members[number] - file->source.data),
                         NULL);
    const kiln_index_member *member = kiln_index_member_at(file->index, at);
    kiln_status status = kiln_file_check_header(file, at, KILN_BLOB_DICTIONARY, true, reterr);
    if (status != KILN_OK)
        return status;
    uint32_t payload_at = kiln_file_payload_at(member);
    status =
        kiln_dictionary_create(&file->allocator, kiln_file_member_bytes(file, member) + payload_at,
                               (size_t)member->size - payload_at, ret_dictionary);
    uint64_t place = status == KILN_NO_MEMORY ? 0 : member->place;
    return status == KILN_OK ? status : kiln_fail(reterr, status, place, NULL);
}

static kiln_status get_dictionary(kiln_file *file, kiln_file_packs *packs, uint32_t number,
                                  const kiln_dictionary **ret_digested, kiln_error *reterr)
{
    kiln_file_dictionary *dictionary = kiln_file_dictionary_at(file, packs, number);
    if (!dictionary)
        return kiln_fail(reterr, KILN_I_COMPRESSION, 0, NULL);
    kiln_dictionary *digested = atomic_load_explicit(&dictionary->digested, memory_order_acquire);
    if (digested) {
        *ret_digested = digested;
        return KILN_OK;
    }
    pthread_mutex_lock(&file->table_lock);
    kiln_error error = dictionary->failure;
    digested = atomic_load_explicit(&dictionary->digested, memory_order_relaxed);
    if (!digested && error.status == KILN_OK) {
        kiln_status status = read_dictionary(file, number, &digested, &error);
        if (status == KILN_OK)
            atomic_store_explicit(&dictionary->digested, digested, memory_order_release);
        else if (status != KILN_NO_MEMORY)
            dictionary->failure = error;
    }
    pthread_mutex_unlock(&file->table_lock);
    if (!digested)
        return kiln_fail(reterr, error.status, error.offset, error.path);
    *ret_digested = digested;
    return KILN_OK;
}

kiln_status kiln_file_check_dictionary(kiln_file *file, uint32_t number, kiln_error *reterr)
{
    kiln_file_packs *packs;
    const kiln_dictionary *digested;
    kiln_status status = get_packs(file, &packs, reterr);
    return status ? status : get_dictionary(file, packs, number, &digested, reterr);
}

/* Contexts are interchangeable, so their number is at most the number of threads that decompressed
 * at the same time. */
static kiln_decompressor *take_context(const kiln_file *file, kiln_file_packs *packs)
{
    kiln_decompressor *context = NULL;
    for (int i = 0; i < FILE_CONTEXTS && !context; i++)
        if (atomic_load_explicit(&packs->contexts[i], memory_order_relaxed))
            context = atomic_exchange_explicit(&packs->contexts[i], NULL, memory_order_acquire);
    if (!context && kiln_decompressor_create(&file->allocator, &context) != KILN_OK)
        return NULL;
    return context;
}

/* If no slot is free, the context is destroyed. */
static void return_context(kiln_file_packs *packs, kiln_decompressor *context)
{
    for (int i = 0; i < FILE_CONTEXTS; i++) {
        kiln_decompressor *none = NULL;
        if (atomic_compare_exchange_strong_explicit(&packs->contexts[i], &none, context,
                                                    memory_order_release, memory_order_relaxed))
            return;
    }
    kiln_decompressor_destroy(context);
}

kiln_status kiln_file_take_context(kiln_file *file, kiln_decompressor **ret_context,
                                   kiln_error *reterr)
{
    kiln_file_packs *packs;
    kiln_status status = get_packs(file, &packs, reterr);
    if (status != KILN_OK)
        return status;
    *ret_context = take_context(file, packs);
    return *ret_context ? KILN_OK : kiln_fail(reterr, KILN_NO_MEMORY, 0, NULL);
}

void kiln_file_return_context(kiln_file *file, kiln_decompressor *context)
{
    return_context(atomic_load_explicit(&file->packs, memory_order_acquire), context);
}

static kiln_status decompress(kiln_file *file, kiln_file_packs *packs,
                              const kiln_index_member *member, unsigned char *blob,
                              kiln_error *reterr)
{
    const kiln_dictionary *dictionary = NULL;
    kiln_status status = KILN_OK;
    if (member->dictionary)
        status = get_dictionary(file, packs, member->dictionary - 1, &dictionary, reterr);
    if (status != KILN_OK)
        return status;
    kiln_decompressor *context = take_context(file, packs);
    if (!context)
        return kiln_fail(reterr, KILN_NO_MEMORY, 0, NULL);
    status = kiln_decompress(
        context, dictionary,
        (kiln_span){kiln_file_member_bytes(file, member), (size_t)member->stored_size}, blob,
        (size_t)member->size);
    return_context(packs, context);
    return status == KILN_OK ? status : kiln_fail(reterr, status, member->place, NULL);
}

kiln_status kiln_file_decompress(kiln_file *file, uint32_t number, bool check_stored,
                                 const kiln_allocator *allocator, kiln_unpacked *ret_unpacked,
                                 kiln_error *reterr)
{
    const kiln_index_member *member = kiln_index_member_at(file->index, number);
    kiln_file_packs *packs;
    kiln_status status = get_packs(file, &packs, reterr);
    if (status == KILN_OK && check_stored)
        status = kiln_index_check_stored(file->index, number, file->source.data, reterr);
    if (status != KILN_OK)
        return status;
    kiln_unpacked made = {NULL, (size_t)member->size};
    made.blob = allocator->alloc(allocator->ctx, made.size, (size_t)1 << member->align_log2);
    if (!made.blob)
        return kiln_fail(reterr, KILN_NO_MEMORY, 0, NULL);
    status = decompress(file, packs, member, made.blob, reterr);
    if (status == KILN_OK)
        *ret_unpacked = made;
    else
        allocator->free(allocator->ctx, made.blob, made.size);
    return status;
}

const unsigned char *kiln_file_blob(const kiln_file *file, uint32_t number)
{
    if (!kiln_file_is_packed(file, number))
        return kiln_file_member_bytes(file, kiln_index_member_at(file->index, number));
    kiln_file_packs *packs = atomic_load_explicit(&file->packs, memory_order_acquire);
    return packs ? atomic_load_explicit(&kiln_file_slot_of(file, packs, number)->blob,
                                        memory_order_acquire)
                 : NULL;
}
