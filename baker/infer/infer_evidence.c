/* Collects evidence by key: if one position has too few values for a decision, all positions with
 * the same key together can have enough. */
#include "infer_evidence.h"

#include "infer_form.h"

#include <string.h>

/* DISTINCTIVE_MIN: the minimum length of a distinctive string. Strings are evidence for a kind if
 * at most one in ACCEPTED_PART of them is an unknown id. */
enum { DISTINCTIVE_MIN = 6, ACCEPTED_PART = 10 };

typedef struct gatherer {
    infer_forms *forms;
    const infer_shape *parents; /* the shape of the parent key that is being read */
} gatherer;

bool bake_infer_is_distinctive(const char *text, uint32_t length)
{
    bool parts = false;
    for (uint32_t i = 1; i < length && !parts; i++) {
        char before = text[i - 1], c = text[i];
        bool lower = before >= 'a' && before <= 'z';
        parts = (lower && c >= 'A' && c <= 'Z') || (i + 1 < length && (c == '_' || c == '-'));
    }
    return parts && length >= DISTINCTIVE_MIN && !memchr(text, ' ', length);
}

infer_usage *bake_infer_usage_find(const infer_forms *forms, const char *name, uint32_t length)
{
    infer_table usages = forms->usages;
    const infer_entry *entry = name ? bake_infer_table_find(&usages, name, length) : NULL;
    return entry ? &forms->usage_list[entry->count - 1] : NULL;
}

static infer_usage *find_or_add_usage(infer_forms *forms, const char *name, uint32_t length)
{
    infer_place nowhere = {0, 0};
    infer_entry *entry =
        bake_infer_table_find_or_add(&forms->usages, forms->store, name, length, nowhere);
    uint32_t count = forms->usage_count;
    if (!entry)
        return NULL;
    if (entry->count)
        return &forms->usage_list[entry->count - 1];
    infer_usage *list = bake_store_grow(forms->store, forms->usage_list, &forms->usage_capacity,
                                        (size_t)count + 1, sizeof *list);
    if (!list)
        return NULL;
    forms->usage_list = list;
    memset(&forms->usage_list[count], 0, sizeof *forms->usage_list);
    forms->usage_list[count].kind = INFER_KIND_NONE;
    entry->count = ++forms->usage_count;
    return &forms->usage_list[count];
}

static bool share_string(const infer_texts *set, const infer_texts *texts)
{
    for (uint32_t v = 0; v < texts->value_count; v++)
        if (bake_infer_texts_find(set, texts->values[v].text, texts->values[v].length))
            return true;
    return false;
}

struct infer_words *bake_infer_usage_words(const infer_usage *usage, const infer_texts *texts)
{
    for (uint32_t i = 0; usage && i < usage->word_count; i++)
        if (share_string(&usage->words[i].texts, texts))
            return &usage->words[i];
    return NULL;
}

static bool add_set(infer_usage *usage, bake_store *store)
{
    uint32_t count = usage->word_count;
    if ((count & (count - 1)) == 0) {
        struct infer_words *words = bake_store_alloc(store, count ? count * 2 : 1, sizeof *words);
        if (!words)
            return false;
        if (count)
            memcpy(words, usage->words, count * sizeof *words);
        usage->words = words;
    }
    memset(&usage->words[usage->word_count++], 0, sizeof *usage->words);
    return true;
}

/* Adds words to the word sets of a key. Sets with a common word are merged. */
static bool add_words(infer_usage *usage, bake_store *store, const infer_texts *texts)
{
    uint32_t into = usage->word_count;
    for (uint32_t i = 0; i < usage->word_count; i++) {
        if (!share_string(&usage->words[i].texts, texts))
            continue;
        if (into == usage->word_count) {
            into = i;
            continue;
        }
        /* The words connect two sets. */
        if (!bake_infer_texts_merge(&usage->words[into].texts, store, &usage->words[i].texts))
            return false;
        usage->words[i--] = usage->words[--usage->word_count];
    }
    if (into == usage->word_count) {
        if (usage->word_count == INFER_WORD_SETS_MAX)
            return true;
        if (!add_set(usage, store))
            return false;
    }
    return bake_infer_texts_merge(&usage->words[into].texts, store, texts);
}

/* Records which kind the strings are ids of, and how many refer to abstract assets. */
static bool add_ids(infer_forms *forms, infer_usage *usage, const infer_texts *texts,
                    const char *name, uint32_t length, bool is_parent)
{
    infer_match match;
    uint32_t distinctive = 0;
    if (!bake_infer_ids_match(forms->ids, texts, name, length, INFER_KIND_NONE, &match) ||
        match.hits * ACCEPTED_PART < match.distinct * (ACCEPTED_PART - 1u))
        return true;
    infer_kind *kind = &forms->ids->kinds[match.kind];
    uint64_t bases = 0;
    for (uint32_t i = 0; i < texts->value_count; i++) {
        const infer_value *value = &texts->values[i];
        const infer_id *id = bake_infer_ids_find(forms->ids, value->text, value->length);
        while (id && id->kind != match.kind)
            id = bake_infer_ids_next(forms->ids, id);
        distinctive += id && bake_infer_is_distinctive(value->text, value->length);
        bases += id && id->is_abstract ? value->count : 0;
    }
    if (match.distinct < 3 && distinctive == 0)
        return true;
    if (!is_parent && distinctive > 0)
        kind->base_refs += bases;
    if (match.rivals || is_parent)
        return true;
    kind->sure_refs += match.hits;
    if (match.hits > usage->ids) {
        usage->kind = match.kind;
        usage->ids = match.hits;
    }
    return true;
}

static bool add_texts(gatherer *g, const infer_shape *shape, const infer_texts *texts)
{
    infer_forms *forms = g->forms;
    if (texts->value_count == 0 || texts->many || !shape->usage || !(texts->all & INFER_ID) ||
        (texts->all & (INFER_NUMBER | INFER_BOOL)))
        return true;
    infer_usage *usage = find_or_add_usage(forms, shape->usage, shape->usage_length);
    if (!usage)
        return false;
    if ((texts->all & INFER_WORD) && texts->value_count <= INFER_ENUM_MAX &&
        texts == &shape->texts && !add_words(usage, forms->store, texts))
        return false;
    return add_ids(forms, usage, texts, shape->usage, shape->usage_length, shape == g->parents);
}

static bool gather(gatherer *g, infer_shape *shape);

static bool gather_table(gatherer *g, const infer_table *table)
{
    for (uint32_t i = 0; i < table->count; i++)
        if (!gather(g, table->entries[i].shape))
            return false;
    return true;
}

static bool gather(gatherer *g, infer_shape *shape)
{
    shape = bake_infer_shape_of(shape);
    if (!shape || shape->visited == g->forms->shapes->visit)
        return true;
    shape->visited = g->forms->shapes->visit;
    return add_texts(g, shape, &shape->texts) && add_texts(g, shape, &shape->keys) &&
           gather(g, shape->element) && gather(g, shape->rest) && gather_table(g, &shape->fields) &&
           gather_table(g, &shape->variants);
}

/* Reads the parent key of a kind. It is read first, because references to abstract assets are
 * normal only there. */
static bool gather_parents(gatherer *g, const infer_kind *kind)
{
    infer_shape *record = bake_infer_shape_of(kind->shape);
    const infer_entry *entry = record && kind->parent_key
                                   ? bake_infer_table_find(&record->fields, kind->parent_key,
                                                           (uint32_t)strlen(kind->parent_key))
                                   : NULL;
    infer_shape *shape = entry ? bake_infer_shape_of(entry->shape) : NULL;
    while (shape) {
        g->parents = shape;
        shape->visited = g->forms->shapes->visit;
        if (!add_texts(g, shape, &shape->texts))
            return false;
        shape = bake_infer_shape_of(shape->element);
    }
    g->parents = NULL;
    return true;
}

bool bake_infer_evidence_gather(infer_forms *forms, infer_shape *const *roots, size_t root_count)
{
    gatherer g = {forms, NULL};
    forms->shapes->visit++;
    forms->ids->match_abstract = true;
    for (uint32_t k = 0; k < forms->ids->kind_count; k++)
        if (!gather_parents(&g, &forms->ids->kinds[k]))
            return false;
    for (size_t i = 0; i < root_count; i++)
        if (!gather(&g, roots[i]))
            return false;
    if (!gather_table(&g, &forms->shapes->tags))
        return false;
    forms->ids->match_abstract = false;
    for (uint32_t i = 1; i < forms->ids->count; i++) {
        infer_id *id = &forms->ids->ids[i];
        if (id->kind != INFER_KIND_NONE && forms->ids->kinds[id->kind].base_refs)
            id->is_abstract = false;
    }
    return true;
}
