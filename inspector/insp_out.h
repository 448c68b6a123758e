/* Where text goes: a stream with its errors, its column and its colours.
 *
 * The first failed write sticks; everything after it is dropped, so callers write without looking
 * and ask once, at the end or where a long loop could stop early. */
#ifndef INSP_OUT_H
#define INSP_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#if defined(__GNUC__)
#define INSP_PRINTF(format_at, values_at) __attribute__((format(printf, format_at, values_at)))
#else
#define INSP_PRINTF(format_at, values_at)
#endif

typedef enum insp_style {
    INSP_STYLE_PLAIN,
    INSP_STYLE_ASSET,
    INSP_STYLE_NAME,
    INSP_STYLE_TYPE,
    INSP_STYLE_TEXT,
    INSP_STYLE_NUMBER,
    INSP_STYLE_WORD, /* enum names, true, null, references */
    INSP_STYLE_FAINT,
    INSP_STYLE_BROKEN,
    INSP_STYLE_COUNT
} insp_style;

typedef struct insp_out {
    FILE *file;
    bool color;
    bool terminal; /* a person may be reading: raw text is escaped */
    int error;     /* errno of the first failed write; 0 while all is well */
    size_t column; /* bytes since the last line feed, colours not counted */
} insp_out;

void insp_out_init(insp_out *out, FILE *file, bool color);

void insp_put(insp_out *out, const char *text);
void insp_put_bytes(insp_out *out, const char *text, size_t length);
void insp_put_char(insp_out *out, char c);
void insp_put_spaces(insp_out *out, size_t count);
/* At most 511 bytes of formatted text; never give it text from a file. */
void insp_putf(insp_out *out, const char *format, ...) INSP_PRINTF(2, 3);

/* Text from here on has this style, where there are colours. */
void insp_put_style(insp_out *out, insp_style style);
/* One literal word in a style. */
void insp_put_styled(insp_out *out, insp_style style, const char *text);

/* Spaces up to `column`, at least one. */
void insp_put_to_column(insp_out *out, size_t column);

/* Flushes; false where a write failed. */
bool insp_out_finish(insp_out *out);

#endif
