/* Texts that are names of a set: words that come again, or that say themselves that they are. */
#include "ascii.h"
#include "bake_text.h"
#include "infer_form.h"

#include <inttypes.h>
#include <string.h>

static const char qualified[] = "enum.";

/* A name of the enum, without its prefix. */
typedef struct spelling {
    const char *text;
    uint32_t length;
    uint64_t count;
} spelling;

void bake_infer_set_value(infer_forms *forms, infer_form *form, const infer_texts *texts,
                          unsigned part)
{
    const infer_value *most = bake_infer_texts_most(texts);
    infer_writer w = {forms->store, NULL, 0, 0};
    if (!most || (uint64_t)most->count * part < texts->count)
        return;
    bake_infer_write_text(&w, most->text, most->length);
    form->value = bake_infer_written(&w);
}

/* Whether a text ends in one of some words, in any case; `whole`: is one of them. */
static bool is_one_of(const char *text, uint32_t length, const char *const *words, size_t count,
                      bool whole)
{
    for (size_t i = 0; i < count; i++) {
        size_t n = strlen(words[i]), k = 0;
        if (whole ? n != length : n > length)
            continue;
        while (k < n && bake_lower(text[length - n + k]) == words[i][k])
            k++;
        if (k == n)
            return true;
    }
    return false;
}

static bool is_prose(const char *usage, uint32_t length)
{
    static const char *const words[] = {
        "name",     "title", "description", "desc",      "text",    "message", "label",
        "comment",  "doc",   "help",        "summary",   "note",    "id",      "path",
        "url",      "file",  "command",     "script",    "run",     "author",  "version",
        "username", "user",  "password",    "namespace", "image",   "host",    "hostname",
        "email",    "topic", "frame_id",    "copyright", "license", "guid",    "uuid"};
    return is_one_of(usage, length, words, sizeof words / sizeof *words, true);
}

/* `damageType`, `mode`: what stands there is one of several, though one alone was seen. */
static bool is_choosing(const char *usage, uint32_t length)
{
    static const char *const words[] = {
        "type",     "kind",   "mode",    "state",       "style",     "shape",     "layer",
        "category", "class",  "slot",    "level",       "direction", "alignment", "align",
        "status",   "method", "policy",  "quality",     "rarity",    "selector",  "target",
        "side",     "tier",   "grade",   "orientation", "severity",  "priority",  "protocol",
        "gender",   "role",   "element", "visibility",  "anchor"};
    if (length > 1 && bake_lower(usage[length - 1]) == 's' && bake_lower(usage[length - 2]) != 's')
        length--;
    return is_one_of(usage, length, words, sizeof words / sizeof *words, false);
}

static int compare_spellings(const spelling *a, const spelling *b)
{
    return bake_compare_text(a->text, a->length, b->text, b->length);
}

/* The names in the order of their bytes, so that more data moves none but by its place. */
static spelling *sort_names(infer_forms *forms, const infer_texts *texts, uint32_t prefix,
                            uint32_t *ret_count)
{
    spelling *sorted = bake_store_alloc(forms->store, texts->value_count + 1, sizeof *sorted);
    uint32_t count = 0;
    for (uint32_t i = 0; sorted && i < texts->value_count; i++) {
        const infer_value *value = &texts->values[i];
        bool cut = prefix && memchr(value->text, '.', value->length);
        spelling name = {value->text + (cut ? prefix : 0), value->length - (cut ? prefix : 0),
                         value->count};
        uint32_t at = count;
        while (at > 0 && compare_spellings(&sorted[at - 1], &name) > 0)
            at--;
        if (at > 0 && compare_spellings(&sorted[at - 1], &name) == 0) {
            sorted[at - 1].count += name.count;
            continue;
        }
        memmove(&sorted[at + 1], &sorted[at], (count - at) * sizeof *sorted);
        sorted[at] = name;
        count++;
    }
    *ret_count = count;
    return sorted;
}

static bool same_but_case(const spelling *a, const spelling *b)
{
    if (a->length != b->length)
        return false;
    for (uint32_t i = 0; i < a->length; i++)
        if (bake_lower(a->text[i]) != bake_lower(b->text[i]))
            return false;
    return true;
}

/* Of spellings that differ in case only, the most frequent is the name. */
static bool is_spelled_better(const spelling *names, uint32_t count, uint32_t number,
                              bool *ret_case)
{
    bool best = true;
    for (uint32_t i = 0; i < count; i++) {
        if (i == number || !same_but_case(&names[i], &names[number]))
            continue;
        *ret_case = true;
        if (names[i].count > names[number].count ||
            (names[i].count == names[number].count && i < number))
            best = false;
    }
    return best;
}

/* What all names with a dot in them have before their last part, or a part of that: `enum.Layer.`.
 * 0 where that does not look like the name of a type. */
static uint32_t find_prefix(const infer_texts *texts)
{
    const infer_value *first = NULL;
    uint32_t length = 0;
    for (uint32_t i = 0; i < texts->value_count; i++) {
        const infer_value *value = &texts->values[i];
        if (!memchr(value->text, '.', value->length))
            continue;
        if (!first) {
            first = value;
            length = value->length - 1;
            continue;
        }
        uint32_t same = 0;
        while (same < length && same + 1 < value->length && value->text[same] == first->text[same])
            same++;
        length = same;
    }
    while (length > 0 && first->text[length - 1] != '.')
        length--;
    uint32_t part = length > 0 ? length - 1 : 0;
    while (part > 0 && first->text[part - 1] != '.')
        part--;
    bool is_type = length > 1 && first->text[part] >= 'A' && first->text[part] <= 'Z';
    if (!is_type && (length != sizeof qualified - 1 || memcmp(first->text, qualified, length) != 0))
        return 0;
    for (uint32_t i = 0; i < texts->value_count; i++) {
        const infer_value *value = &texts->values[i];
        if (memchr(value->text, '.', value->length) && !bake_is_letter(value->text[length]))
            return 0;
    }
    return length;
}

const char *bake_infer_write_names(infer_forms *forms, const infer_texts *texts, const char *word)
{
    uint32_t count, prefix = find_prefix(texts);
    const spelling *sorted = sort_names(forms, texts, prefix, &count);
    infer_writer w = {forms->store, NULL, 0, 0};
    bool any_case = false;
    size_t line = 0;
    bake_infer_write(&w, "    %s: [", word);
    for (uint32_t i = 0, written = 0; sorted && i < count; i++) {
        if (!is_spelled_better(sorted, count, i, &any_case))
            continue;
        bake_infer_write(&w, written++ ? ", " : "");
        if (w.length - line > 90) {
            bake_infer_write(&w, "\n      ");
            line = w.length;
        }
        bake_infer_write_text(&w, sorted[i].text, sorted[i].length);
    }
    bake_infer_write(&w, "]\n%s", any_case ? "    case: any\n" : "");
    for (uint32_t i = 0; prefix && i < texts->value_count; i++) {
        const infer_value *value = &texts->values[i];
        if (!memchr(value->text, '.', value->length))
            continue;
        bake_infer_write(&w, "    prefix: ");
        bake_infer_write_text(&w, value->text, prefix);
        bake_infer_write(&w, "\n");
        break;
    }
    return sorted ? bake_infer_written(&w) : NULL;
}

bool bake_infer_is_identifier(const infer_value *value)
{
    for (uint32_t i = 0; i < value->length; i++)
        if (!bake_is_letter(value->text[i]) &&
            (i == 0 || (!bake_is_digit(value->text[i]) && value->text[i] != '-')))
            return false;
    return value->length > 1;
}

/* Dates, times and versions: `2021-05-01`, `v1.2`. */
static bool is_stamp(const infer_value *value)
{
    uint32_t at = value->length > 1 && (value->text[0] | 0x20) == 'v';
    if (!bake_is_digit(value->text[at]))
        return false;
    for (; at < value->length; at++)
        if (strchr(".:-/", value->text[at]))
            return true;
    return false;
}

/* `door.png` is the name of a file. */
static bool is_file_name(const infer_value *value)
{
    uint32_t letters = 0, at = value->length;
    while (at > 1 && value->text[at - 1] != '.') {
        char c = value->text[--at];
        if (!(c >= 'a' && c <= 'z') && !bake_is_digit(c))
            return false;
        letters++;
    }
    return at > 1 && letters >= 2 && letters <= 5;
}

static bool is_enum(const infer_texts *texts, const char *usage, uint32_t usage_length)
{
    uint64_t times = texts->some & INFER_SPACE ? 8 : 3;
    bool identifiers = true, files = true, told = true;
    uint32_t amounts = 0;
    if (texts->many || !(texts->all & INFER_WORD) || texts->value_count > INFER_ENUM_MAX ||
        is_prose(usage, usage_length))
        return false;
    for (uint32_t i = 0; i < texts->value_count; i++) {
        const infer_value *value = &texts->values[i];
        identifiers = identifiers && bake_infer_is_identifier(value);
        files = files && is_file_name(value);
        told = told && value->length > sizeof qualified &&
               memcmp(value->text, qualified, sizeof qualified - 1) == 0;
        if (is_stamp(value))
            return false;
        amounts += bake_is_digit(value->text[0]);
    }
    if (told)
        return true;
    /* `2d6` and `16x9` are amounts rather than names. */
    if (files || amounts * 2 > texts->value_count)
        return false;
    uint64_t alone = identifiers && is_choosing(usage, usage_length) ? 3 : 8;
    return texts->value_count == 1 ? texts->count >= alone && times == 3
                                   : texts->count >= times * texts->value_count;
}

/* The set of words that the texts are a part of, wherever else these stand under that name; NULL
 * where it is no enum. */
static struct infer_words *find_words(const infer_forms *forms, const infer_texts *texts,
                                      const char *usage, uint32_t usage_length)
{
    struct infer_words *words =
        bake_infer_usage_words(bake_infer_usage_find(forms, usage, usage_length), texts);
    for (uint32_t i = 0; words && i < texts->value_count; i++)
        if (!bake_infer_texts_find(&words->texts, texts->values[i].text, texts->values[i].length))
            return NULL;
    /* One name says no more for standing in several places. */
    if (words && words->texts.value_count == 1 && !is_choosing(usage, usage_length))
        return NULL;
    return words && is_enum(&words->texts, usage, usage_length) ? words : NULL;
}

static const char *enum_type(infer_forms *forms, const infer_texts *texts, const char *usage,
                             uint32_t usage_length, const char *owner, const char *note,
                             bool doubtful)
{
    const char *body = bake_infer_write_names(forms, texts, "enum");
    char *name =
        bake_infer_type_name(forms->store, usage ? usage : "Choice", usage ? usage_length : 6);
    if (name && forms->is_item)
        bake_infer_singular(name);
    infer_type *type = body && name ? bake_infer_type_begin(forms, name, owner) : NULL;
    /* `[yes]` is the same by chance. */
    bool shared = texts->value_count >= 3;
    return type ? bake_infer_type_end(forms, type, body, note, doubtful, shared) : NULL;
}

static const char *note_names(infer_forms *forms, const infer_texts *texts)
{
    infer_writer w = {forms->store, NULL, 0, 0};
    bake_infer_write(&w, "%u name%s in %" PRIu64 " value%s", texts->value_count,
                     texts->value_count == 1 ? "" : "s", texts->count,
                     texts->count == 1 ? "" : "s");
    return bake_infer_written(&w);
}

bool bake_infer_decide_enum(infer_forms *forms, const infer_texts *texts, const char *usage,
                            uint32_t usage_length, const char *owner, infer_form *form)
{
    struct infer_words *words = find_words(forms, texts, usage, usage_length);
    if (!words && !is_enum(texts, usage, usage_length))
        return true;
    const infer_texts *all = words ? &words->texts : texts;
    const char *type = words ? words->type : NULL;
    form->doubtful = all->value_count == 1 || all->count < 3 * (uint64_t)all->value_count;
    if (!type)
        type = enum_type(forms, all, usage, usage_length, owner, note_names(forms, all),
                         form->doubtful);
    if (words)
        words->type = type;
    bake_infer_set_value(forms, form, texts, 6);
    form->type = type;
    form->note = note_names(forms, texts);
    return type != NULL;
}
