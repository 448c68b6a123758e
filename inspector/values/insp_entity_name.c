/* Checks entity names against kiln-bake's rules. Another program may have written the scene, so its
 * names can break these rules. YAML with such a name would not bake, or would bake to a different
 * name, so callers report the name instead of writing it. */
#include "insp_entity_name.h"

#include "utf8.h"

#include <kiln/scene.h>

enum { NAME_MAX = 255 }; /* bytes; a limit of kiln-bake, see SCHEMA.md */

static bool is_writable(insp_text name, uint32_t most, char refused)
{
    uint32_t i;
    for (i = 0; i < name.length; i++) {
        unsigned char c = (unsigned char)name.data[i];
        if (c < 0x20 || c == 0x7f || c == '#' || c == (unsigned char)refused)
            return false;
    }
    return name.length > 0 && name.length <= most && kiln_utf8_is_valid(name.data, name.length);
}

bool insp_entity_name_is_plain(insp_text name)
{
    return is_writable(name, NAME_MAX, '/');
}

bool insp_entity_name_is_path(insp_text name)
{
    return is_writable(name, KILN_SCENE_TEXT_MAX, '#');
}
