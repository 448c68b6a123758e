/* The table of forms. Commands list the names that they take in their rows, so a name that reaches
 * this look-up is a form's or the name of another format, such as `text`. */
#include "insp_format.h"

#include <string.h>

const insp_format *insp_format_find(const char *name)
{
    static const insp_format *const formats[] = {&insp_format_tree, &insp_format_yaml,
                                                 &insp_format_json};
    size_t i;
    for (i = 0; i < sizeof formats / sizeof formats[0]; i++)
        if (strcmp(formats[i]->name, name) == 0)
            return formats[i];
    return NULL;
}
