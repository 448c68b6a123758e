/* Texts that are ids of one kind, but for a few perhaps. */
#include "infer_form.h"

#include <inttypes.h>
#include <string.h>

enum { ACCEPTED_MAX = 20 };

/* Notes the values that are no ids as accepted, so that they bake; false where they cannot be. */
static bool accept(infer_forms *forms, const infer_texts *texts, const infer_match *match,
                   infer_writer *w)
{
    infer_kind *kind = &forms->ids->kinds[match->kind];
    uint32_t missing = match->distinct - match->hits, told = 0;
    for (uint32_t i = 0; i < texts->value_count; i++) {
        const infer_value *value = &texts->values[i];
        const infer_id *id = bake_infer_ids_find(forms->ids, value->text, value->length);
        while (id && id->kind != match->kind)
            id = bake_infer_ids_next(forms->ids, id);
        if (id && id->is_abstract)
            return false;
    }
    bake_infer_write(w, "; %" PRIu64 " %s not: ", match->all_count - match->hit_count,
                     match->all_count - match->hit_count == 1 ? "is" : "are");
    for (uint32_t i = 0; i < texts->value_count; i++) {
        const infer_value *value = &texts->values[i];
        const infer_id *id = bake_infer_ids_find(forms->ids, value->text, value->length);
        while (id && id->kind != match->kind)
            id = bake_infer_ids_next(forms->ids, id);
        if (id)
            continue;
        infer_place nowhere = {0, 0};
        infer_entry *entry = bake_infer_table_need(&kind->accepted, forms->store, value->text,
                                                   value->length, nowhere);
        if (!entry)
            return false;
        if (told < 3) {
            bake_infer_write(w, told ? ", " : "");
            bake_infer_write_quote(w, value->text, value->length);
            bake_infer_write(w, " at ");
            bake_infer_write_place(forms, w, value->first);
        }
        told++;
    }
    if (missing > 3)
        bake_infer_write(w, " and %u more", missing - 3);
    return true;
}

bool bake_infer_decide_ref(infer_forms *forms, const infer_texts *texts, const char *usage,
                           uint32_t usage_length, infer_form *form)
{
    infer_match match;
    infer_writer w = {forms->store, NULL, 0, 0}, type = {forms->store, NULL, 0, 0};
    if (!(texts->all & INFER_ID) ||
        !bake_infer_ids_match(forms->ids, texts, usage, usage_length, &match))
        return true;
    const infer_kind *kind = &forms->ids->kinds[match.kind];
    bool alike = usage && bake_infer_is_like_kind(kind, usage, usage_length);
    bool numbers = (texts->some & (INFER_NUMBER | INFER_BOOL)) != 0;
    uint32_t missing = match.distinct - match.hits;
    /* What is each asset's own id is no reference. */
    if (!kind->type || (numbers && !alike) ||
        (texts == forms->own && kind == forms->own_kind && missing == 0 &&
         match.hits == kind->count && !alike))
        return true;
    if (missing == 0 && match.distinct == 1 && !alike)
        return true;
    /* Names of files are ids of nothing else but by chance, unless there are many. */
    if (kind->group->layout == INFER_LAYOUT_ONE && (missing || match.distinct < (alike ? 2 : 4)))
        return true;
    if (missing > 0 &&
        (match.distinct < 10 || missing * 10 > match.distinct || missing > ACCEPTED_MAX))
        return true;
    bake_infer_write(&w, "%" PRIu64 " of %" PRIu64 " values are ids of %s", match.hit_count,
                     match.all_count, kind->type);
    if (missing > 0 && !accept(forms, texts, &match, &w))
        return true;
    form->doubtful = missing > 0 || (match.rivals && !alike) || (match.distinct < 3 && !alike) ||
                     kind->group->layout == INFER_LAYOUT_ONE;
    bake_infer_write(&type, "ref<%s>", kind->type);
    form->unnamed = 1;
    form->type = bake_infer_written(&type);
    form->note = bake_infer_written(&w);
    return true;
}
