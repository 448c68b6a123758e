/* The `extract` command: writes the data of a payload.
 *
 * The data are checked before anything is written, so the output is never damaged data. Frames are
 * decompressed one at a time. */
#include "insp_commands.h"
#include "insp_finding_text.h"
#include "insp_follow.h"
#include "insp_glob.h"
#include "insp_memory.h"
#include "insp_message.h"
#include "insp_open.h"
#include "insp_payload.h"
#include "insp_select.h"

#include <kiln/path.h>
#include <kiln/payload_unpack.h>
#include <string.h>

/* Follows a path to a reference. Returns the asset that it refers to; NULL after a message. */
static const insp_asset *find_target(insp_run *run, const insp_file *file, const insp_asset *asset,
                                     const char *rest, int *ret_result)
{
    const char *path = run->options.arguments[1];
    const insp_name *name = NULL;
    kiln_value root, value;
    kiln_error error = {.status = KILN_OK};
    *ret_result = insp_open_asset(run, file, asset, &root);
    if (*ret_result == INSP_TROUBLE || !root.of)
        return NULL;
    *ret_result = INSP_BAD;
    if (kiln_path_follow(&root, *rest == '.' ? rest + 1 : rest, &value, &error)) {
        *ret_result = insp_complain_path(run, file, path, rest, &root);
        return NULL;
    }
    while ((value.of->kind == KILN_KIND_OPTIONAL && kiln_value_count(&value)) ||
           (value.of->kind == KILN_KIND_STRUCT && value.of->flags & KILN_TYPE_TRANSPARENT)) {
        kiln_value inner;
        if (kiln_value_at(&value, 0, &inner) != KILN_OK)
            break;
        value = inner;
    }
    if (value.of->kind == KILN_KIND_REF)
        name = insp_file_name(file, kiln_value_uint(&value));
    if (!name || !insp_name_asset(file, name)) {
        insp_complain(run, file->path, "%.300s does not refer to an asset of this file", path);
        return NULL;
    }
    *ret_result = INSP_OK;
    return insp_name_asset(file, name);
}

static int put_frames(insp_run *run, const insp_file *file, const kiln_payload_view *view)
{
    const kiln_payload *payload = view->payload;
    kiln_payload_unpack_args args = {.file = file->data};
    unsigned char *memory = insp_alloc_unset(payload->frame_size, 16);
    kiln_status status =
        memory ? kiln_decompressor_create(insp_allocator(), &args.decompressor) : KILN_NO_MEMORY;
    uint32_t i;
    for (i = 0; i < payload->frames.count && !status && !run->out.error; i++) {
        status = kiln_payload_unpack(view, i, &args, memory, NULL);
        if (!status)
            insp_put_bytes(&run->out, (const char *)memory, kiln_payload_frame_bytes(payload, i));
    }
    kiln_decompressor_destroy(args.decompressor);
    insp_free(memory);
    return status ? insp_no_memory(run) : INSP_OK;
}

static int put_data(insp_run *run, const insp_file *file, const insp_asset *asset)
{
    insp_finding finding = {{.status = KILN_OK}, "member", asset->member, asset};
    kiln_payload_view view;
    kiln_status status = insp_payload_view(file, asset, &view, &finding.error);
    if (!status)
        status =
            kiln_payload_check(&view, file->index, file->data, insp_allocator(), &finding.error);
    if (status == KILN_NO_MEMORY)
        return insp_no_memory(run);
    if (status) {
        finding.error.status = status;
        insp_complain_finding(run, file, &finding);
        return INSP_BAD;
    }
    if (view.payload->frame_size)
        return put_frames(run, file, &view);
    insp_put_bytes(&run->out, (const char *)file->data + view.place, (size_t)view.stored_size);
    return INSP_OK;
}

static int extract(insp_run *run, const insp_file *file)
{
    const char *path = run->options.arguments[1], *rest = "";
    const insp_asset *asset;
    insp_finding broken = {file->index_error, "index", KILN_ASSET_NONE, NULL};
    int result = INSP_OK;
    if (!insp_has_index(run, file, &result))
        return result;
    if (!file->index) {
        insp_complain_finding(run, file, &broken);
        return INSP_BAD;
    }
    asset = insp_find_path(run, file, path, &rest);
    if (!asset && strchr(path, '/') && !insp_glob_is_pattern(path))
        return insp_no_such_asset(run, file, path, true);
    if (!asset)
        asset = insp_select_one(run, file, path, insp_is_payload, &result);
    if (asset && *rest)
        asset = find_target(run, file, asset, rest, &result);
    if (!asset)
        return result;
    if (!insp_is_payload(file, asset)) {
        insp_complain(run, file->path, "%.300s is not a payload", path);
        return INSP_BAD;
    }
    if (run->out.terminal) {
        insp_complain(run, NULL, "redirect the output: data of payloads are not text");
        return INSP_TROUBLE;
    }
    return insp_worse(result, put_data(run, file, asset));
}

const insp_command insp_extract_command = {
    .name = "extract",
    .arguments = "FILE PATH",
    .help = "write the data of a payload: Kind/id.field",
    .min_arguments = 2,
    .max_arguments = 2,
    .formats = "raw ",
    .show = extract,
};
