/* The options of a run as text, for the record of a step. */
#ifndef BAKE_OPTION_TEXTS_H
#define BAKE_OPTION_TEXTS_H

#include "bake_store.h"
#include "record.h"
#include "run_options.h"

/* The name of the options that name the inputs. */
#define BAKE_OPTION_INPUT "input"

/* The name of the options at the end of the list that change only the location of warnings: lines
 * of the project file. A run without warnings does not depend on them. */
#define BAKE_OPTION_LINES "budgets.lines"

/* Lists the options that change outputs or the content of messages. These do not, and are left out:
 * --color, --compare-contents, --diagnostics, --durable, --force, --if-changed, -j, -q, --timings,
 * -v. Options with their default values are left out, too. Returns false if memory runs out. The
 * list belongs to the store; texts belong to the store or to the options. */
bool bake_option_texts(const bake_options *options, bake_store *store,
                       const bake_record_option **ret_texts, size_t *ret_count);

#endif
