#include <kiln/builder.h>

#include <kiln/verify.h>

#include "object_graph.h"
#include "object_trail.h"

#include <string.h>

enum { DEFAULT_BLOCK_SIZE = 65536, OBJECT_ALIGN_MIN = 8 };

typedef struct builder_object {
    const unsigned char *data;
    uint32_t size;  /* bytes, a string's NUL included */
    uint32_t count; /* values, or a string's length */
    uint32_t note;  /* the graph's, while finishing */
} builder_object;

/* A field that was given a target. Its offset holds the patch's number plus 1 until finish. */
typedef struct builder_patch {
    const void *field;
    uint32_t object;
    bool counted; /* the field's second word is a count */
} builder_patch;

struct kiln_builder {
    const kiln_types *types;
    kiln_allocator allocator;
    arena memory;
    vector objects; /* builder_object; the root first */
    vector patches; /* builder_patch */
    graph graph;
    bool has_root;
    kiln_status status;
};

kiln_builder_def kiln_builder_def_default(void)
{
    kiln_builder_def def = {NULL, NULL, DEFAULT_BLOCK_SIZE};
    return def;
}

kiln_status kiln_builder_create(const kiln_builder_def *def, kiln_builder **ret_builder)
{
    if (kiln_host_check())
        return kiln_host_check();
    if (!def->types || def->block_size == 0)
        return KILN_BAD_ARGUMENT;
    kiln_allocator a = allocator_or_default(def->allocator);
    kiln_builder *builder = a.alloc(a.ctx, sizeof *builder, _Alignof(kiln_builder));
    if (!builder)
        return KILN_NO_MEMORY;
    memset(builder, 0, sizeof *builder);
    builder->types = def->types;
    builder->allocator = a;
    kiln_arena_init(&builder->memory, &a, def->block_size);
    kiln_graph_init(&builder->graph, def->types, &a);
    *ret_builder = builder;
    return KILN_OK;
}

void kiln_builder_destroy(kiln_builder *builder)
{
    if (!builder)
        return;
    kiln_allocator a = builder->allocator;
    kiln_arena_fini(&builder->memory);
    kiln_vector_fini(&builder->objects, &a, sizeof(builder_object));
    kiln_vector_fini(&builder->patches, &a, sizeof(builder_patch));
    kiln_graph_fini(&builder->graph);
    a.free(a.ctx, builder, sizeof *builder);
}

void kiln_builder_reset(kiln_builder *builder)
{
    kiln_arena_reset(&builder->memory);
    kiln_graph_reset(&builder->graph);
    builder->objects.count = builder->patches.count = 0;
    builder->has_root = false;
    builder->status = KILN_OK;
}

kiln_status kiln_builder_status(const kiln_builder *builder)
{
    return builder->status;
}

void kiln_builder_set_error(kiln_builder *builder, kiln_status status)
{
    if (!builder->status)
        builder->status = status;
}

static void *fail(kiln_builder *builder, kiln_status status)
{
    kiln_builder_set_error(builder, status);
    return NULL;
}

/* Memory for `count` values of `size` bytes and `extra` bytes, as an object; NULL on failure. */
static unsigned char *new_object(kiln_builder *builder, uint32_t count, uint32_t size,
                                 uint32_t extra, uint32_t align)
{
    uint64_t bytes = (uint64_t)count * size + extra;
    if (builder->status)
        return NULL;
    if (align == 0 || (align & (align - 1)) != 0 || align > 4096)
        return fail(builder, KILN_BAD_ARGUMENT);
    if (bytes > KILN_PAYLOAD_MAX)
        return fail(builder, KILN_TOO_LARGE);
    /* Marks need 8-byte fields in their place whatever the declared alignment; strings do without.
     */
    uint32_t at_least = extra ? 1 : OBJECT_ALIGN_MIN;
    unsigned char *data = kiln_arena_alloc_zeroed(&builder->memory, (size_t)bytes,
                                                  align > at_least ? align : at_least);
    builder_object *object =
        data ? kiln_vector_push(&builder->objects, &builder->allocator, 1, sizeof *object) : NULL;
    if (!object)
        return fail(builder, KILN_NO_MEMORY);
    builder_object made = {data, (uint32_t)bytes, count, 0};
    *object = made;
    return data;
}

/* Makes `field` name an object. */
static bool patch(kiln_builder *builder, void *field, uint32_t object, bool counted)
{
    builder_patch *made = kiln_vector_push(&builder->patches, &builder->allocator, 1, sizeof *made);
    if (!made) {
        fail(builder, KILN_NO_MEMORY);
        return false;
    }
    made->field = field;
    made->object = object;
    made->counted = counted;
    uint32_t words[2] = {(uint32_t)builder->patches.count,
                         ((builder_object *)builder->objects.items)[object].count};
    memcpy(field, words, counted ? sizeof words : sizeof *words);
    return true;
}

/* Makes `field` name the newest object, whose memory is `data` (NULL: making it failed). */
static unsigned char *attach(kiln_builder *builder, void *field, unsigned char *data, bool counted)
{
    return data && patch(builder, field, (uint32_t)builder->objects.count - 1, counted) ? data
                                                                                        : NULL;
}

void *kiln_builder_root(kiln_builder *builder, uint32_t size, uint32_t align)
{
    if (builder->has_root)
        return fail(builder, KILN_BAD_ARGUMENT);
    /* The root is the first object, so nothing may have been made before it. */
    if (builder->objects.count > 0)
        return fail(builder, KILN_BAD_ARGUMENT);
    void *root = new_object(builder, 1, size, 0, align);
    builder->has_root = root != NULL;
    return root;
}

void *kiln_builder_pointer(kiln_builder *builder, void *field, uint32_t size, uint32_t align)
{
    return attach(builder, field, new_object(builder, 1, size, 0, align), false);
}

void *kiln_builder_choose(kiln_builder *builder, void *field, uint32_t tag, uint32_t size,
                          uint32_t align)
{
    kiln_union *choice = field;
    if (builder->status)
        return NULL;
    choice->tag = tag;
    choice->value.offset = 0;
    return size ? kiln_builder_pointer(builder, &choice->value, size, align) : NULL;
}

void *kiln_builder_array(kiln_builder *builder, void *field, uint32_t count, uint32_t size,
                         uint32_t align)
{
    if (builder->status)
        return NULL;
    memset(field, 0, 8);
    if (count == 0)
        return NULL;
    return attach(builder, field, new_object(builder, count, size, 0, align), true);
}

bool kiln_builder_string(kiln_builder *builder, kiln_string *field, const char *text, size_t length)
{
    if (builder->status)
        return false;
    field->offset = field->length = 0;
    if (length == 0)
        return true;
    if (length >= KILN_PAYLOAD_MAX)
        return fail(builder, KILN_TOO_LARGE) != NULL;
    unsigned char *data =
        attach(builder, field, new_object(builder, (uint32_t)length, 1, 1, 1), true);
    if (!data)
        return false;
    memcpy(data, text, length);
    return true;
}

bool kiln_builder_bytes(kiln_builder *builder, void *field, const void *data, size_t size,
                        uint32_t align)
{
    if (size > KILN_PAYLOAD_MAX)
        return fail(builder, KILN_TOO_LARGE) != NULL;
    void *copy = kiln_builder_array(builder, field, (uint32_t)size, 1, align);
    if (copy)
        memcpy(copy, data, size);
    return copy || (size == 0 && !builder->status);
}

/* The patch whose mark `field` holds, or NULL: no mark, or one that belongs to another address. */
static const builder_patch *patch_of(const kiln_builder *builder, const void *field)
{
    uint32_t mark;
    memcpy(&mark, field, sizeof mark);
    if (mark == 0 || mark > builder->patches.count)
        return NULL;
    const builder_patch *found = (const builder_patch *)builder->patches.items + (mark - 1);
    return found->field == field ? found : NULL;
}

bool kiln_builder_share(kiln_builder *builder, void *field, const void *other)
{
    uint32_t mark;
    if (builder->status)
        return false;
    memcpy(&mark, other, sizeof mark);
    if (mark == 0) {
        const builder_patch *old = patch_of(builder, field);
        memset(field, 0, old && old->counted ? 8 : 4);
        return true;
    }
    const builder_patch *found = patch_of(builder, other);
    if (!found)
        return fail(builder, KILN_COPIED_FIELD) != NULL;
    return patch(builder, field, found->object, found->counted);
}

static kiln_status resolve(void *ctx, const unsigned char *field, const object_form *form,
                           uint32_t count, graph_target *ret_target)
{
    kiln_builder *builder = ctx;
    const builder_patch *found = patch_of(builder, field);
    if (!found)
        return KILN_COPIED_FIELD;
    const builder_object *object = (const builder_object *)builder->objects.items + found->object;
    uint64_t size = (uint64_t)form->size * count + (form->unit == UNIT_STRING);
    if (count != object->count || size != object->size)
        return KILN_WRONG_SIZE;
    ret_target->data = object->data;
    ret_target->id = found->object;
    return KILN_OK;
}

static uint32_t *note(void *ctx, uint32_t id)
{
    kiln_builder *builder = ctx;
    return &((builder_object *)builder->objects.items + id)->note;
}

/* From objects to a placed graph. */
static kiln_status collect(kiln_builder *builder, uint32_t type, bool canonical, kiln_error *reterr)
{
    graph_source source = {builder, resolve, note, true};
    const kiln_type *root = kiln_types_get(builder->types, type);
    if (builder->status)
        return kiln_fail(reterr, builder->status, 0, NULL);
    if (!root || !builder->has_root)
        return kiln_fail(reterr, KILN_BAD_ARGUMENT, 0, NULL);
    builder_object *objects = builder->objects.items;
    if (objects[0].size != root->size)
        return kiln_fail(reterr, KILN_WRONG_SIZE, 0, NULL);
    for (size_t i = 0; i < builder->objects.count; i++)
        objects[i].note = 0;
    kiln_graph_reset(&builder->graph);
    kiln_status status =
        kiln_graph_collect(&builder->graph, &source, type, objects[0].data, canonical);
    kiln_path path = {{0}, 0};
    if (status && status != KILN_NO_MEMORY)
        kiln_graph_trail_path(&builder->graph, type, &path);
    return status ? kiln_fail(reterr, status, 0, path.text) : KILN_OK;
}

kiln_status kiln_builder_finish(kiln_builder *builder, uint32_t root_type, kiln_blob_kind kind,
                                bool canonical, kiln_buffer *ret_blob, kiln_error *reterr)
{
    kiln_buffer blob;
    const kiln_type *root = kiln_types_get(builder->types, root_type);
    if (!root || root->kind != KILN_KIND_STRUCT)
        return kiln_fail(reterr, KILN_BAD_ARGUMENT, 0, NULL);
    kiln_status status = collect(builder, root_type, canonical, reterr);
    if (status)
        return status;
    status = kiln_graph_write_blob(&builder->graph, root_type, kind, &blob);
    if (status)
        return kiln_fail(reterr, status, 0, NULL);
    kiln_verify_def def = kiln_verify_def_default();
    def.types = builder->types;
    def.type = root_type;
    def.allocator = &builder->allocator;
    def.kind = kind;
    def.skip_hash = true;
    def.check_canonical = false;
    status = kiln_verify(&def, blob.data, blob.size, reterr);
    if (status) {
        kiln_buffer_fini(&blob);
        if (reterr)
            reterr->offset = 0;
        return status;
    }
    *ret_blob = blob;
    return KILN_OK;
}

kiln_status kiln_builder_finish_image(kiln_builder *builder, uint32_t root_type,
                                      kiln_buffer *ret_image, kiln_error *reterr)
{
    graph *g = &builder->graph;
    kiln_status status = collect(builder, root_type, true, reterr);
    if (status)
        return status;
    status = kiln_graph_place(g);
    if (status)
        return kiln_fail(reterr, status, 0, NULL);
    kiln_buffer image = {NULL, g->size, builder->allocator};
    image.data = image.allocator.alloc(image.allocator.ctx, image.size, g->align);
    if (!image.data)
        return kiln_fail(reterr, KILN_NO_MEMORY, 0, NULL);
    kiln_graph_write(g, image.data);
    status = kiln_verify_image(builder->types, root_type, image.data, image.size,
                               &builder->allocator, reterr);
    if (status) {
        kiln_buffer_fini(&image);
        if (reterr)
            reterr->offset = 0;
        return status;
    }
    *ret_image = image;
    return KILN_OK;
}
