/* libyaml's messages describe the state of its scanner. The table below translates each to the
 * mistake that usually causes it, with a hint. A message that is not in the table, for example from
 * a later version of libyaml, is reported unchanged. */
#include "tree_problem.h"

#include "excerpt.h"
#include "utf8.h"

#include <inttypes.h>
#include <string.h>

/* Replaces a message of libyaml, or adds a hint to it. */
typedef struct problem {
    const char *words;   /* libyaml's `problem` ... */
    const char *context; /* ... and the start of its `context`; NULL: any */
    bool at_context;     /* report the start of the construct, not the point of failure */
    const char *message; /* NULL: use libyaml's */
    const char *hint;    /* NULL: none */
} problem;

#define NO_TOKEN "found character that cannot start any token"
#define IN_FLOW "did not find expected ',' or "
#define TAB "found a tab character that violates indentation"

static const problem problems[] = {
    {NO_TOKEN, NULL, false, "a value cannot begin with this character",
     "quote a value that begins with @, ` or %"},
    {"mapping values are not allowed in this context", NULL, false,
     "a second \": \" in one value, or a key indented differently from its neighbours",
     "quote text that contains a colon and a space"},
    {"mapping keys are not allowed in this context", NULL, false, "a key is not allowed here",
     NULL},
    {"block sequence entries are not allowed in this context", NULL, false,
     "a list entry is not allowed here", "begin the list on a new line below its key"},
    {"could not find expected ':'", NULL, true,
     "this line is neither \"key: value\" nor \"- value\"",
     "put a space after the colon; indent multi-line text deeper than its key"},
    {"did not find expected key", "while parsing a block mapping", false,
     "this is not a key of the enclosing mapping",
     "give all entries of a mapping the same indentation; check for a missing closing quote"},
    {"did not find expected key", NULL, false, "expected a key", NULL},
    {"did not find expected '-' indicator", NULL, false, "expected a list entry, \"- \"",
     "give all entries of a list the same indentation"},
    {"did not find expected ',' or ']'", NULL, false, "expected a comma, or ] to close the list",
     NULL},
    {"did not find expected ',' or '}'", NULL, false, "expected a comma, or } to close the mapping",
     NULL},
    {"did not find expected node content", NULL, false, "expected a value", NULL},
    {"did not find expected <document start>", NULL, false,
     "unexpected content after the end of the document",
     "give all top-level keys the same indentation, or begin a new document with ---"},
    {"found unexpected end of stream", "while scanning a quoted scalar", true,
     "unterminated quoted string", NULL},
    {"found unexpected document indicator", "while scanning a quoted scalar", true,
     "unterminated quoted string: the document ends before the closing quote", NULL},
    {"found unknown escape character", NULL, false,
     "unknown escape sequence in a double-quoted string",
     "write a backslash as \\\\, or use single quotes"},
    {"did not find expected hexdecimal number", NULL, false,
     "invalid escape sequence: expected hexadecimal digits, as in \\xNN, \\uNNNN or \\UNNNNNNNN",
     NULL},
    {"found invalid Unicode character escape code", NULL, false,
     "the escape sequence is not a Unicode character", NULL},
    {"found a tab character where an indentation space is expected", NULL, false,
     "a tab in the indentation", "indent YAML with spaces"},
    {TAB, NULL, false, "a tab in the indentation", "indent YAML with spaces"},
    {"found undefined tag handle", NULL, false, "undeclared tag handle",
     "declare it with a %TAG line before this document or before the first one"},
    {"found incompatible YAML document", NULL, false,
     "unsupported YAML version; Kiln supports 1.1 and 1.2", NULL},
    {"did not find expected alphabetic or numeric character", "while scanning an alias", false,
     "missing alias name after *", "quote text that begins with *"},
    {"did not find expected alphabetic or numeric character", "while scanning an anchor", false,
     "missing anchor name after &", "quote text that begins with &"},
    {"found an indentation indicator equal to 0", NULL, false,
     "the indentation indicator of a block scalar must be 1 to 9", NULL},
    {"did not find expected comment or line break", NULL, false,
     "unexpected text; only a comment may follow on this line", NULL},
};

static const problem *find_problem(const char *words, const char *context)
{
    for (size_t i = 0; i < sizeof problems / sizeof *problems; i++) {
        const problem *p = &problems[i];
        if (strcmp(p->words, words) == 0 &&
            (!p->context || (context && strncmp(p->context, context, strlen(p->context)) == 0)))
            return p;
    }
    return NULL;
}

/* Whether the mark is at a tab in the indentation of its line. */
static bool is_tab(const char *text, size_t size, yaml_mark_t at)
{
    bake_line_cursor cursor = bake_line_cursor_init(text, size);
    while (cursor.line <= at.line && bake_line_next(&cursor)) {
    }
    const char *line = text + cursor.offset;
    size_t length = bake_line_length(&cursor);
    size_t blanks = 0;
    while (blanks < length && (line[blanks] == ' ' || line[blanks] == '\t'))
        blanks++;
    return at.column < blanks && line[at.column] == '\t';
}

/* Whether the mark is at `[` or `{`, which a plain scalar inside braces or brackets cannot contain.
 */
static bool is_bracket(const char *text, size_t size, yaml_mark_t at)
{
    bake_line_cursor cursor = bake_line_cursor_init(text, size);
    while (cursor.line <= at.line && bake_line_next(&cursor)) {
    }
    const char *line = text + cursor.offset;
    size_t length = bake_line_length(&cursor), column = 0, i = 0;
    for (; i < length && column < at.column; column++)
        do
            i++;
        while (i < length && utf8_is_inside(line[i]));
    return i < length && (line[i] == '[' || line[i] == '{');
}

/* The first of a few lines in [first, end) with a `#` that begins a comment but may have been meant
 * as text, such as a colour; SIZE_MAX if there is none. */
static size_t commented_line(const char *text, size_t size, size_t first, size_t end)
{
    enum { LINES_MAX = 16 };
    bake_line_cursor cursor = bake_line_cursor_init(text, size);
    while (cursor.line <= first && bake_line_next(&cursor)) {
    }
    for (size_t number = first; number < end && number - first < LINES_MAX; number++) {
        const char *line = text + cursor.offset;
        size_t length = bake_line_length(&cursor);
        /* Real comments usually have a space after the `#`. */
        for (size_t i = 1; i + 1 < length; i++)
            if (line[i] == '#' && line[i - 1] == ' ' && line[i + 1] != ' ' && line[i + 1] != '#')
                return number;
        if (!bake_line_next(&cursor))
            break;
    }
    return SIZE_MAX;
}

/* Reports a comment of JavaScript or C, `//` or slash and star, in the lines [first, last], which
 * is how JSON files for other programs are often written. Returns false if there is none. */
static bool report_comment(bake_diagnostics *diagnostics, uint32_t source, const char *text,
                           size_t size, size_t first, size_t last)
{
    enum { LINES_MAX = 64 };
    bake_line_cursor cursor = bake_line_cursor_init(text, size);
    while (cursor.line <= first && bake_line_next(&cursor)) {
    }
    for (size_t number = first; number <= last && number - first < LINES_MAX; number++) {
        const char *line = text + cursor.offset;
        size_t length = bake_line_length(&cursor), at = 0;
        while (at < length && memchr(" \t{[,", line[at], 5))
            at++;
        for (size_t i = at; i + 2 < length && !(line[at] == '/' && at + 1 < length); i++)
            if (memchr("{[,", line[i], 3) && line[i + 1] == ' ' && line[i + 2] == '/')
                at = i + 2;
        if (at + 1 < length && line[at] == '/' && (line[at + 1] == '/' || line[at + 1] == '*')) {
            bake_mark mark = bake_mark_at(source, text, size, cursor.offset + at);
            mark.length = BAKE_MARK_TO_LINE_END;
            bake_report(diagnostics, BAKE_ERROR, mark, "yaml", NULL,
                        "YAML has no comments with %.2s", line + at);
            bake_hint(diagnostics, "begin comments with #");
            return true;
        }
        if (!bake_line_next(&cursor))
            break;
    }
    return false;
}

/* Whether only white space follows the mark. */
static bool is_at_end(const char *text, size_t size, yaml_mark_t at)
{
    bake_line_cursor cursor = bake_line_cursor_init(text, size);
    while (cursor.line <= at.line && bake_line_next(&cursor)) {
    }
    if (cursor.line <= at.line)
        return true;
    for (size_t i = cursor.offset; i < size; i++)
        if (!memchr(" \t\n\r", text[i], 4))
            return false;
    return true;
}

static bool is_name_byte(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           c == '-';
}

/* If the line before a superfluous key is like `size:1`, adds a hint: without a space after the
 * colon, that line is a text, which the next line seems to continue. */
static void hint_colon(bake_diagnostics *diagnostics, const char *words, const char *text,
                       size_t size, yaml_mark_t at)
{
    bake_line_cursor cursor = bake_line_cursor_init(text, size);
    if (strncmp(words, "mapping values are", 18) != 0 || at.line == 0)
        return;
    while (cursor.line < at.line && bake_line_next(&cursor)) {
    }
    const char *line = text + cursor.offset;
    size_t length = bake_line_length(&cursor), i = 0;
    while (i < length && line[i] == ' ')
        i++;
    size_t first = i;
    while (i < length && is_name_byte(line[i]))
        i++;
    if (i > first && i + 1 < length && line[i] == ':' && line[i + 1] != ' ')
        bake_hint(diagnostics, "put a space after the colon on line %zu", at.line);
}

static bake_mark mark_of(uint32_t source, yaml_mark_t at)
{
    bake_mark mark = {source, (uint32_t)at.line + 1, (uint32_t)at.column + 1, 1};
    return mark;
}

static void report_encoding(bake_diagnostics *diagnostics, uint32_t source, const char *text,
                            size_t size, size_t offset)
{
    if (offset >= size) {
        bake_report(diagnostics, BAKE_ERROR, bake_mark_at(source, text, size, size), "encoding",
                    NULL, "the file ends inside a UTF-8 character");
        return;
    }
    /* libyaml names the byte that does not continue a character, and not the one that begins it. */
    uint32_t code_point;
    if ((unsigned char)text[offset] >= ' ' && text[offset] != 0x7f)
        for (size_t back = 1; back <= 3 && back <= offset; back++)
            if ((unsigned char)text[offset - back] >= 0xc0 &&
                !utf8_decode(text + offset - back, size - offset + back, &code_point)) {
                offset -= back;
                break;
            }
    bake_mark mark = bake_mark_at(source, text, size, offset);
    if (utf8_decode(text + offset, size - offset, &code_point)) {
        bake_report(diagnostics, BAKE_ERROR, mark, "encoding", NULL,
                    "the control character U+%04" PRIX32 " is not allowed in YAML", code_point);
        bake_hint(diagnostics, "write it in double quotes as \"\\u%04" PRIx32 "\"", code_point);
        return;
    }
    bake_report(diagnostics, BAKE_ERROR, mark, "encoding", NULL,
                "the byte 0x%02x is not valid UTF-8", (unsigned)(unsigned char)text[offset]);
    bake_hint(diagnostics, "save the file as UTF-8");
}

void bake_report_yaml(bake_diagnostics *diagnostics, uint32_t source, const char *text, size_t size,
                      size_t skipped, const yaml_parser_t *parser)
{
    if (parser->error == YAML_READER_ERROR) {
        report_encoding(diagnostics, source, text, size, skipped + parser->problem_offset);
        return;
    }
    const char *words = parser->problem ? parser->problem : "libyaml gives no reason";
    if (strcmp(words, NO_TOKEN) == 0 && is_tab(text, size, parser->problem_mark))
        words = TAB;
    const problem *known = find_problem(words, parser->context);
    if (strncmp(words, IN_FLOW, sizeof IN_FLOW - 1) == 0 && parser->context &&
        report_comment(diagnostics, source, text, size, parser->context_mark.line,
                       parser->problem_mark.line))
        return;
    /* A bracket that is not closed is found at the end, but corrected where it begins. */
    bool is_open = strncmp(words, IN_FLOW, sizeof IN_FLOW - 1) == 0 && parser->context &&
                   is_at_end(text, size, parser->problem_mark);
    bool at_context = (known && known->at_context && parser->context) || is_open;
    bake_mark mark = mark_of(source, at_context ? parser->context_mark : parser->problem_mark);
    bake_report(diagnostics, BAKE_ERROR, mark, "yaml", NULL, "%s",
                is_open && strstr(parser->context, "mapping") ? "this brace is not closed"
                : is_open                                     ? "this bracket is not closed"
                : known && known->message                     ? known->message
                                                              : words);
    hint_colon(diagnostics, words, text, size, parser->problem_mark);
    if (known && known->hint)
        bake_hint(diagnostics, "%s", known->hint);
    if (strncmp(words, IN_FLOW, sizeof IN_FLOW - 1) == 0 &&
        is_bracket(text, size, parser->problem_mark))
        bake_hint(diagnostics,
                  "inside braces or brackets, quote text that contains [ ] { } or a comma");
    size_t commented =
        strncmp(words, IN_FLOW, sizeof IN_FLOW - 1) == 0 && parser->context
            ? commented_line(text, size, parser->context_mark.line, parser->problem_mark.line)
            : SIZE_MAX;
    if (commented != SIZE_MAX)
        bake_hint(diagnostics,
                  "a # after a space begins a comment, as on line %zu; quote text that contains it",
                  commented + 1);
    if (!at_context && parser->context && parser->context_mark.line != parser->problem_mark.line) {
        bake_hint(diagnostics, "%s that begins on line %zu", parser->context,
                  parser->context_mark.line + 1);
        bake_related(diagnostics, mark_of(source, parser->context_mark), "%s that begins here",
                     parser->context);
    }
}
