/* Reads values of any type without generated code, using their type descriptions: for the
 * inspector, conversion and comparison.
 *
 * A `kiln_value` is a position in a payload and the type of the value there. Every step checks
 * bounds, so traversing unverified bytes is safe: a step returns a status, or a value that may be
 * wrong, but never reads outside the payload. Shared objects are not detected, so printing a value,
 * and traversing unverified bytes, require limits on depth and number of steps. A `kiln_value` is
 * a small struct, passed by pointer, and valid while types and bytes are. Any number of threads may
 * read at once.
 *
 * Functions that fail leave `ret_value` untouched. */
#ifndef KILN_VALUE_H
#define KILN_VALUE_H

#include <kiln/relative.h>
#include <kiln/types.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct kiln_value {
    const kiln_types *types;
    const kiln_type *of; /* kiln_types_get(types, type) */
    uint32_t type;
    const unsigned char *data;  /* the value: of->size bytes, all within the payload */
    const unsigned char *begin; /* of the payload */
    const unsigned char *end;
} kiln_value;

/* Gets the value of type `type` at the beginning of the payload of `size` bytes. V_ROOT: the
 * payload is too small. BAD_ARGUMENT: there is no such type. */
kiln_status kiln_value_root(const kiln_types *types, uint32_t type, const void *payload,
                            size_t size, kiln_value *ret_value);

/* Returns the value's offset in the payload, in bytes. */
static inline uint64_t kiln_value_offset(const kiln_value *value)
{
    return (uint64_t)(value->data - value->begin);
}

/* Return numbers. `_int` is for signed kinds and enums with a signed base; `_uint` for bools,
 * unsigned kinds, flags and references; `_float` for floats. `_int` and `_uint` read each other's
 * kinds as the same 64 bits (sign-extended), so `_uint` of an enum is its `value`. `_uint` of a
 * float returns its bits. Other kinds return 0. */
int64_t kiln_value_int(const kiln_value *value);
uint64_t kiln_value_uint(const kiln_value *value);
double kiln_value_float(const kiln_value *value);

/* Reads the text of a string, or the bytes of a bytes value: the first byte, and the length in
 * bytes; "" if empty. V2: out of bounds. BAD_ARGUMENT: the value is neither. Nothing else is
 * checked. */
kiln_status kiln_value_text(const kiln_value *value, const char **ret_text, uint32_t *ret_length);

/* Returns the number of children: the fields of a struct; the elements of an array, map or fixed
 * array (the stated count, not checked); 1 for an optional or a union with a value. 0 for other
 * kinds. */
uint32_t kiln_value_count(const kiln_value *value);

/* Gets child `i`: the field, the element, the value of a map entry, the value of an optional or a
 * union. BAD_ARGUMENT: `i` is out of range. V2 or V3: the offset is wrong. */
kiln_status kiln_value_at(const kiln_value *value, uint32_t i, kiln_value *ret_value);

/* Reads the key of map entry `i`. Fails for the same reasons as kiln_value_at. */
kiln_status kiln_value_key(const kiln_value *value, uint32_t i, kiln_value *ret_value);

/* Gets the field with this name. NOT_FOUND: there is none, or the value is not a struct. */
kiln_status kiln_value_field(const kiln_value *value, const char *name, size_t length,
                             kiln_value *ret_value);

/* Returns the chosen alternative of a union, or the named value of an enum. NULL if it is unset or
 * unknown, or if the value is of a different kind. */
const kiln_member *kiln_value_member(const kiln_value *value);

/* Finds the target of a relative field (string, bytes, array, map, optional, union): the first byte
 * of the object, and its size in bytes (including a string's NUL). NULL and 0 if empty. V2: it is
 * outside the payload. BAD_ARGUMENT: the value is not a relative field. */
kiln_status kiln_value_target(const kiln_value *value, const unsigned char **ret_target,
                              uint64_t *ret_size);

/* Compares two map keys of the same type in the order of FORMAT.md section 5. Returns a negative
 * number, 0 or a positive number. */
int kiln_value_compare_keys(const kiln_value *a, const kiln_value *b);

#ifdef __cplusplus
}
#endif

#endif
