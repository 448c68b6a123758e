/* The format for line tools and for `git diff`: the path of each value, a tab, and the value as a
 * JSON scalar.
 *
 *     Item/sword	game.Item
 *     Item/sword.parts[0].name	"blade"
 *
 * The first line of an asset has its type instead of a value. Enums, flags and references are
 * strings: the name, the names with commas, the name of the asset or its id. A value without parts
 * is `[]`, `{}` or null. Optionals and newtypes add no step. So equal lines mean equal values. */
#include "insp_flat.h"

#include "insp_escape.h"
#include "insp_format.h"
#include "insp_memory.h"
#include "insp_scalar.h"

#include <inttypes.h>
#include <string.h>

static void put_path(insp_printer *p)
{
    if (p->path.failed)
        p->stopped = true; /* the caller checks `failed` */
    insp_put_bytes(p->out, p->path.length ? p->path.text : "", p->path.length);
    insp_put_char(p->out, '\t');
}

static void put_line(insp_printer *p, const char *value)
{
    put_path(p);
    insp_put(p->out, value);
    insp_put_char(p->out, '\n');
}

static void flat_asset(insp_printer *p, const insp_asset *asset)
{
    insp_text type = insp_asset_type_name(p->file, asset);
    p->level_count = 0;
    insp_path_cut(&p->path, 0);
    insp_path_add_asset(&p->path, asset->name);
    put_path(p);
    insp_put_escaped(p->out, type.data, type.length);
    insp_put_char(p->out, '\n');
}

static void flat_nothing(insp_printer *p)
{
    (void)p;
}

static void flat_open(insp_printer *p, const kiln_value *value, uint32_t count)
{
    insp_level *grown =
        insp_grow(p->levels, &p->level_capacity, p->level_count + 1, sizeof *p->levels);
    bool is_list = value->of->kind == KILN_KIND_ARRAY || value->of->kind == KILN_KIND_FIXED;
    if (!grown) {
        p->path.failed = p->stopped = true;
        return;
    }
    p->levels = grown;
    p->levels[p->level_count++] =
        (insp_level){p->path.length, (value->of->flags & KILN_TYPE_TRANSPARENT) != 0};
    if (!count)
        put_line(p, is_list ? "[]" : "{}");
}

/* Removes the steps of the previous item. */
static void cut(insp_printer *p)
{
    if (p->level_count)
        insp_path_cut(&p->path, p->levels[p->level_count - 1].length);
}

static void flat_close(insp_printer *p, const kiln_value *value)
{
    (void)value;
    cut(p);
    p->level_count -= p->level_count != 0;
}

static void flat_field(insp_printer *p, const kiln_member *member, const kiln_value *value)
{
    (void)value;
    cut(p);
    if (!p->level_count || !p->levels[p->level_count - 1].is_newtype)
        insp_path_add_name(&p->path, member->name, strlen(member->name));
}

static void flat_element(insp_printer *p, uint32_t number)
{
    cut(p);
    insp_path_add_number(&p->path, number);
}

static void flat_key(insp_printer *p, const kiln_value *key)
{
    cut(p);
    insp_path_add_key(&p->path, p->file, key);
}

/* Never called, because flat lists are never shortened. */
static void flat_elided(insp_printer *p, uint32_t count)
{
    (void)p;
    (void)count;
}

static void put_flags(insp_printer *p, const kiln_value *value)
{
    const kiln_member *names[INSP_FLAGS_MAX];
    uint64_t rest;
    uint32_t count = insp_flag_names(value, names, &rest), i;
    p->broken += rest != 0;
    insp_put_char(p->out, '"');
    for (i = 0; i < count; i++) {
        insp_put(p->out, i ? "," : "");
        insp_put_escaped(p->out, names[i]->name, strlen(names[i]->name));
    }
    if (rest)
        insp_putf(p->out, "%s0x%" PRIx64, count ? "," : "", rest);
    insp_put_char(p->out, '"');
}

void insp_put_flat_scalar(insp_printer *p, const kiln_value *value)
{
    kiln_kind kind = value->of->kind;
    if (kind == KILN_KIND_FLAGS)
        put_flags(p, value);
    else if (kind == KILN_KIND_REF || kind == KILN_KIND_ENUM)
        insp_put_key(p, value, insp_put_json_string);
    else
        insp_format_json.scalar(p, value);
}

static void flat_scalar(insp_printer *p, const kiln_value *value)
{
    put_path(p);
    insp_put_flat_scalar(p, value);
    insp_put_char(p->out, '\n');
}

static void flat_null(insp_printer *p, const kiln_value *value)
{
    (void)value;
    put_line(p, "null");
}

static void flat_choice(insp_printer *p, const kiln_member *member)
{
    size_t length = p->path.length;
    insp_path_add_name(&p->path, member->name, strlen(member->name));
    put_line(p, "null");
    insp_path_cut(&p->path, length);
}

/* Not valid JSON, so that no program mistakes it for a value. */
static void flat_broken(insp_printer *p, const kiln_value *value, kiln_status status)
{
    (void)value;
    put_path(p);
    insp_putf(p->out, "<%s: %s>\n", insp_rule(status), kiln_status_text(status));
}

void insp_put_flat_entity(insp_printer *p, const insp_entity *entity)
{
    insp_path target = {0};
    if (entity->is_null) {
        insp_put(p->out, "null");
        return;
    }
    if (entity->is_import)
        insp_path_add_asset(&target, entity->scene);
    insp_path_add_entity(&target, entity->name, entity->number);
    if (target.failed)
        p->path.failed = p->stopped = true;
    insp_put_json_string(p->out, target.length ? target.text : "", target.length);
    insp_path_fini(&target);
}

static void flat_entity(insp_printer *p, const insp_entity *entity)
{
    put_path(p);
    insp_put_flat_entity(p, entity);
    insp_put_char(p->out, '\n');
}

const insp_format insp_format_flat = {
    .name = "flat",
    .begin = flat_nothing,
    .end = flat_nothing,
    .asset = flat_asset,
    .asset_end = flat_nothing,
    .alone = flat_nothing,
    .open = flat_open,
    .close = flat_close,
    .field = flat_field,
    .element = flat_element,
    .key = flat_key,
    .elided = flat_elided,
    .scalar = flat_scalar,
    .null = flat_null,
    .choice = flat_choice,
    .broken = flat_broken,
    .entity = flat_entity,
};
