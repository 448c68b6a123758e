/* Checks a file that was baked earlier against a newer schema.
 *
 * Types only show which values might be refused. So if the values of an asset determine whether it
 * is readable, the asset is converted as in the runtime. Its verdict may then be better than that
 * of its type. */
#include "schema_check.h"

#include "bake_memory.h"
#include "bake_text.h"

#include <kiln/cluster_plan.h>
#include <kiln/convert.h>
#include <kiln/redirects.h>
#include <kiln/scene.h>
#include <kiln/verify.h>

#include <stdio.h>
#include <string.h>

/* The maximum number of refused values that are listed. All of them are counted. */
enum { REFUSALS_MAX = 20 };

typedef struct type_stack {
    bool *seen; /* by type */
    uint32_t *types, count;
} type_stack;

typedef struct file_check {
    bake_run *run;
    shipped_file shipped;
    schema_report *report;
    kiln_types *with_scene;        /* the types of the new schema and the built-in scene types */
    kiln_conversion **conversions; /* indexed like the types of the file's index */
    type_stack stack;
    /* A component may have values that would be refused. Rows of scenes are not converted here. */
    bool has_doubtful_rows;
} file_check;

static void raise_verdict(file_check *f, schema_verdict verdict)
{
    if (verdict > f->report->verdict)
        f->report->verdict = verdict;
}

static void refuse_value(file_check *f, const char *asset, const char *path, const char *text,
                         schema_verdict verdict)
{
    schema_report *report = f->report;
    raise_verdict(f, verdict);
    if (report->refusal_count++ >= REFUSALS_MAX)
        return;
    bake_store *store = &f->run->store;
    schema_refusal *refusal = bake_store_alloc(store, 1, sizeof *refusal);
    if (!refusal)
        return;
    refusal->asset = bake_store_text(store, asset, strlen(asset));
    refusal->path = bake_store_text(store, path, strlen(path));
    refusal->text = bake_store_text(store, text, strlen(text));
    if (!refusal->asset || !refusal->path || !refusal->text)
        return;
    if (!report->last_refusal)
        report->last_refusal = &report->refusals;
    *report->last_refusal = refusal;
    report->last_refusal = &refusal->next;
}

/* ---- types ---- */

static bool is_built_in(const char *name)
{
    return strcmp(name, KILN_SCENE_TYPE_NAME) == 0 ||
           strcmp(name, KILN_SCENE_CHUNKS_TYPE_NAME) == 0 ||
           strcmp(name, KILN_REDIRECTS_TYPE_NAME) == 0 ||
           strcmp(name, KILN_CLUSTERS_TYPE_NAME) == 0;
}

static void push(type_stack *stack, uint32_t type)
{
    if (type == KILN_TYPE_NONE || stack->seen[type])
        return;
    stack->seen[type] = true;
    stack->types[stack->count++] = type;
}

/* Adds a type and all types that it contains to the report. The stack is on the heap, because types
 * can be nested deeply; each type is on it at most once. */
static void show(file_check *f, uint32_t from, type_stack *stack)
{
    const schema_comparison *c = &f->report->comparison;
    push(stack, from);
    while (stack->count > 0) {
        uint32_t type = stack->types[--stack->count];
        const kiln_type *of = kiln_types_get(f->shipped.types, type);
        if (c->by_from[type] != KILN_TYPE_NONE)
            f->report->shown[c->by_from[type]] = true;
        if (of->kind != KILN_KIND_REF)
            push(stack, of->element);
        push(stack, of->key);
        for (uint32_t m = 0; m < of->member_count; m++)
            push(stack, of->members[m].type);
    }
}

/* Returns the finding about a type of the file, or NULL if it has none, and adds the type to the
 * report. */
static schema_finding *find_type(file_check *f, const char *name)
{
    schema_report *report = f->report;
    if (report->has_types) {
        uint32_t from = kiln_types_find(f->shipped.types, name);
        uint32_t number =
            from == KILN_TYPE_NONE ? KILN_TYPE_NONE : report->comparison.by_from[from];
        if (number == KILN_TYPE_NONE)
            return NULL;
        show(f, from, &f->stack);
        return &report->comparison.findings[number];
    }
    for (uint32_t i = 0; i < report->comparison.count; i++)
        if (strcmp(report->comparison.findings[i].name, name) == 0)
            return &report->comparison.findings[i];
    return NULL;
}

/* Adds a type of a file without a type table, where only the layout hash is known. */
static void add_by_layout(file_check *f, const char *name, uint64_t layout)
{
    schema_comparison *c = &f->report->comparison;
    if (is_built_in(name) || find_type(f, name))
        return;
    schema_finding *finding = &c->findings[c->count];
    finding->to = bake_schema_newer_type(f->run->schema->types, name);
    finding->name = bake_store_text(&f->run->store, name, strlen(name));
    if (!finding->name)
        return;
    c->count++;
    if (finding->to == KILN_TYPE_NONE) {
        finding->reading = SCHEMA_READ_NONE;
        finding->verdict = SCHEMA_BREAKS;
        bake_schema_change_add(&f->run->store, finding, NULL, "removed", SCHEMA_YAML_FAILS,
                               "the type was removed");
    } else if (kiln_types_get(f->run->schema->types, finding->to)->layout != layout) {
        finding->reading = SCHEMA_READ_NONE;
        finding->verdict = SCHEMA_MUST_REBAKE;
        bake_schema_change_add(
            &f->run->store, finding, NULL, "layout", SCHEMA_YAML_SAME,
            "the layout changed, and the file has no type table to convert it with");
    }
}

static bool compare_layouts(file_check *f)
{
    const kiln_index *index = f->shipped.index;
    schema_comparison *c = &f->report->comparison;
    c->findings =
        bake_store_alloc(&f->run->store, index->types.count + (size_t)1, sizeof *c->findings);
    for (uint32_t i = 0; c->findings && i < index->types.count; i++) {
        const kiln_index_type *type = kiln_index_type_at(index, i);
        add_by_layout(f, kiln_string_get(&type->name), type->layout);
    }
    return c->findings != NULL;
}

static bake_result compare_types(file_check *f)
{
    schema_report *report = f->report;
    bake_store *store = &f->run->store;
    report->has_types = f->shipped.types != NULL;
    if (!report->has_types)
        return compare_layouts(f) ? BAKE_OK : bake_fail_memory(&f->run->failure);
    schema_compare_def def = {f->shipped.types, f->run->schema->types, NULL, f->run->schema, store};
    size_t count = kiln_types_count(f->shipped.types);
    bake_result result = bake_schema_compare(&def, &report->comparison, &f->run->failure);
    if (result)
        return result;
    report->shown = bake_store_alloc(store, report->comparison.count + (size_t)1, sizeof(bool));
    f->stack.seen = bake_store_alloc(store, count, sizeof(bool));
    f->stack.types = bake_store_alloc(store, count, sizeof *f->stack.types);
    if (!report->shown || !f->stack.seen || !f->stack.types)
        return bake_fail_memory(&f->run->failure);
    return BAKE_OK;
}

/* ---- assets ---- */

static kiln_status verified_blob(file_check *f, const kiln_types *types, uint32_t number,
                                 const unsigned char **ret_blob, size_t *ret_size,
                                 kiln_error *reterr)
{
    const kiln_index_asset *asset = kiln_index_asset_at(f->shipped.index, number);
    const kiln_index_type *type = kiln_index_type_at(f->shipped.index, asset->type);
    kiln_verify_def def = kiln_verify_def_default();
    def.types = types;
    def.type = kiln_types_find(types, kiln_string_get(&type->name));
    def.allocator = &f->shipped.allocator;
    def.skip_hash = true;
    *ret_size = (size_t)kiln_index_member_at(f->shipped.index, asset->member)->size;
    kiln_status status = bake_shipped_blob(&f->shipped, asset->member, ret_blob, reterr);
    return status ? status : kiln_verify(&def, *ret_blob, *ret_size, reterr);
}

/* Converts the asset as the runtime does and discards the result; only the status matters. */
static kiln_status try_asset(file_check *f, uint32_t number, const schema_finding *finding,
                             kiln_error *reterr)
{
    const kiln_index_asset *asset = kiln_index_asset_at(f->shipped.index, number);
    kiln_conversion **conversion = &f->conversions[asset->type];
    kiln_conversion_def def = kiln_conversion_def_default();
    const unsigned char *blob;
    kiln_buffer made;
    size_t size;
    def.from = f->shipped.types;
    def.to = f->run->schema->types;
    def.from_type = finding->from;
    def.to_type = finding->to;
    def.allocator = &f->shipped.allocator;
    def.skip_hash = true;
    kiln_status status = *conversion ? KILN_OK : kiln_conversion_create(&def, conversion, reterr);
    if (!status)
        status = verified_blob(f, f->shipped.types, number, &blob, &size, reterr);
    if (status)
        return status;
    memset(&made, 0, sizeof made);
    status = kiln_conversion_run(*conversion, (kiln_span){blob, size}, &f->shipped.allocator, &made,
                                 reterr);
    kiln_buffer_fini(&made);
    if (!kiln_status_is_unreadable(status) && status != KILN_TOO_LARGE)
        return status;
    refuse_value(f, kiln_string_get(&asset->name), reterr->path, kiln_status_text(status),
                 SCHEMA_BREAKS);
    return KILN_OK;
}

/* Checks the kind in the name of an asset. Programs look up assets by name, so if the kind changed,
 * the file must be rebaked. */
static void check_kind(file_check *f, const char *name, schema_finding *finding)
{
    const char *kind = f->run->schema->info[finding->to].kind, *slash = strchr(name, '/');
    size_t length = slash ? (size_t)(slash - name) : 0;
    if (!kind || bake_text_is(name, length, kind))
        return;
    raise_verdict(f, SCHEMA_MUST_REBAKE);
    if (finding->verdict >= SCHEMA_MUST_REBAKE)
        return;
    finding->verdict = SCHEMA_MUST_REBAKE;
    bake_schema_change_add(&f->run->store, finding, NULL, "kind", SCHEMA_YAML_MAY_FAIL,
                           "assets are named %.*s/... and would be named %s/...", (int)length, name,
                           kind);
}

static kiln_status check_asset(file_check *f, uint32_t number, const char *type, kiln_error *reterr)
{
    const char *name = kiln_string_get(&kiln_index_asset_at(f->shipped.index, number)->name);
    schema_finding *finding = find_type(f, type);
    if (!finding)
        return KILN_OK;
    bool depends = finding->reading == SCHEMA_READ_SOME && finding->to != KILN_TYPE_NONE &&
                   (kiln_types_get(f->run->schema->types, finding->to)->flags & KILN_TYPE_ASSET);
    raise_verdict(f, depends ? SCHEMA_READABLE : finding->verdict);
    if (finding->to == KILN_TYPE_NONE)
        return KILN_OK;
    check_kind(f, name, finding);
    if (finding->reading != SCHEMA_READ_REBUILT && finding->reading != SCHEMA_READ_SOME)
        return KILN_OK;
    return try_asset(f, number, finding, reterr);
}

/* ---- scenes ---- */

static void check_component(file_check *f, const char *scene, const kiln_component_desc *component)
{
    if (!f->report->has_types) {
        uint32_t to = bake_schema_newer_type(f->run->schema->types, component->name);
        if (to == KILN_TYPE_NONE)
            refuse_value(f, scene, component->name, "the schema has no such component",
                         SCHEMA_BREAKS);
        else if (kiln_types_get(f->run->schema->types, to)->layout != component->layout)
            refuse_value(f, scene, component->name,
                         "the layout changed, and the file has no type table", SCHEMA_MUST_REBAKE);
        return;
    }
    const schema_finding *finding = find_type(f, component->name);
    if (!finding)
        return;
    raise_verdict(f, finding->verdict);
    f->has_doubtful_rows = f->has_doubtful_rows || finding->reading == SCHEMA_READ_SOME;
}

static kiln_status check_scene(file_check *f, uint32_t number, kiln_error *reterr)
{
    const kiln_index_asset *asset = kiln_index_asset_at(f->shipped.index, number);
    const unsigned char *blob;
    size_t size;
    kiln_status status = f->with_scene
                             ? KILN_OK
                             : kiln_types_with_scene(f->run->schema->types, &f->shipped.allocator,
                                                     &f->with_scene, reterr);
    if (!status)
        status = verified_blob(f, f->with_scene, number, &blob, &size, reterr);
    if (status)
        return status;
    kiln_blob_header header;
    memcpy(&header, blob, sizeof header);
    kiln_scene_view view;
    kiln_scene_view_args args = {
        .scene = (const kiln_scene *)(const void *)(blob + kiln_header_payload_at(&header)),
        .allocator = &f->shipped.allocator};
    status = kiln_scene_view_init(&args, &view, reterr);
    for (uint32_t i = 0; !status && i < view.component_count; i++)
        check_component(f, kiln_string_get(&asset->name), &view.components[i]);
    if (!status)
        kiln_scene_view_fini(&view);
    return status;
}

/* ---- files ---- */

static kiln_status check_assets(file_check *f, kiln_error *reterr)
{
    const kiln_index *index = f->shipped.index;
    kiln_status status = KILN_OK;
    for (uint32_t i = 0; i < kiln_index_asset_count(index) && !status; i++) {
        const kiln_index_asset *asset = kiln_index_asset_at(index, i);
        const char *type = kiln_string_get(&kiln_index_type_at(index, asset->type)->name);
        if (strcmp(type, KILN_SCENE_TYPE_NAME) == 0)
            status = check_scene(f, i, reterr);
        else if (!is_built_in(type))
            status = check_asset(f, i, type, reterr);
    }
    return status;
}

/* If no value of the file is refused, improves the verdicts of types with values that could have
 * been refused. */
static void improve_verdicts(file_check *f)
{
    schema_comparison *c = &f->report->comparison;
    for (uint32_t i = 0; i < c->count; i++)
        if (c->findings[i].reading == SCHEMA_READ_SOME && f->report->refusal_count == 0 &&
            !f->has_doubtful_rows && c->findings[i].verdict == SCHEMA_BREAKS)
            c->findings[i].verdict = SCHEMA_READABLE;
}

bake_result bake_schema_check_file(bake_run *run, const char *path, schema_report *report)
{
    file_check f = {.run = run, .report = report};
    kiln_error error = {.status = KILN_OK};
    const shipped_file_def shipped = {run->gateway, run->diagnostics, &run->failure, path, "check"};
    report->path = path;
    bake_result result = bake_shipped_read(&f.shipped, &shipped);
    if (!result)
        result = compare_types(&f);
    if (!result) {
        f.conversions =
            bake_alloc_array(f.shipped.index->types.count + (size_t)1, sizeof(kiln_conversion *));
        kiln_status status = f.conversions ? check_assets(&f, &error) : KILN_NO_MEMORY;
        if (status)
            result = bake_shipped_reject(&f.shipped, status, &error);
        else
            improve_verdicts(&f);
    }
    for (uint32_t i = 0; f.conversions && i < f.shipped.index->types.count; i++)
        kiln_conversion_destroy(f.conversions[i]);
    bake_free(f.conversions);
    kiln_types_destroy(f.with_scene);
    bake_shipped_fini(&f.shipped);
    return result;
}
