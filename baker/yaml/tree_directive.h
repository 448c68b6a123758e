/* Lines `%TAG` at the beginning of a stream, and what some tools build on them. Private to the
 * tree_*.c files.
 *
 * YAML lets a directive hold for one document. Tools that write many documents into a file often
 * say their tags once, before the first, and mean all of them; so do we, for each document that has
 * no directives of its own. In such streams the word `stripped` may stand behind the anchor of a
 * document that is a mapping: a mark, which the tree keeps. Streams that do not begin with a `%TAG`
 * line are not touched by any of it. */
#ifndef BAKE_TREE_DIRECTIVE_H
#define BAKE_TREE_DIRECTIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    /* More bytes of directives are read as YAML says: what is put before each document must not
     * make a small text a large one. */
    BAKE_DIRECTIVES_MAX = 256,
    BAKE_STRIPPED_LENGTH = 8
};

/* What is put before a document: the end of the one before it, and the directives. */
#define BAKE_DOCUMENT_END "...\n"
enum { BAKE_DOCUMENT_END_LENGTH = sizeof BAKE_DOCUMENT_END - 1 };

/* The lines from the first directive to the `---` of the first document. */
typedef struct bake_directives {
    const char *text;
    size_t size; /* 0: none that would hold for later documents */
} bake_directives;

bake_directives bake_directives_find(const char *text, size_t size);

/* Where the word `stripped` stands as a mark in the document whose `---` is at `at`; NULL. */
const char *bake_stripped_mark(const char *at, const char *end);
/* Whether it does in the document whose first property is at `at`. */
bool bake_is_stripped_at(const char *text, const char *at, const char *end);

/* What libyaml must be given in the place of the source. */
typedef struct bake_edit {
    size_t place;
    bool is_blank; /* the mark that stands here is blank; otherwise the directives come before */
} bake_edit;

typedef struct bake_edits {
    bake_directives directives;
    bake_edit *items;
    size_t count, capacity;
} bake_edits;

/* Whether a line begins at `at`, which is in the text, with `---` and so begins a document. */
static inline bool bake_begins_document(const char *at, const char *end)
{
    return end - at >= 3 && at[0] == '-' && at[1] == '-' && at[2] == '-' &&
           (end - at == 3 || at[3] == ' ' || at[3] == '\t' || at[3] == '\n' || at[3] == '\r');
}

/* Lists the edits of a text that begins with such directives. False when memory ran out. */
bool bake_edits_list(bake_edits *edits, const char *text, size_t size);
void bake_edits_fini(bake_edits *edits);

#endif
