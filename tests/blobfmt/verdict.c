#include "verdict.h"

#include <kiln/verify.h>
#include <string.h>

kiln_types *verdict_types;

int verdict_set_up(void **state)
{
    (void)state;
    verdict_types = test_types_create(NULL);
    return 0;
}

int verdict_tear_down(void **state)
{
    (void)state;
    kiln_types_destroy(verdict_types);
    return 0;
}

void assert_error(const kiln_error *error, kiln_status status, uint64_t offset, const char *path)
{
    assert_string_equal(kiln_status_name(error->status), kiln_status_name(status));
    assert_int_equal(error->offset, offset);
    assert_string_equal(error->path, path);
}

void assert_same_bytes(const kiln_buffer *a, const kiln_buffer *b)
{
    assert_int_equal(a->size, b->size);
    assert_memory_equal(a->data, b->data, a->size);
}

static kiln_status judge_blob(const patched *blob, uint32_t type, kiln_error *reterr)
{
    kiln_blob_header header;
    kiln_status status = kiln_header_read(blob->data, blob->size, &header, reterr);
    payload_def def = {.types = verdict_types,
                       .type = type,
                       .payload = blob->data + kiln_header_payload_at(&header),
                       .size = (uint32_t)header.payload_size,
                       .align = kiln_header_align(&header)};
    return status ? status : kiln_judge(&def, reterr);
}

static kiln_status verify(const unsigned char *blob, size_t size, uint32_t type, kiln_error *reterr)
{
    kiln_verify_def def = kiln_verify_def_default();
    def.types = verdict_types;
    def.type = type;
    patched exact = patched_copy(blob, size);
    kiln_status status = kiln_verify(&def, exact.data, size, reterr);
    /* The general verifier must accept what the fast one accepts. */
    if (status == KILN_OK)
        status = judge_blob(&exact, type, reterr);
    patched_fini(&exact);
    return status;
}

void assert_blob_accepted(const unsigned char *blob, size_t size, uint32_t type)
{
    kiln_error error = {KILN_OK, 0, 0, ""};
    kiln_status status = verify(blob, size, type, &error);
    assert_error(&error, KILN_OK, 0, "");
    assert_int_equal(status, KILN_OK);
}

void assert_blob_refused(const unsigned char *blob, size_t size, uint32_t type, kiln_status status,
                         uint64_t offset, const char *path)
{
    kiln_error error = {KILN_OK, 0, 0, ""};
    kiln_status got = verify(blob, size, type, &error);
    assert_error(&error, status, offset, path);
    assert_int_equal(got, status);
}

void assert_payload_accepted(uint32_t type, const void *payload, size_t size)
{
    patched blob = patched_blob(verdict_types, type, 0, payload, size);
    assert_blob_accepted(blob.data, blob.size, type);
    patched_fini(&blob);
}

void assert_payload_refused(uint32_t type, const void *payload, size_t size, kiln_status status,
                            uint64_t at, const char *path)
{
    patched blob = patched_blob(verdict_types, type, 0, payload, size);
    assert_blob_refused(blob.data, blob.size, type, status, blob.size - size + at, path);
    patched_fini(&blob);
}

kiln_status sweep_with(const payload_def *def, const kiln_allocator *allocator, kiln_error *reterr)
{
    payload_def own = *def;
    own.allocator = allocator;
    sweep_verdict verdict = kiln_sweep(&own);
    assert_int_not_equal(verdict, SWEEP_UNDECIDED);
    return verdict == SWEEP_VALID ? KILN_OK : kiln_fail(reterr, KILN_NO_MEMORY, 0, NULL);
}
