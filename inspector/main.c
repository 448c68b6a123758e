#include "insp_main.h"

int main(int argc, char **argv)
{
    /* insp_out has its own buffer. After an interrupted write, it continues at the count that
     * fwrite returned. That count is exact only for an unbuffered stream. */
    setvbuf(stdout, NULL, _IONBF, 0);
    return insp_main(argc, argv, stdout, stderr);
}
