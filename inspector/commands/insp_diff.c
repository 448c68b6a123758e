/* Counts changes, and passes them to the output format. */
#include "insp_diff.h"

#include "insp_flat.h"
#include "insp_format.h"
#include "insp_memory.h"

kiln_status insp_diff_init(insp_diff *d, insp_run *run, const insp_file *before,
                           const insp_file *after)
{
    int side;
    *d = (insp_diff){.run = run, .files = {before, after}};
    d->format = insp_wants_json(run) ? &insp_diff_json : &insp_diff_text;
    d->value_format = insp_format_json;
    d->value_format.entity = insp_put_flat_entity;
    if (d->format == &insp_diff_text)
        d->value_format.scalar = insp_put_flat_scalar;
    for (side = 0; side < INSP_SIDES; side++) {
        d->text[side] = insp_alloc_unset(sizeof(insp_out), sizeof(void *));
        if (!d->text[side])
            return KILN_NO_MEMORY;
        insp_out_init_text(d->text[side]);
    }
    d->format->begin(d);
    return KILN_OK;
}

void insp_diff_fini(insp_diff *d)
{
    insp_free(d->text[INSP_OLD]);
    insp_free(d->text[INSP_NEW]);
    insp_path_fini(&d->path);
}

static void flush(insp_diff *d)
{
    const insp_diff_counts *counts = &d->of_asset;
    if (d->run->options.stat && (counts->set || counts->added || counts->removed))
        d->format->stat(d);
    d->of_asset = (insp_diff_counts){0};
}

static void count(insp_diff_counts *counts, insp_change_op op)
{
    counts->set += op == INSP_CHANGE_SET;
    counts->added += op == INSP_CHANGE_ADD || op == INSP_CHANGE_ASSET_ADD;
    counts->removed += op == INSP_CHANGE_REMOVE || op == INSP_CHANGE_ASSET_REMOVE;
}

void insp_diff_add(void *ctx, const insp_change *change)
{
    insp_diff *d = ctx;
    bool is_value = change->op <= INSP_CHANGE_REMOVE;
    bool is_lone = !change->asset[INSP_OLD] || !change->asset[INSP_NEW];
    bool is_other = change->asset[INSP_OLD] != d->asset[INSP_OLD] ||
                    change->asset[INSP_NEW] != d->asset[INSP_NEW];
    if (is_other)
        flush(d);
    if (is_lone)
        count(&d->assets, change->op);
    else if (change->op == INSP_CHANGE_ASSET_RENAME)
        d->renamed++;
    else if (change->op != INSP_CHANGE_NOTE && (is_other || !d->asset_is_counted))
        d->assets.set++;
    d->asset_is_counted =
        (!is_other && d->asset_is_counted) ||
        (change->op != INSP_CHANGE_ASSET_RENAME && change->op != INSP_CHANGE_NOTE);
    d->asset[INSP_OLD] = change->asset[INSP_OLD];
    d->asset[INSP_NEW] = change->asset[INSP_NEW];
    if (is_value) {
        count(&d->values, change->op);
        count(&d->of_asset, change->op);
    }
    if (!is_value || !d->run->options.stat)
        d->format->change(d, change);
    d->has_changes = true;
}

void insp_diff_end(insp_diff *d)
{
    flush(d);
    d->format->end(d);
}
