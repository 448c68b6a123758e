/* Arbitrary bytes, passed to one of Kiln's readers of bytes. The first two bytes select the reader
 * (blob_input.h), which receives the rest. Hashes are recomputed first, so that mutations reach the
 * checks after them. */
#include "blob_input.h"
#include "blob_patch.h"
#include "fuzz_target.h"
#include "guarded.h"
#include "sweep.h"
#include "test_types.h"
#include "value_walk.h"
#include "whole_file.h"

#include <kiln/canonical.h>
#include <kiln/path.h>
#include <kiln/type_table.h>
#include <kiln/verify.h>
#include <stdlib.h>
#include <string.h>

enum { WALK_STEPS = 2000 };

static void read_table(const patched *bytes)
{
    kiln_types *read = NULL;
    kiln_buffer again = {0};
    if (kiln_type_table_read(NULL, bytes->data, bytes->size, &read, NULL))
        return;
    if (kiln_type_table_write(NULL, read, &again, NULL))
        abort();
    kiln_buffer_fini(&again);
    kiln_types_destroy(read);
}

/* Repeats the test with an unreadable page after the bytes, for code that sanitizers do not check.
 */
static void read_guarded(const kiln_verify_def *def, const patched *bytes, kiln_status expected)
{
    if (bytes->size % kiln_types_get(def->types, def->type)->align || bytes->size % 16)
        return;
    guarded g = guarded_copy(bytes->data, bytes->size);
    kiln_blob_header header;
    if (kiln_header_read(g.data, g.size, &header, NULL) == KILN_OK &&
        (uintptr_t)g.data % kiln_header_align(&header) == 0 &&
        kiln_verify(def, g.data, g.size, NULL) != expected)
        abort();
    guarded_fini(&g);
}

/* The general verifier must not refuse what the fast one accepts. */
static void compare_ways(const kiln_types *types, uint32_t type, const unsigned char *payload,
                         size_t size, uint32_t align)
{
    payload_def def = {
        .types = types, .type = type, .payload = payload, .size = (uint32_t)size, .align = align};
    if (kiln_sweep(&def) == SWEEP_VALID && kiln_judge(&def, NULL) != KILN_OK)
        abort();
}

static void read_blob(const kiln_types *types, const patched *bytes, uint32_t type, bool rewrite)
{
    kiln_blob_header header;
    kiln_error error;
    kiln_verify_def def = kiln_verify_def_default();
    def.types = types;
    def.type = type;
    if (kiln_header_read(bytes->data, bytes->size, &header, NULL))
        return;
    const unsigned char *payload = bytes->data + kiln_header_payload_at(&header);
    kiln_status status = kiln_verify(&def, bytes->data, bytes->size, &error);
    read_guarded(&def, bytes, status);
    if ((uintptr_t)payload % kiln_header_align(&header) == 0)
        compare_ways(types, type, payload, (size_t)header.payload_size, kiln_header_align(&header));
    if (status) {
        if (error.offset > bytes->size)
            abort();
        walk_anything(types, type, payload, (size_t)header.payload_size, WALK_STEPS);
        return;
    }
    if (walk_verified(types, type, payload, (size_t)header.payload_size))
        abort();
    kiln_buffer once = {0}, twice = {0};
    if (!rewrite)
        return;
    if (kiln_canonicalize(&(kiln_canonical_args){.types = types,
                                                 .type = type,
                                                 .blob = {bytes->data, bytes->size},
                                                 .allocator = NULL},
                          &once, NULL) ||
        kiln_verify(&def, once.data, once.size, NULL) ||
        kiln_canonicalize(
            &(kiln_canonical_args){
                .types = types, .type = type, .blob = {once.data, once.size}, .allocator = NULL},
            &twice, NULL) ||
        once.size != twice.size || memcmp(once.data, twice.data, once.size) != 0)
        abort();
    kiln_buffer_fini(&once);
    kiln_buffer_fini(&twice);
}

static void read_image(const kiln_types *types, const patched *bytes, uint32_t type)
{
    if (bytes->size == 0)
        return;
    compare_ways(types, type, bytes->data, bytes->size, UINT32_C(1) << KILN_ALIGN_LOG2_MAX);
    if (kiln_verify_image(types, type, (kiln_span){bytes->data, bytes->size}, NULL, NULL))
        walk_anything(types, type, bytes->data, bytes->size, WALK_STEPS);
    else if (walk_verified(types, type, bytes->data, bytes->size))
        abort();
}

/* A path up to the first NUL, followed by the payload in which it is looked up. */
static void follow_path(const patched *bytes)
{
    const unsigned char *end = bytes->size ? memchr(bytes->data, 0, bytes->size) : NULL;
    if (!end)
        return;
    size_t skip = (size_t)(end + 1 - bytes->data);
    patched payload = patched_copy(end + 1, bytes->size - skip);
    kiln_value root, found;
    if (kiln_value_root(blob_input_types(), T_ALL, payload.data, payload.size, &root) == KILN_OK)
        (void)kiln_path_follow(&root, (const char *)bytes->data, &found, NULL);
    patched_fini(&payload);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    unsigned as = size ? data[0] % BLOB_AS_COUNT : 0;
    size_t skip = as == BLOB_AS_RANDOM ? BLOB_HEAD + BLOB_SEED_SIZE : BLOB_HEAD;
    if (size < skip)
        return 0;
    const kiln_types *types = blob_input_types();
    patched bytes = patched_copy(data + skip, size - skip);
    if (as != BLOB_AS_IMAGE && as != BLOB_AS_PATH)
        blob_input_rehash(bytes.data, bytes.size);
    if (as == BLOB_AS_FILE) {
        (void)whole_file_check(blob_input_builtin(), bytes.data, bytes.size, NULL);
    } else if (as == BLOB_AS_TYPE_TABLE) {
        read_table(&bytes);
    } else if (as == BLOB_AS_IMAGE) {
        read_image(types, &bytes, data[1] % TEST_TYPE_COUNT);
    } else if (as == BLOB_AS_PATH) {
        follow_path(&bytes);
    } else if (as == BLOB_AS_RANDOM) {
        types = blob_input_random(data + BLOB_HEAD);
        read_blob(types, &bytes, kiln_types_count(types) - 1, data[1] & 1);
    } else {
        read_blob(types, &bytes, T_ALL, as == BLOB_AS_CANONICAL);
    }
    patched_fini(&bytes);
    return 0;
}
