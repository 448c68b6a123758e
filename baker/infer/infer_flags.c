/* Sets of names: texts with commas, lists in which no name comes twice, mappings of names to true.
 */
#include "ascii.h"
#include "infer_form.h"

#include <inttypes.h>
#include <string.h>

enum { NAMES_MAX = 64, OFTEN = 3 };

/* Whether the last word of a key is one of some: `damageTypes`, `ignore_flags`. */
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

/* What stands there is a set, though little was seen. */
static bool is_set(const char *usage, uint32_t length)
{
    static const char *const words[] = {
        "flag",      "mask",     "cap",  "capability", "slot",  "right",    "feature",
        "bit",       "category", "type", "immunity",   "layer", "weakness", "resistance",
        "direction", "side",     "day",  "mode",       "trait", "ability",  "permission"};
    return ends_in_word(usage, length, words, sizeof words / sizeof *words);
}

/* What stands there is a set, even if it is one name alone. */
static bool is_surely_set(const char *usage, uint32_t length)
{
    static const char *const words[] = {"flag", "cap", "capability"};
    return length > 0 && bake_lower(usage[length - 1]) == 's' &&
           ends_in_word(usage, length, words, sizeof words / sizeof *words);
}

/* Adds the names of which a text is made; `*ret_joined` counts those that are several. */
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
        if ((!(value->flags & INFER_NAMES) && !bake_infer_is_identifier(value)) ||
            (value->flags & (INFER_BOOL | INFER_NUMBER)))
            *ret_fit = false;
        else if (!add_names(forms, names, value, ret_joined))
            return false;
        *ret_fit = *ret_fit && names->value_count <= NAMES_MAX;
    }
    return true;
}

/* `none` where it is a text of its own; NULL. */
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

/* The type of a set, and how it is written. */
typedef struct found_set {
    infer_texts names;
    const infer_value *none; /* a word that adds no name; NULL */
    const char *how;
} found_set;

static bool make_flags(infer_forms *forms, const found_set *set, const char *usage,
                       uint32_t usage_length, const char *owner, infer_form *form)
{
    infer_writer w = {forms->store, NULL, 0, 0};
    const infer_texts *names = &set->names;
    const char *body = bake_infer_write_names(forms, names, "flags");
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
                     set->how);
    form->note = bake_infer_written(&w);
    form->type = bake_infer_type_end(forms, type, body, form->note, false, true);
    /* No key of a map is a set. */
    form->depth = 1;
    form->is_list = true;
    form->value = "[]";
    form->value_note = "none where it is left out";
    form->has_empty = false;
    return form->type != NULL;
}

bool bake_infer_decide_joined(infer_forms *forms, const infer_texts *texts, const char *usage,
                              uint32_t usage_length, const char *owner, infer_form *form)
{
    found_set set = {{0}, find_none(texts), "with commas where several"};
    const infer_texts *names = &set.names;
    uint64_t joined;
    bool fit;
    if (!usage ||
        (!(texts->some & INFER_NAMES) && (forms->is_item || !is_surely_set(usage, usage_length))))
        return true;
    if (!collect(forms, texts, set.none, &set.names, &joined, &fit))
        return false;
    bool often = joined >= 2 && names->count >= OFTEN * (uint64_t)names->value_count;
    if (!fit || names->value_count == 0 || (!often && !is_set(usage, usage_length)) ||
        (!joined && names->count < OFTEN))
        return true;
    if (!joined)
        set.how = "one at a time";
    form->doubtful = !joined;
    return make_flags(forms, &set, usage, usage_length, owner, form);
}

/* Whether all that is in the lists is words, none twice in one list. */
static bool is_list_of_names(const infer_shape *shape)
{
    const infer_shape *element = bake_infer_shape_of(shape->element);
    return element && element->texts.count && !element->nulls && !element->lists &&
           !element->mappings && !element->tagged && !element->texts.repeats &&
           !shape->is_joined_inside && (shape->is_single || !(element->texts.some & INFER_NAMES)) &&
           shape->list_max >= 2 && shape->usage && is_set(shape->usage, shape->usage_length);
}

bool bake_infer_decide_set(infer_forms *forms, const infer_shape *shape, const char *owner,
                           infer_form *form)
{
    found_set set = {{0}, NULL, "none twice in a list"};
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
    return make_flags(forms, &set, shape->usage, shape->usage_length, owner, form);
}

/* Whether all that stands somewhere is `true`. */
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

bool bake_infer_decide_truths(infer_forms *forms, const infer_shape *shape, const char *owner,
                              infer_form *form)
{
    found_set set = {{0}, NULL, "always true where they are"};
    infer_texts *names = &set.names;
    const infer_shape *rest = bake_infer_shape_of(shape->rest);
    if (shape->key || shape->short_field || shape->bare || shape->mappings < 3 || !shape->usage ||
        (rest && (!are_true(rest) || shape->keys.many)))
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
    /* What is in each mapping is a field, what is in few is a key. */
    if (names->value_count < 2 || names->value_count > NAMES_MAX || !(names->all & INFER_WORD) ||
        (names->all & (INFER_NUMBER | INFER_BOOL)) || names->count < 4 ||
        names->count >= shape->mappings * names->value_count ||
        (rest && names->count < 2 * (uint64_t)names->value_count))
        return true;
    return make_flags(forms, &set, shape->usage, shape->usage_length, owner, form);
}
