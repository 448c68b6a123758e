/* The commands dump and get: values, in one of the forms. */
#include "insp_escape.h"
#include "insp_memory.h"
#include "insp_scalar.h"
#include "insp_scene.h"

#include <inttypes.h>
#include <kiln/path.h>
#include <string.h>

static int complain_about_asset(insp_run *run, const insp_file *file, const insp_asset *asset,
                                kiln_status status)
{
    const char *why = kiln_status_text(status);
    insp_text name = insp_name_to_tell(asset->name);
    if (status == KILN_NO_TYPES)
        why =
            file->types ? "its type is not in the file's type table"
            : file->table_member == KILN_ASSET_NONE
                ? "the file carries no type table, so values cannot be shown; hex shows the bytes"
                : "the file's type table is broken, so values cannot be shown; hex shows the bytes";
    else if (status == KILN_NOT_FOUND)
        why = "its bytes do not lie in the file";
    insp_complain(run, file->path, "%.*s: %s", (int)name.length, name.data, why);
    return INSP_BAD;
}

int insp_open_asset(insp_run *run, const insp_file *file, const insp_asset *asset,
                    kiln_value *ret_root)
{
    insp_check check = {
        .file = file, .on_finding = insp_tell_finding, .ctx = run, .skip_canonical = true};
    kiln_status status = insp_check_member(&check, asset->member);
    if (status == KILN_NO_MEMORY)
        return insp_no_memory(run);
    status = insp_asset_root(file, asset, ret_root);
    if (status == KILN_NO_MEMORY)
        return insp_no_memory(run);
    if (status) {
        complain_about_asset(run, file, asset, status);
        ret_root->of = NULL;
        return INSP_BAD;
    }
    return check.findings ? INSP_BAD : INSP_OK;
}

/* Whether a scene can be written as what it bakes from. */
static bool is_whole(const insp_scene *scene)
{
    const insp_scene_part *data = &scene->parts[INSP_SCENE_DATA];
    return scene->has_rows && !scene->view_error.status && scene->file->types &&
           (data->root || !data->id);
}

static int dump_whole_scene(insp_run *run, insp_printer *p, const insp_scene *scene)
{
    int result = insp_scene_tell(run, scene);
    if (result == INSP_TROUBLE)
        return result;
    p->format->asset(p, scene->parts[INSP_SCENE_ROOT].asset);
    result = insp_heavier(result, insp_scene_yaml(run, p, scene));
    if (!p->stopped)
        p->format->asset_end(p);
    return result;
}

/* Writes a scene as YAML; false where it is none, or one of which not all is there, which is
 * written as any other asset is. */
static bool dump_scene(insp_run *run, insp_printer *p, const insp_asset *asset, int *ret_result)
{
    insp_text name = insp_name_to_tell(asset->name);
    insp_scene scene;
    bool whole;
    if (p->format != &insp_format_yaml || !insp_is_scene(p->file, asset))
        return false;
    if (insp_scene_init(&scene, p->file, asset) != KILN_OK) {
        insp_scene_fini(&scene);
        *ret_result = insp_no_memory(run);
        return true;
    }
    whole = is_whole(&scene);
    if (whole) {
        *ret_result = dump_whole_scene(run, p, &scene);
    } else if (scene.file->types) {
        *ret_result = INSP_BAD;
        insp_complain(run, p->file->path,
                      "%.*s: its rows or data are not in this file as it has them, so it is "
                      "written as it lies there, which does not bake",
                      (int)name.length, name.data);
    }
    insp_scene_fini(&scene);
    return whole;
}

/* Marks the assets that are parts of scenes, which are written with these. */
static int find_parts(insp_run *run, const insp_file *file, bool *parts)
{
    insp_scene scene;
    uint32_t i, k;
    for (i = 0; i < file->asset_count; i++) {
        if (!insp_is_scene(file, &file->assets[i]))
            continue;
        if (insp_scene_init(&scene, file, &file->assets[i]) != KILN_OK) {
            insp_scene_fini(&scene);
            return insp_no_memory(run);
        }
        for (k = INSP_SCENE_ROOT + 1; is_whole(&scene) && k < INSP_SCENE_PIECES; k++)
            if (scene.parts[k].asset)
                parts[scene.parts[k].asset - file->assets] = true;
        insp_scene_fini(&scene);
    }
    return INSP_OK;
}

/* Assets may share their bytes, which are checked again with each of them. */
static bool spend_again(insp_printer *p, const insp_asset *asset)
{
    const insp_member *member = insp_asset_member(p->file, asset);
    return !member || insp_member_asset(p->file, asset->member) == asset ||
           insp_spend(p, member->size);
}

static int dump_asset(insp_run *run, insp_printer *p, const insp_asset *asset)
{
    kiln_value root;
    int result = INSP_OK;
    if (!spend_again(p, asset))
        return result;
    if (dump_scene(run, p, asset, &result))
        return result;
    result = insp_heavier(result, insp_open_asset(run, p->file, asset, &root));
    if (result == INSP_TROUBLE || !root.of)
        return result;
    p->depth = 1;
    p->format->asset(p, asset);
    insp_walk(p, &root);
    if (!p->stopped)
        p->format->asset_end(p);
    return result;
}

static int dump_all(insp_run *run, insp_printer *p)
{
    const insp_file *file = p->file;
    bool is_yaml = p->format == &insp_format_yaml;
    insp_imports imports = {NULL, 0};
    bool *parts = insp_alloc_array(file->asset_count, sizeof *parts);
    bool ok = parts && (!is_yaml || insp_imports_list(file, &imports));
    int result = ok ? INSP_OK : insp_no_memory(run);
    uint32_t k, count = 0, done = 0;
    if (ok && is_yaml)
        result = find_parts(run, file, parts);
    for (k = 0; ok && k < file->asset_count; k++)
        count += !parts[k];
    insp_out_count(p->out, "assets", count);
    for (k = 0; k < file->asset_count && !p->stopped && result < INSP_TROUBLE; k++) {
        if (parts[k])
            continue;
        result = insp_heavier(result, dump_asset(run, p, &file->assets[k]));
        insp_out_is_whole(p->out, ++done);
    }
    insp_free(parts);
    if (result < INSP_TROUBLE)
        insp_yaml_imports(p, &imports);
    insp_imports_fini(&imports);
    return result;
}

static int dump_file(insp_run *run, const insp_file *file)
{
    insp_printer p;
    int result = INSP_OK, i;
    if (!insp_has_index(run, file, &result))
        return result;
    insp_run_printer(run, file, &p);
    p.format->begin(&p);
    if (run->options.argument_count == 1)
        result = insp_heavier(result, dump_all(run, &p));
    else
        insp_out_count(p.out, "assets", (uint64_t)run->options.argument_count - 1);
    for (i = 1; i < run->options.argument_count && !p.stopped && result < INSP_TROUBLE; i++) {
        const char *name = run->options.arguments[i];
        const insp_asset *asset = insp_file_asset(file, name, strlen(name));
        if (asset) {
            result = insp_heavier(result, dump_asset(run, &p, asset));
        } else {
            result = insp_heavier(result, insp_no_such_asset(run, file, name, false));
        }
        insp_out_is_whole(p.out, (uint64_t)i);
    }
    if (!p.stopped)
        p.format->end(&p);
    return insp_heavier(result, insp_after_printing(run, file, &p));
}

int insp_dump(insp_run *run)
{
    insp_file file;
    int result = insp_open(run, run->options.arguments[0], &file);
    if (result)
        return result;
    result = dump_file(run, &file);
    insp_file_fini(&file);
    return result;
}

const insp_asset *insp_split_path(const insp_file *file, const char *path, const char **ret_rest)
{
    const insp_asset *best = NULL;
    size_t length = strlen(path);
    uint32_t i;
    for (i = 0; i < file->asset_count; i++) {
        const insp_text *name = &file->assets[i].name;
        if (name->length > length || memcmp(name->data, path, name->length) != 0)
            continue;
        if (path[name->length] && path[name->length] != '.' && path[name->length] != '[')
            continue;
        if (!best || name->length > best->name.length)
            best = &file->assets[i];
    }
    if (best)
        *ret_rest = path + best->name.length;
    return best;
}

static void put_plain(insp_out *out, const char *text, size_t length)
{
    if (out->terminal)
        insp_put_escaped(out, text, length);
    else
        insp_put_bytes(out, text, length);
}

static void put_bare_flags(insp_printer *p, const kiln_value *value)
{
    const kiln_member *names[INSP_FLAGS_MAX];
    uint64_t rest;
    uint32_t count = insp_flag_names(value, names, &rest), i;
    p->broken += rest != 0;
    for (i = 0; i < count; i++) {
        insp_put(p->out, i ? "," : "");
        put_plain(p->out, names[i]->name, strlen(names[i]->name));
    }
}

/* A value that needs no structure stands alone on its line. Returns whether it was one. */
static bool put_bare(insp_printer *p, const kiln_value *value)
{
    kiln_kind kind = value->of->kind;
    const char *text = "";
    uint32_t length = 0;
    if (kind == KILN_KIND_STRING && kiln_value_text(value, &text, &length) == KILN_OK)
        put_plain(p->out, text, length);
    else if (kind == KILN_KIND_BYTES && kiln_value_text(value, &text, &length) == KILN_OK)
        insp_put_base64(p->out, text, length);
    else if (kind == KILN_KIND_FLAGS)
        put_bare_flags(p, value);
    else if (kind == KILN_KIND_BOOL || kiln_kind_is_integer(kind) || kiln_kind_is_float(kind) ||
             kind == KILN_KIND_REF || (kind == KILN_KIND_ENUM && kiln_value_member(value)))
        insp_put_key(p, value, put_plain);
    else
        return false;
    insp_put_char(p->out, '\n');
    return true;
}

static void print_value(insp_printer *p, kiln_value *value)
{
    kiln_value inner;
    while (value->of->kind == KILN_KIND_OPTIONAL && kiln_value_count(value) &&
           kiln_value_at(value, 0, &inner) == KILN_OK)
        *value = inner;
    if (p->format == &insp_format_tree && put_bare(p, value))
        return;
    p->depth = 1;
    p->format->alone(p);
    insp_walk(p, value);
    if (p->out->column)
        insp_put_char(p->out, '\n');
}

static int get_value(insp_run *run, const insp_file *file)
{
    const char *path = run->options.arguments[1], *rest = "";
    const insp_asset *asset;
    kiln_value root, value;
    kiln_error error = {.status = KILN_OK};
    kiln_status status;
    insp_printer p;
    int result = INSP_OK, opened;
    if (!insp_has_index(run, file, &result))
        return result;
    asset = insp_split_path(file, path, &rest);
    if (!asset)
        return insp_no_such_asset(run, file, path, true);
    opened = insp_open_asset(run, file, asset, &root);
    if (opened == INSP_TROUBLE || !root.of)
        return opened;
    status = kiln_path_follow(&root, *rest == '.' ? rest + 1 : rest, &value, &error);
    if (status) {
        insp_complain(run, file->path, "%.300s leads nowhere%s%s: %s", path,
                      error.path[0] ? " after " : "", error.path,
                      status == KILN_BAD_ARGUMENT ? "not a path" : kiln_status_text(status));
        return INSP_BAD;
    }
    insp_run_printer(run, file, &p);
    print_value(&p, &value);
    return insp_heavier(insp_heavier(result, opened), insp_after_printing(run, file, &p));
}

int insp_get(insp_run *run)
{
    insp_file file;
    int result = insp_open(run, run->options.arguments[0], &file);
    if (result)
        return result;
    result = get_value(run, &file);
    insp_file_fini(&file);
    return result;
}
