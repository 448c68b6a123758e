/* The `forecast` command: predicts the counts of a world after a scene is loaded into it.
 *
 * The numbers are computed from the description of the scene alone, so the chunks and the data need
 * not be in the file. The runtime's tests compare the same function with a real world. */
#include "insp_commands.h"
#include "insp_escape.h"
#include "insp_message.h"
#include "insp_open.h"
#include "insp_scene_each.h"
#include "insp_select.h"

#include <inttypes.h>

enum { NAME_WIDTH = 24, COUNT_WIDTH = 10, BYTES_WIDTH = 14 };

static void print_text(insp_run *run, insp_text name, const kiln_scene_forecast *f, bool is_first)
{
    insp_out *out = &run->out;
    /* Print the heading with the first scene, so that no heading appears if no scene is
     * readable. */
    if (is_first)
        insp_put(out, "scene                      entities    blocks    chunks     megas"
                      "         bytes\n");
    insp_put_style(out, INSP_STYLE_ASSET);
    insp_put_escaped(out, name.data, name.length);
    insp_put_style(out, INSP_STYLE_PLAIN);
    insp_put_to_column(out, NAME_WIDTH + 1);
    insp_put_count(out, f->entities, COUNT_WIDTH);
    insp_put_count(out, f->blocks, COUNT_WIDTH);
    insp_put_count(out, f->chunks, COUNT_WIDTH);
    insp_put_count(out, f->mega_chunks, COUNT_WIDTH);
    insp_put_count(out, f->block_bytes + f->chunk_bytes, BYTES_WIDTH);
    insp_put_char(out, '\n');
}

static void print_json(insp_run *run, insp_text name, const kiln_scene_forecast *f, bool is_first)
{
    insp_out *out = &run->out;
    insp_put(out, is_first ? "\n    {\"name\": " : ",\n    {\"name\": ");
    insp_put_json_string(out, name.data, name.length);
    insp_putf(out, ", \"entities\": %" PRIu32 ", \"blocks\": %" PRIu32 ", \"chunks\": %" PRIu32,
              f->entities, f->blocks, f->chunks);
    insp_putf(out, ", \"mega_chunks\": %" PRIu32 ", \"block_bytes\": %" PRIu64, f->mega_chunks,
              f->block_bytes);
    insp_putf(out, ", \"chunk_bytes\": %" PRIu64 ", \"waste\": %" PRIu64 "}", f->chunk_bytes,
              f->waste);
}

static int forecast_scene(insp_run *run, const insp_scene *scene, void *ctx)
{
    insp_text name = scene->parts[INSP_SCENE_ROOT].asset->name;
    uint32_t *count = ctx;
    kiln_scene_forecast forecast;
    if (!scene->has_view) {
        insp_complain(run, scene->file->path, "%.*s is broken, so it has no forecast",
                      (int)insp_message_name(name).length, insp_message_name(name).data);
        return INSP_BAD;
    }
    forecast = kiln_scene_get_forecast(&scene->view);
    if (insp_wants_json(run))
        print_json(run, name, &forecast, *count == 0);
    else
        print_text(run, name, &forecast, *count == 0);
    ++*count;
    return INSP_OK;
}

static int forecast_file(insp_run *run, const insp_file *file)
{
    uint32_t count = 0;
    int result = INSP_OK;
    if (!insp_has_index(run, file, &result))
        return result;
    if (insp_wants_json(run))
        insp_put(&run->out, "{\n  \"format\": 1,\n  \"scenes\": [");
    result = insp_worse(result, insp_scene_each(run, file, forecast_scene, &count));
    if (insp_wants_json(run))
        insp_put(&run->out, count ? "\n  ]\n}\n" : "]\n}\n");
    return result;
}

const insp_command insp_forecast_command = {
    .name = "forecast",
    .arguments = "FILE [PATTERN...]",
    .help = "predict the memory use of a loaded scene",
    .min_arguments = 1,
    .max_arguments = -1,
    .formats = "text json ",
    .reads_part = insp_select_is_names,
    .show = forecast_file,
};
