#include "bake_main.h"

#include "bake_memory.h"
#include "gateway.h"
#include "jobserver.h"

#include <stdlib.h>

int main(int argc, char **argv)
{
    bake_jobserver_open(getenv("MAKEFLAGS"));
    bake_gateway_reserve_streams();
    bake_memory_tune();
    bake_gateway_clean_up_on_signals();
    return bake_main(argc, argv, stdout, stderr);
}
