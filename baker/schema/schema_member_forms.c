/* Fields whose values may be written in a way of their own: `hex`, `local`, `local_by`, and what
 * goes with these. */
#include "schema_reader.h"

#include <string.h>

static bool refuse(schema_reader *reader, const schema_member *place, const char *path,
                   const char *what)
{
    return bake_report(reader->diagnostics, BAKE_ERROR, place->type_mark, "schema", path, "%s",
                       what);
}

/* The field of the struct that has the key as its name. */
static bool has_field(const kiln_type *type, const char *name)
{
    for (uint32_t i = 0; i < type->member_count; i++)
        if (strcmp(type->members[i].name, name) == 0)
            return true;
    return false;
}

static bool is_same(const char *a, const char *b)
{
    return a && b && strcmp(a, b) == 0;
}

/* Whether the keys of number, file and what stands beside are different ones; false after a report.
 */
static bool check_keys(schema_reader *reader, const bake_member_form *form,
                       const schema_member *place, const char *path)
{
    const char *number = form->local ? form->local : form->local_by;
    if (is_same(form->file_by, number))
        return refuse(reader, place, path, "`file_by` is another key than that of the number");
    for (size_t i = 0; i < form->beside_count; i++)
        if (is_same(form->beside[i], number) || is_same(form->beside[i], form->file_by))
            return refuse(reader, place, path,
                          "`beside` lists keys beside those of the number and the file");
    return true;
}

/* Of the types as they were created; false after a report. */
static bool check_form(schema_reader *reader, const bake_member_form *form,
                       const schema_member *place, const char *path)
{
    const kiln_types *types = reader->schema->types;
    const kiln_type *owner = kiln_types_get(types, form->type);
    const kiln_type *of = kiln_types_get(types, owner->members[form->member].type);
    if (of->kind == KILN_KIND_DATA)
        of = kiln_types_get(types, of->element);
    bool optional = of->kind == KILN_KIND_OPTIONAL;
    if (optional)
        of = kiln_types_get(types, of->element);
    bool is_u8s =
        of->kind == KILN_KIND_FIXED && kiln_types_get(types, of->element)->kind == KILN_KIND_U8;
    if (form->is_hex && !is_u8s)
        return refuse(reader, place, path, "`hex` is for fixed arrays of u8");
    if (form->local && of->kind != KILN_KIND_REF)
        return refuse(reader, place, path, "`local` is for refs");
    if (form->file_by && !form->local && !form->local_by)
        return refuse(reader, place, path,
                      "`file_by` is for what has `local` or `local_by`, the key of the number");
    if (form->beside && !(form->local && form->file_by))
        return refuse(reader, place, path, "`beside` is for what has `local` and `file_by`");
    if (!check_keys(reader, form, place, path))
        return false;
    if (!form->local_by)
        return true;
    if (of->kind != KILN_KIND_REF || !optional || form->local ||
        (owner->flags & KILN_TYPE_TRANSPARENT))
        return refuse(reader, place, path, "`local_by` is for a field of a struct of type ref?");
    if (!has_field(owner, form->local_by))
        return bake_report(reader->diagnostics, BAKE_ERROR, place->type_mark, "schema", path,
                           "\"%s\" has no field \"%s\" that says which object is meant",
                           owner->name, form->local_by);
    if (form->file_by && !has_field(owner, form->file_by))
        return bake_report(reader->diagnostics, BAKE_ERROR, place->type_mark, "schema", path,
                           "\"%s\" has no field \"%s\" that says which file is meant", owner->name,
                           form->file_by);
    if (reader->schema->info[form->type].local_by)
        return refuse(reader, place, path, "a struct has one field with `local_by`");
    return true;
}

/* Takes over the form of a member, if it has one. */
static void take_form(schema_reader *reader, uint32_t type, uint32_t member)
{
    bake_schema *schema = reader->schema;
    const kiln_type *of = kiln_types_get(schema->types, type);
    const schema_member *place = &reader->extras[type].members[member];
    bake_member_form *form = &schema->forms[schema->form_count];
    *form = (bake_member_form){.type = type,
                               .member = member,
                               .local = place->local,
                               .local_by = place->local_by,
                               .file_by = place->file_by,
                               .beside = place->beside,
                               .beside_count = place->beside_count,
                               .is_hex = place->is_hex};
    if (!form->is_hex && !form->local && !form->local_by && !form->file_by && !form->beside)
        return;
    schema->form_count++;
    const char *path = bake_schema_path(reader, of->name, of->members[member].name);
    if (check_form(reader, form, place, path) && form->local_by)
        schema->info[type].local_by = form;
}

/* Types of the schema's text, and their rows, unless something was wrong with one of those. */
static bool is_written(const schema_reader *reader, uint32_t type)
{
    return type < reader->named_count ||
           (reader->extras[type].row_of && bake_diagnostics_errors(reader->diagnostics) == 0);
}

void bake_schema_read_member_forms(schema_reader *reader)
{
    bake_schema *schema = reader->schema;
    schema->forms =
        bake_store_alloc(reader->store, (size_t)schema->member_count + 1, sizeof *schema->forms);
    for (uint32_t t = 0; schema->forms && t < reader->type_count; t++) {
        const kiln_type *type = kiln_types_get(schema->types, t);
        if (!is_written(reader, t))
            continue;
        for (uint32_t m = 0; type->kind == KILN_KIND_STRUCT && m < type->member_count; m++)
            take_form(reader, t, m);
    }
}

const bake_member_form *bake_schema_member_form(const bake_schema *schema, uint32_t type,
                                                uint32_t member)
{
    size_t low = 0, high = schema->form_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const bake_member_form *form = &schema->forms[middle];
        if (form->type < type || (form->type == type && form->member < member))
            low = middle + 1;
        else
            high = middle;
    }
    const bake_member_form *found = low < schema->form_count ? &schema->forms[low] : NULL;
    return found && found->type == type && found->member == member ? found : NULL;
}
