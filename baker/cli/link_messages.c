#include "link_messages.h"

#include "bake_table.h"
#include "bake_text.h"
#include "location_set.h"

#include <stdlib.h>
#include <string.h>

/* Lines without a warning take one byte each. After so many of them, further warnings have no
 * excerpts: a forged part can state any line. */
enum { LINES_MAX = 1 << 24 };

/* A source of the parts. */
typedef struct link_source {
    const char *name;
    size_t order; /* number of the input; behind all inputs: in the order of the parts */
    uint32_t id;  /* of the diagnostics */
    char *text;   /* the lines with warnings; all others are empty */
    size_t size, capacity;
    uint32_t line; /* number of the last line in `text`; 0: none */
} link_source;

/* A warning of a part, or of several. */
typedef struct link_warning {
    const bake_part_warning *from;
    const uint32_t *sources; /* by path of the part: number of the source */
    size_t base;             /* length of the message without the number of places */
    bake_mark mark;          /* the first place, with the source of the diagnostics */
    bool is_abstract;        /* the path is in an abstract asset, which a direct bake bakes first */
} link_warning;

typedef struct link_messages {
    bake_run *run;
    const bake_part_names *names;
    link_source *sources;
    size_t source_count, source_capacity;
    hash_table sources_by_name, inputs_by_path, abstracts;
    size_t abstract_most; /* length of the longest name of an abstract asset */
    link_warning *warnings;
    size_t warning_count;
} link_messages;

/* ---- sources ---- */

static bool has_path(const bake_part_names *names, uint32_t number, text_key path)
{
    return strcmp(names->inputs[number].path, path.text) == 0;
}

HASH_TABLE(inputs_by_path, const bake_part_names *, text_key, hash_of_text, has_path)

static bool has_name(const link_source *sources, uint32_t number, text_key name)
{
    return strcmp(sources[number].name, name.text) == 0;
}

HASH_TABLE(sources_by_name, const link_source *, text_key, hash_of_text, has_name)

static bool has_asset(const bake_part_names *names, uint32_t number, text_key name)
{
    return bake_text_is(name.text, name.length, names->names[number].name);
}

HASH_TABLE(abstracts, const bake_part_names *, text_key, hash_of_text, has_asset)

static text_key key_of(const char *text)
{
    return (text_key){text, strlen(text)};
}

/* Returns false if memory runs out. */
static bool list_inputs(link_messages *m)
{
    for (size_t i = 0; i < m->names->input_count; i++) {
        if (!bake_table_reserve_in(&m->inputs_by_path, &m->run->store))
            return false;
        hash_slot *slot =
            inputs_by_path_slot(&m->inputs_by_path, m->names, key_of(m->names->inputs[i].path));
        if (hash_slot_is_empty(slot))
            hash_table_put(&m->inputs_by_path, slot, (uint32_t)i);
    }
    return true;
}

/* Returns false if memory runs out. */
static bool list_abstracts(link_messages *m)
{
    for (size_t i = 0; i < m->names->name_count; i++) {
        const bake_part_name *name = &m->names->names[i];
        if (!name->is_abstract)
            continue;
        if (!bake_table_reserve_in(&m->abstracts, &m->run->store))
            return false;
        hash_slot *slot =
            abstracts_slot(&m->abstracts, m->names, (text_key){name->name, name->length});
        if (hash_slot_is_empty(slot))
            hash_table_put(&m->abstracts, slot, (uint32_t)i);
        if (name->length > m->abstract_most)
            m->abstract_most = name->length;
    }
    return true;
}

static size_t order_of(const link_messages *m, const char *name)
{
    uint32_t input = inputs_by_path_find(&m->inputs_by_path, m->names, key_of(name));
    return input != HASH_TABLE_NONE ? input : m->names->input_count + m->source_count;
}

/* The number of the source, which is added if there is none; UINT32_MAX if memory runs out. */
static uint32_t number_of(link_messages *m, const char *name)
{
    link_source *sources = bake_store_grow(&m->run->store, m->sources, &m->source_capacity,
                                           m->source_count + 1, sizeof *sources);
    if (!sources || !bake_table_reserve_in(&m->sources_by_name, &m->run->store))
        return UINT32_MAX;
    m->sources = sources;
    hash_slot *slot = sources_by_name_slot(&m->sources_by_name, sources, key_of(name));
    if (!hash_slot_is_empty(slot))
        return hash_slot_number(slot);
    hash_table_put(&m->sources_by_name, slot, (uint32_t)m->source_count);
    sources[m->source_count] =
        (link_source){.name = name, .order = order_of(m, name), .id = UINT32_MAX};
    return (uint32_t)m->source_count++;
}

static bool use_source(link_messages *m, const bake_part_notes *notes, uint32_t *sources,
                       bake_mark mark)
{
    if (sources[mark.source] == UINT32_MAX)
        sources[mark.source] = number_of(m, notes->paths[mark.source]);
    return sources[mark.source] != UINT32_MAX;
}

/* Returns the numbers of all sources to which the warnings refer; NULL if memory runs out. */
static const uint32_t *list_sources(link_messages *m, const bake_part_notes *notes)
{
    uint32_t *sources = bake_store_alloc(&m->run->store, notes->path_count + 1, sizeof *sources);
    bool ok = sources != NULL;
    for (size_t i = 0; ok && i < notes->path_count; i++)
        sources[i] = UINT32_MAX;
    for (size_t i = 0; ok && i < notes->warning_count; i++) {
        const bake_part_warning *warning = &notes->warnings[i];
        for (size_t k = 0; ok && k < warning->place_count; k++)
            ok = use_source(m, notes, sources, warning->places[k]);
        for (size_t k = 0; ok && k < warning->related_count; k++)
            ok = use_source(m, notes, sources, warning->related_places[k]);
    }
    return ok ? sources : NULL;
}

static int compare_lines(const void *a, const void *b)
{
    const bake_part_warning *x = ((const link_warning *)a)->from;
    const bake_part_warning *y = ((const link_warning *)b)->from;
    return (x->places[0].line > y->places[0].line) - (x->places[0].line < y->places[0].line);
}

static bool append(link_source *source, const char *text, size_t size)
{
    char *grown = bake_grow(source->text, &source->capacity, source->size + size + 1, 1);
    if (!grown)
        return false;
    source->text = grown;
    memcpy(grown + source->size, text, size);
    source->size += size;
    return true;
}

/* Makes texts of which only the lines with warnings are not empty. Returns false if memory runs
 * out. */
static bool make_texts(link_messages *m)
{
    bool ok = true;
    uint32_t lines_left = LINES_MAX;
    if (m->warning_count > 1)
        qsort(m->warnings, m->warning_count, sizeof *m->warnings, compare_lines);
    for (size_t i = 0; ok && i < m->warning_count; i++) {
        const bake_part_warning *from = m->warnings[i].from;
        link_source *source = &m->sources[m->warnings[i].sources[from->places[0].source]];
        uint32_t line = from->places[0].line;
        if (!from->text || line <= source->line || line - source->line > lines_left)
            continue;
        lines_left -= line - source->line;
        for (source->line += !source->line; ok && source->line < line; source->line++)
            ok = append(source, "\n", 1);
        ok = ok && append(source, from->text, from->text_size);
    }
    return ok;
}

static int compare_orders(const void *a, const void *b)
{
    const link_source *x = *(link_source *const *)a, *y = *(link_source *const *)b;
    return (x->order > y->order) - (x->order < y->order);
}

/* The schema was read, so its files are sources already. */
static uint32_t known_source(const link_messages *m, const char *name)
{
    for (uint32_t id = 0;; id++) {
        const char *known = bake_diagnostics_source_name(m->run->diagnostics, id);
        if (!*known)
            return UINT32_MAX;
        if (strcmp(known, name) == 0)
            return id;
    }
}

/* Adds the sources in the order in which a direct bake reads them. */
static bool register_sources(link_messages *m)
{
    link_source **sorted =
        bake_store_alloc(&m->run->store, m->source_count + 1, sizeof(link_source *));
    if (!sorted)
        return false;
    for (size_t i = 0; i < m->source_count; i++) {
        sorted[i] = &m->sources[i];
        sorted[i]->id = known_source(m, sorted[i]->name);
    }
    if (m->source_count > 1)
        qsort(sorted, m->source_count, sizeof(link_source *), compare_orders);
    for (size_t i = 0; i < m->source_count; i++) {
        link_source *source = sorted[i];
        if (source->id != UINT32_MAX)
            continue;
        /* The text outlives the diagnostics. */
        const char *text =
            source->text ? bake_store_text(&m->run->store, source->text, source->size) : NULL;
        if (source->text && !text)
            return false;
        source->id =
            bake_diagnostics_add_source(m->run->diagnostics, source->name, text, source->size);
    }
    return true;
}

/* ---- warnings ---- */

static int compare_marks(bake_mark a, bake_mark b)
{
    return bake_mark_is_before(a, b) ? -1 : bake_mark_is_before(b, a);
}

/* Equal warnings become neighbours. The first of them is the one that a direct bake finds first. */
static int compare_warnings(const void *a, const void *b)
{
    const link_warning *x = a, *y = b;
    int order = strcmp(x->from->rule, y->from->rule);
    size_t least = x->base < y->base ? x->base : y->base;
    if (!order)
        order = memcmp(x->from->message, y->from->message, least);
    if (!order)
        order = (x->base > y->base) - (x->base < y->base);
    if (!order)
        order = (int)x->from->is_counted - (int)y->from->is_counted;
    if (!order)
        order = compare_marks(x->mark, y->mark);
    if (!order)
        order = (int)y->is_abstract - (int)x->is_abstract;
    return order ? order : strcmp(x->from->path, y->from->path);
}

static bool is_equal(const link_warning *x, const link_warning *y)
{
    return x->base == y->base && x->from->is_counted == y->from->is_counted &&
           strcmp(x->from->rule, y->from->rule) == 0 &&
           memcmp(x->from->message, y->from->message, x->base) == 0 &&
           (x->from->is_counted || compare_marks(x->mark, y->mark) == 0);
}

static bake_mark mark_of(const link_messages *m, const link_warning *warning, bake_mark mark)
{
    mark.source = m->sources[warning->sources[mark.source]].id;
    return mark;
}

/* Counts the different places of `count` equal warnings. Returns 0 if memory runs out. */
static size_t count_places(const link_messages *m, const link_warning *warnings, size_t count)
{
    bake_location_set set = {0};
    bool ok = true, is_new;
    for (size_t i = 0; ok && i < count; i++)
        for (size_t k = 0; ok && k < warnings[i].from->place_count; k++)
            ok = bake_location_set_add(
                &set, 0, mark_of(m, &warnings[i], warnings[i].from->places[k]), &is_new);
    size_t places = ok ? set.count : 0;
    bake_location_set_fini(&set);
    return places;
}

static bool report(link_messages *m, const link_warning *warnings, size_t count)
{
    bake_diagnostics *d = m->run->diagnostics;
    const link_warning *first = warnings;
    const bake_part_warning *from = first->from;
    char more[BAKE_PLACES_SIZE] = "";
    size_t places = from->is_counted ? count_places(m, warnings, count) : 1;
    if (!places)
        return false;
    bake_places_text(more, places);
    bake_report(d, BAKE_WARNING, first->mark, from->rule, from->path, "%.*s%s", (int)first->base,
                from->message, more);
    for (size_t i = 0; i < from->hint_count; i++)
        bake_hint(d, "%s", from->hints[i]);
    for (size_t i = 0; i < from->related_count; i++)
        bake_related(d, mark_of(m, first, from->related_places[i]), "%s", from->related[i]);
    return true;
}

/* Whether the path is in an abstract asset. The path of a value begins with the name of the asset,
 * which may contain dots. */
static bool is_in_abstract(const link_messages *m, const char *path)
{
    for (size_t length = strcspn(path, ".[");; length += 1 + strcspn(path + length + 1, ".[")) {
        if (length > m->abstract_most)
            return false;
        if (abstracts_find(&m->abstracts, m->names, (text_key){path, length}) != HASH_TABLE_NONE)
            return true;
        if (!path[length])
            return false;
    }
}

/* Collects the warnings of a part. */
static bool add_part(link_messages *m, const bake_part_notes *notes)
{
    const uint32_t *sources = list_sources(m, notes);
    for (size_t i = 0; sources && i < notes->warning_count; i++) {
        const bake_part_warning *from = &notes->warnings[i];
        char more[BAKE_PLACES_SIZE];
        size_t length = strlen(from->message);
        size_t end = strlen(bake_places_text(more, from->place_count));
        bool has_end =
            from->is_counted && end < length && strcmp(from->message + length - end, more) == 0;
        m->warnings[m->warning_count++] =
            (link_warning){.from = from,
                           .sources = sources,
                           .base = length - (has_end ? end : 0),
                           .is_abstract = is_in_abstract(m, from->path)};
    }
    return sources != NULL;
}

static bool report_all(link_messages *m)
{
    for (size_t i = 0; i < m->warning_count; i++)
        m->warnings[i].mark = mark_of(m, &m->warnings[i], m->warnings[i].from->places[0]);
    if (m->warning_count > 1)
        qsort(m->warnings, m->warning_count, sizeof *m->warnings, compare_warnings);
    for (size_t i = 0, count; i < m->warning_count; i += count) {
        for (count = 1; i + count < m->warning_count; count++)
            if (!is_equal(&m->warnings[i], &m->warnings[i + count]))
                break;
        if (!report(m, &m->warnings[i], count))
            return false;
    }
    return true;
}

bool bake_link_report(bake_run *run, const bake_part_names *names, const bake_part_notes *notes,
                      size_t count)
{
    link_messages m = {.run = run, .names = names};
    size_t warnings = 0;
    for (size_t i = 0; i < count; i++)
        warnings += notes[i].warning_count;
    m.warnings = bake_store_alloc(&run->store, warnings + 1, sizeof *m.warnings);
    bool ok = m.warnings != NULL && (!warnings || (list_inputs(&m) && list_abstracts(&m)));
    for (size_t i = 0; ok && i < count; i++)
        ok = add_part(&m, &notes[i]);
    ok = ok && make_texts(&m) && register_sources(&m) && report_all(&m);
    for (size_t i = 0; ok && i < count; i++)
        bake_diagnostics_add_hidden(run->diagnostics, BAKE_WARNING, notes[i].hidden);
    for (size_t i = 0; i < m.source_count; i++)
        bake_free(m.sources[i].text);
    return ok;
}
