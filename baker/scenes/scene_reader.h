/* What the parts that resolve scenes share; private to scene*.c. */
#ifndef BAKE_SCENE_READER_H
#define BAKE_SCENE_READER_H

#include "bake_scenes.h"
#include "value_bake.h"

/* How many entities lie in one another, nested scenes and what they are in included; how many
 * prefabs are based on one another; and how far both together may go. */
enum { SCENE_HEIGHT_MAX = 128, SCENE_BASES_MAX = 64, SCENE_DEPTH_MAX = 320 };
/* The longest name of an entity, without what it lies in. */
enum { SCENE_NAME_MAX = 255 };
/* Copies that resolution may make: at most this, plus 16 for each byte of input. */
enum { SCENE_WORK_MIN = 1000000 };

/* Hints cost a look at every name; beyond so many errors nobody reads them. */
enum { SCENE_HINTS_MAX = 100 };

/* A struct of the schema that may be a component. */
typedef struct scene_component {
    const char *name;    /* qualified */
    const char *shown;   /* as diagnostics have it: short where that is enough */
    size_t short_length; /* of what is behind the last dot of `name` */
    uint32_t type;
    uint32_t size;
    uint32_t next; /* the component that was written after this one last time */
} scene_component;

typedef struct scene_components {
    scene_component *all; /* ascending by name */
    uint32_t *by_short;   /* numbers, ascending by short name */
    uint32_t *by_type;    /* numbers, by the struct that names them; UINT32_MAX: none */
    uint32_t count;
    uint32_t first; /* the one that was written first in an entity last time */
} scene_components;

/* A component of a shape. */
typedef struct scene_part {
    uint32_t component;
    uint32_t list; /* the mapping that named it last, counted from 1 */
    bake_layer *top;
} scene_part;

typedef struct scene_shape scene_shape;

typedef struct scene_child {
    const char *name; /* in the document's text; NULL: none */
    uint32_t name_length;
    uint32_t list;      /* the list that named it last, counted from 1 */
    scene_shape *shape; /* NULL: dropped */
    const bake_tree *tree;
    bake_node_id node; /* the name, or the whole entity */
    uint32_t number;   /* in that list */
} scene_child;

/* A child in the order of hashes of names. */
typedef struct scene_named {
    uint64_t hash;
    uint32_t child;
} scene_named;

struct scene_shape {
    scene_part *parts; /* ascending by component */
    scene_child *children;
    scene_named *named; /* of the first `indexed` children those with names */
    uint32_t part_count, part_capacity;
    uint32_t child_count, child_capacity;
    uint32_t named_count, indexed;
    uint32_t owner;  /* who may change it; 0: nobody */
    uint32_t height; /* levels, this one included */
    bool is_group;   /* a scene: children, but no entity around them */
    bool has_ways;   /* names of children may have a `/` */
    bool is_partial; /* something that it is made of could not be read, so what is missing may be
                        there */
    /* Of it and all children, where it is laid out: nodes and their components together, and bytes
     * of rows. */
    uint64_t cost, bytes;
    const bake_tree *tree;
    bake_node_id node; /* where it is written */
};

typedef enum scene_state { SCENE_UNREAD, SCENE_OPEN, SCENE_READ } scene_state;

/* What has a name and is resolved when it is first needed: a prefab, or a scene. */
typedef struct scene_unit {
    const char *name;
    size_t length;
    const bake_tree *tree;
    bake_node_id node, named_at;
    const struct scene_unit *home; /* prefab: the scene that alone sees it, or NULL */
    const bake_file_rule *rule;    /* scene */
    scene_state state;
    bool is_scene, is_abstract;
    bool is_prototype;       /* an asset that is a prefab as well */
    bool is_accepted;        /* of which nothing is known but that it may be missing */
    uint32_t base;           /* of such: its number among the bases, or UINT32_MAX */
    bool is_shared;          /* its layers come in more than one entity */
    uint32_t levels;         /* of what it is made of */
    scene_shape *shape;      /* NULL where it could not be read */
    struct scene_unit *user; /* while open: who asked for it */
} scene_unit;

/* Units by name. */
typedef struct scene_table {
    scene_unit **units; /* each in the store */
    size_t count, capacity;
    uint32_t *slots; /* number + 1 */
    size_t slot_count;
} scene_table;

struct bake_scenes {
    const bake_schema *schema;
    bake_diagnostics *diagnostics;
    bake_store store;
    scene_components components;
    scene_table prefabs, scenes;
    scene_table prototypes; /* by id, and what they inherit */
    struct bake_bases *asset_bases;
    const struct bake_links *links; /* or NULL */
    uint64_t work, work_max;
    bool out_of_memory;
    bool incomplete; /* not all documents could be read: what is missing may be there */
    bool stopped;    /* the work is too much: nothing more is read */
    uint32_t owner, owner_count, list_count;
    uint32_t depth, bases;   /* of what is being read */
    scene_unit *unit;        /* that is being read */
    bake_node_id group_base; /* of the next entity that is read; BAKE_NODE_NONE */
    /* The base that was told last to be wrong: all of a group have it. */
    const bake_tree *told_tree;
    bake_node_id told_base;
    /* scene_info.c: what baking knows of components, by number. */
    struct scene_info *infos;
    uint32_t scene_count; /* baked so far */
};

/* The way to an entity, for diagnostics. */
typedef struct scene_way {
    const struct scene_way *up;
    const char *name;
    size_t length;
    uint32_t number; /* in its list, where it has no name */
} scene_way;

/* Whether a key was given a value that is not null. */
static inline bool scene_is_said(const bake_tree *tree, bake_node_id value)
{
    return value != BAKE_NODE_NONE && !bake_node_is_null(tree, value);
}

/* scene_report.c */
bool bake_scene_report(bake_scenes *s, const bake_tree *tree, bake_node_id node, const char *rule,
                       const scene_way *way, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 6, 7)))
#endif
    ;
/* Whether the node is of that kind, and has no tag that says otherwise; false after a report. */
bool bake_scene_expect(bake_scenes *s, const bake_tree *tree, bake_node_id node,
                       bake_node_kind kind, const scene_way *way, const char *what);
/* Reads a mapping whose keys are among `names`, as bake_schema_read_attributes does. */
bool bake_scene_keys(bake_scenes *s, const bake_tree *tree, bake_node_id node, const scene_way *way,
                     const char *const *names, size_t count, bake_node_id *values);
/* The same at the top of a document, whose heads are none of its keys. */
bool bake_scene_keys_under(bake_scenes *s, const bake_file_rule *rule, const bake_tree *tree,
                           bake_node_id node, const scene_way *way, const char *const *names,
                           size_t count, bake_node_id *values);
/* A text that is not null nor empty; NULL after a report that `what` was expected. */
const char *bake_scene_text(bake_scenes *s, const bake_tree *tree, bake_node_id node,
                            const scene_way *way, const char *what, size_t *ret_length);
/* Notes that memory ran out; false. */
bool bake_scene_no_memory(bake_scenes *s);
/* Counts `amount` copies; false after a report when they are too many. */
bool bake_scene_work(bake_scenes *s, uint64_t amount, const bake_tree *tree, bake_node_id node);

/* Hints at children of that shape whose names are like this one. */
void bake_scene_hint_children(bake_scenes *s, const scene_shape *shape, const char *name,
                              size_t length);

/* scene_components.c */
bool bake_scene_components_init(scene_components *components, const bake_schema *schema,
                                bake_store *store);
/* The component that the key names; UINT32_MAX after a report. `*guess` is the one that came at
 * this place before. */
uint32_t bake_scene_component_find(bake_scenes *s, const bake_tree *tree, bake_node_id node,
                                   const scene_way *way, uint32_t *guess);
/* Whether what is wrong with a base is told already, for another entity of its group. */
bool bake_scene_base_is_told(bake_scenes *s, const bake_tree *tree, bake_node_id node);
/* Reports that the struct cannot be a component, and why. */
void bake_scene_refuse_component(bake_scenes *s, const bake_tree *tree, bake_node_id node,
                                 const scene_way *way, const kiln_type *type);

/* scene_shape.c. All of these may end in `out_of_memory` or `stopped`, returning NULL or false. */
scene_shape *bake_scene_shape_create(bake_scenes *s, const bake_tree *tree, bake_node_id node);
/* The shape itself where the present owner may change it, or else a copy of which that is true,
 * with room for so many more components. */
scene_shape *bake_scene_shape_own(bake_scenes *s, scene_shape *shape, uint32_t more);
scene_part *bake_scene_part_find(const scene_shape *shape, uint32_t component);
bool bake_scene_parts_reserve(bake_scenes *s, scene_shape *shape, uint32_t count);
bool bake_scene_children_reserve(bake_scenes *s, scene_shape *shape, uint32_t count);
/* A new part, which the shape has not yet. */
scene_part *bake_scene_part_add(bake_scenes *s, scene_shape *shape, uint32_t component);
void bake_scene_part_remove(scene_shape *shape, scene_part *part);
/* Puts what is in `over` over the shape. */
bool bake_scene_shape_merge(bake_scenes *s, scene_shape *shape, const scene_shape *over,
                            const scene_way *way);
/* NULL where there is none of the name, or it was dropped. */
scene_child *bake_scene_child_find(bake_scenes *s, scene_shape *shape, const char *name,
                                   size_t length);
scene_child *bake_scene_child_add(bake_scenes *s, scene_shape *shape, const scene_child *child);
/* Makes all children known to this search, which knows dropped ones too; UINT32_MAX. */
bool bake_scene_children_index(bake_scenes *s, scene_shape *shape);
uint32_t bake_scene_child_indexed(const scene_shape *shape, const char *name, size_t length);
/* Indexes and counts whatever the present owner changed in the shape. */
bool bake_scene_shape_seal(bake_scenes *s, scene_shape *shape, const scene_way *way);
/* The same search in a sealed shape. */
const scene_child *bake_scene_child_look_up(const scene_shape *shape, const char *name,
                                            size_t length);

/* scene_entity.c: the shape of the prefab at `node`. */
scene_shape *bake_scene_prefab_read(bake_scenes *s, const bake_tree *tree, bake_node_id node);
/* Whether the prefab at `node` is `abstract: true`. */
bool bake_scene_is_abstract(bake_scenes *s, const bake_tree *tree, bake_node_id node);
/* Changes a child, whose shape its parent owns already, as the mapping at `node` says. */
void bake_scene_override_read(bake_scenes *s, const bake_tree *tree, bake_node_id node,
                              scene_child *child, const scene_way *way);

/* scene_children.c: reads a list of entities into the children of a shape. */
void bake_scene_children_read(bake_scenes *s, const bake_tree *tree, bake_node_id node,
                              scene_shape *shape, const scene_way *way);
/* One entity: its keys are read already. */
scene_shape *bake_scene_entity_read(bake_scenes *s, const bake_tree *tree, bake_node_id node,
                                    scene_shape *under, const scene_way *way);
/* Takes the children named in a list away. */
void bake_scene_drop_read(bake_scenes *s, const bake_tree *tree, bake_node_id node,
                          scene_shape *shape, const scene_way *way);
/* The child to which the way in the scalar `node` leads, its shape and all on the way owned; NULL
 * after a report. */
scene_child *bake_scene_child_at(bake_scenes *s, const bake_tree *tree, bake_node_id node,
                                 scene_shape *shape, const scene_way *way);
/* The child that the way at `*part` leads to first, all of it or the name before the next `/`;
 * `*part` is set to what is behind it, or NULL. NULL where there is none. `*ret_length` bytes were
 * looked for. */
const scene_child *bake_scene_child_on_way(const scene_shape *shape, const char **part,
                                           const char *end, size_t *ret_length);
/* A new entity's name, or nothing (NULL); false after a report. */
bool bake_scene_name_read(bake_scenes *s, const bake_tree *tree, bake_node_id node,
                          const scene_way *way, const char **ret_name, uint32_t *ret_length);
/* Reports names that come twice among the children from number `first` on. */
void bake_scene_children_check(bake_scenes *s, scene_shape *shape, uint32_t first,
                               const scene_way *way);

/* The same for the `entities` of a scene, which may lie in groups. */
void bake_scene_entities_read(bake_scenes *s, const bake_tree *tree, bake_node_id node,
                              scene_shape *shape);

/* scene_said.c: reads the components of an entity, or of a prefab, into its shape. */
typedef struct scene_said {
    const bake_tree *tree;
    bake_node_id node;
    const scene_way *way;
} scene_said;
void bake_scene_said_read(bake_scenes *s, const scene_said *said, const bake_scene_words *words,
                          scene_shape *shape);

/* scene_writing.c: how the unit that is being read is written. */
const bake_scene_words *bake_scene_words_of(const bake_scenes *s);
/* The component that an alternative of the union of prefabs' components is; UINT32_MAX after a
 * report. */
uint32_t bake_scene_alternative_find(bake_scenes *s, const bake_scene_words *words,
                                     const bake_tree *tree, bake_node_id node,
                                     const scene_way *way);

/* scene_prototypes.c: the asset that is a prefab, by its id or an earlier one; one without
 * components for an id that may lead nowhere; NULL. `node` is who asks. */
scene_unit *bake_scene_prototype_find(bake_scenes *s, const bake_tree *tree, bake_node_id node,
                                      const char *id, size_t length);
/* What is known of an id that no prefab has; NULL. */
const struct bake_link *bake_scene_prototype_link(bake_scenes *s, const char *id, size_t length);
/* The shape of an asset that is a prefab. */
scene_shape *bake_scene_prototype_read(bake_scenes *s, const scene_unit *unit);

/* scene_nested.c: the `scenes` of a scene. */
void bake_scene_nested_read(bake_scenes *s, const bake_tree *tree, bake_node_id node,
                            scene_shape *shape);

/* scene_unit.c */
scene_unit *bake_scene_unit_add(bake_scenes *s, scene_table *table, const scene_unit *unit);
scene_unit *bake_scene_unit_find(const scene_table *table, const scene_unit *home, const char *name,
                                 size_t length);
/* The shape of a unit, reading it first where need be; NULL after a report. `node` is who asks. */
scene_shape *bake_scene_unit_shape(bake_scenes *s, scene_unit *unit, const bake_tree *tree,
                                   bake_node_id node, const scene_way *way);
/* The prefab, or the scene, that a scalar names; NULL after a report. */
scene_unit *bake_scene_prefab_named(bake_scenes *s, const bake_tree *tree, bake_node_id node,
                                    const scene_way *way);
scene_unit *bake_scene_named_scene(bake_scenes *s, const bake_tree *tree, bake_node_id node,
                                   const scene_way *way);
/* The same for text, without reports: by its id among scenes of `like`'s kind, or as a name. */
scene_unit *bake_scene_find_scene(const bake_scenes *s, const scene_unit *like, const char *text,
                                  size_t length);
/* Hints at scenes that could have been meant, called as `text` is: by id or whole name. */
void bake_scene_hint_scenes(bake_scenes *s, const scene_unit *like, const char *text,
                            size_t length);
void bake_scene_tables_fini(bake_scenes *s);

#endif
