/* `%TAG` lines at the start of a stream, and the `stripped` keyword of Unity. Private to the
 * tree_*.c files.
 *
 * In YAML, a directive applies to one document. Tools that write many documents to a file, such as
 * Unity, often declare their tags only once, before the first document. So these lines apply to
 * each later document without directives. In such streams, the word `stripped` may follow the
 * anchor of a document that is a mapping, and the tree records it. Streams that do not begin
 * with a `%TAG` line are read as standard YAML. */
#ifndef BAKE_TREE_DIRECTIVE_H
#define BAKE_TREE_DIRECTIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    /* Longer directives apply to one document only. Otherwise repeating them before each document
     * could make a small input very large. */
    BAKE_DIRECTIVES_MAX = 256,
    BAKE_STRIPPED_LENGTH = 8
};

/* Inserted before a document, followed by the directives: it ends the previous document. */
#define BAKE_DOCUMENT_END "...\n"
enum { BAKE_DOCUMENT_END_LENGTH = sizeof BAKE_DOCUMENT_END - 1 };

/* The lines from the first directive to the `---` of the first document. */
typedef struct bake_directives {
    const char *text;
    size_t size; /* 0: no directives that apply to later documents */
} bake_directives;

bake_directives bake_directives_find(const char *text, size_t size);

/* The keyword `stripped` of the document whose `---` is at `at`; NULL if it has none. */
const char *bake_stripped_mark(const char *at, const char *end);
/* Whether the document whose first property is at `at` has this keyword. */
bool bake_is_stripped_at(const char *text, const char *at, const char *end);

/* A change to libyaml's input; the source itself is not modified. */
typedef struct bake_edit {
    size_t place;
    bool is_blank; /* replace `stripped` here with blanks; otherwise insert the directives */
} bake_edit;

typedef struct bake_edits {
    bake_directives directives;
    bake_edit *items;
    size_t count, capacity;
} bake_edits;

/* Whether the line at `at` begins a document with `---`. */
static inline bool bake_begins_document(const char *at, const char *end)
{
    return end - at >= 3 && at[0] == '-' && at[1] == '-' && at[2] == '-' &&
           (end - at == 3 || at[3] == ' ' || at[3] == '\t' || at[3] == '\n' || at[3] == '\r');
}

/* Lists the edits for a source that begins with `%TAG` lines. Returns false if memory runs out. */
bool bake_edits_list(bake_edits *edits, const char *text, size_t size);
void bake_edits_fini(bake_edits *edits);

#endif
