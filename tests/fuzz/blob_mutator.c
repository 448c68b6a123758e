/* libFuzzer's mutator for harnesses that read bytes. Most mutations change one field of the input's
 * value and recompute hashes; the others are libFuzzer's own. */
#include "blob_input.h"
#include "field_mutator.h"
#include "file_mutator.h"
#include "fuzz_target.h"
#include "test_types.h"

#include <string.h>

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);

enum { INPUT_MAX = 1 << 16 };

/* Aligned as blobs require. */
static _Alignas(4096) unsigned char work[INPUT_MAX];

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
        length = mutate_file(work, length, room, seed);
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
