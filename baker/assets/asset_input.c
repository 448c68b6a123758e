/* An id derived from a path is a substring of it, so it points into the path and needs no copy. */
#include "asset_input.h"

#include "path_match.h"

#include <string.h>

void bake_input_drop(bake_input *input)
{
    bake_tree_destroy(input->tree);
    input->tree = NULL;
}

void bake_input_release(bake_input *input)
{
    if (--input->asset_count == 0)
        bake_input_drop(input);
}

const char *bake_path_id(const char *path, bake_id_source source, const char *text,
                         size_t *ret_length)
{
    size_t stem_length, length = strlen(path);
    const char *stem = bake_path_stem(path, &stem_length), *id = path;
    /* For `a/b.c.yaml`, the stem is `b.c`, the name `b.c.yaml`, the path `a/b.c`, the file the
     * whole string, and the short id `b`. */
    switch (source) {
    case BAKE_ID_STEM:
        id = stem;
        length = stem_length;
        break;
    case BAKE_ID_NAME:
        id = stem;
        length = strlen(stem);
        break;
    case BAKE_ID_PATH:
        length = (size_t)(stem - path) + stem_length;
        break;
    case BAKE_ID_FILE:
        break;
    case BAKE_ID_SHORT:
        id = stem;
        /* A leading dot does not begin an extension. */
        length = *stem == '.' ? stem_length : strcspn(stem, ".");
        break;
    case BAKE_ID_TEXT:
        id = text;
        length = strlen(id);
        break;
    }
    *ret_length = length;
    return id;
}
