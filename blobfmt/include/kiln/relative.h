/* The types that are stored in a blob and read in place.
 *
 * A relative field begins with a 32-bit offset in bytes, counted from the field's own address. 0 is
 * null or empty, and a target always comes after its field. So a struct with relative fields is
 * valid only at its address in the blob: pass pointers to it, never copies. In C++ copying does not
 * compile.
 *
 * The functions here perform no checks: they are for bytes that `kiln_verify` (or a runtime that
 * calls it) accepted. To read other bytes use <kiln/value.h>. Any number of threads may read at
 * once. FORMAT.md sections 4 and 5 specify the bytes. */
#ifndef KILN_RELATIVE_H
#define KILN_RELATIVE_H

#include <assert.h>
#include <kiln/asset_id.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#define KILN_ALIGNAS(n) alignas(n)
#define KILN_STATIC_ASSERT(condition, text) static_assert(condition, text)
/* Forbids copying a struct whose fields contain offsets relative to their own address. */
#define KILN_NO_COPY(type)                                                                         \
    type() = default;                                                                              \
    type(const type &) = delete;                                                                   \
    type &operator=(const type &) = delete;
#else
#define KILN_ALIGNAS(n) _Alignas(n)
#define KILN_STATIC_ASSERT(condition, text) _Static_assert(condition, text)
#define KILN_NO_COPY(type)
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Untyped relative fields. Offset 0 means null or empty. Generated headers define typed versions.
 */
typedef struct kiln_ptr {
    KILN_NO_COPY(kiln_ptr)
    uint32_t offset;
} kiln_ptr;

typedef struct kiln_array {
    KILN_NO_COPY(kiln_array)
    uint32_t offset;
    uint32_t count;
} kiln_array;

/* UTF-8 without a NUL, followed by a NUL that `length` does not count. `length` is in bytes. */
typedef struct kiln_string {
    KILN_NO_COPY(kiln_string)
    uint32_t offset;
    uint32_t length;
} kiln_string;

typedef struct kiln_bytes {
    KILN_NO_COPY(kiln_bytes)
    uint32_t offset;
    uint32_t count;
} kiln_bytes;

/* Tag 0 is unset. Any other tag selects an alternative; `value` points to its value, or is null if
 * the alternative has none. */
typedef struct kiln_union {
    KILN_NO_COPY(kiln_union)
    uint32_t tag;
    kiln_ptr value;
} kiln_union;

/* A field of a component that refers to a value in the data of its scene. In memory it is 0 or the
 * value's address, so it may be copied. */
typedef struct kiln_data {
    KILN_ALIGNAS(8) uint64_t word;
} kiln_data;

KILN_STATIC_ASSERT(sizeof(kiln_ptr) == 4, "FORMAT.md 4: pointer");
KILN_STATIC_ASSERT(sizeof(kiln_array) == 8 && offsetof(kiln_array, count) == 4,
                   "FORMAT.md 4: array");
KILN_STATIC_ASSERT(sizeof(kiln_string) == 8 && offsetof(kiln_string, length) == 4,
                   "FORMAT.md 4: string");
KILN_STATIC_ASSERT(sizeof(kiln_union) == 8 && offsetof(kiln_union, value) == 4,
                   "FORMAT.md 5: union");

/* Returns the value; NULL if empty. */
static inline const void *kiln_data_get(kiln_data data)
{
    return (const void *)(uintptr_t)data.word;
}

/* Returns the target of the field at `field`, whose offset is `offset`; NULL for offset 0. */
static inline const void *kiln_relative_get(const void *field, uint32_t offset)
{
    return offset ? (const unsigned char *)field + offset : NULL;
}

/* Like kiln_relative_get, but requires a field that is not empty, such as an array with a count
 * above 0. */
static inline const void *kiln_relative_target(const void *field, uint32_t offset)
{
    assert(offset);
    return (const unsigned char *)field + offset;
}

static inline const void *kiln_ptr_get(const kiln_ptr *ptr)
{
    return kiln_relative_get(ptr, ptr->offset);
}

/* Returns the NUL-terminated string; "" if empty, never NULL. This needs no branch: offset 0 points
 * to the field itself, whose bytes are then zero. */
static inline const char *kiln_string_get(const kiln_string *string)
{
    return (const char *)string + string->offset;
}

/* Returns the first byte; NULL if empty. */
static inline const uint8_t *kiln_bytes_get(const kiln_bytes *bytes)
{
    return (const uint8_t *)kiln_relative_get(bytes, bytes->offset);
}

/* Defines `name`, an array field with elements of `type`, and its two accessors. `name##_data`
 * returns the first element (NULL if empty). `name##_at` returns the element with a given index,
 * which must be less than `count`. Generated headers use it for every element type, so that arrays
 * of different types are different types to the compiler. */
#define KILN_DEFINE_ARRAY(name, type)                                                              \
    typedef struct name {                                                                          \
        KILN_NO_COPY(name)                                                                         \
        uint32_t offset;                                                                           \
        uint32_t count;                                                                            \
    } name;                                                                                        \
    static inline const type *name##_data(const name *array)                                       \
    {                                                                                              \
        return (const type *)kiln_relative_get(array, array->offset);                              \
    }                                                                                              \
    static inline const type *name##_at(const name *array, uint32_t i)                             \
    {                                                                                              \
        assert(i < array->count);                                                                  \
        return (const type *)kiln_relative_target(array, array->offset) + i;                       \
    }

/* Defines `name`, an optional `type`. `name##_get` returns the value, or NULL. */
#define KILN_DEFINE_OPTIONAL(name, type)                                                           \
    typedef struct name {                                                                          \
        KILN_NO_COPY(name)                                                                         \
        uint32_t offset;                                                                           \
    } name;                                                                                        \
    static inline const type *name##_get(const name *optional)                                     \
    {                                                                                              \
        return (const type *)kiln_relative_get(optional, optional->offset);                        \
    }

/* Defines the array and the optional of a built-in type. */
#define KILN_DEFINE_BUILTIN(short_name, type)                                                      \
    KILN_DEFINE_ARRAY(kiln_##short_name##_array, type)                                             \
    KILN_DEFINE_OPTIONAL(kiln_##short_name##_optional, type)

KILN_DEFINE_BUILTIN(bool, uint8_t)
KILN_DEFINE_BUILTIN(i8, int8_t)
KILN_DEFINE_BUILTIN(i16, int16_t)
KILN_DEFINE_BUILTIN(i32, int32_t)
KILN_DEFINE_BUILTIN(i64, int64_t)
KILN_DEFINE_BUILTIN(u8, uint8_t)
KILN_DEFINE_BUILTIN(u16, uint16_t)
KILN_DEFINE_BUILTIN(u32, uint32_t)
KILN_DEFINE_BUILTIN(u64, uint64_t)
KILN_DEFINE_BUILTIN(f32, float)
KILN_DEFINE_BUILTIN(f64, double)
KILN_DEFINE_BUILTIN(string, kiln_string)
KILN_DEFINE_BUILTIN(bytes, kiln_bytes)

#ifdef __cplusplus
}
#endif

#endif
