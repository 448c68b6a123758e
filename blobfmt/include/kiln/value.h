/* A typed traversal of a blob without generated code: what the inspector, conversion and comparison
 * stand on.
 *
 * A `kiln_value` is a place in a payload and the type it is read as. Every step checks bounds, so a
 * traversal of bytes that no verifier accepted is safe: it gives a status, or a value that the
 * bytes do not deserve, but never reads outside the payload. It does not notice sharing: whoever
 * traverses unverified bytes or prints must limit depth and total steps. Values are small, are
 * passed by pointer to const, and live as long as types and bytes do. */
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
    const unsigned char *data;  /* where the value lies; of->size bytes, all inside */
    const unsigned char *begin; /* the payload */
    const unsigned char *end;
} kiln_value;

/* The value of type `type` at the payload's beginning. V_ROOT where it does not fit. */
kiln_status kiln_value_root(const kiln_types *types, uint32_t type, const void *payload,
                            size_t size, kiln_value *ret_value);

/* Bytes from the payload's beginning. */
static inline uint64_t kiln_value_offset(const kiln_value *value)
{
    return (uint64_t)(value->data - value->begin);
}

/* Numbers. Signed kinds and enums with signed base through `_int`; bool, unsigned kinds, flags,
 * refs through `_uint`; each also reads the other's kinds as the same 64 bits (sign-extended), so
 * that `_uint` of an enum is its `value`; `_uint` of a float gives its bits. Floats through
 * `_float`. Other kinds give 0. */
int64_t kiln_value_int(const kiln_value *value);
uint64_t kiln_value_uint(const kiln_value *value);
double kiln_value_float(const kiln_value *value);

/* String or bytes: start and length in bytes; "" where empty. V2 on bad bounds; strings are checked
 * for nothing else. */
kiln_status kiln_value_text(const kiln_value *value, const char **ret_text, uint32_t *ret_length);

/* Children: of a struct its fields, of an array, map or fixed array the elements (the stated count,
 * unchecked), of an optional or union 1 where it has a value. 0 for other kinds. */
uint32_t kiln_value_count(const kiln_value *value);

/* Child number `i`: field, element, a map entry's value, the optional's or union's value.
 * BAD_ARGUMENT where i >= count, V2 or V3 where the bytes lead astray. */
kiln_status kiln_value_at(const kiln_value *value, uint32_t i, kiln_value *ret_value);

/* The key of map entry `i`. */
kiln_status kiln_value_key(const kiln_value *value, uint32_t i, kiln_value *ret_value);

/* The field with this name; KILN_NOT_FOUND. */
kiln_status kiln_value_field(const kiln_value *value, const char *name, size_t length,
                             kiln_value *ret_value);

/* A union's chosen alternative, or the value's name in an enum; NULL where unset or unknown. */
const kiln_member *kiln_value_member(const kiln_value *value);

/* Where a relative field (string, bytes, array, map, optional, union) leads: first byte and
 * number of bytes (a string's NUL included) of the object it names. NULL and 0 where empty, V2
 * where it leads out of the payload, BAD_ARGUMENT for other kinds. */
kiln_status kiln_value_target(const kiln_value *value, const unsigned char **ret_target,
                              uint64_t *ret_size);

/* Orders two keys of a map of the same type as FORMAT.md section 5 does: <0, 0, >0. */
int kiln_value_compare_keys(const kiln_value *a, const kiln_value *b);

#ifdef __cplusplus
}
#endif

#endif
