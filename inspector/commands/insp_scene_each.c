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

#include <string.h>

static void complain(insp_run *run, const insp_scene *scene, const kiln_error *error,
                     const insp_asset *asset)
{
    insp_finding finding = {.part = "member", .member = asset->member, .asset = asset};
    finding.error = *error;
    insp_complain_finding(run, scene->file, &finding);
}

/* Reports errors in a member. A shared member is checked only once. */
static int complain_member(insp_run *run, const insp_file *file, uint32_t number)
{
    insp_member *member = insp_member_at(file, number);
    insp_check check = {
        .file = file, .on_finding = insp_complain_finding, .ctx = run, .skip_canonical = true};
    /* The file is const for commands, but the verdict is a cache in its member list. */
    if (member && member->verdict)
        return member->verdict == INSP_BROKEN ? INSP_BAD : INSP_OK;
    if (insp_check_member(&check, number) != KILN_OK)
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
    result = complain_member(run, scene->file, part->asset->member);
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

int insp_scene_by_name(insp_run *run, const insp_file *file, const char *name,
                       insp_scene_visit *visit, void *ctx)
{
    const insp_asset *asset = insp_find_asset(run, file, name, strlen(name));
    if (!asset)
        return insp_no_such_asset(run, file, name, false);
    if (!insp_is_scene(file, asset))
        return not_a_scene(run, file, asset);
    return visit_asset(run, file, asset, visit, ctx);
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
    int count = run->options.argument_count, result = INSP_OK, i;
    if (count < 2)
        return each_of_file(run, file, visit, ctx);
    insp_out_count(&run->out, "scenes", (uint64_t)count - 1);
    for (i = 1; i < count && result < INSP_TROUBLE && !run->out.error; i++) {
        const char *name = run->options.arguments[i];
        result = insp_worse(result, insp_scene_by_name(run, file, name, visit, ctx));
        insp_out_set_whole(&run->out, (uint64_t)i);
    }
    return result;
}
