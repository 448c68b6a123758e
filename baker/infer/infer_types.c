/* Named types, each once. */
#include "infer_form.h"

#include <string.h>

infer_type *bake_infer_type_begin(infer_forms *forms, const char *wanted, const char *owner)
{
    infer_type *type = bake_store_alloc(forms->store, 1, sizeof *type);
    if (!type)
        return NULL;
    type->name =
        owner ? bake_infer_names_take(&forms->names, wanted, *owner ? owner : NULL) : wanted;
    if (!type->name)
        return NULL;
    *forms->last = type;
    forms->last = &type->next;
    return type;
}

infer_type *bake_infer_shape_begin(infer_forms *forms, infer_shape *shape, const char *owner,
                                   bool has_empty)
{
    char *name = bake_infer_type_name(forms->store, shape->usage ? shape->usage : "Value",
                                      shape->usage ? shape->usage_length : 5);
    infer_form *form = bake_store_alloc(forms->store, 1, sizeof *form);
    if (!name || !form)
        return NULL;
    if (shape->is_item)
        bake_infer_singular(name);
    infer_type *type = bake_infer_type_begin(forms, name, owner);
    if (!type)
        return NULL;
    form->type = type->name;
    form->attributes = form->note = "";
    form->has_empty = has_empty;
    /* What a short struct's field may be is not known yet. */
    form->is_list = shape->short_field != NULL || (shape->is_under_way && shape->lists);
    form->pending = type;
    shape->form = form;
    return type;
}

static bool number_name(infer_forms *forms, const char *name)
{
    uint32_t count = forms->type_count;
    if ((count & (count - 1)) == 0) {
        const char **names = bake_store_alloc(forms->store, count ? count * 2 : 1, sizeof *names);
        if (!names)
            return false;
        if (count)
            memcpy(names, forms->names_by_number, count * sizeof *names);
        forms->names_by_number = names;
    }
    forms->names_by_number[forms->type_count++] = name;
    return true;
}

/* The body without its comments, which differ where the types do not. */
static const char *bare_body(infer_forms *forms, const char *body)
{
    char *bare = bake_store_text(forms->store, body, strlen(body)), *to = bare;
    for (const char *from = bare; from && *from;) {
        if (strncmp(from, "  # ", 4) == 0)
            from += strcspn(from, "\n");
        else
            *to++ = *from++;
    }
    if (bare)
        *to = '\0';
    return bare;
}

const char *bake_infer_type_end(infer_forms *forms, infer_type *type, const char *body,
                                const char *note, bool doubtful, bool shared)
{
    if (shared && !type->is_expected) {
        infer_place nowhere = {0, 0};
        const char *bare = bare_body(forms, body);
        infer_entry *entry = bare ? bake_infer_table_need(&forms->bodies, forms->store, bare,
                                                          (uint32_t)strlen(bare), nowhere)
                                  : NULL;
        if (!entry)
            return NULL;
        if (entry->count)
            return forms->names_by_number[entry->count - 1];
        entry->count = (uint64_t)forms->type_count + 1;
    }
    if (!number_name(forms, type->name))
        return NULL;
    type->body = body;
    type->note = note;
    type->doubtful = doubtful;
    forms->doubtful_count += doubtful;
    return type->name;
}

const char *bake_infer_simple_type(infer_forms *forms, const char *wanted, const char *owner,
                                   const char *body)
{
    infer_type *type = bake_infer_type_begin(forms, wanted, owner);
    return type ? bake_infer_type_end(forms, type, body, "", false, true) : NULL;
}

bool bake_infer_wrap(infer_forms *forms, infer_form *form, const char *wanted, const char *owner)
{
    infer_writer w = {forms->store, NULL, 0, 0};
    bake_infer_write(&w, "    wrap: {type: \"%s\"%s}\n", form->type, form->attributes);
    char name[100];
    size_t length = strlen(wanted);
    memcpy(name, length < 80 ? wanted : "Value", length < 80 ? length + 1 : 6);
    if (strcmp(wanted, form->type) == 0)
        memcpy(name + strlen(name), "Value", 6);
    const char *type = bake_infer_simple_type(forms, name, owner, bake_infer_written(&w));
    if (!type)
        return false;
    form->type = type;
    form->attributes = "";
    form->unnamed = 0;
    form->depth++;
    return true;
}

const char *bake_infer_vector_type(infer_forms *forms, uint32_t count, const char *number)
{
    static const char *const axes[] = {"x", "y", "z", "w"};
    infer_writer w = {forms->store, NULL, 0, 0}, name = {forms->store, NULL, 0, 0};
    bake_infer_write(&w, "    struct: {");
    for (uint32_t i = 0; i < count; i++)
        bake_infer_write(&w, "%s%s: %s", i ? ", " : "", axes[i], number);
    bake_infer_write(&w, "}\n    tuple: true\n");
    bake_infer_write(&name, "Vec%u%s", count,
                     strcmp(number, "f32") == 0   ? ""
                     : strcmp(number, "f64") == 0 ? "Double"
                                                  : number);
    return bake_infer_simple_type(forms, bake_infer_written(&name), "", bake_infer_written(&w));
}

const char *bake_infer_colour_type(infer_forms *forms, bool floats)
{
    return bake_infer_simple_type(
        forms, floats ? "ColourFloat" : "Colour", "",
        floats ? "    struct: {r: f32, g: f32, b: f32, a: {type: f32, default: 1}}\n"
                 "    colour: true\n"
               : "    struct: {r: u8, g: u8, b: u8, a: {type: u8, default: 255}}\n"
                 "    colour: true\n");
}

const char *bake_infer_box_type(infer_forms *forms, const char *type, const char *owner)
{
    infer_writer w = {forms->store, NULL, 0, 0};
    bake_infer_write(&w, "    union: {one: \"%s\"}\n    by: {tag: \"!\", untagged: one}\n", type);
    return bake_infer_simple_type(forms, "Box", owner, bake_infer_written(&w));
}

const char *bake_infer_binary_type(infer_forms *forms)
{
    return bake_infer_simple_type(forms, "TextOrBytes", "",
                                  "    union: {text: string, binary: bytes}\n"
                                  "    by: {tag: \"!!\", untagged: text}\n");
}

void bake_infer_write_place(infer_forms *forms, infer_writer *w, infer_place place)
{
    const bake_input *input = &forms->ids->inputs->inputs[place.input];
    bake_mark mark = bake_node_mark(input->tree, place.node);
    bake_infer_write_shown(w, input->relative, strlen(input->relative));
    bake_infer_write(w, ":%u", mark.line);
}
