/* Names of enums, flag sets and alternatives in a JSON Schema. */
#include "json_schema_writer.h"

#include "ascii.h"
#include "scalar_parse.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The integer forms of YAML's core schema. */
static bool core_integer(const char *text, char *ret_token)
{
    static const struct {
        const char *prefix, *digits;
        int base;
    } forms[] = {
        {"0x", "0123456789abcdefABCDEF", 16}, {"0o", "01234567", 8}, {"", "0123456789", 10}};
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        const char *at = text;
        if (forms[i].base == 10 && (*at == '-' || *at == '+'))
            at++;
        size_t length = strlen(forms[i].prefix);
        if (strncmp(at, forms[i].prefix, length) != 0)
            continue;
        at += length;
        if (!*at || at[strspn(at, forms[i].digits)])
            continue;
        unsigned long long number = strtoull(at, NULL, forms[i].base);
        snprintf(ret_token, 40, "%s%llu", *text == '-' ? "-" : "", number);
        return true;
    }
    return false;
}

bool bake_js_is_string(const char *text, char ret_token[40])
{
    static const char *const nulls[] = {"", "~", "null", "Null", "NULL"};
    static const char *const bools[] = {"true", "True", "TRUE", "false", "False", "FALSE"};
    double number;
    *ret_token = '\0';
    for (size_t i = 0; i < sizeof nulls / sizeof *nulls; i++)
        if (strcmp(nulls[i], text) == 0)
            return true; /* plain it is nothing, so it is quoted */
    for (size_t i = 0; i < sizeof bools / sizeof *bools; i++)
        if (strcmp(bools[i], text) == 0) {
            snprintf(ret_token, 40, "%s", i < 3 ? "true" : "false");
            return false;
        }
    if (core_integer(text, ret_token))
        return false;
    if (!strchr(text, '_') && bake_parse_f64(text, strlen(text), &number) == BAKE_PARSE_OK &&
        bake_is_digit(text[strspn(text, "+-.")])) {
        snprintf(ret_token, 40, "%.17g", number);
        return false;
    }
    return true;
}

void bake_js_names(json_schema *s, const kiln_type *of, bool only_valueless)
{
    char token[40];
    bake_json_open(&s->json, "enum", '[');
    for (uint32_t m = 0; m < of->member_count; m++) {
        const kiln_member *member = &of->members[m];
        for (uint32_t w = 0; w <= member->was_count; w++) {
            const char *name = w ? member->was[w - 1] : member->name;
            if (only_valueless && member->type != KILN_TYPE_NONE)
                continue;
            bake_json_text(&s->json, NULL, name);
            if (!bake_js_is_string(name, token) && *token)
                bake_json_raw(&s->json, NULL, token);
        }
    }
    bake_json_close(&s->json, '[');
}

/* What editors show beside each name. */
static void describe_names(json_schema *s, const kiln_type *of)
{
    char token[40];
    bool any = false;
    for (uint32_t m = 0; m < of->member_count; m++)
        any = any || *of->members[m].doc;
    if (!any)
        return;
    bake_json_open(&s->json, "enumDescriptions", '[');
    for (uint32_t m = 0; m < of->member_count; m++)
        for (uint32_t w = 0; w <= of->members[m].was_count; w++) {
            const char *name = w ? of->members[m].was[w - 1] : of->members[m].name;
            bake_json_text(&s->json, NULL, of->members[m].doc);
            if (!bake_js_is_string(name, token) && *token)
                bake_json_text(&s->json, NULL, of->members[m].doc);
        }
    bake_json_close(&s->json, '[');
}

/* ---- patterns ---- */

void bake_js_put_any_case(json_schema *s, const char *name)
{
    char letter[2] = {0, 0};
    for (; *name; name++) {
        letter[0] = *name;
        if (bake_is_alphabetic(*name)) {
            char both[5] = {'[', *name,
                            bake_is_lower(*name) ? bake_upper(*name) : bake_lower(*name), ']',
                            '\0'};
            bake_c_put(&s->text, both);
        } else {
            bake_js_put_escaped(s, letter);
        }
    }
}

static void put_word(json_schema *s, const char *word, bool any_case)
{
    if (any_case)
        bake_js_put_any_case(s, word);
    else
        bake_js_put_escaped(s, word);
}

void bake_js_put_names(json_schema *s, uint32_t type)
{
    const kiln_type *of = kiln_types_get(s->types, type);
    const bake_type_info *info = &s->schema->info[type];
    bool any_case = info->forms & BAKE_ANY_CASE;
    uint32_t prefixes = info->words ? info->words->prefix_count : 0;
    bake_c_put(&s->text, prefixes ? "(?:(?:" : "(?:");
    for (uint32_t i = 0; i < prefixes; i++) {
        bake_c_put(&s->text, i ? "|" : "");
        put_word(s, info->words->prefixes[i], any_case);
    }
    bake_c_put(&s->text, prefixes ? ")?(?:" : "");
    for (uint32_t m = 0; m < of->member_count; m++) {
        for (uint32_t w = 0; w <= of->members[m].was_count; w++) {
            bake_c_put(&s->text, m || w ? "|" : "");
            put_word(s, w ? of->members[m].was[w - 1] : of->members[m].name, any_case);
        }
    }
    bake_c_put(&s->text, prefixes ? ")" : "");
    if (info->words && info->words->none) {
        bake_c_put(&s->text, "|");
        put_word(s, info->words->none, any_case);
    }
    bake_c_put(&s->text, ")");
}

static void names_pattern(json_schema *s, uint32_t type)
{
    bake_js_begin_pattern(s);
    bake_js_put_names(s, type);
    bake_js_end_pattern(s, "pattern");
}

/* ---- schemas ---- */

/* One name. */
static void name(json_schema *s, uint32_t type)
{
    const kiln_type *of = kiln_types_get(s->types, type);
    bool has_forms = s->schema->info[type].forms & (BAKE_ANY_CASE | BAKE_PREFIX | BAKE_NONE);
    if (has_forms) {
        bake_json_open(&s->json, "anyOf", '[');
        bake_json_open(&s->json, NULL, '{');
    }
    bake_js_names(s, of, false);
    describe_names(s, of);
    if (!has_forms)
        return;
    bake_json_close(&s->json, '{');
    bake_json_open(&s->json, NULL, '{');
    bake_json_text(&s->json, "type", "string");
    names_pattern(s, type);
    bake_json_close(&s->json, '{');
    bake_json_close(&s->json, '[');
}

void bake_js_enum(json_schema *s, uint32_t type)
{
    name(s, type);
}

/* Names joined by `,` or `|`. A name that has such a byte stands alone. */
static void joined_names(json_schema *s, uint32_t type)
{
    bake_json_text(&s->json, "type", "string");
    bake_js_begin_pattern(s);
    bake_c_put(&s->text, " *");
    bake_js_put_names(s, type);
    bake_c_put(&s->text, "(?: *[,|] *");
    bake_js_put_names(s, type);
    bake_c_put(&s->text, ")* *");
    bake_js_end_pattern(s, "pattern");
}

/* Names, each with a bool. */
static void name_mapping(json_schema *s, uint32_t type)
{
    bake_json_text(&s->json, "type", "object");
    bake_json_open(&s->json, "propertyNames", '{');
    names_pattern(s, type);
    bake_json_close(&s->json, '{');
    bake_json_open(&s->json, "additionalProperties", '{');
    bake_js_bool(s);
    bake_json_close(&s->json, '{');
}

void bake_js_flags(json_schema *s, uint32_t type)
{
    bake_json_open(&s->json, "anyOf", '[');
    bake_json_open(&s->json, NULL, '{');
    name(s, type);
    bake_json_close(&s->json, '{');
    bake_json_open(&s->json, NULL, '{');
    joined_names(s, type);
    bake_json_close(&s->json, '{');
    bake_json_open(&s->json, NULL, '{');
    bake_json_text(&s->json, "type", "array");
    bake_json_open(&s->json, "items", '{');
    name(s, type);
    bake_json_close(&s->json, '{');
    bake_json_close(&s->json, '{');
    bake_json_open(&s->json, NULL, '{');
    name_mapping(s, type);
    bake_json_close(&s->json, '{');
    bake_json_close(&s->json, '[');
}
