/* Numbers are compared as numbers: `42` finds 42 in each integer and float type, and `0.1` finds
 * the f32 nearest to 0.1. */
#include "insp_match.h"

#include "insp_memory.h"
#include "insp_message.h"
#include "insp_scalar.h"
#include "insp_type_names.h"

#include <math.h>
#include <stdlib.h>

static const char *const kind_names[] = {"value", "text", "regex", "ref", "type"};

/* Reads decimal digits, or `0x` and hexadecimal digits, with an optional sign. */
static bool read_integer(const char *text, bool *ret_is_negative, uint64_t *ret_size)
{
    const char *digits = text + (*text == '-' || *text == '+');
    bool is_hex = digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X');
    uint64_t base = is_hex ? 16 : 10, size = 0;
    const char *at = digits + (is_hex ? 2 : 0);
    if (!*at)
        return false;
    for (; *at; at++) {
        uint64_t digit = *at >= '0' && *at <= '9'   ? (uint64_t)(*at - '0')
                         : *at >= 'a' && *at <= 'f' ? (uint64_t)(*at - 'a') + 10
                         : *at >= 'A' && *at <= 'F' ? (uint64_t)(*at - 'A') + 10
                                                    : 16;
        if (digit >= base || size > (UINT64_MAX - digit) / base)
            return false;
        size = size * base + digit;
    }
    *ret_is_negative = *text == '-' && size;
    *ret_size = size;
    return true;
}

static void read_value(insp_match *match)
{
    char *end;
    match->is_integer = read_integer(match->text, &match->is_negative, &match->size);
    match->number = strtod(match->text, &end);
    match->is_number = match->length && !*end && match->text[0] != ' ';
    match->single = strtof(match->text, NULL);
    match->is_bool = strcmp(match->text, "true") == 0 || strcmp(match->text, "false") == 0;
    match->id = kiln_asset_id(match->text, match->length);
}

static int compile(insp_match *match, insp_run *run)
{
    char reason[200];
    int error = regcomp(&match->regex, match->text, REG_EXTENDED | REG_NOSUB);
    match->has_regex = error == 0;
    if (!error)
        return INSP_OK;
    if (error == REG_ESPACE)
        return insp_no_memory(run);
    regerror(error, &match->regex, reason, sizeof reason);
    insp_complain(run, NULL, "%.300s is not a regular expression: %s", match->text, reason);
    return INSP_TROUBLE;
}

/* Whether a type of any file matches. */
static int check_type(const insp_match *match, insp_run *run)
{
    uint32_t i, k;
    for (i = 0; i < match->mounts->count; i++) {
        const kiln_types *types = match->mounts->files[i]->types;
        for (k = 0; types && k < kiln_types_count(types); k++)
            if (insp_type_matches(match->text, kiln_types_get(types, k)))
                return INSP_OK;
    }
    return insp_no_such_type(run, match->mounts->files[0], match->text);
}

int insp_match_init(insp_match *match, insp_run *run, const insp_mounts *mounts, const char *text)
{
    const char *kind = run->options.match ? run->options.match : kind_names[0];
    int i = 0;
    *match = (insp_match){.mounts = mounts, .text = text, .length = strlen(text)};
    while (i < INSP_MATCH_TYPE && strcmp(kind, kind_names[i]) != 0)
        i++;
    match->kind = (insp_match_kind)i;
    match->needle = insp_needle_make(text, match->length);
    switch (match->kind) {
    case INSP_MATCH_REGEX:
        return compile(match, run);
    case INSP_MATCH_REF:
        return insp_patterns_init(&match->patterns, run, mounts, &text, 1);
    case INSP_MATCH_TYPE:
        return check_type(match, run);
    default:
        read_value(match);
        return INSP_OK;
    }
}

void insp_match_fini(insp_match *match)
{
    if (match->has_regex)
        regfree(&match->regex);
    insp_patterns_fini(&match->patterns);
    insp_free(match->copy);
    *match = (insp_match){.has_regex = false};
}

#define BIT(kind) (UINT32_C(1) << (kind))

uint32_t insp_match_kinds(const insp_match *match)
{
    const uint32_t names =
        BIT(KILN_KIND_STRING) | BIT(KILN_KIND_ENUM) | BIT(KILN_KIND_FLAGS) | BIT(KILN_KIND_REF);
    const uint32_t floats = BIT(KILN_KIND_F32) | BIT(KILN_KIND_F64);
    const uint32_t integers = BIT(KILN_KIND_I8) | BIT(KILN_KIND_I16) | BIT(KILN_KIND_I32) |
                              BIT(KILN_KIND_I64) | BIT(KILN_KIND_U8) | BIT(KILN_KIND_U16) |
                              BIT(KILN_KIND_U32) | BIT(KILN_KIND_U64);
    switch (match->kind) {
    case INSP_MATCH_VALUE:
        return names | (match->is_number ? floats : 0) | (match->is_integer ? integers : 0) |
               (match->is_bool ? BIT(KILN_KIND_BOOL) : 0);
    case INSP_MATCH_REF:
        return BIT(KILN_KIND_REF);
    case INSP_MATCH_TYPE:
        return 0;
    default:
        return BIT(KILN_KIND_STRING);
    }
}

static bool is_text(const insp_match *match, const char *text, size_t length)
{
    return length == match->length && memcmp(text, match->text, length) == 0;
}

static bool is_integer(const insp_match *match, const kiln_value *value)
{
    uint64_t bits = kiln_value_uint(value);
    bool is_negative = kiln_kind_is_signed(value->of->kind) && (int64_t)bits < 0;
    return match->is_integer && is_negative == match->is_negative &&
           (is_negative ? 0 - bits : bits) == match->size;
}

static bool is_float(const insp_match *match, const kiln_value *value)
{
    double number = kiln_value_float(value);
    double wanted = value->of->kind == KILN_KIND_F32 ? (double)match->single : match->number;
    if (!match->is_number)
        return false;
    return isnan(wanted) ? isnan(number) : number == wanted;
}

static bool has_flag(const insp_match *match, const kiln_value *value)
{
    const kiln_member *names[INSP_FLAGS_MAX];
    uint64_t rest;
    uint32_t count = insp_flag_names(value, names, &rest), i;
    for (i = 0; i < count; i++)
        if (is_text(match, names[i]->name, strlen(names[i]->name)))
            return true;
    return false;
}

static bool is_value(const insp_match *match, const kiln_value *value)
{
    const kiln_member *member;
    const char *text;
    uint32_t length;
    switch (value->of->kind) {
    case KILN_KIND_STRING:
        return kiln_value_text(value, &text, &length) == KILN_OK && is_text(match, text, length);
    case KILN_KIND_ENUM:
        member = kiln_value_member(value);
        return member && is_text(match, member->name, strlen(member->name));
    case KILN_KIND_FLAGS:
        return has_flag(match, value);
    case KILN_KIND_REF:
        return kiln_value_uint(value) == match->id;
    case KILN_KIND_BOOL:
        return match->is_bool && (kiln_value_uint(value) != 0) == (match->text[0] == 't');
    case KILN_KIND_F32:
    case KILN_KIND_F64:
        return is_float(match, value);
    default:
        return kiln_kind_is_integer(value->of->kind) && is_integer(match, value);
    }
}

/* Copies the string, because it may contain or lack a NUL in a broken file. */
static bool fits_regex(insp_match *match, const char *text, uint32_t length)
{
    char *grown = insp_grow(match->copy, &match->capacity, (size_t)length + 1, 1);
    int result;
    if (!grown) {
        match->failed = true;
        return false;
    }
    match->copy = grown;
    memcpy(grown, text, length);
    grown[length] = '\0';
    result = regexec(&match->regex, grown, 0, NULL, 0);
    match->failed = match->failed || result == REG_ESPACE;
    return result == 0;
}

static bool fits_string(insp_match *match, const kiln_value *value)
{
    const char *text;
    uint32_t length;
    if (value->of->kind != KILN_KIND_STRING || kiln_value_text(value, &text, &length) != KILN_OK)
        return false;
    return match->kind == INSP_MATCH_TEXT ? insp_needle_is_in(&match->needle, text, length)
                                          : fits_regex(match, text, length);
}

static bool fits_target(const insp_match *match, const kiln_value *value)
{
    uint64_t id = kiln_value_uint(value);
    insp_mounted to;
    if (value->of->kind != KILN_KIND_REF)
        return false;
    to = insp_mounts_target(match->mounts, id);
    return insp_patterns_match(&match->patterns,
                               to.asset ? to.asset->name : insp_mounts_name(match->mounts, id));
}

bool insp_match_is(insp_match *match, const kiln_value *value)
{
    switch (match->kind) {
    case INSP_MATCH_VALUE:
        return is_value(match, value);
    case INSP_MATCH_REF:
        return fits_target(match, value);
    case INSP_MATCH_TYPE:
        return false;
    default:
        return fits_string(match, value);
    }
}
