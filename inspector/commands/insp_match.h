/* What the command `find` looks for, and whether a value is it.
 *
 *     value   a number, bool, string, or name of an enum value, a flag or an asset
 *     text    a string that contains the argument
 *     regex   a string that matches a POSIX extended regular expression
 *     ref     a reference to an asset whose name matches a pattern
 *     type    a value of a type whose name matches a pattern */
#ifndef INSP_MATCH_H
#define INSP_MATCH_H

#include "insp_needle.h"
#include "insp_patterns.h"

#include <regex.h>

typedef enum insp_match_kind {
    INSP_MATCH_VALUE,
    INSP_MATCH_TEXT,
    INSP_MATCH_REGEX,
    INSP_MATCH_REF,
    INSP_MATCH_TYPE
} insp_match_kind;

typedef struct insp_match {
    insp_match_kind kind;
    const insp_mounts *mounts;
    const char *text; /* the argument */
    size_t length;
    insp_needle needle; /* the argument, for `text` */
    /* The argument as a value. */
    bool is_integer, is_negative, is_number, is_bool;
    uint64_t size; /* of an integer, without its sign */
    double number;
    float single;
    kiln_id id;             /* of an asset with this name */
    insp_patterns patterns; /* for `ref` */
    regex_t regex;
    bool has_regex;
    char *copy; /* a string with its NUL, for `regex` */
    size_t capacity;
    bool failed; /* memory ran out */
} insp_match;

/* Reads the argument. Reports errors in it. Returns an exit code; call insp_match_fini in all
 * cases. Nothing matches if the result is not INSP_OK. */
int insp_match_init(insp_match *match, insp_run *run, const insp_mounts *mounts, const char *text);
void insp_match_fini(insp_match *match);

/* The kinds of values that can match, as bits `1 << kind`; 0 if that depends on the type. */
uint32_t insp_match_kinds(const insp_match *match);

/* Whether the value matches. Sets `failed` if memory runs out. Always false for `type`, because
 * callers compare types once and not for each value. */
bool insp_match_is(insp_match *match, const kiln_value *value);

#endif
