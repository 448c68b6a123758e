/* Spells the path of a change. The comparison itself keeps only steps, because most values are
 * equal and need no path. */
#include "insp_change.h"

static void add_step(insp_path *path, const insp_file *file, const insp_change_step *step, int side)
{
    switch (step->kind) {
    case INSP_STEP_FIELD:
        insp_path_add_name(path, step->name, strlen(step->name));
        break;
    case INSP_STEP_NEWTYPE:
        break;
    case INSP_STEP_ELEMENT:
        insp_path_add_number(path, step->number[side]);
        break;
    case INSP_STEP_KEY:
        insp_path_add_key(path, file, &step->key);
        break;
    case INSP_STEP_ENTITY:
        insp_path_add_entity(path, step->text, step->number[side]);
        break;
    case INSP_STEP_COMPONENT:
        insp_path_add_component(path, step->text);
    }
}

void insp_change_path(insp_path *path, const insp_file *file, const insp_change *change, int side,
                      size_t length)
{
    const insp_asset *asset = change->asset[side] ? change->asset[side] : change->asset[!side];
    size_t i;
    insp_path_cut(path, 0);
    insp_path_add_asset(path, asset->name);
    for (i = 0; i < length && i < change->step_count; i++)
        add_step(path, file, &change->steps[i], side);
}
