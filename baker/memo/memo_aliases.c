#include "memo_aliases.h"

#include "asset_guids.h"
#include "asset_links.h"
#include "bake_memory.h"
#include "bake_text.h"

#include <string.h>

/* Returns its place; UINT32_MAX if memory runs out or the texts become too long. */
static uint32_t add_text(bake_memo *memo, text_key text)
{
    uint32_t at = memo->alias_size;
    char *all = text.length < UINT32_MAX - 1 - at
                    ? bake_grow(memo->alias_texts, &memo->alias_text_capacity,
                                (size_t)at + text.length + 1, 1)
                    : NULL;
    if (!all)
        return UINT32_MAX;
    memo->alias_texts = all;
    if (text.length)
        memcpy(all + at, text.text, text.length);
    all[at + text.length] = '\0';
    memo->alias_size += (uint32_t)text.length + 1;
    return at;
}

bool bake_memo_add_alias(bake_memo *memo, bake_memo_alias_kind kind, uint32_t file, text_key name,
                         text_key to)
{
    uint32_t name_at = add_text(memo, name), to_at = add_text(memo, to);
    bake_memo_alias *all =
        name_at != UINT32_MAX && to_at != UINT32_MAX && memo->alias_count < UINT32_MAX - 1
            ? bake_grow(memo->aliases, &memo->alias_capacity, (size_t)memo->alias_count + 1,
                        sizeof *all)
            : NULL;
    if (!all)
        return false;
    memo->aliases = all;
    all[memo->alias_count++] =
        (bake_memo_alias){name_at, (uint32_t)name.length, to_at, (uint32_t)to.length, file, kind};
    return true;
}

static const text_key no_text = {"", 0};

static bool add_links(bake_memo *memo, const bake_links *links)
{
    static const bake_memo_alias_kind kinds[] = {[BAKE_LINK_RENAMED] = BAKE_MEMO_RENAMED,
                                                 [BAKE_LINK_DELETED] = BAKE_MEMO_DELETED,
                                                 [BAKE_LINK_ACCEPTED] = BAKE_MEMO_ACCEPTED};
    for (size_t i = 0; links && i < links->count; i++) {
        const bake_link *link = &links->all[i];
        const text_key name = {link->name, link->length}, to = {link->to, link->to_length};
        if (!bake_memo_add_alias(memo, kinds[link->kind], BAKE_MEMO_NO_FILE, name,
                                 link->kind == BAKE_LINK_RENAMED ? to : no_text))
            return false;
    }
    return true;
}

bool bake_memo_add_aliases(bake_memo *memo, const bake_inputs *inputs, const uint32_t *numbers)
{
    bool done = add_links(memo, inputs->links);
    for (size_t i = 0; inputs->guids && i < inputs->guids->count && done; i++) {
        const bake_guid *guid = &inputs->guids->all[i];
        const text_key name = {guid->guid, guid->length}, to = {guid->path, guid->path_length};
        if (guid->input != UINT32_MAX)
            done = bake_memo_add_alias(memo, guid->rule ? BAKE_MEMO_GUID_OF_INPUT : BAKE_MEMO_GUID,
                                       numbers ? numbers[guid->input] : guid->input, name, to);
    }
    for (uint32_t i = 0; i < inputs->count && done; i++)
        if (inputs->inputs[i].has_links || inputs->inputs[i].is_patched)
            done = bake_memo_add_alias(memo, BAKE_MEMO_CONTEXT, numbers ? numbers[i] : i, no_text,
                                       no_text);
    return done;
}

/* All kinds of links are one class, and both of guids. */
static unsigned class_of(const bake_memo_alias *alias)
{
    return alias->kind <= BAKE_MEMO_ACCEPTED ? 0 : bake_memo_is_guid(alias) ? 1 : alias->kind;
}

int bake_memo_compare_aliases(const bake_memo *a, const bake_memo_alias *left, const bake_memo *b,
                              const bake_memo_alias *right)
{
    unsigned x = class_of(left), y = class_of(right);
    return x != y ? (x > y) - (x < y)
                  : bake_compare_text(bake_memo_alias_name(a, left), left->name_length,
                                      bake_memo_alias_name(b, right), right->name_length);
}

static void sift(bake_memo *memo, uint32_t at, uint32_t count)
{
    bake_memo_alias *all = memo->aliases;
    for (uint32_t next; (next = 2 * at + 1) < count; at = next) {
        if (next + 1 < count &&
            bake_memo_compare_aliases(memo, &all[next], memo, &all[next + 1]) < 0)
            next++;
        if (bake_memo_compare_aliases(memo, &all[at], memo, &all[next]) >= 0)
            return;
        bake_memo_alias larger = all[next];
        all[next] = all[at];
        all[at] = larger;
    }
}

/* Heapsort, because the order needs the texts, which qsort cannot pass on. */
void bake_memo_sort_aliases(bake_memo *memo)
{
    for (uint32_t i = memo->alias_count / 2; i > 0; i--)
        sift(memo, i - 1, memo->alias_count);
    for (uint32_t i = memo->alias_count; i > 1; i--) {
        bake_memo_alias first = memo->aliases[0];
        memo->aliases[0] = memo->aliases[i - 1];
        memo->aliases[i - 1] = first;
        sift(memo, 0, i - 1);
    }
}
