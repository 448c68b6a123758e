/* Names of enums and flag sets in other spellings: in any letter case, or with a prefix. With
 * `case: any`, all names are in a list sorted without regard to case, so each lookup is a binary
 * search. Exact names are tried first, so names written as declared cost nothing extra. */
#include "schema_reader.h"

#include "ascii.h"
#include "lower_bound.h"

#include <stdlib.h>
#include <string.h>

/* Compares a name with `length` bytes of `text`, ignoring the case of ASCII letters. */
static int compare(const char *name, const char *text, size_t length)
{
    size_t i = 0;
    while (i < length && name[i] && bake_lower(name[i]) == bake_lower(text[i]))
        i++;
    if (i == length)
        return name[i] != '\0';
    /* `text` can contain a NUL at the offset where the name ends. The name then sorts first,
     * because it is shorter. */
    int name_byte = name[i] ? (unsigned char)bake_lower(name[i]) : -1;
    return name_byte - (unsigned char)bake_lower(text[i]);
}

static int compare_words(const void *a, const void *b)
{
    const bake_word *x = a, *y = b;
    int order = compare(x->name, y->name, strlen(y->name));
    return order ? order : x->member < y->member ? -1 : x->member > y->member;
}

static void report_same(schema_reader *reader, uint32_t number, const bake_word *a,
                        const bake_word *b)
{
    const schema_type *extra = &reader->extras[number];
    bake_report(reader->diagnostics, BAKE_ERROR, extra->members[b->member].mark, "duplicate",
                extra->name, "\"%s\" and \"%s\" differ only in case, so `case` cannot be `any`",
                a->name, b->name);
}

/* Names of different members that differ only in case make a lookup ambiguous. Names of the same
 * member do not. */
static void sort_words(schema_reader *reader, uint32_t number, bake_words *words)
{
    const kiln_type *type = &reader->types[number];
    uint32_t count = type->member_count, n = 0;
    for (uint32_t i = 0; i < type->member_count; i++)
        count += type->members[i].was_count;
    bake_word *all = bake_store_alloc(reader->store, count, sizeof *all);
    if (!all || count == 0)
        return;
    for (uint32_t i = 0; i < type->member_count; i++) {
        const kiln_member *member = &type->members[i];
        all[n++] = (bake_word){member->name, i, false};
        for (uint32_t w = 0; w < member->was_count; w++)
            all[n++] = (bake_word){member->was[w], i, true};
    }
    qsort(all, count, sizeof *all, compare_words);
    for (uint32_t i = 1; i < count; i++)
        if (all[i].member != all[i - 1].member &&
            compare(all[i].name, all[i - 1].name, strlen(all[i - 1].name)) == 0)
            report_same(reader, number, &all[i - 1], &all[i]);
    words->words = all;
    words->word_count = count;
}

static void read_prefixes(schema_reader *reader, const schema_type *extra, bake_words *words)
{
    uint32_t n = 0;
    schema_items items = bake_schema_items(extra->file->tree, extra->attributes[TYPE_PREFIX]);
    const char **prefixes = bake_store_alloc(reader->store, items.left, sizeof *prefixes);
    for (bake_node_id one; prefixes && bake_schema_items_next(&items, &one);) {
        const char *text =
            bake_schema_read_text(reader, extra->file, one, extra->name, "a prefix", NULL);
        if (text && !*text)
            bake_report(reader->diagnostics, BAKE_ERROR, schema_mark(extra->file, one), "schema",
                        extra->name, "a prefix cannot be empty");
        else if (text)
            prefixes[n++] = text;
    }
    words->prefixes = prefixes;
    words->prefix_count = n;
}

static void read_none(schema_reader *reader, uint32_t number, bake_words *words)
{
    schema_type *extra = &reader->extras[number];
    const kiln_type *type = &reader->types[number];
    bake_node_id node = extra->attributes[TYPE_NONE];
    words->none = bake_schema_read_text(reader, extra->file, node, extra->name,
                                        "the word for the empty set", NULL);
    extra->forms |= BAKE_NONE;
    for (uint32_t i = 0; words->none && i < type->member_count; i++)
        if (compare(type->members[i].name, words->none, strlen(words->none)) == 0)
            bake_report(reader->diagnostics, BAKE_ERROR, schema_mark(extra->file, node),
                        "duplicate", extra->name, "\"%s\" is the name of a flag", words->none);
}

void bake_schema_read_words(schema_reader *reader, uint32_t number)
{
    schema_type *extra = &reader->extras[number];
    bake_node_id any = extra->attributes[TYPE_CASE], prefix = extra->attributes[TYPE_PREFIX];
    bake_node_id none = extra->attributes[TYPE_NONE];
    kiln_kind kind = reader->types[number].kind;
    if ((kind != KILN_KIND_ENUM && kind != KILN_KIND_FLAGS) ||
        (any == BAKE_NODE_NONE && prefix == BAKE_NODE_NONE && none == BAKE_NODE_NONE))
        return;
    bake_words *words = bake_store_alloc(reader->store, 1, sizeof *words);
    if (!words)
        return;
    extra->words = words;
    if (prefix != BAKE_NODE_NONE) {
        extra->forms |= BAKE_PREFIX;
        read_prefixes(reader, extra, words);
    }
    if (none != BAKE_NODE_NONE)
        read_none(reader, number, words);
    if (any == BAKE_NODE_NONE)
        return;
    const char *text = bake_schema_read_text(reader, extra->file, any, extra->name, "`any`", NULL);
    if (text && strcmp(text, "any") != 0)
        bake_report(reader->diagnostics, BAKE_ERROR, schema_mark(extra->file, any), "schema",
                    extra->name, "`case` must be `any`; leave it out if case matters");
    extra->forms |= BAKE_ANY_CASE;
    sort_words(reader, number, words);
}

static bool is_word_below(const void *words, size_t at, const void *key)
{
    const text_key *text = key;
    return compare(((const bake_word *)words)[at].name, text->text, text->length) < 0;
}

static const kiln_member *find_word(const bake_schema *schema, uint32_t type, const char *name,
                                    size_t length, bool *ret_was)
{
    const bake_type_info *info = &schema->info[type];
    const bake_words *words = info->words;
    if (!(info->forms & BAKE_ANY_CASE))
        return bake_schema_member(schema, type, name, length, ret_was);
    text_key key = {name, length};
    uint32_t low = (uint32_t)lower_bound(words->words, 0, words->word_count, is_word_below, &key);
    if (low == words->word_count || compare(words->words[low].name, name, length) != 0)
        return NULL;
    /* If a current and an earlier name differ only in case, the current name wins. */
    *ret_was = words->words[low].is_was;
    for (uint32_t i = low + 1;
         *ret_was && i < words->word_count && compare(words->words[i].name, name, length) == 0; i++)
        *ret_was = words->words[i].is_was;
    return &kiln_types_get(schema->types, type)->members[words->words[low].member];
}

/* Returns the length of prefix `i` if the name begins with it, otherwise 0. */
static size_t prefix_length(const bake_type_info *info, uint32_t i, const char *name, size_t length)
{
    const char *prefix = info->words->prefixes[i];
    size_t size = strlen(prefix);
    bool fits = size <= length && (info->forms & BAKE_ANY_CASE ? compare(prefix, name, size) == 0
                                                               : memcmp(prefix, name, size) == 0);
    return fits ? size : 0;
}

/* One prefix can be the beginning of another, so the longest match wins. */
size_t bake_schema_prefix(const bake_schema *schema, uint32_t type, const char *name, size_t length)
{
    const bake_type_info *info = &schema->info[type];
    size_t longest = 0;
    for (uint32_t i = 0; info->words && i < info->words->prefix_count; i++) {
        size_t size = prefix_length(info, i, name, length);
        longest = size > longest ? size : longest;
    }
    return longest;
}

const kiln_member *bake_schema_value(const bake_schema *schema, uint32_t type, const char *name,
                                     size_t length, bool *ret_was)
{
    const bake_type_info *info = &schema->info[type];
    const kiln_member *member = bake_schema_member(schema, type, name, length, ret_was);
    if (member || !info->words)
        return member;
    member = find_word(schema, type, name, length, ret_was);
    for (uint32_t i = 0; !member && i < info->words->prefix_count; i++) {
        size_t size = prefix_length(info, i, name, length);
        if (size > 0)
            member = find_word(schema, type, name + size, length - size, ret_was);
    }
    return member;
}

bool bake_schema_is_none(const bake_schema *schema, uint32_t type, const char *name, size_t length)
{
    const bake_type_info *info = &schema->info[type];
    if (!(info->forms & BAKE_NONE))
        return false;
    size_t prefix = bake_schema_prefix(schema, type, name, length);
    for (size_t at = 0;; at = prefix) {
        const char *none = info->words->none;
        bool matches = info->forms & BAKE_ANY_CASE ? compare(none, name + at, length - at) == 0
                                                   : strlen(none) == length - at &&
                                                         memcmp(none, name + at, length - at) == 0;
        if (matches || at == prefix)
            return matches;
    }
}
