#include "insp_main.h"

int main(int argc, char **argv)
{
    return insp_main(argc, argv, stdout, stderr);
}
