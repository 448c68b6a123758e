/* Checks a reader's verdict on some bytes in one line of a test: accepted, or refused with a given
 * rule, offset and path. The bytes are in a heap block of exactly their size. */
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

/* The list of test_types.h; created by the group setup and freed by the group teardown. */
extern kiln_types *verdict_types;
int verdict_set_up(void **state);
int verdict_tear_down(void **state);

/* Fails the test unless `error` has exactly these values. */
void assert_error(const kiln_error *error, kiln_status status, uint64_t offset, const char *path);

/* Fails the test unless both have the same bytes. */
void assert_same_bytes(const kiln_buffer *a, const kiln_buffer *b);

/* Checks kiln_verify on a blob that is read as struct type `type`. */
void assert_blob_accepted(const unsigned char *blob, size_t size, uint32_t type);
void assert_blob_refused(const unsigned char *blob, size_t size, uint32_t type, kiln_status status,
                         uint64_t offset, const char *path);

/* Like the functions above, for a payload, to which a valid header is added. `at` is an offset in
 * the payload. */
void assert_payload_accepted(uint32_t type, const void *payload, size_t size);
void assert_payload_refused(uint32_t type, const void *payload, size_t size, kiln_status status,
                            uint64_t at, const char *path);

/* Runs kiln_sweep on a valid payload with this allocator. It may fail only because memory runs out.
 */
kiln_status sweep_with(const payload_def *def, const kiln_allocator *allocator, kiln_error *reterr);

/* For payloads written as string literals: all bytes except the terminating NUL. */
#define ACCEPT(type, literal) assert_payload_accepted((type), (literal), sizeof(literal) - 1)
#define REFUSE(type, literal, status, at, path)                                                    \
    assert_payload_refused((type), (literal), sizeof(literal) - 1, (status), (at), (path))

#endif
