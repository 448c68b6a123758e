/* The `get` command: prints one value in one of the formats.
 *
 * A value without parts is printed without quotes, type or escapes, so that shell scripts can use
 * it: `hp=$(kiln-inspect get f.kiln Item/sword.hp)`. Strings are escaped only on a terminal. */
#include "insp_commands.h"
#include "insp_escape.h"
#include "insp_format.h"
#include "insp_message.h"
#include "insp_open.h"
#include "insp_print.h"
#include "insp_run_printer.h"
#include "insp_scalar.h"

#include <kiln/path.h>
#include <string.h>

static void put_plain(insp_out *out, const char *text, size_t length)
{
    if (out->terminal)
        insp_put_escaped(out, text, length);
    else
        insp_put_bytes(out, text, length);
}

static void put_plain_flags(insp_printer *p, const kiln_value *value)
{
    const kiln_member *names[INSP_FLAGS_MAX];
    uint64_t rest;
    uint32_t count = insp_flag_names(value, names, &rest), i;
    p->broken += rest != 0;
    for (i = 0; i < count; i++) {
        insp_put(p->out, i ? "," : "");
        put_plain(p->out, names[i]->name, strlen(names[i]->name));
    }
}

/* Prints a value without parts on a line. Returns false if the value has parts. */
static bool put_plain_value(insp_printer *p, const kiln_value *value)
{
    kiln_kind kind = value->of->kind;
    const char *text = "";
    uint32_t length = 0;
    if (kind == KILN_KIND_STRING && kiln_value_text(value, &text, &length) == KILN_OK)
        put_plain(p->out, text, length);
    else if (kind == KILN_KIND_BYTES && kiln_value_text(value, &text, &length) == KILN_OK)
        insp_put_base64(p->out, text, length);
    else if (kind == KILN_KIND_FLAGS)
        put_plain_flags(p, value);
    else if (kind == KILN_KIND_BOOL || kiln_kind_is_integer(kind) || kiln_kind_is_float(kind) ||
             kind == KILN_KIND_REF || (kind == KILN_KIND_ENUM && kiln_value_member(value)))
        insp_put_key(p, value, put_plain);
    else
        return false;
    insp_put_char(p->out, '\n');
    return true;
}

static void print_value(insp_printer *p, kiln_value *value)
{
    kiln_value inner;
    /* An optional adds no step to a path, so a path to an optional refers to its value. */
    while (value->of->kind == KILN_KIND_OPTIONAL && kiln_value_count(value) &&
           kiln_value_at(value, 0, &inner) == KILN_OK)
        *value = inner;
    if (p->format == &insp_format_tree && put_plain_value(p, value))
        return;
    p->depth = 1;
    p->format->alone(p);
    insp_print(p, value);
    if (p->out->column)
        insp_put_char(p->out, '\n');
}

static int get_value(insp_run *run, const insp_file *file)
{
    const char *path = run->options.arguments[1], *rest = "";
    const insp_asset *asset;
    kiln_value root, value;
    kiln_error error = {.status = KILN_OK};
    kiln_status status;
    insp_printer p;
    int result = INSP_OK, opened;
    if (!insp_has_index(run, file, &result))
        return result;
    asset = insp_find_path(run, file, path, &rest);
    if (!asset)
        return insp_no_such_asset(run, file, path, true);
    opened = insp_open_asset(run, file, asset, &root);
    if (opened == INSP_TROUBLE || !root.of)
        return opened;
    status = kiln_path_follow(&root, *rest == '.' ? rest + 1 : rest, &value, &error);
    if (status) {
        insp_complain(run, file->path, "no value at %.300s%s%s: %s", path,
                      error.path[0] ? " after " : "", error.path,
                      status == KILN_BAD_ARGUMENT ? "not a path" : kiln_status_text(status));
        return INSP_BAD;
    }
    insp_run_printer(run, file, &p);
    print_value(&p, &value);
    return insp_worse(insp_worse(result, opened), insp_after_printing(run, file, &p));
}

const insp_command insp_get_command = {
    .name = "get",
    .arguments = "FILE PATH",
    .help = "print one value: Kind/id.field[3].name",
    .min_arguments = 2,
    .max_arguments = 2,
    .formats = "tree yaml json ",
    .show = get_value,
};
