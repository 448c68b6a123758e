/* The `stats` command: describes the values of fields in a whole file. */
#include "insp_commands.h"
#include "insp_escape.h"
#include "insp_glob.h"
#include "insp_memory.h"
#include "insp_message.h"
#include "insp_number.h"
#include "insp_open.h"
#include "insp_samples.h"
#include "insp_similar.h"
#include "insp_type_names.h"

#include <inttypes.h>
#include <math.h>

enum {
    LABEL_WIDTH = 12,
    BINS = 10,
    BAR_WIDTH = 30,
    TOP_DEFAULT = 10,
    VALUE_WIDTH = 28,
    TEXT_SHOWN = 60
};

static const double shares[] = {0.01, 0.25, 0.5, 0.75, 0.99};

enum { SHARES = sizeof shares / sizeof shares[0] };

typedef struct bin {
    double from, to;
    uint64_t count;
} bin;

/* What is printed about one field. */
typedef struct report {
    insp_run *run;
    const insp_file *file;
    insp_samples samples;
    const kiln_type *type;
    const kiln_member *member;
    insp_common *common;
    size_t common_count, low, high, most;
    insp_found *found; /* of `common`, if they are strings, and then of the outliers */
    insp_found *found_outliers;
    size_t found_count;
    bin bins[BINS];
    int bin_count;
} report;

/* ---- values ---- */

static void put_float(insp_out *out, double number, bool single)
{
    char text[INSP_NUMBER_SIZE];
    if (isfinite(number)) {
        insp_format_float(text, number, single);
        insp_put(out, text);
    } else {
        insp_put(out, number > 0 ? "inf" : "-inf");
    }
}

/* Writes a word, in JSON as a string. */
static void put_word(insp_out *out, const char *text, size_t length, bool is_json)
{
    (is_json ? insp_put_json_string : insp_put_escaped)(out, text, length);
}

static void put_reference(const report *r, uint64_t id, bool is_json)
{
    const insp_name *name = insp_file_name(r->file, id);
    insp_out *out = &r->run->out;
    if (!id)
        insp_put(out, "null");
    else if (name)
        put_word(out, name->name.data, name->name.length, is_json);
    else
        insp_putf(out, is_json ? "\"%016" PRIx64 "\"" : "%016" PRIx64, id);
}

/* The member of an enum or union with these bits; NULL if there is none. */
static const kiln_member *find_choice(const kiln_type *of, uint64_t bits)
{
    uint32_t i;
    for (i = 0; i < of->member_count; i++)
        if (of->members[i].value == bits)
            return &of->members[i];
    return NULL;
}

/* Writes the names of the flags, in JSON as a list, with a number for unknown bits. */
static void put_flags(const report *r, uint64_t bits, bool is_json)
{
    insp_out *out = &r->run->out;
    const kiln_type *of = r->samples.of;
    const char *separator = is_json ? ", " : "|";
    uint32_t i;
    bool is_first = true;
    insp_put(out, is_json ? "[" : "");
    for (i = 0; i < of->member_count; i++) {
        const kiln_member *flag = &of->members[i];
        if (!flag->value || (bits & flag->value) != flag->value)
            continue;
        insp_put(out, is_first ? "" : separator);
        put_word(out, flag->name, strlen(flag->name), is_json);
        bits &= ~flag->value;
        is_first = false;
    }
    if (bits || (is_first && !is_json))
        insp_putf(out, "%s%" PRIu64, is_first ? "" : separator, bits);
    insp_put(out, is_json ? "]" : "");
}

static void put_number(const report *r, const insp_sample *sample, bool is_json)
{
    insp_out *out = &r->run->out;
    const kiln_type *of = r->samples.of;
    double number = insp_sample_number(&r->samples, sample);
    uint64_t bits = insp_sample_bits(&r->samples, sample);
    uint64_t size = number < 0 ? 0 - bits : bits; /* of an integer */
    char text[INSP_NUMBER_SIZE];
    bool is_quoted = is_json && size > INSP_JSON_INTEGER_MAX;
    if (of->kind == KILN_KIND_F32 || of->kind == KILN_KIND_F64) {
        is_quoted = is_json && !isfinite(number);
        insp_put(out, is_quoted ? "\"" : "");
        put_float(out, number, of->kind == KILN_KIND_F32);
    } else {
        insp_put(out, is_quoted ? "\"" : "");
        if (number < 0)
            insp_format_signed(text, (int64_t)bits);
        else
            insp_format_unsigned(text, bits);
        insp_put(out, text);
    }
    insp_put(out, is_quoted ? "\"" : "");
}

/* Writes a sample that is not a string: a number, or the word that it stands for. */
static void put_sample(const report *r, const insp_sample *sample, bool is_json)
{
    insp_out *out = &r->run->out;
    const kiln_type *of = r->samples.of;
    uint64_t bits = insp_sample_bits(&r->samples, sample);
    bool has_names = of->kind == KILN_KIND_ENUM || of->kind == KILN_KIND_UNION;
    const kiln_member *choice = has_names ? find_choice(of, bits) : NULL;
    if (of->kind == KILN_KIND_REF)
        put_reference(r, bits, is_json);
    else if (of->kind == KILN_KIND_BOOL)
        insp_put(out, bits ? "true" : "false");
    else if (of->kind == KILN_KIND_FLAGS)
        put_flags(r, bits, is_json);
    else if (choice)
        put_word(out, choice->name, strlen(choice->name), is_json);
    else
        put_number(r, sample, is_json);
}

static void put_found_text(insp_out *out, const insp_found *found, bool is_json)
{
    uint32_t length = found->length;
    if (is_json) {
        insp_put_json_string(out, found->text, length);
        return;
    }
    insp_put_quoted(out, found->text, length < TEXT_SHOWN ? length : TEXT_SHOWN);
    if (length > TEXT_SHOWN)
        insp_put(out, "...");
}

/* Writes a common value. */
static void put_common(const report *r, size_t i, bool is_json)
{
    if (r->samples.of->kind != KILN_KIND_STRING)
        put_sample(r, &r->common[i].sample, is_json);
    else if (r->found[i].text)
        put_found_text(&r->run->out, &r->found[i], is_json);
    else
        insp_put(&r->run->out, "null");
}

/* Outlier `i`: the smallest ones first, and the largest ones in descending order. */
static const insp_sample *outlier_at(const report *r, size_t i)
{
    return &r->samples.rows[i < r->low ? i : r->samples.count - 1 - (i - r->low)];
}

static size_t shown_outliers(const report *r)
{
    size_t count = r->low + r->high;
    return count < r->most ? count : r->most;
}

/* Reads the values that are printed with their texts or paths. Returns false if memory runs out. */
static bool find_rows(report *r)
{
    size_t outliers = shown_outliers(r), i;
    size_t common = r->samples.of->kind == KILN_KIND_STRING ? r->common_count : 0;
    const insp_sample **wanted = insp_alloc_array(common + outliers, sizeof *wanted);
    if (!wanted)
        return false;
    for (i = 0; i < common; i++)
        wanted[i] = &r->common[i].sample;
    for (i = 0; i < outliers; i++)
        wanted[common + i] = outlier_at(r, i);
    if (insp_samples_find(&r->samples, wanted, common + outliers, &r->found) == KILN_OK) {
        r->found_count = common + outliers;
        r->found_outliers = r->found + common;
    }
    insp_free(wanted);
    return r->found;
}

/* ---- what is computed ---- */

/* Divides the range into equal bins; those of integers begin and end with integers. There are none
 * if the range is infinite, or so small that a tenth of it rounds to 0. */
static void fill_bins(report *r)
{
    const insp_samples *samples = &r->samples;
    bool is_float = samples->of->kind == KILN_KIND_F32 || samples->of->kind == KILN_KIND_F64;
    double from, to, width, unit = is_float ? 0 : 1;
    size_t i;
    int k;
    if (samples->count < 2 || !insp_samples_are_ordered(samples))
        return;
    from = insp_sample_number(samples, &samples->rows[0]);
    to = insp_sample_number(samples, &samples->rows[samples->count - 1]);
    width = (to - from + unit) / BINS;
    if (!is_float)
        width = ceil(width);
    if (!(to > from) || !(width > 0) || !isfinite(width))
        return;
    for (k = 0; k < BINS && from + width * k <= to; k++) {
        double end = from + width * (k + 1) - unit;
        r->bins[k] = (bin){from + width * k, k + 1 < BINS && end < to ? end : to, 0};
    }
    r->bin_count = k;
    for (i = 0; i < samples->count; i++) {
        k = (int)((insp_sample_number(samples, &samples->rows[i]) - from) / width);
        r->bins[k < r->bin_count ? k : r->bin_count - 1].count++;
    }
}

/* ---- text ---- */

static void begin_line(insp_out *out, const char *label)
{
    insp_put_styled(out, INSP_STYLE_NAME, label);
    insp_put_to_column(out, LABEL_WIDTH);
}

/* The sign of NaN, as the mean of both infinities, depends on the processor. */
static void put_rounded(insp_out *out, double number)
{
    if (isnan(number))
        insp_put(out, "NaN");
    else
        insp_putf(out, "%.6g", number);
}

static void print_bins(report *r)
{
    insp_out *out = &r->run->out;
    uint64_t most = 1;
    int i, k;
    for (i = 0; i < r->bin_count; i++)
        most = r->bins[i].count > most ? r->bins[i].count : most;
    for (i = 0; i < r->bin_count; i++) {
        uint64_t length = (r->bins[i].count * BAR_WIDTH + most - 1) / most;
        begin_line(out, i ? "" : "histogram");
        put_rounded(out, r->bins[i].from);
        if (r->bins[i].to > r->bins[i].from) {
            insp_put(out, " .. ");
            put_rounded(out, r->bins[i].to);
        }
        insp_put_to_column(out, LABEL_WIDTH + VALUE_WIDTH);
        insp_put_count(out, r->bins[i].count, 12);
        if (length)
            insp_put(out, "  ");
        for (k = 0; k < (int)length; k++)
            insp_put_char(out, '#');
        insp_put_char(out, '\n');
    }
}

static void print_order(report *r)
{
    const insp_samples *samples = &r->samples;
    insp_out *out = &r->run->out;
    bool are_lengths = insp_samples_are_lengths(samples);
    int i;
    begin_line(out, are_lengths ? "lengths" : "range");
    put_sample(r, &samples->rows[0], false);
    insp_put(out, " .. ");
    put_sample(r, &samples->rows[samples->count - 1], false);
    insp_put(out, ", mean ");
    put_rounded(out, samples->mean);
    if (are_lengths) {
        insp_put(out, ", sum ");
        insp_put_count(out, samples->total, 0);
    }
    insp_put_char(out, '\n');
    if (samples->distinct == 1)
        return;
    begin_line(out, "quantiles");
    for (i = 0; i < SHARES; i++) {
        insp_putf(out, "%s%g %%: ", i ? "   " : "", shares[i] * 100);
        put_sample(r, insp_samples_quantile(samples, shares[i]), false);
    }
    insp_put_char(out, '\n');
    print_bins(r);
}

static void print_common(report *r)
{
    insp_out *out = &r->run->out;
    size_t i;
    for (i = 0; i < r->common_count && !out->error; i++) {
        begin_line(out, i ? "" : "most often");
        put_common(r, i, false);
        insp_put_to_column(out, LABEL_WIDTH + VALUE_WIDTH);
        insp_put_count(out, r->common[i].count, 12);
        insp_putf(out, "  %5.1f %%\n",
                  100.0 * (double)r->common[i].count / (double)r->samples.count);
    }
}

static void print_outliers(report *r)
{
    insp_out *out = &r->run->out;
    size_t i, count = r->low + r->high;
    for (i = 0; i < shown_outliers(r) && !out->error; i++) {
        const insp_found *found = &r->found_outliers[i];
        begin_line(out, i ? "" : "outliers");
        insp_put_bytes(out, found->path.text, found->path.length);
        insp_put(out, ": ");
        put_sample(r, outlier_at(r, i), false);
        insp_put_char(out, '\n');
    }
    if (i < count) {
        begin_line(out, "");
        insp_putf(out, "and %zu more\n", count - i);
    }
}

static void print_text(report *r)
{
    const insp_samples *samples = &r->samples;
    insp_out *out = &r->run->out;
    char expression[512];
    begin_line(out, "field");
    insp_put_escaped(out, r->type->name, strlen(r->type->name));
    insp_put_char(out, '.');
    insp_put_escaped(out, r->member->name, strlen(r->member->name));
    kiln_type_expression(r->file->types, r->member->type, expression, sizeof expression);
    insp_put(out, ": ");
    insp_put_escaped(out, expression, strlen(expression));
    insp_put_char(out, '\n');
    begin_line(out, "values");
    insp_put_count(out, samples->count, 0);
    insp_put(out, " in ");
    insp_put_count(out, samples->assets, 0);
    insp_put(out, samples->assets == 1 ? " asset, " : " assets, ");
    insp_put_count(out, samples->distinct, 0);
    insp_put(out, " distinct");
    if (samples->absent) {
        insp_put(out, ", ");
        insp_put_count(out, samples->absent, 0);
        insp_put(out, " absent");
    }
    if (samples->nans) {
        insp_put(out, ", ");
        insp_put_count(out, samples->nans, 0);
        insp_put(out, " NaN");
    }
    insp_put_char(out, '\n');
    if (samples->count && insp_samples_are_ordered(samples))
        print_order(r);
    print_common(r);
    print_outliers(r);
}

/* ---- JSON ---- */

static void print_json_order(const report *r)
{
    const insp_samples *samples = &r->samples;
    insp_out *out = &r->run->out;
    int i;
    insp_put(out, ",\n     \"min\": ");
    put_sample(r, &samples->rows[0], true);
    insp_put(out, ", \"max\": ");
    put_sample(r, &samples->rows[samples->count - 1], true);
    insp_put(out, ", \"quantiles\": {");
    for (i = 0; i < SHARES; i++) {
        insp_putf(out, "%s\"%g\": ", i ? ", " : "", shares[i]);
        put_sample(r, insp_samples_quantile(samples, shares[i]), true);
    }
    insp_put(out, "}");
    if (isfinite(samples->mean)) {
        insp_put(out, ", \"mean\": ");
        put_float(out, samples->mean, false);
    }
    if (insp_samples_are_lengths(samples))
        insp_putf(out, ", \"sum\": %" PRIu64, samples->total);
    insp_put(out, ",\n     \"histogram\": [");
    for (i = 0; i < r->bin_count; i++) {
        insp_put(out, i ? ", {\"from\": " : "{\"from\": ");
        put_float(out, r->bins[i].from, false);
        insp_put(out, ", \"to\": ");
        put_float(out, r->bins[i].to, false);
        insp_putf(out, ", \"values\": %" PRIu64 "}", r->bins[i].count);
    }
    insp_put(out, "]");
}

static void print_json_common(const report *r)
{
    insp_out *out = &r->run->out;
    size_t i;
    insp_put(out, ",\n     \"common\": [");
    for (i = 0; i < r->common_count && !out->error; i++) {
        insp_put(out, i ? ", {\"value\": " : "{\"value\": ");
        put_common(r, i, true);
        insp_putf(out, ", \"values\": %" PRIu64 "}", r->common[i].count);
    }
    insp_put(out, "]");
}

static void print_json_outliers(const report *r)
{
    insp_out *out = &r->run->out;
    size_t i, count = r->low + r->high;
    insp_putf(out, ",\n     \"outlier_count\": %zu, \"outliers\": [", count);
    for (i = 0; i < shown_outliers(r) && !out->error; i++) {
        const insp_found *found = &r->found_outliers[i];
        insp_put(out, i ? ", {\"path\": " : "{\"path\": ");
        insp_put_json_string(out, found->path.text, found->path.length);
        insp_put(out, ", \"value\": ");
        put_sample(r, outlier_at(r, i), true);
        insp_put(out, "}");
    }
    insp_put(out, "]}");
}

static void print_json(report *r)
{
    const insp_samples *samples = &r->samples;
    insp_out *out = &r->run->out;
    char expression[512];
    kiln_type_expression(r->file->types, r->member->type, expression, sizeof expression);
    insp_put(out, "\n    {\"type\": ");
    insp_put_json_string(out, r->type->name, strlen(r->type->name));
    insp_put(out, ", \"field\": ");
    insp_put_json_string(out, r->member->name, strlen(r->member->name));
    insp_put(out, ", \"expression\": ");
    insp_put_json_string(out, expression, strlen(expression));
    insp_putf(out,
              ",\n     \"values\": %zu, \"assets\": %" PRIu64 ", \"distinct\": %" PRIu64
              ", \"absent\": %" PRIu64 ", \"nans\": %" PRIu64,
              samples->count, samples->assets, samples->distinct, samples->absent, samples->nans);
    if (samples->count && insp_samples_are_ordered(samples))
        print_json_order(r);
    print_json_common(r);
    print_json_outliers(r);
}

/* ---- the command ---- */

static size_t most_rows(const insp_run *run)
{
    return run->options.has_top ? (size_t)run->options.top
           : run->options.all   ? SIZE_MAX
                                : TOP_DEFAULT;
}

/* Prints the statistics of one field. `shown` is the number of fields before it. */
static int report_field(insp_run *run, const insp_file *file, uint32_t type, uint32_t field,
                        uint32_t shown)
{
    report r = {.run = run, .file = file, .most = most_rows(run)};
    kiln_status status;
    bool is_done;
    r.type = kiln_types_get(file->types, type);
    r.member = &r.type->members[field];
    status = insp_samples_init(&r.samples, file, type, field, insp_steps_of(file));
    if (!status) {
        /* Words of entities and data mean something only in their scene. */
        bool is_word =
            r.samples.of->kind == KILN_KIND_ENTITY || r.samples.of->kind == KILN_KIND_DATA;
        status = insp_samples_common(&r.samples, is_word ? 0 : r.most, &r.common, &r.common_count);
    }
    if (!status) {
        insp_samples_outliers(&r.samples, &r.low, &r.high);
        fill_bins(&r);
        status = find_rows(&r) ? KILN_OK : KILN_NO_MEMORY;
    }
    if (!status) {
        if (shown)
            insp_put(&run->out, insp_wants_json(run) ? "," : "\n");
        (insp_wants_json(run) ? print_json : print_text)(&r);
    }
    if (!status && r.samples.stopped)
        insp_complain(run, file->path,
                      "%.200s.%.200s: shared values repeat too often; stopped after %zu",
                      r.type->name, r.member->name, r.samples.count);
    if (!status && r.samples.broken)
        insp_complain(run, file->path, "%.200s.%.200s: %" PRIu32 " values cannot be read",
                      r.type->name, r.member->name, r.samples.broken);
    insp_found_free(r.found, r.found_count);
    insp_free(r.common);
    is_done = !r.samples.stopped && !r.samples.broken;
    insp_samples_fini(&r.samples);
    return status ? insp_no_memory(run) : is_done ? INSP_OK : INSP_BAD;
}

/* Reports a field that no struct with this name has. */
static int complain_field(insp_run *run, const insp_file *file, const char *type, const char *field)
{
    uint32_t i, k, count = kiln_types_count(file->types);
    insp_similar similar;
    insp_similar_init(&similar, field, strlen(field));
    for (i = 0; i < count; i++) {
        const kiln_type *of = kiln_types_get(file->types, i);
        for (k = 0; insp_type_matches(type, of) && k < of->member_count; k++)
            insp_similar_offer(&similar, of->members[k].name, strlen(of->members[k].name));
    }
    if (similar.best)
        insp_complain(run, file->path, "no such field: %.200s.%.200s; did you mean %.*s?", type,
                      field, (int)similar.best_length, similar.best);
    else
        insp_complain(run, file->path, "no such field: %.200s.%.200s", type, field);
    return INSP_BAD;
}

/* Reports an argument that does not name the fields of a type. */
static int complain_type(insp_run *run, const insp_file *file, const char *argument,
                         const char *type)
{
    uint32_t i, count = kiln_types_count(file->types);
    for (i = 0; i < count; i++) {
        const kiln_type *of = kiln_types_get(file->types, i);
        if (of->kind == KILN_KIND_STRUCT && insp_type_matches(argument, of)) {
            insp_complain(run, file->path, "%.300s is a type, not a field; did you mean %.300s.*?",
                          argument, argument);
            return INSP_BAD;
        }
    }
    if (type)
        return insp_no_such_struct(run, file, type);
    insp_complain(run, file->path, "%.300s is not a field; write TYPE.FIELD", argument);
    return INSP_BAD;
}

/* Prints the statistics of the fields that `argument`, which is TYPE.FIELD, names. */
static int report_argument(insp_run *run, const insp_file *file, const char *argument,
                           uint32_t *shown)
{
    uint32_t i, k, count = kiln_types_count(file->types), before = *shown;
    const char *dot = strrchr(argument, '.');
    bool is_type = false;
    int result = INSP_OK;
    size_t length = dot ? (size_t)(dot - argument) : 0;
    char type[KILN_NAME_MAX + 1];
    if (!dot || length > KILN_NAME_MAX)
        return complain_type(run, file, argument, NULL);
    memcpy(type, argument, length);
    type[length] = '\0';
    for (i = 0; i < count; i++) {
        const kiln_type *of = kiln_types_get(file->types, i);
        /* Wildcards do not mean the types of scenes. */
        if (of->kind != KILN_KIND_STRUCT || !insp_type_matches(type, of) ||
            (strncmp(of->name, "kiln.", 5) == 0 && strpbrk(type, "*?") &&
             strncmp(type, "kiln.", 5) != 0))
            continue;
        is_type = true;
        for (k = 0; k < of->member_count && result != INSP_TROUBLE && !run->out.error; k++)
            if (insp_glob(dot + 1, of->members[k].name, strlen(of->members[k].name)))
                result = insp_worse(result, report_field(run, file, i, k, (*shown)++));
    }
    if (!is_type)
        return complain_type(run, file, argument, type);
    return *shown > before ? result : complain_field(run, file, type, dot + 1);
}

static int show_stats(insp_run *run, const insp_file *file)
{
    uint32_t shown = 0;
    int i, result = INSP_OK;
    if (!insp_has_index(run, file, &result))
        return result;
    if (!file->types) {
        insp_complain(run, file->path, "no type table, so values cannot be read");
        return INSP_BAD;
    }
    if (insp_wants_json(run))
        insp_put(&run->out, "{\n  \"format\": 1,\n  \"fields\": [");
    for (i = 1; i < run->options.argument_count && result != INSP_TROUBLE && !run->out.error; i++)
        result = insp_worse(result, report_argument(run, file, run->options.arguments[i], &shown));
    if (insp_wants_json(run))
        insp_put(&run->out, shown ? "\n  ]\n}\n" : "]\n}\n");
    return result;
}

/* The entries of the index are read one after another. */
static bool reads_part(const insp_options *options)
{
    (void)options;
    return true;
}

const insp_command insp_stats_command = {
    .name = "stats",
    .arguments = "FILE TYPE.FIELD...",
    .help = "describe the values of fields in a whole file",
    .min_arguments = 2,
    .max_arguments = -1,
    .formats = "text json ",
    .options = "--top ",
    .reads_part = reads_part,
    .show = show_stats,
};
