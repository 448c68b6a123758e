/* A process that does nothing, linked to the same libraries as kiln-bake, to measure process start.
 * It never calls bake_main, but the compiler cannot know that. */
#include "bake_main.h"

int main(int argc, char **argv)
{
    return argc > 1000 ? bake_main(argc, argv, stdout, stderr) : 0;
}
