/* kiln-bake schema infer: writes a schema that bakes the inputs. */
#include "ascii.h"
#include "bake_inputs.h"
#include "gateway.h"
#include "grouped_number.h"
#include "infer_form.h"
#include "infer_sort.h"
#include "path_match.h"
#include "schema_command.h"

#include <errno.h>
#include <string.h>

bake_result bake_infer_check(const bake_options *o, bake_failure *failure)
{
    if (o->inputs.count == 0)
        return bake_fail(failure, BAKE_FAILED, "no inputs given; give files, folders or -");
    if (o->name_space && !bake_is_name(o->name_space, strlen(o->name_space), 0))
        return bake_fail(failure, BAKE_FAILED, "--namespace takes a C identifier, not '%.100s'",
                         o->name_space);
    if (o->name_space && strcmp(o->name_space, "kiln") == 0)
        return bake_fail(failure, BAKE_FAILED,
                         "--namespace kiln is reserved for types of the file format");
    return BAKE_OK;
}

enum { SORT_ROUNDS_MAX = 16 };

/* The state of an inference. Shapes refer to each other, so none can be freed separately; a single
 * store owns all memory. */
typedef struct inference {
    bake_run *run;
    bake_store store;
    bake_inputs inputs;
    infer_shapes shapes;
    infer_groups groups;
    infer_ids ids;
    infer_forms forms;
} inference;

/* The document of an engine object is a mapping with one key, the name of its class. The value is
 * added to the shape of that class. Stripped objects lack most fields, so they have separate
 * shapes: otherwise all fields would become optional. */
static bool read_object(inference *in, infer_shape *root, uint32_t input, uint32_t document)
{
    static const char stripped[] = ".stripped";
    const bake_tree *tree = in->inputs.inputs[input].tree;
    bake_iterator it = bake_iterator_begin(tree, bake_tree_document(tree, document));
    size_t length;
    bake_iterator_next(&it);
    infer_place key = {input, it.key}, value = {input, it.value};
    const char *name = bake_node_text(tree, it.key, &length);
    if (bake_tree_document_is_stripped(tree, document)) {
        char *longer = bake_store_alloc(&in->store, length + sizeof stripped, 1);
        if (!longer)
            return false;
        memcpy(longer, name, length);
        memcpy(longer + length, stripped, sizeof stripped);
        name = longer;
        length += sizeof stripped - 1;
    }
    infer_entry *entry =
        bake_infer_table_find_or_add(&root->fields, &in->store, name, (uint32_t)length, key);
    if (entry && !entry->shape) {
        entry->shape = bake_infer_shape_create(&in->shapes, value);
        if (entry->shape)
            entry->shape->is_asset = true;
    }
    if (!entry || !entry->shape)
        return false;
    entry->count++;
    root->mappings++;
    return bake_infer_shape_add(&in->shapes, bake_infer_shape_of(entry->shape), tree, value);
}

static bool read_document(inference *in, infer_group *group, uint32_t input, uint32_t document)
{
    const bake_tree *tree = in->inputs.inputs[input].tree;
    infer_place root = {input, bake_tree_document(tree, document)};
    if (root.node == BAKE_NODE_NONE)
        return true;
    if (group->tag)
        return read_object(in, group->root, input, document);
    return bake_infer_shape_add(&in->shapes, bake_infer_shape_of(group->root), tree, root);
}

static bool read_group(inference *in, infer_group *group)
{
    infer_place first = {group->inputs[0], 0};
    group->root = bake_infer_shape_create(&in->shapes, first);
    if (group->root)
        group->root->is_apart = group->is_apart;
    for (uint32_t i = 0; i < group->input_count && group->root; i++) {
        const bake_tree *tree = in->inputs.inputs[group->inputs[i]].tree;
        /* Read all documents, not a sample: a single value can decide between two types. */
        for (uint32_t d = 0; d < bake_tree_document_count(tree); d++)
            if (!read_document(in, group, group->inputs[i], d))
                return false;
    }
    return group->root != NULL;
}

/* Names a group after its files if all have the same name, otherwise after the deepest folder that
 * contains them all. */
static bool name_group(inference *in, infer_group *group)
{
    const char *path = in->inputs.inputs[group->inputs[0]].relative;
    size_t length, shared = strlen(path), from;
    const char *stem = bake_path_stem(path, &length);
    bool same_stem = true;
    for (uint32_t i = 1; i < group->input_count; i++) {
        const char *other = in->inputs.inputs[group->inputs[i]].relative;
        size_t other_length, same = 0;
        const char *other_stem = bake_path_stem(other, &other_length);
        same_stem = same_stem && other_length == length && memcmp(stem, other_stem, length) == 0;
        while (same < shared && other[same] == path[same])
            same++;
        shared = same;
    }
    from = shared;
    if (!same_stem) {
        while (shared > 0 && path[shared - 1] != '/')
            shared--;
        shared -= shared > 0;
        from = shared;
        while (from > 0 && path[from - 1] != '/')
            from--;
    }
    char *name = same_stem       ? bake_infer_type_name(&in->store, stem, length)
                 : shared > from ? bake_infer_type_name(&in->store, path + from, shared - from)
                                 : bake_infer_type_name(&in->store, "Document", 8);
    if (name && !same_stem)
        bake_infer_singular(name);
    group->name = name;
    return name != NULL;
}

static bool sort_all(inference *in)
{
    /* Begin a new traversal, so that each shared shape is sorted only once. */
    in->shapes.visit++;
    for (uint32_t g = 0; g < in->groups.count; g++)
        if (!bake_infer_sort(&in->shapes, in->groups.groups[g].root, &in->ids))
            return false;
    for (uint32_t t = 0; t < in->shapes.tags.count; t++)
        if (!bake_infer_sort(&in->shapes, in->shapes.tags.entries[t].shape, &in->ids))
            return false;
    return true;
}

static bool unify_all(inference *in)
{
    infer_shape **roots = bake_store_alloc(&in->store, in->groups.count + 1, sizeof *roots);
    if (!roots || !sort_all(in))
        return false;
    for (uint32_t g = 0; g < in->groups.count; g++)
        roots[g] = in->groups.groups[g].root;
    /* A merge may make other shapes similar, so further rounds find more. Three rounds bound the
     * time; shapes that they miss only make the schema longer. */
    for (int round = 0; round < 3; round++)
        if (!bake_infer_unify(&in->shapes, roots, in->groups.count) || !sort_all(in))
            return false;
    /* Sorting can merge shapes, and a merged shape must be sorted again. */
    uint32_t merges = in->shapes.merges + 1;
    for (int round = 0; round < SORT_ROUNDS_MAX && merges != in->shapes.merges; round++) {
        merges = in->shapes.merges;
        if (!sort_all(in))
            return false;
    }
    bake_infer_scenes_confirm(&in->ids, &in->groups);
    return bake_infer_evidence_gather(&in->forms, roots, in->groups.count);
}

/* Names the types of assets first, because any other type can contain references to them. */
static bool name_kinds(inference *in)
{
    for (uint32_t k = 0; k < in->ids.kind_count; k++) {
        infer_kind *kind = &in->ids.kinds[k];
        if (!kind->shape)
            continue;
        char *name = bake_infer_type_name(&in->store, kind->name, strlen(kind->name));
        if (!name)
            return false;
        if (kind->group->layout == INFER_LAYOUT_MAP || kind->group->layout == INFER_LAYOUT_LIST)
            bake_infer_singular(name);
        kind->type = bake_infer_names_take(&in->forms.names, name, NULL);
        /* If the data names the kind, ids in documents have that name as their prefix. */
        bool is_named =
            kind->group->layout == INFER_LAYOUT_BY || kind->group->layout == INFER_LAYOUT_OBJECTS;
        kind->word = is_named ? kind->name : kind->type;
        kind->group->type = kind->type;
        if (!kind->type)
            return false;
    }
    return true;
}

static bool decide_heads(inference *in, infer_group *group)
{
    group->head_types =
        bake_store_alloc(&in->store, group->heads.count + 1, sizeof *group->head_types);
    for (uint32_t i = 0; i < group->heads.count && group->head_types; i++) {
        const infer_entry *head = &group->heads.entries[i];
        /* Names come from keys, which may occur in several groups, so the group's type makes them
         * unique. */
        const char *owner = group->type ? group->type : group->name;
        char *name = bake_infer_type_name(&in->store, head->name, head->length);
        const char *taken = name ? bake_infer_names_take(&in->forms.names, name, owner) : NULL;
        group->head_types[i] =
            taken ? bake_infer_decide_asset(&in->forms, head->shape, taken, NULL, NULL) : NULL;
        if (!group->head_types[i])
            return false;
    }
    return group->head_types != NULL;
}

static bool decide_all(inference *in)
{
    /* All groups of engine objects can contain the same classes, so `{fileID: N}` is treated as a
     * reference to an object only if it is one in every such group. */
    bool local = true, streams = false;
    for (uint32_t g = 0; g < in->groups.count; g++) {
        streams = streams || in->groups.groups[g].tag;
        local = local && (!in->groups.groups[g].tag || in->groups.groups[g].has_local);
    }
    in->forms.has_local = streams && local;
    in->forms.tag_forms =
        bake_store_alloc(&in->store, in->shapes.tags.count + 1, sizeof *in->forms.tag_forms);
    if (!in->forms.tag_forms || !name_kinds(in))
        return false;
    for (uint32_t k = 0; k < in->ids.kind_count; k++) {
        const infer_kind *kind = &in->ids.kinds[k];
        if (kind->shape &&
            !bake_infer_decide_asset(&in->forms, kind->shape, kind->type, kind->word, kind))
            return false;
    }
    for (uint32_t g = 0; g < in->groups.count; g++)
        if (!decide_heads(in, &in->groups.groups[g]))
            return false;
    return true;
}

static bool infer(inference *in)
{
    if (!bake_infer_groups_make(&in->groups, &in->store, &in->inputs) ||
        !bake_infer_groups_split(&in->groups, &in->store, &in->inputs))
        return false;
    for (uint32_t g = 0; g < in->groups.count; g++)
        if (!name_group(in, &in->groups.groups[g]) || !read_group(in, &in->groups.groups[g]))
            return false;
    return bake_infer_groups_match(&in->groups, &in->store, &in->inputs) &&
           bake_infer_assets_find(&in->ids, &in->groups, &in->shapes) &&
           bake_infer_inheritance_find(&in->ids) &&
           bake_infer_objects_find(&in->groups, &in->inputs) &&
           bake_infer_scenes_find(&in->ids, &in->groups, &in->shapes, &in->forms.entities) &&
           unify_all(in) && decide_all(in);
}

static bake_result write_all(inference *in)
{
    bake_run *run = in->run;
    infer_writer w = {&in->store, NULL, 0, 0};
    const char *path = run->options->output ? run->options->output : "-";
    const char *name_space = run->options->name_space ? run->options->name_space : "data";
    if (!bake_infer_write_schema(&in->forms, &in->groups, name_space, &w))
        return bake_fail_memory(&run->failure);
    run->outputs = bake_store_alloc(&run->store, 1, sizeof *run->outputs);
    bake_output *output = run->outputs ? bake_run_begin(run, path) : NULL;
    if (!run->outputs)
        return bake_fail_memory(&run->failure);
    if (!output)
        return run->failure.result;
    if (!bake_output_write(output, w.text, w.length))
        return bake_fail_errno(&run->failure, "write", path);
    bake_result result = bake_run_commit(run);
    char files[32];
    if (!result && !run->options->quiet)
        fprintf(run->err, "%s: %u type%s from %s file%s, %u guess%s doubtful\n",
                strcmp(path, "-") == 0 ? "standard output" : path, in->forms.type_count,
                in->forms.type_count == 1 ? "" : "s", bake_grouped(files, in->inputs.count),
                in->inputs.count == 1 ? "" : "s", in->forms.doubtful_count,
                in->forms.doubtful_count == 1 ? " is" : "es are");
    return result;
}

bake_result bake_infer_run(bake_run *run)
{
    const bake_options *o = run->options;
    inference in;
    memset(&in, 0, sizeof in);
    in.run = run;
    in.shapes.store = in.ids.store = in.forms.store = in.forms.names.store = &in.store;
    in.ids.inputs = &in.inputs;
    in.forms.shapes = &in.shapes;
    in.forms.ids = &in.ids;
    in.forms.diagnostics = run->diagnostics;
    in.forms.failure = &run->failure;
    in.forms.gateway = run->gateway;
    in.forms.base = o->base;
    in.forms.last = &in.forms.first;
    bake_inputs_def def = {.gateway = run->gateway,
                           .diagnostics = run->diagnostics,
                           .schema = NULL,
                           .base = o->base,
                           .paths = o->inputs.items,
                           .path_count = o->inputs.count,
                           .jobs = o->jobs};
    uint64_t begin = bake_timing_begin(run->timings);
    bake_result result = bake_inputs_read(&in.inputs, &def, &run->failure);
    bake_run_end_phase(run, "read inputs", begin);
    begin = bake_timing_begin(run->timings);
    if (!result && !infer(&in))
        result = bake_fail_memory(&run->failure);
    bake_run_end_phase(run, "infer", begin);
    if (!result && in.groups.count == 0)
        result = bake_fail(&run->failure, BAKE_FAILED, "the inputs contain no data");
    if (!result)
        result = write_all(&in);
    bake_store_fini(&in.store);
    bake_inputs_fini(&in.inputs);
    return result;
}
