/* Which assets the documents of an input hold, by the `files` rules of the schema. Parts:
 * document_reader.c, which all shapes share, and document_links.c. */
#ifndef BAKE_DOCUMENTS_H
#define BAKE_DOCUMENTS_H

#include "bake_inputs.h"

/* Adds the assets of an input; mistakes are reported. False when memory ran out. */
bool bake_documents_read(bake_inputs *inputs, uint32_t input, const bake_inputs_def *def);

#endif
