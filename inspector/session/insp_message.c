/* Messages on standard error.
 *
 * insp_complain formats into a fixed-size buffer and escapes the result, so its arguments may be
 * names from a file. It allocates nothing, so it also works after memory has run out. */
#include "insp_message.h"

#include "insp_escape.h"
#include "insp_read.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

/* Names in a file can have any length, but insp_complain has 1,024 bytes for a message. This limit
 * ensures that the reason after the name is never truncated. */
enum { NAME_LENGTH_MAX = 300 };

void insp_complain_begin(insp_run *run, const char *path)
{
    insp_put(&run->err, "kiln-inspect: ");
    if (!path)
        return;
    if (strcmp(path, "-") == 0)
        path = "standard input";
    insp_put_escaped(&run->err, *path ? path : "\"\"", *path ? strlen(path) : 2);
    insp_put(&run->err, ": ");
}

void insp_complain(insp_run *run, const char *path, const char *format, ...)
{
    char text[1024];
    va_list values;
    va_start(values, format);
    vsnprintf(text, sizeof text, format, values);
    va_end(values);
    insp_complain_begin(run, path);
    insp_put_visible(&run->err, text, strlen(text));
    insp_put_char(&run->err, '\n');
}

insp_text insp_message_name(insp_text name)
{
    static const insp_text none = {"(no name)", 9};
    if (!name.length || !name.data[0])
        return none;
    name.length = name.length < NAME_LENGTH_MAX ? name.length : NAME_LENGTH_MAX;
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

int insp_complain_cut(insp_run *run)
{
    const insp_out *out = &run->out;
    char missing[128] = "the rest is missing";
    if (out->units_name)
        snprintf(missing, sizeof missing, "%s missing or incomplete: %" PRIu64 " of %" PRIu64,
                 out->units_name, out->units - out->whole, out->units);
    insp_complain(run, run->path, "the output was truncated after %" PRIu64 " bytes: %s",
                  out->cut_at, missing);
    /* A separate message, because it concerns the option and not the file. */
    insp_complain(run, NULL,
                  "use --max-bytes SIZE to print more, or --max-bytes 0 to print everything");
    return INSP_BAD;
}
