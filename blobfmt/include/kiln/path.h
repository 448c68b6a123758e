/* The text form of the path from the root to a value: `items[3].name`, `prices["Item/sword"]`,
 * `effect.burn.seconds`.
 *
 *     path   = [ first { "." name | "[" number "]" | "[" quoted "]" } ]   (empty: the root)
 *     first  = name | "[" number "]" | "[" quoted "]"
 *     name   = letters, digits, "_", "-", not beginning with a digit or "-"; or quoted
 *     quoted = JSON string; bytes below 0x20 and 0x7f as \u00XX
 *
 * A field or a union's alternative is a name. An array element, or a map key that is a number or a
 * bool, is a number. Any other map key is a quoted string (an enum's name, a reference's id as 16
 * hex digits, a fixed array's numbers with commas). An optional and a wrap (KILN_TYPE_TRANSPARENT)
 * add no step. Following also takes `Kind/id` for a reference's id, `true` and `false`, floats with
 * any digits, bytes as \xNN, and `value` for the step into a wrap. */
#ifndef KILN_PATH_H
#define KILN_PATH_H

#include <kiln/status.h>
#include <kiln/value.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A path that is being built. If it becomes longer than the buffer, its middle is dropped. A zeroed
 * one is the root. */
typedef struct kiln_path {
    char text[KILN_PATH_SIZE];
    uint32_t length;
} kiln_path;

void kiln_path_add_name(kiln_path *path, const char *name, size_t length);
void kiln_path_add_number(kiln_path *path, uint64_t number);
/* The step of the map entry whose key is `key`. */
void kiln_path_add_key(kiln_path *path, const kiln_value *key);

/* Follows `text` from `from`. Safe on hostile bytes and texts. KILN_NOT_FOUND: `reterr->path` is
 * the part of the path that exists. */
kiln_status kiln_path_follow(const kiln_value *from, const char *text, kiln_value *ret_value,
                             kiln_error *reterr);

#ifdef __cplusplus
}
#endif

#endif
