/* Shapes: copy-on-write, merging of shapes, lookup of components and children, and sizes. */
#include "scene_shape.h"

#include "bake_memory.h"
#include "lower_bound.h"
#include "scene_reader.h"
#include "similar.h"
#include "tree_store.h"

#include <stdlib.h>
#include <string.h>

/* Maximum number of unindexed children, which are searched linearly. Indexing after each added
 * child would sort n times. */
enum { UNINDEXED_MAX = 16 };

static void *alloc(bake_scenes *s, size_t count, size_t size)
{
    void *block = bake_store_alloc(&s->store, count, size);
    if (!block)
        bake_scene_no_memory(s);
    return block;
}

scene_shape *bake_scene_shape_create(bake_scenes *s, const bake_tree *tree, bake_node_id node)
{
    scene_shape *shape = alloc(s, 1, sizeof *shape);
    if (!shape)
        return NULL;
    shape->owner = s->reading.owner;
    shape->tree = tree;
    shape->node = node;
    return shape;
}

/* Copies `count` elements to a new array with room for at least `needed`. The store cannot free the
 * old array; growing by half limits the waste to twice the size of the last one. */
static void *grow(bake_scenes *s, const void *old, uint32_t count, uint32_t *capacity,
                  uint32_t needed, size_t size)
{
    uint32_t grown = *capacity + *capacity / 2, larger = grown > needed ? grown : needed;
    void *elements = alloc(s, larger, size);
    if (!elements)
        return NULL;
    if (count)
        memcpy(elements, old, count * size);
    *capacity = larger;
    return elements;
}

bool bake_scene_parts_reserve(bake_scenes *s, scene_shape *shape, uint32_t count)
{
    if (count <= shape->part_capacity)
        return true;
    scene_part *parts =
        grow(s, shape->parts, shape->part_count, &shape->part_capacity, count, sizeof *parts);
    if (!parts)
        return false;
    shape->parts = parts;
    return true;
}

bool bake_scene_children_reserve(bake_scenes *s, scene_shape *shape, uint32_t count)
{
    if (count <= shape->child_capacity)
        return true;
    scene_child *children = grow(s, shape->children, shape->child_count, &shape->child_capacity,
                                 count, sizeof *children);
    if (!children)
        return false;
    shape->children = children;
    return true;
}

scene_shape *bake_scene_shape_own(bake_scenes *s, scene_shape *shape, uint32_t more)
{
    if (shape->owner == s->reading.owner)
        return shape;
    /* Nested prefabs multiply copies, so each copy counts against the work limit. */
    uint64_t amount = 1 + (uint64_t)shape->part_count + shape->child_count;
    scene_shape *copy = bake_scene_work(s, amount, shape->tree, shape->node)
                            ? bake_scene_shape_create(s, shape->tree, shape->node)
                            : NULL;
    if (!copy || !bake_scene_parts_reserve(s, copy, shape->part_count + more) ||
        !bake_scene_children_reserve(s, copy, shape->child_count))
        return NULL;
    if (shape->part_count)
        memcpy(copy->parts, shape->parts, shape->part_count * sizeof *copy->parts);
    if (shape->child_count)
        memcpy(copy->children, shape->children, shape->child_count * sizeof *copy->children);
    copy->part_count = shape->part_count;
    copy->child_count = shape->child_count;
    copy->is_group = shape->is_group;
    copy->has_paths = shape->has_paths;
    copy->is_partial = shape->is_partial;
    /* The copy has the same children, so both share the index. */
    copy->named = shape->named;
    copy->named_count = shape->named_count;
    copy->indexed = shape->indexed;
    return copy;
}

static bool part_is_below(const void *parts, size_t at, const void *component)
{
    return ((const scene_part *)parts)[at].component < *(const uint32_t *)component;
}

/* Returns the index of the component, or where to insert it. */
static uint32_t part_index(const scene_shape *shape, uint32_t component)
{
    return (uint32_t)lower_bound(shape->parts, 0, shape->part_count, part_is_below, &component);
}

scene_part *bake_scene_part_find(const scene_shape *shape, uint32_t component)
{
    uint32_t at = part_index(shape, component);
    bool found = at < shape->part_count && shape->parts[at].component == component;
    return found ? &shape->parts[at] : NULL;
}

scene_part *bake_scene_part_add(bake_scenes *s, scene_shape *shape, uint32_t component)
{
    uint32_t at = part_index(shape, component);
    if (!bake_scene_parts_reserve(s, shape, shape->part_count + 1))
        return NULL;
    scene_part *part = &shape->parts[at];
    memmove(part + 1, part, (shape->part_count - at) * sizeof *part);
    shape->part_count++;
    part->component = component;
    part->list = 0;
    part->top = NULL;
    return part;
}

void bake_scene_part_remove(scene_shape *shape, scene_part *part)
{
    size_t after = shape->part_count - (size_t)(part - shape->parts) - 1;
    memmove(part, part + 1, after * sizeof *part);
    shape->part_count--;
}

static bool has_layer(const bake_layer *stack, const bake_layer *origin)
{
    for (; stack; stack = stack->below)
        if (stack->origin == origin)
            return true;
    return false;
}

/* Stacks the layers of `over` on those of `under`. A layer in both stacks appears only once, at its
 * position in `over`. */
static bake_layer *put_over(bake_scenes *s, const scene_shape *shape, bake_layer *under,
                            bake_layer *over, const scene_path *path)
{
    /* Links point down, so layers are collected top-down and then copied bottom-up. A stack has at
     * most BAKE_LAYERS_MAX layers, so those of `over` always fit. */
    const bake_layer *kept[BAKE_LAYERS_MAX];
    size_t count = 0;
    bake_layer *stack = NULL;
    if (under == over || !under)
        return over;
    if (!bake_scene_work(s, (uint64_t)under->count + over->count, shape->tree, shape->node))
        return NULL;
    for (const bake_layer *l = over; l; l = l->below)
        kept[count++] = l;
    for (const bake_layer *l = under; l; l = l->below) {
        if (has_layer(over, l->origin))
            continue;
        if (count == BAKE_LAYERS_MAX) {
            bake_scene_report(s, over->tree, over->node, "depth", path,
                              "the component has more than %d layers", BAKE_LAYERS_MAX);
            return NULL;
        }
        kept[count++] = l;
    }
    while (count > 0) {
        bake_layer *copy = alloc(s, 1, sizeof *copy);
        if (!copy)
            return NULL;
        *copy = *kept[--count];
        copy->below = stack;
        copy->count = (uint16_t)((stack ? stack->count : 0) + 1);
        copy->is_shared = s->reading.unit && s->reading.unit->is_shared;
        copy->image = 0;
        stack = copy;
    }
    return stack;
}

static bool merge_parts(bake_scenes *s, scene_shape *shape, const scene_shape *over,
                        const scene_path *path)
{
    for (uint32_t i = 0; i < over->part_count; i++) {
        const scene_part *from = &over->parts[i];
        scene_part *part = bake_scene_part_find(shape, from->component);
        if (!part)
            part = bake_scene_part_add(s, shape, from->component);
        bake_layer *top = part ? put_over(s, shape, part->top, from->top, path) : NULL;
        if (!top)
            return false;
        part->top = top;
    }
    return true;
}

/* Search position for unnamed children, which are stored in list order. */
typedef struct unnamed_search {
    uint32_t known; /* children before the merge */
    uint32_t list;
    uint32_t at; /* the next child to compare */
} unnamed_search;

/* Finds the child that `child` overrides. Unnamed children match if they have the same index in the
 * same list. Comparing nodes is not enough, since aliases share them. */
static scene_child *find_same(bake_scenes *s, scene_shape *shape, const scene_child *child,
                              unnamed_search *same)
{
    if (child->name)
        return bake_scene_child_find(s, shape, child->name, child->name_length);
    if (same->list != child->list) {
        same->list = child->list;
        same->at = 0;
        if (!bake_scene_work(s, same->known, child->tree, child->node))
            return NULL;
    }
    /* Indices ascend within a list, so the position only advances and each list is scanned once. */
    for (; same->at < same->known; same->at++) {
        scene_child *other = &shape->children[same->at];
        if (!other->name && other->list == child->list && other->number >= child->number)
            return other->number == child->number ? other : NULL;
    }
    return NULL;
}

bool bake_scene_shape_merge(bake_scenes *s, scene_shape *shape, const scene_shape *over,
                            const scene_path *path)
{
    if (!bake_scene_work(s, 1 + (uint64_t)over->part_count + over->child_count, shape->tree,
                         shape->node) ||
        !merge_parts(s, shape, over, path))
        return false;
    shape->is_partial |= over->is_partial;
    unnamed_search same = {shape->child_count, 0, 0};
    for (uint32_t i = 0; i < over->child_count; i++) {
        const scene_child *from = &over->children[i];
        /* A child dropped in `over` does not drop a child of other bases. */
        if (!from->shape)
            continue;
        scene_child *child = find_same(s, shape, from, &same);
        if (s->stopped || s->out_of_memory)
            return false;
        /* A child with the same shape came from the same prefab and needs no merge. */
        if (!child || !child->shape) {
            if (!bake_scene_child_add(s, shape, from))
                return false;
        } else if (child->shape != from->shape) {
            scene_shape *own = bake_scene_shape_own(s, child->shape, 0);
            if (!own)
                return false;
            child->shape = own;
            scene_path inner = {path, child->name, child->name_length, i};
            if (!bake_scene_shape_merge(s, own, from->shape, &inner))
                return false;
        }
    }
    return true;
}

static bool has_name(const scene_child *child, const char *name, size_t length)
{
    return child->name && child->name_length == length && memcmp(child->name, name, length) == 0;
}

static bool hash_is_below(const void *named, size_t at, const void *hash)
{
    return ((const scene_named *)named)[at].hash < *(const uint64_t *)hash;
}

/* The index is sorted by hash, then by child. A lookup is a binary search plus a comparison for
 * each name with the same hash. */
uint32_t bake_scene_child_indexed(const scene_shape *shape, const char *name, size_t length)
{
    uint64_t hash = bake_tree_hash(name, length);
    size_t at = lower_bound(shape->named, 0, shape->named_count, hash_is_below, &hash);
    for (; at < shape->named_count && shape->named[at].hash == hash; at++)
        if (has_name(&shape->children[shape->named[at].child], name, length))
            return shape->named[at].child;
    return UINT32_MAX;
}

static int compare_named(const void *a, const void *b)
{
    const scene_named *left = a, *right = b;
    if (left->hash != right->hash)
        return left->hash < right->hash ? -1 : 1;
    return (left->child > right->child) - (left->child < right->child);
}

bool bake_scene_children_index(bake_scenes *s, scene_shape *shape)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < shape->child_count; i++)
        count += shape->children[i].name != NULL;
    scene_named *named = alloc(s, (size_t)count + 1, sizeof *named);
    if (!named)
        return false;
    shape->named = named;
    shape->named_count = count;
    shape->indexed = shape->child_count;
    for (uint32_t i = 0; i < shape->child_count; i++) {
        const scene_child *child = &shape->children[i];
        if (child->name)
            *named++ = (scene_named){bake_tree_hash(child->name, child->name_length), i};
    }
    if (count > 1)
        qsort(shape->named, count, sizeof *shape->named, compare_named);
    return true;
}

static uint32_t find_child(const scene_shape *shape, const char *name, size_t length)
{
    for (uint32_t i = shape->child_count; i > shape->indexed; i--)
        if (has_name(&shape->children[i - 1], name, length))
            return i - 1;
    return bake_scene_child_indexed(shape, name, length);
}

/* Finds dropped children as well. */
static scene_child *find_any(bake_scenes *s, scene_shape *shape, const char *name, size_t length)
{
    if (shape->child_count - shape->indexed > UNINDEXED_MAX &&
        !(bake_scene_work(s, shape->child_count, shape->tree, shape->node) &&
          bake_scene_children_index(s, shape)))
        return NULL;
    uint32_t found = find_child(shape, name, length);
    return found == UINT32_MAX ? NULL : &shape->children[found];
}

scene_child *bake_scene_child_find(bake_scenes *s, scene_shape *shape, const char *name,
                                   size_t length)
{
    scene_child *found = find_any(s, shape, name, length);
    return found && found->shape ? found : NULL;
}

const scene_child *bake_scene_child_look_up(const scene_shape *shape, const char *name,
                                            size_t length)
{
    uint32_t found = find_child(shape, name, length);
    return found != UINT32_MAX && shape->children[found].shape ? &shape->children[found] : NULL;
}

/* A new child reuses the slot of a dropped child of the same name. */
scene_child *bake_scene_child_add(bake_scenes *s, scene_shape *shape, const scene_child *child)
{
    scene_child *slot = NULL;
    if (child->name && shape->indexed > 0) {
        uint32_t found = bake_scene_child_indexed(shape, child->name, child->name_length);
        slot =
            found != UINT32_MAX && !shape->children[found].shape ? &shape->children[found] : NULL;
    }
    if (!slot && !bake_scene_children_reserve(s, shape, shape->child_count + 1))
        return NULL;
    if (!slot)
        slot = &shape->children[shape->child_count++];
    *slot = *child;
    return slot;
}

static uint64_t add(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

bool bake_scene_shape_seal(bake_scenes *s, scene_shape *shape, const scene_path *path)
{
    uint32_t height = 0;
    /* Shapes of other owners are already sealed and may be shared, so they must not change. */
    if (shape->owner != s->reading.owner || s->stopped)
        return !s->stopped;
    shape->cost = 1 + (uint64_t)shape->part_count;
    shape->bytes = 0;
    for (uint32_t i = 0; i < shape->part_count; i++)
        shape->bytes += s->components.all[shape->parts[i].component].size;
    for (uint32_t i = 0; i < shape->child_count; i++) {
        const scene_child *child = &shape->children[i];
        scene_path inner = {path, child->name, child->name_length, i};
        /* A dropped child still takes a node, since node indices follow child indices. */
        if (!child->shape) {
            shape->cost++;
            continue;
        }
        if (!bake_scene_shape_seal(s, child->shape, &inner))
            return false;
        shape->cost = add(shape->cost, child->shape->cost);
        shape->bytes = add(shape->bytes, child->shape->bytes);
        height = child->shape->height > height ? child->shape->height : height;
    }
    shape->height = height + 1;
    if (height >= SCENE_HEIGHT_MAX) {
        s->stopped = true;
        return bake_scene_report(s, shape->tree, shape->node, "depth", path,
                                 "entities are nested more than %d levels deep", SCENE_HEIGHT_MAX);
    }
    return shape->indexed == shape->child_count || bake_scene_children_index(s, shape);
}

const scene_child *bake_scene_child_on_path(const scene_shape *shape, const char **part,
                                            const char *end, size_t *ret_length)
{
    const char *text = *part, *slash = memchr(text, '/', (size_t)(end - text));
    /* A name with a `/` comes from the key `path`, and takes precedence over a path of names with
     * the same text. */
    const scene_child *whole = slash && shape->has_paths
                                   ? bake_scene_child_look_up(shape, text, (size_t)(end - text))
                                   : NULL;
    *part = slash && !whole ? slash + 1 : NULL;
    *ret_length = (size_t)((slash && !whole ? slash : end) - text);
    return whole ? whole : bake_scene_child_look_up(shape, text, *ret_length);
}

void bake_scene_hint_children(bake_scenes *s, const scene_shape *shape, const char *name,
                              size_t length)
{
    size_t count = 0;
    if (bake_diagnostics_errors(s->diagnostics) > SCENE_HINTS_MAX)
        return;
    char **names = bake_alloc_array((size_t)shape->child_count + 1, sizeof *names);
    /* Copy the names, which are not NUL-terminated. If memory runs out, there is just no hint. */
    for (uint32_t i = 0; names && i < shape->child_count; i++) {
        const scene_child *child = &shape->children[i];
        if (!child->name || !child->shape || child->name_length > BAKE_SIMILAR_LENGTH_MAX)
            continue;
        names[count] = bake_copy_text(child->name, child->name_length);
        count += names[count] != NULL;
    }
    if (names)
        bake_hint_similar(s->diagnostics, name, length, (const char *const *)names, count);
    while (count > 0)
        bake_free(names[--count]);
    bake_free(names);
}
