/* Prints changes as text: a line each, which begins with a sign.
 *
 *     + Item/axe: game.Item
 *     > Item/club -> Item/mace
 *     ~ Item/sword.price: 12 -> 15
 *     - Item/sword.tags[1]: "heavy"
 *
 * The path of a removed value is the one in the old file, every other path the one in the new file.
 * Long values are shortened unless --all is given; of two long values, the part around their first
 * difference is shown. */
#include "insp_diff.h"
#include "insp_escape.h"
#include "utf8.h"

#include <inttypes.h>

/* A value of more than SHOWN bytes is shortened. CONTEXT bytes before the first difference are
 * shown. */
enum { SHOWN = 120, CONTEXT = 24 };

static const char *const signs[] = {
    [INSP_CHANGE_SET] = "~",          [INSP_CHANGE_ADD] = "+",
    [INSP_CHANGE_REMOVE] = "-",       [INSP_CHANGE_ASSET_ADD] = "+",
    [INSP_CHANGE_ASSET_REMOVE] = "-", [INSP_CHANGE_ASSET_RENAME] = ">",
    [INSP_CHANGE_ASSET_TYPE] = "~",   [INSP_CHANGE_ASSET_BYTES] = "~",
    [INSP_CHANGE_RENUMBER] = ">",     [INSP_CHANGE_NOTE] = "!",
};

static insp_style style_of(insp_change_op op)
{
    return signs[op][0] == '+'   ? INSP_STYLE_TEXT
           : signs[op][0] == '-' ? INSP_STYLE_BROKEN
                                 : INSP_STYLE_NUMBER;
}

/* The position from which two texts are shown, so that their first difference is visible. */
static size_t start_of(const insp_out *before, const insp_out *after)
{
    size_t same = 0;
    while (same < before->used && same < after->used && before->buffer[same] == after->buffer[same])
        same++;
    if (same < SHOWN / 2)
        return 0;
    same -= CONTEXT;
    while (same && utf8_is_inside(before->buffer[same]))
        same--;
    return same;
}

static void put_part(insp_out *out, const insp_out *text, size_t from)
{
    size_t end = text->used - from > SHOWN ? from + SHOWN : text->used;
    bool is_cut = text->error || end < text->used;
    while (is_cut && end > from && end < text->used && utf8_is_inside(text->buffer[end]))
        end--;
    insp_put(out, from ? "..." : "");
    insp_put_bytes(out, text->buffer + from, end - from);
    insp_put(out, is_cut ? "..." : "");
}

/* Prints the values that the change has. */
static void put_values(insp_diff *d, const insp_change *change)
{
    insp_out *out = &d->run->out;
    size_t from;
    int side;
    bool both = change->op == INSP_CHANGE_SET;
    int first = change->op == INSP_CHANGE_ADD ? INSP_NEW : INSP_OLD;
    for (side = 0; side < INSP_SIDES; side++) {
        insp_out_restart(d->text[side]);
        if ((both || side == first) && !d->run->options.all)
            insp_diff_value(d, d->text[side], change, side);
    }
    from = both ? start_of(d->text[INSP_OLD], d->text[INSP_NEW]) : 0;
    for (side = 0; side < INSP_SIDES; side++) {
        if (!both && side != first)
            continue;
        insp_put(out, both && side == INSP_NEW ? " -> " : "");
        if (d->run->options.all)
            insp_diff_value(d, out, change, side);
        else
            put_part(out, d->text[side], from);
    }
}

static void put_type(insp_diff *d, const insp_change *change, int side)
{
    insp_text type = insp_asset_type_name(d->files[side], change->asset[side]);
    insp_put_escaped(&d->run->out, type.data, type.length);
}

static void put_asset(insp_diff *d, const insp_change *change, int side)
{
    insp_path_cut(&d->path, 0);
    insp_path_add_asset(&d->path, change->asset[side]->name);
    d->no_memory = d->no_memory || d->path.failed;
    insp_put_bytes(&d->run->out, d->path.length ? d->path.text : "", d->path.length);
}

static void put_numbers(insp_out *out, uint32_t from, uint32_t count)
{
    insp_putf(out, "#%" PRIu32, from);
    if (count > 1)
        insp_putf(out, "..%" PRIu32, from + count - 1);
}

static void put_size(insp_out *out, uint64_t size)
{
    if (size)
        insp_putf(out, "%" PRIu64 " bytes", size);
    else
        insp_put(out, "not readable");
}

/* What follows the name of an asset. */
static void put_asset_change(insp_diff *d, const insp_change *change)
{
    insp_out *out = &d->run->out;
    switch (change->op) {
    case INSP_CHANGE_ASSET_ADD:
    case INSP_CHANGE_ASSET_REMOVE:
        insp_put(out, ": ");
        put_type(d, change, change->op == INSP_CHANGE_ASSET_ADD ? INSP_NEW : INSP_OLD);
        break;
    case INSP_CHANGE_ASSET_RENAME:
        insp_put(out, " -> ");
        put_asset(d, change, INSP_NEW);
        break;
    case INSP_CHANGE_ASSET_TYPE:
        insp_put(out, ": type ");
        put_type(d, change, INSP_OLD);
        insp_put(out, " -> ");
        put_type(d, change, INSP_NEW);
        break;
    case INSP_CHANGE_ASSET_BYTES:
        insp_put(out, ": ");
        put_size(out, change->size[INSP_OLD]);
        insp_put(out, " -> ");
        put_size(out, change->size[INSP_NEW]);
        insp_put(out, change->size[INSP_OLD] == change->size[INSP_NEW] ? ", different" : "");
        break;
    default:
        put_numbers(out, change->from, change->count);
        insp_put(out, " -> ");
        put_numbers(out, change->to, change->count);
    }
}

static void put_change(insp_diff *d, const insp_change *change)
{
    insp_out *out = &d->run->out;
    int side = change->asset[INSP_NEW] ? INSP_NEW : INSP_OLD;
    insp_put_style(out, style_of(change->op));
    insp_put(out, signs[change->op]);
    insp_put_style(out, INSP_STYLE_PLAIN);
    insp_put_char(out, ' ');
    if (change->op == INSP_CHANGE_SET || change->op == INSP_CHANGE_ADD ||
        change->op == INSP_CHANGE_REMOVE || change->op == INSP_CHANGE_NOTE) {
        insp_diff_path(d, change, change->op == INSP_CHANGE_REMOVE ? INSP_OLD : INSP_NEW);
        insp_put_bytes(out, d->path.length ? d->path.text : "", d->path.length);
        insp_put(out, ": ");
        if (change->op == INSP_CHANGE_NOTE)
            insp_put(out, "compared by position, because the lists differ too much");
        else
            put_values(d, change);
    } else {
        put_asset(d, change, change->op == INSP_CHANGE_ASSET_RENAME ? INSP_OLD : side);
        put_asset_change(d, change);
    }
    insp_put_char(out, '\n');
}

static void put_counts(insp_out *out, const insp_diff_counts *counts)
{
    insp_putf(out, "%" PRIu64 " changed, %" PRIu64 " added, %" PRIu64 " removed", counts->set,
              counts->added, counts->removed);
}

static void put_stat(insp_diff *d)
{
    insp_change change = {.asset = {d->asset[INSP_OLD], d->asset[INSP_NEW]}};
    insp_out *out = &d->run->out;
    insp_put_style(out, INSP_STYLE_NUMBER);
    insp_put(out, "~ ");
    insp_put_style(out, INSP_STYLE_PLAIN);
    put_asset(d, &change, INSP_NEW);
    insp_put(out, ": ");
    put_counts(out, &d->of_asset);
    insp_put_char(out, '\n');
}

static void end(insp_diff *d)
{
    insp_out *out = &d->run->out;
    if (!d->run->options.stat || !d->has_changes)
        return;
    insp_put(out, "assets: ");
    put_counts(out, &d->assets);
    insp_putf(out, ", %" PRIu64 " renamed; values: ", d->renamed);
    put_counts(out, &d->values);
    insp_put_char(out, '\n');
}

static void begin(insp_diff *d)
{
    (void)d;
}

const insp_diff_format insp_diff_text = {begin, put_change, put_stat, end};
