/* Warnings and errors about values, with the path of the value. */
#ifndef BAKE_VALUE_REPORT_H
#define BAKE_VALUE_REPORT_H

#include "value_baker.h"

void bake_value_path_text(const bake_values *b, const value_step *step, char out[VALUE_PATH_SIZE]);
/* Reports with the path that ends in `step`. Always returns false. */
bool bake_value_report(bake_values *b, bake_severity severity, bake_mark mark, const char *rule,
                       const value_step *step, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 6, 7)))
#endif
    ;
/* Formats the text in quotes, truncated if it is long. */
const char *bake_value_quote(char out[VALUE_QUOTE_SIZE], const char *text, size_t length);
/* Like bake_value_quote, but without quotes, for numbers and tags. */
const char *bake_value_cut(char out[VALUE_QUOTE_SIZE], const char *text, size_t length);
/* Warns about deprecated members and earlier names. */
void bake_value_warn_member(bake_values *b, bake_node_id node, const kiln_member *member, bool was,
                            const value_step *step);

#endif
