#include "value_bake.h"

#include "bake_memory.h"
#include "value_baker.h"

#include <string.h>

/* Objects smaller than this are never the reason why a blob is too large. */
enum { LARGE_OBJECT = 1 << 20 };

/* Finds what is asked for again and again; false when memory ran out. */
static bool list_types(bake_values *b)
{
    uint32_t count = kiln_types_count(b->types);
    b->list = bake_alloc_array(count, sizeof *b->list);
    b->first_fields = bake_alloc_array(count, sizeof *b->first_fields);
    b->fields = bake_alloc_array(b->schema->member_count, sizeof *b->fields);
    b->shared = bake_alloc_array(b->schema->member_count, sizeof *b->shared);
    if (!b->list || !b->first_fields || !b->fields || !b->shared)
        return false;
    for (uint32_t t = 0; t < count; t++) {
        const kiln_type *of = b->list[t] = kiln_types_get(b->types, t);
        for (uint32_t m = 0; of->kind == KILN_KIND_STRUCT && m < of->member_count; m++) {
            const kiln_member *member = &of->members[m];
            value_field field = {member, kiln_types_get(b->types, member->type), member->name,
                                 (uint32_t)strlen(member->name), 0};
            /* At first they are expected in the order of their declaration. */
            field.next = (m + 1) % of->member_count;
            value_fields(b, t)[m] = field;
        }
    }
    return true;
}

bake_values *bake_values_create(const bake_schema *schema, bake_diagnostics *diagnostics,
                                bake_failure *failure)
{
    bake_values *b = bake_alloc_array(1, sizeof *b);
    kiln_allocator allocator = bake_memory_allocator();
    kiln_builder_def def = kiln_builder_def_default();
    def.types = schema->types;
    def.allocator = &allocator;
    def.share_strings = true;
    def.finish_once = true;
    if (b) {
        b->schema = schema;
        b->types = schema->types;
        b->diagnostics = diagnostics;
        b->failure = failure;
    }
    kiln_status status =
        b && list_types(b) ? kiln_builder_create(&def, &b->builder) : KILN_NO_MEMORY;
    if (status == KILN_OK)
        return b;
    if (status == KILN_NO_MEMORY)
        bake_fail_memory(failure);
    else
        bake_fail(failure, BAKE_CANNOT, "%s", kiln_status_text(status));
    bake_values_destroy(b);
    return NULL;
}

void bake_values_destroy(bake_values *b)
{
    if (!b)
        return;
    kiln_builder_destroy(b->builder);
    bake_free(b->list);
    bake_free(b->fields);
    bake_free(b->first_fields);
    bake_free(b->shared);
    bake_free(b->imports);
    bake_free(b->scratch);
    bake_free(b);
}

void bake_values_set_names(bake_values *b, bake_names *names, uint32_t output)
{
    b->names = names;
    b->output = output;
    b->import_count = 0;
}

const uint32_t *bake_values_imports(const bake_values *b, size_t *ret_count)
{
    *ret_count = b->import_count;
    return b->imports;
}

size_t bake_value_push(bake_values *b, size_t size)
{
    size_t at = b->scratch_used;
    if (!b->scratch || size > b->scratch_capacity - at) {
        unsigned char *scratch = bake_grow(b->scratch, &b->scratch_capacity, at + size, 1);
        if (!scratch) {
            bake_fail_memory(b->failure);
            bake_value_stop(b);
            return SIZE_MAX;
        }
        b->scratch = scratch;
    }
    b->scratch_used = at + size;
    return at;
}

void bake_value_stop(bake_values *b)
{
    b->stopped = true;
}

bool bake_value_enter(bake_values *b, bake_node_id node, const value_step *step)
{
    if (b->depth >= KILN_DEPTH_MAX)
        return bake_value_report(b, BAKE_ERROR, value_mark(b, node), "depth", step,
                                 "values are nested more than %d deep", KILN_DEPTH_MAX);
    b->depth++;
    return true;
}

void bake_value_leave(bake_values *b)
{
    b->depth--;
}

bool bake_value_size_fits(bake_values *b, bake_node_id node, const value_step *step, uint64_t size)
{
    if (size >= KILN_PAYLOAD_MAX)
        return bake_value_report(b, BAKE_ERROR, value_mark(b, node), "size", step,
                                 "has %llu bytes, an asset holds less than 2 GiB",
                                 (unsigned long long)size);
    /* Growth by half keeps the paths written out few. */
    if (size >= LARGE_OBJECT && size > b->largest_size + b->largest_size / 2) {
        b->largest_size = size;
        b->largest_mark = value_mark(b, node);
        bake_value_path_text(b, step, b->largest_path);
    }
    return true;
}

void bake_value_check_length(bake_values *b, bake_node_id node, const kiln_member *field,
                             uint64_t size, const char *unit, const value_step *step)
{
    if (!field)
        return;
    bool below = (field->flags & KILN_MEMBER_HAS_MIN) && size < field->min;
    bool above = (field->flags & KILN_MEMBER_HAS_MAX) && size > field->max;
    if (!below && !above)
        return;
    uint64_t bound = below ? field->min : field->max;
    bool entry = strcmp(unit, "entry") == 0;
    const char *plural = entry ? "entries" : strcmp(unit, "byte") == 0 ? "bytes" : "elements";
    bake_value_report(b, BAKE_ERROR, value_mark(b, node), "range", step,
                      "has %llu %s, at %s %llu %s", (unsigned long long)size,
                      size == 1 ? unit : plural, below ? "least" : "most",
                      (unsigned long long)bound, bound == 1 ? "is allowed" : "are allowed");
}

static void list_elements(bake_values *b, bake_node_id node, uint32_t element, unsigned char *data,
                          const value_step *step)
{
    const kiln_type *of = value_type(b, element);
    value_step inner = {step, STEP_NUMBER, NULL, 0, 0};
    for (bake_walk walk = bake_walk_begin(b->tree, node); !b->stopped && bake_walk_next(&walk);) {
        if (!value_may_be_quick(of) || !bake_value_quick(b, walk.value, of, NULL, data))
            bake_value_any(b, walk.value, element, NULL, data, &inner);
        inner.number++;
        data += of->size;
    }
}

/* Whether the node is one element of a list, written without the list around it. */
static bool is_single(const bake_values *b, bake_node_id node, kiln_kind kind,
                      const kiln_member *field)
{
    return kind == KILN_KIND_ARRAY && field && (field->flags & KILN_MEMBER_SINGLE) &&
           bake_node_kind_of(b->tree, node) != BAKE_NODE_SEQUENCE && !bake_value_is_null(b, node);
}

static void list(bake_values *b, bake_node_id node, uint32_t type, const kiln_member *field,
                 void *dst, const value_step *step)
{
    const kiln_type *of = value_type(b, type);
    const kiln_type *element = value_type(b, of->element);
    bool is_sequence = bake_node_kind_of(b->tree, node) == BAKE_NODE_SEQUENCE;
    bool null = bake_value_is_null(b, node);
    bool single = is_single(b, node, of->kind, field);
    if (!null && !is_sequence && !single) {
        bake_value_unexpected(b, node, type, step);
        return;
    }
    uint32_t count = single ? 1 : null ? 0 : bake_node_count(b->tree, node);
    uint32_t align = of->align_at > element->align ? of->align_at : element->align;
    bake_value_check_length(b, node, field, count, "element", step);
    if (count == 0 || !bake_value_size_fits(b, node, step, (uint64_t)count * element->size) ||
        !bake_value_enter(b, node, step))
        return;
    unsigned char *data = kiln_builder_array(b->builder, dst, count, element->size, align);
    if (!data)
        bake_value_stop(b);
    else if (single)
        bake_value_any(b, node, of->element, NULL, data, step);
    else
        list_elements(b, node, of->element, data, step);
    bake_value_leave(b);
}

static void fixed(bake_values *b, bake_node_id node, uint32_t type, void *dst,
                  const value_step *step)
{
    const kiln_type *of = value_type(b, type);
    if (bake_node_kind_of(b->tree, node) != BAKE_NODE_SEQUENCE) {
        bake_value_unexpected(b, node, type, step);
        return;
    }
    uint32_t count = bake_node_count(b->tree, node);
    if (count != of->count) {
        bake_value_report(b, BAKE_ERROR, value_mark(b, node), "type", step,
                          "expected %u element%s, found %u", of->count, of->count == 1 ? "" : "s",
                          count);
        return;
    }
    list_elements(b, node, of->element, dst, step);
}

static void optional(bake_values *b, bake_node_id node, uint32_t type, const kiln_member *field,
                     void *dst, const value_step *step)
{
    const kiln_type *of = value_type(b, type);
    const kiln_type *element = value_type(b, of->element);
    if (bake_value_is_null(b, node) || !bake_value_enter(b, node, step))
        return;
    void *value = kiln_builder_pointer(b->builder, dst, element->size, element->align);
    if (value)
        bake_value_any(b, node, of->element, field, value, step);
    else
        bake_value_stop(b);
    bake_value_leave(b);
}

static void scalar(bake_values *b, bake_node_id node, uint32_t type, const kiln_member *field,
                   void *dst, const value_step *step)
{
    if (bake_node_kind_of(b->tree, node) != BAKE_NODE_SCALAR || bake_value_is_null(b, node)) {
        bake_value_unexpected(b, node, type, step);
        return;
    }
    if (value_type(b, type)->kind == KILN_KIND_STRING) {
        bake_value_string(b, node, field, dst, step);
        return;
    }
    size_t length;
    const char *text = bake_node_text(b->tree, node, &length);
    bake_value_text(b, node, text, length, type, field, dst, step);
}

void bake_value_any(bake_values *b, bake_node_id node, uint32_t type, const kiln_member *field,
                    void *dst, const value_step *step)
{
    const kiln_type *of = value_type(b, type);
    kiln_kind kind = of->kind;
    if (b->stopped || (value_may_be_quick(of) && bake_value_quick(b, node, of, field, dst)) ||
        bake_node_is_placeholder(b->tree, node))
        return;
    /* Structs look at tags themselves, since a wrap has the tags of what it wraps. */
    if (kind == KILN_KIND_STRUCT) {
        bake_value_struct(b, node, type, field, dst, step);
        return;
    }
    if (kind == KILN_KIND_OPTIONAL) {
        optional(b, node, type, field, dst, step);
        return;
    }
    if (!is_single(b, node, kind, field) && !bake_value_check_tag(b, node, type, step))
        return;
    switch (kind) {
    case KILN_KIND_ARRAY:
        list(b, node, type, field, dst, step);
        break;
    case KILN_KIND_MAP:
        bake_value_map(b, node, type, field, dst, step);
        break;
    case KILN_KIND_FIXED:
        fixed(b, node, type, dst, step);
        break;
    case KILN_KIND_UNION:
        bake_value_union(b, node, type, dst, step);
        break;
    case KILN_KIND_FLAGS:
        bake_value_flags(b, node, type, dst, step);
        break;
    case KILN_KIND_BYTES:
        bake_value_bytes(b, node, type, field, dst, step);
        break;
    default:
        scalar(b, node, type, field, dst, step);
        break;
    }
}

/* Begins a blob whose root is of type `type`; NULL after filling the failure. */
static void *begin(bake_values *b, const char *name, uint32_t type)
{
    const kiln_type *of = value_type(b, type);
    kiln_builder_reset(b->builder);
    b->root_name = name;
    b->error_count = 0;
    b->stopped = false;
    b->depth = 1;
    b->blob++;
    b->scratch_used = 0;
    b->largest_size = 0;
    void *root = kiln_builder_root(b->builder, of->size, of->align);
    if (!root)
        bake_fail_memory(b->failure);
    return root;
}

/* Tells what the builder or the verifier found; our checks above leave only size and memory. */
static bool finish_failed(bake_values *b, kiln_status status, const kiln_error *error,
                          bake_mark mark)
{
    if (status == KILN_NO_MEMORY) {
        bake_fail_memory(b->failure);
    } else if (status == KILN_TOO_LARGE) {
        bake_value_report(b, BAKE_ERROR, mark, "size", NULL,
                          "the asset does not fit 2 GiB; its largest part is %s with %llu bytes",
                          b->largest_size ? b->largest_path : "small",
                          (unsigned long long)b->largest_size);
    } else {
        bake_fail(b->failure, BAKE_BUG, "%s%s%s: %s; this is a bug in kiln-bake", b->root_name,
                  error->path[0] ? ": " : "", error->path, kiln_status_text(status));
    }
    return false;
}

bool bake_values_read(bake_values *b, const bake_tree *tree, bake_node_id node,
                      const bake_name *name)
{
    kiln_error error;
    memset(&error, 0, sizeof error);
    void *root = begin(b, name->name, name->type);
    if (!root)
        return false;
    b->tree = tree;
    bake_value_any(b, node, name->type, NULL, root, NULL);
    b->tree = NULL;
    kiln_status status = kiln_builder_status(b->builder);
    if (b->failure->result != BAKE_OK)
        return false;
    if (status)
        return finish_failed(b, status, &error, bake_node_mark(tree, name->node));
    return b->error_count == 0;
}

bool bake_values_finish(bake_values *b, const bake_name *name, const bake_mark *mark,
                        kiln_buffer *ret_blob)
{
    kiln_error error;
    memset(&error, 0, sizeof error);
    kiln_status status =
        kiln_builder_finish(b->builder, name->type, KILN_BLOB_ASSET, true, ret_blob, &error);
    if (status)
        return finish_failed(b, status, &error,
                             mark ? *mark : bake_node_mark(name->tree, name->node));
    return true;
}

bool bake_values_default(bake_values *b, uint32_t type, uint32_t member, const char *path,
                         kiln_buffer *ret_image)
{
    const kiln_member *field = &value_type(b, type)->members[member];
    const bake_default *written = &b->schema->defaults[b->schema->info[type].first_member + member];
    kiln_error error;
    memset(&error, 0, sizeof error);
    void *root = begin(b, path, field->type);
    if (!root)
        return false;
    b->tree = written->tree;
    bake_value_default(b, type, member, root, NULL);
    kiln_status status = kiln_builder_status(b->builder);
    if (b->failure->result != BAKE_OK)
        return false;
    if (!status && b->error_count > 0)
        return false;
    if (!status)
        status = kiln_builder_finish_image(b->builder, field->type, ret_image, &error);
    return status == KILN_OK ||
           finish_failed(b, status, &error, bake_node_mark(written->tree, written->node));
}
