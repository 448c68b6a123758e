/* Error reporting while a scene is baked. */
#include "scene_baker.h"

#include <stdarg.h>
#include <stdio.h>

bool bake_scene_status(const scene_baker *k, kiln_status status)
{
    if (status == KILN_OK)
        return true;
    if (status == KILN_NO_MEMORY)
        bake_fail_memory(k->def->failure);
    /* Values and names were checked before, so the input can only be at fault by exceeding a
     * limit. */
    else if (kiln_status_is_limit(status))
        bake_report(k->s->diagnostics, BAKE_ERROR, bake_node_mark(k->unit->tree, k->unit->node),
                    "size", k->unit->name, "the scene is too large: %s", kiln_status_text(status));
    else
        bake_fail_bug(k->def->failure, k->unit->name, status, NULL);
    return false;
}

bool bake_scene_entity_report(const scene_baker *k, const bake_tree *tree, bake_node_id node,
                              const char *rule, uint32_t at, const char *component,
                              const char *format, ...)
{
    char message[640], path[512], buffer[256];
    size_t length;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    /* `name` is NULL if the path does not fit or contains an unnamed entity; then show the
     * number. */
    const char *name = bake_scene_node_name(&k->nodes, at, buffer, sizeof buffer, &length);
    const scene_node *entity = &k->nodes.all[at];
    if (name)
        snprintf(path, sizeof path, "%s.%.*s%s%s", k->unit->name, (int)length, name,
                 component ? "." : "", component ? component : "");
    else
        snprintf(path, sizeof path, "%s[%u]%s%s", k->unit->name, (unsigned)entity->number,
                 component ? "." : "", component ? component : "");
    bake_report(k->s->diagnostics, BAKE_ERROR, bake_node_mark(tree, node), rule, path, "%s",
                message);
    /* The node is in another document, such as a nested scene, which reports the same error. */
    if (tree != k->unit->tree)
        bake_report_possible_duplicate(k->s->diagnostics);
    return false;
}
