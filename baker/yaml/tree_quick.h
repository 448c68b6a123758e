/* A fast parser for the commonly used subset of YAML, which runs before libyaml. tree_quick.c
 * parses structure, tree_quick_token.c parses scalars, tags and anchors. Private to the tree_*.c
 * files.
 *
 * A measurement justifies this parser: baking all 682 files of the game ss14-2021 with its schema
 * executes 828 million instructions, 134 million of them to read YAML. With libyaml alone, these
 * numbers are 1,458 million and 763 million, so reading takes 5.7 times the instructions. The whole
 * run then takes 1.3 times the user and system time. The baked files are identical. Instructions
 * were counted with callgrind in a debugoptimized build with gcc, x86-64, libyaml 0.2.5.
 *
 * libfyaml 0.7.12 is not faster: it executes 731 million instructions to parse the 668 YAML files
 * of that game into events without a tree (libyaml: 567 million), and 4,107 million to build its
 * document trees.
 *
 * This parser supports block and flow collections; plain, quoted and block scalars on any number of
 * lines; comments, anchors, aliases; tags of the forms `!a`, `!!a` and `!a!b`; multiple documents
 * and directives that apply to later documents, too. It gives up on everything else: other
 * directives, `? ` keys, other tags, tabs that could be indentation, and anything that is or might
 * be wrong. libyaml then reads the source from the start, so this parser needs no error messages.
 * libyaml accepts every input that this parser accepts, with the same result.
 *
 * Some rules look odd because they copy libyaml: `#` begins a comment wherever a token could begin,
 * and a key must be short and on one line with its colon. */
#ifndef BAKE_TREE_QUICK_H
#define BAKE_TREE_QUICK_H

#include "ascii.h"
#include "tree_builder.h"

enum {
    QUICK_TAG_MAX = 255,
    QUICK_HANDLES_MAX = 4,
    QUICK_KEY_MAX = 1000 /* bytes; libyaml allows 1,024 characters */
};

/* A tag handle, declared by `%TAG !a! prefix`. */
typedef struct quick_handle {
    const char *handle, *prefix;
    size_t handle_length, prefix_length;
} quick_handle;

typedef struct quick_reader {
    bake_builder *b;
    const char *text;
    const char *end;
    const char *at;
    const char *line;     /* start of the line that contains `at` */
    ptrdiff_t column;     /* in block context, the column of `at`; -1: the document ends here */
    ptrdiff_t indent;     /* in flow context, the indentation of the enclosing block; -1: none */
    const char *stripped; /* the keyword `stripped` of this document; NULL: none */
    quick_handle handles[QUICK_HANDLES_MAX];
    unsigned handle_count;
    char *buffer; /* a scalar whose bytes differ from the source */
    size_t length;
    size_t capacity;
    bake_build result; /* STOPPED: the reader gave up */
} quick_reader;

/* A scalar that is not yet a node, because it may be the first key of a mapping. */
typedef struct quick_scalar {
    bake_scalar scalar;
    bool is_alias;
    bool one_line;
} quick_scalar;

/* Reads the source. If the result is STOPPED, discard the partial contents of tree and builder, and
 * let libyaml read the source instead. */
bake_build bake_read_quick(bake_builder *b);

/* tree_quick_token.c */

/* Append to the buffer: bytes, or `count` newlines. */
bool bake_quick_append(quick_reader *r, const char *text, size_t length);
bool bake_quick_append_breaks(quick_reader *r, size_t count);
/* Fills in the scalar from `begin` to r->at; its bytes are in the source or, for a copied form, in
 * the buffer. */
void bake_quick_finish(quick_reader *r, const char *begin, bake_form form, quick_scalar *ret);
/* Reads the scalar or alias at `r->at`, except block scalars, and advances `r->at`. In block
 * context, a plain scalar continues on lines that are indented deeper than `indent`; in flow
 * context, on any line. Tabs never count as indentation. */
bool bake_quick_scalar(quick_reader *r, bool flow, ptrdiff_t indent, quick_scalar *ret);
/* Reads the directives in b->directives, up to the first document. Returns false if one has an
 * unusual form or a later line begins with `%`. */
bool bake_quick_directives(quick_reader *r);
/* Reads the tag and anchor before a node. `buffer` receives an expanded tag. */
bool bake_quick_properties(quick_reader *r, bool flow, bake_properties *ret,
                           char buffer[QUICK_TAG_MAX]);

static inline bool quick_give_up(quick_reader *r)
{
    if (r->result == BAKE_BUILD_OK)
        r->result = BAKE_BUILD_STOPPED;
    return false;
}

static inline bool quick_build(quick_reader *r, bake_build result)
{
    if (result != BAKE_BUILD_OK)
        r->result = result;
    return result == BAKE_BUILD_OK;
}

/* The byte at `at`; NUL at the end of the source, which itself contains no NUL. */
static inline char quick_byte(const quick_reader *r, const char *at)
{
    return at < r->end ? *at : '\0';
}

static inline bool quick_is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static inline bool quick_is_break(char c)
{
    return c == '\n' || c == '\r';
}

/* Whether `c` is a blank, a line break or the end of the source. */
static inline bool quick_is_space(char c)
{
    return quick_is_blank(c) || quick_is_break(c) || c == '\0';
}

static inline uint32_t quick_place(const quick_reader *r, const char *at)
{
    return (uint32_t)(at - r->text);
}

static inline const char *quick_skip_blanks(const quick_reader *r, const char *at)
{
    while (at < r->end && quick_is_blank(*at))
        at++;
    return at;
}

/* The position after the line break at `at`, which is LF or CR LF. */
static inline const char *quick_skip_break(const char *at)
{
    return at + (*at == '\r' ? 2 : 1);
}

static inline const char *quick_skip_comment(const quick_reader *r, const char *at)
{
    const char *end = memchr(at, '\n', (size_t)(r->end - at));
    if (!end)
        return r->end;
    return end > at && end[-1] == '\r' ? end - 1 : end;
}

/* Whether `---` or `...` is at `at`, which must be the start of a line. */
static inline bool quick_is_marker(const quick_reader *r, const char *at)
{
    return r->end - at >= 3 && (*at == '-' || *at == '.') && at[1] == *at && at[2] == *at &&
           quick_is_space(quick_byte(r, at + 3));
}

static inline bool quick_begins_plain(const quick_reader *r, const char *at, bool flow)
{
    char c = quick_byte(r, at);
    if (c == '-' || (!flow && (c == ':' || c == '?')))
        return !quick_is_space(quick_byte(r, at + 1));
    if (bake_is_lower(c) || bake_is_digit(c))
        return true;
    return !quick_is_space(c) && !strchr("?:,[]{}#&*!|>'\"%@`", c);
}

/* Adds the scalar as a node. A fast path handles scalars without properties. */
static inline bool quick_add(quick_reader *r, const bake_properties *properties,
                             const quick_scalar *scalar)
{
    const bake_scalar *s = &scalar->scalar;
    bake_builder *b = r->b;
    bake_tree *tree = b->tree;
    if (scalar->is_alias)
        return properties->anchor || properties->tag
                   ? quick_give_up(r)
                   : quick_build(r, bake_builder_alias(b, s->text, s->length, s->place, s->end));
    bool has_properties = properties->anchor || properties->tag;
    if (has_properties || b->depth == 0 || s->form >= BAKE_FORM_COPIED ||
        s->length > BAKE_SIZE_MAX || s->place > BAKE_PLACE_MAX ||
        tree->word_capacity - tree->word_count < 2 || !bake_tree_fits(tree->word_count, 2) ||
        (s->length == 2 && s->text[0] == '<' && s->text[1] == '<')) {
        bake_properties own = *properties;
        own.place = has_properties ? own.place : s->place;
        return quick_build(r, bake_builder_scalar(b, &own, s));
    }
    uint32_t *words = tree->words + tree->word_count;
    words[0] = (uint32_t)BAKE_NODE_SCALAR << BAKE_PLACE_BITS | s->place;
    words[1] = (uint32_t)s->form << 30 | (uint32_t)s->length;
    tree->word_count += 2;
    b->weight++;
    b->frames[b->depth].count++;
    return true;
}

/* Adds an empty plain scalar at `at`. */
static inline bool quick_add_empty(quick_reader *r, const bake_properties *properties,
                                   const char *at)
{
    quick_scalar nothing = {.scalar = {.form = BAKE_FORM_PLAIN, .text = at}};
    nothing.scalar.place = nothing.scalar.end = quick_place(r, at);
    return quick_add(r, properties, &nothing);
}

#endif
