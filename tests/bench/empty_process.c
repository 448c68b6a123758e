/* A process that does nothing, linked to all that kiln-bake is linked to: what starting costs. The
 * call is never made, which only the one who starts the process knows. */
#include "bake_main.h"

int main(int argc, char **argv)
{
    return argc > 1000 ? bake_main(argc, argv, stdout, stderr) : 0;
}
