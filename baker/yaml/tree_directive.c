/* libyaml resets directives after each document, so the directives are inserted again into the
 * source that libyaml reads. The quick reader needs no insertions. Both readers use the functions
 * of this file, so they find the same documents. */
#include "tree_directive.h"

#include "ascii.h"
#include "bake_memory.h"

#include <string.h>

/* The maximum size of all insertions, so that every offset in libyaml's input fits 32 bits. */
#define INSERTED_MAX ((size_t)1 << 30)

static const char *next_line(const char *at, const char *end)
{
    const char *line_end = at < end ? memchr(at, '\n', (size_t)(end - at)) : NULL;
    return line_end ? line_end + 1 : end;
}

bake_directives bake_directives_find(const char *text, size_t size)
{
    const bake_directives none = {NULL, 0};
    const char *at = text, *end = text + size, *begin = NULL;
    bool has_tag = false;
    if (size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
        at += 3;
    for (; at < end; at = next_line(at, end)) {
        if (*at == '%') {
            begin = begin ? begin : at;
            has_tag = has_tag || (end - at >= 5 && memcmp(at, "%TAG ", 5) == 0);
        } else if (*at != '#' && *at != '\n' && *at != '\r') {
            break;
        }
        if (begin && at - begin > BAKE_DIRECTIVES_MAX)
            return none;
    }
    if (!has_tag || !bake_begins_document(at, end) || at - begin > BAKE_DIRECTIVES_MAX)
        return none;
    return (bake_directives){begin, (size_t)(at - begin)};
}

static const char *skip_blanks(const char *at, const char *end)
{
    while (at < end && (*at == ' ' || *at == '\t'))
        at++;
    return at;
}

static bool is_space(const char *at, const char *end)
{
    return at >= end || *at == ' ' || *at == '\t' || *at == '\n' || *at == '\r';
}

/* Whether the line at `at` begins with a word and a colon. If so, `stripped` on the line before is
 * the keyword, because it cannot be the start of a multi-line plain scalar. */
static bool is_key_line(const char *at, const char *end)
{
    const char *word = at;
    while (at < end && bake_is_word(*at))
        at++;
    return at > word && at < end && *at == ':' && is_space(at + 1, end);
}

const char *bake_stripped_mark(const char *at, const char *end)
{
    static const char word[] = "stripped";
    bool has_anchor = false;
    at += 3;
    for (;;) {
        const char *property = skip_blanks(at, end);
        if (property == at || property >= end)
            return NULL;
        at = property;
        if (*at != '&' && *at != '!')
            break;
        has_anchor = has_anchor || *at == '&';
        while (!is_space(at, end))
            at++;
    }
    if (!has_anchor || end - at < BAKE_STRIPPED_LENGTH ||
        memcmp(at, word, BAKE_STRIPPED_LENGTH) != 0)
        return NULL;
    const char *rest = skip_blanks(at + BAKE_STRIPPED_LENGTH, end);
    bool has_comment = rest < end && *rest == '#' && rest > at + BAKE_STRIPPED_LENGTH;
    if (rest < end && !has_comment && *rest != '\r' && *rest != '\n')
        return NULL;
    const char *line = next_line(rest, end);
    return is_key_line(line, end) ? at : NULL;
}

bool bake_is_stripped_at(const char *text, const char *at, const char *end)
{
    while (at > text && (at[-1] == ' ' || at[-1] == '\t'))
        at--;
    return at - text >= 3 && (at - text == 3 || at[-4] == '\n') &&
           bake_begins_document(at - 3, end) && bake_stripped_mark(at - 3, end) != NULL;
}

static bool add_edit(bake_edits *edits, size_t place, bool is_blank)
{
    bake_edit *items = bake_grow(edits->items, &edits->capacity, edits->count + 1, sizeof *items);
    if (!items)
        return false;
    edits->items = items;
    items[edits->count++] = (bake_edit){place, is_blank};
    return true;
}

bool bake_edits_list(bake_edits *edits, const char *text, size_t size)
{
    const char *end = text + size;
    const char *at = edits->directives.text + edits->directives.size;
    size_t step = edits->directives.size + BAKE_DOCUMENT_END_LENGTH, inserted = 0;
    /* The first document has its own directives. A line that begins with `%` counts as a directive
     * even in a scalar. Nothing is then inserted before the next document, as in standard YAML. */
    for (bool has_own = true; at < end; at = next_line(at, end)) {
        has_own = has_own || *at == '%';
        if (!bake_begins_document(at, end))
            continue;
        const char *mark = bake_stripped_mark(at, end);
        bool fits = inserted <= INSERTED_MAX - step;
        if (!has_own && fits && !add_edit(edits, (size_t)(at - text), false))
            return false;
        if (mark && !add_edit(edits, (size_t)(mark - text), true))
            return false;
        inserted += !has_own && fits ? step : 0;
        has_own = false;
    }
    return true;
}

void bake_edits_fini(bake_edits *edits)
{
    bake_free(edits->items);
}
