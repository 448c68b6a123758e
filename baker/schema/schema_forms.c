/* Forms of values: additional notations of a type or field in YAML, which never change a blob.
 * Ambiguous combinations are errors, for example a list with `single` whose elements can be lists
 * themselves. */
#include "schema_reader.h"

#include "lower_bound.h"

#include <string.h>

static bool refuse(schema_reader *reader, const schema_type *extra, bake_node_id node,
                   const char *message)
{
    return bake_report(reader->diagnostics, BAKE_ERROR, schema_mark(extra->file, node), "schema",
                       extra->name, "%s", message);
}

/* Whether the string is a valid prefix of tags: `!type:`, `!`. */
static bool is_tag_prefix(const char *text)
{
    if (text[0] != '!' || (text[1] == '!' && text[2] == '!'))
        return false;
    for (; *text; text++)
        if ((unsigned char)*text <= ' ' || (unsigned char)*text >= 0x7f || strchr(",[]{}%", *text))
            return false;
    return true;
}

static bool is_named(const kiln_member *member, const char *name)
{
    bool found = strcmp(member->name, name) == 0;
    for (uint32_t w = 0; w < member->was_count; w++)
        found = found || strcmp(member->was[w], name) == 0;
    return found;
}

/* Checks a union with `by: {key: NAME}`. The key is written among the fields of the alternative, so
 * each alternative must be a struct or have no value. */
static void check_by_key(schema_reader *reader, uint32_t number, bake_node_id node, const char *key)
{
    const kiln_type *type = &reader->types[number];
    const schema_type *extra = &reader->extras[number];
    for (uint32_t i = 0; i < type->member_count; i++) {
        const kiln_member *member = &type->members[i];
        uint32_t of = bake_schema_unwrapped(reader, member->type);
        const char *path = bake_schema_path(reader, extra->name, member->name);
        if (is_named(member, key))
            bake_report(reader->diagnostics, BAKE_ERROR, schema_mark(extra->file, node), "schema",
                        path, "\"%s\" is the name of an alternative, so it cannot also be the key",
                        key);
        if (of != KILN_TYPE_NONE && reader->types[of].kind != KILN_KIND_STRUCT)
            bake_report(reader->diagnostics, BAKE_ERROR, extra->members[i].type_mark, "type", path,
                        "in a union with `by: {key: NAME}`, each alternative must be a struct or "
                        "have no value");
    }
}

/* `{tag: "!", untagged: ALTERNATIVE}`. */
static void read_untagged(schema_reader *reader, uint32_t number, bake_node_id node)
{
    const kiln_type *type = &reader->types[number];
    schema_type *extra = &reader->extras[number];
    size_t length;
    const char *name =
        bake_schema_read_text(reader, extra->file, node, extra->name, "an alternative", &length);
    const char **names = bake_store_alloc(reader->store, type->member_count + 1, sizeof *names);
    if (!name || !names)
        return;
    for (uint32_t i = 0; i < type->member_count; i++) {
        names[i] = type->members[i].name;
        if (strcmp(names[i], name) != 0)
            continue;
        extra->forms |= BAKE_UNTAGGED;
        extra->short_field = i;
        if (type->members[i].type == KILN_TYPE_NONE)
            refuse(reader, extra, node,
                   "this alternative has no value, so it cannot be `untagged`");
        return;
    }
    bake_report(reader->diagnostics, BAKE_ERROR, schema_mark(extra->file, node), "schema",
                extra->name, "unknown alternative \"%s\"", name);
    bake_hint_similar(reader->diagnostics, name, length, names, type->member_count);
}

/* Tags are compared as resolved by libyaml, so `!!x` is stored in its long form. */
static void read_by(schema_reader *reader, uint32_t number)
{
    static const char *const names[] = {"tag", "key", "untagged"};
    schema_type *extra = &reader->extras[number];
    const schema_file *file = extra->file;
    bake_node_id node = extra->attributes[TYPE_BY], values[3];
    if (node == BAKE_NODE_NONE)
        return;
    if (bake_node_kind_of(file->tree, node) != BAKE_NODE_MAPPING) {
        const char *text =
            bake_schema_read_text(reader, file, node, extra->name, "`tag` or a mapping", NULL);
        if (text && strcmp(text, "tag") != 0)
            refuse(reader, extra, node, "`by` must be `tag`, `{tag: PREFIX}` or `{key: NAME}`");
        extra->forms |= BAKE_BY_TAG;
        extra->by = "!type:";
        return;
    }
    if (!bake_schema_read_attributes(reader, file, node, extra->name, names, 3, values))
        return;
    if ((values[0] == BAKE_NODE_NONE) == (values[1] == BAKE_NODE_NONE)) {
        refuse(reader, extra, node, "`by` must be `tag`, `{tag: PREFIX}` or `{key: NAME}`");
        return;
    }
    bool is_key = values[1] != BAKE_NODE_NONE;
    if (values[2] != BAKE_NODE_NONE && is_key)
        refuse(reader, extra, values[2], "`untagged` requires `tag`");
    else if (values[2] != BAKE_NODE_NONE)
        read_untagged(reader, number, values[2]);
    node = values[is_key];
    extra->by = bake_schema_read_text(reader, file, node, extra->name,
                                      is_key ? "the name of a key" : "the prefix of a tag", NULL);
    extra->forms |= is_key ? BAKE_BY_KEY : BAKE_BY_TAG;
    if (extra->by && is_key)
        check_by_key(reader, number, node, extra->by);
    else if (extra->by && !is_tag_prefix(extra->by))
        refuse(reader, extra, node, "a tag must begin with `!` or `!!` and contain no spaces");
    else if (extra->by && extra->by[1] == '!')
        /* Expand `!!`, which abbreviates the tags of YAML itself. */
        extra->by = bake_store_join(reader->store, "tag:yaml.org,2002", ':', extra->by + 2);
}

/* Like bake_value_is_scalar_type, but for types under construction. */
static bool is_scalar(const schema_reader *reader, uint32_t number)
{
    number = bake_schema_unwrapped(reader, number);
    if (number == KILN_TYPE_NONE)
        return false;
    const kiln_type *type = &reader->types[number];
    if (type->kind == KILN_KIND_OPTIONAL)
        return is_scalar(reader, type->element);
    return type->kind <= KILN_KIND_STRING || type->kind == KILN_KIND_REF ||
           type->kind == KILN_KIND_ENUM;
}

static void read_tuple(schema_reader *reader, uint32_t number)
{
    const kiln_type *type = &reader->types[number];
    schema_type *extra = &reader->extras[number];
    bake_node_id node = extra->attributes[TYPE_TUPLE];
    bool all_scalars = true;
    if (!bake_schema_read_bool(reader, extra->file, node, extra->name, "tuple"))
        return;
    if (type->member_count == 0)
        refuse(reader, extra, node, "a struct without fields cannot be a tuple");
    extra->forms |= BAKE_TUPLE;
    for (uint32_t i = 0; i < type->member_count; i++) {
        all_scalars = all_scalars && is_scalar(reader, type->members[i].type);
        if (type->members[i].flags & KILN_MEMBER_REST)
            refuse(reader, extra, node, "a tuple cannot have a `rest` field");
    }
    if (all_scalars)
        extra->forms |= BAKE_TUPLE_TEXT;
}

/* A colour needs three or four numbers, one for each channel. */
static void read_colour(schema_reader *reader, uint32_t number)
{
    const kiln_type *type = &reader->types[number];
    schema_type *extra = &reader->extras[number];
    bake_node_id node = extra->attributes[TYPE_COLOUR];
    if (!bake_schema_read_bool(reader, extra->file, node, extra->name, "colour"))
        return;
    extra->forms |= BAKE_COLOUR;
    bool fits = type->member_count == 3 || type->member_count == 4;
    for (uint32_t i = 0; i < type->member_count; i++) {
        uint32_t of = bake_schema_unwrapped(reader, type->members[i].type);
        kiln_kind kind = of == KILN_TYPE_NONE ? KILN_KIND_U8 : reader->types[of].kind;
        fits = fits && (kind == KILN_KIND_U8 || kiln_kind_is_float(kind));
    }
    if (!fits)
        refuse(
            reader, extra, node,
            "a colour must have three or four fields (red, green, blue and alpha), which must be "
            "u8 or floats");
}

/* Whether a value of the type can be written as a list. */
static bool may_be_list(const schema_reader *reader, uint32_t number, int depth)
{
    number = bake_schema_unwrapped(reader, number);
    if (number == KILN_TYPE_NONE || depth > KILN_INLINE_DEPTH_MAX)
        return false;
    const kiln_type *type = &reader->types[number];
    const schema_type *extra = &reader->extras[number];
    switch (type->kind) {
    case KILN_KIND_ARRAY:
    case KILN_KIND_FIXED:
    case KILN_KIND_BYTES:
    case KILN_KIND_FLAGS:
        return true;
    case KILN_KIND_OPTIONAL:
    case KILN_KIND_DATA:
        return may_be_list(reader, type->element, depth + 1);
    case KILN_KIND_STRUCT:
        return (extra->forms & BAKE_TUPLE) ||
               ((extra->forms & BAKE_SHORT) &&
                may_be_list(reader, type->members[extra->short_field].type, depth + 1));
    default:
        return false;
    }
}

static void read_short(schema_reader *reader, uint32_t number)
{
    const kiln_type *type = &reader->types[number];
    schema_type *extra = &reader->extras[number];
    bake_node_id node = extra->attributes[TYPE_SHORT];
    if (node == BAKE_NODE_NONE)
        return;
    const char *name =
        bake_schema_read_text(reader, extra->file, node, extra->name, "a field's name", NULL);
    if (!name)
        return;
    uint32_t i = bake_schema_find_member(reader, number, name);
    if (i == UINT32_MAX) {
        bake_report(reader->diagnostics, BAKE_ERROR, schema_mark(extra->file, node), "schema",
                    extra->name, "unknown field \"%s\"", name);
        bake_schema_hint_members(reader, number, name);
        return;
    }
    extra->forms |= BAKE_SHORT;
    extra->short_field = i;
    if (type->members[i].flags & KILN_MEMBER_REST)
        refuse(reader, extra, node,
               "a `rest` field cannot be `short`, because it is not written under its own name");
    if (extra->forms & BAKE_COLOUR)
        refuse(reader, extra, node, "a struct cannot have both `colour` and `short`");
    if ((extra->forms & BAKE_TUPLE) && !is_scalar(reader, type->members[i].type))
        refuse(reader, extra, node, "in a tuple, the field named by `short` must be a scalar");
    /* A scalar is now the value of that field, so it cannot be the whole tuple. */
    extra->forms &= ~(uint32_t)BAKE_TUPLE_TEXT;
}

static void report_unit(schema_reader *reader, const schema_type *extra, bake_node_id node,
                        const char *path, const char *text, size_t length)
{
    enum { NAMES_MAX = 64 };
    const char *names[NAMES_MAX];
    size_t count = 0;
    while (count < NAMES_MAX && (names[count] = bake_unit_name((bake_unit)(count + 1))))
        count++;
    bake_report(reader->diagnostics, BAKE_ERROR, schema_mark(extra->file, node), "unit", path,
                "unknown unit \"%s\"", text);
    bake_hint_similar(reader->diagnostics, text, length, names, count);
}

static void read_units(schema_reader *reader, uint32_t number)
{
    const kiln_type *type = &reader->types[number];
    const schema_type *extra = &reader->extras[number];
    for (uint32_t i = 0; i < type->member_count; i++) {
        schema_member *place = &extra->members[i];
        const kiln_member *member = &type->members[i];
        const char *path = bake_schema_path(reader, extra->name, member->name);
        size_t length;
        if (place->unit_node == BAKE_NODE_NONE || member->type == KILN_TYPE_NONE)
            continue;
        const char *text = bake_schema_read_text(reader, extra->file, place->unit_node, path,
                                                 "the name of a unit", &length);
        const kiln_type *of = schema_value_type(reader, member->type);
        if (of->kind == KILN_KIND_OPTIONAL)
            of = &reader->types[of->element];
        if (!text)
            continue;
        if (!kiln_kind_is_integer(of->kind) && !kiln_kind_is_float(of->kind)) {
            bake_report(reader->diagnostics, BAKE_ERROR, schema_mark(extra->file, place->unit_node),
                        "unit", path, "only numbers can have a unit");
            bake_hint(
                reader->diagnostics,
                "to use it elsewhere, wrap the number: `Angle: {wrap: {type: f32, unit: rad}}`");
            continue;
        }
        place->unit = bake_unit_find(text, length);
        if (!place->unit)
            report_unit(reader, extra, place->unit_node, path, text, length);
    }
}

/* With `single`, an element that is a list would look like the list itself. */
static void check_singles(schema_reader *reader, uint32_t number)
{
    const kiln_type *type = &reader->types[number];
    const schema_type *extra = &reader->extras[number];
    for (uint32_t i = 0; i < type->member_count; i++) {
        const kiln_member *member = &type->members[i];
        if (!(member->flags & KILN_MEMBER_SINGLE) || member->type == KILN_TYPE_NONE)
            continue;
        const kiln_type *list = schema_value_type(reader, member->type);
        uint32_t element = list->kind == KILN_KIND_ARRAY
                               ? bake_schema_unwrapped(reader, list->element)
                               : (uint32_t)KILN_TYPE_NONE;
        /* Null means the empty list, but a union without tag or key can also be null. */
        if (element != KILN_TYPE_NONE && reader->types[element].kind == KILN_KIND_UNION &&
            !(reader->extras[element].forms & (BAKE_BY_TAG | BAKE_BY_KEY)))
            bake_report(reader->diagnostics, BAKE_ERROR, extra->members[i].type_mark, "single",
                        extra->name,
                        "an element of \"%s\" can itself be a list or null, so the field cannot be "
                        "`single`",
                        member->name);
        if (element != KILN_TYPE_NONE && reader->types[element].kind == KILN_KIND_STRUCT &&
            may_be_list(reader, element, 0))
            bake_report(
                reader->diagnostics, BAKE_ERROR, extra->members[i].type_mark, "single", extra->name,
                "an element of \"%s\" can itself be a list, so the field cannot be `single`",
                member->name);
    }
}

/* Reads a boolean attribute of newtypes of one kind. */
static void read_wrap_form(schema_reader *reader, uint32_t number, type_attribute attribute,
                           const char *name, kiln_kind kind, bake_form_flags form)
{
    schema_type *extra = &reader->extras[number];
    const kiln_type *type = &reader->types[number];
    bake_node_id node = extra->attributes[attribute];
    if (!(type->flags & KILN_TYPE_TRANSPARENT) ||
        !bake_schema_read_bool(reader, extra->file, node, extra->name, name))
        return;
    uint32_t of = type->member_count ? type->members[0].type : KILN_TYPE_NONE;
    if (of != KILN_TYPE_NONE && reader->types[of].kind != kind)
        bake_report(reader->diagnostics, BAKE_ERROR, schema_mark(extra->file, node), "schema",
                    extra->name, "`%s` is only for a newtype (`wrap`) of a %s", name,
                    kiln_kind_name(kind));
    extra->forms |= form;
}

/* In a file, a map with entity keys is an unnamed `map<u32, V>`, and equal unnamed types are the
 * same type. So no other map can have u32 keys and the same V. */
static void read_entity_keys(schema_reader *reader, uint32_t number)
{
    kiln_type *map = &reader->types[number];
    if (map->kind != KILN_KIND_MAP || map->align_at != SCHEMA_ENTITY_KEYS)
        return;
    map->align_at = 0;
    reader->extras[number].forms |= BAKE_ENTITY;
    for (uint32_t i = 0; i < reader->type_count; i++) {
        const kiln_type *other = &reader->types[i];
        if (i == number || other->kind != KILN_KIND_MAP || other->key != map->key ||
            other->element != map->element)
            continue;
        bake_report(reader->diagnostics, BAKE_ERROR, reader->extras[number].mark, "type", NULL,
                    "another map has u32 keys and the same value type, so both would be the same "
                    "type in a file");
        bake_related(reader->diagnostics, reader->extras[i].mark, "used here");
        bake_hint(reader->diagnostics, "wrap the value type to make the two maps distinct");
    }
}

void bake_schema_read_forms(schema_reader *reader)
{
    for (uint32_t i = 0; i < reader->named_count; i++) {
        if (reader->types[i].kind == KILN_KIND_UNION)
            read_by(reader, i);
        if (reader->types[i].kind == KILN_KIND_STRUCT) {
            read_wrap_form(reader, i, TYPE_ENTITY, "entity", KILN_KIND_U32, BAKE_ENTITY);
            read_wrap_form(reader, i, TYPE_LITERAL, "literal", KILN_KIND_STRING, BAKE_LITERAL);
            read_tuple(reader, i);
            read_colour(reader, i);
            read_short(reader, i);
            read_units(reader, i);
        }
        bake_schema_read_words(reader, i);
    }
    for (uint32_t i = reader->named_count; i < reader->type_count; i++)
        read_entity_keys(reader, i);
    for (uint32_t i = 0; i < reader->named_count; i++)
        if (reader->types[i].kind == KILN_KIND_STRUCT)
            check_singles(reader, i);
    /* Rows repeat the fields of their structs, so after errors they would repeat the reports. */
    bool is_clean = bake_diagnostics_errors(reader->diagnostics) == 0;
    for (uint32_t i = reader->named_count; is_clean && i < reader->type_count; i++)
        if (reader->extras[i].row_of) {
            read_tuple(reader, i);
            read_colour(reader, i);
            read_short(reader, i);
            read_units(reader, i);
        }
}

/* ---- forms of fields: `hex`, `local`, `local_by`, `file_by` and `beside` ---- */

static bool refuse_member(schema_reader *reader, const schema_member *place, const char *path,
                          const char *what)
{
    return bake_report(reader->diagnostics, BAKE_ERROR, place->type_mark, "schema", path, "%s",
                       what);
}

/* Whether the struct has a field with this name. */
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

/* Checks that the keys of the number, the file and `beside` are distinct. */
static bool check_member_keys(schema_reader *reader, const bake_member_form *form,
                              const schema_member *place, const char *path)
{
    const char *number = form->local ? form->local : form->local_by;
    if (is_same(form->file_by, number))
        return refuse_member(reader, place, path,
                             "`file_by` cannot be the same key as `local` or `local_by`");
    for (size_t i = 0; i < form->beside_count; i++)
        if (is_same(form->beside[i], number) || is_same(form->beside[i], form->file_by))
            return refuse_member(reader, place, path,
                                 "`beside` cannot repeat the key of `local` or `file_by`");
    return true;
}

/* Checks a form against the created types. Returns false after reporting an error. */
static bool check_form(schema_reader *reader, const bake_member_form *form,
                       const schema_member *place, const char *path)
{
    const kiln_types *types = reader->schema->types;
    const kiln_type *owner = kiln_types_get(types, form->type);
    const kiln_type *of = kiln_types_get(types, owner->members[form->member].type);
    /* `data<T>` and `T?` are written like T. */
    if (of->kind == KILN_KIND_DATA)
        of = kiln_types_get(types, of->element);
    bool optional = of->kind == KILN_KIND_OPTIONAL;
    if (optional)
        of = kiln_types_get(types, of->element);
    bool is_u8s =
        of->kind == KILN_KIND_FIXED && kiln_types_get(types, of->element)->kind == KILN_KIND_U8;
    if (form->is_hex && !is_u8s)
        return refuse_member(reader, place, path, "`hex` is only for fixed arrays of u8");
    if (form->local && of->kind != KILN_KIND_REF)
        return refuse_member(reader, place, path, "`local` is only for refs");
    if (form->file_by && !form->local && !form->local_by)
        return refuse_member(reader, place, path, "`file_by` requires `local` or `local_by`");
    if (form->beside && !(form->local && form->file_by))
        return refuse_member(reader, place, path, "`beside` requires `local` and `file_by`");
    if (!check_member_keys(reader, form, place, path))
        return false;
    if (!form->local_by)
        return true;
    if (of->kind != KILN_KIND_REF || !optional || form->local ||
        (owner->flags & KILN_TYPE_TRANSPARENT))
        return refuse_member(reader, place, path,
                             "`local_by` is only for a field of type `ref?` in a struct");
    if (!has_field(owner, form->local_by))
        return bake_report(reader->diagnostics, BAKE_ERROR, place->type_mark, "schema", path,
                           "\"%s\" has no field \"%s\" that names the object", owner->name,
                           form->local_by);
    if (form->file_by && !has_field(owner, form->file_by))
        return bake_report(reader->diagnostics, BAKE_ERROR, place->type_mark, "schema", path,
                           "\"%s\" has no field \"%s\" that names the file", owner->name,
                           form->file_by);
    if (reader->schema->info[form->type].local_by)
        return refuse_member(reader, place, path,
                             "a struct can have only one field with `local_by`");
    return true;
}

/* Adds the form of a member to the schema, if it has one. */
static void add_member_form(schema_reader *reader, uint32_t type, uint32_t member)
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

/* Whether the type is declared, or is the row of a declared type. Rows repeat the fields of their
 * structs, so they are skipped after errors. */
static bool is_declared_or_row(const schema_reader *reader, uint32_t type)
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
        if (!is_declared_or_row(reader, t))
            continue;
        for (uint32_t m = 0; type->kind == KILN_KIND_STRUCT && m < type->member_count; m++)
            add_member_form(reader, t, m);
    }
}

static bool is_form_below(const void *forms, size_t at, const void *key)
{
    const bake_member_form *form = (const bake_member_form *)forms + at, *wanted = key;
    return form->type < wanted->type ||
           (form->type == wanted->type && form->member < wanted->member);
}

const bake_member_form *bake_schema_member_form(const bake_schema *schema, uint32_t type,
                                                uint32_t member)
{
    bake_member_form key = {.type = type, .member = member};
    size_t at = lower_bound(schema->forms, 0, schema->form_count, is_form_below, &key);
    const bake_member_form *found = at < schema->form_count ? &schema->forms[at] : NULL;
    return found && found->type == type && found->member == member ? found : NULL;
}
