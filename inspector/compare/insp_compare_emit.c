/* Reports changes, except those that the caller wants to ignore. */
#include "insp_comparing.h"

#include "insp_glob.h"
#include "insp_memory.h"

bool insp_compare_goes_on(const insp_comparing *c)
{
    return !c->no_memory && !c->result->stopped && !(c->quiet && c->differs);
}

bool insp_compare_spend(insp_comparing *c, uint64_t steps)
{
    if (steps > c->left)
        c->result->stopped = true;
    else
        c->left -= steps;
    return insp_compare_goes_on(c);
}

insp_change_step *insp_compare_push(insp_comparing *c, insp_change_step_kind kind)
{
    insp_change_step *grown =
        insp_grow(c->steps, &c->step_capacity, c->step_count + 1, sizeof *c->steps);
    if (!grown) {
        c->no_memory = true;
        return NULL;
    }
    c->steps = grown;
    c->steps[c->step_count] = (insp_change_step){.kind = kind};
    return &c->steps[c->step_count++];
}

void insp_compare_pop(insp_comparing *c)
{
    c->step_count--;
}

/* Whether a pattern matches the path of the change, of a value that contains it, or of its asset.
 */
static bool is_ignored(insp_comparing *c, const insp_change *change, int side)
{
    size_t length;
    int i;
    for (length = 0; length <= change->step_count; length++) {
        insp_change_path(&c->path, c->def->files[side], change, side, length);
        if (c->path.failed) {
            c->no_memory = true;
            return true;
        }
        for (i = 0; i < c->def->ignored_count; i++)
            if (insp_glob(c->def->ignored[i], c->path.text, c->path.length))
                return true;
    }
    return false;
}

void insp_compare_emit(insp_comparing *c, insp_change *change)
{
    int side = change->op == INSP_CHANGE_REMOVE ? INSP_OLD : INSP_NEW;
    if (c->quiet) {
        c->differs = true;
        return;
    }
    change->steps = c->steps;
    change->step_count = c->step_count;
    if (c->def->ignored_count && is_ignored(c, change, side))
        return;
    c->result->changes += change->op != INSP_CHANGE_NOTE;
    c->def->found(c->def->ctx, change);
}

void insp_compare_set(insp_comparing *c, const insp_seen *before, const insp_seen *after)
{
    insp_change change = {.op = INSP_CHANGE_SET,
                          .asset = {c->asset[INSP_OLD], c->asset[INSP_NEW]},
                          .value = {&before->value, &after->value},
                          .words = {before->words, after->words}};
    insp_compare_emit(c, &change);
}

void insp_compare_one(insp_comparing *c, int side, const insp_seen *value)
{
    insp_change change = {.op = side == INSP_OLD ? INSP_CHANGE_REMOVE : INSP_CHANGE_ADD,
                          .asset = {c->asset[INSP_OLD], c->asset[INSP_NEW]}};
    change.value[side] = &value->value;
    change.words[side] = value->words;
    insp_compare_emit(c, &change);
}
