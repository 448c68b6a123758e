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
    /* Those of an entity. */
    const char *name, *base, *components, *remove, *children, *drop, *abstract;
    const char *way; /* of an entity without a parent; or NULL */
    const char
        *by; /* components are a list of values that name the component by this key; or NULL */
    const char *none; /* a text that means no entity, in addition to null; or NULL */
    /* The keys of a group of entities with one prefab, if entities are grouped; or NULL. */
    const char *group_base, *group_entities;
    uint32_t prefab_type;   /* of assets that are prefabs, too; or KILN_TYPE_NONE */
    uint32_t prefab_member; /* their list of components, */
    uint32_t prefab_union;  /* each a value of this type */
} bake_scene_words;

/* As SCHEMA.md has them. */
extern const bake_scene_words bake_scene_words_default;

/* A key at the top of a document that has an asset of its own as its value. */
typedef struct bake_head {
    const char *key;
    uint32_t type;
} bake_head;

/* A program that makes YAML or bytes from files. */
typedef struct bake_importer {
    const char *name;
    const char *const *command; /* NULL ends it; the first is a path where it has a slash */
    bool gives_bytes;
    unsigned time_max;   /* in milliseconds; 0: any */
    const char *timeout; /* the same as written in the schema */
    bake_mark mark;
} bake_importer;

typedef struct bake_file_rule {
    const char *match;             /* see bake_path_matches */
    const bake_importer *importer; /* that makes the YAML; NULL: the file is YAML */
    bake_shape shape;
    uint32_t type;   /* KILN_TYPE_NONE where the file says it: all but map, list, one without `by`;
                        guids: what the document is besides, or KILN_TYPE_NONE */
    const char *by;  /* list, map: the key that names each value's kind; objects: the way
                        to what the kind ends in; or NULL */
    const char *tag; /* objects: what tags begin with */
    uint64_t whole;  /* objects: the number that means the file itself; or 0 */
    const char *key; /* guids: the key whose value names the file beside the document */
    const char *suffix;       /* guids: what the document's name has behind that file's */
    bake_id_source id_source; /* one, scene, objects, guids */
    const char *id;           /* the same: the text; list: the key whose value is the id */
    const char *kind;         /* scene: the word before the `/`; guids: the same of files without
                                 assets */
    uint32_t parent_type;     /* scene: the component that names an entity's parent; or
                                 KILN_TYPE_NONE */
    uint32_t parent_member;   /* its field */
    bool patches;             /* kinds, map, list: the values change assets of other files */
    bool has_paths;           /* patches: keys may be paths to parts of fields */
    const char *path_key;     /* list of patches: each is one path, under this key, */
    const char *value_key;    /* and its value; or NULL */
    const char *path_id;      /* and what it changes */
    const bake_head *heads;   /* kinds, map, one, scene */
    uint32_t head_count;
    bake_id_source head_source;    /* where their ids come from */
    const char *head_id;           /* the text */
    const bake_scene_words *words; /* scene: NULL for the default */
} bake_file_rule;

/* The rule for scenes in documents of shape kinds, whatever the schema's rules are. */
extern const bake_file_rule bake_scene_rule_of_kinds;

/* A type's place among asset names: the word before the `/`. */
typedef struct bake_kind {
    const char *name;
    uint32_t type;
} bake_kind;

/* Another form in which the value of a field may be written. */
typedef struct bake_member_form {
    uint32_t type, member;
    const char *local;    /* ref: the key of `{key: number}`, an object of the same file; or NULL */
    const char *local_by; /* ref?, when it is not written: the key beside it that is alone and gives
                             the number; or NULL */
    const char *file_by;  /* the key that is beside the number of an object of another file, and
                             names that by its guid; or NULL */
    const char *const *beside; /* local: keys that may stand there and mean nothing */
    uint32_t beside_count;
    bool is_hex; /* u8[N]: hex digits */
} bake_member_form;

/* Other forms in which the values of a type may be written. */
typedef enum bake_writing {
    BAKE_BY_TAG = 1,     /* union: the alternative is the node's tag, behind `by` */
    BAKE_BY_KEY = 2,     /* union: the alternative is the value of the key `by` */
    BAKE_TUPLE = 4,      /* struct: its fields' values as a list */
    BAKE_TUPLE_TEXT = 8, /* and as one text with commas between */
    BAKE_COLOUR = 16,    /* struct of 3 or 4 numbers: `#RRGGBB` and names */
    BAKE_SHORT = 32,    /* struct: anything but a mapping is the value of the field `short_field` */
    BAKE_ANY_CASE = 64, /* enum, flags: names in any letter case */
    BAKE_PREFIX = 128,  /* enum, flags: names with a prefix */
    BAKE_NONE = 256,    /* flags: a word for the empty set */
    BAKE_LITERAL = 512, /* wrap of a string: null is a text like any other */
    BAKE_UNTAGGED = 1 << 14, /* union by tag: what has none is the alternative `short_field` */
    BAKE_ENTITY = 1 << 15    /* wrap of a u32, keys of a map: in scenes the name of an entity */
} bake_writing;

/* A name of an enum or flag set that may be written in other forms. */
typedef struct bake_word {
    const char *name; /* present or earlier */
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
    bake_mark mark;          /* where it is declared; unnamed: used first */
    const char *kind;        /* assets; NULL otherwise */
    const char *by;          /* union: see bake_writing */
    const char *parent;      /* assets: the key that names what they inherit from; or NULL */
    const char *abstract;    /* assets: the key that says that one is for others alone; or NULL */
    const char *id;          /* assets: the key that gives the id in lists; or NULL */
    const bake_words *words; /* enum, flags with such a form */
    uint32_t first_member;   /* number of its first member, counted over all types */
    uint32_t rest;           /* struct: its `rest` field, or KILN_TYPE_NONE */
    uint32_t short_field;    /* struct, union: see bake_writing */
    uint32_t forms;          /* bake_writing, any of them */
    uint32_t row;            /* struct with `component: row`: the component; or KILN_TYPE_NONE */
    uint32_t row_of;         /* such a component: the struct; or KILN_TYPE_NONE */
    uint32_t first_was; /* its members' earlier names, ascending: the first of all types' ... */
    uint32_t was_count; /* ... and how many */
    const bake_member_form *local_by; /* that of a member; or NULL */
    const bake_resource *resource;    /* wrap of a string: a path of one; or NULL */
} bake_type_info;

/* How the value of a field is made if an asset inherits from others. */
typedef enum bake_inherit {
    BAKE_INHERIT_UNSAID,
    BAKE_INHERIT_REPLACE, /* the first asset that has the field gives its value */
    BAKE_INHERIT_MERGE,   /* the values of all are merged */
    BAKE_INHERIT_NEVER    /* only the asset itself gives its value */
} bake_inherit;

/* What the baker knows about a member in addition to its description. */
typedef struct bake_member_info {
    uint8_t inherit;      /* bake_inherit */
    bake_unit unit;       /* that a number is in; 0: none */
    const char *state_of; /* the field whose atlas has the state that a string names; or NULL */
} bake_member_info;

/* A field's default as written; BAKE_NODE_NONE if it has none. */
typedef struct bake_default {
    const bake_tree *tree;
    bake_node_id node;
    bool is_plain; /* its image may be copied as bytes: neither relative fields nor references */
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
    /* Of the first rule that has prefabs among the assets: all name one field. NULL: none has. */
    const bake_scene_words *prototype_words;
    const char *const *accepted; /* names that references may lead to wherever they are */
    size_t accepted_count;
    const bake_importer *importers; /* ascending by name */
    size_t importer_count;
    const char *file_kind; /* that of files known by guids; NULL: no rule has these */
    bool has_links;        /* old or accepted names may be given */
    bool has_rules;
    bool has_inherit;       /* assets of some type inherit */
    bool has_units;         /* a number has one */
    bool has_never;         /* a field says that it is not inherited */
    bool has_resources;     /* a type is a path of resources, or a field a state of one */
    uint32_t scene_data;    /* the type SceneData; KILN_TYPE_NONE where no component has data */
    const char *doc;        /* of the first file; "" without */
    hash_table by_name;     /* members of all types, counted over all of them */
    uint32_t indexed_types; /* those whose members it has */
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
    bool no_table; /* no file has these types, so that its table may be of any size */
} bake_schema_def;

/* Reads schema files and the files they include, and checks all but the values of defaults, whose
 * images the types lack: bake_schema_load (schema_defaults.h) adds them. BAD_INPUT leaves every
 * mistake found in the diagnostics; CANNOT and BUG fill `failure`. `ret_schema` is written only on
 * OK. */
bake_result bake_schema_read(const bake_schema_def *def, bake_schema **ret_schema,
                             bake_failure *failure);
void bake_schema_destroy(bake_schema *schema);

/* Takes ownership of a longer list of types, which begins with the schema's and has their defaults.
 * False if memory runs out, and then the list is destroyed. */
bool bake_schema_replace_types(bake_schema *schema, kiln_types *types);

/* The kind named by `length` bytes; NULL. */
const bake_kind *bake_schema_kind(const bake_schema *schema, const char *name, size_t length);

/* Whether the name is that of the kind of files that guids name. */
bool bake_schema_is_file_kind(const bake_schema *schema, const char *name, size_t length);

/* The importer named by `length` bytes; NULL. */
const bake_importer *bake_schema_importer(const bake_schema *schema, const char *name,
                                          size_t length);
/* The kind of scenes, that of a rule or, where there is one, `Scene`, which is so named; NULL. */
const char *bake_schema_scene_kind(const bake_schema *schema, const char *name, size_t length);

/* The key that gives the id of a value of `type` in a list. */
const char *bake_schema_id_key(const bake_schema *schema, const bake_file_rule *rule,
                               uint32_t type);

/* The head that a key at the top of a document is under `rule` (or NULL); NULL. */
const bake_head *bake_schema_head(const bake_file_rule *rule, const char *key, size_t length);

/* Whether a key in the mapping of an asset of `type`, read by `rule` (NULL: as one of a kind),
 * describes the asset: its kind, its id, its parent. It is not a field unless the type has one of
 * that name. */
bool bake_schema_is_asset_key(const bake_schema *schema, const bake_file_rule *rule, uint32_t type,
                              const char *key, size_t length);

/* The other form of a member's values; NULL if there is none. */
const bake_member_form *bake_schema_member_form(const bake_schema *schema, uint32_t type,
                                                uint32_t member);

/* Fills the table of members by name; false if memory runs out. */
bool bake_schema_index(bake_schema *schema);
/* The member of a type, by its present name; NULL. */
const kiln_member *bake_schema_present_member(const bake_schema *schema, uint32_t type,
                                              const char *name, size_t length);

/* The member of a type, by its name or an earlier one (then `*ret_was` is set); NULL. */
const kiln_member *bake_schema_member(const bake_schema *schema, uint32_t type, const char *name,
                                      size_t length, bool *ret_was);

/* The same of a value of an enum or flag set, also as its forms have it. */
const kiln_member *bake_schema_value(const bake_schema *schema, uint32_t type, const char *name,
                                     size_t length, bool *ret_was);

/* Whether the name is that of a flag set's empty value, in the forms that names have. */
bool bake_schema_is_none(const bake_schema *schema, uint32_t type, const char *name, size_t length);

/* How long the longest prefix is that a name begins with, of those that the type allows; 0. */
size_t bake_schema_prefix(const bake_schema *schema, uint32_t type, const char *name,
                          size_t length);

/* The wrapped type of a wrap, through wraps of wraps; any other type itself. */
static inline uint32_t bake_type_unwrapped(const kiln_types *types, uint32_t type)
{
    const kiln_type *of;
    while ((of = kiln_types_get(types, type))->flags & KILN_TYPE_TRANSPARENT)
        type = of->members[0].type;
    return type;
}

/* Whether a value of this type may be left out because it has an empty value: optional, list, map,
 * union, a wrap or data of one of these, or an entity. */
bool bake_type_has_empty(const kiln_types *types, uint32_t type);

/* The atlas that a value of the type is the path of, also as `T?`, in wraps and in a scene's data;
 * NULL if it is not one. */
const bake_resource *bake_schema_atlas(const bake_schema *schema, uint32_t type);

/* The rule for an input; NULL. */
const bake_file_rule *bake_schema_rule(const bake_schema *schema, const char *path);

#endif
