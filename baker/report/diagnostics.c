/* Collects reports in any order, and keeps the first `max_errors` of each severity by location.
 *
 * Once there are twice as many reports as the limit, they are sorted, and the later half is
 * dropped. From then on, reports at or after the last remaining location are only counted. So a run
 * with millions of mistakes uses little memory, and a report costs O(log limit) on average. */
#include "diagnostics_store.h"

#include "bake_memory.h"
#include "similar.h"
#include "utf8.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_MAX_ERRORS 100
#define HINTS_MAX 1000
/* Messages are shortened, because a name or value that they quote may be as long as a file. */
#define TEXT_MAX ((size_t)1000)

bake_diagnostics *bake_diagnostics_create(void)
{
    bake_diagnostics *diagnostics = bake_alloc_array(1, sizeof *diagnostics);
    if (diagnostics)
        diagnostics->max_errors = DEFAULT_MAX_ERRORS;
    return diagnostics;
}

static void report_fini(bake_diagnostic *r)
{
    bake_free(r->rule);
    bake_free(r->path);
    bake_free(r->message);
    bake_free(r->hints);
    for (size_t i = 0; i < r->related_count; i++)
        bake_free(r->related[i].message);
    bake_free(r->related);
    bake_free(r->places);
}

/* The caller owns the source texts; the diagnostics own names, notes and reports. */
void bake_diagnostics_destroy(bake_diagnostics *diagnostics)
{
    if (!diagnostics)
        return;
    for (size_t i = 0; i < diagnostics->source_count; i++) {
        bake_free(diagnostics->sources[i].name);
        bake_free(diagnostics->sources[i].note);
    }
    for (size_t i = 0; i < diagnostics->report_count; i++)
        report_fini(&diagnostics->reports[i]);
    bake_free(diagnostics->sources);
    bake_free(diagnostics->reports);
    bake_free(diagnostics);
}

uint32_t bake_diagnostics_add_source(bake_diagnostics *diagnostics, const char *name,
                                     const char *text, size_t size)
{
    bake_source *sources = bake_grow(diagnostics->sources, &diagnostics->source_capacity,
                                     diagnostics->source_count + 1, sizeof *sources);
    if (sources)
        diagnostics->sources = sources;
    char *copy = sources ? bake_copy_text(name, strlen(name)) : NULL;
    if (!copy) {
        bake_report_no_memory(diagnostics);
        return UINT32_MAX;
    }
    bake_source added = {copy, NULL, text, text ? size : 0};
    sources[diagnostics->source_count] = added;
    return (uint32_t)diagnostics->source_count++;
}

void bake_diagnostics_set_note(bake_diagnostics *diagnostics, uint32_t source, const char *note)
{
    char *copy = source < diagnostics->source_count ? bake_copy_text(note, strlen(note)) : NULL;
    if (!copy) {
        bake_report_no_memory(diagnostics);
        return;
    }
    bake_free(diagnostics->sources[source].note);
    diagnostics->sources[source].note = copy;
}

const char *bake_diagnostics_source_name(const bake_diagnostics *diagnostics, uint32_t number)
{
    return number < diagnostics->source_count ? diagnostics->sources[number].name : "";
}

/* Shortens a message to about TEXT_MAX bytes. The middle is removed, because the long part is a
 * quoted name or value with words before and after it. */
static size_t cut_middle(char *text, size_t length)
{
    size_t front = utf8_cut(text, length, TEXT_MAX / 3 * 2), back = length - (TEXT_MAX / 3 - 8);
    while (back < length && utf8_is_inside(text[back]))
        back++;
    memcpy(text + front, "...", 3);
    memmove(text + front + 3, text + back, length - back + 1);
    return front + 3 + length - back;
}

/* Formats a message and shortens it to about TEXT_MAX bytes. Returns NULL if memory runs out. The
 * first attempt uses a stack buffer, which fits nearly all messages. */
static char *format_text(const char *format, va_list arguments)
{
    char shortened[TEXT_MAX + 1];
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(shortened, sizeof shortened, format, arguments);
    char *text = NULL;
    if (length >= 0 && (size_t)length <= TEXT_MAX) {
        text = bake_copy_text(shortened, (size_t)length);
    } else if (length >= 0 && (text = bake_alloc((size_t)length + 1)) != NULL) {
        vsnprintf(text, (size_t)length + 1, format, again);
        size_t kept = cut_middle(text, (size_t)length);
        char *smaller = bake_realloc(text, kept + 1);
        text = smaller ? smaller : text;
    }
    va_end(again);
    return text;
}

static char *copy_cut(const char *text)
{
    size_t length = strlen(text);
    return bake_copy_text(text, utf8_cut(text, length, TEXT_MAX));
}

static int compare_marks(bake_mark x, bake_mark y)
{
    if (x.source != y.source)
        return x.source < y.source ? -1 : 1;
    if (x.line != y.line)
        return x.line < y.line ? -1 : 1;
    if (x.column != y.column)
        return x.column < y.column ? -1 : 1;
    return 0;
}

static int compare_reports(const void *a, const void *b)
{
    const bake_diagnostic *x = a;
    const bake_diagnostic *y = b;
    int order = compare_marks(x->mark, y->mark);
    if (order)
        return order;
    return x->arrival < y->arrival ? -1 : x->arrival > y->arrival;
}

/* Whether a neighbour in the sorted list has the same severity, rule and location, and is not
 * itself flagged as a possible duplicate. Only a few neighbours are compared, so that the time
 * stays linear even with many reports at one location. */
static bool has_original(const bake_diagnostics *diagnostics, size_t number)
{
    enum { LOOK_MAX = 64 };
    const bake_diagnostic *r = &diagnostics->reports[number];
    size_t first = number > LOOK_MAX ? number - LOOK_MAX : 0;
    for (size_t i = first; i < diagnostics->report_count && i <= number + LOOK_MAX; i++) {
        const bake_diagnostic *other = &diagnostics->reports[i];
        if (!other->may_be_duplicate && other->severity == r->severity &&
            compare_marks(other->mark, r->mark) == 0 && strcmp(other->rule, r->rule) == 0)
            return true;
    }
    return false;
}

/* Drops duplicates from the sorted reports. */
static void drop_duplicates(bake_diagnostics *diagnostics)
{
    size_t count = 0, repeated = 0;
    for (size_t i = 0; i < diagnostics->report_count; i++) {
        bake_diagnostic *r = &diagnostics->reports[i];
        r->is_duplicate = r->may_be_duplicate && has_original(diagnostics, i);
        repeated += r->is_duplicate;
    }
    for (size_t i = 0; repeated && i < diagnostics->report_count; i++) {
        bake_diagnostic *r = &diagnostics->reports[i];
        if (!r->is_duplicate) {
            diagnostics->reports[count++] = *r;
            continue;
        }
        diagnostics->kept[r->severity]--;
        diagnostics->seen[r->severity]--;
        report_fini(r);
    }
    if (repeated)
        diagnostics->report_count = count;
}

/* Sorts the reports and keeps the first `max_errors` of a severity. */
static void cut_reports(bake_diagnostics *diagnostics, bake_severity severity)
{
    size_t count = 0, kept = 0;
    if (diagnostics->report_count > 1)
        qsort(diagnostics->reports, diagnostics->report_count, sizeof *diagnostics->reports,
              compare_reports);
    drop_duplicates(diagnostics);
    for (size_t i = 0; i < diagnostics->report_count; i++) {
        bake_diagnostic *r = &diagnostics->reports[i];
        if (r->severity == severity && kept == diagnostics->max_errors) {
            report_fini(r);
            continue;
        }
        if (r->severity == severity) {
            kept++;
            diagnostics->cut[severity] = r->mark;
        }
        diagnostics->reports[count++] = *r;
    }
    diagnostics->is_cut[severity] = kept < diagnostics->kept[severity];
    diagnostics->kept[severity] = kept;
    diagnostics->report_count = count;
}

/* Whether a report at `mark` would come after all reports that are printed. */
static bool is_beyond(bake_diagnostics *diagnostics, bake_severity severity, bake_mark mark)
{
    if (diagnostics->max_errors == 0)
        return true;
    if (diagnostics->kept[severity] / 2 >= diagnostics->max_errors)
        cut_reports(diagnostics, severity);
    return diagnostics->is_cut[severity] && compare_marks(mark, diagnostics->cut[severity]) >= 0;
}

bool bake_report_exceeds_limit(bake_diagnostics *diagnostics, bake_severity severity,
                               bake_mark mark)
{
    if (!is_beyond(diagnostics, severity, mark))
        return false;
    diagnostics->seen[severity]++;
    diagnostics->last_is_kept = false;
    return true;
}

/* Appends a report to the array, which takes ownership of its strings. */
static bool keep_report(bake_diagnostics *diagnostics, bake_diagnostic r)
{
    bake_diagnostic *reports = bake_grow(diagnostics->reports, &diagnostics->report_capacity,
                                         diagnostics->report_count + 1, sizeof *reports);
    if (!reports)
        return false;
    diagnostics->reports = reports;
    reports[diagnostics->report_count++] = r;
    diagnostics->kept[r.severity]++;
    diagnostics->last_is_kept = true;
    return true;
}

bool bake_report(bake_diagnostics *diagnostics, bake_severity severity, bake_mark mark,
                 const char *rule, const char *path, const char *format, ...)
{
    diagnostics->last_is_kept = false;
    size_t arrival = diagnostics->seen[severity]++;
    if (is_beyond(diagnostics, severity, mark))
        return false;
    bake_diagnostic r = {.severity = severity, .mark = mark};
    r.arrival = arrival + diagnostics->seen[severity == BAKE_ERROR ? BAKE_WARNING : BAKE_ERROR];
    va_list arguments;
    va_start(arguments, format);
    r.message = format_text(format, arguments);
    va_end(arguments);
    r.rule = bake_copy_text(rule, strlen(rule));
    r.path = path && *path ? copy_cut(path) : NULL;
    bool complete = r.message && r.rule && (r.path || !path || !*path);
    if (!complete || !keep_report(diagnostics, r)) {
        report_fini(&r);
        bake_report_no_memory(diagnostics);
    } else if (mark.line && mark.source < diagnostics->source_count &&
               diagnostics->sources[mark.source].note) {
        bake_hint(diagnostics, "%s", diagnostics->sources[mark.source].note);
    }
    return false;
}

void bake_report_possible_duplicate(bake_diagnostics *diagnostics)
{
    if (diagnostics->last_is_kept)
        diagnostics->reports[diagnostics->report_count - 1].may_be_duplicate = true;
}

/* Hints are NUL-terminated strings in one block, because most reports have at most one. */
static size_t hints_size(const char *hints)
{
    size_t size = 0;
    while (hints && hints[size])
        size += strlen(hints + size) + 1;
    return size;
}

static void add_hint(bake_diagnostics *diagnostics, size_t number, const char *format,
                     va_list arguments)
{
    bake_diagnostic *r = &diagnostics->reports[number];
    char *text = format_text(format, arguments);
    size_t old_size = hints_size(r->hints);
    size_t length = text ? strlen(text) : 0;
    char *hints = text ? bake_realloc(r->hints, old_size + length + 2) : NULL;
    if (hints) {
        memcpy(hints + old_size, text, length + 1);
        hints[old_size + length + 1] = '\0';
        r->hints = hints;
    } else {
        bake_report_no_memory(diagnostics);
    }
    bake_free(text);
}

void bake_hint(bake_diagnostics *diagnostics, const char *format, ...)
{
    va_list arguments;
    if (!diagnostics->last_is_kept)
        return;
    va_start(arguments, format);
    add_hint(diagnostics, diagnostics->report_count - 1, format, arguments);
    va_end(arguments);
}

void bake_diagnostics_hint(bake_diagnostics *diagnostics, size_t i, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    add_hint(diagnostics, i, format, arguments);
    va_end(arguments);
}

bool bake_hints_wanted(const bake_diagnostics *diagnostics)
{
    return diagnostics->last_is_kept && diagnostics->seen[BAKE_ERROR] <= HINTS_MAX;
}

void bake_hint_similar(bake_diagnostics *diagnostics, const char *word, size_t length,
                       const char *const *names, size_t count)
{
    if (!diagnostics->last_is_kept)
        return;
    const char *name = bake_most_similar(word, length, names, count);
    if (name)
        bake_hint(diagnostics, "did you mean \"%s\"?", name);
}

/* Related locations are not sorted; they stay in the order of the calls. */
void bake_related(bake_diagnostics *diagnostics, bake_mark mark, const char *format, ...)
{
    if (!diagnostics->last_is_kept)
        return;
    bake_diagnostic *r = &diagnostics->reports[diagnostics->report_count - 1];
    va_list arguments;
    va_start(arguments, format);
    bake_related_place added = {mark, format_text(format, arguments)};
    va_end(arguments);
    bake_related_place *related =
        bake_grow(r->related, &r->related_capacity, r->related_count + 1, sizeof *related);
    if (related)
        r->related = related;
    if (!related || !added.message) {
        bake_free(added.message);
        bake_report_no_memory(diagnostics);
        return;
    }
    related[r->related_count++] = added;
}

const char *bake_places_text(char out[BAKE_PLACES_SIZE], size_t count)
{
    out[0] = '\0';
    if (count > 1)
        snprintf(out, BAKE_PLACES_SIZE, ", here and in %zu more place%s", count - 1,
                 count == 2 ? "" : "s");
    return out;
}

void bake_report_add_place(bake_diagnostics *diagnostics, bake_mark mark)
{
    if (!diagnostics->last_is_kept)
        return;
    bake_diagnostic *r = &diagnostics->reports[diagnostics->report_count - 1];
    bake_mark *places =
        bake_grow(r->places, &r->place_capacity, r->place_count + 1, sizeof *places);
    if (!places) {
        bake_report_no_memory(diagnostics);
        return;
    }
    r->places = places;
    places[r->place_count++] = mark;
}

uint64_t bake_diagnostics_take_hidden(bake_diagnostics *diagnostics, bake_severity severity)
{
    size_t hidden = diagnostics->seen[severity] - diagnostics->kept[severity];
    diagnostics->seen[severity] -= hidden;
    return hidden;
}

void bake_diagnostics_drop(bake_diagnostics *diagnostics,
                           bool (*drops)(void *ctx, const bake_report_view *view), void *ctx)
{
    size_t count = 0;
    for (size_t i = 0; i < diagnostics->report_count; i++) {
        bake_diagnostic *r = &diagnostics->reports[i];
        const bake_report_view view = {.severity = r->severity, .mark = r->mark, .rule = r->rule};
        if (!drops(ctx, &view)) {
            diagnostics->reports[count++] = *r;
            continue;
        }
        diagnostics->kept[r->severity]--;
        diagnostics->seen[r->severity]--;
        report_fini(r);
    }
    diagnostics->report_count = count;
    diagnostics->last_is_kept = false;
}

size_t bake_diagnostics_count(bake_diagnostics *diagnostics)
{
    bake_diagnostics_sort(diagnostics);
    return diagnostics->report_count;
}

bake_report_view bake_diagnostics_view(const bake_diagnostics *diagnostics, size_t i)
{
    const bake_diagnostic *r = &diagnostics->reports[i];
    bake_line_cursor cursor = {0};
    bake_report_view view = {.severity = r->severity,
                             .mark = r->mark,
                             .rule = r->rule,
                             .path = r->path,
                             .message = r->message,
                             .hints = r->hints,
                             .places = r->places,
                             .place_count = r->place_count,
                             .related_count = r->related_count};
    if (bake_diagnostics_find_line(diagnostics, &cursor, r->mark)) {
        view.line = cursor.text + cursor.offset;
        view.line_size = bake_line_length(&cursor);
    }
    return view;
}

const char *bake_diagnostics_related(const bake_diagnostics *diagnostics, size_t i, size_t number,
                                     bake_mark *ret_mark)
{
    const bake_related_place *place = &diagnostics->reports[i].related[number];
    *ret_mark = place->mark;
    return place->message;
}

void bake_diagnostics_add_hidden(bake_diagnostics *diagnostics, bake_severity severity,
                                 uint64_t count)
{
    diagnostics->seen[severity] += (size_t)count;
}

/* Sets only a flag, because adding a report would need memory. */
bool bake_report_no_memory(bake_diagnostics *diagnostics)
{
    diagnostics->no_memory = true;
    return false;
}

bool bake_diagnostics_no_memory(const bake_diagnostics *diagnostics)
{
    return diagnostics->no_memory;
}

void bake_diagnostics_set_max_errors(bake_diagnostics *diagnostics, size_t max_errors)
{
    diagnostics->max_errors = max_errors;
}

size_t bake_diagnostics_errors(const bake_diagnostics *diagnostics)
{
    size_t errors = diagnostics->seen[BAKE_ERROR];
    return errors == 0 && diagnostics->no_memory ? 1 : errors;
}

size_t bake_diagnostics_warnings(const bake_diagnostics *diagnostics)
{
    return diagnostics->seen[BAKE_WARNING];
}

/* Sorting may move or drop the last report, so no hint can be added after this. */
void bake_diagnostics_sort(bake_diagnostics *diagnostics)
{
    diagnostics->last_is_kept = false;
    cut_reports(diagnostics, BAKE_ERROR);
    cut_reports(diagnostics, BAKE_WARNING);
}

bool bake_diagnostics_find_line(const bake_diagnostics *diagnostics, bake_line_cursor *cursor,
                                bake_mark mark)
{
    if (!mark.line || mark.source >= diagnostics->source_count)
        return false;
    const bake_source *s = &diagnostics->sources[mark.source];
    if (!s->text)
        return false;
    if (cursor->text != s->text || cursor->size != s->size || cursor->line > mark.line)
        *cursor = bake_line_cursor_init(s->text, s->size);
    while (cursor->line < mark.line && bake_line_next(cursor)) {
    }
    return cursor->line == mark.line;
}

uint32_t bake_diagnostics_end_column(const bake_diagnostics *diagnostics, bake_line_cursor *cursor,
                                     bake_mark mark)
{
    if (bake_diagnostics_find_line(diagnostics, cursor, mark))
        return bake_mark_end(cursor, mark);
    return bake_related_end_column(mark);
}

uint32_t bake_related_end_column(bake_mark mark)
{
    bool known = mark.line && mark.length < UINT32_MAX - mark.column;
    return known ? mark.column + mark.length : 0;
}
