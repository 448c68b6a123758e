#include "insp_run.h"

#include "insp_escape.h"
#include "insp_memory.h"
#include "insp_read.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

enum { NAME_MAX_TOLD = 300 };

/* Nearly every step of a walk prints a byte at least; the limit of steps is for those that do not.
 */
enum { STEPS_A_BYTE = 4, STEPS_LEAST = 1000 };

static void put_path(insp_run *run, const char *path)
{
    if (strcmp(path, "-") == 0)
        path = "standard input";
    if (!*path)
        path = "\"\"";
    insp_put_escaped(&run->err, path, strlen(path));
    insp_put(&run->err, ": ");
}

void insp_complain(insp_run *run, const char *path, const char *format, ...)
{
    char text[1024];
    va_list values;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    insp_put(&run->err, "kiln-inspect: ");
    if (path)
        put_path(run, path);
    insp_put_escaped(&run->err, text, strlen(text));
    insp_put_char(&run->err, '\n');
}

insp_text insp_name_to_tell(insp_text name)
{
    static const insp_text none = {"(no name)", 9};
    if (!name.length || !name.data[0])
        return none;
    name.length = name.length < NAME_MAX_TOLD ? name.length : NAME_MAX_TOLD;
    return name;
}

int insp_no_memory(insp_run *run)
{
    insp_complain(run, NULL, "%s", kiln_status_text(KILN_NO_MEMORY));
    return INSP_TROUBLE;
}

int insp_cannot_read(insp_run *run, const char *path, int error)
{
    char text[INSP_READ_TEXT_SIZE];
    if (error == ENOMEM)
        return insp_no_memory(run);
    insp_read_text(error, run->options.max_input, text);
    insp_complain(run, path, "cannot be read: %s", text);
    return INSP_TROUBLE;
}

int insp_open(insp_run *run, const char *path, insp_file *ret_file)
{
    unsigned char *data = NULL;
    size_t size = 0;
    int error = insp_read(path, run->options.max_input, &data, &size);
    kiln_status status;
    if (error)
        return insp_cannot_read(run, path, error);
    run->path = path;
    if (!run->options.has_max_bytes)
        run->out.limit += (uint64_t)size * INSP_BYTES_FACTOR;
    status = insp_file_init(ret_file, path, data, size);
    if (!status)
        return INSP_OK;
    insp_file_fini(ret_file);
    if (status == KILN_NO_MEMORY)
        return insp_no_memory(run);
    insp_complain(run, path, "%s", kiln_status_text(status));
    return INSP_TROUBLE;
}

void insp_put_finding(insp_out *out, const insp_file *file, const insp_finding *finding)
{
    const insp_asset *asset =
        finding->asset ? finding->asset : insp_member_asset(file, finding->member);
    insp_putf(out, "%s at offset 0x%" PRIx64 " (%s", insp_rule(finding->error.status),
              finding->error.offset, finding->part);
    if (finding->member != KILN_ASSET_NONE && strcmp(finding->part, "member") == 0)
        insp_putf(out, " %" PRIu32, finding->member);
    if (asset && asset->name.length) {
        insp_text name = insp_name_to_tell(asset->name);
        insp_put(out, ", ");
        insp_put_escaped(out, name.data, name.length);
    }
    insp_putf(out, "): %s", kiln_status_text(finding->error.status));
    if (finding->error.path[0]) {
        insp_put(out, " [");
        insp_put_escaped(out, finding->error.path, strlen(finding->error.path));
        insp_put_char(out, ']');
    }
}

void insp_tell_finding(void *ctx, const insp_file *file, const insp_finding *finding)
{
    insp_run *run = ctx;
    insp_put(&run->err, "kiln-inspect: ");
    put_path(run, file->path);
    insp_put_finding(&run->err, file, finding);
    insp_put_char(&run->err, '\n');
}

bool insp_has_index(insp_run *run, const insp_file *file, int *result)
{
    insp_finding finding = {file->header_error, "file", KILN_ASSET_NONE, NULL};
    if (file->has_header && kiln_header_kind(&file->header) == KILN_BLOB_INDEX) {
        finding.error = file->index_error;
        finding.part = "index";
        if (!file->index) {
            insp_tell_finding(run, file, &finding);
            *result = INSP_BAD;
        }
        return true;
    }
    *result = INSP_BAD;
    if (file->has_header)
        insp_complain(run, file->path,
                      "a blob without an index: its type is not known, hex shows the bytes");
    else
        insp_tell_finding(run, file, &finding);
    return false;
}

int insp_heavier(int a, int b)
{
    return a > b ? a : b;
}

bool insp_wants_json(const insp_run *run)
{
    return run->options.format && strcmp(run->options.format, "json") == 0;
}

void insp_run_printer(insp_run *run, const insp_file *file, insp_printer *ret_printer)
{
    const insp_format *format = run->options.format ? insp_format_find(run->options.format) : NULL;
    insp_printer_init(ret_printer, &run->out, file, format ? format : &insp_format_tree);
    ret_printer->all = run->options.all;
    ret_printer->left = run->out.limit < UINT64_MAX / STEPS_A_BYTE
                            ? STEPS_LEAST + run->out.limit * STEPS_A_BYTE
                            : UINT64_MAX;
}

int insp_tell_cut(insp_run *run)
{
    const insp_out *out = &run->out;
    char missing[128] = "the rest is missing";
    if (out->units_name)
        snprintf(missing, sizeof missing, "%s missing or incomplete: %" PRIu64 " of %" PRIu64,
                 out->units_name, out->units - out->whole, out->units);
    insp_complain(run, run->path, "the output is cut after %" PRIu64 " bytes: %s", out->cut_at,
                  missing);
    insp_complain(run, NULL, "--max-bytes SIZE prints more, and --max-bytes 0 all");
    return INSP_BAD;
}

int insp_after_printing(insp_run *run, const insp_file *file, const insp_printer *p)
{
    if (p->broken)
        insp_complain(run, file->path, "%" PRIu32 " broken place%s; see kiln-inspect verify",
                      p->broken, p->broken == 1 ? "" : "s");
    return p->broken ? INSP_BAD : INSP_OK;
}
