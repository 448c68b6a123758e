/* Opens, reads and hashes files whose paths are the lines of a file: hash_files LIST. This is the
 * least work that shows whether any of them has changed. It is linked to the same libraries as
 * kiln-bake. */
#define _POSIX_C_SOURCE 200809L

#include "bake_main.h"

#include <fcntl.h>
#include <kiln/index.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The contents of a file; grows. */
typedef struct content {
    char *data;
    size_t capacity;
} content;

/* Reads a regular file. Returns false on failure. */
static bool read_file(const char *path, content *text, size_t *ret_size)
{
    struct stat status;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    bool good = file >= 0 && fstat(file, &status) == 0;
    size_t size = good ? (size_t)status.st_size : 0;
    if (good && size > text->capacity) {
        free(text->data);
        text->data = malloc(size);
        text->capacity = text->data ? size : 0;
        good = text->data;
    }
    good = good && read(file, text->data, size) == (ssize_t)size;
    *ret_size = size;
    return file >= 0 && close(file) == 0 && good;
}

int main(int argc, char **argv)
{
    content list = {NULL, 0}, text = {NULL, 0};
    size_t list_size, size;
    uint64_t sum = 0;
    /* The compiler cannot know that this is never called. */
    if (argc > 1000)
        return bake_main(argc, argv, stdout, stderr);
    if (argc != 2 || !read_file(argv[1], &list, &list_size))
        return 2;
    const char *end = list.data + list_size;
    for (char *path = list.data, *next; path < end; path = next) {
        char *line_end = memchr(path, '\n', (size_t)(end - path));
        if (!line_end)
            return 2;
        next = line_end + 1;
        *line_end = '\0';
        if (!read_file(path, &text, &size))
            return 1;
        sum += kiln_content_hash(text.data, size).low;
    }
    free(list.data);
    free(text.data);
    return sum == 1;
}
