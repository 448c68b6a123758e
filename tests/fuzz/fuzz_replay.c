/* Runs a harness on files instead of mutations: each argument is a file or a folder of files. */
#define _POSIX_C_SOURCE 200809L

#include "fuzz_target.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int replay_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    unsigned char *data = NULL;
    size_t size = 0, got = 1;
    while (file && got > 0) {
        unsigned char *more = realloc(data, size + 65536);
        if (!more)
            break;
        data = more;
        got = fread(data + size, 1, 65536, file);
        size += got;
    }
    int failed = !file || got > 0 || ferror(file);
    if (file)
        fclose(file);
    if (failed) {
        fprintf(stderr, "cannot read %s\n", path);
        free(data);
        return -1;
    }
    /* A block of exactly the size, so that a sanitizer sees the first byte behind. */
    unsigned char *exact = malloc(size ? size : 1);
    if (exact) {
        memcpy(exact, data, size);
        LLVMFuzzerTestOneInput(exact, size);
    }
    free(exact);
    free(data);
    return 1;
}

/* The number of files read, or -1. */
static int replay(const char *path)
{
    DIR *folder = opendir(path);
    int count = 0;
    if (!folder)
        return replay_file(path);
    for (struct dirent *entry; count >= 0 && (entry = readdir(folder));) {
        char inside[4096];
        if (entry->d_name[0] == '.')
            continue;
        snprintf(inside, sizeof inside, "%s/%s", path, entry->d_name);
        int one = replay_file(inside);
        count = one < 0 ? -1 : count + one;
    }
    closedir(folder);
    return count;
}

int main(int argc, char **argv)
{
    int count = 0;
    for (int i = 1; i < argc; i++) {
        int more = replay(argv[i]);
        if (more < 0)
            return 1;
        count += more;
    }
    printf("%d inputs replayed\n", count);
    return count > 0 ? 0 : 1;
}
