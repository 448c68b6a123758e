/* The outputs of a run: begun one by one, renamed into place all together at its end. */
#include "bake_inputs.h"
#include "bake_run.h"
#include "gateway.h"
#include "path_match.h"

#include <errno.h>
#include <string.h>

bake_output *bake_run_begin_beside(bake_run *run, const char *path)
{
    bake_output *output = bake_output_begin(run->gateway, path);
    if (!output && errno == BAKE_OUTPUT_TAKEN)
        bake_fail(&run->failure, BAKE_CANNOT, "two outputs go to %s",
                  strcmp(path, "-") == 0 ? "standard output" : path);
    else if (!output && errno == BAKE_OUTPUT_READ)
        bake_fail(&run->failure, BAKE_CANNOT, "cannot write %s: it is an input of this run",
                  strcmp(path, "-") == 0 ? "standard output" : path);
    else if (!output)
        bake_fail_errno(&run->failure, "write", path);
    return output;
}

bake_output *bake_run_begin(bake_run *run, const char *path)
{
    bake_output *output = bake_run_begin_beside(run, path);
    if (output)
        run->outputs[run->output_count++] = path;
    return output;
}

/* The output with the extension .d. */
static const char *depfile_path(bake_run *run)
{
    const bake_options *o = run->options;
    if (o->depfile)
        return o->depfile;
    if (!o->output || strcmp(o->output, "-") == 0) {
        bake_fail(&run->failure, BAKE_CANNOT, "-MD needs -MF where the output has no name");
        return NULL;
    }
    size_t stem_length;
    const char *stem = bake_path_stem(o->output, &stem_length);
    size_t length = (size_t)(stem - o->output) + stem_length;
    char *path = bake_store_alloc(&run->store, length + 3, 1);
    if (!path) {
        bake_fail_memory(&run->failure);
        return NULL;
    }
    memcpy(path, o->output, length);
    memcpy(path + length, ".d", 2);
    return path;
}

static bake_result write_depfile(bake_run *run)
{
    const bake_options *o = run->options;
    const char *path = depfile_path(run);
    if (!path)
        return run->failure.result;
    const char *const *targets = run->outputs;
    size_t count = run->output_count;
    bool quote = true;
    if (o->targets.count || o->quoted_targets.count) {
        quote = o->quoted_targets.count > 0;
        targets = quote ? o->quoted_targets.items : o->targets.items;
        count = quote ? o->quoted_targets.count : o->targets.count;
    }
    bake_output *depfile = bake_run_begin_beside(run, path);
    if (!depfile)
        return run->failure.result;
    if (bake_gateway_write_depfile(run->gateway, depfile, targets, count, quote, o->phony))
        return BAKE_OK;
    if (errno == EINVAL)
        return bake_fail(&run->failure, BAKE_CANNOT, "cannot write %s: %s", path,
                         "a file's name has a line end in it");
    return bake_fail_errno(&run->failure, "write", path);
}

bake_result bake_run_commit(bake_run *run)
{
    const bake_options *o = run->options;
    if (o->warnings_are_errors && bake_diagnostics_warnings(run->diagnostics) > 0)
        return BAKE_BAD_INPUT;
    if (o->depend && write_depfile(run))
        return run->failure.result;
    const char *path = "the output";
    if (bake_gateway_commit(run->gateway, o->durable, o->if_changed, &path))
        return BAKE_OK;
    return bake_fail_errno(&run->failure, "write", path);
}

const char *bake_grouped(char out[32], uint64_t number)
{
    char digits[24];
    int length = snprintf(digits, sizeof digits, "%llu", (unsigned long long)number), at = 0;
    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            out[at++] = ',';
        out[at++] = digits[i];
    }
    out[at] = '\0';
    return out;
}
