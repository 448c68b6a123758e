/* kiln-bake schema infer: a schema that bakes the inputs. */
#include "schema_command.h"

bake_result bake_infer_check(const bake_options *o, bake_failure *failure)
{
    if (o->schemas.count > 0)
        return bake_fail(failure, BAKE_CANNOT, "schema infer writes a schema and takes none");
    if (o->inputs.count == 0)
        return bake_fail(failure, BAKE_CANNOT, "no inputs; give files, folders or -");
    if (o->each || o->externs.count > 0 || o->no_types || o->patch)
        return bake_fail(failure, BAKE_CANNOT, "schema infer takes -C, -o and --namespace");
    return BAKE_OK;
}

bake_result bake_infer_run(bake_run *run)
{
    return bake_fail(&run->failure, BAKE_CANNOT, "schema infer is not there yet");
}
