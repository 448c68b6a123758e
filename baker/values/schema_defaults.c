/* Reads a schema and bakes its defaults.
 *
 * Baking defaults is separate from reading the schema (schema/), because only defaults need the
 * value baker. They are baked after the schema is complete, since a default can have any type. Each
 * is baked separately into an image, which becomes part of the type table. The schema keeps the
 * node as well, because references in a default are resolved only during a run (schema.h). */
#include "schema_defaults.h"

#include "bake_memory.h"
#include "value_bake.h"

#include <kiln/type_table.h>
#include <string.h>

/* Bakes one default and adds its image to the types. Reports errors; the caller continues with the
 * other defaults. */
static void bake_default_image(bake_schema *schema, bake_values *values, uint32_t type,
                               uint32_t member, bake_failure *failure)
{
    const kiln_type *of = kiln_types_get(schema->types, type);
    const char *path = bake_store_join(&schema->store, of->name, '.', of->members[member].name);
    kiln_buffer image;
    kiln_error error;
    memset(&image, 0, sizeof image);
    memset(&error, 0, sizeof error);
    if (!path) {
        bake_fail_memory(failure);
        return;
    }
    if (!bake_values_default(values, type, member, path, &image))
        return;
    kiln_status status = kiln_types_set_default(schema->types, type, member,
                                                (kiln_span){image.data, image.size}, &error);
    kiln_buffer_fini(&image);
    if (status == KILN_NO_MEMORY)
        bake_fail_memory(failure);
    else if (status)
        bake_fail_bug(failure, path, status, &error);
}

/* Bakes all defaults. An error in one does not end the loop, so that one run reports all errors. */
static void bake_defaults(bake_schema *schema, const bake_schema_def *def, bake_failure *failure)
{
    bake_values *values = bake_values_create(schema, def->diagnostics, failure);
    if (values)
        bake_values_set_files(values, def->gateway, NULL);
    for (uint32_t i = 0; values && i < kiln_types_count(schema->types); i++) {
        const kiln_type *type = kiln_types_get(schema->types, i);
        uint32_t first = schema->info[i].first_member;
        for (uint32_t m = 0; type->kind == KILN_KIND_STRUCT && m < type->member_count; m++)
            if (schema->defaults[first + m].node != BAKE_NODE_NONE)
                bake_default_image(schema, values, i, m, failure);
    }
    bake_values_destroy(values);
}

/* Returns the type with the most members, the likely reason for an oversized table. */
static uint32_t largest_type(const kiln_types *types)
{
    uint32_t largest = 0;
    for (uint32_t i = 1; i < kiln_types_count(types); i++)
        if (kiln_types_get(types, i)->member_count > kiln_types_get(types, largest)->member_count)
            largest = i;
    return largest;
}

/* Checks that readers accept the type table of output files. Builds the table only if it could
 * exceed the limit, because readers accept every table of up to KILN_UNFOLDED_BASE bytes. */
static void check_table(const bake_schema *schema, bake_diagnostics *diagnostics,
                        bake_failure *failure)
{
    uint64_t size = kiln_types_unfolded_size(schema->types);
    kiln_allocator allocator = bake_memory_allocator();
    kiln_buffer table;
    kiln_error error;
    if (size <= KILN_UNFOLDED_BASE)
        return;
    memset(&table, 0, sizeof table);
    memset(&error, 0, sizeof error);
    kiln_status status = kiln_type_table_write(&allocator, schema->types, &table, &error);
    kiln_buffer_fini(&table);
    if (status == KILN_NO_MEMORY) {
        bake_fail_memory(failure);
    } else if (status) {
        uint32_t largest = largest_type(schema->types);
        bake_report(diagnostics, BAKE_ERROR, schema->info[largest].mark, "size",
                    kiln_types_get(schema->types, largest)->name,
                    "the type table of the schema is too large: %s; no type has more members than "
                    "this one",
                    kiln_status_text(status));
        bake_hint(diagnostics,
                  "types with equal members are stored once, but each counts towards the size of "
                  "%llu bytes: merge such types, or bake with --no-types",
                  (unsigned long long)size);
    }
}

bake_result bake_schema_load(const bake_schema_def *def, bake_schema **ret_schema,
                             bake_failure *failure)
{
    bake_schema *schema = NULL;
    bake_result result = bake_schema_read(def, &schema, failure);
    if (result)
        return result;
    bake_defaults(schema, def, failure);
    result = failure->result;
    if (!result && bake_diagnostics_errors(def->diagnostics) == 0 && !def->no_table) {
        check_table(schema, def->diagnostics, failure);
        result = failure->result;
    }
    if (!result && bake_diagnostics_errors(def->diagnostics) > 0)
        result = BAKE_BAD_INPUT;
    if (result)
        bake_schema_destroy(schema);
    else
        *ret_schema = schema;
    return result;
}
