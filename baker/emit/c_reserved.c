/* Identifiers that a generated header cannot use. */
#include "c_names.h"

#include <stdlib.h>
#include <string.h>

/* Keywords of all versions of C and C++, macros and types of the headers that a generated header
 * includes, and macros that compilers define. Sorted bytewise. */
static const char *const reserved_words[] = {
    "EOF",
    "INFINITY",
    "NAN",
    "NULL",
    "_Alignas",
    "_Alignof",
    "_Atomic",
    "_BitInt",
    "_Bool",
    "_Complex",
    "_Decimal128",
    "_Decimal32",
    "_Decimal64",
    "_Generic",
    "_Imaginary",
    "_Noreturn",
    "_Static_assert",
    "_Thread_local",
    "alignas",
    "alignof",
    "and",
    "and_eq",
    "asm",
    "assert",
    "atomic_cancel",
    "atomic_commit",
    "atomic_noexcept",
    "auto",
    "bitand",
    "bitor",
    "bool",
    "break",
    "case",
    "catch",
    "char",
    "char16_t",
    "char32_t",
    "char8_t",
    "class",
    "co_await",
    "co_return",
    "co_yield",
    "compl",
    "concept",
    "const",
    "const_cast",
    "consteval",
    "constexpr",
    "constinit",
    "continue",
    "decltype",
    "default",
    "delete",
    "do",
    "double",
    "dynamic_cast",
    "else",
    "enum",
    "errno",
    "explicit",
    "export",
    "extern",
    "false",
    "float",
    "for",
    "friend",
    "goto",
    "i386",
    "if",
    "inline",
    "int",
    "int16_t",
    "int32_t",
    "int64_t",
    "int8_t",
    "linux",
    "long",
    "max_align_t",
    "mutable",
    "namespace",
    "new",
    "noexcept",
    "noreturn",
    "not",
    "not_eq",
    "nullptr",
    "nullptr_t",
    "offsetof",
    "operator",
    "or",
    "or_eq",
    "private",
    "protected",
    "ptrdiff_t",
    "public",
    "reflexpr",
    "register",
    "reinterpret_cast",
    "requires",
    "restrict",
    "return",
    "short",
    "signed",
    "size_t",
    "sizeof",
    "static",
    "static_assert",
    "static_cast",
    "stderr",
    "stdin",
    "stdout",
    "struct",
    "switch",
    "synchronized",
    "template",
    "this",
    "thread_local",
    "throw",
    "true",
    "try",
    "typedef",
    "typeid",
    "typename",
    "typeof",
    "typeof_unqual",
    "uint16_t",
    "uint32_t",
    "uint64_t",
    "uint8_t",
    "union",
    "unix",
    "unsigned",
    "using",
    "va_arg",
    "va_copy",
    "va_end",
    "va_start",
    "virtual",
    "void",
    "volatile",
    "wchar_t",
    "while",
    "xor",
    "xor_eq",
};

/* Additional names that a type without a namespace cannot have: functions of these headers, and
 * parameters and variables of generated functions, which would hide the type. Sorted bytewise. */
static const char *const reserved_globals[] = {
    "a",      "allocator", "array",   "asset",    "b",           "builder",   "bytes",  "canonical",
    "choice", "common",    "count",   "data",     "description", "entries",   "field",  "file",
    "high",   "i",         "key",     "length",   "low",         "main",      "map",    "memchr",
    "memcmp", "memcpy",    "memmove", "memset",   "middle",      "name",      "object", "optional",
    "order",  "other",     "ref",     "ret_blob", "ret_size",    "ret_types", "reterr", "size",
    "strcat", "strchr",    "strcmp",  "string",   "strlen",      "strncmp",   "text",   "type",
    "types",  "value",     "view",
};

static int compare(const void *word, const void *other)
{
    return strcmp(word, *(const char *const *)other);
}

/* Both lists must be sorted by strcmp, for binary search. */
static bool contains(const char *const *words, size_t count, const char *word)
{
    return bsearch(word, words, count, sizeof *words, compare) != NULL;
}

bool bake_c_is_reserved(const char *word)
{
    /* Kiln reserves this prefix for macros. */
    return strncmp(word, "KILN_", 5) == 0 ||
           contains(reserved_words, sizeof reserved_words / sizeof *reserved_words, word);
}

bool bake_c_is_reserved_global(const char *word)
{
    return bake_c_is_reserved(word) ||
           contains(reserved_globals, sizeof reserved_globals / sizeof *reserved_globals, word);
}
