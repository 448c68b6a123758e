/* References by number to an object of the same file, `{fileID: 123}`, and bytes as hex. */
#include "value_baker.h"

#include "ascii.h"
#include "bake_memory.h"
#include "scalar_parse.h"

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

/* ---- objects of the same file ---- */

/* The number that the mapping has as its only value, by the key; NONE after a report. */
static bake_node_id number_in(bake_values *b, bake_node_id node, const char *key,
                              const value_step *step)
{
    bake_node_id number = bake_node_find(b->tree, node, key, strlen(key));
    if (number == BAKE_NODE_NONE || bake_node_count(b->tree, node) != 1) {
        bake_value_report(b, BAKE_ERROR, value_mark(b, node), "reference", step,
                          "an object of the same file is written {%s: number}", key);
        return BAKE_NODE_NONE;
    }
    return number;
}

static bool read_number(bake_values *b, bake_node_id node, bool *ret_zero, const value_step *step)
{
    char quote[VALUE_QUOTE_SIZE];
    size_t length;
    uint64_t bits;
    const char *text = bake_node_text(b->tree, node, &length);
    if (bake_node_kind_of(b->tree, node) != BAKE_NODE_SCALAR ||
        bake_parse_integer(KILN_KIND_I64, text, length, &bits))
        return bake_value_report(b, BAKE_ERROR, value_mark(b, node), "reference", step,
                                 "expected the number of an object, found %s",
                                 bake_value_quote(quote, text, length));
    *ret_zero = bits == 0;
    return true;
}

/* `path#`, as the name of the asset at hand has it, and the number; NULL after a report or failure.
 * It lies on the scratch stack, behind room for a kind of `kind_length` bytes and a slash. */
static char *local_name(bake_values *b, bake_node_id node, size_t kind_length, size_t *ret_length,
                        const value_step *step)
{
    size_t length;
    const char *text = bake_node_text(b->tree, node, &length);
    const char *id = strchr(b->root_name, '/');
    const char *hash = id ? strrchr(id, '#') : NULL;
    if (!hash || !b->root_rule || b->root_rule->shape != BAKE_SHAPE_OBJECTS) {
        bake_value_report(b, BAKE_ERROR, value_mark(b, node), "reference", step,
                          "this file has no objects with numbers");
        return NULL;
    }
    size_t path_length = (size_t)(hash - id);
    size_t at = bake_value_push(b, kind_length + path_length + length + 2);
    if (at == SIZE_MAX)
        return NULL;
    char *name = (char *)b->scratch + at;
    memcpy(name + kind_length + 1, id + 1, path_length);
    memcpy(name + kind_length + 1 + path_length, text, length);
    *ret_length = kind_length + 1 + path_length + length;
    name[*ret_length] = '\0';
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

/* The object whose number is at `node`. */
static void local_ref(bake_values *b, bake_node_id node, const kiln_type *of, void *dst,
                      const value_step *step)
{
    uint32_t target = of->element;
    const char *kind = target == KILN_TYPE_NONE ? "" : b->schema->info[target].kind;
    size_t used = b->scratch_used, kind_length = strlen(kind), length;
    char *name = local_name(b, node, kind_length, &length, step);
    if (name && b->names) {
        const char *id = name + kind_length + 1;
        size_t id_length = length - kind_length - 1;
        memcpy(name, kind, kind_length);
        name[kind_length] = '/';
        const bake_name *found = kind_length > 0 ? bake_names_find(b->names, name, length) : NULL;
        if (!found && !find_object(b, node, id, id_length, &found, step))
            found = NULL;
        else if (!found && kind_length == 0)
            report_unknown(b, node, id, id_length, step);
        else if (!found)
            bake_value_resolve(b, node, name, length, target, dst, step);
        else if (target != KILN_TYPE_NONE && found->type != KILN_TYPE_NONE && found->type != target)
            bake_value_report(b, BAKE_ERROR, value_mark(b, node), "reference", step,
                              "this is \"%s\", which is no %s", found->name,
                              value_type(b, target)->name);
        else
            bake_value_resolve(b, node, found->name, found->length, target, dst, step);
    }
    b->scratch_used = used;
}

static bool local_value(bake_values *b, bake_node_id node, const kiln_type *of, const char *key,
                        void *dst, const value_step *step)
{
    bool zero;
    bake_node_id number = number_in(b, node, key, step);
    if (number == BAKE_NODE_NONE || !read_number(b, number, &zero, step))
        return true;
    if (of->kind == KILN_KIND_OPTIONAL)
        return zero;
    if (zero)
        bake_value_report(b, BAKE_ERROR, value_mark(b, number), "reference", step,
                          "0 is no object, and one is needed here");
    else
        local_ref(b, number, of, dst, step);
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
        return local_value(b, node, of, form->local, dst, step);
    if (kind != BAKE_NODE_SCALAR || !form->is_hex || of->kind != KILN_KIND_FIXED ||
        bake_value_is_null(b, node))
        return false;
    hex_bytes(b, node, of, dst, step);
    return true;
}

bool bake_value_local_by(bake_values *b, bake_node_id node, uint32_t type, void *dst,
                         const value_step *step)
{
    const bake_member_form *form = b->schema->info[type].local_by;
    const kiln_member *member = &value_type(b, type)->members[form->member];
    bake_node_id number = bake_node_find(b->tree, node, form->local_by, strlen(form->local_by));
    value_step inner = {step, STEP_NAME, member->name, strlen(member->name), 0};
    bool zero;
    if (number == BAKE_NODE_NONE || bake_node_count(b->tree, node) != 1 ||
        !read_number(b, number, &zero, &inner) || zero)
        return false;
    if (!bake_value_enter(b, node, &inner))
        return true;
    const kiln_type *ref = value_type(b, value_type(b, member->type)->element);
    void *value = kiln_builder_pointer(b->builder, (unsigned char *)dst + member->offset, ref->size,
                                       ref->align);
    if (value)
        local_ref(b, number, ref, value, &inner);
    else
        bake_value_stop(b);
    bake_value_leave(b);
    return true;
}
