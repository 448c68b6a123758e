/* Structs and unions, field by field. */
#include "infer_form.h"

#include <inttypes.h>
#include <string.h>

enum { DEPTH_MAX = 11 };

static void write_comment(infer_writer *w, bool doubtful, const char *first, const char *second)
{
    if (!*first && !*second && !doubtful)
        return;
    bake_infer_write(w, "  # %s%s%s%s", doubtful ? "doubtful: " : "", first,
                     *first && *second ? "; " : "", second);
}

/* One field: `total` mappings could have had it, `written` did. */
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
    bool mark = (optional || deep) && !value && !form.has_empty;
    infer_writer seen = {forms->store, NULL, 0, 0};
    if (mark && *form.attributes) {
        char *name = bake_infer_type_name(forms->store, entry->name, entry->length);
        if (!name || !bake_infer_wrap(forms, &form, name, owner))
            return false;
    }
    if (mark || form.has_empty)
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
        bake_infer_write(w, ": %s%s", form.type, mark ? "?" : "");
    else {
        const char *quote = mark || strpbrk(form.type, "<>[]?,") ? "\"" : "";
        bake_infer_write(w, ": {type: %s%s%s%s%s%s%s%s}", quote, form.type, mark ? "?" : "", quote,
                         form.attributes, extra, value ? ", default: " : "", value ? value : "");
    }
    write_comment(w, form.doubtful, bake_infer_written(&seen), form.note);
    bake_infer_write(w, "\n");
    forms->doubtful_count += form.doubtful;
    if (form.depth > *depth)
        *depth = form.depth;
    return true;
}

/* The map that takes all other keys; its name is one that no field has. */
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
    if ((*value.attributes || value.unnamed > 4) && !bake_infer_wrap(forms, &value, "Other", owner))
        return false;
    bool mark = bake_infer_shape_of(shape->rest)->nulls > 0 && !value.has_empty;
    bake_infer_write(w, "      %s: {type: \"map<string, %s%s>\", rest: true}  # %u keys\n",
                     names[n], value.type, mark ? "?" : "", shape->keys.value_count);
    return true;
}

static bool is_key(const infer_entry *entry, const char *key)
{
    return key && strlen(key) == entry->length && memcmp(key, entry->name, entry->length) == 0;
}

/* Lists of what says its kind are put together kind by kind where assets inherit. */
static const char *inherit_rule(const infer_entry *entry)
{
    const infer_shape *shape = bake_infer_shape_of(entry->shape);
    const infer_shape *element = shape->element ? bake_infer_shape_of(shape->element) : NULL;
    return element && element->key && element->variants.count ? ", inherit: merge" : "";
}

static bool write_fields(infer_forms *forms, infer_writer *w, infer_shape *shape, const char *owner,
                         const infer_kind *asset, uint8_t *depth)
{
    uint32_t written = 0;
    /* What is written as something else than a mapping leaves all but one field out. */
    uint64_t total = shape->mappings + shape->bare;
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
        bake_infer_write_object(forms, &fields, shape);
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

/* Whether the fields are just these, each a number and always there. */
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

/* `{x, y, z}` and `{r, g, b, a}` are the same types wherever they stand. */
static bool decide_known(infer_forms *forms, const infer_shape *shape, infer_form *form)
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
    /* What is known now replaces what was said while it was under way. */
    shape->form = NULL;
    return form->type != NULL;
}

/* Whether the field that a short struct may be written as may be a list. */
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
    if (!shape->bare && !shape->is_row && !decide_known(forms, shape, form))
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
    form->is_list = shape->takes_lists || is_short_list(shape);
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
        bool mark = shape->nulls && !value.has_empty;
        if (mark && *value.attributes && !bake_infer_wrap(forms, &value, "Value", type->name))
            return NULL;
        bake_infer_write(&w, "    wrap: {type: \"%s%s\"%s}\n", value.type, mark ? "?" : "",
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
        bake_infer_write(&w, "}  # %" PRIu64 " values, all ids of %s, none its own ancestor",
                         asset->parents, asset->name);
        if (asset->base_refs)
            bake_infer_write(&w, "; %" PRIu64 " others are ids of abstract ones", asset->base_refs);
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
