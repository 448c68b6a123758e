/* How the assets of a file are to be compressed, as options say it. */
#ifndef BAKE_COMPRESSION_H
#define BAKE_COMPRESSION_H

#include "run_options.h"

#include <kiln/file_writer.h>

/* Tells the writer how an asset of the type named `type` is to be stored, before it is added. */
kiln_status bake_compress(const bake_options *options, kiln_file_writer *writer, const char *type);

#endif
