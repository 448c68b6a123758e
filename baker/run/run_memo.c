#include "run_memo.h"

#include "memo_aliases.h"

bool bake_run_keep_payloads(const bake_values *values, uint32_t row, bake_memo *memo)
{
    size_t count, used_count;
    const bake_payload *all = bake_values_payloads(values, &count);
    const uint32_t *used = bake_values_used_payloads(values, &used_count);
    for (size_t i = 0; i < used_count; i++) {
        const bake_payload *payload = &all[used[i]];
        const bake_memo_payload kept = {payload->content, row, payload->form.alignment,
                                        payload->form.frame_size, 0};
        if (!bake_memo_add_payload(memo, &kept))
            return false;
    }
    return true;
}

bool bake_run_keep_missing(const bake_values *values, bake_memo *memo)
{
    const text_key none = {"", 0};
    text_key name = none;
    for (size_t i = 0; (name.text = bake_values_missing_name(values, i, &name.length)); i++)
        if (!bake_memo_add_alias(memo, BAKE_MEMO_DANGLING, BAKE_MEMO_NO_FILE, name, none))
            return false;
    bake_memo_sort_aliases(memo);
    return true;
}
