/* A schema in memory: its types, and what else the baker needs to know (SCHEMA.md).
 *
 * A schema is immutable after reading, owns its trees, and points into the texts that the gateway
 * read, so it must not outlive the gateway. Defaults are stored as nodes, too, since a default may
 * contain references, and their assets are known only when files are baked.
 *
 * schema.c reads; schema_look.c, schema_words.c, schema_forms.c, schema_importers.c,
 * schema_resources.c and schema_scene_rules.c also have the look-ups that are declared here. */
#ifndef BAKE_SCHEMA_H
#define BAKE_SCHEMA_H

#include "bake_result.h"
#include "bake_store.h"
#include "diagnostics.h"
#include "hash_table.h"
#include "resource_kind.h"
#include "tree.h"
#include "unit.h"

#include <kiln/types.h>

typedef struct bake_gateway bake_gateway;

typedef enum bake_shape {
    BAKE_SHAPE_KINDS,
    BAKE_SHAPE_MAP,
    BAKE_SHAPE_LIST,
    BAKE_SHAPE_ONE,
    BAKE_SHAPE_SCENE,
    BAKE_SHAPE_PREFABS,
    BAKE_SHAPE_OBJECTS,
    BAKE_SHAPE_RENAMES,
    BAKE_SHAPE_ACCEPTED,
    BAKE_SHAPE_GUIDS
} bake_shape;

/* Where the id of an asset of shape `one`, `scene`, `objects` or `guids` comes from. */
typedef enum bake_id_source {
    BAKE_ID_STEM,  /* items/sword.yaml: `sword` */
    BAKE_ID_NAME,  /* `sword.yaml` */
    BAKE_ID_PATH,  /* `items/sword` */
    BAKE_ID_FILE,  /* `items/sword.yaml` */
    BAKE_ID_SHORT, /* scenes/cave.scene.yaml: `cave` */
    BAKE_ID_TEXT   /* `id` */
} bake_id_source;

/* How scenes are written. */
typedef struct bake_scene_words {
    const char *entities; /* the key of a scene */
    /* The keys of an entity. */
    const char *name, *base, *components, *remove, *children, *drop, *abstract;
    const char *way;  /* the key with the whole path of an entity; or NULL */
    const char *by;   /* if components are a list: the key of each element that names its component;
                         or NULL */
    const char *none; /* a text that means no entity, in addition to null; or NULL */
    /* The keys of a group of entities with one prefab, if entities are grouped; or NULL. */
    const char *group_base, *group_entities;
    uint32_t prefab_type;   /* the type of assets that are also prefabs; or KILN_TYPE_NONE */
    uint32_t prefab_member; /* its field with the list of components, */
    uint32_t prefab_union;  /* the type of its elements, a union */
} bake_scene_words;

/* The default keys (SCHEMA.md, "Scenes"). */
extern const bake_scene_words bake_scene_words_default;

/* A key at the top of a document that has an asset of its own as its value. */
typedef struct bake_head {
    const char *key;
    uint32_t type;
} bake_head;

/* A program that makes YAML or bytes from files. */
typedef struct bake_importer {
    const char *name;
    const char *const *command; /* ends with NULL; the first element is a path if it has a slash */
    bool gives_bytes;
    unsigned time_max;   /* in milliseconds; 0: no limit */
    const char *timeout; /* the same as written in the schema */
    bake_mark mark;
} bake_importer;

typedef struct bake_file_rule {
    const char *match;             /* see bake_path_matches */
    const bake_importer *importer; /* converts the file to YAML; NULL: the file is YAML */
    bake_shape shape;
    uint32_t type;  /* map, list, one, renames: the type of the values; guids: that of the document
                       as an asset; KILN_TYPE_NONE for other shapes, and if `by` names the types */
    const char *by; /* list, map: the key with each value's kind; objects: the path to the text that
                       the kind ends in; or NULL */
    const char *tag;          /* objects: the prefix of tags */
    uint64_t whole;           /* objects: the number that means the file itself; or 0 */
    const char *key;          /* guids: the key with the guid of the described file */
    const char *suffix;       /* guids: what the document's name adds to the name of that file */
    bake_id_source id_source; /* one, scene, objects, guids */
    const char *id;   /* if `id_source` is BAKE_ID_TEXT: the text; list: the key with the id */
    const char *kind; /* the word before the `/` in names; scene: of scenes; guids: of files without
                         assets */
    uint32_t parent_type;   /* scene: the component that names an entity's parent; or
                               KILN_TYPE_NONE */
    uint32_t parent_member; /* its field */
    bool patches;           /* kinds, map, list: the values change assets of other files */
    bool has_paths;         /* patches: keys may be paths to parts of fields */
    const char *path_key;   /* list of patches with one path each: the key of the path, */
    const char *value_key;  /* of its value, */
    const char *path_id;    /* and of the changed asset's id; or NULL */
    const bake_head *heads; /* kinds, map, one, scene */
    uint32_t head_count;
    bake_id_source head_source;    /* where their ids come from */
    const char *head_id;           /* the text, for BAKE_ID_TEXT */
    const bake_scene_words *words; /* scene: NULL for the default */
} bake_file_rule;

/* The rule for scenes in documents of shape kinds; it does not depend on the schema's rules. */
extern const bake_file_rule bake_scene_rule_of_kinds;

/* A kind, the word before the `/` in asset names, and its type. */
typedef struct bake_kind {
    const char *name;
    uint32_t type;
} bake_kind;

/* Another form in which the value of a field may be written. */
typedef struct bake_member_form {
    uint32_t type, member;
    const char *local;    /* ref: the key of `{key: number}`, an object of the same file; or NULL */
    const char *local_by; /* ref? that is not written: the key with the number, which must be the
                             only one; or NULL */
    const char *file_by;  /* the key with the guid of the file, next to the number of an object in
                             it; or NULL */
    const char *const *beside; /* local: other keys that are allowed and ignored */
    uint32_t beside_count;
    bool is_hex; /* u8[N]: hex digits */
} bake_member_form;

/* Other forms in which the values of a type may be written. */
typedef enum bake_writing {
    BAKE_BY_TAG = 1,     /* union: the alternative is the node's tag after the prefix `by` */
    BAKE_BY_KEY = 2,     /* union: the alternative is the value of the key `by` */
    BAKE_TUPLE = 4,      /* struct: its fields' values as a list */
    BAKE_TUPLE_TEXT = 8, /* and as one text with commas between */
    BAKE_COLOUR = 16,    /* struct of 3 or 4 numbers: `#RRGGBB` and names */
    BAKE_SHORT = 32,    /* struct: anything but a mapping is the value of the field `short_field` */
    BAKE_ANY_CASE = 64, /* enum, flags: names in any letter case */
    BAKE_PREFIX = 128,  /* enum, flags: names with a prefix */
    BAKE_NONE = 256,    /* flags: a word for the empty set */
    BAKE_LITERAL = 512, /* newtype of a string: a plain null is text */
    BAKE_UNTAGGED = 1 << 14, /* union by tag: an untagged value has the alternative `short_field` */
    BAKE_ENTITY = 1 << 15    /* newtype of a u32, map keys: in scenes, an entity's name */
} bake_writing;

/* A name of an enum or flag set that may be written in other forms. */
typedef struct bake_word {
    const char *name; /* current or earlier */
    uint32_t member;
    bool is_was;
} bake_word;

typedef struct bake_words {
    const bake_word *words; /* ascending without regard to case; NULL unless BAKE_ANY_CASE */
    uint32_t word_count;
    uint32_t prefix_count;
    const char *const *prefixes;
    const char *none; /* flags: see BAKE_NONE */
} bake_words;

typedef struct bake_type_info {
    bake_mark mark;          /* its declaration; unnamed types: the first use */
    const char *kind;        /* assets: see bake_kind; or NULL */
    const char *by;          /* union: see bake_writing */
    const char *parent;      /* assets: the key with the parents; or NULL */
    const char *abstract;    /* assets: the key that makes an asset abstract; or NULL */
    const char *id;          /* assets: the key that gives the id in lists; or NULL */
    const bake_words *words; /* enum, flags: forms of names; or NULL */
    uint32_t first_member;   /* the number of its first member among those of all types */
    uint32_t rest;           /* struct: its `rest` field, or KILN_TYPE_NONE */
    uint32_t short_field;    /* struct, union: see bake_writing */
    uint32_t forms;          /* bake_writing, any of them */
    uint32_t row;            /* struct with `component: row`: its row; or KILN_TYPE_NONE */
    uint32_t row_of;         /* row: its struct; or KILN_TYPE_NONE */
    uint32_t first_was;      /* the first of its members' earlier names in bake_schema.was, */
    uint32_t was_count;      /* and how many it has */
    const bake_member_form *local_by; /* the form of its member with `local_by`; or NULL */
    const bake_resource *resource;    /* newtype of a string: what its paths name; or NULL */
} bake_type_info;

/* How the values of a field combine if an asset inherits from others. */
typedef enum bake_inherit {
    BAKE_INHERIT_UNSET,
    BAKE_INHERIT_REPLACE, /* the first asset that has the field gives its value */
    BAKE_INHERIT_MERGE,   /* the values of all are merged */
    BAKE_INHERIT_NEVER    /* only the asset itself gives its value */
} bake_inherit;

/* What the baker knows about a member in addition to its description. */
typedef struct bake_member_info {
    uint8_t inherit;      /* bake_inherit */
    bake_unit unit;       /* the unit of a number; 0: none */
    const char *state_of; /* a string that names a state: the field with its atlas; or NULL */
} bake_member_info;

/* A field's default as written; BAKE_NODE_NONE if it has none. */
typedef struct bake_default {
    const bake_tree *tree;
    bake_node_id node;
    bool is_plain; /* its image has no relative fields and no references, so it may be copied as
                      bytes */
} bake_default;

/* An earlier name of a member. */
typedef struct bake_was {
    const char *name;
    uint32_t member;
} bake_was;

typedef struct bake_schema {
    kiln_types *types;
    bake_was *was; /* by type, each ascending by name, then member */
    uint32_t was_count;
    bake_type_info *info;      /* by type */
    bake_default *defaults;    /* by member, counted over all types */
    bake_member_info *members; /* likewise */
    uint32_t member_count;
    bake_member_form *forms; /* of the members that have one, ascending */
    size_t form_count;
    const bake_kind *kinds; /* ascending by name */
    size_t kind_count;
    const bake_file_rule *rules;
    size_t rule_count;
    /* The words of the first rule with `prefabs: Type.field`; all such rules name the same field.
     * NULL: there is no such rule. */
    const bake_scene_words *prototype_words;
    const char *const *accepted; /* names that references may use without an asset */
    size_t accepted_count;
    const bake_importer *importers; /* ascending by name */
    size_t importer_count;
    const char *file_kind; /* the kind of files that have guids; NULL: no such rule */
    bool has_links;        /* the inputs or the schema may list earlier or accepted names */
    bool has_rules;
    bool has_inherit;       /* assets of some type inherit */
    bool has_units;         /* a number has a unit */
    bool has_never;         /* a field has `inherit: never` */
    bool has_resources;     /* a type is a resource path, or a field is a state of an atlas */
    uint32_t scene_data;    /* the type SceneData; KILN_TYPE_NONE if no component has data */
    const char *doc;        /* of the first file; "" if it has none */
    hash_table by_name;     /* finds members of all types */
    uint32_t indexed_types; /* the number of types with their members in `by_name` */
    bake_store store;
    bake_tree **trees;
    size_t tree_count;
} bake_schema;

typedef struct bake_schema_def {
    bake_gateway *gateway;
    bake_diagnostics *diagnostics;
    const char *const *paths; /* at least one */
    size_t path_count;
    const char *const *include_folders;
    size_t include_count;
    bool no_table; /* no file will contain the type table, so its size is not limited */
} bake_schema_def;

/* Reads schema files and the files they include, and checks everything except the values of
 * defaults. The types lack the images of defaults: bake_schema_load (schema_defaults.h) adds them.
 * BAD_INPUT leaves every mistake found in the diagnostics; CANNOT and BUG fill `failure`.
 * `ret_schema` is written only on OK. */
bake_result bake_schema_read(const bake_schema_def *def, bake_schema **ret_schema,
                             bake_failure *failure);
void bake_schema_destroy(bake_schema *schema);

/* Takes ownership of a longer list of types, which begins with the schema's types and has their
 * defaults. False if memory runs out, and then the list is destroyed. */
bool bake_schema_replace_types(bake_schema *schema, kiln_types *types);

/* The kind with this name; NULL if there is none. */
const bake_kind *bake_schema_kind(const bake_schema *schema, const char *name, size_t length);

/* Whether this is the kind of files that have guids. */
bool bake_schema_is_file_kind(const bake_schema *schema, const char *name, size_t length);

/* The importer with this name; NULL if there is none. */
const bake_importer *bake_schema_importer(const bake_schema *schema, const char *name,
                                          size_t length);
/* The kind of scenes with this name: that of a rule of shape scene, or `Scene` if there is such a
 * rule; otherwise NULL. */
const char *bake_schema_scene_kind(const bake_schema *schema, const char *name, size_t length);

/* The key that gives the id of a value of `type` in a list. */
const char *bake_schema_id_key(const bake_schema *schema, const bake_file_rule *rule,
                               uint32_t type);

/* The head of `rule` (NULL: no rule) with this key; NULL if there is none. */
const bake_head *bake_schema_head(const bake_file_rule *rule, const char *key, size_t length);

/* Whether a key in the mapping of an asset of `type`, read by `rule` (NULL: as one of a kind),
 * describes the asset, such as its kind, id or parent. Such a key is a field only if the type has a
 * field of that name. */
bool bake_schema_is_asset_key(const bake_schema *schema, const bake_file_rule *rule, uint32_t type,
                              const char *key, size_t length);

/* The other form of a member's values; NULL if there is none. */
const bake_member_form *bake_schema_member_form(const bake_schema *schema, uint32_t type,
                                                uint32_t member);

/* Fills the table of members by name; false if memory runs out. */
bool bake_schema_index(bake_schema *schema);
/* The member of a type with this current name; NULL if there is none. */
const kiln_member *bake_schema_present_member(const bake_schema *schema, uint32_t type,
                                              const char *name, size_t length);

/* The member of a type with this current or earlier name (`*ret_was`); NULL if there is none. */
const kiln_member *bake_schema_member(const bake_schema *schema, uint32_t type, const char *name,
                                      size_t length, bool *ret_was);

/* The same for values of enums and flag sets, also in the other forms of their names. */
const kiln_member *bake_schema_value(const bake_schema *schema, uint32_t type, const char *name,
                                     size_t length, bool *ret_was);

/* Whether the name means the empty set of a flag set, also in another form of its name. */
bool bake_schema_is_none(const bake_schema *schema, uint32_t type, const char *name, size_t length);

/* The length of the longest prefix of the type that the name begins with; 0 if there is none. */
size_t bake_schema_prefix(const bake_schema *schema, uint32_t type, const char *name,
                          size_t length);

/* The value type of a newtype, through newtypes of newtypes; any other type itself. */
static inline uint32_t bake_type_unwrapped(const kiln_types *types, uint32_t type)
{
    const kiln_type *of;
    while ((of = kiln_types_get(types, type))->flags & KILN_TYPE_TRANSPARENT)
        type = of->members[0].type;
    return type;
}

/* Whether a value of this type may be left out because it has an empty value: an optional, list,
 * map or union, a newtype or data of one of these, or an entity. */
bool bake_type_has_empty(const kiln_types *types, uint32_t type);

/* The atlas type of paths that are values of this type, also through `T?`, newtypes and data; NULL
 * if its values are not paths of atlases. */
const bake_resource *bake_schema_atlas(const bake_schema *schema, uint32_t type);

/* The first rule that matches the path of an input; NULL if there is none. */
const bake_file_rule *bake_schema_rule(const bake_schema *schema, const char *path);

#endif
