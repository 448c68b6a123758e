/* Recognizes enums (one name) and flag sets (several names: separated by `,` or `|`, in a list, or
 * as the keys of a mapping whose values are all `true`). */
#include "infer_form.h"

#include "ascii.h"
#include "bake_text.h"

#include <inttypes.h>
#include <string.h>

static const char qualified[] = "enum.";

/* A spelling of an enum name, without its prefix. */
typedef struct spelling {
    const char *text;
    uint32_t length;
    uint64_t count;
} spelling;

void bake_infer_set_default(infer_forms *forms, infer_form *form, const infer_texts *texts,
                            unsigned part)
{
    const infer_value *most = bake_infer_texts_most(texts);
    infer_writer w = {forms->store, NULL, 0, 0};
    if (!most || (uint64_t)most->count * part < texts->count)
        return;
    bake_infer_write_text(&w, most->text, most->length);
    form->value = bake_infer_written(&w);
}

/* Whether a string ends in one of the words, ignoring case. With `whole`, whether it equals one. */
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

static bool is_prose_key(const char *usage, uint32_t length)
{
    static const char *const words[] = {
        "name",     "title", "description", "desc",      "text",    "message", "label",
        "comment",  "doc",   "help",        "summary",   "note",    "id",      "path",
        "url",      "file",  "command",     "script",    "run",     "author",  "version",
        "username", "user",  "password",    "namespace", "image",   "host",    "hostname",
        "email",    "topic", "frame_id",    "copyright", "license", "guid",    "uuid"};
    return is_one_of(usage, length, words, sizeof words / sizeof *words, true);
}

/* Whether a key such as `damageType` or `mode` suggests an enum, even if the data has only one of
 * its names. */
static bool is_enum_key(const char *usage, uint32_t length)
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

/* Sorts the names bytewise, so that more data only adds names to the schema and does not reorder
 * them. */
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

static bool equal_ignoring_case(const spelling *a, const spelling *b)
{
    if (a->length != b->length)
        return false;
    for (uint32_t i = 0; i < a->length; i++)
        if (bake_lower(a->text[i]) != bake_lower(b->text[i]))
            return false;
    return true;
}

/* Whether a spelling is the most frequent among those that differ only in case. Sets `*ret_case` if
 * there are others. */
static bool is_best_spelling(const spelling *names, uint32_t count, uint32_t number, bool *ret_case)
{
    bool best = true;
    for (uint32_t i = 0; i < count; i++) {
        if (i == number || !equal_ignoring_case(&names[i], &names[number]))
            continue;
        *ret_case = true;
        if (names[i].count > names[number].count ||
            (names[i].count == names[number].count && i < number))
            best = false;
    }
    return best;
}

/* Returns the length of the common prefix of all names that contain a dot. The prefix ends with a
 * dot: `enum.Layer.`. Returns 0 if it does not look like a type name. */
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

/* Returns the body of a type with these names. `word` is `enum` or `flags`. NULL if memory runs
 * out. */
static const char *write_names(infer_forms *forms, const infer_texts *texts, const char *word)
{
    uint32_t count, prefix = find_prefix(texts);
    const spelling *sorted = sort_names(forms, texts, prefix, &count);
    infer_writer w = {forms->store, NULL, 0, 0};
    bool any_case = false;
    size_t line = 0;
    bake_infer_write(&w, "    %s: [", word);
    for (uint32_t i = 0, written = 0; sorted && i < count; i++) {
        if (!is_best_spelling(sorted, count, i, &any_case))
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

/* Whether the value looks like an identifier: one word of letters, digits, `_` and `-`. */
static bool is_identifier(const infer_value *value)
{
    for (uint32_t i = 0; i < value->length; i++)
        if (!bake_is_letter(value->text[i]) &&
            (i == 0 || (!bake_is_digit(value->text[i]) && value->text[i] != '-')))
            return false;
    return value->length > 1;
}

/* Whether the value looks like a date, time or version: `2021-05-01`, `v1.2`. */
static bool is_date_or_version(const infer_value *value)
{
    uint32_t at = value->length > 1 && (value->text[0] | 0x20) == 'v';
    if (!bake_is_digit(value->text[at]))
        return false;
    for (; at < value->length; at++)
        if (strchr(".:-/", value->text[at]))
            return true;
    return false;
}

/* Whether the value looks like a file name: `door.png`. */
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

/* Whether the strings are names of an enum, which are words that repeat. Words must occur three
 * times on average, or eight times if any of them contains a space. A single name must contain no
 * spaces, and must occur eight times, or three times if it is an identifier and the key suggests an
 * enum. Names that all begin with `enum.` need not repeat. */
static bool is_enum(const infer_texts *texts, const char *usage, uint32_t usage_length)
{
    uint64_t times = texts->some & INFER_SPACE ? 8 : 3;
    bool identifiers = true, files = true, are_qualified = true;
    uint32_t amounts = 0;
    if (texts->many || !(texts->all & INFER_WORD) || texts->value_count > INFER_ENUM_MAX ||
        is_prose_key(usage, usage_length))
        return false;
    for (uint32_t i = 0; i < texts->value_count; i++) {
        const infer_value *value = &texts->values[i];
        identifiers = identifiers && is_identifier(value);
        files = files && is_file_name(value);
        are_qualified = are_qualified && value->length > sizeof qualified &&
                        memcmp(value->text, qualified, sizeof qualified - 1) == 0;
        if (is_date_or_version(value))
            return false;
        amounts += bake_is_digit(value->text[0]);
    }
    if (are_qualified)
        return true;
    /* Strings such as `2d6` and `16x9` are amounts. */
    if (files || amounts * 2 > texts->value_count)
        return false;
    uint64_t single_min = identifiers && is_enum_key(usage, usage_length) ? 3 : 8;
    return texts->value_count == 1 ? texts->count >= single_min && times == 3
                                   : texts->count >= times * texts->value_count;
}

/* Returns the set of all words under this key in the data, if it contains the strings and is an
 * enum. Otherwise NULL. */
static struct infer_words *find_words(const infer_forms *forms, const infer_texts *texts,
                                      const char *usage, uint32_t usage_length)
{
    struct infer_words *words =
        bake_infer_usage_words(bake_infer_usage_find(forms, usage, usage_length), texts);
    for (uint32_t i = 0; words && i < texts->value_count; i++)
        if (!bake_infer_texts_find(&words->texts, texts->values[i].text, texts->values[i].length))
            return NULL;
    /* Several positions with the same single name are not evidence for an enum. */
    if (words && words->texts.value_count == 1 && !is_enum_key(usage, usage_length))
        return NULL;
    return words && is_enum(&words->texts, usage, usage_length) ? words : NULL;
}

static const char *enum_type(infer_forms *forms, const infer_texts *texts, const char *usage,
                             uint32_t usage_length, const char *owner, const char *note,
                             bool doubtful)
{
    const char *body = write_names(forms, texts, "enum");
    char *name =
        bake_infer_type_name(forms->store, usage ? usage : "Choice", usage ? usage_length : 6);
    if (name && forms->is_item)
        bake_infer_singular(name);
    infer_type *type = body && name ? bake_infer_type_begin(forms, name, owner) : NULL;
    /* Enums with fewer than three names can be equal by chance, so they are not shared. */
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
    bake_infer_set_default(forms, form, texts, 6);
    form->type = type;
    form->note = note_names(forms, texts);
    return type != NULL;
}

/* ---- flag sets ---- */

/* A flag set has at most 64 bits. Unless the key suggests a set, names in strings must occur OFTEN
 * times on average. */
enum { NAMES_MAX = 64, OFTEN = 3 };

/* Whether the last word of a key, in the singular, is in the list: `damageTypes`,
 * `ignore_flags`. */
static bool ends_in_word(const char *usage, uint32_t length, const char *const *words, size_t count)
{
    char name[64];
    if (length == 0 || length >= sizeof name)
        return false;
    for (uint32_t i = 0; i < length; i++)
        name[i] = bake_lower(usage[i]);
    name[length] = '\0';
    bake_infer_singular(name);
    size_t end = strlen(name);
    for (size_t i = 0; i < count; i++) {
        size_t n = strlen(words[i]), at = end - n;
        if (n <= end && memcmp(name + at, words[i], n) == 0 &&
            (at == 0 || usage[at] != name[at] || !bake_is_letter(usage[at - 1]) ||
             usage[at - 1] == '_'))
            return true;
    }
    return false;
}

/* Whether the key suggests a set, even if there are few values. */
static bool is_set_key(const char *usage, uint32_t length)
{
    static const char *const words[] = {
        "flag",      "mask",     "cap",  "capability", "slot",  "right",    "feature",
        "bit",       "category", "type", "immunity",   "layer", "weakness", "resistance",
        "direction", "side",     "day",  "mode",       "trait", "ability",  "permission"};
    return ends_in_word(usage, length, words, sizeof words / sizeof *words);
}

/* Whether the key means a set, even if each value is a single name. */
static bool is_certain_set_key(const char *usage, uint32_t length)
{
    static const char *const words[] = {"flag", "cap", "capability"};
    return length > 0 && bake_lower(usage[length - 1]) == 's' &&
           ends_in_word(usage, length, words, sizeof words / sizeof *words);
}

/* Adds the names in a string. `*ret_joined` counts strings with several names. */
static bool add_names(infer_forms *forms, infer_texts *names, const infer_value *value,
                      uint64_t *ret_joined)
{
    uint32_t parts = 0;
    for (uint32_t at = 0; at <= value->length; parts++) {
        uint32_t from = at, to;
        while (at < value->length && value->text[at] != ',' && value->text[at] != '|')
            at++;
        to = at++;
        while (from < to && value->text[from] == ' ')
            from++;
        while (to > from && value->text[to - 1] == ' ')
            to--;
        if (!bake_infer_texts_add(names, forms->store, value->text + from, to - from, value->first,
                                  0, value->count))
            return false;
    }
    *ret_joined += parts > 1 ? value->count : 0;
    return true;
}

static bool collect(infer_forms *forms, const infer_texts *texts, const infer_value *none,
                    infer_texts *names, uint64_t *ret_joined, bool *ret_fit)
{
    memset(names, 0, sizeof *names);
    *ret_joined = 0;
    *ret_fit = !texts->many;
    for (uint32_t i = 0; i < texts->value_count && *ret_fit; i++) {
        const infer_value *value = &texts->values[i];
        if (value == none)
            continue;
        if ((!(value->flags & INFER_NAMES) && !is_identifier(value)) ||
            (value->flags & (INFER_BOOL | INFER_NUMBER)))
            *ret_fit = false;
        else if (!add_names(forms, names, value, ret_joined))
            return false;
        *ret_fit = *ret_fit && names->value_count <= NAMES_MAX;
    }
    return true;
}

/* Returns the value `None`, `none` or `NONE`, unless the word is also part of another value.
 * Otherwise NULL. */
static const infer_value *find_none(const infer_texts *texts)
{
    static const char *const words[] = {"None", "none", "NONE"};
    const infer_value *none = NULL;
    for (size_t i = 0; i < sizeof words / sizeof *words && !none; i++)
        none = bake_infer_texts_find(texts, words[i], 4);
    for (uint32_t i = 0; i < texts->value_count && none; i++) {
        const infer_value *value = &texts->values[i];
        for (uint32_t at = 0; at + 4 <= value->length && value != none; at++)
            if (memcmp(value->text + at, none->text, 4) == 0)
                return NULL;
    }
    return none;
}

/* The names of a set and a note on its notation. */
typedef struct found_set {
    infer_texts names;
    const infer_value *none; /* the word for the empty set, or NULL */
    const char *notation;
} found_set;

static bool make_flag_set(infer_forms *forms, const found_set *set, const char *usage,
                          uint32_t usage_length, const char *owner, infer_form *form)
{
    infer_writer w = {forms->store, NULL, 0, 0};
    const infer_texts *names = &set->names;
    const char *body = write_names(forms, names, "flags");
    if (body && set->none) {
        infer_writer more = {forms->store, NULL, 0, 0};
        bake_infer_write(&more, "%s    none: %.4s\n", body, set->none->text);
        body = bake_infer_written(&more);
    }
    char *name =
        bake_infer_type_name(forms->store, usage ? usage : "Flags", usage ? usage_length : 5);
    infer_type *type = body && name ? bake_infer_type_begin(forms, name, owner) : NULL;
    if (!type)
        return false;
    bake_infer_write(&w, "%u name%s, %s", names->value_count, names->value_count == 1 ? "" : "s",
                     set->notation);
    form->note = bake_infer_written(&w);
    form->type = bake_infer_type_end(forms, type, body, form->note, false, true);
    /* A set cannot be the key of a map. */
    form->depth = 1;
    form->is_list = true;
    form->value = "[]";
    form->value_note = "empty if left out";
    form->has_empty = false;
    return form->type != NULL;
}

bool bake_infer_decide_set_string(infer_forms *forms, const infer_texts *texts, const char *usage,
                                  uint32_t usage_length, const char *owner, infer_form *form)
{
    found_set set = {{0}, find_none(texts), "comma-separated"};
    const infer_texts *names = &set.names;
    uint64_t joined;
    bool fit;
    if (!usage || (!(texts->some & INFER_NAMES) &&
                   (forms->is_item || !is_certain_set_key(usage, usage_length))))
        return true;
    if (!collect(forms, texts, set.none, &set.names, &joined, &fit))
        return false;
    bool often = joined >= 2 && names->count >= OFTEN * (uint64_t)names->value_count;
    if (!fit || names->value_count == 0 || (!often && !is_set_key(usage, usage_length)) ||
        (!joined && names->count < OFTEN))
        return true;
    if (!joined)
        set.notation = "one per value";
    form->doubtful = !joined;
    return make_flag_set(forms, &set, usage, usage_length, owner, form);
}

/* Whether the key suggests a set, all elements are words, and no list contains a word twice. */
static bool is_list_of_names(const infer_shape *shape)
{
    const infer_shape *element = bake_infer_shape_of(shape->element);
    return element && element->texts.count && !element->nulls && !element->lists &&
           !element->mappings && !element->tagged && !element->texts.repeats &&
           !shape->has_joined_elements &&
           (shape->is_single || !(element->texts.some & INFER_NAMES)) && shape->list_max >= 2 &&
           shape->usage && is_set_key(shape->usage, shape->usage_length);
}

bool bake_infer_decide_set_list(infer_forms *forms, const infer_shape *shape, const char *owner,
                                infer_form *form)
{
    found_set set = {{0}, NULL, "no duplicates in a list"};
    infer_form reference = {0};
    uint64_t joined;
    bool fit;
    if (!is_list_of_names(shape))
        return true;
    const infer_texts *texts = &bake_infer_shape_of(shape->element)->texts;
    if (!bake_infer_decide_ref(forms, texts, shape->usage, shape->usage_length, &reference) ||
        !collect(forms, texts, NULL, &set.names, &joined, &fit))
        return false;
    if (reference.type || !fit || set.names.value_count < 2 ||
        set.names.count < 2 * (uint64_t)set.names.value_count)
        return true;
    return make_flag_set(forms, &set, shape->usage, shape->usage_length, owner, form);
}

/* Whether all values are `true`. */
static bool are_true(const infer_shape *shape)
{
    const infer_texts *texts = &shape->texts;
    if (!texts->count || shape->nulls || shape->lists || shape->mappings || shape->tagged ||
        texts->quoted || texts->many || !(texts->all & INFER_BOOL))
        return false;
    for (uint32_t i = 0; i < texts->value_count; i++)
        if (bake_lower(texts->values[i].text[0]) != 't')
            return false;
    return true;
}

bool bake_infer_decide_set_mapping(infer_forms *forms, const infer_shape *shape, const char *owner,
                                   infer_form *form)
{
    found_set set = {{0}, NULL, "always true where present"};
    infer_texts *names = &set.names;
    const infer_shape *rest = bake_infer_shape_of(shape->rest);
    if (shape->key || shape->short_field || shape->short_count || shape->mappings < 3 ||
        !shape->usage || (rest && (!are_true(rest) || shape->keys.many)))
        return true;
    for (uint32_t i = 0; i < shape->fields.count; i++) {
        const infer_entry *entry = &shape->fields.entries[i];
        if (!are_true(bake_infer_shape_of(entry->shape)))
            return true;
        if (!bake_infer_texts_add(names, forms->store, entry->name, entry->length, entry->first, 0,
                                  (uint32_t)entry->count))
            return false;
    }
    if (rest && !bake_infer_texts_merge(names, forms->store, &shape->keys))
        return false;
    /* Keys in all mappings are fields; names of a set only occur in some mappings. */
    if (names->value_count < 2 || names->value_count > NAMES_MAX || !(names->all & INFER_WORD) ||
        (names->all & (INFER_NUMBER | INFER_BOOL)) || names->count < 4 ||
        names->count >= shape->mappings * names->value_count ||
        (rest && names->count < 2 * (uint64_t)names->value_count))
        return true;
    return make_flag_set(forms, &set, shape->usage, shape->usage_length, owner, form);
}
