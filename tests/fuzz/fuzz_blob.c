/* Bytes from anywhere, read as whatever Kiln reads. The first byte chooses as what, the rest are
 * the bytes; hashes are put right first, so that mutations reach what lies behind them. */
#include "blob_patch.h"
#include "fuzz_target.h"
#include "test_types.h"
#include "value_walk.h"
#include "whole_file.h"

#include <kiln/canonical.h>
#include <kiln/path.h>
#include <kiln/type_table.h>
#include <kiln/verify.h>
#include <stdlib.h>
#include <string.h>

enum {
    AS_FILE,
    AS_TYPE_TABLE,
    AS_BLOB,
    AS_IMAGE,
    AS_CANONICAL,
    AS_PATH,
    AS_COUNT,
    WALK_STEPS = 2000
};

static kiln_types *types, *builtin;

/* Puts the hash right where header, gap and payload are all there. */
static void rehash(unsigned char *blob, size_t size)
{
    kiln_blob_header header;
    if (kiln_header_read(blob, size, &header, NULL) == KILN_OK)
        patched_rehash(blob);
}

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

static void read_blob(const patched *bytes, uint32_t type, bool rewrite)
{
    kiln_blob_header header;
    kiln_error error;
    kiln_verify_def def = kiln_verify_def_default();
    def.types = types;
    def.type = type;
    if (kiln_header_read(bytes->data, bytes->size, &header, NULL))
        return;
    const unsigned char *payload = bytes->data + kiln_header_payload_at(&header);
    if (kiln_verify(&def, bytes->data, bytes->size, &error)) {
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
    if (kiln_canonicalize(types, type, bytes->data, bytes->size, NULL, &once, NULL) ||
        kiln_verify(&def, once.data, once.size, NULL) ||
        kiln_canonicalize(types, type, once.data, once.size, NULL, &twice, NULL) ||
        once.size != twice.size || memcmp(once.data, twice.data, once.size) != 0)
        abort();
    kiln_buffer_fini(&once);
    kiln_buffer_fini(&twice);
}

static void read_image(const patched *bytes, uint32_t type)
{
    if (bytes->size == 0)
        return;
    if (kiln_verify_image(types, type, bytes->data, bytes->size, NULL, NULL))
        walk_anything(types, type, bytes->data, bytes->size, WALK_STEPS);
    else if (walk_verified(types, type, bytes->data, bytes->size))
        abort();
}

/* A path to follow, up to the first NUL, then the payload in which. */
static void follow_path(const patched *bytes)
{
    const unsigned char *end = bytes->size ? memchr(bytes->data, 0, bytes->size) : NULL;
    if (!end)
        return;
    size_t skip = (size_t)(end + 1 - bytes->data);
    patched payload = patched_copy(end + 1, bytes->size - skip);
    kiln_value root, found;
    if (kiln_value_root(types, T_ALL, payload.data, payload.size, &root) == KILN_OK)
        (void)kiln_path_follow(&root, (const char *)bytes->data, &found, NULL);
    patched_fini(&payload);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2)
        return 0;
    if (!types) {
        types = test_types_create(NULL);
        if (kiln_types_create_builtin(NULL, &builtin, NULL))
            abort();
    }
    unsigned as = data[0] % AS_COUNT;
    uint32_t type = as == AS_IMAGE ? data[1] % TEST_TYPE_COUNT : T_ALL;
    patched bytes = patched_copy(data + 2, size - 2);
    if (as == AS_FILE) {
        rehash(bytes.data, bytes.size);
        (void)whole_file_check(builtin, bytes.data, bytes.size, NULL);
    } else if (as == AS_TYPE_TABLE) {
        rehash(bytes.data, bytes.size);
        read_table(&bytes);
    } else if (as == AS_IMAGE) {
        read_image(&bytes, type);
    } else if (as == AS_PATH) {
        follow_path(&bytes);
    } else {
        rehash(bytes.data, bytes.size);
        read_blob(&bytes, type, as == AS_CANONICAL);
    }
    patched_fini(&bytes);
    return 0;
}
