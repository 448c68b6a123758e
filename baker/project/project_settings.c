#include "project_settings.h"

#include "bake_text.h"

#include <kiln/compression.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef enum setting_kind {
    SETTING_SOURCES,
    SETTING_PATHS,
    SETTING_PATH,
    SETTING_OUTPUT,
    SETTING_FLAG,
    SETTING_LEVEL,
    SETTING_SIZE,
    SETTING_WORD,
    SETTING_BUDGETS
} setting_kind;

typedef struct setting {
    const char *name;
    setting_kind kind;
    size_t at;                /* offset in bake_settings */
    size_t option;            /* offset in bake_options; 0: not an option of the same type */
    const char *const *words; /* NULL-terminated; the index is the enum value */
} setting;

#define AT(field) offsetof(bake_settings, field)
#define BOTH(field) offsetof(bake_settings, field), offsetof(bake_options, field)

static const setting table[] = {
    {"sources", SETTING_SOURCES, AT(sources), 0, NULL},
    {"output", SETTING_OUTPUT, AT(output), 0, NULL},
    {"base", SETTING_PATH, AT(base), 0, NULL},
    {"externs", SETTING_PATHS, AT(externs), 0, NULL},
    {"source_map", SETTING_OUTPUT, AT(source_map), 0, NULL},
    {"patch", SETTING_FLAG, BOTH(patch), NULL},
    {"compress", SETTING_LEVEL, BOTH(compress), NULL},
    {"dictionary", SETTING_WORD, BOTH(dictionary), bake_dictionary_words},
    {"dangling", SETTING_WORD, BOTH(dangling), bake_dangling_words},
    {"resources", SETTING_WORD, BOTH(resources), bake_resource_words},
    {"no_types", SETTING_FLAG, BOTH(no_types), NULL},
    {"no_share", SETTING_FLAG, BOTH(no_share), NULL},
    {"no_importers", SETTING_FLAG, BOTH(no_importers), NULL},
    {"max_input", SETTING_SIZE, BOTH(max_input), NULL},
    {"durable", SETTING_FLAG, BOTH(durable), NULL},
    {"if_changed", SETTING_FLAG, BOTH(if_changed), NULL},
    {"werror", SETTING_FLAG, BOTH(warnings_are_errors), NULL},
    {"budgets", SETTING_BUDGETS, AT(budgets), 0, NULL},
};
enum { SETTING_COUNT = sizeof table / sizeof *table };

_Static_assert(SETTING_COUNT <= 32, "bake_settings.given has a bit for each setting");
_Static_assert(sizeof(bake_dictionary) == sizeof(bake_dangling) &&
                   sizeof(bake_dictionary) == sizeof(bake_resources),
               "all enums are copied as bake_dictionary");

static bool is_for_one_bundle(const setting *s)
{
    return s->kind <= SETTING_OUTPUT;
}

static size_t size_of(const setting *s)
{
    static const size_t sizes[] = {[SETTING_SOURCES] = sizeof(bake_project_paths),
                                   [SETTING_PATHS] = sizeof(bake_project_paths),
                                   [SETTING_PATH] = sizeof(bake_project_path),
                                   [SETTING_OUTPUT] = sizeof(bake_project_path),
                                   [SETTING_FLAG] = sizeof(bool),
                                   [SETTING_LEVEL] = sizeof(size_t),
                                   [SETTING_SIZE] = sizeof(size_t),
                                   [SETTING_WORD] = sizeof(bake_dictionary),
                                   [SETTING_BUDGETS] = sizeof(bake_setting_budgets)};
    return sizes[s->kind];
}

/* ---- reading ---- */

static bool read_level(bake_project_reader *reader, bake_node_id node, const char *path,
                       size_t *ret_level)
{
    const char *text = bake_project_text(reader, node, path, "a level");
    size_t level = 0, length = text ? strlen(text) : 0;
    bool ok = length > 0 && length <= 2 && strspn(text, "0123456789") == length;
    for (size_t i = 0; ok && i < length; i++)
        level = level * 10 + (size_t)(text[i] - '0');
    if (text && (!ok || level > KILN_COMPRESSION_LEVEL_MAX))
        return bake_project_report(reader, node, path,
                                   "expected a level from 0 to %d, found \"%s\"",
                                   KILN_COMPRESSION_LEVEL_MAX, text);
    *ret_level = level;
    return text != NULL;
}

static bool read_size(bake_project_reader *reader, bake_node_id node, const char *path,
                      size_t *ret_size)
{
    const char *text = bake_project_text(reader, node, path, "a number of bytes");
    if (text && !bake_parse_size(text, ret_size))
        return bake_project_report(
            reader, node, path,
            "expected a number of bytes, such as 500000, 64M or 4G, found \"%s\"", text);
    return text != NULL;
}

static bool read_word(bake_project_reader *reader, bake_node_id node, const char *path,
                      const char *const *words, void *ret_word)
{
    const char *text = bake_project_text(reader, node, path, "a word");
    size_t count = 0;
    if (!text)
        return false;
    for (; words[count]; count++) {
        if (strcmp(words[count], text) != 0)
            continue;
        bake_dictionary word = (bake_dictionary)count;
        memcpy(ret_word, &word, sizeof word);
        return true;
    }
    char list[100];
    bake_list_words(list, sizeof list, words);
    bake_project_report(reader, node, path, "expected %s, found \"%s\"", list, text);
    bake_hint_similar(reader->diagnostics, text, strlen(text), words, count);
    return false;
}

static bool read_budgets(bake_project_reader *reader, bake_node_id node, const char *path,
                         bake_settings_place place, bake_setting_budgets *ret_budgets)
{
    ret_budgets->layers[0] =
        bake_project_budgets_read(reader, node, path, place != BAKE_SETTINGS_PROFILE);
    ret_budgets->count = 1;
    return ret_budgets->layers[0] != NULL;
}

static bool read_setting(bake_project_reader *reader, const setting *s, bake_node_id node,
                         const char *path, bake_settings_place place, void *at)
{
    switch (s->kind) {
    case SETTING_SOURCES:
        return bake_project_paths_read(reader, node, path, BAKE_PATH_SOURCE, at);
    case SETTING_PATHS:
        return bake_project_paths_read(reader, node, path, BAKE_PATH_PLAIN, at);
    case SETTING_PATH:
        return bake_project_path_read(reader, node, path, BAKE_PATH_PLAIN, at);
    case SETTING_OUTPUT:
        return bake_project_path_read(reader, node, path, BAKE_PATH_OUTPUT, at);
    case SETTING_FLAG:
        return bake_project_bool(reader, node, path, at);
    case SETTING_LEVEL:
        return read_level(reader, node, path, at);
    case SETTING_SIZE:
        return read_size(reader, node, path, at);
    case SETTING_WORD:
        return read_word(reader, node, path, s->words, at);
    case SETTING_BUDGETS:
        return read_budgets(reader, node, path, place, at);
    }
    return false;
}

/* Keys of a profile that are not settings of bundles. */
static const char *const profile_keys[] = {"bundles", "importers"};
enum { PROFILE_KEYS = sizeof profile_keys / sizeof *profile_keys };

static bool is_profile_key(const char *text, size_t length)
{
    for (size_t i = 0; i < PROFILE_KEYS; i++)
        if (bake_text_is(text, length, profile_keys[i]))
            return true;
    return false;
}

static void unknown_key(bake_project_reader *reader, bake_node_id key, const char *path,
                        bake_settings_place place)
{
    const char *names[SETTING_COUNT + PROFILE_KEYS];
    size_t count = 0;
    for (size_t i = 0; i < SETTING_COUNT; i++)
        if (place != BAKE_SETTINGS_PROFILE || !is_for_one_bundle(&table[i]))
            names[count++] = table[i].name;
    for (size_t i = 0; place == BAKE_SETTINGS_PROFILE && i < PROFILE_KEYS; i++)
        names[count++] = profile_keys[i];
    bake_project_unknown_key(reader, key, path, names, count);
}

static const setting *find_setting(const char *text, size_t length)
{
    for (size_t i = 0; i < SETTING_COUNT; i++)
        if (bake_text_is(text, length, table[i].name))
            return &table[i];
    return NULL;
}

void bake_settings_read(bake_project_reader *reader, bake_node_id node, const char *path,
                        bake_settings_place place, bake_settings *ret_settings)
{
    if (bake_node_is_null(reader->tree, node) || !bake_project_is_mapping(reader, node, path))
        return;
    for (bake_iterator it = bake_iterator_begin(reader->tree, node); bake_iterator_next(&it);) {
        size_t length;
        const char *text = bake_node_text(reader->tree, it.key, &length);
        const setting *s = find_setting(text, length);
        const char *inner = bake_project_join(reader, path, it.key);
        if (place == BAKE_SETTINGS_PROFILE && is_profile_key(text, length)) {
            continue;
        } else if (!s) {
            unknown_key(reader, it.key, path, place);
        } else if (place == BAKE_SETTINGS_PROFILE && is_for_one_bundle(s)) {
            bake_project_report(reader, it.key, inner, "a profile cannot set `%s` for all bundles",
                                s->name);
            bake_hint(reader->diagnostics, "set it for one bundle: `bundles: {NAME: {%s: …}}`",
                      s->name);
        } else if (read_setting(reader, s, it.value, inner, place, (char *)ret_settings + s->at)) {
            ret_settings->given |= (uint32_t)1 << (s - table);
        }
    }
}

/* Budgets add to those that are already there. */
static void apply_budgets(bake_setting_budgets *to, const bake_setting_budgets *by)
{
    for (size_t i = 0; i < by->count && to->count < BAKE_SETTING_LAYERS; i++)
        to->layers[to->count++] = by->layers[i];
}

void bake_settings_apply(bake_settings *settings, const bake_settings *by)
{
    apply_budgets(&settings->budgets, &by->budgets);
    for (size_t i = 0; i < SETTING_COUNT; i++)
        if ((by->given >> i & 1) && table[i].kind != SETTING_BUDGETS)
            memcpy((char *)settings + table[i].at, (const char *)by + table[i].at,
                   size_of(&table[i]));
    settings->given |= by->given;
}

void bake_settings_export(const bake_settings *settings, bake_options *options)
{
    for (size_t i = 0; i < SETTING_COUNT; i++)
        if ((settings->given >> i & 1) && table[i].option)
            memcpy((char *)options + table[i].option, (const char *)settings + table[i].at,
                   size_of(&table[i]));
}
