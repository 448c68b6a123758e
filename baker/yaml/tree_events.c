/* libyaml's marks count characters of its input, but a tree stores byte offsets into the source.
 * `position` converts between them: it stores the last mark and steps from there, forwards or
 * backwards. */
#include "tree_events.h"

#include "tree_directive.h"
#include "tree_problem.h"
#include "utf8.h"

/* Events arrive in source order, so all steps together are linear in the size of the source. */
typedef struct position {
    const char *text;
    size_t size;
    size_t index;            /* of a character that libyaml read ... */
    size_t offset;           /* ... and of its first byte in the source */
    const bake_edits *edits; /* applied to libyaml's input; NULL: none */
    size_t next_edit;        /* the first edit not before `index` */
    size_t inserted;         /* characters per insertion */
} position;

static bool is_inside_character(const position *p, size_t offset)
{
    return offset < p->size && utf8_is_inside(p->text[offset]);
}

/* Steps over an insertion at the current offset. Returns false if `index` is inside it. */
static bool pass_insertion(position *p, size_t index)
{
    const bake_edit *edit =
        p->edits && p->next_edit < p->edits->count ? &p->edits->items[p->next_edit] : NULL;
    if (!edit || edit->place != p->offset)
        return true;
    size_t width = edit->is_blank ? 0 : p->inserted;
    if (index - p->index < width)
        return false;
    p->index += width;
    p->next_edit++;
    return true;
}

/* Steps back over an insertion at the current offset. Returns false if no further step back is
 * needed. */
static bool pass_insertion_back(position *p, size_t index)
{
    const bake_edit *edit =
        p->edits && p->next_edit > 0 ? &p->edits->items[p->next_edit - 1] : NULL;
    if (!edit || edit->place != p->offset)
        return true;
    p->index -= edit->is_blank ? 0 : p->inserted;
    p->next_edit--;
    return p->index > index;
}

/* The source offset of a mark. A mark inside an insertion gets the offset of the insertion. */
static uint32_t place_of(position *p, yaml_mark_t mark)
{
    while (p->index < mark.index && p->offset < p->size && pass_insertion(p, mark.index)) {
        if (p->index == mark.index)
            break;
        p->offset++;
        p->index += !is_inside_character(p, p->offset);
    }
    while (p->index > mark.index && pass_insertion_back(p, mark.index)) {
        p->offset--;
        p->index -= !is_inside_character(p, p->offset);
    }
    return (uint32_t)p->offset;
}

static bake_properties properties_of(uint32_t place, const yaml_char_t *anchor,
                                     const yaml_char_t *tag)
{
    bake_properties properties = {.place = place};
    properties.anchor = (const char *)anchor;
    properties.anchor_length = anchor ? strlen(properties.anchor) : 0;
    properties.tag = (const char *)tag;
    properties.tag_length = tag ? strlen(properties.tag) : 0;
    return properties;
}

/* Whether the source contains the scalar's bytes unchanged directly before the end of the event, or
 * before its closing quote if `quote` is 1. If so, the scalar need not be copied. */
static bool is_verbatim(const bake_builder *b, const bake_scalar *scalar, uint32_t begin,
                        size_t quote)
{
    return scalar->end - begin >= scalar->length + 2 * quote &&
           memcmp(b->tree->source_text + scalar->end - quote - scalar->length, scalar->text,
                  scalar->length) == 0;
}

static bake_build on_scalar(bake_builder *b, position *p, const yaml_event_t *event)
{
    uint32_t begin = place_of(p, event->start_mark);
    bake_properties properties =
        properties_of(begin, event->data.scalar.anchor, event->data.scalar.tag);
    bool plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
    bool quoted = event->data.scalar.style == YAML_SINGLE_QUOTED_SCALAR_STYLE ||
                  event->data.scalar.style == YAML_DOUBLE_QUOTED_SCALAR_STYLE;
    bake_scalar scalar = {.text = (const char *)event->data.scalar.value,
                          .length = event->data.scalar.length,
                          .end = place_of(p, event->end_mark)};
    scalar.form = plain ? BAKE_FORM_FOLDED : BAKE_FORM_COPIED;
    if ((plain || quoted) && is_verbatim(b, &scalar, begin, quoted)) {
        scalar.form = plain ? BAKE_FORM_PLAIN : BAKE_FORM_QUOTED;
        scalar.place = scalar.end - (uint32_t)scalar.length - (quoted ? 2 : 0);
        /* Without properties, a node stores one offset, which must be that of the scalar itself. */
        if (!properties.anchor && !properties.tag && scalar.place != begin)
            scalar.form = plain ? BAKE_FORM_FOLDED : BAKE_FORM_COPIED;
    }
    return bake_builder_scalar(b, &properties, &scalar);
}

static bake_build on_event(bake_builder *b, position *p, const yaml_event_t *event)
{
    bake_properties properties;
    switch (event->type) {
    case YAML_SCALAR_EVENT:
        return on_scalar(b, p, event);
    case YAML_MAPPING_START_EVENT:
        properties = properties_of(place_of(p, event->start_mark), event->data.mapping_start.anchor,
                                   event->data.mapping_start.tag);
        return bake_builder_open(b, BAKE_NODE_MAPPING, &properties);
    case YAML_SEQUENCE_START_EVENT:
        properties =
            properties_of(place_of(p, event->start_mark), event->data.sequence_start.anchor,
                          event->data.sequence_start.tag);
        return bake_builder_open(b, BAKE_NODE_SEQUENCE, &properties);
    case YAML_MAPPING_END_EVENT:
    case YAML_SEQUENCE_END_EVENT:
        return bake_builder_close(b);
    case YAML_ALIAS_EVENT: {
        const char *name = (const char *)event->data.alias.anchor;
        uint32_t place = place_of(p, event->start_mark);
        return bake_builder_alias(b, name, strlen(name), place, place_of(p, event->end_mark));
    }
    case YAML_DOCUMENT_START_EVENT:
        return bake_builder_document(b);
    case YAML_NO_EVENT:
    case YAML_STREAM_START_EVENT:
    case YAML_STREAM_END_EVENT:
    case YAML_DOCUMENT_END_EVENT:
        break;
    }
    return BAKE_BUILD_OK;
}

/* libyaml's input: the source with the edits applied. */
typedef struct feed {
    const char *text;
    size_t size;
    size_t offset; /* of the source */
    const bake_edits *edits;
    size_t next_edit;
    size_t inserted; /* bytes already passed on from the edit at `offset` */
} feed;

/* Copies up to `size` bytes from the source or from an insertion, or writes blanks. */
static size_t next_bytes(feed *f, unsigned char *buffer, size_t size)
{
    const bake_edits *edits = f->edits;
    const bake_edit *edit = f->next_edit < edits->count ? &edits->items[f->next_edit] : NULL;
    size_t until = edit ? edit->place : f->size, left = until - f->offset;
    if (edit && f->offset >= edit->place) {
        size_t whole = edit->is_blank ? BAKE_STRIPPED_LENGTH
                                      : BAKE_DOCUMENT_END_LENGTH + edits->directives.size;
        size_t at = f->inserted, count = whole - at < size ? whole - at : size;
        for (size_t i = 0; i < count; i++, at++)
            buffer[i] =
                (unsigned char)(edit->is_blank ? ' '
                                : at < BAKE_DOCUMENT_END_LENGTH
                                    ? BAKE_DOCUMENT_END[at]
                                    : edits->directives.text[at - BAKE_DOCUMENT_END_LENGTH]);
        f->inserted = at < whole ? at : 0;
        f->next_edit += at == whole;
        f->offset += at == whole && edit->is_blank ? BAKE_STRIPPED_LENGTH : 0;
        return count;
    }
    size_t count = left < size ? left : size;
    memcpy(buffer, f->text + f->offset, count);
    f->offset += count;
    return count;
}

static int read_feed(void *data, unsigned char *buffer, size_t size, size_t *ret_size)
{
    feed *f = data;
    size_t count = 0;
    for (size_t more = 1; more && count < size; count += more)
        more = next_bytes(f, buffer + count, size - count);
    *ret_size = count;
    return 1;
}

/* The number of inserted bytes before `offset` in libyaml's input. */
static size_t inserted_before(const bake_edits *edits, size_t skipped, size_t offset)
{
    size_t inserted = 0, width = BAKE_DOCUMENT_END_LENGTH + edits->directives.size;
    for (size_t i = 0; i < edits->count; i++) {
        size_t begin = edits->items[i].place - skipped + inserted;
        if (edits->items[i].is_blank || begin > offset)
            continue;
        inserted += offset - begin < width ? offset - begin : width;
    }
    return inserted;
}

/* Converts the positions in libyaml's error to positions in the source. */
static void map_problem(bake_builder *b, position *p, size_t skipped, yaml_parser_t *parser)
{
    yaml_mark_t *marks[] = {&parser->problem_mark, &parser->context_mark};
    for (size_t i = 0; i < 2; i++) {
        bake_point point = bake_tree_point(b->tree, place_of(p, *marks[i]));
        marks[i]->line = point.line - 1;
        marks[i]->column = point.column - 1;
    }
    parser->problem_offset -= inserted_before(p->edits, skipped, parser->problem_offset);
}

static bake_build read_events(bake_builder *b, const bake_edits *edits)
{
    const char *text = b->tree->source_text;
    size_t size = b->tree->source_size;
    size_t skipped = size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    position p = {.text = text, .size = size, .offset = skipped, .edits = edits};
    feed source = {.text = text, .size = size, .offset = skipped, .edits = edits};
    yaml_parser_t parser;
    if (!yaml_parser_initialize(&parser))
        return BAKE_BUILD_NO_MEMORY;
    yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
    if (edits) {
        p.inserted =
            BAKE_DOCUMENT_END_LENGTH + utf8_count(edits->directives.text, edits->directives.size);
        yaml_parser_set_input(&parser, read_feed, &source);
    } else {
        yaml_parser_set_input_string(&parser, (const unsigned char *)text + skipped,
                                     size - skipped);
    }
    bake_build result = BAKE_BUILD_OK;
    for (bool done = false; !done && result == BAKE_BUILD_OK;) {
        yaml_event_t event;
        if (yaml_parser_parse(&parser, &event)) {
            done = event.type == YAML_STREAM_END_EVENT;
            result = on_event(b, &p, &event);
            yaml_event_delete(&event);
        } else if (parser.error == YAML_MEMORY_ERROR) {
            result = BAKE_BUILD_NO_MEMORY;
        } else {
            if (edits)
                map_problem(b, &p, skipped, &parser);
            bake_report_yaml(b->diagnostics, b->tree->source, text, size, skipped, &parser);
            result = BAKE_BUILD_STOPPED;
        }
    }
    yaml_parser_delete(&parser);
    return result;
}

bake_build bake_read_events(bake_builder *b)
{
    if (b->directives.size == 0)
        return read_events(b, NULL);
    bake_edits edits = {.directives = b->directives};
    bool listed = bake_edits_list(&edits, b->tree->source_text, b->tree->source_size);
    bake_build result = listed ? read_events(b, &edits) : BAKE_BUILD_NO_MEMORY;
    bake_edits_fini(&edits);
    return result;
}
