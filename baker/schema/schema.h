/* A schema in memory: its types, and the attributes that only the baker needs (SCHEMA.md).
 *
 * A schema is immutable after reading. It owns its trees, but points into the files that the
 * gateway read, so the gateway must outlive the schema. Defaults are also stored as nodes: they can
 * contain references, and the referenced assets are known only when files are baked.
 *
 * schema.c reads schemas. The lookups declared here are in schema_lookup.c, schema_words.c,
 * schema_forms.c, schema_importers.c, schema_resources.c and schema_scene_rules.c. */
#ifndef BAKE_SCHEMA_H
#define BAKE_SCHEMA_H

#include "bake_result.h"
#include "bake_store.h"
#include "cluster_role.h"
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

/* The keys of scene documents. */
typedef struct bake_scene_words {
    const char *entities; /* the key with the entities of a scene */
    /* The keys of an entity. */
    const char *name, *base, *components, *remove, *children, *drop, *abstract;
    const char *path; /* the key with the full path of an entity; or NULL */
    const char
        *by; /* if components are a list: the key that names the component of an element; or NULL */
    const char *none; /* a string that means no entity, in addition to null; or NULL */
    /* If entities are grouped by prefab: the keys of a group; or NULL. */
    const char *group_base, *group_entities;
    uint32_t prefab_type;   /* the asset type whose assets are also prefabs; or KILN_TYPE_NONE */
    uint32_t prefab_member; /* its field with the list of components */
    uint32_t prefab_union;  /* the element type of that list, a union */
} bake_scene_words;

/* The default keys (SCHEMA.md, "Scenes"). */
extern const bake_scene_words bake_scene_words_default;

/* A top-level key of a document whose value is a separate asset. */
typedef struct bake_head {
    const char *key;
    uint32_t type;
} bake_head;

/* A program that converts files to YAML or bytes. */
typedef struct bake_importer {
    const char *name;
    const char *const
        *command; /* NULL-terminated; the first element is a path if it contains a slash */
    bool outputs_bytes;
    unsigned time_max;         /* in milliseconds; 0: no limit */
    const char *timeout;       /* the time limit as written in the schema */
    const char *const *inputs; /* other files that the program reads; NULL-terminated */
    bool has_unknown_inputs;   /* it may read more than these */
    bake_mark mark;
} bake_importer;

typedef struct bake_file_rule {
    const char *match;             /* see bake_path_matches */
    const bake_importer *importer; /* converts the file to YAML; NULL: the file is YAML */
    bake_shape shape;
    uint32_t type;  /* map, list, one, renames: type of the values; guids: type of the documents, if
                       they are assets; KILN_TYPE_NONE with `by` and in all other cases */
    const char *by; /* list, map: the key with the kind of each value; objects: the path of the
                       scalar that is appended to the kind; or NULL */
    const char *tag;    /* objects: the prefix of tags */
    uint64_t whole;     /* objects: the number that refers to the file itself; or 0 */
    const char *key;    /* guids: the key with the guid of the described file */
    const char *suffix; /* guids: the suffix that the document adds to the name of that file */
    bake_id_source id_source; /* one, scene, objects, guids */
    const char *id;           /* BAKE_ID_TEXT: the id itself; list: the key with the id */
    const char *kind;       /* scene, guids: the part before the `/` in the names of scenes, and of
                               files that are not assets */
    uint32_t parent_type;   /* scene: the component that names an entity's parent; or
                               KILN_TYPE_NONE */
    uint32_t parent_member; /* its field */
    bool patches;           /* kinds, map, list: the values change assets of other files */
    bool has_paths;         /* patches: keys can be paths into fields */
    const char *path_key;   /* list of single-path patches: the key of the path */
    const char *value_key;  /* the key of the value */
    const char *path_id;    /* the key of the patched asset's id; or NULL */
    const bake_head *heads; /* kinds, map, one, scene */
    uint32_t head_count;
    bake_id_source head_source;    /* source of the ids of the heads */
    const char *head_id;           /* for BAKE_ID_TEXT: the id */
    const bake_scene_words *words; /* scene: the keys; NULL: the default ones */
} bake_file_rule;

/* The built-in rule for scenes in documents of shape `kinds`. */
extern const bake_file_rule bake_scene_rule_of_kinds;

/* A kind, which is the part of asset names before the `/`, and its type. */
typedef struct bake_kind {
    const char *name;
    uint32_t type;
} bake_kind;

/* An additional form for the values of a field. */
typedef struct bake_member_form {
    uint32_t type, member;
    const char *local;    /* ref: the key in `{key: number}`, which refers to an object of the same
                             file; or NULL */
    const char *local_by; /* derived `ref?`: the field with the number of the object; the number is
                             used if no field besides it and `file_by` is written; or NULL */
    const char *file_by;  /* the key with the guid of the file that contains the object; or NULL */
    const char *const *beside; /* local: keys that are allowed but ignored */
    uint32_t beside_count;
    bool is_hex; /* u8[N]: can be written as hex digits */
} bake_member_form;

/* Additional forms for the values of a type, as flags. */
typedef enum bake_form_flags {
    BAKE_BY_TAG = 1,         /* union: the tag is the prefix `by`, then the alternative */
    BAKE_BY_KEY = 2,         /* union: the key `by` names the alternative */
    BAKE_TUPLE = 4,          /* struct: a list of field values */
    BAKE_TUPLE_TEXT = 8,     /* tuple: also a comma-separated scalar */
    BAKE_COLOUR = 16,        /* struct of 3 or 4 numbers: `#RRGGBB` and names */
    BAKE_SHORT = 32,         /* struct: any value except a mapping is the value of `short_field` */
    BAKE_ANY_CASE = 64,      /* enum, flags: names in any letter case */
    BAKE_PREFIX = 128,       /* enum, flags: names with a prefix */
    BAKE_NONE = 256,         /* flags: a word for the empty set */
    BAKE_LITERAL = 512,      /* newtype of a string: a plain null is a string */
    BAKE_UNTAGGED = 1 << 14, /* union by tag: untagged values are of alternative `short_field` */
    BAKE_ENTITY = 1 << 15    /* newtype of u32, map keys: an entity name in scenes */
} bake_form_flags;

/* A name of an enum or flag set that has additional forms. */
typedef struct bake_word {
    const char *name; /* current or earlier */
    uint32_t member;
    bool is_was;
} bake_word;

typedef struct bake_words {
    const bake_word *words; /* sorted, ignoring case; NULL unless BAKE_ANY_CASE */
    uint32_t word_count;
    uint32_t prefix_count;
    const char *const *prefixes;
    const char *none; /* flags: see BAKE_NONE */
} bake_words;

typedef struct bake_type_info {
    bake_mark mark;                   /* the declaration; unnamed types: the first use */
    const char *kind;                 /* assets: see bake_kind; or NULL */
    const char *by;                   /* union: see bake_form_flags */
    const char *parent;               /* assets: the key with the parents; or NULL */
    const char *abstract;             /* assets: the key that makes an asset abstract; or NULL */
    const char *id;                   /* assets: the key with the id in lists; or NULL */
    bake_cluster_role cluster;        /* assets: their role in clusters */
    const bake_words *words;          /* enum, flags: additional forms of names; or NULL */
    uint32_t first_member;            /* index of its first member in tables of all members */
    uint32_t rest;                    /* struct: its `rest` field, or KILN_TYPE_NONE */
    uint32_t short_field;             /* struct, union: see bake_form_flags */
    uint32_t forms;                   /* set of bake_form_flags */
    uint32_t row;                     /* struct with `component: row`: its row; or KILN_TYPE_NONE */
    uint32_t row_of;                  /* row: its struct; or KILN_TYPE_NONE */
    uint32_t first_was;               /* its range in bake_schema.was: the first index */
    uint32_t was_count;               /* and the number of entries */
    const bake_member_form *local_by; /* the form of the member with `local_by`; or NULL */
    const bake_resource *resource;    /* newtype of a string: the resource at its paths; or NULL */
} bake_type_info;

/* How inheritance combines the values of a field. */
typedef enum bake_inherit {
    BAKE_INHERIT_UNSET,
    BAKE_INHERIT_REPLACE, /* the first asset that writes the field wins */
    BAKE_INHERIT_MERGE,   /* all values are merged */
    BAKE_INHERIT_NEVER    /* nothing is inherited */
} bake_inherit;

/* How the data of a payload are stored. */
typedef struct bake_payload_form {
    uint32_t alignment;  /* 0: the default */
    uint32_t frame_size; /* 0: plain */
} bake_payload_form;

/* Attributes of a member that are not part of kiln_member. */
typedef struct bake_member_info {
    uint8_t inherit;           /* bake_inherit */
    bake_unit unit;            /* the unit of a number; 0: none */
    const char *state_of;      /* for the name of a state: the field with its atlas; or NULL */
    bake_payload_form payload; /* for a payload */
} bake_member_info;

/* The default of a field as written; `node` is BAKE_NODE_NONE if there is none. */
typedef struct bake_default {
    const bake_tree *tree;
    bake_node_id node;
    bool is_plain; /* its image has no relative fields and no references, so it can be copied
                      bytewise */
} bake_default;

/* An earlier name of a member. */
typedef struct bake_was {
    const char *name;
    uint32_t member;
} bake_was;

typedef struct bake_schema {
    kiln_types *types;
    bake_was *was; /* grouped by type, then sorted by name and member */
    uint32_t was_count;
    bake_type_info *info;      /* by type */
    bake_default *defaults;    /* by member, counted over all types */
    bake_member_info *members; /* likewise */
    uint32_t member_count;
    bake_member_form *forms; /* sorted by type and member */
    size_t form_count;
    const bake_kind *kinds; /* ascending by name */
    size_t kind_count;
    const bake_file_rule *rules;
    size_t rule_count;
    /* The keys of the first rule with `prefabs: Type.field`; all such rules name the same field.
     * NULL: there is no such rule. */
    const bake_scene_words *prototype_words;
    const char *const *accepted; /* names that references can use without an asset */
    size_t accepted_count;
    const bake_importer *importers; /* ascending by name */
    size_t importer_count;
    const char *file_kind; /* the kind of files with guids; NULL: no rule of shape guids */
    bool has_links;        /* inputs or the schema can list renames, accepted names or guids */
    bool has_rules;
    bool has_inherit;       /* some type has `inherit` */
    bool has_clusters;      /* some type has `cluster` */
    bool has_units;         /* some number has a unit */
    bool has_never;         /* some field has `inherit: never` */
    bool has_resources;     /* some type is a resource path, or some field is a state of an atlas */
    uint32_t payload;       /* the type kiln.Payload; KILN_TYPE_NONE if no type uses `payload` */
    uint32_t scene_data;    /* the type SceneData; KILN_TYPE_NONE if no component has data */
    const char *doc;        /* the `doc` of the first file, or "" */
    hash_table by_name;     /* the members of all types */
    uint32_t indexed_types; /* the number of types whose members are in `by_name` */
    bake_store store;
    bake_tree **trees;
    const char **tree_paths; /* by tree: the path of its file; "" for importers of the options */
    size_t tree_count;
} bake_schema;

typedef struct bake_schema_def {
    bake_gateway *gateway;
    bake_diagnostics *diagnostics;
    const char *const *paths; /* at least one */
    size_t path_count;
    const char *const *include_folders;
    size_t include_count;
    bool no_table; /* no output contains the type table, so its size is not limited */
    /* Importers as YAML mappings from names to importers. They replace those of the schemas that
     * have the same names; a later one replaces an earlier one. Programs with a slash in their
     * names are relative to the current folder. */
    const char *const *importers;
    size_t importer_count;
} bake_schema_def;

/* Reads schema files and their includes. Checks everything except the values of defaults. The types
 * lack the images of defaults; bake_schema_load (schema_defaults.h) adds them. On BAKE_BAD_INPUT
 * the diagnostics contain all errors found; BAKE_FAILED and BAKE_BUG fill `failure`. Writes
 * `ret_schema` only on BAKE_OK. */
bake_result bake_schema_read(const bake_schema_def *def, bake_schema **ret_schema,
                             bake_failure *failure);
void bake_schema_destroy(bake_schema *schema);

/* Replaces the types with an extended list, which begins with the current types and has the images
 * of their defaults. Takes ownership of `types`, even if memory runs out and it returns false. */
bool bake_schema_replace_types(bake_schema *schema, kiln_types *types);

/* Returns the kind with this name, or NULL. */
const bake_kind *bake_schema_kind(const bake_schema *schema, const char *name, size_t length);

/* Whether `name` is the kind of files with guids. */
bool bake_schema_is_file_kind(const bake_schema *schema, const char *name, size_t length);

/* A mapping from names to importers outside of a schema. */
typedef struct bake_importers_def {
    bake_diagnostics *diagnostics;
    const bake_tree *tree;
    bake_node_id node;
    const char *path; /* of the file: programs with a slash in their names are relative to it */
    bake_store *store;
} bake_importers_def;

/* Reads a mapping as the key `importers` of a schema has it. Mistakes are reported, and such
 * importers are skipped. The importers are sorted by name and belong to the store. Returns NULL
 * after a report for the whole mapping, or if memory runs out. */
bake_importer *bake_importers_read(const bake_importers_def *def, size_t *ret_count);
/* Replaces the importers in `to` that have the same names as those in `by`, and adds the others.
 * Both are sorted by name. `to` has room for all. Returns the number of importers. */
size_t bake_importers_merge(bake_importer *to, size_t count, const bake_importer *by,
                            size_t by_count);

/* Returns the importer with this name, or NULL. */
const bake_importer *bake_schema_importer(const bake_schema *schema, const char *name,
                                          size_t length);
/* Returns the scene kind with this name: the kind of a rule of shape scene, or `Scene` if there is
 * any such rule. Returns NULL for any other name. */
const char *bake_schema_scene_kind(const bake_schema *schema, const char *name, size_t length);

/* Returns the key with the id of values of `type` in a list. */
const char *bake_schema_id_key(const bake_schema *schema, const bake_file_rule *rule,
                               uint32_t type);

/* Returns the head of `rule` with this key, or NULL. `rule` can be NULL. */
const bake_head *bake_schema_head(const bake_file_rule *rule, const char *key, size_t length);

/* Whether a key in the mapping of an asset is a head of the rule, or describes the asset itself,
 * such as its kind, id or parent. `rule` is NULL in documents of shape `kinds`. If `type` has a
 * field of that name, the key also sets the field. */
bool bake_schema_is_asset_key(const bake_schema *schema, const bake_file_rule *rule, uint32_t type,
                              const char *key, size_t length);

/* Returns the additional form of a member's values, or NULL. */
const bake_member_form *bake_schema_member_form(const bake_schema *schema, uint32_t type,
                                                uint32_t member);

/* Fills the table of members by name. Returns false if memory runs out. */
bool bake_schema_index(bake_schema *schema);
/* Returns the member of a type with this current name, or NULL. */
const kiln_member *bake_schema_current_member(const bake_schema *schema, uint32_t type,
                                              const char *name, size_t length);

/* Returns the member of a type with this current or earlier name, or NULL. Sets `*ret_was` for an
 * earlier name. */
const kiln_member *bake_schema_member(const bake_schema *schema, uint32_t type, const char *name,
                                      size_t length, bool *ret_was);

/* Like bake_schema_member, for values of enums and flag sets, whose names can also be in an
 * additional form. */
const kiln_member *bake_schema_value(const bake_schema *schema, uint32_t type, const char *name,
                                     size_t length, bool *ret_was);

/* Whether the name is the `none` of a flag set, in any of its forms. */
bool bake_schema_is_none(const bake_schema *schema, uint32_t type, const char *name, size_t length);

/* Returns the length of the longest declared prefix that the name begins with, or 0. */
size_t bake_schema_prefix(const bake_schema *schema, uint32_t type, const char *name,
                          size_t length);

/* Unwraps newtypes at any depth; returns other types unchanged. */
static inline uint32_t bake_type_unwrapped(const kiln_types *types, uint32_t type)
{
    const kiln_type *of;
    while ((of = kiln_types_get(types, type))->flags & KILN_TYPE_TRANSPARENT)
        type = of->members[0].type;
    return type;
}

/* Whether values of this type can be left out because the type has an empty value. Such types are
 * entities, optionals, lists, maps and unions, and newtypes and data of these. */
bool bake_type_has_empty(const kiln_types *types, uint32_t type);

/* Returns the resource of this type if its values are paths of atlases, including through `T?`,
 * newtypes and data; otherwise NULL. */
const bake_resource *bake_schema_atlas(const bake_schema *schema, uint32_t type);

/* Returns the first rule that matches the path of an input, or NULL. */
const bake_file_rule *bake_schema_rule(const bake_schema *schema, const char *path);

#endif
