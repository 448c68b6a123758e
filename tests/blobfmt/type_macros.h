/* Abbreviations for the type tables of tests. */
#ifndef TYPE_MACROS_H
#define TYPE_MACROS_H

#include <kiln/types.h>

#define FIELD(field_name, field_type)                                                              \
    {                                                                                              \
        .name = (field_name), .type = (field_type)                                                 \
    }
#define STRUCT(type_name, list)                                                                    \
    {                                                                                              \
        .name = (type_name), .kind = KILN_KIND_STRUCT, .members = (list),                          \
        .member_count = sizeof(list) / sizeof *(list)                                              \
    }

#endif
