/* Runs a harness on inputs instead of mutations. Each argument is an archive of inputs, an input
 * file, or a folder of inputs. */
#define _POSIX_C_SOURCE 200809L

#include "corpus_archive.h"
#include "fuzz_target.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* In a block of exactly its size, so that a sanitizer catches overreads. */
static void replay_bytes(const unsigned char *data, size_t size)
{
    unsigned char *exact = malloc(size ? size : 1);
    if (!exact)
        return;
    if (size)
        memcpy(exact, data, size);
    LLVMFuzzerTestOneInput(exact, size);
    free(exact);
}

static int replay_file(const char *path)
{
    size_t size = 0;
    unsigned char *data = corpus_read_file(path, &size);
    if (!data) {
        fprintf(stderr, "cannot read %s\n", path);
        return -1;
    }
    replay_bytes(data, size);
    free(data);
    return 1;
}

/* Returns the number of inputs in the archive, or -1. */
static int replay_archive(const char *path)
{
    corpus_archive archive;
    corpus_input input;
    int count = 0;
    bool is_good = corpus_archive_open(&archive, path);
    for (; is_good && corpus_archive_next(&archive, &input); count++)
        replay_bytes(input.data, input.size);
    is_good = is_good && !archive.is_broken;
    corpus_archive_close(&archive);
    if (!is_good)
        fprintf(stderr, "%s is not a complete archive of inputs\n", path);
    return is_good ? count : -1;
}

/* Returns the number of files read, or -1. */
static int replay(const char *path)
{
    static const char ending[] = ".tar.zst";
    size_t length = strlen(path);
    if (length >= sizeof ending && strcmp(path + length - (sizeof ending - 1), ending) == 0)
        return replay_archive(path);
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
