/* `%TAG` lines at the beginning of a stream, and what some tools build on them. Private to the
 * tree_*.c files.
 *
 * In YAML a directive holds for one document. Tools that write many documents to a file, such as
 * Unity, often declare their tags once, before the first document, for all of them. So these lines
 * hold for each later document without directives. In such streams the word `stripped` may follow
 * the anchor of a document that is a mapping; the tree stores this mark. Streams that do not begin
 * with a `%TAG` line are read as YAML says. */
#ifndef BAKE_TREE_DIRECTIVE_H
#define BAKE_TREE_DIRECTIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    /* Longer directives hold for one document only: repeating them before each document must not
     * make a small text a large one. */
    BAKE_DIRECTIVES_MAX = 256,
    BAKE_STRIPPED_LENGTH = 8
};

/* Inserted before a document: the end of the one before it, and the directives. */
#define BAKE_DOCUMENT_END "...\n"
enum { BAKE_DOCUMENT_END_LENGTH = sizeof BAKE_DOCUMENT_END - 1 };

/* The lines from the first directive to the `---` of the first document. */
typedef struct bake_directives {
    const char *text;
    size_t size; /* 0: none that hold for later documents */
} bake_directives;

bake_directives bake_directives_find(const char *text, size_t size);

/* The mark `stripped` of the document whose `---` is at `at`; NULL if it has none. */
const char *bake_stripped_mark(const char *at, const char *end);
/* Whether the document whose first property is at `at` has one. */
bool bake_is_stripped_at(const char *text, const char *at, const char *end);

/* A change of the source that libyaml reads; the source itself stays as it is. */
typedef struct bake_edit {
    size_t place;
    bool is_blank; /* the mark here is replaced by blanks; otherwise the directives are inserted */
} bake_edit;

typedef struct bake_edits {
    bake_directives directives;
    bake_edit *items;
    size_t count, capacity;
} bake_edits;

/* Whether the line at `at`, which is in the text, begins a document with `---`. */
static inline bool bake_begins_document(const char *at, const char *end)
{
    return end - at >= 3 && at[0] == '-' && at[1] == '-' && at[2] == '-' &&
           (end - at == 3 || at[3] == ' ' || at[3] == '\t' || at[3] == '\n' || at[3] == '\r');
}

/* Lists the edits of a text that begins with such directives. False when memory ran out. */
bool bake_edits_list(bake_edits *edits, const char *text, size_t size);
void bake_edits_fini(bake_edits *edits);

#endif
