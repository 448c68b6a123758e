/* Rule C1: checks that a blob is in canonical form (FORMAT.md section 8).
 *
 * Most blobs are canonical, and are recognized in place, without building a graph. A depth-first
 * traversal that follows references from the last to the first completes objects in reverse
 * canonical order. In a canonical blob, it therefore completes them from the end of the payload to
 * its beginning without gaps, and no two objects are equal. If this check fails, the blob is
 * rewritten and compared, which also finds the first byte that differs. The traversal alone never
 * rejects a blob, so a hash collision costs time, but does not change the result.
 *
 * The blob must be valid: verify.c runs this last. Work is linear in the payload. */
#include <kiln/canonical.h>

#include <kiln/blob_header.h>

#include "arena.h"
#include "canonical_header.h"
#include "hash.h"
#include "hash_inline.h"
#include "object_plan.h"
#include "prefetch.h"
#include "series.h"

#include <string.h>

/* Most blobs of a file with many assets have few objects, so their hashes need no allocation. */
enum { WORD_BITS = 32, LOCAL_HASHES = 32, PENDING = 16, CHUNK_SIZE = 2048 };

/* A row of consecutive objects. There are two rows: objects of alignment 1 (except for the root)
 * come after all others, and the traversal completes objects of both rows in any order. */
typedef struct row {
    uint64_t end;   /* of the last object */
    uint32_t front; /* the start of the first object in the row so far */
    uint32_t front_align;
    bool has_objects;
} row;

typedef struct sweep {
    const kiln_types *types;
    kiln_allocator allocator;
    plan_list plans;
    const unsigned char *payload;
    uint32_t size;
    uint32_t *visited; /* a bit for each payload byte, set if a visited object starts there */
    size_t visited_size;
    /* The hashes of the objects visited so far. A hash covers everything that distinguishes
     * unequal objects. Children are hashed by their starts, which identify them because no two are
     * equal so far. Equal hashes are treated as equal objects, so the objects themselves need not
     * be stored. */
    uint64_t *hashes; /* 0 is empty */
    uint32_t mask, count;
    uint64_t local_hashes[LOCAL_HASHES]; /* the first table */
    uint64_t pending[PENDING];           /* a ring of hashes whose slots are being prefetched */
    uint32_t pending_count;
    uint64_t seed;
    row rows[2];
    uint32_t align;
    unsigned char *chunk; /* copies of values, with offsets replaced by positions of children */
    size_t chunk_size;
    bool no_memory;
} sweep;

static uint32_t read_u32(const unsigned char *at)
{
    uint32_t number;
    memcpy(&number, at, sizeof number);
    return number;
}

static void free_hashes(sweep *s)
{
    const kiln_allocator *a = &s->allocator;
    if (s->hashes != s->local_hashes)
        a->free(a->ctx, s->hashes, ((size_t)s->mask + 1) * sizeof *s->hashes);
}

static bool grow_hashes(sweep *s)
{
    const kiln_allocator *a = &s->allocator;
    uint32_t old = s->mask + 1, count = old * 4;
    if (old > UINT32_MAX / 8)
        return false;
    uint64_t *larger = a->alloc(a->ctx, count * sizeof *larger, sizeof *larger);
    if (!larger) {
        s->no_memory = true;
        return false;
    }
    memset(larger, 0, count * sizeof *larger);
    for (uint32_t i = 0; i < old; i++) {
        uint32_t at = (uint32_t)s->hashes[i] & (count - 1);
        while (s->hashes[i] && larger[at])
            at = (at + 1) & (count - 1);
        if (s->hashes[i])
            larger[at] = s->hashes[i];
    }
    free_hashes(s);
    s->hashes = larger;
    s->mask = count - 1;
    return true;
}

/* False if the hash is already in the set, or if memory runs out. */
static bool insert_hash(sweep *s, uint64_t hash)
{
    uint32_t at = (uint32_t)hash & s->mask;
    for (; s->hashes[at]; at = (at + 1) & s->mask)
        if (s->hashes[at] == hash)
            return false;
    s->hashes[at] = hash;
    s->count++;
    return s->count < s->mask / 2 || grow_hashes(s);
}

/* Inserts the hash PENDING calls later, when its slot has been loaded from memory. */
static bool add_hash(sweep *s, uint64_t hash)
{
    uint64_t *pending = &s->pending[s->pending_count++ % PENDING];
    bool good = s->pending_count <= PENDING || insert_hash(s, *pending);
    *pending = hash ? hash : 1;
    prefetch_write(&s->hashes[hash & s->mask], 0);
    return good;
}

static bool flush_pending(sweep *s)
{
    uint32_t left = s->pending_count < PENDING ? s->pending_count : PENDING;
    for (uint32_t i = 0; i < left; i++)
        if (!insert_hash(s, s->pending[i]))
            return false;
    return true;
}

/* Replaces the offsets in a copy of the value at `from` with positions, because two fields with
 * equal offsets point to different objects. Recurses no deeper than types nest by value. */
static void place_children(sweep *s, const object_plan *plan, const unsigned char *from,
                           unsigned char *to)
{
    for (uint32_t i = 0; i < plan->field_count; i++) {
        const field_step *step = &plan->fields[i];
        uint32_t at = step->at + (step->kind == FIELD_UNION ? 4 : 0);
        if (step->kind == FIELD_REPEAT) {
            const object_plan *inner = plan_of(&s->plans, step->type, false);
            for (uint32_t k = 0; k < step->count; k++)
                place_children(s, inner, from + at + (size_t)k * inner->size,
                               to + at + (size_t)k * inner->size);
        } else if (read_u32(from + at)) {
            uint32_t place = (uint32_t)(from + at - s->payload) + read_u32(from + at);
            memcpy(to + at, &place, sizeof place);
        }
    }
}

static bool reserve_chunk(sweep *s, size_t size)
{
    const kiln_allocator *a = &s->allocator;
    if (size <= s->chunk_size)
        return true;
    unsigned char *larger = a->alloc(a->ctx, size, 8);
    s->no_memory = !larger;
    if (!larger)
        return false;
    if (s->chunk)
        a->free(a->ctx, s->chunk, s->chunk_size);
    s->chunk = larger;
    s->chunk_size = size;
    return true;
}

/* Hashes an object with fields, in chunks of values, so that the copy stays small. */
static bool hash_values(sweep *s, const object_plan *plan, const unsigned char *data,
                        uint32_t count, uint64_t *hash)
{
    uint32_t most = plan->size < CHUNK_SIZE ? CHUNK_SIZE / plan->size : 1;
    while (count > 0) {
        uint32_t now = count < most ? count : most;
        size_t bytes = (size_t)now * plan->size;
        if (!reserve_chunk(s, bytes > CHUNK_SIZE ? bytes : CHUNK_SIZE))
            return false;
        memcpy(s->chunk, data, bytes);
        for (uint32_t i = 0; i < now; i++)
            place_children(s, plan, data + (size_t)i * plan->size,
                           s->chunk + (size_t)i * plan->size);
        *hash = hash64_inline(s->chunk, bytes, *hash);
        data += bytes;
        count -= now;
    }
    return true;
}

/* Extends a row with the object, which must end where the row begins, except for alignment. A gap
 * or an overlap is not canonical. */
static bool put_in_front(sweep *s, uint32_t start, uint32_t size, uint32_t align)
{
    row *r = &s->rows[align == 1 && start > 0];
    uint64_t end = (uint64_t)start + size;
    if (!r->has_objects)
        r->end = end;
    else if (((end + r->front_align - 1) & ~(uint64_t)(r->front_align - 1)) != r->front)
        return false;
    r->has_objects = true;
    r->front = start;
    r->front_align = align;
    s->align = align > s->align ? align : s->align;
    return true;
}

static bool sweep_object(sweep *s, const object_form *form, uint32_t start, uint32_t count);

static bool sweep_field(sweep *s, const unsigned char *field, const object_form *form,
                        uint32_t count)
{
    uint32_t start = (uint32_t)(field - s->payload) + read_u32(field);
    uint32_t bit = UINT32_C(1) << start % WORD_BITS;
    if (s->visited[start / WORD_BITS] & bit)
        return true;
    s->visited[start / WORD_BITS] |= bit;
    return sweep_object(s, form, start, count);
}

/* Visits the fields of one value, from the last to the first. Recurses no deeper than types nest by
 * value, except through sweep_object, whose depth is limited to KILN_DEPTH_MAX in a valid payload.
 */
static bool sweep_value(sweep *s, const object_plan *plan, const unsigned char *at)
{
    for (uint32_t i = plan->field_count; i-- > 0;) {
        const field_step *step = &plan->fields[i];
        const unsigned char *field = at + step->at;
        bool good = true;
        if (step->kind == FIELD_UNION) {
            const kiln_member *member =
                kiln_type_value(type_at(s->types, step->type), read_u32(field));
            if (!read_u32(field + 4))
                continue;
            object_form form = object_form_of_values(s->types, member->type,
                                                     type_at(s->types, member->type)->align);
            good = sweep_field(s, field + 4, &form, 1);
        } else if (step->kind == FIELD_REPEAT) {
            const object_plan *inner = plan_of(&s->plans, step->type, false);
            for (uint32_t k = step->count; good && k-- > 0;)
                good = sweep_value(s, inner, field + (size_t)k * inner->size);
        } else if (read_u32(field)) {
            uint32_t values = step->kind == FIELD_POINTER ? 1 : read_u32(field + 4);
            good = sweep_field(s, field, &step->form, values);
        }
        if (!good)
            return false;
    }
    return true;
}

static bool sweep_object(sweep *s, const object_form *form, uint32_t start, uint32_t count)
{
    const unsigned char *data = s->payload + start;
    uint64_t unit = form->unit + ((uint64_t)form->align << 32);
    uint64_t hash = s->seed + unit * UINT64_C(0x9e3779b97f4a7c15);
    uint32_t size = form->size * count + (form->unit == UNIT_STRING);
    const object_plan *plan = NULL;
    if (form->type != KILN_TYPE_NONE) {
        plan = plan_of(&s->plans, form->type, unit_is_entries(form->unit));
        s->no_memory = !plan;
        if (!plan || !kiln_plan_is_tidy(&s->plans, plan, data, count))
            return false;
    }
    if (plan && plan->field_count) {
        for (uint32_t i = count; i-- > 0;)
            if (!sweep_value(s, plan, data + (size_t)i * plan->size))
                return false;
        if (!hash_values(s, plan, data, count, &hash))
            return false;
    } else {
        hash = hash64_inline(data, size, hash);
    }
    return put_in_front(s, start, size, form->align) && add_hash(s, hash);
}

/* Whether rewriting the payload would produce the same bytes. If so, `align` is the blob's
 * alignment. */
static bool sweep_payload(sweep *s, uint32_t type)
{
    const kiln_type *root = type_at(s->types, type);
    object_form form = object_form_of_values(s->types, type, root->align);
    if (!sweep_object(s, &form, 0, 1) || !flush_pending(s))
        return false;
    /* The first row begins with the root, at 0; the second must begin where the first one ends. */
    uint64_t end = s->rows[0].end;
    if (s->rows[1].has_objects)
        end = s->rows[1].front == end ? s->rows[1].end : UINT64_MAX;
    return end == s->size;
}

static bool sweep_begin(sweep *s, const kiln_allocator *allocator)
{
    kiln_plan_list_init(&s->plans, s->types, allocator);
    s->seed = kiln_hash_seed(s);
    s->hashes = s->local_hashes;
    s->mask = LOCAL_HASHES - 1;
    s->align = 1u << KILN_ALIGN_LOG2_MIN;
    s->visited_size = ((size_t)s->size / WORD_BITS + 1) * sizeof *s->visited;
    s->visited = allocator->alloc(allocator->ctx, s->visited_size, sizeof *s->visited);
    s->no_memory = !s->visited;
    if (s->visited)
        memset(s->visited, 0, s->visited_size);
    return s->visited != NULL;
}

static void sweep_end(sweep *s)
{
    const kiln_allocator *a = &s->allocator;
    if (s->visited)
        a->free(a->ctx, s->visited, s->visited_size);
    if (s->hashes)
        free_hashes(s);
    if (s->chunk)
        a->free(a->ctx, s->chunk, s->chunk_size);
    kiln_plan_list_fini(&s->plans);
}

/* Whether the blob is certainly canonical. If not, compare_rewritten decides. */
static bool is_canonical(sweep *s, uint32_t type, const unsigned char *blob, size_t size,
                         const kiln_blob_header *header)
{
    uint32_t payload_at = kiln_header_payload_at(header);
    if (kiln_header_blob_size(header) != size || !(header->flags & KILN_FLAG_CANONICAL))
        return false;
    for (uint32_t at = KILN_HEADER_SIZE; at < payload_at; at++)
        if (blob[at])
            return false;
    s->payload = blob + payload_at;
    s->size = (uint32_t)header->payload_size;
    return sweep_begin(s, &s->allocator) && sweep_payload(s, type) &&
           s->align == kiln_header_align(header);
}

/* Rewrites the blob and finds the first byte that differs. */
static kiln_status compare_rewritten(const kiln_canonical_args *args, kiln_error *reterr)
{
    const unsigned char *blob = args->blob.data;
    size_t size = args->blob.size;
    kiln_buffer rewritten;
    kiln_status status = kiln_canonicalize(args, &rewritten, reterr);
    if (status)
        return status;
    size_t flags_at = offsetof(kiln_blob_header, flags);
    /* The first byte of the flags contains alignment, canonical flag and kind. Layout and hash have
     * their own rules (H10, H8), and the versions may differ. */
    if (blob[flags_at] != rewritten.data[flags_at]) {
        kiln_buffer_fini(&rewritten);
        return kiln_fail(reterr, KILN_C_CANONICAL, flags_at, NULL);
    }
    size_t shorter = rewritten.size < size ? rewritten.size : size, at = KILN_HEADER_SIZE;
    while (at < shorter && blob[at] == rewritten.data[at])
        at++;
    bool equal = at == size && at == rewritten.size;
    kiln_buffer_fini(&rewritten);
    return equal ? KILN_OK : kiln_fail(reterr, KILN_C_CANONICAL, at, NULL);
}

kiln_status kiln_canonical_check(const kiln_canonical_args *args, kiln_error *reterr)
{
    kiln_blob_header header;
    kiln_status status = canonical_read_header(args, &header, reterr);
    if (status)
        return status;
    sweep s = {.types = args->types, .allocator = allocator_or_default(args->allocator)};
    bool good = is_canonical(&s, args->type, args->blob.data, args->blob.size, &header);
    sweep_end(&s);
    if (!good && s.no_memory)
        return kiln_fail(reterr, KILN_NO_MEMORY, 0, NULL);
    return good ? KILN_OK : compare_rewritten(args, reterr);
}
