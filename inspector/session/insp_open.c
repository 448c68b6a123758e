/* Opens files and assets for commands, and reports their errors.
 *
 * Users inspect a broken file to see what is left of it. So each function reports the damage and
 * returns an exit code, and the command continues with the readable part. */
#include "insp_open.h"

#include "insp_check.h"
#include "insp_command.h"
#include "insp_finding_text.h"
#include "insp_glob.h"
#include "insp_input.h"
#include "insp_list.h"
#include "insp_load.h"
#include "insp_message.h"
#include "insp_nearest.h"
#include "insp_number.h"
#include "insp_redirects.h"
#include "insp_similar.h"
#include "insp_unpack.h"

#include <string.h>
#include <unistd.h>

/* Whether the command reads only the parts of the index that it needs. A broken index is always
 * read as a whole, because then its order is unknown. */
static bool reads_part(const insp_run *run)
{
    const insp_command *command = run->options.command;
    return command->reads_part && command->reads_part(&run->options);
}

/* Reports that bytes are missing at the end of the file. Returns INSP_BAD or INSP_OK. */
static int complain_truncated(insp_run *run, const insp_file *file)
{
    char size[INSP_NUMBER_SIZE], stated[INSP_NUMBER_SIZE];
    if (file->stated_size <= file->size)
        return INSP_OK;
    insp_format_count(size, file->size);
    insp_format_count(stated, file->stated_size);
    insp_complain(run, file->path, "truncated: %s of %s bytes", size, stated);
    return INSP_BAD;
}

/* Finds the contents of a file in its bytes, and reports a failure. */
static int open_file(insp_run *run, const char *path, const unsigned char *data, size_t size,
                     insp_file *file)
{
    kiln_status status;
    run->path = path;
    /* The output limit guards against values that share parts; ordinary files print less. The limit
     * grows with each file, because verify opens several. */
    if (!run->options.has_max_bytes)
        run->out.limit += (uint64_t)size * INSP_BYTES_FACTOR;
    status = insp_file_init(file, path, data, size);
    if (!status && !(file->frame.index && reads_part(run)))
        status = insp_file_list(file);
    if (!status)
        return INSP_OK;
    if (status == KILN_NO_MEMORY)
        return insp_no_memory(run);
    insp_complain(run, path, "%s", kiln_status_text(status));
    return INSP_TROUBLE;
}

/* Ends the program, because its memory may be damaged. Output that has not been written is lost. */
static void on_lost(void *ctx, const char *path, int error)
{
    insp_cannot_read(ctx, path, error);
    _exit(INSP_TROUBLE);
}

int insp_with_file(insp_run *run, const char *path,
                   int (*show)(insp_run *run, const insp_file *file))
{
    insp_input *input = NULL;
    insp_file file;
    insp_use use = run->options.copy ? INSP_USE_COPY
                   : reads_part(run) ? INSP_USE_PARTS
                                     : INSP_USE_ALL;
    int result, error;
    insp_input_on_lost(on_lost, run);
    error = insp_input_open(path, run->options.max_input, use, &input);
    if (error)
        return insp_cannot_read(run, path, error);
    result = open_file(run, path, insp_input_data(input), insp_input_size(input), &file);
    if (result == INSP_OK) {
        int truncated = complain_truncated(run, &file);
        result = insp_worse(truncated, show(run, &file));
    }
    insp_file_fini(&file);
    error = insp_input_check(input);
    insp_input_close(input);
    return error ? insp_cannot_read(run, path, error) : result;
}

int insp_with_pair(insp_run *run, const char *before, const char *after, insp_show_pair *show)
{
    const char *const paths[2] = {before, after};
    insp_input *inputs[2] = {NULL, NULL};
    insp_file files[2] = {{0}, {0}};
    int result = INSP_OK, i, opened;
    insp_input_on_lost(on_lost, run);
    for (opened = 0; opened < 2 && !result; opened++) {
        insp_input **input = &inputs[opened];
        insp_use use = run->options.copy ? INSP_USE_COPY : INSP_USE_ALL;
        int error = insp_input_open(paths[opened], run->options.max_input, use, input);
        result = error ? insp_cannot_read(run, paths[opened], error)
                       : open_file(run, paths[opened], insp_input_data(*input),
                                   insp_input_size(*input), &files[opened]);
    }
    if (!result)
        result = show(run, &files[0], &files[1]);
    for (i = 0; i < opened; i++) {
        int error = inputs[i] ? insp_input_check(inputs[i]) : 0;
        insp_file_fini(&files[i]);
        if (error)
            result = insp_worse(result, insp_cannot_read(run, paths[i], error));
        insp_input_close(inputs[i]);
    }
    return result;
}

bool insp_has_index(insp_run *run, const insp_file *file, int *result)
{
    insp_finding finding = {file->header_error, "file", KILN_ASSET_NONE, NULL};
    if (file->has_header && kiln_header_kind(&file->header) == KILN_BLOB_INDEX) {
        finding.error = file->index_error;
        finding.part = "index";
        if (finding.error.status) {
            insp_complain_finding(run, file, &finding);
            *result = INSP_BAD;
        }
        return true;
    }
    *result = INSP_BAD;
    if (file->has_header)
        insp_complain(run, file->path,
                      "a blob without an index, so its type is unknown; use hex to show the bytes");
    else
        insp_complain_finding(run, file, &finding);
    return false;
}

/* The asset to which a redirect leads; NULL if it is not in the file. */
static const insp_asset *follow(insp_run *run, const insp_file *file, const kiln_redirect *redirect)
{
    insp_text target = insp_redirect_target(redirect), name, shown;
    const insp_asset *asset = insp_file_asset(file, target.data, target.length);
    if (!asset)
        return NULL;
    name = insp_message_name(insp_redirect_name(redirect));
    shown = insp_message_name(target);
    insp_complain(run, file->path, "%.*s was renamed to %.*s", (int)name.length, name.data,
                  (int)shown.length, shown.data);
    return asset;
}

const insp_asset *insp_find_asset(insp_run *run, const insp_file *file, const char *name,
                                  size_t length)
{
    const insp_asset *asset = insp_file_asset(file, name, length);
    const kiln_redirect *redirect = asset ? NULL : insp_redirect_of(file, name, length);
    return redirect ? follow(run, file, redirect) : asset;
}

const insp_asset *insp_find_path(insp_run *run, const insp_file *file, const char *path,
                                 const char **ret_rest)
{
    const insp_asset *asset = insp_split_path(file, path, ret_rest);
    const kiln_redirect *redirect = asset ? NULL : insp_split_redirect(file, path, ret_rest);
    return redirect ? follow(run, file, redirect) : asset;
}

/* Reports a redirect that leads to no asset of the file. Returns false if there is no redirect. */
static bool complain_redirect(insp_run *run, const insp_file *file, const char *wanted,
                              bool is_path)
{
    const char *rest;
    const kiln_redirect *redirect = is_path ? insp_split_redirect(file, wanted, &rest)
                                            : insp_redirect_of(file, wanted, strlen(wanted));
    insp_text name, target;
    if (!redirect)
        return false;
    name = insp_message_name(insp_redirect_name(redirect));
    target = insp_message_name(insp_redirect_target(redirect));
    if (redirect->target.length)
        insp_complain(run, file->path, "%.*s was renamed to %.*s, which is not in the file",
                      (int)name.length, name.data, (int)target.length, target.data);
    else
        insp_complain(run, file->path, "%.*s was deleted", (int)name.length, name.data);
    return true;
}

/* The asset whose id is nearest to `wanted`. */
static const insp_asset *nearest_id(const insp_file *file, const char *wanted)
{
    const insp_asset *best = NULL;
    insp_similar similar;
    uint32_t i;
    insp_similar_init(&similar, wanted, strlen(wanted));
    for (i = 0; i < file->asset_count; i++) {
        const insp_asset *asset = insp_numbered_asset(file, i);
        const char *before = similar.best;
        uint32_t kind = insp_kind_word(asset->name).length;
        if (kind < asset->name.length)
            insp_similar_offer(&similar, asset->name.data + kind + 1,
                               asset->name.length - kind - 1);
        if (similar.best != before)
            best = asset;
    }
    return best;
}

int insp_no_such_asset(insp_run *run, const insp_file *file, const char *wanted, bool is_path)
{
    /* A kind may contain dots, so search for the first field after the slash. */
    const char *slash = strchr(wanted, '/');
    size_t length = slash ? (size_t)(slash - wanted) : 0;
    const insp_asset *nearest;
    insp_text shown;
    if (complain_redirect(run, file, wanted, is_path))
        return INSP_BAD;
    while (!insp_name_ends(wanted[length], is_path))
        length++;
    nearest = insp_nearest_asset(file, wanted, is_path, &length);
    if (!nearest && !slash && !is_path)
        nearest = nearest_id(file, wanted);
    if (length > INSP_NEAREST_MAX)
        length = INSP_NEAREST_MAX;
    shown = insp_message_name((insp_text){wanted, (uint32_t)length});
    if (nearest)
        insp_complain(run, file->path, "no such asset: %.*s; did you mean %.*s?", (int)shown.length,
                      shown.data, (int)nearest->name.length, nearest->name.data);
    else
        insp_complain(run, file->path, "no such asset: %.*s", (int)shown.length, shown.data);
    return INSP_BAD;
}

int insp_no_match(insp_run *run, const insp_file *file, const char *pattern)
{
    const char *slash = strchr(pattern, '/');
    size_t length = slash ? (size_t)(slash - pattern) : 0;
    insp_similar similar;
    uint32_t i;
    insp_similar_init(&similar, pattern, strcspn(pattern, "*?") < length ? 0 : length);
    for (i = 0; i < file->asset_count; i++) {
        const insp_asset *asset = insp_numbered_asset(file, i);
        insp_text kind = asset ? insp_kind_word(asset->name) : (insp_text){"", 0};
        insp_similar_offer(&similar, kind.data, kind.length);
    }
    if (similar.best && (similar.best_length != length || memcmp(similar.best, pattern, length)))
        insp_complain(run, file->path, "no asset name matches %.300s; did you mean %.*s%.300s?",
                      pattern, (int)similar.best_length, similar.best, slash);
    else
        insp_complain(run, file->path, "no asset name matches %.300s", pattern);
    return INSP_BAD;
}

static int complain_about_asset(insp_run *run, const insp_file *file, const insp_asset *asset,
                                kiln_status status)
{
    const char *why = kiln_status_text(status);
    insp_text name = insp_message_name(asset->name);
    if (status == KILN_NO_TYPES)
        why =
            file->types ? "its type is not in the file's type table"
            : file->table_member == KILN_ASSET_NONE
                ? "the file has no type table, so values cannot be shown; use hex to show the bytes"
                : "the type table is broken, so values cannot be shown; use hex to show the bytes";
    else if (status == KILN_NOT_FOUND)
        why = "its bytes are not in the file";
    insp_complain(run, file->path, "%.*s: %s", (int)name.length, name.data, why);
    return INSP_BAD;
}

int insp_open_asset(insp_run *run, const insp_file *file, const insp_asset *asset,
                    kiln_value *ret_root)
{
    /* The values of a blob that is not canonical are still valid, so only the `verify` command
     * checks rule C1. */
    insp_check check = {
        .file = file, .on_finding = insp_complain_finding, .ctx = run, .skip_canonical = true};
    kiln_status status = insp_check_asset(&check, asset);
    if (status == KILN_NO_MEMORY)
        return insp_no_memory(run);
    status = insp_asset_root(file, asset, ret_root);
    if (status == KILN_NO_MEMORY)
        return insp_no_memory(run);
    if (status) {
        complain_about_asset(run, file, asset, status);
        ret_root->of = NULL;
        return INSP_BAD;
    }
    return check.findings ? INSP_BAD : INSP_OK;
}

int insp_complain_patterns(insp_run *run, const insp_file *file)
{
    int result = INSP_OK, i;
    for (i = 1; i < run->options.argument_count; i++) {
        const char *pattern = run->options.arguments[i];
        uint32_t k = 0;
        if (insp_file_asset(file, pattern, strlen(pattern)))
            continue;
        for (; k < file->asset_count; k++) {
            insp_text name = insp_numbered_asset(file, k)->name;
            if (insp_glob_asset(pattern, name.data, name.length))
                break;
        }
        if (k == file->asset_count)
            result = insp_no_match(run, file, pattern);
    }
    return result;
}
