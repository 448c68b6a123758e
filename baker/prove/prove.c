#include "prove.h"

#include "bake_memory.h"
#include "bake_store.h"
#include "bake_table.h"
#include "file_difference.h"
#include "file_state.h"
#include "folder_tree.h"
#include "gateway.h"
#include "hash.h"
#include "hash_equal.h"
#include "hash_table.h"
#include "program.h"
#include "prove_conditions.h"
#include "temporary_folder.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* A child may first have to kill an importer that ignores signals. */
enum { GRACE_MS = 3000 };

typedef struct prove {
    const bake_prove_def *def;
    bake_failure *failure;
    bake_store store;
    bake_temporary_folder folder;
    const char *first, *other; /* folders of the first child and of the current one */
    const char *arguments;     /* `@FILE` */
    unsigned char *buffer;     /* for bake_file_hash */
    uint64_t *places;          /* hashes of the assets and fields that were reported */
    size_t place_count, place_capacity;
    hash_table places_by_hash;
    size_t differences; /* all of them */
    const bake_condition *condition;
    const char *output; /* the name of the output that is compared */
} prove;

static const char *join(prove *p, const char *folder, const char *name)
{
    const char *path = bake_store_join(&p->store, folder, '/', name);
    if (!path)
        bake_fail_memory(p->failure);
    return path;
}

/* ---- the report ---- */

static bool is_place(const prove *p, uint32_t number, uint64_t hash)
{
    return p->places[number] == hash;
}

HASH_TABLE(places_by_hash, const prove *, uint64_t, hash_of_number, is_place)

/* Returns whether this is the first difference there. What differs in every run is thus reported
 * once, and the report of a condition has only what the condition adds. */
static bool is_new(prove *p, const char *asset, const char *path)
{
    uint64_t hash = kiln_hash64(p->output, strlen(p->output), 0);
    hash = kiln_hash64(asset, strlen(asset), hash);
    hash = kiln_hash64(path, strlen(path), hash);
    uint64_t *places = bake_table_grow_rows(&p->places_by_hash, p->places, &p->place_capacity,
                                            p->place_count, sizeof *places);
    if (!places) {
        bake_fail_memory(p->failure);
        return false;
    }
    p->places = places;
    hash_slot *slot = places_by_hash_slot(&p->places_by_hash, p, hash);
    if (!hash_slot_is_empty(slot))
        return false;
    places[p->place_count] = hash;
    hash_table_put(&p->places_by_hash, slot, (uint32_t)p->place_count++);
    return true;
}

static bool report(void *ctx, const bake_file_difference *difference)
{
    prove *p = ctx;
    const char *asset = difference->asset ? difference->asset : "";
    const char *dot = *asset && *difference->path && difference->path[0] != '[' ? "." : "";
    if (bake_temporary_folder_must_end(&p->folder) || p->failure->result)
        return false;
    if (!is_new(p, asset, difference->path) || p->differences++ >= p->def->most)
        return true;
    fprintf(p->def->out, "%s: %s%s%s%s%s%s%s %s\n", p->output, asset, dot, difference->path,
            *asset ? ": " : "", difference->first, difference->second ? ", but " : "",
            difference->second ? difference->second : "", p->condition->name);
    return true;
}

/* ---- a child ---- */

/* Writes the command line as a response file: it may be longer than the system permits. */
static bool write_arguments(prove *p)
{
    const bake_prove_def *def = p->def;
    size_t size = 1;
    for (size_t i = 0; i < def->argument_count; i++)
        size += 2 * strlen(def->arguments[i]) + 3;
    char *text = bake_alloc(size), *to = text;
    if (!text)
        return !bake_fail_memory(p->failure);
    for (size_t i = 0; i < def->argument_count; i++) {
        *to++ = '"';
        for (const char *at = def->arguments[i]; *at; at++) {
            if (*at == '"' || *at == '\\')
                *to++ = '\\';
            *to++ = *at;
        }
        *to++ = '"';
        *to++ = '\n';
    }
    const char *path = join(p, p->folder.path, "arguments");
    bool done = path && bake_write_new_file(path, text, (size_t)(to - text));
    if (path && !done)
        bake_fail_errno(p->failure, "write", path);
    bake_free(text);
    char *word = done ? bake_store_alloc(&p->store, strlen(path) + 2, 1) : NULL;
    if (done && !word)
        bake_fail_memory(p->failure);
    if (word)
        snprintf(word, strlen(path) + 2, "@%s", path);
    p->arguments = word;
    return word != NULL;
}

/* Writes a message of the child, or what it wrote before it could open its own file. */
static void copy_messages(prove *p, const bake_program_end *end)
{
    size_t size;
    const char *path = join(p, p->other, BAKE_PROVE_MESSAGES);
    bake_gateway *gateway = path ? bake_gateway_create(NULL) : NULL;
    const char *text = gateway ? bake_gateway_read(gateway, path, &size) : NULL;
    if (text)
        fwrite(text, 1, size, p->def->err);
    if (end->errors)
        fwrite(end->errors, 1, end->errors_size, p->def->err);
    bake_gateway_destroy(gateway);
}

/* Returns the exit code of the child; fails if it has none. */
static bool end_child(prove *p, const bake_program_end *end, bake_result *ret_result)
{
    *ret_result = BAKE_OK;
    if (end->kind == BAKE_PROGRAM_EXITED && end->code >= 0 && end->code <= BAKE_BREAKING) {
        *ret_result = (bake_result)end->code;
        return true;
    }
    /* The signal arrives as soon as the folder is removed. */
    if (bake_temporary_folder_must_end(&p->folder))
        return false;
    copy_messages(p, end);
    if (end->kind == BAKE_PROGRAM_NOT_STARTED)
        bake_fail(p->failure, BAKE_FAILED, "cannot run %s: %s", p->def->program,
                  strerror(end->code));
    else
        bake_fail(p->failure, BAKE_BUG, "a bake %s ended with %s %d; this is a bug in kiln-bake",
                  p->condition ? p->condition->name : "",
                  end->kind == BAKE_PROGRAM_KILLED ? "signal" : "code", end->code);
    return false;
}

static void warn(prove *p, const char *why)
{
    if (!p->def->quiet)
        fprintf(p->def->err, "kiln-bake: warning: cannot change the address layout: %s\n", why);
}

/* Bakes to the folder `other`, which it creates. Returns false after a failure. */
static bool run_child(prove *p, bake_result *ret_result)
{
    const bake_condition *c = p->condition;
    const char *command[12] = {p->def->program, "--prove-into", p->other};
    size_t count = 3;
    if (c && c->jobs) {
        command[count++] = "-j";
        command[count++] = c->jobs;
    }
    if (c && c->reverses_folders)
        command[count++] = "--reverse-folders";
    command[count++] = p->arguments;
    bake_program_end end;
    bake_program program = {.command = command,
                            .output_max = 1 << 16,
                            .grace = GRACE_MS,
                            .environment = bake_condition_environment(c, &p->store),
                            .mask = &p->folder.before};
    const char *inside = join(p, p->other, "");
    if (!inside || !program.environment)
        return !bake_fail_memory(p->failure);
    if (!bake_make_folders(inside))
        return !bake_fail_errno(p->failure, "create", p->other);
    bake_condition_state before;
    bool is_changed = bake_condition_begin(c, &before);
    int error = errno;
    bool done = bake_program_run(&program, &end);
    bake_condition_end(&before);
    if (!is_changed)
        warn(p, strerror(error));
    if (!done)
        return !bake_fail_memory(p->failure);
    done = end_child(p, &end, ret_result);
    if (done && *ret_result)
        copy_messages(p, &end);
    bake_program_end_fini(&end);
    return done;
}

/* ---- comparison ---- */

/* Sets `*ret_is_same` to whether the files have the same content. A file may be missing: a step
 * that has failed writes none. */
static bool has_same_bytes(prove *p, const char *a, const char *b, bool *ret_is_same)
{
    bake_file_state first, second;
    kiln_hash128 x = {0, 0}, y = {0, 0};
    bool has_first = bake_file_hash(NULL, a, p->buffer, &first, &x);
    if (!has_first && errno != ENOENT)
        return !bake_fail_errno(p->failure, "read", a);
    bool has_second = bake_file_hash(NULL, b, p->buffer, &second, &y);
    if (!has_second && errno != ENOENT)
        return !bake_fail_errno(p->failure, "read", b);
    *ret_is_same = has_first == has_second && bake_hash_equal(x, y) &&
                   (!has_first || first.size == second.size);
    if (has_first != has_second) {
        report(p, &(bake_file_difference){
                      NULL, "", has_first ? "the file is missing" : "the file is added", NULL});
        *ret_is_same = true;
    }
    return true;
}

static bool compare_output(prove *p, const char *name, const char *file, bool is_kiln)
{
    bake_file_differences_def def = {.first = join(p, p->first, file),
                                     .second = join(p, p->other, file),
                                     .is_kiln = is_kiln,
                                     .found = report,
                                     .ctx = p};
    bool is_same = false;
    p->output = name;
    if (!def.first || !def.second || !has_same_bytes(p, def.first, def.second, &is_same))
        return false;
    return is_same || !bake_file_differences(&def, p->failure);
}

static bool compare_all(prove *p)
{
    bool done = compare_output(p, "messages", BAKE_PROVE_MESSAGES, false);
    for (size_t i = 0; i < p->def->output_count && done; i++) {
        const bake_prove_output *output = &p->def->outputs[i];
        done = !bake_temporary_folder_must_end(&p->folder) &&
               compare_output(p, output->name, output->file, output->is_kiln);
    }
    return done && !p->failure->result;
}

static bool remove_other(prove *p)
{
    char *failed;
    bool done = bake_remove_tree(p->other, &failed) == BAKE_REMOVED;
    if (!done)
        bake_fail_errno(p->failure, "remove", failed ? failed : p->other);
    bake_free(failed);
    return done;
}

static bool prove_condition(prove *p, const bake_condition *condition)
{
    bake_result result;
    p->condition = condition;
    if (p->def->verbose && !p->def->quiet)
        fprintf(p->def->err, "kiln-bake: baking %s\n", condition->name);
    if (bake_temporary_folder_must_end(&p->folder) || !run_child(p, &result))
        return false;
    p->output = "kiln-bake";
    if (result)
        report(p, &(bake_file_difference){NULL, "", "the bake fails", NULL});
    return (result || compare_all(p)) && remove_other(p);
}

/* ---- everything ---- */

static bool prepare(prove *p)
{
    if (!bake_temporary_folder_begin(&p->folder))
        return !bake_fail_errno(p->failure, "create", "a temporary folder");
    p->first = join(p, p->folder.path, "first");
    p->other = join(p, p->folder.path, "files");
    p->buffer = bake_alloc(BAKE_FILE_BUFFER_SIZE);
    if (!p->buffer)
        bake_fail_memory(p->failure);
    return p->first && p->other && p->buffer && write_arguments(p);
}

static void summarize(prove *p, size_t conditions)
{
    const bake_prove_def *def = p->def;
    if (p->differences > def->most)
        fprintf(def->out, "%zu more differences\n", p->differences - def->most);
    if (p->differences)
        fprintf(def->out, "%zu difference%s\n", p->differences, p->differences == 1 ? "" : "s");
    else if (!def->quiet)
        fprintf(def->out, "%zu file%s the same under %zu conditions\n", def->output_count,
                def->output_count == 1 ? " is" : "s are", conditions);
}

/* Returns the result of the first child, or BAKE_BAD_INPUT if there are differences. Failures are
 * in `p->failure`. */
static bake_result prove_all(prove *p)
{
    size_t count;
    bake_result result;
    const bake_condition *conditions = bake_conditions(&count);
    if (!prepare(p) || !run_child(p, &result))
        return p->failure->result;
    if (result)
        return result;
    if (rename(p->other, p->first) != 0)
        return bake_fail_errno(p->failure, "rename", p->other);
    for (size_t i = 0; i < count; i++)
        if (!prove_condition(p, &conditions[i]))
            return p->failure->result;
    summarize(p, count);
    return p->differences ? BAKE_BAD_INPUT : BAKE_OK;
}

bake_result bake_prove(const bake_prove_def *def, bake_failure *failure)
{
    prove p = {.def = def, .failure = failure};
    bake_result result = prove_all(&p);
    bake_free(p.buffer);
    bake_free(p.places);
    bake_table_fini(&p.places_by_hash);
    /* The store has the paths of the folder, so it is freed last. */
    if (!bake_temporary_folder_end(&p.folder))
        bake_fail(failure, BAKE_FAILED, "cannot remove a temporary folder: %s", strerror(errno));
    bake_store_fini(&p.store);
    return failure->result ? failure->result : result;
}
