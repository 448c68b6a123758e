/* The budgets of a bundle in a file, for commands of a plan, which do not read the project file. */
#ifndef BAKE_BUDGET_FILE_H
#define BAKE_BUDGET_FILE_H

#include "budget.h"

/* Writes the file. Returns false with errno ENOMEM if memory runs out, or if `write` fails. */
bool bake_budgets_write(const bake_budgets *budgets,
                        bool (*write)(void *ctx, const void *data, size_t size), void *ctx);

/* Reads a file. Texts stay in `data`, which must outlive the budgets; the limits are allocated in
 * `store`. Returns NULL with errno set, EINVAL if the file was not written by bake_budgets_write of
 * this version. Safe on hostile bytes. */
const bake_budgets *bake_budgets_read(const void *data, size_t size, bake_store *store);

#endif
