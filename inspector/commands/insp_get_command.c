/* The `get` command: prints values in one of the formats.
 *
 * A value without parts is printed without quotes, type or escapes, so that shell scripts can use
 * it: `hp=$(kiln-inspect get f.kiln Item/sword.hp)`. Strings are escaped only on a terminal. */
#include "insp_commands.h"
#include "insp_escape.h"
#include "insp_follow.h"
#include "insp_format.h"
#include "insp_print.h"
#include "insp_run_printer.h"
#include "insp_scalar.h"

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

static int get_value(insp_run *run, const insp_mounts *mounts, const char *path)
{
    insp_found found;
    insp_printer p;
    int result = insp_follow(run, mounts, path, &found);
    if (result == INSP_TROUBLE || !found.value.of)
        return result;
    insp_run_printer(run, found.at.file, &p);
    print_value(&p, &found.value);
    return insp_worse(result, insp_after_printing(run, found.at.file, &p));
}

static int get_values(insp_run *run, const insp_mounts *mounts)
{
    int result = INSP_OK, i;
    for (i = 1; i < run->options.argument_count && result < INSP_TROUBLE && !run->out.error; i++)
        result = insp_worse(result, get_value(run, mounts, run->options.arguments[i]));
    return result;
}

static int get(insp_run *run)
{
    return insp_with_mounts(run, get_values);
}

static bool reads_part(const insp_options *options)
{
    (void)options;
    return true;
}

const insp_command insp_get_command = {
    .name = "get",
    .arguments = "FILE PATH...",
    .help = "print values: Kind/id.field[3].ref->name",
    .min_arguments = 2,
    .max_arguments = -1,
    .formats = "tree yaml json ",
    .options = "--mount ",
    .reads_part = reads_part,
    .run = get,
};
