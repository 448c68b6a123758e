/* A growing buffer for C source. Text of the schema that can contain any character, such as docs
 * and names of enum values, goes through bake_c_put_comment and bake_c_put_literal, so it cannot
 * end a comment or literal early. */
#include "c_text.h"

#include "utf8.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { LINE_WIDTH = 100, FIRST_CAPACITY = 16384 };

void bake_c_text_init(bake_c_text *text, const kiln_allocator *allocator)
{
    memset(text, 0, sizeof *text);
    text->allocator = allocator ? *allocator : kiln_allocator_default();
}

void bake_c_text_fini(bake_c_text *text)
{
    if (!text)
        return;
    if (text->data)
        text->allocator.free(text->allocator.ctx, text->data, text->capacity);
    memset(text, 0, sizeof *text);
}

/* Makes room for `more` bytes and a NUL. */
static bool reserve(bake_c_text *text, size_t more)
{
    if (text->failed)
        return false;
    if (more < text->capacity - text->size)
        return true;
    size_t capacity = text->capacity ? text->capacity : FIRST_CAPACITY;
    while (capacity - text->size <= more) {
        if (capacity > SIZE_MAX / 2) {
            text->failed = true;
            return false;
        }
        capacity *= 2;
    }
    /* kiln_allocator has no realloc. */
    char *data = text->allocator.alloc(text->allocator.ctx, capacity, 1);
    if (!data) {
        text->failed = true;
        return false;
    }
    if (text->data) {
        memcpy(data, text->data, text->size);
        text->allocator.free(text->allocator.ctx, text->data, text->capacity);
    }
    text->data = data;
    text->capacity = capacity;
    return true;
}

void bake_c_put_bytes(bake_c_text *text, const char *bytes, size_t size)
{
    if (!reserve(text, size))
        return;
    memcpy(text->data + text->size, bytes, size);
    text->size += size;
}

void bake_c_put(bake_c_text *text, const char *string)
{
    bake_c_put_bytes(text, string, strlen(string));
}

void bake_c_put_format(bake_c_text *text, const char *format, ...)
{
    va_list arguments, copy;
    va_start(arguments, format);
    va_copy(copy, arguments);
    int size = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (size < 0)
        text->failed = true;
    /* The result of vsnprintf does not count the NUL. */
    else if (reserve(text, (size_t)size + 1))
        text->size += (size_t)vsnprintf(text->data + text->size, (size_t)size + 1, format, copy);
    va_end(copy);
}

void bake_c_put_pattern(bake_c_text *text, const char *pattern, const char *const *arguments,
                        size_t count)
{
    for (;;) {
        const char *dollar = strchr(pattern, '$');
        if (!dollar)
            break;
        bake_c_put_bytes(text, pattern, (size_t)(dollar - pattern));
        size_t argument = (size_t)(dollar[1] - '1');
        if (argument < count)
            bake_c_put(text, arguments[argument]);
        pattern = dollar + 2;
    }
    bake_c_put(text, pattern);
}

/* Bidirectional control characters, which gcc warns about in comments (-Wbidi-chars). */
static bool is_direction(uint32_t code)
{
    return (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069) ||
           code == 0x200e || code == 0x200f || code == 0x061c;
}

/* Writes one word of a comment. Inserts spaces between characters that would otherwise end the
 * comment, begin a nested one or form a trigraph. */
static void put_comment_word(bake_c_text *text, const char *word, size_t size)
{
    char previous = ' ';
    for (size_t i = 0; i < size;) {
        char c = word[i];
        uint32_t code;
        size_t length = utf8_decode(word + i, size - i, &code);
        bool is_unsafe = length == 0 || code < 0x20 || code == 0x7f || is_direction(code);
        if (is_unsafe) {
            bake_c_put(text, previous == '?' ? " ?" : "?");
            previous = '?';
            i += length ? length : 1;
            continue;
        }
        if ((previous == '*' && c == '/') || (previous == '/' && c == '*') ||
            (previous == '?' && c == '?'))
            bake_c_put(text, " ");
        bake_c_put_bytes(text, word + i, length);
        previous = word[i];
        i += length;
    }
}

/* The state of a comment that is being written. */
typedef struct comment {
    bake_c_text *text;
    unsigned indent;
    size_t line_begin;
    bool has_begun;
} comment;

static void begin_line(comment *c)
{
    bake_c_text *text = c->text;
    if (c->has_begun) {
        bake_c_put(text, "\n");
        c->line_begin = text->size;
        bake_c_put_format(text, "%*s *", (int)c->indent, "");
    } else {
        c->line_begin = text->size;
        bake_c_put_format(text, "%*s/*", (int)c->indent, "");
        c->has_begun = true;
    }
}

static void put_paragraphs(comment *c, const char *part)
{
    while (*part) {
        size_t line = strcspn(part, "\n");
        begin_line(c);
        for (const char *s = part, *end = part + line; s < end;) {
            size_t blanks = 0, word = 0;
            while (s + blanks < end && (s[blanks] == ' ' || s[blanks] == '\t' || s[blanks] == '\r'))
                blanks++;
            s += blanks;
            while (s + word < end && s[word] != ' ' && s[word] != '\t' && s[word] != '\r')
                word++;
            if (!word)
                break;
            /* Leaves three columns for the end of the comment. Does not split long words. */
            if (s > part + blanks && c->text->size - c->line_begin + 1 + word > LINE_WIDTH - 3)
                begin_line(c);
            bake_c_put(c->text, " ");
            put_comment_word(c->text, s, word);
            s += word;
        }
        part += line + (part[line] == '\n');
    }
}

void bake_c_put_comment(bake_c_text *text, unsigned indent, const char *const *parts, size_t count)
{
    comment c = {text, indent, 0, false};
    for (size_t i = 0; i < count; i++) {
        if (!parts[i] || !parts[i][strspn(parts[i], " \t\r\n")])
            continue;
        if (c.has_begun)
            begin_line(&c);
        put_paragraphs(&c, parts[i] + strspn(parts[i], "\r\n"));
    }
    if (c.has_begun)
        bake_c_put(text, " */\n");
}

void bake_c_put_literal(bake_c_text *text, const char *string)
{
    bake_c_put(text, "\"");
    for (; *string; string++) {
        unsigned char c = (unsigned char)*string;
        /* An escaped `?` cannot be part of a trigraph. */
        if (c == '"' || c == '\\' || c == '?')
            bake_c_put_format(text, "\\%c", c);
        else if (c < 0x20 || c >= 0x7f)
            bake_c_put_format(text, "\\%03o", c);
        else
            bake_c_put_bytes(text, string, 1);
    }
    bake_c_put(text, "\"");
}
