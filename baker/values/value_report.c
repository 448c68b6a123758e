/* Words for what is wrong with a value, and the way to it. */
#include "value_baker.h"

#include "ascii.h"
#include "bake_memory.h"
#include "node_words.h"
#include "similar.h"

#include <kiln/index.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

typedef struct path_text {
    char *out;
    size_t length;
} path_text;

enum { STEPS_SHOWN = 64, PATH_TAIL = 8 };

static void put(path_text *path, const char *text, size_t length)
{
    size_t room = VALUE_PATH_SIZE - PATH_TAIL - path->length;
    if (length > room)
        length = room;
    memcpy(path->out + path->length, text, length);
    path->length += length;
    path->out[path->length] = '\0';
}

static void put_quoted(path_text *path, const char *text, size_t length)
{
    put(path, "[\"", 2);
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)text[i];
        char escaped[8];
        if (c == '"' || c == '\\')
            snprintf(escaped, sizeof escaped, "\\%c", c);
        else if (c < 0x20 || c == 0x7f)
            snprintf(escaped, sizeof escaped, "\\u%04x", c);
        else
            snprintf(escaped, sizeof escaped, "%c", c);
        put(path, escaped, strlen(escaped));
    }
    put(path, "\"]", 2);
}

static void put_step(path_text *path, const value_step *step)
{
    char number[32];
    if (step->kind == STEP_NUMBER) {
        int length = snprintf(number, sizeof number, "[%llu]", (unsigned long long)step->number);
        put(path, number, (size_t)length);
    } else if (step->kind == STEP_NAME && bake_is_name(step->text, step->length, '-')) {
        put(path, ".", path->length > 0);
        put(path, step->text, step->length);
    } else {
        put_quoted(path, step->text, step->length);
    }
}

void bake_value_path_text(const bake_values *b, const value_step *step, char out[VALUE_PATH_SIZE])
{
    path_text path = {out, 0};
    const value_step *steps[STEPS_SHOWN];
    size_t count = 0, total = 0;
    out[0] = '\0';
    if (b->root_name)
        put(&path, b->root_name, strlen(b->root_name));
    for (const value_step *s = step; s; s = s->up)
        total++;
    /* The last steps say most. */
    for (const value_step *s = step; s && count < STEPS_SHOWN; s = s->up)
        steps[count++] = s;
    if (total > count)
        put(&path, "...", 3);
    while (count > 0)
        put_step(&path, steps[--count]);
    if (path.length == VALUE_PATH_SIZE - PATH_TAIL)
        memcpy(out + path.length, "...", 4);
}

/* Whether a component has a warning that another has told, which has the same from the same place:
 * of a prefab, one that all made from it have. One scalar may have several, as flags are written.
 */
static bool was_told(bake_values *b, bake_mark mark, const char *message)
{
    bool is_new = true;
    if (b->asset || b->root_type != KILN_TYPE_NONE || b->diagnostics == b->silence)
        return false;
    uint32_t said = (uint32_t)(kiln_content_hash(message, strlen(message)).low >> 33);
    if (!bake_place_set_add(&b->told, said, mark, &is_new)) {
        bake_fail_memory(b->failure);
        bake_value_stop(b);
    }
    return !is_new;
}

static bool report(bake_values *b, bake_severity severity, bake_mark mark, const char *rule,
                   const value_step *step, const char *message)
{
    char path[VALUE_PATH_SIZE];
    bake_value_path_text(b, step, path);
    bake_report(b->diagnostics, severity, mark, rule, path, "%s", message);
    if (b->is_again)
        bake_report_again(b->diagnostics);
    return false;
}

static bool warn(bake_values *b, bake_mark mark, const char *rule, const value_step *step,
                 const char *message)
{
    if (was_told(b, mark, message)) {
        b->untold_count++;
        return false;
    }
    b->warning_count++;
    return !bake_report_beyond(b->diagnostics, BAKE_WARNING, mark) &&
           report(b, BAKE_WARNING, mark, rule, step, message);
}

bool bake_value_report(bake_values *b, bake_severity severity, bake_mark mark, const char *rule,
                       const value_step *step, const char *format, ...)
{
    char message[640];
    va_list arguments;
    if (severity == BAKE_WARNING && b->no_warnings) {
        b->untold_count++;
        return false;
    }
    if (severity == BAKE_ERROR) {
        b->error_count++;
        if (bake_report_beyond(b->diagnostics, severity, mark))
            return false;
    }
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return severity == BAKE_WARNING ? warn(b, mark, rule, step, message)
                                    : report(b, severity, mark, rule, step, message);
}

const char *bake_value_cut(char out[VALUE_QUOTE_SIZE], const char *text, size_t length)
{
    size_t kept = length < VALUE_QUOTE_SIZE - 8 ? length : VALUE_QUOTE_SIZE - 8;
    /* Never in the middle of a character. */
    while (kept < length && kept > 0 && ((unsigned char)text[kept] & 0xc0) == 0x80)
        kept--;
    snprintf(out, VALUE_QUOTE_SIZE, "%.*s%s", (int)kept, text, kept < length ? "..." : "");
    return out;
}

const char *bake_value_quote(char out[VALUE_QUOTE_SIZE], const char *text, size_t length)
{
    char cut[VALUE_QUOTE_SIZE];
    bake_value_cut(cut, text, length);
    snprintf(out, VALUE_QUOTE_SIZE, "\"%.76s\"", cut);
    return out;
}

bool bake_value_unexpected(bake_values *b, bake_node_id node, uint32_t type, const value_step *step)
{
    char expected[320], quote[VALUE_QUOTE_SIZE];
    const char *found = "null";
    size_t length;
    bake_value_expected(b, type, expected, sizeof expected);
    if (!bake_value_is_null(b, node)) {
        bake_node_kind kind = bake_node_kind_of(b->tree, node);
        if (kind == BAKE_NODE_SCALAR) {
            const char *text = bake_node_text(b->tree, node, &length);
            found = bake_value_quote(quote, text, length);
        } else {
            found = kind == BAKE_NODE_SEQUENCE ? "a list" : "a mapping";
        }
    }
    bake_value_report(b, BAKE_ERROR, value_mark(b, node), "type", step, "expected %s, found %s",
                      expected, found);
    const kiln_type *of = value_type(b, type);
    if (of->kind == KILN_KIND_STRING && bake_value_is_null(b, node))
        bake_hint(b->diagnostics, "a text that looks like null is written in quotes");
    if ((b->schema->info[type].forms & BAKE_COLOUR) && bake_value_is_null(b, node))
        bake_hint(b->diagnostics, "a text that begins with # is written in quotes");
    if (of->kind == KILN_KIND_ARRAY && !bake_value_is_null(b, node))
        bake_hint(b->diagnostics, "a list of one element is written [...] or behind a dash, too");
    if (of->kind == KILN_KIND_STRUCT && !of->member_count)
        bake_hint(b->diagnostics, "it has no fields: its value is {}");
    return false;
}

void bake_value_hint_members(bake_values *b, uint32_t type, const char *text, size_t length)
{
    const kiln_type *of = value_type(b, type);
    if (!bake_hints_wanted(b->diagnostics))
        return;
    const bake_type_info *info = &b->schema->info[type];
    const char **names = bake_alloc_array((size_t)of->member_count + 2, sizeof *names);
    /* A hint is worth no failure. */
    if (!names)
        return;
    size_t count = 0;
    for (uint32_t i = 0; i < of->member_count; i++)
        if (!(of->members[i].flags & KILN_MEMBER_REST))
            names[count++] = of->members[i].name;
    if (info->parent)
        names[count++] = info->parent;
    if (info->abstract)
        names[count++] = info->abstract;
    /* Few names are all told where none is close. */
    char list[160];
    size_t at = 0;
    bool fits = count > 0 && of->kind != KILN_KIND_STRUCT;
    for (size_t i = 0; fits && i < count; i++) {
        int more = snprintf(list + at, sizeof list - at, "%s%s", i == 0 ? "" : ", ", names[i]);
        fits = more >= 0 && (size_t)more < sizeof list - at;
        at += fits ? (size_t)more : 0;
    }
    if (fits && !bake_most_similar(text, length, names, count))
        bake_hint(b->diagnostics, "%s is one of %s", of->name, list);
    else
        bake_hint_similar(b->diagnostics, text, length, names, count);
    bake_free(names);
}

void bake_value_warn_member(bake_values *b, bake_node_id node, const kiln_member *member, bool was,
                            const value_step *step)
{
    char quote[VALUE_QUOTE_SIZE];
    size_t length;
    const char *text = bake_node_text(b->tree, node, &length);
    if (was)
        bake_value_report(b, BAKE_WARNING, value_mark(b, node), "renamed", step, "%s is now \"%s\"",
                          bake_value_quote(quote, text, length), member->name);
    if (member->flags & KILN_MEMBER_DEPRECATED)
        bake_value_report(b, BAKE_WARNING, value_mark(b, node), "deprecated", step,
                          "\"%s\" is deprecated", member->name);
}

bool bake_value_is_null(const bake_values *b, bake_node_id node)
{
    if (!bake_node_is_null(b->tree, node))
        return false;
    const char *tag = bake_node_tag(b->tree, node);
    return !tag || strcmp(tag, "tag:yaml.org,2002:null") == 0 || bake_value_tag_is_taken(b, node);
}

/* Which core tags a kind of type agrees with. */
static bool tag_agrees(kiln_kind kind, const char *tag, bool null)
{
    if (strcmp(tag, "null") == 0)
        return null;
    switch (kind) {
    case KILN_KIND_BOOL:
        return strcmp(tag, "bool") == 0;
    case KILN_KIND_F32:
    case KILN_KIND_F64:
        return strcmp(tag, "float") == 0 || strcmp(tag, "int") == 0;
    case KILN_KIND_STRING:
    case KILN_KIND_ENUM:
    case KILN_KIND_REF:
        return strcmp(tag, "str") == 0;
    case KILN_KIND_ENTITY:
        return strcmp(tag, "str") == 0 || strcmp(tag, "int") == 0;
    case KILN_KIND_BYTES:
        return strcmp(tag, "binary") == 0 || strcmp(tag, "str") == 0 || strcmp(tag, "seq") == 0;
    case KILN_KIND_FLAGS:
        return strcmp(tag, "str") == 0 || strcmp(tag, "seq") == 0 || strcmp(tag, "map") == 0;
    case KILN_KIND_STRUCT:
    case KILN_KIND_MAP:
        return strcmp(tag, "map") == 0;
    case KILN_KIND_UNION:
        return strcmp(tag, "map") == 0 || strcmp(tag, "str") == 0;
    case KILN_KIND_ARRAY:
    case KILN_KIND_FIXED:
        return strcmp(tag, "seq") == 0;
    default:
        return kiln_kind_is_integer(kind) && strcmp(tag, "int") == 0;
    }
}

/* `!!seq` is for what is written as a list, `!!map` for a mapping, the others for scalars. */
static bool tag_fits_node(bake_node_kind kind, const char *tag)
{
    bool seq = strcmp(tag, "seq") == 0, map = strcmp(tag, "map") == 0;
    return seq == (kind == BAKE_NODE_SEQUENCE) && map == (kind == BAKE_NODE_MAPPING);
}

bool bake_value_check_tag_of(bake_values *b, bake_node_id node, kiln_kind kind,
                             const char *expected, const value_step *step)
{
    char quote[VALUE_QUOTE_SIZE];
    const char *tag = bake_node_tag(b->tree, node);
    if (!tag || bake_value_tag_is_taken(b, node))
        return true;
    const char *word = bake_core_tag(tag);
    if (word && tag_agrees(kind, word, bake_node_is_null(b->tree, node)) &&
        tag_fits_node(bake_node_kind_of(b->tree, node), word))
        return true;
    const char *shown = word ? word : tag;
    bake_value_report(b, BAKE_ERROR, value_mark(b, node), "tag", step,
                      word ? "the tag !!%s does not agree with %s" : "unknown tag %s, on %s",
                      bake_value_cut(quote, shown, strlen(shown)), expected);
    if (!word && kind == KILN_KIND_ARRAY && bake_node_kind_of(b->tree, node) != BAKE_NODE_SEQUENCE)
        bake_hint(b->diagnostics, "a list of one element is written [...] or behind a dash, too");
    return false;
}

bool bake_value_check_tag(bake_values *b, bake_node_id node, uint32_t type, const value_step *step)
{
    char expected[200];
    if (!bake_node_tag(b->tree, node))
        return true;
    kiln_type_expression(b->types, type, expected, sizeof expected);
    return bake_value_check_tag_of(b, node, value_type(b, type)->kind, expected, step);
}
