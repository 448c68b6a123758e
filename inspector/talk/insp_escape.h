/* Text from files, made safe for terminals and parsers.
 *
 * Input is never trusted to be UTF-8. Code points that move a cursor, change a colour, reorder a
 * line or are invisible (control characters, direction marks, noncharacters) are written as
 * escapes, and so is every byte that is not UTF-8. */
#ifndef INSP_ESCAPE_H
#define INSP_ESCAPE_H

#include "insp_out.h"

/* For people: `\n`, `\t`, `\xNN` for other bytes, `\u{N}` for other code points, `\\`. */
void insp_put_escaped(insp_out *out, const char *text, size_t length);
/* The same between double quotes, with `"` written as `\"`. */
void insp_put_quoted(insp_out *out, const char *text, size_t length);

/* A JSON string, which is also a YAML double-quoted one. Bytes that are not UTF-8 become U+FFFD. */
void insp_put_json_string(insp_out *out, const char *text, size_t length);
/* A YAML scalar, without quotes if every YAML reader reads the plain form as the same text. */
void insp_put_yaml_string(insp_out *out, const char *text, size_t length);

void insp_put_base64(insp_out *out, const void *data, size_t size);

#endif
