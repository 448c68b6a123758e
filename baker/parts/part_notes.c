#include "part_notes.h"

#include "hash.h"
#include "hash_equal.h"
#include "record_bytes.h"

#include <errno.h>
#include <kiln/limits.h>
#include <kiln/version.h>
#include <string.h>

enum { FOOTER_SIZE = 24 };
static const unsigned char magic[8] = {'K', 'I', 'L', 'N', 'N', 'O', 'T', 'E'};

/* ---- writing ---- */

static void put_mark(record_writer *w, bake_mark mark)
{
    record_put(w, mark.source);
    record_put_place(w, mark);
}

static void put_warning(record_writer *w, const bake_part_warning *warning)
{
    record_put_string(w, warning->rule);
    record_put_string(w, warning->path);
    record_put_string(w, warning->message);
    record_put(w, warning->text != NULL);
    if (warning->text)
        record_put_text(w, warning->text, warning->text_size);
    record_put(w, warning->is_counted);
    record_put(w, warning->place_count);
    for (size_t i = 0; i < warning->place_count; i++)
        put_mark(w, warning->places[i]);
    record_put(w, warning->hint_count);
    for (size_t i = 0; i < warning->hint_count; i++)
        record_put_string(w, warning->hints[i]);
    record_put(w, warning->related_count);
    for (size_t i = 0; i < warning->related_count; i++) {
        record_put_string(w, warning->related[i]);
        put_mark(w, warning->related_places[i]);
    }
}

static void put_body(record_writer *w, const bake_part_notes *notes)
{
    record_put_string(w, kiln_version());
    record_put(w, notes->path_count);
    for (size_t i = 0; i < notes->path_count; i++)
        record_put_string(w, notes->paths[i]);
    record_put(w, notes->line_count);
    for (size_t i = 0; i < notes->line_count; i++) {
        record_put_string(w, notes->lines[i].name);
        put_mark(w, notes->lines[i].mark);
    }
    record_put(w, notes->warning_count);
    for (size_t i = 0; i < notes->warning_count; i++)
        put_warning(w, &notes->warnings[i]);
    record_put(w, notes->hidden);
    record_put(w, notes->frame_count);
    for (size_t i = 0; i < notes->frame_count; i++) {
        record_put(w, notes->frames[i].content.low);
        record_put(w, notes->frames[i].content.high);
        record_put(w, notes->frames[i].size);
    }
}

bool bake_part_notes_write(const bake_part_notes *notes,
                           bool (*write)(void *ctx, const void *data, size_t size), void *ctx)
{
    unsigned char footer[FOOTER_SIZE];
    record_writer w = {0};
    put_body(&w, notes);
    record_store(footer, w.size);
    record_store(footer + 8, w.failed ? 0 : kiln_hash64(w.data, w.size, 0));
    memcpy(footer + 16, magic, sizeof magic);
    return record_write(&w, (kiln_span){0}, (kiln_span){footer, sizeof footer}, write, ctx);
}

/* ---- reading ---- */

size_t bake_part_notes_find(const void *data, size_t size, const unsigned char **ret_body,
                            size_t *ret_body_size)
{
    const unsigned char *bytes = data;
    *ret_body = NULL;
    *ret_body_size = 0;
    if (size < FOOTER_SIZE || memcmp(bytes + size - sizeof magic, magic, sizeof magic) != 0)
        return size;
    record_reader footer = {.next = bytes + size - FOOTER_SIZE, .left = FOOTER_SIZE};
    uint64_t body = record_get(&footer), hash = record_get(&footer);
    if (body > size - FOOTER_SIZE)
        return size;
    const unsigned char *at = bytes + size - FOOTER_SIZE - (size_t)body;
    if (kiln_hash64(at, (size_t)body, 0) != hash)
        return size;
    *ret_body = at;
    *ret_body_size = (size_t)body;
    return (size_t)(at - bytes);
}

static bake_mark get_mark(record_reader *r, size_t path_count)
{
    uint32_t source = (uint32_t)record_get_below(r, path_count);
    bake_mark mark = record_get_place(r);
    mark.source = source;
    return mark;
}

static const bake_mark *get_marks(record_reader *r, size_t path_count, size_t count)
{
    bake_mark *marks = record_get_rows(r, count + 1, sizeof *marks);
    for (size_t i = 0; i < count && marks && !r->failed; i++)
        marks[i] = get_mark(r, path_count);
    return marks;
}

static const char *const *get_strings(record_reader *r, size_t *ret_count)
{
    *ret_count = record_get_count(r);
    const char **texts = record_get_rows(r, *ret_count + 1, sizeof *texts);
    for (size_t i = 0; i < *ret_count && texts && !r->failed; i++)
        texts[i] = record_get_string(r);
    return texts;
}

static void get_related(record_reader *r, size_t path_count, bake_part_warning *warning)
{
    size_t count = record_get_count(r);
    const char **texts = record_get_rows(r, count + 1, sizeof *texts);
    bake_mark *places = record_get_rows(r, count + 1, sizeof *places);
    for (size_t i = 0; i < count && texts && places && !r->failed; i++) {
        texts[i] = record_get_string(r);
        places[i] = get_mark(r, path_count);
    }
    warning->related = texts;
    warning->related_places = places;
    warning->related_count = count;
}

static void get_warning(record_reader *r, size_t path_count, bake_part_warning *warning)
{
    warning->rule = record_get_string(r);
    warning->path = record_get_string(r);
    warning->message = record_get_string(r);
    if (record_get_bool(r))
        warning->text = record_get_text(r, &warning->text_size);
    warning->is_counted = record_get_bool(r);
    warning->place_count = record_get_count(r);
    warning->places = get_marks(r, path_count, warning->place_count);
    warning->hints = get_strings(r, &warning->hint_count);
    get_related(r, path_count, warning);
    r->failed = r->failed || warning->place_count == 0;
}

static bool is_frame_size(uint32_t size)
{
    return size >= KILN_PAYLOAD_FRAME_MIN && (size & (size - 1)) == 0;
}

static void get_frames(record_reader *r, bake_part_notes *notes)
{
    notes->frame_count = record_get_count(r);
    bake_part_frames *frames = record_get_rows(r, notes->frame_count + 1, sizeof *frames);
    for (size_t i = 0; i < notes->frame_count && frames && !r->failed; i++) {
        frames[i].content.low = record_get(r);
        frames[i].content.high = record_get(r);
        frames[i].size = (uint32_t)record_get_below(r, KILN_PAYLOAD_FRAME_MAX + 1);
        bool is_sorted = i == 0 || bake_hash_compare(frames[i - 1].content, frames[i].content) < 0;
        r->failed = r->failed || !is_frame_size(frames[i].size) || !is_sorted;
    }
    notes->frames = frames;
}

static void get_body(record_reader *r, bake_part_notes *notes)
{
    r->failed = strcmp(record_get_string(r), kiln_version()) != 0 || r->failed;
    notes->paths = get_strings(r, &notes->path_count);
    notes->line_count = record_get_count(r);
    bake_part_line *lines = record_get_rows(r, notes->line_count + 1, sizeof *lines);
    for (size_t i = 0; i < notes->line_count && lines && !r->failed; i++) {
        lines[i].name = record_get_string(r);
        lines[i].mark = get_mark(r, notes->path_count);
    }
    notes->lines = lines;
    notes->warning_count = record_get_count(r);
    bake_part_warning *warnings = record_get_rows(r, notes->warning_count + 1, sizeof *warnings);
    for (size_t i = 0; i < notes->warning_count && warnings && !r->failed; i++)
        get_warning(r, notes->path_count, &warnings[i]);
    notes->warnings = warnings;
    notes->hidden = record_get(r);
    get_frames(r, notes);
    r->failed = r->failed || r->left != 0;
}

bool bake_part_notes_read(const unsigned char *body, size_t size, bake_store *store,
                          bake_part_notes *ret_notes)
{
    record_reader r = {.next = body, .left = size, .store = store};
    bake_part_notes notes = {.paths = NULL};
    get_body(&r, &notes);
    errno = store->failed ? ENOMEM : EINVAL;
    if (r.failed || store->failed)
        return false;
    *ret_notes = notes;
    return true;
}

uint32_t bake_part_notes_frames(const bake_part_notes *notes, kiln_hash128 content)
{
    size_t first = 0, end = notes->frame_count;
    while (first < end) {
        size_t middle = first + (end - first) / 2;
        int order = bake_hash_compare(notes->frames[middle].content, content);
        if (order == 0)
            return notes->frames[middle].size;
        if (order < 0)
            first = middle + 1;
        else
            end = middle;
    }
    return 0;
}
