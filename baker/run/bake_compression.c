#include "bake_compression.h"

kiln_status bake_compress(const bake_options *options, kiln_file_writer *writer, const char *type)
{
    const char *group = NULL;
    if (options->dictionary == BAKE_DICTIONARY_TYPE)
        group = type;
    else if (options->dictionary == BAKE_DICTIONARY_ALL)
        group = "";
    return kiln_file_writer_compress(writer, (int)options->compress, group);
}
