/* Classifies ASCII characters. Unlike <ctype.h>, these functions do not depend on the locale. */
#ifndef BAKE_ASCII_H
#define BAKE_ASCII_H

#include <stdbool.h>
#include <stddef.h>

static inline bool bake_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static inline bool bake_is_upper(char c)
{
    return c >= 'A' && c <= 'Z';
}

static inline bool bake_is_lower(char c)
{
    return c >= 'a' && c <= 'z';
}

static inline bool bake_is_alphabetic(char c)
{
    return bake_is_lower(c) || bake_is_upper(c);
}

/* Whether byte `i` is a digit separator: a `_` between two digits, as in `1_000`. */
static inline bool bake_joins_digits(const char *text, size_t length, size_t i)
{
    return text[i] == '_' && i > 0 && bake_is_digit(text[i - 1]) && i + 1 < length &&
           bake_is_digit(text[i + 1]);
}

/* Whether a C identifier may begin with `c`: a letter or `_`. */
static inline bool bake_is_letter(char c)
{
    return bake_is_alphabetic(c) || c == '_';
}

/* Whether a C identifier may contain `c`. */
static inline bool bake_is_word(char c)
{
    return bake_is_letter(c) || bake_is_digit(c);
}

static inline char bake_lower(char c)
{
    return bake_is_upper(c) ? (char)(c - 'A' + 'a') : c;
}

static inline char bake_upper(char c)
{
    return bake_is_lower(c) ? (char)(c - 'a' + 'A') : c;
}

/* The value of a hexadecimal digit in either case; 16 for any other byte. */
static inline unsigned bake_hex_digit(char c)
{
    if (bake_is_digit(c))
        return (unsigned)(c - '0');
    c = bake_lower(c);
    return c >= 'a' && c <= 'f' ? (unsigned)(c - 'a' + 10) : 16;
}

/* Whether the string is a C identifier. Unless `more` is 0, the character `more` is also allowed
 * after the first byte. */
static inline bool bake_is_name(const char *text, size_t length, char more)
{
    for (size_t i = 0; i < length; i++)
        if (!bake_is_letter(text[i]) &&
            !(i > 0 && (bake_is_digit(text[i]) || (more && text[i] == more))))
            return false;
    return length > 0;
}

#endif
