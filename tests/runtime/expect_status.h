/* Expects a call to return a status. On failure both statuses are printed by name. */
#ifndef EXPECT_STATUS_H
#define EXPECT_STATUS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <kiln/status.h>

#define EXPECT_STATUS(expected, call)                                                              \
    assert_string_equal(kiln_status_name(expected), kiln_status_name(call))

#endif
