#include "memo_change.h"

#include "bake_memory.h"
#include "bake_text.h"
#include "memo_memory.h"

#include <stdlib.h>
#include <string.h>

typedef struct changer {
    const bake_memo_change *change;
    const bake_memo *before;
    bake_memo *memo;
    uint32_t *from;    /* by new row: the old one */
    uint32_t *numbers; /* by old row: the new one; UINT32_MAX: it is gone */
    uint32_t row;      /* next new row */
    uint32_t parent_count, target_count;
    size_t text_size;
} changer;

static int compare_found(const void *a, const void *b)
{
    const bake_memo_found *left = a, *right = b;
    if (left->section != right->section)
        return left->section < right->section ? -1 : 1;
    return bake_compare_text(left->name, left->name_length, right->name, right->name_length);
}

static bool is_kept(const changer *c, uint32_t row)
{
    return c->change->kept[c->before->all[row].file] != UINT32_MAX;
}

/* The first row of a section in the old memo. */
static uint32_t begin_of(const bake_memo *memo, bake_memo_section section)
{
    return section == BAKE_SECTION_ASSETS      ? 0
           : section == BAKE_SECTION_ABSTRACTS ? memo->asset_count
                                               : bake_memo_prefabs_at(memo);
}

static uint32_t end_of(const bake_memo *memo, bake_memo_section section)
{
    return section == BAKE_SECTION_PREFABS ? memo->count : begin_of(memo, section + 1);
}

static uint32_t find_row(const bake_memo *memo, const bake_memo_found *found)
{
    return found->section == BAKE_SECTION_PREFABS
               ? bake_memo_find_prefab(memo, found->name, found->name_length)
               : bake_memo_find(memo, found->name, found->name_length);
}

/* Counts the kept rows of a section, their parents and texts. */
static void count_kept(const changer *c, uint32_t first, uint32_t end, memo_counts *counts)
{
    for (uint32_t i = first; i < end; i++) {
        if (!is_kept(c, i))
            continue;
        counts->rows++;
        counts->text += c->before->all[i].name_length + 1;
    }
}

/* There are at most as many parents and targets as before, because those of found assets are only
 * copied. */
static bool count_all(const changer *c, memo_counts *ret)
{
    const bake_memo_change *change = c->change;
    memo_counts counts = {.files = change->file_count,
                          .kinds = change->kinds ? change->kind_count : c->before->kind_count,
                          .parents = c->before->parent_count,
                          .targets = c->before->target_count,
                          .payloads = c->before->payload_count};
    uint64_t rows = 0;
    for (uint32_t i = 0; i < change->found_count; i++) {
        counts.text += change->found[i].name_length + 1;
        counts.assets += change->found[i].section == BAKE_SECTION_ASSETS;
        counts.prefabs += change->found[i].section == BAKE_SECTION_PREFABS;
    }
    uint32_t prefabs_at = bake_memo_prefabs_at(c->before);
    count_kept(c, 0, c->before->asset_count, &counts);
    counts.assets += counts.rows;
    count_kept(c, c->before->asset_count, prefabs_at, &counts);
    uint32_t others = counts.rows;
    count_kept(c, prefabs_at, c->before->count, &counts);
    counts.prefabs += counts.rows - others;
    rows = (uint64_t)counts.rows + change->found_count;
    for (uint32_t i = 0; i < change->file_count; i++)
        counts.text += strlen(change->paths[i]) + 1;
    counts.rows = (uint32_t)rows;
    counts.forms = c->before->form_count ? counts.rows : 0;
    *ret = counts;
    return rows < UINT32_MAX && counts.text < UINT32_MAX;
}

static void add_files(changer *c)
{
    for (uint32_t i = 0; i < c->change->file_count; i++) {
        size_t length = strlen(c->change->paths[i]);
        c->memo->files[i] = (bake_memo_source){
            .size = c->change->sizes[i],
            .path = bake_memo_put_text(c->memo, &c->text_size, c->change->paths[i], length),
            .path_length = (uint32_t)length};
    }
}

static void add_kept(changer *c, uint32_t number)
{
    bake_memo_asset *row = &c->memo->all[c->row];
    *row = c->before->all[number];
    row->file = c->change->kept[row->file];
    if (c->change->types && !bake_memo_is_scene(row))
        row->type = c->change->types[row->type];
    row->name = bake_memo_put_text(c->memo, &c->text_size, bake_memo_name(c->before, number),
                                   row->name_length);
    if (c->memo->form_count)
        c->memo->forms[c->row] = c->before->forms[number];
    c->from[c->row] = number;
    c->numbers[number] = c->row++;
}

/* Returns false if an unchanged asset has the same name. */
static bool add_found(changer *c, const bake_memo_found *found)
{
    bake_memo_asset *row = &c->memo->all[c->row];
    uint32_t number = find_row(c->before, found);
    memset(row, 0, sizeof *row);
    if (number != UINT32_MAX) {
        if (is_kept(c, number) || c->numbers[number] != UINT32_MAX)
            return false;
        *row = c->before->all[number];
        c->numbers[number] = c->row;
    }
    row->name = bake_memo_put_text(c->memo, &c->text_size, found->name, found->name_length);
    row->name_length = (uint32_t)found->name_length;
    row->meaning = found->meaning;
    if (c->memo->form_count)
        c->memo->forms[c->row] = found->form;
    row->type = found->type;
    row->rule = found->rule;
    row->file = found->file;
    c->from[c->row++] = number;
    return true;
}

/* Merges the old rows of a section with the found assets, both sorted by name, and advances `*next`
 * to the first found asset of the next section. */
static bool merge(changer *c, bake_memo_section section, uint32_t *next)
{
    const bake_memo_change *change = c->change;
    uint32_t end = end_of(c->before, section);
    for (uint32_t i = begin_of(c->before, section);;) {
        const bake_memo_found *found =
            *next < change->found_count && change->found[*next].section == section
                ? &change->found[*next]
                : NULL;
        while (i < end && !is_kept(c, i))
            i++;
        if (i == end && !found)
            return true;
        int order = !found     ? -1
                    : i == end ? 1
                               : bake_compare_text(bake_memo_name(c->before, i),
                                                   c->before->all[i].name_length, found->name,
                                                   found->name_length);
        if (order < 0)
            add_kept(c, i++);
        else if (order == 0 || !add_found(c, found))
            return false;
        else
            ++*next;
    }
}

/* Neither list has duplicates of its own except among new found assets. */
static bool are_unique(const changer *c)
{
    for (uint32_t i = 0; i < c->change->found_count; i++) {
        const bake_memo_found *found = &c->change->found[i];
        if (i > 0 && compare_found(found - 1, found) == 0)
            return false;
        uint32_t row = find_row(c->memo, found);
        if (found->section == BAKE_SECTION_ABSTRACTS && row < c->memo->asset_count)
            return false;
    }
    return true;
}

/* Renumbers the parents. */
static bool add_parents(changer *c)
{
    for (uint32_t i = 0; i < c->memo->count; i++) {
        bake_memo_asset *row = &c->memo->all[i];
        uint32_t first = row->first_parent, count = row->parent_count;
        bool may_lose = c->from[i] == UINT32_MAX || !is_kept(c, c->from[i]);
        row->first_parent = c->parent_count;
        row->parent_count = 0;
        for (uint32_t p = 0; p < count; p++) {
            uint32_t number = c->numbers[c->before->parents[first + p]];
            if (number == UINT32_MAX && !may_lose)
                return false;
            /* A forged memo can have more parents in its rows than in its list. */
            if (number == UINT32_MAX || c->parent_count == c->before->parent_count)
                continue;
            c->memo->parents[c->parent_count++] = number;
            row->parent_count++;
        }
    }
    c->memo->parent_count = c->parent_count;
    return true;
}

static bool add_targets(changer *c)
{
    for (uint32_t i = 0; i < c->memo->count; i++) {
        bake_memo_asset *row = &c->memo->all[i];
        /* A forged memo can have more targets in its rows than in its list. */
        if (row->target_count > c->before->target_count - c->target_count)
            return false;
        memcpy(c->memo->targets + c->target_count, c->before->targets + row->first_target,
               row->target_count * sizeof *c->memo->targets);
        row->first_target = c->target_count;
        c->target_count += row->target_count;
    }
    c->memo->target_count = c->target_count;
    return true;
}

/* Renumbers the rows of payloads. Rows keep their order. */
static void add_payloads(changer *c)
{
    c->memo->payload_count = 0;
    for (uint32_t i = 0; i < c->before->payload_count; i++) {
        bake_memo_payload payload = c->before->payloads[i];
        payload.row = c->numbers[payload.row];
        if (payload.row < c->memo->asset_count)
            c->memo->payloads[c->memo->payload_count++] = payload;
    }
}

static void add_scenes(changer *c)
{
    bake_memo_scenes *scenes = &c->memo->scenes;
    uint32_t prefabs = scenes->prefab_count;
    *scenes = c->before->scenes;
    scenes->prefab_count = prefabs;
    if (scenes->exist && c->change->kinds)
        scenes->schema = c->change->schema_types;
}

static void add_kinds(changer *c)
{
    const bake_memo_change *change = c->change;
    c->memo->schema_rest = change->kinds ? change->schema_rest : c->before->schema_rest;
    add_scenes(c);
    memcpy(c->memo->kinds, change->kinds ? change->kinds : c->before->kinds,
           c->memo->kind_count * sizeof *c->memo->kinds);
}

static bool fill(changer *c)
{
    uint32_t next = 0;
    add_kinds(c);
    add_files(c);
    if (!merge(c, BAKE_SECTION_ASSETS, &next) || !merge(c, BAKE_SECTION_ABSTRACTS, &next) ||
        !merge(c, BAKE_SECTION_PREFABS, &next) || !are_unique(c) || !add_parents(c) ||
        !add_targets(c))
        return false;
    add_payloads(c);
    return true;
}

/* ---- a change that only replaces rows ---- */

/* Whether the lists of parents and targets have no unused rows. Otherwise the rows are copied one
 * by one, which drops the unused ones. */
static bool is_compact(const bake_memo *memo)
{
    uint64_t parents = 0, targets = 0;
    for (uint32_t i = 0; i < memo->count; i++) {
        parents += memo->all[i].parent_count;
        targets += memo->all[i].target_count;
    }
    return parents == memo->parent_count && targets == memo->target_count;
}

static bool has_same_files(const bake_memo_change *change)
{
    const bake_memo *before = change->before;
    if (change->kinds || change->types || change->file_count != before->file_count)
        return false;
    for (uint32_t i = 0; i < before->file_count; i++) {
        const char *old = bake_memo_path(before, i);
        if ((change->kept[i] != i && change->kept[i] != UINT32_MAX) ||
            (change->paths[i] != old && strcmp(change->paths[i], old) != 0))
            return false;
    }
    return true;
}

/* Finds the old row of each found asset. Returns false if the old rows of the changed files are not
 * exactly those of the found assets. */
static bool match_found(changer *c)
{
    const bake_memo_change *change = c->change;
    uint32_t changed = 0;
    for (uint32_t i = 0; i < c->before->count; i++)
        changed += !is_kept(c, i);
    for (uint32_t i = 0; i < change->found_count && changed == change->found_count; i++) {
        const bake_memo_found *found = &change->found[i];
        uint32_t row = find_row(c->before, found);
        if (row == UINT32_MAX || is_kept(c, row) || c->numbers[row] != UINT32_MAX ||
            row < begin_of(c->before, found->section) || row >= end_of(c->before, found->section))
            return false;
        c->numbers[row] = i;
    }
    return changed == change->found_count;
}

static bool copy_lists(changer *c)
{
    const bake_memo *from = c->before;
    const memo_counts counts = {from->count,
                                from->asset_count,
                                from->file_count,
                                from->parent_count,
                                from->target_count,
                                from->kind_count,
                                from->text_size,
                                from->form_count,
                                from->payload_count,
                                0,
                                0,
                                from->scenes.prefab_count,
                                0,
                                0};
    bake_memo *to = c->memo = bake_memo_create(&counts);
    if (!to)
        return false;
    memcpy(to->all, from->all, from->count * sizeof *to->all);
    memcpy(to->files, from->files, from->file_count * sizeof *to->files);
    memcpy(to->parents, from->parents, from->parent_count * sizeof *to->parents);
    memcpy(to->targets, from->targets, from->target_count * sizeof *to->targets);
    memcpy(to->kinds, from->kinds, from->kind_count * sizeof *to->kinds);
    memcpy(to->forms, from->forms, from->form_count * sizeof *to->forms);
    memcpy(to->payloads, from->payloads, from->payload_count * sizeof *to->payloads);
    memcpy(to->texts, from->texts, from->text_size);
    to->schema_rest = from->schema_rest;
    to->scenes = from->scenes;
    return true;
}

/* The usual case: neither names nor files change, so all rows keep their numbers. Returns false if
 * something else changes, or memory runs out. */
static bool replace_rows(changer *c)
{
    const bake_memo_change *change = c->change;
    if (!has_same_files(change) || !match_found(c) || !is_compact(c->before) || !copy_lists(c))
        return false;
    for (uint32_t i = 0; i < c->memo->file_count; i++)
        c->memo->files[i].size = change->sizes[i];
    for (uint32_t i = 0; i < c->memo->count; i++) {
        bake_memo_asset *row = &c->memo->all[i];
        c->from[i] = i;
        if (c->numbers[i] == UINT32_MAX)
            continue;
        const bake_memo_found *found = &change->found[c->numbers[i]];
        row->meaning = found->meaning;
        if (c->memo->form_count)
            c->memo->forms[i] = found->form;
        row->type = found->type;
        row->rule = found->rule;
        row->file = found->file;
    }
    return true;
}

static void clear_numbers(changer *c)
{
    for (uint32_t i = 0; i < c->before->count; i++)
        c->numbers[i] = UINT32_MAX;
}

bake_memo *bake_memo_change_apply(const bake_memo_change *change, uint32_t *ret_from)
{
    changer c = {.change = change, .before = change->before, .from = ret_from};
    memo_counts counts;
    bool done = false;
    if (change->found_count > 1)
        qsort(change->found, change->found_count, sizeof *change->found, compare_found);
    c.numbers = bake_alloc_array((size_t)c.before->count + 1, sizeof *c.numbers);
    if (c.numbers) {
        clear_numbers(&c);
        done = replace_rows(&c);
    }
    if (c.numbers && !done && !c.memo && count_all(&c, &counts)) {
        clear_numbers(&c);
        c.memo = bake_memo_create(&counts);
        done = c.memo && fill(&c);
    }
    bake_free(c.numbers);
    if (done)
        return c.memo;
    bake_memo_destroy(c.memo);
    return NULL;
}
