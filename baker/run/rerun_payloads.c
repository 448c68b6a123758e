/* The payloads of the output of a rerun: those of the baked assets, whose data were read now, and
 * those of all other assets, which the old output has. */
#include "rerun_store.h"

#include "bake_memory.h"
#include "hash_equal.h"
#include "run_payloads.h"

#include <stdlib.h>

static int compare(const void *a, const void *b)
{
    const bake_rebuilt_payload *x = a, *y = b;
    return bake_hash_compare(x->content, y->content);
}

/* Joins the payloads of a memo with equal data, as bake_run_payloads_add does. Returns NULL if
 * memory runs out. */
static bake_rebuilt_payload *join(const bake_memo *memo, size_t *ret_count)
{
    size_t count = 0;
    bake_rebuilt_payload *all = bake_alloc_array((size_t)memo->payload_count + 1, sizeof *all);
    if (!all)
        return NULL;
    for (uint32_t i = 0; i < memo->payload_count; i++) {
        const bake_memo_payload *from = &memo->payloads[i];
        all[i] = (bake_rebuilt_payload){from->content, {from->alignment, from->frame_size}, NULL};
    }
    if (memo->payload_count > 1)
        qsort(all, memo->payload_count, sizeof *all, compare);
    for (uint32_t i = 0; i < memo->payload_count; i++) {
        bake_rebuilt_payload *last = count ? &all[count - 1] : NULL;
        if (last && bake_hash_equal(last->content, all[i].content))
            last->form = bake_payload_form_join(last->form, all[i].form);
        else
            all[count++] = all[i];
    }
    *ret_count = count;
    return all;
}

static bool are_equal(const bake_rebuilt_payload *a, const bake_rebuilt_payload *b, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!bake_hash_equal(a[i].content, b[i].content) ||
            a[i].form.alignment != b[i].form.alignment ||
            a[i].form.frame_size != b[i].form.frame_size)
            return false;
    return true;
}

/* Uses the data that were read now. */
static void find_made(rerun *r)
{
    size_t count;
    const bake_payload *made = bake_values_payloads(r->values, &count);
    for (size_t i = 0; i < count; i++) {
        const bake_rebuilt_payload key = {.content = made[i].content};
        bake_rebuilt_payload *found =
            r->payload_count ? bsearch(&key, r->payloads, r->payload_count, sizeof key, compare)
                             : NULL;
        if (found)
            found->made = &made[i];
    }
}

bool bake_rerun_payloads_list(rerun *r)
{
    size_t count;
    bake_memo_sort_payloads(r->memo);
    r->payloads = join(r->memo, &r->payload_count);
    bake_rebuilt_payload *before = r->payloads ? join(r->before, &count) : NULL;
    if (!before)
        return false;
    r->has_same_payloads = count == r->payload_count && are_equal(before, r->payloads, count);
    find_made(r);
    bake_free(before);
    return true;
}

void bake_rerun_payloads_fini(rerun *r)
{
    bake_free(r->payloads);
}
