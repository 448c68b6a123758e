/* What a reader says of bytes, as one line of a test: accepted, or refused by this rule at this
 * place with this path. The bytes lie in a heap block of exactly their size. */
#ifndef VERDICT_H
#define VERDICT_H

#include "blob_patch.h"
#include "sweep.h"
#include "test_types.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <kiln/status.h>

/* The list of test_types.h; made by the group set-up, ended by the group tear-down. */
extern kiln_types *verdict_types;
int verdict_set_up(void **state);
int verdict_tear_down(void **state);

/* Fails the test unless `error` names exactly this. */
void assert_error(const kiln_error *error, kiln_status status, uint64_t offset, const char *path);

/* Fails the test unless both hold the same bytes. */
void assert_same_bytes(const kiln_buffer *a, const kiln_buffer *b);

/* kiln_verify of a blob as it is, read as struct type `type`. */
void assert_blob_accepted(const unsigned char *blob, size_t size, uint32_t type);
void assert_blob_refused(const unsigned char *blob, size_t size, uint32_t type, kiln_status status,
                         uint64_t offset, const char *path);

/* The same of a payload under a true header; `at` counts from the payload. */
void assert_payload_accepted(uint32_t type, const void *payload, size_t size);
void assert_payload_refused(uint32_t type, const void *payload, size_t size, kiln_status status,
                            uint64_t at, const char *path);

/* kiln_sweep of a valid payload with this allocator: what is not found valid has no memory. */
kiln_status sweep_with(const payload_def *def, const kiln_allocator *allocator, kiln_error *reterr);

/* For payloads written as string literals: all bytes but the literal's own NUL. */
#define ACCEPT(type, literal) assert_payload_accepted((type), (literal), sizeof(literal) - 1)
#define REFUSE(type, literal, status, at, path)                                                    \
    assert_payload_refused((type), (literal), sizeof(literal) - 1, (status), (at), (path))

#endif
