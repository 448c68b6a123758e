/* What the output of a program depends on, as far as its command shows it: for step records, and
 * for the keys of results. */
#define _POSIX_C_SOURCE 200809L

#include "gateway_store.h"

#include "bake_memory.h"
#include "hash.h"
#include "hash_equal.h"
#include "path_join.h"
#include "program_environment.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

char *bake_gateway_absolute(const char *path)
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
            joined = bake_path_join(folder, path);
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

/* ---- the files of a command ---- */

/* Adds a path of the record. Returns false if memory runs out. */
static bool add_input(const bake_gateway *gateway, const char *path, run_inputs *inputs)
{
    const used_path *used = bake_gateway_find(gateway, path);
    size_t *paths =
        bake_grow(inputs->paths, &inputs->capacity, inputs->count + 1, sizeof *inputs->paths);
    if (!paths)
        return false;
    inputs->paths = paths;
    if (used)
        paths[inputs->count++] = (size_t)(used - gateway->used);
    inputs->is_incomplete = inputs->is_incomplete || !used;
    return true;
}

void bake_gateway_note_execution(bake_gateway *gateway, const char *path)
{
    const used_path *used = bake_gateway_find(gateway, path);
    if (used)
        gateway->used[used - gateway->used].execution = bake_file_execution(path);
}

/* Records a file. If `is_left_out`, depfiles omit it, unless they contain it for another reason.
 * Returns false with errno ENOMEM. */
static bool keep_file(bake_gateway *gateway, const char *path, bool is_left_out, run_inputs *inputs,
                      bool *ret_is_file)
{
    const used_path *known = bake_gateway_find(gateway, path);
    bool is_file = known && known->use == BAKE_USE_READ;
    if (known)
        bake_gateway_note_use(gateway, known);
    if (is_file)
        gateway->used[known - gateway->used].is_used_again = true;
    if (!is_file && (!known || known->use == BAKE_USE_EXAMINED)) {
        is_file = bake_gateway_record_file(gateway, path);
        if (!is_file && errno == ENOMEM)
            return false;
        if (!known)
            gateway->used[gateway->used_count - 1].is_left_out = is_left_out;
    }
    *ret_is_file = is_file;
    return add_input(gateway, path, inputs);
}

const char *const bake_gateway_variables[] = {"PATH", NULL};

/* Records the places where a program is looked for, up to the one where it is found. */
static bool keep_program(bake_gateway *gateway, const char *name, const char *folder,
                         run_inputs *inputs)
{
    const char *path;
    bool is_found = false, done = bake_gateway_getenv(gateway, "PATH", &path);
    /* The default of posix_spawnp. */
    path = path ? path : "/bin:/usr/bin";
    for (bool is_last = false; done && !is_last && !is_found;) {
        size_t length = strcspn(path, ":");
        char *entry = bake_copy_text(path, length);
        char *below = entry ? bake_path_join(folder, entry) : NULL;
        char *file = below ? bake_path_join(below, name) : NULL;
        done = file && keep_file(gateway, file, true, inputs, &is_found);
        if (done && is_found) {
            bake_gateway_note_execution(gateway, file);
            is_found = bake_gateway_find(gateway, file)->execution == BAKE_EXECUTION_ALLOWED;
        }
        bake_free(entry);
        bake_free(below);
        bake_free(file);
        is_last = !path[length];
        path += length + 1;
    }
    return done;
}

/* Records an argument if it is a path of a regular file, or of none, because there can be one
 * later. An absolute path belongs to an installed program, which other machines have at the same
 * place, so depfiles omit it. */
static bool keep_argument(bake_gateway *gateway, const char *argument, const char *folder,
                          run_inputs *inputs)
{
    bool is_file, is_absolute = *argument == '/';
    bake_file_state state;
    if (is_absolute && !gateway->keeps_details)
        return true;
    while (strncmp(argument, "./", 2) == 0)
        argument += 2;
    char *file = bake_path_join(folder, argument);
    bake_path_kind kind =
        file && *argument ? bake_file_look(NULL, file, &state) : BAKE_PATH_UNKNOWN;
    bool is_missing = kind == BAKE_PATH_MISSING && gateway->keeps_details;
    bool done = file && ((kind != BAKE_PATH_FILE && !is_missing) ||
                         keep_file(gateway, file, is_absolute || is_missing, inputs, &is_file));
    bake_free(file);
    return done;
}

/* Makes the run one that no later run can be equal to. */
static void note_unknown(bake_gateway *gateway, const char *source)
{
    const used_path *used = bake_gateway_find(gateway, source);
    gateway->used[used - gateway->used].has_unknown = true;
}

bool bake_gateway_keep_inputs(bake_gateway *gateway, const bake_program_call *call, run_inputs *ret)
{
    bool is_unknown = call->has_unknown_inputs;
    for (size_t i = 0; call->inputs && call->inputs[i]; i++) {
        if (bake_gateway_record_file(gateway, call->inputs[i]))
            continue;
        if (errno == ENOMEM)
            return false;
        /* The content of a folder, for example, is not recorded. */
        is_unknown = is_unknown || (errno != ENOENT && errno != ENOTDIR);
    }
    if (is_unknown)
        note_unknown(gateway, call->source);
    ret->is_incomplete = is_unknown;
    return true;
}

bool bake_gateway_keep_command(bake_gateway *gateway, const bake_program_call *call,
                               run_inputs *ret)
{
    const char *const *command = call->command;
    bool done = !gateway->keeps_details ||
                (add_input(gateway, call->source, ret) &&
                 (strchr(command[0], '/') ? add_input(gateway, command[0], ret)
                                          : keep_program(gateway, command[0], call->folder, ret)));
    for (size_t i = 1; done && command[i]; i++)
        done = keep_argument(gateway, command[i], call->folder, ret);
    for (size_t i = 0; done && call->inputs && call->inputs[i]; i++)
        done = add_input(gateway, call->inputs[i], ret);
    if (!gateway->keeps_details)
        ret->count = 0;
    if (!done)
        errno = ENOMEM;
    return done;
}

/* ---- keys ---- */

/* Change it if programs are started in another way. */
enum { KEY_VERSION = 2 };

static void add_number(hash_stream *stream, uint64_t number)
{
    unsigned char bytes[8];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)(number >> 8 * i);
    kiln_hash_stream_add(stream, bytes, sizeof bytes);
}

static void add_hash(hash_stream *stream, kiln_hash128 hash)
{
    add_number(stream, hash.low);
    add_number(stream, hash.high);
}

static void add_text(hash_stream *stream, const char *text)
{
    size_t length = strlen(text);
    add_number(stream, length);
    kiln_hash_stream_add(stream, text, length);
}

/* Adds the number of texts, which end with NULL, and the texts. */
static void add_texts(hash_stream *stream, const char *const *texts)
{
    size_t count = 0;
    while (texts[count])
        count++;
    add_number(stream, count);
    for (size_t i = 0; i < count; i++)
        add_text(stream, texts[i]);
}

/* Importers may have equal commands and differ in their inputs only, so the names of these count,
 * too. */
static kiln_hash128 hash_of_command(const gateway_run *run, const char *folder)
{
    hash_stream stream;
    kiln_hash_stream_begin(&stream);
    add_number(&stream, KEY_VERSION);
    add_text(&stream, folder);
    add_text(&stream, run->source);
    add_texts(&stream, run->command);
    if (run->inputs)
        add_texts(&stream, run->inputs);
    return kiln_hash_stream_end128(&stream);
}

/* Whether the content of a path, or its absence, is known. */
static bool is_known(const used_path *used)
{
    return !used->is_unstable && used->kind != BAKE_PATH_UNKNOWN &&
           (used->kind != BAKE_PATH_FILE || used->has_hash);
}

bool bake_gateway_run_key(const bake_gateway *gateway, const gateway_run *run, const char *folder,
                          const run_inputs *inputs, bake_run_key *ret)
{
    hash_stream stream;
    kiln_hash128 environment;
    char *here = bake_gateway_absolute(".");
    bool done = !inputs->is_incomplete && here && bake_program_environment(&environment);
    kiln_hash_stream_begin(&stream);
    if (done) {
        add_text(&stream, here);
        add_hash(&stream, environment);
    }
    for (size_t i = 0; done && i < inputs->count; i++) {
        const used_path *used = &gateway->used[inputs->paths[i]];
        done = is_known(used);
        add_text(&stream, used->path);
        add_number(&stream, (uint64_t)used->kind);
        /* A program must be executable to be found, and to start. */
        add_number(&stream, bake_file_execution(used->path) == BAKE_EXECUTION_ALLOWED);
        if (used->kind == BAKE_PATH_FILE)
            add_hash(&stream, used->hash);
    }
    bake_free(here);
    ret->command = hash_of_command(run, folder);
    ret->inputs = kiln_hash_stream_end128(&stream);
    return done;
}

bool bake_gateway_are_unchanged(const bake_gateway *gateway, const run_inputs *inputs)
{
    bake_finder finder = bake_finder_begin();
    bool same = true;
    for (size_t i = 0; i < inputs->count && same; i++) {
        const used_path *used = &gateway->used[inputs->paths[i]];
        bake_file_state state = {0};
        kiln_hash128 hash;
        same = bake_file_look(&finder, used->path, &state) == used->kind;
        if (used->kind != BAKE_PATH_FILE || !same)
            continue;
        same = bake_file_state_is_equal(&state, &used->state);
        /* A change after the content was read may have left the times as they were. */
        if (same && bake_file_state_is_recent(&state, gateway->began))
            same = bake_file_hash(&finder, used->path, gateway->buffer, &state, &hash) &&
                   bake_hash_equal(hash, used->hash);
    }
    bake_finder_end(&finder);
    return same;
}
