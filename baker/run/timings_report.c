/* Times are formatted with integers, so that no locale changes the decimal point. */
#include "timings_report.h"

#include "bake_memory.h"
#include "excerpt.h"
#include "grouped_number.h"
#include "json_writer.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char *const kind_words[BAKE_TIMING_KINDS] = {"step", "phase", "file", "importer",
                                                          "asset"};
static const char *const kind_titles[BAKE_TIMING_KINDS] = {"steps", "phases", "files", "importers",
                                                           "assets"};

/* ---- tables ---- */

/* All spans of one kind and name. */
typedef struct timing_row {
    const char *name;
    uint64_t begin; /* of the first span */
    uint64_t time;  /* of all spans */
} timing_row;

static int compare_names(const void *a, const void *b)
{
    const timing_row *left = a, *right = b;
    int order = strcmp(left->name, right->name);
    return order ? order : (left->begin > right->begin) - (left->begin < right->begin);
}

static int compare_begins(const void *a, const void *b)
{
    const timing_row *left = a, *right = b;
    return (left->begin > right->begin) - (left->begin < right->begin);
}

static int compare_times(const void *a, const void *b)
{
    const timing_row *left = a, *right = b;
    int order = (left->time < right->time) - (left->time > right->time);
    return order ? order : compare_names(a, b);
}

/* Fills `rows` with the spans of a kind, one row for each name, and returns the number of rows. */
static size_t collect(timing_row *rows, const bake_timing *spans, size_t span_count,
                      bake_timing_kind kind)
{
    size_t count = 0, kept = 0;
    for (size_t i = 0; i < span_count; i++)
        if (spans[i].kind == kind)
            rows[count++] =
                (timing_row){spans[i].name, spans[i].begin, spans[i].end - spans[i].begin};
    if (count > 1)
        qsort(rows, count, sizeof *rows, compare_names);
    for (size_t i = 0; i < count; i++)
        if (kept > 0 && strcmp(rows[kept - 1].name, rows[i].name) == 0)
            rows[kept - 1].time += rows[i].time;
        else
            rows[kept++] = rows[i];
    if (kept > 1)
        qsort(rows, kept, sizeof *rows, kind == BAKE_TIMING_PHASE ? compare_begins : compare_times);
    return kept;
}

/* Formats nanoseconds as `1,234.567`. */
static const char *milliseconds(char out[40], uint64_t time)
{
    char whole[32];
    uint64_t rounded = time / 1000 + (time % 1000 >= 500);
    snprintf(out, 40, "%s.%03u", bake_grouped(whole, rounded / 1000), (unsigned)(rounded % 1000));
    return out;
}

/* Formats a share of the total as `12.3`; 0.0 if the total is 0. */
static const char *percent(char out[40], uint64_t time, uint64_t total)
{
    /* Shares of several threads may exceed 100 %, and a long run must not overflow. */
    double tenths = total ? (double)time / (double)total * 1000.0 + 0.5 : 0.0;
    uint64_t rounded = tenths < 1e15 ? (uint64_t)tenths : UINT64_C(1000000000000000);
    snprintf(out, 40, "%" PRIu64 ".%u", rounded / 10, (unsigned)(rounded % 10));
    return out;
}

static void print_table(const timing_row *rows, size_t count, bake_timing_kind kind, uint64_t total,
                        FILE *out)
{
    char time[40], share[40], number[32];
    bool is_phase = kind == BAKE_TIMING_PHASE;
    size_t shown = is_phase || count < BAKE_TIMINGS_SHOWN ? count : BAKE_TIMINGS_SHOWN;
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += rows[i].time;
    if (is_phase)
        fprintf(out, "phases:\n");
    else
        fprintf(out, "%s: %s in %s ms%s\n", kind_titles[kind], bake_grouped(number, count),
                milliseconds(time, sum), shown < count ? ", the slowest first:" : ":");
    for (size_t i = 0; i < shown; i++) {
        fprintf(out, "%14s ms %5s %%  ", milliseconds(time, rows[i].time),
                percent(share, rows[i].time, total));
        bake_print_escaped(out, rows[i].name, strlen(rows[i].name));
        fputc('\n', out);
    }
}

bool bake_timings_print(bake_timings *timings, uint64_t total, FILE *out)
{
    size_t span_count;
    const bake_timing *spans = bake_timings_list(timings, &span_count);
    timing_row *rows = bake_alloc_array(span_count + 1, sizeof *rows);
    if (!rows)
        return false;
    char time[40];
    fprintf(out, "time: %s ms\n", milliseconds(time, total));
    for (int kind = 0; kind < BAKE_TIMING_KINDS; kind++) {
        size_t count = collect(rows, spans, span_count, (bake_timing_kind)kind);
        if (count > 0)
            print_table(rows, count, (bake_timing_kind)kind, total, out);
    }
    bake_free(rows);
    return true;
}

/* ---- the trace ---- */

static void write_microseconds(bake_json *json, const char *key, uint64_t time)
{
    char text[40];
    snprintf(text, sizeof text, "%" PRIu64 ".%03u", time / 1000, (unsigned)(time % 1000));
    bake_json_raw(json, key, text);
}

static void write_event(bake_json *json, const bake_timing *span, const char *kind)
{
    bake_json_break(json);
    bake_json_open(json, NULL, '{');
    bake_json_text(json, "name", span->name);
    bake_json_text(json, "cat", kind);
    bake_json_text(json, "ph", "X");
    write_microseconds(json, "ts", span->begin);
    write_microseconds(json, "dur", span->end - span->begin);
    bake_json_number(json, "pid", 1);
    bake_json_number(json, "tid", span->thread);
    bake_json_close(json, '{');
}

bool bake_timings_write_trace(bake_timings *timings, uint64_t total,
                              bool (*write)(void *ctx, const void *data, size_t size), void *ctx)
{
    bake_json json;
    size_t count;
    const bake_timing *spans = bake_timings_list(timings, &count);
    const bake_timing whole = {.name = "kiln-bake", .end = total, .thread = 1};
    bake_json_init(&json, false, write, ctx);
    bake_json_open(&json, NULL, '[');
    write_event(&json, &whole, "run");
    for (size_t i = 0; i < count; i++)
        write_event(&json, &spans[i], kind_words[spans[i].kind]);
    bake_json_close(&json, '[');
    return bake_json_end_line(&json);
}
