/* The end of a run: what was wrong, as text or as data, where it is wanted. */
#include "bake_run.h"

#include <errno.h>
#include <string.h>

/* After an interruption the rest is written: standard error has no buffer, so fwrite says exactly
 * how much was written. */
static bool write_stream(void *ctx, const void *data, size_t size)
{
    const char *bytes = data;
    while (size > 0) {
        errno = 0;
        size_t written = fwrite(bytes, 1, size, ctx);
        if (written < size && errno != EINTR)
            return false;
        bytes += written;
        size -= written;
    }
    return true;
}

static void tell_text(bake_run *run, bake_result result)
{
    bool told = run->diagnostics && bake_diagnostics_no_memory(run->diagnostics);
    /* Diagnostics tell of memory themselves. */
    if (run->diagnostics)
        bake_diagnostics_print(run->diagnostics, run->err, run->color);
    if (!told && result >= BAKE_CANNOT && run->failure.text[0])
        fprintf(run->err, "kiln-bake: %s\n", run->failure.text);
}

static bool write_data(bake_run *run, bake_result result, bake_write_function write, void *ctx)
{
    bool failed = result == BAKE_CANNOT || result == BAKE_BUG;
    bake_run_end end = {(int)result, failed ? run->failure.text : NULL};
    return run->options->format == BAKE_FORMAT_JSON
               ? bake_diagnostics_write_json(run->diagnostics, &end, write, ctx)
               : bake_diagnostics_write_sarif(run->diagnostics, &end, write, ctx);
}

/* A run that ended early may not have begun all of its outputs. */
static bool is_output(const bake_options *o, const char *path)
{
    const char *const outputs[] = {o->output, o->depfile, o->source_map};
    for (size_t i = 0; i < sizeof outputs / sizeof *outputs; i++)
        if (outputs[i] && bake_output_is_same(outputs[i], path))
            return true;
    return false;
}

/* The run's other outputs are in their places by now, or never will be. */
static bool write_file(bake_run *run, bake_result result)
{
    const char *path = run->options->diagnostics_file;
    bake_gateway_discard_outputs(run->gateway);
    if (is_output(run->options, path)) {
        errno = BAKE_OUTPUT_TAKEN;
        return false;
    }
    bake_output *output = bake_output_begin(run->gateway, path);
    if (!output)
        return false;
    errno = 0;
    if (!write_data(run, result, bake_output_write, output)) {
        errno = errno ? errno : ENOMEM;
        return false;
    }
    return bake_gateway_commit(run->gateway, run->options->durable, run->options->if_changed,
                               &path);
}

bake_result bake_run_tell(bake_run *run, bake_result result)
{
    const bake_options *o = run->options;
    if (o->format == BAKE_FORMAT_TEXT || o->diagnostics_file || !run->diagnostics) {
        tell_text(run, result);
    } else if (!write_data(run, result, write_stream, run->err)) {
        fputs("kiln-bake: the diagnostics could not be written whole\n", run->err);
        return BAKE_CANNOT;
    }
    if (!o->diagnostics_file || !run->diagnostics || write_file(run, result))
        return result;
    const char *why = errno == BAKE_OUTPUT_TAKEN  ? "it is an output of this run"
                      : errno == BAKE_OUTPUT_READ ? "it is an input of this run"
                                                  : strerror(errno);
    fprintf(run->err, "kiln-bake: cannot write %s: %s\n", o->diagnostics_file, why);
    return BAKE_CANNOT;
}
