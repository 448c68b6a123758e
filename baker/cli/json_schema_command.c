/* kiln-bake schema jsonschema: what a schema accepts, for editors. */
#include "json_schema.h"
#include "schema_command.h"

bake_result bake_json_schema_usage(const bake_options *o, bake_failure *failure)
{
    if (o->schemas.count == 0)
        return bake_fail(failure, BAKE_CANNOT, "no schema given; use -s FILE");
    if (o->inputs.count > 0)
        return bake_fail(failure, BAKE_CANNOT,
                         "schema jsonschema takes no inputs, only -s, -o and --root");
    return BAKE_OK;
}

bake_result bake_json_schema_run(bake_run *run)
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
    /* A write that failed is told by the commit. */
    return result ? result : bake_run_commit(run);
}
