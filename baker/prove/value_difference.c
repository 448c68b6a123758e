/* Walks both values at once. The number of steps is limited, because shared values are visited once
 * for each path that leads to them, which can be exponentially many. */
#include "value_difference.h"

#include "bake_memory.h"
#include "json_string.h"

#include <kiln/scene.h>
#include <stdio.h>
#include <string.h>

/* Each object can contain this many values within values. */
enum { DEPTH_MAX = KILN_DEPTH_MAX * 4, STEPS_MAX = 1 << 24 };

/* A value on the path to the current one, and the number of the child that follows it. */
typedef struct level {
    const kiln_value *of;
    uint32_t child;
} level;

typedef struct walk {
    const bake_value_differences_def *def;
    level *levels;
    uint32_t depth;
    long steps;
    bool is_stopped; /* `found` wants no more */
    bool is_cut;
} walk;

/* ---- texts ---- */

typedef struct text {
    char data[BAKE_VALUE_TEXT_SIZE];
    size_t length;
} text;

/* Appends a piece that fits, with room for `"...` after it. */
static bool put(text *to, const char *piece, size_t length)
{
    if (length > sizeof to->data - to->length - 5)
        return false;
    memcpy(to->data + to->length, piece, length);
    to->length += length;
    to->data[to->length] = '\0';
    return true;
}

/* Quotes a part of a string, from a few bytes before the first difference on. */
static void put_quoted(text *to, const char *from, size_t length, size_t differs_at)
{
    enum { BEFORE = 20, WHOLE = 60 };
    size_t at = length > WHOLE && differs_at > BEFORE ? differs_at - BEFORE : 0;
    while (at > 0 && at < length && utf8_is_inside(from[at]))
        at--;
    put(to, at ? "...\"" : "\"", at ? 4 : 1);
    bool fits = true;
    while (fits && at < length) {
        char escape[JSON_ESCAPE_SIZE];
        uint32_t code = 0xfffd;
        size_t width = utf8_decode(from + at, length - at, &code);
        bool is_plain = width && code != '"' && code != '\\' &&
                        (code >= 0x10000 || code_point_is_visible(code));
        fits = is_plain ? put(to, from + at, width) : put(to, escape, json_escape(code, escape));
        at += fits ? (width ? width : 1) : 0;
    }
    size_t left = sizeof to->data - to->length;
    snprintf(to->data + to->length, left, "%s", fits ? "\"" : "\"...");
    to->length += strlen(to->data + to->length);
}

static size_t first_difference(const char *a, size_t a_length, const char *b, size_t b_length)
{
    size_t at = 0;
    while (at < a_length && at < b_length && a[at] == b[at])
        at++;
    return at;
}

static void put_ref(const walk *w, uint64_t id, const bake_row_assets *assets, text *to)
{
    if (assets->ids && id)
        id = id <= assets->count ? assets->ids[id - 1] : 0;
    uint32_t number = w->def->index && id ? kiln_index_find(w->def->index, id) : KILN_ASSET_NONE;
    if (!id)
        put(to, "null", 4);
    else if (number != KILN_ASSET_NONE)
        snprintf(to->data, sizeof to->data, "%s",
                 kiln_string_get(&kiln_index_asset_at(w->def->index, number)->name));
    else
        snprintf(to->data, sizeof to->data, "%016llx", (unsigned long long)id);
}

/* An entity word in a row: see <kiln/scene.h>. */
static void put_entity(const kiln_value *value, text *to)
{
    kiln_entity word;
    memcpy(&word, value->data, sizeof word);
    if (word.version == KILN_SCENE_NULL)
        put(to, "null", 4);
    else if (word.version == KILN_SCENE_LOCAL)
        snprintf(to->data, sizeof to->data, "entity %u", (unsigned)word.index);
    else
        snprintf(to->data, sizeof to->data, "import %u",
                 (unsigned)(word.version - KILN_SCENE_IMPORT));
}

static void put_data(const kiln_value *value, text *to)
{
    uint64_t word;
    memcpy(&word, value->data, sizeof word);
    if (word)
        snprintf(to->data, sizeof to->data, "element %llu", (unsigned long long)(word - 1));
    else
        put(to, "empty", 5);
}

static void put_flags(const kiln_value *value, text *to)
{
    uint64_t bits = kiln_value_uint(value);
    bool fits = put(to, "[", 1), follows = false;
    for (uint32_t i = 0; i < value->of->member_count && fits; i++) {
        const kiln_member *member = &value->of->members[i];
        if ((bits & member->value) != member->value)
            continue;
        fits = (!follows || put(to, ", ", 2)) && put(to, member->name, strlen(member->name));
        follows = true;
    }
    put(to, fits ? "]" : "...", fits ? 1 : 3);
}

/* Writes the text of a value that has no children. */
static void put_value(const walk *w, const kiln_value *value, const bake_row_assets *assets,
                      text *to)
{
    kiln_kind kind = value->of->kind;
    const kiln_member *member = kiln_value_member(value);
    if (kind == KILN_KIND_BOOL)
        snprintf(to->data, sizeof to->data, "%s", kiln_value_uint(value) ? "true" : "false");
    else if (kiln_kind_is_float(kind))
        snprintf(to->data, sizeof to->data, "%.*g", kind == KILN_KIND_F32 ? 9 : 17,
                 kiln_value_float(value));
    else if (kind == KILN_KIND_REF)
        put_ref(w, kiln_value_uint(value), assets, to);
    else if (kind == KILN_KIND_ENTITY)
        put_entity(value, to);
    else if (kind == KILN_KIND_DATA)
        put_data(value, to);
    else if (member)
        snprintf(to->data, sizeof to->data, "%s", member->name);
    else if (kiln_kind_is_signed(kind) || kind == KILN_KIND_ENUM)
        snprintf(to->data, sizeof to->data, "%lld", (long long)kiln_value_int(value));
    else if (kind == KILN_KIND_FLAGS)
        put_flags(value, to);
    else
        snprintf(to->data, sizeof to->data, "%llu", (unsigned long long)kiln_value_uint(value));
}

static bool has_children(kiln_kind kind)
{
    return kind == KILN_KIND_STRUCT || kind == KILN_KIND_UNION || kind == KILN_KIND_ARRAY ||
           kind == KILN_KIND_MAP || kind == KILN_KIND_OPTIONAL || kind == KILN_KIND_FIXED;
}

/* Writes the value of an optional. */
static void put_optional(const walk *w, const kiln_value *optional, const bake_row_assets *assets,
                         text *to)
{
    kiln_value value;
    const char *data;
    uint32_t length;
    if (kiln_value_count(optional) == 0)
        put(to, "null", 4);
    else if (kiln_value_at(optional, 0, &value) || has_children(value.of->kind))
        put(to, "a value", 7);
    else if (!kiln_value_text(&value, &data, &length))
        put_quoted(to, data, length, 0);
    else
        put_value(w, &value, assets, to);
}

/* ---- differences ---- */

static void add_step(kiln_path *path, const level *at)
{
    kiln_value key;
    const kiln_type *of = at->of->of;
    const kiln_member *member = kiln_value_member(at->of);
    if (of->kind == KILN_KIND_STRUCT && !(of->flags & KILN_TYPE_TRANSPARENT))
        kiln_path_add_name(path, of->members[at->child].name, strlen(of->members[at->child].name));
    else if (of->kind == KILN_KIND_ARRAY || of->kind == KILN_KIND_FIXED)
        kiln_path_add_number(path, at->child);
    else if (of->kind == KILN_KIND_MAP && !kiln_value_key(at->of, at->child, &key))
        kiln_path_add_key(path, &key);
    else if (of->kind == KILN_KIND_UNION && member)
        kiln_path_add_name(path, member->name, strlen(member->name));
}

static void report(walk *w, const text *first, const text *second)
{
    kiln_path path;
    memset(&path, 0, sizeof path);
    for (uint32_t i = 0; i < w->depth; i++)
        add_step(&path, &w->levels[i]);
    const bake_value_difference difference = {path.text, first->data, second->data};
    w->is_stopped = !w->def->found(w->def->ctx, &difference);
}

static void compare_leaf(walk *w, const kiln_value *a, const kiln_value *b)
{
    text first = {"", 0}, second = {"", 0};
    if (memcmp(a->data, b->data, a->of->size) == 0)
        return;
    put_value(w, a, &w->def->first_assets, &first);
    put_value(w, b, &w->def->second_assets, &second);
    report(w, &first, &second);
}

static void compare_texts(walk *w, const kiln_value *a, const kiln_value *b)
{
    const char *x, *y;
    uint32_t x_length, y_length;
    text first = {"", 0}, second = {"", 0};
    if (kiln_value_text(a, &x, &x_length) || kiln_value_text(b, &y, &y_length)) {
        w->is_cut = true;
        return;
    }
    size_t at = first_difference(x, x_length, y, y_length);
    if (at == x_length && at == y_length)
        return;
    put_quoted(&first, x, x_length, at);
    put_quoted(&second, y, y_length, at);
    report(w, &first, &second);
}

/* Reports a list of different length, a map with different keys, an optional or a union with a
 * different choice. Returns whether the children can be compared. */
static bool compare_shape(walk *w, const kiln_value *a, const kiln_value *b, uint32_t a_count,
                          uint32_t b_count)
{
    text first = {"", 0}, second = {"", 0};
    const kiln_member *x = kiln_value_member(a), *y = kiln_value_member(b);
    if (a->of->kind == KILN_KIND_UNION && x != y) {
        snprintf(first.data, sizeof first.data, "%s", x ? x->name : "nothing");
        snprintf(second.data, sizeof second.data, "%s", y ? y->name : "nothing");
    } else if (a_count == b_count) {
        return true;
    } else if (a->of->kind == KILN_KIND_OPTIONAL) {
        put_optional(w, a, &w->def->first_assets, &first);
        put_optional(w, b, &w->def->second_assets, &second);
    } else {
        snprintf(first.data, sizeof first.data, "%u elements", (unsigned)a_count);
        snprintf(second.data, sizeof second.data, "%u elements", (unsigned)b_count);
    }
    report(w, &first, &second);
    return false;
}

/* Returns whether entry `i` of two maps has the same key; reports a difference at the map. */
static bool compare_keys(walk *w, const kiln_value *a, const kiln_value *b, uint32_t i)
{
    kiln_value x, y;
    kiln_path first = {"", 0}, second = {"", 0};
    text first_text = {"", 0}, second_text = {"", 0};
    if (kiln_value_key(a, i, &x) || kiln_value_key(b, i, &y)) {
        w->is_cut = true;
        return false;
    }
    if (kiln_value_compare_keys(&x, &y) == 0)
        return true;
    kiln_path_add_key(&first, &x);
    kiln_path_add_key(&second, &y);
    snprintf(first_text.data, sizeof first_text.data, "the key %.100s", first.text);
    snprintf(second_text.data, sizeof second_text.data, "the key %.100s", second.text);
    report(w, &first_text, &second_text);
    return false;
}

static void compare(walk *w, const kiln_value *a, const kiln_value *b)
{
    kiln_kind kind = a->of->kind;
    if (++w->steps > STEPS_MAX || w->depth == DEPTH_MAX || a->type != b->type) {
        w->is_cut = true;
        return;
    }
    if (kind == KILN_KIND_STRING || kind == KILN_KIND_BYTES)
        compare_texts(w, a, b);
    else if (!has_children(kind))
        compare_leaf(w, a, b);
    if (!has_children(kind))
        return;
    uint32_t count = kiln_value_count(a);
    if (!compare_shape(w, a, b, count, kiln_value_count(b)))
        return;
    level *at = &w->levels[w->depth];
    for (uint32_t i = 0; i < count && !w->is_stopped && !(w->is_cut && w->steps > STEPS_MAX); i++) {
        kiln_value x, y;
        if (kind == KILN_KIND_MAP && !compare_keys(w, a, b, i))
            return;
        if (kiln_value_at(a, i, &x) || kiln_value_at(b, i, &y)) {
            w->is_cut = true;
            return;
        }
        *at = (level){a, i};
        w->depth++;
        compare(w, &x, &y);
        w->depth--;
    }
}

bool bake_value_differences(const bake_value_differences_def *def)
{
    walk w = {.def = def};
    w.levels = bake_alloc_array(DEPTH_MAX, sizeof *w.levels);
    if (!w.levels)
        return false;
    compare(&w, def->first, def->second);
    bake_free(w.levels);
    return !w.is_cut;
}
