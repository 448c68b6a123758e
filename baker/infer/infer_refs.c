/* Recognizes references: strings that are ids of one kind, with few exceptions. Short words can
 * equal an id by chance, so they need more evidence: the name of the key, other positions with the
 * same key, or many hits. */
#include "ascii.h"
#include "bake_text.h"
#include "infer_form.h"

#include <inttypes.h>
#include <string.h>

enum { ACCEPTED_MAX = 20 };

/* Adds values that are not ids to the accepted ids, so that the data bakes. Returns false if memory
 * runs out, or if a value is the id of an abstract asset, which cannot be referenced. */
static bool accept(infer_forms *forms, const infer_texts *texts, const infer_match *match,
                   infer_writer *w)
{
    infer_kind *kind = &forms->ids->kinds[match->kind];
    uint32_t missing = match->distinct - match->hits, shown = 0;
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
        infer_entry *entry = bake_infer_table_find_or_add(&kind->accepted, forms->store,
                                                          value->text, value->length, nowhere);
        if (!entry)
            return false;
        if (shown < 3) {
            bake_infer_write(w, shown ? ", " : "");
            bake_infer_write_quote(w, value->text, value->length);
            bake_infer_write(w, " at ");
            bake_infer_write_place(forms, w, value->first);
        }
        shown++;
    }
    if (missing > 3)
        bake_infer_write(w, " and %u more", missing - 3);
    return true;
}

/* Evidence for a reference in addition to the hits. */
typedef struct support {
    bool alike;           /* the key is named like the kind */
    bool elsewhere;       /* elsewhere, values of this key are ids of the kind */
    bool named;           /* the key has a typical name for references */
    bool file_names;      /* the ids are file names, which often match by chance */
    uint32_t distinctive; /* number of hits that are unlikely by chance */
} support;

static bool has_suffix(const char *text, size_t length, const char *end)
{
    size_t n = strlen(end), i = 0;
    while (length >= n && i < n && bake_lower(text[length - n + i]) == end[i])
        i++;
    return i == n;
}

/* Whether the key has a typical name for references: `spawnPrototype`, `entity_id`, `prefabs`. */
static bool is_named_like_reference(const char *usage, size_t length)
{
    static const char *const suffixes[] = {"prototype", "proto", "entity", "prefab", "template",
                                           "_id",       "ref",   "item",   "entitie"};
    if (length > 1 && (usage[length - 1] | 0x20) == 's')
        length--;
    if (length > 2 && usage[length - 2] == 'I' && (usage[length - 1] | 0x20) == 'd')
        return true;
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++)
        if (has_suffix(usage, length, suffixes[i]))
            return true;
    return false;
}

static support find_support(infer_forms *forms, const infer_texts *texts, const infer_match *match,
                            const char *usage, uint32_t usage_length)
{
    const infer_kind *kind = &forms->ids->kinds[match->kind];
    const infer_usage *known = bake_infer_usage_find(forms, usage, usage_length);
    support s = {false, known && known->kind == match->kind && known->ids > match->hits, false,
                 kind->group->layout == INFER_LAYOUT_ONE, 0};
    if (usage) {
        s.alike = bake_infer_is_like_kind(kind, usage, usage_length);
        s.named = is_named_like_reference(usage, usage_length);
    }
    for (uint32_t i = 0; i < texts->value_count; i++) {
        const infer_value *value = &texts->values[i];
        const infer_id *id = bake_infer_ids_find(forms->ids, value->text, value->length);
        while (id && id->kind != match->kind)
            id = bake_infer_ids_next(forms->ids, id);
        s.distinctive += id && bake_infer_is_distinctive(value->text, value->length);
    }
    return s;
}

/* Whether the evidence is enough for a reference. The thresholds are heuristics. */
static bool is_enough(const infer_match *match, const support *s)
{
    uint32_t missing = match->distinct - match->hits;
    bool hint = s->alike || s->elsewhere || s->named;
    /* File names need several hits and no exception. */
    if (s->file_names)
        return missing == 0 && match->distinct >= (s->alike ? 2 : 4);
    if (missing == 0)
        return match->distinct > 1 || hint || s->distinctive > 0;
    if (missing > ACCEPTED_MAX || match->hit_count * 3 < match->all_count * 2)
        return false;
    return (match->distinct >= 10 && missing * 10 <= match->distinct) ||
           (s->alike && missing * 4 <= match->distinct) ||
           (s->distinctive >= 2 && missing * (hint ? 2 : 3) <= match->distinct);
}

/* Returns the id that a string `Kind/id` refers to, or NULL. */
static const infer_id *find_named(const infer_ids *ids, const infer_value *value)
{
    const char *slash = memchr(value->text, '/', value->length);
    if (!slash || slash == value->text)
        return NULL;
    uint32_t head = (uint32_t)(slash - value->text);
    const infer_id *id = bake_infer_ids_find(ids, slash + 1, value->length - head - 1);
    for (; id; id = bake_infer_ids_next(ids, id)) {
        /* bake_infer_ids_forget may have removed the kind of the id. */
        const infer_kind *kind = id->kind == INFER_KIND_NONE ? NULL : &ids->kinds[id->kind];
        if (kind && kind->type && kind->word && bake_text_is(value->text, head, kind->word) &&
            !id->is_abstract)
            return id;
    }
    return NULL;
}

/* Decides strings of the form `Kind/id`. */
static bool decide_named(infer_forms *forms, const infer_texts *texts, infer_form *form)
{
    infer_writer w = {forms->store, NULL, 0, 0}, type = {forms->store, NULL, 0, 0};
    uint32_t kind = INFER_KIND_NONE;
    bool mixed = false;
    for (uint32_t i = 0; i < texts->value_count; i++) {
        const infer_id *id = find_named(forms->ids, &texts->values[i]);
        if (!id)
            return true;
        mixed = mixed || (kind != INFER_KIND_NONE && kind != id->kind);
        kind = id->kind;
    }
    if (kind == INFER_KIND_NONE || texts->many)
        return true;
    if (mixed)
        bake_infer_write(&type, "ref");
    else
        bake_infer_write(&type, "ref<%s>", forms->ids->kinds[kind].type);
    bake_infer_write(&w, "%" PRIu64 " of %" PRIu64 " values have the form Kind/id", texts->count,
                     texts->count);
    form->unnamed = 1;
    form->type = bake_infer_written(&type);
    form->note = bake_infer_written(&w);
    return true;
}

bool bake_infer_decide_ref(infer_forms *forms, const infer_texts *texts, const char *usage,
                           uint32_t usage_length, infer_form *form)
{
    infer_match match;
    infer_writer w = {forms->store, NULL, 0, 0}, type = {forms->store, NULL, 0, 0};
    const infer_usage *known = bake_infer_usage_find(forms, usage, usage_length);
    if (!(texts->all & INFER_ID))
        return true;
    if (!bake_infer_ids_match(forms->ids, texts, usage, usage_length,
                              known ? known->kind : INFER_KIND_NONE, &match))
        return decide_named(forms, texts, form);
    const infer_kind *kind = &forms->ids->kinds[match.kind];
    support s = find_support(forms, texts, &match, usage, usage_length);
    bool numbers = (texts->some & (INFER_NUMBER | INFER_BOOL)) != 0;
    uint32_t missing = match.distinct - match.hits;
    /* The id of an asset itself is not a reference. */
    if (!kind->type || (numbers && !s.alike) ||
        (texts == forms->own && kind == forms->own_kind && missing == 0 &&
         match.hits == kind->count && !s.alike))
        return true;
    if (!is_enough(&match, &s))
        return true;
    bake_infer_write(&w, "%" PRIu64 " of %" PRIu64 " values are ids of %s", match.hit_count,
                     match.all_count, kind->type);
    if (missing > 0 && !accept(forms, texts, &match, &w))
        return true;
    form->doubtful =
        missing > 0 || s.file_names ||
        (!s.alike && !s.elsewhere && (match.rivals || (match.distinct < 3 && s.distinctive == 0)));
    bake_infer_write(&type, "ref<%s>", kind->type);
    form->unnamed = 1;
    form->type = bake_infer_written(&type);
    form->note = bake_infer_written(&w);
    return true;
}
