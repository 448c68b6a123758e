/* Enough of <string.h> to compile headers for a host whose C library is not installed. */
#ifndef HEADER_TEST_STRING_H
#define HEADER_TEST_STRING_H
#include <stddef.h>
int memcmp(const void *a, const void *b, size_t size);
#endif
