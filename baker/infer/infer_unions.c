/* Unions, told apart by a key or a tag, and mappings beside other things. */
#include "infer_form.h"

#include <inttypes.h>
#include <string.h>

static bool finish(infer_forms *forms, infer_type *type, const infer_writer *w, const char *note,
                   bool doubtful, bool shared, infer_form *form)
{
    form->type = bake_infer_type_end(forms, type, bake_infer_written(w), note, doubtful, shared);
    form->attributes = form->note = "";
    form->has_empty = true;
    form->doubtful = doubtful;
    return form->type != NULL;
}

/* The type of an alternative that is a struct whatever is in it. */
static const char *struct_type(infer_forms *forms, infer_shape *shape, const char *owner)
{
    infer_form form;
    if (shape->form) {
        if (shape->form->pending)
            shape->form->pending->is_expected = true;
        return shape->form->type;
    }
    memset(&form, 0, sizeof form);
    form.attributes = form.note = "";
    infer_form *kept = bake_store_alloc(forms->store, 1, sizeof *kept);
    /* An alternative may be one with what stands beside texts elsewhere. */
    bool beside = (shape->texts.count || shape->lists) && !shape->is_row;
    if (!kept ||
        !(beside ? bake_infer_decide_short : bake_infer_decide_record)(forms, shape, owner, &form))
        return NULL;
    *kept = form;
    shape->form = kept;
    return kept->type;
}

static bool is_empty(const infer_shape *shape)
{
    return !shape->fields.count && !shape->rest && !shape->lists && !shape->texts.count &&
           !shape->tagged && !shape->key;
}

static bool write_alternative(infer_forms *forms, infer_writer *w, const infer_entry *entry,
                              const char *name, size_t length, const char *type)
{
    bake_infer_write(w, "      ");
    bake_infer_write_text(w, name, length);
    bake_infer_write(w, ":%s%s  # %" PRIu64 " time%s\n", type ? " " : "", type ? type : "",
                     entry->count, entry->count == 1 ? "" : "s");
    return !forms->store->failed;
}

bool bake_infer_decide_choice(infer_forms *forms, infer_shape *shape, const char *owner,
                              infer_form *form)
{
    infer_writer w = {forms->store, NULL, 0, 0}, note = {forms->store, NULL, 0, 0};
    infer_type *type = bake_infer_shape_begin(forms, shape, owner, true);
    if (!type)
        return false;
    bake_infer_write(&w, "    union:\n");
    for (uint32_t i = 0; i < shape->variants.count; i++) {
        const infer_entry entry = shape->variants.entries[i];
        infer_shape *variant = bake_infer_shape_of(entry.shape);
        bool bare = is_empty(variant) && !variant->is_row;
        forms->row = variant->is_row ? entry.name : NULL;
        forms->row_length = entry.length;
        const char *name = bare ? NULL : struct_type(forms, variant, type->name);
        forms->row = NULL;
        if (!bare && !name)
            return false;
        if (!write_alternative(forms, &w, &entry, entry.name, entry.length, name))
            return false;
    }
    bake_infer_write(&w, "    by: {key: ");
    bake_infer_write_text(&w, shape->key, shape->key_length);
    bake_infer_write(&w, "}\n");
    bake_infer_write(&note, "%" PRIu64 " mappings of %u kinds, the first at ", shape->mappings,
                     shape->variants.count);
    bake_infer_write_place(forms, &note, shape->first);
    return finish(forms, type, &w, bake_infer_written(&note), false, true, form);
}

/* What all tags of a union begin with, up to the last sign that parts words. */
static size_t common_prefix(const infer_forms *forms, uint32_t first)
{
    const infer_table *tags = &forms->shapes->tags;
    const char *text = tags->entries[first].name;
    size_t length = strlen(text), kept = 0;
    for (uint32_t i = 0; i < tags->count; i++) {
        if (bake_infer_tag_union(forms->shapes, i) != bake_infer_tag_union(forms->shapes, first))
            continue;
        const char *other = tags->entries[i].name;
        size_t same = 0;
        while (same < length && other[same] == text[same] && other[same])
            same++;
        /* Something must be left of each for a name. */
        if (!other[same] && same > 0)
            same--;
        length = same;
    }
    for (size_t i = 0; i < length; i++)
        if (strchr(":!/,", text[i]))
            kept = i + 1;
    return kept;
}

/* What all tags of a union begin with, as the schema has it. */
static const char *written_prefix(infer_forms *forms, const char *tag, size_t length)
{
    static const char core[] = "tag:yaml.org,2002:";
    size_t skip = strncmp(tag, core, sizeof core - 1) == 0 ? sizeof core - 1 : 0;
    infer_writer w = {forms->store, NULL, 0, 0};
    bake_infer_write(&w, "%s%.*s", skip ? "!!" : "", (int)(length - skip), tag + skip);
    return bake_infer_written(&w);
}

static const char *tagged_type(infer_forms *forms, infer_shape *shape, const char *owner)
{
    if (is_empty(shape) && shape->mappings == 0)
        return "";
    if (shape->mappings && !shape->lists && !shape->texts.count && !shape->key &&
        (shape->fields.count || !shape->rest)) {
        /* Nothing behind the tag leaves all fields out. */
        shape->bare = shape->nulls;
        return struct_type(forms, shape, owner);
    }
    const infer_form *form = bake_infer_decide(forms, shape, owner);
    if (!form)
        return NULL;
    infer_form plain = *form;
    char *name = bake_infer_type_name(forms->store, shape->usage ? shape->usage : "Value",
                                      shape->usage ? shape->usage_length : 5);
    if (!name || (*plain.attributes && !bake_infer_wrap(forms, &plain, name, owner)))
        return NULL;
    if (shape->nulls == 0 || plain.has_empty)
        return plain.type;
    infer_writer w = {forms->store, NULL, 0, 0};
    bake_infer_write(&w, "%s?", plain.type);
    return bake_infer_written(&w);
}

static bool has_field(infer_shape *shape, const char *name)
{
    return bake_infer_table_find(&shape->fields, name, (uint32_t)strlen(name)) != NULL;
}

static bool has_key(const infer_shape *shape, const char *name)
{
    return bake_infer_texts_find(&shape->keys, name, (uint32_t)strlen(name)) != NULL;
}

/* Values with tags and values without: a union of the tags that stand here and of one alternative
 * for all else. */
static bool decide_mixed(infer_forms *forms, infer_shape *shape, const char *owner,
                         infer_form *form)
{
    static const char *const names[] = {"no_tag", "untagged", "bare", "value", "no_tag_"};
    const infer_table *tags = &forms->shapes->tags;
    infer_writer w = {forms->store, NULL, 0, 0}, note = {forms->store, NULL, 0, 0};
    infer_shape *plain = bake_store_alloc(forms->store, 1, sizeof *plain);
    infer_type *type = plain ? bake_infer_shape_begin(forms, shape, owner, true) : NULL;
    if (!type)
        return false;
    size_t prefix = common_prefix(forms, bake_infer_tag_union(forms->shapes, shape->tags[0]));
    size_t n = 0;
    *plain = *shape;
    plain->form = NULL;
    plain->tagged = plain->tag_count = 0;
    plain->nulls = 0;
    bake_infer_write(&w, "    union:\n");
    for (uint32_t i = 0; i < shape->tag_count; i++) {
        const infer_entry entry = tags->entries[shape->tags[i]];
        const char *name = tagged_type(forms, bake_infer_shape_of(entry.shape), type->name);
        if (!name || !write_alternative(forms, &w, &entry, entry.name + prefix,
                                        strlen(entry.name + prefix), *name ? name : NULL))
            return false;
        while (n < 4 && (strcmp(entry.name + prefix, names[n]) == 0 || has_field(shape, names[n]) ||
                         has_key(shape, names[n])))
            n++;
    }
    const infer_form *decided = bake_infer_decide(forms, plain, type->name);
    if (!decided)
        return false;
    infer_form value = *decided;
    if (*value.attributes && !bake_infer_wrap(forms, &value, "Plain", type->name))
        return false;
    bake_infer_write(&w, "      %s: %s%s%s\n    by: {tag: \"%s\", untagged: %s}\n", names[n],
                     value.type, *value.note ? "  # " : "", value.note,
                     written_prefix(forms, tags->entries[shape->tags[0]].name, prefix), names[n]);
    bake_infer_write(&note, "by tag or without, the first at ");
    bake_infer_write_place(forms, &note, shape->first);
    return finish(forms, type, &w, bake_infer_written(&note), false, true, form);
}

/* All positions with tags alone of one union share its type, which one of its tags keeps. */
bool bake_infer_decide_tagged(infer_forms *forms, infer_shape *shape, const char *owner,
                              infer_form *form)
{
    infer_table *tags = &forms->shapes->tags;
    infer_writer w = {forms->store, NULL, 0, 0}, note = {forms->store, NULL, 0, 0};
    uint32_t first = bake_infer_tag_union(forms->shapes, shape->tags[0]);
    const infer_form **known = &forms->tag_forms[first];
    if (shape->texts.count || shape->lists || shape->mappings)
        return decide_mixed(forms, shape, owner, form);
    if (!*known) {
        size_t prefix = common_prefix(forms, first);
        infer_type *type = bake_infer_shape_begin(forms, shape, owner, true);
        infer_form *kept = bake_store_alloc(forms->store, 1, sizeof *kept);
        if (!type || !kept)
            return false;
        *kept = *shape->form;
        kept->pending = NULL;
        *known = kept;
        bake_infer_write(&w, "    union:\n");
        for (uint32_t i = 0; i < tags->count; i++) {
            if (bake_infer_tag_union(forms->shapes, i) != first)
                continue;
            const infer_entry entry = tags->entries[i];
            const char *name = tagged_type(forms, bake_infer_shape_of(entry.shape), type->name);
            if (!name || !write_alternative(forms, &w, &entry, entry.name + prefix,
                                            strlen(entry.name + prefix), *name ? name : NULL))
                return false;
        }
        bake_infer_write(&w, "    by: {tag: \"%s\"}\n",
                         written_prefix(forms, tags->entries[first].name, prefix));
        bake_infer_write(&note, "by tag, the first at ");
        bake_infer_write_place(forms, &note, shape->first);
        if (!finish(forms, type, &w, bake_infer_written(&note), false, false, form))
            return false;
    }
    *form = **known;
    return true;
}

/* A field that what is written without a mapping may be the value of: of the same kind of text. */
static infer_entry *find_short(infer_shape *shape)
{
    static const char *const names[] = {"value", "path", "name", "id",     "file",  "sprite",
                                        "url",   "key",  "text", "amount", "state", "collection"};
    uint32_t kinds = INFER_BOOL | INFER_NUMBER | INFER_COLOUR | INFER_VECTOR;
    infer_entry *best = NULL;
    size_t best_rank = sizeof names / sizeof *names;
    if (shape->lists)
        return NULL;
    for (uint32_t i = 0; i < shape->fields.count; i++) {
        infer_entry *entry = &shape->fields.entries[i];
        const infer_shape *field = bake_infer_shape_of(entry->shape);
        if (!field->texts.count || field->lists || field->mappings || field->tagged ||
            field->form || (field->texts.all & kinds) != (shape->texts.all & kinds))
            continue;
        size_t rank = 0;
        while (rank < sizeof names / sizeof *names &&
               (strlen(names[rank]) != entry->length ||
                memcmp(names[rank], entry->name, entry->length) != 0))
            rank++;
        if (rank < best_rank) {
            best = entry;
            best_rank = rank;
        }
    }
    return best;
}

bool bake_infer_decide_short(infer_forms *forms, infer_shape *shape, const char *owner,
                             infer_form *form)
{
    infer_shapes *shapes = forms->shapes;
    uint64_t bare = shape->texts.count + shape->lists;
    if (!shape->mappings || shape->key) {
        /* A union beside something else: the latter cannot be said. */
        form->doubtful = true;
        form->type = "string";
        form->note = "scalars, lists and mappings that no type takes";
        return true;
    }
    infer_entry *entry = find_short(shape);
    infer_place place = shape->first;
    if (!entry) {
        static const char *const names[] = {"value", "plain", "bare", "short", "value_"};
        size_t n = 0;
        while (n < 4 && (has_field(shape, names[n]) || has_key(shape, names[n])))
            n++;
        entry = bake_infer_table_need(&shape->fields, shapes->store, names[n],
                                      (uint32_t)strlen(names[n]), place);
        infer_shape *field = entry ? bake_infer_shape_create(shapes, place) : NULL;
        if (!field)
            return false;
        entry->shape = field;
        field->usage = shape->usage;
        field->usage_length = shape->usage_length;
        field->lists = shape->lists;
        field->list_min = shape->list_min;
        field->list_max = shape->list_max;
        field->element = shape->element;
        field->is_single = shape->is_single;
    }
    infer_shape *field = bake_infer_shape_of(entry->shape);
    entry->count += bare;
    if (!bake_infer_texts_merge(&field->texts, shapes->store, &shape->texts))
        return false;
    shape->short_field = bake_store_text(shapes->store, entry->name, entry->length);
    shape->bare = bare;
    shape->takes_lists = shape->takes_lists || shape->lists > 0;
    memset(&shape->texts, 0, sizeof shape->texts);
    shape->lists = 0;
    return shape->short_field && bake_infer_decide_record(forms, shape, owner, form);
}
