/* An output stream that tracks its error, column and colours.
 *
 * Output is buffered until `buffer` is full or insp_out_finish is called; with `eager`, it is
 * written at once. The first failed write sets `error`, and all later output is dropped. So callers
 * write without checks, and only look at `error` at the end or to leave a long loop early.
 *
 * At most `limit` bytes are written, followed by text that is neither JSON nor YAML, and `error`
 * becomes INSP_CUT. Truncated output is thus never mistaken for complete output, and printing stops
 * as after any other error. Callers can count the units of an output, so that insp_main can report
 * how many are complete.
 *
 * Hot code writes directly into the buffer and passes the end of its output:
 *
 *     char *to = insp_room(out);
 *     *to++ = ',';
 *     insp_wrote(out, to); */
#ifndef INSP_OUT_H
#define INSP_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

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

enum { INSP_OUT_SIZE = 32768, INSP_ROOM = 1024, INSP_CUT = -1 };

typedef struct insp_out {
    FILE *file;
    bool color;
    bool terminal;           /* writes to a terminal, so text is escaped */
    bool eager;              /* unbuffered */
    int error;               /* errno of the first failed write, or INSP_CUT; 0: none */
    size_t column;           /* bytes since the last line feed, not counting colours */
    uint64_t limit, written; /* bytes, including colours */
    uint64_t cut_at;         /* bytes written before truncation */
    const char *units_name;  /* such as `assets`; NULL: nothing is counted */
    uint64_t whole, units;   /* number of complete units and of all units */
    size_t used;             /* of `buffer` */
    char buffer[INSP_OUT_SIZE];
} insp_out;

/* Initializes an eager stream without a limit. Leaves `buffer` uninitialized. */
void insp_out_init(insp_out *out, FILE *file, bool color);

/* Initializes a stream that only fills `buffer`: `used` bytes of text. If the text does not fit,
 * `error` becomes INSP_CUT, and `buffer` has its beginning. insp_out_restart empties it. */
void insp_out_init_text(insp_out *out);
static inline void insp_out_restart(insp_out *out)
{
    out->error = 0;
    out->used = out->column = 0;
}

/* Writes the buffered output. */
void insp_out_drain(insp_out *out);

/* Truncates the output here, as if the limit were reached. */
void insp_out_cut(insp_out *out);

/* Declares that `count` units called `name` follow. After each unit, call insp_out_set_whole with
 * the number of complete units. */
void insp_out_count(insp_out *out, const char *name, uint64_t count);
static inline void insp_out_set_whole(insp_out *out, uint64_t whole)
{
    if (!out->error && out->used <= out->limit - out->written)
        out->whole = whole;
}

/* Returns space for INSP_ROOM bytes in the buffer. */
static inline char *insp_room(insp_out *out)
{
    if (INSP_OUT_SIZE - out->used < INSP_ROOM)
        insp_out_drain(out);
    return out->buffer + out->used;
}

/* Commits the bytes up to `end`, which must not contain a line feed. */
static inline void insp_wrote(insp_out *out, const char *end)
{
    size_t used = (size_t)(end - out->buffer);
    out->column += used - out->used;
    out->used = used;
    if (out->eager)
        insp_out_drain(out);
}

/* Write a string that contains no line feed. */
void insp_put_long_word(insp_out *out, const char *text, size_t length);
static inline void insp_put_word(insp_out *out, const char *text, size_t length)
{
    if (length <= INSP_ROOM) {
        char *to = insp_room(out);
        memcpy(to, text, length);
        insp_wrote(out, to + length);
    } else {
        insp_put_long_word(out, text, length);
    }
}

/* Writes a line feed and `indent` spaces. */
void insp_put_line(insp_out *out, size_t indent);

void insp_put(insp_out *out, const char *text);
void insp_put_bytes(insp_out *out, const char *text, size_t length);
static inline void insp_put_char(insp_out *out, char c)
{
    char *to = insp_room(out);
    *to = c;
    insp_wrote(out, to + 1);
    if (c == '\n')
        out->column = 0;
}
void insp_put_spaces(insp_out *out, size_t count);
/* Writes formatted text of at most 511 bytes; longer text is truncated. Arguments must not be
 * strings from a file. */
void insp_putf(insp_out *out, const char *format, ...) INSP_PRINTF(2, 3);

/* Sets the style of the following output, if colours are enabled. */
void insp_put_style(insp_out *out, insp_style style);
/* Writes a string in a style. */
void insp_put_styled(insp_out *out, insp_style style, const char *text);

/* Writes spaces up to `column`, but at least one. */
void insp_put_to_column(insp_out *out, size_t column);

/* Writes a number with commas, right-aligned in `width` columns and after at least one space. A
 * width of 0 means no alignment. */
void insp_put_count(insp_out *out, uint64_t count, size_t width);

/* Flushes the stream. Returns false if a write failed or the output was truncated. */
bool insp_out_finish(insp_out *out);

#endif
