/* libFuzzer's mutator for the inspector's harness. Most mutations change the file, a few the
 * command, and the rest are libFuzzer's own. */
#include "file_mutator.h"
#include "fuzz_target.h"

#include <string.h>

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);

enum { INPUT_MAX = 1 << 16 };

/* Aligned as blobs require. */
static _Alignas(4096) unsigned char work[INPUT_MAX];

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    if (size < 2 || size > INPUT_MAX || max_size > INPUT_MAX || seed % 16 == 0)
        return LLVMFuzzerMutate(data, size, max_size);
    if (seed % 16 <= 2) {
        data[0] = (uint8_t)(seed / 16);
        return size;
    }
    memset(work + size - 1, 0, max_size - size);
    memcpy(work, data + 1, size - 1);
    size_t length = mutate_file(work, size - 1, max_size - 1, seed / 16);
    memcpy(data + 1, work, length);
    return length + 1;
}
