/* Prints one entity with its components, as text or as JSON.
 *
 * If the type of a component is in the file, the component is printed as a value. Otherwise its
 * bytes are printed, followed by the words that the scene describes: references to entities and
 * assets, and values in the scene's data. So even without a type table, the connections between
 * entities are visible. */
#include "insp_scene_entity.h"

#include "insp_escape.h"
#include "insp_print.h"
#include "insp_scene_row.h"
#include "insp_scene_word.h"

#include <inttypes.h>
#include <string.h>

enum { BYTES_SHOWN = 16, INDENT = 2, JSON_INDENT = 8 };

/* ---- text ---- */

static void put_bytes(insp_printer *p, const unsigned char *row, uint32_t size)
{
    uint32_t shown = !p->all && size > BYTES_SHOWN ? BYTES_SHOWN : size, i;
    insp_put_style(p->out, INSP_STYLE_TEXT);
    for (i = 0; i < shown && insp_spend(p, i % INSP_TEXT_UNIT == 0); i++)
        insp_putf(p->out, " %02x", (unsigned)row[i]);
    insp_put_style(p->out, INSP_STYLE_PLAIN);
    insp_putf(p->out, "%s (%" PRIu32 " byte%s)\n", shown < size ? " .." : "", size,
              size == 1 ? "" : "s");
}

static void begin_word(insp_printer *p, uint32_t place, const char *what, uint32_t length)
{
    insp_putf(p->out, "    at %" PRIu32 ": ", place);
    insp_put_style(p->out, INSP_STYLE_TYPE);
    insp_put_escaped(p->out, what, length);
    insp_put_style(p->out, INSP_STYLE_PLAIN);
    p->after = INSP_AFTER_NAME;
    p->indent = 2 * INDENT;
}

/* Ends the line of a word, unless printing the word has already ended it. */
static void end_word(insp_printer *p, kiln_status status, insp_word word,
                     const unsigned char *bytes, const char *null)
{
    uint64_t number;
    memcpy(&number, bytes, sizeof number);
    if (status) {
        p->broken++;
        insp_put(p->out, " = ");
        insp_put_style(p->out, INSP_STYLE_BROKEN);
        insp_putf(p->out, "<%s: %s>\n", insp_rule(status), kiln_status_text(status));
        insp_put_style(p->out, INSP_STYLE_PLAIN);
    } else if (word == INSP_WORD_NULL) {
        insp_putf(p->out, " = %s\n", null);
    } else if (word == INSP_WORD_NUMBER) {
        insp_putf(p->out, " = %" PRIu64 "\n", number);
    }
}

/* Prints bytes, and below them the words that the scene describes. */
static void print_untyped(insp_printer *p, const kiln_scene_component *component,
                          const unsigned char *row)
{
    const uint32_t *entities = insp_scene_list(&component->entity_places);
    const uint32_t *assets = insp_scene_list(&component->asset_places);
    const kiln_scene_field *fields = insp_scene_list(&component->fields);
    insp_word word = INSP_WORD_SHOWN;
    kiln_status status;
    uint32_t i;
    insp_put(p->out, " =");
    put_bytes(p, row, component->size);
    for (i = 0; i < component->entity_places.count && insp_spend(p, 1); i++) {
        begin_word(p, entities[i], "entity", 6);
        status = insp_print_entity(p, row + entities[i]);
        end_word(p, status, INSP_WORD_SHOWN, row + entities[i], "null");
    }
    for (i = 0; i < component->asset_places.count && insp_spend(p, 1); i++) {
        begin_word(p, assets[i], "ref", 3);
        status = insp_print_asset(p, row + assets[i], &word);
        end_word(p, status, word, row + assets[i], "null");
    }
    for (i = 0; i < component->fields.count && insp_spend(p, 1); i++) {
        insp_text name = insp_scene_text(&fields[i].name);
        begin_word(p, fields[i].place, name.data, name.length);
        status = insp_print_data(p, fields[i].place, row + fields[i].place, &word);
        end_word(p, status, word, row + fields[i].place, "empty");
    }
}

static void print_component(insp_printer *p, const insp_scene_row *at, uint32_t column)
{
    const kiln_scene_component *component = insp_scene_row_component(at, column);
    const insp_words words = {insp_print_row_word, at->scene, component, NULL};
    const unsigned char *row = insp_scene_row_bytes(at, column);
    kiln_value value;
    insp_put(p->out, "  ");
    insp_put_style(p->out, INSP_STYLE_TYPE);
    insp_put_escaped(p->out, kiln_string_get(&component->name), component->name.length);
    insp_put_style(p->out, INSP_STYLE_PLAIN);
    /* While `words` is set, 64-bit words are interpreted as words of a row. */
    p->words = &words;
    p->depth = 1;
    p->indent = INDENT;
    p->after = INSP_AFTER_NAME;
    if (!row)
        insp_put_char(p->out, '\n');
    else if (insp_scene_row_value(at, column, &value))
        insp_print(p, &value);
    else
        print_untyped(p, component, row);
    p->words = NULL;
}

void insp_scene_entity_text(insp_printer *p, const insp_scene *scene, uint32_t entity)
{
    insp_scene_row at = insp_scene_locate(scene, entity);
    insp_text name = insp_scene_name(scene, entity);
    uint32_t i;
    insp_put_style(p->out, INSP_STYLE_ASSET);
    insp_putf(p->out, "#%" PRIu32, entity);
    if (name.length) {
        insp_put_char(p->out, ' ');
        insp_put_quoted(p->out, name.data, name.length);
    }
    insp_put_style(p->out, INSP_STYLE_PLAIN);
    insp_putf(p->out, ": archetype %" PRIu32, (uint32_t)(at.of - scene->view.archetypes));
    if (at.of->chunks)
        insp_putf(p->out, ", chunk %" PRIu32 "%s, row %" PRIu32, at.chunk,
                  at.of->row_size && at.chunk >= at.of->whole ? " (trimmed)" : "",
                  at.row % at.of->rows_per_chunk);
    else
        insp_putf(p->out, ", row %" PRIu32, at.row);
    insp_put(p->out, at.of->component_count ? "\n" : ", no components\n");
    for (i = 0; i < at.of->component_count && insp_spend(p, 1); i++)
        print_component(p, &at, i);
}

/* ---- JSON ---- */

static void put_error(insp_printer *p, kiln_status status)
{
    p->broken++;
    insp_putf(p->out, "{\"error\": \"%s\"}", insp_rule(status));
}

static void begin_json_word(insp_printer *p, uint32_t place, const char *kind, bool *is_first)
{
    insp_put(p->out, *is_first ? "" : ", ");
    insp_putf(p->out, "{\"place\": %" PRIu32 ", \"%s\": ", place, kind);
    *is_first = false;
    p->indent = JSON_INDENT + INDENT;
    p->flow = 0;
}

static void end_json_word(insp_printer *p, kiln_status status, insp_word word,
                          const unsigned char *bytes)
{
    uint64_t number;
    memcpy(&number, bytes, sizeof number);
    if (status)
        put_error(p, status);
    else if (word == INSP_WORD_NULL)
        insp_put(p->out, "null");
    else if (word == INSP_WORD_NUMBER)
        insp_putf(p->out, "{\"number\": \"%" PRIu64 "\"}", number);
    insp_put_char(p->out, '}');
}

static void put_json_words(insp_printer *p, const kiln_scene_component *component,
                           const unsigned char *row)
{
    const uint32_t *entities = insp_scene_list(&component->entity_places);
    const uint32_t *assets = insp_scene_list(&component->asset_places);
    const kiln_scene_field *fields = insp_scene_list(&component->fields);
    insp_word word = INSP_WORD_SHOWN;
    bool is_first = true;
    kiln_status status;
    uint32_t i;
    for (i = 0; i < component->entity_places.count && insp_spend(p, 1); i++) {
        begin_json_word(p, entities[i], "entity", &is_first);
        status = insp_print_entity(p, row + entities[i]);
        end_json_word(p, status, INSP_WORD_SHOWN, row + entities[i]);
    }
    for (i = 0; i < component->asset_places.count && insp_spend(p, 1); i++) {
        begin_json_word(p, assets[i], "ref", &is_first);
        status = insp_print_asset(p, row + assets[i], &word);
        end_json_word(p, status, word, row + assets[i]);
    }
    for (i = 0; i < component->fields.count && insp_spend(p, 1); i++) {
        begin_json_word(p, fields[i].place, "data", &is_first);
        status = insp_print_data(p, fields[i].place, row + fields[i].place, &word);
        end_json_word(p, status, word, row + fields[i].place);
    }
}

static void put_json_component(insp_printer *p, const insp_scene_row *at, uint32_t column)
{
    const kiln_scene_component *component = insp_scene_row_component(at, column);
    const insp_words words = {insp_print_row_word, at->scene, component, NULL};
    const unsigned char *row = insp_scene_row_bytes(at, column);
    kiln_value value;
    insp_put(p->out, column ? ",\n        " : "\n        ");
    insp_put_json_string(p->out, kiln_string_get(&component->name), component->name.length);
    insp_put(p->out, ": ");
    p->words = &words;
    p->depth = 1;
    p->indent = JSON_INDENT;
    p->flow = 0;
    if (!row) {
        insp_put(p->out, "{}");
    } else if (insp_scene_row_value(at, column, &value)) {
        insp_print(p, &value);
    } else if (insp_spend(p, component->size / INSP_TEXT_UNIT)) {
        insp_put(p->out, "{\"bytes\": \"");
        insp_put_base64(p->out, row, component->size);
        insp_put(p->out, "\", \"words\": [");
        put_json_words(p, component, row);
        insp_put(p->out, "]}");
    }
    p->words = NULL;
}

void insp_scene_entity_json(insp_printer *p, const insp_scene *scene, uint32_t entity,
                            bool is_first)
{
    insp_scene_row at = insp_scene_locate(scene, entity);
    insp_text name = insp_scene_name(scene, entity);
    uint32_t i;
    insp_putf(p->out, "%s\n    {\"entity\": %" PRIu32 ", \"name\": ", is_first ? "" : ",", entity);
    if (name.length)
        insp_put_json_string(p->out, name.data, name.length);
    else
        insp_put(p->out, "null");
    insp_putf(p->out, ", \"archetype\": %" PRIu32, (uint32_t)(at.of - scene->view.archetypes));
    if (at.of->chunks)
        insp_putf(p->out, ", \"chunk\": %" PRIu32 ", \"row\": %" PRIu32, at.chunk,
                  at.row % at.of->rows_per_chunk);
    else
        insp_putf(p->out, ", \"chunk\": null, \"row\": %" PRIu32, at.row);
    insp_put(p->out, ",\n      \"components\": {");
    for (i = 0; i < at.of->component_count && insp_spend(p, 1); i++)
        put_json_component(p, &at, i);
    if (!p->stopped)
        insp_put(p->out, at.of->component_count ? "\n      }}" : "}}");
}
