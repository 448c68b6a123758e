/* The inputs of a harness in one file, NAME.tar.zst: a tar archive of plain files, sorted by name,
 * without times and owners, in a single zstd frame. The same inputs therefore give the same
 * archive, and any tar program can list it. */
#ifndef CORPUS_ARCHIVE_H
#define CORPUS_ARCHIVE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct corpus_archive {
    unsigned char *tar;
    size_t size, at;
    bool is_broken; /* the archive is truncated or not a tar */
} corpus_archive;

typedef struct corpus_input {
    char name[101];
    const unsigned char *data; /* points into the archive */
    size_t size;
} corpus_input;

/* Returns false if the file cannot be read or is not such an archive. */
bool corpus_archive_open(corpus_archive *archive, const char *path);
/* Returns the next input; false after the last one, or if the archive is broken. */
bool corpus_archive_next(corpus_archive *archive, corpus_input *ret_input);
void corpus_archive_close(corpus_archive *archive);

/* Writes the files of a folder as an archive. An archive with the same content stays unchanged,
 * because versions of zstd may compress differently. Returns false on an I/O error. */
bool corpus_archive_pack(const char *folder, const char *path);

/* Reads a whole file into malloc memory; NULL on failure. */
unsigned char *corpus_read_file(const char *path, size_t *ret_size);

#endif
