/* Opens a file as a program does and verifies all of it: check_file FILE. */
#include <kiln/file.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    kiln_file *file = NULL;
    kiln_error error = {KILN_OK, 0, 0, ""};
    if (argc != 2)
        return 2;
    kiln_file_def def = kiln_file_def_default();
    def.path = argv[1];
    kiln_status status = kiln_file_open(&def, &file, &error);
    if (!status)
        status = kiln_file_verify(file, KILN_VERIFY_DEEP, &error);
    kiln_file_close(file);
    if (status)
        fprintf(stderr, "%s: %s [%s]\n", argv[1], kiln_status_text(status), error.path);
    return status != KILN_OK;
}
