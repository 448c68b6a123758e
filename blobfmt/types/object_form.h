/* What a relative field points to: an *object*, consecutive values of one type. */
#ifndef KILN_OBJECT_FORM_H
#define KILN_OBJECT_FORM_H

#include "type_list.h"

/* Objects may be shared if their `unit` and count are equal: FORMAT.md section 4, "Same element
 * type". A unit is the number of the element's type, with three exceptions. All strings have one
 * unit. The unit of map entries is derived from the number of the map type. The unit of bools and
 * numbers is derived from their kind, so that `bytes` and `u8[]` have the same unit. */
typedef struct object_form {
    uint32_t unit;
    uint32_t type; /* of the values, or the map for entries; KILN_TYPE_NONE for strings and bytes */
    uint32_t size; /* of one value or entry */
    uint32_t align; /* of the first byte */
} object_form;

#define UNIT_NUMBER UINT32_C(0x40000000)
#define UNIT_ENTRIES UINT32_C(0x80000000)
#define UNIT_STRING UINT32_C(0xffffff00)

static inline bool unit_is_entries(uint32_t unit)
{
    return unit >= UNIT_ENTRIES && unit != UNIT_STRING;
}

/* The form of consecutive values of `element`. */
static inline object_form object_form_of_values(const kiln_types *types, uint32_t element,
                                                uint32_t align)
{
    const kiln_type *type = type_at(types, element);
    object_form form = {element, element, type->size, align};
    if (type->kind <= KILN_KIND_F64)
        form.unit = UNIT_NUMBER | (uint32_t)type->kind;
    return form;
}

/* The form of the object that a field of kind optional, array, map, string or bytes points to. */
static inline object_form object_form_of_field(const kiln_types *types, uint32_t field_type)
{
    return types->forms[field_type];
}

#endif
