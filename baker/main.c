#include "bake_main.h"

int main(int argc, char **argv)
{
    return bake_main(argc, argv, stdout, stderr);
}
