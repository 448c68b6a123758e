/* Parses type expressions such as `T[3]?` and `map<string, ref<Item>[]>`. Errors point into the
 * expression.
 *
 * A recursive descent parser for this grammar, where spaces between tokens are ignored:
 *
 *     type  = atom { "?" | "[]" [ align ] | "[" number "]" }
 *     atom  = builtin | "bytes" [ align ] | name | "ref" [ "<" name ">" ] | "data<" type ">"
 *           | "map<" type "," type ">"
 *     align = "@" number
 *
 * Every subexpression is interned, so equal expressions are the same type. */
#include "schema_reader.h"

#include "ascii.h"
#include "bake_text.h"
#include "scalar_parse.h"

#include <string.h>

typedef struct expression {
    schema_reader *reader;
    const schema_file *file;
    bake_node_id node;
    const char *path;
    const char *text;
    size_t length, at;
} expression;

/* Limit for nested `map<` and `data<`; also bounds the recursion. */
enum { NESTING_MAX = KILN_ANONYMOUS_DEPTH_MAX };

static uint32_t parse_type(expression *e, int depth);

/* Returns the location of `length` bytes at `at`, or of the whole expression if it spans several
 * lines. */
static bake_mark place(const expression *e, size_t at, size_t length)
{
    bake_mark mark = schema_mark(e->file, e->node);
    size_t quote = bake_node_is_plain(e->file->tree, e->node) ? 0 : 1;
    if (at + quote >= mark.length || memchr(e->text, '\n', e->length))
        return mark;
    mark.column += (uint32_t)(at + quote);
    mark.length = (uint32_t)(length ? length : 1);
    return mark;
}

static uint32_t fail(const expression *e, size_t at, size_t length, const char *message)
{
    bake_report(e->reader->diagnostics, BAKE_ERROR, place(e, at, length), "type", e->path, "%s",
                message);
    return KILN_TYPE_NONE;
}

static void skip_space(expression *e)
{
    while (e->at < e->length && e->text[e->at] == ' ')
        e->at++;
}

static bool accept(expression *e, char c)
{
    skip_space(e);
    if (e->at == e->length || e->text[e->at] != c)
        return false;
    e->at++;
    return true;
}

static size_t word_length(expression *e)
{
    skip_space(e);
    size_t end = e->at;
    while (end < e->length) {
        char c = e->text[end];
        if (!bake_is_word(c) && c != '.')
            break;
        end++;
    }
    return end - e->at;
}

static bool word_is(const expression *e, size_t length, const char *word)
{
    return bake_text_is(e->text + e->at, length, word);
}

static uint32_t intern(const expression *e, const kiln_type *type, size_t at)
{
    schema_reader *reader = e->reader;
    uint32_t number = bake_schema_intern(reader, type, e->file, place(e, at, e->at - at));
    if (number != KILN_TYPE_NONE &&
        reader->extras[number].anonymous_depth > KILN_ANONYMOUS_DEPTH_MAX)
        return fail(
            e, at, e->at - at,
            "more than 8 unnamed types are nested here; declare a named type for a part of them");
    return number;
}

static bool parse_number(expression *e, uint64_t max, uint64_t *ret_number)
{
    size_t length = word_length(e);
    uint64_t number;
    bool ok = length > 0 && bake_is_digit(e->text[e->at]) &&
              bake_parse_integer(KILN_KIND_U32, e->text + e->at, length, &number) == BAKE_PARSE_OK;
    if (!ok || number == 0 || number > max) {
        bake_report(e->reader->diagnostics, BAKE_ERROR, place(e, e->at, length), "type", e->path,
                    "expected a number from 1 to %llu", (unsigned long long)max);
        return false;
    }
    e->at += length;
    *ret_number = number;
    return true;
}

/* Parses an optional `@64` after `bytes` or `T[]`; 0 if absent. */
static bool parse_align(expression *e, uint32_t *ret_align)
{
    uint64_t align;
    *ret_align = 0;
    if (!accept(e, '@'))
        return true;
    size_t at = e->at;
    if (!parse_number(e, KILN_ALIGN_MAX, &align))
        return false;
    if (align & (align - 1)) {
        fail(e, at, e->at - at, "the alignment must be a power of two");
        return false;
    }
    *ret_align = (uint32_t)align;
    return true;
}

/* Whether the type is a newtype with `entity: true`. Its members may not have been read yet, so
 * this function checks only the attribute; schema_forms.c checks that the newtype wraps a u32. */
static bool is_entity_number(const expression *e, uint32_t type)
{
    const schema_type *extra = &e->reader->extras[type];
    bake_node_id node = extra->attributes[TYPE_ENTITY];
    size_t length = 0;
    if (extra->attributes[TYPE_WRAP] == BAKE_NODE_NONE || node == BAKE_NODE_NONE)
        return false;
    const char *text = bake_node_text(extra->file->tree, node, &length);
    return length == 4 && memcmp(text, "true", 4) == 0;
}

static uint32_t parse_map(expression *e, int depth)
{
    size_t at = e->at;
    kiln_type type = bake_schema_blank_type(KILN_KIND_MAP, "");
    e->at += strlen("map");
    if (!accept(e, '<'))
        return fail(e, e->at, 1, "expected `<key, value>` after `map`");
    skip_space(e);
    size_t key_at = e->at;
    type.key = parse_type(e, depth + 1);
    size_t key_end = e->at;
    if (type.key == KILN_TYPE_NONE)
        return KILN_TYPE_NONE;
    if (!accept(e, ','))
        return fail(e, e->at, 1, "expected `,` and the type of the map's values");
    type.element = parse_type(e, depth + 1);
    if (type.element == KILN_TYPE_NONE)
        return KILN_TYPE_NONE;
    if (!accept(e, '>'))
        return fail(e, e->at, 1, "expected `>`");
    const kiln_type *key = &e->reader->types[type.key];
    kiln_kind kind = key->kind;
    if (kind == KILN_KIND_NONE)
        return KILN_TYPE_NONE; /* its declaration has an error, which was reported */
    if (is_entity_number(e, type.key)) {
        kiln_type number = bake_schema_blank_type(KILN_KIND_U32, "");
        type.align_at = SCHEMA_ENTITY_KEYS;
        type.key = intern(e, &number, key_at);
        return type.key == KILN_TYPE_NONE ? KILN_TYPE_NONE : intern(e, &type, at);
    }
    bool ok = kind <= KILN_KIND_STRING || kind == KILN_KIND_ENUM || kind == KILN_KIND_REF ||
              (kind == KILN_KIND_FIXED && e->reader->types[key->element].kind <= KILN_KIND_F64);
    if (!ok)
        return fail(e, key_at, key_end - key_at,
                    "a map key must be a bool, number, string, enum, ref, a fixed array of bools "
                    "or numbers, or a newtype with `entity: true`");
    return intern(e, &type, at);
}

/* Adds a use of an unknown type to the list of the reader. Returns false if the list is full. */
static bool add_unknown(expression *e, const char *name, size_t length)
{
    enum { UNKNOWN_MAX = 64 };
    schema_reader *reader = e->reader;
    schema_unknown **at = &reader->unknown;
    size_t count = 0;
    for (; *at; at = &(*at)->next, count++) {
        if ((*at)->file == e->file && (*at)->length == length &&
            memcmp((*at)->name, name, length) == 0) {
            (*at)->count++;
            return true;
        }
    }
    schema_unknown *added =
        count < UNKNOWN_MAX ? bake_store_alloc(reader->store, 1, sizeof *added) : NULL;
    const char *path = added ? bake_store_text(reader->store, e->path, strlen(e->path)) : NULL;
    if (!path)
        return false;
    *added = (schema_unknown){e->file, name, path, length, place(e, e->at, length), 1, NULL};
    *at = added;
    return true;
}

static void report_unknown(const schema_reader *reader, const schema_unknown *u)
{
    char more[BAKE_PLACES_SIZE];
    bake_report(reader->diagnostics, BAKE_ERROR, u->mark, "type", u->path,
                "unknown type \"%.*s\"%s", (int)(u->length < 200 ? u->length : 200), u->name,
                bake_places_text(more, u->count));
}

void bake_schema_report_unknown(schema_reader *reader)
{
    for (const schema_unknown *u = reader->unknown; u; u = u->next) {
        report_unknown(reader, u);
        bake_schema_hint_types(reader, u->file, u->name, u->length);
    }
    reader->unknown = NULL;
}

static uint32_t look_up(expression *e, size_t length)
{
    const char *name = e->text + e->at;
    uint32_t found = bake_schema_look_up(e->reader, e->file, name, length);
    if (found == KILN_TYPE_NONE && !add_unknown(e, name, length)) {
        schema_unknown alone = {e->file, name, e->path, length, place(e, e->at, length), 1, NULL};
        report_unknown(e->reader, &alone);
        bake_schema_hint_types(e->reader, e->file, name, length);
    }
    return found;
}

/* A reference needs an asset type. The members of that type may not have been read yet, but the
 * declaration already shows whether it is an asset. */
static uint32_t parse_ref(expression *e)
{
    size_t at = e->at;
    kiln_type type = bake_schema_blank_type(KILN_KIND_REF, "");
    e->at += strlen("ref");
    if (!accept(e, '<'))
        return intern(e, &type, at);
    size_t length = word_length(e);
    if (length == 0)
        return fail(e, e->at, 1, "expected the name of an asset type");
    bool builtin = bake_schema_is_builtin(e->text + e->at, length);
    type.element = builtin ? KILN_TYPE_NONE : look_up(e, length);
    if (type.element == KILN_TYPE_NONE && !builtin)
        return KILN_TYPE_NONE;
    if (!builtin && e->reader->types[type.element].kind == KILN_KIND_NONE)
        return KILN_TYPE_NONE;
    if (builtin || !bake_schema_is_asset(e->reader, type.element))
        return fail(e, e->at, length, "a reference must name a type with `asset: true`");
    e->at += length;
    if (!accept(e, '>'))
        return fail(e, e->at, 1, "expected `>`");
    return intern(e, &type, at);
}

static uint32_t parse_data(expression *e, int depth)
{
    size_t at = e->at;
    kiln_type type = bake_schema_blank_type(KILN_KIND_DATA, "");
    e->at += strlen("data");
    if (!accept(e, '<'))
        return fail(e, e->at, 1, "expected `<type>` after `data`");
    type.element = parse_type(e, depth + 1);
    if (type.element == KILN_TYPE_NONE)
        return KILN_TYPE_NONE;
    if (!accept(e, '>'))
        return fail(e, e->at, 1, "expected `>`");
    return intern(e, &type, at);
}

static uint32_t parse_atom(expression *e, int depth)
{
    size_t length = word_length(e);
    if (length == 0)
        return fail(e, e->at, 1, "expected a type");
    if (word_is(e, length, "map"))
        return parse_map(e, depth);
    if (word_is(e, length, "ref"))
        return parse_ref(e);
    if (word_is(e, length, "data"))
        return parse_data(e, depth);
    if (word_is(e, length, "entity")) {
        kiln_type type = bake_schema_blank_type(KILN_KIND_ENTITY, "");
        e->at += length;
        return intern(e, &type, e->at - length);
    }
    if (word_is(e, length, "payload")) {
        e->at += length;
        return bake_schema_payload(e->reader, e->file, place(e, e->at - length, length));
    }
    for (kiln_kind kind = KILN_KIND_BOOL; kind <= KILN_KIND_BYTES; kind++) {
        if (!word_is(e, length, kiln_kind_name(kind)))
            continue;
        kiln_type type = bake_schema_blank_type(kind, "");
        size_t at = e->at;
        e->at += length;
        if (kind == KILN_KIND_BYTES && !parse_align(e, &type.align_at))
            return KILN_TYPE_NONE;
        return intern(e, &type, at);
    }
    uint32_t found = look_up(e, length);
    e->at += length;
    return found;
}

/* Suffixes apply from left to right: `u8[3]?` is an optional array, `u8?[3]` an array of optionals.
 */
static uint32_t parse_suffix(expression *e, uint32_t of, size_t start, bool *ret_more)
{
    kiln_type type = bake_schema_blank_type(KILN_KIND_NONE, "");
    type.element = of;
    *ret_more = true;
    skip_space(e);
    size_t at = e->at;
    if (accept(e, '?')) {
        kiln_kind kind = e->reader->types[of].kind;
        if (kind == KILN_KIND_OPTIONAL || kind == KILN_KIND_UNION)
            return fail(e, at, 1,
                        kind == KILN_KIND_UNION
                            ? "a union can already be unset; remove the `?`"
                            : "an optional can already be absent; remove the second `?`");
        type.kind = KILN_KIND_OPTIONAL;
        return intern(e, &type, start);
    }
    if (!accept(e, '[')) {
        *ret_more = false;
        return of;
    }
    if (accept(e, ']')) {
        type.kind = KILN_KIND_ARRAY;
        if (!parse_align(e, &type.align_at))
            return KILN_TYPE_NONE;
        return intern(e, &type, start);
    }
    uint64_t count;
    if (!parse_number(e, UINT32_MAX >> 1, &count))
        return KILN_TYPE_NONE;
    if (!accept(e, ']'))
        return fail(e, e->at, 1, "expected `]`");
    type.kind = KILN_KIND_FIXED;
    type.count = (uint32_t)count;
    return intern(e, &type, start);
}

static uint32_t parse_type(expression *e, int depth)
{
    skip_space(e);
    size_t start = e->at;
    if (depth > NESTING_MAX)
        return fail(
            e, start, 1,
            "more than 8 unnamed types are nested here; declare a named type for a part of them");
    uint32_t type = parse_atom(e, depth);
    for (bool more = true; more && type != KILN_TYPE_NONE;)
        type = parse_suffix(e, type, start, &more);
    return type;
}

uint32_t bake_schema_read_expression(schema_reader *reader, const schema_file *file,
                                     bake_node_id node, const char *path)
{
    expression e = {reader, file, node, path, NULL, 0, 0};
    e.text = bake_schema_read_text(reader, file, node, path, "a type expression", &e.length);
    if (!e.text)
        return KILN_TYPE_NONE;
    uint32_t type = parse_type(&e, 0);
    if (type == KILN_TYPE_NONE)
        return type;
    skip_space(&e);
    if (e.at < e.length)
        return fail(&e, e.at, e.length - e.at, "unexpected text after the type expression");
    return type;
}
