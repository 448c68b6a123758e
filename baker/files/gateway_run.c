/* Runs importers, programs that convert files to YAML or bytes. A run of kiln-bake starts each at
 * most once for a source, because several assets may use one file. */
#define _POSIX_C_SOURCE 200809L

#include "gateway_store.h"

#include "bake_memory.h"
#include "path_join.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void bake_gateway_refuse_programs(bake_gateway *gateway)
{
    gateway->no_programs = true;
}

/* The cache key of a run. Importers share command lists, so comparing the pointer is enough. */
typedef struct run_key {
    const char *const *command;
    const char *source;
} run_key;

static uint32_t hash_of_run(const hash_table *table, run_key key)
{
    return hash_of_text(table, (text_key){key.source, strlen(key.source)});
}

static bool is_run(const bake_gateway *gateway, uint32_t number, run_key key)
{
    const gateway_run *run = gateway->runs[number];
    return run->command == key.command && strcmp(run->source, key.source) == 0;
}

HASH_TABLE(runs_by_source, const bake_gateway *, run_key, hash_of_run, is_run)

static bool make_room(bake_gateway *gateway)
{
    gateway_run **runs =
        bake_table_grow_rows(&gateway->runs_by_source, gateway->runs, &gateway->run_capacity,
                             gateway->run_count, sizeof *runs);
    if (runs)
        gateway->runs = runs;
    return runs != NULL;
}

/* Makes `path` valid for a program that runs in `folder`: relative to it if `path` is below it,
 * otherwise absolute. Returns NULL with errno set. The result never begins with `-`, which the
 * program could take for an option. */
static char *path_from(const char *folder, const char *path)
{
    size_t length = strlen(folder);
    while (length > 1 && folder[length - 1] == '/')
        length--;
    bool here = length == 0 || strcmp(folder, ".") == 0;
    bool below = !here && strncmp(path, folder, length) == 0 && path[length] == '/';
    while (below && path[length] == '/')
        length++;
    if (below)
        path += length;
    else if (!here && path[0] != '/')
        return bake_gateway_absolute(path);
    return path[0] == '-' ? bake_path_join(".", path) : bake_path_join(NULL, path);
}

/* Runs the program and stores its result; returns false with errno set. */
static bool run_program(gateway_run *run, const char *folder, const char *source, size_t output_max)
{
    size_t count = 0;
    while (run->command[count])
        count++;
    const char **command = bake_alloc_array(count + 2, sizeof *command);
    bool is_path = strchr(run->command[0], '/') != NULL;
    bool moves = *folder && strcmp(folder, ".") != 0;
    char *program = is_path && moves ? bake_gateway_absolute(run->command[0]) : NULL;
    char *argument = program || !is_path || !moves ? path_from(folder, source) : NULL;
    int error = command ? errno : ENOMEM;
    bool done = command && argument;
    if (done) {
        memcpy(command, run->command, count * sizeof *command);
        command[0] = program ? program : command[0];
        command[count] = argument;
        bake_program what = {.command = command,
                             .folder = folder,
                             .output_max = output_max,
                             .time_max = run->time_max};
        done = bake_program_run(&what, &run->end);
        error = ENOMEM;
    }
    bake_free(program);
    bake_free(argument);
    bake_free(command);
    errno = error;
    return done;
}

/* Measures a run as `PROGRAM ARGUMENT... SOURCE`, or as the source alone if memory runs out. */
static void end_timing(const bake_gateway *gateway, const gateway_run *run, uint64_t begin)
{
    if (!gateway->timings)
        return;
    int error = errno;
    size_t length = strlen(run->source), used = 0;
    for (size_t i = 0; run->command[i]; i++)
        length += strlen(run->command[i]) + 1;
    char *name = bake_alloc(length + 1);
    for (size_t i = 0; name && run->command[i]; i++)
        used += (size_t)sprintf(name + used, "%s ", run->command[i]);
    if (name)
        memcpy(name + used, run->source, length - used);
    bake_timings_add(gateway->timings, BAKE_TIMING_IMPORTER, name ? name : run->source,
                     name ? length : strlen(run->source), begin);
    bake_free(name);
    errno = error;
}

/* ---- results ---- */

/* Takes the output from the results of earlier runs. Returns false if they have none with this key,
 * or one above the limit, about which the program must be asked. */
static bool reuse(bake_gateway *gateway, const bake_run_key *key, gateway_run *run)
{
    const bake_run_results *results = gateway->results;
    if (!results->find(results->ctx, key, gateway->input_max, &run->end))
        return false;
    run->end.output_max = gateway->input_max;
    gateway->reused_count++;
    return true;
}

/* Gets the result of a run: an earlier one if its inputs are known and equal, or by starting the
 * program. Returns false with errno set. */
static bool get_result(bake_gateway *gateway, gateway_run *run, const char *folder,
                       const run_inputs *inputs)
{
    bake_run_key key;
    const bake_run_results *results = gateway->results;
    bool has_key =
        results && inputs->count > 0 && bake_gateway_run_key(gateway, run, folder, inputs, &key);
    if (has_key && reuse(gateway, &key, run))
        return true;
    uint64_t begin = bake_timing_begin(gateway->timings);
    bool done = run_program(run, folder, run->source, gateway->input_max);
    end_timing(gateway, run, begin);
    gateway->started_count++;
    int error = errno;
    if (done && has_key && bake_gateway_are_unchanged(gateway, inputs))
        results->keep(results->ctx, &key, &run->end);
    errno = error;
    return done;
}

static gateway_run *add_run(bake_gateway *gateway, const bake_program_call *call,
                            const run_inputs *inputs)
{
    gateway_run *run = make_room(gateway) ? bake_alloc_array(1, sizeof *run) : NULL;
    if (!run || !(run->source = bake_copy_text(call->source, strlen(call->source)))) {
        bake_gateway_run_free(run);
        errno = ENOMEM;
        return NULL;
    }
    run->command = call->command;
    run->inputs = call->inputs;
    run->time_max = call->time_max;
    if (!get_result(gateway, run, call->folder ? call->folder : "", inputs)) {
        int error = errno;
        bake_gateway_run_free(run);
        errno = error;
        return NULL;
    }
    hash_slot *slot = runs_by_source_slot(&gateway->runs_by_source, gateway,
                                          (run_key){call->command, call->source});
    hash_table_put(&gateway->runs_by_source, slot, (uint32_t)gateway->run_count);
    gateway->runs[gateway->run_count++] = run;
    return run;
}

/* A missing program is not an error yet; an attempt to start it reports the error. */
static bool record_files(bake_gateway *gateway, const bake_program_call *call, run_inputs *ret)
{
    const char *program = strchr(call->command[0], '/') ? call->command[0] : NULL;
    if (!bake_gateway_record_file(gateway, call->source) ||
        (program && !bake_gateway_record_file(gateway, program) && errno == ENOMEM))
        return false;
    if (program)
        bake_gateway_note_execution(gateway, program);
    return bake_gateway_keep_inputs(gateway, call, ret);
}

const bake_program_end *bake_gateway_run(bake_gateway *gateway, const bake_program_call *call)
{
    static const bake_program_end refused = {.kind = BAKE_PROGRAM_REFUSED};
    if (gateway->no_programs) {
        gateway->refused_count++;
        return &refused;
    }
    uint32_t known = runs_by_source_find(&gateway->runs_by_source, gateway,
                                         (run_key){call->command, call->source});
    if (known != HASH_TABLE_NONE) {
        bake_gateway_use_again(gateway, gateway->runs[known]->uses);
        return &gateway->runs[known]->end;
    }
    run_inputs inputs = {0};
    size_t first = gateway->path_use_count;
    if (!record_files(gateway, call, &inputs))
        return NULL;
    gateway_run *run = NULL;
    if (bake_gateway_keep_command(gateway, call, &inputs))
        run = add_run(gateway, call, &inputs);
    int error = errno;
    bake_free(inputs.paths);
    if (run)
        run->uses = (bake_use_range){first, gateway->path_use_count};
    else
        bake_gateway_refuse(gateway, error, NULL);
    return run ? &run->end : NULL;
}

size_t bake_gateway_refused_count(const bake_gateway *gateway)
{
    return gateway->refused_count;
}

void bake_gateway_set_results(bake_gateway *gateway, const bake_run_results *results)
{
    gateway->results = results;
}

size_t bake_gateway_started_count(const bake_gateway *gateway)
{
    return gateway->started_count;
}

size_t bake_gateway_reused_count(const bake_gateway *gateway)
{
    return gateway->reused_count;
}
