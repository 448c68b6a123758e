/* Collects the objects of a value while a program builds it.
 *
 * While a value is built, objects are separate pieces of arena memory. A field that points to one
 * holds the number of a *patch* plus 1 in place of its offset. Offsets are known only after
 * builder_finish.c has ordered the objects. A patch records the address of its field, so a field
 * that was copied with memcpy is detected: its patch has a different address.
 *
 * The first failure is stored in `status`, and all later calls do nothing, so callers need to check
 * only once, at the end. */
#include <kiln/builder.h>

#include "builder_state.h"
#include "def_cookie.h"
#include "hash_inline.h"
#include "same_bytes.h"

#include <string.h>

enum { DEFAULT_BLOCK_SIZE = 65536, OBJECT_ALIGN_MIN = 8 };

kiln_builder_def kiln_builder_def_default(void)
{
    kiln_builder_def def = {.block_size = DEFAULT_BLOCK_SIZE, .cookie = DEF_COOKIE};
    return def;
}

kiln_status kiln_builder_create(const kiln_builder_def *def, kiln_builder **ret_builder)
{
    if (kiln_host_check())
        return kiln_host_check();
    if (!def_is_set(def->cookie) || !def->types || def->block_size == 0)
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
    builder->share_strings = def->share_strings;
    builder->finish_once = def->finish_once;
    builder->library = def->library;
    builder->graph.source.built = &builder->built;
    builder->graph.source.library = def->library ? &def->library->built : NULL;
    builder->graph.source.in_place = def->finish_once;
    *ret_builder = builder;
    return KILN_OK;
}

void kiln_builder_destroy(kiln_builder *builder)
{
    if (!builder)
        return;
    kiln_allocator a = builder->allocator;
    kiln_arena_fini(&builder->memory);
    kiln_series_fini(&builder->built.objects, &a, sizeof(builder_object));
    kiln_series_fini(&builder->built.patches, &a, sizeof(builder_patch));
    kiln_hash_table_fini(&builder->texts, &a);
    kiln_series_fini(&builder->copied, &a, sizeof(copied_object));
    kiln_hash_table_fini(&builder->copies, &a);
    kiln_graph_fini(&builder->graph);
    a.free(a.ctx, builder, sizeof *builder);
}

void kiln_builder_reset(kiln_builder *builder)
{
    kiln_arena_reset(&builder->memory);
    kiln_graph_reset(&builder->graph);
    kiln_hash_table_reset(&builder->texts, &builder->allocator);
    kiln_hash_table_reset(&builder->copies, &builder->allocator);
    kiln_series_reset(&builder->copied, &builder->allocator, sizeof(copied_object), SERIES_PIECES);
    kiln_series_reset(&builder->built.objects, &builder->allocator, sizeof(builder_object),
                      SERIES_PIECES);
    kiln_series_reset(&builder->built.patches, &builder->allocator, sizeof(builder_patch),
                      SERIES_PIECES);
    builder->has_root = builder->noted = builder->shares_library = false;
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

/* Uninitialized memory for an object of `bytes` bytes; NULL on failure. `flag` (0 or BUILDER_TEXT)
 * is stored in a bit of the object's size that is otherwise unused. */
static unsigned char *new_object(kiln_builder *builder, uint64_t bytes, uint32_t align,
                                 uint32_t flag)
{
    if (builder->status)
        return NULL;
    if (align == 0 || (align & (align - 1)) != 0 || align > KILN_ALIGN_MAX)
        return fail(builder, KILN_BAD_ARGUMENT);
    if (bytes > KILN_PAYLOAD_MAX || builder->built.objects.count > PATCH_OBJECT)
        return fail(builder, KILN_TOO_LARGE);
    unsigned char *data = kiln_arena_alloc(&builder->memory, (size_t)bytes, align);
    builder_object *object =
        data ? series_push(&builder->built.objects, &builder->allocator, sizeof *object) : NULL;
    if (!object)
        return fail(builder, KILN_NO_MEMORY);
    builder_object made = {data, (uint32_t)bytes | flag, 0};
    *object = made;
    return data;
}

/* Zeroed memory for `count` values of `size` bytes: padding must be zero, and fields that the
 * caller does not set must be empty. */
static unsigned char *new_values(kiln_builder *builder, uint32_t count, uint32_t size,
                                 uint32_t align)
{
    /* A patch drops the lowest two bits of its field's address, so values must be aligned to
     * OBJECT_ALIGN_MIN in memory even if the caller passes less. */
    uint32_t aligned = align && align < OBJECT_ALIGN_MIN ? OBJECT_ALIGN_MIN : align;
    /* If `align` is not a power of two, new_object reports the error. */
    if (align & (align - 1))
        aligned = align;
    unsigned char *data = new_object(builder, (uint64_t)count * size, aligned, 0);
    if (data)
        memset(data, 0, (size_t)count * size);
    return data;
}

/* Makes `field` point to an object. With PATCH_COUNTED, the field's second word is a count. A field
 * that is set again gets a new patch, and the old one is never read. */
static bool patch(kiln_builder *builder, void *field, uint32_t object, uint32_t counted,
                  uint32_t count)
{
    builder_patch *made = series_push(&builder->built.patches, &builder->allocator, sizeof *made);
    if (!made) {
        fail(builder, KILN_NO_MEMORY);
        return false;
    }
    made->field = patch_address(field);
    made->object = object | counted;
    uint32_t words[2] = {builder->built.patches.count, count};
    memcpy(field, words, counted ? sizeof words : sizeof *words);
    return true;
}

/* Makes `field` point to the newest object, whose memory is `data` (NULL if its allocation failed).
 */
static unsigned char *attach(kiln_builder *builder, void *field, unsigned char *data,
                             uint32_t counted, uint32_t count)
{
    return data && patch(builder, field, builder->built.objects.count - 1, counted, count) ? data
                                                                                           : NULL;
}

void *kiln_builder_root(kiln_builder *builder, uint32_t size, uint32_t align)
{
    if (builder->has_root)
        return fail(builder, KILN_BAD_ARGUMENT);
    /* builder_finish.c relies on the root being the first object. */
    if (builder->built.objects.count > 0)
        return fail(builder, KILN_BAD_ARGUMENT);
    void *root = new_values(builder, 1, size, align);
    builder->has_root = root != NULL;
    return root;
}

void *kiln_builder_pointer(kiln_builder *builder, void *field, uint32_t size, uint32_t align)
{
    return attach(builder, field, new_values(builder, 1, size, align), 0, 1);
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
    return attach(builder, field, new_values(builder, count, size, align), PATCH_COUNTED, count);
}

/* A new string; NULL on failure. */
static unsigned char *new_text(kiln_builder *builder, const char *text, size_t length)
{
    unsigned char *data = new_object(builder, (uint64_t)length + 1, 1, BUILDER_TEXT);
    if (!data)
        return NULL;
    memcpy(data, text, length);
    data[length] = 0;
    return data;
}

static inline uint32_t hash_of_short_text(const hash_table *table, text_key key)
{
    return (uint32_t)hash64_inline(key.text, key.length, table->seed);
}

static inline bool is_text(const kiln_builder *builder, uint32_t number, text_key key)
{
    const builder_object *object = series_at(&builder->built.objects, number, sizeof *object);
    return object->size == ((key.length + 1) | BUILDER_TEXT) &&
           same_bytes(object->data, (const unsigned char *)key.text, (uint32_t)key.length);
}

HASH_TABLE(texts, const kiln_builder *, text_key, hash_of_short_text, is_text)

/* The number of an equal string, or of a new one if there is none; UINT32_MAX on failure. Strings
 * shared here need not be deduplicated by the graph (object_source.unique_texts). */
static uint32_t share_text(kiln_builder *builder, const char *text, size_t length)
{
    if (!hash_table_reserve(&builder->texts, &builder->allocator)) {
        fail(builder, KILN_NO_MEMORY);
        return UINT32_MAX;
    }
    hash_slot *slot = texts_slot(&builder->texts, builder, (text_key){text, length});
    if (!hash_slot_is_empty(slot))
        return hash_slot_number(slot);
    if (!new_text(builder, text, length))
        return UINT32_MAX;
    hash_table_put(&builder->texts, slot, builder->built.objects.count - 1);
    return builder->built.objects.count - 1;
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
    uint32_t object = builder->share_strings            ? share_text(builder, text, length)
                      : new_text(builder, text, length) ? builder->built.objects.count - 1
                                                        : UINT32_MAX;
    return object != UINT32_MAX && patch(builder, field, object, PATCH_COUNTED, (uint32_t)length);
}

bool kiln_builder_bytes(kiln_builder *builder, void *field, const void *data, size_t size,
                        uint32_t align)
{
    if (builder->status)
        return false;
    if (size > KILN_PAYLOAD_MAX)
        return fail(builder, KILN_TOO_LARGE) != NULL;
    memset(field, 0, 8);
    if (size == 0)
        return true;
    unsigned char *copy =
        attach(builder, field, new_object(builder, size, align, 0), PATCH_COUNTED, (uint32_t)size);
    if (copy)
        memcpy(copy, data, size);
    return copy != NULL;
}

bool kiln_builder_share(kiln_builder *builder, void *field, const void *other)
{
    uint32_t number;
    if (builder->status)
        return false;
    memcpy(&number, other, sizeof number);
    if (number == 0) {
        /* `other` is empty. Only an older patch of `field` shows whether `field` has a count. */
        const builder_patch *old = builder_patch_of(&builder->built.patches, field);
        memset(field, 0, old && old->object & PATCH_COUNTED ? 8 : 4);
        return true;
    }
    const builder_patch *found = builder_patch_of(&builder->built.patches, other);
    uint32_t library = found ? found->object & PATCH_LIBRARY : 0;
    if (!found && builder->library) {
        found = builder_patch_of(&builder->library->built.patches, other);
        library = PATCH_LIBRARY;
        builder->shares_library = true;
    }
    if (!found)
        return fail(builder, KILN_COPIED_FIELD) != NULL;
    uint32_t counted = found->object & PATCH_COUNTED, count = 0;
    if (counted)
        memcpy(&count, (const unsigned char *)other + sizeof number, sizeof count);
    return patch(builder, field, (found->object & PATCH_OBJECT) | library, counted, count);
}
