/* Structs written as mappings, and their defaults.
 *
 * The keys of a mapping are visited once, in source order. A byte for each member on the scratch
 * stack records which fields were set; the others then get their defaults. The code is optimized
 * for structs with the same keys in the same order: it predicts the next field (value_find_field),
 * plain values take the fast path, and defaults are copied as bytes if possible. */
#include "value_compose.h"

#include "origin_record.h"
#include "value_ref.h"
#include "value_scalar.h"
#include "value_watch.h"
#include "value_words.h"

#include <string.h>

/* Whether a value of this kind is a separate object that several fields can share. */
static bool is_shareable(kiln_kind kind)
{
    return kind == KILN_KIND_STRING || kind == KILN_KIND_BYTES ||
           (kind >= KILN_KIND_UNION && kind <= KILN_KIND_OPTIONAL);
}

/* Shares the objects of a default that was already baked in this blob. This only saves time and
 * memory: canonical blobs share equal objects anyway. */
static void share_default(bake_values *b, kiln_kind kind, const void *from, void *dst)
{
    bool ok;
    if (kind == KILN_KIND_UNION) {
        const kiln_union *other = from;
        kiln_union *choice = dst;
        choice->tag = other->tag;
        ok = kiln_builder_share(b->builder, &choice->value, &other->value);
    } else {
        ok = kiln_builder_share(b->builder, dst, from);
    }
    if (!ok)
        value_stop(b);
}

void bake_value_default(bake_values *b, uint32_t type, uint32_t member, void *dst,
                        const value_step *step)
{
    const kiln_member *field = &value_type(b, type)->members[member];
    const kiln_type *of = value_type(b, field->type);
    uint32_t number = b->schema->info[type].first_member + member;
    const bake_default *written = &b->schema->defaults[number];
    shared_default *shared = &b->fields.shared[number];
    if (written->is_plain && field->default_image && !b->origins) {
        memcpy(dst, field->default_image, of->size);
        return;
    }
    const bake_tree *tree = b->tree;
    b->tree = written->tree;
    if (b->origins) {
        bake_origin_default(b, 1);
        bake_origin_value(b, written->node, step);
    }
    /* If types contain each other, their defaults can recurse forever. */
    if (shared->busy) {
        bake_value_report(b, BAKE_ERROR, value_mark(b, written->node), "recursion", step,
                          "the default of \"%s\" contains itself", field->name);
    } else if (shared->blob == b->blob && is_shareable(of->kind) && !b->is_unshared &&
               !bake_value_holds_watched(b, field->type, field)) {
        share_default(b, of->kind, shared->field, dst);
    } else {
        shared->busy = true;
        bake_value_any(b, written->node, field->type, field, dst, step);
        shared->busy = false;
        shared->blob = b->blob;
        shared->field = dst;
    }
    if (b->origins)
        bake_origin_default(b, -1);
    b->tree = tree;
}

void bake_value_missing(bake_values *b, bake_node_id node, uint32_t type, uint32_t member,
                        void *dst, const value_step *step)
{
    const kiln_member *field = &value_type(b, type)->members[member];
    value_step inner = {step, STEP_NAME, field->name, strlen(field->name), 0};
    uint32_t from, number;
    bool empty;
    if (bake_value_missing_quick(b, type, member, dst))
        return;
    if (bake_value_default_member(b, type, member, &from, &number, &empty))
        bake_value_default(b, from, number, dst, &inner);
    else if (empty && b->origins)
        bake_origin_empty(b, node, &inner);
    else if (!empty && !b->merge.is_partial && !bake_value_is_misspelt(b, node, type, field, step))
        bake_value_report(b, BAKE_ERROR, value_mark(b, node), "missing", step,
                          "missing field \"%s\"", field->name);
}

void bake_value_written(bake_values *b, bake_node_id node, uint32_t type, uint32_t number,
                        void *dst, const value_step *step)
{
    const value_field *field = value_fields(b, type) + number;
    const kiln_member *member = field->member;
    value_step inner = {step, STEP_NAME, field->name, field->name_length, 0};
    if (member->flags & KILN_MEMBER_DEPRECATED)
        bake_value_warn_member(b, node, member, false, step);
    if (bake_value_null_is_default(b, node, type, number))
        bake_value_missing(b, node, type, number, (unsigned char *)dst + member->offset, step);
    else
        bake_value_any(b, node, member->type, member, (unsigned char *)dst + member->offset,
                       &inner);
}

void bake_value_fill_defaults(bake_values *b, bake_node_id node, uint32_t type, void *dst,
                              const value_step *step)
{
    const kiln_type *of = value_type(b, type);
    bool is_framed = b->watch && bake_value_open_frame(b, type, step);
    for (uint32_t m = 0; m < of->member_count && !b->stopped; m++)
        if (m != b->schema->info[type].rest)
            bake_value_missing(b, node, type, m, (unsigned char *)dst + of->members[m].offset,
                               step);
    if (is_framed)
        bake_value_close_frame(b);
}

/* Bakes the rest field, which collects all unknown keys. Paths in reports omit it, because the
 * document has no such map. Paths in the source map include it, like the baked value. */
static void rest_field(bake_values *b, bake_node_id node, uint32_t type, size_t chosen,
                       uint32_t count, void *dst, const value_step *step)
{
    const kiln_member *rest = &value_type(b, type)->members[b->schema->info[type].rest];
    value_step inner = {step, STEP_NAME, rest->name, strlen(rest->name), 0};
    bake_value_check_length(b, node, rest, count, "entry", step);
    if (b->origins && count > 0)
        bake_origin_value(b, node, &inner);
    else if (b->origins)
        bake_origin_empty(b, node, &inner);
    if (count > 0)
        bake_value_map_entries(b, node, chosen, count, rest->type,
                               (unsigned char *)dst + rest->offset, b->origins ? &inner : step);
}

/* A struct being baked. */
typedef struct fields {
    bake_node_id node;
    uint32_t type;
    const kiln_type *of;
    unsigned char *dst;
    const value_step *step;
    size_t seen;    /* scratch offset of a byte for each member: 1 if it was set */
    size_t chosen;  /* scratch offset of the entries of the rest field, after `seen` */
    uint32_t count; /* members that were set */
    uint32_t rest;  /* index of the rest field, or KILN_TYPE_NONE */
    uint32_t rest_count;
} fields;

/* Bakes a field that is set, on the fast path if possible. */
static void written_field(bake_values *b, fields *f, uint32_t number, const bake_iterator *entry,
                          bool was)
{
    const value_field *field = value_fields(b, f->type) + number;
    const kiln_member *member = field->member;
    unsigned char *seen = b->scratch.bytes + f->seen + number, *dst = f->dst + member->offset;
    if (*seen) {
        bake_value_report_duplicate(b, entry->key, member, f->step);
        return;
    }
    *seen = 1;
    f->count++;
    if (was || (member->flags & KILN_MEMBER_DEPRECATED))
        bake_value_warn_member(b, entry->key, member, was, f->step);
    if (b->origins)
        bake_origin_via(b, f->node, entry);
    else if (value_may_be_quick(field->of) &&
             bake_value_quick(b, entry->value, field->of, member, dst))
        return;
    if (bake_node_is_null(b->tree, entry->value) &&
        bake_value_null_is_default(b, entry->value, f->type, number)) {
        bake_value_missing(b, f->node, f->type, number, dst, f->step);
        return;
    }
    value_step inner = {f->step, STEP_NAME, field->name, field->name_length, 0};
    bake_value_any(b, entry->value, member->type, member, dst, &inner);
}

/* Handles an entry that is not a field: a key that the asset or an enclosing union uses, an entry
 * of the rest field, or an error. */
static void other_entry(bake_values *b, fields *f, const bake_iterator *entry)
{
    value_entry kept = {entry->key, entry->value};
    size_t length;
    const char *text = bake_node_text(b->tree, entry->key, &length);
    if ((b->taken && bake_value_key_is_taken(b, f->node, text, length)) ||
        (!f->step && b->root.type != KILN_TYPE_NONE &&
         bake_schema_is_asset_key(b->schema, b->root.rule, b->root.type, text, length)))
        return;
    if (f->rest == KILN_TYPE_NONE) {
        bake_value_unknown_key(b, entry->key, f->type, text, length, f->step);
        return;
    }
    size_t at = bake_value_push(b, sizeof kept);
    if (at == SIZE_MAX)
        return;
    memcpy(b->scratch.bytes + at, &kept, sizeof kept);
    f->rest_count++;
}

static void written_fields(bake_values *b, fields *f)
{
    const bake_tree *tree = b->tree;
    value_field *known = value_fields(b, f->type);
    uint32_t *guess = &b->fields.first[f->type];
    for (bake_iterator it = bake_iterator_begin(tree, f->node);
         !b->stopped && bake_iterator_next(&it);) {
        uint32_t length;
        bool was;
        const char *text = bake_scalar_text(tree, it.key, &length);
        uint32_t number = value_find_field(b, f->type, text, length, guess, &was);
        if (number != KILN_TYPE_NONE)
            guess = &known[number].next;
        if (number != KILN_TYPE_NONE && number != f->rest)
            written_field(b, f, number, &it, was);
        else
            other_entry(b, f, &it);
    }
}

/* Copies runs of missing fields, including padding, from an image of the struct with only defaults.
 * Members are in offset order. */
static void copy_missing(const bake_values *b, const fields *f, const unsigned char *image)
{
    const unsigned char *seen = b->scratch.bytes + f->seen;
    uint32_t count = f->of->member_count;
    for (uint32_t at = 0, end; at < count; at = end + 1) {
        const unsigned char *next = memchr(seen + at, 1, count - at);
        end = next ? (uint32_t)(next - seen) : count;
        uint32_t from = f->of->members[at].offset;
        uint32_t to = end < count ? f->of->members[end].offset : f->of->size;
        if (end > at)
            memcpy(f->dst + from, image + from, to - from);
    }
}

static void struct_fields(bake_values *b, bake_node_id node, uint32_t type, void *dst,
                          const value_step *step)
{
    fields f = {.node = node, .type = type, .of = value_type(b, type), .dst = dst, .step = step};
    uint32_t count = f.of->member_count;
    f.rest = b->schema->info[type].rest;
    f.seen = bake_value_push(b, count);
    if (f.seen == SIZE_MAX)
        return;
    f.chosen = b->scratch.used;
    memset(b->scratch.bytes + f.seen, 0, count);
    written_fields(b, &f);
    const bake_member_form *local_by = b->schema->info[type].local_by;
    if (local_by && !b->scratch.bytes[f.seen + local_by->member] && !b->stopped &&
        bake_value_local_by(b, node, type, dst, step))
        b->scratch.bytes[f.seen + local_by->member] = 1;
    const unsigned char *image =
        f.count + (f.rest != KILN_TYPE_NONE) < count ? bake_value_image(b, type) : NULL;
    if (image)
        copy_missing(b, &f, image);
    else if (f.count + (f.rest != KILN_TYPE_NONE) < count)
        for (uint32_t m = 0; m < count && !b->stopped; m++)
            if (m != f.rest && !b->scratch.bytes[f.seen + m])
                bake_value_missing(b, node, type, m, f.dst + f.of->members[m].offset, step);
    if (f.rest != KILN_TYPE_NONE && !b->stopped)
        rest_field(b, node, type, f.chosen, f.rest_count, dst, step);
}

/* Bakes a newtype of string that takes a plain null as a string, such as the name "null". */
static void literal(bake_values *b, bake_node_id node, const kiln_type *of, void *dst,
                    const value_step *step)
{
    size_t length;
    const char *text = bake_node_text(b->tree, node, &length);
    bake_value_string(b, node, text, length, &of->members[0],
                      (kiln_string *)(void *)((unsigned char *)dst + of->members[0].offset), step);
}

/* Bakes a struct other than a newtype, in any of its forms. */
static void plain_struct(bake_values *b, bake_node_id node, uint32_t type, void *dst,
                         const value_step *step)
{
    value_form form = b->schema->info[type].forms ? bake_value_form(b, node, type) : FORM_NONE;
    if (form) {
        bake_value_struct_form(b, node, form, SIZE_MAX, type, dst, step);
        return;
    }
    if (!bake_value_check_tag(b, node, type, step))
        return;
    if (bake_node_kind_of(b->tree, node) != BAKE_NODE_MAPPING) {
        bake_value_unexpected(b, node, type, step);
        return;
    }
    size_t used = b->scratch.used;
    struct_fields(b, node, type, dst, step);
    b->scratch.used = used;
}

void bake_value_struct(bake_values *b, bake_node_id node, uint32_t type, const kiln_member *field,
                       void *dst, const value_step *step)
{
    const kiln_type *of = value_type(b, type);
    (void)field;
    if ((b->schema->info[type].forms & BAKE_LITERAL) &&
        bake_node_kind_of(b->tree, node) == BAKE_NODE_SCALAR && bake_value_is_null(b, node)) {
        literal(b, node, of, dst, step);
        return;
    }
    if (b->schema->info[type].forms & BAKE_ENTITY && b->words) {
        bake_value_entity_number(b, node, dst, step);
        return;
    }
    if (of->flags & KILN_TYPE_TRANSPARENT) {
        bake_value_any(b, node, of->members[0].type, &of->members[0],
                       (unsigned char *)dst + of->members[0].offset, step);
        return;
    }
    bool is_framed = b->watch && bake_value_open_frame(b, type, step);
    plain_struct(b, node, type, dst, step);
    if (is_framed)
        bake_value_close_frame(b);
}
