/* The warnings of all parts of a bundle, as a direct bake reports them.
 *
 * Several parts can report one mistake, because each bakes what its assets inherit. Warnings at one
 * place with the same message are one warning; those that count their places have all places of
 * all parts. */
#ifndef BAKE_LINK_MESSAGES_H
#define BAKE_LINK_MESSAGES_H

#include "bake_run.h"
#include "part_names.h"
#include "part_notes.h"

/* Reports the warnings in `notes`, which has one item for each part. `names` gives the order of the
 * inputs. Returns false if memory runs out. */
bool bake_link_report(bake_run *run, const bake_part_names *names, const bake_part_notes *notes,
                      size_t count);

#endif
