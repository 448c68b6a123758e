/* Text from files, made safe for terminals and parsers.
 *
 * Input need not be valid UTF-8. Invalid bytes are written as escapes (in JSON, as U+FFFD), and so
 * are code points that move the cursor, change colours, reorder a line or are invisible (control
 * characters, direction marks, noncharacters). */
#ifndef INSP_ESCAPE_H
#define INSP_ESCAPE_H

#include "insp_out.h"

/* Writes readable escapes: `\n`, `\t`, `\\`, `\xNN` for other bytes, `\u{N}` for other code
 * points. */
void insp_put_escaped(insp_out *out, const char *text, size_t length);
/* Like insp_put_escaped, but with single backslashes, for messages, which repeat arguments as they
 * were given. */
void insp_put_visible(insp_out *out, const char *text, size_t length);
/* Like insp_put_escaped, in double quotes and with `"` written as `\"`. */
void insp_put_quoted(insp_out *out, const char *text, size_t length);

/* Writes a quoted string of Graphviz, in which a backslash and `&` have no special meaning. */
void insp_put_dot_string(insp_out *out, const char *text, size_t length);

/* Writes a JSON string, which is also a valid YAML string. Invalid bytes become U+FFFD. */
void insp_put_json_string(insp_out *out, const char *text, size_t length);
/* The same. Returns true if the string was written as it is, so that it is ASCII; false otherwise,
 * or if it is long. */
bool insp_put_json_text(insp_out *out, const char *text, size_t length);
/* Writes a YAML scalar, without quotes if every YAML parser reads the plain form as the same
 * string. */
void insp_put_yaml_string(insp_out *out, const char *text, size_t length);

void insp_put_base64(insp_out *out, const void *data, size_t size);

#endif
