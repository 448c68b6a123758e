/* The fast engine of the verifier: sweep.h explains how it works.
 *
 * check_object is its core. A field points into the tail, which contains strings and other objects
 * of alignment 1 (recorded here and checked by check_tail); to the cursor, where it claims a new
 * object; or elsewhere, to an object that another field claims (check_shared).
 *
 * The quick functions do the same for arrays of leaves, without branches on the data, because the
 * lengths of small arrays are unpredictable. Every answer other than "valid" means "undecided", so
 * each check may be stricter than the rules, but never weaker. */
#include "sweep.h"

#include "arena.h"
#include "map_key.h"
#include "prefetch.h"
#include "promise_table.h"
#include "sweep_text.h"
#include "value_program.h"

/* An object of alignment 1 that is not a string; one entry for each field that points to it. */
typedef struct loose_object {
    uint32_t start, count;
    const program_target *target;
} loose_object;

/* String fields are collected until there are WAITING_MAX, and values are prefetched AHEAD bytes in
 * advance. */
enum { WAITING_MAX = 256, AHEAD = 1024 };

typedef struct sweep {
    const kiln_types *types;
    const unsigned char *payload;
    uint32_t size, align;
    uint32_t cursor; /* the end of the claimed objects */
    kiln_allocator allocator;
    promise_table promises;
    /* A stack: the object claimed last is on top, and each object is preceded by the one that
     * points to it. In canonical order, only these objects can have been claimed before the last
     * field that points to them. */
    promise recent[KILN_DEPTH_MAX];
    uint32_t recent_count;
    const program_link *last_quick; /* the last quick link that claimed an object, or NULL */
    uint32_t last_quick_start;      /* the start of that object */
    uint32_t waiting_count;         /* offsets of string fields that are still to be checked */
    uint32_t waiting[WAITING_MAX + PROGRAM_QUICK_PER_VALUE];
    vector loose; /* loose_object */
    vector refs;  /* uint32_t: offsets of references, if wants_refs */
    bool wants_refs;
    bool no_memory;
    sweep_text text;
} sweep;

static bool check_values(sweep *s, const program_target *target, uint32_t at, uint32_t count,
                         uint32_t depth);

static uint32_t read_u32(const sweep *s, uint32_t at)
{
    uint32_t number;
    memcpy(&number, s->payload + at, sizeof number);
    return number;
}

/* All bits or none, for branch-free selection. */
static uint64_t mask_of(bool choice)
{
    return 0 - (uint64_t)choice;
}

static bool are_zeros(const sweep *s, uint32_t from, uint32_t to)
{
    for (; from < to; from++)
        if (s->payload[from])
            return false;
    return true;
}

static void *push(sweep *s, vector *v, size_t size)
{
    void *item = kiln_vector_push(v, &s->allocator, 1, size);
    if (!item)
        s->no_memory = true;
    return item;
}

static bool check_one(sweep *s, const program_check *check, uint32_t at)
{
    if (!program_check_holds(check, s->payload + at))
        return false;
    if (check->code == CHECK_REF && s->wants_refs) {
        uint32_t *place = push(s, &s->refs, sizeof *place);
        if (!place)
            return false;
        *place = at;
    }
    return true;
}

/* Whether an object of this height may be below `depth` others (V19). An unknown height counts as
 * 2, for the object and a string below it; other objects below it are checked when they are
 * reached. */
static bool fits_below(const program_target *target, uint32_t depth)
{
    uint32_t height = target->height == PROGRAM_HEIGHT_UNKNOWN ? 2 : target->height;
    return depth + height <= KILN_DEPTH_MAX;
}

/* Checks an object that a different field claims, before or after this one. */
static bool check_shared(sweep *s, const program_target *target, uint64_t at, uint32_t count,
                         uint32_t depth)
{
    promise object = {(uint32_t)at, count, target->form};
    if (at >= s->size || target->height == PROGRAM_HEIGHT_UNKNOWN || !fits_below(target, depth))
        return false;
    if (at >= s->cursor)
        return promise_table_make(&s->promises, &object);
    if (s->last_quick && at == s->last_quick_start)
        return target->form == s->last_quick->form &&
               at + (uint64_t)target->size * count == s->cursor;
    for (uint32_t i = s->recent_count; i-- > 0;)
        if (s->recent[i].start == object.start)
            return promise_equals(&s->recent[i], &object);
    return false;
}

static bool add_loose(sweep *s, const program_target *target, uint64_t at, uint32_t count)
{
    if (at >= s->size || (uint64_t)target->size * count > s->size - at)
        return false;
    loose_object *object = push(s, &s->loose, sizeof *object);
    if (object)
        *object = (loose_object){(uint32_t)at, count, target};
    return object != NULL;
}

/* Checks the object of `count` values that the field at `field` points to. `depth` is the number of
 * objects on the path to it. */
static bool check_object(sweep *s, const program_target *target, uint32_t field, uint32_t offset,
                         uint32_t count, uint32_t depth)
{
    uint64_t at = (uint64_t)field + offset, bytes = (uint64_t)target->size * count;
    if (target->align == 1)
        return add_loose(s, target, at, count);
    uint32_t place = (s->cursor + target->align - 1) & ~(target->align - 1);
    if (at != place)
        return check_shared(s, target, at, count, depth);
    if (place > s->size || bytes > s->size - place || target->align > s->align)
        return false;
    promise object = {place, count, target->form};
    if (!are_zeros(s, s->cursor, place) || !fits_below(target, depth) ||
        !promise_table_keep(&s->promises, &object))
        return false;
    s->cursor = place + (uint32_t)bytes;
    s->recent[depth] = object;
    s->recent_count = depth + 1;
    s->last_quick = NULL;
    return check_values(s, target, place, count, depth + 1);
}

static bool check_union(sweep *s, uint32_t number, uint32_t at, uint32_t depth)
{
    uint32_t tag = read_u32(s, at), offset = read_u32(s, at + 4);
    if (tag == 0)
        return offset == 0;
    const kiln_member *member = kiln_type_value(type_at(s->types, number), tag);
    if (!member)
        return false;
    if (member->type == KILN_TYPE_NONE || offset == 0)
        return member->type == KILN_TYPE_NONE && offset == 0;
    const program_target *target = &program_plan_of(s->types, member->type)->values;
    return check_object(s, target, at + 4, offset, 1, depth);
}

static bool check_link(sweep *s, const program_link *link, uint32_t at, uint32_t depth)
{
    uint32_t offset, count = 1;
    switch (link->code) {
    case LINK_UNION:
        return check_union(s, link->type, at, depth);
    case LINK_VALUES:
        return check_values(s, &program_plan_of(s->types, link->type)->values, at, link->count,
                            depth);
    case LINK_ARRAY:
        count = read_u32(s, at + 4);
        break;
    default:
        break;
    }
    offset = read_u32(s, at);
    if (offset == 0 || count == 0)
        return offset == 0 && (count == 0 || link->code == LINK_POINTER);
    return check_object(s, link->target, at, offset, count, depth);
}

static bool check_waiting(sweep *s)
{
    uint32_t count = s->waiting_count;
    s->waiting_count = 0;
    return kiln_sweep_text_add_all(&s->text, s->waiting, count, s->cursor);
}

/* State for following quick links. It is a local copy, because the compiler would otherwise have to
 * reload everything after each store that might alias it. */
typedef struct quick_state {
    uint32_t cursor;
    uint32_t left; /* bytes after the cursor; 0 if the cursor is not aligned for quick links */
    uint32_t *waiting;
    promise *promised;
    unsigned char *filter;
    uint32_t filter_mask;
    uint32_t last_start;
    uintptr_t last_link;
} quick_state;

static inline quick_state quick_begin(sweep *s, uint32_t align)
{
    quick_state q = {s->cursor,
                     s->cursor & (align - 1) ? 0 : s->size - s->cursor,
                     s->waiting + s->waiting_count,
                     s->promises.waiting_end,
                     s->promises.filter,
                     s->promises.filter_mask,
                     s->last_quick_start,
                     (uintptr_t)s->last_quick};
    return q;
}

static inline void quick_end(sweep *s, const quick_state *q)
{
    s->cursor = q->cursor;
    s->waiting_count = (uint32_t)(q->waiting - s->waiting);
    s->promises.waiting_end = q->promised;
    s->last_quick_start = q->last_start;
    s->last_quick = (const program_link *)q->last_link;
}

/* Follows a link to an array of leaves. The number of leaves, and whether the array is new or
 * shared, are unpredictable, so the usual cases share one branch-free path. In other cases, or if a
 * different object was promised, returns false without following the link. */
static inline bool follow_quick(sweep *s, quick_state *q, const program_link *link, uint32_t at,
                                uint32_t align)
{
    uint64_t both; /* offset and count: hosts are little-endian */
    memcpy(&both, s->payload + at, 8);
    uint32_t count = (uint32_t)(both >> 32);
    /* The distance from the cursor. An empty array is treated as a new array of 0 elements at the
     * cursor. An invalid one, with an offset but count 0, is treated as a promise of 0 elements,
     * which is never kept. */
    uint64_t ahead = (uint32_t)both + (((uint64_t)at - q->cursor) & mask_of(count != 0));
    uint64_t is_new = mask_of(ahead == 0), bytes = (uint64_t)link->size * count & is_new;
    if ((ahead + bytes > q->left) | (count > link->quick_max))
        return false;
    uint32_t start = q->cursor + (uint32_t)ahead;
    bool is_promised = ahead != 0;
    if (q->filter[start / 4 & q->filter_mask] > is_promised) {
        quick_end(s, q);
        if (!kiln_promise_table_keep(&s->promises, start, count, link->form))
            return false;
        *q = quick_begin(s, align);
    }
    q->filter[start / 4 & q->filter_mask] |= is_promised;
    q->promised->start = start;
    q->promised->count = count;
    q->promised->form = link->form;
    q->promised += is_promised;
    uint64_t has_claimed = mask_of(bytes != 0);
    q->last_start ^= (q->last_start ^ start) & (uint32_t)has_claimed;
    q->last_link ^= (q->last_link ^ (uintptr_t)link) & (uintptr_t)has_claimed;
    uint32_t field = q->cursor + link->string;
    for (int i = 0; i < PROGRAM_QUICK_STRINGS; i++, field += link->size)
        q->waiting[i] = field;
    q->waiting += count & (uint32_t)is_new & link->string_mask;
    q->cursor += (uint32_t)bytes;
    q->left -= (uint32_t)bytes;
    return true;
}

/* The fast path of check_values, for values with only quick links. */
static bool check_quick_values(sweep *s, const program_target *of, uint32_t at, uint32_t count,
                               uint32_t depth)
{
    const value_program *program = &of->program;
    const uint32_t *waiting_full = s->waiting + WAITING_MAX;
    const promise *promised_full = s->promises.waiting + PROMISE_WAITING_MAX;
    quick_state q = quick_begin(s, program->quick_align);
    for (uint32_t i = 0; i < count; i++, at += of->size) {
        if (s->size - at > AHEAD)
            prefetch(s->payload, (size_t)at + AHEAD);
        for (uint32_t k = 0; k < program->string_count; k++)
            *q.waiting++ = at + program->strings[k];
        for (uint32_t k = 0; k < program->check_count; k++)
            if (!check_one(s, &program->checks[k], at + program->checks[k].at))
                return false;
        for (uint32_t k = 0; k < program->link_count; k++) {
            const program_link *link = &program->links[k];
            if (follow_quick(s, &q, link, at + link->at, program->quick_align))
                continue;
            quick_end(s, &q);
            if (!check_link(s, link, at + link->at, depth))
                return false;
            q = quick_begin(s, program->quick_align);
        }
        if (q.waiting >= waiting_full || q.promised >= promised_full) {
            quick_end(s, &q);
            if (!check_waiting(s) || !kiln_promise_table_flush(&s->promises))
                return false;
            q = quick_begin(s, program->quick_align);
        }
    }
    quick_end(s, &q);
    return true;
}

/* Whether all links are quick, and this depth and the payload's alignment allow their objects. */
static bool are_values_quick(const sweep *s, const value_program *program, uint32_t depth)
{
    bool good = program->is_quick;
    for (uint32_t i = 0; i < program->link_count && good; i++) {
        const program_target *target = program->links[i].target;
        good = fits_below(target, depth) && target->align <= s->align;
    }
    return good;
}

/* Checks V13 and V14 for entries whose values are valid. */
static bool check_keys(sweep *s, const program_target *target, uint32_t at, uint32_t count)
{
    uint32_t number = type_at(s->types, target->map)->key;
    kiln_value previous = {s->types,   type_at(s->types, number), number, s->payload + at,
                           s->payload, s->payload + s->size};
    kiln_value key = previous;
    /* Comparing keys reads their strings, which must be checked first. */
    if (!check_waiting(s))
        return false;
    for (uint32_t i = 0; i < count; i++, key.data += target->size) {
        if (!kiln_map_key_is_valid(&key))
            return false;
        if (i > 0 && kiln_value_compare_keys(&previous, &key) >= 0)
            return false;
        previous = key;
    }
    return true;
}

static bool check_values(sweep *s, const program_target *target, uint32_t at, uint32_t count,
                         uint32_t depth)
{
    const value_program *program = &target->program;
    uint32_t first = at;
    if (value_program_is_empty(program))
        return target->map == KILN_TYPE_NONE || check_keys(s, target, first, count);
    if (are_values_quick(s, program, depth))
        return check_quick_values(s, target, at, count, depth) &&
               (target->map == KILN_TYPE_NONE || check_keys(s, target, first, count));
    for (uint32_t i = 0; i < count; i++, at += target->size) {
        for (uint32_t k = 0; k < program->string_count; k++)
            if (!sweep_text_add(&s->text, at + program->strings[k], s->cursor))
                return false;
        for (uint32_t k = 0; k < program->check_count; k++)
            if (!check_one(s, &program->checks[k], at + program->checks[k].at))
                return false;
        for (uint32_t k = 0; k < program->link_count; k++)
            if (!check_link(s, &program->links[k], at + program->links[k].at, depth))
                return false;
    }
    return target->map == KILN_TYPE_NONE || check_keys(s, target, first, count);
}

static bool comes_before(const loose_object *a, const loose_object *b)
{
    return a->start < b->start;
}

/* Insertion sort for a few objects: clearing the buckets of a radix sort would take longer than
 * verifying the rest of a small blob. */
static void sort_few(loose_object *objects, size_t count, size_t from)
{
    for (size_t i = from; i < count; i++) {
        loose_object one = objects[i];
        size_t at = i;
        for (; at > 0 && comes_before(&one, &objects[at - 1]); at--)
            objects[at] = objects[at - 1];
        objects[at] = one;
    }
}

/* Sorts by start in linear time: a radix sort with 11 bits per round, lowest bits first. */
static bool sort_loose(sweep *s)
{
    enum { FEW = 96, BITS = 11, BUCKETS = 1 << BITS, ROUNDS = 3 };
    loose_object *from = s->loose.items;
    size_t count = s->loose.count, i = 1;
    while (i < count && !comes_before(&from[i], &from[i - 1]))
        i++;
    if (i >= count)
        return true;
    if (count <= FEW) {
        sort_few(from, count, i);
        return true;
    }
    vector other = {0};
    loose_object *to = kiln_vector_push(&other, &s->allocator, count, sizeof *to);
    if (!to) {
        s->no_memory = true;
        return false;
    }
    for (int round = 0; round < ROUNDS; round++) {
        uint32_t ends[BUCKETS] = {0}, end = 0;
        for (i = 0; i < count; i++)
            ends[from[i].start >> (round * BITS) & (BUCKETS - 1)]++;
        for (i = 0; i < BUCKETS; i++) {
            end += ends[i];
            ends[i] = end - ends[i];
        }
        for (i = 0; i < count; i++)
            to[ends[from[i].start >> (round * BITS) & (BUCKETS - 1)]++] = from[i];
        loose_object *sorted = to;
        to = from;
        from = sorted;
    }
    _Static_assert(ROUNDS % 2 == 1, "the last round fills the other vector");
    kiln_vector_fini(&s->loose, &s->allocator, sizeof *to);
    s->loose = other;
    return true;
}

/* Strings and loose objects follow the claimed objects. Between two consecutive loose objects there
 * must be only strings and padding. */
static bool check_tail(sweep *s)
{
    uint32_t end = s->cursor;
    if (!kiln_sweep_text_is_unmarked(&s->text, 0, end) || !sort_loose(s))
        return false;
    const loose_object *objects = s->loose.items;
    for (size_t i = 0; i < s->loose.count; i++) {
        const loose_object *object = &objects[i];
        if (i > 0 && object->start == object[-1].start) {
            if (object->count != object[-1].count ||
                object->target->form != object[-1].target->form)
                return false;
            continue;
        }
        if (object->start < end || !kiln_sweep_text_check(&s->text, end, object->start))
            return false;
        end = object->start + object->target->size * object->count;
        if (!kiln_sweep_text_is_unmarked(&s->text, object->start, end) ||
            !check_values(s, object->target, object->start, object->count, 0))
            return false;
    }
    return kiln_sweep_text_check(&s->text, end, s->size);
}

static bool check_payload(sweep *s, uint32_t type)
{
    const program_target *root = &program_plan_of(s->types, type)->values;
    if (root->size > s->size || root->align > s->align)
        return false;
    s->cursor = root->size;
    s->recent[0] = (promise){0, 1, root->form};
    s->last_quick = NULL;
    s->last_quick_start = 0;
    s->recent_count = 1;
    s->waiting_count = 0;
    return check_values(s, root, 0, 1, 1) && check_waiting(s) &&
           kiln_promise_table_is_kept(&s->promises) && check_tail(s);
}

/* References are reported only once the payload is known to be valid. If the sweep is undecided,
 * verify_judge.c reports them, and none may be reported twice. */
static void report_refs(const sweep *s, const payload_def *def)
{
    const uint32_t *places = s->refs.items;
    for (size_t i = 0; i < s->refs.count; i++) {
        kiln_id id;
        memcpy(&id, s->payload + places[i], sizeof id);
        def->on_ref(def->on_ref_ctx, id, def->base + places[i]);
    }
}

sweep_verdict kiln_sweep(const payload_def *def)
{
    sweep s;
    if (!def->types->plans)
        return SWEEP_UNDECIDED;
    s.types = def->types;
    s.payload = def->payload;
    s.size = def->size;
    s.align = def->align;
    s.allocator = allocator_or_default(def->allocator);
    s.loose = s.refs = (vector){0};
    s.wants_refs = def->on_ref != NULL;
    s.no_memory = false;
    kiln_promise_table_init(&s.promises, &s.allocator);
    kiln_sweep_text_init(&s.text, s.payload, s.size, &s.allocator);
    bool valid = check_payload(&s, def->type);
    if (valid)
        report_refs(&s, def);
    kiln_sweep_text_fini(&s.text);
    kiln_promise_table_fini(&s.promises);
    kiln_vector_fini(&s.refs, &s.allocator, sizeof(uint32_t));
    kiln_vector_fini(&s.loose, &s.allocator, sizeof(loose_object));
    if (s.no_memory || s.text.no_memory || s.promises.no_memory)
        return SWEEP_NO_MEMORY;
    return valid ? SWEEP_VALID : SWEEP_UNDECIDED;
}
