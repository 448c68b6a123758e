/* Decides the narrowest type that all scalars of a position have. Types that a string can have by
 * chance are checked last. */
#include "ascii.h"
#include "infer_form.h"
#include "scalar_parse.h"

#include <inttypes.h>
#include <string.h>

/* With fewer than FEW values, their range says little about further data. Types for small integers
 * leave half of their range free for further data. */
enum { FEW = 8, HEX_MAX = 1024 };

const char *bake_infer_integer(uint64_t highest, uint64_t lowest, bool few, bool prefixed)
{
    if (lowest == 0) {
        /* Few values do not prove that there are no negative ones. */
        if (few && !prefixed && highest < (uint64_t)1 << 30)
            return "i32";
        if (!few && highest < 128)
            return "u8";
        if (!few && highest < 32768)
            return "u16";
        return highest <= UINT32_MAX &&
                       (highest < (uint64_t)1 << 31 || prefixed || highest == UINT32_MAX)
                   ? "u32"
                   : "u64";
    }
    uint64_t larger = highest > lowest ? highest : lowest;
    if (!few && larger < 64)
        return "i8";
    if (!few && larger < 16384)
        return "i16";
    if (larger < (uint64_t)1 << 30 || (highest <= INT32_MAX && lowest <= (uint64_t)1 << 31))
        return "i32";
    return highest <= INT64_MAX && lowest <= (uint64_t)1 << 63 ? "i64" : NULL;
}

static bool set_type(infer_form *form, const char *type, const char *note)
{
    form->type = type;
    form->note = note ? note : "";
    return type != NULL;
}

/* Writes integers below 10^15 exactly, and other numbers with six significant digits. */
static void write_number(infer_writer *w, double number)
{
    if (number > -1e15 && number < 1e15 && number == (double)(int64_t)number)
        bake_infer_write(w, "%" PRId64, (int64_t)number);
    else
        bake_infer_write(w, "%.6g", number);
}

static const char *note_range(infer_forms *forms, const infer_texts *texts)
{
    infer_writer w = {forms->store, NULL, 0, 0};
    write_number(&w, texts->least);
    if (texts->most > texts->least) {
        bake_infer_write(&w, "..");
        write_number(&w, texts->most);
    }
    return bake_infer_written(&w);
}

static bool decide_number(infer_forms *forms, const infer_texts *texts, infer_form *form)
{
    bool integers = (texts->all & INFER_INT) != 0;
    /* One or two distinct numbers prove as little as few values do. */
    bool few = texts->count < FEW || texts->value_count < 3;
    const char *type = integers ? bake_infer_integer(texts->highest, texts->lowest, few,
                                                     (texts->some & INFER_PREFIXED) != 0)
                                : NULL;
    if (!type) {
        /* f64 only if f32 would change a value. Integers that no integer type can hold are
         * doubtful. */
        type = texts->some & INFER_DOUBLE ? "f64" : "f32";
        form->doubtful = integers;
    }
    const infer_value *most = bake_infer_texts_most(texts);
    /* A default is useful if many values can then be left out. */
    if (most && (uint64_t)most->count * 6 >= texts->count) {
        infer_writer w = {forms->store, NULL, 0, 0};
        bake_infer_write(&w, "%.*s", (int)most->length, most->text);
        form->value = bake_infer_written(&w);
    }
    return set_type(form, type, note_range(forms, texts));
}

static bool decide_bool(infer_forms *forms, const infer_texts *texts, infer_form *form)
{
    uint64_t true_count = 0;
    for (uint32_t i = 0; i < texts->value_count; i++) {
        char c = texts->values[i].text[0];
        true_count += c == 't' || c == 'T' || c == '1' ? texts->values[i].count : 0;
    }
    infer_writer w = {forms->store, NULL, 0, 0};
    if (true_count == texts->count || true_count == 0) {
        /* If only one value is ever written, the default is probably the other one. */
        form->value = true_count ? "false" : "true";
        bake_infer_write(&w, "always %s", true_count ? "true" : "false");
        form->value_note = "so the default is the opposite";
    } else {
        form->value = true_count * 2 > texts->count ? "true" : "false";
        bake_infer_write(&w, "true %" PRIu64 " times, false %" PRIu64, true_count,
                         texts->count - true_count);
    }
    return set_type(form, "bool", bake_infer_written(&w));
}

static bool decide_vector(infer_forms *forms, const infer_texts *texts, infer_form *form)
{
    const char *number = !(texts->some & INFER_FRACTIONS) && texts->count >= FEW ? "i32"
                         : texts->some & INFER_DOUBLE                            ? "f64"
                                                                                 : "f32";
    if (texts->some & INFER_DOUBLE)
        number = "f64";
    /* The vector has `tuple: true`, so it can also be written as a list. */
    form->depth = 1;
    form->is_list = true;
    if (texts->count > 1)
        bake_infer_set_default(forms, form, texts, 2);
    return set_type(form, bake_infer_vector_type(forms, texts->dimensions, number),
                    "comma-separated numbers");
}

static bool decide_hex(infer_forms *forms, const infer_texts *texts, infer_form *form)
{
    infer_writer w = {forms->store, NULL, 0, 0};
    form->attributes = ", hex: true";
    /* Fixed arrays can also be written as lists. */
    form->is_list = true;
    form->unnamed = 1;
    bake_infer_write(&w, "u8[%u]", texts->digits / 2);
    return set_type(form, bake_infer_written(&w), "hex digits of equal length");
}

/* Returns the note of a string type. If at least half of the values have a narrower type, the note
 * shows a value that does not. */
static const char *note_string(infer_forms *forms, const infer_texts *texts, infer_form *form)
{
    static const struct {
        uint32_t flag;
        const char *name;
    } types[] = {{INFER_BOOL, "bools"},
                 {INFER_NUMBER, "numbers"},
                 {INFER_VECTOR, "vectors"},
                 {INFER_COLOUR, "colours"}};
    infer_writer w = {forms->store, NULL, 0, 0};
    /* Quoted numbers can be intentional or a habit, hence doubtful. */
    if (texts->quoted * 2 > texts->count && (texts->all & (INFER_NUMBER | INFER_BOOL))) {
        bake_infer_write(&w, "quoted %s", texts->all & INFER_BOOL ? "bools" : "numbers");
        form->doubtful = true;
        return bake_infer_written(&w);
    }
    for (size_t t = 0; t < sizeof types / sizeof *types && !texts->many; t++) {
        uint64_t of = 0;
        const infer_value *other = NULL;
        for (uint32_t i = 0; i < texts->value_count; i++) {
            const infer_value *value = &texts->values[i];
            if (value->flags & types[t].flag)
                of += value->count;
            else if (!other)
                other = value;
        }
        /* Mention the exception only if at least half of the values have the type. */
        if (!other || of * 2 < texts->count)
            continue;
        bake_infer_write(&w, "%" PRIu64 " of %" PRIu64 " are %s, not ", of, texts->count,
                         types[t].name);
        bake_infer_write_quote(&w, other->text, other->length);
        bake_infer_write(&w, " at ");
        bake_infer_write_place(forms, &w, other->first);
        form->doubtful = true;
        return bake_infer_written(&w);
    }
    if (texts->many)
        bake_infer_write(&w, "more than %u values", INFER_VALUES_MAX);
    else if (texts->some & INFER_PADDED)
        bake_infer_write(&w, "numbers with leading zeros");
    else
        bake_infer_write(&w, "%u value%s", texts->value_count, texts->value_count == 1 ? "" : "s");
    return bake_infer_written(&w);
}

static bool decide_units(infer_forms *forms, const infer_texts *texts, infer_form *form)
{
    infer_writer w = {forms->store, NULL, 0, 0}, note = {forms->store, NULL, 0, 0};
    bake_infer_write(&w, ", unit: ");
    bake_infer_write_text(&w, bake_infer_unit_text(texts->unit),
                          strlen(bake_infer_unit_text(texts->unit)));
    bake_infer_write(&note, "%s with units", bake_infer_unit_dimension(texts->unit));
    form->attributes = bake_infer_written(&w);
    form->doubtful = bake_infer_unit_is_vague(texts->unit);
    return set_type(form, texts->some & INFER_DOUBLE ? "f64" : "f32", bake_infer_written(&note));
}

/* Whether all strings are numbers, without a unit or with units of one dimension. */
static bool have_units(const infer_texts *texts)
{
    if (!(texts->some & INFER_UNIT) || texts->many || texts->units == INFER_UNITS_MIXED ||
        bake_infer_unit_is_vague(texts->unit))
        return false;
    for (uint32_t i = 0; i < texts->value_count; i++)
        if (!(texts->values[i].flags & (INFER_UNIT | INFER_NUMBER)))
            return false;
    return true;
}

/* Whether all strings are colours. Colour names can also be ordinary words, so if there are only
 * names, the key must contain `colo`. */
static bool are_colours(const infer_texts *texts, const char *usage, uint32_t usage_length)
{
    bool is_certain = (texts->some & INFER_COLOUR) != 0;
    if (!(texts->some & (INFER_COLOUR | INFER_COLOUR_NAME)) || texts->many)
        return (texts->all & INFER_COLOUR) != 0;
    for (uint32_t i = 0; i < texts->value_count; i++)
        if (!(texts->values[i].flags & (INFER_COLOUR | INFER_COLOUR_NAME)))
            return false;
    for (uint32_t i = 0; i + 4 <= usage_length && !is_certain; i++)
        is_certain = memcmp(usage + i + 1, "olo", 3) == 0 && (usage[i] | 0x20) == 'c';
    return is_certain;
}

/* Whether all strings are bools. 0 and 1 count only together with `true` or `false`. */
static bool are_bools(const infer_texts *texts)
{
    if (!(texts->some & INFER_BOOL) || texts->many)
        return false;
    for (uint32_t i = 0; i < texts->value_count; i++)
        if (!(texts->values[i].flags & (INFER_BOOL | INFER_ZERO_ONE)))
            return false;
    return true;
}

/* Whether all strings are numbers or `nan`. */
static bool are_numbers(const infer_texts *texts)
{
    if (texts->many || !(texts->some & INFER_NUMBER))
        return (texts->all & INFER_NUMBER) != 0;
    for (uint32_t i = 0; i < texts->value_count; i++) {
        const infer_value *value = &texts->values[i];
        bool none = value->length == 3 && bake_lower(value->text[0]) == 'n' &&
                    bake_lower(value->text[1]) == 'a' && bake_lower(value->text[2]) == 'n';
        if (!none && !(value->flags & INFER_NUMBER))
            return false;
    }
    return true;
}

static bool are_base64(const infer_texts *texts)
{
    size_t size, at;
    for (uint32_t i = 0; i < texts->value_count; i++)
        if (bake_parse_base64(texts->values[i].text, texts->values[i].length, NULL, &size, &at) !=
            BAKE_PARSE_OK)
            return false;
    return !texts->many;
}

bool bake_infer_decide_texts(infer_forms *forms, const infer_texts *texts, const char *usage,
                             uint32_t usage_length, const char *owner, infer_form *form)
{
    uint32_t all = texts->all;
    /* A quoted number or bool is a string. */
    bool quoted = texts->quoted * 2 > texts->count;
    memset(form, 0, sizeof *form);
    form->attributes = "";
    form->note = "";
    if (texts->some & INFER_BINARY) {
        form->is_list = true;
        if (are_base64(texts))
            return set_type(form, "bytes", all & INFER_BINARY ? "tagged as binary" : "base64");
        form->is_list = false;
        form->has_empty = true;
        return set_type(form, bake_infer_binary_type(forms), "some tagged as binary");
    }
    if (texts->some & INFER_TEXT)
        return set_type(form, "string", "some tagged as strings");
    /* This check comes before numbers, because some hashes consist only of decimal digits. At least
     * one hash must contain a letter. */
    if ((all & INFER_HEX) && (texts->some & INFER_HEX_LETTER) && texts->digits >= 16 &&
        texts->digits <= 2 * HEX_MAX)
        return decide_hex(forms, texts, form);
    if (!quoted && are_bools(texts))
        return decide_bool(forms, texts, form);
    /* This check comes before numbers, because ids can be numbers. */
    if (!bake_infer_decide_ref(forms, texts, usage, usage_length, form) || form->type)
        return form->type != NULL;
    if (!bake_infer_decide_entities(forms, texts, usage, usage_length, form) || form->type)
        return form->type != NULL;
    if (!quoted && are_numbers(texts))
        return decide_number(forms, texts, form);
    if (are_colours(texts, usage, usage_length))
        return set_type(form, bake_infer_colour_type(forms, false), "colours");
    if ((all & INFER_VECTOR) && texts->dimensions)
        return decide_vector(forms, texts, form);
    if (have_units(texts))
        return decide_units(forms, texts, form);
    /* Words can be valid base64, so at least one value must be unlikely to be anything else. */
    if ((all & INFER_BASE64) && (texts->some & INFER_BYTES)) {
        form->is_list = true;
        return set_type(form, "bytes", "base64");
    }
    if (!bake_infer_decide_path(forms, texts, form) || form->type)
        return form->type != NULL;
    if (!bake_infer_decide_set_string(forms, texts, usage, usage_length, owner, form) || form->type)
        return form->type != NULL;
    if (!bake_infer_decide_enum(forms, texts, usage, usage_length, owner, form) || form->type)
        return form->type != NULL;
    /* A string becomes the default only if at least half of the values are equal to it. */
    if (texts->count >= 4)
        bake_infer_set_default(forms, form, texts, 2);
    return set_type(form, "string", note_string(forms, texts, form));
}
