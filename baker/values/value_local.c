/* Fields with special forms: hex digits for bytes, and references by object number, as game engines
 * write them. `{fileID: 123}` refers to an object in the same file; with a guid, to an object in
 * another file.
 *
 * The schema lists the fields with these forms (bake_member_form). They are few, so a binary search
 * by member address finds them. References by number and by guid become names (`kind/file#number`,
 * `kind/id`) on the scratch stack, which resolve like names in the document. An unknown guid
 * becomes the name `kind/guid`, which can be reported, accepted or imported. */
#include "value_ref.h"

#include "ascii.h"
#include "asset_guids.h"
#include "bake_memory.h"
#include "bake_text.h"
#include "scalar_parse.h"
#include "similar.h"
#include "value_limits.h"
#include "value_mismatch.h"
#include "value_node.h"

#include <kiln/index.h>
#include <stdlib.h>
#include <string.h>

/* ---- objects by number, and files by guid ---- */

/* Builds `kind/file#number` on the scratch stack. Returns NULL if memory runs out. */
static char *object_name(bake_values *b, bake_node_id number, const char *kind,
                         const value_file *file, size_t *ret_length)
{
    size_t length, kind_length = strlen(kind);
    const char *text = bake_node_text(b->tree, number, &length);
    size_t at = bake_value_push(b, kind_length + file->length + length + 3);
    if (at == SIZE_MAX)
        return NULL;
    char *name = (char *)b->scratch.bytes + at, *end = name;
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

/* Finds the only object with this number, or NULL. Returns false after a report or failure. */
static bool find_object(bake_values *b, bake_node_id node, const char *id, size_t length,
                        const bake_name **ret_found, const value_step *step)
{
    const bake_name *other;
    /* The search adds names to a table, which a helper must not do. */
    if (value_defer(b))
        return false;
    value_begin_change(b);
    bool is_searched = bake_names_find_id(b->refs.names, id, length, ret_found, &other);
    value_end_change(b);
    if (!is_searched)
        return value_no_memory(b);
    return !other || bake_value_report(b, BAKE_ERROR, value_mark(b, node), "reference", step,
                                       "the object number is ambiguous: \"%s\" or \"%s\"",
                                       (*ret_found)->name, other->name);
}

/* Reports an unknown object number. */
static void report_unknown(bake_values *b, bake_node_id node, const char *id, size_t length,
                           const value_step *step)
{
    char quote[VALUE_QUOTE_SIZE];
    if (b->refs.names->incomplete)
        b->report.errors++;
    else
        bake_value_report(b, BAKE_ERROR, value_mark(b, node), "reference", step,
                          "unknown object %s", bake_value_quote(quote, id, length));
}

/* Bakes a reference of type `of` to the object in `file` that has the number at `node`. Returns
 * false after a report or failure. */
static bool object_value(bake_values *b, bake_node_id node, const value_file *file,
                         const kiln_type *of, void *dst, const value_step *step)
{
    uint32_t target = of->element;
    const char *kind =
        target == KILN_TYPE_NONE ? file->kind ? file->kind : "" : b->schema->info[target].kind;
    size_t used = b->scratch.used, kind_length = strlen(kind), length;
    char *name = object_name(b, node, kind, file, &length);
    if (!name)
        return false;
    const char *id = name + kind_length + 1;
    size_t id_length = length - kind_length - 1;
    const bake_name *found = kind_length > 0 ? bake_names_find(b->refs.names, name, length) : NULL;
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
                          "expected a reference to %s, found \"%s\"", value_type(b, target)->name,
                          found->name);
    else
        ok = bake_value_resolve(b, node, found->name, found->length, target, dst, step);
    b->scratch.used = used;
    return ok;
}

typedef struct guid_ref {
    bake_node_id node;
    const kiln_type *of;
    void *dst;
    const value_step *step;
} guid_ref;

/* Returns the kind for the name of a referenced file: that of the reference's type, or else the
 * kind of files. */
static const char *kind_of(const bake_values *b, const guid_ref *ref)
{
    uint32_t target = ref->of->element;
    if (target != KILN_TYPE_NONE)
        return b->schema->info[target].kind;
    return b->schema->file_kind ? b->schema->file_kind : "File";
}

/* Resolves a reference to `kind/id`. With `accept`, the target need not exist. */
static void resolve(bake_values *b, const guid_ref *ref, const char *kind, const char *id,
                    size_t id_length, bool accept)
{
    size_t used = b->scratch.used, kind_length = strlen(kind);
    size_t length = kind_length + 1 + id_length;
    size_t at = bake_value_push(b, length + 1);
    if (at == SIZE_MAX)
        return;
    char *name = (char *)b->scratch.bytes + at;
    memcpy(name, kind, kind_length);
    name[kind_length] = '/';
    memcpy(name + kind_length + 1, id, id_length);
    name[length] = '\0';
    bool may_resolve = !accept || !value_defer(b);
    if (accept && may_resolve) {
        value_begin_change(b);
        if (!bake_guids_accept(b->refs.names->guids, name, length))
            may_resolve = value_no_memory(b);
        value_end_change(b);
    }
    if (may_resolve)
        bake_value_resolve(b, ref->node, name, length, ref->of->element, ref->dst, ref->step);
    b->scratch.used = used;
}

static void resolve_known(bake_values *b, const guid_ref *ref, const bake_guid *file,
                          uint64_t number)
{
    const bake_file_rule *rule = file->rule;
    value_file objects = {file->id, file->id_length, b->schema->file_kind};
    bool has_objects = rule && rule->shape == BAKE_SHAPE_OBJECTS;
    if (has_objects && (rule->whole == 0 || rule->whole != number)) {
        b->refs.form = VALUE_BY_NUMBER;
        object_value(b, ref->node, &objects, ref->of, ref->dst, ref->step);
        b->refs.form = VALUE_BY_NAME;
    } else if (rule && rule->shape == BAKE_SHAPE_ONE) {
        resolve(b, ref, b->schema->info[rule->type].kind, file->id, file->id_length, false);
    } else if (rule && rule->shape == BAKE_SHAPE_SCENE) {
        resolve(b, ref, rule->kind, file->id, file->id_length, false);
    } else {
        resolve(b, ref, kind_of(b, ref), file->path, file->path_length, true);
    }
}

/* Resolves an unknown guid as a name. If the name is not accepted, it is reported at the end. */
static void resolve_unknown(bake_values *b, const guid_ref *ref, const char *text, size_t length)
{
    b->refs.form = VALUE_BY_GUID;
    resolve(b, ref, kind_of(b, ref), text, length, false);
    b->refs.form = VALUE_BY_NAME;
}

/* Whether the string is valid as the id in an asset name, whatever the kind. */
static bool is_id(bake_values *b, const char *text, size_t length)
{
    size_t used = b->scratch.used, at = bake_value_push(b, length + 2);
    if (at == SIZE_MAX)
        return false;
    char *name = (char *)b->scratch.bytes + at;
    memcpy(name, "x/", 2);
    memcpy(name + 2, text, length);
    b->scratch.used = used;
    return kiln_asset_name_is_valid(name, length + 2);
}

/* Bakes a reference to the object whose number is at `node`, in the file with the guid at `guid`,
 * or to the file itself. */
static void guid_value(bake_values *b, bake_node_id node, uint64_t number, bake_node_id guid,
                       const kiln_type *of, void *dst, const value_step *step)
{
    guid_ref ref = {node, of, dst, step};
    char quote[VALUE_QUOTE_SIZE];
    size_t length;
    const char *text = bake_node_text(b->tree, guid, &length);
    bool is_text = bake_node_kind_of(b->tree, guid) == BAKE_NODE_SCALAR && is_id(b, text, length);
    if (b->stopped)
        return;
    if (!is_text) {
        bake_value_report(b, BAKE_ERROR, value_mark(b, guid), "reference", step,
                          "expected the guid of a file, found %s",
                          bake_node_kind_of(b->tree, guid) == BAKE_NODE_SCALAR
                              ? bake_value_quote(quote, text, length)
                              : "a list or mapping");
        return;
    }
    const bake_guid *file = bake_guids_find(b->refs.names->guids, text, length);
    if (file) {
        resolve_known(b, &ref, file, number);
    } else {
        ref.node = guid;
        resolve_unknown(b, &ref, text, length);
    }
}

/* ---- forms of fields ---- */

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

static bool are_hex_digits(const char *text, size_t length)
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
    if (length != (size_t)of->count * 2 || !are_hex_digits(text, length)) {
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

/* A parsed reference. */
typedef struct pointer {
    bake_node_id number;
    bake_node_id guid; /* of another file; BAKE_NODE_NONE: this file */
    uint64_t value;    /* the object number */
} pointer;

/* Whether the schema lists the key as allowed and ignored next to the reference. */
static bool is_extra_key(const bake_member_form *form, const char *text, size_t length)
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

/* Counts the keys of the mapping, except those that the schema lists as ignored. */
static uint32_t count_keys(const bake_values *b, bake_node_id node, const bake_member_form *form)
{
    uint32_t count = bake_node_count(b->tree, node);
    for (bake_iterator it = bake_iterator_begin(b->tree, node);
         form->beside_count && bake_iterator_next(&it);) {
        size_t length;
        const char *text = bake_node_text(b->tree, it.key, &length);
        count -= is_extra_key(form, text, length);
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

/* Adds a hint about the first unknown key of the reference. */
static void hint_other_key(bake_values *b, bake_node_id node, const bake_member_form *form)
{
    const char *const names[] = {form->local, form->file_by};
    size_t count = form->file_by ? 2 : 1, length;
    char quote[VALUE_QUOTE_SIZE];
    for (bake_iterator it = bake_iterator_begin(b->tree, node); bake_iterator_next(&it);) {
        const char *text = bake_node_text(b->tree, it.key, &length);
        bool is_known = is_extra_key(form, text, length);
        for (size_t i = 0; i < count; i++)
            is_known = is_known || bake_text_is(text, length, names[i]);
        if (is_known)
            continue;
        if (bake_most_similar(text, length, names, count))
            bake_hint_similar(b->report.to, text, length, names, count);
        else
            bake_hint(b->report.to, "the key %s is unknown here%s",
                      bake_value_quote(quote, text, length),
                      form->file_by ? "; to ignore it, list it as `beside` in the schema" : "");
        return;
    }
}

/* Reads a mapping as a reference. Returns false after a report. */
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
            "expected an object as {%s: number}, or in another file as {%s: number, %s: guid}",
            form->local, form->local, form->file_by);
    else
        bake_value_report(b, BAKE_ERROR, value_mark(b, node), "reference", step,
                          "expected an object in this file as {%s: number}", form->local);
    hint_other_key(b, node, form);
    return false;
}

/* Returns the part between the kind and the `#` in names of objects in this file, or NULL after a
 * report. */
static const char *own_file(bake_values *b, bake_node_id node, size_t *ret_length,
                            const value_step *step)
{
    const char *id = strchr(b->root.name, '/');
    const char *hash = id ? strrchr(id, '#') : NULL;
    if (!hash || !b->root.rule || b->root.rule->shape != BAKE_SHAPE_OBJECTS) {
        bake_value_report(b, BAKE_ERROR, value_mark(b, node), "reference", step,
                          "this file has no numbered objects");
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
            guid_value(b, what->number, what->value, what->guid, of, dst, step);
        return;
    }
    file.id = own_file(b, what->number, &file.length, step);
    if (file.id && b->refs.names)
        object_value(b, what->number, &file, of, dst, step);
}

/* Bakes the mapping; number 0 is null. Returns false for an optional that is not null: the caller
 * then bakes the optional, which calls this function again for its element. */
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

/* Reads the reference from the keys next to a field with `local_by`. Returns false if they contain
 * no reference, or after a report. */
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
