/* The inputs of a harness in one file, NAME.tar.zst: a tar archive of plain files, sorted by name,
 * without times or owners, in one frame of zstd. So the same inputs give the same archive, and any
 * tar lists it. */
#ifndef CORPUS_ARCHIVE_H
#define CORPUS_ARCHIVE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct corpus_archive {
    unsigned char *tar;
    size_t size, at;
    bool is_broken; /* the archive ends early or is no tar */
} corpus_archive;

typedef struct corpus_input {
    char name[101];
    const unsigned char *data; /* in the archive */
    size_t size;
} corpus_input;

/* False when the file cannot be read, or is not such an archive. */
bool corpus_archive_open(corpus_archive *archive, const char *path);
/* The next input; false behind the last, and where the archive is broken. */
bool corpus_archive_next(corpus_archive *archive, corpus_input *ret_input);
void corpus_archive_close(corpus_archive *archive);

/* Writes the files of a folder as an archive. One that holds the same is left as it is, since
 * versions of zstd may compress differently. False when something cannot be read or written. */
bool corpus_archive_pack(const char *folder, const char *path);

/* A whole file in memory from malloc; NULL when it cannot be read. */
unsigned char *corpus_read_file(const char *path, size_t *ret_size);

#endif
