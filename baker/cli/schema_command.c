/* kiln-bake schema NAME: the table of subcommands, and the subcommand jsonschema. */
#include "schema_command.h"

#include "json_schema.h"
#include "similar.h"

#include <string.h>

/* ---- kiln-bake schema jsonschema, for editors ---- */

static bake_result json_schema_usage(const bake_options *o, bake_failure *failure)
{
    if (o->schemas.count == 0)
        return bake_fail(failure, BAKE_FAILED, "no schema given; use -s FILE");
    if (o->inputs.count > 0)
        return bake_fail(failure, BAKE_FAILED,
                         "unexpected input '%.100s': schema jsonschema reads only schemas (-s)",
                         o->inputs.items[0]);
    return BAKE_OK;
}

static bake_result json_schema_run(bake_run *run)
{
    const char *path = run->options->output ? run->options->output : "-";
    bake_result result = bake_run_schema(run);
    if (result)
        return result;
    run->outputs = bake_store_alloc(&run->store, 1, sizeof *run->outputs);
    if (!run->outputs)
        return bake_fail_memory(&run->failure);
    bake_json_schema_def def = {run->schema, run->options->root, bake_output_write, NULL};
    def.ctx = bake_run_begin(run, path);
    if (!def.ctx)
        return run->failure.result;
    result = bake_json_schema_write(&def, &run->failure);
    /* bake_run_commit reports a failed write. */
    return result ? result : bake_run_commit(run);
}

/* ---- all commands ---- */

static const bake_schema_command commands[] = {
#ifndef BAKE_WITHOUT_INFER
    {"infer", "[-C DIR] INPUT... [-o FILE.yaml] [--namespace NAME]",
     "write a first schema that bakes the inputs", BAKE_SCHEMA_COMMAND_INFER, bake_infer_check,
     bake_infer_run},
#endif
    {"check", "OLD NEW | NEW FILE.kiln...",
     "report the effects of a schema change on types and files", BAKE_SCHEMA_COMMAND_CHECK,
     bake_schema_check_usage, bake_schema_check_run},
    {"jsonschema", "-s SCHEMA [-o FILE] [--root NAME]", "write a JSON Schema for editors",
     BAKE_SCHEMA_COMMAND_JSON_SCHEMA, json_schema_usage, json_schema_run},
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
        bake_fail(failure, BAKE_FAILED, "unknown command 'schema %.100s'; did you mean %s?", name,
                  close);
    else if (name)
        bake_fail(failure, BAKE_FAILED, "unknown command 'schema %.100s'; the commands are %s",
                  name, list);
    else
        bake_fail(failure, BAKE_FAILED, "schema needs a command: %s", list);
    return NULL;
}
