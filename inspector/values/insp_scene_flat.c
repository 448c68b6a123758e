/* Prints the entities of a scene in the order of their numbers. A component whose type is not in
 * the file is printed as its bytes. */
#include "insp_scene_flat.h"

#include "insp_escape.h"
#include "insp_print.h"
#include "insp_scene_row.h"
#include "insp_scene_word.h"

bool insp_scene_is_whole(const insp_scene *scene)
{
    const insp_scene_part *data = &scene->parts[INSP_SCENE_DATA];
    return scene->has_rows && !scene->view_error.status && scene->file->types &&
           (data->root || !data->id);
}

kiln_status insp_scene_find_parts(const insp_file *file, bool *parts)
{
    insp_scene scene;
    uint32_t i, k;
    for (i = 0; i < file->asset_count; i++) {
        kiln_status status;
        if (!insp_is_scene(file, insp_numbered_asset(file, i)))
            continue;
        status = insp_scene_init(&scene, file, insp_numbered_asset(file, i));
        for (k = INSP_SCENE_ROOT + 1;
             !status && insp_scene_is_whole(&scene) && k < INSP_SCENE_PIECES; k++)
            if (scene.parts[k].asset)
                parts[scene.parts[k].asset->number] = true;
        insp_scene_fini(&scene);
        if (status)
            return status;
    }
    return KILN_OK;
}

static void put_untyped(insp_printer *p, const unsigned char *row, uint32_t size)
{
    insp_put_bytes(p->out, p->path.text, p->path.length);
    insp_put(p->out, "\t\"");
    insp_put_base64(p->out, row, size);
    insp_put(p->out, "\"\n");
}

static void put_line(insp_printer *p)
{
    insp_put_bytes(p->out, p->path.text, p->path.length);
    insp_put(p->out, "\t{}\n");
}

static void put_component(insp_printer *p, const insp_scene_row *at, uint32_t column)
{
    const kiln_scene_component *component = insp_scene_row_component(at, column);
    const insp_words words = {insp_print_row_word, at->scene, component, NULL};
    const unsigned char *row = insp_scene_row_bytes(at, column);
    kiln_value value;
    insp_path_add_component(&p->path, insp_scene_text(&component->name));
    p->stopped = p->stopped || p->path.failed;
    if (p->stopped)
        return;
    p->words = &words;
    p->depth = 1;
    p->level_count = 0;
    if (!row)
        put_line(p);
    else if (insp_scene_row_value(at, column, &value))
        insp_print(p, &value);
    else if (insp_spend(p, component->size / INSP_TEXT_UNIT))
        put_untyped(p, row, component->size);
    p->words = NULL;
}

void insp_scene_flat(insp_printer *p, const insp_scene *scene)
{
    size_t length = p->path.length, entity_length;
    uint32_t i, k;
    for (i = 0; i < scene->view.entities && insp_spend(p, 1); i++) {
        insp_scene_row at = insp_scene_locate(scene, i);
        insp_text name = insp_scene_name(scene, i);
        insp_path_cut(&p->path, length);
        if (!insp_spend(p, name.length / INSP_TEXT_UNIT))
            return;
        insp_path_add_entity(&p->path, name, i);
        p->stopped = p->stopped || p->path.failed;
        if (!at.of->component_count && !p->stopped)
            put_line(p);
        entity_length = p->path.length;
        for (k = 0; k < at.of->component_count && insp_spend(p, 1); k++) {
            insp_path_cut(&p->path, entity_length);
            put_component(p, &at, k);
        }
    }
}
