/* libyaml's errors as diagnostics: [encoding] for bytes that are not UTF-8 or not text, [yaml] for
 * all others. Private to the tree_*.c files. */
#ifndef BAKE_TREE_PROBLEM_H
#define BAKE_TREE_PROBLEM_H

#include "diagnostics.h"

#include <yaml.h>

/* Reports the error that `parser` stopped at while reading `text` from byte `skipped` on. */
void bake_report_yaml(bake_diagnostics *diagnostics, uint32_t source, const char *text, size_t size,
                      size_t skipped, const yaml_parser_t *parser);

#endif
