/* The types of scenes (FORMAT.md section 14), and kiln_types_with_scene, which adds them to a list
 * of types. They are also in the type tables of files, so that readers without Kiln's headers can
 * read scenes. */
#include "type_join.h"

#include <kiln/scene.h>

/* Indices in `descriptions`. */
enum {
    SCENE_U32,
    SCENE_U64,
    SCENE_STRING,
    SCENE_BYTES_4096,
    SCENE_BYTES_64,
    SCENE_REF,
    SCENE_U32_ARRAY,
    SCENE_REF_ARRAY,
    SCENE_NAMES,
    SCENE_FIELD,
    SCENE_FIELD_ARRAY,
    SCENE_COMPONENT,
    SCENE_COMPONENT_ARRAY,
    SCENE_ARCHETYPE,
    SCENE_ARCHETYPE_ARRAY,
    SCENE_IMPORT_TYPE,
    SCENE_IMPORT_ARRAY,
    SCENE_CHUNKS,
    SCENE_CHUNKS_REF,
    SCENE_CHUNKS_REF_ARRAY,
    SCENE_ROOT,
    SCENE_TYPE_COUNT
};

#define FIELD(field_name, field_type, about)                                                       \
    {                                                                                              \
        .name = field_name, .type = field_type, .doc = about                                       \
    }

static const kiln_member field[] = {
    FIELD("name", SCENE_STRING, "Name of an array in the scene's data."),
    FIELD("place", SCENE_U32, "Offset of the word in a row."),
};
static const kiln_member component[] = {
    FIELD("name", SCENE_STRING, "Qualified name of the struct."),
    FIELD("layout", SCENE_U64, "Layout hash of the struct; 0 if it is not known."),
    FIELD("size", SCENE_U32, "Size of a row in bytes; 0 for a tag."),
    FIELD("alignment", SCENE_U32, ""),
    FIELD("entity_places", SCENE_U32_ARRAY, "Offsets of the entities in a row, ascending."),
    FIELD("asset_places", SCENE_U32_ARRAY, "Offsets of the refs in a row, ascending."),
    FIELD("fields", SCENE_FIELD_ARRAY, "Words that refer to the scene's data, by place."),
};
static const kiln_member archetype[] = {
    FIELD("components", SCENE_U32_ARRAY, "Indices in the scene's components, ascending."),
    FIELD("rows", SCENE_U32, ""),
};
static const kiln_member import[] = {
    FIELD("scene", SCENE_STRING, "Name of another scene's asset."),
    FIELD("entity", SCENE_STRING, "Name of an entity there."),
};
static const kiln_member chunks[] = {
    FIELD("images", SCENE_BYTES_4096, "Whole chunks."),
    FIELD("tails", SCENE_BYTES_64, "Trimmed chunks."),
};
static const kiln_member scene[] = {
    FIELD("chunks_hash", SCENE_U64, "Hash in the header of the chunks' blob; 0 without chunks."),
    FIELD("data_hash", SCENE_U64, "Hash in the header of the data's blob; 0 without data."),
    FIELD("components", SCENE_COMPONENT_ARRAY, "Ascending by name."),
    FIELD("archetypes", SCENE_ARCHETYPE_ARRAY, "Ascending by their lists of components."),
    FIELD("names", SCENE_NAMES, "Numbers of entities by their names."),
    FIELD("assets", SCENE_REF_ARRAY, "Assets to which rows refer, ascending by id."),
    FIELD("imports", SCENE_IMPORT_ARRAY,
          "Entities of other scenes, ascending by scene, then by entity."),
    FIELD("chunks", SCENE_CHUNKS_REF_ARRAY, "One ref, or none if no row has bytes."),
    FIELD("data", SCENE_REF_ARRAY, "One ref, or none."),
    FIELD("entities", SCENE_U32, "Total number of rows of all archetypes."),
    FIELD("reserved", SCENE_U32, "0"),
};

#define NUMBER(number_kind)                                                                        \
    {                                                                                              \
        .kind = number_kind                                                                        \
    }
#define BYTES(at)                                                                                  \
    {                                                                                              \
        .kind = KILN_KIND_BYTES, .align_at = at                                                    \
    }
#define REF(type)                                                                                  \
    {                                                                                              \
        .kind = KILN_KIND_REF, .element = type                                                     \
    }
#define ARRAY(element_type)                                                                        \
    {                                                                                              \
        .kind = KILN_KIND_ARRAY, .element = element_type                                           \
    }
#define STRUCT(struct_name, fields, struct_flags)                                                  \
    {                                                                                              \
        .kind = KILN_KIND_STRUCT, .name = struct_name, .members = fields,                          \
        .member_count = sizeof(fields) / sizeof *(fields), .flags = struct_flags                   \
    }

static const kiln_type descriptions[SCENE_TYPE_COUNT] = {
    [SCENE_U32] = NUMBER(KILN_KIND_U32),
    [SCENE_U64] = NUMBER(KILN_KIND_U64),
    [SCENE_STRING] = NUMBER(KILN_KIND_STRING),
    [SCENE_BYTES_4096] = BYTES(4096),
    [SCENE_BYTES_64] = BYTES(64),
    [SCENE_REF] = REF(KILN_TYPE_NONE),
    [SCENE_U32_ARRAY] = ARRAY(SCENE_U32),
    [SCENE_REF_ARRAY] = ARRAY(SCENE_REF),
    [SCENE_NAMES] = {.kind = KILN_KIND_MAP, .key = SCENE_STRING, .element = SCENE_U32},
    [SCENE_FIELD] = STRUCT("kiln.SceneField", field, 0),
    [SCENE_FIELD_ARRAY] = ARRAY(SCENE_FIELD),
    [SCENE_COMPONENT] = STRUCT("kiln.SceneComponent", component, 0),
    [SCENE_COMPONENT_ARRAY] = ARRAY(SCENE_COMPONENT),
    [SCENE_ARCHETYPE] = STRUCT("kiln.SceneArchetype", archetype, 0),
    [SCENE_ARCHETYPE_ARRAY] = ARRAY(SCENE_ARCHETYPE),
    [SCENE_IMPORT_TYPE] = STRUCT("kiln.SceneImport", import, 0),
    [SCENE_IMPORT_ARRAY] = ARRAY(SCENE_IMPORT_TYPE),
    [SCENE_CHUNKS] = STRUCT(KILN_SCENE_CHUNKS_TYPE_NAME, chunks, KILN_TYPE_ASSET),
    [SCENE_CHUNKS_REF] = REF(SCENE_CHUNKS),
    [SCENE_CHUNKS_REF_ARRAY] = ARRAY(SCENE_CHUNKS_REF),
    [SCENE_ROOT] = STRUCT(KILN_SCENE_TYPE_NAME, scene, KILN_TYPE_ASSET),
};

kiln_status kiln_types_with_scene(const kiln_types *types, const kiln_allocator *allocator,
                                  kiln_types **ret_types, kiln_error *reterr)
{
    static const type_addition addition = {
        .types = descriptions,
        .count = SCENE_TYPE_COUNT,
        .root = SCENE_ROOT,
        .layout = KILN_SCENE_LAYOUT,
    };
    return kiln_types_join(types, &addition, allocator, ret_types, reterr);
}
