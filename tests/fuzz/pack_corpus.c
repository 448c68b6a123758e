/* Packs the inputs of a harness, and unpacks them for libFuzzer and AFL++, which need a folder:
 *
 *     pack_corpus pack FOLDER ARCHIVE
 *     pack_corpus unpack ARCHIVE FOLDER
 *     pack_corpus list ARCHIVE */
#define _POSIX_C_SOURCE 200809L

#include "corpus_archive.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static bool write_input(const char *folder, const corpus_input *input)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, input->name);
    FILE *file = strchr(input->name, '/') ? NULL : fopen(path, "wb");
    bool is_written = file && fwrite(input->data, 1, input->size, file) == input->size;
    return file && fclose(file) == 0 && is_written;
}

/* Lists to standard output if there is no folder. */
static bool unpack(const char *path, const char *folder)
{
    corpus_archive archive;
    corpus_input input;
    if (!corpus_archive_open(&archive, path))
        return false;
    bool is_good = true;
    if (folder)
        mkdir(folder, 0777);
    while (is_good && corpus_archive_next(&archive, &input)) {
        if (folder)
            is_good = write_input(folder, &input);
        else
            printf("%8zu %s\n", input.size, input.name);
    }
    is_good = is_good && !archive.is_broken;
    corpus_archive_close(&archive);
    return is_good;
}

int main(int argc, char **argv)
{
    bool is_done = false;
    if (argc == 4 && strcmp(argv[1], "pack") == 0)
        is_done = corpus_archive_pack(argv[2], argv[3]);
    else if (argc == 4 && strcmp(argv[1], "unpack") == 0)
        is_done = unpack(argv[2], argv[3]);
    else if (argc == 3 && strcmp(argv[1], "list") == 0)
        is_done = unpack(argv[2], NULL);
    if (!is_done)
        fprintf(stderr, "usage: pack_corpus pack FOLDER ARCHIVE | unpack ARCHIVE FOLDER | "
                        "list ARCHIVE\n");
    return is_done ? 0 : 1;
}
