/* Writes a scene as source YAML.
 *
 * The order of entities determines the bytes that the document bakes to, so insp_scene_order.h
 * chooses it. References between entities are names if possible, otherwise `#12`, the position in
 * the document. Parts that cannot be written are counted in `losses`. */
#include "insp_scene_yaml.h"

#include "insp_entity_name.h"
#include "insp_escape.h"
#include "insp_print.h"
#include "insp_scene_order.h"
#include "insp_scene_row.h"
#include "insp_scene_word.h"

enum { INDENT = 2, ENTITY_INDENT = 6, COMPONENT_INDENT = 10 };

/* A scene that is being written. */
typedef struct writing {
    const insp_scene *scene;
    insp_scene_order order;
    insp_scene_losses losses;
} writing;

/* Writes a key after the dash of the entity, or on its own line. */
static void put_key(insp_printer *p, const char *key, bool *is_first)
{
    if (!*is_first)
        insp_put_spaces(p->out, ENTITY_INDENT + INDENT);
    insp_put(p->out, key);
    *is_first = false;
}

static void put_name(insp_printer *p, writing *w, uint32_t entity, bool *is_first)
{
    insp_text name = insp_scene_name(w->scene, entity);
    if (!name.length)
        return;
    if (!insp_entity_name_is_path(name)) {
        w->losses.unnamed++;
        return;
    }
    put_key(p, insp_entity_name_is_plain(name) ? "name: " : "path: ", is_first);
    insp_put_yaml_string(p->out, name.data, name.length);
    insp_put_char(p->out, '\n');
}

static void put_component(insp_printer *p, writing *w, const insp_scene_row *at, uint32_t column)
{
    const kiln_scene_component *component = insp_scene_row_component(at, column);
    const insp_words words = {insp_print_row_word, w->scene, component, w->order.places};
    kiln_value value;
    insp_put_spaces(p->out, COMPONENT_INDENT);
    insp_put_yaml_string(p->out, kiln_string_get(&component->name), component->name.length);
    insp_put_char(p->out, ':');
    p->words = &words;
    p->depth = 1;
    p->flow = 0;
    p->first = false;
    p->indent = COMPONENT_INDENT;
    p->after = INSP_AFTER_NAME;
    if (!insp_scene_row_bytes(at, column)) {
        insp_put(p->out, " {}\n");
    } else if (insp_scene_row_value(at, column, &value)) {
        insp_print(p, &value);
    } else {
        insp_put(p->out, " null # its type is not in the file\n");
        w->losses.untyped++;
    }
    p->words = NULL;
}

static void put_entity(insp_printer *p, writing *w, uint32_t entity)
{
    insp_scene_row at = insp_scene_locate(w->scene, entity);
    bool is_first = true;
    uint32_t i;
    insp_put_spaces(p->out, ENTITY_INDENT);
    insp_put(p->out, "- ");
    put_name(p, w, entity, &is_first);
    if (at.of->component_count)
        put_key(p, "components:\n", &is_first);
    for (i = 0; i < at.of->component_count && insp_spend(p, 1); i++)
        put_component(p, w, &at, i);
    /* An entity with neither a name nor components still needs a value after the dash. */
    if (is_first)
        insp_put(p->out, "{}\n");
}

kiln_status insp_scene_yaml(insp_printer *p, const insp_scene *scene, insp_scene_losses *ret_losses)
{
    writing w = {.scene = scene};
    uint32_t count = scene->view.entities, i;
    *ret_losses = w.losses; /* none, if the printer stops first */
    /* Components without fields occupy no bytes, so a file can have far more entities than
     * bytes. */
    if (!insp_spend(p, count))
        return KILN_OK;
    if (insp_scene_order_init(&w.order, scene) != KILN_OK) {
        insp_scene_order_fini(&w.order);
        return KILN_NO_MEMORY;
    }
    w.losses.is_reordered = !w.order.is_exact;
    insp_put(p->out, count ? "\n    entities:\n" : " {entities: []}\n");
    for (i = 0; i < count && insp_spend(p, 1); i++)
        put_entity(p, &w, w.order.entities ? w.order.entities[i] : i);
    *ret_losses = w.losses;
    insp_scene_order_fini(&w.order);
    return KILN_OK;
}
