/* Parses the command line with one table of options.
 *
 * Options may come before, between and after arguments, so arguments are moved to the front of
 * `argv`. Some options are valid only for some commands, and the command may follow the option. So
 * the options given are recorded as bits and checked at the end. */
#include "insp_options.h"

#include "insp_commands.h"
#include "insp_message.h"
#include "insp_similar.h"
#include "insp_threads.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* An option: its name, its value, and the function that stores it. */
typedef struct option_row {
    const char *name;
    const char *takes; /* describes the value; NULL: no value */
    bool is_special;   /* only for commands that list it in `options` */
    bool (*set)(insp_options *options, const char *value);
    const char *words; /* the only valid values, each followed by a space; NULL: any */
} option_row;

enum { TOP_MAX = 1000000000 };

static const char size_words[] = "a number of bytes, such as 500000, 64M or 4G";

static bool set_all(insp_options *options, const char *value)
{
    (void)value;
    options->all = true;
    return true;
}

static bool set_by(insp_options *options, const char *value)
{
    options->by = value;
    return true;
}

static bool set_chunks(insp_options *options, const char *value)
{
    (void)value;
    options->chunks = true;
    return true;
}

static bool set_copy(insp_options *options, const char *value)
{
    (void)value;
    options->copy = true;
    return true;
}

static bool set_color(insp_options *options, const char *value)
{
    options->color = strcmp(value, "auto") == 0     ? INSP_COLOR_AUTO
                     : strcmp(value, "always") == 0 ? INSP_COLOR_ALWAYS
                                                    : INSP_COLOR_NEVER;
    return true;
}

static bool set_data(insp_options *options, const char *value)
{
    (void)value;
    options->data = true;
    return true;
}

static bool set_decompress(insp_options *options, const char *value)
{
    (void)value;
    options->decompress = true;
    return true;
}

static bool set_flat(insp_options *options, const char *value)
{
    (void)value;
    options->format = "flat";
    return true;
}

static bool set_compare(insp_options *options, const char *value)
{
    options->compare = value;
    return true;
}

static bool set_force(insp_options *options, const char *value)
{
    (void)value;
    options->force = true;
    return true;
}

static bool set_format(insp_options *options, const char *value)
{
    options->format = value;
    return true;
}

static bool set_help(insp_options *options, const char *value)
{
    (void)value;
    options->help = true;
    return true;
}

/* Reads a number of bytes with an optional suffix K, M or G. */
static bool read_size(const char *value, uint64_t *ret_size)
{
    static const char units[] = "KMG";
    uint64_t number = 0;
    const char *at = value, *unit;
    /* The bound prevents overflow by the next digit. If the number is too long, the loop stops at a
     * digit, which is not a unit, so the number is rejected. */
    for (; *at >= '0' && *at <= '9' && number < UINT64_MAX / 16; at++)
        number = number * 10 + (uint64_t)(*at - '0');
    unit = at > value && *at ? strchr(units, *at) : NULL;
    if (unit) {
        int shift = 10 * (int)(unit - units + 1);
        if (number > UINT64_MAX >> shift)
            return false;
        number <<= shift;
        at++;
    }
    *ret_size = number;
    return at > value && !*at;
}

static bool set_max_bytes(insp_options *options, const char *value)
{
    options->has_max_bytes = true;
    return read_size(value, &options->max_bytes);
}

static bool set_max_errors(insp_options *options, const char *value)
{
    return read_size(value, &options->max_errors);
}

static bool set_max_input(insp_options *options, const char *value)
{
    return read_size(value, &options->max_input);
}

static bool set_min_size(insp_options *options, const char *value)
{
    return read_size(value, &options->min_size);
}

static bool set_max_size(insp_options *options, const char *value)
{
    return read_size(value, &options->max_size);
}

static bool set_sort(insp_options *options, const char *value)
{
    options->sort = value;
    return true;
}

static bool set_type(insp_options *options, const char *value)
{
    options->type = value;
    return true;
}

static bool set_source_map(insp_options *options, const char *value)
{
    options->source_map = value;
    return true;
}

static bool add_to_list(const char **list, uint32_t *count, const char *value)
{
    if (*count == INSP_LIST_MAX)
        return false;
    list[(*count)++] = value;
    return true;
}

static bool set_mount(insp_options *options, const char *value)
{
    return add_to_list(options->mounts, &options->mount_count, value);
}

static bool set_match(insp_options *options, const char *value)
{
    options->match = value;
    return true;
}

static bool set_null(insp_options *options, const char *value)
{
    (void)value;
    options->null = true;
    return true;
}

static bool set_root(insp_options *options, const char *value)
{
    return add_to_list(options->roots, &options->root_count, value);
}

static bool set_ignore(insp_options *options, const char *value)
{
    return add_to_list(options->ignored, &options->ignored_count, value);
}

static bool set_tolerance(insp_options *options, const char *value)
{
    char *end;
    options->tolerance = strtod(value, &end);
    return end > value && !*end && options->tolerance >= 0 && options->tolerance <= 1e300;
}

static bool set_jobs(insp_options *options, const char *value)
{
    const char *at = value;
    options->jobs = 0;
    for (; *at >= '0' && *at <= '9' && options->jobs <= INSP_THREADS_MAX; at++)
        options->jobs = options->jobs * 10 + (uint64_t)(*at - '0');
    return options->jobs > 0 && options->jobs <= INSP_THREADS_MAX && !*at;
}

static bool set_bytes(insp_options *options, const char *value)
{
    (void)value;
    options->bytes = true;
    return true;
}

static bool set_git(insp_options *options, const char *value)
{
    (void)value;
    options->git = true;
    return true;
}

static bool set_stat(insp_options *options, const char *value)
{
    (void)value;
    options->stat = true;
    return true;
}

static bool set_base(insp_options *options, const char *value)
{
    options->base = value;
    return true;
}

static bool set_to(insp_options *options, const char *value)
{
    options->to = value;
    return true;
}

static bool set_top(insp_options *options, const char *value)
{
    uint64_t number = 0;
    const char *at = value;
    for (; *at >= '0' && *at <= '9' && number <= TOP_MAX; at++)
        number = number * 10 + (uint64_t)(*at - '0');
    options->has_top = true;
    options->top = number;
    return number > 0 && number <= TOP_MAX && !*at;
}

static bool set_version(insp_options *options, const char *value)
{
    (void)value;
    options->version = true;
    return true;
}

static const option_row option_rows[] = {
    {"--all", NULL, false, set_all, NULL},
    {"--bytes", NULL, true, set_bytes, NULL},
    {"--by", "part, type, field, scene or asset", true, set_by, "part type field scene asset "},
    {"--chunks", NULL, true, set_chunks, NULL},
    {"--copy", NULL, false, set_copy, NULL},
    {"--color", "auto, always or never", false, set_color, "auto always never "},
    {"--data", NULL, true, set_data, NULL},
    {"--decompress", NULL, true, set_decompress, NULL},
    {"--flat", NULL, true, set_flat, NULL},
    {"--compare", "a file", true, set_compare, NULL},
    {"--force", NULL, true, set_force, NULL},
    {"--format", "a format", false, set_format, NULL},
    {"--git", NULL, true, set_git, NULL},
    {"--help", NULL, false, set_help, NULL},
    {"--ignore", "a pattern of paths, at most 63 times", true, set_ignore, NULL},
    {"--jobs", "a number from 1 to 64", true, set_jobs, NULL},
    {"--max-bytes", size_words, false, set_max_bytes, NULL},
    {"--max-errors", "a number", true, set_max_errors, NULL},
    {"--max-input", size_words, false, set_max_input, NULL},
    {"--match", "value, text, regex, ref or type", true, set_match, "value text regex ref type "},
    {"--mount", "a file, at most 63 times", true, set_mount, NULL},
    {"--null", NULL, true, set_null, NULL},
    {"--root", "a pattern, at most 63 times", true, set_root, NULL},
    {"--max-size", size_words, true, set_max_size, NULL},
    {"--min-size", size_words, true, set_min_size, NULL},
    {"--sort", "name, type, size, stored or references", true, set_sort,
     "name type size stored references "},
    {"--source-map", "a file", true, set_source_map, NULL},
    {"--stat", NULL, true, set_stat, NULL},
    {"--to", "sqlite, csv or ndjson", true, set_to, "sqlite csv ndjson "},
    {"--tolerance", "a number, such as 0.001", true, set_tolerance, NULL},
    {"--top", "a number of rows from 1 to 1000000000", true, set_top, NULL},
    {"--type", "a type", true, set_type, NULL},
    {"--version", NULL, false, set_version, NULL},
    {"-0", NULL, true, set_null, NULL},
    {"-C", "a folder", true, set_base, NULL},
    {"-a", NULL, false, set_all, NULL},
    {"-f", "a format", false, set_format, NULL},
    {"-h", NULL, false, set_help, NULL},
    {"-j", "a number from 1 to 64", true, set_jobs, NULL},
};

enum { OPTION_ROWS = sizeof option_rows / sizeof option_rows[0] };
static_assert(OPTION_ROWS <= 64, "`given` has a bit for each row");

static int wrong_usage(insp_run *run, const char *what, const char *which)
{
    insp_complain(run, NULL, "%s '%s'; see kiln-inspect --help", what, which);
    return INSP_TROUBLE;
}

/* Like wrong_usage, with a suggestion if there is one. */
static int wrong_word(insp_run *run, const char *what, const insp_similar *similar)
{
    if (!similar->best)
        return wrong_usage(run, what, similar->wanted);
    insp_complain(run, NULL, "%s '%s'; did you mean '%.*s'?", what, similar->wanted,
                  (int)similar->best_length, similar->best);
    return INSP_TROUBLE;
}

static int wrong_option(insp_run *run, const char *text, size_t length)
{
    insp_similar similar;
    size_t i;
    insp_similar_init(&similar, text, length);
    for (i = 0; i < OPTION_ROWS; i++)
        if (option_rows[i].name[1] == '-')
            insp_similar_offer(&similar, option_rows[i].name, strlen(option_rows[i].name));
    return wrong_word(run, "unknown option", &similar);
}

static const option_row *find_option(const char *text, size_t length)
{
    size_t i;
    for (i = 0; i < OPTION_ROWS; i++)
        if (strlen(option_rows[i].name) == length && memcmp(option_rows[i].name, text, length) == 0)
            return &option_rows[i];
    return NULL;
}

/* Whether `word` is in `words`, a list with a space after each word. NULL is an empty list. */
static bool is_one_of(const char *words, const char *word)
{
    size_t length = strlen(word);
    for (; words && *words; words = strchr(words, ' ') + 1)
        if (strcspn(words, " ") == length && memcmp(words, word, length) == 0)
            return true;
    return false;
}

/* Finds the word of `words`, which may be NULL, that is most similar to `text`. */
static insp_similar find_similar(const char *words, const char *text)
{
    insp_similar similar;
    insp_similar_init(&similar, text, strlen(text));
    for (; words && *words; words = strchr(words, ' ') + 1)
        insp_similar_offer(&similar, words, strcspn(words, " "));
    return similar;
}

static int wrong_format(insp_run *run, const char *words, const char *format)
{
    insp_similar similar = find_similar(words, format);
    return wrong_word(run, "this command does not support the format", &similar);
}

static int wrong_value(insp_run *run, const option_row *row, const char *value)
{
    insp_similar similar = find_similar(row->words, value);
    if (similar.best)
        insp_complain(run, NULL, "%s takes %s, not '%s'; did you mean '%.*s'?", row->name,
                      row->takes, value, (int)similar.best_length, similar.best);
    else
        insp_complain(run, NULL, "%s takes %s, not '%s'; see kiln-inspect --help", row->name,
                      row->takes, value);
    return INSP_TROUBLE;
}

/* Parses the option at argv[*at]. Its value follows `=` or is the next argument. Sets the bit of
 * its row in `given`. */
static int parse_option(insp_run *run, int argc, char **argv, int *at, uint64_t *given)
{
    const char *text = argv[*at], *equals = strchr(text, '=');
    size_t length = equals ? (size_t)(equals - text) : strlen(text);
    const option_row *row = find_option(text, length);
    const char *value = equals ? equals + 1 : NULL;
    if (!row)
        return wrong_option(run, text, length);
    if (!row->takes && value)
        return wrong_usage(run, "unexpected value for", row->name);
    if (row->takes && !value) {
        if (*at + 1 >= argc)
            return wrong_usage(run, "missing value after", row->name);
        value = argv[++*at];
    }
    *given |= UINT64_C(1) << (row - option_rows);
    if ((!row->words || is_one_of(row->words, value)) &&
        row->set(&run->options, value ? value : ""))
        return INSP_OK;
    return wrong_value(run, row, value);
}

static const insp_command *find_command(const char *name)
{
    int i;
    for (i = 0; i < insp_command_count; i++)
        if (strcmp(insp_commands[i]->name, name) == 0)
            return insp_commands[i];
    return NULL;
}

static int wrong_command(insp_run *run, const char *name)
{
    insp_similar similar;
    int i;
    insp_similar_init(&similar, name, strlen(name));
    for (i = 0; i < insp_command_count; i++)
        insp_similar_offer(&similar, insp_commands[i]->name, strlen(insp_commands[i]->name));
    return wrong_word(run, "unknown command", &similar);
}

/* The first special option given that the command does not accept; NULL if it accepts all. */
static const char *refused_option(const insp_command *command, uint64_t given)
{
    size_t i;
    for (i = 0; i < OPTION_ROWS; i++)
        if (given >> i & 1 && option_rows[i].is_special &&
            !is_one_of(command->options, option_rows[i].name))
            return option_rows[i].name;
    return NULL;
}

/* The first argument is the command. If it is the only argument and not a command, it is a file for
 * the `info` command. */
static int choose_command(insp_run *run, uint64_t given)
{
    insp_options *options = &run->options;
    const char *refused;
    options->command = find_command(options->arguments[0]);
    if (options->command) {
        options->arguments++;
        options->argument_count--;
    } else if (options->argument_count == 1) {
        options->command = insp_commands[0];
    } else {
        return wrong_command(run, options->arguments[0]);
    }
    if (options->argument_count < options->command->min_arguments)
        return wrong_usage(run, "too few arguments for", options->command->name);
    if (options->command->max_arguments >= 0 &&
        options->argument_count > options->command->max_arguments)
        return wrong_usage(run, "unexpected argument",
                           options->arguments[options->command->max_arguments]);
    if (options->format && !is_one_of(options->command->formats, options->format))
        return wrong_format(run, options->command->formats, options->format);
    refused = refused_option(options->command, given);
    return refused ? wrong_usage(run, "this command does not take the option", refused) : INSP_OK;
}

/* Whether the text is an argument and not an option: a name, `-` for standard input, or a negative
 * number. `-0` is an option. */
static bool is_argument(const char *text)
{
    if (text[0] != '-' || !text[1])
        return true;
    return text[1] >= '0' && text[1] <= '9' && strcmp(text, "-0") != 0;
}

int insp_options_parse(insp_run *run, int argc, char **argv)
{
    insp_options *options = &run->options;
    bool only_arguments = false;
    uint64_t given = 0;
    int i, status;
    options->arguments = argc > 0 ? argv + 1 : argv;
    for (i = 1; i < argc; i++) {
        if (only_arguments || is_argument(argv[i])) {
            options->arguments[options->argument_count++] = argv[i];
        } else if (strcmp(argv[i], "--") == 0) {
            only_arguments = true;
        } else {
            status = parse_option(run, argc, argv, &i, &given);
            if (status)
                return status;
        }
    }
    /* --help and --version are accepted with any other arguments, even without a command. */
    if (options->help || options->version)
        return INSP_OK;
    if (!options->argument_count) {
        insp_complain(run, NULL, "missing argument FILE; see kiln-inspect --help");
        return INSP_TROUBLE;
    }
    return choose_command(run, given);
}
