/* The types that a schema or a type table describes, in memory: names, kinds, and the layout that
 * follows from them.
 *
 * A `kiln_types` is a list of types; a type is identified by its number in the list. Named types
 * (structs, unions, enums, flags) have a qualified name. All other types are unnamed, such as
 * `u32`, `string[]` and `map<string, u32>`, and each is in the list at most once. The layout is
 * always computed, as in C on a host that aligns 8-byte fields to 8:
 *
 *     field offset = previous field's end, rounded up to the field's alignment
 *     struct align = max(fields' alignments, its own `align_at`)
 *     struct size  = the last field's end, at least 1, rounded up to the struct's alignment
 *     map entry    = struct { key; value; }
 *     fixed        = count consecutive values
 *     optional     = pointer (size 4, alignment 4)
 *     union        = { u32 tag; pointer } (8, 4)
 *     array, string, bytes, map = { u32 offset; u32 count } (8, 4)
 *     entity       = { u32; u32 } (8, 4)
 *     data         = u64
 *
 * The layout hash of a named type covers the names, values and layout of the type and of all types
 * in it, but not documentation, defaults or ranges (FORMAT.md section 6). The hashes of all types
 * together are computed in linear time.
 *
 * Any number of threads may read a list at once. Only kiln_types_set_default modifies a list. */
#ifndef KILN_TYPES_H
#define KILN_TYPES_H

#include <kiln/allocator.h>
#include <kiln/limits.h>
#include <kiln/status.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The numbers are stored in type tables: never change them. */
typedef enum kiln_kind {
    KILN_KIND_NONE = 0,
    KILN_KIND_BOOL = 1,
    KILN_KIND_I8 = 2,
    KILN_KIND_I16 = 3,
    KILN_KIND_I32 = 4,
    KILN_KIND_I64 = 5,
    KILN_KIND_U8 = 6,
    KILN_KIND_U16 = 7,
    KILN_KIND_U32 = 8,
    KILN_KIND_U64 = 9,
    KILN_KIND_F32 = 10,
    KILN_KIND_F64 = 11,
    KILN_KIND_STRING = 12,
    KILN_KIND_BYTES = 13,  /* `align_at`: alignment of the first byte */
    KILN_KIND_REF = 14,    /* 64-bit id; `element`: the struct of the target, or KILN_TYPE_NONE */
    KILN_KIND_ENUM = 15,   /* `base`, `members` (values) */
    KILN_KIND_FLAGS = 16,  /* `base` (unsigned), `members` (values, one or more bits each) */
    KILN_KIND_STRUCT = 17, /* `members` (fields) */
    KILN_KIND_UNION = 18,  /* `members` (alternatives: tag, and type or KILN_TYPE_NONE) */
    KILN_KIND_ARRAY = 19, /* `element`; `align_at`: alignment of the first element, above its own */
    KILN_KIND_MAP = 20,   /* `key`, `element` */
    KILN_KIND_OPTIONAL = 21, /* `element` */
    KILN_KIND_FIXED = 22,    /* `element`, `count` > 0 */
    /* These two occur only in components, as fields or in fixed arrays: rule T3. In a blob they are
     * 0. */
    KILN_KIND_ENTITY = 23, /* refers to an entity */
    KILN_KIND_DATA = 24    /* `element`: the type of a value in the scene's data */
} kiln_kind;

#define KILN_TYPE_NONE UINT32_MAX

/* Type flags. */
enum {
    KILN_TYPE_ASSET = 1,       /* a struct that may be an asset's root */
    KILN_TYPE_TRANSPARENT = 2, /* a struct of one field, written in YAML as that field's value */
    KILN_TYPE_COMPONENT = 4    /* a struct that is intended as a component */
};

/* Member flags. */
enum {
    KILN_MEMBER_HAS_MIN = 1,
    KILN_MEMBER_HAS_MAX = 2,
    KILN_MEMBER_REQUIRED = 4, /* must be given in YAML, even though its type has an empty value */
    KILN_MEMBER_DEPRECATED = 8,
    KILN_MEMBER_SINGLE = 16, /* an array of one element may be written as that element */
    KILN_MEMBER_REST = 32    /* a map that receives the keys that name no other field */
};

/* A field of a struct, a value of an enum or flag set, or an alternative of a union. Strings are
 * NUL-terminated, and never NULL in a finished list. `was` has `was_count` earlier names. */
typedef struct kiln_member {
    const char *name;
    const char *doc;
    const char *const *was;
    uint32_t was_count;
    uint32_t type;   /* number of the type: field, alternative */
    uint32_t offset; /* field: in bytes, computed */
    uint32_t flags;
    uint64_t value; /* enum (two's complement, sign-extended from the base), flags, union tag */
    uint64_t min,
        max; /* with KILN_MEMBER_HAS_*: the bits of an int64_t, uint64_t or double, depending on
                the field's kind; the length as uint64_t for strings, bytes, arrays and maps */
    const unsigned char *default_image; /* the payload of a value of kiln_types_default_type, or
                                           NULL: FORMAT.md section 7 */
    uint32_t default_size;              /* bytes */
} kiln_member;

typedef struct kiln_type {
    const char *name; /* qualified (`game.Item`), "" if unnamed */
    const char *doc;
    const char *const *was;
    uint32_t was_count;
    uint32_t flags;
    kiln_kind kind;
    kiln_kind base;    /* enum and flags: an integer kind */
    uint32_t element;  /* see kiln_kind */
    uint32_t key;      /* map */
    uint32_t count;    /* fixed */
    uint32_t align_at; /* struct: its minimum alignment; array, bytes: the alignment of the first
                          element; 0 if not set */
    const kiln_member *members;
    uint32_t member_count;
    /* Computed. */
    uint32_t size, align;   /* of a value, in bytes */
    uint32_t entry_size;    /* map: of an entry */
    uint32_t entry_align;   /* map */
    uint32_t value_offset;  /* map: offset of the value in its entry */
    uint32_t target_align;  /* array, map, bytes, optional, string: alignment of the target */
    bool has_pointers;      /* the value contains relative fields */
    bool has_floats;        /* the value contains floats */
    bool is_component_only; /* the value contains an entity or a data word */
    bool plain;             /* every bit pattern is a valid value, and no byte is padding */
    uint64_t mask;          /* flags: the bits of all values */
    uint64_t layout;        /* named types: the layout hash; 0 otherwise */
} kiln_type;

typedef struct kiln_types kiln_types;

/* Creates a list from descriptions. Reads the fields of each type above "Computed", and those of
 * each member except `offset`, which is computed, and the default, which is set afterwards. NULL
 * strings mean "". Everything is copied. Errors: rules T1 to T8 (T5 only for `align_at`) and L2,
 * with a `path` of type and member; NO_MEMORY. On failure `ret_types` is untouched. Safe on hostile
 * input. O(n log n) in the size of the descriptions. */
kiln_status kiln_types_create(const kiln_allocator *allocator, const kiln_type *types,
                              uint32_t count, kiln_types **ret_types, kiln_error *reterr);
/* NULL is fine. */
void kiln_types_destroy(kiln_types *types);

/* Returns the number of types in the list. */
uint32_t kiln_types_count(const kiln_types *types);
/* Returns the type with this number, valid until the list is destroyed; NULL if there is none. */
const kiln_type *kiln_types_get(const kiln_types *types, uint32_t type);
/* Returns the number of the type with this qualified name; KILN_TYPE_NONE if there is none. O(1).
 */
uint32_t kiln_types_find(const kiln_types *types, const char *name);

/* Return the member with this name or value; NULL if there is none. O(log n). */
const kiln_member *kiln_type_member(const kiln_type *type, const char *name, size_t length);
const kiln_member *kiln_type_value(const kiln_type *type, uint64_t value);

/* Returns the type that a default for a field of type `type` must have: the element type if it is a
 * data type, otherwise the type itself. An invalid type number is returned unchanged. */
uint32_t kiln_types_default_type(const kiln_types *types, uint32_t type);

/* Sets the default of a field. `image` is a payload whose root has the type that
 * kiln_types_default_type returns for the field's type. It is checked (T10) and copied. On failure
 * the list is unchanged. No other thread may use the list during the call. */
kiln_status kiln_types_set_default(kiln_types *types, uint32_t type, uint32_t member,
                                   kiln_span image, kiln_error *reterr);

/* Writes the type as schemas spell it (`game.Item`, `map<string, u32[]>`, `f32[3]?`),
 * NUL-terminated and truncated to `size` bytes. Returns the length of the whole expression. */
size_t kiln_type_expression(const kiln_types *types, uint32_t type, char *buffer, size_t size);

/* Returns the name of the kind: "bool", "u32", "struct". Never NULL. */
const char *kiln_kind_name(kiln_kind kind);
/* Returns the size in bytes of a bool, number, reference, entity or data; 0 for other kinds. It is
 * also the alignment, except for an entity, which has alignment 4. */
uint32_t kiln_kind_size(kiln_kind kind);

static inline bool kiln_kind_is_signed(kiln_kind kind)
{
    return kind >= KILN_KIND_I8 && kind <= KILN_KIND_I64;
}
static inline bool kiln_kind_is_unsigned(kiln_kind kind)
{
    return kind >= KILN_KIND_U8 && kind <= KILN_KIND_U64;
}
static inline bool kiln_kind_is_integer(kiln_kind kind)
{
    return kind >= KILN_KIND_I8 && kind <= KILN_KIND_U64;
}
static inline bool kiln_kind_is_float(kiln_kind kind)
{
    return kind == KILN_KIND_F32 || kind == KILN_KIND_F64;
}
static inline bool kiln_kind_is_named(kiln_kind kind)
{
    return kind >= KILN_KIND_ENUM && kind <= KILN_KIND_UNION;
}

#ifdef __cplusplus
}
#endif

#endif
