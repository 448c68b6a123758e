#include "schema_command.h"

#include "similar.h"

#include <string.h>

static const bake_schema_command commands[] = {
#ifndef BAKE_WITHOUT_INFER
    {"infer", "[-C DIR] INPUT... [-o FILE.yaml] [--namespace NAME]",
     "write a schema that bakes the inputs, as a start", bake_infer_check, bake_infer_run},
#endif
    {"check", "OLD NEW | NEW FILE.kiln...", "report what a schema change means for types and files",
     bake_schema_check_usage, bake_schema_check_run},
    {"jsonschema", "-s SCHEMA [-o FILE] [--root NAME]", "write a JSON Schema for editors",
     bake_json_schema_usage, bake_json_schema_run},
};
enum { COMMAND_COUNT = sizeof commands / sizeof *commands };

const bake_schema_command *bake_schema_commands(size_t *ret_count)
{
    *ret_count = COMMAND_COUNT;
    return commands;
}

const bake_schema_command *bake_schema_command_find(const char *name, bake_failure *failure)
{
    const char *names[COMMAND_COUNT];
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        names[i] = commands[i].name;
        if (name && strcmp(name, names[i]) == 0)
            return &commands[i];
    }
    char list[200] = "";
    for (size_t i = 0, at = 0; i < COMMAND_COUNT && at < sizeof list; i++)
        at += (size_t)snprintf(list + at, sizeof list - at, "%s%s", i ? ", " : "", names[i]);
    const char *close = name ? bake_most_similar(name, strlen(name), names, COMMAND_COUNT) : NULL;
    if (close)
        bake_fail(failure, BAKE_CANNOT, "unknown command 'schema %.100s'; did you mean %s?", name,
                  close);
    else if (name)
        bake_fail(failure, BAKE_CANNOT, "unknown command 'schema %.100s'; the commands are %s",
                  name, list);
    else
        bake_fail(failure, BAKE_CANNOT, "schema needs a command: %s", list);
    return NULL;
}
