/* Letters and digits of ASCII, whatever the locale. */
#ifndef BAKE_ASCII_H
#define BAKE_ASCII_H

#include <stdbool.h>
#include <stddef.h>

static inline bool bake_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Those that begin a C identifier: letters and `_`. */
static inline bool bake_is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static inline char bake_lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* A name as C has it; `more` may stand behind the first letter as well (0: nothing more). */
static inline bool bake_is_name(const char *text, size_t length, char more)
{
    for (size_t i = 0; i < length; i++)
        if (!bake_is_letter(text[i]) &&
            !(i > 0 && (bake_is_digit(text[i]) || (more && text[i] == more))))
            return false;
    return length > 0;
}

#endif
