/* Reports libyaml's errors as diagnostics: [encoding] for invalid UTF-8 and control characters,
 * [yaml] for everything else. Private to the tree_*.c files. */
#ifndef BAKE_TREE_PROBLEM_H
#define BAKE_TREE_PROBLEM_H

#include "diagnostics.h"

#include <yaml.h>

/* Reports the error at which `parser` stopped while it read `text` from offset `skipped`. */
void bake_report_yaml(bake_diagnostics *diagnostics, uint32_t source, const char *text, size_t size,
                      size_t skipped, const yaml_parser_t *parser);

#endif
