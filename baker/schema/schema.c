/* Runs the passes of the schema reader in order, then fills the tables of the finished schema.
 *
 * The reader repeats most checks of kiln_types_create, because it can report source locations. Any
 * remaining error of kiln_types_create is reported at the declaration that its error path names. */
#include "schema.h"

#include "bake_memory.h"
#include "schema_reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Returns the location of the declaration that an error path of blobfmt (`game.Item.price`) names.
 * Type names contain dots, so the longest matching type name wins. */
static bake_mark declaration_mark(const schema_reader *reader, const char *path)
{
    bake_mark mark = {0, 0, 1, 1};
    size_t best = 0;
    for (uint32_t i = 0; i < reader->type_count; i++) {
        const char *name = reader->extras[i].name;
        size_t length = strlen(name);
        /* The only possible error of an unnamed type is a fixed array that is too large. */
        char count[24];
        snprintf(count, sizeof count, "[%u]", reader->types[i].count);
        if (best == 0 && reader->types[i].kind == KILN_KIND_FIXED && strstr(path, count))
            mark = reader->extras[i].mark;
        if (length <= best || strncmp(path, name, length) != 0 ||
            (path[length] != '\0' && path[length] != '.'))
            continue;
        best = length;
        mark = reader->extras[i].mark;
        const kiln_type *type = &reader->types[i];
        for (uint32_t m = 0; path[length] == '.' && m < type->member_count; m++)
            if (strcmp(type->members[m].name, path + length + 1) == 0)
                mark = reader->extras[i].members[m].mark;
    }
    return mark;
}

/* Reports an error of blobfmt at the declaration that it concerns. */
static void report_status(schema_reader *reader, kiln_status status, const kiln_error *error)
{
    if (status == KILN_NO_MEMORY)
        bake_fail_memory(reader->failure);
    else
        bake_report(reader->diagnostics, BAKE_ERROR, declaration_mark(reader, error->path), "type",
                    error->path, "%s", kiln_status_text(status));
}

static bool create_types(schema_reader *reader)
{
    kiln_error error;
    kiln_allocator allocator = bake_memory_allocator();
    memset(&error, 0, sizeof error);
    kiln_status status = kiln_types_create(&allocator, reader->types, reader->type_count,
                                           &reader->schema->types, &error);
    if (status)
        report_status(reader, status, &error);
    return status == KILN_OK;
}

/* Whether a value consists of plain bytes without references. Types nest by value at most
 * KILN_INLINE_DEPTH_MAX deep, which bounds the recursion. */
static bool is_plain(const kiln_types *types, uint32_t number)
{
    const kiln_type *type = kiln_types_get(types, number);
    if (type->has_pointers || type->is_component_only || type->kind == KILN_KIND_REF)
        return false;
    if (type->kind == KILN_KIND_FIXED)
        return is_plain(types, type->element);
    if (type->kind != KILN_KIND_STRUCT)
        return true;
    for (uint32_t i = 0; i < type->member_count; i++)
        if (!is_plain(types, type->members[i].type))
            return false;
    return true;
}

/* Fills the table of earlier names. The strings belong to `types`, so the table must be filled
 * again when the types are replaced. Returns false if memory runs out. */
static bool fill_was(bake_schema *schema, const kiln_types *types, uint32_t count)
{
    bake_was *was = bake_store_alloc(&schema->store, (size_t)count + 1, sizeof *was);
    if (!was)
        return false;
    schema->was = was;
    for (uint32_t i = 0; count > 0 && i < kiln_types_count(types); i++) {
        const kiln_type *type = kiln_types_get(types, i);
        bake_was *first = was;
        for (uint32_t m = 0; schema->info[i].was_count > 0 && m < type->member_count; m++)
            for (uint32_t w = 0; w < type->members[m].was_count; w++)
                *was++ = (bake_was){type->members[m].was[w], m};
        if (was - first > 1)
            qsort(first, (size_t)(was - first), sizeof *first, schema_compare_was);
    }
    schema->was_count = count;
    return true;
}

static bool fill_info(schema_reader *reader)
{
    bake_schema *schema = reader->schema;
    uint32_t count = kiln_types_count(schema->types), members = 0, names = 0;
    schema->info = bake_store_alloc(reader->store, count, sizeof *schema->info);
    for (uint32_t i = 0; schema->info && i < count; i++) {
        const kiln_type *type = kiln_types_get(schema->types, i);
        bake_type_info *info = &schema->info[i];
        info->first_member = members;
        info->rest = KILN_TYPE_NONE;
        info->row = KILN_TYPE_NONE;
        info->row_of = KILN_TYPE_NONE;
        info->mark = reader->extras[i].mark;
        info->forms = reader->extras[i].forms;
        info->by = reader->extras[i].by;
        info->words = reader->extras[i].words;
        info->short_field = reader->extras[i].short_field;
        info->first_was = names;
        members += type->member_count;
        for (uint32_t m = 0; m < type->member_count; m++) {
            info->was_count += type->members[m].was_count;
            if (type->members[m].flags & KILN_MEMBER_REST)
                info->rest = m;
        }
        names += info->was_count;
    }
    for (size_t i = 0; schema->info && i < schema->kind_count; i++)
        schema->info[schema->kinds[i].type].kind = schema->kinds[i].name;
    schema->defaults = bake_store_alloc(reader->store, members, sizeof *schema->defaults);
    schema->members = bake_store_alloc(reader->store, members, sizeof *schema->members);
    schema->member_count = members;
    return schema->info && schema->defaults && schema->members &&
           fill_was(schema, schema->types, names);
}

/* Stores the node of each field's default. */
static void fill_defaults(schema_reader *reader)
{
    bake_schema *schema = reader->schema;
    for (uint32_t i = 0; i < schema->member_count; i++)
        schema->defaults[i].node = BAKE_NODE_NONE;
    for (uint32_t i = 0; i < reader->type_count; i++) {
        const kiln_type *type = kiln_types_get(schema->types, i);
        for (uint32_t m = 0; type->kind == KILN_KIND_STRUCT && m < type->member_count; m++) {
            bake_default *written = &schema->defaults[schema->info[i].first_member + m];
            written->tree = reader->extras[i].file->tree;
            written->node = reader->extras[i].members[m].default_node;
            written->is_plain = is_plain(schema->types, type->members[m].type);
        }
    }
}

/* Copies the attributes that are not part of kiln_types. */
static void fill_attributes(schema_reader *reader)
{
    bake_schema *schema = reader->schema;
    for (uint32_t i = 0; i < reader->named_count; i++) {
        const schema_type *extra = &reader->extras[i];
        bake_type_info *info = &schema->info[i];
        info->id = extra->id;
        info->cluster = extra->cluster;
        info->parent = extra->parent;
        info->abstract = extra->abstract;
        schema->has_inherit = schema->has_inherit || extra->parent || extra->abstract;
        for (uint32_t m = 0; extra->members && m < kiln_types_get(schema->types, i)->member_count;
             m++) {
            uint8_t inherit = extra->members[m].inherit;
            bake_unit unit = extra->members[m].unit;
            schema->members[info->first_member + m].inherit = inherit;
            schema->members[info->first_member + m].unit = unit;
            schema->members[info->first_member + m].payload = extra->members[m].payload;
            schema->has_units = schema->has_units || unit;
            schema->has_never = schema->has_never || inherit == BAKE_INHERIT_NEVER;
        }
    }
    bake_type_info *info = schema->info;
    for (uint32_t i = reader->named_count; i < reader->type_count; i++) {
        const schema_type *row = &reader->extras[i];
        if (row->row_of == 0)
            continue;
        info[i].row_of = row->row_of - 1;
        info[row->row_of - 1].row = i;
        for (uint32_t m = 0; m < kiln_types_get(schema->types, i)->member_count; m++) {
            bake_member_info *member = &schema->members[info[i].first_member + m];
            member->inherit = row->members[m].inherit;
            member->unit = row->members[m].unit;
            member->payload = row->members[m].payload;
        }
    }
}

/* Whether reading can continue: there was no failure, and no pass reported an error. */
static bool is_clean(const schema_reader *reader)
{
    if (reader->store->failed)
        bake_fail_memory(reader->failure);
    return reader->failure->result == BAKE_OK && bake_diagnostics_errors(reader->diagnostics) == 0;
}

/* Passes continue after errors, so an error in one type does not hide errors in others. Only
 * kiln_types_create and the steps after it need a schema without errors. */
static void read_all(schema_reader *reader)
{
    bool is_read = bake_schema_read_files(reader);
    if (!is_read || !bake_schema_read_given(reader) || reader->store->failed ||
        reader->failure->result != BAKE_OK)
        return;
    bake_schema_read_types(reader);
    if (reader->store->failed || reader->failure->result != BAKE_OK)
        return;
    bake_schema_check_types(reader);
    bake_schema_read_forms(reader);
    bake_schema_read_resources(reader);
    bake_schema_read_inherit(reader);
    bake_schema_read_clusters(reader);
    bake_schema_read_kinds(reader);
    bake_schema_read_importers(reader);
    bake_schema_read_rules(reader);
    bake_schema_read_accepted(reader);
    bake_schema_report_unknown(reader);
    if (!is_clean(reader) || !create_types(reader) || !fill_info(reader))
        return;
    fill_defaults(reader);
    fill_attributes(reader);
    if (reader->payload)
        reader->schema->payload = reader->payload - 1;
    if (!bake_schema_index(reader->schema)) {
        bake_fail_memory(reader->failure);
        return;
    }
    bake_schema_check_component_sizes(reader);
    bake_schema_read_member_forms(reader);
    bake_schema_apply_resources(reader);
}

/* Documents and defaults refer to types and members by index, so new types are appended. */
bool bake_schema_replace_types(bake_schema *schema, kiln_types *types)
{
    uint32_t before = kiln_types_count(schema->types), count = kiln_types_count(types);
    uint32_t members = schema->member_count;
    for (uint32_t i = before; i < count; i++)
        members += kiln_types_get(types, i)->member_count;
    bake_type_info *info = bake_store_alloc(&schema->store, count, sizeof *info);
    bake_default *defaults = bake_store_alloc(&schema->store, members, sizeof *defaults);
    bake_member_info *all = bake_store_alloc(&schema->store, members, sizeof *all);
    if (!info || !defaults || !all) {
        kiln_types_destroy(types);
        return false;
    }
    memcpy(info, schema->info, before * sizeof *info);
    memcpy(all, schema->members, schema->member_count * sizeof *all);
    memcpy(defaults, schema->defaults, schema->member_count * sizeof *defaults);
    for (uint32_t i = before, member = schema->member_count; i < count; i++) {
        info[i].first_member = member;
        info[i].rest = info[i].row = info[i].row_of = KILN_TYPE_NONE;
        member += kiln_types_get(types, i)->member_count;
    }
    for (uint32_t i = schema->member_count; i < members; i++)
        defaults[i].node = BAKE_NODE_NONE;
    schema->info = info;
    if (!fill_was(schema, types, schema->was_count)) {
        kiln_types_destroy(types);
        return false;
    }
    kiln_types_destroy(schema->types);
    schema->types = types;
    schema->defaults = defaults;
    schema->members = all;
    schema->member_count = members;
    return true;
}

bake_result bake_schema_read(const bake_schema_def *def, bake_schema **ret_schema,
                             bake_failure *failure)
{
    bake_schema *schema = bake_alloc_array(1, sizeof *schema);
    schema_reader reader;
    memset(&reader, 0, sizeof reader);
    if (!schema)
        return bake_fail_memory(failure);
    schema->doc = "";
    schema->scene_data = KILN_TYPE_NONE;
    schema->payload = KILN_TYPE_NONE;
    reader.def = def;
    reader.diagnostics = def->diagnostics;
    reader.schema = schema;
    reader.store = &schema->store;
    reader.failure = failure;
    read_all(&reader);
    bool clean = is_clean(&reader);
    bake_free(reader.files);
    bake_free(reader.types);
    bake_free(reader.extras);
    bake_table_fini(&reader.by_name);
    bake_table_fini(&reader.by_form);
    kiln_types_destroy(reader.fixed_payload);
    if (!clean) {
        bake_schema_destroy(schema);
        return failure->result != BAKE_OK ? failure->result : BAKE_BAD_INPUT;
    }
    *ret_schema = schema;
    return BAKE_OK;
}

void bake_schema_destroy(bake_schema *schema)
{
    if (!schema)
        return;
    for (size_t i = 0; i < schema->tree_count; i++)
        bake_tree_destroy(schema->trees[i]);
    bake_free(schema->trees);
    bake_free(schema->tree_paths);
    bake_table_fini(&schema->by_name);
    kiln_types_destroy(schema->types);
    bake_store_fini(&schema->store);
    bake_free(schema);
}
