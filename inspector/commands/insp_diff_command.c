/* The `diff` command: shows what differs between two files.
 *
 * The exit codes are those of diff(1): 0 no difference, 1 differences, 2 trouble, which includes
 * damaged files. With --git, the arguments are those that git passes to an external diff, and the
 * exit code is 0 unless a file cannot be read, because git ends at any other. */
#include "insp_commands.h"
#include "insp_diff.h"
#include "insp_escape.h"
#include "insp_glob.h"
#include "insp_list.h"
#include "insp_memory.h"
#include "insp_message.h"
#include "insp_open.h"

#include <inttypes.h>

enum { STEPS_PER_BYTE = 4, STEPS_MIN = 1000 };

/* The places of git's arguments: path, then file, hash and mode of the old and of the new file. */
enum { GIT_PATH, GIT_OLD, GIT_NEW = 4, GIT_ARGUMENTS = 7, GIT_MOVED = 9, GIT_UNMERGED = 1 };

/* Whether a file can be compared: it has an index or, like /dev/null, no bytes. */
static bool is_usable(insp_run *run, const insp_file *file, int *result)
{
    if (!file->size)
        return true;
    if (!insp_has_index(run, file, result))
        return false;
    if (file->types_error.status) {
        insp_complain(run, file->path, "the type table is broken: %s: %s",
                      insp_rule(file->types_error.status),
                      kiln_status_text(file->types_error.status));
        *result = INSP_BAD;
    }
    return true;
}

static int report(insp_run *run, const insp_diff *d, const insp_compare_result *found)
{
    const char *name = d->files[INSP_NEW]->path;
    if (d->no_memory)
        return insp_no_memory(run);
    if (found->broken)
        insp_complain(run, name,
                      "%" PRIu32 " broken value%s in the two files; see kiln-inspect "
                      "verify",
                      found->broken, found->broken == 1 ? "" : "s");
    if (found->stopped)
        insp_complain(run, name, "not everything was compared: the values share too many parts");
    if (run->options.git)
        return INSP_OK;
    if (found->broken || found->stopped)
        return INSP_TROUBLE;
    return found->changes ? INSP_BAD : INSP_OK;
}

/* Reports each pattern that matches no asset of either file. */
static int check_patterns(insp_run *run, const insp_compare_def *def)
{
    int result = INSP_OK, i, side;
    for (i = 0; i < def->pattern_count; i++) {
        bool is_found = false;
        for (side = 0; side < INSP_SIDES && !is_found; side++) {
            const insp_asset *asset;
            uint32_t k;
            for (k = 0; !is_found && (asset = insp_asset_at(def->files[side], k)); k++)
                is_found = insp_glob_asset(def->patterns[i], asset->name.data, asset->name.length);
        }
        if (!is_found) {
            insp_no_match(run, def->files[INSP_NEW], def->patterns[i]);
            result = INSP_TROUBLE;
        }
    }
    return result;
}

/* Compares two files, of which all assets have been listed unless `pairing` is known. */
static int compare_files(insp_run *run, const insp_file *before, const insp_file *after,
                         const insp_pairing *pairing)
{
    insp_compare_def def = {.files = {before, after},
                            .pairing = pairing,
                            .ignored = run->options.ignored,
                            .ignored_count = (int)run->options.ignored_count,
                            .tolerance = run->options.tolerance,
                            .compare_bytes = run->options.bytes,
                            .found = insp_diff_add};
    insp_compare_result found = {0};
    insp_diff d;
    int result = INSP_OK;
    if (!is_usable(run, before, &result) || !is_usable(run, after, &result))
        return run->options.git ? INSP_OK : INSP_TROUBLE;
    if (!run->options.git) {
        def.patterns = run->options.arguments + 2;
        def.pattern_count = run->options.argument_count - 2;
    }
    if (check_patterns(run, &def))
        return INSP_TROUBLE;
    def.steps = run->out.limit < UINT64_MAX / STEPS_PER_BYTE
                    ? STEPS_MIN + run->out.limit * STEPS_PER_BYTE
                    : UINT64_MAX;
    def.ctx = &d;
    d.no_memory = insp_diff_init(&d, run, before, after) != KILN_OK;
    d.left = def.steps;
    if (!d.no_memory)
        d.no_memory = insp_compare_files(&def, &found) != KILN_OK || d.no_memory;
    if (!d.no_memory)
        insp_diff_end(&d);
    insp_diff_fini(&d);
    /* A file with a broken index was reported, and is compared as far as it can be read. */
    if (result)
        result = run->options.git ? INSP_OK : INSP_TROUBLE;
    return insp_worse(result, report(run, &d, &found));
}

static int diff_files(insp_run *run, insp_file *before, insp_file *after)
{
    insp_pairing pairing;
    kiln_status status = insp_pairing_find(before, after, &pairing);
    int result;
    if (!status && !pairing.is_known)
        status = insp_file_list(before);
    if (!status && !pairing.is_known)
        status = insp_file_list(after);
    result = status ? insp_no_memory(run) : compare_files(run, before, after, &pairing);
    insp_free(pairing.pairs);
    return result;
}

/* Without patterns, most assets of large files need not be listed. */
static bool reads_part(const insp_options *options)
{
    return options->git || options->argument_count <= 2;
}

/* Prints a header like that of git. */
static void put_header(insp_run *run, const char *before, const char *after)
{
    insp_out *out = &run->out;
    insp_put_style(out, INSP_STYLE_ASSET);
    insp_put(out, "diff --kiln a/");
    insp_put_escaped(out, before, strlen(before));
    insp_put(out, " b/");
    insp_put_escaped(out, after, strlen(after));
    insp_put_style(out, INSP_STYLE_PLAIN);
    insp_put_char(out, '\n');
}

static int diff_for_git(insp_run *run)
{
    char **arguments = run->options.arguments;
    int count = run->options.argument_count;
    if (count == GIT_UNMERGED) {
        insp_put(&run->out, "* Unmerged path ");
        insp_put_escaped(&run->out, arguments[GIT_PATH], strlen(arguments[GIT_PATH]));
        insp_put_char(&run->out, '\n');
        return INSP_OK;
    }
    if (count != GIT_ARGUMENTS && count != GIT_MOVED) {
        insp_complain(run, NULL,
                      "--git takes the %d arguments that git passes, not %d; see "
                      "kiln-inspect --help",
                      GIT_ARGUMENTS, count);
        return INSP_TROUBLE;
    }
    if (!insp_wants_json(run))
        put_header(run, arguments[GIT_PATH],
                   arguments[count == GIT_MOVED ? GIT_ARGUMENTS : GIT_PATH]);
    return insp_with_pair(run, arguments[GIT_OLD], arguments[GIT_NEW], diff_files);
}

static int diff(insp_run *run)
{
    if (run->options.git)
        return diff_for_git(run);
    if (run->options.argument_count < 2) {
        insp_complain(run, NULL, "too few arguments for 'diff'; see kiln-inspect --help");
        return INSP_TROUBLE;
    }
    return insp_with_pair(run, run->options.arguments[0], run->options.arguments[1], diff_files);
}

const insp_command insp_diff_command = {
    .name = "diff",
    .arguments = "OLD NEW [PATTERN...]",
    .help = "show which assets and values differ in two files",
    .min_arguments = 1,
    .max_arguments = -1,
    .formats = "text json ",
    .options = "--bytes --git --ignore --stat --tolerance ",
    .reads_part = reads_part,
    .run = diff,
};
