/* A bundle becomes commands that bake its parts, and one that links them. Names are collected here,
 * because the groups and their inputs depend on them; a change of any source makes the plan out of
 * date, but the names file, and thus the parts, only change if names or needs do.
 *
 * Which files a part reads besides the inputs that it needs is only known after baking it: values
 * can name files, and importers can. So a part whose inputs contain a `!`, or whose schema has
 * importers or resources, is baked without writing, and the record of that run is listed. */

/* For readlink and utimensat. */
#define _POSIX_C_SOURCE 200809L

#include "plan_command.h"

#include "bake_memory.h"
#include "budget_file.h"
#include "command_run.h"
#include "folder_tree.h"
#include "gateway_inputs.h"
#include "option_texts.h"
#include "part_names.h"
#include "plan_graph.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* By default, bundles are divided into this many parts. */
enum { PARTS_DEFAULT = 8 };

typedef struct path_set {
    bake_store *store;
    const char **items;
    size_t count, capacity;
    bool failed;
    const char *unknown; /* a path whose importer may read other files, too; NULL: there is none */
} path_set;

/* What the names run of a bundle has found. */
typedef struct names_run {
    path_set read;    /* all files that it has read */
    path_set special; /* those that contain a `!` */
    bool traces_all;  /* the schema has importers or resources */
    bake_store *store;
} names_run;

typedef struct planner {
    const bake_plan_write_def *def;
    bake_run *run;
    bake_store *store;
    const char *folder; /* for names and arguments */
    bake_graph graph;
    size_t command_capacity;
    path_set results, self;
} planner;

static bake_result fail_memory(const planner *p)
{
    return bake_fail_memory(&p->run->failure);
}

static void add(path_set *set, const char *path)
{
    const char *copy = path ? bake_store_text(set->store, path, strlen(path)) : NULL;
    const char **items = copy ? bake_store_grow(set->store, set->items, &set->capacity,
                                                set->count + 1, sizeof *items)
                              : NULL;
    if (!items) {
        set->failed = true;
        return;
    }
    set->items = items;
    items[set->count++] = copy;
}

static int compare_paths(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Sorts the paths and removes duplicates. */
static void sort(path_set *set)
{
    size_t kept = 0;
    if (set->count > 1)
        qsort(set->items, set->count, sizeof *set->items, compare_paths);
    for (size_t i = 0; i < set->count; i++)
        if (!kept || strcmp(set->items[kept - 1], set->items[i]) != 0)
            set->items[kept++] = set->items[i];
    set->count = kept;
}

static bool has(const path_set *set, const char *path)
{
    return set->count &&
           bsearch(&path, set->items, set->count, sizeof *set->items, compare_paths) != NULL;
}

/* ---- files next to the graph ---- */

/* Returns FOLDER/NAME.SUFFIX, where characters of the name that are not portable in paths are
 * replaced; the number keeps names distinct. NULL if memory runs out. */
static const char *file_name(const planner *p, size_t step, const char *name, const char *suffix)
{
    char number[32];
    char *text = bake_store_text(p->store, name, strlen(name));
    for (char *at = text; at && *at; at++)
        if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-", *at))
            *at = '_';
    snprintf(number, sizeof number, "%zu", step + 1);
    const char *whole = text ? bake_store_join(p->store, number, '-', text) : NULL;
    whole = whole ? bake_store_join(p->store, whole, '.', suffix) : NULL;
    return whole ? bake_store_join(p->store, p->folder, '/', whole) : NULL;
}

typedef struct text {
    char *data;
    size_t size, capacity;
    bool failed;
} text;

static void put(text *t, const char *data, size_t size)
{
    char *grown = t->failed ? NULL : bake_grow(t->data, &t->capacity, t->size + size + 1, 1);
    if (!grown) {
        t->failed = true;
        return;
    }
    t->data = grown;
    memcpy(grown + t->size, data, size);
    t->size += size;
}

/* Writes a word for a response file, one on each line. */
static void put_word(text *t, const char *word)
{
    put(t, "'", 1);
    for (; *word; word++) {
        if (*word == '\'')
            put(t, "'\\'", 3);
        put(t, word, 1);
    }
    put(t, "'\n", 2);
}

static void put_inputs(text *t, const bake_list *inputs)
{
    put_word(t, "--");
    for (size_t i = 0; i < inputs->count; i++)
        put_word(t, inputs->items[i]);
}

static bake_result fail_write(const planner *p, const char *path)
{
    return errno == ENOMEM ? fail_memory(p) : bake_fail_errno(&p->run->failure, "write", path);
}

static bool put_text(void *ctx, const void *data, size_t size)
{
    text *t = ctx;
    put(t, data, size);
    errno = ENOMEM;
    return !t->failed;
}

/* Writes a file through a gateway of its own, so that it is in place before the next run. */
static bake_result write_text(const planner *p, const char *path, const text *t, bool if_changed)
{
    bake_gateway *gateway = t->failed ? NULL : bake_gateway_create(NULL);
    const char *failed = path;
    errno = ENOMEM;
    bake_output *output = gateway ? bake_output_begin(gateway, path) : NULL;
    bool ok = output && (t->size == 0 || bake_output_write(output, t->data, t->size)) &&
              bake_gateway_commit(gateway, false, if_changed, &failed);
    bake_result result = ok ? BAKE_OK : fail_write(p, path);
    bake_gateway_destroy(gateway);
    return result;
}

/* ---- commands ---- */

static bake_result write_words(const planner *p, const bake_options *options, const char *path)
{
    const bake_record_option *all;
    size_t count;
    text t = {NULL, 0, 0, false};
    if (!bake_option_texts(options, p->store, &all, &count))
        return fail_memory(p);
    for (size_t i = 0; i < count; i++)
        if (strcmp(all[i].name, "command") == 0)
            put_word(&t, all[i].value);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(all[i].name, "command") == 0 || strcmp(all[i].name, "input") == 0)
            continue;
        put_word(&t, all[i].name);
        if (*all[i].value)
            put_word(&t, all[i].value);
    }
    /* The list omits the zero, which means no limit. */
    if (options->max_input == 0) {
        put_word(&t, "--max-input");
        put_word(&t, "0");
    }
    put_word(&t, "-q");
    put_inputs(&t, &options->inputs);
    bake_result result = write_text(p, path, &t, true);
    bake_free(t.data);
    return result;
}

/* Adds a command to the graph. `inputs` lacks the response file. */
static bake_result add_command(planner *p, const char *output, const bake_options *options,
                               const char *words, path_set *inputs)
{
    bake_graph *graph = &p->graph;
    add(inputs, words);
    sort(inputs);
    bake_graph_command *commands = bake_store_grow(p->store, graph->commands, &p->command_capacity,
                                                   graph->count + 1, sizeof *commands);
    if (inputs->failed || !commands)
        return fail_memory(p);
    graph->commands = commands;
    commands[graph->count++] = (bake_graph_command){output, words, {inputs->items, inputs->count}};
    return write_words(p, options, words);
}

/* ---- runs that find inputs ---- */

/* Programs of the system are not inputs: they are at the same place on each machine. */
static void keep_inputs(void *ctx, bake_run *run)
{
    path_set *set = ctx;
    for (size_t i = 0; i < bake_gateway_use_count(run->gateway); i++) {
        bake_input_path path = bake_gateway_input_path(run->gateway, i);
        if (path.kind == BAKE_PATH_FILE && !(path.is_left_out && path.path[0] == '/'))
            add(set, path.path);
        if (path.has_unknown)
            set->unknown = bake_store_text(set->store, path.path, strlen(path.path));
    }
}

static void keep_names(void *ctx, bake_run *run)
{
    names_run *names = ctx;
    for (size_t i = 0; i < run->schema->rule_count; i++)
        names->traces_all = names->traces_all || run->schema->rules[i].importer;
    names->traces_all = names->traces_all || run->schema->has_resources;
    for (size_t i = 0; i < bake_gateway_use_count(run->gateway); i++) {
        bake_use use;
        size_t size;
        const char *path = bake_gateway_use(run->gateway, i, &use);
        if (use != BAKE_USE_READ)
            continue;
        add(&names->read, path);
        const char *data = bake_gateway_read(run->gateway, path, &size);
        if (!data || memchr(data, '!', size))
            add(&names->special, path);
    }
}

/* Runs a command and prints its messages only if it fails. */
static bake_result run_quietly(const planner *p, const bake_options *options,
                               const bake_command_keep *keep)
{
    FILE *messages = tmpfile();
    if (!messages)
        return bake_fail_errno(&p->run->failure, "write", "a temporary file");
    bake_result result = bake_command_run_kept(options, keep, messages);
    rewind(messages);
    for (int byte; result && (byte = getc(messages)) != EOF;)
        fputc(byte, p->run->err);
    fclose(messages);
    return result;
}

/* The options of a run that only looks at the inputs. Bundles to which it refers need not exist
 * yet, so references to them are accepted. */
static bake_options options_of_trace(const bake_options *options)
{
    bake_options traced = *options;
    traced.externs.count = 0;
    traced.dangling = BAKE_DANGLING_WARN;
    traced.warnings_are_errors = traced.patch = traced.depend = false;
    traced.source_map = traced.timings = NULL;
    traced.quiet = true;
    if (traced.command == BAKE_COMMAND_HEADER)
        traced.output = "/dev/null";
    else
        traced.dry_run = traced.command == BAKE_COMMAND_BUILD;
    return traced;
}

static bake_result trace(const planner *p, const bake_options *options, path_set *inputs)
{
    bake_options traced = options_of_trace(options);
    const bake_command_keep keep = {.keep = keep_inputs, .ctx = inputs};
    bake_result result = run_quietly(p, &traced, &keep);
    for (size_t i = 0; i < options->externs.count; i++)
        add(inputs, options->externs.items[i]);
    if (!result && inputs->unknown)
        return bake_fail(&p->run->failure, BAKE_FAILED,
                         "the importer of %.200s has unknown `inputs`, so a plan cannot list them",
                         inputs->unknown);
    return result;
}

/* ---- a bundle ---- */

typedef struct bundle {
    planner *p;
    const bake_step *step;
    size_t number;
    const char *names_path;
    names_run found;
    bake_part_names *names;
    path_set link; /* the inputs of the last command */
    const char **parts;
    size_t part_count;
} bundle;

static bake_options part_options(const bundle *b, const char *output)
{
    bake_options options = b->step->options;
    options.names = b->names_path;
    options.output = output;
    options.budget_file = NULL;
    options.compress = 0;
    options.no_types = options.durable = options.if_changed = false;
    options.dictionary = BAKE_DICTIONARY_TYPE;
    return options;
}

/* Lists the inputs of a part without baking it. `wanted` are its own inputs and those that they
 * need. Returns false if that is impossible. */
static bool list_inputs(const bundle *b, const bool *wanted, path_set *inputs)
{
    bool is_exact = !b->found.traces_all;
    size_t inputs_found = 0;
    for (size_t i = 0; i < b->names->input_count && is_exact; i++) {
        const char *path = b->names->inputs[i].path;
        inputs_found += has(&b->found.read, path);
        is_exact = !wanted[i] || !has(&b->found.special, path);
        if (wanted[i])
            add(inputs, path);
    }
    /* All other files of the run belong to the schema. */
    path_set all = {.store = b->p->store};
    for (size_t i = 0; i < b->names->input_count; i++)
        add(&all, b->names->inputs[i].path);
    sort(&all);
    for (size_t i = 0; i < b->found.read.count && is_exact; i++) {
        const char *path = b->found.read.items[i];
        if (has(&all, path))
            continue;
        is_exact = !has(&b->found.special, path);
        add(inputs, path);
    }
    for (size_t i = 0; i < b->step->options.externs.count; i++)
        add(inputs, b->step->options.externs.items[i]);
    return is_exact && !all.failed && inputs_found == b->names->input_count;
}

static bake_result add_part(bundle *b, size_t first, size_t count)
{
    planner *p = b->p;
    char suffix[48];
    snprintf(suffix, sizeof suffix, "%zu.part", b->part_count + 1);
    const char *output = file_name(p, b->number, b->step->name, suffix);
    snprintf(suffix, sizeof suffix, "%zu.args", b->part_count + 1);
    const char *words = file_name(p, b->number, b->step->name, suffix);
    bool *wanted = bake_store_alloc(p->store, b->names->input_count + 1, sizeof *wanted);
    const char **own = bake_store_alloc(p->store, count + 1, sizeof *own);
    if (!output || !words || !wanted || !own)
        return fail_memory(p);
    for (size_t i = 0; i < count; i++) {
        own[i] = b->names->inputs[first + i].argument;
        wanted[first + i] = true;
    }
    path_set inputs = {.store = p->store}, traced = inputs;
    bake_options options = part_options(b, output);
    options.inputs = (bake_list){own, count};
    if (!bake_part_names_close(b->names, wanted))
        return fail_memory(p);
    bool is_exact = list_inputs(b, wanted, &inputs);
    bake_result result = is_exact ? BAKE_OK : trace(p, &options, &traced);
    path_set *all = is_exact ? &inputs : &traced;
    add(all, b->names_path);
    b->parts[b->part_count++] = output;
    add(&b->link, output);
    return result ? result : add_command(p, output, &options, words, all);
}

static bake_result add_link(bundle *b)
{
    planner *p = b->p;
    const char *words = file_name(p, b->number, b->step->name, "link.args");
    bake_options options = b->step->options, schema = options;
    options.command = BAKE_COMMAND_LINK;
    options.names = b->names_path;
    options.inputs = (bake_list){b->parts, b->part_count};
    options.base = NULL;
    options.externs.count = 0;
    options.patch = options.no_importers = false;
    options.dangling = BAKE_DANGLING_ERROR;
    options.resources = (bake_resources)0;
    if (!words)
        return fail_memory(p);
    add(&b->link, b->names_path);
    if (options.budget_file)
        add(&b->link, options.budget_file);
    /* The run for the header reads only the schema. */
    schema.command = BAKE_COMMAND_HEADER;
    schema.budget_file = NULL;
    schema.inputs.count = schema.externs.count = 0;
    bake_result result = trace(p, &schema, &b->link);
    return result ? result : add_command(p, options.output, &options, words, &b->link);
}

static bake_result read_names(bundle *b)
{
    planner *p = b->p;
    size_t size;
    bake_gateway *gateway = bake_gateway_create(NULL);
    const char *data = gateway ? bake_gateway_read(gateway, b->names_path, &size) : NULL;
    char *copy = data ? bake_store_text(p->store, data, 0) : NULL;
    if (copy)
        copy = bake_store_alloc(p->store, size, 1);
    if (copy)
        memcpy(copy, data, size);
    b->names = copy ? bake_part_names_read(copy, size) : NULL;
    bake_gateway_destroy(gateway);
    return b->names ? BAKE_OK : fail_memory(p);
}

static bake_result collect_names(bundle *b)
{
    bake_options options = b->step->options;
    const bake_command_keep keep = {.keep = keep_names, .ctx = &b->found};
    options.command = BAKE_COMMAND_NAMES;
    options.output = b->names_path;
    options.if_changed = options.quiet = true;
    options.externs.count = 0;
    options.patch = false;
    options.source_map = options.timings = options.budget_file = NULL;
    bake_result result = bake_command_run_kept(&options, &keep, b->p->run->err);
    sort(&b->found.read);
    sort(&b->found.special);
    for (size_t i = 0; i < b->found.read.count; i++)
        add(&b->p->self, b->found.read.items[i]);
    if (!result && (b->found.read.failed || b->found.special.failed))
        return fail_memory(b->p);
    return result ? result : read_names(b);
}

static bake_result add_parts(bundle *b)
{
    size_t most = b->p->def->options->parts ? b->p->def->options->parts : PARTS_DEFAULT;
    size_t inputs = b->names->input_count, count = inputs < most ? inputs : most;
    bake_result result = BAKE_OK;
    b->parts = bake_store_alloc(b->p->store, count + 1, sizeof *b->parts);
    if (!b->parts)
        return fail_memory(b->p);
    for (size_t i = 0; i < count && !result; i++) {
        size_t first = inputs * i / count;
        result = add_part(b, first, inputs * (i + 1) / count - first);
    }
    return result ? result : add_link(b);
}

/* Adds one command for the whole step. */
static bake_result add_single(planner *p, const bake_step *step, size_t number)
{
    path_set inputs = {.store = p->store};
    const char *words = file_name(p, number, step->name, "args");
    bake_result result = words ? trace(p, &step->options, &inputs) : fail_memory(p);
    /* Outputs of other commands are not needed to plan, nor is what the plan itself writes. */
    const char *own = step->options.budget_file;
    for (size_t i = 0; i + step->options.externs.count < inputs.count; i++)
        if (!own || strcmp(inputs.items[i], own) != 0)
            add(&p->self, inputs.items[i]);
    return result ? result : add_command(p, step->options.output, &step->options, words, &inputs);
}

/* A command writes only one file, and parts have no source map. So another bake writes it, which
 * discards the file that it belongs to; both have the same bytes. The other bake prints the
 * warnings, but with -Werror either can be the first to fail. */
static bake_result add_map(planner *p, const bake_step *step, size_t number)
{
    path_set inputs = {.store = p->store};
    bake_options options = step->options;
    const char *words = file_name(p, number, step->name, "map.args");
    options.output = "/dev/null";
    options.budget_file = NULL;
    options.durable = options.if_changed = false;
    options.hides_warnings = true;
    add(&p->results, options.source_map);
    bake_result result = words ? trace(p, &options, &inputs) : fail_memory(p);
    return result ? result : add_command(p, options.source_map, &options, words, &inputs);
}

/* Writes the budgets for the command that writes the whole bundle. */
static bake_result write_budgets(planner *p, bake_step *step, size_t number)
{
    const bake_budgets *budgets = step->options.budgets;
    step->options.budgets = NULL;
    if (!budgets)
        return BAKE_OK;
    const char *path = file_name(p, number, step->name, "budgets");
    text t = {NULL, 0, 0, false};
    bool ok = path && bake_budgets_write(budgets, put_text, &t);
    bake_result result = ok ? write_text(p, path, &t, true) : fail_memory(p);
    bake_free(t.data);
    step->options.budget_file = path;
    return result;
}

static bake_result add_step(planner *p, bake_step *step, size_t number)
{
    add(&p->results, step->options.output);
    bake_result begun = write_budgets(p, step, number);
    if (!begun && step->options.source_map)
        begun = add_map(p, step, number);
    if (begun)
        return begun;
    step->options.source_map = NULL;
    if (step->options.command != BAKE_COMMAND_BUILD || step->options.inputs.count < 2)
        return add_single(p, step, number);
    bundle b = {.p = p,
                .step = step,
                .number = number,
                .names_path = file_name(p, number, step->name, "names"),
                .found = {.read = {.store = p->store}, .special = {.store = p->store}},
                .link = {.store = p->store}};
    bake_result result = b.names_path ? collect_names(&b) : fail_memory(p);
    if (!result)
        result = add_parts(&b);
    bake_part_names_destroy(b.names);
    return result;
}

/* ---- the graph ---- */

/* Whether the path is the folder of this plan, or in it. */
static bool is_own(const planner *p, const char *path)
{
    size_t length = strlen(p->folder);
    return strncmp(path, p->folder, length) == 0 && (!path[length] || path[length] == '/');
}

static void put_number(text *t, const char *name, size_t number)
{
    char digits[32];
    snprintf(digits, sizeof digits, "%zu", number);
    put_word(t, name);
    put_word(t, digits);
}

/* Writes this command with all options that change a plan. */
static void put_self(text *t, const bake_options *o)
{
    const char *const given[][2] = {
        {"--format", o->report_format == BAKE_REPORT_NINJA ? "ninja" : "make"},
        {"-o", o->output},
        {"--project", o->project},
        {"-C", o->base},
        {"--profile", o->profile}};
    put_word(t, "plan");
    for (size_t i = 0; i < sizeof given / sizeof *given; i++)
        if (given[i][1]) {
            put_word(t, given[i][0]);
            put_word(t, given[i][1]);
        }
    if (o->parts)
        put_number(t, "--parts", o->parts);
    put_number(t, "--max-input", o->max_input);
    put_number(t, "--max-errors", o->max_errors);
    if (o->no_importers)
        put_word(t, "--no-importers");
    if (o->warnings_are_errors)
        put_word(t, "-Werror");
    put_word(t, "-q");
    put_inputs(t, &o->inputs);
}

/* The plan depends on the project file, on the folders that it lists, and on all sources. */
static bake_result add_self(planner *p)
{
    const bake_options *o = p->def->options;
    const char *words = bake_store_join(p->store, p->folder, '/', "plan.args");
    text t = {NULL, 0, 0, false};
    for (size_t i = 0; i < bake_gateway_use_count(p->run->gateway); i++) {
        bake_use use;
        const char *path = bake_gateway_use(p->run->gateway, i, &use);
        /* A pattern such as `**` also lists the folder of this plan. */
        if (!is_own(p, path) && (use == BAKE_USE_READ || use == BAKE_USE_LISTED))
            add(&p->self, path);
    }
    add(&p->self, words);
    sort(&p->self);
    sort(&p->results);
    if (!words || p->self.failed || p->results.failed)
        return fail_memory(p);
    p->graph.results = (bake_list){p->results.items, p->results.count};
    p->graph.self = (bake_graph_command){o->output, words, {p->self.items, p->self.count}};
    put_self(&t, o);
    bake_result result = write_text(p, words, &t, true);
    bake_free(t.data);
    return result;
}

/* Adds a path in the spelling of the format. */
static void add_spelled(path_set *set, const char *path, bake_graph_format format)
{
    add(set, bake_graph_path(path, format, set->store));
}

/* Lists the inputs that neither a command nor the plan writes. */
static bake_result add_files(planner *p, bake_graph_format format)
{
    path_set results = {.store = p->store}, inputs = results, files = results;
    for (size_t i = 0; i < p->results.count; i++)
        add_spelled(&results, p->results.items[i], format);
    for (size_t i = 0; i < p->self.count; i++)
        add_spelled(&inputs, p->self.items[i], format);
    for (size_t i = 0; i < p->graph.count; i++) {
        const bake_list *of = &p->graph.commands[i].inputs;
        for (size_t k = 0; k < of->count; k++)
            if (!is_own(p, of->items[k]))
                add_spelled(&inputs, of->items[k], format);
    }
    sort(&results);
    sort(&inputs);
    for (size_t i = 0; i < inputs.count; i++)
        if (!has(&results, inputs.items[i]))
            add(&files, inputs.items[i]);
    p->graph.files = (bake_list){files.items, files.count};
    return results.failed || inputs.failed || files.failed ? fail_memory(p) : BAKE_OK;
}

static bake_result check_path(const planner *p, const char *path, bake_graph_format format)
{
    return bake_graph_can_write(path, format)
               ? BAKE_OK
               : bake_fail(&p->run->failure, BAKE_FAILED,
                           "the path \"%.200s\" cannot be written in the syntax of %s", path,
                           format == BAKE_GRAPH_NINJA ? "ninja" : "make");
}

static bake_result check_paths(const planner *p, bake_graph_format format)
{
    bake_result result = check_path(p, p->graph.program, format);
    for (size_t i = 0; i <= p->graph.count && !result; i++) {
        const bake_graph_command *command =
            i < p->graph.count ? &p->graph.commands[i] : &p->graph.self;
        result = check_path(p, command->output, format);
        for (size_t k = 0; k < command->inputs.count && !result; k++)
            result = check_path(p, command->inputs.items[k], format);
    }
    return result;
}

/* Writes the graph even if it has not changed, so that it is newer than its inputs. One of them can
 * be its folder, which the renamed file has changed: ninja and make would plan without end. */
static bake_result write_newest(const planner *p, const text *graph)
{
    bake_result result = write_text(p, p->graph.path, graph, false);
    bool done = result || utimensat(AT_FDCWD, p->graph.path, NULL, 0) == 0;
    return done ? result : fail_write(p, p->graph.path);
}

static bake_result write_graph(planner *p, bake_graph_format format)
{
    text graph = {NULL, 0, 0, false}, self = graph;
    bake_result result = BAKE_OK;
    p->graph.path = p->def->options->output;
    p->graph.folder = p->folder;
    p->graph.all = bake_store_join(p->store, p->folder, '/', "all");
    const char *self_path = bake_store_join(p->store, p->folder, '/', "self.mk");
    if (!p->graph.all || !self_path || !bake_graph_write(&p->graph, format, put_text, &graph) ||
        !bake_graph_write_self(&p->graph, put_text, &self))
        result = fail_memory(p);
    if (!result && format == BAKE_GRAPH_MAKE)
        result = write_text(p, self_path, &self, true);
    if (!result)
        result = write_newest(p, &graph);
    bake_free(graph.data);
    bake_free(self.data);
    return result;
}

/* The path of this program, which other machines have at the same place. */
static const char *program_of(const planner *p)
{
    enum { ROOM = 4096 };
    const char *given = p->def->options->program;
    char *path = bake_store_alloc(p->store, ROOM, 1);
    if (path && readlink("/proc/self/exe", path, ROOM - 1) > 0)
        return path;
    return path && given && *given ? given : path ? "kiln-bake" : NULL;
}

bake_result bake_plan_write(const bake_plan_write_def *def)
{
    bake_store store = {0};
    planner p = {.def = def, .run = def->run, .store = &store};
    const char *output = def->options->output;
    bake_graph_format format =
        def->options->report_format == BAKE_REPORT_NINJA ? BAKE_GRAPH_NINJA : BAKE_GRAPH_MAKE;
    p.results.store = p.self.store = &store;
    p.folder = bake_store_join(&store, output, '.', "parts");
    p.graph.program = program_of(&p);
    const char *inside = p.folder ? bake_store_join(&store, p.folder, '/', "x") : NULL;
    bake_result result = inside && p.graph.program ? BAKE_OK : fail_memory(&p);
    if (!result && !bake_make_folders(inside))
        result = fail_write(&p, p.folder);
    for (size_t i = 0; i < def->plan->count && !result; i++)
        result = add_step(&p, &def->plan->steps[i], i);
    if (!result)
        result = add_self(&p);
    if (!result)
        result = add_files(&p, format);
    if (!result)
        result = check_paths(&p, format);
    if (!result)
        result = write_graph(&p, format);
    if (!result && !def->run->options->quiet)
        fprintf(def->run->err, "%s: %zu command%s\n", output, p.graph.count,
                p.graph.count == 1 ? "" : "s");
    bake_store_fini(&store);
    return result;
}
