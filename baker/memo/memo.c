#include "memo.h"

#include "asset_bases.h"
#include "asset_links.h"
#include "bake_memory.h"
#include "bake_text.h"
#include "memo_memory.h"
#include "memo_patches.h"
#include "node_meaning.h"
#include "schema_meaning.h"

#include <stdlib.h>
#include <string.h>

bool bake_memo_are_possible(const bake_inputs *inputs)
{
    return !inputs->incomplete && (inputs->patch_count == 0 || (!inputs->links && !inputs->scenes));
}

/* A list of a memo, with room for one row more, so that it is not empty. It is not zeroed: the
 * lists are large, and all rows are written. */
static void *alloc_list(uint32_t count, size_t size)
{
    return count < SIZE_MAX / size - 1 ? bake_alloc(((size_t)count + 1) * size) : NULL;
}

bake_memo *bake_memo_create(const memo_counts *counts)
{
    bake_memo *memo = bake_alloc_array(1, sizeof *memo);
    if (!memo)
        return NULL;
    memo->all = alloc_list(counts->rows, sizeof *memo->all);
    memo->files = alloc_list(counts->files, sizeof *memo->files);
    memo->parents = alloc_list(counts->parents, sizeof *memo->parents);
    memo->targets = alloc_list(counts->targets, sizeof *memo->targets);
    memo->kinds = alloc_list(counts->kinds, sizeof *memo->kinds);
    memo->forms = alloc_list(counts->forms, sizeof *memo->forms);
    memo->payloads = alloc_list(counts->payloads, sizeof *memo->payloads);
    memo->aliases = alloc_list(counts->aliases, sizeof *memo->aliases);
    memo->paths = alloc_list(counts->paths, sizeof *memo->paths);
    memo->uses = alloc_list(counts->uses, sizeof *memo->uses);
    memo->alias_texts = alloc_list(counts->alias_text, 1);
    memo->texts = bake_alloc((size_t)counts->text);
    memo->count = counts->rows;
    memo->asset_count = counts->assets;
    memo->file_count = counts->files;
    memo->parent_count = counts->parents;
    memo->parent_capacity = (size_t)counts->parents + 1;
    memo->target_count = counts->targets;
    memo->kind_count = counts->kinds;
    memo->form_count = counts->forms;
    memo->payload_count = counts->payloads;
    memo->payload_capacity = (size_t)counts->payloads + 1;
    memo->alias_count = counts->aliases;
    memo->path_count = counts->paths;
    memo->use_count = counts->uses;
    memo->alias_capacity = (size_t)counts->aliases + 1;
    memo->alias_size = counts->alias_text;
    memo->alias_text_capacity = (size_t)counts->alias_text + 1;
    memo->scenes.prefab_count = counts->prefabs;
    memo->target_capacity = (size_t)counts->targets + 1;
    memo->text_size = (size_t)counts->text;
    if (memo->all && memo->files && memo->parents && memo->targets && memo->kinds && memo->forms &&
        memo->payloads && memo->aliases && memo->paths && memo->uses && memo->alias_texts &&
        memo->texts)
        return memo;
    bake_memo_destroy(memo);
    return NULL;
}

void bake_memo_destroy(bake_memo *memo)
{
    if (!memo)
        return;
    bake_free(memo->all);
    bake_free(memo->files);
    bake_free(memo->parents);
    bake_free(memo->targets);
    bake_free(memo->kinds);
    bake_free(memo->forms);
    bake_free(memo->payloads);
    bake_free(memo->aliases);
    bake_free(memo->paths);
    bake_free(memo->uses);
    bake_free(memo->alias_texts);
    bake_free(memo->texts);
    bake_free(memo);
}

/* More parents than before are added at the end; the old ones then remain unused. */
bool bake_memo_set_parents(bake_memo *memo, uint32_t number, const uint32_t *parents,
                           uint32_t count)
{
    bake_memo_asset *row = &memo->all[number];
    if (count > row->parent_count) {
        uint32_t *all = count < UINT32_MAX - memo->parent_count
                            ? bake_grow(memo->parents, &memo->parent_capacity,
                                        (size_t)memo->parent_count + count, sizeof *all)
                            : NULL;
        if (!all)
            return false;
        memo->parents = all;
        row->first_parent = memo->parent_count;
        memo->parent_count += count;
    }
    row->parent_count = count;
    if (count)
        memcpy(memo->parents + row->first_parent, parents, count * sizeof *parents);
    return true;
}

bool bake_memo_set_targets(bake_memo *memo, uint32_t number, const kiln_id *targets, size_t count)
{
    bake_memo_asset *row = &memo->all[number];
    if (count > row->target_count) {
        kiln_id *all = count < UINT32_MAX - memo->target_count
                           ? bake_grow(memo->targets, &memo->target_capacity,
                                       memo->target_count + count, sizeof *all)
                           : NULL;
        if (!all)
            return false;
        memo->targets = all;
        row->first_target = memo->target_count;
        memo->target_count += (uint32_t)count;
    }
    row->target_count = (uint32_t)count;
    if (count)
        memcpy(memo->targets + row->first_target, targets, count * sizeof *targets);
    return true;
}

bool bake_memo_add_payload(bake_memo *memo, const bake_memo_payload *payload)
{
    bake_memo_payload *all = memo->payload_count < UINT32_MAX - 1
                                 ? bake_grow(memo->payloads, &memo->payload_capacity,
                                             (size_t)memo->payload_count + 1, sizeof *all)
                                 : NULL;
    if (!all)
        return false;
    memo->payloads = all;
    all[memo->payload_count++] = *payload;
    return true;
}

static int compare_payloads(const void *a, const void *b)
{
    const bake_memo_payload *left = a, *right = b;
    return (left->row > right->row) - (left->row < right->row);
}

void bake_memo_sort_payloads(bake_memo *memo)
{
    if (memo->payload_count > 1)
        qsort(memo->payloads, memo->payload_count, sizeof *memo->payloads, compare_payloads);
}

void bake_memo_drop_payloads(bake_memo *memo, const unsigned char *rows)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < memo->payload_count; i++)
        if (!rows[memo->payloads[i].row])
            memo->payloads[count++] = memo->payloads[i];
    memo->payload_count = count;
}

/* ---- making a memo ---- */

bake_memo_kind *bake_memo_list_kinds(const bake_schema *schema, kiln_hash128 *ret_rest,
                                     kiln_hash128 *ret_types)
{
    bake_schema_meaning meaning;
    if (schema->kind_count >= UINT32_MAX || !bake_schema_meaning_init(&meaning, schema))
        return NULL;
    bake_memo_kind *kinds = bake_alloc_array(schema->kind_count + 1, sizeof *kinds);
    for (size_t i = 0; kinds && i < schema->kind_count; i++) {
        const bake_kind *kind = &schema->kinds[i];
        kinds[i].name = kiln_content_hash(kind->name, strlen(kind->name));
        kinds[i].meaning = meaning.kinds[i];
        kinds[i].type = kind->type;
    }
    *ret_rest = meaning.rest;
    *ret_types = meaning.types;
    bake_schema_meaning_fini(&meaning);
    return kinds;
}

typedef struct memo_maker {
    const bake_memo_def *def;
    const bake_inputs *inputs;
    const bake_schema *schema;
    bake_memo_patches patches;
    const bake_asset **order; /* by row */
    uint32_t *by_base;        /* the row of each base */
    bake_memo *memo;
    uint32_t parent_count;
    size_t text_size;
} memo_maker;

static int compare_assets(const void *a, const void *b)
{
    const bake_asset *const *left = a, *const *right = b;
    return bake_compare_text((*left)->name, (*left)->name_length, (*right)->name,
                             (*right)->name_length);
}

static int compare_prefabs(const void *a, const void *b)
{
    const bake_memo_prefab *left = a, *right = b;
    return bake_compare_text(left->name, left->name_length, right->name, right->name_length);
}

static bool order_assets(memo_maker *m)
{
    const bake_inputs *inputs = m->inputs;
    size_t abstracts = inputs->bases ? inputs->bases->abstract_count : 0;
    m->order = bake_alloc_array(inputs->asset_count + abstracts + 1, sizeof *m->order);
    if (!m->order)
        return false;
    for (size_t i = 0; i < inputs->asset_count; i++)
        m->order[i] = &inputs->assets[i];
    for (size_t i = 0; i < abstracts; i++)
        m->order[inputs->asset_count + i] = &inputs->bases->abstracts[i];
    if (abstracts > 1)
        qsort(m->order + inputs->asset_count, abstracts, sizeof *m->order, compare_assets);
    if (m->def->prefab_count > 1)
        qsort(m->def->prefabs, m->def->prefab_count, sizeof *m->def->prefabs, compare_prefabs);
    return true;
}

static bool count_all(const memo_maker *m, memo_counts *ret_counts)
{
    const bake_bases *bases = m->inputs->bases;
    uint64_t rows = m->inputs->asset_count + (bases ? bases->abstract_count : 0);
    uint64_t parents = 0, text = 0;
    for (size_t i = 0; i < rows; i++) {
        text += m->order[i]->name_length + 1;
        parents += m->order[i]->base == UINT32_MAX ? 0 : bases->all[m->order[i]->base].parent_count;
    }
    for (size_t i = 0; i < m->inputs->count; i++)
        text += strlen(m->inputs->inputs[i].path) + 1;
    for (size_t i = 0; i < m->def->prefab_count; i++)
        text += m->def->prefabs[i].name_length + 1;
    rows += m->def->prefab_count;
    if (rows >= UINT32_MAX || parents >= UINT32_MAX || text >= UINT32_MAX ||
        m->inputs->count >= UINT32_MAX)
        return false;
    *ret_counts = (memo_counts){.rows = (uint32_t)rows,
                                .assets = (uint32_t)m->inputs->asset_count,
                                .files = (uint32_t)m->inputs->count,
                                .parents = (uint32_t)parents,
                                .kinds = (uint32_t)m->schema->kind_count,
                                .text = text,
                                .forms = m->def->has_forms ? (uint32_t)rows : 0,
                                .prefabs = (uint32_t)m->def->prefab_count};
    return true;
}

uint32_t bake_memo_rule(const bake_schema *schema, const bake_file_rule *rule)
{
    for (size_t i = 0; i < schema->rule_count && i < BAKE_MEMO_NO_RULE; i++)
        if (&schema->rules[i] == rule)
            return (uint32_t)i;
    return BAKE_MEMO_NO_RULE;
}

static void fill_parents(memo_maker *m, bake_memo_asset *row, uint32_t number)
{
    const bake_bases *bases = m->inputs->bases;
    const bake_base *base = &bases->all[number];
    row->weight = base->list_weight;
    row->parent_count = base->parent_count;
    for (uint32_t i = 0; i < base->parent_count; i++)
        m->memo->parents[m->parent_count++] = m->by_base[bases->parents[base->first_parent + i]];
}

kiln_hash128 bake_memo_meaning(const bake_tree *tree, bake_node_id node, bool is_scene)
{
    return is_scene ? bake_node_meaning_in_order(tree, node) : bake_node_meaning(tree, node);
}

/* Fills the row of an asset or a prefab. */
static void fill_row(memo_maker *m, uint32_t number, const bake_memo_prefab *node, bool is_scene)
{
    bake_memo *memo = m->memo;
    bake_memo_asset *row = &memo->all[number];
    memset(row, 0, sizeof *row);
    bake_node_touch(node->tree, node->node);
    row->meaning = bake_memo_meaning(node->tree, node->node, is_scene);
    if (memo->form_count)
        memo->forms[number] = is_scene
                                  ? bake_node_form_with_name(node->tree, node->node, node->named_at)
                                  : bake_node_form_of(node->tree, node->node);
    row->name = bake_memo_put_text(memo, &m->text_size, node->name, node->name_length);
    row->name_length = (uint32_t)node->name_length;
    row->type = KILN_TYPE_NONE;
    row->file = node->input;
    row->rule = BAKE_MEMO_NO_RULE;
    row->first_parent = m->parent_count;
}

static void fill(memo_maker *m)
{
    bake_memo *memo = m->memo;
    uint32_t prefabs_at = bake_memo_prefabs_at(memo);
    for (uint32_t i = 0; i < prefabs_at; i++)
        if (m->order[i]->base != UINT32_MAX)
            m->by_base[m->order[i]->base] = i;
    for (uint32_t i = 0; i < memo->file_count; i++) {
        const bake_input *input = &m->inputs->inputs[i];
        size_t length = strlen(input->path);
        memo->files[i] = (bake_memo_source){
            .size = input->size,
            .path = bake_memo_put_text(m->memo, &m->text_size, input->path, length),
            .path_length = (uint32_t)length};
    }
    for (uint32_t i = 0; i < prefabs_at; i++) {
        const bake_asset *asset = m->order[i];
        const bake_memo_prefab node = {
            asset->name, asset->name_length, m->inputs->inputs[asset->input].tree,
            asset->node, asset->named_at,    asset->input};
        fill_row(m, i, &node, asset->is_scene);
        memo->all[i].type = asset->type;
        memo->all[i].rule = bake_memo_rule(m->schema, asset->rule);
        memo->all[i].meaning = bake_memo_patches_meaning(&m->patches, asset, memo->all[i].meaning);
        if (asset->base != UINT32_MAX)
            fill_parents(m, &memo->all[i], asset->base);
    }
    for (uint32_t i = prefabs_at; i < memo->count; i++)
        fill_row(m, i, &m->def->prefabs[i - prefabs_at], true);
}

bake_memo *bake_memo_make(const bake_memo_def *def)
{
    memo_maker m = {.def = def, .inputs = def->inputs, .schema = def->schema};
    memo_counts counts;
    kiln_hash128 rest, types;
    bake_memo_kind *kinds = bake_memo_list_kinds(def->schema, &rest, &types);
    size_t bases = def->inputs->bases ? def->inputs->bases->count : 0;
    m.by_base = bake_alloc_array(bases + 1, sizeof *m.by_base);
    if (bake_memo_patches_init(&m.patches, m.inputs, m.schema) && kinds && m.by_base &&
        order_assets(&m) && count_all(&m, &counts))
        m.memo = bake_memo_create(&counts);
    if (m.memo) {
        fill(&m);
        memcpy(m.memo->kinds, kinds, m.memo->kind_count * sizeof *kinds);
        m.memo->schema_rest = rest;
        m.memo->scenes.exist = def->inputs->scenes != NULL;
        if (m.memo->scenes.exist)
            m.memo->scenes.schema = types;
    }
    bake_free(kinds);
    bake_memo_patches_fini(&m.patches);
    bake_free(m.order);
    bake_free(m.by_base);
    return m.memo;
}

/* ---- look-ups ---- */

static const char *name_at(const void *list, size_t number, size_t *ret_length)
{
    const bake_memo *memo = list;
    *ret_length = memo->all[number].name_length;
    return bake_memo_name(memo, (uint32_t)number);
}

static uint32_t find(const bake_memo *memo, uint32_t first, uint32_t end, const char *name,
                     size_t length)
{
    size_t found = bake_find_text(memo, name_at, first, end, name, length);
    return found == SIZE_MAX ? UINT32_MAX : (uint32_t)found;
}

uint32_t bake_memo_find(const bake_memo *memo, const char *name, size_t length)
{
    uint32_t found = find(memo, 0, memo->asset_count, name, length);
    return found != UINT32_MAX
               ? found
               : find(memo, memo->asset_count, bake_memo_prefabs_at(memo), name, length);
}

uint32_t bake_memo_find_prefab(const bake_memo *memo, const char *name, size_t length)
{
    return find(memo, bake_memo_prefabs_at(memo), memo->count, name, length);
}

uint32_t bake_memo_find_file(const bake_memo *memo, const char *path, uint32_t first)
{
    size_t length = strlen(path);
    for (uint32_t i = 0; i < memo->file_count; i++) {
        uint32_t file = (uint32_t)(((uint64_t)first + i) % memo->file_count);
        if (memo->files[file].path_length == length &&
            memcmp(bake_memo_path(memo, file), path, length) == 0)
            return file;
    }
    return UINT32_MAX;
}

/* ---- relations ---- */

/* Each pass goes one level down, and levels are limited, but a stored memo may have cycles. */
void bake_memo_add_descendants(const bake_memo *memo, unsigned char *flags)
{
    bool is_new = memo->parent_count > 0;
    while (is_new) {
        is_new = false;
        for (uint32_t i = 0; i < memo->count; i++) {
            const bake_memo_asset *row = &memo->all[i];
            for (uint32_t p = 0; p < row->parent_count && !flags[i]; p++)
                if (flags[memo->parents[row->first_parent + p]])
                    flags[i] = is_new = true;
        }
    }
}

void bake_memo_add_ancestors(const bake_memo *memo, unsigned char *files)
{
    bool is_new = memo->parent_count > 0;
    while (is_new) {
        is_new = false;
        for (uint32_t i = 0; i < memo->count; i++) {
            const bake_memo_asset *row = &memo->all[i];
            for (uint32_t p = 0; p < row->parent_count && files[row->file]; p++) {
                uint32_t file = memo->all[memo->parents[row->first_parent + p]].file;
                if (!files[file])
                    files[file] = is_new = true;
            }
        }
    }
}
