#include "insp_main.h"

int main(int argc, char **argv)
{
    /* insp_out.h has a buffer of its own. */
    setvbuf(stdout, NULL, _IONBF, 0);
    return insp_main(argc, argv, stdout, stderr);
}
