#include "option_texts.h"

#include "budget.h"
#include "excerpt.h"

#include <stdio.h>
#include <string.h>

/* A list that grows. After a failed allocation nothing more is added. */
typedef struct texts {
    bake_store *store;
    bake_record_option *items;
    size_t count, capacity;
    bool failed;
} texts;

static void add(texts *t, const char *name, const char *value)
{
    bake_record_option *items =
        t->failed || !value
            ? NULL
            : bake_store_grow(t->store, t->items, &t->capacity, t->count + 1, sizeof *items);
    if (!items) {
        t->failed = t->failed || value;
        return;
    }
    t->items = items;
    items[t->count++] = (bake_record_option){name, value};
}

static void add_list(texts *t, const char *name, const bake_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        add(t, name, list->items[i]);
}

static void add_flag(texts *t, const char *name, bool is_set)
{
    add(t, name, is_set ? "" : NULL);
}

/* Adds a number unless it is the default, 0. */
static void add_number(texts *t, const char *name, size_t number)
{
    char digits[32];
    int length = snprintf(digits, sizeof digits, "%zu", number);
    const char *text = number ? bake_store_text(t->store, digits, (size_t)length) : NULL;
    t->failed = t->failed || (number && !text);
    add(t, name, text);
}

/* Adds a word unless it is the default, the first. */
static void add_word(texts *t, const char *name, const char *const *words, size_t number)
{
    add(t, name, number ? words[number] : NULL);
}

/* Adds the budgets. Their lines matter only to messages, see bake_option_texts. */
static void add_budgets(texts *t, const bake_budgets *budgets)
{
    add_number(t, "budgets.warn", budgets->warn);
    for (size_t i = 0; i < budgets->count && !t->failed; i++) {
        const bake_budget *b = &budgets->items[i];
        char rest[64];
        snprintf(rest, sizeof rest, "%s %llu", bake_measure_words[b->measure],
                 (unsigned long long)b->limit);
        const char *text =
            bake_store_join(t->store, bake_budget_kind_words[b->kind], ' ', b->pattern);
        text = text ? bake_store_join(t->store, text, ' ', rest) : NULL;
        t->failed = !text;
        add(t, "budgets", text);
    }
}

/* Adds the location of each budget and its line in the project file, which messages quote. */
static void add_budget_lines(texts *t, const bake_budgets *budgets)
{
    bake_line_cursor cursor = bake_line_cursor_init(budgets->text, budgets->size);
    for (size_t i = 0; i < budgets->count && !t->failed; i++) {
        const bake_mark *mark = &budgets->items[i].mark;
        char place[64];
        if (mark->line < cursor.line)
            cursor = bake_line_cursor_init(budgets->text, budgets->size);
        while (cursor.line < mark->line && bake_line_next(&cursor))
            ;
        snprintf(place, sizeof place, "%u:%u:%u", (unsigned)mark->line, (unsigned)mark->column,
                 (unsigned)mark->length);
        const char *line =
            bake_store_text(t->store, cursor.text + cursor.offset, bake_line_length(&cursor));
        line = line ? bake_store_join(t->store, place, ' ', line) : NULL;
        t->failed = !line;
        add(t, BAKE_OPTION_LINES, line);
    }
}

static const char *command_text(bake_command command)
{
    switch (command) {
    case BAKE_COMMAND_BUILD:
        return "build";
    case BAKE_COMMAND_CHECK:
        return "check";
    case BAKE_COMMAND_HEADER:
        return "header";
    case BAKE_COMMAND_LINK:
        return "link";
    default:
        return "other";
    }
}

bool bake_option_texts(const bake_options *o, bake_store *store,
                       const bake_record_option **ret_texts, size_t *ret_count)
{
    texts t = {.store = store};
    add(&t, "command", command_text(o->command));
    add_list(&t, BAKE_OPTION_INPUT, &o->inputs);
    add_list(&t, "-s", &o->schemas);
    add_list(&t, "-I", &o->include_folders);
    add_list(&t, "--importer", &o->importers);
    add_list(&t, "-x", &o->externs);
    add(&t, "--names", o->names);
    add(&t, "--budget-file", o->budget_file);
    add(&t, "-o", o->output);
    add(&t, "--each", o->each);
    add(&t, "-C", o->base);
    add(&t, "--source-map", o->source_map);
    add(&t, "--prefix", o->prefix);
    add(&t, "--diagnostics-file", o->diagnostics_file);
    add(&t, "-MF", o->depfile);
    add_list(&t, "-MT", &o->targets);
    add_list(&t, "-MQ", &o->quoted_targets);
    add_flag(&t, "-MD", o->depend);
    add_flag(&t, "-MP", o->phony);
    add_flag(&t, "--patch", o->patch);
    add_flag(&t, "--no-types", o->no_types);
    add_flag(&t, "--no-share", o->no_share);
    add_flag(&t, "--no-importers", o->no_importers);
    add_flag(&t, "--dry-run", o->dry_run);
    add_flag(&t, "-Werror", o->warnings_are_errors);
    add_flag(&t, "--hide-warnings", o->hides_warnings);
    add_number(&t, "--compress", o->compress);
    add_number(&t, "--max-errors", o->max_errors);
    add_number(&t, "--max-input", o->max_input);
    add_word(&t, "--dictionary", bake_dictionary_words, (size_t)o->dictionary);
    add_word(&t, "--dangling", bake_dangling_words, (size_t)o->dangling);
    add_word(&t, "--resources", bake_resource_words, (size_t)o->resources);
    if (o->budgets && o->budgets->count) {
        add_budgets(&t, o->budgets);
        add_budget_lines(&t, o->budgets);
    }
    *ret_texts = t.items;
    *ret_count = t.count;
    return !t.failed;
}
