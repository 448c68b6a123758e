/* The schema as text: the rules for files, then all types. */
#include "infer_form.h"

#include <inttypes.h>
#include <string.h>

static void write_word(infer_writer *w, const char *what, const char *word, const char *usual,
                       bool *first)
{
    if (!word || strcmp(word, usual) == 0)
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
            if (p == 0)
                bake_infer_write(w, "  # %u file%s, %u document%s", group->input_count,
                                 group->input_count == 1 ? "" : "s", group->document_count,
                                 group->document_count == 1 ? "" : "s");
            if (p == 0 && group->layout == INFER_LAYOUT_SCENE)
                bake_infer_write(w, ", %u entities; %" PRIu64 " bases are ids of %s",
                                 group->scene->entity_count, group->scene->base_count,
                                 ids->kinds[group->scene->prefab_kind].type);
            bake_infer_write(w, "\n");
        }
    }
}

static void write_accepted(const infer_ids *ids, infer_writer *w)
{
    bool any = false;
    for (uint32_t k = 0; k < ids->kind_count; k++) {
        const infer_kind *kind = &ids->kinds[k];
        if (kind->accepted.count == 0)
            continue;
        bake_infer_write(
            w, any ? "" : "accepted:  # ids that some fields have and that are not there\n");
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
    bake_infer_write(
        w,
        "# Written by kiln-bake schema infer from what the data looks like; see each comment.\n"
        "kiln: 1\nnamespace: %s\n",
        name_space);
    write_rules(forms->ids, groups, w);
    write_accepted(forms->ids, w);
    write_types(forms, w);
    return !w->store->failed;
}
