/* Runs importers, programs that convert files to YAML or bytes. Results are cached by command and
 * source, because several assets may use one file. */
#define _POSIX_C_SOURCE 200809L

#include "gateway_store.h"

#include "bake_memory.h"

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

/* Joins the current folder and `path`; returns NULL with errno set. */
static char *absolute(const char *path)
{
    char *folder = NULL, *joined;
    for (size_t size = 256; size < (size_t)1 << 20; size *= 2) {
        char *grown = bake_realloc(folder, size);
        if (!grown) {
            bake_free(folder);
            errno = ENOMEM;
            return NULL;
        }
        folder = grown;
        if (getcwd(folder, size)) {
            joined = bake_gateway_join(folder, path);
            bake_free(folder);
            return joined;
        }
        if (errno != ERANGE)
            break;
    }
    int error = errno;
    bake_free(folder);
    errno = error;
    return NULL;
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
        return absolute(path);
    return path[0] == '-' ? bake_gateway_join(".", path) : bake_gateway_join(NULL, path);
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
    char *program = is_path && moves ? absolute(run->command[0]) : NULL;
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

/* ---- the files of a command, for step records ---- */

/* Records a file that depfiles omit, unless they contain it for another reason. Returns false with
 * errno ENOMEM. */
static bool keep_file(bake_gateway *gateway, const char *path, bool *ret_is_program)
{
    const used_path *known = bake_gateway_find(gateway, path);
    bool is_file = known && known->use == BAKE_USE_READ;
    if (is_file)
        gateway->used[known - gateway->used].is_read_again = true;
    if (!is_file && (!known || known->use == BAKE_USE_EXAMINED)) {
        is_file = bake_gateway_record_file(gateway, path);
        if (!is_file && errno == ENOMEM)
            return false;
        if (!known)
            gateway->used[gateway->used_count - 1].is_left_out = true;
    }
    *ret_is_program = is_file && access(path, X_OK) == 0;
    return true;
}

const char *const bake_gateway_variables[] = {"PATH", NULL};

/* Records the places where a program is looked for, up to the one where it is found. */
static bool keep_program(bake_gateway *gateway, const char *name, const char *folder)
{
    const char *path;
    bool is_found = false, done = bake_gateway_getenv(gateway, "PATH", &path);
    /* The default of posix_spawnp. */
    path = path ? path : "/bin:/usr/bin";
    for (bool is_last = false; done && !is_last && !is_found;) {
        size_t length = strcspn(path, ":");
        char *entry = bake_copy_text(path, length);
        char *below = entry ? bake_gateway_join(folder, entry) : NULL;
        char *file = below ? bake_gateway_join(below, name) : NULL;
        done = file && keep_file(gateway, file, &is_found);
        bake_free(entry);
        bake_free(below);
        bake_free(file);
        is_last = !path[length];
        path += length + 1;
    }
    if (!done)
        errno = ENOMEM;
    return done;
}

/* Records an argument if it is a path of a regular file. */
static bool keep_argument(bake_gateway *gateway, const char *argument, const char *folder)
{
    bool is_program;
    bake_file_state state;
    char *file = bake_gateway_join(folder, argument);
    bool done = file && (!*argument || bake_file_look(NULL, file, &state) != BAKE_PATH_FILE ||
                         keep_file(gateway, file, &is_program));
    bake_free(file);
    if (!done)
        errno = ENOMEM;
    return done;
}

/* Records the files that the program reads, as far as its name and arguments show them. Its other
 * inputs are unknown. */
static bool keep_command(bake_gateway *gateway, const char *const *command, const char *folder)
{
    bool done = strchr(command[0], '/') || keep_program(gateway, command[0], folder);
    for (size_t i = 1; done && command[i]; i++)
        done = keep_argument(gateway, command[i], folder);
    return done;
}

static gateway_run *add_run(bake_gateway *gateway, const char *const *command, const char *folder,
                            const char *source, unsigned time_max)
{
    gateway_run *run = make_room(gateway) ? bake_alloc_array(1, sizeof *run) : NULL;
    if (!run || !(run->source = bake_copy_text(source, strlen(source)))) {
        bake_gateway_run_free(run);
        errno = ENOMEM;
        return NULL;
    }
    run->command = command;
    run->time_max = time_max;
    uint64_t begin = bake_timing_begin(gateway->timings);
    bool done = run_program(run, folder, source, gateway->input_max);
    end_timing(gateway, run, begin);
    if (!done) {
        int error = errno;
        bake_gateway_run_free(run);
        errno = error;
        return NULL;
    }
    hash_slot *slot =
        runs_by_source_slot(&gateway->runs_by_source, gateway, (run_key){command, source});
    hash_table_put(&gateway->runs_by_source, slot, (uint32_t)gateway->run_count);
    gateway->runs[gateway->run_count++] = run;
    return run;
}

const bake_program_end *bake_gateway_run(bake_gateway *gateway, const char *const *command,
                                         const char *folder, const char *source, unsigned time_max)
{
    static const bake_program_end refused = {.kind = BAKE_PROGRAM_REFUSED};
    if (gateway->no_programs)
        return &refused;
    uint32_t known =
        runs_by_source_find(&gateway->runs_by_source, gateway, (run_key){command, source});
    if (known != HASH_TABLE_NONE)
        return &gateway->runs[known]->end;
    /* A missing program is not an error yet; an attempt to start it reports the error. */
    if (!bake_gateway_record_file(gateway, source) ||
        (strchr(command[0], '/') && !bake_gateway_record_file(gateway, command[0]) &&
         errno == ENOMEM) ||
        (gateway->keeps_details && !keep_command(gateway, command, folder)))
        return NULL;
    const gateway_run *run = add_run(gateway, command, folder ? folder : "", source, time_max);
    if (!run)
        bake_gateway_refuse(gateway, errno, NULL);
    return run ? &run->end : NULL;
}
