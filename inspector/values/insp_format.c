/* The table of output formats for values. The options have already been checked, so a name that is
 * not in the table is a format for other output, such as `text`. */
#include "insp_format.h"

#include <string.h>

const insp_format *insp_format_find(const char *name)
{
    static const insp_format *const formats[] = {&insp_format_tree, &insp_format_yaml,
                                                 &insp_format_json, &insp_format_flat};
    size_t i;
    for (i = 0; i < sizeof formats / sizeof formats[0]; i++)
        if (strcmp(formats[i]->name, name) == 0)
            return formats[i];
    return NULL;
}
