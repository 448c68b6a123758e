/* Programs that make something of files, and what came of them. */
#define _POSIX_C_SOURCE 200809L

#include "gateway_store.h"

#include "bake_memory.h"
#include "bake_slots.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

void bake_gateway_refuse_programs(bake_gateway *gateway)
{
    gateway->no_programs = true;
}

/* Where the run is, or belongs. */
static uint32_t *slot_of(const bake_gateway *gateway, const char *const *command,
                         const char *source)
{
    size_t mask = gateway->run_slot_count - 1;
    for (size_t at = (size_t)XXH3_64bits(source, strlen(source));; at++) {
        uint32_t *slot = &gateway->run_slots[at & mask];
        const gateway_run *run = *slot ? gateway->runs[*slot - 1] : NULL;
        if (!run || (run->command == command && strcmp(run->source, source) == 0))
            return slot;
    }
}

static bool make_room(bake_gateway *gateway)
{
    gateway_run **runs =
        bake_grow(gateway->runs, &gateway->run_capacity, gateway->run_count + 1, sizeof *runs);
    if (!runs)
        return false;
    gateway->runs = runs;
    bool emptied;
    if (!bake_slots_grow(&gateway->run_slots, &gateway->run_slot_count, gateway->run_count,
                         &emptied))
        return false;
    for (size_t i = 0; emptied && i < gateway->run_count; i++)
        *slot_of(gateway, runs[i]->command, runs[i]->source) = (uint32_t)i + 1;
    return true;
}

/* The current folder and `path`; NULL with errno set. */
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

/* A path as it is from `folder`; NULL with errno set. The program takes none for an option. */
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

/* False with errno set. */
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
        bake_program what = {command, folder, output_max, run->time_max};
        done = bake_program_run(&what, &run->end);
        error = ENOMEM;
    }
    bake_free(program);
    bake_free(argument);
    bake_free(command);
    errno = error;
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
    if (!run_program(run, folder, source, gateway->input_max)) {
        int error = errno;
        bake_gateway_run_free(run);
        errno = error;
        return NULL;
    }
    uint32_t *slot = slot_of(gateway, command, source);
    gateway->runs[gateway->run_count++] = run;
    *slot = (uint32_t)gateway->run_count;
    return run;
}

const bake_program_end *bake_gateway_run(bake_gateway *gateway, const char *const *command,
                                         const char *folder, const char *source, unsigned time_max)
{
    static const bake_program_end refused = {.kind = BAKE_PROGRAM_REFUSED};
    if (gateway->no_programs)
        return &refused;
    if (gateway->run_slots) {
        uint32_t number = *slot_of(gateway, command, source);
        if (number)
            return &gateway->runs[number - 1]->end;
    }
    /* A program that is not there is told by what starts it. */
    if (!bake_gateway_record_file(gateway, source) ||
        (strchr(command[0], '/') && !bake_gateway_record_file(gateway, command[0]) &&
         errno == ENOMEM))
        return NULL;
    const gateway_run *run = add_run(gateway, command, folder ? folder : "", source, time_max);
    if (!run)
        bake_gateway_refuse(gateway, errno, NULL);
    return run ? &run->end : NULL;
}
