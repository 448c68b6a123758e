/* The `type` command: prints the type table as a schema, with sizes and offsets.
 *
 * The output is YAML with the keys of a schema. Information that a schema cannot express, such as
 * offsets, is in comments. Strings from the table are quoted wherever YAML could misread them. */
#include "insp_commands.h"
#include "insp_escape.h"
#include "insp_finding_text.h"
#include "insp_memory.h"
#include "insp_message.h"
#include "insp_number.h"
#include "insp_type_data.h"
#include "insp_type_json.h"
#include "insp_type_names.h"

#include <inttypes.h>
#include <string.h>

enum { REMARK_COLUMN = 56 };

static void begin_remark(insp_run *run)
{
    insp_put_to_column(&run->out, REMARK_COLUMN);
    insp_put_style(&run->out, INSP_STYLE_FAINT);
    insp_put(&run->out, "# ");
}

static void end_remark(insp_run *run)
{
    insp_put_style(&run->out, INSP_STYLE_PLAIN);
    insp_put_char(&run->out, '\n');
}

static void put_name(insp_run *run, const char *name)
{
    insp_put_style(&run->out, INSP_STYLE_NAME);
    insp_put_yaml_string(&run->out, name, strlen(name));
    insp_put_style(&run->out, INSP_STYLE_PLAIN);
    insp_put(&run->out, ": ");
}

/* Quotes the expression if it has commas or brackets, which end a plain scalar in a flow
 * mapping. */
static void put_expression(insp_run *run, const insp_file *file, uint32_t type)
{
    char text[512];
    kiln_type_expression(file->types, type, text, sizeof text);
    insp_put_style(&run->out, INSP_STYLE_TYPE);
    if (strpbrk(text, ",[]{}"))
        insp_put_json_string(&run->out, text, strlen(text));
    else
        insp_put(&run->out, text);
    insp_put_style(&run->out, INSP_STYLE_PLAIN);
}

static void put_text_attribute(insp_run *run, const char *name, const char *text)
{
    insp_putf(&run->out, ", %s: ", name);
    insp_put_json_string(&run->out, text, strlen(text));
}

static void put_names(insp_run *run, const char *const *names, uint32_t count)
{
    uint32_t i;
    insp_put_char(&run->out, '[');
    for (i = 0; i < count; i++) {
        insp_put(&run->out, i ? ", " : "");
        insp_put_yaml_string(&run->out, names[i], strlen(names[i]));
    }
    insp_put_char(&run->out, ']');
}

static void end_member(insp_run *run, const kiln_member *member)
{
    if (member->doc[0])
        put_text_attribute(run, "doc", member->doc);
    if (member->was_count) {
        insp_put(&run->out, ", was: ");
        put_names(run, member->was, member->was_count);
    }
    insp_put_char(&run->out, '}');
}

static void put_bound(insp_run *run, uint64_t bits, bool given, kiln_kind kind)
{
    char text[INSP_NUMBER_SIZE];
    double number;
    memcpy(&number, &bits, sizeof number);
    if (!given)
        insp_put(&run->out, "null");
    else if (kiln_kind_is_float(kind) && number - number == 0) {
        insp_format_float(text, number, kind == KILN_KIND_F32 && insp_type_is_f32(number));
        insp_put(&run->out, text);
    } else if (kiln_kind_is_float(kind))
        insp_put(&run->out, number > 0 ? ".inf" : number < 0 ? "-.inf" : ".nan");
    else if (kiln_kind_is_signed(kind))
        insp_putf(&run->out, "%" PRId64, (int64_t)bits);
    else
        insp_putf(&run->out, "%" PRIu64, bits);
}

static bool put_field(insp_run *run, const insp_file *file, const kiln_type *type, uint32_t i)
{
    const kiln_member *member = &type->members[i];
    const kiln_type *of = kiln_types_get(file->types, member->type);
    kiln_kind kind = insp_type_bound_kind(file->types, of);
    bool good = true, has_min = member->flags & KILN_MEMBER_HAS_MIN,
         has_max = member->flags & KILN_MEMBER_HAS_MAX;
    insp_put(&run->out, "      ");
    put_name(run, member->name);
    insp_put(&run->out, "{type: ");
    put_expression(run, file, member->type);
    if (member->default_image)
        good = insp_type_put_default(run, file, member, false);
    if (has_min || has_max) {
        insp_put(&run->out, ", range: [");
        put_bound(run, member->min, has_min, kind);
        insp_put(&run->out, ", ");
        put_bound(run, member->max, has_max, kind);
        insp_put_char(&run->out, ']');
    }
    insp_put(&run->out, member->flags & KILN_MEMBER_REQUIRED ? ", required: true" : "");
    insp_put(&run->out, member->flags & KILN_MEMBER_SINGLE ? ", single: true" : "");
    insp_put(&run->out, member->flags & KILN_MEMBER_REST ? ", rest: true" : "");
    insp_put(&run->out, member->flags & KILN_MEMBER_DEPRECATED ? ", deprecated: true" : "");
    end_member(run, member);
    begin_remark(run);
    insp_putf(&run->out, "at %" PRIu32 ", %" PRIu32 " byte%s", member->offset, of->size,
              of->size == 1 ? "" : "s");
    insp_type_put_place(run, file->types, type, i);
    end_remark(run);
    return good;
}

/* Prints an alternative of a union, or a value of an enum or flag set. */
static void put_choice(insp_run *run, const insp_file *file, const kiln_type *type,
                       const kiln_member *member)
{
    bool is_union = type->kind == KILN_KIND_UNION;
    insp_put(&run->out, "      ");
    put_name(run, member->name);
    insp_put_char(&run->out, '{');
    if (is_union) {
        insp_put(&run->out, "type: ");
        if (member->type != KILN_TYPE_NONE)
            put_expression(run, file, member->type);
        else
            insp_put(&run->out, "null");
    } else if (type->kind == KILN_KIND_ENUM && kiln_kind_is_signed(type->base)) {
        insp_putf(&run->out, "value: %" PRId64, (int64_t)member->value);
    } else {
        insp_putf(&run->out, "value: %" PRIu64, member->value);
    }
    end_member(run, member);
    if (is_union) {
        begin_remark(run);
        insp_putf(&run->out, "tag %" PRIu64, member->value);
        end_remark(run);
    } else {
        insp_put_char(&run->out, '\n');
    }
}

static void put_attributes(insp_run *run, const kiln_type *type)
{
    if (type->doc[0]) {
        insp_put(&run->out, "    doc: ");
        insp_put_json_string(&run->out, type->doc, strlen(type->doc));
        insp_put_char(&run->out, '\n');
    }
    if (type->was_count) {
        insp_put(&run->out, "    was: ");
        put_names(run, type->was, type->was_count);
        insp_put_char(&run->out, '\n');
    }
    if (type->flags & KILN_TYPE_ASSET)
        insp_put(&run->out, "    asset: true\n");
    if (type->flags & KILN_TYPE_COMPONENT)
        insp_put(&run->out, "    component: true\n");
    if (type->align_at)
        insp_putf(&run->out, "    align: %" PRIu32 "\n", type->align_at);
    if (type->base)
        insp_putf(&run->out, "    base: %s\n", kiln_kind_name(type->base));
}

/* `ranges` is NULL without --data. */
static bool put_fields(insp_run *run, const insp_file *file, uint32_t number,
                       const insp_ranges *ranges)
{
    const kiln_type *type = kiln_types_get(file->types, number);
    uint32_t i;
    bool good = true;
    for (i = 0; i < type->member_count && good && !run->out.error; i++) {
        good = put_field(run, file, type, i);
        if (good && ranges)
            insp_type_put_range(run, ranges, number, i);
    }
    insp_type_put_padding(run, file->types, type);
    return good && (!ranges || insp_type_put_patch(run, ranges, number));
}

static bool put_type(insp_run *run, const insp_file *file, uint32_t number,
                     const insp_ranges *ranges)
{
    const kiln_type *type = kiln_types_get(file->types, number);
    uint32_t i;
    insp_put(&run->out, "  ");
    insp_put_style(&run->out, INSP_STYLE_ASSET);
    insp_put_escaped(&run->out, type->name, strlen(type->name));
    insp_put_style(&run->out, INSP_STYLE_PLAIN);
    insp_put_char(&run->out, ':');
    begin_remark(run);
    insp_putf(&run->out, "%" PRIu32 " byte%s, aligned to %" PRIu32 ", layout %016" PRIx64,
              type->size, type->size == 1 ? "" : "s", type->align, type->layout);
    end_remark(run);
    put_attributes(run, type);
    insp_putf(&run->out, "    %s:%s\n",
              type->flags & KILN_TYPE_TRANSPARENT ? "struct" : kiln_kind_name(type->kind),
              type->flags & KILN_TYPE_TRANSPARENT ? " # newtype: written as its field's value"
                                                  : "");
    if (type->kind == KILN_KIND_STRUCT)
        return put_fields(run, file, number, ranges);
    for (i = 0; i < type->member_count && !run->out.error; i++)
        put_choice(run, file, type, &type->members[i]);
    return true;
}

static bool is_wanted(const insp_run *run, const kiln_type *type)
{
    int i;
    for (i = 1; i < run->options.argument_count; i++)
        if (insp_type_matches(run->options.arguments[i], type))
            return true;
    return run->options.argument_count < 2 && kiln_kind_is_named(type->kind);
}

/* Reports each argument that matches no type. */
static int complain_arguments(insp_run *run, const insp_file *file)
{
    uint32_t count = kiln_types_count(file->types), k;
    int result = INSP_OK, i;
    for (i = 1; i < run->options.argument_count; i++) {
        const char *pattern = run->options.arguments[i];
        for (k = 0; k < count && !insp_type_matches(pattern, kiln_types_get(file->types, k));)
            k++;
        if (k == count)
            result = insp_no_such_type(run, file, pattern);
    }
    return result;
}

static int complain_no_types(insp_run *run, const insp_file *file)
{
    if (file->types_error.status)
        insp_complain(run, file->path, "the type table is broken: %s: %s",
                      insp_rule(file->types_error.status),
                      kiln_status_text(file->types_error.status));
    else
        insp_complain(run, file->path, "%s",
                      file->has_header ? "no type table"
                                       : insp_status_text(file, file->header_error.status));
    return INSP_BAD;
}

/* Prints the types whose element in `wanted` is set. */
static int print_wanted(insp_run *run, const insp_file *file, const bool *wanted,
                        const insp_ranges *ranges)
{
    uint32_t i, shown = 0, units = 0, count = kiln_types_count(file->types);
    bool is_json = insp_wants_json(run);
    for (i = 0; i < count; i++)
        units += wanted[i];
    insp_out_count(&run->out, "types", units);
    if (is_json)
        insp_put(&run->out, "{\n  \"format\": 1,\n  \"types\": [");
    for (i = 0; i < count && !run->out.error; i++) {
        if (!wanted[i])
            continue;
        if (is_json)
            insp_put(&run->out, shown++ ? "," : "");
        else
            insp_put(&run->out, shown++ ? "" : "types:\n");
        if (!(is_json ? insp_type_put_json : put_type)(run, file, i, ranges))
            return insp_no_memory(run);
        insp_out_set_whole(&run->out, shown);
    }
    if (is_json)
        insp_put(&run->out, shown ? "\n  ]\n}\n" : "]\n}\n");
    return complain_arguments(run, file);
}

/* The same with --data. */
static int print_with_data(insp_run *run, const insp_file *file, const bool *wanted)
{
    uint32_t i, count = kiln_types_count(file->types);
    bool *structs = insp_alloc_array(count, sizeof *structs);
    insp_ranges ranges = {0};
    kiln_status status = structs ? KILN_OK : KILN_NO_MEMORY;
    int result;
    for (i = 0; structs && i < count; i++)
        structs[i] = wanted[i] && kiln_types_get(file->types, i)->kind == KILN_KIND_STRUCT;
    if (!status)
        status = insp_ranges_init(&ranges, file, structs, insp_steps_of(file));
    result = status ? insp_no_memory(run) : print_wanted(run, file, wanted, &ranges);
    if (ranges.stopped || ranges.broken) {
        insp_complain(run, file->path,
                      ranges.stopped ? "shared values repeat too often, so not all were read"
                                     : "%" PRIu32 " values cannot be read",
                      ranges.broken);
        result = insp_worse(result, INSP_BAD);
    }
    insp_ranges_fini(&ranges);
    insp_free(structs);
    return result;
}

static int print_types(insp_run *run, const insp_file *file)
{
    uint32_t i, count = file->types ? kiln_types_count(file->types) : 0;
    bool *wanted = insp_alloc_array(count, sizeof *wanted);
    int result;
    if (!wanted)
        return insp_no_memory(run);
    for (i = 0; i < count; i++)
        wanted[i] = is_wanted(run, kiln_types_get(file->types, i));
    if (!file->types)
        result = complain_no_types(run, file);
    else if (run->options.data)
        result = print_with_data(run, file, wanted);
    else
        result = print_wanted(run, file, wanted, NULL);
    insp_free(wanted);
    return result;
}

/* Without --data, only the type table is read; with it, also the entries of the index, one after
 * another. */
static bool reads_part(const insp_options *options)
{
    (void)options;
    return true;
}

const insp_command insp_type_command = {
    .name = "type",
    .arguments = "FILE [TYPE...]",
    .help = "print the types in the file",
    .min_arguments = 1,
    .max_arguments = -1,
    .formats = "text json ",
    .options = "--data ",
    .reads_part = reads_part,
    .show = print_types,
};
