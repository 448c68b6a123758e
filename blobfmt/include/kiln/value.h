/* A typed traversal of a blob without generated code. The inspector, conversion and comparison use
 * it.
 *
 * A `kiln_value` is a place in a payload and the type as which it is read. Every step checks
 * bounds, so a traversal of unverified bytes is safe: it may give a status or a wrong value, but
 * never reads outside the payload. It does not detect shared objects: a program that traverses
 * unverified bytes, or prints values, must limit the depth and the total number of steps. Values
 * are small and passed by pointer to const. They are valid as long as the types and the bytes
 * exist. */
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
    const unsigned char *data;  /* the value: of->size bytes, all inside the payload */
    const unsigned char *begin; /* the payload */
    const unsigned char *end;
} kiln_value;

/* The value of type `type` at the payload's beginning. V_ROOT if it does not fit. */
kiln_status kiln_value_root(const kiln_types *types, uint32_t type, const void *payload,
                            size_t size, kiln_value *ret_value);

/* Bytes from the payload's beginning. */
static inline uint64_t kiln_value_offset(const kiln_value *value)
{
    return (uint64_t)(value->data - value->begin);
}

/* Numbers. `_int` is for signed kinds and enums with a signed base, `_uint` for bool, unsigned
 * kinds, flags and refs, and `_float` for floats. `_int` and `_uint` also read each other's kinds,
 * as the same 64 bits (sign-extended): `_uint` of an enum gives its `value`. `_uint` of a float
 * gives its bits. Other kinds give 0. */
int64_t kiln_value_int(const kiln_value *value);
uint64_t kiln_value_uint(const kiln_value *value);
double kiln_value_float(const kiln_value *value);

/* The start and the length in bytes of a string or bytes; "" if empty. V2 if it is out of bounds;
 * nothing else is checked. */
kiln_status kiln_value_text(const kiln_value *value, const char **ret_text, uint32_t *ret_length);

/* The number of children: fields of a struct; elements of an array, map or fixed array (the stated
 * count, unchecked); 1 for an optional or union that has a value. 0 for other kinds. */
uint32_t kiln_value_count(const kiln_value *value);

/* Child number `i`: field, element, a map entry's value, the optional's or union's value.
 * BAD_ARGUMENT if i >= count; V2 or V3 if an offset in the bytes is invalid. */
kiln_status kiln_value_at(const kiln_value *value, uint32_t i, kiln_value *ret_value);

/* The key of map entry `i`. */
kiln_status kiln_value_key(const kiln_value *value, uint32_t i, kiln_value *ret_value);

/* The field with this name; KILN_NOT_FOUND. */
kiln_status kiln_value_field(const kiln_value *value, const char *name, size_t length,
                             kiln_value *ret_value);

/* A union's chosen alternative, or the member of an enum with the value; NULL if unset or unknown.
 */
const kiln_member *kiln_value_member(const kiln_value *value);

/* The object to which a relative field (string, bytes, array, map, optional, union) points: its
 * first byte and its number of bytes, including a string's NUL. NULL and 0 if the field is empty;
 * V2 if it points outside the payload; BAD_ARGUMENT for other kinds. */
kiln_status kiln_value_target(const kiln_value *value, const unsigned char **ret_target,
                              uint64_t *ret_size);

/* Orders two keys of a map of the same type as FORMAT.md section 5 does: <0, 0, >0. */
int kiln_value_compare_keys(const kiln_value *a, const kiln_value *b);

#ifdef __cplusplus
}
#endif

#endif
