/* The types of the format's own blobs: the type table (FORMAT.md section 7) and the index (section
 * 10).
 *
 * Every program that opens or writes a file needs their layout hashes, and computing the hashes
 * would cost more than the rest of opening a small file. They are therefore constants, which a test
 * checks. The list is in the order of BUILTIN_*: every unnamed type comes after its parts. */
#include "builtin_types.h"
#include "type_list.h"

#include <kiln/type_table.h>

#define FIELD(field_name, field_type, about)                                                       \
    {                                                                                              \
        .name = field_name, .type = field_type, .doc = about                                       \
    }

static const kiln_member table_member[] = {
    FIELD("name", BUILTIN_STRING, ""),
    FIELD("doc", BUILTIN_STRING, ""),
    FIELD("was", BUILTIN_STRING_ARRAY, "Earlier names."),
    FIELD("default", BUILTIN_BYTES, "A payload whose root is of the field's type."),
    FIELD("value", BUILTIN_U64, "Value of an enum or flag; tag of an alternative."),
    FIELD("min", BUILTIN_U64, "Bits of the smallest value allowed in text."),
    FIELD("max", BUILTIN_U64, "Bits of the largest value allowed in text."),
    FIELD("type", BUILTIN_U32, "Number of the type; 0xffffffff if there is none."),
    FIELD("offset", BUILTIN_U32, "Bytes from the start of the struct."),
    FIELD("flags", BUILTIN_U32, ""),
    FIELD("reserved", BUILTIN_U32, "0"),
};
static const kiln_member table_type[] = {
    FIELD("name", BUILTIN_STRING, "Qualified; empty for unnamed types."),
    FIELD("doc", BUILTIN_STRING, ""),
    FIELD("was", BUILTIN_STRING_ARRAY, "Earlier names."),
    FIELD("layout", BUILTIN_U64, "Layout hash of a named type."),
    FIELD("size", BUILTIN_U32, ""),
    FIELD("align", BUILTIN_U32, ""),
    FIELD("element", BUILTIN_U32, "Number of a type; 0xffffffff if there is none."),
    FIELD("key", BUILTIN_U32, "Number of a type; 0xffffffff if there is none."),
    FIELD("count", BUILTIN_U32, "Number of elements of a fixed array."),
    FIELD("align_at", BUILTIN_U32, "Alignment that the schema sets; 0 if it sets none."),
    FIELD("members", BUILTIN_TABLE_MEMBER_ARRAY, "Fields, values or alternatives."),
    FIELD("flags", BUILTIN_U32, ""),
    FIELD("kind", BUILTIN_U8, ""),
    FIELD("base", BUILTIN_U8, "Kind of an enum's or flag set's number."),
    FIELD("reserved", BUILTIN_U16, "0"),
};
static const kiln_member type_table[] = {
    FIELD("types", BUILTIN_TABLE_TYPE_ARRAY, ""),
};
static const kiln_member hash128[] = {
    FIELD("low", BUILTIN_U64, ""),
    FIELD("high", BUILTIN_U64, ""),
};
static const kiln_member index_member[] = {
    FIELD("place", BUILTIN_U64, "Offset from the file's first byte."),
    FIELD("stored_size", BUILTIN_U64, "Bytes in the file."),
    FIELD("size", BUILTIN_U64, "Bytes of the blob or the payload."),
    FIELD("content", BUILTIN_HASH128, "XXH3-128 of the blob or the payload."),
    FIELD("stored", BUILTIN_HASH128, "XXH3-128 of the compressed bytes; 0 if not compressed."),
    FIELD("compression", BUILTIN_U8, "0: none; 1: zstd; 2: payload; 3: payload in frames."),
    FIELD("align_log2", BUILTIN_U8, ""),
    FIELD("reserved", BUILTIN_U16, "0"),
    FIELD("dictionary", BUILTIN_U32, "Index in dictionaries, plus 1; 0 if there is none."),
};
static const kiln_member index_asset[] = {
    FIELD("name", BUILTIN_STRING, "Kind/id"),
    FIELD("type", BUILTIN_U32, "Index in types."),
    FIELD("member", BUILTIN_U32, "Index in members."),
};
static const kiln_member index_type[] = {
    FIELD("name", BUILTIN_STRING, ""),
    FIELD("layout", BUILTIN_U64, ""),
};
static const kiln_member index_import[] = {
    FIELD("id", BUILTIN_U64, ""),
    FIELD("name", BUILTIN_STRING, ""),
};
static const kiln_member index_root[] = {
    FIELD("file_size", BUILTIN_U64, ""),
    FIELD("ids", BUILTIN_U64_ARRAY, "Ascending."),
    FIELD("assets", BUILTIN_INDEX_ASSET_ARRAY, "In the order of ids."),
    FIELD("directory", BUILTIN_U32_ARRAY, "Lookup table by the ids' upper bits."),
    FIELD("types", BUILTIN_INDEX_TYPE_ARRAY, "Ascending by name."),
    FIELD("members", BUILTIN_INDEX_MEMBER_ARRAY, "Ascending by place."),
    FIELD("imports", BUILTIN_INDEX_IMPORT_ARRAY, "Ascending by id."),
    FIELD("edge_starts", BUILTIN_U32_ARRAY,
          "Index of each asset's first edge; then the number of edges."),
    FIELD("edges", BUILTIN_U32_ARRAY,
          "Index of an asset, or number of assets plus index of an import."),
    FIELD("dictionaries", BUILTIN_U32_ARRAY, "Indices in members."),
    FIELD("type_table", BUILTIN_U32, "Index in members, plus 1; 0 if there is none."),
    FIELD("reserved", BUILTIN_U32, "0"),
};

#define NUMBER(number_kind)                                                                        \
    {                                                                                              \
        .kind = number_kind                                                                        \
    }
#define ARRAY(element_type)                                                                        \
    {                                                                                              \
        .kind = KILN_KIND_ARRAY, .element = element_type                                           \
    }
#define STRUCT(struct_name, fields, layout_hash)                                                   \
    {                                                                                              \
        .kind = KILN_KIND_STRUCT, .name = "kiln." struct_name, .members = fields,                  \
        .member_count = sizeof(fields) / sizeof *(fields), .layout = UINT64_C(layout_hash)         \
    }

static const kiln_type builtin[BUILTIN_COUNT] = {
    [BUILTIN_U8] = NUMBER(KILN_KIND_U8),
    [BUILTIN_U16] = NUMBER(KILN_KIND_U16),
    [BUILTIN_U32] = NUMBER(KILN_KIND_U32),
    [BUILTIN_U64] = NUMBER(KILN_KIND_U64),
    [BUILTIN_STRING] = NUMBER(KILN_KIND_STRING),
    [BUILTIN_BYTES] = NUMBER(KILN_KIND_BYTES),
    [BUILTIN_STRING_ARRAY] = ARRAY(BUILTIN_STRING),
    [BUILTIN_U32_ARRAY] = ARRAY(BUILTIN_U32),
    [BUILTIN_U64_ARRAY] = ARRAY(BUILTIN_U64),
    [BUILTIN_TABLE_MEMBER] = STRUCT("TableMember", table_member, 0xff3371eb73040bd1),
    [BUILTIN_TABLE_MEMBER_ARRAY] = ARRAY(BUILTIN_TABLE_MEMBER),
    [BUILTIN_TABLE_TYPE] = STRUCT("TableType", table_type, 0x88461a9debee47ba),
    [BUILTIN_TABLE_TYPE_ARRAY] = ARRAY(BUILTIN_TABLE_TYPE),
    [BUILTIN_TYPE_TABLE] = STRUCT("TypeTable", type_table, 0x815cda15a871d0f8),
    [BUILTIN_HASH128] = STRUCT("Hash128", hash128, 0xd9a9ffc2ee2259ef),
    [BUILTIN_INDEX_MEMBER] = STRUCT("IndexMember", index_member, 0x3cb65b921df2d03d),
    [BUILTIN_INDEX_MEMBER_ARRAY] = ARRAY(BUILTIN_INDEX_MEMBER),
    [BUILTIN_INDEX_ASSET] = STRUCT("IndexAsset", index_asset, 0x78c54c43b9fd202b),
    [BUILTIN_INDEX_ASSET_ARRAY] = ARRAY(BUILTIN_INDEX_ASSET),
    [BUILTIN_INDEX_TYPE] = STRUCT("IndexType", index_type, 0x007904bbe093d8cb),
    [BUILTIN_INDEX_TYPE_ARRAY] = ARRAY(BUILTIN_INDEX_TYPE),
    [BUILTIN_INDEX_IMPORT] = STRUCT("IndexImport", index_import, 0x0b87ceb4d2f06ab7),
    [BUILTIN_INDEX_IMPORT_ARRAY] = ARRAY(BUILTIN_INDEX_IMPORT),
    [BUILTIN_INDEX] = STRUCT("Index", index_root, 0x69e24c5333ea51f9),
};

kiln_status kiln_types_create_builtin(const kiln_allocator *allocator, kiln_types **ret_types,
                                      kiln_error *reterr)
{
    return kiln_types_create_known(allocator, builtin, BUILTIN_COUNT, ret_types, reterr);
}
