#include "tree_events.h"

#include "tree_problem.h"

/* libyaml counts characters, a tree bytes. Events come in the order of the text, so the way from
 * one to the other is never long. */
typedef struct position {
    const char *text;
    size_t size;
    size_t index;  /* of a character ... */
    size_t offset; /* ... and of its first byte */
} position;

static bool is_inside_character(const position *p, size_t offset)
{
    return offset < p->size && ((unsigned char)p->text[offset] & 0xc0) == 0x80;
}

static uint32_t place_of(position *p, yaml_mark_t mark)
{
    while (p->index < mark.index && p->offset < p->size) {
        p->offset++;
        p->index += !is_inside_character(p, p->offset);
    }
    while (p->index > mark.index) {
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

/* Whether the scalar's text stands in the source as it is: with `quote` bytes before and behind it,
 * at the end of what the event covers. */
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
        /* Without properties a node has one place. */
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

bake_build bake_read_events(bake_builder *b)
{
    const char *text = b->tree->source_text;
    size_t size = b->tree->source_size;
    size_t skipped = size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    position p = {text, size, 0, skipped};
    yaml_parser_t parser;
    if (!yaml_parser_initialize(&parser))
        return BAKE_BUILD_NO_MEMORY;
    yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&parser, (const unsigned char *)text + skipped, size - skipped);
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
            bake_report_yaml(b->diagnostics, b->tree->source, text, size, skipped, &parser);
            result = BAKE_BUILD_STOPPED;
        }
    }
    yaml_parser_delete(&parser);
    return result;
}
