/* The outputs of a run and its diagnostics.
 *
 * Outputs are written to temporary files and renamed together at the end, so a failed run changes
 * no existing output. Diagnostics are written last, so that they include failures of the
 * outputs. */
#include "bake_run.h"

#include "gateway.h"
#include "path_match.h"
#include "timings_report.h"

#include <errno.h>
#include <string.h>

kiln_status bake_run_compress(const bake_options *options, kiln_file_writer *writer,
                              const char *type)
{
    const char *group = NULL;
    if (options->dictionary == BAKE_DICTIONARY_TYPE)
        group = type;
    else if (options->dictionary == BAKE_DICTIONARY_ALL)
        group = "";
    return kiln_file_writer_compress(writer, (int)options->compress, group);
}

bake_output *bake_run_begin_extra(bake_run *run, const char *path)
{
    bake_output *output = bake_output_begin(run->gateway, path);
    if (!output && errno == BAKE_OUTPUT_TAKEN)
        bake_fail(&run->failure, BAKE_FAILED, "two outputs have the target %s",
                  strcmp(path, "-") == 0 ? "standard output" : path);
    else if (!output && errno == BAKE_OUTPUT_READ)
        bake_fail(&run->failure, BAKE_FAILED, "cannot write %s: it is an input of this run",
                  strcmp(path, "-") == 0 ? "standard output" : path);
    else if (!output)
        bake_fail_errno(&run->failure, "write", path);
    return output;
}

bake_output *bake_run_begin(bake_run *run, const char *path)
{
    bake_output *output = bake_run_begin_extra(run, path);
    if (output)
        run->outputs[run->output_count++] = path;
    return output;
}

/* The path of the output with its extension replaced by .d, as compilers do. */
static const char *depfile_path(bake_run *run)
{
    const bake_options *o = run->options;
    if (o->depfile)
        return o->depfile;
    if (!o->output || strcmp(o->output, "-") == 0) {
        bake_fail(&run->failure, BAKE_FAILED, "-MD needs -MF if the output has no file name");
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
    bake_output *depfile = bake_run_begin_extra(run, path);
    if (!depfile)
        return run->failure.result;
    if (bake_gateway_write_depfile(run->gateway, depfile, targets, count, quote, o->phony))
        return BAKE_OK;
    if (errno == EINVAL)
        return bake_fail(&run->failure, BAKE_FAILED, "cannot write %s: %s", path,
                         "a file name contains a line break");
    return bake_fail_errno(&run->failure, "write", path);
}

static bake_result commit(bake_run *run)
{
    const bake_options *o = run->options;
    if (o->depend && write_depfile(run))
        return run->failure.result;
    const char *path = "the output";
    if (bake_gateway_commit(run->gateway, o->durable, o->if_changed, &path))
        return BAKE_OK;
    return bake_fail_errno(&run->failure, "write", path);
}

static bool is_warning(void *ctx, const bake_report_view *view)
{
    (void)ctx;
    return view->severity == BAKE_WARNING;
}

static void drop_warnings(bake_diagnostics *diagnostics)
{
    (void)bake_diagnostics_count(diagnostics);
    (void)bake_diagnostics_take_hidden(diagnostics, BAKE_WARNING);
    bake_diagnostics_drop(diagnostics, is_warning, NULL);
}

bake_result bake_run_commit(bake_run *run)
{
    const bake_options *o = run->options;
    if (o->warnings_are_errors && bake_diagnostics_warnings(run->diagnostics) > 0)
        return BAKE_BAD_INPUT;
    uint64_t begin = bake_timing_begin(run->timings);
    bake_result result = commit(run);
    bake_run_end_phase(run, "write", begin);
    if (!result && o->hides_warnings)
        drop_warnings(run->diagnostics);
    return result;
}

/* ---- diagnostics, as text, JSON or SARIF ---- */

/* Retries after EINTR. Standard error is unbuffered, so fwrite returns exactly how much was
 * written. */
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

static void print_text(bake_run *run, bake_result result)
{
    /* bake_diagnostics_print has already printed "out of memory". */
    bool is_reported = run->diagnostics && bake_diagnostics_no_memory(run->diagnostics);
    if (run->diagnostics)
        bake_diagnostics_print(run->diagnostics, run->err, run->color);
    if (!is_reported && result >= BAKE_FAILED && run->failure.text[0])
        fprintf(run->err, "kiln-bake: %s\n", run->failure.text);
}

static bool write_data(bake_run *run, bake_result result, bake_write_function write, void *ctx)
{
    bool failed = result == BAKE_FAILED || result == BAKE_BUG;
    bake_run_end end = {(int)result, failed ? run->failure.text : NULL};
    return run->options->format == BAKE_FORMAT_JSON
               ? bake_diagnostics_write_json(run->diagnostics, &end, write, ctx)
               : bake_diagnostics_write_sarif(run->diagnostics, &end, write, ctx);
}

/* Compares with the options instead of the outputs, because a run that ends early does not begin
 * all of its outputs. */
static bool is_output(const bake_options *o, const char *path)
{
    const char *const outputs[] = {o->output, o->depfile, o->source_map};
    for (size_t i = 0; i < sizeof outputs / sizeof *outputs; i++)
        if (outputs[i] && bake_output_is_same(outputs[i], path))
            return true;
    return false;
}

/* Writes a file that reports on the run. All other outputs are committed by now or never will be,
 * so their temporary files are discarded. Returns false with errno set. */
static bool write_file(bake_run *run, const char *path, bake_result result,
                       bool (*write)(bake_run *run, bake_result result, bake_write_function put,
                                     void *ctx))
{
    bake_gateway_discard_outputs(run->gateway);
    if (is_output(run->options, path)) {
        errno = BAKE_OUTPUT_TAKEN;
        return false;
    }
    bake_output *output = bake_output_begin(run->gateway, path);
    if (!output)
        return false;
    errno = 0;
    if (!write(run, result, bake_output_write, output)) {
        errno = errno ? errno : ENOMEM;
        return false;
    }
    return bake_gateway_commit(run->gateway, run->options->durable, run->options->if_changed,
                               &path);
}

/* The reason why write_file failed. */
static const char *write_failure(void)
{
    return errno == BAKE_OUTPUT_TAKEN  ? "it is an output of this run"
           : errno == BAKE_OUTPUT_READ ? "it is an input of this run"
                                       : strerror(errno);
}

/* ---- timings ---- */

static bool write_trace(bake_run *run, bake_result result, bake_write_function put, void *ctx)
{
    (void)result;
    return bake_timings_write_trace(run->timings, run->time, put, ctx);
}

/* Returns false with errno set if the trace, which is written after further runs, would replace a
 * file of this run. Any other failure is reported when it is written. */
static bool can_write_trace(bake_run *run)
{
    const char *path = run->options->timings;
    bake_gateway_discard_outputs(run->gateway);
    if (is_output(run->options, path)) {
        errno = BAKE_OUTPUT_TAKEN;
        return false;
    }
    bool can = bake_output_begin(run->gateway, path) ||
               (errno != BAKE_OUTPUT_TAKEN && errno != BAKE_OUTPUT_READ);
    int error = errno;
    bake_gateway_discard_outputs(run->gateway);
    errno = error;
    return can;
}

/* Measures the whole run and writes the trace; with shared timings, only checks that it can be
 * written. Does nothing more if the run failed for a reason other than its input. In a project,
 * that reason may be that the run would read the file of the trace. A failure to
 * write is reported with the diagnostics, which are written later. */
static bake_result end_timings(bake_run *run, bake_result result)
{
    const char *path = run->options->timings;
    run->time = bake_timings_now(run->timings);
    if (!run->options->shared_timings && !bake_timings_is_complete(run->timings))
        return bake_fail_memory(&run->failure);
    if (!*path || result >= BAKE_FAILED ||
        (run->options->shared_timings ? can_write_trace(run)
                                      : write_file(run, path, result, write_trace)))
        return result;
    return errno == ENOMEM ? bake_fail_memory(&run->failure)
                           : bake_fail(&run->failure, BAKE_FAILED, "cannot write %s: %s", path,
                                       write_failure());
}

bake_result bake_run_finish(bake_run *run, bake_result result)
{
    const bake_options *o = run->options;
    bool is_measured = o->timings && run->timings && run->gateway;
    if (is_measured)
        result = end_timings(run, result);
    if (o->format == BAKE_FORMAT_TEXT || o->diagnostics_file || !run->diagnostics) {
        print_text(run, result);
    } else if (!write_data(run, result, write_stream, run->err)) {
        fputs("kiln-bake: cannot write all diagnostics\n", run->err);
        return BAKE_FAILED;
    }
    if (is_measured && !run->options->shared_timings && !o->quiet &&
        !bake_timings_print(run->timings, run->time, run->err)) {
        fputs("kiln-bake: out of memory\n", run->err);
        result = BAKE_FAILED;
    }
    if (!o->diagnostics_file || !run->diagnostics ||
        write_file(run, o->diagnostics_file, result, write_data))
        return result;
    fprintf(run->err, "kiln-bake: cannot write %s: %s\n", o->diagnostics_file, write_failure());
    return BAKE_FAILED;
}
