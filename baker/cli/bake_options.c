/* Parsing, help and suggestions all use the same two tables, of options and of commands. */
#include "bake_options.h"

#include "bake_threads.h"
#include "gateway.h"
#include "schema_command.h"
#include "similar.h"
#include "watcher.h"

#include <kiln/compression.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef enum option_kind {
    OPTION_FLAG,
    OPTION_TEXT,
    OPTION_MAYBE, /* a flag, or with `=` a text; "" without it */
    OPTION_LIST,
    OPTION_NUMBER,
    OPTION_JOBS,  /* number of threads */
    OPTION_WAIT,  /* milliseconds */
    OPTION_LEVEL, /* compression level, from 0 */
    OPTION_TIME,  /* milliseconds, from 0 */
    OPTION_SIZE,  /* bytes, with an optional suffix K, M or G */
    OPTION_WORD   /* a word of a list; its index becomes the enum value */
} option_kind;

typedef struct option {
    const char *letter; /* short form, such as `-o` or `-MD`; NULL: none */
    const char *name;   /* long form, such as `--output`; NULL: none */
    const char *argument;
    const char *help;
    option_kind kind;
    size_t at;                /* offset in bake_options */
    const char *const *words; /* NULL-terminated */
    unsigned commands;        /* that use it: ON_BUILD and so on */
} option;

enum {
    ON_BUILD = 1,
    ON_CHECK = 2,
    ON_HEADER = 4,
    ON_REPACK = 8,
    ON_INFER = BAKE_SCHEMA_COMMAND_INFER,
    ON_SCHEMA_CHECK = BAKE_SCHEMA_COMMAND_CHECK,
    ON_JSON_SCHEMA = BAKE_SCHEMA_COMMAND_JSON_SCHEMA,
    ON_PROJECT = 128, /* build and check with a project file */
    ON_LIST = 256,
    ON_CLEAN = 512,
    ON_INIT = 1024,
    ON_NAMES = 1 << 24,
    ON_LINK = 1 << 25,
    ON_PLAN = 1 << 26,
    ON_CACHE = 1 << 20,
    ON_WHY = 2048,
    ON_PROVE = 4096,
    ON_BUDGET = 8192,   /* also accepts the options of ON_PROJECT */
    ON_WATCH = 1 << 21, /* also accepts the options of ON_BUILD */
    ON_OUTPUTS = ON_LIST | ON_CLEAN,
    ON_RULES = ON_BUILD | ON_HEADER | ON_INFER | ON_SCHEMA_CHECK | ON_JSON_SCHEMA,
    ON_WRITERS = ON_RULES | ON_REPACK,
    ON_ALL = ON_WRITERS | ON_CHECK | ON_PROJECT | ON_OUTPUTS | ON_WHY | ON_INIT | ON_PROVE |
             ON_CACHE | ON_NAMES | ON_LINK | ON_PLAN
};

static const char *const color_words[] = {"auto", "always", "never", NULL};
static const char *const report_words[] = {"text", "json", "csv", "ninja", "make", NULL};
static const char *const order_words[] = {"kept", "name", "id", "references", NULL};

static const char *const format_words[] = {"text", "json", "sarif", NULL};

#define AT(field) offsetof(bake_options, field)

static const option options_table[] = {
    {"-s", "--schema", "FILE", "schema file; can be repeated", OPTION_LIST, AT(schemas), NULL,
     ON_BUILD | ON_PROVE | ON_CHECK | ON_HEADER | ON_JSON_SCHEMA | ON_NAMES | ON_LINK},
    {"-o", "--output", "FILE", "output file; `-` for standard output", OPTION_TEXT, AT(output),
     NULL, ON_WRITERS | ON_NAMES | ON_LINK | ON_PLAN},
    {NULL, "--each", "DIR", "write one file per input, DIR/<stem of input>.kiln", OPTION_TEXT,
     AT(each), NULL, ON_BUILD},
    {"-C", "--base", "DIR", "resolve input paths relative to DIR", OPTION_TEXT, AT(base), NULL,
     ON_BUILD | ON_PROVE | ON_CHECK | ON_INFER | ON_PROJECT | ON_OUTPUTS | ON_WHY | ON_CACHE |
         ON_NAMES | ON_PLAN},
    {NULL, "--project", "FILE", "the project file (default: kiln.yaml, in the folder of -C)",
     OPTION_TEXT, AT(project), NULL,
     ON_BUILD | ON_PROVE | ON_CHECK | ON_PROJECT | ON_OUTPUTS | ON_WHY | ON_CACHE | ON_PLAN},
    {NULL, "--profile", "NAME", "profile of the project (default: its default_profile)",
     OPTION_TEXT, AT(profile), NULL,
     ON_BUILD | ON_PROVE | ON_CHECK | ON_PROJECT | ON_OUTPUTS | ON_WHY | ON_PLAN},
    {NULL, "--force", NULL, "bake bundles of the project that are up to date, too", OPTION_FLAG,
     AT(force), NULL, ON_BUILD | ON_PROJECT},
    {NULL, "--compare-contents", NULL, "detect changes by reading all files, not by their times",
     OPTION_FLAG, AT(compare_contents), NULL, ON_BUILD | ON_PROJECT},
    {NULL, "--cache", "DIR", "store what is baked in this folder, and take it from there",
     OPTION_TEXT, AT(cache.local), NULL, ON_BUILD | ON_PROJECT | ON_CACHE},
    {NULL, "--cache-shared", "DIR", "also use this folder, which others use, too", OPTION_TEXT,
     AT(cache.shared), NULL, ON_BUILD | ON_PROJECT},
    {NULL, "--cache-url", "URL", "also use this HTTP store", OPTION_TEXT, AT(cache.url), NULL,
     ON_BUILD | ON_PROJECT},
    {NULL, "--cache-read-only", NULL, "do not write to the shared folder and the HTTP store",
     OPTION_FLAG, AT(cache.read_only), NULL, ON_BUILD | ON_PROJECT},
    {NULL, "--cache-size", "BYTES", "maximum size of the folder of --cache (default 2G)",
     OPTION_SIZE, AT(cache.size), NULL, ON_BUILD | ON_PROJECT | ON_CACHE},
    {NULL, "--cache-wait", "MS", "wait for the others at most MS milliseconds (default 1000)",
     OPTION_WAIT, AT(cache.wait), NULL, ON_BUILD | ON_PROJECT},
    {NULL, "--no-cache", NULL, "use no cache, whatever the environment and kiln.yaml say",
     OPTION_FLAG, AT(no_cache), NULL, ON_BUILD | ON_PROJECT},
    {"-I", NULL, "DIR", "also search DIR for included schemas", OPTION_LIST, AT(include_folders),
     NULL,
     ON_BUILD | ON_PROVE | ON_CHECK | ON_HEADER | ON_SCHEMA_CHECK | ON_JSON_SCHEMA | ON_NAMES |
         ON_LINK},
    {NULL, "--importer", "YAML", "an importer in place of those of the schema, as {NAME: {…}}",
     OPTION_LIST, AT(importers), NULL,
     ON_BUILD | ON_PROVE | ON_CHECK | ON_HEADER | ON_JSON_SCHEMA | ON_NAMES | ON_LINK},
    {"-x", "--extern", "FILE", "a kiln file with assets that inputs can refer to", OPTION_LIST,
     AT(externs), NULL, ON_BUILD | ON_PROVE | ON_CHECK | ON_NAMES},
    {NULL, "--names", "FILE", "bake a part of the bundle with these names, or link its parts",
     OPTION_TEXT, AT(names), NULL, ON_BUILD | ON_LINK},
    {NULL, "--patch", NULL, "write a patch: assets can replace those of --extern files",
     OPTION_FLAG, AT(patch), NULL, ON_BUILD | ON_PROVE | ON_CHECK | ON_NAMES},
    {"-n", "--dry-run", NULL, "check everything, but write nothing", OPTION_FLAG, AT(dry_run), NULL,
     ON_BUILD | ON_CHECK | ON_REPACK},
    {NULL, "--no-types", NULL, "omit the type table", OPTION_FLAG, AT(no_types), NULL,
     ON_BUILD | ON_PROVE | ON_CHECK | ON_HEADER | ON_SCHEMA_CHECK | ON_NAMES | ON_LINK},
    {NULL, "--no-share", NULL, "store equal values separately instead of sharing them", OPTION_FLAG,
     AT(no_share), NULL, ON_BUILD | ON_PROVE | ON_LINK},
    {NULL, "--source-map", "FILE", "also write a source map: the source line of every value",
     OPTION_TEXT, AT(source_map), NULL, ON_BUILD},
    {NULL, "--compress", "LEVEL", "compress assets with zstd, 1 to 22 (default 0: none)",
     OPTION_LEVEL, AT(compress), NULL, ON_BUILD | ON_PROVE | ON_REPACK | ON_LINK},
    {NULL, "--dictionary", "WORD", "dictionaries: one per type (default), one for all, or none",
     OPTION_WORD, AT(dictionary), bake_dictionary_words, ON_BUILD | ON_PROVE | ON_REPACK | ON_LINK},
    {NULL, "--order", "WORD", "repack: kept (default), name, id or references", OPTION_WORD,
     AT(order), order_words, ON_REPACK},
    {NULL, "--first", "FILE", "repack: begin with the assets named in FILE, one per line",
     OPTION_TEXT, AT(first), NULL, ON_REPACK},
    {NULL, "--if-changed", NULL, "do not rewrite an output that would not change", OPTION_FLAG,
     AT(if_changed), NULL, ON_WRITERS | ON_PROJECT},
    {NULL, "--durable", NULL, "wait until outputs have reached the disk", OPTION_FLAG, AT(durable),
     NULL, ON_WRITERS | ON_PROJECT},
    {"-MD", NULL, NULL, "also write a make rule that lists all files read", OPTION_FLAG, AT(depend),
     NULL, ON_RULES | ON_NAMES | ON_LINK},
    {"-MF", NULL, "FILE", "file for the make rule (default: output with extension .d)", OPTION_TEXT,
     AT(depfile), NULL, ON_RULES | ON_NAMES | ON_LINK},
    {"-MT", NULL, "TARGET", "target of the make rule (default: the outputs)", OPTION_LIST,
     AT(targets), NULL, ON_RULES | ON_NAMES | ON_LINK},
    {"-MQ", NULL, "TARGET", "like -MT, but escape characters that are special to make", OPTION_LIST,
     AT(quoted_targets), NULL, ON_RULES | ON_NAMES | ON_LINK},
    {"-MP", NULL, NULL, "also write an empty rule for each prerequisite", OPTION_FLAG, AT(phony),
     NULL, ON_RULES | ON_NAMES | ON_LINK},
    {NULL, "--prefix", "NAME", "header: prefix of file-level names, such as game_types",
     OPTION_TEXT, AT(prefix), NULL, ON_HEADER},
    {NULL, "--namespace", "NAME", "schema infer: namespace of the types", OPTION_TEXT,
     AT(name_space), NULL, ON_INFER},
    {NULL, "--root", "NAME", "schema jsonschema: only a type, the `match` of a rule, or kinds",
     OPTION_TEXT, AT(root), NULL, ON_JSON_SCHEMA},
    {"-f", "--format", "WORD", "schema check, budget: text, json; budget: csv; plan: ninja, make",
     OPTION_WORD, AT(report_format), report_words, ON_SCHEMA_CHECK | ON_BUDGET | ON_PLAN},
    {NULL, "--parts", "N", "plan: divide each bundle into at most N parts (default 8)",
     OPTION_NUMBER, AT(parts), NULL, ON_PLAN},
    {NULL, "--history", "FILE", "budget: also append the sizes of each bundle to FILE", OPTION_TEXT,
     AT(history), NULL, ON_BUDGET},
    {NULL, "--commit", "TEXT", "budget: a text for the history, such as the id of a commit",
     OPTION_TEXT, AT(commit), NULL, ON_BUDGET},
    {NULL, "--dangling", "WORD", "dangling references: error (default) or warn", OPTION_WORD,
     AT(dangling), bake_dangling_words, ON_BUILD | ON_PROVE | ON_CHECK},
    {NULL, "--resources", "WORD", "missing resources: schema (default), error, warn or accept",
     OPTION_WORD, AT(resources), bake_resource_words, ON_BUILD | ON_PROVE | ON_CHECK},
    {NULL, "--no-importers", NULL, "do not run the importers of the schema", OPTION_FLAG,
     AT(no_importers), NULL,
     ON_BUILD | ON_PROVE | ON_CHECK | ON_PROJECT | ON_WHY | ON_NAMES | ON_PLAN},
    {"-j", "--jobs", "N", "use N threads, 1 to 64 (default: one for each processor)", OPTION_JOBS,
     AT(jobs), NULL, ON_BUILD | ON_PROVE | ON_CHECK | ON_INFER | ON_PROJECT | ON_NAMES},
    {NULL, "--debounce", "MS", "watch: bake after MS milliseconds without changes (default 20)",
     OPTION_TIME, AT(debounce), NULL, ON_WATCH | ON_PROJECT},
    {NULL, "--poll", "MS", "watch: look for changes every MS milliseconds, not by events",
     OPTION_TIME, AT(poll), NULL, ON_WATCH | ON_PROJECT},
    {NULL, "--max-input", "SIZE", "maximum input size, such as 4G (default 1G, 0: no limit)",
     OPTION_SIZE, AT(max_input), NULL, ON_ALL},
    {NULL, "--memory", "SIZE", "move texts, trees and blobs beyond SIZE to a file (default 6M)",
     OPTION_SIZE, AT(memory), NULL, ON_BUILD | ON_CHECK | ON_PROJECT | ON_NAMES},
    {NULL, "--max-errors", "N", "report at most N errors and N warnings (default 100)",
     OPTION_NUMBER, AT(max_errors), NULL, ON_ALL},
    {NULL, "--diagnostics", "WORD", "text (default), json (one object per line) or sarif",
     OPTION_WORD, AT(format), format_words, ON_ALL & ~ON_PROVE},
    {NULL, "--diagnostics-file", "FILE", "write json or sarif to FILE, and text to standard error",
     OPTION_TEXT, AT(diagnostics_file), NULL, ON_ALL & ~ON_PROVE},
    {NULL, "--timings", "[=FILE]", "print what takes the most time; write a Chrome trace to FILE",
     OPTION_MAYBE, AT(timings), NULL, ON_BUILD | ON_CHECK | ON_INFER | ON_PROJECT | ON_NAMES},
    {NULL, "--color", "WHEN", "auto, always or never; NO_COLOR is respected", OPTION_WORD,
     AT(color), color_words, ON_ALL},
    {"-Werror", NULL, NULL, "treat warnings as errors", OPTION_FLAG, AT(warnings_are_errors), NULL,
     ON_ALL},
    {"-q", "--quiet", NULL, "print nothing on success", OPTION_FLAG, AT(quiet), NULL, ON_ALL},
    {"-v", "--verbose", NULL, "print one line per asset", OPTION_FLAG, AT(verbose), NULL, ON_ALL},
    {"-h", "--help", NULL, "print this help", OPTION_FLAG, AT(help), NULL, ON_ALL},
    {NULL, "--version", NULL, "print the version", OPTION_FLAG, AT(version), NULL, ON_ALL},
    /* For the children of `prove` only, so there is no help. */
    {NULL, "--prove-into", "DIR", NULL, OPTION_TEXT, AT(prove_into), NULL, ON_PROVE},
    /* For the commands of a plan only. */
    {NULL, "--budget-file", "FILE", NULL, OPTION_TEXT, AT(budget_file), NULL, ON_BUILD | ON_LINK},
    {NULL, "--hide-warnings", NULL, NULL, OPTION_FLAG, AT(hides_warnings), NULL, ON_BUILD},
    {NULL, "--reverse-folders", NULL, NULL, OPTION_FLAG, AT(reverse_folders), NULL, ON_PROVE},
};
enum { OPTION_COUNT = sizeof options_table / sizeof *options_table };

static const struct {
    const char *name, *arguments, *help;
    bake_command command;
    unsigned bit;
} commands[] = {
    {"build", "-s SCHEMA -o FILE INPUT...", "bake inputs into a kiln file (the default)",
     BAKE_COMMAND_BUILD, ON_BUILD},
    {"build", "[--profile NAME] [BUNDLE...]", "bake what kiln.yaml describes", BAKE_COMMAND_BUILD,
     ON_BUILD},
    {"check", "-s SCHEMA INPUT...", "check schema and inputs without writing", BAKE_COMMAND_CHECK,
     ON_CHECK},
    {"check", "[--profile NAME] [BUNDLE...]", "check what kiln.yaml describes", BAKE_COMMAND_CHECK,
     ON_CHECK},
    {"init", "[DIR]", "write a first kiln.yaml and schema", BAKE_COMMAND_INIT, ON_INIT},
    {"list-outputs", "[--profile NAME]", "print the files that kiln.yaml describes",
     BAKE_COMMAND_LIST_OUTPUTS, ON_LIST},
    {"budget", "[--profile NAME] [BUNDLE...]", "bake, and print sizes and their limits",
     BAKE_COMMAND_BUDGET, ON_BUDGET},
    {"watch", "-s SCHEMA -o FILE INPUT...", "bake, and bake again when inputs change",
     BAKE_COMMAND_WATCH, ON_WATCH},
    {"watch", "[--profile NAME] [BUNDLE...]", "the same for what kiln.yaml describes",
     BAKE_COMMAND_WATCH, ON_WATCH},
    {"why", "[--profile NAME] [OUTPUT|ASSET...]", "print what changed since the last build",
     BAKE_COMMAND_WHY, ON_WHY},
    {"clean", "[--profile NAME]", "remove these files and the state of earlier runs",
     BAKE_COMMAND_CLEAN, ON_CLEAN},
    {"prove", "-s SCHEMA INPUT...", "bake under many conditions and compare the bytes",
     BAKE_COMMAND_PROVE, ON_PROVE},
    {"prove", "[--profile NAME] [BUNDLE...]", "the same for what kiln.yaml describes",
     BAKE_COMMAND_PROVE, ON_PROVE},
    {"cache", "stat|gc|verify", "show, shrink or check the folder of --cache", BAKE_COMMAND_CACHE,
     ON_CACHE},
    {"header", "-s SCHEMA -o FILE.h", "write the C header of a schema", BAKE_COMMAND_HEADER,
     ON_HEADER},
    {"repack", "IN -o FILE", "change the compression or order of a kiln file", BAKE_COMMAND_REPACK,
     ON_REPACK},
    {"names", "-s SCHEMA -o FILE INPUT...", "write the names that parts of a bundle need",
     BAKE_COMMAND_NAMES, ON_NAMES},
    {"plan", "--format WORD -o FILE [BUNDLE...]", "write the bake as a graph for ninja or make",
     BAKE_COMMAND_PLAN, ON_PLAN},
    {"link", "-s SCHEMA --names FILE -o OUT PART...", "join the parts of a bundle",
     BAKE_COMMAND_LINK, ON_LINK},
    {"schema", NULL, NULL, BAKE_COMMAND_SCHEMA, 0}, /* subcommands are in bake_schema_commands */
    {"help", "", "print this help", BAKE_COMMAND_HELP, 0},
};
enum { COMMAND_COUNT = sizeof commands / sizeof *commands };

/* Prints the usage line or the help of each command. */
static void list_commands(FILE *out, bool usage)
{
    size_t schema_count;
    const bake_schema_command *schema = bake_schema_commands(&schema_count);
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        bool is_schema = commands[i].command == BAKE_COMMAND_SCHEMA;
        for (size_t k = 0; k < (is_schema ? schema_count : 1); k++) {
            const char *first = i == 0 && usage ? "[build]" : commands[i].name;
            const char *second = is_schema ? schema[k].name : "";
            const char *arguments = is_schema ? schema[k].arguments : commands[i].arguments;
            char name[40];
            snprintf(name, sizeof name, "%s%s%s", first, *second ? " " : "", second);
            if (usage)
                fprintf(out, "%s kiln-bake %s%s%s\n", i == 0 ? "usage:" : "      ", name,
                        *arguments ? " [options] " : "", arguments);
            else
                fprintf(out, "  %-17s %s\n", name, is_schema ? schema[k].help : commands[i].help);
        }
    }
}

void bake_options_help(FILE *out)
{
    fputs("kiln-bake - compile YAML into kiln files\n\n", out);
    list_commands(out, true);
    fputs("\ncommands:\n", out);
    list_commands(out, false);
    fputs("\noptions:\n", out);
    for (size_t i = 0; i < OPTION_COUNT; i++) {
        const option *o = &options_table[i];
        char left[64];
        if (!o->help)
            continue;
        snprintf(left, sizeof left, "%s%s%s%s%s", o->letter ? o->letter : "    ",
                 o->letter && o->name ? ", " : "", o->name ? o->name : "",
                 o->argument && o->kind != OPTION_MAYBE ? " " : "", o->argument ? o->argument : "");
        fprintf(out, "  %-24s %s\n", left, o->help);
    }
    fputs(
        "\nAn INPUT is a file, a folder (all *.yaml and *.yml below it) or `-` for standard "
        "input.\n"
        "@FILE is replaced by the arguments in that file; all arguments after `--` are inputs.\n"
        "Exit codes: 0 success, 1 mistake in the input, 2 usage or I/O error, 3 bug in kiln-bake;\n"
        "schema check: 0 identical or readable, 1 must rebake, 4 breaks.\n"
        "To begin, run `kiln-bake init` in an empty folder or in a folder with YAML.\n",
        out);
}

typedef struct parser {
    bake_options *options;
    bake_store *store;
    size_t count; /* number of arguments, an upper bound for every list */
    bool only_inputs, has_words;
    bool is_given[OPTION_COUNT];
    bake_failure *failure;
} parser;

static bake_result add(parser *p, bake_list *list, const char *item)
{
    if (!list->items)
        list->items = bake_store_alloc(p->store, p->count, sizeof *list->items);
    if (!list->items)
        return bake_fail_memory(p->failure);
    list->items[list->count++] = item;
    return BAKE_OK;
}

static bake_result set_number(parser *p, const option *o, const char *value)
{
    char *end;
    unsigned long number = strtoul(value, &end, 10);
    if (*value < '0' || *value > '9' || *end || number == 0)
        return bake_fail(p->failure, BAKE_FAILED, "%s takes a number above 0, not '%s'", o->name,
                         value);
    memcpy((char *)p->options + o->at, &number, sizeof(size_t));
    return BAKE_OK;
}

static bake_result set_jobs(parser *p, const option *o, const char *value)
{
    char *end;
    unsigned long number = strtoul(value, &end, 10);
    if (*value < '0' || *value > '9' || *end || number == 0 || number > BAKE_THREADS_MAX)
        return bake_fail(p->failure, BAKE_FAILED, "%s takes a number from 1 to %d, not '%s'",
                         o->name, BAKE_THREADS_MAX, value);
    memcpy((char *)p->options + o->at, &(size_t){number}, sizeof(size_t));
    return BAKE_OK;
}

static bake_result set_wait(parser *p, const option *o, const char *value)
{
    char *end;
    unsigned long number = strtoul(value, &end, 10);
    if (*value < '0' || *value > '9' || *end || number == 0 || number > BAKE_CACHE_WAIT_MAX)
        return bake_fail(p->failure, BAKE_FAILED, "%s takes milliseconds from 1 to %d, not '%s'",
                         o->name, BAKE_CACHE_WAIT_MAX, value);
    memcpy((char *)p->options + o->at, &(size_t){number}, sizeof(size_t));
    return BAKE_OK;
}

static bake_result set_level(parser *p, const option *o, const char *value)
{
    char *end;
    unsigned long number = strtoul(value, &end, 10);
    if (*value < '0' || *value > '9' || *end || number > KILN_COMPRESSION_LEVEL_MAX)
        return bake_fail(p->failure, BAKE_FAILED, "%s takes a level from 0 to %d, not '%s'",
                         o->name, KILN_COMPRESSION_LEVEL_MAX, value);
    memcpy((char *)p->options + o->at, &(size_t){number}, sizeof(size_t));
    return BAKE_OK;
}

static bake_result set_time(parser *p, const option *o, const char *value)
{
    char *end;
    unsigned long number = strtoul(value, &end, 10);
    if (*value < '0' || *value > '9' || *end || number > WATCH_TIME_MAX)
        return bake_fail(p->failure, BAKE_FAILED, "%s takes milliseconds from 0 to %d, not '%s'",
                         o->name, WATCH_TIME_MAX, value);
    memcpy((char *)p->options + o->at, &(size_t){number}, sizeof(size_t));
    return BAKE_OK;
}

static bake_result set_size(parser *p, const option *o, const char *value)
{
    size_t size;
    if (!bake_parse_size(value, &size))
        return bake_fail(p->failure, BAKE_FAILED,
                         "%s takes a number of bytes, such as 500000, 64M or 4G, not '%s'", o->name,
                         value);
    memcpy((char *)p->options + o->at, &size, sizeof size);
    return BAKE_OK;
}

static bake_result set_word(parser *p, const option *o, const char *value)
{
    char text[100];
    for (int i = 0; o->words[i]; i++) {
        if (strcmp(o->words[i], value) != 0)
            continue;
        /* All option enums have the same size, as asserted below. */
        bake_color number = (bake_color)i;
        memcpy((char *)p->options + o->at, &number, sizeof number);
        return BAKE_OK;
    }
    bake_list_words(text, sizeof text, o->words);
    return bake_fail(p->failure, BAKE_FAILED, "%s takes %s, not '%s'", o->name, text, value);
}

_Static_assert(sizeof(bake_color) == sizeof(bake_dictionary) &&
                   sizeof(bake_color) == sizeof(bake_order) &&
                   sizeof(bake_color) == sizeof(bake_format) &&
                   sizeof(bake_color) == sizeof(bake_resources) &&
                   sizeof(bake_color) == sizeof(bake_report_format),
               "set_word writes all of these enums as bake_color");

static bake_result set(parser *p, const option *o, const char *value)
{
    char *at = (char *)p->options + o->at;
    bool *flag = (bool *)(void *)at;
    const char **text = (const char **)(void *)at;
    switch (o->kind) {
    case OPTION_FLAG:
        *flag = true;
        return BAKE_OK;
    case OPTION_TEXT:
        if (*text && strcmp(*text, value) != 0)
            return bake_fail(p->failure, BAKE_FAILED, "%s is given twice",
                             o->letter ? o->letter : o->name);
        *text = value;
        return BAKE_OK;
    case OPTION_MAYBE:
        if (value && !*value)
            return bake_fail(p->failure, BAKE_FAILED, "%s= needs the name of a file", o->name);
        *text = value ? value : *text ? *text : "";
        return BAKE_OK;
    case OPTION_LIST:
        return add(p, (bake_list *)(void *)at, value);
    case OPTION_NUMBER:
        return set_number(p, o, value);
    case OPTION_JOBS:
        return set_jobs(p, o, value);
    case OPTION_WAIT:
        return set_wait(p, o, value);
    case OPTION_LEVEL:
        return set_level(p, o, value);
    case OPTION_TIME:
        return set_time(p, o, value);
    case OPTION_SIZE:
        return set_size(p, o, value);
    case OPTION_WORD:
        return set_word(p, o, value);
    }
    return BAKE_OK;
}

/* Finds the option of `argument`. `*ret_value` is the value in forms such as `-ofile` and
 * `--output=file`; otherwise NULL. */
static const option *find_option(const char *argument, const char **ret_value)
{
    *ret_value = NULL;
    for (size_t i = 0; i < OPTION_COUNT; i++) {
        const option *o = &options_table[i];
        if ((o->letter && strcmp(o->letter, argument) == 0) ||
            (o->name && strcmp(o->name, argument) == 0))
            return o;
    }
    for (size_t i = 0; i < OPTION_COUNT; i++) {
        const option *o = &options_table[i];
        size_t name = o->name ? strlen(o->name) : 0, letter = o->letter ? strlen(o->letter) : 0;
        if (name && strncmp(argument, o->name, name) == 0 && argument[name] == '=') {
            *ret_value = argument + name + 1;
            return o;
        }
        if (letter && o->argument && argument[1] != '-' &&
            strncmp(argument, o->letter, letter) == 0) {
            *ret_value = argument + letter;
            return o;
        }
    }
    return NULL;
}

static bake_result unknown_option(parser *p, const char *argument)
{
    const char *names[2 * OPTION_COUNT];
    size_t count = 0;
    for (size_t i = 0; i < OPTION_COUNT; i++) {
        if (!options_table[i].help)
            continue;
        if (options_table[i].letter)
            names[count++] = options_table[i].letter;
        if (options_table[i].name)
            names[count++] = options_table[i].name;
    }
    const char *close = bake_most_similar(argument, strlen(argument), names, count);
    return bake_fail(p->failure, BAKE_FAILED, "unknown option '%.100s'%s%s%s", argument,
                     close ? "; did you mean " : "", close ? close : "", close ? "?" : "");
}

static bool read_command(const char *argument, bake_command *ret_command)
{
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        if (strcmp(commands[i].name, argument) == 0) {
            *ret_command = commands[i].command;
            return true;
        }
    }
    return false;
}

/* Sets the option at index `*at`, and advances `*at` if its value is a separate argument. */
static bake_result take_option(parser *p, const char *const *arguments, size_t *at)
{
    const char *argument = arguments[*at], *value;
    const option *o = find_option(argument, &value);
    if (!o)
        return unknown_option(p, argument);
    if (!o->argument && value)
        return bake_fail(p->failure, BAKE_FAILED, "%s takes no argument", o->name);
    if (o->argument && !value && o->kind != OPTION_MAYBE) {
        if (*at + 1 == p->count)
            return bake_fail(p->failure, BAKE_FAILED, "%s needs an argument, %s", argument,
                             o->argument);
        value = arguments[++*at];
    }
    p->is_given[o - options_table] = true;
    return set(p, o, value);
}

/* Handles a word: the first may be a command, the one after `schema` is a subcommand, and all
 * others are inputs. */
static bake_result take_word(parser *p, const char *word)
{
    bake_options *options = p->options;
    bool is_first = !p->has_words;
    p->has_words = true;
    if (is_first && !p->only_inputs && read_command(word, &options->command))
        return BAKE_OK;
    if (is_first && !p->only_inputs)
        options->first_input = word;
    if (options->command != BAKE_COMMAND_SCHEMA || options->schema_command)
        return add(p, &options->inputs, word);
    options->schema_command = bake_schema_command_find(word, p->failure);
    return options->schema_command ? BAKE_OK : p->failure->result;
}

const char *bake_command_similar(const char *word)
{
    const char *names[COMMAND_COUNT];
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        names[i] = commands[i].name;
    return bake_most_similar(word, strlen(word), names, COMMAND_COUNT);
}

/* Writes the name of the command with this bit, such as `schema check`. */
static void command_name(char *text, size_t room, unsigned bit)
{
    size_t schema_count;
    const bake_schema_command *schema = bake_schema_commands(&schema_count);
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        if (commands[i].bit == bit)
            snprintf(text, room, "%s", commands[i].name);
    for (size_t i = 0; i < schema_count; i++)
        if (schema[i].bit == bit)
            snprintf(text, room, "schema %s", schema[i].name);
}

/* The bit of the command; 0 for `help`, and for `schema` without a subcommand. */
static unsigned command_bit(const bake_options *options)
{
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        if (commands[i].command == options->command && commands[i].bit)
            return commands[i].bit;
    return options->schema_command ? options->schema_command->bit : 0;
}

/* Rejects a format that only other commands write. */
static bake_result check_format(const parser *p, unsigned bit)
{
    bake_report_format format = p->options->report_format;
    bool is_graph = format == BAKE_REPORT_NINJA || format == BAKE_REPORT_MAKE;
    if (bit == ON_PLAN && !is_graph)
        return bake_fail(p->failure, BAKE_FAILED, "plan needs --format ninja or --format make");
    if (bit == ON_SCHEMA_CHECK && (is_graph || format == BAKE_REPORT_CSV))
        return bake_fail(p->failure, BAKE_FAILED, "schema check writes text or json, not %s",
                         report_words[format]);
    if (bit == ON_BUDGET && is_graph)
        return bake_fail(p->failure, BAKE_FAILED, "budget writes text, json or csv, not %s",
                         report_words[format]);
    return BAKE_OK;
}

/* Rejects options of other commands: if they were ignored, they would seem to have worked. */
static bake_result check_options(parser *p)
{
    unsigned bit = command_bit(p->options);
    unsigned accepted = bit == ON_WATCH ? ON_WATCH | ON_BUILD : bit;
    bool runs = bit && !p->options->help && !p->options->version;
    for (size_t i = 0; runs && i < OPTION_COUNT; i++) {
        const option *o = &options_table[i];
        char name[32] = "", other[32] = "";
        if (!p->is_given[i])
            continue;
        if (!(o->commands & ON_PROJECT) && o->help && !p->options->not_of_project)
            p->options->not_of_project = o->letter ? o->letter : o->name;
        if ((o->commands & accepted) || (bit == ON_BUDGET && (o->commands & ON_PROJECT)))
            continue;
        if (bit == ON_CACHE && (o->at == AT(cache.url) || o->at == AT(cache.shared)))
            return bake_fail(p->failure, BAKE_FAILED, "%s; use --cache DIR",
                             o->at == AT(cache.url)
                                 ? "cache shows, shrinks and checks folders, not HTTP stores"
                                 : "cache treats a shared folder like any other");
        command_name(name, sizeof name, bit);
        command_name(other, sizeof other, o->commands & ~(unsigned)ON_PROJECT);
        return bake_fail(p->failure, BAKE_FAILED, "%s does not accept %s%s%s%s", name,
                         o->letter ? o->letter : o->name, *other ? "; only " : "", other,
                         *other ? " does" : "");
    }
    return runs ? check_format(p, bit) : BAKE_OK;
}

bake_result bake_options_parse(bake_options *options, bake_store *store, size_t count,
                               const char *const *arguments, bake_failure *failure)
{
    parser p = {.options = options, .store = store, .count = count, .failure = failure};
    bake_result result = BAKE_OK;
    memset(options, 0, sizeof *options);
    options->max_errors = 100;
    options->max_input = BAKE_INPUT_MAX;
    options->memory = BAKE_RUN_MEMORY;
    options->debounce = WATCH_DEBOUNCE;
    for (size_t i = 0; i < count && !result; i++) {
        const char *argument = arguments[i];
        if (p.only_inputs || argument[0] != '-' || argument[1] == '\0')
            result = take_word(&p, argument);
        else if (strcmp(argument, "--") == 0)
            p.only_inputs = true;
        else
            result = take_option(&p, arguments, &i);
    }
    return result ? result : check_options(&p);
}
