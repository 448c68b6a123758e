/* The types of scenes (FORMAT.md section 14), and kiln_types_with_scene, which adds them to a list
 * of types. They are also in the type tables of files, so that readers without Kiln's headers can
 * read scenes. */
#include "type_list.h"

#include <kiln/scene.h>
#include <string.h>

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

/* A list of types to which the types of scenes are being added. */
typedef struct type_joiner {
    kiln_type *types;
    uint32_t count;
    uint32_t numbers[SCENE_TYPE_COUNT]; /* in the extended list */
    kiln_member members[SCENE_TYPE_COUNT][sizeof scene / sizeof *scene];
} type_joiner;

static uint32_t number_in(const type_joiner *j, uint32_t number)
{
    return number == KILN_TYPE_NONE ? KILN_TYPE_NONE : j->numbers[number];
}

/* T4: a list must not contain an unnamed type twice, so existing ones are reused. Returns
 * `j->count` if the list does not contain the type. */
static uint32_t find_unnamed(const type_joiner *j, const kiln_type *type)
{
    for (uint32_t i = 0; i < j->count; i++) {
        const kiln_type *other = &j->types[i];
        if (other->kind != type->kind)
            continue;
        if ((!kind_has_element(type->kind) || other->element == type->element) &&
            (type->kind != KILN_KIND_MAP || other->key == type->key) &&
            other->align_at == type->align_at)
            return i;
    }
    return j->count;
}

static void add(type_joiner *j, uint32_t number)
{
    kiln_type type = descriptions[number];
    bool is_named = kiln_kind_is_named(type.kind);
    type.element = number_in(j, type.element);
    type.key = number_in(j, type.key);
    for (uint32_t i = 0; i < type.member_count; i++) {
        j->members[number][i] = type.members[i];
        j->members[number][i].type = number_in(j, type.members[i].type);
    }
    type.members = j->members[number];
    uint32_t place = is_named ? j->count : find_unnamed(j, &type);
    if (place == j->count)
        j->types[j->count++] = type;
    j->numbers[number] = place;
}

/* kiln_types_create ignores defaults, so they are set again afterwards. */
static kiln_status copy_defaults(const kiln_types *from, kiln_types *to, kiln_error *reterr)
{
    for (uint32_t i = 0; from && i < from->count; i++) {
        const kiln_type *type = type_at(from, i);
        for (uint32_t m = 0; m < type->member_count; m++) {
            const kiln_member *member = &type->members[m];
            kiln_status status = KILN_OK;
            if (member->default_image)
                status = kiln_types_set_default(
                    to, i, m, (kiln_span){member->default_image, member->default_size}, reterr);
            if (status)
                return status;
        }
    }
    return KILN_OK;
}

/* Whether the list already has the types of scenes. The layout hash of the root covers all of them.
 */
static bool has_scene(const kiln_types *types)
{
    uint32_t root = types ? kiln_types_find(types, KILN_SCENE_TYPE_NAME) : KILN_TYPE_NONE;
    return root != KILN_TYPE_NONE && type_at(types, root)->layout == KILN_SCENE_LAYOUT;
}

static kiln_status join(const kiln_types *types, const kiln_allocator *allocator, type_joiner *j,
                        kiln_types **ret_types, kiln_error *reterr)
{
    kiln_types *made = NULL;
    j->count = types ? types->count : 0;
    if (j->count)
        memcpy(j->types, types->types, j->count * sizeof *j->types);
    for (uint32_t i = 0; i < SCENE_TYPE_COUNT && !has_scene(types); i++) {
        const char *name = descriptions[i].name;
        if (types && name && kiln_types_find(types, name) != KILN_TYPE_NONE)
            return kiln_fail(reterr, KILN_DUPLICATE, 0, name);
        add(j, i);
    }
    kiln_status status = kiln_types_create(allocator, j->types, j->count, &made, reterr);
    if (!status)
        status = copy_defaults(types, made, reterr);
    if (status)
        kiln_types_destroy(made);
    else
        *ret_types = made;
    return status;
}

kiln_status kiln_types_with_scene(const kiln_types *types, const kiln_allocator *allocator,
                                  kiln_types **ret_types, kiln_error *reterr)
{
    kiln_allocator a = allocator_or_default(allocator);
    size_t size = ((size_t)(types ? types->count : 0) + SCENE_TYPE_COUNT) * sizeof(kiln_type);
    type_joiner *j = a.alloc(a.ctx, sizeof *j, _Alignof(type_joiner));
    kiln_type *list = a.alloc(a.ctx, size, _Alignof(kiln_type));
    kiln_status status = KILN_NO_MEMORY;
    if (j && list) {
        j->types = list;
        status = join(types, &a, j, ret_types, reterr);
    } else {
        kiln_fail(reterr, status, 0, NULL);
    }
    if (j)
        a.free(a.ctx, j, sizeof *j);
    if (list)
        a.free(a.ctx, list, size);
    return status;
}
