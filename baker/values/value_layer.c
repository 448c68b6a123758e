/* Entering and leaving a layer, and errors in the paths of patches.
 *
 * Until the layer is left, nodes belong to its tree, and each error in the layer is reported only
 * once. Errors in the layer of an asset are reported with that asset, so its descendants discard
 * them. Errors in the layer of a component are reported for the first value that has them, whose
 * number is in `failed_in` of the origin.
 *
 * Every bake_value_enter_layer needs a bake_value_leave_layer, even after errors. Pairs may be
 * nested. */
#include "value_layer.h"

#include "origin_record.h"
#include "value_mismatch.h"
#include "value_node.h"

#include <stdarg.h>
#include <stdio.h>

/* Saves the state and switches to that of the layer. */
value_saved bake_value_enter_layer(bake_values *b, const value_layer *layer)
{
    value_saved before = {.tree = b->tree,
                          .diagnostics = b->report.to,
                          .no_warnings = b->report.no_warnings,
                          .is_partial = b->merge.is_partial,
                          .is_repeat = b->report.is_repeat,
                          .errors = b->report.errors};
    const bake_layer *of = layer->layer;
    bool is_repeated = b->merge.asset && !layer->is_own;
    b->tree = of->tree;
    b->report.is_repeat = of->is_prototype;
    if (b->origins)
        before.from = bake_origin_from(b, layer);
    if (!b->merge.asset) {
        uint32_t failed = of->origin->failed_in;
        is_repeated = failed && failed != b->merge.value_number && b->report.silence;
    }
    if (is_repeated) {
        b->report.to = b->report.silence;
        b->report.no_warnings |= b->merge.asset != NULL;
    }
    return before;
}

void bake_value_leave_layer(bake_values *b, const value_layer *layer, const value_saved *before)
{
    bake_layer *origin = layer->layer->origin;
    if (b->report.errors > before->errors && !b->merge.asset)
        origin->failed_in = b->merge.value_number;
    if (b->origins)
        bake_origin_from(b, before->from);
    b->report.no_warnings = before->no_warnings;
    b->report.is_repeat = before->is_repeat;
    b->merge.is_partial = before->is_partial;
    b->tree = before->tree;
    b->report.to = before->diagnostics;
}

bool bake_value_layer_is_null(const value_layer *layer)
{
    return value_is_written_null(layer->layer->tree, layer->node);
}

bool bake_value_is_open(const bake_values *b, const value_layer *layers)
{
    return b->merge.asset && (b->merge.is_partial || (!layers->is_own && b->schema->has_never));
}

/* Enters the layer of a path to report an error. A patch that fits its asset need not fit the
 * asset's descendants, and these must not fail without a report. If the run already has an error,
 * that is most likely the error of the patch itself, so reports about descendants are discarded. */
static value_saved begin_reported(bake_values *b, const value_layer *from)
{
    value_saved before = bake_value_enter_layer(b, from);
    if (b->merge.asset && bake_diagnostics_errors(b->report.sources) == 0)
        b->report.to = b->report.sources;
    return before;
}

bool bake_value_path_report(bake_values *b, const value_layer *from, const bake_path *step,
                            const value_step *at, const char *format, ...)
{
    char message[400];
    va_list arguments;
    /* The missing part may be in a file that could not be read. */
    if (b->merge.asset && b->merge.asset->is_partial)
        return false;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    value_saved before = begin_reported(b, from);
    bake_value_report(b, BAKE_ERROR, bake_path_mark(from->layer->tree, step), "path", at, "%s",
                      message);
    bake_value_leave_layer(b, from, &before);
    return false;
}

void bake_value_path_unknown(bake_values *b, const value_layer *from, const bake_path *step,
                             uint32_t type, const value_step *at)
{
    char quote[VALUE_QUOTE_SIZE];
    const char *name = value_type(b, type)->name;
    if (step->is_bracket) {
        bake_value_path_report(b, from, step, at, "brackets need a list or map, but %s is neither",
                               name);
        return;
    }
    bake_value_quote(quote, step->text, step->length);
    value_saved before = begin_reported(b, from);
    bake_value_report(b, BAKE_ERROR, bake_path_mark(from->layer->tree, step), "path", at,
                      "%s has no field %s", name, quote);
    bake_value_hint_members(b, type, step->text, step->length);
    bake_value_leave_layer(b, from, &before);
}

/* Larger numbers saturate at UINT32_MAX, which is not a valid index. */
bool bake_value_path_number(const bake_path *step, uint32_t *ret_number)
{
    uint64_t number = 0;
    for (uint32_t i = 0; i < step->length; i++) {
        if (step->text[i] < '0' || step->text[i] > '9')
            return false;
        number = number * 10 + (uint64_t)(step->text[i] - '0');
        if (number > UINT32_MAX)
            number = UINT32_MAX;
    }
    *ret_number = (uint32_t)number;
    return step->is_bracket && step->length > 0;
}
