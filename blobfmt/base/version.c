#include <kiln/version.h>

const char *kiln_version(void)
{
    return KILN_VERSION_TEXT;
}

const char *kiln_format_version(void)
{
    return KILN_FORMAT_TEXT;
}
