/* The list of named types, and the output of the schema. */
#include "infer_form.h"

#include <inttypes.h>
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
    /* The schema lists types in order of discovery. */
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
    /* The `short` field is not decided yet, so assume that it can be a list. */
    form->is_list = shape->short_field != NULL || (shape->is_deciding && shape->lists);
    form->pending = type;
    shape->form = form;
    return type;
}

/* Appends a type name. The array doubles at powers of two, so its capacity follows from the
 * count. */
static bool append_name(infer_forms *forms, const char *name)
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

/* Returns the body without comments, which can differ between equal types. */
static const char *without_comments(infer_forms *forms, const char *body)
{
    char *plain = bake_store_text(forms->store, body, strlen(body)), *to = plain;
    for (const char *from = plain; from && *from;) {
        if (strncmp(from, "  # ", 4) == 0)
            from += strcspn(from, "\n");
        else
            *to++ = *from++;
    }
    if (plain)
        *to = '\0';
    return plain;
}

const char *bake_infer_type_end(infer_forms *forms, infer_type *type, const char *body,
                                const char *note, bool doubtful, bool shared)
{
    /* A type whose name was used before it was complete cannot be replaced. */
    if (shared && !type->is_expected) {
        infer_place nowhere = {0, 0};
        const char *plain = without_comments(forms, body);
        infer_entry *entry = plain
                                 ? bake_infer_table_find_or_add(&forms->bodies, forms->store, plain,
                                                                (uint32_t)strlen(plain), nowhere)
                                 : NULL;
        if (!entry)
            return NULL;
        if (entry->count)
            return forms->names_by_number[entry->count - 1];
        entry->count = (uint64_t)forms->type_count + 1;
    }
    if (!append_name(forms, type->name))
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

bool bake_infer_newtype(infer_forms *forms, infer_form *form, const char *wanted, const char *owner)
{
    infer_writer w = {forms->store, NULL, 0, 0};
    bake_infer_write(&w, "    wrap: {type: \"%s\"%s}\n", form->type, form->attributes);
    char name[100];
    size_t length = strlen(wanted);
    memcpy(name, length < 80 ? wanted : "Value", length < 80 ? length + 1 : 6);
    /* The newtype needs a different name from the type inside it. */
    if (strcmp(wanted, form->type) == 0)
        memcpy(name + strlen(name), "Value", 6);
    const char *type = bake_infer_simple_type(forms, name, owner, bake_infer_written(&w));
    if (!type)
        return false;
    form->type = type;
    form->attributes = "";
    /* A named type resets the nesting of unnamed types. */
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
    /* Vectors of f32 are the most common, so they get the short name. */
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
    bake_infer_write_printable(w, input->relative, strlen(input->relative));
    bake_infer_write(w, ":%u", mark.line);
}

/* ---- output of the schema: file rules, accepted ids, types ---- */

/* Writes a key of a scene unless it is the default. */
static void write_word(infer_writer *w, const char *what, const char *word,
                       const char *default_word, bool *first)
{
    if (!word || strcmp(word, default_word) == 0)
        return;
    bake_infer_write(w, "%s%s: ", *first ? "" : ", ", what);
    bake_infer_write_text(w, word, strlen(word));
    *first = false;
}

static void write_scene(infer_writer *w, const infer_ids *ids, const infer_group *group)
{
    const infer_scene *scene = group->scene;
    bool first = true;
    bake_infer_write(w, ", shape: scene, id: %s, keys: {", group->id_source);
    write_word(w, "entities", scene->entities, "entities", &first);
    write_word(w, "name", scene->name, "name", &first);
    write_word(w, "base", scene->base, "base", &first);
    write_word(w, "components", scene->components, "components", &first);
    write_word(w, "by", scene->by, "", &first);
    write_word(w, "none", scene->none, "", &first);
    bake_infer_write(w, "}");
    first = true;
    if (scene->group_base) {
        bake_infer_write(w, ", groups: {");
        write_word(w, "base", scene->group_base, "", &first);
        write_word(w, "entities", scene->group_entities, "", &first);
        bake_infer_write(w, "}");
    }
    infer_writer prefabs = {w->store, NULL, 0, 0};
    bake_infer_write(&prefabs, "%s.%s", ids->kinds[scene->prefab_kind].type, scene->prefab_field);
    bake_infer_write(w, ", prefabs: ");
    bake_infer_write_text(w, bake_infer_written(&prefabs), prefabs.length);
}

/* Writes the rule for one pattern. A group with several patterns has several rules. */
static void write_rule(infer_writer *w, const infer_ids *ids, const infer_group *group,
                       const char *pattern)
{
    bake_infer_write(w, "  - {match: ");
    bake_infer_write_text(w, pattern, strlen(pattern));
    switch (group->layout) {
    case INFER_LAYOUT_ONE:
        bake_infer_write(w, ", shape: one, type: %s", group->type);
        if (strcmp(group->id_source, "stem") != 0)
            bake_infer_write(w, ", id: %s", group->id_source);
        break;
    case INFER_LAYOUT_MAP:
        bake_infer_write(w, ", shape: map, type: %s", group->type);
        break;
    case INFER_LAYOUT_LIST:
        bake_infer_write(w, ", shape: list, type: %s, id: ", group->type);
        bake_infer_write_text(w, group->id_key, strlen(group->id_key));
        break;
    case INFER_LAYOUT_OBJECTS:
        bake_infer_write(w, ", shape: objects, tag: \"%s\"", group->tag);
        break;
    case INFER_LAYOUT_SCENE:
        write_scene(w, ids, group);
        break;
    case INFER_LAYOUT_BY:
        bake_infer_write(w, ", shape: list, by: ");
        bake_infer_write_text(w, group->by, strlen(group->by));
        break;
    }
    for (uint32_t i = 0; i < group->heads.count; i++) {
        const infer_entry *head = &group->heads.entries[i];
        bake_infer_write(w, i ? ", " : ", head: {");
        bake_infer_write_text(w, head->name, head->length);
        bake_infer_write(w, ": %s", group->head_types[i]);
    }
    bake_infer_write(w, "%s}", group->heads.count ? "}" : "");
}

static void write_rules(const infer_ids *ids, infer_groups *groups, infer_writer *w)
{
    bake_infer_write(w, "files:\n");
    for (uint32_t g = 0; g < groups->count; g++) {
        const infer_group *group = &groups->groups[g];
        for (uint32_t p = 0; p < group->pattern_count; p++) {
            write_rule(w, ids, group, group->patterns[p]);
            /* The numbers are for the whole group, so they are written once. */
            if (p == 0)
                bake_infer_write(w, "  # %u file%s, %u document%s", group->input_count,
                                 group->input_count == 1 ? "" : "s", group->document_count,
                                 group->document_count == 1 ? "" : "s");
            if (p == 0 && group->layout == INFER_LAYOUT_SCENE)
                bake_infer_write(w, ", %u entities; %" PRIu64 " %s of %s",
                                 group->scene->entity_count, group->scene->base_count,
                                 group->scene->base_count == 1 ? "base is an id" : "bases are ids",
                                 ids->kinds[group->scene->prefab_kind].type);
            bake_infer_write(w, "\n");
        }
    }
}

/* Writes the accepted ids. Without them, references to ids that no asset has would be errors, and
 * the data would not bake. */
static void write_accepted(const infer_ids *ids, infer_writer *w)
{
    bool any = false;
    for (uint32_t k = 0; k < ids->kind_count; k++) {
        const infer_kind *kind = &ids->kinds[k];
        if (kind->accepted.count == 0)
            continue;
        bake_infer_write(w, any ? "" : "accepted:  # referenced ids that no asset has\n");
        any = true;
        bake_infer_write(w, "  ");
        bake_infer_write_text(w, kind->word, strlen(kind->word));
        bake_infer_write(w, ": [");
        for (uint32_t i = 0; i < kind->accepted.count; i++) {
            bake_infer_write(w, i ? ", " : "");
            bake_infer_write_text(w, kind->accepted.entries[i].name,
                                  kind->accepted.entries[i].length);
        }
        bake_infer_write(w, "]\n");
    }
}

static void write_types(const infer_forms *forms, infer_writer *w)
{
    bake_infer_write(w, "types:%s\n", forms->type_count ? "" : " {}");
    for (const infer_type *type = forms->first; type; type = type->next) {
        /* Replaced by an equal type. */
        if (!type->body)
            continue;
        bake_infer_write(w, "  %s:%s%s%s\n%s", type->name,
                         *type->note || type->doubtful ? "  # " : "",
                         type->doubtful ? "doubtful: " : "", type->note, type->body);
    }
}

bool bake_infer_write_schema(infer_forms *forms, infer_groups *groups, const char *name_space,
                             infer_writer *w)
{
    bake_infer_write(w,
                     "# Inferred from data by kiln-bake schema infer; the comments state the "
                     "evidence.\nkiln: 1\nnamespace: %s\n",
                     name_space);
    write_rules(forms->ids, groups, w);
    write_accepted(forms->ids, w);
    write_types(forms, w);
    return !w->store->failed;
}
