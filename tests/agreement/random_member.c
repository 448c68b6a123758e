/* Names of members, and the values of enums and flag sets. */
#include "random_schema.h"

#include <string.h>

/* Names that could confuse C, C++, YAML or the baker. */
static const char *const odd_names[] = {
    "class",
    "struct",
    "int",
    "new",
    "default",
    "namespace",
    "value",
    "tag",
    "key",
    "count",
    "offset",
    "data",
    "a-b",
    "a_b",
    "a b",
    "a.b",
    "1st",
    "\xc3\xbcn\xc3\xaf",
    "yes",
    "no",
    "null",
    "~",
    "true",
    "3",
    "0x10",
    "#x",
    "- x",
    ":",
    "{",
    "[x]",
    "'q'",
    "\"dq\"",
    "\\back",
    "*a",
    "&a",
    "!t",
    "%p",
    "@at",
    "`b",
    "NULL",
    "main",
    "errno",
    "assert",
    "a,b",
    "a|b",
    "type",
    "id",
    "v",
    "builder",
    "object",
    "register",
    "inline",
    "bool",
    "uint8_t",
    "ref",
    "this",
    "x y z",
    "\xe2\x82\xac",
    "set_x",
    "get",
    "find",
    "name",
    "memcpy",
    "kiln_string",
    "a: b",
    "trailing:",
    "=",
    "? q",
    "long_name_that_goes_on_and_on_for_quite_a_while_until_it_ends",
};

static bool is_taken(const random_type *type, uint32_t count, const char *name)
{
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(type->members[i].name, name) == 0)
            return true;
    return false;
}

static void name_member(random_schema *schema, random_type *type, uint32_t number)
{
    char *name = type->members[number].name;
    snprintf(name, RANDOM_NAME_SIZE, "%c%u", "fgnm"[type->kind % 4], (unsigned)number);
    if (!random_chance(schema, 30))
        return;
    const char *odd = odd_names[random_below(schema, sizeof odd_names / sizeof *odd_names)];
    if (!is_taken(type, number, odd))
        snprintf(name, RANDOM_NAME_SIZE, "%s", odd);
}

void random_members_make(random_schema *schema, random_type *type, uint32_t count)
{
    type->members = random_alloc(schema, count * sizeof *type->members);
    type->member_count = count;
    for (uint32_t i = 0; i < count; i++)
        name_member(schema, type, i);
}

static bool has_value(const random_type *type, uint32_t count, uint64_t value)
{
    for (uint32_t i = 0; i < count; i++)
        if (type->members[i].value == value)
            return true;
    return false;
}

/* The base type if the schema does not specify one. */
static kiln_kind smallest_base(const random_type *type)
{
    int64_t least = 0;
    uint64_t most = 0;
    for (uint32_t i = 0; i < type->member_count; i++) {
        uint64_t bits = type->members[i].value;
        int64_t value = type->kind == KILN_KIND_FLAGS ? 0 : (int64_t)bits;
        if (value < least)
            least = value;
        if (value >= 0 && bits > most)
            most = bits;
    }
    if (least == 0)
        return most <= UINT8_MAX    ? KILN_KIND_U8
               : most <= UINT16_MAX ? KILN_KIND_U16
               : most <= UINT32_MAX ? KILN_KIND_U32
                                    : KILN_KIND_U64;
    return least >= INT8_MIN && most <= INT8_MAX     ? KILN_KIND_I8
           : least >= INT16_MIN && most <= INT16_MAX ? KILN_KIND_I16
           : least >= INT32_MIN && most <= INT32_MAX ? KILN_KIND_I32
                                                     : KILN_KIND_I64;
}

/* Random bits as a value of the base type, sign-extended. */
static uint64_t fit(uint64_t bits, kiln_kind base)
{
    unsigned size = kiln_kind_size(base), unused = 64 - 8 * size;
    bits <<= unused;
    if (!kiln_kind_is_signed(base))
        return bits >> unused;
    uint64_t value = bits >> unused;
    bool is_negative = unused && value >> (8 * size - 1);
    return is_negative ? value | ~UINT64_C(0) << (64 - unused) : value;
}

void random_enum_make(random_schema *schema, random_type *type)
{
    random_members_make(schema, type, 1 + random_below(schema, 7));
    type->states_values = random_chance(schema, 50);
    type->states_base = random_chance(schema, 50);
    type->base = KILN_KIND_I8 + random_below(schema, 8);
    for (uint32_t i = 0; i < type->member_count; i++) {
        uint64_t value = i;
        while (type->states_values && (value == i || has_value(type, i, value))) {
            value = fit(random_bits(schema) >> random_below(schema, 64), type->base);
            /* Without a base, the baker chooses a type that holds all values. No type holds both
             * negative values and values above the range of i64. */
            if (!type->states_base && (int64_t)value < 0 && type->base == KILN_KIND_U64)
                value >>= 1;
        }
        type->members[i].value = value;
    }
    if (!type->states_base)
        type->base = smallest_base(type);
}

void random_flags_make(random_schema *schema, random_type *type)
{
    random_members_make(schema, type, 1 + random_below(schema, 8));
    type->states_values = random_chance(schema, 50);
    type->states_base = random_chance(schema, 50);
    type->base = KILN_KIND_U8 + random_below(schema, 4);
    unsigned bits = 8 * kiln_kind_size(type->base);
    for (uint32_t i = 0; i < type->member_count; i++) {
        uint64_t value = UINT64_C(1) << i;
        while (type->states_values && (value == UINT64_C(1) << i || has_value(type, i, value)))
            value = UINT64_C(1) << random_below(schema, bits) |
                    (random_chance(schema, 20) ? UINT64_C(1) << random_below(schema, bits) : 0);
        type->members[i].value = value;
    }
    if (!type->states_base)
        type->base = smallest_base(type);
}
