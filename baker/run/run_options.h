/* The options of a run: the command line as a struct. bake_options_parse fills it, and its strings
 * point into the arguments. */
#ifndef BAKE_RUN_OPTIONS_H
#define BAKE_RUN_OPTIONS_H

#include "cache_settings.h"
#include "resource_path.h"
#include "timings.h"

#include <stdbool.h>
#include <stddef.h>

typedef enum bake_command {
    BAKE_COMMAND_BUILD,
    BAKE_COMMAND_CHECK,
    BAKE_COMMAND_HEADER,
    BAKE_COMMAND_REPACK,
    BAKE_COMMAND_SCHEMA, /* followed by a subcommand, see schema_command.h */
    BAKE_COMMAND_INIT,
    BAKE_COMMAND_NAMES,
    BAKE_COMMAND_LINK,
    BAKE_COMMAND_PLAN,
    BAKE_COMMAND_LIST_OUTPUTS,
    BAKE_COMMAND_CLEAN,
    BAKE_COMMAND_WHY,
    BAKE_COMMAND_PROVE,
    BAKE_COMMAND_CACHE,
    BAKE_COMMAND_BUDGET,
    BAKE_COMMAND_WATCH,
    BAKE_COMMAND_HELP
} bake_command;

typedef enum bake_color { BAKE_COLOR_AUTO, BAKE_COLOR_ALWAYS, BAKE_COLOR_NEVER } bake_color;

/* Which assets share a compression dictionary. */
typedef enum bake_dictionary {
    BAKE_DICTIONARY_TYPE, /* assets of the same type */
    BAKE_DICTIONARY_ALL,
    BAKE_DICTIONARY_NONE
} bake_dictionary;

/* The order of assets in a file. */
typedef enum bake_order {
    BAKE_ORDER_KEPT, /* as in the input */
    BAKE_ORDER_NAME,
    BAKE_ORDER_ID,
    BAKE_ORDER_REFERENCES /* depth first: each asset is followed by those that it refers to */
} bake_order;

/* How unresolved references are reported. */
typedef enum bake_dangling { BAKE_DANGLING_ERROR, BAKE_DANGLING_WARN } bake_dangling;

/* How diagnostics are written. */
typedef enum bake_format { BAKE_FORMAT_TEXT, BAKE_FORMAT_JSON, BAKE_FORMAT_SARIF } bake_format;
/* How `schema check` and `budget` write their reports; only `budget` writes CSV. */
typedef enum bake_report_format {
    BAKE_REPORT_TEXT,
    BAKE_REPORT_JSON,
    BAKE_REPORT_CSV,
    BAKE_REPORT_NINJA, /* of plan */
    BAKE_REPORT_MAKE
} bake_report_format;

typedef struct bake_list {
    const char **items;
    size_t count;
} bake_list;

/* The default of `memory`. */
#define BAKE_RUN_MEMORY ((size_t)6 << 20)

typedef struct bake_options {
    bake_command command;
    const struct bake_schema_command *schema_command; /* NULL for other commands */
    const char *project;     /* path of the project file; NULL: not given */
    const char *profile;     /* of the project; NULL: not given */
    const char *first_input; /* the first word of the command line if it is no command; else NULL */
    bake_list inputs, schemas, include_folders, externs;
    bake_list importers;      /* YAML mappings: see bake_schema_def */
    bake_list targets;        /* -MT */
    bake_list quoted_targets; /* -MQ */
    const char *output, *each, *base, *depfile, *prefix;
    const char *names; /* the names file of the bundle: bake only a part of it */
    const char *first; /* a file with one name per line */
    const char *name_space;
    const char *root;
    const char *source_map;       /* path of the source map; NULL: none */
    const char *diagnostics_file; /* path for JSON or SARIF; NULL: standard error */
    const char *timings;          /* path of the trace; "": only print; NULL: not requested */
    bake_timings *shared_timings; /* of several runs, which the caller reports and destroys. The run
                                     checks only that the trace would not replace a file of it.
                                     NULL: the run has its own timings */
    const char *history;          /* file of `budget`; NULL: none */
    const char *commit;           /* a text for the history; NULL: none */
    struct bake_record_list *inputs_used; /* each run adds a record of its inputs, for `watch`;
                                      NULL: not requested */
    const struct bake_run_results
        *results;                 /* of importers in earlier runs (gateway.h); NULL: none */
    const char *recorded_version; /* replaces bake_record_version, because the file of the program
                                     may change while it runs; NULL: not needed */
    bool depend, phony, durable, if_changed, no_types, no_share, quiet, verbose,
        warnings_are_errors;
    bool hides_warnings; /* a run that succeeds prints no warnings; for the commands of a plan */
    bool dry_run, help, version, patch, no_importers;
    bool force, compare_contents; /* of the steps of a project */
    bool proves;                  /* `prove`: `command` is that of its children */
    const char *program;          /* the path of kiln-bake, for these children */
    const char *const *arguments; /* the words of the command line, with response files expanded */
    size_t argument_count;
    /* For the children of `prove`, which the help does not show: the folder to which outputs are
     * baked (NULL: none), and whether folders are read in reverse order. */
    const char *prove_into;
    bool reverse_folders;
    bake_cache_settings cache;          /* of the steps of a project */
    struct bake_kept_cache *kept_cache; /* of several bakes, for `watch`; NULL: none */
    bool no_cache;   /* use no cache, whatever the environment and the project say */
    bool in_project; /* use the project file, even if it is missing */
    bake_color color;
    size_t max_errors;
    size_t max_input; /* maximum bytes of an input; 0: no limit */
    size_t memory;    /* bytes of texts, trees and blobs that stay in memory */
    size_t parts;     /* of plan: number of parts of a bundle; 0: the default */
    size_t jobs;      /* number of threads; 0: one for each processor */
    size_t debounce;  /* of `watch`: milliseconds without changes before a bake */
    size_t poll;      /* of `watch`: look for changes every so many milliseconds; 0: use events */
    size_t compress;  /* zstd level; 0: no compression */
    bake_dictionary dictionary;
    bake_order order;
    bake_dangling dangling;
    bake_resources resources; /* how missing resources are reported */
    bake_format format;       /* of diagnostics */
    bake_report_format report_format;
    const char *budget_file; /* a file with the budgets of the bundle, for commands of a plan */
    const struct bake_budgets *budgets;     /* of the bundle, whose output is measured; or NULL */
    struct bake_budget_table *budget_table; /* receives the measures; or NULL */
    const char *checked;        /* the bundle of a project that the run checks, even if it writes a
                                   temporary file; NULL: none */
    const char *not_of_project; /* the first given option that projects do not accept; or NULL */
} bake_options;

/* The words of the enums, which are the values of options; NULL-terminated. */
extern const char *const bake_dictionary_words[];
extern const char *const bake_dangling_words[];
extern const char *const bake_resource_words[];

/* Formats words for messages, such as `auto, always or never`. */
void bake_list_words(char *text, size_t room, const char *const *words);
/* Reads a number of bytes, such as 500000, 64M or 4G. Returns false if it is malformed or too
 * large. */
bool bake_parse_size(const char *text, size_t *ret_size);

#endif
