/* Prints the values of changes as JSON on one line.
 *
 * The form is that of `dump --format json`, except that a reference to an entity is a string, as in
 * the flat format: `diff` matches entities by name, so their numbers do not matter. In text, enums,
 * flags and references are strings, too. The value of an
 * entity is an object with its components, that of a scene an object with its entities. */
#include "insp_diff.h"
#include "insp_escape.h"
#include "insp_flat.h"
#include "insp_format.h"
#include "insp_print.h"
#include "insp_scene_row.h"
#include "insp_scene_word.h"

static void print(insp_printer *p, const kiln_value *value, const insp_words *words)
{
    p->words = words;
    p->depth = 1;
    p->flow = 0;
    insp_print(p, value);
    p->words = NULL;
}

static void put_bytes(insp_printer *p, const unsigned char *data, uint32_t size)
{
    if (!data) {
        insp_put(p->out, "{}");
    } else if (insp_spend(p, size / INSP_TEXT_UNIT)) {
        insp_put_char(p->out, '"');
        insp_put_base64(p->out, data, size);
        insp_put_char(p->out, '"');
    }
}

static void put_components(insp_printer *p, const insp_scene *scene, uint32_t entity)
{
    insp_scene_row at = insp_scene_locate(scene, entity);
    uint32_t i;
    insp_put_char(p->out, '{');
    for (i = 0; i < at.of->component_count && insp_spend(p, 1); i++) {
        const kiln_scene_component *component = insp_scene_row_component(&at, i);
        const insp_words words = {insp_print_row_word, scene, component, NULL};
        kiln_value value;
        insp_put(p->out, i ? ", " : "");
        insp_put_json_string(p->out, kiln_string_get(&component->name), component->name.length);
        insp_put(p->out, ": ");
        if (insp_scene_row_value(&at, i, &value))
            print(p, &value, &words);
        else
            put_bytes(p, insp_scene_row_bytes(&at, i), component->size);
    }
    insp_put_char(p->out, '}');
}

static void put_entities(insp_diff *d, insp_printer *p, const insp_scene *scene)
{
    uint32_t i;
    insp_put_char(p->out, '{');
    for (i = 0; i < scene->view.entities && insp_spend(p, 1); i++) {
        insp_put(p->out, i ? ", " : "");
        insp_path_cut(&d->path, 0);
        insp_path_add_entity(&d->path, insp_scene_name(scene, i), i);
        d->no_memory = d->no_memory || d->path.failed;
        insp_put_json_string(p->out, d->path.length ? d->path.text : "", d->path.length);
        insp_put(p->out, ": ");
        put_components(p, scene, i);
    }
    insp_put_char(p->out, '}');
}

void insp_diff_value(insp_diff *d, insp_out *out, const insp_change *change, int side)
{
    const insp_change_entity *entity = &change->entity[side];
    insp_printer p;
    insp_printer_init(&p, out, d->files[side], &d->value_format);
    p.all = p.one_line = true;
    p.left = d->left;
    if (change->value[side])
        print(&p, change->value[side], change->words[side]);
    else if (change->bytes[side].is_set)
        put_bytes(&p, change->bytes[side].data, change->bytes[side].size);
    else if (!entity->scene)
        insp_put(out, "null");
    else if (entity->number == UINT32_MAX)
        put_entities(d, &p, entity->scene);
    else
        put_components(&p, entity->scene, entity->number);
    d->left = p.left;
    d->no_memory = d->no_memory || p.path.failed;
    insp_printer_fini(&p);
}

void insp_diff_path(insp_diff *d, const insp_change *change, int side)
{
    insp_change_path(&d->path, d->files[side], change, side, change->step_count);
    d->no_memory = d->no_memory || d->path.failed;
}
