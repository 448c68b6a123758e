/* References by number to an object of the same file, `{fileID: 123}`, or of another, and bytes as
 * hex. */
#include "value_ref.h"

#include "ascii.h"
#include "bake_memory.h"
#include "bake_text.h"
#include "scalar_parse.h"
#include "similar.h"
#include "value_limits.h"
#include "value_mismatch.h"
#include "value_node.h"

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
    b->forms.all = bake_alloc_array(count, sizeof *b->forms.all);
    if (!b->forms.all)
        return false;
    b->forms.count = count;
    for (size_t i = 0; i < count; i++) {
        const bake_member_form *form = &b->schema->forms[i];
        b->forms.all[i] =
            (value_field_form){&value_type(b, form->type)->members[form->member], form};
    }
    qsort(b->forms.all, count, sizeof *b->forms.all, compare_members);
    return true;
}

static const bake_member_form *form_of(const bake_values *b, const kiln_member *field)
{
    value_field_form wanted = {field, NULL};
    const value_field_form *found =
        bsearch(&wanted, b->forms.all, b->forms.count, sizeof *b->forms.all, compare_members);
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
                                 "expected an object number, found %s", found);
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
            bake_hint_similar(b->report.to, text, length, names, count);
        else
            bake_hint(b->report.to, "the key %s is unknown here%s",
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
                bake_value_check_tag_of(b, ret->guid, KILN_KIND_STRING, "a string", step));
    if (form->file_by)
        bake_value_report(
            b, BAKE_ERROR, value_mark(b, node), "reference", step,
            "expected an object as {%s: number}, or one of another file as {%s: number, %s: file}",
            form->local, form->local, form->file_by);
    else
        bake_value_report(b, BAKE_ERROR, value_mark(b, node), "reference", step,
                          "expected an object of the same file as {%s: number}", form->local);
    hint_other_key(b, node, form);
    return false;
}

/* What the names of objects in the present file have before the number; NULL after a report. */
static const char *own_file(bake_values *b, bake_node_id node, size_t *ret_length,
                            const value_step *step)
{
    const char *id = strchr(b->root.name, '/');
    const char *hash = id ? strrchr(id, '#') : NULL;
    if (!hash || !b->root.rule || b->root.rule->shape != BAKE_SHAPE_OBJECTS) {
        bake_value_report(b, BAKE_ERROR, value_mark(b, node), "reference", step,
                          "this file has no objects with numbers");
        return NULL;
    }
    *ret_length = (size_t)(hash - id - 1);
    return id + 1;
}

static void pointer_ref(bake_values *b, const pointer *what, const kiln_type *of, void *dst,
                        const value_step *step)
{
    value_file file = {.kind = NULL};
    if (what->guid != BAKE_NODE_NONE) {
        if (b->refs.names)
            bake_value_guid(b, what->number, what->value, what->guid, of, dst, step);
        return;
    }
    file.id = own_file(b, what->number, &file.length, step);
    if (file.id && b->refs.names)
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
                          "0 means no object, but this reference is required");
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

/* The reference in the fields next to the one with `local_by`; false where that is empty. */
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
    if (!value_enter(b, node, &inner))
        return true;
    const kiln_type *ref = value_type(b, value_type(b, member->type)->element);
    void *value = kiln_builder_pointer(b->builder, (unsigned char *)dst + member->offset, ref->size,
                                       ref->align);
    if (value)
        pointer_ref(b, &what, ref, value, &inner);
    else
        value_stop(b);
    value_leave(b);
    return true;
}
