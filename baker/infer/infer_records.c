/* Structs and unions. Both get a name and a pending form before their fields are decided, so types
 * can contain themselves. */
#include "infer_form.h"

#include <inttypes.h>
#include <string.h>

/* Maximum nesting of structs by value, below KILN_INLINE_DEPTH_MAX. Deeper fields become optional,
 * because an optional is a pointer. */
enum { DEPTH_MAX = 11 };

static void write_comment(infer_writer *w, bool doubtful, const char *first, const char *second)
{
    if (!*first && !*second && !doubtful)
        return;
    bake_infer_write(w, "  # %s%s%s%s", doubtful ? "doubtful: " : "", first,
                     *first && *second ? "; " : "", second);
}

/* Writes a field that occurs in `entry->count` of `total` mappings. */
static bool write_field(infer_forms *forms, infer_writer *w, const infer_entry *entry,
                        uint64_t total, const char *extra, const char *owner, uint8_t *depth)
{
    infer_shape *shape = bake_infer_shape_of(entry->shape);
    const infer_form *decided = bake_infer_decide(forms, shape, owner);
    if (!decided)
        return false;
    infer_form form = *decided;
    bool missing = entry->count < total, optional = missing || shape->nulls > 0;
    bool deep = form.depth >= DEPTH_MAX || form.pending != NULL;
    const char *value = missing && shape->nulls == 0 && !deep ? form.value : NULL;
    bool nullable = (optional || deep) && !value && !form.has_empty;
    infer_writer seen = {forms->store, NULL, 0, 0};
    if (nullable && *form.attributes) {
        char *name = bake_infer_type_name(forms->store, entry->name, entry->length);
        if (!name || !bake_infer_newtype(forms, &form, name, owner))
            return false;
    }
    if (nullable || form.has_empty)
        form.depth = 0;
    if (missing)
        bake_infer_write(&seen, "in %" PRIu64 " of %" PRIu64, entry->count, total);
    if (value && form.value_note) {
        infer_writer note = {forms->store, NULL, 0, 0};
        bake_infer_write(&note, "%s, %s", form.note, form.value_note);
        form.note = bake_infer_written(&note);
    }
    bake_infer_write(w, "      ");
    bake_infer_write_text(w, entry->name, entry->length);
    bool plain = !value && !*form.attributes && !*extra;
    if (plain)
        bake_infer_write(w, ": %s%s", form.type, nullable ? "?" : "");
    else {
        const char *quote = nullable || strpbrk(form.type, "<>[]?,") ? "\"" : "";
        bake_infer_write(w, ": {type: %s%s%s%s%s%s%s%s}", quote, form.type, nullable ? "?" : "",
                         quote, form.attributes, extra, value ? ", default: " : "",
                         value ? value : "");
    }
    write_comment(w, form.doubtful, bake_infer_written(&seen), form.note);
    bake_infer_write(w, "\n");
    forms->doubtful_count += form.doubtful;
    if (form.depth > *depth)
        *depth = form.depth;
    return true;
}

/* Writes the `rest` map for all other keys, with a name that no field has. */
static bool write_rest(infer_forms *forms, infer_writer *w, infer_shape *shape, const char *owner)
{
    static const char *const names[] = {"rest", "others", "entries", "more", "rest_"};
    size_t n = 0;
    const infer_form *form = bake_infer_decide(forms, shape->rest, owner);
    if (!form)
        return false;
    while (n < 4 && bake_infer_table_find(&shape->fields, names[n], (uint32_t)strlen(names[n])))
        n++;
    infer_form value = *form;
    if ((*value.attributes || value.unnamed > 4) &&
        !bake_infer_newtype(forms, &value, "Other", owner))
        return false;
    bool nullable = bake_infer_shape_of(shape->rest)->nulls > 0 && !value.has_empty;
    bake_infer_write(w, "      %s: {type: \"map<string, %s%s>\", rest: true}  # %u keys\n",
                     names[n], value.type, nullable ? "?" : "", shape->keys.value_count);
    return true;
}

static bool is_key(const infer_entry *entry, const char *key)
{
    return key && strlen(key) == entry->length && memcmp(key, entry->name, entry->length) == 0;
}

/* An inherited list is merged by kind if its elements name their kinds. */
static const char *inherit_rule(const infer_entry *entry)
{
    const infer_shape *shape = bake_infer_shape_of(entry->shape);
    const infer_shape *element = shape->element ? bake_infer_shape_of(shape->element) : NULL;
    return element && element->key && element->variants.count ? ", inherit: merge" : "";
}

/* If the record has an object number, writes a `local_by` field for the object that it refers
 * to. */
static void write_object(infer_forms *forms, infer_writer *w, const infer_shape *shape)
{
    static const char name[] = "object";
    infer_table fields = shape->fields;
    const infer_entry *number =
        bake_infer_table_find(&fields, INFER_NUMBER_KEY, sizeof INFER_NUMBER_KEY - 1);
    const infer_shape *values = number ? bake_infer_shape_of(number->shape) : NULL;
    if (!forms->has_local || !values || shape->rest || shape->short_field || values->nulls ||
        number->count != shape->mappings || values->texts.count != number->count ||
        !(values->texts.all & INFER_INT) || bake_infer_table_find(&fields, name, sizeof name - 1))
        return;
    bake_infer_write(w,
                     "      %s: {type: \"ref?\", local_by: %s}  # derived: the object of this file "
                     "with that number, if no other key is written\n",
                     name, INFER_NUMBER_KEY);
}

static bool write_fields(infer_forms *forms, infer_writer *w, infer_shape *shape, const char *owner,
                         const infer_kind *asset, uint8_t *depth)
{
    uint32_t written = 0;
    /* Values in short form lack all fields but one. */
    uint64_t total = shape->mappings + shape->short_count;
    bool skips_id = asset && asset->group->layout == INFER_LAYOUT_BY;
    infer_writer fields = {forms->store, NULL, 0, 0};
    const char *row = shape->is_row ? forms->row : NULL;
    uint32_t row_length = forms->row_length;
    for (uint32_t i = 0; i < shape->fields.count; i++) {
        const infer_entry entry = shape->fields.entries[i];
        if (asset &&
            ((skips_id && is_key(&entry, asset->id_key)) || is_key(&entry, asset->parent_key) ||
             (!asset->base_refs && is_key(&entry, asset->abstract_key))))
            continue;
        const char *extra = asset && asset->parent_key ? inherit_rule(&entry) : "";
        if (asset && is_key(&entry, asset->abstract_key))
            extra = ", inherit: never";
        written++;
        if (asset && asset->group->layout == INFER_LAYOUT_LIST && is_key(&entry, asset->id_key)) {
            bake_infer_write(&fields, "      ");
            bake_infer_write_text(&fields, entry.name, entry.length);
            bake_infer_write(&fields, ": string  # the id\n");
            continue;
        }
        if (row && bake_infer_write_entity(forms, &fields, &entry, row, row_length))
            continue;
        const infer_texts *texts = &bake_infer_shape_of(entry.shape)->texts;
        forms->own_kind = asset;
        forms->own =
            asset && entry.count == asset->count && texts->count == entry.count ? texts : NULL;
        if (!write_field(forms, &fields, &entry, total, extra, owner, depth))
            return false;
    }
    if (!asset)
        write_object(forms, &fields, shape);
    if (shape->rest && !write_rest(forms, &fields, shape, owner))
        return false;
    if (written == 0 && !shape->rest)
        bake_infer_write(w, "    struct: {}\n");
    else
        bake_infer_write(w, "    struct:\n%s", bake_infer_written(&fields));
    if (shape->short_field) {
        bake_infer_write(w, "    short: ");
        bake_infer_write_text(w, shape->short_field, strlen(shape->short_field));
        bake_infer_write(w, "\n");
    }
    return true;
}

/* Whether the record has exactly these fields, always present and always numbers. */
static bool are_numbers(const infer_shape *shape, const char *const *names, uint32_t count,
                        uint32_t *ret_some)
{
    *ret_some = 0;
    if (shape->fields.count != count || shape->rest || shape->mappings < 2)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        infer_table fields = shape->fields;
        const infer_entry *entry = bake_infer_table_find(&fields, names[i], 1);
        const infer_shape *field = entry ? bake_infer_shape_of(entry->shape) : NULL;
        if (!field || strlen(names[i]) != 1 || entry->count != shape->mappings ||
            field->texts.count != entry->count || !(field->texts.all & INFER_NUMBER) ||
            field->texts.quoted)
            return false;
        *ret_some |= field->texts.some;
    }
    return true;
}

/* Vectors `{x, y, z}` and colours `{r, g, b, a}` share one type for all positions. */
static bool decide_vector_or_colour(infer_forms *forms, const infer_shape *shape, infer_form *form)
{
    static const char *const axes[] = {"x", "y", "z", "w"}, *const colour[] = {"r", "g", "b", "a"};
    uint32_t some;
    infer_writer w = {forms->store, NULL, 0, 0};
    form->depth = 1;
    form->is_list = true;
    for (uint32_t count = 2; count <= 4; count++) {
        if (!are_numbers(shape, axes, count, &some))
            continue;
        bake_infer_write(&w, "%" PRIu64 " mappings", shape->mappings);
        form->note = bake_infer_written(&w);
        form->type = bake_infer_vector_type(forms, count, some & INFER_DOUBLE ? "f64" : "f32");
        return form->type != NULL;
    }
    if (are_numbers(shape, colour, 3, &some) || are_numbers(shape, colour, 4, &some)) {
        infer_table fields = shape->fields;
        double most = 0, least = 0;
        for (uint32_t i = 0; i < fields.count; i++) {
            const infer_texts *texts = &bake_infer_shape_of(fields.entries[i].shape)->texts;
            most = texts->most > most ? texts->most : most;
            least = texts->least < least ? texts->least : least;
        }
        bool floats = (some & INFER_FRACTION) || most <= 1;
        if (least < 0 || (!floats && most > 255) || (some & INFER_DOUBLE))
            return true;
        form->note = "colours";
        form->is_list = false;
        form->type = bake_infer_colour_type(forms, floats);
        return form->type != NULL;
    }
    return true;
}

static bool finish(infer_forms *forms, infer_shape *shape, infer_type *type, const infer_writer *w,
                   const char *note, bool shared, infer_form *form)
{
    form->type = bake_infer_type_end(forms, type, bake_infer_written(w), note, false, shared);
    form->attributes = "";
    form->note = "";
    /* The caller stores the final form. */
    shape->form = NULL;
    return form->type != NULL;
}

/* Whether the `short` field can be a list. */
static bool is_short_list(infer_shape *shape)
{
    const infer_entry *entry = shape->short_field
                                   ? bake_infer_table_find(&shape->fields, shape->short_field,
                                                           (uint32_t)strlen(shape->short_field))
                                   : NULL;
    const infer_shape *field = entry ? bake_infer_shape_of(entry->shape) : NULL;
    return field && (!field->form || field->form->is_list);
}

bool bake_infer_decide_record(infer_forms *forms, infer_shape *shape, const char *owner,
                              infer_form *form)
{
    infer_writer w = {forms->store, NULL, 0, 0}, note = {forms->store, NULL, 0, 0};
    uint8_t depth = 0;
    if (!shape->short_count && !shape->is_row && !decide_vector_or_colour(forms, shape, form))
        return false;
    if (form->type)
        return true;
    infer_type *type = bake_infer_shape_begin(forms, shape, owner, false);
    if (!type || !write_fields(forms, &w, shape, type->name, NULL, &depth))
        return false;
    bake_infer_write(&note, "%" PRIu64 " mapping%s, the first at ", shape->mappings,
                     shape->mappings == 1 ? "" : "s");
    bake_infer_write_place(forms, &note, shape->first);
    if (shape->is_row)
        bake_infer_write(&w, "    component: row\n");
    if (!finish(forms, shape, type, &w, bake_infer_written(&note), !shape->is_row, form))
        return false;
    form->depth = (uint8_t)(depth + 1);
    form->is_list = shape->short_has_lists || is_short_list(shape);
    return true;
}

const char *bake_infer_decide_asset(infer_forms *forms, infer_shape *shape, const char *name,
                                    const char *kind, const infer_kind *asset)
{
    infer_writer w = {forms->store, NULL, 0, 0}, note = {forms->store, NULL, 0, 0};
    uint8_t depth = 0;
    shape = bake_infer_shape_of(shape);
    bool record = shape->mappings && !shape->nulls && !shape->lists && !shape->texts.count &&
                  !shape->tagged && !shape->key && (shape->fields.count || !shape->rest);
    infer_type *type = bake_infer_type_begin(forms, name, NULL);
    infer_form *pending = bake_store_alloc(forms->store, 1, sizeof *pending);
    if (!type || !pending)
        return NULL;
    if (asset && asset->count)
        bake_infer_write(&note, "%u asset%s", asset->count, asset->count == 1 ? "" : "s");
    if (record) {
        pending->type = type->name;
        pending->attributes = pending->note = "";
        pending->pending = type;
        shape->form = pending;
        if (!write_fields(forms, &w, shape, type->name, asset, &depth))
            return NULL;
        pending->depth = (uint8_t)(depth + 1);
        pending->pending = NULL;
    } else {
        const infer_form *form = bake_infer_decide(forms, shape, type->name);
        if (!form)
            return NULL;
        infer_form value = *form;
        bool nullable = shape->nulls && !value.has_empty;
        if (nullable && *value.attributes &&
            !bake_infer_newtype(forms, &value, "Value", type->name))
            return NULL;
        bake_infer_write(&w, "    wrap: {type: \"%s%s\"%s}\n", value.type, nullable ? "?" : "",
                         value.attributes);
        if (*form->note)
            bake_infer_write(&note, "%s%s", note.length ? "; " : "", form->note);
    }
    bake_infer_write(&w, "    asset: true\n");
    if (kind && strcmp(kind, type->name) != 0)
        bake_infer_write(&w, "    kind: %s\n", kind);
    if (record && asset && asset->parent_key) {
        bake_infer_write(&w, "    inherit: {parent: ");
        bake_infer_write_text(&w, asset->parent_key, strlen(asset->parent_key));
        if (asset->abstract_key && !asset->base_refs)
            bake_infer_write(&w, ", abstract: %s", asset->abstract_key);
        bake_infer_write(&w, "}  # %" PRIu64 " value%s, all ids of %s, without cycles",
                         asset->parents, asset->parents == 1 ? "" : "s", asset->name);
        if (asset->base_refs)
            bake_infer_write(&w, "; %" PRIu64 " other reference%s to abstract assets",
                             asset->base_refs, asset->base_refs == 1 ? "" : "s");
        bake_infer_write(&w, "\n");
    }
    if (asset && asset->group->layout == INFER_LAYOUT_BY &&
        strcmp(asset->id_key, asset->group->id_key) != 0) {
        bake_infer_write(&w, "    id: ");
        bake_infer_write_text(&w, asset->id_key, strlen(asset->id_key));
        bake_infer_write(&w, "\n");
    }
    return bake_infer_type_end(forms, type, bake_infer_written(&w), bake_infer_written(&note),
                               false, false);
}

/* ---- unions, by key or by tag, and the short form ---- */

static bool end_union(infer_forms *forms, infer_type *type, const infer_writer *w, const char *note,
                      bool doubtful, bool shared, infer_form *form)
{
    form->type = bake_infer_type_end(forms, type, bake_infer_written(w), note, doubtful, shared);
    form->attributes = form->note = "";
    form->has_empty = true;
    form->doubtful = doubtful;
    return form->type != NULL;
}

/* Returns the type of an alternative, which must be a struct. */
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
    infer_form *stored = bake_store_alloc(forms->store, 1, sizeof *stored);
    /* The shape of an alternative can also have scalars or lists, if it was merged with a shape
     * from elsewhere. */
    bool is_mixed = (shape->texts.count || shape->lists) && !shape->is_row;
    if (!stored || !(is_mixed ? bake_infer_decide_short : bake_infer_decide_record)(forms, shape,
                                                                                    owner, &form))
        return NULL;
    *stored = form;
    shape->form = stored;
    return stored->type;
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
        bool is_unit = is_empty(variant) && !variant->is_row;
        forms->row = variant->is_row ? entry.name : NULL;
        forms->row_length = entry.length;
        const char *name = is_unit ? NULL : struct_type(forms, variant, type->name);
        forms->row = NULL;
        if (!is_unit && !name)
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
    return end_union(forms, type, &w, bake_infer_written(&note), false, true, form);
}

/* Returns the length of the common prefix of all tags of a union, up to the last separator. */
static size_t common_prefix(const infer_forms *forms, uint32_t first)
{
    const infer_table *tags = &forms->shapes->tags;
    const char *text = tags->entries[first].name;
    size_t length = strlen(text), end = 0;
    for (uint32_t i = 0; i < tags->count; i++) {
        if (bake_infer_tag_union(forms->shapes, i) != bake_infer_tag_union(forms->shapes, first))
            continue;
        const char *other = tags->entries[i].name;
        size_t same = 0;
        while (same < length && other[same] == text[same] && other[same])
            same++;
        /* At least one character must remain as the name of each tag. */
        if (!other[same] && same > 0)
            same--;
        length = same;
    }
    for (size_t i = 0; i < length; i++)
        if (strchr(":!/,", text[i]))
            end = i + 1;
    return end;
}

/* Returns the prefix as written in a schema, with `!!` for the core tags. */
static const char *format_prefix(infer_forms *forms, const char *tag, size_t length)
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
        /* A tag without a value omits all fields. */
        shape->short_count = shape->nulls;
        return struct_type(forms, shape, owner);
    }
    const infer_form *form = bake_infer_decide(forms, shape, owner);
    if (!form)
        return NULL;
    infer_form plain = *form;
    char *name = bake_infer_type_name(forms->store, shape->usage ? shape->usage : "Value",
                                      shape->usage ? shape->usage_length : 5);
    if (!name || (*plain.attributes && !bake_infer_newtype(forms, &plain, name, owner)))
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

/* Makes a union for values with and without tags, with an alternative for each tag and one for
 * untagged values. */
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
    if (*value.attributes && !bake_infer_newtype(forms, &value, "Plain", type->name))
        return false;
    bake_infer_write(&w, "      %s: %s%s%s\n    by: {tag: \"%s\", untagged: %s}\n", names[n],
                     value.type, *value.note ? "  # " : "", value.note,
                     format_prefix(forms, tags->entries[shape->tags[0]].name, prefix), names[n]);
    bake_infer_write(&note, "with or without a tag, the first at ");
    bake_infer_write_place(forms, &note, shape->first);
    return end_union(forms, type, &w, bake_infer_written(&note), false, true, form);
}

/* Positions where all values have tags of one union share its type, which is stored in
 * `tag_forms`. */
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
        infer_form *stored = bake_store_alloc(forms->store, 1, sizeof *stored);
        if (!type || !stored)
            return false;
        *stored = *shape->form;
        stored->pending = NULL;
        *known = stored;
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
                         format_prefix(forms, tags->entries[first].name, prefix));
        bake_infer_write(&note, "by tag, the first at ");
        bake_infer_write_place(forms, &note, shape->first);
        if (!end_union(forms, type, &w, bake_infer_written(&note), false, false, form))
            return false;
    }
    *form = **known;
    return true;
}

/* Finds the field that a scalar in short form sets: one with a common name for such fields, and
 * with scalars of the same types. */
static infer_entry *find_short_field(infer_shape *shape)
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
    uint64_t short_count = shape->texts.count + shape->lists;
    if (!shape->mappings || shape->key) {
        /* No type accepts alternatives by key together with scalars or lists. */
        form->doubtful = true;
        form->type = "string";
        form->note = "a mix of values that no type accepts";
        return true;
    }
    infer_entry *entry = find_short_field(shape);
    infer_place place = shape->first;
    if (!entry) {
        static const char *const names[] = {"value", "plain", "bare", "short", "value_"};
        size_t n = 0;
        while (n < 4 && (has_field(shape, names[n]) || has_key(shape, names[n])))
            n++;
        entry = bake_infer_table_find_or_add(&shape->fields, shapes->store, names[n],
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
    entry->count += short_count;
    if (!bake_infer_texts_merge(&field->texts, shapes->store, &shape->texts))
        return false;
    shape->short_field = bake_store_text(shapes->store, entry->name, entry->length);
    shape->short_count = short_count;
    shape->short_has_lists = shape->short_has_lists || shape->lists > 0;
    memset(&shape->texts, 0, sizeof shape->texts);
    shape->lists = 0;
    return shape->short_field && bake_infer_decide_record(forms, shape, owner, form);
}
