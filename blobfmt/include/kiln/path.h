/* The text form of the path from the root to a value: `items[3].name`, `prices["Item/sword"]`,
 * `effect.burn.seconds`.
 *
 *     path   = [ first { "." name | "[" number "]" | "[" quoted "]" } ]   (empty: the root)
 *     first  = name | "[" number "]" | "[" quoted "]"
 *     name   = letters, digits, "_", "-", not beginning with a digit or "-"; or quoted
 *     quoted = JSON string; the byte 0x7f and bytes below 0x20 as \u00XX
 *
 * A field or a union's alternative is written as a name. An array element, or a map key that is a
 * number or a bool, is written as a number. Any other map key is written as a quoted string: an
 * enum's name, a reference's id as 16 hex digits, a fixed array's numbers with commas. An optional
 * and a newtype (KILN_TYPE_TRANSPARENT) add no step. kiln_path_follow also accepts `Kind/id` for a
 * reference's id, `true` and `false`, floats of any precision, bytes as \xNN, and `value` for the
 * step into a newtype. */
#ifndef KILN_PATH_H
#define KILN_PATH_H

#include <kiln/status.h>
#include <kiln/value.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A path under construction: NUL-terminated; the middle of a path that does not fit is dropped. A
 * zeroed path is the root. */
typedef struct kiln_path {
    char text[KILN_PATH_SIZE];
    uint32_t length; /* bytes without the NUL */
} kiln_path;

/* Append a step: a field or an alternative, an element, an entry of a map. */
void kiln_path_add_name(kiln_path *path, const char *name, size_t length);
void kiln_path_add_number(kiln_path *path, uint64_t number);
/* `key` is the entry's key. */
void kiln_path_add_key(kiln_path *path, const kiln_value *key);

/* Finds the value at the path `text`, starting from `from`. NOT_FOUND: there is no such value.
 * BAD_ARGUMENT: `text` is malformed. V2 or V3: an offset in the bytes is wrong. On failure
 * `reterr->path` is the part of the path before the failing step, and `ret_value` is untouched.
 * Safe on hostile bytes and path strings. Any thread. */
kiln_status kiln_path_follow(const kiln_value *from, const char *text, kiln_value *ret_value,
                             kiln_error *reterr);

#ifdef __cplusplus
}
#endif

#endif
