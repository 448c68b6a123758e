/* Checks that a type list, written inline in a test, is accepted or refused. */
#ifndef TYPE_REFUSALS_H
#define TYPE_REFUSALS_H

#include "type_macros.h"
#include "verdict.h"

#define COUNT(list) ((uint32_t)(sizeof(list) / sizeof *(list)))
#define NUMBER(number_name, number)                                                                \
    {                                                                                              \
        .name = (number_name), .value = (number)                                                   \
    }
#define MEMBERS(...)                                                                               \
    .members = (const kiln_member[]){__VA_ARGS__},                                                 \
    .member_count = COUNT(((const kiln_member[]){__VA_ARGS__}))
#define U32                                                                                        \
    {                                                                                              \
        .kind = KILN_KIND_U32                                                                      \
    }
#define EMPTY                                                                                      \
    {                                                                                              \
        .name = "S", .kind = KILN_KIND_STRUCT                                                      \
    }
#define ARRAY_OF(part)                                                                             \
    {                                                                                              \
        .kind = KILN_KIND_ARRAY, .element = (part)                                                 \
    }

static inline void made(const kiln_type *list, uint32_t count)
{
    kiln_types *types = NULL;
    kiln_error error = {KILN_OK, 0, 0, ""};
    kiln_status status = kiln_types_create(NULL, list, count, &types, &error);
    assert_error(&error, KILN_OK, 0, "");
    assert_int_equal(status, KILN_OK);
    assert_int_equal(kiln_types_count(types), count);
    kiln_types_destroy(types);
}

static inline void refused(const kiln_type *list, uint32_t count, kiln_status expected,
                           const char *path)
{
    kiln_types *types = NULL;
    kiln_error error = {KILN_OK, 0, 0, ""};
    kiln_status status = kiln_types_create(NULL, list, count, &types, &error);
    assert_error(&error, expected, 0, path);
    assert_int_equal(status, expected);
    assert_null(types);
}

/* Type lists as macro arguments. */
#define MADE(...) made((const kiln_type[]){__VA_ARGS__}, COUNT(((const kiln_type[]){__VA_ARGS__})))
#define REFUSED(status, path, ...)                                                                 \
    refused((const kiln_type[]){__VA_ARGS__}, COUNT(((const kiln_type[]){__VA_ARGS__})), (status), \
            (path))

#endif
