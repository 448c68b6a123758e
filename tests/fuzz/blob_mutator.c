/* libFuzzer's mutator for the harnesses that read bytes: most changes are to one field of the value
 * that the input holds, with hashes put right; the rest are libFuzzer's own. */
#include "blob_input.h"
#include "blob_patch.h"
#include "field_mutator.h"
#include "fuzz_target.h"
#include "test_types.h"

#include <kiln/blob_header.h>
#include <kiln/index.h>
#include <string.h>

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);

enum { INPUT_MAX = 1 << 16 };

/* Aligned as blobs ask for. */
static _Alignas(4096) unsigned char work[INPUT_MAX];

/* The root type of a blob in a file or anywhere: by the layout that its header names. */
static uint32_t type_of_layout(const kiln_types *types, uint64_t layout)
{
    for (uint32_t i = 0; i < kiln_types_count(types); i++)
        if (kiln_types_get(types, i)->layout == layout && layout)
            return i;
    return KILN_TYPE_NONE;
}

static void mutate_header(unsigned char *blob, unsigned seed)
{
    static const unsigned char places[] = {4, 5, 6, 6, 6, 7, 8, 8, 16};
    unsigned at = places[seed / 16 % sizeof places];
    blob[at] = (unsigned char)(seed & 1 ? blob[at] + seed / 256 % 5 - 2 : seed >> 8);
}

/* The blob of `size` bytes in `work`, of which `room` may be used. Returns its new size. */
static size_t mutate_blob(const kiln_types *types, uint32_t type, unsigned char *blob, size_t size,
                          size_t room, unsigned seed)
{
    kiln_blob_header header;
    if (kiln_header_read(blob, size, &header, NULL) || type == KILN_TYPE_NONE)
        return LLVMFuzzerMutate(blob, size, room);
    size_t at = kiln_header_payload_at(&header), behind = (size_t)kiln_header_blob_size(&header);
    if (seed % 64 == 0) {
        mutate_header(blob, seed);
        blob_input_rehash(blob, size);
        return size;
    }
    /* Bytes behind the blob stay, so a blob in a file may grow only where it ends the file. */
    size_t most = behind == size ? room - at : behind - at;
    size_t payload = mutate_field(types, type, blob + at, behind - at, most, seed);
    if (payload != header.payload_size && behind == size) {
        patch_number(blob + 8, payload, 8);
        size = at + payload;
    }
    if (seed % 5 == 0)
        blob[6] &= (unsigned char)~KILN_FLAG_CANONICAL;
    blob_input_rehash(blob, size);
    return size;
}

/* The stored bytes of a compressed member, their hash put right, so that they are decompressed. */
static bool mutate_stored(size_t size, uint64_t entry_at, kiln_index_member *entry)
{
    if (entry->place > size || entry->stored_size > size - entry->place)
        return false;
    unsigned char *stored = work + entry->place;
    LLVMFuzzerMutate(stored, (size_t)entry->stored_size, (size_t)entry->stored_size);
    entry->stored = kiln_content_hash(stored, (size_t)entry->stored_size);
    memcpy(work + entry_at, entry, sizeof *entry);
    blob_input_rehash(work, size);
    return true;
}

/* One member of the file, its content hash in the index put right. */
static bool mutate_member(size_t size, unsigned seed)
{
    kiln_blob_header header;
    if (kiln_header_read(work, size, &header, NULL) || header.payload_size < sizeof(kiln_index))
        return false;
    size_t at = kiln_header_payload_at(&header);
    kiln_index index;
    memcpy(&index, work + at, sizeof index);
    uint64_t list = at + offsetof(kiln_index, members) + index.members.offset;
    uint64_t entry_at =
        list + seed / 3 % (index.members.count + (uint64_t)1) * sizeof(kiln_index_member);
    kiln_index_member entry;
    if (entry_at > size || size - entry_at < sizeof entry)
        return false;
    memcpy(&entry, work + entry_at, sizeof entry);
    if (entry.compression == KILN_COMPRESSION_ZSTD)
        return mutate_stored(size, entry_at, &entry);
    if (entry.place > size || entry.size > size - entry.place || entry.place % 16 ||
        entry.size < KILN_HEADER_SIZE)
        return false;
    unsigned char *blob = work + entry.place;
    kiln_blob_header inner;
    memcpy(&inner, blob, sizeof inner);
    const kiln_types *types = blob_input_types();
    uint32_t type = type_of_layout(types, inner.layout);
    if (type == KILN_TYPE_NONE) {
        types = blob_input_builtin();
        type = type_of_layout(types, inner.layout);
    }
    if (kiln_header_kind(&inner) == KILN_BLOB_DICTIONARY && entry.size > KILN_HEADER_SIZE) {
        size_t payload = (size_t)entry.size - KILN_HEADER_SIZE;
        LLVMFuzzerMutate(blob + KILN_HEADER_SIZE, payload, payload);
        blob_input_rehash(blob, (size_t)entry.size);
    } else {
        mutate_blob(types, type, blob, (size_t)entry.size, (size_t)entry.size, seed * 31 + 7);
    }
    entry.content = kiln_content_hash(blob, (size_t)entry.size);
    memcpy(work + entry_at, &entry, sizeof entry);
    blob_input_rehash(work, size);
    return true;
}

static size_t mutate_file(size_t size, size_t room, unsigned seed)
{
    const kiln_types *builtin = blob_input_builtin();
    if (seed % 3 && mutate_member(size, seed / 4))
        return size;
    return mutate_blob(builtin, kiln_types_find(builtin, "kiln.Index"), work, size, room, seed / 4);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    unsigned as = size ? data[0] % BLOB_AS_COUNT : 0;
    size_t skip = as == BLOB_AS_RANDOM ? BLOB_HEAD + BLOB_SEED_SIZE : BLOB_HEAD;
    if (size <= skip || size > INPUT_MAX || max_size > INPUT_MAX || seed % 8 == 0 ||
        as == BLOB_AS_PATH)
        return LLVMFuzzerMutate(data, size, max_size);
    size_t length = size - skip, room = max_size - skip;
    const kiln_types *types =
        as == BLOB_AS_RANDOM ? blob_input_random(data + BLOB_HEAD) : blob_input_types();
    uint32_t type = as == BLOB_AS_RANDOM ? kiln_types_count(types) - 1 : T_ALL;
    memset(work, 0, sizeof work);
    memcpy(work, data + skip, length);
    seed /= 8;
    if (as == BLOB_AS_FILE) {
        length = mutate_file(length, room, seed);
    } else if (as == BLOB_AS_IMAGE) {
        length = mutate_field(types, data[1] % TEST_TYPE_COUNT, work, length, room, seed);
    } else {
        if (as == BLOB_AS_TYPE_TABLE) {
            types = blob_input_builtin();
            type = kiln_types_find(types, "kiln.TypeTable");
        }
        length = mutate_blob(types, type, work, length, room, seed);
    }
    memcpy(data + skip, work, length);
    return skip + length;
}
