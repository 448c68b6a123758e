/* A scene as a document that bakes to it: its entities with the values of their components, none of
 * which lies in another and none of which has a base. */
#include "insp_escape.h"
#include "insp_scene_order.h"

#include <inttypes.h>

enum { INDENT = 2, ENTITY_INDENT = 6, COMPONENT_INDENT = 10, NAME_MAX = 255 };

static bool is_sayable(insp_text name, uint32_t most, char refused)
{
    uint32_t i;
    for (i = 0; i < name.length; i++) {
        unsigned char c = (unsigned char)name.data[i];
        if (c < 0x20 || c == 0x7f || c == '#' || c == (unsigned char)refused)
            return false;
    }
    return name.length > 0 && name.length <= most && insp_utf8_is_valid(name.data, name.length);
}

bool insp_scene_is_name(insp_text name)
{
    return is_sayable(name, NAME_MAX, '/');
}

bool insp_scene_is_way(insp_text name)
{
    return is_sayable(name, KILN_SCENE_TEXT_MAX, '#');
}

/* A scene that is being written. */
typedef struct writing {
    const insp_scene *scene;
    insp_scene_order order;
    uint32_t unnamed; /* entities whose names cannot be written */
    uint32_t untyped; /* values of components that cannot */
} writing;

/* Behind the dash of the entity, or on a line of its own. */
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
    if (!insp_scene_is_way(name)) {
        w->unnamed++;
        return;
    }
    put_key(p, insp_scene_is_name(name) ? "name: " : "way: ", is_first);
    insp_put_yaml_string(p->out, name.data, name.length);
    insp_put_char(p->out, '\n');
}

static void put_component(insp_printer *p, writing *w, const insp_located *at, uint32_t column)
{
    const kiln_scene_component *component = insp_scene_component_of(at, column);
    const insp_words words = {w->scene, component, &w->order};
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
    if (!insp_scene_row_of(at, column)) {
        insp_put(p->out, " {}\n");
    } else if (insp_scene_value_of(at, column, &value)) {
        insp_walk(p, &value);
    } else {
        insp_put(p->out, " null # its type is not in the file\n");
        w->untyped++;
    }
    p->words = NULL;
}

static void put_entity(insp_printer *p, writing *w, uint32_t entity)
{
    insp_located at = insp_scene_locate(w->scene, entity);
    bool is_first = true;
    uint32_t i;
    insp_put_spaces(p->out, ENTITY_INDENT);
    insp_put(p->out, "- ");
    put_name(p, w, entity, &is_first);
    if (at.of->component_count)
        put_key(p, "components:\n", &is_first);
    for (i = 0; i < at.of->component_count && insp_spend(p, 1); i++)
        put_component(p, w, &at, i);
    if (is_first)
        insp_put(p->out, "{}\n");
}

/* What keeps the document from baking to the scene. */
static int tell(insp_run *run, const writing *w)
{
    const char *path = w->scene->file->path;
    insp_text name = insp_name_to_tell(w->scene->parts[INSP_SCENE_ROOT].asset->name);
    int cut = (int)name.length;
    if (w->unnamed)
        insp_complain(run, path, "%.*s: names of %" PRIu32 " entities cannot be written", cut,
                      name.data, w->unnamed);
    if (w->untyped)
        insp_complain(run, path,
                      "%.*s: %" PRIu32 " values of components whose types are not in the file "
                      "cannot be written",
                      cut, name.data, w->untyped);
    if (!w->order.is_exact)
        insp_complain(run, path,
                      "%.*s: its data has an order that no document gives, so it bakes to other "
                      "bytes",
                      cut, name.data);
    return w->unnamed || w->untyped ? INSP_BAD : INSP_OK;
}

int insp_scene_yaml(insp_run *run, insp_printer *p, const insp_scene *scene)
{
    writing w = {.scene = scene};
    uint32_t count = scene->view.entities, i;
    int result = INSP_OK;
    /* Tags take no bytes, so that there may be far more entities than the file has. */
    if (!insp_spend(p, count))
        return INSP_OK;
    if (insp_scene_order_init(&w.order, scene) != KILN_OK) {
        insp_scene_order_fini(&w.order);
        return insp_no_memory(run);
    }
    insp_put(p->out, count ? "\n    entities:\n" : " {entities: []}\n");
    for (i = 0; i < count && insp_spend(p, 1); i++)
        put_entity(p, &w, w.order.entities ? w.order.entities[i] : i);
    if (!p->stopped)
        result = tell(run, &w);
    insp_scene_order_fini(&w.order);
    return result;
}
