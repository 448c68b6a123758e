/* The `where` command: prints the source lines of values or bytes.
 *
 * A path is normalized to the spelling of source maps and looked up. An offset is first resolved to
 * the values that own the byte, which may be many, and each is looked up. For a value without a
 * record, the line of the nearest enclosing value is printed. The map must come from the same
 * bake, so the hash of the file is compared with the hashes in the map. */
#include "insp_commands.h"
#include "insp_escape.h"
#include "insp_follow.h"
#include "insp_memory.h"
#include "insp_message.h"
#include "insp_open.h"
#include "insp_owner_find.h"
#include "insp_owner_row.h"
#include "insp_read.h"
#include "insp_scene.h"
#include "insp_sources.h"
#include "insp_spell.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The maximum number of source lines shown, because chains of layers and aliases can be long. */
enum { LINES_MAX = 256 };

typedef struct where {
    insp_run *run;
    const insp_file *file;
    insp_origins origins;
    insp_sources sources;
    uint32_t lines;   /* number of source lines shown for an argument */
    uint32_t answers; /* JSON: begun so far */
    insp_map map;     /* of the file, for the first offset */
    bool has_map;
    bool is_json;
    bool is_first;   /* no value of this argument has been printed yet */
    bool is_missing; /* a value of this argument was not in the map */
} where;

/* ---- the map ---- */

/* Returns `FILE.map`; NULL if memory runs out. */
static char *default_map(const char *path)
{
    size_t length = strlen(path);
    char *map = insp_alloc(length + sizeof ".map", 1);
    if (!map)
        return NULL;
    memcpy(map, path, length);
    memcpy(map + length, ".map", sizeof ".map");
    return map;
}

static int open_map(where *w, const char *path)
{
    unsigned char *data = NULL;
    size_t size = 0, line = 0;
    int error = insp_read(path, w->run->options.max_input, &data, &size);
    if (error) {
        insp_cannot_read(w->run, path, error);
        if (error == ENOENT && !w->run->options.source_map)
            insp_complain(
                w->run, NULL,
                "write a map with kiln-bake --source-map, or select one with --source-map FILE");
        return INSP_TROUBLE;
    }
    switch (insp_origins_init(&w->origins, (char *)data, size, &line)) {
    case INSP_ORIGINS_OK:
        return INSP_OK;
    case INSP_ORIGINS_NO_MEMORY:
        return insp_no_memory(w->run);
    case INSP_ORIGINS_NONE:
        insp_complain(w->run, path, "not a source map");
        return INSP_BAD;
    case INSP_ORIGINS_VERSION:
        insp_complain(w->run, path, "unsupported version of the source map format");
        return INSP_BAD;
    default:
        insp_complain(w->run, path, "line %zu is invalid or truncated", line);
        return INSP_BAD;
    }
}

/* ---- printing ---- */

static void put_how(insp_out *out, insp_text how, insp_text by)
{
    static const char *const words[][2] = {
        {"own", "written here"},
        {"patch", "written here, in a patch"},
        {"layer", "written here"},
        {"default", "the default in the schema"},
        {"omitted", "not written, so it is empty; the mapping that could contain it begins here"},
        {"alias", "the alias that refers to it"},
    };
    size_t i;
    if (insp_text_is(how, "inherited")) {
        insp_put(out, "inherited from ");
        insp_put_escaped(out, by.data, by.length);
        return;
    }
    for (i = 0; i < sizeof words / sizeof words[0]; i++)
        if (insp_text_is(how, words[i][0]))
            insp_put(out, words[i][1]);
}

/* Prints `items.yaml:3:9: written here` and the source line. */
static void put_place(where *w, insp_text field, const char *before, insp_text how, insp_text by)
{
    insp_out *out = &w->run->out;
    insp_origin_place place = insp_origin_place_of(field);
    insp_text file = insp_origins_file(&w->origins, place.file);
    insp_put(out, "  ");
    insp_put(out, before);
    insp_put_escaped(out, file.data, file.length);
    insp_putf(out, ":%" PRIu32 ":%" PRIu32 ": ", place.line, place.column);
    put_how(out, how, by);
    insp_put_char(out, '\n');
    if (w->lines++ < LINES_MAX)
        insp_sources_put_line(&w->sources, out, &place);
}

static void put_json_place(where *w, insp_text field, insp_text how, insp_text by, bool is_first)
{
    insp_out *out = &w->run->out;
    insp_origin_place place = insp_origin_place_of(field);
    insp_text file = insp_origins_file(&w->origins, place.file);
    insp_put(out, is_first ? "\n        {\"file\": " : ",\n        {\"file\": ");
    insp_put_json_string(out, file.data, file.length);
    insp_putf(
        out, ", \"line\": %" PRIu32 ", \"column\": %" PRIu32 ", \"length\": %" PRIu32 ", \"how\": ",
        place.line, place.column, place.length);
    insp_put_json_string(out, how.data, how.length);
    if (by.length) {
        insp_put(out, ", \"from\": ");
        insp_put_json_string(out, by.data, by.length);
    }
    insp_put_char(out, '}');
}

/* Prints all records of the map about a value. */
static void put_chain(where *w, const insp_origin_line *value)
{
    static const insp_text none = {"", 0}, key = {"key", 3};
    insp_origin_line line = {.next = value->next};
    insp_text how = value->fields[2], by = none;
    /* A line is split into three fields. If a tab ends the third one, the base from which the value
     * is inherited follows. */
    const char *tab = memchr(how.data, '\t', (size_t)(value->next - how.data));
    if (tab)
        by = (insp_text){tab + 1, (uint32_t)(value->next - 1 - (tab + 1))};
    if (w->is_json)
        put_json_place(w, value->fields[1], how, by, true);
    else
        put_place(w, value->fields[1], "", how, by);
    while (insp_origins_next(&w->origins, line.next, &line) &&
           (line.what == 'L' || line.what == 'K')) {
        bool is_alias = insp_text_is(line.fields[1], "alias");
        if (w->is_json)
            put_json_place(w, line.fields[0], line.what == 'K' ? key : line.fields[1],
                           line.fields[2], false);
        else if (line.what == 'L')
            put_place(w, line.fields[0], is_alias ? "by " : "over ", line.fields[1],
                      line.fields[2]);
    }
}

/* Prints a value and its places. */
static void put_value(where *w, insp_text asset, const char *path)
{
    insp_out *out = &w->run->out;
    insp_origin_line line;
    bool is_exact, found = insp_origins_find(&w->origins, asset, path, &line, &is_exact);
    if (w->is_json) {
        insp_put(out, w->is_first ? "\n      {\"asset\": " : ",\n      {\"asset\": ");
        insp_put_json_string(out, asset.data, asset.length);
        insp_put(out, ", \"path\": ");
        insp_put_json_string(out, path, strlen(path));
        insp_put(out, ", \"in\": ");
        if (found)
            insp_put_json_string(out, line.fields[0].data, line.fields[0].length);
        insp_put(out, found ? ", \"places\": [" : "null, \"places\": [");
        if (found)
            put_chain(w, &line);
        insp_put(out, "]}");
    } else {
        insp_put_style(out, INSP_STYLE_ASSET);
        insp_put_escaped(out, asset.data, asset.length);
        insp_put_escaped(out, path, strlen(path));
        insp_put_style(out, INSP_STYLE_PLAIN);
        if (found && !is_exact) {
            insp_put(out, ", which is part of ");
            insp_put_escaped(out, asset.data, asset.length);
            insp_put_escaped(out, line.fields[0].data, line.fields[0].length);
        }
        insp_put(out, found ? "\n" : ": not in the source map\n");
        if (found)
            put_chain(w, &line);
    }
    w->is_missing = w->is_missing || !found;
    w->is_first = false;
}

/* Prints the component fields that refer to a value in a scene's data, because the value was
 * written in these fields. `SceneData/x` is the data of `Scene/x`, whose records list these fields.
 * Returns false if there are none. */
static bool put_users(where *w, insp_text asset, const char *path)
{
    static const char data[] = "SceneData/", scene[] = "Scene/";
    char name[INSP_OWNER_PATH_SIZE], full[INSP_OWNER_PATH_SIZE];
    const char *at = NULL, *rest;
    size_t length = sizeof data - 1;
    insp_text user;
    bool found = false;
    if (asset.length < length || memcmp(asset.data, data, length) != 0)
        return false;
    snprintf(name, sizeof name, "%s%.*s", scene, (int)(asset.length - length), asset.data + length);
    insp_text of = {name, (uint32_t)strlen(name)};
    while (insp_origins_next_user(&w->origins, of, path, &at, &user, &rest)) {
        snprintf(full, sizeof full, "%.*s%s", (int)user.length, user.data, rest);
        put_value(w, of, full);
        found = true;
    }
    return found;
}

static void put_owner(where *w, insp_text asset, const char *path)
{
    if (!put_users(w, asset, path))
        put_value(w, asset, path);
}

/* ---- by path ---- */

/* Looks up `Scene/x#name.Component.field`. A number is replaced by the entity's name. */
static int where_entity(where *w, const insp_asset *asset, const char *path)
{
    char full[INSP_OWNER_PATH_SIZE], entity[INSP_OWNER_PATH_SIZE];
    const char *end = insp_path_step_end(path);
    size_t length = (size_t)(end - path);
    insp_scene scene;
    uint32_t number;
    snprintf(entity, sizeof entity, "%.*s", (int)(length < 1000 ? length : 1000), path);
    if (insp_scene_init(&scene, w->file, asset) != KILN_OK) {
        insp_scene_fini(&scene);
        return insp_no_memory(w->run);
    }
    /* Source maps contain names, so only a number needs a lookup in the scene. */
    number = path[1] >= '0' && path[1] <= '9' && scene.has_view ? insp_scene_find(&scene, entity)
                                                                : UINT32_MAX;
    if (number != UINT32_MAX)
        insp_owner_entity(insp_scene_name(&scene, number), number, entity, sizeof entity);
    insp_scene_fini(&scene);
    snprintf(full, sizeof full, "%s%s", entity, end);
    put_owner(w, asset->name, full);
    return w->is_missing ? INSP_BAD : INSP_OK;
}

static int where_path(where *w, const char *path)
{
    const char *rest = "", *hash = strchr(path, '#');
    const insp_asset *asset =
        hash ? insp_find_asset(w->run, w->file, path, (size_t)(hash - path)) : NULL;
    char full[INSP_OWNER_PATH_SIZE];
    kiln_value root;
    kiln_path spelled = {{0}, 0};
    int result;
    if (asset && insp_is_scene(w->file, asset))
        return where_entity(w, asset, hash);
    asset = insp_find_path(w->run, w->file, path, &rest);
    if (!asset)
        return insp_no_such_asset(w->run, w->file, path, true);
    result = insp_open_asset(w->run, w->file, asset, &root);
    if (result == INSP_TROUBLE || !root.of)
        return result;
    if (!insp_path_normalise(&root, rest, &spelled))
        return insp_complain_path(w->run, w->file, path, rest, &root);
    snprintf(full, sizeof full, "%s%s", spelled.length && spelled.text[0] != '[' ? "." : "",
             spelled.text);
    put_owner(w, asset->name, full);
    return insp_worse(result, w->is_missing ? INSP_BAD : INSP_OK);
}

/* ---- by offset ---- */

static const struct {
    const char *word, *text;
} as_words[] = {
    [INSP_OWNED_VALUE] = {"value", "a value"},
    [INSP_OWNED_KEY] = {"key", "the key of an entry"},
    [INSP_OWNED_HEADER] = {"header", "the header of a blob: sizes, flags and hashes"},
    [INSP_OWNED_INDEX] = {"index", "the index: names, ids and places of assets"},
    [INSP_OWNED_TYPE_TABLE] = {"type table", "the type table, made from the schema"},
    [INSP_OWNED_PADDING] = {"padding", "padding, which belongs to no value"},
    [INSP_OWNED_GAP] = {"gap", "a gap between members"},
    [INSP_OWNED_COMPRESSED] = {"compressed", "a compressed member, whose bytes are not values; "
                                             "give a path instead, or bake without --compress"},
    [INSP_OWNED_UNKNOWN] = {"unknown", "bytes of a type that is not in the file"},
};

static void put_heading(where *w, const insp_owners *owners, uint64_t at)
{
    insp_out *out = &w->run->out;
    const insp_blob *blob = owners->blob;
    if (w->is_json) {
        insp_putf(out, ", \"offset\": %" PRIu64 ", \"what\": \"%s\", \"member\": ", at,
                  as_words[owners->as].word);
        if (blob && blob->member != INSP_MAP_NONE)
            insp_putf(out, "%" PRIu32, blob->member);
        else
            insp_put(out, "null");
        insp_putf(out, ", \"more\": %s", owners->more ? "true" : "false");
        return;
    }
    insp_putf(out, "0x%" PRIx64 ": %s", at, as_words[owners->as].text);
    if (blob && blob->member != INSP_MAP_NONE)
        insp_putf(out, ", in member %" PRIu32, blob->member);
    insp_put_char(out, '\n');
}

static int where_offset(where *w, uint64_t at)
{
    insp_owners owners = {0};
    size_t i;
    kiln_status status = w->has_map ? KILN_OK : insp_map_init(&w->map, w->file);
    w->has_map = true;
    if (!status)
        status = insp_owners_find(&owners, &w->map, at);
    if (!status) {
        put_heading(w, &owners, at);
        if (w->is_json)
            insp_put(&w->run->out, ", \"values\": [");
        for (i = 0; i < owners.count; i++)
            put_owner(w, owners.items[i].asset, owners.items[i].path);
        if (owners.more && !w->is_json)
            insp_put(&w->run->out, "and more values that share it\n");
    }
    insp_owners_fini(&owners);
    if (status)
        return insp_no_memory(w->run);
    return w->is_missing ? INSP_BAD : INSP_OK;
}

/* Parses an offset: decimal, or hexadecimal after 0x, optionally after @ as in the `hex` command.
 * Returns false for any other argument. */
static bool read_offset(const char *text, uint64_t *ret_at)
{
    char *end;
    text += *text == '@';
    if (*text < '0' || *text > '9')
        return false;
    *ret_at = strtoull(text, &end, strncmp(text, "0x", 2) == 0 ? 16 : 10);
    return !*end;
}

/* Whether the map belongs to the file. A map of a different bake may have wrong lines for the same
 * values. */
static bool is_of_file(where *w)
{
    if (insp_origins_is_of(&w->origins, w->file->header.hash))
        return true;
    insp_complain(w->run, w->sources.map_path,
                  "not the source map of %.300s, which has the hash %016" PRIx64, w->file->path,
                  w->file->header.hash);
    insp_complain(w->run, NULL, "bake the file and its map again in one run of kiln-bake");
    return false;
}

/* Answers argument `number`. */
static int answer(where *w, int number)
{
    const char *what = w->run->options.arguments[number];
    insp_out *out = &w->run->out;
    uint64_t at = 0;
    bool is_offset = read_offset(what, &at);
    int result;
    w->is_first = true;
    w->is_missing = false;
    w->lines = 0;
    if (is_offset && at >= w->file->size) {
        insp_complain(w->run, w->file->path, "%.300s is beyond the end of the file", what);
        return INSP_BAD;
    }
    if (w->is_json) {
        insp_put(out, w->answers++ ? ",\n    {\"argument\": " : "\n    {\"argument\": ");
        insp_put_json_string(out, what, strlen(what));
        if (!is_offset)
            insp_put(out, ", \"offset\": null, \"what\": \"path\", \"member\": null, "
                          "\"more\": false, \"values\": [");
    }
    result = is_offset ? where_offset(w, at) : where_path(w, what);
    if (w->is_json && result < INSP_TROUBLE)
        insp_put(out, w->is_first ? "]}" : "\n    ]}");
    return result;
}

static int answer_all(where *w)
{
    const insp_options *options = &w->run->options;
    insp_out *out = &w->run->out;
    int result = INSP_OK, i;
    if (!insp_has_index(w->run, w->file, &result))
        return result;
    if (!is_of_file(w))
        return INSP_BAD;
    if (w->is_json)
        insp_put(out, "{\n  \"format\": 2,\n  \"answers\": [");
    for (i = 1; i < options->argument_count && result < INSP_TROUBLE && !out->error; i++)
        result = insp_worse(result, answer(w, i));
    if (w->is_json)
        insp_put(out, w->answers ? "\n  ]\n}\n" : "]\n}\n");
    return result;
}

static int trace(insp_run *run, const insp_file *file)
{
    where w = {.run = run, .file = file, .is_json = insp_wants_json(run)};
    char *own = NULL;
    const char *path = run->options.source_map;
    int result;
    if (!path)
        path = own = default_map(file->path);
    w.sources = (insp_sources){.origins = &w.origins,
                               .map_path = path,
                               .base = run->options.base,
                               .file = UINT32_MAX,
                               .run = run};
    result = path ? open_map(&w, path) : insp_no_memory(run);
    if (!result)
        result = answer_all(&w);
    result = insp_worse(result, w.sources.result);
    insp_free(w.sources.text);
    insp_origins_fini(&w.origins);
    if (w.has_map)
        insp_map_fini(&w.map);
    insp_free(own);
    return result;
}

const insp_command insp_where_command = {
    .name = "where",
    .arguments = "FILE PATH|OFFSET...",
    .help = "show the source lines of values or bytes",
    .min_arguments = 2,
    .max_arguments = -1,
    .formats = "text json ",
    .options = "--source-map -C ",
    .show = trace,
};
