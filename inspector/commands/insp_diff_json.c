/* Prints changes as JSON: an object per line, which a program can apply one after the other to the
 * values of `dump --format json`.
 *
 *     {"format": 1, "changes": [
 *     {"op": "set", "asset": "Item/sword", "path": "Item/sword.price", "steps": ["price"],
 *      "old": 12, "new": 15}, ...
 *     ], "assets": {...}, "values": {...}} */
#include "insp_diff.h"
#include "insp_escape.h"
#include "insp_scalar.h"

#include <inttypes.h>

static const char *const ops[] = {
    [INSP_CHANGE_SET] = "set",
    [INSP_CHANGE_ADD] = "add",
    [INSP_CHANGE_REMOVE] = "remove",
    [INSP_CHANGE_ASSET_ADD] = "add asset",
    [INSP_CHANGE_ASSET_REMOVE] = "remove asset",
    [INSP_CHANGE_ASSET_RENAME] = "rename asset",
    [INSP_CHANGE_ASSET_TYPE] = "type",
    [INSP_CHANGE_ASSET_BYTES] = "bytes",
    [INSP_CHANGE_RENUMBER] = "renumber",
    [INSP_CHANGE_NOTE] = "by position",
};

static void put_text(insp_out *out, const char *key, insp_text text)
{
    insp_putf(out, ", \"%s\": ", key);
    insp_put_json_string(out, text.data, text.length);
}

static void put_asset(insp_diff *d, const insp_change *change)
{
    bool is_old = change->op == INSP_CHANGE_ASSET_RENAME || !change->asset[INSP_NEW];
    put_text(&d->run->out, "asset", change->asset[is_old ? INSP_OLD : INSP_NEW]->name);
}

static void put_step(insp_diff *d, const insp_change_step *step)
{
    insp_out *out = &d->run->out;
    insp_printer p;
    switch (step->kind) {
    case INSP_STEP_FIELD:
    case INSP_STEP_NEWTYPE:
        insp_put_json_string(out, step->name, strlen(step->name));
        break;
    case INSP_STEP_ELEMENT:
        insp_putf(out, "%" PRIu32, step->number[INSP_NEW]);
        break;
    case INSP_STEP_KEY:
        insp_printer_init(&p, out, d->files[INSP_NEW], &d->value_format);
        insp_put_key(&p, &step->key, insp_put_json_string);
        break;
    case INSP_STEP_ENTITY:
        insp_path_cut(&d->path, 0);
        insp_path_add_entity(&d->path, step->text, step->number[INSP_NEW]);
        insp_put_json_string(out, d->path.length ? d->path.text : "", d->path.length);
        break;
    case INSP_STEP_COMPONENT:
        insp_put_json_string(out, step->text.data, step->text.length);
    }
}

static void put_place(insp_diff *d, const insp_change *change)
{
    insp_out *out = &d->run->out;
    size_t i;
    insp_diff_path(d, change, change->op == INSP_CHANGE_REMOVE ? INSP_OLD : INSP_NEW);
    put_text(out, "path",
             (insp_text){d->path.length ? d->path.text : "", (uint32_t)d->path.length});
    insp_put(out, ", \"steps\": [");
    for (i = 0; i < change->step_count; i++) {
        insp_put(out, i ? ", " : "");
        put_step(d, &change->steps[i]);
    }
    insp_put_char(out, ']');
}

static void put_value(insp_diff *d, const char *key, const insp_change *change, int side)
{
    insp_putf(&d->run->out, ", \"%s\": ", key);
    insp_diff_value(d, &d->run->out, change, side);
}

static void put_details(insp_diff *d, const insp_change *change)
{
    insp_out *out = &d->run->out;
    const insp_asset *before = change->asset[INSP_OLD], *after = change->asset[INSP_NEW];
    switch (change->op) {
    case INSP_CHANGE_ASSET_ADD:
        put_text(out, "type", insp_asset_type_name(d->files[INSP_NEW], after));
        if (!d->run->options.stat)
            put_value(d, "value", change, INSP_NEW);
        break;
    case INSP_CHANGE_ASSET_REMOVE:
        put_text(out, "type", insp_asset_type_name(d->files[INSP_OLD], before));
        break;
    case INSP_CHANGE_ASSET_RENAME:
        put_text(out, "to", after->name);
        break;
    case INSP_CHANGE_ASSET_TYPE:
        put_text(out, "old", insp_asset_type_name(d->files[INSP_OLD], before));
        put_text(out, "new", insp_asset_type_name(d->files[INSP_NEW], after));
        break;
    case INSP_CHANGE_ASSET_BYTES:
        insp_putf(out, ", \"old\": %" PRIu64 ", \"new\": %" PRIu64, change->size[INSP_OLD],
                  change->size[INSP_NEW]);
        break;
    case INSP_CHANGE_RENUMBER:
        insp_putf(out, ", \"from\": %" PRIu32 ", \"to\": %" PRIu32 ", \"count\": %" PRIu32,
                  change->from, change->to, change->count);
        break;
    default:
        put_place(d, change);
        if (change->op == INSP_CHANGE_SET || change->op == INSP_CHANGE_REMOVE)
            put_value(d, "old", change, INSP_OLD);
        if (change->op == INSP_CHANGE_SET || change->op == INSP_CHANGE_ADD)
            put_value(d, "new", change, INSP_NEW);
    }
}

static void begin_item(insp_diff *d)
{
    insp_put(&d->run->out, d->has_items ? ",\n" : "\n");
    d->has_items = true;
}

static void put_change(insp_diff *d, const insp_change *change)
{
    begin_item(d);
    insp_putf(&d->run->out, "{\"op\": \"%s\"", ops[change->op]);
    put_asset(d, change);
    put_details(d, change);
    insp_put_char(&d->run->out, '}');
}

static void put_counts(insp_out *out, const insp_diff_counts *counts)
{
    insp_putf(out, "\"set\": %" PRIu64 ", \"added\": %" PRIu64 ", \"removed\": %" PRIu64,
              counts->set, counts->added, counts->removed);
}

static void put_stat(insp_diff *d)
{
    begin_item(d);
    insp_put(&d->run->out, "{\"op\": \"values\"");
    put_text(&d->run->out, "asset", d->asset[INSP_NEW]->name);
    insp_put(&d->run->out, ", ");
    put_counts(&d->run->out, &d->of_asset);
    insp_put_char(&d->run->out, '}');
}

static void begin(insp_diff *d)
{
    insp_put(&d->run->out, "{\"format\": 1, \"changes\": [");
}

static void end(insp_diff *d)
{
    insp_out *out = &d->run->out;
    insp_put(out, d->has_items ? "\n], \"assets\": {" : "], \"assets\": {");
    put_counts(out, &d->assets);
    insp_putf(out, ", \"renamed\": %" PRIu64 "}, \"values\": {", d->renamed);
    put_counts(out, &d->values);
    insp_put(out, "}}\n");
}

const insp_diff_format insp_diff_json = {begin, put_change, put_stat, end};
