/* Opens each scene named in the arguments, or every scene of the file, reports its errors and calls
 * the command.
 *
 * A scene consists of up to three members, and thousands of scenes may share them. Each member is
 * checked once and its verdict stored. Otherwise the hash of a shared member would be computed for
 * each scene, and the work would not be linear in the file size. */
#include "insp_scene_each.h"

#include "insp_check.h"
#include "insp_finding_text.h"
#include "insp_message.h"
#include "insp_open.h"
#include "insp_select.h"

#include <string.h>

static void complain(insp_run *run, const insp_scene *scene, const kiln_error *error,
                     const insp_asset *asset)
{
    insp_finding finding = {.part = "member", .member = asset->member, .asset = asset};
    finding.error = *error;
    insp_complain_finding(run, scene->file, &finding);
}

/* Reports errors in the member of a part. A shared member is checked only once. If the whole index
 * has not been read, the entries of the part are checked, too. */
static int complain_member(insp_run *run, const insp_file *file, const insp_asset *part)
{
    insp_member *member = insp_member_at(file, part->member);
    kiln_status status;
    insp_check check = {
        .file = file, .on_finding = insp_complain_finding, .ctx = run, .skip_canonical = true};
    /* The file is const for commands, but the verdict is a cache in its member list. */
    if (member && member->verdict)
        return member->verdict == INSP_BROKEN ? INSP_BAD : INSP_OK;
    status =
        file->by_name ? insp_check_member(&check, part->member) : insp_check_asset(&check, part);
    if (status)
        return insp_no_memory(run);
    if (member)
        member->verdict = check.findings ? INSP_BROKEN : INSP_SOUND;
    return check.findings ? INSP_BAD : INSP_OK;
}

/* Reports errors in the blob of a part. */
static int complain_part(insp_run *run, const insp_scene *scene, insp_scene_piece piece)
{
    const insp_scene_part *part = &scene->parts[piece];
    int result;
    if (!part->asset)
        return INSP_OK;
    result = complain_member(run, scene->file, part->asset);
    if (result || !part->error.status || part->error.status == KILN_NO_TYPES)
        return result;
    complain(run, scene, &part->error, part->asset);
    return INSP_BAD;
}

int insp_scene_complain(insp_run *run, const insp_scene *scene)
{
    int result = INSP_OK, i;
    for (i = 0; i < INSP_SCENE_PIECES && result < INSP_TROUBLE; i++)
        result = insp_worse(result, complain_part(run, scene, (insp_scene_piece)i));
    if (result == INSP_TROUBLE || !scene->view_error.status)
        return result;
    kiln_error error = scene->view_error;
    error.offset += scene->parts[INSP_SCENE_ROOT].place;
    complain(run, scene, &error, scene->parts[INSP_SCENE_ROOT].asset);
    return INSP_BAD;
}

static int visit_asset(insp_run *run, const insp_file *file, const insp_asset *asset,
                       insp_scene_visit *visit, void *ctx)
{
    insp_scene scene;
    int result = INSP_TROUBLE;
    if (insp_scene_init(&scene, file, asset) != KILN_OK)
        insp_no_memory(run);
    else
        result = insp_scene_complain(run, &scene);
    if (result != INSP_TROUBLE)
        result = insp_worse(result, visit(run, &scene, ctx));
    insp_scene_fini(&scene);
    return result;
}

static int not_a_scene(insp_run *run, const insp_file *file, const insp_asset *asset)
{
    insp_text name = insp_message_name(asset->name);
    insp_text type = insp_message_name(insp_asset_type_name(file, asset));
    insp_complain(run, file->path, "%.*s is of type %.*s, not a scene", (int)name.length, name.data,
                  (int)type.length, type.data);
    return INSP_BAD;
}

static uint32_t count_scenes(const insp_file *file)
{
    uint32_t i, count = 0;
    for (i = 0; i < file->asset_count; i++)
        count += insp_is_scene(file, insp_asset_at(file, i));
    return count;
}

static int visit_scene(insp_run *run, const insp_file *file, const insp_asset *asset,
                       insp_scene_visit *visit, void *ctx)
{
    return insp_is_scene(file, asset) ? visit_asset(run, file, asset, visit, ctx)
                                      : not_a_scene(run, file, asset);
}

int insp_scene_by_name(insp_run *run, const insp_file *file, const char *name,
                       insp_scene_visit *visit, void *ctx)
{
    int result;
    const insp_asset *asset = insp_select_one(run, file, name, insp_is_scene, &result);
    return asset ? insp_worse(result, visit_scene(run, file, asset, visit, ctx)) : result;
}

static int each_of_file(insp_run *run, const insp_file *file, insp_scene_visit *visit, void *ctx)
{
    uint32_t all = count_scenes(file), count = 0, i;
    int result = INSP_OK;
    if (!all) {
        insp_complain(run, file->path, "the file contains no scenes");
        return INSP_BAD;
    }
    insp_out_count(&run->out, "scenes", all);
    for (i = 0; i < file->asset_count && result < INSP_TROUBLE && !run->out.error; i++) {
        if (!insp_is_scene(file, insp_asset_at(file, i)))
            continue;
        result = insp_worse(result, visit_asset(run, file, insp_asset_at(file, i), visit, ctx));
        insp_out_set_whole(&run->out, ++count);
    }
    return result;
}

int insp_scene_each(insp_run *run, const insp_file *file, insp_scene_visit *visit, void *ctx)
{
    insp_selection selection;
    uint32_t i;
    int result;
    if (run->options.argument_count < 2)
        return each_of_file(run, file, visit, ctx);
    result = insp_select(run, file, run->options.arguments + 1, run->options.argument_count - 1,
                         insp_is_scene, &selection);
    insp_out_count(&run->out, "scenes", selection.count);
    for (i = 0; i < selection.count && result < INSP_TROUBLE && !run->out.error; i++) {
        result = insp_worse(result, visit_scene(run, file, selection.rows[i], visit, ctx));
        insp_out_set_whole(&run->out, (uint64_t)i + 1);
    }
    insp_selection_fini(&selection);
    return result;
}
