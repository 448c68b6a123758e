/* The children of an entity: lookup by name and by path, and lists of entities. A list element
 * overrides the inherited child of the same name, or adds a new child. */
#include "scene_entity.h"

#include <kiln/scene.h>
#include <string.h>

/* ---- names and paths ---- */

bool bake_scene_name_read(bake_scenes *s, const bake_tree *tree, bake_node_id node,
                          const scene_path *path, const char **ret_name, uint32_t *ret_length)
{
    size_t length;
    *ret_name = NULL;
    *ret_length = 0;
    if (node == BAKE_NODE_NONE)
        return true;
    const char *name = bake_scene_text(s, tree, node, path, "a name", &length);
    if (!name)
        return false;
    bool ok = length <= SCENE_NAME_MAX;
    for (size_t i = 0; ok && i < length; i++)
        ok = (unsigned char)name[i] >= 0x20 && name[i] != '/' && name[i] != '#' && name[i] != 0x7f;
    if (!ok)
        return bake_scene_report(
            s, tree, node, "name", path,
            "invalid name: use at most %d bytes, without `/`, `#` or control characters",
            SCENE_NAME_MAX);
    *ret_name = name;
    *ret_length = (uint32_t)length;
    return true;
}

/* Reports that a list has two children with the same name. */
static void report_duplicate(bake_scenes *s, const scene_child *first, const scene_child *again,
                             const scene_path *path)
{
    bake_mark mark = bake_node_mark(first->tree, first->node);
    bake_scene_report(s, again->tree, again->node, "duplicate", path,
                      "the name \"%.*s\" is already given at %s:%u:%u",
                      (int)(again->name_length < 100 ? again->name_length : 100), again->name,
                      bake_diagnostics_source_name(s->diagnostics, mark.source), mark.line,
                      mark.column);
    bake_related(s->diagnostics, mark, "given here");
}

/* The index is sorted by hash, then by child number, so each name is compared only with names that
 * have the same hash. */
void bake_scene_children_check(bake_scenes *s, scene_shape *shape, uint32_t first,
                               const scene_path *path)
{
    if (!bake_scene_children_index(s, shape))
        return;
    const scene_named *named = shape->named;
    for (uint32_t i = 1, run = 0; i < shape->named_count; i++) {
        if (named[i].hash != named[run].hash) {
            run = i;
            continue;
        }
        const scene_child *again = &shape->children[named[i].child];
        /* Different names can have the same hash, so compare the names within a run. Inherited
         * children were checked with their own list. */
        for (uint32_t j = run; named[i].child >= first && j < i; j++) {
            const scene_child *before = &shape->children[named[j].child];
            if (before->shape && before->name_length == again->name_length &&
                memcmp(before->name, again->name, again->name_length) == 0) {
                report_duplicate(s, before, again, path);
                break;
            }
        }
    }
}

scene_child *bake_scene_child_at(bake_scenes *s, const bake_tree *tree, bake_node_id node,
                                 scene_shape *shape, const scene_path *path)
{
    size_t length;
    const char *text = bake_scene_text(s, tree, node, path, "the name of an entity", &length);
    const char *end = text ? text + length : NULL;
    scene_child *child = NULL;
    for (const char *part = text; part;) {
        const char *slash = memchr(part, '/', (size_t)(end - part));
        size_t part_length = (size_t)((slash ? slash : end) - part);
        child = slash && shape->has_paths
                    ? bake_scene_child_find(s, shape, part, (size_t)(end - part))
                    : NULL;
        if (child)
            slash = NULL;
        else
            child = bake_scene_child_find(s, shape, part, part_length);
        if (s->stopped || s->out_of_memory)
            return NULL;
        if (!child && !shape->is_partial) {
            bake_scene_report(s, tree, node, "entity", path, "unknown entity \"%.*s\"",
                              (int)(part_length < 100 ? part_length : 100), part);
            bake_scene_hint_children(s, shape, part, part_length);
        }
        if (!child)
            return NULL;
        /* The caller changes the last shape, so all shapes above it need private copies as well. */
        shape = bake_scene_shape_own(s, child->shape, 0);
        if (!shape)
            return NULL;
        child->shape = shape;
        part = slash ? slash + 1 : NULL;
    }
    return child;
}

void bake_scene_drop_read(bake_scenes *s, const bake_tree *tree, bake_node_id node,
                          scene_shape *shape, const scene_path *path)
{
    if (bake_node_kind_of(tree, node) == BAKE_NODE_SCALAR) {
        scene_child *child = bake_scene_child_at(s, tree, node, shape, path);
        if (child)
            child->shape = NULL;
        return;
    }
    if (!bake_scene_expect(s, tree, node, BAKE_NODE_SEQUENCE, path, "a list of names"))
        return;
    for (bake_iterator it = bake_iterator_begin(tree, node);
         !s->stopped && bake_iterator_next(&it);) {
        scene_child *child = bake_scene_child_at(s, tree, it.value, shape, path);
        if (child)
            child->shape = NULL;
    }
}

/* ---- lists of entities ---- */

/* Applies a list element to a child that the shape already has. */
static void change_child(bake_scenes *s, scene_shape *shape, uint32_t number,
                         const scene_child *given, const bake_iterator *it, const scene_path *path)
{
    scene_child *child = &shape->children[number];
    if (child->list == given->list) {
        report_duplicate(s, child, given, path->up);
        return;
    }
    scene_shape *under = child->shape ? bake_scene_shape_own(s, child->shape, 0) : NULL;
    if (child->shape && !under)
        return;
    under = bake_scene_entity_read(s, given->tree, it->value, under, path);
    if (!under)
        return;
    *child = *given;
    child->shape = under;
}

/* If the shape is partial, its unread part may contain a child with the same name and unknown
 * content. Then returns a partial shape for the new child to override, otherwise NULL. */
static scene_shape *new_partial_shape(bake_scenes *s, const scene_shape *shape,
                                      const scene_child *child)
{
    scene_shape *under = NULL;
    if (shape->is_partial && !shape->is_group && child->name)
        under = bake_scene_shape_create(s, child->tree, child->node);
    if (under)
        under->is_partial = true;
    return under;
}

/* A list that is being read into the children of a shape. */
typedef struct children_list {
    const bake_tree *tree;
    scene_shape *shape;
    const char *name_key, *path_key;
    bool is_outermost; /* the list is the `entities` of a scene */
    scene_path path;   /* of the current element */
    uint32_t before;   /* number of children before the list */
    uint32_t list;
} children_list;

static bool begin_list(bake_scenes *s, children_list *l, const bake_tree *tree, scene_shape *shape,
                       const scene_path *path)
{
    *l = (children_list){.tree = tree,
                         .shape = shape,
                         .name_key = bake_scene_words_of(s)->name,
                         .path_key = bake_scene_words_of(s)->path,
                         .is_outermost = !path && shape->is_group,
                         .path = {path, NULL, 0, 0},
                         .before = shape->child_count,
                         .list = ++s->reading.list_count};
    return l->before <= shape->indexed || bake_scene_children_index(s, shape);
}

/* Reads the `path` of an entity: the path of its parent, then its name. Returns false after a
 * report. */
static bool read_path(bake_scenes *s, children_list *l, bake_node_id entity, scene_child *child)
{
    const char *children = bake_scene_words_of(s)->children;
    size_t length;
    if (!l->is_outermost)
        return bake_scene_report(s, l->tree, child->node, "name", &l->path,
                                 "only entities in the list of a scene may have a `path`");
    if (child->name ||
        bake_node_find(l->tree, entity, children, strlen(children)) != BAKE_NODE_NONE)
        return bake_scene_report(s, l->tree, child->node, "name", &l->path,
                                 "an entity with a `path` cannot have a `name` or `children`");
    const char *text =
        bake_scene_text(s, l->tree, child->node, &l->path, "an entity path", &length);
    bool ok = text && length <= KILN_SCENE_TEXT_MAX;
    for (size_t i = 0; ok && i < length; i++)
        ok = (unsigned char)text[i] >= 0x20 && text[i] != '#' && text[i] != 0x7f;
    if (!ok)
        return text &&
               bake_scene_report(
                   s, l->tree, child->node, "name", &l->path,
                   "invalid `path`: use at most %d bytes, without `#` or control characters",
                   KILN_SCENE_TEXT_MAX);
    child->name = text;
    child->name_length = (uint32_t)length;
    l->shape->has_paths = true;
    return true;
}

/* Reads the `name` or the `path` of a new child. */
static void name_child(bake_scenes *s, children_list *l, bake_node_id entity, scene_child *child)
{
    bake_node_id name = bake_node_find(l->tree, entity, l->name_key, strlen(l->name_key));
    bake_node_id at = l->path_key
                          ? bake_node_find(l->tree, entity, l->path_key, strlen(l->path_key))
                          : BAKE_NODE_NONE;
    child->node = name == BAKE_NODE_NONE ? entity : name;
    bool ok = bake_scene_name_read(s, l->tree, name, &l->path, &child->name, &child->name_length);
    if (ok && at != BAKE_NODE_NONE) {
        child->node = at;
        ok = read_path(s, l, entity, child);
    }
    l->path.name = ok ? child->name : NULL;
    l->path.length = child->name_length;
}

static bool read_child(bake_scenes *s, children_list *l, const bake_iterator *it)
{
    scene_child child = {.list = l->list, .tree = l->tree, .number = l->path.number};
    /* Read the name first, so that reports about the entity contain its path. */
    l->path.name = NULL;
    name_child(s, l, it->value, &child);
    uint32_t number = child.name && l->before
                          ? bake_scene_child_indexed(l->shape, child.name, child.name_length)
                          : UINT32_MAX;
    if (number != UINT32_MAX) {
        change_child(s, l->shape, number, &child, it, &l->path);
        return true;
    }
    child.shape = bake_scene_entity_read(s, l->tree, it->value,
                                         new_partial_shape(s, l->shape, &child), &l->path);
    l->shape->is_partial |= !child.shape;
    return !child.shape || bake_scene_child_add(s, l->shape, &child);
}

static bool can_continue(const bake_scenes *s)
{
    return !s->stopped && !s->out_of_memory;
}

/* Reads a list of entities, whose default base is `base`. */
static bool read_list(bake_scenes *s, children_list *l, bake_node_id node, bake_node_id base)
{
    if (!bake_scene_expect(s, l->tree, node, BAKE_NODE_SEQUENCE, l->path.up, "a list of entities"))
        return true;
    if (!bake_scene_children_reserve(s, l->shape,
                                     l->shape->child_count + bake_node_count(l->tree, node)))
        return false;
    for (bake_iterator it = bake_iterator_begin(l->tree, node);
         can_continue(s) && bake_iterator_next(&it); l->path.number++) {
        s->reading.group_base = base;
        if (!read_child(s, l, &it))
            return false;
    }
    s->reading.group_base = BAKE_NODE_NONE;
    return true;
}

static void end_list(bake_scenes *s, children_list *l)
{
    if (can_continue(s))
        bake_scene_children_check(s, l->shape, l->before, l->path.up);
}

void bake_scene_children_read(bake_scenes *s, const bake_tree *tree, bake_node_id node,
                              scene_shape *shape, const scene_path *path)
{
    children_list l;
    if (begin_list(s, &l, tree, shape, path) && read_list(s, &l, node, BAKE_NODE_NONE))
        end_list(s, &l);
}

/* A group without a prefab contains entities without a base. */
static bool read_group(bake_scenes *s, children_list *l, bake_node_id node)
{
    const bake_scene_words *words = bake_scene_words_of(s);
    const char *const keys[] = {words->group_base, words->group_entities};
    bake_node_id values[2];
    size_t length = 0;
    if (!bake_scene_expect(s, l->tree, node, BAKE_NODE_MAPPING, NULL,
                           "a mapping for a group of entities"))
        return true;
    bake_scene_keys(s, l->tree, node, NULL, keys, 2, values);
    if (!scene_is_given(l->tree, values[1]))
        return true;
    if (values[0] != BAKE_NODE_NONE &&
        bake_scene_expect(s, l->tree, values[0], BAKE_NODE_SCALAR, NULL, "the name of a prefab"))
        bake_node_text(l->tree, values[0], &length);
    return read_list(s, l, values[1], length ? values[0] : BAKE_NODE_NONE);
}

void bake_scene_entities_read(bake_scenes *s, const bake_tree *tree, bake_node_id node,
                              scene_shape *shape)
{
    children_list l;
    if (!bake_scene_words_of(s)->group_entities) {
        bake_scene_children_read(s, tree, node, shape, NULL);
        return;
    }
    if (!bake_scene_expect(s, tree, node, BAKE_NODE_SEQUENCE, NULL, "a list of groups") ||
        !begin_list(s, &l, tree, shape, NULL))
        return;
    for (bake_iterator it = bake_iterator_begin(tree, node);
         can_continue(s) && bake_iterator_next(&it);)
        if (!read_group(s, &l, it.value))
            return;
    end_list(s, &l);
}
