/* References by number to an object of the same file, `{fileID: 123}`, or of another, and bytes as
 * hex. */
#include "value_ref.h"

#include "ascii.h"
#include "bake_memory.h"
#include "bake_text.h"
#include "scalar_parse.h"
#include "similar.h"

#include <stdlib.h>
#include <string.h>

static int compare_members(const void *a, const void *b)
{
    uintptr_t x = (uintptr_t)((const value_field_form *)a)->member;
    uintptr_t y = (uintptr_t)((const value_field_form *)b)->member;
    return (x > y) - (x < y);
}

bool bake_value_list_field_forms(bake_values *b)
{
    size_t count = b->schema->form_count;
    if (count == 0)
        return true;
    b->field_forms = bake_alloc_array(count, sizeof *b->field_forms);
    if (!b->field_forms)
        return false;
    b->field_form_count = count;
    for (size_t i = 0; i < count; i++) {
        const bake_member_form *form = &b->schema->forms[i];
        b->field_forms[i] =
            (value_field_form){&value_type(b, form->type)->members[form->member], form};
    }
    qsort(b->field_forms, count, sizeof *b->field_forms, compare_members);
    return true;
}

static const bake_member_form *form_of(const bake_values *b, const kiln_member *field)
{
    value_field_form wanted = {field, NULL};
    const value_field_form *found = bsearch(&wanted, b->field_forms, b->field_form_count,
                                            sizeof *b->field_forms, compare_members);
    return found ? found->form : NULL;
}

/* ---- hex ---- */

static bool are_digits(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (bake_hex_digit(text[i]) > 15)
            return false;
    return true;
}

static void hex_bytes(bake_values *b, bake_node_id node, const kiln_type *of, unsigned char *dst,
                      const value_step *step)
{
    char quote[VALUE_QUOTE_SIZE];
    size_t length;
    const char *text = bake_node_text(b->tree, node, &length);
    if (!bake_value_check_tag_of(b, node, KILN_KIND_STRING, "hex digits", step))
        return;
    if (length != (size_t)of->count * 2 || !are_digits(text, length)) {
        bake_value_report(b, BAKE_ERROR, value_mark(b, node), "hex", step,
                          "expected %u hex digits, found %s", of->count * 2,
                          bake_value_quote(quote, text, length));
        return;
    }
    for (size_t i = 0; i < of->count; i++)
        dst[i] =
            (unsigned char)(bake_hex_digit(text[2 * i]) << 4 | bake_hex_digit(text[2 * i + 1]));
}

/* ---- objects ---- */

/* A reference as it is written. */
typedef struct pointer {
    bake_node_id number;
    bake_node_id guid; /* of another file; BAKE_NODE_NONE: it is this one */
    uint64_t value;    /* of the number */
} pointer;

static bool is_beside(const bake_member_form *form, const char *text, size_t length)
{
    for (uint32_t i = 0; i < form->beside_count; i++)
        if (bake_text_is(text, length, form->beside[i]))
            return true;
    return false;
}

static bake_node_id find_guid(const bake_values *b, bake_node_id node, const bake_member_form *form)
{
    if (!form->file_by)
        return BAKE_NODE_NONE;
    return bake_node_find(b->tree, node, form->file_by, strlen(form->file_by));
}

/* How many keys of the mapping mean something to the reference, or are not to be there. */
static uint32_t count_keys(const bake_values *b, bake_node_id node, const bake_member_form *form)
{
    uint32_t count = bake_node_count(b->tree, node);
    for (bake_walk walk = bake_walk_begin(b->tree, node);
         form->beside_count && bake_walk_next(&walk);) {
        size_t length;
        const char *text = bake_node_text(b->tree, walk.key, &length);
        count -= is_beside(form, text, length);
    }
    return count;
}

static bool read_number(bake_values *b, bake_node_id node, uint64_t *ret, const value_step *step)
{
    char quote[VALUE_QUOTE_SIZE];
    size_t length;
    const char *text = bake_node_text(b->tree, node, &length);
    bake_node_kind kind = bake_node_kind_of(b->tree, node);
    const char *found = kind == BAKE_NODE_SEQUENCE  ? "a list"
                        : kind == BAKE_NODE_MAPPING ? "a mapping"
                                                    : bake_value_quote(quote, text, length);
    if (kind != BAKE_NODE_SCALAR || bake_parse_integer(KILN_KIND_I64, text, length, ret))
        return bake_value_report(b, BAKE_ERROR, value_mark(b, node), "reference", step,
                                 "expected the number of an object, found %s", found);
    return true;
}

/* The first key that means nothing to the reference. */
static void hint_other_key(bake_values *b, bake_node_id node, const bake_member_form *form)
{
    const char *const names[] = {form->local, form->file_by};
    size_t count = form->file_by ? 2 : 1, length;
    char quote[VALUE_QUOTE_SIZE];
    for (bake_walk walk = bake_walk_begin(b->tree, node); bake_walk_next(&walk);) {
        const char *text = bake_node_text(b->tree, walk.key, &length);
        bool is_known = is_beside(form, text, length);
        for (size_t i = 0; i < count; i++)
            is_known = is_known || bake_text_is(text, length, names[i]);
        if (is_known)
            continue;
        if (bake_most_similar(text, length, names, count))
            bake_hint_similar(b->diagnostics, text, length, names, count);
        else
            bake_hint(b->diagnostics, "the key %s means nothing here%s",
                      bake_value_quote(quote, text, length),
                      form->file_by ? ", unless the schema lists it as `beside`" : "");
        return;
    }
}

/* A mapping that is the reference and nothing else; false after a report. */
static bool read_pointer(bake_values *b, bake_node_id node, const bake_member_form *form,
                         pointer *ret, const value_step *step)
{
    ret->number = bake_node_find(b->tree, node, form->local, strlen(form->local));
    ret->guid = find_guid(b, node, form);
    uint32_t wanted = ret->guid == BAKE_NODE_NONE ? 1 : 2;
    if (ret->guid != BAKE_NODE_NONE && bake_value_is_null(b, ret->guid))
        ret->guid = BAKE_NODE_NONE;
    if (ret->number != BAKE_NODE_NONE && count_keys(b, node, form) == wanted)
        return read_number(b, ret->number, &ret->value, step) &&
               bake_value_check_tag_of(b, ret->number, KILN_KIND_I64, "a number", step) &&
               (ret->guid == BAKE_NODE_NONE ||
                bake_value_check_tag_of(b, ret->guid, KILN_KIND_STRING, "a text", step));
    if (form->file_by)
        bake_value_report(b, BAKE_ERROR, value_mark(b, node), "reference", step,
                          "an object is written {%s: number}, one of another file "
                          "{%s: number, %s: file}",
                          form->local, form->local, form->file_by);
    else
        bake_value_report(b, BAKE_ERROR, value_mark(b, node), "reference", step,
                          "an object of the same file is written {%s: number}", form->local);
    hint_other_key(b, node, form);
    return false;
}

/* What the objects of the file at hand have before the number; NULL after a report. */
static const char *own_file(bake_values *b, bake_node_id node, size_t *ret_length,
                            const value_step *step)
{
    const char *id = strchr(b->root_name, '/');
    const char *hash = id ? strrchr(id, '#') : NULL;
    if (!hash || !b->root_rule || b->root_rule->shape != BAKE_SHAPE_OBJECTS) {
        bake_value_report(b, BAKE_ERROR, value_mark(b, node), "reference", step,
                          "this file has no objects with numbers");
        return NULL;
    }
    *ret_length = (size_t)(hash - id - 1);
    return id + 1;
}

/* `kind/file#number` on the scratch stack; NULL when memory ran out. */
static char *object_name(bake_values *b, bake_node_id number, const char *kind,
                         const value_file *file, size_t *ret_length)
{
    size_t length, kind_length = strlen(kind);
    const char *text = bake_node_text(b->tree, number, &length);
    size_t at = bake_value_push(b, kind_length + file->length + length + 3);
    if (at == SIZE_MAX)
        return NULL;
    char *name = (char *)b->scratch + at, *end = name;
    memcpy(end, kind, kind_length);
    end += kind_length;
    *end++ = '/';
    memcpy(end, file->id, file->length);
    end += file->length;
    *end++ = '#';
    memcpy(end, text, length);
    end[length] = '\0';
    *ret_length = (size_t)(end - name) + length;
    return name;
}

/* The one object that has the number, or NULL; false after a report or failure. */
static bool find_object(bake_values *b, bake_node_id node, const char *id, size_t length,
                        const bake_name **ret_found, const value_step *step)
{
    const bake_name *other;
    if (!bake_names_find_id(b->names, id, length, ret_found, &other)) {
        bake_fail_memory(b->failure);
        bake_value_stop(b);
        return false;
    }
    return !other || bake_value_report(b, BAKE_ERROR, value_mark(b, node), "reference", step,
                                       "two objects have this number: \"%s\" and \"%s\"",
                                       (*ret_found)->name, other->name);
}

/* A number that no object has, of whatever kind it were. */
static void report_unknown(bake_values *b, bake_node_id node, const char *id, size_t length,
                           const value_step *step)
{
    char quote[VALUE_QUOTE_SIZE];
    if (b->names->incomplete)
        b->error_count++;
    else
        bake_value_report(b, BAKE_ERROR, value_mark(b, node), "reference", step,
                          "no object is named %s", bake_value_quote(quote, id, length));
}

bool bake_value_object(bake_values *b, bake_node_id node, const value_file *file,
                       const kiln_type *of, void *dst, const value_step *step)
{
    uint32_t target = of->element;
    const char *kind =
        target == KILN_TYPE_NONE ? file->kind ? file->kind : "" : b->schema->info[target].kind;
    size_t used = b->scratch_used, kind_length = strlen(kind), length;
    char *name = object_name(b, node, kind, file, &length);
    if (!name)
        return false;
    const char *id = name + kind_length + 1;
    size_t id_length = length - kind_length - 1;
    const bake_name *found = kind_length > 0 ? bake_names_find(b->names, name, length) : NULL;
    bool ok = false;
    if (found && found->is_assumed)
        found = NULL;
    if (!found && !find_object(b, node, id, id_length, &found, step))
        ok = false;
    else if (!found && kind_length == 0)
        report_unknown(b, node, id, id_length, step);
    else if (!found)
        ok = bake_value_resolve(b, node, name, length, target, dst, step);
    else if (target != KILN_TYPE_NONE && found->type != KILN_TYPE_NONE && found->type != target)
        bake_value_report(b, BAKE_ERROR, value_mark(b, node), "reference", step,
                          "this is \"%s\", which is no %s", found->name,
                          value_type(b, target)->name);
    else
        ok = bake_value_resolve(b, node, found->name, found->length, target, dst, step);
    b->scratch_used = used;
    return ok;
}

static void pointer_ref(bake_values *b, const pointer *what, const kiln_type *of, void *dst,
                        const value_step *step)
{
    value_file file = {.kind = NULL};
    if (what->guid != BAKE_NODE_NONE) {
        if (b->names)
            bake_value_guid(b, what->number, what->value, what->guid, of, dst, step);
        return;
    }
    file.id = own_file(b, what->number, &file.length, step);
    if (file.id && b->names)
        bake_value_object(b, what->number, &file, of, dst, step);
}

static bool local_value(bake_values *b, bake_node_id node, const kiln_type *of,
                        const bake_member_form *form, void *dst, const value_step *step)
{
    pointer what;
    if (!read_pointer(b, node, form, &what, step))
        return true;
    if (of->kind == KILN_KIND_OPTIONAL)
        return what.value == 0;
    if (what.value == 0)
        bake_value_report(b, BAKE_ERROR, value_mark(b, what.number), "reference", step,
                          "0 is no object, and one is needed here");
    else
        pointer_ref(b, &what, of, dst, step);
    return true;
}

bool bake_value_field_form(bake_values *b, bake_node_id node, const kiln_type *of,
                           const kiln_member *field, void *dst, const value_step *step)
{
    bake_node_kind kind = bake_node_kind_of(b->tree, node);
    const bake_member_form *form = form_of(b, field);
    if (!form || kind == BAKE_NODE_SEQUENCE)
        return false;
    if (kind == BAKE_NODE_MAPPING && form->local &&
        (of->kind == KILN_KIND_REF || of->kind == KILN_KIND_OPTIONAL))
        return local_value(b, node, of, form, dst, step);
    if (kind != BAKE_NODE_SCALAR || !form->is_hex || of->kind != KILN_KIND_FIXED ||
        bake_value_is_null(b, node))
        return false;
    hex_bytes(b, node, of, dst, step);
    return true;
}

/* What the fields beside the one with `local_by` say; false where that is empty. */
static bool find_pointer(bake_values *b, bake_node_id node, const bake_member_form *form,
                         pointer *ret, const value_step *step)
{
    ret->number = bake_node_find(b->tree, node, form->local_by, strlen(form->local_by));
    ret->guid = find_guid(b, node, form);
    uint32_t count = bake_node_count(b->tree, node);
    if (ret->guid != BAKE_NODE_NONE && bake_value_is_null(b, ret->guid)) {
        ret->guid = BAKE_NODE_NONE;
        count--;
    }
    return ret->number != BAKE_NODE_NONE && (ret->guid != BAKE_NODE_NONE || count == 1) &&
           read_number(b, ret->number, &ret->value, step) && ret->value != 0;
}

bool bake_value_local_by(bake_values *b, bake_node_id node, uint32_t type, void *dst,
                         const value_step *step)
{
    const bake_member_form *form = b->schema->info[type].local_by;
    const kiln_member *member = &value_type(b, type)->members[form->member];
    value_step inner = {step, STEP_NAME, member->name, strlen(member->name), 0};
    pointer what;
    if (!find_pointer(b, node, form, &what, &inner))
        return false;
    if (!bake_value_enter(b, node, &inner))
        return true;
    const kiln_type *ref = value_type(b, value_type(b, member->type)->element);
    void *value = kiln_builder_pointer(b->builder, (unsigned char *)dst + member->offset, ref->size,
                                       ref->align);
    if (value)
        pointer_ref(b, &what, ref, value, &inner);
    else
        bake_value_stop(b);
    bake_value_leave(b);
    return true;
}
